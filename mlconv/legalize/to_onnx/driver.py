"""Core to ONNX, over a whole module."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.constants import Splat
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.module import Function, Module
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import is_pure
from mlconv.ir.types import TensorType
from mlconv.legalize.to_onnx.builder import OnnxBuilder, Version
from mlconv.legalize.to_onnx.float_products import keep_floats
from mlconv.legalize.to_onnx.tied_tables import store_tables_once
from mlconv.rewrite import BackwardConversion, Rewriter, Rule, Rules, edit

FILL_BYTES = 1 << 12
"""Constants of one repeated element above this size are made when the model runs."""


def legalize(module: Module, engine: DiagnosticEngine, version: Version, more: Rules | None = None) -> None:
    """Make every op of the module an ONNX operator or a constant, in place; `version.needed` is the operator set that
    rules asked for.  Failures are collected in `engine`; their ops stay.  more: rules that are asked first.
    """
    driver = _Driver(engine, version, more or Rules())
    for function in module.functions:
        if _are_real(function, engine):
            driver.run(function.block)
            _store(function)
            store_tables_once(function.block, version)
            if version.profile == "ort":
                keep_floats(function.block, version)


def _are_real(function: Function, engine: DiagnosticEngine) -> bool:
    """No input or output is complex: no operator takes such numbers."""
    fine = True
    named = zip(function.outputs, function.output_names, strict=True)
    for what, value, name in (*(("input", v, v.name) for v in function.inputs), *(("output", v, n) for v, n in named)):
        if isinstance(value.type, TensorType) and value.type.dtype.is_complex:
            why = f"{what} {name} is {value.type}, and ONNX's operators take no complex numbers"
            error = ConversionError(Code.TargetLacksType, why)
            engine.add(error.with_context(function.location, name, f"{what} ({value.type})"))
            fine = False
    return fine


def _store(function: Function) -> None:
    """What comes in quantized comes in as integers."""
    blocks = [function.block, *(region.block for op in walk(function.block) for region in op.regions)]
    for value in (v for block in blocks for v in block.arguments):
        if isinstance(value.type, TensorType) and value.type.quant is not None:
            edit.retype(value, value.type.stored)


class _Driver(BackwardConversion[OnnxBuilder]):
    """Core ops, less the constants, are to go."""

    def __init__(self, engine: DiagnosticEngine, version: Version, more: Rules) -> None:
        super().__init__(engine)
        self.version, self.more, self.constant = version, more, Rule("constant", _constant)

    def is_dead(self, op: Op) -> bool:
        return isinstance(op, OpDef) and is_pure(op) and not op.is_used

    def is_legal(self, op: Op) -> bool:
        if isinstance(op, core.Constant):
            return op.element is None and not _is_filled(op)
        return not isinstance(op, OpDef)

    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        super().accept(op, values, rewriter)
        _keep_types(op, values, set(rewriter.emitted))

    def rules_of(self, op: Op) -> Sequence[Rule]:
        from mlconv.legalize.to_onnx.rules import RULES

        own = (self.constant,) if isinstance(op, core.Constant) else ()
        return (*own, *self.more.find(op.name), *RULES.find(op.name))

    def builder(self, op: Op, rewriter: Rewriter) -> OnnxBuilder:
        return OnnxBuilder(rewriter, self.version)

    def unsupported(self, op: Op, reasons: Sequence[str]) -> ConversionError:
        return ConversionError(Code.TargetLacksOp, f"ONNX has no form for {op.name}", why=tuple(reasons))


def _is_filled(op: core.Constant) -> bool:
    return isinstance(op.value, Splat) and op.value.nbytes > FILL_BYTES and op.value.dtype.bits >= 8


def _constant(op: core.Constant, e: OnnxBuilder) -> Value:
    """ConstantOfShape for one element repeated; the integers of a quantized constant."""
    if op.element is not None:
        return e.constant(op.value)
    one = op.value.reshape(op.value.shape)
    value = Splat(one.view().reshape(-1)[0], one.dtype, (1,))
    return e.one("ConstantOfShape", [e.ints(op.value.shape)], op.y.tensor, value=value)


def _keep_types(op: Op, values: Sequence[Value], emitted: set[Op]) -> None:
    """What a rule emitted has the type that the op had.  Raises ConversionError InternalError for another element
    type; complex numbers are pairs.
    """
    for old, new in zip(op.results, values, strict=True):
        t = old.type
        if not isinstance(t, TensorType) or t.dtype.is_complex or not isinstance(new.type, TensorType):
            continue
        if new.tensor.dtype is not t.dtype:
            raise ConversionError(Code.InternalError, f"{op.name} promises {t}, its ONNX form has {new.tensor}")
        if isinstance(new.owner, Op) and new.owner in emitted and not isinstance(new.owner, core.Constant):
            edit.retype(new, t.stored)
