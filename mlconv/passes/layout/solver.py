"""Which layout each value gets: values tied by ops that do not care form classes; each class takes the layout that
costs the fewest moved elements.

A class is a set of a union-find whose edges carry permutations: layout(v) = offset(v) o layout(root).  A transpose in
the source is such an edge, so it costs nothing inside a class.  A tie that contradicts the class it closes is left out,
and paid for by a transpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mlconv.ir.core import Value
from mlconv.passes.layout.permutation import Perm, compose, identity, invert

Cost = Callable[[Perm], int]
Wanted = tuple[Perm, ...] | Callable[[], tuple[Perm, ...]]
"""Layouts, or what tells them once classes before are decided."""


@dataclass(frozen=True, eq=False, repr=False)
class Vote:
    """What an op asks of a value: layouts it would like (tried as candidates), and what another one costs.  beside: the
    value whose layout decides about that.  sure: it costs that, whatever else is done.  told: what is left out where it
    costs less than before is a move, nothing that weights would have taken in.  counted: what it adds to the
    costs of all classes, where the vote of the other class says it, too.
    """

    value: Value
    wanted: Wanted
    cost: Cost
    beside: Value | None = None
    sure: bool = False
    told: bool = False
    counted: Cost | None = None

    def in_all(self, layout: Perm) -> int:
        """What it adds to the costs of all classes."""
        return (self.counted or self.cost)(layout)


Votes = Sequence[tuple[Vote, Perm]]
"""Votes on values of a class, and the offsets of these from its root."""
_TOGETHER = 16  # classes that move at once
_WORK = 16  # times that votes are counted
_VOTES = 64  # of a class that changes with others


@dataclass(eq=False, repr=False)
class Solver:
    """Collects ties and votes, then decides.  channels_first: of the layout that the target wants.  left_weights: it
    has products whose left operand is constant.  windows_anywhere: it has windows along any axes.  plain_products: its
    products of more axes than two read operands as they lie.  rounded: values will be rounded to integers.
    """

    channels_first: bool = False
    left_weights: bool = False
    windows_anywhere: bool = False
    plain_products: bool = False
    rounded: bool = False
    _parent: dict[Value, tuple[Value, Perm]] = field(default_factory=dict)
    votes: list[Vote] = field(default_factory=list)
    _followed: list[tuple[Value, Value]] = field(default_factory=list)
    _leaders: dict[Value, tuple[Perm, Value]] = field(default_factory=dict)
    _chosen: dict[Value, Perm] = field(default_factory=dict)
    _preferred: dict[Value, Perm] = field(default_factory=dict)

    def _find(self, v: Value) -> tuple[Value, Perm]:
        """Root of v and the offset: layout(v) = offset o layout(root).  Compresses the path, iteratively."""
        known = self._parent.get(v)
        if known is None:
            return v, identity(v.tensor.rank or 0)
        if known[0] not in self._parent:
            return known
        path: list[Value] = []
        while v in self._parent:
            path.append(v)
            v = self._parent[v][0]
        offset = identity(v.tensor.rank or 0)
        for node in reversed(path):
            offset = compose(self._parent[node][1], offset)
            self._parent[node] = (v, offset)
        return v, offset

    def tie(self, x: Value, y: Value, p: Perm) -> None:
        """Ask for layout(x) = p o layout(y)."""
        rx, ox = self._find(x)
        ry, oy = self._find(y)
        if rx is not ry:
            self._parent[rx] = (ry, compose(compose(invert(ox), p), oy))

    def vote(
        self,
        value: Value,
        wanted: Wanted,
        cost: Cost,
        beside: Value | None = None,
        sure: bool = False,
        told: bool = False,
        counted: Cost | None = None,
    ) -> None:
        self.votes.append(Vote(value, wanted, cost, beside, sure, told, counted))

    def follow(self, value: Value, other: Value) -> None:
        """Expect of a value the layout of another one, of the same rank, once that is decided."""
        self._followed.append((value, other))

    def decide(self) -> None:
        """Choose a layout for every class that somebody voted on, in the order of the first votes."""
        for value, other in self._followed:
            root, offset = self._find(value)
            self._leaders.setdefault(root, (offset, other))
        by_root: dict[Value, list[tuple[Vote, Perm]]] = {}
        for vote in self.votes:
            root, offset = self._find(vote.value)
            by_root.setdefault(root, []).append((vote, offset))
        for root, votes in by_root.items():
            firm = [(vote, offset) for vote, offset in votes if isinstance(vote.wanted, tuple)]
            cheapest = _cheapest(root, firm) if firm else ()
            if len(cheapest) == 1:
                self._preferred[root] = cheapest[0]
        for root, votes in by_root.items():
            self._chosen[root] = _cheapest(root, votes)[0]
        for root, votes in by_root.items():
            if any(not isinstance(vote.wanted, tuple) for vote, _ in votes):
                self._chosen[root] = _cheapest(root, votes, self._chosen[root])[0]
        self._move_together(by_root)

    def _move_together(self, by_root: Mapping[Value, Votes]) -> None:
        """Classes whose votes look at one another, which none of them leaves alone, move where all of it is cheaper."""
        looks: dict[Value, list[tuple[Value, int]]] = {}
        for root, votes in by_root.items():
            for i, (vote, _) in enumerate(votes):
                other = root if vote.beside is None else self._find(vote.beside)[0]
                if other is not root and other in by_root:
                    looks.setdefault(other, []).append((root, i))
        if looks:
            JointMoves(by_root, looks, self._chosen).run()

    def expected(self, v: Value) -> Perm | None:
        """The layout of a value: of its class, where that is decided, or what the ops that do not look at other classes
        would have it, or what it follows; None where there are none.
        """
        root, offset = self._find(v)
        found = self._chosen.get(root, self._preferred.get(root))
        if found is None and root in self._leaders:
            own, other = self._leaders[root]
            leader, from_leader = self._find(other)
            decided = self._chosen.get(leader)
            found = None if decided is None else compose(invert(own), compose(from_leader, decided))
        return None if found is None else compose(offset, found)

    def layout(self, v: Value) -> Perm:
        """The layout of a value; identity where nobody asked."""
        root, offset = self._find(v)
        return compose(offset, self._chosen.get(root, identity(root.tensor.rank or 0)))


def _candidates(root: Value, votes: Votes, first: Perm | None = None) -> list[Perm]:
    """The layout of a class that is given, the source's, and those that its votes would like."""
    own = identity(root.tensor.rank or 0)
    candidates = dict.fromkeys([own if first is None else first, own])
    for vote, offset in votes:
        wanted = vote.wanted if isinstance(vote.wanted, tuple) else vote.wanted()
        for w in wanted:
            candidates[compose(invert(offset), w)] = None
    return list(candidates)


def _costs(votes: Votes, layout: Perm) -> list[int]:
    return [vote.cost(compose(offset, layout)) for vote, offset in votes]


def _cheapest(root: Value, votes: Votes, first: Perm | None = None) -> list[Perm]:
    """The layouts of a class that its votes, with offsets from the root, find cheapest; first among them the one that
    is given, else the source's.
    """
    candidates = _candidates(root, votes, first)
    if len(candidates) == 1:
        return candidates
    costs = {c: sum(_costs(votes, c)) for c in candidates}
    least = min(costs.values())
    return [c for c, cost in costs.items() if cost == least]


class JointMoves:
    """Several classes change at once: one takes another layout, and those beside it follow where that costs less.
    Only votes that are sure of it pay: others cost less than is said here where weights take an order in.

    looks: votes that look at a class, as their class and place.  chosen: the layout of each class, which votes see.
    """

    def __init__(
        self,
        votes: Mapping[Value, Votes],
        looks: Mapping[Value, Sequence[tuple[Value, int]]],
        chosen: dict[Value, Perm],
    ) -> None:
        self.votes, self.looks, self.chosen = votes, looks, chosen
        self.near: dict[Value, dict[Value, None]] = {}
        for root, places in looks.items():
            for other, _ in places:
                self.near.setdefault(root, {})[other] = self.near.setdefault(other, {})[root] = None
        self.costs = {
            root: [vote.in_all(compose(offset, chosen[root])) for vote, offset in votes[root]] for root in self.near
        }
        self.has_equal = False  # a class met layouts that cost the same
        self.left = _WORK * sum(map(len, self.costs.values()))

    def run(self) -> None:
        """Start from each class that costs something; as long as that is linear in all votes."""
        for root in self.near:
            while self._is_paid(root) and self._moves_on(root):
                pass

    def _is_paid(self, root: Value) -> bool:
        """Whether a class costs something, or what looks at it does."""
        return any(self.costs[root]) or any(self.costs[c][i] for c, i in self.looks.get(root, ()))

    def _moves_on(self, root: Value) -> bool:
        """Try the layouts that a class might have."""
        if not self._is_small(root):
            return False
        for layout in self._layouts(root):
            self.has_equal = False
            if self.left > 0 and (
                self._moves(root, layout, False) or (self.has_equal and self._moves(root, layout, True))
            ):
                return True
        return False

    def _layouts(self, root: Value) -> Iterator[Perm]:
        """Other layouts that a class might have, as those beside it are, and as they might be."""
        tried = {self.chosen[root]}
        for other in (root, *self.near[root]):
            before = self.chosen[other]
            for there in _candidates(other, self.votes[other], before) if self._is_small(other) else ():
                if other is not root or there == before:
                    self.chosen[other] = there
                    found = _candidates(root, self.votes[root], self.chosen[root])
                    self.chosen[other] = before
                    self.left -= len(self.votes[root])
                    yield from (layout for layout in found if layout not in tried)
                    tried.update(found)
                if self.left <= 0:
                    return

    def _is_small(self, root: Value) -> bool:
        """A class of a whole network has reasons enough to be as it is."""
        return len(self.votes[root]) <= _VOTES

    def _moves(self, root: Value, layout: Perm, eager: bool) -> bool:
        """Move a class, and those beside it that follow; undone, and False, where that is not cheaper.  eager: they
        follow where that costs as much.
        """
        before = {root: self.chosen[root]}
        self.chosen[root] = layout
        pending = [root]
        while pending and len(before) < _TOGETHER:
            moved = pending.pop(0)
            if self._pays(moved):
                self.chosen.update(before)
                return False
            for other in self.near[moved]:
                if other not in before and self._is_small(other):
                    self.left -= len(self.votes[other])
                    found, *equal = _cheapest(other, self.votes[other], self.chosen[other])
                    if equal and found == self.chosen[other]:
                        self.has_equal, found = True, equal[0] if eager else found
                    if found != self.chosen[other]:
                        before[other], self.chosen[other] = self.chosen[other], found
                        pending.append(other)
        if self._is_cheaper(before):
            return True
        self.chosen.update(before)
        return False

    def _is_cheaper(self, moved: Iterable[Value]) -> bool:
        """Whether all votes of classes that moved, and that look at them, cost less, and none but sure ones more, or
        those that are told of so much less; what they cost is kept then.
        """
        places = dict.fromkeys(
            place for c in moved for place in (*((c, i) for i in range(len(self.votes[c]))), *self.looks.get(c, ()))
        )
        self.left -= len(places)
        change = told = 0
        pays = False
        now: dict[tuple[Value, int], int] = {}
        for c, i in places:
            vote, offset = self.votes[c][i]
            now[c, i] = vote.in_all(compose(offset, self.chosen[c]))
            more = now[c, i] - self.costs[c][i]
            pays = pays or (more > 0 and not vote.sure)
            change += more
            told += more if more > 0 or vote.told else 0
        if change >= 0 or (pays and told >= 0):
            return False
        for (c, i), cost in now.items():
            self.costs[c][i] = cost
        return True

    def _pays(self, root: Value) -> bool:
        """Whether a vote that looks at this class alone, and is not sure, costs more than before."""
        layout = self.chosen[root]
        self.left -= len(self.votes[root])
        return any(
            vote.beside is None and not vote.sure and vote.cost(compose(offset, layout)) > paid
            for (vote, offset), paid in zip(self.votes[root], self.costs[root], strict=True)
        )
