"""What the transformer optimizer writes for UNets and auto-encoders (channels last), and for T5 and its kin.

ONNX Runtime has kernels of these for GPUs alone.

Source: ONNX Runtime, docs/ContribOperators.md; contrib_ops/cuda: diffusion/group_norm_impl.cu, bias_split_gelu_impl.cu,
bert/relative_attn_bias_impl.cu; transformers/fusion_nhwc_conv.py, onnx_model_t5.py.
"""

from __future__ import annotations

import math

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.attention import split_heads
from mlconv.legalize.from_onnx.contrib import DOMAIN
from mlconv.legalize.from_onnx.contrib.masks import one_size
from mlconv.legalize.from_onnx.conv import conv_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.normalization import normalized
from mlconv.legalize.from_onnx.table import OnnxRules

RULES = OnnxRules()


@RULES.rule("BiasAdd", domain=DOMAIN)
def bias_add(n: Node) -> Value:
    """x [n, s, c] plus bias [c] plus what skipped the layer."""
    return n.add(n.add(n.x(0), n.x(1)), n.x(2))


@RULES.rule("BiasSplitGelu", domain=DOMAIN)
def bias_split_gelu(n: Node) -> Value:
    """The first half of the features of x + bias times the Gelu of the second."""
    x = n.add(n.x(0), n.x(1))
    rank = n.rank(x)
    size = n.dim(x, rank - 1)
    if not isinstance(size, int) or size % 2:
        raise ConversionError(Code.ShapeMismatch, f"BiasSplitGelu: {x.type} has no even number of features")
    left, right = n.split(x, [size // 2] * 2, rank - 1)
    return n.mul(left, n.y(core.Gelu(right, approximate=False)))


@RULES.rule("GroupNorm", domain=DOMAIN)
def group_norm(n: Node) -> Value:
    return _group_norm(n, n.x(0))


@RULES.rule("SkipGroupNorm", domain=DOMAIN)
def skip_group_norm(n: Node) -> list[Value]:
    """GroupNorm of x + skip + bias, and that sum.  skip: as x, or one number for each channel of a row."""
    x, skip, bias = n.x(0), n.x(3), n.opt(4)
    last = n.flag("channels_last", True)
    if n.rank(skip) == 2:
        skip = n.expand_dims(skip, 1, 2)
    if not last and n.rank(skip) == 4 and n.dim(skip, 3) == n.dim(x, 1) and n.dim(skip, 1) == 1:
        skip = n.transpose(skip, (0, 3, 1, 2))
    total = n.add(x, skip)
    if bias is not None:
        total = n.add(total, bias if last else n.reshape(bias, [-1, 1, 1]))
    return [_group_norm(n, total), total]


def _group_norm(n: Node, x: Value) -> Value:
    """Normalized within groups of channels, scaled and moved per channel, then SiLU where `activation` is 1."""
    last, groups, kind = n.flag("channels_last", True), n.i("groups"), n.i("activation")
    if kind not in (0, 1):
        raise ConversionError(Code.AttributeInvalid, f"{n.op_type}: activation is {kind}, expected 0 or 1")
    sizes = n.dims_of(x, 4)
    channels = sizes[3 if last else 1]
    if not isinstance(channels, int) or groups < 1 or channels % groups:
        raise ConversionError(Code.ShapeMismatch, f"{n.op_type}: {groups} groups of the channels of {x.type}")
    each = channels // groups
    if last:
        split, axes = [*sizes[:3], groups, each], [1, 2, 4]
    else:
        split, axes = [sizes[0], groups, each, *sizes[2:]], [2, 3, 4]
    wide = n.cast(x, DType.F32)
    y = n.reshape(normalized(n, n.reshape(wide, split), axes, n.f("epsilon", 1e-5)), sizes)
    gamma, beta = (n.cast(n.x(i), DType.F32) for i in (1, 2))
    if not last:
        gamma, beta = (n.reshape(v, [-1, 1, 1]) for v in (gamma, beta))
    y = n.add(n.mul(y, gamma), beta)
    return n.cast(n.mul(y, n.sigmoid(y)) if kind else y, x.tensor.dtype)


@RULES.rule("NhwcConv", domain=DOMAIN)
def nhwc_conv(n: Node) -> Value:
    """Convolution of channels that stand last in x, w [o, h, w, i] and the result."""
    w = n.transpose(n.x(1), (0, 3, 1, 2))
    return conv_of(n, n.x(0), w, n.opt(2), channels_last=True)


@RULES.rule("RelativePositionBias", domain=DOMAIN)
def relative_position_bias(n: Node) -> Value:
    """[1, heads, s, s]: a number for each head and bucket of distances, which grow with the distance.

    The table is written [buckets, heads], but its elements stand as those of [heads, buckets].
    """
    buckets, heads = (d if isinstance(d, int) else 0 for d in n.dims_of(n.x(0), 2))
    both, most = n.flag("is_bidirectional"), n.i("max_distance")
    own = buckets // 2 if both else buckets
    exact = own // 2
    if exact < 1 or heads < 1 or most <= exact:
        raise ConversionError(
            Code.ShapeMismatch, f"RelativePositionBias: {n.x(0).type} with a max_distance of {most} are no buckets"
        )
    length = one_size(n, n.x(1))
    places = n.arange(length)
    relative = n.sub(n.expand_dims(places, 0), n.expand_dims(places, 1))  # key less query
    distance = n.y(core.Abs(relative)) if both else n.maximum(n.neg(relative), 0)
    far = n.div(n.cast(n.maximum(distance, exact), DType.F32), float(exact))
    steps = n.mul(n.div(n.y(core.Log(far)), math.log(most / exact)), float(own - exact))
    large = n.minimum(n.add(n.cast(n.floor(steps), DType.I64), exact), own - 1)
    bucket = n.where(n.less(distance, exact), distance, large)
    if both:
        bucket = n.add(bucket, n.mul(n.cast(n.less(0, relative), DType.I64), own))
    table = n.reshape(n.x(0), [heads, buckets])
    return n.expand_dims(n.gather(table, bucket, 1), 0)


@RULES.rule("GatedRelativePositionBias", domain=DOMAIN)
def gated_relative_position_bias(n: Node) -> Value:
    """A bias of positions [1, n, s, s] times a gate for each query, which two halves of a projection of it make."""
    if n.opt(6) is not None:
        raise n.refuse("token_offset, rows of several lengths in one, is not supported")
    query = split_heads(n, n.add(n.x(0), n.x(1)), n.i("num_heads"))
    projected = n.add(n.matmul(query, n.x(3)), n.x(4))
    size = n.dim(projected, 3)
    if not isinstance(size, int) or size % 2:
        raise ConversionError(Code.ShapeMismatch, f"GatedRelativePositionBias: {n.x(3).type} has no two halves")
    update, reset = (n.sigmoid(n.sum(x, [3], keepdims=True)) for x in n.split(projected, [size // 2] * 2, 3))
    gate = n.add(n.mul(update, n.sub(n.mul(reset, n.x(5)), 1)), 2)
    return n.mul(gate, n.x(2))
