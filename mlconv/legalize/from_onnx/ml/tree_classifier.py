"""TreeEnsembleClassifier.

Source: onnxruntime/core/providers/cpu/ml/tree_ensemble_aggregator.h (TreeAggregatorClassifier): what it does with two
classes, and with base values for them, is more than the specification says.
"""

from __future__ import annotations

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.ml.forest import Trees, Weights, ensemble, invalid
from mlconv.legalize.from_onnx.ml.scores import first_largest, label_table, labels_at, pair_of, probit, transformed
from mlconv.legalize.from_onnx.ml.trees import features_of, numbers, trees_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules

RULES = OnnxRules()


@RULES.rule("TreeEnsembleClassifier", domain="ai.onnx.ml", until=4)
def tree_ensemble_classifier(n: Node) -> list[Value]:
    """Labels [rows], scores [rows, classes] float32."""
    trees, labels = trees_of(n, "class"), label_table(n, "classlabels_int64s")
    if labels is None:
        raise invalid(n, "there are no labels")
    base, kind = numbers(n, "base_values"), n.s("post_transform", "NONE")
    x = features_of(n)
    if len(labels) == 1:
        return _of_single(n, trees, x, labels, base, kind)
    if len(labels) == 2:
        place, scores = _of_two(n, trees, x, base, kind)
        # what is no binary case by its weights has the labels 1 and 0
        own = _has_one_class(trees) or labels.dtype.kind in "OUS"
        return [labels_at(n, labels, place) if own else place, n.cast(scores, DType.F32)]
    scores = ensemble(n, x, trees, len(labels))
    ranked = _only_scored(n, trees, x, scores, base, len(labels))
    if base.size == len(labels):
        terms = n.constant(base.astype(scores.tensor.dtype.numpy))
        scores, ranked = n.add(scores, terms), n.add(ranked, terms)
    elif base.size:
        raise n.refuse(f"{base.size} base values for {len(labels)} classes")
    return [labels_at(n, labels, first_largest(n, ranked)), n.cast(transformed(n, scores, kind), DType.F32)]


def _has_one_class(trees: Trees) -> bool:
    return np.unique(trees.weights.target).size == 1


def _only_scored(n: Node, trees: Trees, x: Value, scores: Value, base: Array, classes: int) -> Value:
    """Scores in which classes that no leaf counted for are below all others."""
    if base.size or trees.always_count(classes):
        return scores
    return n.where(n.less(0.0, _counts(n, trees, x, classes)), scores, -np.inf)


def _counts(n: Node, trees: Trees, x: Value, classes: int) -> Value:
    """How many leaves counted for each class."""
    ones = Weights(trees.weights.leaf, trees.weights.target, np.ones(trees.weights.leaf.size))
    return ensemble(n, x, trees._replace(weights=ones), classes)


def _of_single(n: Node, trees: Trees, x: Value, labels: Array, base: Array, kind: str) -> list[Value]:
    """One class: its label is 1 where the score is above 0, else 0; only the probit transform is computed."""
    if labels.dtype.kind in "OUS" or not trees.always_count(1) or base.size > 1:
        raise n.refuse(f"one class, with labels of strings, {base.size} base values or leaves that do not count for it")
    score = ensemble(n, x, trees, 1)
    if base.size:
        score = n.add(score, n.constant(base.astype(score.tensor.dtype.numpy)))
    y = probit(n, score) if kind == "PROBIT" else score
    return [_above(n, score, 0.0), n.cast(y, DType.F32)]


def _of_two(n: Node, trees: Trees, x: Value, base: Array, kind: str) -> tuple[Value, Value]:
    """The place of the label, and both scores, of two classes."""
    y = ensemble(n, x, trees, 2)
    first, second = n.split(y, [1, 1], 1)
    if _has_one_class(trees):
        return _of_one_class(n, trees, (first, second), base, kind)
    if base.size not in (0, 1, 2):
        raise n.refuse(f"{base.size} base values for two classes")
    if not trees.always_count(2):
        raise n.refuse("two classes of which some leaves count for neither or for one alone")
    if base.size == 2:
        second = n.add(first, float(base[1]))
        first = n.neg(second)
    elif base.size == 1:
        first = n.add(first, float(base[0]))
    return _above(n, second, 0.0), transformed(n, n.concat([first, second], 1), kind)


def _of_one_class(n: Node, trees: Trees, scores: tuple[Value, Value], base: Array, kind: str) -> tuple[Value, Value]:
    """Weights are of one class alone.  Of two base values, those of the second class stand for all of its score."""
    first, second = scores
    least = 0.5 if (trees.weights.weight >= 0).all() else 0.0
    if trees.weights.target[0] == 0 and base.size < 2:
        only = n.add(first, float(base[0])) if base.size else first
        return _above(n, only, least), pair_of(n, only, kind, "rest" if least else "negated")
    zero = n.full_like(first, 0.0)
    if trees.weights.target[0] == 0:
        chosen = n.add(first, float(base[0]))
        pair = [chosen, zero]
    else:
        chosen = n.add(zero, float(base[1])) if base.size == 2 else second
        pair = [zero, chosen]
    return _above(n, chosen, least), transformed(n, n.concat(pair, 1), kind)


def _above(n: Node, score: Value, least: float) -> Value:
    """The place of the second label where a score [rows, 1] is above a number."""
    return n.cast(n.less(least, n.squeeze(score, 1)), DType.I64)
