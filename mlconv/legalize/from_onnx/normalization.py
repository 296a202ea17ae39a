"""Normalizations."""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.onnx_types import DTYPES
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import fitted, may_differ, widened
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite.core_builder import CoreBuilder, Part

RULES = OnnxRules()


def per_channel(n: CoreBuilder, vector: Value, x: Value, axis: int = 1) -> Value:
    """A vector of one number for each place along `axis` of x; sizes that are known at run time are compared then."""
    shape, sizes = vector.tensor.shape, x.tensor.shape
    fits = shape is None or sizes is None or not may_differ(shape[0], sizes[axis])
    return vector if fits else n.reshape(vector, [n.dim(x, axis)])


def channelwise(n: CoreBuilder, vector: Value, rank: int, axis: int = 1) -> Value:
    """A vector of channels shaped so that it broadcasts along `axis` of a tensor of this rank."""
    return n.reshape(vector, [-1, *[1] * (rank - axis - 1)]) if rank - axis > 1 else vector


@RULES.rule("BatchNormalization")
def batch_normalization(n: Node) -> list[Value]:
    """scale * (x - mean) / sqrt(var + epsilon) + bias, along axis 1."""
    x, scale, bias, mean, var = (n.x(i) for i in range(5))
    rank, epsilon = n.rank(x), n.f("epsilon", 1e-5)
    dtype = x.tensor.dtype
    if n.flag("spatial", True):
        scale, bias, mean, var = (per_channel(n, v, x) for v in (scale, bias, mean, var))
    if n.flag("training_mode"):
        return _batch_statistics(n, x, scale, bias, mean, var)
    if n.version < 9 and not n.flag("spatial", True):  # BatchNormalization-7: one mean for each activation
        scale, bias, mean, var = (n.reshape(v, [1, *n.dims(x)[1:]]) for v in (scale, bias, mean, var))
        return [n.add(n.mul(n.div(n.sub(x, mean), n.sqrt(n.add(var, epsilon))), scale), bias)]
    factor = n.div(n.cast(scale, var.tensor.dtype), n.sqrt(n.add(var, epsilon)))
    offset = n.sub(n.cast(bias, var.tensor.dtype), n.mul(mean, factor))
    wide = n.cast(x, var.tensor.dtype)
    y = n.add(n.mul(wide, channelwise(n, factor, rank)), channelwise(n, offset, rank))
    return [n.cast(y, dtype)]


def _batch_statistics(n: Node, x: Value, scale: Value, bias: Value, mean: Value, var: Value) -> list[Value]:
    """Training mode: statistics of the batch, and running ones moved towards them (BatchNormalization-15)."""
    rank, epsilon, momentum = n.rank(x), n.f("epsilon", 1e-5), n.f("momentum", 0.9)
    axes = [i for i in range(rank) if i != 1]
    own_mean = n.mean(x, axes)
    centred = n.sub(x, channelwise(n, own_mean, rank))
    wide = widened(n, centred)
    own_var = n.cast(n.mean(n.mul(wide, wide), axes), x.tensor.dtype)
    factor = n.div(scale, n.sqrt(n.add(own_var, epsilon)))
    y = n.add(n.mul(centred, channelwise(n, factor, rank)), channelwise(n, bias, rank))
    running = [
        n.add(n.mul(old, momentum), n.mul(n.cast(new, old.tensor.dtype), 1 - momentum))
        for old, new in ((mean, own_mean), (var, own_var))
    ]
    return [y, *running]


@RULES.rule("InstanceNormalization")
def instance_normalization(n: Node) -> Value:
    x = n.x(0)
    scale, bias = per_channel(n, n.x(1), x), per_channel(n, n.x(2), x)
    rank = n.rank(x)
    y = normalized(n, x, range(2, rank), n.f("epsilon", 1e-5))
    return n.add(n.mul(y, channelwise(n, scale, rank)), channelwise(n, bias, rank))


def normalized(n: CoreBuilder, x: Value, axes: range | list[int], epsilon: float) -> Value:
    """(x - mean) / sqrt(variance + epsilon) over `axes`."""
    centred, variance = centred_and_variance(n, widened(n, x), axes)
    return n.cast(n.div(centred, n.sqrt(n.add(variance, epsilon))), x.tensor.dtype)


def centred_and_variance(n: CoreBuilder, x: Value, axes: range | list[int]) -> tuple[Value, Value]:
    """x - mean, and the variance, over `axes`."""
    centred = n.sub(x, n.mean(x, axes, keepdims=True))
    return centred, n.mean(n.mul(centred, centred), axes, keepdims=True)


def _stash(n: Node, x: Value) -> DType:
    """The type that statistics are computed in: `stash_type`, but float64 for float64, as ONNX Runtime has it."""
    return DType.F64 if x.tensor.dtype is DType.F64 else DTYPES.get(n.i("stash_type", 1), DType.F32)


@RULES.rule("LayerNormalization")
def layer_normalization(n: Node) -> list[Value]:
    x, scale, bias = n.x(0), n.x(1), n.opt(2)
    rank = n.rank(x)
    axes = range(n.axis(n.i("axis", -1), rank), rank)
    dtype, stash = x.tensor.dtype, _stash(n, x)
    wide = n.cast(x, stash)
    mean = n.mean(wide, axes, keepdims=True)
    centred = n.sub(wide, mean)
    variance = n.mean(n.mul(centred, centred), axes, keepdims=True)
    deviation = n.sqrt(n.add(variance, n.f("epsilon", 1e-5)))
    y = n.mul(n.cast(n.div(centred, deviation), dtype), fitted(n, scale, x))
    y = y if bias is None else n.add(y, fitted(n, bias, x))
    return [y, mean, n.div(1, deviation) if n.used(2) else y]


@RULES.rule("RMSNormalization")
def rms_normalization(n: Node) -> Value:
    x, scale = n.x(0), n.x(1)
    rank = n.rank(x)
    axes = range(n.axis(n.i("axis", -1), rank), rank)
    dtype, stash = x.tensor.dtype, _stash(n, x)
    wide = n.cast(x, stash)
    square = n.mean(n.mul(wide, wide), axes, keepdims=True)
    y = n.div(wide, n.sqrt(n.add(square, n.f("epsilon", 1e-5))))
    return n.cast(n.mul(n.cast(y, dtype), fitted(n, scale, x)), scale.tensor.dtype)


@RULES.rule("SimplifiedLayerNormalization")
@RULES.rule("SimplifiedLayerNormalization", domain="com.microsoft")
def simplified_layer_normalization(n: Node) -> list[Value]:
    return [rms_normalization(n)]


@RULES.rule("SkipLayerNormalization", domain="com.microsoft")
def skip_layer_normalization(n: Node) -> list[Value | None]:
    x, skip, gamma, beta, bias = n.x(0), n.x(1), n.x(2), n.opt(3), n.opt(4)
    total = n.add(x, skip) if bias is None else n.add(n.add(x, skip), bias)
    rank = n.rank(total)
    y = n.mul(normalized(n, total, [rank - 1], n.f("epsilon", 1e-12)), gamma)
    return [y if beta is None else n.add(y, beta), None, None, total]


@RULES.rule("SkipSimplifiedLayerNormalization", domain="com.microsoft")
def skip_simplified_layer_normalization(n: Node) -> list[Value | None]:
    x, skip, gamma, bias = n.x(0), n.x(1), n.x(2), n.opt(3)
    total = n.add(x, skip) if bias is None else n.add(n.add(x, skip), bias)
    wide = widened(n, total)
    square = n.mean(n.mul(wide, wide), [n.rank(total) - 1], keepdims=True)
    y = n.mul(n.cast(n.div(wide, n.sqrt(n.add(square, n.f("epsilon", 1e-6)))), total.tensor.dtype), gamma)
    return [y, None, None, total]


@RULES.rule("GroupNormalization")
def group_normalization(n: Node) -> Value:
    """Normalized within groups of channels; scale and bias are per group before version 21, per channel since."""
    x, scale, bias = n.x(0), n.x(1), n.x(2)
    rank, groups = n.rank(x), n.i("num_groups")
    sizes = n.dims(x)
    channels = sizes[1]
    if not isinstance(channels, int) or groups < 1 or channels % groups:
        raise ConversionError(Code.ShapeMismatch, f"GroupNormalization: {groups} groups of the channels of {x.type}")
    dtype, stash = x.tensor.dtype, DTYPES.get(n.i("stash_type", 1), DType.F32) if n.version >= 21 else x.tensor.dtype
    split: list[Part] = [sizes[0], groups, n.prod([channels // groups, *sizes[2:]])]
    y = n.cast(normalized(n, n.reshape(n.cast(x, stash), split), [2], n.f("epsilon", 1e-5)), dtype)
    if n.version < 21:
        y = n.add(n.mul(y, fitted(n, n.expand_dims(scale, 1), y)), fitted(n, n.expand_dims(bias, 1), y))
        return n.reshape(y, sizes)
    y = n.reshape(y, sizes)
    # ONNX Runtime takes one number for all channels as well
    scale, bias = (fitted(n, channelwise(n, v, rank), y) for v in (scale, bias))
    return n.add(n.mul(y, scale), bias)


@RULES.rule("MeanVarianceNormalization")
def mean_variance_normalization(n: Node) -> Value:
    """(x - mean) / (standard deviation + 1e-9) (MeanVarianceNormalization-13).

    Its function body subtracts the square of the mean from the mean of the squares, which may leave nothing but
    rounding errors, or less than 0.
    """
    x = n.x()
    rank = n.rank(x)
    axes = sorted({n.axis(a, rank) for a in n.ints("axes", (0, 2, 3))})
    centred, variance = centred_and_variance(n, widened(n, x), axes)
    return n.cast(n.div(centred, n.add(n.sqrt(variance), 1e-9)), x.tensor.dtype)


@RULES.rule("LRN")
def lrn(n: Node) -> Value:
    x, size = n.x(), n.i("size")
    before = (size - 1) // 2
    return n.y(
        core.Lrn(
            x,
            radius=before,
            radius_after=size - 1 - before,
            alpha=n.f("alpha", 1e-4) / size,
            beta=n.f("beta", 0.75),
            bias=n.f("bias", 1.0),
            axis=1,
        )
    )


@RULES.rule("LpNormalization")
def lp_normalization(n: Node) -> Value:
    """x / norm along an axis; where the norm is 0, the result is 0 (LpNormalization-22)."""
    x = n.x()
    axis, p = n.axis(n.i("axis", -1), n.rank(x)), n.i("p", 2)
    if p not in (1, 2):
        raise ConversionError(Code.AttributeInvalid, f"LpNormalization: p is {p}, expected 1 or 2")
    norm = (
        n.sum(n.y(core.Abs(x)), [axis], keepdims=True) if p == 1 else n.sqrt(n.sum(n.mul(x, x), [axis], keepdims=True))
    )
    zero = n.equal(norm, 0)
    return n.where(zero, 0, n.div(x, n.where(zero, 1, norm)))
