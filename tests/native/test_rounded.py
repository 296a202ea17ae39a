"""Ops over integers of quantized tensors are bit-equal with the interpreter, on each instruction set of the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.codegen.kernels.row_reduce import ROW_REDUCE, lengths_of
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.kernel import RowReduceOp
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType, product_of
from mlconv.ir.spec import OpDef
from mlconv.ir.verifier import verify
from mlconv.runtime.native import load_native
from tests.support.integers import constant, function_of
from tests.support.lowering import lower
from tests.support.modules import module
from tests.support.native import Array, InProcess, to_object

Make = Callable[[Builder, list[Value]], OpDef]
Given = tuple[QuantType, tuple[Size, ...]]
RNG = np.random.default_rng(5)


def quant(scale: float, zero: int = 0, storage: DType = DType.I8) -> QuantType:
    return QuantType.of(storage, scale, zero)


def bounds(element: QuantType, lo: int | None = None, hi: int | None = None) -> dict[str, Any]:
    low, high = element.qmin if lo is None else lo, element.qmax if hi is None else hi
    return {"element": element, "lo": low, "hi": high}


def integers(element: QuantType, shape: Sequence[int], kind: str = "all") -> Array:
    """Random integers of a type; `low`, `high`: nothing but the least or the largest; `ends`: nothing but these two."""
    dtype = element.storage.numpy
    ends = np.asarray([element.qmin, element.qmax], dtype)
    if kind == "all":
        return RNG.integers(element.qmin, element.qmax + 1, shape).astype(dtype)
    if kind == "ends":
        return ends[RNG.integers(0, 2, shape)]
    return np.full(shape, ends[int(kind == "high")], dtype)


def check(given: Sequence[Given], make: Make, folder: Path, sizes: Sequence[dict[str, int]] = ({},)) -> None:
    """The same integers, of random operands and of their extremes.  sizes: those that are known at run time."""
    m = function_of(given, make)  # type: ignore[arg-type]
    verify(m)
    objects = [InProcess(to_object(m, folder / f"m{i}.o", cpu)) for i, cpu in enumerate(host_cpus())]
    for known in sizes:
        for kind in ("all", "all", "ends", "low", "high"):
            shapes = [[known[str(d)] if isinstance(d, Dim) else d for d in shape] for _, shape in given]
            arrays = [integers(q, s, kind) for (q, _), s in zip(given, shapes, strict=True)]
            (want,) = run_function(m.main, {f"in{i}": a for i, a in enumerate(arrays)}).values()
            for native in objects:
                code, (got,) = native.call(arrays, given=known or None)
                assert code == 0
                np.testing.assert_array_equal(got, want)


# window, strides, pads, dilations, groups, channels in, out
CONVOLUTIONS = [
    ((3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1, 8, 16),
    ((5, 4), (2, 3), ((2, 0), (1, 3)), (1, 1), 1, 3, 12),
    ((1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), 1, 40, 53),
    ((3, 3), (1, 2), ((2, 2), (0, 1)), (2, 1), 1, 6, 1),
    ((3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 20, 20, 20),
    ((3, 2), (2, 1), ((0, 1), (1, 1)), (1, 2), 17, 17, 17),
    ((3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 2, 10, 42),
    ((2, 2), (1, 1), ((0, 1), (1, 0)), (1, 1), 4, 8, 8),
    ((3,), (1,), ((1, 1),), (1,), 1, 5, 9),
    ((2, 2, 2), (1, 1, 1), ((1, 0), (0, 0), (1, 1)), (1, 1, 1), 1, 3, 4),
]


@pytest.mark.share(6)
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("of_x", [quant(0.037, -7), quant(0.02, 127), quant(0.001, storage=DType.I16)], ids=str)
@pytest.mark.parametrize(("window", "strides", "pads", "dilations", "groups", "inner", "outer"), CONVOLUTIONS)
def test_convolution(
    window: tuple[int, ...],
    strides: tuple[int, ...],
    pads: tuple[tuple[int, int], ...],
    dilations: tuple[int, ...],
    groups: int,
    inner: int,
    outer: int,
    of_x: QuantType,
    batch: int,
    tmp_path: Path,
) -> None:
    """With a scale for each output channel and padding with zero points; int16 in int64."""
    n, depth = len(window), int(np.prod(window)) * inner // groups
    of_w = QuantType.of(DType.I8, RNG.uniform(0.001, 0.02, outer).astype(np.float32), axis=n + 1)
    largest = 40.0 * float(of_x.scales.view()) * depth**0.5
    out = quant(largest / of_x.qmax, 0 if of_x.storage is DType.I16 else 11, of_x.storage)
    weights = integers(of_w, (*window, inner // groups, outer), "ends" if batch == 2 else "all")
    dtype = DType.I64 if of_x.storage is DType.I16 else DType.I32
    bias = RNG.integers(-3000, 3000, outer).astype(dtype.numpy)
    of_bias = product_of(of_x, of_w)
    element = QuantType.of(dtype, of_bias.scales.view(), axis=0)

    def make(b: Builder, v: list[Value]) -> OpDef:
        vector = None if groups == inner else constant(b, bias, element)
        order = "".join(map(str, range(n)))
        layouts = {"x_layout": f"N{order}C", "w_layout": f"{order}IO", "y_layout": f"N{order}C"}
        geometry = {"strides": strides, "pads": pads, "dilations": dilations, "groups": groups}
        return core.QuantConv(v[0], constant(b, weights, of_w), vector, **geometry, **layouts, **bounds(out))

    check([(of_x, (batch, *(7 + i for i in range(n)), inner))], make, tmp_path)


def test_layouts(tmp_path: Path) -> None:
    """Channels first."""
    of_x, of_w = quant(0.03, 5), quant(0.01)
    weights = integers(of_w, (9, 4, 3, 3))

    def make(b: Builder, v: list[Value]) -> OpDef:
        layouts = {"x_layout": "NC01", "w_layout": "OI01", "y_layout": "NC01"}
        geometry = {"strides": (1, 1), "pads": "SAME_UPPER", "dilations": (1, 1)}
        return core.QuantConv(v[0], constant(b, weights, of_w), **geometry, **layouts, **bounds(quant(0.1, -3), -3, 90))

    check([(of_x, (2, 4, 6, 5))], make, tmp_path)


def test_weights_of_4_bits(tmp_path: Path) -> None:
    """Two in a byte, with a window."""
    of_x, of_w, out = quant(0.03, 5), QuantType.of(DType.I4, RNG.uniform(0.1, 0.2, 20), axis=3), quant(1.5, 3)
    weights = RNG.integers(-8, 8, (3, 3, 6, 20)).astype(np.int8)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = b.emit(core.Constant(value=make_const(weights, DType.I4), element=of_w)).y
        return core.QuantConv(v[0], w, strides=(1, 1), pads=((1, 1), (1, 1)), dilations=(1, 1), **bounds(out))

    check([(of_x, (1, 6, 5, 6))], make, tmp_path)


def test_weights_that_are_data(tmp_path: Path) -> None:
    """Both with zero points, and a bias that comes in."""
    of_x, of_w = quant(0.03, 5), quant(0.01, -9)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantConv(
            *v[:3], strides=(1, 1), pads=((1, 1), (0, 1)), dilations=(1, 1), **bounds(quant(0.1, 3), -100, 90)
        )

    of_bias = QuantType.of(DType.I32, 0.03 * 0.01)
    check([(of_x, (2, 6, 5, 4)), (of_w, (3, 3, 4, 7)), (of_bias, (7,))], make, tmp_path)


def test_large_biases(tmp_path: Path) -> None:
    """Sums beyond int32."""
    of_x, of_w = quant(0.5, 3), quant(2.0**-20)
    weights, bias = integers(of_w, (64, 20)), RNG.choice([-(2**31), 2**31 - 1, 5], 20).astype(np.int32)

    def make(b: Builder, v: list[Value]) -> OpDef:
        vector = constant(b, bias, QuantType.of(DType.I32, 2.0**-21))
        return core.QuantMatMul(v[0], constant(b, weights, of_w), bias=vector, **bounds(quant(16.0, 5)))

    check([(of_x, (9, 64))], make, tmp_path)


@pytest.mark.share(4)
@pytest.mark.parametrize("depth", [1, 7, 64, 513])
@pytest.mark.parametrize("scales", ["one", "each"])
def test_matmul(depth: int, scales: str, tmp_path: Path) -> None:
    """Weights with one scale, and with one for each column; rows that are known at run time."""
    of_x, out = quant(0.037, -7), quant(0.011 * depth**0.5, 11)
    numbers = RNG.uniform(0.001, 0.02, 37).astype(np.float32)
    of_w = quant(0.004) if scales == "one" else QuantType.of(DType.I8, numbers, axis=0)
    weights, bias = integers(of_w, (37, depth)), RNG.integers(-3000, 3000, 37).astype(np.int32)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w, vector = constant(b, weights, of_w), constant(b, bias, product_of(of_x, of_w))
        return core.QuantMatMul(v[0], w, bias=vector, transpose_b=True, **bounds(out))

    sizes = [{"n": n} for n in (1, 5, 29)]
    check([(of_x, (Dim.symbol("n"), 3, depth))], make, tmp_path, sizes)


@pytest.mark.parametrize("scales", ["one", "each"])
def test_steps_share_what_weights_make(scales: str, tmp_path: Path) -> None:
    """A recurrence that is spelled out, each step with other scales and zero points: no vectors of its own."""
    of_x = quant(0.037, -7)
    of_w = quant(0.004) if scales == "one" else QuantType.of(DType.I8, RNG.uniform(0.002, 0.01, 36), axis=1)
    weights, bias = integers(of_w, (36, 36)), RNG.integers(-3000, 3000, 36).astype(np.int32)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w, vector = constant(b, weights, of_w), b.emit(core.Constant(value=make_const(bias))).y
        x = v[0]
        for i in range(5):
            of_bias, out = product_of(quantized(x), of_w), quant(0.03 + 0.004 * i, 3 * i - 5)
            typed = b.emit(core.StorageCast(vector, element=of_bias)).y
            made = core.QuantMatMul(x, w, bias=typed, **bounds(out))
            if i < 4:
                x = b.emit(made).y
        return made

    kernels = function_of([(of_x, (2, 36))], make)
    lower(kernels, "native")
    stored = {op.value.key: op.value.nbytes for op in kernels.walk() if isinstance(op, core.Constant)}
    assert sum(stored.values()) <= 36 * 36 + 3 * 4 * 36  # weights, bias, sums, scales
    check([(of_x, (2, 36))], make, tmp_path)


@pytest.mark.parametrize(("a", "b"), [((2, 3, 19, 22), (2, 3, 22, 21)), ((5, 6), (2, 6, 3)), ((9, 16), (16, 32))])
@pytest.mark.parametrize("zero", [0, -5])
def test_products_of_activations(a: tuple[int, ...], b: tuple[int, ...], zero: int, tmp_path: Path) -> None:
    out = quant(0.4, 7)
    given = [(quant(0.03, zero), a), (quant(0.07, 2 * zero), b)]
    check(given, lambda _, v: core.QuantMatMul(v[0], v[1], **bounds(out, -100)), tmp_path)


SCALES = [
    (0.5, 0.5, 1.0, 3, -4, 5),
    (0.1, 0.25, 0.3, 7, 1, -9),
    (1.0, 0.25, 0.25, 0, 0, 0),
    (0.02, 3.0, 1.5, -128, 127, 0),
    (0.001, 0.0011, 0.9, 1, 2, 3),
]


@pytest.mark.share(4)
@pytest.mark.parametrize(("a", "b", "y", "za", "zb", "zy"), SCALES)
@pytest.mark.parametrize("kind", ["add", "sub", "mul"])
def test_binary(kind: str, a: float, b: float, y: float, za: int, zb: int, zy: int, tmp_path: Path) -> None:
    """Ties among them, a row that is spread, bounds."""
    given = [(quant(a, za), (Dim.symbol("n"), 150, 37)), (quant(b, zb), (150, 37))]
    made = bounds(quant(y, zy), -90, 100)
    check(given, lambda _, v: core.QuantBinary(v[0], v[1], kind=kind, **made), tmp_path, [{"n": 1}, {"n": 3}])


@pytest.mark.parametrize("kind", ["add", "sub", "mul"])
def test_binary_of_16_bits(kind: str, tmp_path: Path) -> None:
    given = [(quant(scale, storage=DType.I16), (100, 37)) for scale in (0.5, 0.3)]
    y = quant(0.7 if kind != "mul" else 5000.0, storage=DType.I16)
    check(given, lambda _, v: core.QuantBinary(v[0], v[1], kind=kind, **bounds(y)), tmp_path)


@pytest.mark.parametrize(
    ("x", "zx", "y", "zy"), [(0.5, 3, 1.0, -7), (0.1, -128, 0.3, 127), (1.0, 0, 0.01, 5), (2.0, 1, 2.0, -1)]
)
def test_requantize(x: float, zx: int, y: float, zy: int, tmp_path: Path) -> None:
    check([(quant(x, zx), (1000,))], lambda _, v: core.Requantize(v[0], **bounds(quant(y, zy), -120, 99)), tmp_path)


@pytest.mark.share(4)
@pytest.mark.parametrize("axes", [(1, 2), (3,), (0, 1, 2, 3), ()])
@pytest.mark.parametrize(("x", "zx", "y", "zy"), [(0.5, 3, 0.25, -7), (0.1, -128, 0.03, 127), (1.0, 0, 1.0, 5)])
def test_mean(axes: tuple[int, ...], x: float, zx: int, y: float, zy: int, tmp_path: Path) -> None:
    def make(_: Builder, v: list[Value]) -> OpDef:
        return core.QuantMean(v[0], axes=axes, keepdims=False, **bounds(quant(y, zy), -110, 120))

    check([(quant(x, zx), (2, 5, 7, 18))], make, tmp_path)


def test_mean_of_sizes_at_run_time(tmp_path: Path) -> None:
    def make(_: Builder, v: list[Value]) -> OpDef:
        return core.QuantMean(v[0], axes=(0,), keepdims=True, **bounds(quant(0.25, -7)))

    check([(quant(0.5, 3), (Dim.symbol("n"), 20))], make, tmp_path, [{"n": 1}, {"n": 12}, {"n": 49}])


def test_mean_of_16_bits(tmp_path: Path) -> None:
    x, y = quant(0.5, storage=DType.I16), quant(0.3, storage=DType.I16)
    check(
        [(x, (3, 49, 20))], lambda _, v: core.QuantMean(v[0], axes=(1,), keepdims=False, **bounds(y, -30000)), tmp_path
    )


@pytest.mark.parametrize(("x", "y"), [(DType.I16, DType.I16), (DType.I8, DType.I16), (DType.I16, DType.I8)])
@pytest.mark.parametrize("ratio", [0.3, 1.0, 2.0])
def test_requantize_of_16_bits(x: DType, y: DType, ratio: float, tmp_path: Path) -> None:
    of_x, of_y = quant(ratio, 3 if x is DType.I8 else 0, x), quant(1.0, -7 if y is DType.I8 else 0, y)
    check([(of_x, (1000,))], lambda _, v: core.Requantize(v[0], **bounds(of_y)), tmp_path)


@pytest.mark.parametrize("scales", ["one", "each"])
def test_matmul_of_16_bits(scales: str, tmp_path: Path) -> None:
    """In float64."""
    of_x, out = quant(0.0001, storage=DType.I16), quant(0.002, storage=DType.I16)
    of_w = quant(0.004) if scales == "one" else QuantType.of(DType.I8, RNG.uniform(0.001, 0.02, 21), axis=1)
    weights = integers(of_w, (700, 21), "ends")
    check([(of_x, (9, 700))], lambda b, v: core.QuantMatMul(v[0], constant(b, weights, of_w), **bounds(out)), tmp_path)


def test_table(tmp_path: Path) -> None:
    x, y = quant(0.5, 3), quant(0.25, -7)
    table = RNG.permutation(np.arange(-128, 128)).astype(np.int8)
    check([(x, (5, 37))], lambda b, v: core.QuantTable(v[0], constant(b, table, y), **bounds(y)), tmp_path)


@pytest.mark.parametrize("include", [False, True])
@pytest.mark.parametrize("of_x", [quant(0.3, 5), quant(0.001, storage=DType.I16)], ids=str)
def test_average_pool(of_x: QuantType, include: bool, tmp_path: Path) -> None:
    def make(_: Builder, v: list[Value]) -> OpDef:
        return core.QuantAveragePool(
            v[0],
            window=(3, 4),
            strides=(2, 1),
            pads=((1, 0), (1, 2)),
            dilations=(1, 1),
            count_include_pad=include,
            **bounds(of_x, of_x.qmin + 3),
        )

    check([(of_x, (2, 9, 8, 18))], make, tmp_path)


@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("axes", [(1, 2), (2, 3)])
def test_resize(axes: tuple[int, ...], flags: tuple[bool, bool], tmp_path: Path) -> None:
    def make(b: Builder, v: list[Value]) -> OpDef:
        target = b.emit(core.Constant(value=make_const(np.asarray([11, 4], np.int64)))).y
        return core.QuantResize(v[0], target, axes=axes, align_corners=flags[0], half_pixel=flags[1])

    check([(quant(0.3, 5), (2, 5, 6, 7))], make, tmp_path)


@pytest.mark.parametrize("axis", [1, 2])
def test_softmax(axis: int, tmp_path: Path) -> None:
    x, y = quant(0.09, 5), quant(1 / 256, -128)
    check([(x, (3, 20, 65))], lambda _, v: core.QuantSoftmax(v[0], axis=axis, **bounds(y)), tmp_path)
    y = quant(1 / 16, 127)
    check([(x, (3, 20, 65))], lambda _, v: core.QuantLogSoftmax(v[0], axis=axis, **bounds(y)), tmp_path)


@pytest.mark.parametrize("shape", [(7, 64), (1, 300), (2, 9, 131)])
def test_rows_of_softmax_look_up_what_they_may_hold(shape: tuple[int, ...], tmp_path: Path) -> None:
    """A table for each row, and sums of several rows at once, each in its order."""
    x, y = quant(0.09, 5), quant(1 / 256, -128)

    def make(_: Builder, values: list[Value]) -> OpDef:
        return core.QuantSoftmax(values[0], axis=len(shape) - 1, **bounds(y))

    check([(x, shape)], make, tmp_path)
    m = function_of([(x, shape)], make)  # type: ignore[arg-type]
    lower(m, "native", DiagnosticEngine())
    (op,) = (op for op in m.main.block.ops if isinstance(op, RowReduceOp))
    assert [stage.kept[-1] for stage in op.problem.stages] == [shape[-2], shape[-2], 256, shape[-1]]
    rows = [part.problem.rows[-1] for part in ROW_REDUCE.pieces(op)]
    assert rows == {7: [1, 3], 1: [1], 9: [1, 1]}[shape[-2]]


@pytest.mark.parametrize("length", [Dim.symbol("N"), 9000], ids=str)
def test_blocks_of_rows_keep_to_their_room(length: Size) -> None:
    """Of an open length there is scratch memory for one row of each share, of a known one some on the stack."""
    x, y = quant(0.09, 5), quant(1 / 256, -128)
    m = function_of([(x, (8, length))], lambda _, v: core.QuantSoftmax(v[0], axis=1, **bounds(y)))  # type: ignore[list-item]
    lower(m, "native", DiagnosticEngine())
    ops = [op for op in m.main.block.ops if isinstance(op, RowReduceOp)]
    assert ops
    for op in ops:
        for part in ROW_REDUCE.pieces(op):
            assert ROW_REDUCE.scratch(part.problem) == ROW_REDUCE.scratch(op.problem)
            lengths = [n for n in lengths_of(part.problem) if isinstance(n, int)]
            assert sum(lengths) <= 32 << 10


@pytest.mark.parametrize("storage", [DType.I8, DType.U8, DType.I16, DType.I32, DType.I64], ids=str)
def test_extremes_of_rows(storage: DType, tmp_path: Path) -> None:
    """In vectors, and what they leave; the one number that is another one stands in each."""
    ends = np.iinfo(storage.numpy)
    rows = [np.where(np.eye(143, n), ends.min + 1, ends.min).astype(storage.numpy) for n in (1, 15, 64, 143)]
    m = module(lambda b, *v: [b.emit(core.ReduceMax(x, axes=(1,))).y for x in v], rows)
    low = module(lambda b, *v: [b.emit(core.ReduceMin(x, axes=(1,))).y for x in v], rows)
    for cpu in host_cpus():
        for found, arrays in ((m, rows), (low, [(ends.max - (x - ends.min)).astype(x.dtype) for x in rows])):
            code, got = InProcess(to_object(found, tmp_path / "m.o", cpu)).call(arrays)
            assert code == 0
            for x, y in zip(arrays, got, strict=True):
                np.testing.assert_array_equal(y, x.max(1) if found is m else x.min(1))


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("scale", [0.0001, 0.0007])
def test_softmax_of_16_bits(scale: float, axis: int, tmp_path: Path) -> None:
    x, y = quant(scale, storage=DType.I16), quant(1 / 32768, storage=DType.I16)
    check([(x, (3, 20, 65))], lambda _, v: core.QuantSoftmax(v[0], axis=axis, **bounds(y)), tmp_path)


def test_table_of_16_bits(tmp_path: Path) -> None:
    x, y = quant(0.5, storage=DType.I16), quant(0.25, storage=DType.I16)
    table = RNG.permutation(np.arange(-(1 << 15), 1 << 15)).astype(np.int16)
    check([(x, (5, 37))], lambda b, v: core.QuantTable(v[0], constant(b, table, y), **bounds(y)), tmp_path)


@pytest.mark.parametrize("steep", [False, True])
def test_table_in_parts(steep: bool, tmp_path: Path) -> None:
    """For small objects: the least number of each block, and 8 bits for each element, unless they differ by more."""
    x, y = quant(0.5, storage=DType.I16), quant(0.25, storage=DType.I16)
    places = np.arange(-(1 << 15), 1 << 15)
    table = np.rint(30000 * np.tanh(places / 7000) + 40 * np.sin(places)).astype(np.int16)
    table[77] = 30000 if steep else table[77]
    m = function_of([(x, (5, 37))], lambda b, v: core.QuantTable(v[0], constant(b, table, y), **bounds(y)))
    given = integers(x, (5, 37))
    (want,) = run_function(m.main, {"in0": given}).values()
    mlconv.convert(m, to="native", output=tmp_path / "m.o", optimize="size", weights="file")
    np.testing.assert_array_equal(next(iter(load_native(tmp_path / "m.o").run({"in0": given}).values())), want)
    assert ((tmp_path / "m.weights.bin").stat().st_size < 0.6 * table.nbytes) != steep


def test_table_of_bytes_by_16_bits_has_no_parts(tmp_path: Path) -> None:
    """For small objects: its elements take no more than the parts would."""
    x, y = quant(0.5, storage=DType.I16), quant(0.25, -7)
    table = np.sort(RNG.integers(-128, 128, 1 << 16)).astype(np.int8)
    m = function_of([(x, (5, 37))], lambda b, v: core.QuantTable(v[0], constant(b, table, y), **bounds(y)))
    given = integers(x, (5, 37))
    (want,) = run_function(m.main, {"in0": given}).values()
    mlconv.convert(m, to="native", output=tmp_path / "m.o", optimize="size")
    np.testing.assert_array_equal(next(iter(load_native(tmp_path / "m.o").run({"in0": given}).values())), want)


TRANSPOSED = [
    # window, strides, pads, output pads, groups, channels in, out of each group
    ((3, 3), (2, 2), ((1, 1), (1, 0)), (1, 0), 1, 5, 18),
    ((2, 2), (2, 2), ((0, 0), (0, 0)), (0, 0), 1, 16, 16),
    ((5, 2), (3, 2), ((2, 0), (0, 1)), (2, 0), 1, 7, 5),
    ((4, 3), (1, 3), ((2, 1), (0, 2)), (0, 1), 2, 6, 4),
]


@pytest.mark.parametrize(("window", "strides", "pads", "extra", "groups", "inner", "outer"), TRANSPOSED)
@pytest.mark.parametrize("of_x", [quant(0.037, -7), quant(0.001, storage=DType.I16)], ids=str)
def test_transposed(
    window: tuple[int, int],
    strides: tuple[int, int],
    pads: tuple[tuple[int, int], ...],
    extra: tuple[int, int],
    groups: int,
    inner: int,
    outer: int,
    of_x: QuantType,
    tmp_path: Path,
) -> None:
    numbers = RNG.uniform(0.001, 0.02, outer).astype(np.float32)
    of_w = quant(0.01) if groups > 1 else QuantType.of(DType.I8, numbers, axis=2)
    weights = integers(of_w, (*window, outer, inner))
    out = quant(0.4 if of_x.storage is DType.I8 else 0.005, 0 if of_x.storage is DType.I16 else 3, of_x.storage)

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = constant(b, weights, of_w)
        geometry: dict[str, Any] = {"strides": strides, "pads": pads, "output_pads": extra, "dilations": (1, 1)}
        bias = None
        if groups == 1 and of_x.storage is DType.I8:
            scales = of_x.scales.view() * of_w.scales.view()
            bias = constant(b, RNG.integers(-999, 999, outer).astype(np.int32), QuantType.of(DType.I32, scales, axis=0))
        return core.QuantConvTranspose(v[0], w, bias, groups=groups, **geometry, **bounds(out))

    check([(of_x, (2, 5, 6, inner))], make, tmp_path)


@pytest.mark.parametrize("kind", ["add", "sub", "mul"])
@pytest.mark.parametrize("front", ["requantize", "conv"])
def test_a_number_with_itself(front: str, kind: str, tmp_path: Path) -> None:
    """Squares and doubles, in one kernel with what makes the number."""
    x, y, z = quant(0.1, 5), quant(0.3, -7), quant(0.6 if kind != "mul" else 9.0, 3)
    w = quant(0.05)

    def make(b: Builder, given: list[Value]) -> OpDef:
        if front == "conv":
            weights = constant(b, RNG.integers(-127, 128, (3, 3, 8, 16)).astype(np.int8), w)
            first = b.emit(
                core.QuantConv(given[0], weights, strides=(1, 1), pads=((1, 1), (1, 1)), dilations=(1, 1), **bounds(y))
            ).y
        else:
            first = b.emit(core.Requantize(given[0], **bounds(y))).y
        return core.QuantBinary(first, first, kind=kind, **bounds(z))

    check([(x, (1, 6, 6, 8))], make, tmp_path)
