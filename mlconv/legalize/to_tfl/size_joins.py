"""Vectors of sizes that are computed as one: those that take arithmetic of sizes of the inputs, and others that take
little more beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dims import Dim, Size, sole_atom
from mlconv.ir.dtypes import DType
from mlconv.ir.size_parts import SizeParts
from mlconv.legalize.to_tfl.size_bases import multiple
from mlconv.legalize.to_tfl.size_needs import Need
from mlconv.legalize.to_tfl.size_plans import (
    Apply,
    Cast,
    FromTable,
    Pack,
    Piece,
    Plan,
    ShapeOf,
    Split,
    Told,
    Trees,
    Vector,
    arithmetic,
    leaves_of,
    nodes_of,
    ops_of,
    parts_of,
    stays_known,
    table_ops,
    together,
)
from mlconv.legalize.to_tfl.size_results import plan_of_parts

_BY_DATA: Final = frozenset(("WHERE", "UNIQUE", "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5"))
_TRIALS: Final = 128  # vectors that are tried
_GROUPS: Final = 16  # of vectors, of the sizes of the same results
_MORE: Final = 3  # ops, than arithmetic takes in any case, are too many for others to be computed along with it


class Seen(Protocol):
    """What is in view, and how each need is computed.  axes: values that have a size, and which axis it is;
    of_results: values of the function's own that have one; in_view: all of these sizes; shapes: the first value of
    each; place: of ops.
    """

    block: Block
    axes: dict[Size, tuple[Value, int]]
    of_results: dict[Size, Value]
    in_view: SizeParts
    inputs: list[Value]
    shapes: dict[tuple[Size, ...], Value]
    plans: dict[Need, Told]
    trees: Trees
    place: dict[Op, int]

    def is_input(self, size: Size) -> bool: ...


class Joins:
    """Plans of several vectors, as parts of one."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.dynamic: set[Value | None] = set()  # whose shapes LiteRT does not know before it runs
        self._learn()

    def join(self) -> None:
        """Vectors that take arithmetic of sizes of the inputs pick from one in which all of it is done at once, or are
        the shapes of what is in view times numbers: what takes fewer ops.
        """
        # sizes of results, which later needs asked for, may stand behind the first reader
        of_inputs = Trees(lambda size: size in self.seen.axes and self.seen.is_input(size), self.seen.trees.lines)
        found: dict[Need, Vector] = {}
        for need, (plan, sizes) in self.seen.plans.items():
            is_arithmetic = isinstance(plan.plan if isinstance(plan, Cast) else plan, Apply | Pack)
            leaves = leaves_of(plan)
            if is_arithmetic and leaves and all(self.seen.is_input(s) for _, s in leaves):
                trees = tuple(of_inputs.of(s) for s in sizes)
                if not all(map(stays_known, trees)):
                    found[need] = Vector(trees, need.value.tensor.rank or 0, sizes)
        shaped = {need: own for need in found if (own := self._multiple(need, self.seen.shapes.values())) is not None}
        others = {need: vector for need, vector in found.items() if need not in shaped}
        axes = {**self._axes_of_results(), **self.seen.axes}
        picked = {need: own for need in found if (own := self._of_results(need, axes)) is not None}
        rest = {need: vector for need, vector in found.items() if need not in picked}
        choices = [
            {**self.seen.plans, **_joined(found)},
            {**self.seen.plans, **_joined(others), **shaped},
            {**self.seen.plans, **_joined(rest), **picked},
            *({**self.seen.plans, **_joined(found | self._fitting(found, of_inputs, n))} for n in range(_MORE)),
        ]
        if found:
            self.seen.plans = min(choices, key=lambda plans: table_ops([told.plan for told in plans.values()], axes))
            self.seen.axes = axes if self.seen.plans is choices[2] else self.seen.axes
        self._join_by_data(axes)

    def _join_by_data(self, axes: dict[Size, tuple[Value, int]]) -> None:
        """Vectors of sizes of the same results, that data decide, are computed as one where that takes fewer ops: the
        levels of a pyramid over an image that was resized.
        """
        groups: dict[frozenset[Value], dict[Need, Vector]] = {}

        def is_leaf(size: Dim) -> bool:
            return size in axes and (self._is_of_input(size) or _is_by_data(size))

        trees = Trees(is_leaf, self.seen.trees.lines)
        for need, told in self.seen.plans.items():
            if need.dtype is not DType.I32 or self._is_planned(need, told.plan):
                continue
            sizes = with_an_open_size(need, trees)
            try:
                own = tuple(trees.of(s) for s in sizes)
                leaves = [s for _, s in leaves_of(arithmetic(own, need.scalar)) if isinstance(s, Dim)]
            except LookupError:
                continue
            values = frozenset(axes[s][0] for s in leaves)
            if any(map(_is_by_data, leaves)) and all(self._is_before(v, need) for v in values):
                groups.setdefault(values, {})[need] = Vector(own, need.value.tensor.rank or 0, sizes)
        for group in sorted(groups.values(), key=len, reverse=True)[:_GROUPS]:
            joined = {**self.seen.plans, **_joined(group)}
            ops, before = (
                table_ops([told.plan for told in plans.values()], axes) for plans in (joined, self.seen.plans)
            )
            if ops < before:
                self.seen.plans, self.seen.axes = joined, axes

    def _is_of_input(self, size: Size) -> bool:
        return size in self.seen.axes and self.seen.is_input(size)

    def _fitting(self, found: Mapping[Need, Vector], of_inputs: Trees, more: int) -> dict[Need, Vector]:
        """Vectors that LiteRT has no use for before it runs and that all take no more than so many ops more in one with
        those found.
        """
        fitting: dict[Need, Vector] = {}
        trees = {tree: None for vector in found.values() for tree in vector.trees}
        try:
            most = ops_of(arithmetic([*trees], False)) + more
        except LookupError:
            return {}
        tried: dict[tuple[Size, ...], bool] = {}
        for need, told in self.seen.plans.items():
            if need in found or need.dtype is not DType.I32 or self._is_planned(need, told.plan):
                continue
            sizes = with_an_open_size(need, of_inputs)
            try:
                own = tuple(of_inputs.of(s) for s in sizes)
                if sizes not in tried and len(tried) < _TRIALS:
                    tried[sizes] = ops_of(arithmetic([*trees, *own], False)) <= most
            except LookupError:
                continue
            if tried.get(sizes, False):
                fitting[need] = Vector(own, need.value.tensor.rank or 0, sizes)
                trees |= dict.fromkeys(own)
        return fitting

    def _is_planned(self, need: Need, plan: Plan) -> bool:
        """Whether LiteRT knows the shape that is made by a vector before it runs."""
        op = need.at
        data = op.operands[0] if isinstance(op, TflOp) and op.operands[0] is not need.value else None
        return self._is_known(plan) and data not in self.dynamic

    def _learn(self) -> None:
        """In the order of the ops."""
        plans = {need.value: told.plan for need, told in self.seen.plans.items()}
        for op in self.seen.block.ops:
            if not isinstance(op, TflOp):
                continue
            unknown = (not self._is_known(plans[v]) if v in plans else v in self.dynamic for v in op.inputs)
            if op.regions or op.builtin in _BY_DATA or any(unknown):
                self.dynamic.update(op.results)

    def _is_known(self, plan: Plan) -> bool:
        """Whether LiteRT computes a vector before it runs."""
        if isinstance(plan, ShapeOf):
            return plan.value not in self.dynamic
        if isinstance(plan, FromTable):
            return all(isinstance(s, int) or self.seen.axes[s][0] not in self.dynamic for s in plan.sizes)
        is_computed = isinstance(plan, Apply) and plan.builtin != "MUL"
        return not is_computed and not isinstance(plan, Piece | Split) and all(map(self._is_known, parts_of(plan)))

    def _axes_of_results(self) -> dict[Size, tuple[Value, int]]:
        """The first value that has a size, and the axis."""
        return {size: (v, (v.tensor.shape or ()).index(size)) for size, v in self.seen.of_results.items()}

    def _of_results(self, need: Need, axes: Mapping[Size, tuple[Value, int]]) -> Told | None:
        """A vector of what values before it have, or of sums and products of it."""
        if need.scalar or need.dtype is not DType.I32:
            return None

        def is_seen(size: Dim) -> bool:
            return size in axes and self._is_before(axes[size][0], need)

        try:
            sizes = self.seen.plans[need].sizes
            return Told(plan_of_parts(self.seen.in_view, sizes, False, self.seen.trees.lines, is_seen), sizes)
        except LookupError:
            return None

    def _is_before(self, value: Value, need: Need) -> bool:
        return value.producer is None or self.seen.place[value.producer] < self.seen.place[need.at]

    def _multiple(self, need: Need, values: Iterable[Value]) -> Told | None:
        """The vector as numbers times the shape of a value before it, and more where it has other numbers."""
        if need.scalar or need.dtype is not DType.I32:
            return None
        before = [v for v in values if self._is_before(v, need)]
        sizes = need.whole or need.sizes
        plan = multiple(sizes, before) or multiple(sizes, before, with_numbers=True)
        return None if plan is None else Told(plan, sizes)


def _is_by_data(size: Size) -> bool:
    """Nothing is known about it."""
    return isinstance(size, Dim) and not size.is_known and (atom := sole_atom(size)) is not None and not atom.args


def with_an_open_size(need: Need, trees: Trees) -> tuple[Size, ...]:
    """The shape that RESHAPE is given, where the size that takes most ops is -1."""
    shape = need.whole
    if shape is None or need.sizes.count(-1) > 1 or 0 in shape:
        return need.sizes
    costs = [_ops_of(size, trees) for size in shape]
    most = max(costs, default=0)
    if not most:
        return need.sizes
    open_ = costs.index(most)
    return (*shape[:open_], -1, *shape[open_ + 1 :])


def _ops_of(size: Size, trees: Trees) -> float:
    """How many ops a size takes beside the shapes of what is in view."""
    try:
        return nodes_of(trees.of(size))
    except LookupError:
        return math.inf


def _joined(found: Mapping[Need, Vector]) -> dict[Need, Told]:
    joined = together(list(found.values())) or ()
    return {
        need: Told(plan if need.dtype is DType.I32 else Cast(plan, need.dtype), vector.sizes)
        for (need, vector), plan in zip(found.items(), joined, strict=False)
    }
