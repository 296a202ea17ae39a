"""Ensembles of decision trees.

Source: ONNX ai.onnx.ml TreeEnsemble-5, TreeEnsembleRegressor-3, TreeEnsembleClassifier-3.
"""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import check_dtype, ranked, same_dtype
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef, attr, op, operand, optional_operand, result
from mlconv.ir.types import TensorType

MISSING, EQUAL = 1, 2
"""Flags of a node: NaN goes to the first child; the test is `equal` in place of `at most`."""
REDUCTIONS = ("add", "min", "max")


def levels_of(children: Array) -> list[Array]:
    """Nodes of children [m, 2] in levels, each behind those of all nodes that lead to it.

    Raises ConversionError AttributeInvalid where a path does not end.
    """
    waiting = np.bincount(children[children >= 0], minlength=len(children))
    levels, at = [], np.flatnonzero(waiting == 0)
    while at.size:
        levels.append(at)
        below = children[at]
        found, count = np.unique(below[below >= 0], return_counts=True)
        waiting[found] -= count
        at = found[waiting[found] == 0]
    if sum(level.size for level in levels) < len(children):
        raise ConversionError(Code.AttributeInvalid, "nodes of trees lead back to themselves")
    return levels


@op("core.tree_ensemble")
class TreeEnsemble(OpDef):
    """Each row of x [n, f] goes down each tree; what the leaves hold is combined by `reduction`: y [n, targets].

    Nodes: features [m] (columns of x), thresholds [m] of x's type, children [m, 2], flags [m] uint8 or none (see
    MISSING, EQUAL); a row goes to the first child where its feature is at most the threshold.  Child c >= 0 is node c,
    c < 0 is leaf -1 - c; so are roots [t].  leaves: [l, targets]; or [l], and tree_targets [t] says which target a
    tree counts for.  Several nodes may lead to one; every path ends.

    Sums are of float64, rounded once: their order does not matter but in rare last bits.
    """

    x: Value = operand()
    features: Value = operand()
    thresholds: Value = operand()
    children: Value = operand()
    roots: Value = operand()
    leaves: Value = operand()
    tree_targets: Value | None = optional_operand(default=None)
    flags: Value | None = optional_operand(default=None)
    targets: int = attr(default=1, kw_only=True)
    reduction: str = attr(default="add", kw_only=True)
    y: Value = result()

    def infer(self) -> TensorType:
        same_dtype(self.x, self.thresholds)
        same_dtype(self.x, self.leaves)
        check_dtype(self.x, DType.F32, DType.F64, what="features")
        for indices in (self.features, self.children, self.roots, self.tree_targets):
            if indices is not None:
                check_dtype(indices, DType.I32, what="indices")
        if self.flags is not None:
            check_dtype(self.flags, DType.U8, what="flags")
        shape = ranked(self.x)
        nodes, leaves = ranked(self.features, "features"), ranked(self.leaves, "leaves")
        parts = [((*nodes, 2), self.children), (nodes, self.thresholds), (nodes, self.flags)]
        fits = all(v is None or ranked(v) == s for s, v in parts) and len(nodes) == 1
        if self.tree_targets is None:
            fits = fits and leaves[1:] == (self.targets,)
        else:
            fits = fits and len(leaves) == 1 and ranked(self.tree_targets) == ranked(self.roots)
        if len(shape) != 2 or not fits or self.reduction not in REDUCTIONS or self.targets < 1:
            kinds = ", ".join(str(v.type) for v in self.operands if v is not None)
            raise ConversionError(Code.ShapeMismatch, f"no trees of {self.targets} targets have parts {kinds}")
        return self.x.tensor.with_shape((shape[0], self.targets))

    def eval(
        self,
        x: Array,
        features: Array,
        thresholds: Array,
        children: Array,
        roots: Array,
        leaves: Array,
        tree_targets: Array | None,
        flags: Array | None,
    ) -> Array:
        at = np.broadcast_to(roots, (x.shape[0], roots.size)).copy()
        rows = np.arange(x.shape[0])[:, None]
        for _ in range(features.size):
            if (at < 0).all():
                break
            node = np.maximum(at, 0)
            value, threshold = x[rows, features[node]], thresholds[node]
            first = value <= threshold
            if flags is not None:
                first = np.where(flags[node] & EQUAL, value == threshold, first)
                first |= np.isnan(value) & ((flags[node] & MISSING) != 0)
            at = np.where(at >= 0, children[node, np.where(first, 0, 1)], at)
        held = leaves[-1 - at].astype(np.float64)
        if tree_targets is not None:
            spread = np.full((*held.shape, self.targets), _NEUTRAL[self.reduction])
            np.put_along_axis(spread, np.broadcast_to(tree_targets, held.shape)[..., None], held[..., None], 2)
            held = spread
        combine: np.ufunc = {"add": np.add, "min": np.minimum, "max": np.maximum}[self.reduction]
        return np.asarray(combine.reduce(held, axis=1, initial=_NEUTRAL[self.reduction])).astype(x.dtype)


_NEUTRAL = {"add": 0.0, "min": np.inf, "max": -np.inf}
