"""What products compute with, for the rules that make kernels of them: element types, and what becomes of a sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import (
    FLOAT32,
    PANEL,
    STORED,
    Instr,
    LoopNestOp,
    ProductTypes,
    Program,
    Sizes,
    Step,
    View,
    dense,
)
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder
from mlconv.legalize.to_kernel.reduce import accumulator
from mlconv.passes.quantized.weights import is_taken

_NARROW = (DType.I8, DType.I16)
Finish = Callable[[Expr, View], None]


class Arithmetic(NamedTuple):
    """types: of x, weights, sums and result.  finish: emits what follows a sum, which is value 0 of the expression; the
    view is that of numbers that there is one of for each channel.

    zeros: what is subtracted from elements of x and of the weights before they are multiplied, which loops alone do.
    padding: what stands for 0 around an image.
    """

    types: ProductTypes
    finish: Finish
    zeros: tuple[int, int] = (0, 0)
    padding: float = 0.0

    @property
    def has_tiles(self) -> bool:
        """There are register tiles for it."""
        narrow = self.types.x in _NARROW and self.types.weights in _NARROW and self.types.sums.is_int
        return self.zeros == (0, 0) and (self.types in (FLOAT32, *STORED) or narrow)

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


def stored_weights(w: Value) -> tuple[Const, QuantType] | None:
    """Integers whose numbers a value is, where products of floats take them as they are; None for others."""
    made = w.producer
    if not isinstance(made, core.FromIntegers) or not is_taken(made.quant):
        return None
    stored = const_of(made.x.producer.x if isinstance(made.x.producer, core.StorageCast) else made.x)
    if stored is None:
        return None
    return recipes.cast(stored, DType.I8) if stored.dtype is DType.I4 else stored, made.quant


def of_stored(weights: Const, quant: QuantType, bias: Value | None, e: KernelBuilder) -> Arithmetic:
    """Sums of products of floats and integers, times the scales of these, and a bias."""
    scales = e.constant(quant.scales)

    def finish(after: Expr, along: View) -> None:
        last = after.op("mul", 0, after.load(scales, along))
        if bias is not None:
            after.op("add", last, after.load(bias, along))

    return Arithmetic(FLOAT32._replace(weights=weights.dtype), finish)


def numbers_of_zeros(quant: QuantType) -> Array | None:
    """The numbers of zero points, which products take off by the sums of x; None for 0."""
    zeros = quant.zero_array()
    return zeros.astype(np.float32) * quant.scales.view() if zeros.any() else None


def packed(weights: Const, depth: int, channels: int, types: ProductTypes = FLOAT32, run: int = 1) -> Const:
    """[depth, channels] as weights of a `kernel.gemm`."""
    if types.weights.is_int:
        return packed_groups(weights, depth, channels, types, run)
    panels = -(-channels // PANEL)
    wide = recipes.pad_zeros(weights.reshape((depth, channels)), ((0, 0), (0, panels * PANEL - channels)))
    return recipes.transpose(wide.reshape((depth, panels, PANEL)), (1, 0, 2))


def packed_groups(weights: Const, depth: int, channels: int, types: ProductTypes, run: int, groups: int = 1) -> Const:
    """[depth, groups * channels] as those of a product for each group: whole panels, and one of the columns left."""
    pairs, columns = types.pairs(run), types.columns(channels)
    whole, places = columns // PANEL * PANEL, depth // pairs
    split = weights.reshape((places, pairs, groups, channels))
    wide = recipes.pad_zeros(split, ((0, 0), (0, 0), (0, 0), (0, columns - channels)))
    parts = []
    if whole:
        full = recipes.slices(wide, (0, 0, 0, 0), (places, pairs, groups, whole))
        panels = full.reshape((places, pairs, groups, whole // PANEL, PANEL))
        parts.append(recipes.transpose(panels, (2, 3, 0, 4, 1)).reshape((groups, depth * whole)))
    if columns > whole:
        rest = recipes.slices(wide, (0, 0, 0, whole), (places, pairs, groups, columns))
        parts.append(recipes.transpose(rest, (2, 0, 3, 1)).reshape((groups, depth * (columns - whole))))
    flat = recipes.concat(tuple(parts), 1).reshape((groups * depth * columns,))
    return recipes.pad_zeros(flat, ((0, types.slack(channels, run)),))


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
    for value, view, zero in zip(factors, views, arithmetic.zeros, strict=True):
        number = body.cast(body.load(value, view), wide)
        loaded.append(body.with_number("sub", number, zero) if zero else number)
    body.op("mul", *loaded)
    kept = extents[: len(extents) - reduced]
    after = arithmetic.epilogue(operands, along or View(0, (0,) * len(kept)))
    step = Step(extents, reduced, "add", body.program(), after, View(0, dense(kept)))
    return e.kernel(LoopNestOp(operands, (step,), type_))


def panels_of(b: Value, matrices: Size, depth: int, channels: int, types: ProductTypes, e: KernelBuilder) -> Value:
    """Matrices [matrices, depth, channels] packed at run time, as `packed` does with constants."""
    pairs, columns = types.pairs(depth), types.columns(channels)
    inner = (pairs,) if pairs > 1 else ()
    source = (depth * channels, PANEL, pairs * channels, 1, *(channels for _ in inner))
    full, tail = channels // PANEL, channels % PANEL
    width = columns - full * PANEL  # of the last panel

    def step(count: int, lanes: int, lane: int, row: int, body: Instr) -> Step:
        """`count` panels, rows of `row` columns: some lanes of them, from one on."""
        extents = (matrices, count, depth // pairs, lanes, *inner)
        strides = (depth * columns, depth * PANEL, row * pairs, pairs, *(1 for _ in inner))
        start = 0 if lanes == PANEL else full * depth * PANEL + lane * pairs
        return Step(extents, 0, "", (body,), (), View(start, strides))

    dtype, steps = b.tensor.dtype, []
    if full:
        steps.append(step(full, PANEL, 0, PANEL, Instr("load", dtype, (0,), View(0, source))))
    if tail:
        last = View(full * PANEL, (source[0], 0, *source[2:]))
        steps.append(step(1, tail, 0, width, Instr("load", dtype, (0,), last)))
    if tail and width > tail:
        steps.append(step(1, width - tail, tail, width, Instr("const", dtype, (), 0.0)))
    shape = (matrices, -(-channels // PANEL), depth, PANEL)
    slack = types.slack(channels, depth)
    type_ = b.tensor.with_shape((matrices * depth * columns + slack,) if types.weights.is_int else shape)
    return e.kernel(LoopNestOp([b], tuple(steps), type_))
