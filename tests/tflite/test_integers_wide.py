"""Ops over stored integers of 16 bits are bit-equal with LiteRT's kernels."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType, product_of
from mlconv.ir.spec import OpDef
from tests.support.integers import check, constant, int8, int16, limits
from tests.tflite.test_integers import CONVOLUTIONS

SCALES = [(1e-4, 2e-4, 3e-4), (1e-3, 1e-3, 2e-3), (5e-4, 1e-4, 4e-4), (0.25, 0.125, 0.5), (3e-4, 2e-4, 1e-4)]


@pytest.mark.parametrize(("a", "b", "y"), SCALES)
@pytest.mark.parametrize("kind", ["add", "sub", "mul"])
def test_binary(kind: str, a: float, b: float, y: float) -> None:
    out = int16(y * a * 9000 if kind == "mul" else y)
    check(
        [(int16(a), (1000, 1000)), (int16(b), (1000, 1000))],
        lambda _, v: core.QuantBinary(v[0], v[1], kind=kind, **limits(out)),
        kind.upper(),
    )


def weights_of(
    shape: tuple[int, ...], axis: int, scales: str, storage: DType = DType.I8
) -> tuple[np.ndarray, QuantType]:
    """In steps of as much more as there are fewer of them."""
    rng = np.random.default_rng(len(shape))
    top = (1 << storage.bits - 1) - 1
    made = rng.integers(-top, top + 1, shape).astype(np.int8)
    if scales == "one":
        return made, QuantType.of(storage, 0.635 / top)
    steps = rng.uniform(0.127 / top, 1.27 / top, shape[axis]).astype(np.float32)
    return made, QuantType.of(storage, steps, axis=axis)


def weights(b: Builder, numbers: np.ndarray, element: QuantType) -> Value:
    return b.emit(core.Constant(value=make_const(numbers, element.storage), element=element)).y


def bias_of(size: int) -> np.ndarray:
    return np.random.default_rng(size).integers(-(10**6), 10**6, size)


@pytest.mark.parametrize("depth", [7, 64, 513])
@pytest.mark.parametrize("scales", ["one", "each"])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("storage", [DType.I8, DType.I4], ids=str)
def test_matmul(storage: DType, biased: bool, scales: str, depth: int) -> None:
    numbers, of_w = weights_of((48, depth), 0, scales, storage)
    of_x, out = int16(1e-4), int16(5e-5 * depth**0.5)

    def make(b: Builder, v: list[Value]) -> OpDef:
        bias = constant(b, bias_of(48), product_of(of_x, of_w)) if biased else None
        return core.QuantMatMul(v[0], weights(b, numbers, of_w), bias=bias, transpose_b=True, **limits(out))

    check([(of_x, (2000, depth))], make, "FULLY_CONNECTED")


def test_products_of_activations() -> None:
    check(
        [(int16(1e-4), (40, 30, 32)), (int16(3e-4), (40, 32, 40))],
        lambda _, v: core.QuantMatMul(v[0], v[1], **limits(int16(0.002))),
        "BATCH_MATMUL",
    )


@pytest.mark.parametrize("scales", ["one", "each"])
@pytest.mark.parametrize("storage", [DType.I8, DType.I4], ids=str)
@pytest.mark.parametrize(("window", "stride", "pads", "groups", "inner", "outer"), CONVOLUTIONS)
def test_convolution(
    window: tuple[int, int],
    stride: int,
    pads: tuple[tuple[int, int], ...],
    groups: int,
    inner: int,
    outer: int,
    storage: DType,
    scales: str,
) -> None:
    numbers, of_w = weights_of((outer, *window, inner // groups), 0, scales, storage)
    of_x, out = int16(1e-4), int16(2e-4)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantConv(
            v[0],
            weights(b, numbers, of_w),
            bias=constant(b, bias_of(outer), product_of(of_x, of_w)),
            strides=(stride, stride),
            pads=pads,
            dilations=(1, 1),
            groups=groups,
            w_layout="O01I",
            **limits(out, 0),
        )

    check([(of_x, (2, 30, 31, inner))], make, "DEPTHWISE_CONV_2D" if groups == inner else "CONV_2D")


@pytest.mark.parametrize("scales", ["one", "each"])
def test_transposed_convolution(scales: str) -> None:
    weights, of_w = weights_of((6, 3, 3, 5), 0, scales)
    of_x, out = int16(1e-4), int16(2e-4)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantConvTranspose(
            v[0],
            constant(b, weights, of_w),
            bias=constant(b, bias_of(6), product_of(of_x, of_w)),
            strides=(2, 2),
            pads=((0, 0), (0, 0)),
            output_pads=(0, 0),
            dilations=(1, 1),
            w_layout="O01I",
            **limits(out),
        )

    check([(of_x, (2, 20, 21, 5))], make, "TRANSPOSE_CONV")


@pytest.mark.parametrize(("size", "y"), [(8, 1e-3), (7, 5e-4), (4, 1.5e-3), (5, 3.1e-3), (14, 1e-3), (56, 2e-4)])
def test_mean(size: int, y: float) -> None:
    check(
        [(int16(1e-3), (40, size, size, 8))],
        lambda _, v: core.QuantMean(v[0], axes=(1, 2), keepdims=True, **limits(int16(y))),
        "MEAN",
    )


def test_average_pool() -> None:
    element = int16(1e-3)

    def make(_: Builder, v: list[Value]) -> OpDef:
        return core.QuantAveragePool(
            v[0], window=(3, 3), strides=(2, 2), pads="SAME_UPPER", dilations=(1, 1), layout="N01C", **limits(element)
        )

    check([(element, (2, 40, 41, 16))], make, "AVERAGE_POOL_2D")


REQUANTIZED = [
    (int16(1e-3), int16(7e-4)),
    (int16(1e-4), int16(0.03)),
    (int16(3e-3), int16(1.1e-4)),
    (int16(1e-4), int8(0.02, -128)),
    (int16(3e-3), int8(0.022, 3)),
    (int8(0.1, 3), int16(5e-4)),
    (int8(0.01, -3), int16(0.02)),
]


@pytest.mark.parametrize("i", range(len(REQUANTIZED)))
def test_requantize(i: int) -> None:
    x, y = REQUANTIZED[i]
    check([(x, (500, 500))], lambda _, v: core.Requantize(v[0], **limits(y)), "QUANTIZE")


@pytest.mark.parametrize(("kind", "groups"), [("convolution", 1), ("convolution", 8), ("transposed", 1)])
def test_weights_with_a_zero_point(kind: str, groups: int) -> None:
    """Kernels of 16 bits refuse them, or leave the zero point out: numbers are multiplied, and rounded once."""
    numbers, of_w = np.random.default_rng(7).integers(-128, 128, (8, 3, 3, 8 // groups)).astype(np.int8), int8(0.01, -9)
    of_x, out = int16(1e-4), int16(1e-4)
    place = {"strides": (1, 1), "dilations": (1, 1), "pads": ((1, 1), (1, 1)), "groups": groups}

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = weights(b, numbers, of_w)
        if kind == "transposed":
            return core.QuantConvTranspose(v[0], w, w_layout="O01I", output_pads=(0, 0), **place, **limits(out))
        return core.QuantConv(v[0], w, w_layout="O01I", **place, **limits(out))

    check([(of_x, (2, 20, 21, 8))], make, "QUANTIZE", allowed=0.25)
