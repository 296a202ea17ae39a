"""Emission of ops at a place in a block, each with a location."""

from __future__ import annotations

from typing import TypeVar

from mlconv.ir.core import Block, Op
from mlconv.provenance.locations import Location

O = TypeVar("O", bound=Op)  # noqa: E741


class Builder:
    """Inserts ops before `before` (or at the end of `block`).  Ops without a location get the builder's."""

    __slots__ = ("before", "block", "location")

    def __init__(self, block: Block, location: Location, before: Op | None = None) -> None:
        self.block, self.location, self.before = block, location, before

    def emit(self, op: O) -> O:
        if op.location is None:
            op.location = self.location
        self.block.insert(op, self.before)
        self.inserted(op)
        return op

    def inserted(self, op: Op) -> None:
        """Called for each op that was emitted; rewriters listen here."""

    def at(self, block: Block, before: Op | None = None) -> Builder:
        """A builder elsewhere with the same location."""
        return Builder(block, self.location, before)
