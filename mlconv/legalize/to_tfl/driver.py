"""Core to TFLite, over a whole module; then ops that TFLite fuses, and what its runtime needs of buffers and
variables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.base import IMPURE
from mlconv.dialects.core.state import assigned_variables
from mlconv.ir.constants import Splat
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef
from mlconv.legalize.static import apply_facts
from mlconv.legalize.storage import strip_quantization
from mlconv.legalize.to_tfl.alias import separate_views
from mlconv.legalize.to_tfl.emit import Emit
from mlconv.legalize.to_tfl.fuse import fuse_activations, fuse_biases
from mlconv.legalize.to_tfl.merge import merge_equal
from mlconv.legalize.to_tfl.splats import fill_splats
from mlconv.legalize.to_tfl.state import initialize
from mlconv.legalize.to_tfl.tables import Tables
from mlconv.legalize.to_tfl.widen import widened
from mlconv.rewrite.backward import BackwardWalk
from mlconv.rewrite.pattern import Rewriter

First = Callable[[Any, Emit], "list[Value] | None"]
Rule = Callable[[Any, Emit], "Value | Sequence[Value]"]


def legalize(module: Module, engine: DiagnosticEngine, reduce_f64: bool = False) -> None:
    """Make every op of the module a TFLite op or a constant, in place.

    reduce_f64: compute float64 in float32 where TFLite has no float64 kernel.  Failures are collected in `engine`;
    their ops stay.
    """
    from mlconv.legalize.to_tfl.rules import FIRST, RULES

    tables = Tables()
    driver = _Driver({**RULES, core.Lookup.name: tables.lookup}, FIRST, engine, reduce_f64)
    initialized = []
    for function in module.functions:
        tables.start_function()
        strip_quantization(function.block)
        apply_facts(function.block, function.facts.where)
        driver.run(function.block)
        if not engine.has_errors:
            merge_equal(function.block)
            fuse_biases(function.block)
            fuse_activations(function.block)
            fill_splats(function.block)
            separate_views(function.block)
            if function.facts.variables or tables.used:
                initialized.append(function)
    if not engine.has_errors:
        initialize(initialized, tables)


class _Driver(BackwardWalk):
    """Core ops, less the constants, are to go."""

    def __init__(
        self, rules: dict[str, Rule], first: dict[str, First], engine: DiagnosticEngine, reduce_f64: bool
    ) -> None:
        super().__init__(engine)
        self.rules, self.first, self.reduce_f64 = rules, first, reduce_f64

    def is_dead(self, op: Op) -> bool:
        return (
            isinstance(op, OpDef)
            and IMPURE not in op.spec.traits
            and not any(v.uses for v in op.results)
            and not assigned_variables(op)
        )

    def is_legal(self, op: Op) -> bool:
        return not isinstance(op, OpDef) or isinstance(op, core.Constant)

    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        _keep_types(op, values)

    def convert(self, op: Any, rewriter: Rewriter) -> Value | Sequence[Value]:
        e = Emit(rewriter, self.reduce_f64)
        nothing = _without_elements(op, e)
        if nothing is not None:
            return nothing
        first = self.first.get(op.name)
        if first is not None:
            special = first(op, e)
            if special is not None:
                return special
        wide = widened(op, e)
        if wide is not None:
            return wide
        rule = self.rules.get(op.name)
        if rule is None:
            raise ConversionError(Code.TargetLacksOp, f"TFLite has no form for {op.name}")
        return rule(op, e)


def _without_elements(op: OpDef, e: Emit) -> list[Value] | None:
    """Constants for the results of an op that makes no element at all, which several kernels refuse; None for other
    ops.
    """
    shapes = [v.tensor.shape for v in op.results]
    if (
        op.regions
        or IMPURE in op.spec.traits
        or assigned_variables(op)
        or any(v.tensor.dtype is DType.STRING for v in op.results)
    ):
        return None
    if not shapes or any(s is None or 0 not in s or static(s) is None for s in shapes):
        return None
    return [
        e.constant(Splat(0, v.tensor.dtype, tuple(d for d in v.tensor.shape or () if isinstance(d, int))))
        for v in op.results
    ]


def _keep_types(op: Op, values: Sequence[Value]) -> None:
    """A replacement that knows less of its shape than the op did takes over what the op knew."""
    for old, new in zip(op.results, values, strict=True):
        known = old.tensor.shape
        if known is None or not isinstance(new.owner, Op) or isinstance(new.owner, core.Constant):
            continue
        have = new.tensor.shape
        if have is None or len(have) != len(known):
            new.type = new.tensor.with_shape(known)
        elif have != known:
            new.type = new.tensor.with_shape(
                tuple(k if not isinstance(h, int) else h for h, k in zip(have, known, strict=True))
            )
