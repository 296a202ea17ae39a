"""Canonicalization: the local rewrites of `patterns/`, to a fixpoint, then dead code goes."""

from __future__ import annotations

from typing import ClassVar

from mlconv.ir.module import Function
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.passes.patterns import PATTERNS
from mlconv.rewrite import greedy


class Canonicalize(Pass):
    """Apply every simplification of core until none applies."""

    name: ClassVar[str] = "canonicalize"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        greedy(function.block, PATTERNS, context.statistics)
        eliminate_dead_code(function.block)
