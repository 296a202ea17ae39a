"""Random decision trees in the forms of ai.onnx.ml."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from onnx import numpy_helper


class Row(NamedTuple):
    """A node; children are places in its tree, and a leaf has entries (target, weight)."""

    mode: str
    feature: int = 0
    split: float = 0.0
    children: tuple[int, int] = (0, 0)
    tracked: int = 0
    entries: tuple[tuple[int, float], ...] = ()


class Trees(NamedTuple):
    """Rows of each tree."""

    trees: list[list[Row]]

    def _nodes(self) -> dict[str, Any]:
        rows = [(t, i, r) for t, tree in enumerate(self.trees) for i, r in enumerate(tree)]
        return {
            "nodes_treeids": [t for t, _, _ in rows],
            "nodes_nodeids": [i for _, i, _ in rows],
            "nodes_featureids": [r.feature for _, _, r in rows],
            "nodes_values": [r.split for _, _, r in rows],
            "nodes_modes": [r.mode for _, _, r in rows],
            "nodes_truenodeids": [r.children[0] for _, _, r in rows],
            "nodes_falsenodeids": [r.children[1] for _, _, r in rows],
            "nodes_missing_value_tracks_true": [r.tracked for _, _, r in rows],
        }

    def _weights(self, prefix: str) -> dict[str, Any]:
        rows = [
            (t, i, target, weight)
            for t, tree in enumerate(self.trees)
            for i, r in enumerate(tree)
            for target, weight in r.entries
        ]
        names = (f"{prefix}_treeids", f"{prefix}_nodeids", f"{prefix}_ids", f"{prefix}_weights")
        return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}

    def regressor(self, targets: int) -> dict[str, Any]:
        return self._nodes() | self._weights("target") | {"n_targets": targets}

    def classifier(self) -> dict[str, Any]:
        return self._nodes() | self._weights("class")


def grown(
    rng: np.random.Generator,
    count: int,
    features: int,
    *,
    depth: int,
    targets: int,
    modes: Sequence[str] = ("BRANCH_LEQ",),
    tracked: bool = False,
    spread: str = "all",
    signed: bool = True,
    categories: int = 3,
) -> Trees:
    """spread: leaves count for all targets, for their tree's, for some, or in all trees for the first or the second
    one.  modes: SET is a chain of BRANCH_EQ with one first child, as LightGBM's categories are written.
    """
    return Trees(
        [_tree(rng, t, features, depth, targets, modes, tracked, spread, signed, categories) for t in range(count)]
    )


def _tree(
    rng: np.random.Generator,
    number: int,
    features: int,
    depth: int,
    targets: int,
    modes: Sequence[str],
    tracked: bool,
    spread: str,
    signed: bool,
    categories: int,
) -> list[Row]:
    rows: list[Row] = []

    def grow(level: int) -> int:
        place = len(rows)
        if level == depth or (level > 1 and rng.random() < 0.25):
            rows.append(Row("LEAF", entries=_entries(rng, number, targets, spread, signed)))
            return place
        rows.append(Row("LEAF"))
        split = float(rng.integers(-2, 3))
        mode = str(rng.choice(list(modes)))
        feature, follows = int(rng.integers(features)), int(tracked and rng.random() < 0.5)
        children = (grow(level + 1), grow(level + 1))
        if mode == "SET":
            mode, second = "BRANCH_EQ", children[1]
            split, *others = rng.choice(categories, int(rng.integers(1, categories)), replace=False).astype(float)
            for other in others:
                rows.append(Row(mode, feature, other, (children[0], second), follows))
                second = len(rows) - 1
            children = (children[0], second)
        rows[place] = Row(mode, feature, split, children, follows)
        return place

    grow(0)
    return rows


def _entries(
    rng: np.random.Generator, tree: int, targets: int, spread: str, signed: bool
) -> tuple[tuple[int, float], ...]:
    weights = rng.normal(0, 1, targets) if signed else rng.uniform(0, 0.3, targets)
    kept = {
        "all": list(range(targets)),
        "tree": [tree % targets],
        "one": [0],
        "other": [1 % targets],
        "some": sorted(rng.choice(targets, max(1, targets - 1), replace=False).tolist()),
    }[spread]
    return tuple((k, float(np.float32(weights[k]))) for k in kept)


def numbered(
    rng: np.random.Generator, count: int, features: int, *, depth: int, targets: int, dtype: Any, members: bool
) -> dict[str, Any]:
    """Attributes of TreeEnsemble-5."""
    trees = grown(
        rng, count, features, depth=depth, targets=targets, modes=["0", "1", "3", *(["6"] * members)], spread="tree"
    )
    inner = [(t, i) for t, tree in enumerate(trees.trees) for i, r in enumerate(tree) if r.mode != "LEAF"]
    leaves = [(t, i) for t, tree in enumerate(trees.trees) for i, r in enumerate(tree) if r.mode == "LEAF"]
    rows = [trees.trees[t][i] for t, i in inner]
    ends = [[(t, r.children[side]) for (t, _), r in zip(inner, rows, strict=True)] for side in (0, 1)]
    entries = [trees.trees[t][i].entries[0] for t, i in leaves]
    sets = [[*sorted({r.split, float(rng.integers(-2, 3))}), float("nan")] for r in rows if r.mode == "6"]
    given: dict[str, Any] = {
        "n_targets": targets,
        "tree_roots": [inner.index((t, 0)) for t in range(count)],
        "nodes_featureids": [r.feature for r in rows],
        "nodes_splits": numpy_helper.from_array(np.asarray([r.split for r in rows], dtype)),
        "nodes_modes": numpy_helper.from_array(np.asarray([int(r.mode) for r in rows], np.uint8)),
        "leaf_targetids": [target for target, _ in entries],
        "leaf_weights": numpy_helper.from_array(np.asarray([weight for _, weight in entries], dtype)),
    }
    for side, name in enumerate(("true", "false")):
        given[f"nodes_{name}leafs"] = [int(end in leaves) for end in ends[side]]
        given[f"nodes_{name}nodeids"] = [(leaves if end in leaves else inner).index(end) for end in ends[side]]
    if sets:
        given["membership_values"] = numpy_helper.from_array(np.asarray([v for s in sets for v in s], dtype))
    return given
