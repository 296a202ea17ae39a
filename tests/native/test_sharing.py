"""Kernels that threads share: the same bits for any number of threads, and for items in any order."""

from __future__ import annotations

import ctypes
import pathlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from mlconv.codegen.kernels import division
from mlconv.codegen.program import calls
from mlconv.dialects import core
from mlconv.dialects.kernel import SLOTS, routine_base
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel import fuse_convs
from mlconv.runtime.native import load_native
from tests.support.modules import const, module, random
from tests.support.native import CPUS, Array, InProcess, to_object

THREADS = (1, 2, 3, 5)
_TASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
_RUN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, _TASK, ctypes.c_void_p)
Make = Callable[..., "Value | Sequence[Value]"]


class Case(NamedTuple):
    """Ops, the arrays that they take, and how far results may be from the interpreter's."""

    make: Make
    arrays: Sequence[Array]
    tolerance: float = 0.0


class Hook(ctypes.Structure):
    """An `mlc_parallel`."""

    _fields_ = (("context", ctypes.c_void_p), ("run", _RUN))


def _one_by_one(_: Any, items: int, grain: int, task: Any, argument: Any) -> None:
    """Each item is a range of its own, odd ones first, from the last to the first."""
    for i in sorted(range(items), key=lambda i: (i % 2 == 0, -i)):
        task(argument, i, i + 1)


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Everything that can be shared is, however short it is."""
    monkeypatch.setattr(calls, "worth_sharing", lambda items, nanoseconds: items != 1)
    monkeypatch.setattr(division, "_SHARED_NS", 0)
    monkeypatch.setattr(division, "ITEM_NS", 1)
    monkeypatch.setattr(routine_base, "FEW", 16)
    yield


def _top_k(*shape: int, axis: int, k: int, largest: bool = True) -> Case:
    x = np.random.default_rng(5).integers(0, 50, shape).astype(np.float32)
    x.reshape(-1)[3::17] = np.nan
    return Case(lambda b, v: list(b.emit(core.TopK(v, const(b, np.int64(k)), axis=axis, largest=largest)).results), [x])


def _scan(*shape: int, axis: int, **flags: bool) -> Case:
    return Case(lambda b, v: b.emit(core.CumSum(v, axis=axis, **flags)).y, [random(*shape)], 1e-5)


def _scatter_nd(shape: tuple[int, ...], count: int, reduction: str) -> Case:
    rng = np.random.default_rng(7)
    places = rng.integers(-shape[0], shape[0], (count, 1)).astype(np.int64)
    updates = random(count, *shape[1:], seed=8)

    def make(b: Builder, x: Value, i: Value, u: Value) -> Value:
        return b.emit(core.ScatterNd(x, i, u, reduction=reduction)).y

    return Case(make, [random(*shape), places, updates], 1e-5)


def _scatter_elements(shape: tuple[int, ...], places: tuple[int, ...], axis: int, reduction: str) -> Case:
    at = np.random.default_rng(9).integers(-shape[axis], shape[axis], places).astype(np.int32)

    def make(b: Builder, x: Value, i: Value, u: Value) -> Value:
        return b.emit(core.ScatterElements(x, i, u, axis=axis, reduction=reduction)).y

    return Case(make, [random(*shape), at, random(*places, seed=10)], 1e-5)


def _segment(rows: int, inner: int, count: int, kind: str) -> Case:
    ids = np.random.default_rng(11).integers(-1, count, rows).astype(np.int32)

    def make(b: Builder, x: Value, i: Value) -> Value:
        return b.emit(core.SegmentReduce(x, i, const(b, np.int32(count)), reduction=kind, empty=3.0)).y

    return Case(make, [random(rows, inner), ids], 1e-5)


def _conv(size: int, cin: int, cout: int, scale: float = 1.0) -> Case:
    x, w = random(1, size, size, cin), random(3, 3, cin, cout, seed=3) * np.float32(0.1)
    x[:, : size // 2] *= np.float32(scale)
    place: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "pads": ((1, 1), (1, 1))}
    return Case(lambda b, v: b.emit(core.Tanh(b.emit(core.Conv(v, const(b, w), None, **place)).y)).y, [x], 1e-3)


def _by_channels(size: int, channels: int) -> Case:
    x, w = random(2, size, size, channels), random(5, 5, 1, channels, seed=3)
    place: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "pads": ((2, 2), (2, 2)), "groups": channels}
    return Case(lambda b, v: b.emit(core.Conv(v, const(b, w), None, **place)).y, [x], 1e-4)


def _product(rows: tuple[int, ...], depth: int, columns: int) -> Case:
    w = random(depth, columns, seed=4)
    return Case(lambda b, v: b.emit(core.MatMul(v, const(b, w))).y, [random(*rows, depth)], 1e-4)


PADS = np.array([[0, 0], [1, 1], [1, 1], [0, 0]])


def _padded(size: int, cin: int, cout: int) -> Case:
    def make(b: Builder, v: Value) -> Value:
        place: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "pads": ((0, 0), (0, 0))}
        y = b.emit(core.Conv(v, const(b, random(1, 1, cin, cout, seed=3)), None, **place)).y
        return b.emit(core.Pad(y, const(b, PADS), const(b, np.float32(7)))).y

    return Case(make, [random(1, size, size, cin)], 1e-4)


PADDED = _padded(8, 24, 40)
CASES = {
    "a product with borders": PADDED,
    "top_k rows": _top_k(6, 40, axis=1, k=7),
    "top_k columns": _top_k(3, 40, 5, axis=1, k=40, largest=False),
    "top_k of one long row": _top_k(1, 2501, axis=1, k=2501),
    "top_k of three long rows": _top_k(2503, 3, axis=0, k=2503, largest=False),
    "few of three long rows": _top_k(2503, 3, axis=0, k=9, largest=False),
    "scan of rows": _scan(9, 40, axis=1, reverse=True),
    "scan of few columns": _scan(7, 11, 5, axis=1, exclusive=True),
    "scan of many columns": _scan(3, 11, 80, axis=1),
    "scatter_nd by places": _scatter_nd((20, 1030), 50, "mul"),
    "scatter_nd, the last one wins": _scatter_nd((9, 48), 50, "none"),
    "scatter_nd of numbers": _scatter_nd((20,), 90, "add"),
    "scatter_elements by rows": _scatter_elements((30, 7), (30, 12), 1, "none"),
    "scatter_elements by columns": _scatter_elements((5, 48), (60, 41), 0, "add"),
    "scatter_elements of numbers": _scatter_elements((50,), (200,), 0, "add"),
    "segments": _segment(80, 1025, 12, "mean"),
    "short segments": _segment(50, 3, 4, "max"),
    "a transform of rows": Case(
        lambda b, v: b.emit(core.Fft(v, axes=(0, 1))).y,
        [(random(8, 12) + 1j * random(8, 12)).astype(np.complex64)],
        1e-5,
    ),
    "uniform numbers": Case(
        lambda b: b.emit(core.RandomUniform(const(b, [5, 70]), dtype=DType.F32, seed=3, seed2=5)).y, []
    ),
    "a block of Winograd's algorithm": _conv(14, 32, 128),
    "two of them": _conv(28, 64, 64),
    "one of them that is summed directly": _conv(14, 32, 64, scale=1e6),
    "lines of blocks of channels": _by_channels(15, 72),
    "a few lines of them": _by_channels(4, 72),
    "blocks of channels": _by_channels(3, 72),
    "many weights": _product((1, 5), 520, 240),
    "many rows": _product((40, 3), 24, 40),
    "a long row": Case(lambda b, v: b.emit(core.Tanh(v)).y, [random(1003)], 1e-5),
    "few long rows": Case(lambda b, v: b.emit(core.Sub(v, const(b, random(1003)))).y, [random(3, 1003)], 1e-5),
    "sums of columns": Case(lambda b, v: b.emit(core.ReduceSum(v, axes=(0,))).y, [random(50, 203)], 1e-4),
    "picked one by one": Case(
        lambda b, v: b.emit(core.GatherElements(v, const(b, np.arange(3 * 1003).reshape(3, 1003) % 7), axis=1)).y,
        [random(3, 1003)],
    ),
    "softmax": Case(lambda b, v: b.emit(core.Softmax(v, axis=2)).y, [random(3, 7, 50)], 1e-5),
    "joined": Case(lambda b, v: b.emit(core.Concat([v, v], axis=1)).y, [random(90, 100)]),
}


# done by one thread: others would only look at what is not theirs, or there is one item
ALONE = (
    "joined",
    "many rows",
    "scatter_nd, the last one wins",
    "scatter_nd of numbers",
    "scatter_elements by columns",
    "scatter_elements of numbers",
    "short segments",
)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", CASES)
def test_same_bits(name: str, tmp_path: pathlib.Path) -> None:
    make, arrays, tolerance = CASES[name]
    m = module(make, arrays)
    given = {f"in{i}": a for i, a in enumerate(arrays)}
    path = to_object(m, tmp_path / "m.o", CPUS[-1])
    golden = load_native(path).run(given)
    for key, value in run_function(m.main, given).items():
        np.testing.assert_allclose(golden[key], value, rtol=tolerance, atol=tolerance * np.nanmax(np.abs(value)))
    for threads in THREADS:
        model = load_native(path, threads)
        for _ in range(5):
            for key, value in model.run(given).items():
                assert value.tobytes() == golden[key].tobytes(), f"{key} on {threads} threads"
    hook = Hook(None, _RUN(_one_by_one))
    code, outputs = InProcess(path).call(arrays, parallel=ctypes.addressof(hook))
    assert code == 0
    for key, array in zip(golden, outputs, strict=True):
        assert array.tobytes() == golden[key].tobytes(), f"{key} item by item"


def _items(name: str, path: pathlib.Path) -> list[int]:
    """Of the kernels of a case that are shared."""
    seen: list[int] = []

    def run(_: Any, items: int, grain: int, task: Any, argument: Any) -> None:
        seen.append(items)
        task(argument, 0, items)

    make, arrays, _ = CASES[name]
    hook = Hook(None, _RUN(run))
    InProcess(to_object(module(make, arrays), path / "m.o", CPUS[-1])).call(arrays, parallel=ctypes.addressof(hook))
    return seen


@pytest.mark.parametrize("name", [n for n in CASES if n not in ALONE])
def test_is_shared(name: str, tmp_path: pathlib.Path) -> None:
    """Some kernel of each case has several items."""
    assert max(_items(name, tmp_path), default=1) > 1


def test_lines_of_chains_are_shared_evenly(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """Whatever the height of a row tile is: 29 lines in tiles of 3 would be 9, 9, 9 and 2."""
    monkeypatch.setattr(fuse_convs, "_cut", lambda ops, links: [(0, len(links), 3)])
    place: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "pads": ((1, 1), (1, 1))}

    def make(b: Builder, x: Value) -> Value:
        for seed in range(2):
            x = b.emit(core.Conv(x, const(b, random(3, 3, 8, 8, seed=seed)), None, **place)).y
        return x

    arrays, alone = [random(1, 29, 12, 8)], [0]
    made = InProcess(to_object(module(make, arrays), tmp_path / "m.o", CPUS[-1]))
    _, (whole,) = made.call(arrays)
    hook = Hook(None, _RUN(lambda _, items, grain, task, argument: task(argument, alone[0], alone[0] + 1)))
    found = []
    for alone[0] in range(SLOTS):
        _, (part,) = made.call(arrays, parallel=ctypes.addressof(hook))
        found.append(np.sum(np.all(part == whole, axis=(0, 2, 3))))
    assert found == [7, 7, 7, 8]


def test_who_has_lines_fills_what_lies_beside_them(tmp_path: pathlib.Path) -> None:
    """What is padded with: above and below by who has the first and the last lines, left and right line by line."""
    made = InProcess(to_object(module(PADDED.make, PADDED.arrays), tmp_path / "m.o", CPUS[-1]))
    _, (whole,) = made.call(PADDED.arrays)
    hook = Hook(None, _RUN(lambda _, items, grain, task, argument: task(argument, 0, items // 2)))
    _, (half,) = made.call(PADDED.arrays, parallel=ctypes.addressof(hook))
    np.testing.assert_array_equal(half[:, :5], whole[:, :5])
    assert not np.any(half[:, 5:] == whole[:, 5:])


def test_threads_have_lines_of_depthwise_convolutions(tmp_path: pathlib.Path) -> None:
    """As in the products before and behind, whatever block of channels comes first."""
    for name, lines in (("lines of blocks of channels", 2 * 15), ("a few lines of them", 2 * 4)):
        assert _items(name, tmp_path)[-1] == lines
