"""Functions, pools, resampling and transposed convolutions over stored integers are bit-equal with LiteRT's default
kernels, as `quant-lower` makes them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.quant import QuantType, product_of
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.provenance.locations import NameLocation
from tests.support.integers import agrees, check, constant, int8, limits

Make = Callable[[Value], OpDef]
UNIT, SIGNED_UNIT, LOG_UNIT = int8(1 / 256, -128), int8(1 / 128), int8(1 / 16, 127)


def lowered(x: QuantType, shape: tuple[int, ...], y: QuantType, make: Make, options: str = "") -> Module:
    """A float op between a dequantize and a quantize, as `quant-lower` leaves it."""
    function = Function.create("main", [TensorType(x, shape)], ["in0"], NameLocation("f"))
    b = Builder(function.block, NameLocation("op"))
    made = b.emit(make(b.emit(core.Dequantize(function.inputs[0])).y)).results[0]
    b.emit(Yield([b.emit(core.Quantize(made, element=y)).y]))
    function.output_names = ["y"]
    m = Module([function])
    passes = f"quant-lower{{{options or 'windows=true,tables=true'}}}"
    run_pipeline(m, parse_pipeline(passes), Instruments(verify_each=True))
    return m


def names(m: Module) -> list[str]:
    return [op.name.removeprefix("core.") for op in m.walk()]


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).integers(-128, 128, shape).astype(np.int8)


FUNCTIONS: list[tuple[str, Make]] = [
    ("LOGISTIC", core.Sigmoid),
    ("TANH", core.Tanh),
    ("EXP", core.Exp),
    ("LOG", core.Log),
    ("ELU", core.Elu),
    ("HARD_SWISH", core.HardSwish),
    ("GELU", core.Gelu),
    ("GELU", lambda x: core.Gelu(x, approximate=True)),
    ("LEAKY_RELU", lambda x: core.LeakyRelu(x, alpha=0.1)),
    ("LEAKY_RELU", lambda x: core.LeakyRelu(x, alpha=-0.4)),
]
RATIOS = [(0.25, 0.5), (0.25, 1.0), (0.5, 0.5), (0.04, 0.05), (0.013, 0.07), (1.0, 2.0)]


@pytest.mark.parametrize("i", range(len(FUNCTIONS)))
@pytest.mark.parametrize(("zx", "zy"), [(0, 0), (3, -5), (-128, 6), (7, 127)])
@pytest.mark.parametrize(("x", "y"), RATIOS)
def test_function(i: int, x: float, y: float, zx: int, zy: int) -> None:
    """Every integer, at ratios with and without ties."""
    builtin, make = FUNCTIONS[i]
    out = {"LOGISTIC": UNIT, "TANH": SIGNED_UNIT}.get(builtin, int8(y, zy))
    m = lowered(int8(x, zx), (256,), out, make)
    assert names(m)[-2:] == ["quant_table", "mlconv.yield"]
    agrees(m, [np.arange(-128, 128).astype(np.int8)], builtin)


def test_limits_of_a_function() -> None:
    """A limit behind a function is one of its integers, and a kernel's own beside it."""
    out = int8(0.02, -9)
    m = lowered(int8(0.05, 2), (256,), out, lambda x: core.Clamp(_emitted(x, core.Gelu), lo=-0.1, hi=0.7))
    assert names(m)[-2:] == ["quant_table", "mlconv.yield"]
    agrees(m, [np.arange(-128, 128).astype(np.int8)], "GELU")


def _emitted(x: Value, make: Make) -> Value:
    block = x.producer.block if x.producer is not None else None
    assert block is not None
    return Builder(block, NameLocation("op")).emit(make(x)).results[0]


def test_what_no_kernel_takes() -> None:
    """Other scales of a result than a kernel has, and factors beyond its own, stay functions of numbers."""
    for out, make in (
        (int8(0.01, -100), core.Sigmoid),
        (UNIT, core.Tanh),
        (int8(0.01), core.Softplus),
        (int8(0.1), lambda x: core.Elu(x, alpha=0.5)),
        (int8(0.1), lambda x: core.LeakyRelu(x, alpha=250.0)),
        (int8(0.0001), core.HardSwish),
    ):
        assert "quantize" in names(lowered(int8(0.1), (256,), out, make)), make


def _swish(x: Value) -> OpDef:
    block = x.producer.block if x.producer is not None else None
    assert block is not None
    b = Builder(block, NameLocation("op"))
    half = b.emit(core.Constant(value=make_const(np.float32(0.5)))).y
    gate = b.emit(core.Sigmoid(b.emit(core.Mul(x, half)).y)).y
    return core.Mul(x, gate)


def test_chain() -> None:
    """Any function of one tensor is a table, where that is asked for; on LiteRT a GATHER, the same integers."""
    options = "tables=true,chains=true"
    m = lowered(int8(0.05, 3), (16, 16), int8(0.04, -20), _swish, options)
    assert names(m) == ["constant", "quant_table", "mlconv.yield"]
    agrees(m, [np.arange(-128, 128).astype(np.int8).reshape(16, 16)], "GATHER")
    assert "quantize" in names(lowered(int8(0.05, 3), (256,), int8(0.04), _swish))


@pytest.mark.parametrize("size", [1, 2, 10, 37, 1001])
@pytest.mark.parametrize("scale", [0.01, 0.05, 0.125, 0.5])
@pytest.mark.parametrize("log", [False, True])
def test_softmax(log: bool, scale: float, size: int) -> None:
    m = lowered(
        int8(scale, 5),
        (1000, size),
        LOG_UNIT if log else UNIT,
        lambda x: core.LogSoftmax(x, axis=1) if log else core.Softmax(x, axis=1),
    )
    assert names(m)[0].startswith("quant_")
    agrees(m, [random(1000, size)], "LOG_SOFTMAX" if log else "SOFTMAX")


def test_softmax_along_another_axis() -> None:
    m = lowered(int8(0.1, 5), (40, 20, 30), UNIT, lambda x: core.Softmax(x, axis=1))
    agrees(m, [random(40, 20, 30)], "SOFTMAX")


POOLS = [
    # window, stride, pads, whether padding counts
    (2, 2, ((0, 0), (0, 0)), False),
    (3, 2, "SAME_UPPER", False),
    (7, 1, "SAME_UPPER", False),
    (3, 1, ((1, 1), (1, 1)), False),
    (3, 2, ((1, 1), (1, 1)), True),
    (8, 8, ((0, 0), (0, 0)), False),
]


@pytest.mark.parametrize(("window", "stride", "pads", "counts"), POOLS)
@pytest.mark.parametrize("zero", [0, 7, -128])
def test_average_pool(
    window: int, stride: int, pads: tuple[tuple[int, int], ...] | str, counts: bool, zero: int
) -> None:
    element = int8(0.1, zero)
    m = lowered(
        element,
        (2, 40, 41, 16),
        element,
        lambda x: core.AvgPool(
            x,
            window=(window,) * 2,
            strides=(stride,) * 2,
            pads=pads,
            dilations=(1, 1),
            count_include_pad=counts,
            layout="N01C",
        ),
    )
    assert names(m)[0] == "quant_average_pool"
    agrees(m, [random(2, 40, 41, 16)], "AVERAGE_POOL_2D")


SIZES = [((20, 21), (40, 42)), ((20, 21), (33, 57)), ((40, 41), (13, 20)), ((1, 5), (7, 9))]


@pytest.mark.parametrize("coordinates", ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"])
@pytest.mark.parametrize(("before", "after"), SIZES)
def test_resize(before: tuple[int, int], after: tuple[int, int], coordinates: str) -> None:
    element = int8(0.1, 9)

    def make(x: Value) -> OpDef:
        block = x.producer.block if x.producer is not None else None
        assert block is not None
        sizes = Builder(block, NameLocation("op")).emit(core.Constant(value=make_const(np.asarray(after)))).y
        return core.Resize(x, sizes, axes=(1, 2), mode="linear", coordinates=coordinates)

    m = lowered(element, (3, *before, 16), element, make)
    assert "quant_resize" in names(m)
    agrees(m, [random(3, *before, 16)], "RESIZE_BILINEAR")


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize(
    ("window", "stride", "pads"),
    [(3, 2, ((0, 0), (0, 0))), (4, 2, ((1, 1), (1, 1))), (2, 2, ((0, 0), (0, 0))), (3, 1, ((1, 0), (0, 1)))],
)
def test_transposed_convolution(window: int, stride: int, pads: tuple[tuple[int, int], ...], per_channel: bool) -> None:
    """With a bias and a ReLU."""
    rng = np.random.default_rng(window)
    weights = rng.integers(-127, 128, (6, window, window, 5)).astype(np.int8)
    of_x, out = int8(0.05, 9), int8(0.6, -30)
    of_w = QuantType.of(DType.I8, 0.01)
    if per_channel:
        of_w = QuantType.of(DType.I8, rng.uniform(0.0005, 0.02, 6).astype(np.float32), axis=0)
    bias = rng.integers(-2000, 2000, 6).astype(np.int32)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantConvTranspose(
            v[0],
            constant(b, weights, of_w),
            bias=constant(b, bias, product_of(of_x, of_w)),
            strides=(stride,) * 2,
            pads=pads,
            output_pads=(0, 0),
            dilations=(1, 1),
            w_layout="O01I",
            **limits(out, 0),
        )

    check([(of_x, (3, 40, 41, 5))], make, "TRANSPOSE_CONV")
