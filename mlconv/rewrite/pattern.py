"""Patterns and the rewriter that applies them.

A pattern is a typed function `(op, rewriter) -> value(s) | NoMatch("reason")`.  It emits new ops through the rewriter,
which places them before the matched op and derives their location from it, and returns what replaces the op's results.
Reasons are kept for diagnostics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Union

from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value
from mlconv.ir.spec import OpDef
from mlconv.provenance.locations import Location, fuse
from mlconv.rewrite import edit
from mlconv.rewrite.refine import tells_more

F = TypeVar("F", bound="Callable[..., Any]")
O = TypeVar("O", bound=Op)  # noqa: E741
Replacement = Union[Value, Sequence[Value]]


@dataclass(frozen=True, slots=True)
class NoMatch:
    """Why a pattern declined: the failed constraint with the actual value; empty when it is not meant for such ops."""

    reason: str


NOT_MEANT = NoMatch("")


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Pattern:
    """A rewrite with the ops that it roots at (names)."""

    name: str
    roots: tuple[str, ...]
    apply: Callable[[Any, Rewriter], Replacement | NoMatch]


def rewrite(*roots: type[OpDef] | str) -> Callable[[Callable[[Any, Rewriter], Replacement | NoMatch]], Pattern]:
    """Make a function a pattern for the given ops."""

    def wrap(fn: Callable[[Any, Rewriter], Replacement | NoMatch]) -> Pattern:
        return Pattern(fn.__name__.replace("_", "-"), tuple(r if isinstance(r, str) else r.name for r in roots), fn)

    return wrap


class Rewriter(Builder):
    """Emits before the matched op, at its location (fused with others that the pattern names), and replaces and erases
    ops.  sharper: replacements of which more is known than of what they replace.
    """

    __slots__ = ("changed", "emitted", "sharper")

    def __init__(self, op: Op) -> None:
        if op.block is None or op.location is None:
            raise ValueError(f"{op.name} is not in a block, or has no location")
        super().__init__(op.block, op.location, before=op)
        self.emitted: list[Op] = []
        self.changed: list[Op] = []
        self.sharper: list[Value] = []

    def fuse(self, *others: Op | None, by: str = "") -> Location:
        """From now on, emit at the location of the matched op fused with those of other ops that go into the result."""
        self.location = fuse(
            [self.location, *(o.location for o in others if o is not None and o.location is not None)], by
        )
        return self.location

    def emit_at(self, op: O, *origins: Op, by: str = "") -> O:
        """Emit an op that stands for others than the matched one, at the location of these."""
        op.location = fuse((o.location for o in origins if o.location is not None), by)
        return self.emit(op)

    def inserted(self, op: Op) -> None:
        self.emitted.append(op)

    def undo(self) -> None:
        """Take back what was emitted and fused; for a pattern that found out late that it does not apply."""
        if self.emitted:
            for op in reversed(self.emitted):
                op.erase()
            self.emitted = []
        if self.before is not None and self.before.location is not None:
            self.location = self.before.location

    def replace(self, op: Op, values: Replacement) -> None:
        """Make all users of op's results use `values`, then erase op."""
        listed = [values] if isinstance(values, Value) else list(values)
        if len(listed) != len(op.results):
            raise ValueError(f"{op.name} has {len(op.results)} results, the replacement has {len(listed)}")
        self.sharper = [new for old, new in zip(op.results, listed, strict=True) if tells_more(new, old)]
        for old, new in zip(op.results, listed, strict=True):
            self.changed.extend(old.users)
            if new.known is None:
                new.known = old.known
        self.changed.extend(v.owner for v in op.inputs if isinstance(v.owner, Op))
        edit.replace(op, listed)


def remake(op: OpDef, operands: Sequence[Value | None], **changes: Any) -> OpDef:
    """The same op on other operands, with some attributes changed."""
    attributes = {**op.attributes, **changes}
    spec = op.spec
    if any(f.variadic for f in spec.operands):
        fixed = len(spec.operands) - 1
        return type(op)(*operands[:fixed], list(operands[fixed:]), **attributes)
    return type(op)(*operands, **attributes)
