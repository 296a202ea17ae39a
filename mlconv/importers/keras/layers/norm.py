"""Normalizations.  Source: keras/src/layers/normalization, keras/src/ops/nn.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Results, Rules
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()


def _in_float32(rule: Callable[[Call], Value]) -> Callable[[Call], Value]:
    """A rule that computes in float32, and gives the type that the layer computes with."""
    return lambda n: n.cast(rule(n), n.dtype)


def _axes(n: Call, rank: int) -> tuple[int, ...]:
    """The axes that the field names, in order."""
    given = n.fields.get("axis", -1)
    listed = given if isinstance(given, (list, tuple)) else [given]
    numbers = [a for a in listed if isinstance(a, int) and not isinstance(a, bool)]
    if not listed or len(numbers) != len(listed):
        raise n.fields.wrong("axis")
    axes = tuple(sorted({n.axis(a, rank) for a in numbers}))
    if len(axes) != len(listed):
        raise n.fields.wrong("axis")
    return axes


def _along(n: Call, v: Value, x: Value, axes: tuple[int, ...]) -> Value:
    """Weights of some axes, in order, shaped so that they stand along those of x."""
    rank = n.rank(x)
    if axes == tuple(range(axes[0], rank)):
        return v
    return n.reshape(v, [n.size(x, a) if a in axes else 1 for a in range(axes[0], rank)])


@RULES.rule("BatchNormalization", keeps_mask=True)
@_in_float32
def batch_normalization(n: Call) -> Value:
    """By the moving mean and variance.  Weights: gamma, beta, mean, variance."""
    x = n.wide
    (axis,) = axes if len(axes := _axes(n, n.rank(x))) == 1 else (-1,)
    if axis < 1:
        raise n.fields.wrong("axis")
    size, count = n.size(x, axis), 2 + n.fields.flag("scale", True) + n.fields.flag("center", True)
    n.fields.unused("renorm", "renorm_clipping", "renorm_momentum", "fused", "virtual_batch_size")
    if n.fields.given.get("renorm"):
        raise n.fields.wrong("renorm")
    found = n.own(*[(size,)] * count, dtype=DType.F32)
    mean, variance = found[-2:]
    gain = n.y(core.Rsqrt(n.add(variance, n.fields.number("epsilon", 1e-3))))
    if n.fields.flag("scale", True):
        gain = n.mul(gain, found[0])
    shift = n.neg(n.mul(mean, gain))
    if n.fields.flag("center", True):
        shift = n.sub(found[-3], n.mul(mean, gain))
    return n.add(n.mul(x, _along(n, gain, x, (axis,))), _along(n, shift, x, (axis,)))


@RULES.rule("LayerNormalization", keeps_mask=True)
@_in_float32
def layer_normalization(n: Call) -> Value:
    """Weights: gamma, beta, of the normalized axes."""
    x = n.wide
    axes = _axes(n, n.rank(x))
    n.fields.absent("rms_scaling")
    shape = [n.size(x, a) for a in axes]
    scale, center = n.fields.flag("scale", True), n.fields.flag("center", True)
    found = n.own(*[shape] * (scale + center), dtype=DType.F32)
    y = _standard(n, x, axes, n.fields.number("epsilon", 1e-3))
    if scale:
        y = n.mul(y, _along(n, found[0], x, axes))
    return n.add(y, _along(n, found[-1], x, axes)) if center else y


def _standard(n: Call, x: Value, axes: tuple[int, ...], epsilon: float) -> Value:
    """(x - mean) / sqrt(variance + epsilon)."""
    centred = n.sub(x, n.mean(x, axes, keepdims=True))
    variance = n.mean(n.mul(centred, centred), axes, keepdims=True)
    return n.mul(centred, n.y(core.Rsqrt(n.add(variance, epsilon))))


@RULES.rule("GroupNormalization", keeps_mask=True)
@_in_float32
def group_normalization(n: Call) -> Value:
    """Weights: gamma, beta, of the channels.  A group is a run of channels, with all places of an image."""
    x = n.wide
    axes, rank = _axes(n, n.rank(x)), n.rank(x)
    if len(axes) != 1 or axes[0] < 1:
        raise n.fields.wrong("axis")
    (axis,) = axes
    channels, groups = n.size(x, axis), n.fields.integer("groups", 32)
    groups = channels if groups == -1 else groups
    if groups < 1 or channels % groups:
        raise n.fields.wrong("groups")
    scale, center = n.fields.flag("scale", True), n.fields.flag("center", True)
    found = n.own(*[(channels,)] * (scale + center), dtype=DType.F32)
    sizes = n.dims(x)
    parts = n.reshape(x, [*sizes[:axis], groups, channels // groups, *sizes[axis + 1 :]])
    inner = tuple(a for a in range(1, rank + 1) if a != axis)
    y = _standard(n, parts, inner, n.fields.number("epsilon", 1e-3))
    shape = [groups, channels // groups, *[1] * (rank - 1 - axis)]
    if scale:
        y = n.mul(y, n.reshape(found[0], shape))
    return n.reshape(n.add(y, n.reshape(found[-1], shape)) if center else y, sizes)


@RULES.rule("RMSNormalization", keeps_mask=False)
@_in_float32
def rms_normalization(n: Call) -> Value:
    """x / sqrt(mean of squares + epsilon) * scale, which lies along the last axes whatever the axes are."""
    x = n.wide
    axes = _axes(n, n.rank(x))
    if axes != tuple(range(axes[0], n.rank(x))):
        raise n.fields.wrong("axis")
    (scale,) = n.own([n.size(x, a) for a in axes], dtype=DType.F32)
    squares = n.mean(n.mul(x, x), axes, keepdims=True)
    y = n.mul(x, n.y(core.Rsqrt(n.add(squares, n.fields.number("epsilon", 1e-6)))))
    return n.mul(y, scale)


@RULES.rule("UnitNormalization", keeps_mask=True)
@_in_float32
def unit_normalization(n: Call) -> Value:
    """x / sqrt(max(sum of squares, 1e-24)): `l2_normalize` of keras/src/ops/nn.py, `_normalize`."""
    x = n.wide
    squares = n.sum(n.mul(x, x), _axes(n, n.rank(x)), keepdims=True)
    return n.mul(x, n.y(core.Rsqrt(n.maximum(squares, 1e-24))))


@RULES.rule("SpectralNormalization", keeps_mask=False)
def spectral_normalization(n: Call) -> Results:
    """The weights of the layer that it holds are normalized in training."""
    n.fields.unused("power_iterations")
    return n.layer(n.fields.get("layer"), n.weights.at("layer", 0), [n.x])


@RULES.rule("LayerScale", keeps_mask=False)
def layer_scale(n: Call) -> Value:
    """A factor for each channel.  Source: keras/src/applications/convnext.py."""
    n.fields.unused("init_values")
    (gamma,) = n.own((n.fields.integer("projection_dim", None, 1),))
    return n.mul(n.x, gamma)
