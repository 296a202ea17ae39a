"""Core to TensorFlow's ops, over a whole module."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.module import Function, Module
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import is_pure
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tf.builder import TfBuilder
from mlconv.rewrite import BackwardConversion, Rewriter, Rule, Rules, edit


def legalize(module: Module, engine: DiagnosticEngine, more: Rules | None = None) -> None:
    """Make every op of the module one of TensorFlow or a constant, in place.  Failures are collected in `engine`; their
    ops stay.  more: rules that are asked first.
    """
    driver = _Driver(engine, more or Rules())
    for function in module.functions:
        driver.run(function.block)
        _store(function)


def _store(function: Function) -> None:
    """What comes in quantized comes in as integers."""
    blocks = [function.block, *(region.block for op in walk(function.block) for region in op.regions)]
    for value in (v for block in blocks for v in block.arguments):
        if isinstance(value.type, TensorType) and value.type.quant is not None:
            edit.retype(value, value.type.stored)


class _Driver(BackwardConversion[TfBuilder]):
    """Core ops, less the constants, are to go."""

    def __init__(self, engine: DiagnosticEngine, more: Rules) -> None:
        super().__init__(engine)
        self.more = more

    def is_dead(self, op: Op) -> bool:
        return isinstance(op, OpDef) and is_pure(op) and not op.is_used

    def is_legal(self, op: Op) -> bool:
        return isinstance(op, core.Constant) or not isinstance(op, OpDef)

    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        super().accept(op, values, rewriter)
        _keep_types(op, values, set(rewriter.emitted))

    def rules_of(self, op: Op) -> Sequence[Rule]:
        from mlconv.legalize.to_tf.rules import RULES

        return (*self.more.find(op.name), *RULES.find(op.name))

    def builder(self, op: Op, rewriter: Rewriter) -> TfBuilder:
        return TfBuilder(rewriter)

    def unsupported(self, op: Op, reasons: Sequence[str]) -> ConversionError:
        return ConversionError(Code.TargetLacksOp, f"TensorFlow has no form for {op.name}", why=tuple(reasons))


def _keep_types(op: Op, values: Sequence[Value], emitted: set[Op]) -> None:
    """What a rule emitted has the type that the op had.  Raises ConversionError InternalError for another element
    type.
    """
    for old, new in zip(op.results, values, strict=True):
        t = old.type
        if not isinstance(t, TensorType) or not isinstance(new.type, TensorType):
            continue
        if new.tensor.dtype is not t.dtype:
            raise ConversionError(Code.InternalError, f"{op.name} promises {t}, its TensorFlow form has {new.tensor}")
        if isinstance(new.owner, Op) and new.owner in emitted and not isinstance(new.owner, core.Constant):
            edit.retype(new, t.stored)
