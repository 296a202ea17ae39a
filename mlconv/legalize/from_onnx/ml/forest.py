"""Trees of ai.onnx.ml as the parts of `core.tree_ensemble`: every test becomes `at most` or `equal`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.trees import EQUAL, MISSING, levels_of
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node

LEQ, LT, GTE, GT, EQ, NEQ, MEMBER, LEAF = range(8)
MODES = {f"BRANCH_{name}": i for i, name in enumerate(("LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER"))} | {
    "LEAF": LEAF
}
_SEVERAL = -1


class Nodes(NamedTuple):
    """Nodes as a file has them, leaves apart.  first, second: children where the test holds and where it does not, as
    `core.tree_ensemble` numbers them.  missing: NaN goes to the first.
    """

    features: Array
    splits: Array
    modes: Array
    first: Array
    second: Array
    missing: Array

    @property
    def children(self) -> Array:
        """[nodes, 2]."""
        return np.stack([self.first, self.second], axis=1)


class Weights(NamedTuple):
    """What leaves hold: entries (leaf, target, weight)."""

    leaf: Array
    target: Array
    weight: Array

    def first_of_each_leaf(self) -> Weights:
        _, places = np.unique(self.leaf, return_index=True)
        return Weights(*(part[places] for part in self))


def invalid(n: Node, what: str) -> ConversionError:
    return ConversionError(Code.AttributeInvalid, f"{n.op_type}: {what}")


class Trees(NamedTuple):
    """Nodes, the first of each tree, what leaves hold, and how many of these there are."""

    nodes: Nodes
    roots: Array
    weights: Weights
    leaves: int

    def always_count(self, targets: int) -> bool:
        """Each row reaches a leaf that counts for each target."""
        if np.unique(self.weights.leaf * targets + self.weights.target).size == self.leaves * targets:
            return True
        by_tree = self.targets_of_trees()
        return by_tree is not None and np.unique(by_tree).size == targets

    def targets_of_trees(self) -> Array | None:
        """The one target of each tree's leaves; None where some tree has several, or a leaf not one."""
        if self.weights.leaf.size != self.leaves or np.unique(self.weights.leaf).size != self.leaves:
            return None
        of_leaf = np.zeros(self.leaves, np.int64)
        of_leaf[self.weights.leaf] = self.weights.target
        children = self.nodes.children
        target = np.concatenate([np.full(len(children), _SEVERAL), of_leaf[::-1]])  # by the numbers of children
        for level in reversed(levels_of(children)):
            first, second = target[children[level]].T
            target[level] = np.where(first == second, first, _SEVERAL)
        found = target[self.roots]
        return None if (found == _SEVERAL).any() else found


def ensemble(n: Node, x: Value, trees: Trees, targets: int, reduction: str = "add") -> Value:
    """Scores [rows, targets] of x [rows, features]."""
    nodes, weights = trees.nodes, trees.weights
    _check(n, trees)
    columns = x.tensor.shape[1] if x.tensor.shape else None
    if columns is None:
        raise n.refuse("features of an unknown rank", help="say it with --shape")
    if not isinstance(columns, int):  # those that are tested
        columns = int(nodes.features.max(initial=0)) + 1
        x = n.y(core.DynamicSlice(x, n.vector([0, 0]), n.vector([-1, columns])))
    if len(nodes.features) and nodes.features.max() >= columns:
        raise ConversionError(
            Code.ShapeMismatch, f"{n.op_type} tests feature {nodes.features.max()} of rows of {columns}", operand=0
        )
    if weights.target.size and not 0 <= weights.target.min() <= weights.target.max() < targets:
        raise invalid(n, f"a leaf counts for a target that is not among {targets}")
    dtype = x.tensor.dtype
    thresholds, children, flags = _plain(nodes, dtype)
    held, tree_targets = _leaves(trees, targets, reduction)
    op = core.TreeEnsemble(
        x,
        n.constant(nodes.features.astype(np.int32)),
        n.constant(make_const(thresholds, dtype)),
        n.constant(children.astype(np.int32)),
        n.constant(trees.roots.astype(np.int32)),
        n.constant(make_const(held.astype(dtype.numpy), dtype)),
        None if tree_targets is None else n.constant(tree_targets.astype(np.int32)),
        n.constant(flags) if flags.any() else None,
        targets=targets,
        reduction=reduction,
    )
    return n.y(op)


def _check(n: Node, trees: Trees) -> None:
    """Children and roots are there, and paths end.  Raises ConversionError AttributeInvalid."""
    nodes = trees.nodes
    children = np.concatenate([nodes.first, nodes.second, trees.roots])
    if children.size and (children.max() >= len(nodes.features) or children.min() < -trees.leaves):
        raise invalid(n, "a node has a child that is not there")
    levels_of(nodes.children)
    if len(nodes.features) and nodes.features.min() < 0:
        raise invalid(n, "a node tests a feature below 0")


def _plain(nodes: Nodes, dtype: DType) -> tuple[Array, Array, Array]:
    """Thresholds, children [m, 2] and flags of tests that are `at most` and `equal` alone.

    x < t is x <= t', the number below t; x > t, x >= t and x != t are their opposites with the children exchanged, but
    for NaN, which is on neither side.
    """
    splits = nodes.splits.astype(dtype.numpy)
    below = np.isin(nodes.modes, (LT, GTE))
    with np.errstate(all="ignore"):
        lower = np.nextafter(splits, np.asarray(-np.inf, dtype.numpy))
    thresholds = np.where(below, np.where(splits == -np.inf, np.nan, lower), splits).astype(dtype.numpy)
    turned = np.isin(nodes.modes, (GTE, GT, NEQ))
    children = np.stack(
        [np.where(turned, nodes.second, nodes.first), np.where(turned, nodes.first, nodes.second)], axis=1
    )
    missing = np.where(nodes.modes == NEQ, False, nodes.missing != turned)
    equal = np.isin(nodes.modes, (EQ, NEQ))
    return thresholds, children, (missing * MISSING + equal * EQUAL).astype(np.uint8)


def _leaves(trees: Trees, targets: int, reduction: str) -> tuple[Array, Array | None]:
    """Weights by leaf, and the target of each tree where each has one; or those of all targets by leaf."""
    weights = trees.weights
    of_tree = trees.targets_of_trees()
    if of_tree is not None:
        held = np.zeros(trees.leaves, np.float64)
        held[weights.leaf] = weights.weight
        return held, of_tree
    table = np.full((trees.leaves, targets), {"add": 0.0, "min": np.inf, "max": -np.inf}[reduction])
    combine = {"add": np.add, "min": np.minimum, "max": np.maximum}[reduction]
    combine.at(table, (weights.leaf, weights.target), weights.weight)
    return table, None


def without_members(nodes: Nodes, sets: Sequence[Sequence[float]]) -> Nodes:
    """Tests for members of a set as a chain of tests for each of them, which lead to one first child."""
    places = np.flatnonzero(nodes.modes == MEMBER)
    further = np.asarray([len(members) - 1 for members in sets], np.int64)
    source = np.concatenate([np.arange(len(nodes.features)), np.repeat(places, further)])
    made = Nodes(*(part[source] for part in nodes))
    ends = len(nodes.features) + np.cumsum(further)
    made.modes[places] = EQ
    made.modes[len(nodes.features) :] = EQ
    for place, end, members in zip(places.tolist(), ends.tolist(), sets, strict=True):
        chain = [place, *range(end - len(members) + 1, end)]
        made.splits[chain] = members
        made.second[chain[:-1]] = chain[1:]
    return made
