"""What nodes of trees compare: numbers with thresholds, or with sets of values.

Several tests for equality, one behind the other, of one feature and with one first child are how files say that a
feature is among some categories.  Values that a feature is compared with are bits of a word, so that such a chain is
one test, of any set: LightGBM's categories, BRANCH_MEMBER.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.trees import EQUAL, MISSING
from mlconv.ir.constants import Array
from mlconv.legalize.to_kernel.builder import fixed, refuse

_COPIES = 1 << 20
"""Nodes that may be there more than once, for each node that leads to them."""


class Columns(NamedTuple):
    """Keys of a row: of columns `used` [u]; and words in which the bit of a value [w, bits] is set where the column
    `member` [w] has it, NaN for no value.  missing: all of these are there once more, for tests that NaN passes.
    """

    used: Array
    member: Array
    values: Array
    missing: bool

    @property
    def total(self) -> int:
        return self.used.size + self.member.size


class Tests(NamedTuple):
    """Nodes [m], of which each has one parent at most: places of keys in a row, keys of thresholds or words of sets,
    and which of both; children [m, 2].  roots [t].
    """

    places: Array
    keys: Array
    is_set: Array
    children: Array
    roots: Array


def tests_of(op: core.TreeEnsemble, width: int) -> tuple[Tests, Columns]:
    """Raises ConversionError TargetLacksOp for what are no trees, or too many nodes."""
    features, thresholds, children, roots = (
        fixed(v, "a tree") for v in (op.features, op.thresholds, op.children, op.roots)
    )
    if features.size and not 0 <= features.min() <= features.max() < width:
        raise refuse(f"a tree that tests a feature outside of {width}")
    if children.max(initial=-1) >= len(children) or roots.max(initial=-1) >= len(children):
        raise refuse("a tree with a node that is not there")
    flags = np.zeros(features.size, np.uint8) if op.flags is None else fixed(op.flags, "a tree")
    low, equal = (flags & MISSING) != 0, (flags & EQUAL) != 0
    keys = keys_of(thresholds, low)
    used, column = np.unique(features[~equal], return_inverse=True)
    used = used if used.size else np.zeros(1, np.int32)
    places = np.zeros(features.size, np.int64)
    places[~equal] = column
    children = children.copy()
    member, values = np.zeros(0, np.int32), np.zeros((0, 8 * thresholds.itemsize), thresholds.dtype)
    if equal.any():
        sets = _Sets(features, thresholds, children, equal, low, roots)
        member, values = sets.words(keys, places, used.size)
    columns = Columns(used.astype(np.int32), member, values, bool(low.any()))
    places += low * columns.total
    old, children, roots = _spread(children, roots)
    return Tests(places[old], keys[old], equal[old], children, roots), columns


def keys_of(thresholds: Array, low: Array) -> Array:
    """Integers in the order of the thresholds; nothing is at most NaN, but NaN where it is below all numbers."""
    whole = np.int32 if thresholds.dtype == np.float32 else np.int64
    bits = (thresholds + thresholds.dtype.type(0)).view(whole)
    info = np.iinfo(whole)
    keys = np.where(bits < 0, bits ^ info.max, bits)
    return np.asarray(np.where(np.isnan(thresholds), info.min + low.astype(whole), keys)).astype(whole)


class _Sets:
    """Chains of tests for equality of one feature that lead to one first child; changes children and low in place."""

    def __init__(
        self, features: Array, thresholds: Array, children: Array, equal: Array, low: Array, roots: Array
    ) -> None:
        self.features, self.thresholds, self.children, self.low = features, thresholds, children, low
        second = np.maximum(children[:, 1], 0)
        parents = np.bincount(np.concatenate([children[children >= 0], roots[roots >= 0]]), minlength=len(children))
        self.joined = equal & (children[:, 1] >= 0) & equal[second] & (parents[second] == 1)
        self.joined &= (features[second] == features) & (children[second, 0] == children[:, 0])
        behind = np.zeros(len(children), bool)
        behind[second[self.joined]] = True
        self.heads = np.flatnonzero(equal & ~behind)
        self.equal = equal

    def words(self, keys: Array, places: Array, first: int) -> tuple[Array, Array]:
        """Columns and values of words; the first has the place `first`.  Nodes of a chain become one for each word in
        which the set has a bit.
        """
        bits = 8 * self.thresholds.itemsize
        member: list[int] = []
        values: list[Array] = []
        starts: dict[int, tuple[int, Array]] = {}
        nodes = np.flatnonzero(self.equal)
        nodes = nodes[np.argsort(self.features[nodes], kind="stable")]
        features, begins = np.unique(self.features[nodes], return_index=True)
        for feature, own in zip(features.tolist(), np.split(nodes, begins[1:]), strict=True):
            known = np.unique(self.thresholds[own] + 0)
            known = known[~np.isnan(known)]
            starts[feature] = first + len(member), known
            for at in range(0, max(1, known.size), bits):
                part = known[at : at + bits]
                member.append(feature)
                values.append(np.pad(part, (0, bits - part.size), constant_values=np.nan))
        for head in self.heads.tolist():
            self._rewrite(head, starts[int(self.features[head])], keys, places, bits)
        return np.asarray(member, np.int32), np.stack(values)

    def _rewrite(self, head: int, start: tuple[int, Array], keys: Array, places: Array, bits: int) -> None:
        chain = [head]
        while self.joined[chain[-1]]:
            chain.append(int(self.children[chain[-1], 1]))
        place, known = start
        among = self.thresholds[chain]
        sets: dict[int, int] = {}
        for number in np.searchsorted(known, among[~np.isnan(among)]).tolist():
            sets[number // bits] = sets.get(number // bits, 0) | 1 << number % bits
        sets = sets or {0: 0}
        first, second = self.children[chain[0], 0], self.children[chain[-1], 1]
        self.low[chain] = self.low[chain].any()
        kept = chain[: len(sets)]
        for node, (word, held), following in zip(kept, sets.items(), [*kept[1:], second], strict=True):
            keys[node] = held - (held >> (bits - 1) << bits)  # as a number with a sign
            places[node] = place + word
            self.children[node] = first, following
        self.children[chain[len(sets) :]] = -1


def _spread(children: Array, roots: Array) -> tuple[Array, Array, Array]:
    """Nodes once for each node that leads to them: old numbers [m], children [m, 2], roots."""
    old: list[Array] = [np.zeros(0, np.int64)]
    levels: list[Array] = [np.zeros((0, 2), np.int64)]
    made, count = _renumbered(roots, 0)
    starts, at = made, roots[roots >= 0]
    while at.size:
        if count > len(children) + _COPIES:
            raise refuse("trees whose paths do not end, or of which too many parts are shared")
        below = children[at]
        made, count = _renumbered(below, count)
        old.append(at)
        levels.append(made)
        at = below[below >= 0]
    return np.concatenate(old), np.concatenate(levels), starts


def _renumbered(nodes: Array, count: int) -> tuple[Array, int]:
    """Inner nodes in their order from `count` on, leaves as they are."""
    inner = nodes.reshape(-1) >= 0
    made = np.where(inner, count + np.cumsum(inner) - 1, nodes.reshape(-1)).reshape(nodes.shape)
    return made.astype(np.int64), count + int(inner.sum())
