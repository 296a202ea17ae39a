"""The greedy driver: patterns are applied from a worklist until none applies, within a budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Block, Op, walk
from mlconv.ir.quant_rules import computes_with_quantized
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import has_effect
from mlconv.rewrite import edit
from mlconv.rewrite.pattern import NoMatch, Pattern, Rewriter
from mlconv.rewrite.pattern_files import PatternFiles
from mlconv.rewrite.refine import refine_users

REWRITES_PER_OP = 32


@dataclass(eq=False, repr=False, slots=True)
class Statistics:
    """How often each pattern applied and declined."""

    applied: dict[str, int] = field(default_factory=dict)
    declined: dict[str, int] = field(default_factory=dict)


def greedy(block: Block, patterns: Sequence[Pattern] | PatternFiles, statistics: Statistics | None = None) -> bool:
    """Apply patterns to all ops of a block and its regions up to a fixpoint; ops that become dead go, so that what they
    used may have one use, and what is known of replacements reaches the ops behind them.  True when a pattern applied.

    Raises ConversionError RewriteDiverged when the number of rewrites exceeds 32 for each op of the start, plus 1000.
    """
    find = cache(patterns.of) if isinstance(patterns, PatternFiles) else _by_root(patterns)
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
        if _is_dead(op):
            _look_again(_erase(op), queue, queued)
            continue
        candidates = find(op.name)
        if not candidates or (isinstance(op, OpDef) and computes_with_quantized(op)):
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
            _look_again((*rewriter.emitted, *rewriter.changed, *refine_users(rewriter.sharper)), queue, queued)
            break
    return changed


def _by_root(patterns: Sequence[Pattern]) -> Callable[[str], Sequence[Pattern]]:
    by_root: dict[str, list[Pattern]] = {}
    for pattern in patterns:
        for root in pattern.roots:
            by_root.setdefault(root, []).append(pattern)
    return lambda name: by_root.get(name, ())


def _look_again(ops: Iterable[Op], queue: deque[Op], queued: set[Op]) -> None:
    """Queue ops; those that are dead go at once, so that what is queued already sees who uses a value."""
    fresh = deque(ops)
    while fresh:
        op = fresh.popleft()
        if op.block is None:
            continue
        if _is_dead(op):
            fresh.extend(_erase(op))
        elif op not in queued:
            queued.add(op)
            queue.append(op)


def _is_dead(op: Op) -> bool:
    return not op.is_used and bool(op.results) and not op.regions and not has_effect(op)


def _erase(op: Op) -> list[Op]:
    """Erase an op; what made its operands, and who else uses them, is to be looked at again."""
    operands = dict.fromkeys(op.inputs)
    edit.erase(op)
    owners = [v.producer for v in operands]
    users = [user for v in operands if v.has_one_use for user in v.users]
    return list(dict.fromkeys(o for o in (*owners, *users) if o is not None and o.block is not None))
