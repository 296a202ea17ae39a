"""Random cases of what else stands in transformers: embeddings, normalizations, activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.onnx.contrib.cases import Array, Op, Rng, maybe, real, some, whole
from tests.onnx.rows import Row

HALF = 5e-3


def embed(rng: Rng) -> Row:
    batch, length, hidden, words, extra = (int(rng.integers(1, k)) for k in (4, 6, 9, 9, 4))
    segments = bool(rng.integers(2))
    ids = whole(rng, batch, length, high=words, dtype=np.int32)
    places = length + extra
    rows = int(rng.choice([1, batch]))
    inputs = [
        ids,
        whole(rng, batch, length, high=2, dtype=np.int32) if segments else None,
        real(rng, words, hidden),
        real(rng, places, hidden),
        real(rng, 2, hidden) if segments else None,
        real(rng, hidden),
        real(rng, hidden),
        maybe(rng, lambda: whole(rng, batch, length, high=2, dtype=np.int32)),
        maybe(rng, lambda: whole(rng, rows, length, high=places, dtype=np.int32)),
    ]
    attributes = some(rng, epsilon=[None, 1e-5, 0.1])
    outputs = int(rng.integers(2, 4))
    # rows of one number, or of nearly equal ones, are all rounding with the default epsilon
    if hidden == 1:
        attributes["epsilon"] = 0.1
    return Row(
        "com.microsoft:EmbedLayerNormalization", inputs, attributes, 21, (2, 3, 4, 5, 6), outputs, tolerance=1e-4
    )


def qembed(rng: Rng) -> Row:
    batch, length, hidden, words, extra = (int(rng.integers(1, k)) for k in (4, 6, 9, 9, 4))
    segments = bool(rng.integers(2))
    signed = bool(rng.integers(2))

    def table(*shape: int) -> Array:
        return whole(rng, *shape, low=-128, high=128, dtype=np.int8) if signed else whole(rng, *shape)

    def group(make: Any) -> list[Array | None]:
        return [make(), make(), make() if segments else None, make(), make()]

    inputs: list[Array | None] = [
        whole(rng, batch, length, high=words, dtype=np.int32),
        whole(rng, batch, length, high=2, dtype=np.int32) if segments else None,
        table(words, hidden),
        table(length + extra, hidden),
        table(2, hidden) if segments else None,
        table(hidden),
        table(hidden),
        maybe(rng, lambda: whole(rng, batch, length, high=2, dtype=np.int32)),
        *group(lambda: np.asarray(rng.uniform(0.01, 0.1), np.float32)),
        *group(lambda: np.asarray(rng.integers(-9, 9), np.int8) if signed else np.asarray(rng.integers(99), np.uint8)),
    ]
    attributes = {"epsilon": float(rng.choice([1e-5, 0.1]))}
    constants = (*range(2, 7), *range(8, 18))
    return Row("com.microsoft:QEmbedLayerNormalization", inputs, attributes, 21, constants, 2, tolerance=1e-4)


def _floats(rng: Rng) -> tuple[Any, float]:
    dtype = rng.choice([np.float32, np.float32, np.float16])
    return dtype, 1e-4 if dtype == np.float32 else HALF


def skip_norm(rng: Rng, simplified: bool) -> Row:
    batch, length, hidden = (int(rng.integers(1, k)) for k in (4, 6, 9))
    dtype, tolerance = _floats(rng)
    shape = [(batch, length, hidden), (1, length, hidden), (length, hidden)][int(rng.integers(3))]
    x, skip = real(rng, batch, length, hidden, dtype=dtype), real(rng, *shape, dtype=dtype)
    vectors = [real(rng, hidden, dtype=dtype) for _ in range(3)]
    inputs = [x, skip, vectors[0]]
    if not simplified:
        inputs.append(maybe(rng, lambda: vectors[1]))
    inputs.append(maybe(rng, lambda: vectors[2]))
    name = "SkipSimplifiedLayerNormalization" if simplified else "SkipLayerNormalization"
    attributes = {"epsilon": float(rng.choice([1e-5, 0.1]))}
    return Row(f"com.microsoft:{name}", inputs, attributes, tolerance=tolerance)


def activation(name: str, bias: bool = False, needed: bool = False) -> Any:
    def make(rng: Rng) -> Row:
        shape = tuple(int(rng.integers(1, 6)) for _ in range(int(rng.integers(1, 5))))
        inputs: list[Array | None] = [real(rng, *shape, low=-4, high=4)]
        if bias:
            vector = real(rng, shape[-1])
            inputs.append(vector if needed else maybe(rng, lambda: vector))
        attributes = some(rng, alpha=[None, 0.7]) if name == "QuickGelu" else {}
        return Row(f"com.microsoft:{name}", inputs, attributes, tolerance=1e-4)

    return make


OPS = {
    "EmbedLayerNormalization": Op(embed),
    "QEmbedLayerNormalization": Op(qembed),
    "SkipLayerNormalization": Op(lambda rng: skip_norm(rng, False)),
    "SkipSimplifiedLayerNormalization": Op(lambda rng: skip_norm(rng, True)),
    "BiasGelu": Op(activation("BiasGelu", True, True)),
    "FastGelu": Op(activation("FastGelu", True)),
    "Gelu": Op(activation("Gelu")),
    "QuickGelu": Op(activation("QuickGelu")),
}
