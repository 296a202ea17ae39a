"""Core to kernel calls over a whole module, then fusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.base import IMPURE
from mlconv.dialects.kernel import DTYPES, KernelOp
from mlconv.ir.constants import Inline
from mlconv.ir.core import Op, Value, Yield, walk
from mlconv.ir.module import Function, Module
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.static import apply_facts, refine
from mlconv.legalize.storage import strip_quantization
from mlconv.legalize.to_kernel import control, elementwise, index, moves, order, products, recurrent, reduce, signal
from mlconv.legalize.to_kernel.attend import fuse_attention
from mlconv.legalize.to_kernel.bands import fuse_bands
from mlconv.legalize.to_kernel.conditions import conditions, guarded
from mlconv.legalize.to_kernel.emit import Emit, dims, refuse, sizes
from mlconv.legalize.to_kernel.fuse import fuse_maps
from mlconv.legalize.to_kernel.narrow import widen
from mlconv.legalize.to_kernel.place import fuse_copies
from mlconv.legalize.to_kernel.rows import fuse_rows
from mlconv.rewrite.backward import BackwardWalk
from mlconv.rewrite.pattern import Rewriter

Rule = Callable[[Any, Emit], "Value | Sequence[Value]"]
_FAMILIES = (elementwise, moves, reduce, products, index, control, order, signal, recurrent)
RULES: dict[type[OpDef], Rule] = {cls: rule for family in _FAMILIES for cls, rule in family.RULES.items()}


def legalize(module: Module, engine: DiagnosticEngine, winograd: bool = True) -> None:
    """Make every op of the main function a kernel call or a constant, in place.  Failures are collected in `engine`;
    their ops stay.

    winograd: use Winograd's algorithm where it is faster.
    """
    if len(module.functions) != 1:
        message = f"a native object has one function, the module has {len(module.functions)}"
        engine.error(ConversionError(Code.TargetLacksOp, message, help="choose one with --signature"))
        return
    function = module.main
    if not _inputs_fit(function, engine):
        return
    strip_quantization(function.block)
    refine(function.block, control.write_piece, function.facts.where)
    try:
        function.facts.conditions = conditions(function.block, function.facts.where)
        function.facts.where = guarded(function.facts.conditions, function.facts.where)
        apply_facts(function.block, function.facts.where)
        widen(function.block)
    except ConversionError as error:
        engine.error(error)
        return
    _Driver(engine, winograd, function.facts.where).run(function.block)
    if engine.has_errors:
        return
    for block in [function.block, *(region.block for op in walk(function.block) for region in op.regions)]:
        fuse_maps(block)
        fuse_copies(block)
        fuse_rows(block)
        fuse_attention(block)
        fuse_bands(block)


def _inputs_fit(function: Function, engine: DiagnosticEngine) -> bool:
    fine = True
    for value in function.inputs:
        t = value.type
        if isinstance(t, TensorType) and t.shape is not None and t.dtype in DTYPES:
            continue
        help_ = f"pin its shape with --shape {value.name}=D,D,..."
        error = ConversionError(
            Code.TargetLacksOp,
            f"input {value.name} is {t}: native code is made for numbers, and for a rank that is known",
            help=help_,
        )
        engine.add(error.with_context(function.location, value.name, "input"))
        fine = False
    return fine


class _Driver(BackwardWalk):
    """Regions are walked when their op is met, so that what only they use is known to be used."""

    def __init__(self, engine: DiagnosticEngine, winograd: bool, facts: SizeFacts) -> None:
        super().__init__(engine)
        self.winograd, self.facts = winograd, facts

    def enter(self, op: Op) -> None:
        if isinstance(op, KernelOp) and op.regions:
            for region in op.regions:
                self.walk(region.block)
            if op.name == "kernel.while":
                control.detach(op)

    def is_dead(self, op: Op) -> bool:
        impure = isinstance(op, Yield) or (isinstance(op, OpDef) and IMPURE in op.spec.traits)
        return not impure and not any(v.uses for v in op.results)

    def is_legal(self, op: Op) -> bool:
        return isinstance(op, (Yield, KernelOp, core.Constant))

    def convert(self, op: Op, rewriter: Rewriter) -> Value | Sequence[Value]:
        return _apply(op, Emit(rewriter, self.winograd))

    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        for old, new in zip(op.results, values, strict=True):
            if not self._agree(old.tensor, new.tensor):
                raise ConversionError(
                    Code.InternalError, f"{op.name} promises {old.tensor}, its kernel makes {new.tensor}"
                )

    def _agree(self, a: TensorType, b: TensorType) -> bool:
        """The same elements, and sizes that are equal wherever the code runs."""
        if a.dtype is not b.dtype or a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
            return False
        return all(x == y or holds(x, "==", y, self.facts) for x, y in zip(a.shape, b.shape, strict=True))


def _apply(op: Op, e: Emit) -> Value | Sequence[Value]:
    rule = RULES.get(type(op)) if isinstance(op, OpDef) else None
    if rule is None:
        raise refuse(f"{op.name} has no kernel")
    for value in (*op.inputs, *op.results):
        sizes(value)
    if op.results and not op.regions and all(v.tensor.size == 0 for v in op.results):
        return [e.constant(Inline(np.zeros(dims(v), v.tensor.dtype.numpy), v.tensor.dtype)) for v in op.results]
    return rule(op, e)
