"""Scales, shifts and pads around convolutions and matrix products go into their weights, biases and pads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.ir.module import Function
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import greedy
from mlconv.rewrite.pattern_files import PatternFiles

PATTERNS = PatternFiles(
    "mlconv.passes",
    {
        "fold_layers": "add conv matmul mul sub",
        "fold_branches": "add sub",
        "fold_input": "conv",
        "fold_product": "add mul sub",
        "fold_pairs": "softmax",
    },
)
IN_FRONT = PatternFiles("mlconv.passes", {"fold_input": "conv", "fold_product": "add mul sub"})
IN_FRONT_OF_ALL = PatternFiles("mlconv.passes", {**IN_FRONT.files, "fold_affine": "conv matmul"})


@dataclass(frozen=True, eq=False, repr=False)
class FoldBatchNorm(Pass):
    """Fold scales, shifts, pads and flattened transposes into weights.  between: those that stand in front of a layer
    behind an activation, too.
    """

    name: ClassVar[str] = "fold-batch-norm"
    between: bool = True

    def run_on_function(self, function: Function, context: PassContext) -> None:
        for patterns in (PATTERNS, IN_FRONT_OF_ALL if self.between else IN_FRONT):
            greedy(function.block, patterns, context.statistics)
            eliminate_dead_code(function.block)
