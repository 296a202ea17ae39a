"""What products compute with, for the rules that make kernels of them: element types, and what becomes of a sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mlconv.dialects.kernel import FLOAT32, PANEL, Instr, LoopNestOp, ProductTypes, Program, Sizes, Step, View, dense
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder
from mlconv.legalize.to_kernel.reduce import accumulator

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
        return self.zeros == (0, 0) and (self.types == FLOAT32 or self.types.sums.is_int)

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


def packed(weights: Const, depth: int, channels: int, pairs: int = 1) -> Const:
    """[depth, channels] as panels [ceil(channels / 16)][depth / pairs][16][pairs], zeros behind the last column."""
    panels = -(-channels // PANEL)
    wide = recipes.pad_zeros(weights.reshape((depth, channels)), ((0, 0), (0, panels * PANEL - channels)))
    if pairs == 1:
        return recipes.transpose(wide.reshape((depth, panels, PANEL)), (1, 0, 2))
    return recipes.transpose(wide.reshape((depth // pairs, pairs, panels, PANEL)), (2, 0, 3, 1))


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


def panels_of(b: Value, matrices: Size, depth: int, columns: int, pairs: int, e: KernelBuilder) -> Value:
    """Matrices [matrices, depth, columns] packed at run time, as `packed` does with constants."""
    panels, dtype = -(-columns // PANEL), b.tensor.dtype
    inner = (pairs,) if pairs > 1 else ()
    strides = dense((matrices, panels, depth // pairs, PANEL, *inner))
    source = (depth * columns, PANEL, pairs * columns, 1, *(columns for _ in inner))
    full, tail = columns // PANEL, columns % PANEL

    def step(count: int, width: int, lane: int, body: Instr) -> Step:
        """`count` panels of `width` columns, from a lane of the first panel or of the last one."""
        extents = (matrices, count, depth // pairs, width, *inner)
        start = 0 if width == PANEL else full * strides[1] + lane * strides[3]
        return Step(extents, 0, "", (body,), (), View(start, strides))

    steps = []
    if full:
        steps.append(step(full, PANEL, 0, Instr("load", dtype, (0,), View(0, source))))
    if tail:
        last = View(full * PANEL, (source[0], 0, *source[2:]))
        steps.append(step(1, tail, 0, Instr("load", dtype, (0,), last)))
        steps.append(step(1, PANEL - tail, tail, Instr("const", dtype, (), 0.0)))
    type_ = b.tensor.with_shape((matrices, panels, depth, PANEL))
    return e.kernel(LoopNestOp([b], tuple(steps), type_))
