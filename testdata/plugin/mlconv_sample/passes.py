"""The pass `sample-squares`: a product of a value with itself is a square."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.plugin import Function, NoMatch, Pass, PassContext, Rewriter, Value, core, greedy, rewrite
from mlconv_sample.ops import Square


@rewrite(core.Mul)
def square_of_product(op: core.Mul, rewriter: Rewriter) -> Value | NoMatch:
    """x * x."""
    if op.a is not op.b:
        return NoMatch("the factors are different values")
    return rewriter.emit(Square(op.a)).y


@dataclass(frozen=True)
class Squares(Pass):
    """Products of a value with itself become squares."""

    name: ClassVar[str] = "sample-squares"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        greedy(function.block, [square_of_product], context.statistics)
