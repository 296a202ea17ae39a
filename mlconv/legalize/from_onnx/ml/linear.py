"""Linear models of ai.onnx.ml."""

from __future__ import annotations

import numpy as np

from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.ml.scores import (
    first_largest,
    float_rows,
    label_table,
    labels_at,
    matrix,
    pair_of,
    probit,
    transformed,
)
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules

RULES = OnnxRules()


@RULES.rule("LinearRegressor", domain="ai.onnx.ml")
def linear_regressor(n: Node) -> Value:
    targets, kind = n.i("targets", 1), n.s("post_transform", "NONE")
    y = _product(n, targets)
    if targets == 1:
        return probit(n, y) if kind == "PROBIT" else y
    return transformed(n, y, kind)


def _product(n: Node, targets: int) -> Value:
    """x times the coefficients, plus the intercepts: [rows, targets]."""
    weights = n.constant(np.ascontiguousarray(matrix(n, "coefficients", targets).T))
    y = n.matmul(float_rows(n), weights)
    intercepts = n.floats("intercepts", ())
    if not intercepts:
        return y
    if len(intercepts) != targets:
        raise n.refuse(f"{len(intercepts)} intercepts for {targets} targets")
    return n.add(y, n.constant(np.asarray(intercepts, np.float32)))


@RULES.rule("LinearClassifier", domain="ai.onnx.ml")
def linear_classifier(n: Node) -> list[Value]:
    """Labels, and scores of all classes."""
    classes, kind = len(n.floats("intercepts")), n.s("post_transform", "NONE")
    labels = label_table(n, "classlabels_ints")
    scores = _product(n, classes)
    if classes > 1:
        if labels is None or len(labels) < classes:
            raise n.refuse(f"{0 if labels is None else len(labels)} labels for {classes} classes")
        return [labels_at(n, labels, first_largest(n, scores)), transformed(n, scores, kind)]
    positive = n.cast(n.less(0.0, n.squeeze(scores, 1)), DType.I64)
    two = labels is not None and len(labels) == 2
    chosen = labels_at(n, labels, positive) if labels is not None and two else positive
    return [chosen, pair_of(n, scores, kind, "rest") if two else _of_one(n, scores, kind)]


def _of_one(n: Node, score: Value, kind: str) -> Value:
    return probit(n, score) if kind == "PROBIT" else score
