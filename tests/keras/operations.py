"""Models of `keras.ops`."""

from __future__ import annotations

import numpy as np

from tests.keras.rows import graph

graph(
    "op_arithmetic",
    [(4, 3), (4, 3)],
    lambda k, a, b: [
        a + b,
        a - b,
        a * b,
        a / (b * b + 1.0),
        -a,
        a**2.0,
        1.0 - a,
        2.0 / (a * a + 1.0),
        k.ops.maximum(a, b),
        k.ops.minimum(a, 0.5),
        k.ops.abs(a),
        k.ops.square(a),
        k.ops.clip(a, -0.5, 0.5),
        k.ops.zeros_like(a) + a,
        k.ops.ones_like(a),
    ],
)
graph(
    "op_comparisons",
    [(4, 3), (4, 3)],
    lambda k, a, b: [
        a > b,
        a < 0.3,
        k.ops.equal(a, b),
        k.ops.not_equal(a, b),
        k.ops.less_equal(a, b),
        k.ops.greater_equal(a, b),
        k.ops.where(a > b, a, b),
        k.ops.where(a > 0.0, a, 0.0),
        k.ops.logical_not(a > b),
        k.ops.logical_and(a > b, a > 0.0),
        k.ops.logical_or(a > b, a > 0.0),
        k.ops.cast(a > b, "float32"),
        k.ops.any(a > b, axis=-1),
        k.ops.all(a > b, axis=1, keepdims=True),
    ],
)
graph(
    "op_unary",
    [(4, 3)],
    lambda k, a: [
        *(
            getattr(k.ops, f)(a)
            for f in "exp sin cos tan tanh sigmoid floor ceil sign erf expm1 arctan sinh cosh".split()
        ),
        *(getattr(k.ops, f)(k.ops.abs(a) + 1.0) for f in "log log1p sqrt rsqrt reciprocal".split()),
        k.ops.arcsin(k.ops.tanh(a)),
        k.ops.arccos(k.ops.tanh(a)),
        k.ops.stop_gradient(a),
    ],
)
graph(
    "op_activations",
    [(4, 3)],
    lambda k, a: [
        *(getattr(k.ops, f)(a) for f in "relu relu6 silu leaky_relu elu selu softplus softsign".split()),
        *(getattr(k.ops, f)(a) for f in "hard_sigmoid hard_silu log_sigmoid hard_tanh tanh_shrink softmax".split()),
        k.ops.gelu(a),
        k.ops.gelu(a, approximate=False),
        k.ops.softmax(a, axis=1),
        k.ops.log_softmax(a),
        k.activations.relu(a, max_value=1.0),
    ],
)
graph(
    "op_reductions",
    [(4, 3, 5)],
    lambda k, a: [
        k.ops.mean(a, axis=1),
        k.ops.sum(a, axis=[1, 2], keepdims=True),
        k.ops.max(a, axis=-1),
        k.ops.amax(a, axis=1),
        k.ops.min(a, axis=2),
        k.ops.prod(a, axis=1),
        k.ops.var(a, axis=1),
        k.ops.std(a, axis=-1),
        k.ops.argmax(a, axis=-1),
        k.ops.argmin(a, axis=1),
        k.ops.logsumexp(a, axis=-1),
        k.ops.cumsum(a, axis=1),
    ],
)
graph(
    "op_shapes",
    [(4, 3, 5)],
    lambda k, a: [
        k.ops.reshape(a, (-1, 15)),
        k.ops.transpose(a, (0, 3, 1, 2)),
        k.ops.expand_dims(a, 1),
        k.ops.squeeze(k.ops.expand_dims(a, -1), -1),
        k.ops.concatenate([a, a], axis=1),
        k.ops.stack([a, a], axis=-1),
        k.ops.flip(a, axis=1),
        k.ops.tile(a, (1, 1, 2, 1)),
        k.ops.swapaxes(a, 1, 2),
        k.ops.moveaxis(a, 1, 3),
        k.ops.pad(a, [[0, 0], [1, 2], [0, 0], [0, 1]]),
        *k.ops.split(a, 2, axis=1),
        *k.ops.split(a, [1, 3], axis=-1),
    ],
)
graph(
    "op_get_item",
    [(4, 3, 5)],
    lambda k, a: [
        a[:, 0],
        a[:, 1:3],
        a[:, ::2, ..., -1],
        a[..., None],
        a[:, -1],
        a[:, :, ::-1],
        a[:, None, :, 0, 1:-1],
        k.ops.take(a, 2, axis=1),
        k.ops.take(a, [0, 2], axis=-1),
    ],
)
graph(
    "op_products",
    [(4, 3), (3, 5)],
    lambda k, a, b: [
        k.ops.matmul(a, b),
        k.ops.einsum("bij,bjk->bki", a, b),
        k.ops.einsum("bij,bjk->bik", a, b),
    ],
)
graph(
    "op_selection",
    [(4, 6)],
    lambda k, a: [
        *k.ops.top_k(a, 3),
        k.ops.sort(a, axis=1),
        k.ops.argsort(a),
        k.ops.one_hot(k.ops.argmax(a, axis=-1), 6),
        k.ops.one_hot(k.ops.argmax(a, axis=-1), 7, axis=1, dtype="int32"),
        k.ops.tril(a, 1),
        k.ops.triu(a, -1),
        k.ops.repeat(a, 3, axis=1),
        *k.ops.unstack(a, axis=1),
    ],
)
graph(
    "op_rounding",
    [(4, 3), (5,)],
    lambda k, a, i: [
        k.ops.round(a * 3.0),
        k.ops.log2(k.ops.abs(a) + 1.0),
        k.ops.log10(k.ops.abs(a) + 1.0),
        k.ops.isnan(a),
        k.ops.isfinite(a),
        k.ops.mod(a, 0.75),
        k.ops.floor_divide(a, 0.75),
        i // 2,
        i % 3,
        a + np.arange(3, dtype="f"),
        k.ops.subtract(np.ones((4, 1), "f"), a),
    ],
    ("float32", "int32"),
)
graph(
    "op_resize",
    [(5, 6, 2)],
    lambda k, a: [
        k.ops.image.resize(a, (7, 4)),
        k.ops.image.resize(a, (7, 4), interpolation="bicubic", antialias=True),
        k.ops.image.resize(a, (3, 9), interpolation="nearest"),
    ],
)
