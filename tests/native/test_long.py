"""Models of many calls: several functions, and time that does not grow with the square."""

from __future__ import annotations

import pathlib
import time

import numpy as np
import pytest

import mlconv
from mlconv.codegen.program import calls, packing
from mlconv.codegen.program.packing import Buffer, pack, pack_by_size, pack_in_order
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType
from tests.native.test_lines import FIRST, SECOND, SOFTMAX, line_table, model
from tests.support.modules import const, module, module_of_types, random
from tests.support.native import check, needs_cc, to_object


def chain(length: int) -> Module:
    def make(b: Builder, x: Value) -> Value:
        weights = [const(b, random(8, 8, seed=s) * 0.4) for s in range(4)]
        for i in range(length):
            x = b.emit(core.MatMul(x, weights[i % 4])).y
        return x

    return module(make, [random(2, 8)])


@needs_cc
@pytest.mark.parametrize("apart", [False, True])
def test_parts(apart: bool, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls in several functions do the same, with weights in the object or apart."""
    monkeypatch.setattr(calls, "MAX_CALLS", 3)
    m, x = chain(8), random(2, 8)
    loaded = mlconv.load_native(to_object(m, tmp_path / "net.o", "", separate_weights=apart))
    np.testing.assert_allclose(
        loaded.run({"in0": x})["out0"], run_function(m.main, {"in0": x})["out0"], rtol=1e-4, atol=1e-6
    )
    check(m, [x], tmp_path)


def test_parts_have_lines_and_stamps(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MAX_CALLS", 1)
    (tmp_path / "user_model.py").write_text("")
    loaded = mlconv.load_native(to_object(model(tmp_path / "user_model.py"), tmp_path / "net.o", "", stamps=True))
    loaded.run({"in0": random(4, 48)})
    stamps = loaded.stamps[:, 0] * 1_000_000_000 + loaded.stamps[:, 1]
    assert len(stamps) == 4 and stamps[0] > 0 and (np.diff(stamps) > 0).all()
    assert {FIRST, SECOND, SOFTMAX} <= line_table(tmp_path / "net.o")


def test_time_of_a_long_chain(tmp_path: pathlib.Path) -> None:
    """Five times the calls take about five times as long; the bound leaves room for a busy machine."""
    seconds = []
    for n in (400, 2000):
        m = chain(n)
        started = time.process_time()
        to_object(m, tmp_path / "net.o", "x86-64-v3")
        seconds.append(time.process_time() - started)
    assert seconds[1] < 12 * seconds[0] + 1


def joined(b: Builder, n: int, xs: list[Value]) -> list[Value]:
    return [b.emit(core.Concat(xs, axis=0)).y]


def cut(b: Builder, n: int, xs: list[Value]) -> list[Value]:
    return list(b.emit(core.Split(xs[0], sizes=(1,) * n, axis=0)).ys)


def fanned_out(b: Builder, n: int, xs: list[Value]) -> list[Value]:
    y = b.emit(core.Tanh(xs[0])).y
    return [b.emit(core.Sin(y)).y for _ in range(n)]


def fanned_in(b: Builder, n: int, xs: list[Value]) -> list[Value]:
    """Many values that live at once, made of one."""
    y = b.emit(core.Tanh(xs[0])).y
    return [b.emit(core.Concat([b.emit(core.Sin(b.emit(core.Tanh(y)).y)).y for _ in range(n)], axis=0)).y]


def normalized(b: Builder, n: int, xs: list[Value]) -> list[Value]:
    """Rows are fused again and again."""
    x, w = xs[0], const(b, random(4, 4))
    for _ in range(n):
        x = b.emit(core.Softmax(b.emit(core.MatMul(x, w)).y, axis=-1)).y
    return [x]


WIDE = {
    "joined": (joined, lambda n: [(1, 4)] * n),
    "cut": (cut, lambda n: [(n, 3)]),
    "fanned out": (fanned_out, lambda n: [(1, 4)]),
    "fanned in": (fanned_in, lambda n: [(1, 4)]),
    "normalized": (normalized, lambda n: [(1, 4)]),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("name", WIDE)
def test_time_of_a_wide_graph(name: str, tmp_path: pathlib.Path) -> None:
    """Five times the operands, results or readers take about five times as long."""
    make, shapes = WIDE[name]
    seconds = []
    for n in (200, 1000):
        arrays = [random(*s, seed=i) for i, s in enumerate(shapes(n))]
        m = module(lambda b, *xs, n=n: make(b, n, list(xs)), arrays)
        started = time.process_time()
        path = to_object(m, tmp_path / "net.o", "x86-64-v3")
        seconds.append(time.process_time() - started)
        inputs = {f"in{i}": a for i, a in enumerate(arrays)}
        expected, got = run_function(m.main, inputs), mlconv.load_native(path).run(inputs)
        for key, y in expected.items():
            np.testing.assert_allclose(got[key], y, rtol=1e-5, atol=1e-6)
    assert seconds[1] < 12 * seconds[0] + 1


def test_pieces_at_places_of_run_time_share_their_code(tmp_path: pathlib.Path) -> None:
    """Where a piece of a Concat begins is in the address of its call, also when the sizes before it are known at run
    time.
    """
    rows = TensorType(DType.F32, (Dim.symbol("N"), 7))
    sizes = []
    for n in (10, 40):
        m = module_of_types(
            lambda b, x, n=n: b.emit(core.Concat([b.emit(core.Tanh(x)).y if i % 2 else x for i in range(n)], axis=0)).y,
            [rows],
        )
        path = to_object(m, tmp_path / "net.o", "x86-64-v3")
        x = random(3, 7)
        np.testing.assert_allclose(
            mlconv.load_native(path).run({"in0": x})["out0"],
            run_function(m.main, {"in0": x})["out0"],
            rtol=1e-5,
            atol=1e-6,
        )
        sizes.append(path.stat().st_size)
    assert sizes[1] < 2 * sizes[0]


def test_the_smaller_packing_is_taken() -> None:
    """Neither is better than the other."""
    given = [[(128, 0, 1), (192, 2, 4), (192, 1, 2), (192, 3, 4)], [(128, 1, 2), (192, 0, 1), (64, 2, 3), (192, 3, 5)]]
    taken = []
    for lives in given:
        buffers = [Buffer(size, born, dies, []) for size, born, dies in lives]
        taken.append((pack_by_size(buffers), pack_in_order(buffers)))
        assert pack(buffers) == min(taken[-1]) == max(b.at + b.size for b in buffers)
    assert taken[0][0] < taken[0][1] and taken[1][0] > taken[1][1], taken


@pytest.mark.parametrize("in_order", [False, True])
def test_buffers_at_the_same_time_lie_apart(in_order: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random lives, short and long, against the definition."""
    monkeypatch.setattr(packing, "_MANY_MEETINGS", 0 if in_order else 1 << 40)
    rng = np.random.default_rng(4)
    births, lengths = rng.integers(0, 900, 300), rng.choice([1, 2, 5, 200, 700], 300)
    placed = [
        Buffer(int(s), int(b), int(b + n), [])
        for s, b, n in zip(rng.integers(1, 999, 300), births, lengths, strict=True)
    ]
    size = pack(placed)
    for i, a in enumerate(placed):
        assert a.at % 64 == 0 and a.at + a.size <= size
        for b in placed[:i]:
            if a.born <= b.dies and b.born <= a.dies:
                assert a.at + a.size <= b.at or b.at + b.size <= a.at
