"""Filters of convolutions, known or computed in each run: how their elements are moved, and the panels that products
read.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import Convolution
from mlconv.dialects.kernel import Ints, LoopNestOp, Step, View
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.arithmetic import Packing, in_bytes, is_dense, packed, packed_groups, panels_of
from mlconv.legalize.to_kernel.blocked_filters import StoredBlocks, stored_blocks
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, dims
from mlconv.legalize.to_kernel.lookups import half_of_byte


class Filter(NamedTuple):
    """Elements that are known, or a value of fixed sizes.  blocks: the integers that each run makes it of."""

    of: Const | Value
    e: KernelBuilder
    blocks: StoredBlocks | None = None

    @property
    def constant(self) -> Const | None:
        """The elements, where they are known."""
        return self.of if isinstance(self.of, Const) else None

    @property
    def value(self) -> Value:
        """The elements, for kernels."""
        return self.e.constant(self.of) if isinstance(self.of, Const) else self.of

    @property
    def shape(self) -> Ints:
        """Raises as `dims` does."""
        return self.of.shape if isinstance(self.of, Const) else dims(self.of)

    def reshaped(self, shape: Ints) -> Filter:
        """The same elements in another shape."""
        if isinstance(self.of, Const):
            return self._replace(of=self.of.reshape(shape))
        return self._replace(of=self.e.reshape(self.of, shape))

    def transposed(self, perm: Ints) -> Filter:
        """By a permutation of the axes."""
        if isinstance(self.of, Const):
            return self._replace(of=recipes.transpose(self.of, perm))
        blocks = None if self.blocks is None else self.blocks.transposed(perm)
        return self._replace(of=self.e.transpose(self.of, perm), blocks=blocks)

    def turned(self, axes: Ints) -> Filter:
        """From the last element to the first, along some axes."""
        if isinstance(self.of, Const):
            return self._replace(of=recipes.flip(self.of, axes))
        return self._replace(of=self.e.y(core.Reverse(self.of, axes=axes)))

    def padded(self, amounts: tuple[tuple[int, int], ...]) -> Filter:
        """With zeros around it."""
        if isinstance(self.of, Const):
            return self._replace(of=recipes.pad_zeros(self.of, amounts))
        return self._replace(of=self.e.padded(self.of, amounts, 0.0))

    def panels(self, packing: Packing, run: int, groups: int) -> tuple[Value, bool]:
        """[window, I, O] as weights of a `kernel.gemm` of runs of so many places, for each group; and whether they are
        `dense`.
        """
        if self.blocks is not None:
            return self.blocks.panels(groups, self.e), False
        depth, channels, types = math.prod(self.shape[:-1]), self.shape[-1] // groups, packing.types
        if not isinstance(self.of, Const):
            rows = self.reshaped((depth, groups, channels)).transposed((1, 0, 2))
            return panels_of(rows.value, groups, depth, channels, types, self.e), False
        is_compact = is_dense(types, channels)
        if groups == 1:
            made = packed(self.of, depth, channels, types, run, is_compact)
        else:
            made = packed_groups(self.of, depth, channels, types, run, groups, is_compact)
        return stored(made, packing, types.slack(channels, is_compact), self.e), is_compact


def filter_of(w: Value, e: KernelBuilder) -> Filter:
    """The elements of a value."""
    known = const_of(w)
    return Filter(w if known is None else known, e)


def filter_in_blocks(op: Convolution, w: Value, e: KernelBuilder) -> Filter:
    """The same of a convolution, whose weights may be integers in blocks."""
    return filter_of(w, e)._replace(blocks=stored_blocks(op, w))


def by_groups(filter_: Filter, groups: int) -> Filter:
    """[window, I, O / groups] of a transposed convolution as [window, I / groups, O], as convolutions have it."""
    *window, cin, cout = filter_.shape
    n, each = len(window), cin // groups
    split = filter_.reshaped((*window, groups, each, cout)).transposed((*range(n), n + 1, n, n + 2))
    return split.reshaped((*window, each, groups * cout))


def stored(made: Const, packing: Packing, slack: int, e: KernelBuilder) -> Value:
    """Packed weights as a kernel reads them.  slack: elements behind them that it reads, too."""
    if not packing.halved:
        return e.constant(made)
    return bytes_of_halves(made.reshape((1, made.size)), made.size + slack, e)


def bytes_of_halves(rows: Const, pitch: int, e: KernelBuilder) -> Value:
    """Integers of 4 bits [window, channels] as bytes that lie `pitch` apart: those of one half of the channels share
    bytes with those of the other.
    """
    window, channels = rows.shape
    half = -(-channels // 2)
    wide = recipes.pad_zeros(rows, ((0, 0), (0, channels % 2))).reshape((window, 2, half))
    both, operands, steps = e.constant(in_bytes(wide)), list[Value](), list[Step]()
    for high, count in enumerate((half, channels - half)):
        if count:
            body = Expr(operands)
            half_of_byte(body, body.load(both, View(0, (half, 1))), bool(high), DType.I8)
            steps.append(Step((window, count), 0, "", body.program(), (), View(high * half, (pitch, 1))))
    return e.kernel(LoopNestOp(operands, tuple(steps), TensorType(DType.I8, (window, pitch))))
