"""Ops over stored integers are bit-equal with LiteRT's default kernels, at ratios of scales with and without ties."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import clone_module
from mlconv.ir.quant import QuantType, product_of
from mlconv.ir.spec import OpDef
from mlconv.passes.quantized.movement import MOVEMENT
from tests.support.core_rows import ROWS, Row
from tests.support.integers import check, constant, function_of, int8, int16, limits, random_integers
from tests.support.litert import file_bytes, run_litert, to_tfl
from tests.support.quantized_rows import built

SCALES = [
    (0.5, 0.5, 1.0, 3, -4, 5),
    (0.1, 0.25, 0.3, 7, 1, -9),
    (1.0, 0.25, 0.25, 0, 0, 0),
    (0.02, 3.0, 1.5, -128, 127, 0),
    (0.013, 0.011, 0.02, 1, 2, 3),
]


@pytest.mark.parametrize(("a", "b", "y", "za", "zb", "zy"), SCALES)
@pytest.mark.parametrize("kind", ["add", "sub", "mul"])
def test_binary(kind: str, a: float, b: float, y: float, za: int, zb: int, zy: int) -> None:
    out = int8(y, zy)
    check(
        [(int8(a, za), (1000, 1000)), (int8(b, zb), (1000, 1000))],
        lambda _, v: core.QuantBinary(v[0], v[1], kind=kind, **limits(out)),
        kind.upper(),
    )


@pytest.mark.parametrize(("lo", "hi"), [(0, None), (0, 6), (-1, 1), (-0.3, 2.2)])
def test_activations(lo: float, hi: float | None) -> None:
    """Those that kernels have, and others beside them."""
    out = int8(0.03, -100)
    check(
        [(int8(0.1, 3), (40, 50)), (int8(0.05, -7), (50,))],
        lambda _, v: core.QuantBinary(v[0], v[1], kind="add", **limits(out, lo, hi)),
        "ADD",
    )


@pytest.mark.parametrize("depth", [7, 64, 513])
@pytest.mark.parametrize("scales", ["one", "each"])
def test_matmul(depth: int, scales: str) -> None:
    """Weights with one scale, and with one for each column; biases of the products."""
    rng = np.random.default_rng(depth)
    weights = rng.integers(-127, 128, (48, depth)).astype(np.int8)
    of_x, out = int8(0.037, -7), int8(0.011 * depth**0.5, 11)
    numbers = rng.uniform(0.001, 0.02, 48).astype(np.float32)
    of_w = QuantType.of(DType.I8, 0.004) if scales == "one" else QuantType.of(DType.I8, numbers, axis=0)
    bias = rng.integers(-3000, 3000, 48).astype(np.int32)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w, vector = constant(b, weights, of_w), constant(b, bias, product_of(of_x, of_w))
        return core.QuantMatMul(v[0], w, bias=vector, transpose_b=True, **limits(out))

    check([(of_x, (20_000 if depth == 7 else 2000, depth))], make, "FULLY_CONNECTED")


CONVOLUTIONS = [
    # window, stride, pads, groups, channels in, out
    ((3, 3), 1, ((1, 1), (1, 1)), 1, 8, 16),
    ((5, 5), 2, ((2, 2), (1, 2)), 1, 3, 12),
    ((1, 1), 1, ((0, 0), (0, 0)), 1, 40, 24),
    ((3, 3), 1, ((1, 1), (1, 1)), 16, 16, 16),
    ((3, 3), 2, ((0, 1), (0, 1)), 16, 16, 16),
    ((3, 3), 1, ((1, 1), (1, 1)), 4, 16, 8),
]


@pytest.mark.parametrize(("window", "stride", "pads", "groups", "inner", "outer"), CONVOLUTIONS)
def test_convolution(
    window: tuple[int, int], stride: int, pads: tuple[tuple[int, int], ...], groups: int, inner: int, outer: int
) -> None:
    """With a scale for each output channel, padding with zero points, and a ReLU."""
    rng = np.random.default_rng(outer)
    weights = rng.integers(-127, 128, (outer, *window, inner // groups)).astype(np.int8)
    of_x, out = int8(0.05, 9), int8(0.06, -30)
    of_w = QuantType.of(DType.I8, rng.uniform(0.0005, 0.005, outer).astype(np.float32), axis=0)
    bias = rng.integers(-2000, 2000, outer).astype(np.int32)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w, vector = constant(b, weights, of_w), constant(b, bias, product_of(of_x, of_w))
        return core.QuantConv(
            v[0],
            w,
            bias=vector,
            strides=(stride, stride),
            pads=pads,
            dilations=(1, 1),
            groups=groups,
            w_layout="O01I",
            **limits(out, 0),
        )

    check([(of_x, (2, 60, 61, inner))], make, "DEPTHWISE_CONV_2D" if groups == inner else "CONV_2D")


OF_4_BITS = [
    # window, groups, channels in, out, kernel, whether sums are rounded twice
    ((1, 1), 1, 40, 24, "FULLY_CONNECTED", False),
    ((1, 1), 1, 7, 24, "FULLY_CONNECTED", False),
    ((3, 3), 16, 16, 16, "DEPTHWISE_CONV_2D", False),
    ((3, 3), 4, 16, 8, "CONV_2D", False),
    ((3, 3), 1, 8, 16, "CONV_2D", False),
    ((3, 3), 1, 8, 16, "CONV_2D", True),
    ((5, 5), 1, 3, 12, "CONV_2D", True),
    ((1, 5), 1, 32, 7, "CONV_2D", True),
]


@pytest.mark.parametrize(("window", "groups", "inner", "outer", "builtin", "twice"), OF_4_BITS)
@pytest.mark.parametrize("scales", ["one", "each"])
def test_convolution_with_weights_of_4_bits(
    window: tuple[int, int], groups: int, inner: int, outer: int, builtin: str, twice: bool, scales: str
) -> None:
    """Those of one element are products of matrices, as they are stored where depths are even."""
    rng = np.random.default_rng(outer)
    weights = rng.integers(-8, 8, (outer, *window, inner // groups)).astype(np.int8)
    of_x, out, pads = int8(0.05, 9), int8(0.06, -30), tuple((size // 2, size // 2) for size in window)
    of_each = QuantType.of(DType.I4, rng.uniform(0.01, 0.1, outer).astype(np.float32), axis=0)
    of_w = QuantType.of(DType.I4, 0.04) if scales == "one" else of_each
    bias = rng.integers(-300, 300, outer).astype(np.int32)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = b.emit(core.Constant(value=make_const(weights, DType.I4), element=of_w)).y
        vector = constant(b, bias, product_of(of_x, of_w))
        geometry = {"strides": (1, 1), "dilations": (1, 1), "pads": pads, "groups": groups, "w_layout": "O01I"}
        return core.QuantConv(v[0], w, bias=vector, twice=twice, **geometry, **limits(out, 0))

    check([(of_x, (2, 150 if twice else 60, 161, inner))], make, builtin)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("depth", [127, 128])
def test_product_with_weights_of_4_bits(depth: int, turned: bool) -> None:
    """Of an odd depth, with a place more; the file has half a byte for each weight."""
    stored = np.random.default_rng(depth).integers(-8, 8, (96, depth) if turned else (depth, 96)).astype(np.int8)
    of_x, of_w, out = int8(0.05, 9), QuantType.of(DType.I4, 0.02), int8(0.3, -30)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = b.emit(core.Constant(value=make_const(stored, DType.I4), element=of_w)).y
        bias = constant(b, np.arange(96, dtype=np.int32), product_of(of_x, of_w))
        return core.QuantMatMul(v[0], w, bias, transpose_b=turned, **limits(out))

    given: list[Any] = [(of_x, (500, depth))]
    check(given, make, "FULLY_CONNECTED")
    assert len(file_bytes(to_tfl(function_of(given, make)))) < 96 * depth / 2 + 3000


@pytest.mark.parametrize("groups", [1, 2, 8])
def test_convolution_with_weights_that_are_data(groups: int) -> None:
    """A kernel of LiteRT's own."""
    out, shape = int8(0.06, -30), (16, 3, 3, 8 // groups)
    geometry = {"strides": (1, 1), "dilations": (1, 1), "pads": ((1, 1), (1, 1)), "groups": groups, "w_layout": "O01I"}
    check(
        [(int8(0.05, 9), (2, 60, 61, 8)), (int8(0.01), shape)],
        lambda _, v: core.QuantConv(v[0], v[1], twice=True, **geometry, **limits(out)),
        "CONV_2D",
    )


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("groups", [1, 2])
def test_windows_of_three_axes(transposed: bool, groups: int) -> None:
    """There are kernels of floats alone: numbers go in, and what comes out is rounded and limited."""
    rng = np.random.default_rng(groups)
    of_x, out, of_w = int8(0.05, 9), int8(0.06, -30), QuantType.of(DType.I8, 0.004)
    weights = rng.integers(-127, 128, (4, 3, 2, 3, 4 // groups)).astype(np.int8)
    bias = rng.integers(-2000, 2000, 4).astype(np.int32)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w, vector = constant(b, weights, of_w), constant(b, bias, product_of(of_x, of_w))
        layouts = {"x_layout": "N012C", "y_layout": "N012C"}
        given = {"bias": vector, "pads": ((1, 1),) * 3, "dilations": (1, 1, 1), "groups": groups, **layouts}
        given |= limits(out, 0, 5)
        if transposed:
            return core.QuantConvTranspose(v[0], w, strides=(2, 1, 2), w_layout="I012O", output_pads=(0, 0, 0), **given)
        return core.QuantConv(v[0], w, strides=(1, 2, 1), w_layout="O012I", **given)

    builtin = "CONV_3D_TRANSPOSE" if transposed else "CONV_3D" if groups == 1 else "CONV_2D"
    check([(of_x, (2, 6, 7, 5, 4))], make, builtin, allowed=0.001)


FLAT = {"planes": ((1, 3, 2), (2, 2, 1)), "lines": ((3, 1, 1), (2, 1, 1))}


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("name", FLAT)
def test_flat_windows_of_three_axes(name: str, groups: int) -> None:
    """Those that reach along two axes, or along one, are convolutions of images, which have kernels of integers."""
    window, strides = FLAT[name]
    rng = np.random.default_rng(groups)
    of_x, out, of_w = int8(0.05, 9), int8(0.06, -30), QuantType.of(DType.I8, 0.004)
    weights = rng.integers(-127, 128, (8, *window, 4 // groups)).astype(np.int8)
    pads = tuple((size // 2, size // 2) for size in window)

    def make(b: Builder, v: list[Value]) -> OpDef:
        layouts = {"x_layout": "N012C", "y_layout": "N012C", "w_layout": "O012I"}
        given = {"strides": strides, "pads": pads, "dilations": (1, 1, 1), "groups": groups, **layouts}
        return core.QuantConv(v[0], constant(b, weights, of_w), **given, **limits(out, 0))

    check([(of_x, (2, 6, 7, 5, 4))], make, "CONV_2D" if groups == 1 else "DEPTHWISE_CONV_2D")


@pytest.mark.parametrize("dtype", [DType.I8, DType.I4])
def test_depthwise_of_three_axes(dtype: DType) -> None:
    """Planes of the window are of stored integers, each with its channels' scales."""
    rng = np.random.default_rng(5)
    of_x, out = int8(0.05, 9), int8(0.06, -30)
    of_w = QuantType.of(dtype, rng.uniform(0.01, 0.1, 16).astype(np.float32), axis=0)
    weights = rng.integers(-7, 8, (16, 3, 3, 3, 1)).astype(np.int8)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = b.emit(core.Constant(value=make_const(weights, dtype), element=of_w)).y
        layouts = {"x_layout": "N012C", "y_layout": "N012C", "w_layout": "O012I"}
        given = {"strides": (1, 1, 1), "pads": ((1, 1),) * 3, "dilations": (1, 1, 1), "groups": 8, **layouts}
        return core.QuantConv(v[0], w, **given, **limits(out, 0))

    check([(of_x, (2, 6, 7, 5, 8))], make, "DEPTHWISE_CONV_2D", allowed=0.001)


MEANS = [
    (8, 3, 5, 0.05, 0.03),
    (4, -77, 5, 0.05, 0.03),
    (7, 3, 4, 0.05, 0.03),
    (3, 99, -3, 0.11, 0.37),
    (6, 0, 0, 0.1, 0.1),
]


@pytest.mark.parametrize(("size", "zx", "zy", "x", "y"), MEANS)
def test_mean(size: int, zx: int, zy: int, x: float, y: float) -> None:
    out = int8(y, zy)
    check(
        [(int8(x, zx), (400, size, size, 40))],
        lambda _, v: core.QuantMean(v[0], axes=(1, 2), keepdims=True, **limits(out)),
        "MEAN",
    )


@pytest.mark.parametrize(
    ("x", "zx", "y", "zy"), [(0.1, 3, 0.07, -9), (0.05, 0, 0.1, 4), (0.3, -128, 0.31, 0), (0.01, 5, 0.05, 7)]
)
def test_requantize(x: float, zx: int, y: float, zy: int) -> None:
    out = int8(y, zy)
    check([(int8(x, zx), (1000, 1000))], lambda _, v: core.Requantize(v[0], **limits(out)), "QUANTIZE")


@pytest.mark.parametrize("storage", [DType.I8, DType.I4], ids=str)
def test_batches_of_weights(storage: DType) -> None:
    """Kernels read one scale."""
    weights = np.random.default_rng(0).integers(-8, 8, (3, 32, 16)).astype(np.int8)
    out = int8(0.05, 11)

    def make(of_w: QuantType, b: Builder, v: list[Value]) -> OpDef:
        w = b.emit(core.Constant(value=make_const(weights, storage), element=of_w)).y
        return core.QuantMatMul(v[0], w, **limits(out))

    given = [(int8(0.02, -7), (3, 50, 32))]
    check(given, partial(make, QuantType.of(storage, 0.03)), "BATCH_MATMUL")
    with pytest.raises(ConversionError, match="more than one scale"):
        check(given, partial(make, QuantType.of(storage, np.full(16, 0.03), axis=2)), "")


@pytest.mark.parametrize("zero", [0, 4])
def test_products_of_activations(zero: int) -> None:
    """XNNPACK's batched product, which has no zero points, rounds as its others do; the built-in one rounds twice."""
    out = int8(0.4, 3)
    check(
        [(int8(0.05, zero), (40, 30, 32)), (int8(0.03, -zero), (40, 32, 40))],
        lambda _, v: core.QuantMatMul(v[0], v[1], **limits(out)),
        "BATCH_MATMUL",
        allowed=0.005 if zero else 0,
    )


@pytest.mark.parametrize("depth", ["data", "batches"])
def test_biases_of_products_without_a_kernel_for_them(depth: str) -> None:
    """BATCH_MATMUL has none: numbers are multiplied and added, and rounded once."""
    of_a, of_b, out = int8(0.02, -7), int8(0.03), int8(0.4, 11)
    rng = np.random.default_rng(0)
    bias, weights = rng.integers(-9000, 9000, 16).astype(np.int32), rng.integers(-99, 99, (3, 32, 16)).astype(np.int8)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = v[1] if depth == "data" else constant(b, weights, of_b)
        return core.QuantMatMul(v[0], w, constant(b, bias, product_of(of_a, of_b)), **limits(out, 0))

    given = [(of_a, (3, 500, 32)), (of_b, (3, 32, 16))]
    check(given if depth == "data" else given[:1], make, "BATCH_MATMUL", allowed=0.001)


NAMES = {cls.name for cls in MOVEMENT}
MOVED = [pytest.param(row, id=f"{i}-{row.name}") for i, row in enumerate(ROWS) if f"core.{row.name}" in NAMES]


@pytest.mark.parametrize("row", MOVED)
@pytest.mark.parametrize("element", [int8(0.05, 3), int16(0.01)], ids=["int8", "int16"])
def test_movement(row: Row, element: QuantType) -> None:
    """Whatever moves tensors of 8 and 16 bits gives their integers on LiteRT."""
    try:
        m, op = built(row, given=element)
    except ConversionError:
        return  # constants of numbers beside what is quantized
    if not op.moves_integers():
        return
    rng = np.random.default_rng(0)
    arrays = [random_integers(element, a.shape, rng) if a.dtype == np.float32 else a for a in row.inputs]
    want = run_function(m.main, {f"x{i}": a for i, a in enumerate(arrays)}).values()
    for got, wanted in zip(run_litert(file_bytes(to_tfl(clone_module(m))), arrays), want, strict=True):
        assert got.dtype == wanted.dtype and np.array_equal(got, wanted)
