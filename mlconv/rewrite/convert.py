"""The conversion driver: one walk; every op of an illegal dialect is replaced, or becomes a diagnostic.

An op whose operands come from an op that failed is passed over in silence, unless nothing at all could convert it or an
op in its regions: so one run reports every unsupported op, and each problem once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine
from mlconv.dialects.source import BROKEN
from mlconv.ir.core import Block, Op, Value
from mlconv.provenance.locations import node_names
from mlconv.rewrite.pattern import NoMatch, Pattern, Rewriter


@dataclass(slots=True)
class Conversion:
    """patterns_of(op): candidates in order, or None when the op is unknown.  is_illegal(op): must go.  unsupported:
    builds the diagnostic of a refusal.
    """

    patterns_of: Callable[[Op], Sequence[Pattern] | None]
    is_illegal: Callable[[Op], bool]
    engine: DiagnosticEngine
    unsupported: Callable[[Op, Sequence[str]], ConversionError]
    converted: int = 0
    failed: set[Op] = field(default_factory=set)

    def run(self, block: Block) -> None:
        """Convert all ops of a block in order, regions of legal ops included."""
        op = block.first
        while op is not None:
            following = op.next
            if self.is_illegal(op):
                self._convert(op)
            else:
                for region in op.regions:
                    self.run(region.block)
            op = following

    def _is_blocked(self, op: Op) -> bool:
        return any(isinstance(v.owner, Op) and v.owner in self.failed for v in op.inputs)

    def _convert(self, op: Op) -> None:
        blocked = self._is_blocked(op) or bool(op.attributes.get(BROKEN))
        patterns = self.patterns_of(op)
        if patterns is None or blocked:
            self.failed.add(op)
            if patterns is None:
                self._report(op, self.unsupported(op, ()))
            self._report_unknown(op)
            return
        reasons: list[str] = []
        for pattern in patterns:
            rewriter = Rewriter(op)
            try:
                values = pattern.apply(op, rewriter)
            except ConversionError as error:
                rewriter.undo()
                self.failed.add(op)
                self._report(op, error)
                self._report_unknown(op)
                return
            if not isinstance(values, NoMatch):
                rewriter.replace(op, _checked(op, values))
                self.converted += 1
                return
            rewriter.undo()
            reasons.append(f"{pattern.name}: {values.reason}")
        self.failed.add(op)
        self._report(op, self.unsupported(op, reasons))

    def _report_unknown(self, op: Op) -> None:
        """Report the ops in the regions of one that failed that nothing could convert."""
        for region in op.regions:
            for inner in region.block.ops:
                if self.is_illegal(inner) and inner not in self.failed and self.patterns_of(inner) is None:
                    self.failed.add(inner)
                    self._report(inner, self.unsupported(inner, ()))
                self._report_unknown(inner)

    def _report(self, op: Op, error: ConversionError) -> None:
        for diagnostic in error.diagnostics:  # from a nested conversion, already located
            self.engine.add(diagnostic)
        if not error.diagnostics:
            self.engine.add(diagnose(op, error))


def _checked(op: Op, values: Value | Sequence[Value]) -> Value | Sequence[Value]:
    count = 1 if isinstance(values, Value) else len(values)
    if count != len(op.results):
        raise ConversionError(Code.WrongArity, f"{op.name} has {len(op.results)} results, its conversion gives {count}")
    return values


def diagnose(op: Op, error: ConversionError) -> Diagnostic:
    """The diagnostic of an error met at an op: location, node path and op with operand types filled in."""
    node = next(iter(node_names(op.location)), "") if op.location is not None else ""
    return error.with_context(op.location, node, op.describe())
