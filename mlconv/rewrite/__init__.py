"""Rewriting: patterns, the rewriter, and the two drivers (`greedy`, `convert`)."""

from mlconv.rewrite.convert import Conversion
from mlconv.rewrite.fold import constant_array, constant_of
from mlconv.rewrite.greedy import Statistics, greedy
from mlconv.rewrite.pattern import NoMatch, Pattern, Rewriter, rewrite

__all__ = [
    "Conversion",
    "NoMatch",
    "Pattern",
    "Rewriter",
    "Statistics",
    "constant_array",
    "constant_of",
    "greedy",
    "rewrite",
]
