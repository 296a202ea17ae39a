"""Random cases of what graph optimizations write, and of operators that move elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.onnx.contrib.cases import Array, Op, Rng, maybe, real, some, whole
from tests.onnx.rows import Row

NUMBERS = {"LeakyRelu": 1, "Elu": 1, "Celu": 1, "ThresholdedRelu": 1, "HardSigmoid": 2}
PLAIN = ["Relu", "Sigmoid", "Tanh"]


def convolution(rng: Rng) -> Row:
    groups = int(rng.integers(1, 3))
    inside, outside = groups * int(rng.integers(1, 4)), groups * int(rng.integers(1, 4))
    height, width, batch = (int(d) for d in (*rng.integers(4, 8, 2), rng.integers(1, 3)))
    kernel = tuple(int(k) for k in rng.integers(1, 4, 2))
    name = str(rng.choice([*PLAIN, "LeakyRelu", "Clip", "HardSigmoid", "HardSwish"]))
    attributes: dict[str, Any] = {"activation": name, "group": groups}
    if name in ("LeakyRelu", "HardSigmoid"):
        attributes["activation_params"] = [0.3, 0.4][: NUMBERS[name]]
    if name == "Clip":
        attributes["activation_params"] = [-0.2, 0.5]
    attributes |= some(rng, strides=[None, [2, 1]], pads=[None, [1, 0, 1, 2]])
    x, w = real(rng, batch, inside, height, width), real(rng, outside, inside // groups, *kernel)
    low, high = attributes.get("pads", [0] * 4)[:2], attributes.get("pads", [0] * 4)[2:]
    steps = attributes.get("strides", [1, 1])
    sizes = [(d + a + b - k) // s + 1 for d, a, b, k, s in zip((height, width), low, high, kernel, steps, strict=True)]
    addend = maybe(rng, lambda: real(rng, batch, outside, *sizes))
    return Row(
        "com.microsoft:FusedConv", [x, w, maybe(rng, lambda: real(rng, outside)), addend], attributes, 21, (1, 2)
    )


def gemm(rng: Rng) -> Row:
    m, k, n = (int(d) for d in rng.integers(1, 9, 3))
    a, b = int(rng.integers(2)), int(rng.integers(2))
    name = str(rng.choice([*PLAIN, "Softplus", "Softsign", "Selu", *NUMBERS]))
    attributes: dict[str, Any] = {"activation": name, "transA": a, "transB": b}
    attributes |= some(rng, alpha=[None, 0.5], beta=[None, 0.3])
    if name in NUMBERS or name == "Selu":
        attributes["activation_alpha"] = float(rng.uniform(0.1, 0.9))
    if name == "HardSigmoid":
        attributes["activation_beta"] = 0.4
    if name == "Selu":
        attributes["activation_gamma"] = 1.2
    addend = maybe(rng, lambda: real(rng, *[(n,), (1, n), (m, 1), (m, n)][int(rng.integers(4))]))
    inputs = [real(rng, *((k, m) if a else (m, k))), real(rng, *((n, k) if b else (k, n))), addend]
    return Row("com.microsoft:FusedGemm", inputs, attributes)


def matmul(name: str) -> Any:
    def make(rng: Rng) -> Row:
        """Both factors of one rank, as batches that are moved are not broadcast."""
        m, k, n = (int(d) for d in rng.integers(1, 6, 3))
        lead = [int(d) for d in rng.integers(1, 4, int(rng.integers(3)))]
        attributes = {key: int(rng.integers(2)) for key in ("transA", "transB")} | some(rng, alpha=[None, 0.5])
        if name == "FusedMatMul" and lead:
            attributes |= {key: int(rng.integers(2)) for key in ("transBatchA", "transBatchB")}
        factors = []
        for side, (rows, columns) in zip("AB", ((m, k), (k, n)), strict=True):
            first, last = (columns, rows) if attributes[f"trans{side}"] else (rows, columns)
            shape = [first, *lead, last] if attributes.get(f"transBatch{side}") else [*lead, first, last]
            factors.append(real(rng, *shape))
        return Row(f"com.microsoft:{name}", factors, attributes, tolerance=1e-5)

    return make


def trilu(rng: Rng) -> Row:
    shape = [int(d) for d in rng.integers(1, 6, int(rng.integers(2, 5)))]
    kind = rng.choice([np.float32, np.float64, np.int64])
    x = whole(rng, *shape, low=1, high=9, dtype=kind)
    k = maybe(rng, lambda: np.asarray(rng.integers(-3, 4)))
    return Row("com.microsoft:Trilu", [x, k], some(rng, upper=[None, 0, 1]), 21, (1,))


def gather_nd(rng: Rng) -> Row:
    shape = [int(d) for d in rng.integers(1, 6, int(rng.integers(1, 5)))]
    depth = int(rng.integers(1, len(shape) + 1))
    lead = [int(d) for d in rng.integers(1, 4, int(rng.integers(0, 3)))]
    kind = rng.choice([np.int32, np.int64])
    columns = [rng.integers(0, d, lead) for d in shape[:depth]]
    return Row("com.microsoft:GatherND", [real(rng, *shape), np.stack(columns, -1).astype(kind)])


def expand_dims(rng: Rng) -> Row:
    shape = [int(d) for d in rng.integers(1, 6, int(rng.integers(1, 5)))]
    axis = np.asarray(rng.integers(-len(shape) - 1, len(shape) + 1), np.int32)
    return Row("com.microsoft:ExpandDims", [real(rng, *shape), axis], {}, 21, (1,))


def range_(rng: Rng) -> Row:
    kind = rng.choice([np.float32, np.int32, np.int64])
    step = int(rng.integers(1, 4)) * int(rng.choice([-1, 1]))
    start = int(rng.integers(-5, 6))
    given = bool(rng.integers(2))
    shape = (1,) if rng.integers(2) else ()
    end = start + (step if given else 1) * int(rng.integers(1, 6))
    inputs: list[Array | None] = [np.full(shape, v, kind) for v in (start, end)]
    inputs.append(np.full(shape, step, kind) if given else None)
    return Row("com.microsoft:Range", inputs, {}, 21, (0, 1, 2))


def unfold(rng: Rng) -> Row:
    shape = [int(d) for d in rng.integers(2, 7, int(rng.integers(1, 5)))]
    dim = int(rng.integers(-len(shape), len(shape)))
    attributes = {"dim": dim, "size": int(rng.integers(1, shape[dim] + 1)), "step": int(rng.integers(1, 4))}
    return Row("com.microsoft:UnfoldTensor", [real(rng, *shape)], attributes)


def cdist(rng: Rng) -> Row:
    m, n, k = (int(d) for d in rng.integers(1, 6, 3))
    kind = rng.choice([np.float32, np.float64])
    rows = [real(rng, size, k).astype(kind) for size in (m, n)]
    attributes = some(rng, metric=[None, "euclidean", "sqeuclidean"])
    return Row("com.microsoft:CDist", rows, attributes, tolerance=1e-5)


OPS = {
    "FusedConv": Op(convolution),
    "FusedGemm": Op(gemm),
    "FusedMatMul": Op(matmul("FusedMatMul")),
    "TransposeMatMul": Op(matmul("TransposeMatMul")),
    "Trilu": Op(trilu),
    "GatherND": Op(gather_nd),
    "ExpandDims": Op(expand_dims),
    "Range": Op(range_),
    "UnfoldTensor": Op(unfold),
    "CDist": Op(cdist),
}
