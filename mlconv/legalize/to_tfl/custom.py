"""Pass-through ops, which keep their own name."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.dialects.tfl import tfl_op
from mlconv.ir.core import Value
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.Custom)
def custom(op: core.Custom, e: TflBuilder) -> Sequence[Value]:
    """A CUSTOM operator with the name and options that the op carries."""
    made = tfl_op("CUSTOM", op.xs, {"custom_code": op.code, "custom_options": op.options}, list(op.types))
    return e.builder.emit(made).results
