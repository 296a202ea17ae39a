"""Sizes that a model chooses by comparing them, where facts decide: `select(size == -1, 1, size)` of the length of a
signal, which windows that fit keep from being negative.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Block, Known, Value
from mlconv.ir.shapes import is_told
from mlconv.ir.size_facts import SizeFacts
from mlconv.rewrite.refine import refine_users


def choose_sizes(block: Block, facts: SizeFacts) -> int:
    """Tell what is chosen to the ops of a function's own block, where more may be chosen then; returns of how many
    results more is known.
    """
    count = 0
    while facts and (learned := _learned(block, facts)):
        count += len(learned) + len(refine_users(learned))
    return count


def _learned(block: Block, facts: SizeFacts) -> list[Value]:
    """What facts choose of which nothing was known."""
    learned = []
    for op in block.ops:
        known = op.chosen(facts) if isinstance(op, core.Select) else None
        if known is not None and _told(known) > _told(op.results[0].known or ()):
            op.results[0].known = known
            learned.append(op.results[0])
    return learned


def _told(known: Known) -> int:
    return sum(k is not None and is_told((k,)) for k in known)
