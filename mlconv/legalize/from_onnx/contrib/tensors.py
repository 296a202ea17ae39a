"""Operators of com.microsoft on whole tensors: UnfoldTensor, ExpandDims, Range, CDist.

Source: ONNX Runtime, docs/ContribOperators.md, and contrib_ops/cpu/cdist.h.
"""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Value
from mlconv.legalize.from_onnx.contrib import DOMAIN
from mlconv.legalize.from_onnx.contrib.masks import one_size
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.shape import counted
from mlconv.legalize.from_onnx.table import OnnxRules

RULES = OnnxRules()


@RULES.rule("UnfoldTensor", domain=DOMAIN)
def unfold(n: Node) -> Value:
    """All slices of `size` along `dim`, `step` apart, along a new last axis."""
    x, size, step = n.x(), n.i("size"), n.i("step", 1)
    rank = n.rank(x)
    axis = n.axis(n.i("dim", -1), rank)
    whole = n.dim(x, axis)
    if size < 1 or step < 1 or (isinstance(whole, int) and whole < size):
        raise ConversionError(
            Code.AttributeInvalid, f"UnfoldTensor: slices of {size}, {step} apart, of the axis {axis} of {x.type}"
        )
    if isinstance(whole, int):
        starts = n.arange((whole - size) // step + 1)
    else:
        starts = n.arange(n.add(n.div(n.sub(whole, size), step), 1))
    places = n.add(n.expand_dims(n.mul(starts, step), 1), n.expand_dims(n.arange(size), 0))
    taken = n.gather(x, places, axis)
    return n.transpose(taken, [*(i for i in range(rank + 1) if i != axis + 1), axis + 1])


def _index(n: Node, i: int) -> int:
    found = one_size(n, n.x(i))
    if not isinstance(found, int):
        raise ConversionError(Code.ShapeNotStatic, f"{n.op_type}: the axis (input {i}) must be known")
    return found


@RULES.rule("ExpandDims", domain=DOMAIN)
def expand_dims(n: Node) -> Value:
    return n.expand_dims(n.x(0), n.axis(_index(n, 1), n.rank(n.x(0)) + 1))


@RULES.rule("Range", domain=DOMAIN)
def range_(n: Node) -> Value:
    """From start up to limit in steps of delta, 1 where it is not given; ends that are vectors of one element too."""
    start, limit = n.scalar(n.x(0)), n.scalar(n.x(1))
    delta = n.asarray(1, start) if n.opt(2) is None else n.scalar(n.x(2))
    return n.y(counted(start, limit, delta))


@RULES.rule("CDist", domain=DOMAIN)
def cdist(n: Node) -> Value:
    """Distances [m, n] of rows a [m, k] and b [n, k], from their squares and product, as ONNX Runtime has them."""
    a, b = n.x(0), n.x(1)
    metric = n.s("metric", "sqeuclidean")
    if metric not in ("euclidean", "sqeuclidean"):
        raise ConversionError(
            Code.AttributeInvalid, f"CDist: the metric is {metric!r}, it is 'euclidean' or 'sqeuclidean'"
        )
    of_a, of_b = (n.sum(n.mul(x, x), (1,), keepdims=keepdims) for x, keepdims in ((a, True), (b, False)))
    squared = n.add(n.sub(of_a, n.mul(n.matmul(a, b, transpose_b=True), 2.0)), of_b)
    squared = n.maximum(squared, 0.0)
    return n.sqrt(squared) if metric == "euclidean" else squared
