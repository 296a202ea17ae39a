"""Random cases of operators that ONNX Runtime has for GPUs alone, with what NumPy makes of them in float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tests.onnx.contrib.cases import Array, Rng, maybe, real, some
from tests.onnx.contrib.quantized import a_kind, triple
from tests.onnx.rows import Row


class Judged(NamedTuple):
    """A case and its results."""

    row: Row
    expected: list[Array]
    steps: int = 0


def _row(name: str, inputs: list[Array | None], attributes: dict[str, Any] | None = None, **more: Any) -> Row:
    return Row(f"com.microsoft:{name}", inputs, attributes or {}, **{"tolerance": 1e-4, **more})


def _wide(*arrays: Array | None) -> list[Any]:
    return [None if a is None else a.astype(np.float64) for a in arrays]


def _narrow(y: Array) -> Array:
    return y.astype(np.float32)


def gelu(x: Array) -> Array:
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def fast_gelu(x: Array) -> Array:
    return x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def sigmoid(x: Array) -> Array:
    return 0.5 * (1 + np.tanh(x / 2))


def softmax(x: Array, axis: int) -> Array:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def bias_add(rng: Rng) -> Judged:
    n, s, c = (int(d) for d in rng.integers(1, 6, 3))
    inputs = [real(rng, n, s, c), real(rng, c), real(rng, n, s, c)]
    return Judged(_row("BiasAdd", [*inputs]), [_narrow(sum(_wide(*inputs)))])


def bias_split_gelu(rng: Rng) -> Judged:
    n, s, half = (int(d) for d in rng.integers(1, 6, 3))
    x, bias = real(rng, n, s, 2 * half, low=-3, high=3), real(rng, 2 * half)
    left, right = np.split(sum(_wide(x, bias)), 2, -1)
    return Judged(_row("BiasSplitGelu", [x, bias]), [_narrow(left * gelu(right))])


def _normalized(x: Array, gamma: Array, beta: Array, attributes: dict[str, Any]) -> Array:
    """x [n, h, w, c] in float64."""
    n, h, w, c = x.shape
    groups = attributes["groups"]
    split = x.reshape(n, h, w, groups, c // groups)
    mean, variance = split.mean((1, 2, 4), keepdims=True), split.var((1, 2, 4), keepdims=True)
    y = ((split - mean) / np.sqrt(variance + attributes["epsilon"])).reshape(x.shape) * gamma + beta
    return y * sigmoid(y) if attributes["activation"] else y


def group_norm(rng: Rng, skips: bool = False) -> Judged:
    groups, each, n, h, w = (int(d) for d in rng.integers(1, 4, 5))
    c, last = groups * each, int(rng.integers(2))
    attributes = {"groups": groups, "activation": int(rng.integers(2)), "channels_last": last, "epsilon": 0.1}
    x, gamma, beta = real(rng, n, h, w, c), real(rng, c), real(rng, c)
    total, more = x.astype(np.float64), []
    if skips:
        shape = [(n, h, w, c), (n, 1, 1, c), (n, c)][int(rng.integers(3)) if last else 0]
        skip, bias = real(rng, *shape), maybe(rng, lambda: real(rng, c))
        total = total + (skip.reshape(n, 1, 1, c) if skip.ndim == 2 else skip) + (0 if bias is None else bias)
        more = [skip if last else skip.transpose(0, 3, 1, 2), bias]
    y = _normalized(total, *_wide(gamma, beta), attributes)
    expected = [_narrow(y), _narrow(total)] if skips else [_narrow(y)]
    if not last:
        x, *expected = (a.transpose(0, 3, 1, 2) for a in (x, *expected))
    name = "SkipGroupNorm" if skips else "GroupNorm"
    return Judged(_row(name, [x, gamma, beta, *more], attributes, outputs=len(expected)), expected)


def nhwc_conv(rng: Rng) -> Judged:
    """Each window of the padded image times the weights."""
    groups = int(rng.integers(1, 3))
    n, i, o = int(rng.integers(1, 3)), groups * int(rng.integers(1, 4)), groups * int(rng.integers(1, 4))
    h, w, kh, kw = (int(d) for d in (*rng.integers(4, 8, 2), *rng.integers(1, 4, 2)))
    x, weights = real(rng, n, h, w, i), real(rng, o, kh, kw, i // groups)
    bias = maybe(rng, lambda: real(rng, o))
    attributes = {"group": groups} | some(rng, strides=[None, [2, 1]], pads=[None, [1, 0, 1, 2]])
    (sh, sw), pads = attributes.get("strides", [1, 1]), attributes.get("pads", [0] * 4)
    padded = np.pad(x.astype(np.float64), [(0, 0), (pads[0], pads[2]), (pads[1], pads[3]), (0, 0)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kh, kw), (1, 2))[:, ::sh, ::sw]  # n h w i kh kw
    parts = [
        np.einsum("nhwikl,okli->nhwo", a, b)
        for a, b in zip(np.split(windows, groups, 3), np.split(weights.astype(np.float64), groups, 0), strict=True)
    ]
    y = np.concatenate(parts, -1) + (0 if bias is None else bias)
    return Judged(_row("NhwcConv", [x, weights, bias], attributes, constants=(1, 2)), [_narrow(y)])


def relative_position_bias(rng: Rng) -> Judged:
    heads, buckets, length = int(rng.integers(1, 4)), int(rng.choice([8, 16, 32])), int(rng.integers(1, 40))
    attributes = {"max_distance": int(rng.choice([20, 128])), "is_bidirectional": int(rng.integers(2))}
    table = real(rng, buckets, heads)
    numbers = table.reshape(heads, buckets)
    y = np.zeros((1, heads, length, length), np.float32)
    for query in range(length):
        for key in range(length):
            y[0, :, query, key] = numbers[:, _bucket(key - query, buckets, **attributes)]
    size = np.asarray(length, np.int64)
    return Judged(_row("RelativePositionBias", [table, size, size], attributes, constants=(0, 1, 2)), [y])


def _bucket(relative: int, buckets: int, max_distance: int, is_bidirectional: int) -> int:
    base = 0
    if is_bidirectional:
        buckets //= 2
        base = buckets if relative > 0 else 0
        distance = abs(relative)
    else:
        distance = max(-relative, 0)
    exact = buckets // 2
    if distance < exact:
        return base + distance
    steps = np.float32(math.log(np.float32(distance / exact))) / np.float32(math.log(max_distance / exact))
    return base + min(exact + int(steps * (buckets - exact)), buckets - 1)


def gated_position_bias(rng: Rng) -> Judged:
    batch, length, heads, size, half = (int(d) for d in rng.integers(1, 5, 5))
    inputs = [
        real(rng, batch, length, heads * size),
        real(rng, heads * size),
        real(rng, 1, heads, length, length),
        real(rng, size, 2 * half),
        real(rng, 2 * half),
        real(rng, 1, heads, 1, 1),
    ]
    query, bias, positions, weight, added, eco = _wide(*inputs)
    apart = (query + bias).reshape(batch, length, heads, size).transpose(0, 2, 1, 3)
    update, reset = (sigmoid(p.sum(-1, keepdims=True)) for p in np.split(apart @ weight + added, 2, -1))
    y = (update * (reset * eco - 1) + 2) * positions
    return Judged(_row("GatedRelativePositionBias", [*inputs], {"num_heads": heads}), [_narrow(y)])


def gemm_fast_gelu(rng: Rng) -> Judged:
    b, s, k, n = (int(d) for d in rng.integers(1, 6, 4))
    x, w, bias = real(rng, b, s, k), real(rng, k, n), maybe(rng, lambda: real(rng, n))
    wide = _wide(x, w, bias)
    y = wide[0] @ wide[1] + (0 if bias is None else wide[2])
    return Judged(_row("GemmFastGelu", [x, w, bias]), [_narrow(fast_gelu(y))])


def bias_softmax(rng: Rng) -> Judged:
    shape = tuple(int(d) for d in rng.integers(1, 5, 4))
    axis = int(rng.integers(1, 4))
    inner = int(rng.integers(2))
    other = list(shape)
    for i in range(*((1, axis) if inner else (0, axis))):
        other[i] = 1
    x, bias = real(rng, *shape), real(rng, *other)
    total = sum(_wide(x, bias))
    y = softmax(total.reshape(*shape[:axis], -1), axis).reshape(shape)
    return Judged(_row("BiasSoftmax", [x, bias], {"axis": axis, "is_inner_broadcast": inner}), [_narrow(y)])


def bias_dropout(rng: Rng) -> Judged:
    shape = tuple(int(d) for d in rng.integers(1, 5, 3))
    x, bias = real(rng, *shape), real(rng, *(shape if rng.integers(2) else shape[-1:]))
    residual = maybe(rng, lambda: real(rng, *shape))
    ratio, training = maybe(rng, lambda: np.asarray(0.3, np.float32)), maybe(rng, lambda: np.asarray(False))
    y = sum(_wide(x, bias)) + (0 if residual is None else residual)
    row = _row("BiasDropout", [x, bias, residual, ratio, training], constants=(3, 4), outputs=2)
    return Judged(row, [_narrow(y), np.ones(shape, bool)])


def qlinear_mean(rng: Rng) -> Judged:
    shape, kind = tuple(int(d) for d in rng.integers(1, 5, 4)), a_kind(rng)
    axes = sorted(int(a) for a in rng.permutation(4)[: int(rng.integers(1, 4))])
    keep = int(rng.integers(2))
    x, scale, zero = triple(rng, kind, *shape)
    _, out_scale, out_zero = triple(rng, kind)
    mean = ((x.astype(np.float64) - zero) * scale).mean(tuple(axes), keepdims=bool(keep))
    info = np.iinfo(kind)
    y = np.clip(np.rint(mean / out_scale) + out_zero, info.min, info.max).astype(kind)
    inputs = [x, scale, zero, out_scale, out_zero]
    attributes = {"axes": axes, "keepdims": keep}
    return Judged(_row("QLinearReduceMean", [*inputs], attributes, constants=(1, 2, 3, 4)), [y], 1)


def packed_attention(rng: Rng) -> Judged:
    """MultiHeadAttention of one tensor of all three, or of one of keys and values."""
    batch, queries, own, heads, size = (int(d) for d in rng.integers(1, 5, 5))
    if rng.integers(2):
        own = queries
        packed = real(rng, batch, queries, heads, 3, size)
        q, k, v = (packed[:, :, :, i] for i in range(3))
        inputs: list[Array | None] = [packed]
    else:
        apart, packed = real(rng, batch, queries, heads, size), real(rng, batch, own, heads, 2, size)
        q, k, v = apart, packed[:, :, :, 0], packed[:, :, :, 1]
        inputs = [apart.reshape(batch, queries, heads * size), packed]
    scores = np.einsum("bqhd,bkhd->bhqk", *_wide(q, k)) / math.sqrt(size)
    y = np.einsum("bhqk,bkhd->bqhd", softmax(scores, 3), v).reshape(batch, queries, heads * size)
    return Judged(_row("MultiHeadAttention", inputs, {"num_heads": heads}), [_narrow(y)])


CASES: dict[str, Callable[[Rng], Judged]] = {
    "BiasAdd": bias_add,
    "BiasSplitGelu": bias_split_gelu,
    "GroupNorm": group_norm,
    "SkipGroupNorm": lambda rng: group_norm(rng, True),
    "NhwcConv": nhwc_conv,
    "RelativePositionBias": relative_position_bias,
    "GatedRelativePositionBias": gated_position_bias,
    "GemmFastGelu": gemm_fast_gelu,
    "BiasSoftmax": bias_softmax,
    "BiasDropout": bias_dropout,
    "QLinearReduceMean": qlinear_mean,
    "packed MultiHeadAttention": packed_attention,
}
