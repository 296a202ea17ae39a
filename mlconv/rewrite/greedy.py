"""The greedy driver: patterns are applied from a worklist until none applies, within a budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Block, Op, walk
from mlconv.ir.quant_rules import computes_with_quantized
from mlconv.ir.spec import OpDef
from mlconv.rewrite.pattern import NoMatch, Pattern, Rewriter

REWRITES_PER_OP = 32


@dataclass(slots=True)
class Statistics:
    """How often each pattern applied and declined."""

    applied: dict[str, int] = field(default_factory=dict)
    declined: dict[str, int] = field(default_factory=dict)


def greedy(block: Block, patterns: Sequence[Pattern], statistics: Statistics | None = None) -> bool:
    """Apply patterns to all ops of a block and its regions up to a fixpoint; dead pure ops are left for DCE.  True when
    something changed.

    Raises ConversionError RewriteDiverged when the number of rewrites exceeds 32 for each op of the start, plus 1000.
    """
    by_root: dict[str, list[Pattern]] = {}
    for pattern in patterns:
        for root in pattern.roots:
            by_root.setdefault(root, []).append(pattern)
    queue: deque[Op] = deque(walk(block))
    queued = set(queue)
    budget = REWRITES_PER_OP * len(queue) + 1000
    stats = statistics or Statistics()
    changed = False
    while queue:
        op = queue.popleft()
        queued.discard(op)
        if op.block is None:
            continue
        candidates = by_root.get(op.name)
        if candidates is None or (isinstance(op, OpDef) and computes_with_quantized(op)):
            continue  # patterns know numbers and plain integers: they would lose a rounding, or the type
        rewriter = Rewriter(op)
        for pattern in candidates:
            values = pattern.apply(op, rewriter)
            if isinstance(values, NoMatch):
                rewriter.undo()
                stats.declined[pattern.name] = stats.declined.get(pattern.name, 0) + 1
                continue
            rewriter.replace(op, values)
            changed = True
            budget -= 1
            if budget < 0:
                raise ConversionError(
                    Code.RewriteDiverged,
                    f"patterns still apply after the budget is used up, the last one was {pattern.name}",
                )
            stats.applied[pattern.name] = stats.applied.get(pattern.name, 0) + 1
            for other in (*rewriter.emitted, *rewriter.changed):
                if other.block is not None and other not in queued:
                    queued.add(other)
                    queue.append(other)
            break
    return changed
