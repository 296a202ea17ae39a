"""Random cases of quantized operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from tests.onnx.contrib.attentions import mask_of
from tests.onnx.contrib.cases import Array, Op, Rng, maybe, real, some, whole
from tests.onnx.rows import Row


def scale(rng: Rng, *shape: int, low: float = 0.01, high: float = 0.1) -> Array:
    return np.asarray(rng.uniform(low, high, shape), np.float32)


def integers(rng: Rng, kind: type, *shape: int) -> Array:
    return whole(rng, *shape, low=-128 if kind is np.int8 else 0, high=128 if kind is np.int8 else 256, dtype=kind)


def reduced(rng: Rng, kind: type, *shape: int) -> Array:
    """Weights of 7 bits where they are signed, so that no sum of two products saturates in 16 bits, as ONNX Runtime has
    it on machines without dot products of bytes.
    """
    return whole(rng, *shape, low=-64, high=64, dtype=kind) if kind is np.int8 else integers(rng, kind, *shape)


def zero(rng: Rng, kind: type, *shape: int) -> Array:
    return whole(rng, *shape, low=-9 if kind is np.int8 else 119, high=9 if kind is np.int8 else 137, dtype=kind)


def triple(rng: Rng, kind: type, *shape: int) -> list[Array]:
    """Data, scale, zero point."""
    return [integers(rng, kind, *shape), scale(rng), zero(rng, kind)]


def a_kind(rng: Rng) -> Any:
    return np.uint8 if rng.integers(2) else np.int8


def sizes(rng: Rng, least: int, most: int, high: int = 6) -> tuple[int, ...]:
    return tuple(int(rng.integers(1, high)) for _ in range(int(rng.integers(least, most + 1))))


def qattention(rng: Rng) -> Row:
    batch, queries, past, heads, size, width = (int(rng.integers(1, k)) for k in (4, 6, 4, 4, 6, 9))
    hidden, given = heads * size, bool(rng.integers(2))
    kind = a_kind(rng)
    columns = (3 * hidden,) if rng.integers(2) else ()
    inputs = [
        integers(rng, np.uint8, batch, queries, width),
        reduced(rng, kind, width, 3 * hidden),
        real(rng, 3 * hidden),
        scale(rng, high=0.02),
        scale(rng, *columns, high=0.02),
        mask_of(rng, batch, queries, queries + (past if given else 0)),
        maybe(rng, lambda: zero(rng, np.uint8)),
        maybe(rng, lambda: zero(rng, kind, *columns)),
        real(rng, 2, batch, heads, past, size) if given else None,
    ]
    attributes = {"num_heads": heads} | some(rng, unidirectional=[None, 1], scale=[None, 0.3])
    outputs = 2 if given or rng.integers(2) else 1
    constants = (1, 2, 3, 4, 6, 7)
    return Row("com.microsoft:QAttention", inputs, attributes, 21, constants, outputs, tolerance=1e-4)


def lstm(rng: Rng) -> Row:
    steps, batch, width, hidden = (int(rng.integers(1, k)) for k in (6, 4, 6, 6))
    direction = str(rng.choice(["forward", "reverse", "bidirectional"]))
    count, kind, channels = 2 if direction == "bidirectional" else 1, a_kind(rng), bool(rng.integers(2))
    shape = (count, 4 * hidden) if channels else (count,)

    def weights(rows: int) -> Array:
        return reduced(rng, kind, count, rows, 4 * hidden)

    def point() -> Array:
        return np.full(shape, 0 if kind is np.int8 else 128, kind)

    inputs = [
        real(rng, steps, batch, width),
        weights(width),
        weights(hidden),
        maybe(rng, lambda: real(rng, count, 8 * hidden)),
        maybe(rng, lambda: whole(rng, batch, low=1, high=steps + 1, dtype=np.int32)),
        *([real(rng, count, batch, hidden) for _ in range(2)] if rng.integers(2) else [None, None]),
        maybe(rng, lambda: real(rng, count, 3 * hidden)),
        scale(rng, *shape, low=0.002, high=0.006),
        point(),
        scale(rng, *shape, low=0.01, high=0.03),
        point(),
    ]
    attributes = {"hidden_size": hidden, "direction": direction} | some(rng, clip=[None, 2.0])
    constants = (1, 2, 3, 7, 8, 9, 10, 11)
    return Row("com.microsoft:DynamicQuantizeLSTM", inputs, attributes, 21, constants, 3, tolerance=1e-4)


def binary(name: str) -> Callable[[Rng], Row]:
    def make(rng: Rng) -> Row:
        shape, kind = sizes(rng, 1, 4), a_kind(rng)
        other = tuple(1 if rng.integers(3) == 0 else d for d in shape)[int(rng.integers(len(shape))) :]
        inputs = [*triple(rng, kind, *shape), *triple(rng, kind, *other), scale(rng), zero(rng, kind)]
        return Row(f"com.microsoft:{name}", inputs, {}, 21, (1, 2, 4, 5, 6, 7))

    return make


def where(rng: Rng) -> Row:
    shape, kind = sizes(rng, 1, 4), a_kind(rng)
    condition = whole(rng, *shape, high=2, dtype=bool)
    inputs = [condition, *triple(rng, kind, *shape), *triple(rng, kind, *shape), scale(rng), zero(rng, kind)]
    return Row("com.microsoft:QLinearWhere", inputs, {}, 21, (2, 3, 5, 6, 7, 8))


def unary(name: str, least: int, attributes: Callable[[Rng, tuple[int, ...]], dict[str, Any]]) -> Callable[[Rng], Row]:
    def make(rng: Rng) -> Row:
        shape, kind = sizes(rng, least, 4), a_kind(rng)
        inputs = [*triple(rng, kind, *shape), scale(rng), zero(rng, kind)]
        return Row(f"com.microsoft:{name}", inputs, attributes(rng, shape), 21, (1, 2, 3, 4))

    return make


def softmax(rng: Rng) -> Row:
    # the kernel makes 0 of the softmax of a single number
    shape, kind = (*sizes(rng, 0, 3), int(rng.integers(2, 7))), a_kind(rng)
    opset = int(rng.choice([11, 13]))
    inputs = [
        *triple(rng, kind, *shape),
        np.asarray(1 / 255, np.float32),
        np.asarray(-128 if kind is np.int8 else 0, kind),
    ]
    attributes = {"axis": int(rng.integers(len(shape))) if opset == 11 else -1, "opset": opset}
    return Row("com.microsoft:QLinearSoftmax", inputs, attributes, 21, (1, 2, 3, 4))


def concat(rng: Rng) -> Row:
    shape, kind = list(sizes(rng, 1, 4)), a_kind(rng)
    axis = int(rng.integers(len(shape)))
    inputs = [scale(rng), zero(rng, kind)]
    for _ in range(int(rng.integers(1, 4))):
        shape[axis] = int(rng.integers(1, 4))
        inputs += triple(rng, kind, *shape)
    constants = tuple(i for i in range(len(inputs)) if i < 2 or i % 3 != 2)
    return Row("com.microsoft:QLinearConcat", inputs, {"axis": axis}, 21, constants)


def pool(rng: Rng) -> Row:
    last, kind = int(rng.integers(2)), a_kind(rng)
    batch, channels, height, width = (int(rng.integers(k, k + 4)) for k in (1, 1, 3, 3))
    shape = (batch, height, width, channels) if last else (batch, channels, height, width)
    attributes: dict[str, Any] = {"kernel_shape": [int(k) for k in rng.integers(1, 4, 2)], "channels_last": last}
    if min(attributes["kernel_shape"]) > 1 and rng.integers(2):
        attributes["pads"] = [int(p) for p in rng.integers(0, 2, 4)]
    attributes |= some(rng, strides=[None, [2, 1]], count_include_pad=[None, 1], ceil_mode=[None])
    inputs = [*triple(rng, kind, *shape), scale(rng), zero(rng, kind)]
    return Row("com.microsoft:QLinearAveragePool", inputs, attributes, 21, (1, 2, 3, 4))


def global_pool(rng: Rng) -> Row:
    kind, shape = a_kind(rng), tuple(int(d) for d in rng.integers(1, 6, 4))
    inputs = [*triple(rng, kind, *shape), scale(rng), zero(rng, kind)]
    attributes = {"channels_last": int(rng.integers(2))}
    return Row("com.microsoft:QLinearGlobalAveragePool", inputs, attributes, 21, (1, 2, 3, 4))


def convolution(rng: Rng) -> Row:
    kind, last, groups = a_kind(rng), int(rng.integers(2)), int(rng.integers(1, 3))
    batch, inside, outside = int(rng.integers(1, 3)), groups * int(rng.integers(1, 4)), groups * int(rng.integers(1, 4))
    height, width = (int(d) for d in rng.integers(4, 8, 2))
    shape = (batch, height, width, inside) if last else (batch, inside, height, width)
    kernel = tuple(int(k) for k in rng.integers(1, 4, 2))
    weights = np.int8 if kind is np.int8 or rng.integers(2) else np.uint8
    many = (outside,) if rng.integers(2) else ()
    inputs = [
        *triple(rng, kind, *shape),
        reduced(rng, weights, outside, inside // groups, *kernel),
        scale(rng, *many, high=0.02),
        np.zeros(many, np.int8) if weights is np.int8 else np.full(many, 128, np.uint8),
        scale(rng, low=0.1, high=0.3),
        zero(rng, kind),
        maybe(rng, lambda: whole(rng, outside, low=-900, high=900, dtype=np.int32)),
    ]
    attributes = {"channels_last": last, "group": groups}
    attributes |= some(rng, strides=[None, [2, 1]], pads=[None, [1, 0, 1, 2]], dilations=[None, [1, 1]])
    return Row("com.microsoft:QLinearConv", inputs, attributes, 21, (1, 2, 3, 4, 5, 6, 7, 8))


def gemm(rng: Rng) -> Row:
    kind = a_kind(rng)
    weights = np.int8 if kind is np.int8 or rng.integers(2) else np.uint8
    m, k, columns = (int(d) for d in rng.integers(1, 9, 3))
    a, b = int(rng.integers(2)), int(rng.integers(2))
    many = (columns,) if rng.integers(2) else ()
    exact = bool(rng.integers(2))
    inputs = [
        *triple(rng, kind, *((k, m) if a else (m, k))),
        reduced(rng, weights, *((columns, k) if b else (k, columns))),
        scale(rng, *many, high=0.02),
        zero(rng, weights, *many),
        maybe(rng, lambda: whole(rng, columns, low=-900, high=900, dtype=np.int32)),
        None if exact else scale(rng),
        None if exact else zero(rng, kind),
    ]
    attributes = {"transA": a, "transB": b} | some(rng, alpha=[None, 0.5])
    return Row(
        "com.microsoft:QGemm",
        inputs[: 7 if exact else 9],
        attributes,
        21,
        (1, 2, 3, 4, 5, 6, 7, 8)[: 6 if exact else 8],
        tolerance=1e-4,
    )


def product(rng: Rng, name: str) -> Row:
    """MatMulIntegerToFloat, DynamicQuantizeMatMul."""
    kind = a_kind(rng)
    m, k, columns = (int(d) for d in rng.integers(1, 9, 3))
    lead = sizes(rng, 0, 2, 4)
    many = (columns,) if rng.integers(2) else ()
    b = [reduced(rng, kind, k, columns), scale(rng, *many, high=0.02)]
    point, bias = maybe(rng, lambda: zero(rng, kind, *many)), maybe(rng, lambda: real(rng, columns))
    if name == "DynamicQuantizeMatMul":
        inputs = [real(rng, *lead, m, k), *b, point, bias]
        return Row(f"com.microsoft:{name}", inputs, {}, 21, (1, 2, 3, 4), tolerance=1e-4)
    own = np.int8 if kind is np.int8 and rng.integers(2) else np.uint8
    a_point = maybe(rng, lambda: zero(rng, own))
    inputs = [integers(rng, own, *lead, m, k), b[0], scale(rng), b[1], a_point, point, bias]
    return Row(f"com.microsoft:{name}", inputs, {}, 21, (1, 2, 3, 4, 5, 6), tolerance=1e-4)


def product16(rng: Rng) -> Row:
    m, k, columns = (int(d) for d in rng.integers(1, 9, 3))
    lead = sizes(rng, 0, 2, 4)
    inputs = [whole(rng, *s, low=-3000, high=3000, dtype=np.int16) for s in ((*lead, m, k), (k, columns))]
    return Row("com.microsoft:MatMulInteger16", inputs)


def nbits(rng: Rng) -> Row:
    bits, size = int(rng.choice([2, 4, 4, 8])), int(rng.choice([16, 32]))
    n, k = int(rng.integers(1, 9)), int(rng.choice([16, 32, 40, 64]))
    blocks = -(-k // size)
    dtype = np.float32 if rng.integers(3) else np.float16
    form = int(rng.integers(3))
    zeros = None
    if form == 1:
        zeros = whole(rng, n, -(-blocks * bits // 8))
    if form == 2 and bits < 8:  # ONNX Runtime has no floats as zero points of 8 bits
        zeros = rng.uniform(0, 1 << bits, (n, blocks)).astype(dtype)
    inputs = [
        real(rng, *sizes(rng, 1, 2, 4), k, dtype=dtype),
        whole(rng, n, blocks, size * bits // 8),
        real(rng, n, blocks, dtype=dtype, low=0.05, high=0.2),
        zeros,
        None,
        maybe(rng, lambda: real(rng, n, dtype=dtype)),
    ]
    attributes = {"K": k, "N": n, "bits": bits, "block_size": size}
    tolerance = 1e-4 if dtype == np.float32 else 1e-2
    return Row("com.microsoft:MatMulNBits", inputs, attributes, 21, (1, 2, 3, 5), tolerance=tolerance)


def bnb4(rng: Rng) -> Row:
    n, k, size = int(rng.integers(1, 9)), int(rng.choice([16, 24, 32])), int(rng.choice([16, 32, 64]))
    total = n * k
    inputs = [
        real(rng, *sizes(rng, 1, 2, 4), k),
        whole(rng, (total + 1) // 2),
        real(rng, -(-total // size), low=0.05, high=1),
    ]
    attributes = {"K": k, "N": n, "block_size": size, "quant_type": int(rng.integers(2))}
    return Row("com.microsoft:MatMulBnb4", inputs, attributes, 21, (1, 2), tolerance=1e-4)


def gather(rng: Rng) -> Row:
    """A table of bytes, gathered along its first axis, or of integers of 4 bits, along any."""
    size, kind = 16, rng.choice([np.int64, np.int32])
    packed, dtype = bool(rng.integers(2)), np.float32 if rng.integers(3) else np.float16
    bits = int(rng.choice([2, 4, 8])) if packed else 4
    shape = [int(d) for d in rng.integers(1, 6, int(rng.integers(2, 4)))]
    along = len(shape) - 1 if packed else int(rng.integers(len(shape)))
    axis = 0 if packed else int(rng.choice([i for i in range(len(shape)) if i != along]))
    shape[along] = int(rng.choice([16, 32, 48]))
    blocks = [d // size if i == along else d for i, d in enumerate(shape)]
    stored = ml_dtypes.uint4 if rng.integers(2) else ml_dtypes.int4
    if packed:
        data = whole(rng, *shape[:-1], shape[-1] * bits // 8)
        zeros = maybe(rng, lambda: whole(rng, *blocks[:-1], -(-blocks[-1] * bits // 8)))
    else:
        low = 0 if stored is ml_dtypes.uint4 else -8
        data = whole(rng, *shape, low=low, high=low + 16, dtype=stored)
        zeros = maybe(rng, lambda: whole(rng, *blocks, low=low, high=low + 16, dtype=stored))
    places = whole(rng, *sizes(rng, 0, 2, 4), low=-shape[axis], high=shape[axis], dtype=kind)
    inputs = [data, places, real(rng, *blocks, low=0.05, high=0.2, dtype=dtype), zeros]
    attributes = {"bits": bits, "block_size": size, "quantize_axis": along, "gather_axis": axis}
    tolerance = 1e-5 if dtype == np.float32 else 2e-3
    return Row("com.microsoft:GatherBlockQuantized", inputs, attributes, 21, (0, 2, 3), tolerance=tolerance)


def nhwc_pool(rng: Rng) -> Row:
    kind = a_kind(rng)
    x = integers(rng, kind, *(int(rng.integers(k, k + 4)) for k in (1, 3, 3, 1)))
    attributes: dict[str, Any] = {"kernel_shape": [int(k) for k in rng.integers(1, 4, 2)]}
    if min(attributes["kernel_shape"]) > 1 and rng.integers(2):
        attributes["pads"] = [int(p) for p in rng.integers(0, 2, 4)]
    attributes |= some(rng, strides=[None, [2, 1]])
    return Row("com.microsoft:NhwcMaxPool", [x], attributes)


def quantize(rng: Rng, back: bool) -> Row:
    kind = [np.uint8, np.int8, np.uint16, np.int16][int(rng.integers(4))]
    shape = sizes(rng, 1, 4)
    axis = int(rng.integers(len(shape)))
    many = (shape[axis],) if rng.integers(2) else ()
    info = np.iinfo(kind)
    point = whole(rng, *many, low=int(info.min), high=int(info.max), dtype=kind)
    if back:
        x: Array = whole(rng, *shape, low=int(info.min), high=int(info.max), dtype=kind)
    else:
        x = real(rng, *shape, low=-9, high=9)
    name = "DequantizeLinear" if back else "QuantizeLinear"
    attributes = {"axis": axis} if many else {}
    return Row(f"com.microsoft:{name}", [x, scale(rng, *many), point], attributes, 21, (1, 2))


OPS = {
    "QAttention": Op(qattention),
    "DynamicQuantizeLSTM": Op(lstm),
    "QLinearAdd": Op(binary("QLinearAdd"), 1),
    "QLinearMul": Op(binary("QLinearMul"), 1),
    "QLinearWhere": Op(where, 1),
    "QLinearSigmoid": Op(unary("QLinearSigmoid", 1, lambda rng, _: {}), 1),
    "QLinearLeakyRelu": Op(unary("QLinearLeakyRelu", 1, lambda rng, _: some(rng, alpha=[None, 0.3])), 1),
    "QLinearSoftmax": Op(softmax, 1),
    "QLinearConcat": Op(concat, 1),
    "QLinearAveragePool": Op(pool, 1),
    "QLinearGlobalAveragePool": Op(global_pool, 1),
    "QLinearConv": Op(convolution, 1),
    "QGemm": Op(gemm, 1),
    "MatMulIntegerToFloat": Op(lambda rng: product(rng, "MatMulIntegerToFloat")),
    "DynamicQuantizeMatMul": Op(lambda rng: product(rng, "DynamicQuantizeMatMul")),
    "MatMulInteger16": Op(product16),
    "MatMulNBits": Op(nbits),
    "MatMulBnb4": Op(bnb4),
    "GatherBlockQuantized": Op(gather),
    "NhwcMaxPool": Op(nhwc_pool),
    "QuantizeLinear": Op(lambda rng: quantize(rng, False), 1),
    "DequantizeLinear": Op(lambda rng: quantize(rng, True)),
}
