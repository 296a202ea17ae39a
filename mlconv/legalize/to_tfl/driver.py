"""Core to TFLite, over a whole module.

Each block is walked from its end: an op without users is dropped, so that nothing computes what nobody reads, and what a function emits (TFLite ops
and further core ops) is met next.  Ops that cannot be said in TFLite become diagnostics, all of them in one run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.base import IMPURE
from mlconv.dialects.core.state import assigned_variables
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.module import Module
from mlconv.ir.spec import OpDef
from mlconv.legalize.storage import strip_quantization
from mlconv.legalize.to_tfl.alias import separate_views
from mlconv.legalize.to_tfl.emit import Emit
from mlconv.legalize.to_tfl.fuse import fuse_activations, fuse_biases
from mlconv.legalize.to_tfl.merge import merge_equal
from mlconv.legalize.to_tfl.state import initialize
from mlconv.legalize.to_tfl.tables import Tables
from mlconv.legalize.to_tfl.widen import widened
from mlconv.rewrite.convert import diagnose
from mlconv.rewrite.pattern import Rewriter

First = Callable[[Any, Emit], "list[Value] | None"]
Rule = Callable[[Any, Emit], "Value | Sequence[Value]"]


def legalize(module: Module, engine: DiagnosticEngine, reduce_f64: bool = False) -> None:
    """Make every op of the module a TFLite op or a constant, in place.

    reduce_f64: compute float64 in float32 where TFLite has no float64 kernel.  Failures are collected in `engine`; their ops stay.
    """
    from mlconv.legalize.to_tfl.rules import FIRST, RULES

    tables = Tables()
    driver = _Driver({**RULES, core.Lookup.name: tables.lookup}, FIRST, engine, reduce_f64)
    for function in module.functions:
        tables.start_function()
        strip_quantization(function.block)
        driver.run(function.block)
        if not engine.has_errors:
            merge_equal(function.block)
            fuse_biases(function.block)
            fuse_activations(function.block)
            separate_views(function.block)
            initialize(function, tables)


class _Driver:
    """The walk.  Blocks of regions are taken after the block that they are in."""

    def __init__(self, rules: dict[str, Rule], first: dict[str, First], engine: DiagnosticEngine, reduce_f64: bool) -> None:
        self.rules, self.first, self.engine, self.reduce_f64 = rules, first, engine, reduce_f64

    def run(self, block: Block) -> None:
        pending = [block]
        while pending:
            current = pending.pop()
            op = current.last
            while op is not None:
                op = self._visit(op, pending)

    def _visit(self, op: Op, pending: list[Block]) -> Op | None:
        """Deal with one op; returns the op to look at next (the one before it, counting what was emitted)."""
        if not isinstance(op, OpDef):
            pending.extend(region.block for region in op.regions)
            return op.prev
        before = op.prev
        if IMPURE not in op.spec.traits and not any(v.uses for v in op.results) and not assigned_variables(op):
            op.erase()
            return before
        if isinstance(op, core.Constant):
            return before
        rewriter = Rewriter(op)
        try:
            values = self._apply(op, Emit(rewriter, self.reduce_f64))
        except ConversionError as error:
            rewriter.undo()
            self.engine.add(diagnose(op, error))
            return before
        listed = [values] if isinstance(values, Value) else list(values)
        _keep_types(op, listed)
        last = op.prev
        if any(new is old for new, old in zip(listed, op.results, strict=True)):
            raise ConversionError(Code.MLC0901, f"{op.name} was replaced by itself")
        rewriter.replace(op, listed)
        return last

    def _apply(self, op: OpDef, e: Emit) -> Value | Sequence[Value]:
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
            raise ConversionError(Code.MLC0401, f"TFLite has no form for {op.name}")
        return rule(op, e)


def _keep_types(op: OpDef, values: list[Value]) -> None:
    """A replacement that knows less of its shape than the op did takes over what the op knew."""
    for old, new in zip(op.results, values, strict=True):
        known = old.tensor.shape
        if known is None or not isinstance(new.owner, Op) or isinstance(new.owner, core.Constant):
            continue
        have = new.tensor.shape
        if have is None or len(have) != len(known):
            new.type = new.tensor.with_shape(known)
        elif have != known:
            new.type = new.tensor.with_shape(tuple(k if not isinstance(h, int) else h for h, k in zip(have, known, strict=True)))
