"""Quantized tensors as their integers, for targets that compute with numbers.

An op over quantized tensors becomes the op over the numbers that they stand for, with the borders around it; ops that
only move or choose among numbers move the integers.  Borders become arithmetic on plain integers.  Afterwards, no value
is quantized.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import Block, values_of, walk
from mlconv.ir.module import Function
from mlconv.ir.quant_rules import has_quantized
from mlconv.passes.base import Pass, PassContext


@dataclass(frozen=True, eq=False, repr=False)
class QuantToArithmetic(Pass):
    """Quantized tensors become plain integers, what is computed with them arithmetic.

    What the target has instead stays.  int8: those of int8 with one scale, and what ops that round take.  int16: those
    of 16 bits without a zero point.  weights: constants that become numbers.  dynamic: products that quantize floats at
    run time, for weights that are constants.  apart: weights of few bits that products take
    apart, and tables whose rows become numbers once they are looked up.  rounded: what ops over integers take and make,
    between casts.  sums: sums of products of plain integers.
    """

    name: ClassVar[str] = "quant-to-arithmetic"
    int8: bool = False
    int16: bool = False
    weights: bool = False
    dynamic: bool = False
    apart: bool = False
    rounded: bool = False
    sums: bool = False

    def run_on_function(self, function: Function, context: PassContext) -> None:
        self._expand(function.block)
        if has_quantized(values_of(function.block)):
            from mlconv.passes.quantized.arithmetic import Kept, to_arithmetic

            kept = Kept(self.int8, self.int16, self.weights, self.apart, self.rounded)
            context.count(self.name, to_arithmetic(function, kept))

    def _expand(self, block: Block) -> None:
        """Products that a target does not have, whose operands may be plain integers and floats."""
        dynamic = [op for op in walk(block) if isinstance(op, (core.DynamicMatMul, core.DynamicConv))]
        if dynamic:
            from mlconv.passes.quantized.dynamic import expand_dynamic, is_written

            for op in dynamic:
                if not (self.dynamic and is_written(op)):
                    expand_dynamic(op)
        integers = [op for op in walk(block) if isinstance(op, (core.IntegerMatMul, core.IntegerConv))]
        if integers and not self.sums:
            from mlconv.passes.quantized.integer_products import expand_integers

            for product in integers:
                expand_integers(product)
