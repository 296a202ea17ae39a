"""Core to TFLite, over a whole module."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.state import assigned_variables
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Module
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import is_pure
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.legalize.to_tfl.tables import Tables
from mlconv.rewrite import BackwardConversion, Rewriter, Rule, Rules, edit


def legalize(module: Module, engine: DiagnosticEngine, reduce_f64: bool = False, more: Rules | None = None) -> None:
    """Make every op of the module a TFLite op or a constant, in place.

    reduce_f64: compute float64 in float32 where TFLite has no float64 kernel.  more: rules that are asked first.
    Failures are collected in `engine`; their ops stay.
    """
    tables = Tables()
    driver = _Driver(tables, engine, reduce_f64, more or Rules())
    for function in module.functions:
        tables.start_function(function)
        driver.run(function.block)


class _Driver(BackwardConversion[TflBuilder]):
    """Core ops, less the constants, are to go."""

    def __init__(self, tables: Tables, engine: DiagnosticEngine, reduce_f64: bool, more: Rules) -> None:
        super().__init__(engine)
        self.lookup, self.reduce_f64, self.more = Rule("lookup", tables.lookup), reduce_f64, more

    def is_dead(self, op: Op) -> bool:
        return isinstance(op, OpDef) and is_pure(op) and not op.is_used and not assigned_variables(op)

    def is_legal(self, op: Op) -> bool:
        return not isinstance(op, OpDef) or isinstance(op, core.Constant)

    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        super().accept(op, values, rewriter)
        _keep_types(op, values)

    def rules_of(self, op: Op) -> Sequence[Rule]:
        from mlconv.legalize.to_tfl.rules import rules_of

        own = (self.lookup,) if isinstance(op, core.Lookup) else ()
        return (*self.more.find(op.name), *rules_of(op.name), *own)

    def builder(self, op: Op, rewriter: Rewriter) -> TflBuilder:
        return TflBuilder(rewriter, self.reduce_f64)

    def unsupported(self, op: Op, reasons: Sequence[str]) -> ConversionError:
        return ConversionError(Code.TargetLacksOp, f"TFLite has no form for {op.name}", why=tuple(reasons))


def _keep_types(op: Op, values: Sequence[Value]) -> None:
    """A replacement that knows less of its shape than the op did takes over what the op knew."""
    for old, new in zip(op.results, values, strict=True):
        known = old.tensor.shape
        if known is None or not isinstance(new.owner, Op) or isinstance(new.owner, core.Constant):
            continue
        have = new.tensor.shape
        if have is None or len(have) != len(known):
            edit.retype(new, new.tensor.with_shape(known))
        elif have != known:
            edit.retype(
                new,
                new.tensor.with_shape(
                    tuple(k if not isinstance(h, int) else h for h, k in zip(have, known, strict=True))
                ),
            )
