"""Winograd's algorithm over bytes: the sums of direct summation, to the bit, and where it is chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.dialects.kernel import IntegerWinograd, OutputIndexing, ProductTypes, View
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.legalize.to_kernel.arithmetic import packed
from mlconv.legalize.to_kernel.integer_winograd import integer_blocks_of, small_transformed
from tests.native.test_interpreted_kernels import check as interpreted
from tests.native.test_products import BYTES, cpus, run, with_dots
from tests.native.test_rounded import bounds, check, integers, quant
from tests.support.integers import constant, function_of
from tests.support.lowering import lower

LAYOUTS = {"x_layout": "N01C", "w_layout": "01IO", "y_layout": "N01C"}
OUT = quant(0.9, 11)
PAIRS_ALONE = {"cpu": "x86-64-v3", "winograd": "faster"}


def conv(b: Builder, x: Value, channels: int, pad: int = 1, kind: str = "all", **more: Any) -> OpDef:
    of_w = QuantType.of(DType.I8, np.linspace(0.001, 0.02, channels, dtype=np.float32), axis=3)
    weights = integers(of_w, (3, 3, int(x.tensor.shape[3]), channels), kind)  # type: ignore[index, arg-type]
    geometry: dict[str, Any] = {"strides": (1, 1), "pads": ((pad, pad), (pad, pad)), "dilations": (1, 1), **more}
    return core.QuantConv(x, constant(b, weights, of_w), **geometry, **LAYOUTS, **bounds(OUT))


def kernels(m: Module, **options: Any) -> list[str]:
    m = clone_module(m)
    lower(m, "native", **options).raise_errors()
    names = [op.name.removeprefix("kernel.") for op in m.main.block.ops if op.name.startswith("kernel.")]
    return [n for n in names if n not in ("loop_nest", "alias")]


@pytest.mark.share(4)
@pytest.mark.parametrize("kind", ["all", "ends", "low"])
@pytest.mark.parametrize(
    ("size", "channels", "pad", "zero"),
    [
        ((1, 16, 16), (32, 32), 1, -7),
        ((2, 15, 18), (34, 40), 1, 127),
        ((1, 13, 11), (48, 21), 0, -128),
        ((3, 12, 9), (64, 64), 2, 0),
    ],
)
def test_the_same_integers(
    size: tuple[int, int, int], channels: tuple[int, int], pad: int, zero: int, kind: str, tmp_path: Path
) -> None:
    """On each set that this machine has; the second convolution reads what the first makes."""
    given = [(quant(0.05, zero), (*size, channels[0]))]

    def make(b: Builder, v: list[Value]) -> OpDef:
        first = b.emit(conv(b, v[0], channels[1] + channels[1] % 2, pad, kind)).result
        return conv(b, first, channels[1], 1, kind)

    m = function_of(given, make)  # type: ignore[arg-type]
    assert kernels(m, **PAIRS_ALONE) == ["integer_winograd"] * 2
    check(given, make, tmp_path)


def test_the_interpreter() -> None:
    given = [(quant(0.05, 3), (1, 14, 15, 48))]
    m = function_of(given, lambda b, v: conv(b, v[0], 40))  # type: ignore[arg-type]
    assert "kernel.integer_winograd" in interpreted(m, {"in0": integers(*given[0])}, "winograd", **PAIRS_ALONE)


@pytest.mark.parametrize(("shift", "cout", "slots", "parts"), [(0, 21, 3, 1), (128, 32, 1, 2), (128, 64, 4, 2)])
def test_instructions_for_four_bytes_sum_directly(shift: int, cout: int, slots: int, parts: int) -> None:
    """Such a set reads the weights as they are; others those that are transformed.  The largest operands, and shares
    that are done one by one.
    """
    height, width, cin = 9, 6, 32
    of_x = DType.I8 if shift else DType.U8
    x = integers(QuantType.of(of_x, 1.0), (2, 12, 10, cin), "ends")
    w = integers(QuantType.of(DType.I8, 1.0), (3, 3, cin, cout), "ends")
    x[0, :4, :4], w[..., 0] = np.iinfo(of_x.numpy).max, -128
    row = 10 * cin
    strides = (height * width * cout, width * cout, cout, 1)
    indexing = OutputIndexing(
        (2, height, width), View(0, (12 * row, row, cin)), (3, 3), (row, cin), cout, (), View(0, strides)
    )
    types = ProductTypes(of_x, DType.I8, DType.I32, DType.I32)
    problem = IntegerWinograd(indexing, cin, types, shift, 2, slots, parts)
    whole = x.astype(np.int64) + shift
    want = sum(whole[:, i : i + height, j : j + width] @ w[i, j].astype(np.int64) for i in range(3) for j in range(3))
    weights = make_const(w)
    operands = [x, small_transformed(weights).view(), packed(weights, 9 * cin, cout, BYTES, cin).view()]
    wide = cpus()[0]._replace(name="wide", bits=512, registers=32, pairs=())
    for cpu in [*with_dots(), *cpus(), wide]:
        y, scratch = np.zeros((2, height, width, cout), np.int32), np.zeros(problem.slots * problem.slot, np.uint8)
        text = run(cpu, problem, [*operands, scratch], y, apart=True)
        np.testing.assert_array_equal(y, want)
        direct = any(d.x is (DType.U8 if shift else of_x) for d in cpu.dots)
        assert any(f"@{one.intrinsic}(" in text for one in (*cpu.dots, *cpu.matrices)) == direct


@pytest.mark.parametrize(
    ("result", "depth"),
    [((1, 28, 28, 64), 8), ((1, 28, 28, 8), 64), ((1, 28, 28, 64), 2048), ((1, 7, 7, 512), 512), ((1, 28, 28, 32), 33)],
)
def test_where_it_does_not_pay(result: tuple[int, ...], depth: int) -> None:
    """Few channels, sums that may not fit, weights that take long to read, and channels that are not in pairs."""
    assert integer_blocks_of(result, depth) is None


@pytest.mark.parametrize(
    "options",
    [
        {**PAIRS_ALONE, "winograd": "never"},
        {**PAIRS_ALONE, "winograd": "auto"},
        {**PAIRS_ALONE, "optimize": "size"},
        {"winograd": "faster"},
        {"cpu": "avx512-vnni", "winograd": "faster"},
    ],
    ids=str,
)
def test_options_and_machines_without_it(options: dict[str, str]) -> None:
    m = function_of([(quant(0.05), (1, 28, 28, 64))], lambda b, v: conv(b, v[0], 64))  # type: ignore[arg-type]
    assert kernels(m, **PAIRS_ALONE) == kernels(m, machine="wasm32", winograd="faster") == ["integer_winograd"]
    assert kernels(m, **options) == kernels(m, machine="aarch64", winograd="faster") == ["gemm"]


@pytest.mark.parametrize("more", [{"strides": (2, 2)}, {"dilations": (2, 2)}, {"groups": 2}], ids=str)
def test_other_convolutions(more: dict[str, Any]) -> None:
    def make(b: Builder, v: list[Value]) -> OpDef:
        of_w = quant(0.01)
        weights = integers(of_w, (3, 3, 64 // more.get("groups", 1), 64))
        geometry: dict[str, Any] = {"strides": (1, 1), "pads": ((1, 1), (1, 1)), "dilations": (1, 1), **more}
        return core.QuantConv(v[0], constant(b, weights, of_w), **geometry, **LAYOUTS, **bounds(OUT))

    m = function_of([(quant(0.05), (1, 28, 28, 64))], make)  # type: ignore[arg-type]
    assert kernels(m, **PAIRS_ALONE) == ["gemm"]
