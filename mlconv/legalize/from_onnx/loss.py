"""Losses, as evaluated at inference.  Source: ONNX NegativeLogLikelihoodLoss-13, SoftmaxCrossEntropyLoss-13."""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules

RULES = OnnxRules()


@RULES.rule("NegativeLogLikelihoodLoss")
def negative_log_likelihood_loss(n: Node) -> Value:
    return _loss(n, n.x(0), n.x(1), n.opt(2))


@RULES.rule("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy_loss(n: Node) -> list[Value]:
    log_probability = n.y(core.LogSoftmax(n.x(0), axis=1))
    return [_loss(n, log_probability, n.x(1), n.opt(2)), log_probability]


def _loss(n: Node, x: Value, target: Value, weight: Value | None) -> Value:
    """-weight[t] * x[.., t, ..], reduced; targets equal to ignore_index count as nothing.  x [n, c, ...], target [n,
    ...].
    """
    reduction = n.s("reduction", "mean")
    if reduction not in ("none", "mean", "sum"):
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: reduction is {reduction!r}, expected none, mean or sum"
        )
    dtype = x.tensor.dtype
    classes = n.cast(target, DType.I64)
    ignored = n.equal(classes, n.i("ignore_index")) if n.has("ignore_index") else None
    if ignored is not None:
        classes = n.where(ignored, 0, classes)
    own = n.squeeze(n.y(core.GatherElements(x, n.expand_dims(classes, 1), axis=1)), 1)
    loss = n.neg(own)
    factor = n.gather(weight, classes) if weight is not None else None
    if ignored is not None:
        factor = n.where(ignored, 0, factor) if factor is not None else n.cast(n.logical_not(ignored), dtype)
    loss = loss if factor is None else n.mul(loss, factor)
    if reduction == "none":
        return loss
    axes = range(n.rank(loss))
    if reduction == "sum":
        return n.sum(loss, axes)
    return n.mean(loss, axes) if factor is None else n.div(n.sum(loss, axes), n.sum(factor, axes))
