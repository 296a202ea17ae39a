"""Products that quantize floats at run time give what LiteRT's default kernels give, and so does their arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module, clone_module
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.provenance.locations import NameLocation
from tests.support.dynamic import blocks, convolution, floats, module_of, vector, weights
from tests.support.integers import Make
from tests.support.litert import file_bytes, op_names, run_litert, to_tfl

TOLERANCE = 3e-7  # of the largest number: sums are exact, float32 products are rounded in another order


def close(got: np.ndarray, want: np.ndarray, allowed: float = 0) -> None:
    """allowed: share of the results that may differ by more."""
    assert got.dtype == want.dtype and got.shape == want.shape
    assert np.mean(np.abs(got - want) > TOLERANCE * np.abs(want).max()) <= allowed


def check(x: np.ndarray, make: Make, builtin: str, allowed: float = 0) -> None:
    """LiteRT, and the arithmetic that other targets get, give what the op means.  allowed: share of LiteRT's results
    that may have an input which is rounded the other way: its own kernel for depthwise weights rounds by another
    formula, which a few of a million integers see.
    """
    m = module_of(x.shape, make)
    (want,) = run_function(m.main, {"in0": x}).values()
    model = to_tfl(clone_module(m))
    assert [n for n in op_names(model) if n not in ("PAD", "RESHAPE", "TRANSPOSE", "ADD")] == [builtin]
    close(run_litert(file_bytes(model), [x])[0], want, allowed)
    check_arithmetic(m, x, want)


def check_arithmetic(m: Module, x: np.ndarray, want: np.ndarray) -> None:
    run_pipeline(m, parse_pipeline("quant-to-arithmetic"), Instruments(verify_each=True))
    assert not any(quant_of(v) for op in m.walk() for v in (*op.inputs, *op.results))
    close(run_function(m.main, {"in0": x})["y"], want)


@pytest.mark.parametrize("storage", [DType.I8, DType.I4])
@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("shape", [(50, 64), (3, 20, 33), (1, 700)])
def test_matmul(shape: tuple[int, ...], axis: int | None, storage: DType) -> None:
    def make(b: Builder, v: list[Value]) -> OpDef:
        w = weights(b, (40, shape[-1]), axis, storage)
        return core.DynamicMatMul(v[0], w, bias=vector(b, 40), transpose_b=True)

    check(floats(*shape), make, "FULLY_CONNECTED")


@pytest.mark.parametrize("transposed", [False, True])
def test_transposed_operands(transposed: bool) -> None:
    check(
        floats(64, 50) if transposed else floats(50, 64),
        lambda b, v: core.DynamicMatMul(v[0], weights(b, (64, 40), 1), transpose_a=transposed),
        "FULLY_CONNECTED",
    )


def test_matrices_in_a_batch() -> None:
    check(
        floats(3, 20, 32),
        lambda b, v: core.DynamicMatMul(v[0], weights(b, (3, 32, 16), None), bias=vector(b, 16)),
        "BATCH_MATMUL",
    )


CONVOLUTIONS = [
    # window, stride, pads, dilation, groups, channels in, out
    ((3, 3), 1, ((1, 1), (1, 1)), 1, 1, 8, 16),
    ((5, 5), 2, ((2, 2), (1, 2)), 1, 1, 3, 12),
    ((3, 3), 1, ((0, 0), (0, 0)), 2, 1, 8, 12),
    ((1, 1), 1, ((0, 0), (0, 0)), 1, 1, 40, 24),
    ((3, 3), 2, ((0, 1), (0, 1)), 1, 16, 16, 16),
    ((3, 3), 1, ((1, 1), (1, 1)), 1, 4, 16, 8),
]


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize(("window", "stride", "pads", "dilation", "groups", "inner", "outer"), CONVOLUTIONS)
def test_convolution(
    window: tuple[int, int],
    stride: int,
    pads: tuple[tuple[int, int], ...],
    dilation: int,
    groups: int,
    inner: int,
    outer: int,
    each: bool,
) -> None:
    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.DynamicConv(
            v[0],
            weights(b, (outer, *window, inner // groups), 0 if each else None),
            bias=vector(b, outer),
            strides=(stride, stride),
            pads=pads,
            dilations=(dilation, dilation),
            groups=groups,
            w_layout="O01I",
        )

    depthwise = groups == inner
    check(floats(2, 30, 31, inner), make, "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", 0.01 if depthwise else 0)


@pytest.mark.parametrize(("window", "groups", "allowed"), [(3, 1, 0), (1, 1, 0), (3, 8, 0.01)])
def test_convolution_of_4_bits(window: int, groups: int, allowed: float) -> None:
    make = convolution(window, 1, groups, 8, 8, window // 2, DType.I4)
    check(floats(2, 19, 20, 8), make, "DEPTHWISE_CONV_2D" if groups == 8 else "CONV_2D", allowed)


def test_convolution_of_another_layout() -> None:
    x = floats(2, 6, 30)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = weights(b, (8, 6, 3), 0)
        return core.DynamicConv(
            v[0], w, strides=(1,), pads=((1, 1),), dilations=(1,), x_layout="NC0", w_layout="OI0", y_layout="NC0"
        )

    check(x, make, "CONV_2D")


@pytest.mark.parametrize(("size", "rows"), [(32, 64), (64, 256), (32, 96)])
@pytest.mark.parametrize("transposed", [True, False])
def test_blocks(transposed: bool, size: int, rows: int) -> None:
    """Scales of blocks of rows that are float16 and bfloat16, too, which XNNPACK takes."""

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = blocks(b, 24, rows, size, short=True)
        if not transposed:
            assert isinstance(w.producer, core.Constant) and w.tensor.quant is not None
            value = recipes.transpose(w.producer.value, (1, 0))
            w = b.emit(core.Constant(value=value, element=w.tensor.quant.transposed((1, 0)))).y
        return core.DynamicMatMul(v[0], w, bias=vector(b, 24), transpose_b=transposed)

    check(floats(3, 5, rows), make, "FULLY_CONNECTED")


@pytest.mark.parametrize(("rows", "short"), [(64, False), (80, True)], ids=["longer scales", "a short block"])
def test_blocks_without_a_kernel(rows: int, short: bool) -> None:
    """Are arithmetic."""
    x = floats(3, 5, rows)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.DynamicMatMul(v[0], blocks(b, 24, rows, 32, short), bias=vector(b, 24), transpose_b=True)

    m = module_of(x.shape, make)
    (want,) = run_function(m.main, {"in0": x}).values()
    assert "FULLY_CONNECTED" not in op_names(to_tfl(clone_module(m)))
    check_arithmetic(m, x, want)


def test_what_is_refused() -> None:
    """Zero points, scales along another axis, and operands that are quantized already."""

    def typed(element: QuantType, shape: tuple[int, ...]) -> Value:
        return Function.create("f", [TensorType(element, shape)], ["w"], NameLocation("f")).inputs[0]

    x = Function.create("f", [TensorType(DType.F32, (4, 6))], ["x"], NameLocation("f")).inputs[0]
    for element in (
        QuantType.of(DType.I8, 0.1, 3),
        QuantType.of(DType.I16, 0.1),
        QuantType.of(DType.I8, np.ones(6, np.float32), axis=0),
    ):
        with pytest.raises(ConversionError):
            core.DynamicMatMul(x, typed(element, (6, 5))).infer()
    with pytest.raises(ConversionError):
        core.DynamicMatMul(
            typed(QuantType.of(DType.I8, 0.1), (4, 6)), typed(QuantType.of(DType.I8, 0.1), (6, 5))
        ).infer()


def test_rows_of_zeros() -> None:
    """A range without an extent has the scale 1."""
    x = floats(4, 6)
    x[1] = 0
    check(
        x,
        lambda b, v: core.DynamicMatMul(v[0], weights(b, (6, 8), 1), bias=vector(b, 8)),
        "FULLY_CONNECTED",
    )
