"""Ensembles of trees, with nodes in the order in which rows go down: the first child is the next one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.kernel.forest import TREE_GROUP, Forest
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.builder import KernelBuilder, fixed, number, refuse, sizes
from mlconv.legalize.to_kernel.order import routine
from mlconv.legalize.to_kernel.tree_tests import Tests, tests_of
from mlconv.rewrite import Rules

RULES = Rules()

_MOST = 1 << 31
_SET = 64
"""Leaves of a tree with which rows are compared with all nodes."""
_NEUTRAL = {"add": 0.0, "min": np.inf, "max": -np.inf}


class _Layout(NamedTuple):
    """Places of inner nodes [m] (-1 of those that no row reaches), places of leaves with their numbers, places of
    roots, distances of second children [m], and how many places there are.
    """

    nodes: Array
    leaves: Array
    numbers: Array
    roots: Array
    far: Array
    total: int


@RULES.rule(core.TreeEnsemble)
def tree_ensemble(op: core.TreeEnsemble, e: KernelBuilder) -> Sequence[Value]:
    dtype, (rows, columns) = op.x.tensor.dtype, sizes(op.x)
    leaves, width = fixed(op.leaves, "a leaf"), number(columns, "the number of features")
    tests, compared = tests_of(op, width)
    layout = _layout(tests.children, tests.roots, len(leaves))
    wide = bool(dtype is DType.F64 or 2 * compared.total >= 1 << 15 or layout.far.max(initial=0) > 1 << 15)
    targets = np.zeros(tests.roots.size, np.int32) if op.tree_targets is None else fixed(op.tree_targets, "a tree")
    if targets.size and not 0 <= targets.min() <= targets.max() < op.targets:
        raise refuse(f"a tree for a target that is not among {op.targets}")
    group_roots, group_targets = _groups(layout.roots, targets, layout.total - 1)
    neutral = np.asarray(_NEUTRAL[op.reduction], dtype.numpy)
    bits, masks = _masks(layout, tests, leaves, op.tree_targets is None)
    parts = [
        compared.used,
        *((compared.member, compared.values) if compared.member.size else ()),
        *_nodes(layout, tests, wide),
        *_held(layout, leaves, neutral, op.tree_targets is None),
        layout.roots.astype(np.int32),
        targets.astype(np.int32),
        group_roots,
        group_targets,
        *masks,
    ]
    given = Forest(
        dtype=dtype,
        rows=rows,
        columns=width,
        used=compared.used.size,
        members=compared.member.size,
        nodes=layout.total,
        trees=tests.roots.size,
        groups=len(group_targets),
        targets=op.targets,
        leaves=0 if op.tree_targets is not None else len(leaves) + 1,
        inner=masks[1].size if bits else 0,
        tree_leaves=masks[5].size if bits else 0,
        wide=wide,
        missing=compared.missing,
        bits=bits,
        opcode=op.reduction,
    )
    constants = [e.constant(make_const(np.ascontiguousarray(part))) for part in parts]
    return routine(e, "forest", given, [op.x, *constants], [op.y.tensor])


def _layout(children: Array, roots: Array, leaves: int) -> _Layout:
    """Places by the sizes of what is below.  Raises ConversionError TargetLacksOp for too many nodes."""
    levels, at = [], roots
    while at.size:
        levels.append(at)
        if at.min() < -leaves:
            raise refuse("a tree with a leaf that is not there")
        at = children[at[at >= 0]].reshape(-1)
    below = np.zeros(len(children), np.int64)  # nodes and leaves
    for level in reversed(levels):
        inner = level[level >= 0]
        below[inner] = 1 + _sizes(below, children[inner]).sum(axis=1)
    own = _sizes(below, roots)
    count = int(own.sum()) + 1  # and a leaf of nothing, the last one
    if count >= _MOST:
        raise refuse(f"{count} nodes of trees")
    return _placed(children, roots, below, np.cumsum(own) - own, count)


def _sizes(below: Array, nodes: Array) -> Array:
    return np.where(nodes < 0, 1, below[np.maximum(nodes, 0)]) if below.size else np.ones(nodes.shape, np.int64)


def _placed(children: Array, roots: Array, below: Array, starts: Array, count: int) -> _Layout:
    places, far = np.full(len(children), -1, np.int64), np.zeros(len(children), np.int64)
    leaf_places, leaf_numbers = [], []
    at, where = roots, starts
    while at.size:
        leaf_places.append(where[at < 0])
        leaf_numbers.append(-1 - at[at < 0])
        inner, place = at[at >= 0], where[at >= 0]
        places[inner] = place
        far[inner] = 1 + _sizes(below, children[inner, 0])
        at = children[inner].reshape(-1)
        where = np.stack([place + 1, place + far[inner]], axis=1).reshape(-1)
    return _Layout(places, np.concatenate(leaf_places), np.concatenate(leaf_numbers), starts, far, count)


def _nodes(layout: _Layout, tests: Tests, wide: bool) -> list[Array]:
    """What `Forest` says of nodes, as int64; a leaf is never left."""
    lowest = np.iinfo(tests.keys.dtype).min
    places, equal, keys, far = np.zeros((4, layout.total), np.int64)
    keys[:], far[:] = lowest, -1
    inner = layout.nodes >= 0
    at = layout.nodes[inner]
    places[at], equal[at], keys[at] = tests.places[inner], tests.is_set[inner], tests.keys[inner]
    far[at] = layout.far[inner] - 1
    if wide:
        return [places | equal << 31 | far << 32, keys]
    return [(keys & 0xFFFFFFFF) | places << 32 | equal << 47 | far << 48]


def _masks(layout: _Layout, tests: Tests, leaves: Array, all_targets: bool) -> tuple[int, list[Array]]:
    """For blocks of rows: how many bits a set of leaves takes, 0 for too many, and the parts of `Forest`."""
    is_leaf = np.zeros(layout.total, np.int64)
    is_leaf[layout.leaves] = 1
    before = np.concatenate([[0], np.cumsum(is_leaf)])  # leaves before a place
    ends = np.append(layout.roots[1:], layout.total - 1)
    most = int((before[ends] - before[layout.roots]).max(initial=1))
    if most > _SET:
        return 0, []
    bits = 32 if most <= _SET // 2 else _SET
    reached = np.flatnonzero(layout.nodes >= 0)
    places = layout.nodes[reached]
    tree = np.searchsorted(layout.roots, places, side="right") - 1
    order = np.lexsort((places, tests.is_set[reached], tree))
    reached, places, tree = reached[order], places[order], tree[order]
    first = before[places + 1] - before[layout.roots[tree]]
    count = before[places + layout.far[reached]] - before[places + 1]
    one = np.uint64(1)
    below = ((one << count.astype(np.uint64)) - one) << first.astype(np.uint64)
    below = np.where(count == _SET, ~np.uint64(0), below)
    of_tree = np.bincount(tree, minlength=layout.roots.size)
    plain = np.bincount(tree, ~tests.is_set[reached], minlength=layout.roots.size)
    stops = np.cumsum(of_tree)
    numbers = layout.numbers[np.argsort(layout.leaves, kind="stable")]
    return bits, [
        np.stack([stops, stops - of_tree + plain]).astype(np.int32),
        tests.places[reached].astype(np.int32),
        tests.keys[reached],
        (~below).view(np.int64) if bits == _SET else (~below).astype(np.uint32).view(np.int32),
        before[layout.roots].astype(np.int32),
        numbers.astype(np.int32) if all_targets else leaves[numbers],
    ]


def _held(layout: _Layout, leaves: Array, neutral: Array, all_targets: bool) -> list[Array]:
    """The value of each leaf, or its number and the table of leaves, which ends in one that counts for nothing."""
    if all_targets:
        numbers = np.full(layout.total, len(leaves), np.int32)
        numbers[layout.leaves] = layout.numbers
        return [numbers, np.concatenate([leaves, np.full((1, leaves.shape[1]), neutral)])]
    values = np.full(layout.total, neutral, leaves.dtype)
    values[layout.leaves] = leaves[layout.numbers]
    return [values]


def _groups(roots: Array, targets: Array, nothing: int) -> tuple[Array, Array]:
    """Roots by targets in groups of TREE_GROUP, filled up with a tree of nothing, and the target of each group."""
    starts, owners = [], []
    order = np.argsort(targets, kind="stable")
    for target in np.unique(targets):
        own = roots[order[targets[order] == target]]
        groups = -(-own.size // TREE_GROUP)
        starts.append(np.pad(own, (0, groups * TREE_GROUP - own.size), constant_values=nothing))
        owners += [target] * groups
    return np.concatenate(starts).astype(np.int32), np.asarray(owners, np.int32)
