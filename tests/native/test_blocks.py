"""Products of floats and weights of 4 bits, which stay two in a byte, and of 8 bits in blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

import mlconv
from mlconv.codegen.kernels.block_gemm import BlockGemmGenerator
from mlconv.codegen.llvm.text import Builder as TextBuilder
from mlconv.codegen.machines.targets import candidates, target_named
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import BlockGemmOp
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module, clone_module
from mlconv.ir.quant import Blocked, PerAxis, QuantType
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.legalize.to_kernel.blocks import STEPS
from mlconv.passes.quantized.weights import depth_in_blocks
from mlconv.provenance.locations import NameLocation
from tests.support.data_sizes import NODE
from tests.support.lowering import lower
from tests.support.native import Array, InProcess, to_object
from tests.support.onnx_models import model, save, value

RNG = np.random.default_rng(11)


def limits(storage: DType) -> tuple[int, int]:
    """The least and the largest integer."""
    least = -(1 << storage.bits - 1) if storage.is_signed_int else 0
    return least, least + (1 << storage.bits) - 1


def weights_of(
    depth: int, channels: int, block: int, zeros: bool, half: bool, storage: DType = DType.I4
) -> tuple[Array, QuantType]:
    """block: 0 for scales of columns."""
    (least, most), kind = limits(storage), np.uint8 if storage is DType.U8 else np.int8
    stored = RNG.integers(least, most + 1, (depth, channels)).astype(kind)
    stored[:, 0], stored[:, -1] = least, most
    shape = (-(-depth // block), channels) if block else (channels,)
    scales = RNG.uniform(0.01, 0.1, shape).astype(np.float16 if half else np.float32).astype(np.float32)
    scheme: Any = Blocked(0, block) if block else PerAxis(1)
    points = make_const(RNG.integers(least, most + 1, shape).astype(kind), storage) if zeros else 0
    return stored, QuantType(storage, DType.F32, scheme, make_const(scales), points)


def product(rows: Size, stored: Array, quant: QuantType, turned: bool, biased: bool) -> Module:
    depth, channels = stored.shape
    function = Function.create("main", [TensorType(DType.F32, (rows, depth))], ["in0"], NameLocation("f"))
    b = Builder(function.block, NameLocation("op"))
    element = quant
    if turned:
        stored = np.ascontiguousarray(stored.T)
        scales, axis = quant.scales.view(), 1 if isinstance(quant.scheme, Blocked) else 0
        scheme: Any = Blocked(axis, quant.scheme.size) if isinstance(quant.scheme, Blocked) else PerAxis(axis)
        points: Any = (
            quant.zero_points if isinstance(quant.zero_points, int) else quant.zero_array().T.astype(stored.dtype)
        )
        zero = points if isinstance(points, int) else make_const(np.ascontiguousarray(points), quant.storage)
        element = QuantType(quant.storage, DType.F32, scheme, make_const(np.ascontiguousarray(scales.T)), zero)
    integers = b.emit(core.Constant(value=make_const(stored, quant.storage), element=element)).y
    numbers = b.emit(core.Dequantize(integers)).y
    y: Value = b.emit(core.MatMul(function.inputs[0], numbers, transpose_b=turned)).y
    if biased:
        bias = make_const(np.arange(channels, dtype=np.float32))
        y = b.emit(core.Clamp(b.emit(core.Add(y, b.emit(core.Constant(value=bias)).y)).y, lo=0.0, hi=float("inf"))).y
    b.emit(Yield([y]))
    function.output_names = ["y"]
    return Module([function])


def expected(x: Array, stored: Array, quant: QuantType, biased: bool) -> Array:
    """Integers of 22 bits by integers of 4 or 8, in float64."""
    depth, block = depth_in_blocks(len(stored), quant.scheme)
    parts = np.pad(x, ((0, 0), (0, depth - x.shape[1]))).reshape(len(x), -1, block).astype(np.float64)
    peaks = np.abs(parts).max(-1, keepdims=True)
    steps = np.divide(STEPS, peaks, out=np.zeros_like(peaks), where=peaks > 0)
    rounded = np.rint((parts.astype(np.float32) * steps.astype(np.float32)).astype(np.float64)) * (peaks / STEPS)
    y = rounded.reshape(len(x), -1)[:, : x.shape[1]] @ quant.dequantize(stored).astype(np.float64)
    return np.maximum(y + np.arange(y.shape[1]), 0) if biased else y


CASES = [
    # rows, depth, channels, block, zeros, half, turned, biased, and the type of weights of 8 bits
    (1, 64, 48, 32, False, True, False, False),
    (1, 96, 47, 32, True, False, True, True),
    (1, 256, 200, 64, True, True, False, True),
    (2, 128, 80, 128, False, False, True, False),
    (7, 96, 24, 24, True, True, True, True),
    (13, 128, 100, 32, False, False, False, True),
    (1, 160, 5, 0, False, False, True, False),
    (9, 128, 64, 0, True, True, False, False),
    (20, 416, 79, 32, True, True, False, True),  # the last places are fewer than those at once
    (101, 4096, 48, 32, False, True, True, True),  # blocks of rows, an odd number of panels
    (1, 14336, 15, 128, True, False, True, False),  # a row that has no room on the stack
    (1, 96, 157, 32, True, False, True, True, DType.I8),
    (1, 256, 200, 64, False, True, False, True, DType.U8),
    (3, 128, 80, 128, True, False, True, False, DType.U8),
    (20, 416, 80, 32, False, True, False, True, DType.I8),
    (31, 160, 45, 32, True, True, False, True, DType.I8),  # rows of tiles that share some
    (27, 160, 44, 32, True, True, False, True),
    (1, 100, 47, 32, True, False, True, True),  # a short last block, of no whole group of places
    (3, 176, 80, 64, False, True, False, False),
    (20, 1000, 46, 128, True, True, False, True),  # filled up, for larger sums
    (31, 148, 44, 32, True, True, True, True, DType.I8),
    (1, 80, 64, 48, False, False, False, True, DType.U8),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_products(case: tuple[Any, ...], tmp_path: Path) -> None:
    rows, depth, channels, block, zeros, half, turned, biased, *storage = case
    stored, quant = weights_of(depth, channels, block, zeros, half, *storage)
    m = product(rows, stored, quant, turned, biased)
    verify(m)
    x = RNG.standard_normal((rows, depth)).astype(np.float32)
    x[0, : depth // 4] *= 1000.0
    x[-1, 32:64] = 0.0
    want = expected(x, stored, quant, biased)
    scale = np.abs(want).max()
    for cpu in host_cpus():
        path = to_object(m, tmp_path / f"{cpu}.o", cpu)
        code, (y,) = InProcess(path).call([x])
        assert code == 0
        np.testing.assert_allclose(y / scale, want / scale, rtol=0, atol=1e-6)


@pytest.mark.parametrize("storage", [DType.I4, DType.I8], ids=lambda t: t.name)
def test_sets_agree_to_the_bit(storage: DType, tmp_path: Path) -> None:
    """Those that multiply and add at once: sums of a block are integers, and blocks follow one another."""
    stored, quant = weights_of(512, 96, 32, True, True, storage)
    m = product(3, stored, quant, False, True)
    x = RNG.standard_normal((3, 512)).astype(np.float32)
    made = [InProcess(to_object(m, tmp_path / f"{c}.o", c)).call([x])[1][0] for c in host_cpus() if c != "x86-64"]
    for y in made[1:]:
        np.testing.assert_array_equal(y, made[0])


@pytest.mark.parametrize("storage", [DType.I4, DType.I8], ids=lambda t: t.name)
@pytest.mark.parametrize("block", [32, 64])
def test_the_largest_sums_fit(block: int, storage: DType, tmp_path: Path) -> None:
    """Weights as far as can be above the least, and rows whose parts are all at their ends."""
    least, most = limits(storage)
    weights, scales = np.full((128, 32), most, np.int8), np.ones((128 // block, 32), np.float32)
    zeros = make_const(np.full(scales.shape, least, np.int8), storage)
    quant = QuantType(storage, DType.F32, Blocked(0, block), make_const(scales), zeros)
    x = np.full((4, 128), STEPS - 1, np.float32)  # 126, 127 and 127
    x[1], x[2], x[3] = -x[0], STEPS, -STEPS
    x[:2, ::block] = STEPS
    want = float(most - least) * x.astype(np.float64).sum(1)[:, None] * np.ones((1, 32))
    m = product(4, weights, quant, False, False)
    for cpu in host_cpus():
        _, (y,) = InProcess(to_object(m, tmp_path / f"{cpu}.o", cpu)).call([x])
        np.testing.assert_allclose(y, want.astype(np.float32), rtol=0 if storage is DType.I4 else 2e-7)


def test_rows_at_run_time(tmp_path: Path) -> None:
    stored, quant = weights_of(128, 40, 32, False, True)
    m = product(Dim.symbol("n"), stored, quant, False, False)
    native = InProcess(to_object(m, tmp_path / "m.o", host_cpus()[-1]))
    for n in (1, 4, 6, 16, 20, 141):
        x = RNG.standard_normal((n, 128)).astype(np.float32)
        code, (y,) = native.call([x], given={"n": n})
        assert code == 0
        np.testing.assert_allclose(y, expected(x, stored, quant, False), rtol=0, atol=1e-4)


def test_what_is_no_number_stays_none(tmp_path: Path) -> None:
    stored, quant = weights_of(128, 40, 32, False, True)
    native = InProcess(to_object(product(3, stored, quant, False, False), tmp_path / "m.o", host_cpus()[-1]))
    x = np.zeros((3, 128), np.float32)
    x[0, 5], x[1, 100] = np.nan, np.inf
    code, (y,) = native.call([x])
    assert code == 0
    assert not np.isfinite(y[0]).any() and not np.isfinite(y[1]).any() and not y[2].any()


@pytest.mark.parametrize("storage", [DType.I4, DType.U8], ids=lambda t: t.name)
def test_weights_take_no_more_bits(storage: DType) -> None:
    stored, quant = weights_of(2048, 256, 32, False, True, storage)
    m = clone_module(product(1, stored, quant, False, False))
    lower(m, "native", DiagnosticEngine())
    (op,) = (op for op in m.main.block.ops if op.name == "kernel.block_gemm")
    assert op.inputs[1].tensor.size == stored.size * storage.bits // 8 and op.inputs[4].tensor.dtype in (
        DType.F16,
        DType.BF16,
    )


@pytest.mark.parametrize("storage", [DType.I4, DType.U8], ids=lambda t: t.name)
@pytest.mark.parametrize(("depth", "block"), [(48, 32), (80, 64), (144, 128), (100, 32), (1000, 128), (616, 256)])
def test_a_short_last_block_takes_no_more(depth: int, block: int, storage: DType) -> None:
    """A twentieth for a depth that is no multiple of 8 places, or larger sums; scales as many as there are."""
    stored, quant = weights_of(depth, 256, block, True, True, storage)
    m = clone_module(product(1, stored, quant, False, False))
    lower(m, "native", DiagnosticEngine())
    (op,) = (op for op in m.main.block.ops if op.name == "kernel.block_gemm")
    weights, scales = op.inputs[1].tensor.size, op.inputs[4].tensor.size
    assert isinstance(weights, int) and weights <= 1.05 * stored.size * storage.bits // 8
    assert scales == quant.scales.size


@pytest.mark.parametrize(("rows", "depth", "many"), [(1, 64, False), (2, 28672, False), (5, 64, True)])
def test_few_rows_stay_integers(rows: int, depth: int, many: bool) -> None:
    """Of few rows weights are read once: they are no floats in between, also where a row has no room on the stack."""
    stored, quant = weights_of(depth, 16, 32, False, True)
    m = product(rows, stored, quant, False, False)
    lower(m, "native", DiagnosticEngine())
    (op,) = (op for op in m.main.block.ops if isinstance(op, BlockGemmOp))
    cpu = candidates(target_named("x86_64-linux"), "x86-64-v3", "")[-1]
    assert BlockGemmGenerator(TextBuilder("own", [], {}, cpu), op.problem, cpu).many is many


def test_scales_of_16_bits_that_are_cast(tmp_path: Path) -> None:
    """However many there are."""
    depth, channels, block = 2048, 1040, 32
    constants = {
        "w": RNG.integers(-128, 128, (depth, channels)).astype(np.int8),
        "s": RNG.uniform(0.01, 0.1, (depth // block, channels)).astype(np.float16),
    }
    nodes = [
        NODE("Cast", ["s"], ["scales"], to=TensorProto.FLOAT),
        NODE("DequantizeLinear", ["w", "scales"], ["numbers"], axis=0, block_size=block),
        NODE("MatMul", ["x", "numbers"], ["y"]),
    ]
    proto = model(nodes, [value("x", [1, depth])], [value("y")], constants, 21)
    mlconv.convert(save(tmp_path, proto), to="native", output=tmp_path / "m.o", dump_ir=tmp_path / "ir")
    (last,) = (tmp_path / "ir").glob("*kernel-schedule.mlir")
    assert last.read_text().count('= "kernel.block_gemm') == 1


@pytest.mark.parametrize("rows", [1, 20])
def test_what_a_reader_pads(rows: int, tmp_path: Path) -> None:
    """A product that writes into a wider buffer fills what is beside it: a reader's depth may end inside a block."""
    constants = {
        "w": RNG.integers(-128, 128, (64, 48)).astype(np.int8),
        "s": RNG.uniform(0.01, 0.1, (2, 48)).astype(np.float32),
        "pads": np.asarray([0, 0, 0, 16]),
        "seven": np.asarray(7, np.float32),
        "m": RNG.standard_normal((64, 24)).astype(np.float32),
    }
    nodes = [
        NODE("DequantizeLinear", ["w", "s"], ["numbers"], axis=0, block_size=32),
        NODE("MatMul", ["x", "numbers"], ["y"]),
        NODE("Pad", ["y", "pads", "seven"], ["wide"]),
        NODE("MatMul", ["wide", "m"], ["z"]),
    ]
    path = save(tmp_path, model(nodes, [value("x", [rows, 64])], [value("z")], constants, 21))
    x = RNG.standard_normal((rows, 64)).astype(np.float32)
    (want,) = mlconv.load(path).run({"x": x}).values()
    for cpu in host_cpus():
        mlconv.convert(path, to="native", output=tmp_path / f"{cpu}.o", cpu=cpu)
        code, (z,) = InProcess(tmp_path / f"{cpu}.o").call([x])
        assert code == 0
        np.testing.assert_allclose(z, want, rtol=0, atol=1e-5 * np.abs(want).max())


@pytest.mark.parametrize(
    ("storage", "cpu", "asked", "dots"),
    [
        (DType.I4, "avx512-vnni", (5, 4), 24),
        (DType.I8, "avx512-vnni", (8, 8), 24),
        (DType.I8, "avx512-bf16", (9, 0), 24),
    ],
    ids=str,
)
def test_a_block_of_one_row(storage: DType, cpu: str, asked: tuple[int, int], dots: int, tmp_path: Path) -> None:
    """asked: lines of weights and scales, to the first-level cache and the second one.  Bytes are multiplied whole."""
    stored, quant = weights_of(64, 16, 32, False, True, storage)
    to_object(product(1, stored, quant, False, False), tmp_path / "m.o", cpu, listings=("llvm",))
    (path,) = tmp_path.glob("*.ll")
    text = path.read_text()
    levels = [text.count(f"i32 0, i32 {way}, i32 1)") for way in (3, 2)]
    assert (*levels,) == asked and text.count("= call <16 x i32> @llvm.x86.avx512.vpdpbusd.512") == dots
