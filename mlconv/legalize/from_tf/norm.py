"""Normalizations.  Source: tensorflow/core/ops/nn_ops.cc, tensorflow/core/kernels/fused_batch_norm_op.cc."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import product
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.conv import layout_of
from mlconv.legalize.from_tf.operands import (
    check_channels,
    dim_value,
    rank_of,
    reshape,
    shape_of,
    tf_rules,
)
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


@RULES.rule("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def fused_batch_norm(n: SourceNode) -> Sequence[Value]:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset; in training mode with the batch's own mean and
    variance.
    """
    x, scale, offset, mean, variance = n.operands()
    layout = layout_of(n, "NDHWC" if rank_of(x, "the normalized tensor") == 5 else "NHWC")
    channel = layout.index("C")
    dtype = x.tensor.dtype
    check_channels(n, x, channel, scale, offset, *(() if n.attr("is_training") else (mean, variance)))
    wide = n.cast(x, scale.tensor.dtype)
    reported = variance
    if n.attr("is_training"):
        mean, variance, reported = _batch_statistics(n, wide, channel)
    gain = n.mul(scale, n.emit(core.Rsqrt(n.add(variance, n.asarray(n.attr("epsilon"), variance)))).y)
    shift = n.sub(offset, n.mul(mean, gain))
    y = n.add(n.mul(wide, per_channel(n, gain, channel, rank_of(x))), per_channel(n, shift, channel, rank_of(x)))
    results = [n.cast(y, dtype), mean, reported, mean, variance]
    return [*results, n.constant([], mean.tensor.dtype)][: n.n_results]


def per_channel(n: SourceNode, v: Value, channel: int, rank: int) -> Value:
    """[channels] shaped so that it broadcasts along the channel axis."""
    if channel == rank - 1:
        return v
    return reshape(n, v, [shape_of(v)[0], *[1] * (rank - 1 - channel)])


def _batch_statistics(n: SourceNode, x: Value, channel: int) -> tuple[Value, Value, Value]:
    """Mean, variance, and the unbiased variance that is reported."""
    shape = shape_of(x)
    axes = tuple(a for a in range(len(shape)) if a != channel)
    mean = n.emit(core.ReduceMean(x, axes=axes, keepdims=True)).y
    centred = n.sub(x, mean)
    variance = n.emit(core.ReduceMean(n.mul(centred, centred), axes=axes)).y
    count = product(shape[a] for a in axes)
    if isinstance(count, int):
        unbiased = n.mul(variance, n.asarray(count / max(count - 1, 1), variance))
    else:
        elements: Value = n.constant(1, DType.I64)
        for axis in axes:
            elements = n.mul(elements, dim_value(n, x, axis))
        number = n.cast(elements, x.tensor.dtype)
        one = n.asarray(1, number)
        unbiased = n.mul(variance, n.div(number, n.emit(core.Maximum(n.sub(number, one), one)).y))
    return n.emit(core.Squeeze(mean, axes=axes)).y, variance, unbiased


@RULES.rule("BatchNormWithGlobalNormalization")
def batch_norm_with_global_normalization(n: SourceNode) -> Value:
    """Operands: x, mean, variance, beta, gamma."""
    x, mean, variance, beta, gamma = n.operands()
    gain = n.emit(core.Rsqrt(n.add(variance, n.asarray(n.attr("variance_epsilon"), variance)))).y
    if n.attr("scale_after_normalization"):
        gain = n.mul(gain, gamma)
    return n.add(n.mul(x, gain), n.sub(beta, n.mul(mean, gain)))


def _lrn_of_negative(n: SourceNode, x: Value, radius: int, channels: int) -> Value:
    """lrn_op.cc computes exp(-beta * log(base)): not a number where the base is negative, even when beta is an integer;
    a square root keeps that.
    """
    check_table((channels, channels), "band of channels")
    i, j = np.indices((channels, channels))
    total = n.emit(core.MatMul(n.mul(x, x), n.constant(np.abs(i - j) <= radius, x.tensor.dtype))).y
    base = n.add(n.mul(total, n.asarray(n.attr("alpha"), x)), n.asarray(n.attr("bias"), x))
    power = n.emit(core.Pow(n.emit(core.Sqrt(base)).y, n.asarray(-2 * n.attr("beta"), x))).y
    return n.mul(x, power)


@RULES.rule("LRN")
def lrn(n: SourceNode) -> Value:
    """Over channels, which come last."""
    x = n.operand(0)
    radius = n.attr("depth_radius")
    channels = shape_of(x)[-1]
    if (
        (n.attr("alpha") < 0 or n.attr("bias") <= 0)
        and n.attr("beta") == int(n.attr("beta"))
        and isinstance(channels, int)
    ):
        return _lrn_of_negative(n, x, radius, channels)
    return n.emit(
        core.Lrn(
            x,
            radius=radius,
            radius_after=radius,
            alpha=n.attr("alpha"),
            beta=n.attr("beta"),
            bias=n.attr("bias"),
            axis=rank_of(x) - 1,
        )
    ).y
