"""Ensembles of trees, with nodes in the order in which rows go down: the first child is the next one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.kernel.routines import TREE_LANES, Forest
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.builder import KernelBuilder, fixed, number, refuse, sizes
from mlconv.legalize.to_kernel.order import routine
from mlconv.rewrite import Rules

RULES = Rules()

_MOST = 1 << 31
_GROUPS = 4
"""Of trees, that go down together."""
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
    dtype = op.x.tensor.dtype
    rows, columns = sizes(op.x)
    features, children, roots = (fixed(v, "a tree") for v in (op.features, op.children, op.roots))
    thresholds, leaves = fixed(op.thresholds, "a tree"), fixed(op.leaves, "a leaf")
    flags = np.zeros(features.size, np.uint8) if op.flags is None else fixed(op.flags, "a tree")
    width = number(columns, "the number of features")
    if features.size and not 0 <= features.min() <= features.max() < width:
        raise refuse(f"a tree that tests a feature outside of {width}")
    layout = _layout(children, roots, len(leaves))
    wide = dtype is DType.F64 or features.max(initial=0) >= 1 << 14 or layout.far.max(initial=0) >= 1 << 16
    words = _words(layout, features, flags, thresholds, bool(wide))
    targets = np.zeros(roots.size, np.int32) if op.tree_targets is None else fixed(op.tree_targets, "a tree")
    if targets.size and not 0 <= targets.min() <= targets.max() < op.targets:
        raise refuse(f"a tree for a target that is not among {op.targets}")
    group_roots, group_targets = _groups(layout.roots, targets, layout.total - 1)
    neutral = np.asarray(_NEUTRAL[op.reduction], dtype.numpy)
    parts = [
        words,
        *([_at(layout.total, layout.nodes, thresholds, np.nan, dtype)] if wide else []),
        *_held(layout, leaves, neutral, op.tree_targets is None),
        layout.roots.astype(np.int32),
        targets.astype(np.int32),
        group_roots,
        group_targets,
    ]
    given = Forest(
        dtype,
        rows,
        width,
        layout.total,
        roots.size,
        len(group_targets),
        op.targets,
        0 if op.tree_targets is not None else len(leaves) + 1,
        bool(wide),
        int(np.bitwise_or.reduce(flags, initial=0)),
        op.reduction,
    )
    constants = [e.constant(make_const(np.ascontiguousarray(part))) for part in parts]
    return routine(e, "forest", given, [op.x, *constants], [op.y.tensor])


def _layout(children: Array, roots: Array, leaves: int) -> _Layout:
    """Places by the sizes of what is below.  Raises ConversionError TargetLacksOp for what are no trees, or too many
    nodes.
    """
    levels, at = [], roots
    seen = np.zeros(len(children), bool)
    while at.size:
        levels.append(at)
        inner = at[at >= 0]
        if at.min() < -leaves or at.max() >= len(children) or seen[inner].any() or np.unique(inner).size < inner.size:
            raise refuse("a tree with a node that is not there, or that has two parents")
        seen[inner] = True
        at = children[inner].reshape(-1)
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


def _at(count: int, places: Array, values: Array, otherwise: float, dtype: DType) -> Array:
    """Values at their places, and something elsewhere."""
    out = np.full(count, otherwise, dtype.numpy)
    out[places[places >= 0]] = values[places >= 0]
    return out


def _words(layout: _Layout, features: Array, flags: Array, thresholds: Array, wide: bool) -> Array:
    """What `Forest` says of a node, as int64; a leaf is never left."""
    low, far = (
        _at(layout.total, layout.nodes, v, 0, DType.I64) for v in (flags + (features.astype(np.int64) << 2), layout.far)
    )
    if wide:
        return np.asarray(low | far << 32)
    split = _at(layout.total, layout.nodes, thresholds, np.nan, DType.F32).view(np.uint32).astype(np.uint64)
    return np.asarray(low.astype(np.uint64) | far.astype(np.uint64) << 16 | split << 32).view(np.int64)


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
    """Roots by targets in groups of TREE_LANES, filled up with a tree of nothing, and the target of each group."""
    starts, owners = [], []
    order = np.argsort(targets, kind="stable")
    for target in np.unique(targets):
        own = roots[order[targets[order] == target]]
        groups = -(-own.size // TREE_LANES)
        starts.append(np.pad(own, (0, groups * TREE_LANES - own.size), constant_values=nothing))
        owners += [target] * groups
    more = -len(owners) % _GROUPS
    starts.append(np.full(more * TREE_LANES, nothing))
    return np.concatenate(starts).astype(np.int32), np.asarray(owners + [0] * more, np.int32)
