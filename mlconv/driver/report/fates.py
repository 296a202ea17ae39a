"""What became of every source op.  The places that ops carry through every rewrite say it: an op of the target names
the nodes that it was made of, and the pass behind which no op names a node any longer is the one that took it away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from mlconv.driver.report.graph import computes, computing_ops
from mlconv.driver.report.traffic import ALIASES
from mlconv.ir.core import Op, Yield
from mlconv.ir.module import Module
from mlconv.ir.traits import Plumbing, has_trait
from mlconv.passes.base import Pass
from mlconv.provenance.locations import Location, origins

KEPT, FUSED, COMPOSED, FOLDED, REMOVED = "kept", "fused", "composed", "folded", "removed"
UNREAD, LEFT, REFUSED, UNKNOWN = "unread", "left", "refused", "unknown"
STATUSES = (KEPT, FUSED, COMPOSED, FOLDED, REMOVED, UNREAD, LEFT, REFUSED, UNKNOWN)
"""One op of the target is made of it alone; of it and others; several ops are.  It became data of the artifact; no op
was needed for it; nothing read it; it went through as it was; it was refused; nothing is known of it."""
_MOST_ORIGINS = 16  # that an op names; `fuse` leaves out those behind
_CUSTOM = "custom_code"
_OF_SHAPES = frozenset({"Shape", "ShapeN", "Size", "Rank"})


class Fate(NamedTuple):
    """by: the pass that took it away, where no op is left.  ops: numbers of ops of the target, among those that
    compute.
    """

    status: str
    by: str
    ops: tuple[int, ...]


class _Gone(NamedTuple):
    """by: the pass.  folded: it became data.  into: a node beside it whose op names as many as it can."""

    by: str
    folded: bool
    into: str


class Following:
    """Follows the ops of a module as it is imported through all passes.  `seen` is called behind each of them."""

    def __init__(self, module: Module) -> None:
        ops = computing_ops(module)
        self.kinds = [op.name for op in ops]
        self.keys = [next(origins(op.location), "") for op in ops]
        self._sizes = _sizes(ops)
        self._named = _Named()
        self._readers, self._unread = _readers(ops)
        self._beside = self._neighbours()
        self._wanted = frozenset(self.keys)
        self._working = set(self.keys)
        self._gone: dict[str, _Gone] = {}

    def _neighbours(self) -> dict[str, list[str]]:
        """What reads a node, and what it reads."""
        found: dict[str, list[str]] = {}
        for i, readers in enumerate(self._readers):
            for reader in readers:
                found.setdefault(self.keys[i], []).append(self.keys[reader])
                found.setdefault(self.keys[reader], []).append(self.keys[i])
        return found

    def seen(self, module: Module, item: Pass) -> None:
        """A pass has run on the module."""
        working, held, full = set[str](), set[str](), set[str]()
        for op in module.walk():
            names = self._named.of(op)
            if computes(op):
                working.update(names)
                if len(names) >= _MOST_ORIGINS:
                    full.update(names)
            elif not isinstance(op, Yield):
                held.update(names)
        working &= self._wanted
        gone = self._working - working
        into = self._absorbed(gone, full) if full else {}
        for name in gone:
            self._gone[name] = _Gone(item.name, name in held, into.get(name, ""))
        for name in working - self._working:
            self._gone.pop(name, None)
        self._working = working

    def _absorbed(self, gone: Collection[str], full: Collection[str]) -> dict[str, str]:
        """Those that are gone and stood beside what an op names that names as many as it can, or beside one of them:
        they went into that op.  Returns the names that it has.
        """
        found: dict[str, str] = {}
        waiting = [(name, name) for name in full]
        while waiting:
            name, into = waiting.pop()
            for other in self._beside.get(name, ()):
                if other in gone and other not in found:
                    found[other] = into
                    waiting.append((other, into))
        return found

    def fates(self, module: Module | None, refused: Collection[str] = (), unjudged: Collection[str] = ()) -> list[Fate]:
        """Of all ops of the source, in order.  module: of the target's ops; none where it did not come to that.
        refused: names of nodes; unjudged: of those that passes did not come to.
        """
        made = self._made(module)
        found = [self._fate(i, made, module is None, refused, unjudged) for i in range(len(self.keys))]
        return self._with_readers(found)

    def _made(self, module: Module | None) -> dict[str, list[tuple[int, Op]]]:
        """The ops of the target by the nodes that they name."""
        made: dict[str, list[tuple[int, Op]]] = {}
        for number, op in enumerate(computing_ops(module) if module is not None else ()):
            for name in self._named.of(op):
                made.setdefault(name, []).append((number, op))
        return made

    def _fate(
        self,
        i: int,
        made: dict[str, list[tuple[int, Op]]],
        unfinished: bool,
        refused: Collection[str],
        unjudged: Collection[str],
    ) -> Fate:
        key = self.keys[i]
        if key in refused:
            return Fate(REFUSED, "", ())
        gone = self._gone.get(key)
        ops = made.get(key, [])
        if gone is not None and not ops and gone.into:
            ops = made.get(gone.into, [])
            if ops:
                return Fate(FUSED, "", tuple(number for number, _ in ops))
        if not ops and (key in unjudged or (gone is None and unfinished)):
            return Fate(UNKNOWN, "", ())
        if not ops:
            by = gone.by if gone is not None else ""
            return Fate(FOLDED if gone is not None and gone.folded else UNREAD if self._unread[i] else REMOVED, by, ())
        working = [(n, op) for n, op in ops if not has_trait(op, Plumbing) and op.name not in ALIASES] or ops
        numbers = tuple(number for number, _ in ops)
        if any(op.attributes.get(_CUSTOM) for _, op in ops):
            return Fate(LEFT, "", numbers)
        if len(working) > 1:
            return Fate(COMPOSED, "", numbers)
        others = self._wanted.intersection(self._named.of(working[0][1])) - {key}
        return Fate(FUSED if others else KEPT, "", numbers)

    def _with_readers(self, fates: list[Fate]) -> list[Fate]:
        """What was taken away with all that read it, which became data, became data too: sizes that are known need none
        of the ops that compute them.  What a refused op reads was taken away with that.
        """
        for i in reversed(range(len(fates))):
            after = {fates[r].status for r in self._readers[i]}
            if fates[i].status not in (REMOVED, UNREAD) or not after:
                continue
            if after & {REFUSED, UNKNOWN}:
                fates[i] = Fate(UNKNOWN, "", ())
            elif fates[i].status == REMOVED and (after == {FOLDED} or self._sizes[i]):
                fates[i] = Fate(FOLDED, fates[i].by, ())
        return fates


class _Named:
    """Names of nodes behind locations, each of which is looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Location, tuple[str, ...]]] = {}

    def of(self, op: Op) -> tuple[str, ...]:
        location = op.location
        if location is None:
            return ()
        known = self._known.get(id(location))
        if known is None:
            known = self._known[id(location)] = location, tuple(dict.fromkeys(origins(location)))
        return known[1]


def _readers(ops: Sequence[Op]) -> tuple[list[list[int]], list[bool]]:
    """Of each op the numbers of those that read what it makes; whether nothing that counts does.

    What reads nothing that counts, and gives nothing to what is around it, is unread itself.
    """
    number = {op: i for i, op in enumerate(ops)}
    readers: list[list[int]] = []
    unread = [False] * len(ops)
    for i in reversed(range(len(ops))):
        users = list(_users(ops[i]))
        readers.append([number[user] for user in users if user in number])
        ends = any(isinstance(user, Yield) for user in users) or not ops[i].results or bool(ops[i].regions)
        unread[i] = not ends and all(unread[r] for r in readers[-1])
    return readers[::-1], unread


def _sizes(ops: Sequence[Op]) -> list[bool]:
    """Whether ops compute sizes, or with constants and sizes alone: what is followed while a model is read."""
    number = {op: i for i, op in enumerate(ops)}
    found: list[bool] = []
    for op in ops:
        makers = [number[v.producer] for v in op.inputs if v.producer in number]
        known = bool(op.inputs) and all(v.producer is not None for v in op.inputs)
        earlier = all(i < len(found) and found[i] for i in makers)
        found.append(op.name.rpartition(".")[2] in _OF_SHAPES or (known and earlier and not op.regions))
    return found


def _users(op: Op) -> Iterable[Op]:
    """Each once."""
    return dict.fromkeys(user for value in op.results for user, _ in value.uses)
