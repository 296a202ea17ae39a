"""What products compute with, for the rules that make kernels of them: element types, and what becomes of a sum."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import (
    BFLOAT16,
    FLOAT32,
    PANEL,
    WORD,
    Instr,
    LoopNestOp,
    ProductTypes,
    Program,
    Sizes,
    Step,
    View,
    dense,
    has_code,
)
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, Splat, make_const
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType, storage_range
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder
from mlconv.legalize.to_kernel.reduce import accumulator
from mlconv.passes.quantized.weights import is_taken

_NARROW = (DType.I8, DType.I16)
_DEEP = 1 << 15  # places whose sums, times 16, an int32 does not hold in any case
_FILLED = 1.1  # places of weights of 4 bits that may be made of one
_BLOCK = 1 << 16
HALF_TYPES = (DType.BF16, DType.F16)
Finish = Callable[[Expr, View], None]


class Arithmetic(NamedTuple):
    """types: of x, weights, sums and result.  finish: emits what follows a sum, which is value 0 of the expression; the
    view is that of numbers that there is one of for each channel.

    zeros: what is subtracted from elements of x and of the weights before they are multiplied, which loops alone do.
    padding: what stands for 0 around an image.  shift: is added to elements of x before they are multiplied.
    """

    types: ProductTypes
    finish: Finish
    zeros: tuple[int, int] = (0, 0)
    padding: float = 0.0
    shift: int = 0

    @property
    def has_tiles(self) -> bool:
        """There are register tiles for it."""
        narrow = self.types.x in _NARROW and self.types.weights in _NARROW and self.types.sums.is_int
        return self.zeros == (0, 0) and (has_code(self.types) or narrow)

    def epilogue(self, operands: list[Value], along: View) -> Program:
        """What follows a sum, behind the operands that a kernel has so far."""
        after = Expr.after(operands, self.types.sums)
        self.finish(after, along)
        return after.program()[1:]


def of_numbers(dtype: DType, bias: Value | None = None) -> Arithmetic:
    """Plain sums in an element type, and a bias."""
    wide = accumulator(dtype)

    def finish(after: Expr, along: View) -> None:
        if bias is not None:
            after.op("add", 0, after.cast(after.load(bias, along), wide))
        after.cast(len(after.code) - 1, dtype)

    return Arithmetic(ProductTypes(dtype, dtype, wide, dtype), finish)


def stored_weights(w: Value, groups: int = 1) -> tuple[Const, QuantType] | None:
    """Integers whose numbers a value is, where products of floats take them as they are; None for others.  groups: of
    a convolution.
    """
    found = _stored(w)
    if found is None or groups == 1 or numbers_of_zeros(found[1]) is None:
        return found
    return _without_zeros(*found) if found[1].storage.bits <= DType.I8.bits else None


def _stored(w: Value) -> tuple[Const, QuantType] | None:
    made = w.producer
    if not isinstance(made, core.FromIntegers) or not is_taken(made.quant):
        return None
    stored = const_of(made.x.producer.x if isinstance(made.x.producer, core.StorageCast) else made.x)
    if stored is None:
        return None
    if stored.dtype is DType.U16:
        return _signed(stored, made.quant)
    return recipes.cast(stored, DType.I8) if stored.dtype is DType.I4 else stored, made.quant


def _signed(stored: Const, quant: QuantType) -> tuple[Const, QuantType]:
    """Integers of 16 bits, less half of what these hold."""
    numbers = quant.zero_array().astype(np.int32) - (1 << (DType.U16.bits - 1))
    zeros = make_const(numbers.astype(DType.I16.numpy), DType.I16)
    return less_half(stored), QuantType(DType.I16, quant.expressed, quant.scheme, quant.scales, zeros)


def less_half(c: Const) -> Const:
    """uint8 or uint16 less half of what these hold, with a sign."""
    if c.dtype is DType.U8:
        return recipes.signed(c)
    wide = recipes.binary("sub", recipes.cast(c, DType.I32), Splat(1 << DType.U16.bits - 1, DType.I32, c.shape))
    return recipes.cast(wide, DType.I16)


def _without_zeros(stored: Const, quant: QuantType) -> tuple[Const, QuantType]:
    """Integers of at most 8 bits less their zero points, in 16: for products of groups, whose sums of x are many."""
    zeros = quant.zero_array().astype(DType.I16.numpy)
    if quant.axis is not None and zeros.ndim:
        zeros = zeros.reshape([-1 if a == quant.axis else 1 for a in range(len(stored.shape))])
    integers = recipes.binary("sub", recipes.cast(stored, DType.I16), make_const(zeros, DType.I16))
    return integers, QuantType(DType.I16, quant.expressed, quant.scheme, quant.scales)


def of_stored(weights: Const, quant: QuantType, bias: Value | None, e: KernelBuilder) -> Arithmetic:
    """Sums of products of floats and integers, times the scales of these, and a bias."""
    scales = e.constant(quant.scales)

    def finish(after: Expr, along: View) -> None:
        last = after.op("mul", 0, after.load(scales, along))
        if bias is not None:
            after.op("add", last, after.load(bias, along))

    return Arithmetic(FLOAT32._replace(weights=weights.dtype), finish)


def narrow_factor(value: Value) -> Value:
    """A factor of a product of floats before it was widened from 16 bits; itself when it was not."""
    made = value.producer
    widened = isinstance(made, core.Cast) and value.tensor.dtype is DType.F32
    return made.x if isinstance(made, core.Cast) and widened and made.x.tensor.dtype in HALF_TYPES else value


def of_halves(x: Value, w: Value, bias: Value | None) -> tuple[Value, Value, Arithmetic] | None:
    """The factors in 16 bits, and the arithmetic, of a product whose weights are stored so, or whose factors are both
    rounded; None for others.
    """
    narrow, weights = narrow_factor(x), narrow_factor(w)
    if weights is w or x.tensor.dtype is not DType.F32:
        return None
    arithmetic, known = of_numbers(DType.F32, bias), const_of(weights) is not None
    if narrow.tensor.dtype is weights.tensor.dtype is DType.BF16:
        return narrow, weights, arithmetic._replace(types=BFLOAT16)
    if not known:
        return None
    return x, weights, arithmetic._replace(types=FLOAT32._replace(weights=weights.tensor.dtype))


def numbers_of_zeros(quant: QuantType) -> Array | None:
    """The numbers of zero points, which products take off by the sums of x; None for 0."""
    zeros = quant.zero_array()
    return zeros.astype(np.float32) * quant.scales.view() if zeros.any() else None


class Packing(NamedTuple):
    """How constant weights lie in an object.  types: of their product.  halved: bytes, of which 4 bits hold all, two in
    one until the product runs.
    """

    types: ProductTypes
    halved: bool = False


def packing_of(types: ProductTypes, weights: Const, runs: int, run: int, channels: int) -> Packing:
    """Constant weights of 8 bits are stored in 4 where they fit those: as products read them, or, where these would be
    filled up much, such as the model has in 4 bits as halves.  runs, run: of the reduction.  channels: of a result.
    """
    narrow, depth, is_int = types._replace(weights=DType.I4), runs * run, types.sums.is_int
    if types.weights is not DType.I8 or not (is_int or has_code(narrow)) or not are_of_4_bits(weights):
        return Packing(types)
    if math.prod(narrow.filled(runs, run)) > _FILLED * depth:
        narrow = narrow._replace(places=WORD)
    places = math.prod(narrow.filled(runs, run)) * narrow.columns(channels)
    fits = places <= _FILLED * depth * channels and not (is_int and depth >= _DEEP)
    return Packing(narrow) if fits else Packing(types, halved=_are_made_of_4_bits(weights))


def is_dense(types: ProductTypes, channels: int) -> bool:
    """Constant weights are floats whose last panel is not full, and is not filled up."""
    return channels % PANEL > 0 and types.group == types.shared == 1 and not types.weights.is_int


def are_of_4_bits(weights: Const) -> bool:
    """Integers of 8 bits, all of which 4 can hold; those of others are read up to the first one."""
    least, most = storage_range(DType.I4)
    numbers = (np.frombuffer(block, np.int8) for block in weights.blocks(_BLOCK))
    return all(block.min() >= least and block.max() <= most for block in numbers if block.size)


def _are_made_of_4_bits(weights: Const) -> bool:
    """The model has them so."""
    if weights.dtype.bits <= DType.I4.bits:
        return True
    return isinstance(weights, recipes.Derived) and any(map(_are_made_of_4_bits, weights.inputs))


def totals(weights: Const, outputs: int, sums: DType) -> Const:
    """Sums of the weights of each output channel, in 16 bits where these hold sums of as many.  sums: an integer type
    for others.
    """
    depth = math.prod(n for i, n in enumerate(weights.shape) if i != outputs)
    fits = depth << weights.dtype.bits < 1 << DType.I16.bits - 1
    return recipes.total_of_each(weights, outputs, DType.I16 if fits else sums)


def in_bytes(halves: Const) -> Const:
    """Integers of 4 bits in bytes that two share.  halves: [n, 2, more], those of lower bits and the others."""
    n, _, more = halves.shape
    low, high = (recipes.slices(halves, (0, i, 0), (n, i + 1, more)) for i in range(2))
    below = recipes.binary("and", low, Splat(15, DType.I8, low.shape))
    both = recipes.binary("add", below, recipes.binary("mul", high, Splat(16, DType.I8, low.shape)))
    return both.reshape((n * more,))


def packed(
    weights: Const, depth: int, channels: int, types: ProductTypes = FLOAT32, run: int = 1, dense: bool = False
) -> Const:
    """[depth, channels] as weights of a `kernel.gemm`."""
    if types.weights.is_int or types.group > 1 or dense:
        return packed_groups(weights, depth, channels, types, run, dense=dense)
    panels = -(-channels // PANEL)
    wide = recipes.pad_zeros(weights.reshape((depth, channels)), ((0, 0), (0, panels * PANEL - channels)))
    return recipes.transpose(wide.reshape((depth, panels, PANEL)), (1, 0, 2))


def packed_groups(
    weights: Const,
    depth: int,
    channels: int,
    types: ProductTypes,
    run: int,
    groups: int = 1,
    dense: bool = False,
) -> Const:
    """[depth, groups * channels] as those of a product for each group: whole panels, and one of the columns left."""
    group, columns = types.group, types.columns(channels, dense)
    if not depth:
        return weights.reshape((0,))
    runs, length = types.filled(depth // run, run)
    rows = weights.reshape((runs, depth // runs, groups, channels))
    wide = recipes.pad_zeros(rows, ((0, 0), (0, length - depth // runs), (0, 0), (0, columns - channels)))
    wide = wide.reshape((runs * length, groups, columns))
    depth = runs * length
    if types.shared > 1 and types.sums.is_int:
        halves = wide.reshape((depth // types.step, types.shared, group * groups * columns))
        depth //= types.shared
        wide = in_bytes(halves).reshape((depth, groups, columns))
    whole, full = depth // group * group, columns // PANEL * PANEL

    def panels(first: int, last: int, size: int) -> Const:
        """Columns in panels of a size, for each group."""
        count, parts = (last - first) // size, []
        for start, stop, places in ((0, whole, group), (whole, depth, depth - whole)):
            if stop > start:
                some = recipes.slices(wide, (start, 0, first), (stop, groups, last))
                split = some.reshape(((stop - start) // places, places, groups, count, size))
                turned = recipes.transpose(split, (2, 3, 0, 4, 1))
                parts.append(turned.reshape((groups, count, (stop - start) * size)))
        made = recipes.concat(tuple(parts), 2)
        if types.shared > 1 and types.sums.is_float:
            made = in_bytes(made.reshape((groups * count * depth, types.shared, size // types.shared)))
        return made.reshape((groups, made.size // groups))

    parts = [panels(0, full, PANEL)] if full else []
    parts += [panels(full, columns, columns - full)] if columns > full else []
    both = recipes.concat(tuple(parts), 1)
    return both.reshape((both.size,))


def sum_of_products(
    factors: tuple[Value, Value],
    views: tuple[View, View],
    extents: Sizes,
    reduced: int,
    arithmetic: Arithmetic,
    type_: TensorType,
    e: KernelBuilder,
    along: View | None = None,
) -> Value:
    """Sums over the last axes of both factors.  along: view of numbers for each channel."""
    operands: list[Value] = []
    body, wide = Expr(operands), arithmetic.types.sums
    loaded = []
    zeros = arithmetic.zeros[0] - arithmetic.shift, arithmetic.zeros[1]
    for value, view, zero in zip(factors, views, zeros, strict=True):
        number = body.cast(body.load(value, view), wide)
        loaded.append(body.with_number("sub", number, zero) if zero else number)
    body.op("mul", *loaded)
    kept = extents[: len(extents) - reduced]
    after = arithmetic.epilogue(operands, along or View(0, (0,) * len(kept)))
    step = Step(extents, reduced, "add", body.program(), after, View(0, dense(kept)))
    return e.kernel(LoopNestOp(operands, (step,), type_))


def panels_of(b: Value, matrices: Size, depth: int, channels: int, types: ProductTypes, e: KernelBuilder) -> Value:
    """Matrices [matrices, depth, channels] packed at run time, as `packed` does with constants."""
    group, columns, dtype = types.group, types.columns(channels), b.tensor.dtype
    full, tail = channels // PANEL, channels % PANEL
    whole, rest = depth // group, depth % group
    # how many groups, the first place of them, how many places of each
    places = [(whole, 0, group)] * (whole > 0) + [(1, depth - rest, rest)] * (rest > 0)
    steps = []

    def write(count: int, lanes: int, lane: int, row: int, loads: bool = True) -> None:
        """`count` panels, rows of `row` columns: some lanes of them, from one on; zeros where nothing is loaded."""
        first = 0 if lanes == PANEL else full
        for groups, place, inner in places:
            axes = 5 if group > 1 else 4
            extents = (matrices, count, groups, lanes, inner)[:axes]
            source = (depth * channels, PANEL if lanes == PANEL else 0, inner * channels, 1, channels)[:axes]
            start = first * depth * PANEL + place * row + lane * inner
            target = View(start, (depth * columns, depth * PANEL, row * inner, inner, 1)[:axes])
            from_ = View(first * PANEL + place * channels, source)
            body = Instr("load", dtype, (0,), from_) if loads else Instr("const", dtype, (), 0.0)
            steps.append(Step(extents, 0, "", (body,), (), target))

    if full:
        write(full, PANEL, 0, PANEL)
    width = columns - full * PANEL  # of the last panel
    if tail:
        write(1, tail, 0, width)
    if tail and width > tail:
        write(1, width - tail, tail, width, loads=False)
    shape = (matrices, -(-channels // PANEL), depth, PANEL)
    size = matrices * depth * columns + types.slack(channels)
    type_ = b.tensor.with_shape((size,) if types.weights.is_int or group > 1 else shape)
    return e.kernel(LoopNestOp([b], tuple(steps), type_))
