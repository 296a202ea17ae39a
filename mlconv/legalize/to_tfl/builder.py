"""What a legalization function works with: it emits core and TFLite ops in front of the op that it replaces.

A function may emit core ops too; the driver comes to them afterwards.  So a function says what is special about TFLite
and leaves the rest (element types, ranks) to the functions of the ops that it is made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import tfl_op
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Inline, Splat
from mlconv.ir.core import Block, Op, Region, Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.spec import known_ints
from mlconv.ir.types import Shape, TensorType, Type
from mlconv.legalize.to_tfl.dtypes_table import MAX_RANK
from mlconv.rewrite import remake
from mlconv.rewrite.core_builder import Emitter
from mlconv.rewrite.size_values import SizeValues

O = TypeVar("O", bound=Op)  # noqa: E741
MAX_INTS = 1 << 24


def resizable(source: Sequence[Size] | None, target: Sequence[Size]) -> list[int]:
    """The shape operand of a reshape: -1 for the size that is not known.

    When all are known, the axis that carries the first axis of the source through unchanged is left open, or else its
    first axis that is not 1: so the file still runs when its input is resized along that axis, as users do with the
    batch.
    """
    sizes = [d if isinstance(d, int) else -1 for d in target]
    if -1 in sizes or 0 in sizes or static(source) is None or source is None:
        return sizes
    first = next((i for i, d in enumerate(source) if d != 1), 0)
    for axis in dict.fromkeys((0, first)):
        before = product(source[:axis])
        for i, d in enumerate(sizes):
            if axis < len(source) and d == source[axis] and product(sizes[:i]) == before:
                return [*sizes[:i], -1, *sizes[i + 1 :]]
    return sizes


class TflBuilder(Emitter):
    """Emits at one place.  `reduce_f64`: float64 may be computed in float32."""

    __slots__ = ("reduce_f64",)

    def __init__(self, builder: Builder, reduce_f64: bool = False) -> None:
        super().__init__(builder)
        self.reduce_f64 = reduce_f64

    def within(self, block: Block, before: Op | None = None) -> TflBuilder:
        """Emission elsewhere: before an op of another block, or at its end."""
        return TflBuilder(Builder(block, self.builder.location, before), self.reduce_f64)

    # -- ops ---------------------------------------------------------------------------------------

    def tfl(
        self,
        builtin: str,
        operands: Sequence[Value | None],
        types: Sequence[Type],
        regions: Sequence[Region] = (),
        **options: Any,
    ) -> list[Value]:
        """Insert a TFLite op; returns its results."""
        return self.builder.emit(tfl_op(builtin, operands, options, types, regions)).results

    def one(self, builtin: str, operands: Sequence[Value | None], type_: Type, **options: Any) -> Value:
        """Insert a TFLite op with one result."""
        return self.tfl(builtin, operands, [type_], **options)[0]

    # -- constants ---------------------------------------------------------------------------------

    def ints(self, values: Sequence[int]) -> Value:
        """An int32 vector.  Raises ConversionError TensorTooLarge for numbers that int32 does not hold, and for more of
        them than a model can mean.
        """
        if len(values) > MAX_INTS:
            raise ConversionError(
                Code.TensorTooLarge,
                f"a list of {len(values)} sizes or indices is too large, at most {MAX_INTS} are written",
            )
        if any(not -(2**31) <= v < 2**31 for v in values):
            raise ConversionError(
                Code.TensorTooLarge, f"TFLite takes sizes and indices of 32 bits, needs {list(values)[:8]}"
            )
        return self.constant(np.asarray(values, np.int32).reshape(-1), DType.I32)

    def i(self, value: int) -> Value:
        """An int32 scalar."""
        return self.constant(np.asarray(value, np.int32), DType.I32)

    def asarray(self, value: float, other: Value) -> Value:
        """A scalar constant of other's element type; of a quantized one, the integer that stands for the number."""
        quant = other.tensor.quant
        if quant is None:
            return self.constant(Splat(value, other.tensor.dtype, ()))
        return self.constant(quant.quantize(np.asarray(value, np.float32)), element=quant)

    # -- core ops that vanish when they do nothing -------------------------------------------------

    def cast(self, x: Value, dtype: DType) -> Value:
        constant = const_of(x)
        if x.tensor.dtype is dtype:
            return x
        if constant is not None and not dtype.is_complex and not constant.dtype.is_complex and constant.size <= 1024:
            return self.constant(Inline(np.asarray(core.Cast(x, dtype=dtype).eval(constant.view())), dtype))
        return self.y(core.Cast(x, dtype=dtype))

    def i32(self, x: Value) -> Value:
        """Indices as int32; a constant is converted now, floats at once, and what has got axes of size 1 before it has:
        others may read it without them.
        """
        made = x.producer
        if x.tensor.dtype is DType.I32 or len(x.uses) > 1:
            return self.cast(x, DType.I32)
        if isinstance(made, (core.Reshape, core.ExpandDims)):
            return self.y(remake(made, [self.i32(made.x), *made.operands[1:]]))
        if isinstance(made, core.Cast) and made.x.tensor.dtype.is_float and not made.saturate:
            x = made.x
        return self.cast(x, DType.I32)

    def transpose(self, x: Value, perm: Sequence[int]) -> Value:
        """x with its axes permuted; a constant is re-laid by a recipe, never touched here."""
        if tuple(perm) == tuple(range(len(perm))):
            return x
        constant = const_of(x)
        if constant is not None:
            quant = x.tensor.quant
            return self.constant(recipes.transpose(constant, tuple(perm)), element=quant and quant.transposed(perm))
        stored = stored_weights(x)
        if stored is not None:
            return self.numbers_like(x, self.transpose(stored, perm))
        return self.y(core.Transpose(x, perm=tuple(perm)))

    def reshape(self, x: Value, shape: Sequence[Size], *sources: Value) -> Value:
        """x under another shape.  Sizes that are not known come from the run-time shapes of x and `sources`."""
        if x.tensor.shape is not None and tuple(shape) == x.tensor.shape:
            return x
        constant = const_of(x)
        fixed = static(shape)
        if constant is not None and fixed is not None and min(fixed, default=0) >= 0:
            quant = x.tensor.quant
            return self.constant(constant.reshape(fixed), element=quant and quant.reshaped(constant.shape, fixed))
        stored = stored_weights(x)
        if stored is not None and fixed is not None and min(fixed, default=0) >= 0 and _follows(stored, fixed):
            return self.numbers_like(x, self.reshape(stored, shape))
        unknown = [i for i, d in enumerate(shape) if not isinstance(d, int)]
        if len(unknown) > 1 or (unknown and 0 in shape):
            target = self.sizes(shape, x, *sources)
        else:
            target = self.ints(resizable(x.tensor.shape, shape))
        return self.one("RESHAPE", [x, target], x.tensor.with_shape(tuple(shape)), **new_shape(target))

    def numbers_like(self, x: Value, stored: Value) -> Value:
        """The numbers of stored weights, as those of x are made."""
        if isinstance(x.producer, core.Cast):
            return self.y(core.Cast(stored, dtype=x.producer.dtype))
        return self.y(core.Dequantize(stored))

    def floats(self, x: Value) -> Value:
        """Constants that files have as halves as floats: kernels that round what they read take no others beside
        weights of integers (XNNPACK, fully-connected-nc.c and convolution-nhwc.c, qd8_f32).
        """
        stored = stored_weights(x)
        constant = None if stored is None or stored.tensor.quant is not None else const_of(stored)
        return x if constant is None else self.constant(recipes.cast(constant, x.tensor.dtype))

    def copy(self, x: Value) -> Value:
        """x itself: replacing an op by its operand needs no op."""
        return x

    def slice_axis(self, x: Value, axis: int, begin: int, end: int | None, step: int = 1) -> Value:
        """x[begin:end:step] along one axis, by numbers; end None is the end."""
        rank = len(shape_of(x))
        begins, ends, steps = [0] * rank, [0] * rank, [1] * rank
        begins[axis], steps[axis] = begin, step
        mask = (1 << rank) - 1 - (1 << axis)
        end_mask = mask
        if end is None:
            end_mask |= 1 << axis
        else:
            ends[axis] = end
        return self.y(
            core.Slice(x, self.ints(begins), self.ints(ends), self.ints(steps), begin_mask=mask, end_mask=end_mask)
        )

    def broadcast_to(self, x: Value, shape: Sequence[Size], *sources: Value) -> Value:
        """x repeated to `shape`; sizes that are not known come from `sources`."""
        if x.tensor.shape == tuple(shape):
            return x
        return self.y(core.BroadcastTo(x, self.sizes(shape, *sources)))

    # -- sizes at run time -------------------------------------------------------------------------

    def sizes(self, shape: Sequence[Size], *sources: Value) -> Value:
        """`shape` as an int32 vector.  Raises ConversionError ShapeNotStatic when a size stands in no shape of
        `sources`.
        """
        fixed = static(shape)
        if fixed is not None:
            return self.ints(fixed)
        for source in sources:
            if source.tensor.shape == tuple(shape):
                return self.y(core.ShapeOf(source, dtype=DType.I32))
        parts = [self.ints([d]) if isinstance(d, int) else self.size(d, *sources) for d in shape]
        return parts[0] if len(parts) == 1 else self.y(core.Concat(parts, axis=0))

    def size(self, d: Size, *sources: Value) -> Value:
        """One size as an int32 vector of length 1, by the shapes of `sources`, or else of the block's arguments."""
        if isinstance(d, int):
            return self.ints([d])
        in_view = (*sources, *self.builder.block.arguments)
        return SizeValues(self, in_view, self.axis_size, lambda size: self.ints([size]), "the size").of(d)

    def axis_size(self, x: Value, axis: int) -> Value:
        """The size of an axis as an int32 vector of length 1."""
        shape = self.y(core.ShapeOf(x, dtype=DType.I32))
        return self.one(
            "STRIDED_SLICE",
            [shape, self.ints([axis]), self.ints([axis + 1]), self.ints([1])],
            TensorType(DType.I32, (1,)),
        )


def new_shape(target: Value) -> dict[str, Any]:
    """The RESHAPE option, kept for readers that look at it instead of the operand; LiteRT holds eight numbers of it and
    refuses a file with more.
    """
    known = known_ints(target)
    if const_of(target) is None or known is None or len(known) > MAX_RANK["new_shape"]:
        return {}
    return {"new_shape": tuple(k for k in known if isinstance(k, int))}


def stored_weights(x: Value) -> Value | None:
    """The constant in fewer bits that a value is the numbers of."""
    maker = x.producer
    if isinstance(maker, core.Dequantize) or (isinstance(maker, core.Cast) and maker.x.tensor.dtype.is_half):
        return maker.x if const_of(maker.x) is not None else None
    return None


def is_weights(x: Value) -> bool:
    """A constant, or the numbers of one."""
    return const_of(x) is not None or stored_weights(x) is not None


def _follows(stored: Value, shape: Shape) -> bool:
    """The scales of a constant have an axis under another shape."""
    quant, constant = stored.tensor.quant, const_of(stored)
    if quant is None or constant is None:
        return True
    try:
        quant.reshaped(constant.shape, shape)
    except ConversionError:
        return False
    return True


def shape_of(x: Value, what: str = "operand") -> Shape:
    """The shape of x.  Raises ConversionError ShapeNotStatic when its rank is not known: TFLite kernels need it."""
    shape = x.tensor.shape
    if shape is None:
        raise ConversionError(
            Code.ShapeNotStatic,
            f"TFLite needs the rank of {what} {x.name or ''} at conversion time",
            help="give input shapes with --shape",
        )
    return shape


def scalar_of(x: Value | None) -> float | None:
    """The only element of a constant of real numbers."""
    constant = const_of(x)
    if constant is None or constant.size != 1 or constant.dtype.is_complex:
        return None
    return float(constant.view().reshape(()))


def refuse(why: str, help_: str = "") -> ConversionError:
    """The error for an op that TFLite has no form for."""
    return ConversionError(Code.TargetLacksOp, why, help=help_)
