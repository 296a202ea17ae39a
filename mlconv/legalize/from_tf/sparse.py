"""Sparse tensors in coordinate form, and ops over lists of rows.  Source: tensorflow/core/ops/sparse_ops.cc,
math_ops.cc, data_flow_ops.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.dialects.core.places import check_places
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import (
    ALL_OPEN,
    folded,
    rank_of,
    shape_of,
    tf_rules,
)
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


@RULES.rule("SparseTensorDenseMatMul")
def sparse_matmul(n: SourceNode) -> Value:
    """Operands: indices [count, 2], values, shape [2], dense matrix.  The sparse one is made dense."""
    indices, values, _, b = n.operands()
    dense = n.emit(core.ScatterFill(indices, values, folded(n, 2))).y
    return n.emit(core.MatMul(dense, b, transpose_a=n.attr("adjoint_a"), transpose_b=n.attr("adjoint_b"))).y


@RULES.rule(
    "SparseSegmentSum",
    "SparseSegmentMean",
    "SparseSegmentSqrtN",
    "SparseSegmentSumWithNumSegments",
    "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtNWithNumSegments",
)
def sparse_segment(n: SourceNode) -> Value:
    """Rows of `data` picked by `indices`, combined by sorted segment ids; SqrtN divides the sum by the root of the
    count.
    """
    data, indices, ids = n.operands()[:3]
    rows = n.emit(core.Gather(data, indices, axis=0)).y
    if n.has(3):
        count = n.scalar(n.operand(3))
    else:
        last = n.emit(core.Slice(ids, n.vector([-1]), n.vector([0]), n.vector([1]), end_mask=ALL_OPEN)).y
        count = n.add(n.scalar(last), n.asarray(1, ids))
    kind = "mean" if "Mean" in n.kind else "add"
    total = n.emit(core.SegmentReduce(rows, ids, count, reduction=kind)).y
    if "SqrtN" not in n.kind:
        return total
    ones = n.emit(core.BroadcastTo(n.asarray(1, data), n.emit(core.ShapeOf(ids)).y)).y
    sizes = n.emit(core.Maximum(n.emit(core.SegmentReduce(ones, ids, count, reduction="add")).y, n.asarray(1, data))).y
    root = n.emit(core.Sqrt(sizes)).y
    return n.div(total, n.expand_dims(root, *range(1, rank_of(data)))) if rank_of(data) > 1 else n.div(total, root)


@RULES.rule("DynamicPartition")
def dynamic_partition(n: SourceNode) -> Sequence[Value]:
    """Rows of x whose partition number is 0, 1, ..."""
    x, parts = n.operand(0), n.operand(1)
    flat = n.emit(core.Reshape(parts, n.vector([-1]))).y
    if rank_of(parts) != 1:
        rest = n.emit(
            core.Slice(n.emit(core.ShapeOf(x)).y, n.vector([rank_of(parts)]), n.vector([0]), n.vector([1]), end_mask=1)
        ).y
        x = n.emit(core.Reshape(x, n.emit(core.Concat([n.vector([-1]), rest], axis=0)).y)).y
    out: list[Value] = []
    for number in range(n.attr("num_partitions")):
        chosen = n.emit(core.NonZero(n.emit(core.Equal(flat, n.asarray(number, flat))).y)).y
        out.append(n.emit(core.Gather(x, n.emit(core.Squeeze(chosen, axes=(1,))).y, axis=0)).y)
    return out


@RULES.rule("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
def cross_entropy(n: SourceNode) -> Sequence[Value]:
    """Operands: logits [batch, classes], labels (probabilities, or class numbers).  Results: loss [batch], gradient
    softmax - labels.
    """
    logits, labels = n.operand(0), n.operand(1)
    logs = n.emit(core.LogSoftmax(logits, axis=1)).y
    if n.kind.startswith("Sparse"):
        shape = n.emit(core.ShapeOf(logits)).y
        depth = n.emit(core.Gather(shape, n.constant(1, DType.I64), axis=0)).y
        check_places(labels, shape_of(logits)[1], "class numbers", low=0)
        labels = n.emit(core.OneHot(labels, depth, n.asarray(1, logits), n.asarray(0, logits), axis=-1)).y
    loss = n.emit(core.Neg(n.emit(core.ReduceSum(n.mul(labels, logs), axes=(1,))).y)).y
    return [loss, n.emit(core.Sub(n.emit(core.Exp(logs)).y, labels)).y]
