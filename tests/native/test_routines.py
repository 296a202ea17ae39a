"""Algorithms of their own: scans, sorting, scatter, segments, box suppression, Fourier transforms, random numbers,
recurrent layers.
"""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from tests.support.modules import const, module
from tests.support.native import (
    ALL,
    COMPLEX,
    FLOATS,
    INTEGERS,
    OWN,
    Native,
    check,
    check_all,
    data,
    needs_cc,
    to_object,
)

pytestmark = needs_cc


@pytest.mark.parametrize("name", [n for n in ALL if n != "bool"])
def test_scans(name: str, tmp_path: pathlib.Path) -> None:
    makes = [
        lambda b, v, c=c, e=e, r=r: b.emit(c(v, axis=1, exclusive=e, reverse=r)).y
        for c in (core.CumSum, core.CumProd)
        for e in (False, True)
        for r in (False, True)
    ]
    for inner in (32, 37):
        (folder := tmp_path / str(inner)).mkdir()
        check_all(makes, [data(name, 3, 5, inner)], folder, tolerance=1e-4 if name in COMPLEX else 2e-5)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", [n for n in ALL if n not in COMPLEX])
def test_top_k(name: str, tmp_path: pathlib.Path) -> None:
    """Ties go to the lower index, NaNs to the end, in both directions."""
    x = data(name, 3, 17, 2, edges=name in FLOATS)
    if name == "bfloat16":  # the interpreter's sort knows no NaN of this type
        x[np.isnan(x.astype(np.float32))] = 0

    def make(b: Builder, v: Value) -> list[Value]:
        ops = [
            core.TopK(v, const(b, np.int64(k)), axis=1, largest=largest)
            for k in (1, 5, 17)
            for largest in (False, True)
        ]
        return [r for op in ops for r in b.emit(op).results]

    check(module(make, [x]), [x], tmp_path)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", [n for n in ALL if n not in COMPLEX])
def test_very_few_are_held_in_order(name: str, tmp_path: pathlib.Path) -> None:
    """The best of long rows, along either axis: equal ones in the order of their places, NaNs last."""
    x = data(name, 75, 75)
    if name in FLOATS and name != "bfloat16":
        x[0, :70], x[:9, 1], x[5], x[7, ::3] = np.nan, np.nan, np.nan, np.inf

    def make(b: Builder, v: Value) -> list[Value]:
        ops = [
            core.TopK(v, const(b, np.int64(k)), axis=axis, largest=largest)
            for k in (1, 2, 5, 8, 9)
            for largest in (False, True)
            for axis in (0, 1)
        ]
        return [r for op in ops for r in b.emit(op).results]

    check(module(make, [x]), [x], tmp_path)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", [n for n in ALL if n not in COMPLEX])
def test_whole_rows_are_ranked(name: str, tmp_path: pathlib.Path) -> None:
    """Short rows by how many elements come before one, longer ones by digits, few of many rows in lanes: zeros of both
    signs are equal, and results have the bits of x.
    """
    x = data(name, 300, 19, edges=name in FLOATS and name != "bfloat16")

    def make(b: Builder, v: Value) -> list[Value]:
        ops = [
            core.TopK(v, const(b, np.int64(k)), axis=axis, largest=largest)
            for k, axis in ((3, 1), (11, 1), (19, 1), (40, 0), (300, 0))
            for largest in (False, True)
        ]
        return [r for op in ops for r in b.emit(op).results]

    for cpu in (OWN, "x86-64") if name in ("float32", "int8", "uint32") else (OWN,):
        check(module(make, [x]), [x], tmp_path, cpu)


def test_very_few_are_not_merged(tmp_path: pathlib.Path) -> None:
    x, sizes = data("float32", 4, 200), list[int]()
    for k in (8, 9):
        make = lambda b, v, k=k: list(b.emit(core.TopK(v, const(b, np.int64(k)))).results)  # noqa: E731
        to_object(module(make, [x]), tmp_path / f"m{k}.o", listings=("llvm",))
        (listing,) = tmp_path.glob(f"m{k}.*.ll")
        sizes.append(listing.read_text().count("\n"))
    assert sizes[0] < sizes[1] * 0.8


@pytest.mark.parametrize("n", [1, 2, 3, 64, 1000])
def test_long_sorts(n: int, tmp_path: pathlib.Path) -> None:
    x = np.random.default_rng(n).integers(0, n, n).astype(np.int32)
    check(module(lambda b, v: list(b.emit(core.TopK(v, const(b, np.int64(n)))).results), [x]), [x], tmp_path)


@pytest.mark.parametrize("order", ["any", "rising", "falling", "equal", "NaN first", "all NaN"])
def test_few_of_many_are_looked_for(order: str, tmp_path: pathlib.Path) -> None:
    """The first k, without sorting the rest: whatever the order of a row is, and to the last place of ties."""
    row = np.random.default_rng(2).integers(-90, 90, 481).astype(np.float32)
    rows = {
        "any": row,
        "rising": np.sort(row),
        "falling": np.sort(row)[::-1],
        "equal": np.zeros_like(row),
        "NaN first": np.where(np.arange(481) < 300, np.nan, row),
        "all NaN": np.full_like(row, np.nan),
    }
    x = np.stack([rows[order], row, -row, rows[order] * 2]).reshape(2, 2, 481).transpose(0, 2, 1).copy()

    def make(b: Builder, v: Value) -> list[Value]:
        ops = [
            core.TopK(v, const(b, np.int64(k)), axis=1, largest=largest)
            for k in (1, 2, 7, 60)
            for largest in (False, True)
        ]
        return [r for op in ops for r in b.emit(op).results]

    check(module(make, [x]), [x], tmp_path)


@pytest.mark.parametrize("name", ALL)
def test_scatter(name: str, tmp_path: pathlib.Path) -> None:
    x = data(name, 4, 69)
    reductions = (
        ["none", "add", "mul"] + ([] if name in COMPLEX else ["max", "min"]) + ([] if name == "bool" else ["sub"])
    )
    tuples, places = np.array([[1], [-1], [1]], np.int32), np.array([[1, 0, -1], [2, 2, 2]], np.int64)
    makes = []
    for r in reductions + (["div"] if name in FLOATS else []):
        makes.append(
            lambda b, v, r=r: (
                b.emit(core.ScatterNd(v, const(b, tuples), const(b, data(name, 3, 69, seed=5)), reduction=r)).y
            )
        )
        makes.append(
            lambda b, v, r=r: (
                b.emit(
                    core.ScatterElements(v, const(b, places), const(b, data(name, 2, 3, seed=6)), axis=1, reduction=r)
                ).y
            )
        )
    makes.append(
        lambda b, v: (
            b.emit(core.ScatterFill(const(b, tuples[[0, 2, 0]]), const(b, data(name, 3, 5)), const(b, [4, 5]))).y
        )
    )
    check_all(makes, [x], tmp_path, tolerance=1e-4 if name in COMPLEX else 2e-5)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", ["float32", "int8", "float64", "bool", "complex128"])
def test_rows_are_copied(name: str, tmp_path: pathlib.Path) -> None:
    """Rows of scatter, and pieces of a slice: parts of an axis, of several, and whole ones."""
    for inner in (1, 3, 8, 37):
        x, at = data(name, 5, 4, inner), np.array([[3], [-5], [1]], np.int32)

        def placed(b: Builder, v: Value, at: np.ndarray = at, inner: int = inner) -> Value:
            return b.emit(core.ScatterNd(v, const(b, at), const(b, data(name, 3, 4, inner, seed=5)))).y

        makes: list[Any] = [placed]
        for shape in ((2, 4, inner), (1, 2, inner), (1, 3, max(1, inner - 2)), (1, 1, inner), (5, 4, 1), (3, 1, inner)):

            def updated(b: Builder, v: Value, shape: tuple[int, ...] = shape) -> Value:
                begin = [const(b, np.int32(k)) for k in (1, 1, 0)]
                return b.emit(core.UpdateSlice(v, const(b, data(name, *shape, seed=6)), begin)).y

            makes.append(updated)
        (folder := tmp_path / str(inner)).mkdir()
        check_all(makes, [x], folder)
    vectors = [lambda b, v: b.emit(core.UpdateSlice(v, const(b, data(name, 40, seed=6)), [const(b, np.int32(9))])).y]
    check_all(vectors, [data(name, 50)], tmp_path)


def test_totals_of_neighbours_are_vectors(tmp_path: pathlib.Path) -> None:
    x = data("float32", 3, 5, 64)
    to_object(
        module(lambda b, v: b.emit(core.CumSum(v, axis=1)).y, [x]), tmp_path / "m.o", "x86-64-v3", listings=("llvm",)
    )
    (listing,) = tmp_path.glob("*.ll")
    assert "fadd <16 x float>" in listing.read_text()


def test_rows_are_copied_by_vectors(tmp_path: pathlib.Path) -> None:
    x, at = np.zeros((9, 256), np.float32), np.array([[3], [1]], np.int32)
    make = lambda b, v: b.emit(core.ScatterNd(v, const(b, at), const(b, np.ones((2, 256), np.float32)))).y  # noqa: E731
    to_object(module(make, [x]), tmp_path / "m.o", listings=("llvm",))
    (listing,) = tmp_path.glob("*.ll")
    assert listing.read_text().count("load <32 x i8>") >= 2  # of the data, and of rows


def test_indices_outside_leave_memory_alone(tmp_path: pathlib.Path) -> None:
    """Scatter drops them; gather and dynamic_slice stay at the edge.  (The interpreter refuses them.)"""
    x, at = np.arange(12, dtype=np.float32).reshape(4, 3), np.array([[9], [-7], [2]], np.int64)

    def make(b: Builder, v: Value, i: Value) -> list[Value]:
        scattered = b.emit(core.ScatterNd(v, i, const(b, np.full((3, 3), -1, np.float32)))).y
        row = b.emit(core.Gather(v, b.emit(core.Squeeze(i, axes=(1,))).y, axis=0)).y
        begin = b.emit(
            core.Reshape(b.emit(core.Slice(i, const(b, [0, 0]), const(b, [2, 1]), const(b, [1, 1]))).y, const(b, [2]))
        ).y
        return [scattered, row, b.emit(core.DynamicSlice(v, begin, const(b, [2, 2]))).y]

    code, (scattered, rows, piece) = Native(to_object(module(make, [x, at]), tmp_path / "m.o")).call([x, at])
    assert code == 0
    np.testing.assert_array_equal(scattered, np.where(np.arange(4)[:, None] == 2, -1, x))
    np.testing.assert_array_equal(rows, x[[3, 0, 2]])
    np.testing.assert_array_equal(piece, x[2:4, 0:2])


@pytest.mark.parametrize("name", [n for n in ALL if n not in (*COMPLEX, "bool")])
def test_segments(name: str, tmp_path: pathlib.Path) -> None:
    """Ids in any order, negative ones dropped, an empty segment."""
    ids = np.array([[0, 2], [0, -1], [2, 0]], np.int32)
    makes = []
    for k in ("add", "mul", "max", "min", "mean"):
        makes.append(
            lambda b, v, i, k=k: b.emit(core.SegmentReduce(v, i, const(b, np.int32(4)), reduction=k, empty=3.0)).y
        )
    check_all(makes, [data(name, 3, 2, 69), ids], tmp_path)


@pytest.mark.parametrize("sigma", [0.0, 0.5])
@pytest.mark.parametrize(("count", "limit"), [(20, 0), (20, 3), (20, 30), (301, 301), (1, 1), (0, 1)])
def test_suppression(count: int, limit: int, sigma: float, tmp_path: pathlib.Path) -> None:
    """Ties, boxes without area, corners in either order, more wanted than there are, scores that are no numbers."""
    rng = np.random.default_rng(2)
    boxes, scores = rng.random((count, 4)).astype(np.float32), rng.random(count).astype(np.float32)
    if count > 20:
        scores, boxes[:, 2:] = np.round(scores, 1), boxes[:, :2] + boxes[:, 2:] / 4
        scores[9::50] = np.nan
    if count > 1:
        scores[3], boxes[7, 2] = scores[5], boxes[7, 0]

    def make(b: Builder, v: Value, s: Value, iou: Value) -> list[Value]:
        numbers = const(b, np.int32(limit)), iou, const(b, np.float32(0.1)), const(b, np.float32(sigma))
        return list(b.emit(core.NonMaxSuppression(v, s, *numbers, padded=True)).results)

    for threshold in (0.3, 0.0, -1.0, 1.0):  # below 0 a box hides all others
        arrays = [boxes, scores, np.asarray(threshold, np.float32)]
        check(module(make, arrays), arrays, tmp_path)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 8, 12, 30, 49, 64, 97])
def test_fourier(length: int, tmp_path: pathlib.Path) -> None:
    """Lengths of small factors, of one large prime; along several axes; cut and padded spectra."""
    x, real = data("complex64", 2, length, 3), data("float64", 3, length)
    half = data("complex128", 2, length // 2 + 1)

    def make(b: Builder, v: Value, r: Value, h: Value) -> list[Value]:
        ops: list[Any] = [core.Fft(v, axes=(1,)), core.Fft(v, axes=(0, 1, 2), inverse=True), core.Rfft(r, axes=(0, 1))]
        ops += [core.Irfft(h, axes=(0, 1), length=n) for n in (length, length + 3, max(1, length - 2))]
        return [b.emit(op).y for op in ops]

    check(module(make, [x, real, half]), [x, real, half], tmp_path, tolerance=1e-6)


@pytest.mark.parametrize("name", FLOATS)
def test_uniform_numbers_are_those_of_philox(name: str, tmp_path: pathlib.Path) -> None:
    m = module(
        lambda b: b.emit(core.RandomUniform(const(b, [5, 7]), dtype=DType.from_numpy(name), seed=3, seed2=2**62)).y, []
    )
    check(m, [], tmp_path)


def test_normal_numbers(tmp_path: pathlib.Path) -> None:
    """Moments of 100 000 numbers; the same ones in every run, others for another seed."""
    m = module(lambda b: [b.emit(core.RandomNormal(const(b, [100_000]), seed=s)).y for s in (1, 2)], [])
    net = Native(to_object(m, tmp_path / "m.o"))
    _, (x, other) = net.call([])
    assert (
        abs(x.mean()) < 0.02 and abs(x.std() - 1) < 0.02 and abs((x**3).mean()) < 0.05 and abs((x**4).mean() - 3) < 0.1
    )
    assert np.abs(x).max() < 6 and not np.array_equal(x, other)
    np.testing.assert_array_equal(net.call([])[1][0], x)


def test_ranges_from_run_time_numbers(tmp_path: pathlib.Path) -> None:
    """Only the start is data: the length follows from known sizes."""
    for name in (*FLOATS, *INTEGERS):
        folder = tmp_path / name
        folder.mkdir()
        dtype = DType.from_numpy(name).numpy
        bounds = [np.asarray(v).astype(dtype) for v in (1, 9, 2)]
        m = module(lambda b, bounds=bounds: b.emit(core.Range(*(const(b, v) for v in bounds))).y, [])
        check(m, [], folder)


def _layer(kind: str, rng: np.random.Generator, time: int, batch: int, **flags: Any) -> Any:
    """(arrays, make) of a recurrent layer with everything that it can have."""
    gates, hidden, depth = {"Lstm": 4, "Gru": 3, "Rnn": 1}[kind], 9, 5

    def arr(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(np.float32) * np.float32(0.5)

    lengths = rng.integers(0, time + 1, batch).astype(np.int32)
    arrays = [arr(time, batch, depth), arr(batch, hidden), lengths]
    w, r, bias = arr(gates * hidden, depth), arr(gates * hidden, hidden), arr(gates * hidden)

    def make(b: Builder, x: Value, h: Value, n: Value) -> list[Value]:
        weights = const(b, w), const(b, r), const(b, bias)
        if kind == "Lstm":
            return list(b.emit(core.Lstm(x, *weights, h, h, n, const(b, arr(3 * hidden)), **flags)).results)
        if kind == "Gru":
            return list(b.emit(core.Gru(x, *weights, const(b, arr(3 * hidden)), h, n, **flags)).results)
        return list(b.emit(core.Rnn(x, *weights, h, n, **flags)).results)

    return arrays, make


@pytest.mark.share(4)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", ["Lstm", "Gru", "Rnn"])
@pytest.mark.parametrize("time,batch", [(1, 1), (6, 3)])
def test_recurrent(time: int, batch: int, kind: str, reverse: bool, tmp_path: pathlib.Path) -> None:
    flags: dict[str, Any] = {"reverse": reverse, "clip": 2.0}
    if kind == "Gru":
        flags["linear_before_reset"] = reverse
    if kind == "Lstm":
        flags["input_forget"] = reverse
    arrays, make = _layer(kind, np.random.default_rng(time), time, batch, **flags)
    check(module(make, arrays), arrays, tmp_path)


@pytest.mark.parametrize("kind", ["Lstm", "Rnn"])
def test_one_step_from_zeros_multiplies_no_state(kind: str, tmp_path: pathlib.Path) -> None:
    """Unless a weight is not finite."""
    rng, hidden, gates = np.random.default_rng(3), 6, 4 if kind == "Lstm" else 1
    x, r = rng.normal(size=(1, 2, 5)).astype(np.float32), rng.normal(size=(gates * hidden, hidden)).astype(np.float32)
    w, bias = (rng.normal(size=s).astype(np.float32) for s in ((gates * hidden, 5), gates * hidden))
    endless = r.copy()
    endless[0, 0] = np.inf

    def make(b: Builder, v: Value) -> list[Value]:
        layers = [getattr(core, kind)(v, const(b, w), const(b, m), const(b, bias)) for m in (r, endless)]
        return [y for layer in layers for y in b.emit(layer).results]

    check(module(make, [x]), [x], tmp_path)


ACTIVATIONS = (
    "sigmoid tanh relu affine leakyrelu thresholdedrelu scaledtanh hardsigmoid elu softsign softplus identity".split()
)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name: str, tmp_path: pathlib.Path) -> None:
    arrays, make = _layer("Rnn", np.random.default_rng(4), 3, 2, activations=((name, 0.3, 0.4),))
    check(module(make, arrays), arrays, tmp_path)


def test_complex_parts(tmp_path: pathlib.Path) -> None:
    for name, part in (("complex64", "float32"), ("complex128", "float64")):
        z, re = data(name, 3, 33), data(part, 33)

        def make(b: Builder, v: Value, r: Value) -> list[Value]:
            return [
                b.emit(core.Real(v)).y,
                b.emit(core.Imag(v)).y,
                b.emit(core.Abs(v)).y,
                b.emit(core.Complex(r, b.emit(core.Imag(v)).y)).y,
            ]

        folder = tmp_path / name
        folder.mkdir()
        check(module(make, [z, re]), [z, re], folder)
