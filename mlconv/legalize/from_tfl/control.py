"""Branches and loops.  Source: tensorflow/lite/kernels/if.cc, while.cc; openxla.org/stablehlo/spec, case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.ir.core import Value
from mlconv.legalize.from_tfl.node import TflNode, stored_rules
from mlconv.rewrite import edit

RULES: Final = stored_rules()


@RULES.rule("IF", "STABLEHLO_CASE")
def branch(n: TflNode) -> Sequence[Value]:
    """Branches see the values around them instead of their arguments."""
    values = n.operands(1)
    for region in n.op.regions:
        for argument, value in zip(region.block.arguments, values, strict=True):
            edit.replace_uses(argument, value)
        edit.keep_arguments(region.block, ())
    return n.tf_with_regions("If" if n.kind == "IF" else "Case", [n.operand(0)])


@RULES.rule("WHILE")
def while_(n: TflNode) -> Sequence[Value]:
    return n.tf_with_regions("While", n.operands())
