"""What rules of TensorFlow share: attributes, shapes and operands with their checks."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.base import normalize_axis, ranked
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.source import Handler, SourceNode
from mlconv.rewrite import Rules, constant_of

ALL_OPEN = (1 << 31) - 1  # begin_mask / end_mask with every bound open


MAX_FOLDED = 64  # elements of an integer result that is computed at once


def _folding(handler: Handler) -> Handler:
    def apply(n: SourceNode) -> Value | Sequence[Value]:
        try:
            values = handler(n)
        except (ValueError, IndexError, OverflowError, ZeroDivisionError) as e:
            # Shapes and constants of a file that no TensorFlow would have run; handlers check what real models get
            # wrong.
            raise ConversionError(
                Code.ShapeMismatch, f"the shapes and constants of {n.kind} do not fit together: {e}"
            ) from e
        if isinstance(values, Value):
            return _constant_or_self(n, values)
        return [_constant_or_self(n, v) for v in values]

    return apply


def _constant_or_self(n: SourceNode, value: Value) -> Value:
    t = value.type
    if (
        not isinstance(t, TensorType)
        or t.dtype not in (DType.I32, DType.I64)
        or isinstance(value.producer, core.Constant)
    ):
        return value
    if not isinstance(t.size, int) or t.size > MAX_FOLDED:
        return value
    c = constant_of(value)
    return value if c is None else n.constant(c)


def tf_rules() -> Rules:
    """Rules whose small integer results become constants at once where they follow from constants: shape arithmetic is
    done while it is legalized.
    """
    return Rules(guard=_folding)


def dtype_of(n: SourceNode, name: str, default: DType | None = None) -> DType:
    """An attribute that is an element type of tensors.  Raises ConversionError ElementTypeUnsupported for resources and
    variants.
    """
    found = n.attr(name) if default is None else n.attr(name, default)
    if not isinstance(found, DType):
        raise ConversionError(
            Code.ElementTypeUnsupported,
            f"{n.kind}: attribute '{name}' is {found}, which is no element type of a tensor",
        )
    return found


def shape_of(value: Value, what: str = "the input") -> Shape:
    """The shape of a value of known rank."""
    return ranked(value, what)


def rank_of(value: Value, what: str = "the input") -> int:
    return len(ranked(value, what))


def static_shape(value: Value, what: str) -> tuple[int, ...]:
    """The shape as integers.  Raises ConversionError ShapeNotStatic."""
    shape = ranked(value, what)
    ints = tuple(d for d in shape if isinstance(d, int))
    if len(ints) != len(shape):
        raise ConversionError(
            Code.ShapeNotStatic,
            f"the shape of {what} must be static, it is {value.tensor}",
            help="fix the input's shape with --shape NAME=...",
        )
    return ints


def last_sizes(x: Value, count: int, what: str) -> tuple[int, ...]:
    """The last `count` sizes of x, which must be known."""
    shape = shape_of(x, what)
    if len(shape) < count:
        raise ConversionError(Code.ShapeMismatch, f"{what} has rank {len(shape)}, at least {count} is needed")
    ints = tuple(d for d in shape[len(shape) - count :] if isinstance(d, int))
    if len(ints) != count:
        raise ConversionError(Code.ShapeNotStatic, f"the last {count} sizes of {what} must be known, it is {x.tensor}")
    return ints


def axis_of(n: SourceNode, i: int, rank: int) -> int:
    """A constant scalar operand as an axis in [0, rank)."""
    values = n.ints(i)
    if len(values) != 1:
        raise ConversionError(
            Code.ShapeMismatch, f"input {i} of {n.kind} must be one axis, it has {len(values)} values", operand=i
        )
    return normalize_axis(values[0], rank)


def axes_of(n: SourceNode, i: int, rank: int) -> tuple[int, ...]:
    """A constant operand as sorted axes.  Raises ConversionError ShapeMismatch for axes that are named twice."""
    axes = sorted(normalize_axis(a, rank) for a in n.ints(i))
    if len(set(axes)) != len(axes):
        raise ConversionError(Code.ShapeMismatch, f"the axes {axes} of {n.kind} name an axis twice")
    return tuple(axes)


def check_channels(n: SourceNode, x: Value, axis: int, *vectors: Value) -> None:
    """Vectors have one number for each place along an axis of x.  Raises ConversionError ShapeMismatch."""
    wanted = shape_of(x)[axis]
    for v in vectors:
        shape = v.tensor.shape
        if shape is not None and (
            len(shape) != 1 or (isinstance(wanted, int) and isinstance(shape[0], int) and shape[0] != wanted)
        ):
            raise ConversionError(
                Code.ShapeMismatch,
                f"{n.kind} of {x.tensor} with {v.tensor}, expected one number for each of {wanted} channels",
            )


def folded(n: SourceNode, i: int) -> Value:
    """Operand i, as a constant where it follows from constants: so that shapes are known while the rest is
    legalized.
    """
    value = n.operand(i)
    if isinstance(value.producer, core.Constant):
        return value
    c = constant_of(value)
    return value if c is None else n.constant(c)


def stacked_rows(value: Value) -> list[Value]:
    """The vectors that were stacked to a matrix; empty when it was made otherwise."""
    op = value.producer
    parts = (
        [value] if isinstance(op, core.ExpandDims) else op.xs if isinstance(op, core.Concat) and op.axis == 0 else []
    )
    rows: list[Value] = []
    for part in parts:
        row = part.producer
        if not isinstance(row, core.ExpandDims) or row.axes != (0,) or row.x.tensor.rank != 1:
            return []
        rows.append(row.x)
    return rows


def pairs(n: SourceNode, i: int) -> Value:
    """Operand i, a matrix of amounts for each axis: constant, or as a reshaped vector, whose contents core can
    follow.
    """
    value = folded(n, i)
    rows = [] if isinstance(value.producer, core.Constant) else stacked_rows(value)
    if not rows or not value.tensor.is_static:
        return value
    flat = rows[0] if len(rows) == 1 else n.emit(core.Concat(rows, axis=0)).y
    return n.emit(core.Reshape(flat, n.vector([len(rows), 2]))).y


def reshape(n: SourceNode, x: Value, sizes: Sequence[Size | Value]) -> Value:
    """x under another shape.  Sizes are integers, symbolic sizes (at most one of which may be left to deduction) or
    integer scalars.
    """
    if tuple(sizes) == x.tensor.shape:
        return x
    return n.emit(core.Reshape(x, shape_vector(n, x, sizes))).y


def shape_vector(n: SourceNode, x: Value, sizes: Sequence[Size | Value]) -> Value:
    """A shape operand: symbolic sizes are read off x's run-time shape where they stand there; a single other one
    becomes -1.
    """
    parts: list[int | Value] = []
    shape = x.tensor.shape or ()
    open_at = [i for i, s in enumerate(sizes) if isinstance(s, Dim) and s not in shape]
    symbolic = [i for i, s in enumerate(sizes) if isinstance(s, Dim)]
    if len(symbolic) == 1 and not any(isinstance(s, Value) for s in sizes):
        open_at = symbolic
    if len(open_at) > 1:
        raise ConversionError(
            Code.ShapeNotStatic, f"{n.kind}: the sizes {', '.join(str(sizes[i]) for i in open_at)} must be known"
        )
    for i, size in enumerate(sizes):
        if isinstance(size, Dim):
            parts.append(-1 if i in open_at else dim_value(n, x, shape.index(size)))
        else:
            parts.append(size)
    return n.stack(parts)


def dim_value(n: SourceNode, x: Value, axis: int) -> Value:
    """Size of one axis at run time: int64 scalar."""
    size = x.tensor.shape[axis] if x.tensor.shape is not None else None
    if isinstance(size, int):
        return n.constant(size, DType.I64)
    return n.emit(core.Gather(n.emit(core.ShapeOf(x)).y, n.constant(axis, DType.I64), axis=0)).y
