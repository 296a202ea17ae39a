"""Products of integers whose weights have 4 bits, two in a byte: the sums of whole bytes, on each instruction set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.instructions import Dot
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import FLOAT32, LONG, Gemm, GemmOp, OutputIndexing, ProductTypes, View
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.ir.quant import QuantType, product_of
from mlconv.ir.spec import OpDef
from mlconv.ir.verifier import verify
from mlconv.legalize.to_kernel.arithmetic import packed_groups
from tests.native.test_products import cpus, integers, run, with_dots, with_tiles
from tests.native.test_rounded import bounds, check, quant
from tests.support.guarded import guarded
from tests.support.integers import function_of
from tests.support.lowering import lower
from tests.support.modules import module
from tests.support.native import Array, InProcess, to_object

RNG = np.random.default_rng(17)
NIBBLES = ProductTypes(DType.I8, DType.I4, DType.I32, DType.I32)
TYPES = [
    NIBBLES,
    NIBBLES._replace(x=DType.U8),
    NIBBLES._replace(sums=DType.I64, result=DType.I64),
    NIBBLES._replace(x=DType.I16, sums=DType.I64, result=DType.I64),
]


def nibbles(*shape: int) -> Array:
    """Often the extremes."""
    numbers = RNG.integers(-8, 8, shape)
    return np.where(RNG.random(shape) < 0.3, np.where(RNG.random(shape) < 0.8, -8, 7), numbers).astype(np.int8)


def packed(w: Array, run_: int, types: ProductTypes, groups: int = 1) -> Array:
    """The last byte is the last one of a page, behind which nothing may be read."""
    depth, columns = w.shape
    return guarded(packed_groups(make_const(w), depth, columns // groups, types, run_, groups).view())


def sets(types: ProductTypes) -> list[Cpu]:
    return [*with_dots(), *cpus()] if types.sums is DType.I32 else cpus()


@pytest.mark.share(6)
@pytest.mark.parametrize("shift", [0, 128])
@pytest.mark.parametrize("types", TYPES, ids=lambda types: "-".join(t.display for t in types[:4]))
@pytest.mark.parametrize("depth", [1, 7, 8, 20, 64, 130, 520])
def test_tiles(types: ProductTypes, depth: int, shift: int) -> None:
    """The largest operands, too, and panels of every width."""
    if shift and (types.x is not DType.I8 or types.sums is not DType.I32):
        pytest.skip("nothing is shifted")
    for n in (1, 3, 24, 53):
        x, w = integers(types.x, (13, depth), int(np.iinfo(types.x.numpy).max)), nibbles(depth, n)
        x[0], w[:, 0], x[1] = x.max(), -8, x.min()
        indexing = OutputIndexing((1, 1, 13), View(0, (0, 0, depth)), (), (), n, (), View(0, (0, 0, n, 1)))
        problem = Gemm(indexing, depth, types=types, shift=shift)
        weights = packed(w, depth, types)
        assert weights.size == n * (-(-depth // 8) * 4)
        for cpu in sets(types):
            y = np.zeros((13, n), types.sums.numpy)
            text = run(cpu, problem, [guarded(x), weights], y)
            np.testing.assert_array_equal(y, (x.astype(np.int64) + shift) @ w.astype(np.int64))
            fits = types.sums is DType.I32 and any(d.x is (DType.U8 if shift else types.x) for d in cpu.dots)
            assert any(f"@{d.intrinsic}(" in text for d in (*cpu.dots, *cpu.row_pairs, *cpu.matrices)) == fits


@pytest.mark.parametrize("depth", [1, 7, 130])
def test_products_of_floats(depth: int) -> None:
    """Halves of places share bytes; numbers are small, so that sums are exact."""
    types = FLOAT32._replace(weights=DType.I4)
    for n in (3, 9, 24, 53, 80):
        x, w = RNG.integers(-99, 99, (13, depth)).astype(np.float32), nibbles(depth, n)
        indexing = OutputIndexing((1, 1, 13), View(0, (0, 0, depth)), (), (), n, (), View(0, (0, 0, n, 1)))
        weights = packed(w, depth, types)
        assert weights.size == depth * {3: 4, 9: 16, 24: 24, 53: 56, 80: 80}[n] // 2
        for cpu in cpus():
            y = np.zeros((13, n), np.float32)
            run(cpu, Gemm(indexing, depth, types=types), [guarded(x), weights], y)
            np.testing.assert_array_equal(y, x @ w)


@pytest.mark.parametrize("depth", [3, 32, 40, 130])
def test_instructions_for_sixteen_places(depth: int) -> None:
    types, dots = (
        NIBBLES._replace(places=LONG),
        [Dot(DType.I8, DType.I8, n, f"emulated_long_{n}", LONG) for n in (1, 4)],
    )
    for n in (1, 19, 53):
        x, w = integers(DType.I8, (13, depth), 127), nibbles(depth, n)
        indexing = OutputIndexing((1, 1, 13), View(0, (0, 0, depth)), (), (), n, (), View(0, (0, 0, n, 1)))
        for dot in dots:
            y, cpu = np.zeros((13, n), np.int32), cpus()[0]._replace(name="made up", dots=(dot,))
            text = run(cpu, Gemm(indexing, depth, types=types), [x, packed(w, depth, types)], y)
            np.testing.assert_array_equal(y, x.astype(np.int64) @ w.astype(np.int64))
            assert dot.intrinsic in text


# images, rows, columns; channels in and out; rows of the window
TILED = [((1, 1, 40), 64, 32, 1), ((1, 1, 53), 192, 37, 1), ((1, 1, 33), 72, 24, 1), ((2, 5, 18), 40, 21, 3)]


@pytest.mark.usefixtures("always_tiles")
@pytest.mark.parametrize(("rows", "inner", "outer", "window"), [*TILED, ((1, 9, 9), 64, 600, 3)], ids=str)
@pytest.mark.parametrize("signed", [False, True])
def test_tiles_of_matrices(rows: tuple[int, int, int], inner: int, outer: int, window: int, signed: bool) -> None:
    """Weights are put on the stack as instructions take them."""
    (n, r, c), of_x = rows, DType.I8 if signed else DType.U8
    high, wide = r + window - 1, c + window - 1
    x, w = integers(of_x, (n, high, wide, inner), 127 + 128 * (not signed)), nibbles(window, window, inner, outer)
    plain = x.astype(np.int64) + 128 * signed
    places = [(i, j) for i in range(window) for j in range(window)]
    expected = sum(plain[:, i : i + r, j : j + c] @ w[i, j].astype(np.int64) for i, j in places)
    strides, out = (high * wide * inner, wide * inner, inner), View(0, (r * c * outer, c * outer, outer, 1))
    windows = ((window, window), strides[1:]) if window > 1 else ((), ())
    types = NIBBLES._replace(x=of_x)
    problem = Gemm(OutputIndexing(rows, View(0, strides), *windows, outer, (), out), inner, types=types)
    problem = problem._replace(shift=128 * signed)
    for cpu in with_tiles():
        y = np.zeros((n, r, c, outer), np.int32)
        text = run(cpu, problem, [guarded(x), packed(w.reshape(-1, outer), inner, types)], y)
        assert "tdpbusd" in text
        np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(("inner", "outer", "columns"), [(8, 16, 31), (16, 5, 14), (16, 40, 12), (8, 1, 3)], ids=str)
def test_places_that_rows_share(inner: int, outer: int, columns: int) -> None:
    x, w = integers(DType.U8, (5, columns + 2, inner), 255), nibbles(3, 3, inner, outer)
    wide, pitch, types = x.astype(np.int64), (columns + 2) * inner, NIBBLES._replace(x=DType.U8)
    expected = sum(wide[i : i + 3, j : j + columns] @ w[i, j].astype(np.int64) for i in range(3) for j in range(3))
    out = View(0, (0, columns * outer, outer, 1))
    indexing = OutputIndexing((1, 3, columns), View(0, (0, pitch, inner)), (3,), (pitch,), outer, (), out)
    problem = Gemm(indexing, 3 * inner, types=types)
    for cpu in sets(types):
        y = np.zeros((3, columns, outer), np.int32)
        run(cpu, problem, [guarded(x), packed(w.reshape(-1, outer), 3 * inner, types)], y)
        np.testing.assert_array_equal(y, expected)


def lowered(m: Module) -> list[Gemm]:
    engine = DiagnosticEngine()
    lower(m, "native", engine)
    engine.raise_errors()
    verify(m, "lowering")
    return [op.problem for op in m.walk() if isinstance(op, GemmOp)]


def weights(shape: tuple[int, ...], axis: int) -> tuple[Array, QuantType]:
    scales = RNG.uniform(0.05, 0.2, shape[axis]).astype(np.float32)
    return nibbles(*shape), QuantType.of(DType.I4, scales, axis=axis)


def stored_in_4_bits(b: Builder, numbers: Array, quant_: QuantType) -> Value:
    return b.emit(core.Constant(value=make_const(numbers, DType.I4), element=quant_)).y


# window, stride, groups, channels in and out
CONVOLUTIONS = [
    ((1, 1), 1, 1, 40, 53),
    ((3, 3), 1, 1, 16, 20),
    ((3, 3), 2, 1, 12, 37),
    ((5, 4), 2, 1, 3, 12),
    ((3, 3), 1, 4, 32, 36),
    ((3, 3), 1, 2, 10, 42),
    ((3,), 1, 1, 24, 9),
]


@pytest.mark.share(6)
@pytest.mark.parametrize("batch", [1, 2, "open"])
@pytest.mark.parametrize("of_x", [quant(0.037, -7), quant(0.001, storage=DType.I16)], ids=str)
@pytest.mark.parametrize(("window", "stride", "groups", "inner", "outer"), CONVOLUTIONS)
def test_convolution(
    window: tuple[int, ...],
    stride: int,
    groups: int,
    inner: int,
    outer: int,
    of_x: QuantType,
    batch: int | str,
    tmp_path: Path,
) -> None:
    """Bit-equal with the interpreter, of one and of several images, and of a number that is known at run time."""
    n = len(window)
    stored, of_w = weights((*window, inner // groups, outer), n + 1)
    out = quant(float(of_x.scales.view()) * 20, 0 if of_x.storage is DType.I16 else 11, of_x.storage)

    def make(b: Builder, v: list[Value]) -> OpDef:
        order = "".join(map(str, range(n)))
        geometry: dict[str, Any] = {"strides": (stride,) * n, "pads": ((1, 1),) * n, "dilations": (1,) * n}
        geometry |= {"x_layout": f"N{order}C", "w_layout": f"{order}IO", "y_layout": f"N{order}C", "groups": groups}
        return core.QuantConv(v[0], stored_in_4_bits(b, stored, of_w), **geometry, **bounds(out))

    images: Size = batch if isinstance(batch, int) else Dim.symbol("n")
    given: list[Any] = [(of_x, (images, *(9 + i for i in range(n)), inner))]
    check(given, make, tmp_path, [{"n": 1}, {"n": 3}] if batch == "open" else [{}])
    assert [p.types.weights for p in lowered(function_of(given, make))] == [DType.I4]


@pytest.mark.parametrize("scale", [0.1, 3.0, "each"])
@pytest.mark.parametrize("x_scale", [0.037, 4.0])
def test_rounded_twice(scale: float | str, x_scale: float, tmp_path: Path) -> None:
    """As LiteRT's own kernel rounds, by factors above and below one, of one scale and of one for each channel."""
    stored, of_w = weights((3, 3, 12, 37), 3)
    of_x, out = quant(x_scale, -7), quant(2.3, 11)
    of_w = QuantType.of(DType.I4, scale) if isinstance(scale, float) else of_w
    bias, element = RNG.integers(-300, 300, 37).astype(np.int32), product_of(of_x, of_w)

    def make(b: Builder, v: list[Value]) -> OpDef:
        vector = b.emit(core.Constant(value=make_const(bias), element=element)).y
        one = (1, 1)
        given = {"strides": one, "pads": (one, one), "dilations": one, "twice": True}
        return core.QuantConv(v[0], stored_in_4_bits(b, stored, of_w), vector, **given, **bounds(out))

    check([(of_x, (2, 19, 18, 12))], make, tmp_path)


def test_products_on_end(tmp_path: Path) -> None:
    """Bytes between them have no sign, where the machine multiplies such."""
    out = quant(1.0, 11)

    def make(b: Builder, v: list[Value]) -> OpDef:
        first, second = (stored_in_4_bits(b, *weights((64, 64), 1)) for _ in range(2))
        y = b.emit(core.QuantMatMul(v[0], first, **bounds(out))).y
        return core.QuantMatMul(y, second, **bounds(quant(20.0, -3)))

    given: list[Any] = [(quant(0.037, -7), (5, 64))]
    check(given, make, tmp_path)
    assert DType.U8 in [p.types.x for p in lowered(function_of(given, make))]


@pytest.mark.parametrize("rows", [1, 9, "open"])
@pytest.mark.parametrize("of_x", [quant(0.037, -7), quant(0.001, storage=DType.I16)], ids=str)
@pytest.mark.parametrize(("depth", "columns", "turned"), [(64, 48, False), (203, 37, True), (1030, 21, False)])
def test_product(depth: int, columns: int, turned: bool, of_x: QuantType, rows: int | str, tmp_path: Path) -> None:
    stored, of_w = weights((columns, depth) if turned else (depth, columns), 0 if turned else 1)
    out = quant(float(of_x.scales.view()) * 30, 0 if of_x.storage is DType.I16 else 11, of_x.storage)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantMatMul(v[0], stored_in_4_bits(b, stored, of_w), transpose_b=turned, **bounds(out))

    count: Size = rows if isinstance(rows, int) else Dim.symbol("n")
    given: list[Any] = [(of_x, (count, depth))]
    check(given, make, tmp_path, [{"n": 1}, {"n": 6}, {"n": 30}] if rows == "open" else [{}])
    assert [p.types.weights for p in lowered(function_of(given, make))] == [DType.I4]


@pytest.mark.parametrize("storage", [DType.I4, DType.I8], ids=lambda t: t.display)
@pytest.mark.parametrize("kind", ["product", "turned", "convolution"])
def test_zero_points(kind: str, storage: DType, tmp_path: Path) -> None:
    """Those of weights are taken off by sums of x."""
    shape = {"product": (70, 37), "turned": (37, 70), "convolution": (3, 3, 12, 37)}[kind]
    of_x, of_w, out = quant(0.037, -7), QuantType.of(storage, 0.1, 3), quant(1.1, 11)
    stored = nibbles(*shape)
    stored.reshape(-1)[0] = -100 if storage is DType.I8 else -8
    bias, element = RNG.integers(-3000, 3000, 37).astype(np.int32), product_of(of_x, of_w)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = b.emit(core.Constant(value=make_const(stored, storage), element=of_w)).y
        vector = b.emit(core.Constant(value=make_const(bias), element=element)).y
        if kind != "convolution":
            return core.QuantMatMul(v[0], w, vector, transpose_b=kind == "turned", **bounds(out))
        one = (1, 1)
        return core.QuantConv(v[0], w, vector, strides=one, pads=(one, one), dilations=one, **bounds(out))

    given: list[Any] = [(of_x, (2, 9, 8, 12) if kind == "convolution" else (9, 70))]
    check(given, make, tmp_path)
    assert storage in [p.types.weights for p in lowered(function_of(given, make))]


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("zeros", [False, True])
def test_convolution_of_floats(groups: int, zeros: bool, tmp_path: Path) -> None:
    """Weights are taken as they are stored, and numbers are those of the interpreter."""
    stored, of_w = weights((3, 3, 40 // groups, 52), 3)
    if zeros:
        points = make_const(RNG.integers(-3, 4, 52), DType.I4)
        of_w = QuantType(DType.I4, DType.F32, of_w.scheme, of_w.scales, points)

    def make(b: Builder, x: Value) -> Value:
        w = b.emit(core.Dequantize(stored_in_4_bits(b, stored, of_w))).y
        one = (1, 1)
        return b.emit(core.Conv(x, w, strides=one, pads=(one, one), dilations=one, groups=groups)).y

    x = RNG.random((2, 7, 6, 40)).astype(np.float32)
    m = module(make, [x])
    if not zeros or groups == 1:  # of 13 columns a group, panels of 4 bits would be filled up by a fifth
        assert (DType.I4 in [p.types.weights for p in lowered(clone_module(m))]) == (groups == 1)
    (want,) = run_function(m.main, {"in0": x}).values()
    for cpu in host_cpus():
        code, (got,) = InProcess(to_object(m, tmp_path / f"{cpu}.o", cpu)).call([x])
        assert code == 0
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 * np.abs(want).max())


def test_shallow_weights_stay_whole() -> None:
    """A byte for each takes less room than groups that are filled up."""
    stored, of_w = weights((3, 16), 1)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantMatMul(v[0], stored_in_4_bits(b, stored, of_w), **bounds(quant(1.5, 3)))

    assert [p.types.weights for p in lowered(function_of([(quant(0.03, 5), (9, 3))], make))] == [DType.I8]


@pytest.mark.parametrize("kind", ["product", "turned", "convolution", "groups", "integers", "one column"])
@pytest.mark.parametrize("columns", [9, 20, 21])
def test_weights_are_no_larger_than_stored(kind: str, columns: int, tmp_path: Path) -> None:
    """Where panels of 4 bits would be filled up, two weights lie in a byte until the product runs."""
    outer = {"groups": 3 * columns, "one column": 1}.get(kind, columns)
    shape = {"turned": (outer, 53), "convolution": (3, 3, 11, outer), "groups": (3, 3, 5, outer)}.get(kind, (53, outer))
    stored, of_w = weights(shape, 0 if kind == "turned" else len(shape) - 1)
    one = (1, 1)

    def make(b: Builder, x: Value) -> Value:
        w = stored_in_4_bits(b, stored, of_w)
        if kind == "integers":
            q = b.emit(core.Quantize(x, element=quant(0.05, 3))).y
            y = b.emit(core.QuantMatMul(q, w, **bounds(quant(0.2, -7)))).y
            return b.emit(core.Dequantize(y)).y
        w = b.emit(core.Dequantize(w)).y
        if kind in ("convolution", "groups"):
            groups = 3 if kind == "groups" else 1
            return b.emit(core.Conv(x, w, strides=one, pads=(one, one), dilations=one, groups=groups)).y
        return b.emit(core.MatMul(x, w, transpose_b=kind == "turned")).y

    x = RNG.random({"convolution": (2, 7, 6, 11), "groups": (1, 7, 6, 15)}.get(kind, (9, 53))).astype(np.float32)
    m = module(make, [x])
    (want,) = run_function(m.main, {"in0": x}).values()
    for cpu in host_cpus():
        apart = to_object(m, tmp_path / "m.o", cpu, separate_weights=True)
        numbers = 4 * (3 if kind == "integers" else 1) * outer  # scales, factors, sums
        assert apart.with_suffix(".weights.bin").stat().st_size <= 1.1 * stored.size / 2 + numbers + 16
        code, (got,) = InProcess(to_object(m, tmp_path / f"{cpu}.o", cpu)).call([x])
        assert code == 0
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 * np.abs(want).max())
