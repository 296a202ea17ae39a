"""What the classifiers and regressors of ai.onnx.ml share: labels, transforms of scores, and scores of two classes made
of one.

Source: onnxruntime/core/providers/cpu/ml/ml_common.h.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node

_NEARLY_0 = 1e-7
_ERF_INV = 0.147  # of the approximation that ONNX Runtime has


def transformed(n: Node, scores: Value, kind: str) -> Value:
    """`post_transform` of scores [rows, classes], two classes at least.  Raises ConversionError AttributeInvalid."""
    if kind not in _TRANSFORMS:
        raise ConversionError(
            Code.AttributeInvalid, f"post_transform of {n.op_type} is {kind!r}, it is one of {', '.join(_TRANSFORMS)}"
        )
    return _TRANSFORMS[kind](n, scores)


def probit(n: Node, x: Value) -> Value:
    """sqrt(2) times the inverse of the error function at 2x - 1."""
    z = n.sub(n.mul(x, 2.0), 1.0)
    log = n.y(core.Log(n.mul(n.sub(1.0, z), n.add(z, 1.0))))
    v = n.add(n.mul(log, 0.5), 2.0 / (float(np.float32(3.14159)) * _ERF_INV))
    root = n.sqrt(n.sub(n.sqrt(n.sub(n.mul(v, v), n.mul(log, 1.0 / _ERF_INV))), v))
    return n.mul(n.where(n.less(z, 0.0), n.neg(root), root), float(np.float32(1.41421356)))


def _softmax_zero(n: Node, x: Value) -> Value:
    """Scores of 0 stay 0."""
    most = n.max(x, (1,), keepdims=True)
    counts = n.less(n.constant(_NEARLY_0, x.tensor.dtype), n.y(core.Abs(x)))
    powers = n.where(counts, n.exp(n.sub(x, most)), 0.0)
    rest = n.mul(x, n.exp(n.neg(most)))
    return n.div(n.where(counts, powers, rest), n.sum(powers, (1,), keepdims=True))


_TRANSFORMS: dict[str, Callable[[Node, Value], Value]] = {
    "NONE": lambda n, x: x,
    "LOGISTIC": lambda n, x: n.sigmoid(x),
    "SOFTMAX": lambda n, x: n.y(core.Softmax(x, axis=1)),
    "SOFTMAX_ZERO": _softmax_zero,
    "PROBIT": probit,
}


def rows_of(n: Node, x: Value) -> Value:
    """x as [rows, features]: a vector is one row.  Raises ConversionError ShapeMismatch."""
    rank = n.rank(x, f"the input of {n.op_type}")
    if rank == 1:
        return n.expand_dims(x, 0)
    if rank != 2:
        raise ConversionError(Code.ShapeMismatch, f"{n.op_type} takes rows of features, not {x.type}")
    return x


def float_rows(n: Node) -> Value:
    """Input 0 as float32 [rows, features]."""
    return n.cast(rows_of(n, n.x()), DType.F32)


def label_table(n: Node, integers: str, strings: str = "classlabels_strings") -> Array | None:
    """Labels of the classes; None where there are none."""
    names = n.strings(strings)
    if names:
        return np.asarray(names, object)
    numbers = n.ints(integers, ())
    return np.asarray(numbers, np.int64) if numbers else None


def labels_at(n: Node, labels: Sequence[object] | Array, places: Value) -> Value:
    """The label of each row."""
    table = np.asarray(labels)
    text = table.dtype.kind in "OUS"
    kind = DType.STRING if text else DType.I64
    return n.gather(n.constant(make_const(table.astype(object if text else np.int64), kind)), places)


def first_largest(n: Node, scores: Value) -> Value:
    """The class of the largest score of each row, the first of equals."""
    return n.y(core.ArgMax(scores, axis=1, keepdims=False))


def matrix(n: Node, name: str, rows: int) -> Array:
    """A float attribute as [rows, whatever].  Raises ConversionError AttributeInvalid."""
    flat = np.asarray(n.floats(name), np.float32)
    if rows < 1 or flat.size == 0 or flat.size % rows:
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type} has {flat.size} {name}, which are no {rows} rows of equal length"
        )
    return flat.reshape(rows, -1)


def pair_of(n: Node, score: Value, kind: str, other: str) -> Value:
    """Scores of two classes by that of the second, [rows, 1]: the first has what is missing to 1 (`rest`), or its
    negative (`negated`).  Raises ConversionError VariantUnsupported.
    """
    if kind == "PROBIT":
        raise n.refuse("the probit of one score for two classes")
    if kind == "LOGISTIC":
        score = n.sigmoid(score)
        return n.concat([n.sub(1.0, score), score], 1)
    return n.concat([n.sub(1.0, score) if other == "rest" else n.neg(score), score], 1)
