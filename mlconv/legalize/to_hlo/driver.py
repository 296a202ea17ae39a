"""Core to HLO, over a whole module.

Each block is walked from its end: an op without users is dropped, and what a function emits (HLO ops and further core ops) is met next.  Ops that
cannot be said in HLO become diagnostics, all of them in one run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.base import IMPURE
from mlconv.ir import recipes
from mlconv.ir.constants import Inline, Splat
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.static import refine
from mlconv.legalize.storage import strip_quantization
from mlconv.legalize.to_hlo.control import write_piece
from mlconv.legalize.to_hlo.emit import Emit, dims
from mlconv.rewrite.convert import diagnose
from mlconv.rewrite.pattern import Rewriter

_NARROW = {DType.I4: DType.I8, DType.I2: DType.I8, DType.U4: DType.U8, DType.U2: DType.U8}  # literals are written in whole bytes
Rule = Callable[[Any, Emit], "Value | Sequence[Value]"]


def legalize(module: Module, engine: DiagnosticEngine) -> None:
    """Make every op of the module an HLO op or a constant, in place.  Failures are collected in `engine`; their ops stay."""
    from mlconv.legalize.to_hlo.rules import RULES

    for function in module.functions:
        if not _inputs_are_static(function, engine):
            continue
        strip_quantization(function.block)
        refine(function.block, write_piece)
        _Driver(RULES, engine).run(function.block)


def _inputs_are_static(function: Function, engine: DiagnosticEngine) -> bool:
    fine = True
    for value in function.inputs:
        if isinstance(value.type, TensorType) and value.type.is_static:
            continue
        error = ConversionError(
            Code.MLC0203, f"input {value.name} is {value.type}: HLO has static shapes only", help=f"pin it with --shape {value.name}={_example(value)}"
        )
        engine.add(error.with_context(function.location, value.name, f"input ({value.type})"))
        fine = False
    return fine


def _example(value: Value) -> str:
    """A shape to show: 1 for what is not known."""
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return "D,D,..." if shape is None else ",".join(str(d) if isinstance(d, int) else "1" for d in shape)


class _Driver:
    """The walk.  Blocks of regions are taken after the block that they are in."""

    def __init__(self, rules: dict[str, Rule], engine: DiagnosticEngine) -> None:
        self.rules, self.engine = rules, engine

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
        if IMPURE not in op.spec.traits and not any(v.uses for v in op.results):
            op.erase()
            return before
        if isinstance(op, core.Constant) and not (isinstance(op.value, Splat) and op.value.shape) and op.value.dtype not in _NARROW:
            return before
        rewriter = Rewriter(op)
        try:
            values = self._apply(op, Emit(rewriter, op.name))
            listed = [values] if isinstance(values, Value) else list(values)
            _check_types(op, listed)
        except ConversionError as error:
            rewriter.undo()
            self.engine.add(diagnose(op, error))
            return before
        last = op.prev
        rewriter.replace(op, listed)
        return last

    def _apply(self, op: OpDef, e: Emit) -> Value | Sequence[Value]:
        if isinstance(op, core.Constant):
            if op.value.dtype in _NARROW:
                return e.convert(e.handle(recipes.cast(op.value, _NARROW[op.value.dtype])), op.value.dtype)
            return e.full(op.value.view().reshape(-1)[0], op.value.dtype, op.value.shape) if op.value.size else e.handle(_empty(op.y))
        for value in (*op.inputs, *op.results):
            dims(value)
        if not op.regions and all(0 in dims(v) for v in op.results):
            return [e.handle(_empty(v)) for v in op.results]
        rule = self.rules.get(op.name)
        if rule is None:
            raise ConversionError(Code.MLC0401, f"HLO has no form for {op.name}")
        return rule(op, e)


def _empty(value: Value) -> Inline:
    """A constant without elements."""
    return Inline(np.zeros(dims(value), value.tensor.dtype.numpy), value.tensor.dtype)


def _check_types(op: OpDef, values: list[Value]) -> None:
    """A rule must give what the op promised.  Raises ConversionError MLC0901 when it does not."""
    for old, new in zip(op.results, values, strict=True):
        if old is new:
            raise ConversionError(Code.MLC0901, f"{op.name} was replaced by itself")
        if old.tensor.dtype is not new.tensor.dtype or old.tensor.shape != new.tensor.shape:
            raise ConversionError(Code.MLC0901, f"{op.name} promises {old.tensor}, its HLO form has {new.tensor}")
