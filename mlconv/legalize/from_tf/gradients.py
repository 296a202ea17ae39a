"""Gradients of activations, biases, normalizations and slices, which exported training steps hold.

Source: tensorflow/core/ops/nn_ops.cc, tensorflow/core/kernels/relu_op_functor.h, cwise_ops_gradients.h, bias_op.cc,
fused_batch_norm_op.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.from_tf.conv import layout_of
from mlconv.legalize.from_tf.elementwise import conjugate
from mlconv.legalize.from_tf.norm import per_channel
from mlconv.legalize.from_tf.operands import check_channels, rank_of, tf_rules
from mlconv.legalize.from_tf.strided_slice import strided_slice_update
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import edit

RULES: Final = tf_rules()

_SELU_SCALE: Final = 1.0507009873554804934193349852946
_SELU_SCALE_ALPHA: Final = 1.7580993408473768599402175208123


@RULES.rule("SigmoidGrad")
def sigmoid_grad(n: SourceNode) -> Value:
    """dy * y * (1 - y)."""
    y, dy = n.operand(0), n.operand(1)
    return n.mul(n.mul(dy, y), n.sub(n.asarray(1, y), y))


@RULES.rule("TanhGrad")
def tanh_grad(n: SourceNode) -> Value:
    """dy * (1 - y * y)."""
    y, dy = n.operand(0), n.operand(1)
    return n.mul(dy, n.sub(n.asarray(1, y), n.mul(y, y)))


@RULES.rule("ReluGrad", "Relu6Grad")
def relu_grad(n: SourceNode) -> Value:
    """dy where the feature is inside of the linear part."""
    dy, x = n.operand(0), n.operand(1)
    inside = n.emit(core.Greater(x, n.asarray(0, x))).y
    if n.kind == "Relu6Grad":
        inside = n.logical_and(inside, n.less(x, n.asarray(6, x)))
    return n.where(inside, dy, n.asarray(0, dy))


@RULES.rule("LeakyReluGrad")
def leaky_relu_grad(n: SourceNode) -> Value:
    """dy, times alpha where the feature is not positive."""
    dy, x = n.operand(0), n.operand(1)
    return n.where(n.emit(core.Greater(x, n.asarray(0, x))).y, dy, n.mul(dy, n.asarray(n.attr("alpha", 0.2), dy)))


@RULES.rule("EluGrad", "SeluGrad")
def elu_grad(n: SourceNode) -> Value:
    """Operands: dy, and the activation y, which is exp(x) - 1 where it is negative, scaled in Selu."""
    dy, y = n.operand(0), n.operand(1)
    scale, alpha = (1.0, 1.0) if n.kind == "EluGrad" else (_SELU_SCALE, _SELU_SCALE_ALPHA)
    positive = dy if n.kind == "EluGrad" else n.mul(dy, n.asarray(scale, dy))
    return n.where(n.less(y, n.asarray(0, y)), n.mul(dy, n.add(y, n.asarray(alpha, y))), positive)


@RULES.rule("SoftplusGrad")
def softplus_grad(n: SourceNode) -> Value:
    """dy * sigmoid(x)."""
    return n.mul(n.operand(0), n.sigmoid(n.operand(1)))


@RULES.rule("SoftsignGrad")
def softsign_grad(n: SourceNode) -> Value:
    """dy / (1 + |x|)^2."""
    dy, x = n.operand(0), n.operand(1)
    base = n.add(n.emit(core.Abs(x)).y, n.asarray(1, x))
    return n.div(dy, n.mul(base, base))


@RULES.rule("SqrtGrad")
def sqrt_grad(n: SourceNode) -> Value:
    """dy / (2 * y), of complex numbers the conjugate of y, as in the next two."""
    y, dy = conjugate(n, n.operand(0)), n.operand(1)
    return _or_nothing(n, dy, n.div(n.mul(dy, n.asarray(0.5, y)), y))


@RULES.rule("RsqrtGrad")
def rsqrt_grad(n: SourceNode) -> Value:
    """dy * -y^3 / 2."""
    y, dy = conjugate(n, n.operand(0)), n.operand(1)
    return _or_nothing(n, dy, n.mul(n.mul(dy, n.mul(n.asarray(-0.5, y), y)), n.mul(y, y)))


@RULES.rule("InvGrad", "ReciprocalGrad")
def reciprocal_grad(n: SourceNode) -> Value:
    """-dy * y^2."""
    y, dy = conjugate(n, n.operand(0)), n.operand(1)
    return _or_nothing(n, dy, n.mul(n.neg(dy), n.mul(y, y)))


def _or_nothing(n: SourceNode, dy: Value, dx: Value) -> Value:
    """0 where dy is, however steep the function is there: the root of 0."""
    nothing = n.asarray(0, dy)
    return n.where(n.equal(dy, nothing), nothing, dx)


@RULES.rule("BiasAddGrad")
def bias_add_grad(n: SourceNode) -> Value:
    """The sum over all axes but that of the channels."""
    dy = n.operand(0)
    rank = rank_of(dy, "the gradient")
    channel = 1 if n.attr("data_format", "NHWC") == "NCHW" else rank - 1
    return n.sum(dy, [axis for axis in range(rank) if axis != channel])


@RULES.rule("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def fused_batch_norm_grad(n: SourceNode) -> Sequence[Value]:
    """Gradients of x, scale and offset.  Operands: dy, x, scale, mean and variance: those of the batch in training, the
    model's own otherwise.
    """
    x, scale, mean, variance = (n.operand(i) for i in range(1, 5))
    rank = rank_of(x, "the normalized tensor")
    channel = layout_of(n, "NDHWC" if rank == 5 else "NHWC").index("C")
    check_channels(n, x, channel, scale, mean, variance)
    axes = [axis for axis in range(rank) if axis != channel]
    dy, wide = (n.cast(v, scale.tensor.dtype) for v in (n.operand(0), x))
    deviation = n.emit(core.Rsqrt(n.add(variance, n.asarray(n.attr("epsilon"), variance)))).y
    spread = n.sub(wide, per_channel(n, mean, channel, rank))
    offset_grad = n.sum(dy, axes)
    scale_grad = n.mul(n.sum(n.mul(dy, spread), axes), deviation)
    dx = dy
    if n.attr("is_training"):
        steep = n.mul(n.mean(n.mul(dy, spread), axes), n.mul(deviation, deviation))
        dx = n.sub(dy, per_channel(n, n.mean(dy, axes), channel, rank))
        dx = n.sub(dx, n.mul(spread, per_channel(n, steep, channel, rank)))
    dx = n.mul(dx, per_channel(n, n.mul(scale, deviation), channel, rank))
    nothing = n.constant([], scale.tensor.dtype)
    return [n.cast(dx, x.tensor.dtype), scale_grad, offset_grad, nothing, nothing]


@RULES.rule("StridedSliceGrad")
def strided_slice_grad(n: SourceNode) -> Value:
    """Zeros of the shape that operand 0 tells, with dy at the slice's places."""
    dy = n.operand(4)
    zeros = n.emit(core.BroadcastTo(n.asarray(0, dy), n.vector(n.ints(0)))).y
    edit.set_operand(n.op, 0, zeros)
    return strided_slice_update(n)
