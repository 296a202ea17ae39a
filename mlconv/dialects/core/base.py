"""What the op families share: broadcasting, checks of types."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, maximum
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_at_most, is_one_at_most
from mlconv.ir.types import Shape, TensorType


def broadcast_shapes(*shapes: Shape | None) -> Shape | None:
    """numpy's broadcasting on symbolic shapes.  A symbolic size against an integer above 1 takes the integer; two
    different symbols give their maximum.

    Raises ConversionError ShapeMismatch when integers disagree.
    """
    if any(s is None for s in shapes):
        return None
    ranked = [s for s in shapes if s is not None]
    rank = max(map(len, ranked), default=0)
    out: list[Size] = []
    for axis in range(rank):
        size: Size = 1
        for s in ranked:
            d = s[axis - rank] if len(s) >= rank - axis else 1
            size = _broadcast_dim(size, d, ranked)
        out.append(size)
    return tuple(out)


def _broadcast_dim(a: Size, b: Size, shapes: list[Shape]) -> Size:
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if isinstance(a, int) and isinstance(b, int):
        raise ConversionError(
            Code.ShapeMismatch,
            f"shapes do not broadcast: {' and '.join(str(list(s)) for s in shapes)} ({a} against {b})",
        )
    if isinstance(a, int) or isinstance(b, int):
        return a if isinstance(a, int) else b
    # one of them may be 1; an empty one against 1 is the only case that this misses
    if is_one_at_most(a) or is_one_at_most(b):
        return a if is_one_at_most(b) else b
    return b if is_at_most(a, b) else a if is_at_most(b, a) else maximum(a, b)


def same_dtype(*values: Value) -> DType:
    """The element type that all operands share.  Raises ConversionError TypeMismatch when they do not."""
    first = values[0].tensor.dtype
    for i, v in enumerate(values):
        if v.tensor.dtype is not first:
            raise ConversionError(
                Code.TypeMismatch,
                f"operands have different element types: {first.display} and {v.tensor.dtype.display}",
                operand=i,
            )
    return first


def check_dtype(value: Value, *allowed: DType, what: str = "operand") -> None:
    if value.tensor.dtype not in allowed:
        names = " or ".join(d.display for d in allowed)
        raise ConversionError(
            Code.TypeMismatch, f"{what} has element type {value.tensor.dtype.display}, expected {names}"
        )


def ranked(value: Value, what: str = "operand") -> Shape:
    """The shape of a value.  Raises ConversionError ShapeNotStatic when it has no known rank."""
    shape = value.tensor.shape
    if shape is None:
        raise ConversionError(
            Code.ShapeNotStatic,
            f"the rank of {what} must be known",
            help="give the input's shape with --shape NAME=...",
        )
    return shape


def normalize_axis(axis: int, rank: int) -> int:
    """axis in [0, rank).  Raises ConversionError ShapeMismatch when it is out of range."""
    if not -rank <= axis < max(rank, 1):
        raise ConversionError(Code.ShapeMismatch, f"axis {axis} is out of range for rank {rank}")
    return axis + rank if axis < 0 else axis


def check_rank(value: Value, rank: int, what: str) -> Shape:
    shape = ranked(value, what)
    if len(shape) != rank:
        raise ConversionError(Code.ShapeMismatch, f"{what} has rank {len(shape)} ({value.tensor}), expected {rank}")
    return shape


def check_axes(value: Value, axes: Sequence[int], what: str) -> None:
    """Axes of a value, counted from the front, each once.  Raises ConversionError ShapeMismatch; of a value whose rank
    is not known only the count is checked.
    """
    rank = value.tensor.rank
    outside = [a for a in axes if a < 0 or (rank is not None and a >= rank)]
    if outside or not axes or len(set(axes)) != len(axes):
        raise ConversionError(
            Code.ShapeMismatch, f"{what} along the axes {list(axes)} of {value.tensor}: they are no axes of it"
        )


def check_integers(value: Value, what: str) -> None:
    """A vector of integers, as far as the type tells.  Raises ConversionError ShapeMismatch for another rank,
    TypeMismatch for another element type.
    """
    t = value.tensor
    if t.rank not in (None, 1):
        raise ConversionError(Code.ShapeMismatch, f"{what} are {t}, expected a vector")
    check_integer_type(value, what)


def check_integer_type(value: Value, what: str) -> None:
    """Integers of any shape.  Raises ConversionError TypeMismatch."""
    if not value.tensor.dtype.is_int:
        raise ConversionError(Code.TypeMismatch, f"{what} are {value.tensor}, expected integers")


def check_count(items: Sequence[object], count: int, what: str) -> None:
    """So many items.  Raises ConversionError AttributeInvalid."""
    if len(items) != count:
        raise ConversionError(Code.AttributeInvalid, f"{what} are {list(items)}, expected {count}")


def check_numbers(numbers: Sequence[int], count: int, least: int, what: str) -> None:
    """So many numbers, each `least` or more.  Raises ConversionError AttributeInvalid."""
    if len(numbers) != count or any(n < least for n in numbers):
        raise ConversionError(
            Code.AttributeInvalid, f"{what} are {list(numbers)}, expected {count} numbers of {least} or more"
        )


def check_distinct(axes: Sequence[int], what: str) -> None:
    """Each axis once.  Raises ConversionError ShapeMismatch."""
    if len(set(axes)) != len(axes):
        raise ConversionError(Code.ShapeMismatch, f"{what}: an axis occurs twice in {list(axes)}")


def unknown_shape(rank: int) -> Shape:
    return tuple(Dim.unknown() for _ in range(rank))


def same_size(a: Size, b: Size, what: str) -> Size:
    """The known one of two sizes that must be equal.  Raises ConversionError ShapeMismatch when they cannot be."""
    if isinstance(a, int) and isinstance(b, int) and a != b:
        raise ConversionError(Code.ShapeMismatch, f"{what}: {a} and {b} differ")
    return a if isinstance(a, int) else b


def unify_shapes(shapes: Sequence[Shape | None]) -> Shape | None:
    """The most precise shape that holds for every one of several: equal sizes stay, others become unknown, different
    ranks unranked.
    """
    first = shapes[0]
    for s in shapes:
        if first is None or s is None or len(first) != len(s):
            return None
    assert_ranked = [s for s in shapes if s is not None]
    return tuple(ds[0] if all(d == ds[0] for d in ds) else Dim.unknown() for ds in zip(*assert_ranked, strict=True))


def tensor(dtype: DType, shape: Sequence[Size] | None) -> TensorType:
    return TensorType(dtype, None if shape is None else tuple(shape))
