"""Ops that move data without computing: reshape, transpose, slice, concat, pad and their kin.

Amounts that may be data at run time (a shape, the begin of a slice, pads) are operands, integer tensors of rank 1;
`known_ints` of them decides the result's shape where it can be deduced.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import (
    check_distinct,
    check_integers,
    normalize_axis,
    same_dtype,
    same_size,
    unknown_shape,
)
from mlconv.ir.constants import Array, Const, check_size
from mlconv.ir.core import Known, Value
from mlconv.ir.dims import Dim, Size, floordiv, product
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_RANK
from mlconv.ir.quant import QuantType, lost
from mlconv.ir.quant_rules import OWN, SAME, SAME_SCALE
from mlconv.ir.shapes import static
from mlconv.ir.spec import (
    MAX_KNOWN,
    OpDef,
    attr,
    known_array,
    known_ints,
    known_of_array,
    op,
    operand,
    operands,
    result,
    results,
)
from mlconv.ir.traits import Plumbing, Transposing
from mlconv.ir.types import TensorType, Type


@op("core.constant", traits=[Plumbing], quant=OWN)
class Constant(OpDef):
    """A constant tensor.  value: a handle; its data are read only when they are needed.  element: what its integers
    stand for, where they are those of a quantized tensor.
    """

    value: Const = attr()
    element: QuantType | None = attr(default=None)
    y: Value = result()

    def infer(self) -> TensorType:
        if self.element is not None and self.element.storage is not self.value.dtype:
            raise ConversionError(
                Code.TypeMismatch, f"{self.value.dtype.display} integers are not those of {self.element}"
            )
        return TensorType(self.element or self.value.dtype, self.value.shape)

    def eval(self) -> Array:
        return self.value.view()

    def deduce(self) -> Known | None:
        return known_of_array(self.value.view()) if self.value.size <= MAX_KNOWN else None


def const_of(value: Value | None) -> Const | None:
    """The handle when a value is a constant."""
    return value.producer.value if value is not None and isinstance(value.producer, Constant) else None


def ints_of(value: Value | None) -> tuple[int, ...] | None:
    """Contents of a small integer tensor, flattened, when every one is a number."""
    constant = const_of(value)
    if constant is not None and constant.dtype.is_int:
        return tuple(int(i) for i in constant.view().reshape(-1))
    return static(known_ints(value))


@op("core.shape_of", quant=SAME)
class ShapeOf(OpDef):
    """The run-time shape of x: [rank(x)] of `dtype` (int32 or int64)."""

    x: Value = operand()
    dtype: DType = attr(default=DType.I64)
    y: Value = result()

    def infer(self) -> TensorType:
        rank = self.x.tensor.rank
        return TensorType(self.dtype, (Dim.unknown() if rank is None else rank,))

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        return list(quants)

    def eval(self, x: Array) -> Array:
        return np.asarray(x.shape, self.dtype.numpy)

    def deduce(self) -> Known | None:
        return self.x.tensor.shape


def _shape(t: Type) -> tuple[Size, ...]:
    """The shape of a result with scales along an axis.  Raises ConversionError TypeMismatch when its rank is not
    known.
    """
    if not isinstance(t, TensorType) or t.shape is None:
        lost("scales along an axis of a tensor whose rank is not known")
    return t.shape


def operand_sizes(value: Value) -> tuple[Size, ...] | None:
    """A shape operand as sizes; unknown entries become unknown sizes, -1 stays; None when not even the rank is
    known.
    """
    check_integers(value, "sizes")
    known = known_ints(value)
    if known is not None:
        return tuple(Dim.unknown() if k is None else k for k in known)
    shape = value.tensor.shape
    if shape is not None and len(shape) == 1 and isinstance(shape[0], int):
        if shape[0] > MAX_RANK:
            raise ConversionError(
                Code.TensorTooLarge, f"a shape of {shape[0]} numbers: at most {MAX_RANK} axes are possible"
            )
        return unknown_shape(shape[0])
    return None


def check_shape(sizes: Sequence[Size], dtype: DType, what: str) -> None:
    ints = tuple(d for d in sizes if isinstance(d, int))
    if any(d < 0 for d in ints):
        raise ConversionError(
            Code.ShapeMismatch, f"{what} would have the negative dimension {min(ints)} in {list(map(str, sizes))}"
        )
    if 0 not in ints:
        check_size(ints, dtype, what)


@op("core.reshape", traits=[Plumbing], quant=SAME)
class Reshape(OpDef):
    """x's elements in row-major order under another shape; one entry of `shape` may be -1 (deduced)."""

    moves_elements = True
    x: Value = operand()
    shape: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        sizes = operand_sizes(computed_shape(self.shape))
        if sizes is None:
            return t.with_shape(None)
        if -1 in sizes:
            i = sizes.index(-1)
            rest = product(d for j, d in enumerate(sizes) if j != i)
            fill: Size = Dim.unknown()
            if t.size is not None and rest != 0:
                fill = floordiv(t.size, rest)
                if isinstance(t.size, int) and isinstance(rest, int) and t.size % rest:
                    raise ConversionError(
                        Code.ShapeMismatch, f"cannot reshape {t} ({t.size} elements) to {list(map(str, sizes))}"
                    )
            sizes = (*sizes[:i], fill, *sizes[i + 1 :])
        elif isinstance(t.size, int) and isinstance(product(sizes), int) and product(sizes) != t.size:
            raise ConversionError(
                Code.ShapeMismatch, f"cannot reshape {t} ({t.size} elements) to {list(map(str, sizes))}"
            )
        return TensorType(t.dtype, sizes)

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        (quant,), old = quants, self.x.tensor.shape
        return [quant if old is None else quant.reshaped(old, _shape(types[0]))]

    def eval(self, x: Array, shape: Array) -> Array:
        return x.reshape([int(d) for d in shape])

    def deduce(self) -> Known | None:
        return self.x.known


def computed_shape(shape: Value) -> Value:
    """A shape of ONNX before zeros become sizes of x (Reshape-14), where its numbers turn out to be sizes: what is 0
    for some inputs alone is one, of a tensor without elements.
    """
    if (copied := shape.producer) is None or copied.name != "core.select":
        return shape
    asked, numbers = copied.inputs[0].producer, copied.inputs[2]
    if asked is None or asked.name != "core.equal" or asked.inputs[0] is not numbers:
        return shape
    are_sizes = numbers.known is not None and None not in numbers.known and 0 not in numbers.known
    return numbers if are_sizes and set(asked.inputs[1].known or ()) == {0} else shape


@op("core.expand_dims", quant=SAME)
class ExpandDims(OpDef):
    """Dimensions of size 1 inserted so that they stand at `axes` (sorted, non-negative) of the result."""

    moves_elements = True
    x: Value = operand()
    axes: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        if t.shape is None:
            return t
        out = list(t.shape)
        check_distinct(self.axes, self.name)
        for axis in self.axes:
            if not 0 <= axis <= len(out):
                raise ConversionError(Code.ShapeMismatch, f"axis {axis} is out of range for {t}")
            out.insert(axis, 1)
        return t.with_shape(tuple(out))

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        (quant,), old = quants, self.x.tensor.shape
        return [quant if old is None else quant.reshaped(old, _shape(types[0]))]

    def eval(self, x: Array) -> Array:
        return np.expand_dims(x, self.axes)

    def deduce(self) -> Known | None:
        return self.x.known


@op("core.squeeze", quant=SAME)
class Squeeze(OpDef):
    """Dimensions of size 1 at `axes` (sorted, non-negative) removed."""

    moves_elements = True
    x: Value = operand()
    axes: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        if t.shape is None:
            return t
        check_distinct(self.axes, self.name)
        for axis in self.axes:
            normalize_axis(axis, len(t.shape))
            if isinstance(t.shape[axis], int) and t.shape[axis] != 1:
                raise ConversionError(
                    Code.ShapeMismatch, f"cannot squeeze axis {axis} of {t}: its size is {t.shape[axis]}, not 1"
                )
        return t.with_shape(tuple(d for i, d in enumerate(t.shape) if i not in self.axes))

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        (quant,), old = quants, self.x.tensor.shape
        return [quant if old is None else quant.reshaped(old, _shape(types[0]))]

    def eval(self, x: Array) -> Array:
        return np.squeeze(x, self.axes)

    def deduce(self) -> Known | None:
        return self.x.known


@op("core.transpose", traits=[Transposing], quant=SAME)
class Transpose(OpDef):
    """y.shape[i] = x.shape[perm[i]]."""

    moves_elements = True
    x: Value = operand()
    perm: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        if t.shape is not None and sorted(self.perm) != list(range(len(t.shape))):
            raise ConversionError(Code.ShapeMismatch, f"{list(self.perm)} is not a permutation of the axes of {t}")
        return t if t.shape is None else t.with_shape(tuple(t.shape[p] for p in self.perm))

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        return [quants[0].transposed(self.perm)]

    def eval(self, x: Array) -> Array:
        return np.transpose(x, self.perm)

    def deduce(self) -> Known | None:
        known = None if self.x.known is None else known_array(self.x)
        return None if known is None else tuple(np.transpose(known, self.perm).reshape(-1))


@op("core.concat", quant=SAME_SCALE)
class Concat(OpDef):
    """Operands of one element type joined along `axis` (non-negative)."""

    moves_elements = True
    xs: list[Value] = operands()
    axis: int = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        dtype = same_dtype(*self.xs)
        shapes = [v.tensor.shape for v in self.xs]
        first = next((s for s in shapes if s is not None), None)
        if first is None:
            return TensorType(dtype, None)
        if not first:
            raise ConversionError(Code.ShapeMismatch, "scalars have no axis along which they could be concatenated")
        normalize_axis(self.axis, len(first))
        out: list[Size] = list(first)
        total: Size = 0
        for s in shapes:
            if s is not None and len(s) != len(first):
                raise ConversionError(Code.ShapeMismatch, f"cannot concatenate ranks {len(first)} and {len(s)}")
            for i, d in enumerate(s or ()):
                if i != self.axis:
                    out[i] = same_size(out[i], d, f"concatenated sizes along axis {i}")
            total = total + (Dim.unknown() if s is None else s[self.axis])
        out[self.axis] = total
        return TensorType(dtype, tuple(out))

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        sizes = [Dim.unknown() if x.tensor.shape is None else x.tensor.shape[self.axis] for x in self.xs]
        return [QuantType.joined(quants, self.axis, sizes)]

    def eval(self, *xs: Array) -> Array:
        return np.concatenate(xs, self.axis)

    def deduce(self) -> Known | None:
        parts = [known_array(v) for v in self.xs]
        if any(p is None for p in parts):
            return None
        return tuple(np.concatenate([p for p in parts if p is not None], self.axis).reshape(-1))


@op("core.split", quant=SAME)
class Split(OpDef):
    """x cut along `axis` into parts of the given sizes; one size may be -1 (the rest)."""

    x: Value = operand()
    sizes: tuple[int, ...] = attr()
    axis: int = attr()
    ys: list[Value] = results()

    def infer(self) -> list[TensorType]:
        t = self.x.tensor
        if t.shape is None:
            return [t] * len(self.sizes)
        axis = normalize_axis(self.axis, len(t.shape))
        whole = t.shape[axis]
        parts: list[Size] = list(self.sizes)
        if -1 in parts:
            parts[parts.index(-1)] = whole - product(()) * sum(s for s in self.sizes if s != -1)
        elif isinstance(whole, int) and sum(self.sizes) != whole:
            raise ConversionError(
                Code.ShapeMismatch, f"sizes {list(self.sizes)} do not add up to {whole}, axis {axis} of {t}"
            )
        return [t.with_shape((*t.shape[:axis], n, *t.shape[axis + 1 :])) for n in parts]

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        (quant,), axis, at, out = quants, self.axis % max(self.x.tensor.rank or 1, 1), 0, []
        if quant.is_per_tensor:
            return [quant] * len(types)
        for size in (_shape(t)[axis] for t in types):
            out.append(
                quant.sliced(axis, at, at + size) if isinstance(size, int) else quant.untouched([axis], "a split")
            )
            at += size if isinstance(size, int) else 0
        return out

    def eval(self, x: Array) -> tuple[Array, ...]:
        sizes = list(self.sizes)
        if -1 in sizes:
            sizes[sizes.index(-1)] = x.shape[self.axis] - sum(s for s in sizes if s != -1)
        return tuple(np.split(x, np.cumsum(sizes)[:-1], self.axis))


@op("core.tile", quant=SAME)
class Tile(OpDef):
    """x repeated repeats[i] times along axis i.  repeats: integer [rank(x)]."""

    x: Value = operand()
    repeats: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        check_integers(self.repeats, "repeats")
        if t.shape is None:
            return t
        known = known_ints(self.repeats) or (None,) * len(t.shape)
        if len(known) != len(t.shape):
            raise ConversionError(Code.ShapeMismatch, f"{len(known)} repeats for {t}")
        out = tuple(Dim.unknown() if k is None else d * k for d, k in zip(t.shape, known, strict=True))
        check_shape(out, t.dtype, "result of Tile")
        return t.with_shape(out)

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        known = known_ints(self.repeats)
        axes = [i for i in range(self.x.tensor.rank or 0) if known is None or known[i] != 1]
        return [quants[0].untouched(axes, "a repetition")]

    def eval(self, x: Array, repeats: Array) -> Array:
        return np.tile(x, [int(r) for r in repeats])


@op("core.broadcast_to", traits=[Plumbing], quant=SAME)
class BroadcastTo(OpDef):
    """x repeated to `shape` by numpy's broadcasting rules (TensorFlow BroadcastTo, Fill; ONNX Expand is made of it)."""

    x: Value = operand()
    shape: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        sizes = operand_sizes(self.shape)
        if sizes is None:
            return t.with_shape(None)
        if t.shape is not None:
            if len(t.shape) > len(sizes):
                raise ConversionError(
                    Code.ShapeMismatch, f"cannot broadcast {t} to the smaller rank of {list(map(str, sizes))}"
                )
            for d, s in zip(reversed(t.shape), reversed(sizes), strict=False):
                if isinstance(d, int) and isinstance(s, int) and d not in (1, s):
                    raise ConversionError(Code.ShapeMismatch, f"cannot broadcast {t} to {list(map(str, sizes))}")
        check_shape(sizes, t.dtype, "result of broadcast (Fill, Expand, ConstantOfShape)")
        return t.with_shape(sizes)

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        (quant,), old, new = quants, self.x.tensor.shape, _shape(types[0])
        if quant.is_per_tensor or old is None:
            return [quant]
        lead = len(new) - len(old)
        changed = [i for i, d in enumerate(old) if d != new[i + lead]]
        return [quant.untouched(changed, "a broadcast").reshaped(old, (1,) * lead + old)]

    def eval(self, x: Array, shape: Array) -> Array:
        return np.broadcast_to(x, [int(d) for d in shape])

    def deduce(self) -> Known | None:
        size = self.y.tensor.size
        return (
            self.x.known * size
            if self.x.known is not None and len(self.x.known) == 1 and isinstance(size, int)
            else self.x.known
        )
