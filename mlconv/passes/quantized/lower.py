"""Ops between quantized tensors as ops over their integers, and what was trained with fake quantization as such
tensors, as passes: patterns are loaded where there are any.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import Op, values_of, walk
from mlconv.ir.module import Function
from mlconv.ir.quant_rules import has_quantized
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import greedy
from mlconv.rewrite.pattern import Pattern

_ROUNDING = (core.FakeQuant, core.Round, core.Floor)
"""What fake quantization is made of."""


class QuantizeTrained(Pass):
    """What was trained with fake quantization is quantized."""

    name: ClassVar[str] = "quantize-trained"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        block = function.block
        if not any(isinstance(op, _ROUNDING) for op in walk(block)):
            return
        from mlconv.passes.quantized import fake

        if fake.is_trained(block):
            greedy(block, fake.PATTERNS, context.statistics)
            eliminate_dead_code(block)


@dataclass(frozen=True, eq=False, repr=False)
class QuantLower(Pass):
    """Ops between quantized tensors become ops over their integers.  windows: pools, resampling, transposed
    convolutions and softmax, too.  tables: and functions that kernels have for int8.  chains: and all other functions
    of one int8 tensor, of at least `least` elements.  filters: factors and offsets of images that convolutions made.
    int16: tensors of 16 bits without zero points, too.  sums: products whose results stay floats are sums of integers.
    """

    name: ClassVar[str] = "quant-lower"
    windows: bool = False
    tables: bool = False
    chains: bool = False
    least: int = 0
    int16: bool = False
    sums: bool = False
    filters: bool = False

    def run_on_function(self, function: Function, context: PassContext) -> None:
        block = function.block
        if has_quantized(values_of(block)):
            greedy(block, self._patterns(context.floats), context.statistics)
            if self.sums:
                from mlconv.passes.quantized import sums

                greedy(block, sums.PATTERNS, context.statistics)
            eliminate_dead_code(block)

    def _patterns(self, floats: Collection[Op]) -> Sequence[Pattern]:
        """floats: ops behind which nothing becomes integers before it is rounded, unless it only moves numbers."""
        from mlconv.passes.quantized import filters, movement, rounding, storage, tables, windows

        computed = (
            *rounding.PATTERNS,
            *((rounding.transposed_products, *windows.PATTERNS) if self.windows else ()),
            *(tables.FUNCTIONS if self.tables else ()),
            *(tables.chains(self.least) if self.chains else ()),
            *((filters.affine_as_filters,) if self.filters else ()),
        )
        wanted = (*computed, *rounding.WIDE) if self.int16 else tuple(map(rounding.of_int8, computed))
        moving: Sequence[Pattern] = movement.PATTERNS
        if floats:
            held = _held(floats)
            wanted = tuple(rounding.unless(held, pattern) for pattern in wanted)
            moving = tuple(movement.unless(set(floats), pattern) for pattern in moving)
        return *storage.PATTERNS, *wanted, *moving


def _held(floats: Collection[Op]) -> set[Op]:
    """Ops that are asked to compute with floats, and those behind them up to what rounds."""
    held, rest = set[Op](), [*floats]
    while rest:
        op = rest.pop()
        if op not in held and not isinstance(op, core.Quantize):
            held.add(op)
            rest += (user for value in op.results for user in value.users)
    return held
