"""Sums of products of plain integers are the same integers on every target, and those of onnxruntime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import GemmOp
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from tests.support import native, onnx_files, xla
from tests.support.litert import file_bytes, op_names, run_litert, to_tfl
from tests.support.lowering import lower
from tests.support.modules import const, module

Array = np.ndarray[Any, Any]
Make = Callable[[Builder, list[Value]], core.IntegerMatMul | core.IntegerConv]
RNG = np.random.default_rng(11)


def integers(dtype: str, *shape: int) -> Array:
    """All of an element type's."""
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max + 1, shape).astype(dtype)


def check(make: Make, arrays: list[Array], folder: Path, builtin: str) -> None:
    """The interpreter, native code of every instruction set, LiteRT, XLA and onnxruntime give equal integers."""
    m = module(lambda b, *v: b.emit(make(b, list(v))).y, arrays)
    (want,) = run_function(m.main, {f"in{i}": a for i, a in enumerate(arrays)}).values()
    assert want.dtype == np.int32 and np.unique(want).size > want.size // 4
    for cpu in native.CPUS:
        native.check(m, arrays, folder, cpu)
    xla.check(m, arrays, tolerance=0)
    model = to_tfl(clone_module(m))
    assert builtin in op_names(model)
    np.testing.assert_array_equal(run_litert(file_bytes(model), arrays)[0], want)
    onnx_files.check(m, arrays, tolerance=0)


PRODUCTS: list[tuple[str, list[Array], Make]] = [
    (
        "weights, a zero point at run time",
        [integers("uint8", 5, 700), np.asarray(131, np.uint8)],
        lambda b, v: core.IntegerMatMul(v[0], const(b, integers("int8", 700, 21)), a_zero=v[1]),
    ),
    (
        "unsigned weights, a zero point for each column",
        [integers("uint8", 2, 5, 70)],
        lambda b, v: core.IntegerMatMul(
            v[0],
            const(b, integers("uint8", 70, 21)),
            a_zero=const(b, np.uint8(7)),
            b_zero=const(b, integers("uint8", 21)),
        ),
    ),
    (
        "transposed factors",
        [integers("int8", 70, 6), np.asarray(-3, np.int8)],
        lambda b, v: core.IntegerMatMul(
            v[0],
            const(b, integers("uint8", 21, 70)),
            a_zero=v[1],
            b_zero=const(b, integers("uint8", 21, 1)),
            transpose_a=True,
            transpose_b=True,
        ),
    ),
    (
        "data, zero points of rows and columns at run time",
        [integers("uint8", 3, 5, 40), integers("int8", 40, 9), integers("uint8", 5, 1), integers("int8", 9)],
        lambda b, v: core.IntegerMatMul(v[0], v[1], a_zero=v[2], b_zero=v[3]),
    ),
    (
        "bytes of data",
        [integers("uint8", 5, 68), integers("int8", 68, 24)],
        lambda b, v: core.IntegerMatMul(v[0], v[1]),
    ),
    (
        "bytes of data with signs, zero points of columns",
        [integers("int8", 2, 5, 68), integers("uint8", 68, 24), integers("uint8", 24)],
        lambda b, v: core.IntegerMatMul(v[0], v[1], a_zero=const(b, np.int8(0)), b_zero=v[2]),
    ),
    (
        "bytes of data, zero points of rows and one of all columns",
        [integers("uint8", 2, 5, 68), integers("int8", 2, 68, 24), integers("uint8", 5, 1)],
        lambda b, v: core.IntegerMatMul(v[0], v[1], a_zero=v[2], b_zero=const(b, np.int8(-9))),
    ),
    (
        "bytes of data, of a depth of odd parts",
        [integers("uint8", 5, 67), integers("int8", 67, 24), np.asarray(3, np.uint8)],
        lambda b, v: core.IntegerMatMul(v[0], v[1], a_zero=v[2]),
    ),
    (
        "matrices in a batch",
        [integers("int8", 3, 5, 40), integers("int8", 3, 40, 9)],
        lambda b, v: core.IntegerMatMul(v[0], v[1]),
    ),
]


@pytest.mark.parametrize(("arrays", "make"), [pytest.param(*r[1:], id=r[0]) for r in PRODUCTS])
def test_products(arrays: list[Array], make: Make, tmp_path: Path) -> None:
    check(make, arrays, tmp_path, "BATCH_MATMUL")


def convolution(
    w: Array, zeros: tuple[Array | None, Array | None] = (None, None), groups: int = 1, **changes: Any
) -> Make:
    """w: [outputs, *window, inputs / groups]."""
    axes = w.ndim - 2
    digits = "".join(map(str, range(axes)))
    attributes = {
        "strides": (1,) * axes,
        "pads": ((1, 1),) * axes,
        "dilations": (1,) * axes,
        "groups": groups,
        "x_layout": f"N{digits}C",
        "w_layout": f"O{digits}I",
        "y_layout": f"N{digits}C",
    }

    def make(b: Builder, v: list[Value]) -> core.IntegerConv:
        x_zero, w_zero = (None if z is None else const(b, z) for z in zeros)
        return core.IntegerConv(v[0], const(b, w), x_zero=x_zero, w_zero=w_zero, **{**attributes, **changes})

    return make


def zero(number: int, dtype: str) -> Array:
    return np.asarray(number, dtype)


CONVOLUTIONS: list[tuple[str, Array, Make]] = [
    (
        "deep",
        integers("uint8", 2, 9, 8, 70),
        convolution(integers("int8", 12, 3, 3, 70), (zero(99, "uint8"), None), strides=(2, 1)),
    ),
    (
        "weights have a zero point",
        integers("uint8", 2, 9, 8, 7),
        convolution(integers("uint8", 12, 3, 3, 7), (zero(99, "uint8"), zero(120, "uint8")), pads="SAME_UPPER"),
    ),
    (
        "outputs have zero points",
        integers("int8", 1, 9, 8, 7),
        convolution(integers("int8", 12, 3, 3, 7), (zero(-9, "int8"), integers("int8", 12))),
    ),
    ("groups", integers("uint8", 1, 9, 8, 8), convolution(integers("int8", 12, 3, 3, 4), groups=2)),
    (
        "depthwise",
        integers("uint8", 2, 9, 8, 12),
        convolution(integers("uint8", 12, 3, 3, 1), (zero(5, "uint8"), zero(120, "uint8")), groups=12),
    ),
    (
        "depthwise, outputs have zero points",
        integers("uint8", 2, 9, 8, 12),
        convolution(integers("int8", 12, 3, 3, 1), (zero(5, "uint8"), integers("int8", 12)), groups=12),
    ),
    ("one axis", integers("int8", 2, 30, 6), convolution(integers("int8", 10, 5, 6), (zero(77, "int8"), None))),
]


@pytest.mark.parametrize(("x", "make"), [pytest.param(*r[1:], id=r[0]) for r in CONVOLUTIONS])
def test_convolutions(x: Array, make: Make, tmp_path: Path) -> None:
    check(make, [x], tmp_path, "DEPTHWISE_CONV_2D" if x.shape[-1] == 12 else "CONV_2D")


def test_weights_are_data(tmp_path: Path) -> None:
    """And so are zero points."""
    make = convolution(integers("int8", 4, 3, 3, 5))

    def of_data(b: Builder, v: list[Value]) -> core.IntegerConv:
        attributes = make(b, v).attributes
        return core.IntegerConv(v[0], v[1], x_zero=v[2], w_zero=v[3], **attributes)

    arrays = [integers("uint8", 1, 6, 6, 5), integers("int8", 4, 3, 3, 5), zero(3, "uint8"), integers("int8", 4)]
    check(of_data, arrays, tmp_path, "CONV_2D")


def test_weights_stay_bytes(tmp_path: Path) -> None:
    """In files and objects."""
    w = integers("int8", 400, 300)
    x = integers("uint8", 4, 400)

    def made(b: Builder, *v: Value) -> Value:
        return b.emit(core.IntegerMatMul(v[0], const(b, w), a_zero=const(b, np.uint8(3)))).y

    m: Module = module(made, [x])
    assert len(file_bytes(to_tfl(clone_module(m)))) < 1.1 * w.nbytes
    path = native.to_object(m, tmp_path / "m.o", separate_weights=True)
    assert path.with_suffix(".weights.bin").stat().st_size < 1.1 * w.nbytes


def test_bytes_of_data_are_multiplied_as_bytes() -> None:
    """They are not widened in front of a product."""
    arrays = [integers("uint8", 8, 64), integers("int8", 64, 16)]
    m = module(lambda b, *v: b.emit(core.IntegerMatMul(*v)).y, arrays)
    lower(m, "native", DiagnosticEngine())
    (op,) = (op for op in m.main.block.ops if isinstance(op, GemmOp))
    assert (op.problem.types.x.bits, op.problem.types.weights) == (8, DType.I8)
