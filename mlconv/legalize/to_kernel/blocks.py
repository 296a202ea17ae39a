"""Products of floats and weights of 4 bits, or of 8 in blocks: x becomes integers of 22 bits, each block of a row by
its own largest number, and weights stay as small as they are, two of 4 bits in a byte.

Of a number of x, half a step is lost, at most: 2**-22 of the largest in its block, what a sum of float32 loses.  All
instruction sets compute with the same integers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import (
    BLOCK_GROUP,
    PANEL,
    BlockGemm,
    BlockGemmOp,
    LoopNestOp,
    OutputIndexing,
    Sizes,
    Step,
    View,
    dense,
)
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, Splat, make_const
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, sizes
from mlconv.passes.quantized.weights import depth_in_blocks, is_taken_apart, narrowest

STEPS = 127 << 14  # of the largest number of a block: the upper 8 bits have a sign, two times 7 below have none
_LEAST = 1e-30  # blocks of numbers below this are zeros
_BYTE = 16  # a byte's upper half


class Rows(NamedTuple):
    """x as integers, and numbers of its blocks: scales, and sums of integers."""

    integers: Value
    scales: Value
    sums: Value


def product_of_blocks(op: core.MatMul, e: KernelBuilder) -> Value | None:
    """None for other weights."""
    made, turned = op.b.producer, op.transpose_b
    if not isinstance(made, core.FromIntegers) or not is_taken_apart(made.quant, op, op.b):
        return None
    stored = const_of(made.x.producer.x if isinstance(made.x.producer, core.StorageCast) else made.x)
    if stored is None or not op.y.tensor.size:
        return None
    quant, bits = made.quant, made.quant.storage.bits
    sign = 1 << bits - 1 if quant.storage.is_signed_int else 0  # what makes integers unsigned
    depth, block = depth_in_blocks(stored.shape[int(turned)], quant.scheme)
    weights = _filled_weights(stored, quant, turned, depth)
    channels = weights.shape[1]
    a = e.turned(op.a) if op.transpose_a else op.a
    shared = not isinstance(quant.scheme, Blocked)
    missing = depth - stored.shape[int(turned)]
    if missing:
        a = e.padded(a, [*[(0, 0)] * (len(sizes(a)) - 1), (0, missing)], 0.0)
    whole = quant.scheme.size if isinstance(quant.scheme, Blocked) else depth
    rows = product(sizes(a)[:-1])
    x = _rows(a, rows, depth // block, block, e)
    scales = _of_columns(quant.scales.view(), channels, shared, turned)
    dtype = narrowest(scales)
    operands = [x.integers, e.constant(packed_blocks(weights, bits)), x.scales, x.sums]
    operands.append(e.constant(make_const(scales.astype(dtype.numpy), dtype)))
    shared_zero = quant.shared_zero()
    zeros = None if shared_zero is not None else quant.zero_array().astype(np.int16) + sign
    if zeros is not None:
        operands.append(e.constant(make_const(_of_columns(zeros, channels, shared, turned).astype(np.uint8))))
    out = View(0, dense((1, 1, rows, channels)))
    indexing = OutputIndexing((1, 1, rows), View(0, (0, 0, depth)), (), (), channels, (), out)
    zero = sign + (shared_zero or 0)
    problem = BlockGemm(indexing, depth, block, dtype, whole // block, zeros is not None, zero, bits=bits)
    return e.kernel(BlockGemmOp(operands, problem, op.y.tensor))


def _rows(a: Value, rows: Size, blocks: int, block: int, e: KernelBuilder) -> Rows:
    each, view = (rows, blocks), View(0, (blocks * block, block, 1))
    extents: Sizes = (*each, block)
    of_blocks = View(0, (blocks, 1, 0))

    def kernel(dtype: DType, body: Expr, after: Expr | None, combine: str = "") -> Value:
        kept = each if combine else extents
        behind = () if after is None else after.program()[1:]
        step = Step(extents, int(bool(combine)), combine, body.program(), behind, View(0, dense(kept)))
        return e.kernel(LoopNestOp(body.operands, (step,), TensorType(dtype, kept)))

    first = Expr([])
    first.op("abs", first.load(a, view))
    peaks = kernel(DType.F32, first, None, "maximum")
    second = Expr([])
    second.load(a, view)
    after = Expr.after(second.operands, DType.F32)
    peak = after.load(peaks, View(0, (blocks, 1)))
    # what is no number, or none that is finite, is in the sum
    after.op("add", after.with_number("mul", peak, 1 / STEPS), after.with_number("mul", 0, 0.0))
    scales = kernel(DType.F32, second, after, "add")
    third = Expr([])
    number, peak = third.load(a, view), third.load(peaks, of_blocks)
    small = third.op("less", peak, third.const(DType.F32, _LEAST), dtype=DType.BOOL)
    steps = third.op("div", third.const(DType.F32, float(STEPS)), peak)
    steps = third.op("select", small, third.const(DType.F32, 0.0), steps, dtype=DType.F32)
    third.op("cast_small", third.op("round", third.op("mul", number, steps)), dtype=DType.I32)
    integers = kernel(DType.I32, third, None)
    fourth = Expr([])
    fourth.load(integers, view)
    return Rows(integers, scales, kernel(DType.I32, fourth, None, "add"))


def without_sign(weights: Const, bits: int) -> Const:
    """Less the lowest integer of their type, uint8.  bits: of an integer, which has a byte."""
    if weights.dtype is DType.U8 or bits == DType.U8.bits:
        return recipes.unsigned(weights) if weights.dtype is DType.I8 else weights
    return recipes.cast(recipes.binary("add", weights, Splat(1 << bits - 1, DType.I8, weights.shape)), DType.U8)


def _filled_weights(stored: Const, quant: QuantType, turned: bool, depth: int) -> Const:
    """Integers without a sign, [depth, channels]; zeros fill the depth up."""
    weights = without_sign(stored, quant.storage.bits)
    weights = recipes.transpose(weights, (1, 0)) if turned else weights
    return recipes.pad_zeros(weights, ((0, depth - weights.shape[0]), (0, 0)))


def packed_blocks(weights: Const, bits: int) -> Const:
    """[depth, channels] of integers without a sign as `BlockGemm` has them."""
    depth, channels = weights.shape
    panels = -(-channels // PANEL)
    wide = recipes.pad_zeros(weights, ((0, 0), (0, panels * PANEL - channels)))
    half = BLOCK_GROUP // 2
    groups = wide.reshape((depth // BLOCK_GROUP, 2, half, panels, PANEL))
    if bits == 8:
        whole = recipes.transpose(groups, (3, 0, 1, 4, 2))  # panel, group, half, column, place
        return whole.reshape((panels * depth * PANEL,))
    turned = recipes.transpose(groups, (1, 3, 0, 4, 2))  # half, panel, group, column, place
    shape = (1, panels, depth // BLOCK_GROUP, PANEL, half)
    low, high = (recipes.slices(turned, (i, 0, 0, 0, 0), (i + 1, *shape[1:])) for i in range(2))
    both = recipes.binary("add", low, recipes.binary("mul", high, Splat(_BYTE, DType.U8, shape)))
    return both.reshape((panels * depth * PANEL // 2,))


def _of_columns(numbers: Array, channels: int, shared: bool, turned: bool) -> Array:
    """Numbers of columns, or of blocks of them, as [panels, blocks, PANEL]; ones behind the last column."""
    if shared:
        rows = np.broadcast_to(numbers.reshape(1, -1), (1, channels))
    else:
        rows = numbers.T if turned else numbers
    wide = np.pad(rows, ((0, 0), (0, -channels % PANEL)), constant_values=1)
    return np.ascontiguousarray(wide.reshape(len(rows), -1, PANEL).transpose(1, 0, 2))
