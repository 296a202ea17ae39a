"""The conversion driver: one walk, in which every illegal op is replaced by what one of its rules makes, or becomes a
diagnostic.

Sources are walked forwards: an op whose operands come from an op that failed is passed over in silence, unless nothing
at all could convert it or an op in its regions, so that one run reports every unsupported op, and each problem once.
Targets are walked backwards: nothing is made that nobody reads, and what a rule emits is met next.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine
from mlconv.dialects.source import BROKEN
from mlconv.ir.core import Block, Op, Value
from mlconv.provenance.locations import first_name
from mlconv.rewrite.pattern import NoMatch, Replacement, Rewriter
from mlconv.rewrite.rules import Rule

K = TypeVar("K")


class Conversion(ABC, Generic[K]):
    """A source or a target says by its methods what stays, which rules there are, and how they are called.  Failures
    are collected in `engine`; their ops stay.
    """

    def __init__(self, engine: DiagnosticEngine) -> None:
        self.engine = engine
        self.failed: set[Op] = set()
        self.before: Op | None = None  # what stands before the op that was replaced last

    @abstractmethod
    def is_legal(self, op: Op) -> bool:
        """The op stays as it is."""

    @abstractmethod
    def rules_of(self, op: Op) -> Sequence[Rule]:
        """The rules to ask, in order; none for an op that nothing knows."""

    @abstractmethod
    def builder(self, op: Op, rewriter: Rewriter) -> K:
        """What the rules of an op work with.  Raises ConversionError for an op that none of them can take."""

    def call(self, rule: Rule, op: Op, builder: K) -> Replacement | NoMatch:
        """What a rule makes of an op."""
        return rule.apply(op, builder)

    @abstractmethod
    def unsupported(self, op: Op, reasons: Sequence[str]) -> ConversionError:
        """The refusal of an op.  reasons: of the rules that declined."""

    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        """Look at a replacement.  Raises ConversionError when it does not fit."""
        return None

    def replaced(self, op: Op, rewriter: Rewriter) -> bool:
        """Convert one op.  False when it could not be: then that is reported, and nothing is left of the attempt."""
        try:
            values, reasons = self._made(op, rewriter)
            if values is None:
                raise self.unsupported(op, reasons)
            self.accept(op, values, rewriter)
        except ConversionError as error:
            rewriter.undo()
            self.failed.add(op)
            self.report(op, error)
            return False
        self.before = op.prev
        rewriter.replace(op, values)
        return True

    def _made(self, op: Op, rewriter: Rewriter) -> tuple[list[Value] | None, list[str]]:
        """What the first rule that does not decline makes; why those before it did."""
        reasons: list[str] = []
        rules = self.rules_of(op)
        builder = self.builder(op, rewriter)
        for rule in rules:
            try:
                made = self.call(rule, op, builder)
            except ConversionError as error:
                error.diagnostic = replace(error.diagnostic, why=(*error.diagnostic.why, *reasons))
                raise
            if not isinstance(made, NoMatch):
                values = [made] if isinstance(made, Value) else list(made)
                if len(values) != len(op.results):
                    raise ConversionError(
                        Code.WrongArity, f"{op.name} has {len(op.results)} results, its conversion gives {len(values)}"
                    )
                return values, reasons
            rewriter.undo()
            if made.reason:
                reasons.append(f"{rule.name}: {made.reason}")
        return None, reasons

    def report(self, op: Op, error: ConversionError) -> None:
        """Report an error at an op, or those of a nested conversion, which are located already."""
        for diagnostic in error.diagnostics:
            self.engine.add(diagnostic)
        if not error.diagnostics:
            self.engine.add(diagnose(op, error))


class ForwardConversion(Conversion[K]):
    """The walk of sources."""

    def run(self, block: Block) -> None:
        """Convert all ops of a block in order, regions of legal ops included."""
        op = block.first
        while op is not None:
            following = op.next
            if self.is_legal(op):
                for region in op.regions:
                    self.run(region.block)
            else:
                self._visit(op)
            op = following

    def _visit(self, op: Op) -> None:
        known = bool(self.rules_of(op))
        if known and not self._is_blocked(op):
            if not self.replaced(op, Rewriter(op)):
                self._report_unknown(op)
            return
        self.failed.add(op)
        if not known:
            self.report(op, self.unsupported(op, ()))
        self._report_unknown(op)

    def _is_blocked(self, op: Op) -> bool:
        """What it reads was not converted, or it could not be read itself."""
        failed = any(isinstance(v.owner, Op) and v.owner in self.failed for v in op.inputs)
        return failed or bool(op.attributes.get(BROKEN))

    def _report_unknown(self, op: Op) -> None:
        """Report the ops in the regions of one that failed that nothing could convert."""
        for region in op.regions:
            for inner in region.block.ops:
                if not self.is_legal(inner) and inner not in self.failed and not self.rules_of(inner):
                    self.failed.add(inner)
                    self.report(inner, self.unsupported(inner, ()))
                self._report_unknown(inner)


class BackwardConversion(Conversion[K]):
    """The walk of targets."""

    def __init__(self, engine: DiagnosticEngine) -> None:
        super().__init__(engine)
        self.pending: list[Block] = []

    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        if any(new is old for old, new in zip(op.results, values, strict=True)):
            raise ConversionError(Code.InternalError, f"{op.name} was replaced by itself")

    @abstractmethod
    def is_dead(self, op: Op) -> bool:
        """The op can go: nothing reads it."""

    def enter(self, op: Op) -> None:
        """An op is met.  Regions of legal ops are walked after the block that they are in."""
        if op.regions and self.is_legal(op):
            self.pending.extend(region.block for region in op.regions)

    def run(self, block: Block) -> None:
        """Walk a block and the regions in it."""
        self.pending.append(block)
        while self.pending:
            self.walk(self.pending.pop())

    def walk(self, block: Block) -> None:
        """Walk one block from its end."""
        op = block.last
        while op is not None:
            op = self._visit(op)

    def _visit(self, op: Op) -> Op | None:
        """Deal with one op; returns the op to look at next (the one before it, counting what was emitted)."""
        self.enter(op)
        before = op.prev
        if self.is_dead(op):
            op.erase()
            return before
        if self.is_legal(op):
            return before
        return self.before if self.replaced(op, Rewriter(op)) else before


def diagnose(op: Op, error: ConversionError) -> Diagnostic:
    """The diagnostic of an error met at an op: location, node path and op with operand types filled in."""
    node = first_name(op.location)
    return error.with_context(op.location, node, op.describe())
