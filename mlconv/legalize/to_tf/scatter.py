"""Ops that write at places.

Sources: tensorflow/core/ops/array_ops.cc: TensorScatterUpdate and its like, ScatterNd, which adds.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tf.builder import TfBuilder, rank_of
from mlconv.legalize.to_tf.index import batched_tuples, element_places
from mlconv.rewrite import Rules

RULES = Rules()

_OPS = {
    "none": "TensorScatterUpdate",
    "add": "TensorScatterAdd",
    "sub": "TensorScatterSub",
    "max": "TensorScatterMax",
    "min": "TensorScatterMin",
}


@RULES.rule(core.ScatterNd)
def scatter_nd(op: core.ScatterNd, e: TfBuilder) -> Value:
    """TensorScatterUpdate and its like."""
    return _scattered(e, op.data, batched_tuples(e, op.data, op.indices, 0), op.updates, op.reduction)


@RULES.rule(core.ScatterElements)
def scatter_elements(op: core.ScatterElements, e: TfBuilder) -> Value:
    """The same at the places of all elements."""
    return _scattered(e, op.data, element_places(e, op.data, op.indices, op.axis), op.updates, op.reduction)


def _scattered(e: TfBuilder, data: Value, tuples: Value, updates: Value, reduction: str) -> Value:
    if reduction in _OPS:
        return e.one(_OPS[reduction], [data, tuples, updates], data.tensor)
    return _by_product(e, data, tuples, updates, reduction)


def _by_product(e: TfBuilder, data: Value, tuples: Value, updates: Value, reduction: str) -> Value:
    """What all updates of a place have for a product multiplies, or divides, it."""
    depth = (tuples.tensor.shape or ())[-1]
    rank = rank_of(data, "what is written into")
    count = depth if isinstance(depth, int) else rank
    sizes = e.dims(data)
    flat: Value | None = None
    for i in range(count):
        part = e.cast(e.slice_axis(tuples, rank_of(tuples, "the indices") - 1, i, i + 1), DType.I64)
        step = e.vector([e.prod(sizes[i + 1 : count])])
        flat = e.mul(part, step) if flat is None else e.add(flat, e.mul(part, step))
    rows, rest = e.prod(sizes[:count]), sizes[count:]
    ids = e.reshape(flat, [-1]) if flat is not None else e.constant([0], DType.I64)
    given = e.reshape(updates, e.vector([-1, *rest]))
    total = e.scalar(e.cast(e.vector([rows]), DType.I32))
    t = data.tensor.with_shape(None)
    product = e.one("UnsortedSegmentProd", [given, ids, total], t)
    shaped = e.one("Reshape", [product, e.shape_of(data)], data.tensor, T=data.tensor.dtype)
    return e.mul(data, shaped) if reduction == "mul" else e.div(data, shaped)


@RULES.rule(core.ScatterFill)
def scatter_fill(op: core.ScatterFill, e: TfBuilder) -> Value:
    """ScatterNd."""
    indices, shape = e.indices(op.indices, op.shape)
    return e.one("ScatterNd", [indices, op.updates, shape], op.y.type)
