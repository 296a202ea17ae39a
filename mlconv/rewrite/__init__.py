"""Rewriting: patterns, the rewriter, rules, and the two drivers (`greedy`, `convert`)."""

from mlconv.rewrite.convert import BackwardConversion, ForwardConversion
from mlconv.rewrite.fold import constant_array, constant_of
from mlconv.rewrite.greedy import Statistics, greedy
from mlconv.rewrite.pattern import NOT_MEANT, NoMatch, Pattern, Replacement, Rewriter, remake, rewrite
from mlconv.rewrite.rules import Rule, Rules

__all__ = [
    "NOT_MEANT",
    "BackwardConversion",
    "ForwardConversion",
    "NoMatch",
    "Pattern",
    "Replacement",
    "Rewriter",
    "Rule",
    "Rules",
    "Statistics",
    "constant_array",
    "constant_of",
    "greedy",
    "remake",
    "rewrite",
]
