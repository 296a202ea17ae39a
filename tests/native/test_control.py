"""Control flow: nested regions, loop variables that change places, values from around, updates in place."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from mlconv.codegen.program.memory_plan import plan_memory, root
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import KernelOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from tests.support.lowering import lower
from tests.support.modules import LOCATION, const, module
from tests.support.native import Array, check, needs_cc

Inside = Callable[[Builder, list[Value]], list[Value]]
pytestmark = needs_cc
RNG = np.random.default_rng(7)


def region(types: Sequence[TensorType], make: Inside) -> Region:
    block = Block(types)
    b = Builder(block, LOCATION)
    b.emit(Yield(make(b, block.arguments)))
    return Region(block)


def while_(b: Builder, turns: int | Value, inits: Sequence[Value], body: Inside) -> list[Value]:
    """`body(b, [i, *carried])` gives the next carried values."""
    start = const(b, np.int32(0))
    types = [start.tensor, *(v.tensor for v in inits)]

    def test(inner: Builder, args: list[Value]) -> list[Value]:
        limit = const(inner, np.int32(turns)) if isinstance(turns, int) else turns
        return [inner.emit(core.Less(args[0], limit)).y]

    def turn(inner: Builder, args: list[Value]) -> list[Value]:
        made = body(inner, args)
        return [inner.emit(core.Add(args[0], const(inner, np.int32(1)))).y, *made]

    return list(b.emit(core.While([start, *inits], cond=region(types, test), body=region(types, turn))).ys)[1:]


def if_(b: Builder, cond: Value, then: Inside, orelse: Inside) -> list[Value]:
    return list(b.emit(core.If(cond, then=region([], then), orelse=region([], orelse))).ys)


def add(b: Builder, x: Value, y: Value) -> Value:
    return b.emit(core.Add(x, y)).y


@pytest.mark.parametrize("turns", [0, 1, 2, 5])
def test_variables_change_places(turns: int, tmp_path: pathlib.Path) -> None:
    """a, b, c = b, a + c, a: all of them at the same time."""
    arrays = [RNG.standard_normal((3, 5)).astype(np.float32) for _ in range(3)]

    def make(b: Builder, *v: Value) -> list[Value]:
        return while_(b, turns, v, lambda e, a: [a[2], add(e, a[1], a[3]), a[1]])

    check(module(make, arrays), arrays, tmp_path)


@pytest.mark.parametrize("turns", [0, 3])
def test_run_time_trip_count_and_outer_values(turns: int, tmp_path: pathlib.Path) -> None:
    """The body yields a value from outside, a constant, a reshaped variable and the same value twice."""
    arrays = [RNG.standard_normal((4, 6)).astype(np.float32), np.asarray(turns, np.int32)]

    def make(b: Builder, x: Value, n: Value) -> list[Value]:
        outer = b.emit(core.Neg(x)).y

        def body(e: Builder, a: list[Value]) -> list[Value]:
            flat = e.emit(core.Reshape(a[1], const(e, np.array([24])))).y
            back = e.emit(core.Reshape(e.emit(core.Mul(flat, flat)).y, const(e, np.array([4, 6])))).y
            return [
                back,
                outer,
                const(e, np.ones((4, 6), np.float32)),
                back,
                e.emit(core.Reshape(flat, const(e, np.array([4, 6])))).y,
            ]

        return [*while_(b, n, [x] * 5, body), outer]

    check(module(make, arrays), arrays, tmp_path)


@pytest.mark.parametrize("cond", [False, True])
def test_branches(cond: bool, tmp_path: pathlib.Path) -> None:
    """Nested branches that yield inputs, constants, computed values and one value twice; a loop in one of them."""
    x = RNG.standard_normal((2, 3)).astype(np.float32)
    arrays = [x, np.asarray(cond), np.asarray(not cond)]

    def make(b: Builder, v: Value, p: Value, q: Value) -> list[Value]:
        def then(e: Builder, _: list[Value]) -> list[Value]:
            y = e.emit(core.Exp(v)).y
            inner = if_(e, q, lambda i, _: [v], lambda i, _: [add(i, y, v)])
            return [inner[0], y, y]

        def orelse(e: Builder, _: list[Value]) -> list[Value]:
            y = while_(e, 4, [v], lambda i, a: if_(i, p, lambda k, _: [a[1]], lambda k, _: [add(k, a[1], v)]))
            return [y[0], v, const(e, np.zeros((2, 3), np.float32))]

        y = if_(b, p, then, orelse)
        return [*y, add(b, y[0], y[1])]

    check(module(make, arrays), arrays, tmp_path)


def test_rows_are_collected_in_place(tmp_path: pathlib.Path) -> None:
    """An accumulator that scatters into itself; the old one is read once more in a second loop, which needs a copy."""
    x = RNG.standard_normal((6, 4)).astype(np.float32)

    def write(e: Builder, whole: Value, i: Value, row: Value) -> Value:
        at = e.emit(core.Reshape(i, const(e, np.array([1, 1])))).y
        return e.emit(core.ScatterNd(whole, at, e.emit(core.ExpandDims(row, axes=(0,))).y)).y

    def make(b: Builder, v: Value) -> list[Value]:
        zeros = const(b, np.zeros((6, 4), np.float32))
        total = b.emit(core.ReduceSum(v, axes=(0,))).y

        def body(e: Builder, a: list[Value]) -> list[Value]:
            row = add(e, a[2], e.emit(core.Gather(v, a[0], axis=0)).y)
            return [write(e, a[1], a[0], row), row]

        first, last = while_(b, 6, [zeros, total], body)

        def keeps(e: Builder, a: list[Value]) -> list[Value]:
            new = write(e, a[1], a[0], total)
            return [add(e, new, a[1])]

        return [first, last, *while_(b, 3, [first], keeps), first]

    check(module(make, [x]), [x], tmp_path)


def test_two_writes_in_a_turn(tmp_path: pathlib.Path) -> None:
    """Both change the variable's own buffer; with another reader in between only the first may."""
    x = RNG.standard_normal((6, 4)).astype(np.float32)

    def write(e: Builder, whole: Value, i: Value, factor: float) -> Value:
        row = e.emit(core.Mul(e.emit(core.Gather(whole, i, axis=0)).y, const(e, np.float32(factor)))).y
        at = e.emit(core.Reshape(i, const(e, np.array([1, 1])))).y
        return e.emit(core.ScatterNd(whole, at, e.emit(core.ExpandDims(row, axes=(0,))).y)).y

    def make(b: Builder, v: Value) -> list[Value]:
        def plain(e: Builder, a: list[Value]) -> list[Value]:
            return [write(e, write(e, a[1], a[0], 2.0), const(e, np.int32(5)), 0.5)]

        def watched(e: Builder, a: list[Value]) -> list[Value]:
            middle = write(e, a[1], a[0], 2.0)
            return [write(e, middle, const(e, np.int32(5)), 0.5), add(e, middle, a[2])]

        return [*while_(b, 4, [v], plain), *while_(b, 4, [v, v], watched)]

    m = module(make, [x])
    check(m, [x], tmp_path)
    lower(m, "native", DiagnosticEngine())
    allocations = plan_memory(m.main.block).allocations
    writes = [op for op in walk(m.main.block) if isinstance(op, KernelOp) and op.name == "kernel.routine"]
    assert [allocations[op.result] == allocations[root(op.inputs[0])] for op in writes] == [True, True, True, False]


def test_nested_loops_share_the_arena(tmp_path: pathlib.Path) -> None:
    x = RNG.standard_normal((5, 5)).astype(np.float32)

    def make(b: Builder, v: Value) -> list[Value]:
        big = b.emit(core.MatMul(v, v)).y

        def outer(e: Builder, a: list[Value]) -> list[Value]:
            t = e.emit(core.Tanh(e.emit(core.MatMul(a[1], big)).y)).y
            inner = while_(e, a[0], [t, a[1]], lambda i, c: [add(i, i.emit(core.MatMul(c[1], t)).y, c[2]), c[1]])
            return [e.emit(core.Tanh(add(e, inner[0], inner[1]))).y]

        return while_(b, 4, [v], outer)

    check(module(make, [x]), [x], tmp_path, tolerance=1e-4)


def test_random_programs(tmp_path: pathlib.Path) -> None:
    """Whatever is read, swapped, updated in place or captured: the same numbers as the interpreter."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        arrays: list[Array] = [rng.standard_normal((2, 3)).astype(np.float32) for _ in range(2)]
        arrays.append(np.asarray(bool(seed & 1)))
        folder = tmp_path / str(seed)
        folder.mkdir()

        def make(b: Builder, *v: Value, rng: np.random.Generator = rng) -> list[Value]:
            return _program(b, rng, list(v[:2]), v[2], 3)[-3:]

        check(module(make, arrays), arrays, folder, tolerance=1e-4)


def _program(b: Builder, rng: np.random.Generator, pool: list[Value], flag: Value, depth: int) -> list[Value]:
    """Random ops on a pool of values of one type."""
    pool = list(pool)

    def pick() -> Value:
        return pool[int(rng.integers(len(pool)))]

    for _ in range(6):
        kind = int(rng.integers(6 if depth else 3))
        if kind == 0:
            pool.append(b.emit(core.Tanh(b.emit(core.Sub(pick(), pick())).y)).y)
        elif kind == 1:
            at = const(b, np.array([[int(rng.integers(2))]], np.int32))
            row = b.emit(
                core.Slice(pick(), const(b, np.array([1, 0])), const(b, np.array([2, 3])), const(b, np.array([1, 1])))
            ).y
            pool.append(b.emit(core.ScatterNd(pick(), at, row)).y)
        elif kind == 2:
            pool.append(b.emit(core.Softmax(pick(), axis=1)).y)
        elif kind == 3:
            seeds = [int(rng.integers(1 << 30)) for _ in range(2)]
            pool += if_(b, flag, *(_inside(seed, pool, flag, depth) for seed in seeds))
        else:
            pool += while_(
                b,
                int(rng.integers(4)),
                [pick(), pick(), pick()],
                _inside(int(rng.integers(1 << 30)), pool, flag, depth),
            )
    return pool


def _inside(seed: int, pool: Sequence[Value], flag: Value, depth: int) -> Inside:
    """A region: a random program on the values around it and on the loop variables."""
    around = list(pool)

    def make(b: Builder, args: list[Value]) -> list[Value]:
        rng = np.random.default_rng(seed)
        made = _program(b, rng, [*args[1:], *around], flag, depth - 1)
        return [made[int(rng.integers(len(made)))] for _ in range(3)]

    return make


def test_no_turns_and_no_elements(tmp_path: pathlib.Path) -> None:
    x = np.zeros((0, 4), np.float32)

    def make(b: Builder, v: Value) -> list[Value]:
        y = while_(b, 3, [v], lambda e, a: [e.emit(core.Exp(a[1])).y])[0]
        return [y, b.emit(core.Cast(b.emit(core.ReduceSum(y, axes=(0, 1))).y, dtype=DType.F64)).y]

    check(module(make, [x]), [x], tmp_path)
