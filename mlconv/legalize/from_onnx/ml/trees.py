"""Ensembles of trees: TreeEnsembleRegressor, TreeEnsembleClassifier, TreeEnsemble.

Scores and labels are those of onnxruntime/core/providers/cpu/ml/tree_ensemble_aggregator.h.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.ml.forest import (
    LEAF,
    MEMBER,
    MODES,
    Nodes,
    Trees,
    Weights,
    ensemble,
    invalid,
    without_members,
)
from mlconv.legalize.from_onnx.ml.scores import probit, rows_of, transformed
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules

RULES = OnnxRules()


@RULES.rule("TreeEnsembleRegressor", domain="ai.onnx.ml", until=4)
def tree_ensemble_regressor(n: Node) -> Value:
    """[rows, targets] float32.  Of one target, ONNX Runtime takes the first weight of each leaf."""
    trees, targets = trees_of(n, "target"), n.i("n_targets", 1)
    if targets == 1:
        trees = trees._replace(weights=trees.weights.first_of_each_leaf())
    function = n.s("aggregate_function", "SUM")
    base = numbers(n, "base_values")
    y = _aggregated(n, trees, function, targets)
    return n.cast(_finished(n, y, base, targets, n.s("post_transform", "NONE")), DType.F32)


def _aggregated(n: Node, trees: Trees, function: str, targets: int) -> Value:
    reduction = {"SUM": "add", "AVERAGE": "add", "MIN": "min", "MAX": "max"}.get(function)
    if reduction is None:
        raise invalid(n, f"aggregate_function is {function!r}, it is SUM, AVERAGE, MIN or MAX")
    y = ensemble(n, features_of(n), trees, targets, reduction)
    if function == "AVERAGE":
        return n.div(y, float(len(trees.roots)))
    if reduction == "add" or trees.weights.leaf.size >= trees.leaves * targets:
        return y
    return n.where(n.y(core.IsInf(y)), n.full_like(y, 0.0), y)  # a target that no leaf counted for


def _finished(n: Node, y: Value, base: Array, targets: int, kind: str) -> Value:
    """With base values, transformed.  Of one target, only the probit transform is."""
    if base.size in (1, targets) and (base.size == targets or targets == 1):
        y = n.add(y, n.constant(base.astype(y.tensor.dtype.numpy)))
    if targets == 1:
        return probit(n, y) if kind == "PROBIT" else y
    return transformed(n, y, kind)


@RULES.rule("TreeEnsemble", domain="ai.onnx.ml", since=5)
def tree_ensemble(n: Node) -> Value:
    """[rows, targets] of x's type."""
    trees, targets = _numbered_trees(n), n.i("n_targets", 1)
    function = _FUNCTIONS.get(n.i("aggregate_function", 1))
    kind = _TRANSFORMS.get(n.i("post_transform", 0))
    if function is None or kind is None:
        raise invalid(n, "aggregate_function and post_transform are numbers of the operator's lists")
    y = _aggregated(n, trees, function, targets)
    return n.cast(_finished(n, y, np.zeros(0), targets, kind), n.x().tensor.dtype)


_FUNCTIONS = dict(enumerate(("AVERAGE", "SUM", "MIN", "MAX")))
_TRANSFORMS = dict(enumerate(("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")))


def features_of(n: Node) -> Value:
    """Rows of float64 as they are, of others as float32."""
    x = rows_of(n, n.x())
    return x if x.tensor.dtype is DType.F64 else n.cast(x, DType.F32)


def numbers(n: Node, name: str) -> Array:
    """Floats of an attribute, or of the tensor that later versions have for it."""
    held = n.tensor(f"{name}_as_tensor")
    return np.asarray(n.floats(name, ()), np.float32) if held is None else held.view().reshape(-1)


def trees_of(n: Node, prefix: str) -> Trees:
    """Those of versions 1 and 3: nodes have the numbers of their tree and in it."""
    tree, number = (np.asarray(n.ints(f"nodes_{name}ids", ()), np.int64) for name in ("tree", "node"))
    features, yes, no = (
        np.asarray(n.ints(f"nodes_{name}ids", ()), np.int64) for name in ("feature", "truenode", "falsenode")
    )
    splits, names = numbers(n, "nodes_values"), n.strings("nodes_modes")
    missing = np.asarray(n.ints("nodes_missing_value_tracks_true", ()) or (0,) * len(tree), np.int64)
    lists = (number, features, yes, no, splits, names, missing)
    if not len(tree) or any(len(part) != len(tree) for part in lists):
        raise invalid(n, f"lists of {[len(tree), *(len(part) for part in lists)]} entries for one node each")
    unknown = set(names) - set(MODES)
    if unknown:
        raise invalid(n, f"a node's mode is {min(unknown)!r}")
    modes = np.asarray([MODES[name] for name in names])
    found = _Rows(n, tree, number)
    is_leaf = modes == LEAF
    places = np.where(is_leaf, -np.cumsum(is_leaf), np.cumsum(~is_leaf) - 1)
    inner = ~is_leaf
    first, second = (places[found.at(tree[inner], child[inner])] for child in (yes, no))
    nodes = Nodes(features[inner], splits[inner], modes[inner], first, second, missing[inner] == 1)
    starts = np.flatnonzero(np.concatenate([[True], tree[1:] != tree[:-1]]))
    kept = _weights(n, prefix, found, places)
    return Trees(nodes, places[starts], kept, int(is_leaf.sum()))


class _Rows:
    """Places of nodes by the number of their tree and their own.  Raises ConversionError AttributeInvalid."""

    def __init__(self, n: Node, tree: Array, number: Array) -> None:
        self.n, self.span = n, int(number.max()) + 1
        if number.min() < 0 or tree.min() < 0 or int(tree.max()) * self.span >= 1 << 62:
            raise invalid(n, "numbers of trees and nodes are out of range")
        self.order = np.argsort(tree * self.span + number, kind="stable")
        self.keys = (tree * self.span + number)[self.order]
        if (self.keys[1:] == self.keys[:-1]).any():
            raise invalid(n, "two nodes have one number")

    def at(self, tree: Array, number: Array) -> Array:
        if number.size and not 0 <= number.min() <= number.max() < self.span:
            raise invalid(self.n, "a node has a child that is not there")
        keys = tree * self.span + number
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        if (self.keys[place] != keys).any():
            raise invalid(self.n, "a node has a child that is not there")
        return self.order[place]


def _weights(n: Node, prefix: str, found: _Rows, places: Array) -> Weights:
    """Entries of leaves; others count for nothing."""
    tree, number, target = (np.asarray(n.ints(f"{prefix}_{name}ids", ()), np.int64) for name in ("tree", "node", ""))
    weight = numbers(n, f"{prefix}_weights")
    if not len(tree) == len(number) == len(target) == len(weight):
        raise invalid(n, f"lists of {len(tree)}, {len(number)}, {len(target)} and {len(weight)} entries for weights")
    place = places[found.at(tree, number)]
    leaf = place < 0
    return Weights(-1 - place[leaf], target[leaf], weight[leaf])


def _numbered_trees(n: Node) -> Trees:
    """Those of version 5: children are places in lists of nodes and leaves."""
    features, yes, no = (
        np.asarray(n.ints(f"nodes_{name}", ()), np.int64) for name in ("featureids", "truenodeids", "falsenodeids")
    )
    tensors = [n.tensor(f"nodes_{name}") for name in ("splits", "modes")]
    leaf_target, leaf_weight = np.asarray(n.ints("leaf_targetids", ()), np.int64), n.tensor("leaf_weights")
    roots = np.asarray(n.ints("tree_roots", ()), np.int64)
    if tensors[0] is None or tensors[1] is None or leaf_weight is None:
        raise invalid(n, "nodes_splits, nodes_modes and leaf_weights are tensors")
    splits, modes = (t.view().reshape(-1) for t in tensors if t is not None)
    of_leaf = [np.asarray(n.ints(f"nodes_{name}leafs", ()), np.int64) for name in ("true", "false")]
    missing = np.asarray(n.ints("nodes_missing_value_tracks_true", ()) or (0,) * len(features), np.int64)
    lists = (yes, no, splits, modes, *of_leaf, missing)
    if not len(features) or any(len(part) != len(features) for part in lists) or modes.max() > MEMBER:
        raise invalid(n, f"lists of {[len(features), *(len(part) for part in lists)]} entries for one node each")
    weight = leaf_weight.view().reshape(-1)
    leaves = len(leaf_target)
    if len(weight) != leaves:
        raise invalid(n, f"{leaves} targets and {len(weight)} weights of leaves")
    first, second = (np.where(is_leaf == 1, -1 - c, c) for is_leaf, c in zip(of_leaf, (yes, no), strict=True))
    if any(((is_leaf == 1) & (c < 0)).any() for is_leaf, c in zip(of_leaf, (yes, no), strict=True)):
        raise invalid(n, "a node has a child that is not there")
    nodes = Nodes(features, splits, modes.astype(np.int64), first, second, missing == 1)
    if (nodes.modes == MEMBER).any():
        nodes = without_members(nodes, _sets(n, int((nodes.modes == MEMBER).sum())))
    return Trees(nodes, roots, Weights(np.arange(leaves), leaf_target, weight), leaves)


def _sets(n: Node, count: int) -> list[list[float]]:
    """Members, a list for each test of them, which end in NaN."""
    held = n.tensor("membership_values")
    values = np.zeros(0) if held is None else held.view().reshape(-1)
    ends = np.flatnonzero(np.isnan(values))
    if len(ends) != count or (values.size and ends[-1] != values.size - 1):
        raise invalid(n, f"{len(ends)} sets of members for {count} tests")
    parts = np.split(values, ends + 1)[:count]
    if any(part.size < 2 for part in parts):
        raise invalid(n, "a set of members is empty")
    return [part[:-1].tolist() for part in parts]
