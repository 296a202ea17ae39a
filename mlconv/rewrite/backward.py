"""The walk of legalizations to a target: each block from its end, so that nothing is made that nobody reads, and what
is emitted is met next.

Ops that cannot be said become diagnostics, all of them in one run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.ir.core import Block, Op, Value
from mlconv.rewrite.convert import diagnose
from mlconv.rewrite.pattern import Replacement, Rewriter


class BackwardWalk(ABC):
    """A target says by its methods what goes, what stays, and what stands for an op.  Failures are collected in
    `engine`; their ops stay.
    """

    def __init__(self, engine: DiagnosticEngine) -> None:
        self.engine = engine
        self.pending: list[Block] = []

    @abstractmethod
    def is_dead(self, op: Op) -> bool:
        """The op can go: nothing reads it."""

    @abstractmethod
    def is_legal(self, op: Op) -> bool:
        """The op stays as it is."""

    @abstractmethod
    def convert(self, op: Op, rewriter: Rewriter) -> Replacement:
        """What stands for the results of an op; emitted through the rewriter.  Raises ConversionError."""

    @abstractmethod
    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        """Look at a replacement.  Raises ConversionError when it does not fit."""

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
        """Walk one block."""
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
        rewriter = Rewriter(op)
        try:
            made = self.convert(op, rewriter)
            values = [made] if isinstance(made, Value) else list(made)
            if any(new is old for old, new in zip(op.results, values, strict=True)):
                raise ConversionError(Code.InternalError, f"{op.name} was replaced by itself")
            self.accept(op, values, rewriter)
        except ConversionError as error:
            rewriter.undo()
            self.engine.add(diagnose(op, error))
            return before
        last = op.prev
        rewriter.replace(op, values)
        return last
