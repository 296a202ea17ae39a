"""Filters of convolutions of floats that are integers in blocks along the input channels: each run makes panels of
floats of them, in the order that products read.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import PANEL, Ints, LoopNestOp, Step, View, dense
from mlconv.ir import recipes
from mlconv.ir.constants import Const, Splat, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.blocks import without_sign
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder
from mlconv.legalize.to_kernel.lookups import half_of_byte
from mlconv.passes.quantized.weights import is_unpacked, narrowest

_BYTE = 16  # a byte's upper half


class StoredBlocks(NamedTuple):
    """(integers - zeros) * scales.  integers: uint8 of fewer or 8 bits, [window, I, O]; scales, zeros: of each block of
    I, [window, I / block, O].
    """

    integers: Const
    scales: Const
    zeros: Const | int
    bits: int

    @property
    def block(self) -> int:
        """Input channels that have a scale."""
        return self.integers.shape[-2] // self.scales.shape[-2]

    def transposed(self, perm: Ints) -> StoredBlocks:
        """By a permutation of the axes."""
        zeros = self.zeros if isinstance(self.zeros, int) else recipes.transpose(self.zeros, perm)
        scales = recipes.transpose(self.scales, perm)
        return StoredBlocks(recipes.transpose(self.integers, perm), scales, zeros, self.bits)

    def panels(self, groups: int, e: KernelBuilder) -> Value:
        """What makes [groups, panels, depth, `PANEL`] floats of them, 0 behind the last column."""
        depth, channels = math.prod(self.integers.shape[:-1]), self.integers.shape[-1] // groups
        width = -(-channels // PANEL)
        full, tail, operands, steps = channels // PANEL, channels % PANEL, list[Value](), list[Step]()
        strides = (depth * width * PANEL, depth * PANEL, self.block * PANEL, PANEL, 1)
        for first, count, size in ((0, full, PANEL), (full * PANEL, 1, tail)):
            if count and size:
                part = _Columns(groups, first, count, size)
                steps += self._steps(part, View(first * depth, strides), operands, e)
        if tail:
            rest, behind = (groups, 1, 1, depth, PANEL - tail), View(full * PANEL * depth + tail, strides)
            nothing = Expr(operands)
            nothing.const(DType.F32, 0.0)
            steps.append(Step(rest, 0, "", nothing.program(), (), behind))
        return e.kernel(LoopNestOp(operands, tuple(steps), TensorType(DType.F32, (groups, width, depth, PANEL))))

    def _steps(self, part: _Columns, out: View, operands: list[Value], e: KernelBuilder) -> list[Step]:
        """Those that make numbers of some columns: of 4 bits, the first half of each block and the other."""
        shared = 1 if self.bits > DType.I4.bits else 2
        blocks, places = self.scales.size // self.scales.shape[-1], self.block // shared
        integers = e.constant(part.of(self._in_bytes(shared), (blocks, places)))
        scales = e.constant(part.of(self.scales, (blocks,)))
        zero = self.zeros if isinstance(self.zeros, int) else e.constant(part.of(self.zeros, (blocks,)))
        extents = (part.groups, part.panels, blocks, places, part.size)
        each = View(0, (*dense(extents[:3])[:2], 1, 0, 0))
        of_block = View(0, (*(s * part.size for s in each.strides[:3]), 0, 1))
        steps = []
        for half in range(shared):
            x = Expr(operands)
            number = x.load(integers, View(0, dense(extents)))
            number = number if shared == 1 else half_of_byte(x, number, half == 1, DType.U8)
            number = x.cast(number, DType.F32)
            if not isinstance(zero, int):
                number = x.op("sub", number, x.cast(x.load(zero, of_block), DType.F32))
            elif zero:
                number = x.with_number("sub", number, zero)
            x.op("mul", number, x.cast(x.load(scales, of_block), DType.F32))
            target = View(out.offset + half * places * PANEL, out.strides)
            steps.append(Step(extents, 0, "", x.program(), (), target))
        return steps

    def _in_bytes(self, shared: int) -> Const:
        """The integers, of two halves of a block in each byte where two share one."""
        rows, channels = math.prod(self.integers.shape[:-1]), self.integers.shape[-1]
        if shared == 1:
            return self.integers
        places = self.block // shared
        split = self.integers.reshape((rows // self.block, shared, places, channels))
        shape = (rows // self.block, 1, places, channels)
        low, high = (recipes.slices(split, (0, i, 0, 0), (shape[0], i + 1, *shape[2:])) for i in range(2))
        return recipes.binary("add", low, recipes.binary("mul", high, Splat(_BYTE, DType.U8, shape)))


class _Columns(NamedTuple):
    """Some columns of each group: from one on, so many panels of a size."""

    groups: int
    first: int
    panels: int
    size: int

    def of(self, c: Const, rows: Ints) -> Const:
        """[..., groups * channels] as [groups, panels, *rows, size]."""
        (groups, first, count, size), n = self, len(rows)
        whole = c.reshape((*rows, groups, c.size // math.prod(rows) // groups))
        some = recipes.slices(whole, (0,) * (n + 1) + (first,), (*rows, groups, first + count * size))
        split = some.reshape((*rows, groups, count, size))
        return recipes.transpose(split, (n, n + 1, *range(n), n + 2))


def blocks_of_constant(op: Op, w: Value) -> tuple[Const, QuantType] | None:
    """Integers in blocks whose numbers are the filter of a convolution, with the type that says so; None for others."""
    made = w.producer
    if not isinstance(made, core.FromIntegers) or not is_unpacked(made.quant, op, w):
        return None
    stored = const_of(made.x.producer.x if isinstance(made.x.producer, core.StorageCast) else made.x)
    return None if stored is None else (stored, made.quant)


def stored_blocks(op: Op, w: Value) -> StoredBlocks | None:
    """The filter of a convolution as integers in blocks, axes in the order of its layout; None for others."""
    found = blocks_of_constant(op, w)
    if found is None:
        return None
    stored, quant = found
    dtype = narrowest(quant.scales.view())
    scales = quant.scales if dtype is DType.F32 else recipes.cast(quant.scales, dtype)
    bits, storage = quant.storage.bits, quant.storage
    least = 1 << bits - 1 if storage.is_signed_int else 0  # what makes integers unsigned
    zero = quant.shared_zero()
    if zero is not None:
        return StoredBlocks(without_sign(stored, bits), scales, zero + least, bits)
    zeros = make_const((quant.zero_array().astype(np.int16) + least).astype(np.uint8), DType.U8)
    return StoredBlocks(without_sign(stored, bits), scales, zeros, bits)
