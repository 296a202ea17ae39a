"""Support vector machines of ai.onnx.ml.

Source: onnxruntime/core/providers/cpu/ml/svmclassifier.cc, svmregressor.cc; the probabilities of several classes are
those of Wu, Lin, Weng, "Probability estimates for multi-class classification by pairwise coupling".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.ml.scores import (
    first_largest,
    float_rows,
    label_table,
    labels_at,
    matrix,
    pair_of,
    transformed,
)
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite.core_builder import CoreBuilder

RULES = OnnxRules()

_ROUNDS = 100  # of the iteration that finds probabilities
_NEAR = 0.005  # over the number of classes: an error that ends it
_LEAST = 1e-7  # probability of one class of a pair


class _Kernel(NamedTuple):
    """gamma, coef0 and degree as in libsvm."""

    kind: str
    gamma: float
    coef0: float
    degree: float


def _kernel(n: Node, linear: bool) -> _Kernel:
    """Raises ConversionError AttributeInvalid."""
    kind = "LINEAR" if linear else n.s("kernel_type", "LINEAR")
    if kind not in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        raise ConversionError(
            Code.AttributeInvalid, f"kernel_type of {n.op_type} is {kind!r}, it is LINEAR, POLY, RBF or SIGMOID"
        )
    numbers = n.floats("kernel_params", ())
    gamma, coef0, degree = numbers if len(numbers) == 3 else (0.0, 0.0, 0.0)
    return _Kernel(kind, gamma, coef0, degree)


def _applied(n: Node, x: Value, vectors: Array, kernel: _Kernel, offset: float = 0.0) -> Value:
    """The kernel of each row with each vector: [rows, vectors]."""
    if kernel.kind == "RBF":
        apart = n.sub(n.expand_dims(x, 1), n.constant(vectors[None]))
        return n.exp(n.mul(n.sum(n.mul(apart, apart), (2,)), -kernel.gamma))
    dot = n.matmul(x, n.constant(np.ascontiguousarray(vectors.T)))
    if kernel.kind == "LINEAR":
        return n.add(dot, offset) if offset else dot
    inner = n.add(n.mul(dot, kernel.gamma), kernel.coef0)
    if kernel.kind == "SIGMOID":
        return n.tanh(inner)
    if kernel.degree in (2.0, 3.0):
        square = n.mul(inner, inner)
        return square if kernel.degree == 2.0 else n.mul(square, inner)
    return n.y(core.Pow(inner, n.constant(kernel.degree, DType.F32)))


def _sums(n: Node, x: Value, vectors: Array, weights: Array) -> Value:
    """The kernel of each row with each vector, times weights [vectors, sums]: [rows, sums].

    A linear kernel needs one vector for each sum.  Products with all of them can be much larger than what they add up
    to (a linear one-class machine), of which float32 leaves little then.
    """
    kernel = _kernel(n, linear=False)
    if kernel.kind == "LINEAR":
        wide = vectors.T.astype(np.float64) @ weights.astype(np.float64)
        return n.matmul(x, n.constant(wide.astype(np.float32)))
    return n.matmul(_applied(n, x, vectors, kernel), n.constant(weights))


@RULES.rule("SVMRegressor", domain="ai.onnx.ml")
def svm_regressor(n: Node) -> Value:
    """[rows, 1]; with `one_class` 1 inside and -1 outside."""
    supports, x = n.i("n_supports", 0), float_rows(n)
    coefficients = np.asarray(n.floats("coefficients"), np.float32)
    rho = n.floats("rho")
    if not rho or (supports and coefficients.size != supports):
        raise n.refuse(f"{coefficients.size} coefficients and {len(rho)} of rho for {supports} support vectors")
    if supports:
        y = n.add(_sums(n, x, matrix(n, "support_vectors", supports), coefficients.reshape(-1, 1)), rho[0])
    else:
        y = _applied(n, x, coefficients.reshape(1, -1), _kernel(n, linear=True), rho[0])
    if n.flag("one_class"):
        return n.where(n.less(0.0, y), n.constant(1.0, DType.F32), -1.0)
    return y


@RULES.rule("SVMClassifier", domain="ai.onnx.ml")
def svm_classifier(n: Node) -> list[Value]:
    """Labels; scores of pairs of classes, or probabilities of classes."""
    labels = label_table(n, "classlabels_ints")
    if labels is None:
        raise ConversionError(Code.AttributeInvalid, "SVMClassifier has no labels")
    counts = n.ints("vectors_per_class", ())
    return _by_vectors(n, labels, counts) if sum(counts) else _by_weights(n, labels)


def _by_weights(n: Node, labels: Array) -> list[Value]:
    """One linear function for each class."""
    classes = len(labels)
    weights = matrix(n, "coefficients", classes)
    scores = _applied(n, float_rows(n), weights, _kernel(n, linear=True), n.floats("rho")[0])
    place = first_largest(n, scores)
    if classes == 2:
        least = 0.5 if (weights >= 0).all() else 0.0
        most = n.max(scores, (1,))
        above = n.greater_equal(most, least) if least else n.less(0.0, most)
        place = n.where(above, n.constant(1, DType.I64), place)
    return [labels_at(n, labels, place), transformed(n, scores, n.s("post_transform", "NONE"))]


def _by_vectors(n: Node, labels: Array, counts: Sequence[int]) -> list[Value]:
    """One function for each pair of classes; the label is that of the class that wins most pairs."""
    classes, kind = len(labels), n.s("post_transform", "NONE")
    if len(counts) != classes or min(counts) < 0:
        raise n.refuse(f"vectors of {len(counts)} classes for {classes} labels")
    scores = _pairs(n, counts)
    first, second = _members(classes)
    won = n.cast(n.less(0.0, scores), DType.F32)
    ballots = n.constant((np.eye(classes)[first] - np.eye(classes)[second]).astype(np.float32))
    lost = n.constant(np.eye(classes)[second].sum(0).astype(np.float32))
    place = first_largest(n, n.add(n.matmul(won, ballots), lost))
    if n.floats("prob_a", ()):
        found = _probabilities(n, scores, classes)
        return [labels_at(n, labels, place), transformed(n, found, kind)]
    if classes > 2:
        return [labels_at(n, labels, place), transformed(n, scores, kind)]
    return [labels_at(n, labels, place), pair_of(n, scores, kind, "negated" if kind == "NONE" else "rest")]


def _members(classes: int) -> tuple[Array, Array]:
    """The two classes of each pair."""
    first, second = np.triu_indices(classes, 1)
    return first, second


def _pairs(n: Node, counts: Sequence[int]) -> Value:
    """Scores [rows, pairs]: each pair has the vectors of its two classes, with the coefficients of one against the
    other.
    """
    classes, total = len(counts), sum(counts)
    first, second = _members(classes)
    weights, rho = matrix(n, "coefficients", classes - 1), np.asarray(n.floats("rho"), np.float32)
    if weights.shape[1] != total or rho.size < first.size:
        raise n.refuse(f"coefficients {list(weights.shape)} and {rho.size} of rho for {total} support vectors")
    ends = np.cumsum([0, *counts])
    spread = np.zeros((total, first.size), np.float32)
    for pair, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        spread[ends[i] : ends[i + 1], pair] = weights[j - 1, ends[i] : ends[i + 1]]
        spread[ends[j] : ends[j + 1], pair] = weights[i, ends[j] : ends[j + 1]]
    sums = _sums(n, float_rows(n), matrix(n, "support_vectors", total), spread)
    return n.add(sums, n.constant(rho[: first.size]))


def _probabilities(n: Node, scores: Value, classes: int) -> Value:
    """Probabilities [rows, classes] by coupling those of pairs."""
    a, b = (np.asarray(n.floats(name), np.float32) for name in ("prob_a", "prob_b"))
    first, second = _members(classes)
    if a.size < first.size or b.size != a.size:
        raise n.refuse(f"{a.size} of prob_a and {b.size} of prob_b for {first.size} pairs")
    val = n.add(n.mul(scores, n.constant(a[: first.size])), n.constant(b[: first.size]))
    of_first = n.clamp(n.sub(1.0, n.sigmoid(val)), _LEAST, float(np.float32(1) - np.float32(_LEAST)))
    # r[i, j] where i wins over j, 0 on the diagonal
    above, below = np.zeros((2, first.size, classes * classes), np.float32)
    above[np.arange(first.size), first * classes + second] = 1
    below[np.arange(first.size), second * classes + first] = 1
    flat = n.add(n.matmul(of_first, n.constant(above)), n.matmul(n.sub(1.0, of_first), n.constant(below)))
    return _coupled(n, n.reshape(flat, [-1, classes, classes]), classes)


def _coupled(n: Node, r: Value, classes: int) -> Value:
    """The minimum of sum (r_ji p_i - r_ij p_j)^2 over probabilities p, in rounds over the classes: each row until it is
    near.
    """
    turned = n.transpose(r, (0, 2, 1))
    diagonal = n.sum(n.mul(turned, turned), (2,), keepdims=True)
    q = n.sub(n.mul(diagonal, n.constant(np.eye(classes, dtype=np.float32))), n.mul(r, turned))
    start = n.full_like(n.sum(r, (2,), keepdims=True), 1.0 / classes)
    carried = [n.constant(0, DType.I64), n.constant(True), start]
    cond, body = Block([v.type for v in carried]), Block([v.type for v in carried])
    inner = CoreBuilder(Builder(cond, n.builder.location))
    inner.emit(Yield([inner.logical_and(inner.less(cond.arguments[0], _ROUNDS), cond.arguments[1])]))
    inner = CoreBuilder(Builder(body, n.builder.location))
    counter, _, p = body.arguments
    inner.emit(Yield([inner.add(counter, 1), *_round(inner, q, p, classes)]))
    return n.squeeze(n.ys(core.While(carried, cond=Region(cond), body=Region(body)))[2], 2)


def _round(e: CoreBuilder, q: Value, p: Value, classes: int) -> list[Value]:
    """Whether some row is not near yet, and the next p, where q [rows, classes, classes], p [rows, classes, 1]."""
    qp = e.matmul(q, p)
    pqp = e.sum(e.mul(p, qp), (1,), keepdims=True)
    error = e.max(e.y(core.Abs(e.sub(qp, pqp))), (1,), keepdims=True)
    far = e.greater_equal(error, _NEAR / classes)
    following = p
    for i in range(classes):
        row, own = (e.slice_axis(v, 1, i, i + 1) for v in (q, qp))
        middle = e.slice_axis(row, 2, i, i + 1)
        diff = e.div(e.sub(pqp, own), middle)
        more = e.add(diff, 1.0)
        grown = e.add(pqp, e.mul(diff, e.add(e.mul(diff, middle), e.mul(own, 2.0))))
        pqp = e.div(e.div(grown, more), more)
        qp = e.div(e.add(qp, e.mul(e.transpose(row, (0, 2, 1)), diff)), more)
        unit = e.constant(np.eye(classes, dtype=np.float32)[i].reshape(1, classes, 1))
        following = e.div(e.add(following, e.mul(diff, unit)), more)
    return [e.y(core.ReduceAny(far, axes=(0, 1, 2))), e.where(far, following, p)]
