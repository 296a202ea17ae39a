"""Sizes that a model chooses by comparing them, where facts decide: `select(size == -1, 1, size)` of the length of a
signal, which windows that fit keep from being negative.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Block
from mlconv.ir.size_facts import SizeFacts
from mlconv.rewrite.refine import refine_users


def choose_sizes(block: Block, facts: SizeFacts) -> int:
    """Tell what is chosen to the ops of a function's own block; returns of how many results more is known."""
    learned = []
    for op in block.ops if facts else ():
        known = op.chosen(facts) if isinstance(op, core.Select) else None
        if known is not None and _told(known) > _told(op.results[0].known or ()):
            op.results[0].known = known
            learned.append(op.results[0])
    return len(learned) + len(refine_users(learned))


def _told(known: tuple[object, ...]) -> int:
    return sum(k is not None for k in known)
