"""Steps of a loop that was written out are computed together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from tests.support.graphs import Graph, kinds, run_keeping_numbers

STEPS = 5
Step = Callable[[Graph, Value], Value]


def element(g: Graph, x: Value, axis: int, number: int) -> Value:
    """One that lacks the axis."""
    return g.e(core.Gather(x, g.const(number, DType.I64), axis=axis))


def cut(g: Graph, x: Value, axis: int, number: int) -> Value:
    """One that has the axis, with size 1."""
    rank = len(x.tensor.static_shape())
    bounds = np.zeros((2, rank), np.int64)
    bounds[:, axis] = number, number + 1
    others = ((1 << rank) - 1) & ~(1 << axis)
    ends = (g.ints(*row) for row in bounds)
    return g.e(core.Slice(x, *ends, g.ints(*[1] * rank), begin_mask=others, end_mask=others))


def with_axis(g: Graph, x: Value, axis: int) -> Value:
    shape = x.tensor.static_shape()
    return g.e(core.Reshape(x, g.ints(*shape[:axis], 1, *shape[axis:])))


class Weights:
    """What all steps share."""

    def __init__(self, g: Graph) -> None:
        self.first, self.bias, self.second = g.noise(4, 6), g.noise(6), g.noise(6, 4)

    def layers(self, g: Graph, x: Value) -> Value:
        hidden = g.e(core.Tanh(g.e(core.Add(g.e(core.MatMul(x, self.first)), self.bias))))
        return g.e(core.Softmax(g.e(core.MatMul(hidden, self.second)), axis=len(x.tensor.static_shape()) - 1))


def looped(axis: int, to: int, step: Callable[[Graph, Weights, Value], Value], order: object = range(STEPS)) -> Graph:
    shape = [3, 2, 4]
    shape.insert(axis, STEPS)
    g = Graph(tuple(shape[-4:]))
    weights = Weights(g)
    parts = [with_axis(g, step(g, weights, element(g, g.xs[0], axis, i)), to) for i in order]  # type: ignore[attr-defined]
    g.result = g.e(core.Concat(parts, axis=to))  # type: ignore[attr-defined]
    return g


def joined(g: Graph) -> list[str]:
    return kinds(run_keeping_numbers(g.finish(g.result), "join-alike,canonicalize,dce"))  # type: ignore[attr-defined]


DONE = ["matmul", "add", "tanh", "matmul", "softmax"]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("to", [0, 1, 2, 3])
def test_steps_at_any_axis(axis: int, to: int) -> None:
    """The axis is where it was, or is moved behind."""
    found = joined(looped(axis, to, lambda g, w, x: w.layers(g, x)))
    assert [kind for kind in found if kind not in ("transpose", "reshape")] == DONE
    assert ("transpose" in found) == (axis != to)


@pytest.mark.parametrize("axis", [0, 1])
def test_steps_that_keep_the_axis(axis: int) -> None:
    g = Graph((STEPS, STEPS, 4))
    weights = Weights(g)
    parts = [weights.layers(g, cut(g, g.xs[0], axis, i)) for i in range(STEPS)]
    g.result = g.e(core.Concat(parts, axis=axis))  # type: ignore[attr-defined]
    assert joined(g) == DONE


def test_steps_put_side_by_side() -> None:
    """Along an axis that each has with more than one number."""
    g = Graph((3, STEPS, 4))
    weights = Weights(g)
    parts = [weights.layers(g, element(g, g.xs[0], 1, i)) for i in range(STEPS)]
    g.result = g.e(core.Concat(parts, axis=1))  # type: ignore[attr-defined]
    assert joined(g) == [*DONE, "reshape"]


@pytest.mark.parametrize("keeps", [False, True])
def test_reductions(keeps: bool) -> None:
    def step(g: Graph, w: Weights, x: Value) -> Value:
        return g.e(core.ReduceMean(w.layers(g, x), axes=(0,), keepdims=keeps))

    found = joined(looped(1, 1, step))
    assert [kind for kind in found if kind not in ("transpose", "reshape")] == [*DONE, "reduce_mean"]


@pytest.mark.parametrize("shape", [(), (4,), (2, 1), (3, 2, 4), (3, 1, 1)])
def test_what_all_steps_read(shape: tuple[int, ...]) -> None:
    table: dict[int, Value] = {}

    def step(g: Graph, w: Weights, x: Value) -> Value:
        return w.layers(g, g.e(core.Mul(x, table.setdefault(0, g.noise(*shape)))))

    found = joined(looped(2, 2, step))
    assert sorted(kind for kind in found if kind != "reshape") == sorted([*DONE, "mul"])


def test_steps_that_are_read_twice() -> None:
    def step(g: Graph, w: Weights, x: Value) -> Value:
        y = w.layers(g, x)
        return g.e(core.Mul(y, g.e(core.Sigmoid(y))))

    assert joined(looped(1, 1, step)) == [*DONE, "sigmoid", "mul"]


def test_steps_that_others_read_stay() -> None:
    g = Graph((3, STEPS, 4))
    weights = Weights(g)
    steps = [weights.layers(g, element(g, g.xs[0], 1, i)) for i in range(STEPS)]
    g.result = g.e(core.Concat([g.e(core.Concat(steps, axis=0)), steps[2]], axis=0))  # type: ignore[attr-defined]
    assert joined(g).count("softmax") == STEPS


@pytest.mark.parametrize("order", [(2, 3), (3, 1, 1)])
@pytest.mark.parametrize("dtype", [DType.F32, DType.I32])
def test_some_numbers_of_a_vector(order: tuple[int, ...], dtype: DType) -> None:
    """Height and width of a shape, scaled as floats; integers, which sizes are computed of, stay apart."""
    g = Graph((STEPS,))
    parts, factor = [], g.const(2.5, DType.F32)
    for number in order:
        scaled = g.e(core.Floor(g.e(core.Mul(element(g, g.xs[0], 0, number), factor))))
        parts.append(with_axis(g, scaled if dtype is DType.F32 else g.e(core.Cast(scaled, dtype=dtype)), 0))
    g.result = g.e(core.Concat(parts, axis=0))  # type: ignore[attr-defined]
    found = joined(g)
    assert found.count("floor") == (1 if dtype is DType.F32 else len(order))


@pytest.mark.parametrize("kind", [core.Mul, core.Sub, core.MatMul])
def test_the_first_step_beside_all(kind: type[core.Mul | core.Sub | core.MatMul]) -> None:
    """One value is a step, and what all steps read."""
    g = Graph((2, STEPS, 2))
    steps = [element(g, g.xs[0], 1, i) for i in range(STEPS)]
    parts = [with_axis(g, g.e(kind(step, steps[0])), 1) for step in steps]
    g.result = g.e(core.Concat(parts, axis=1))  # type: ignore[attr-defined]
    assert joined(g).count(kind.name.removeprefix("core.")) == 1


def weights_of_each(g: Graph, w: Weights, x: Value) -> Value:
    return g.e(core.MatMul(x, g.noise(4, 6)))


def one_after_the_other() -> Step:
    last: list[Value] = []

    def step(g: Graph, w: Weights, x: Value) -> Value:
        last.append(g.e(core.Tanh(g.e(core.Add(x, last[-1])) if last else x)))
        return last[-1]

    return step  # type: ignore[return-value]


def over_steps(g: Graph, w: Weights, x: Value) -> Value:
    return g.e(core.Softmax(with_axis(g, x, 1), axis=1))


@pytest.mark.parametrize("step", [weights_of_each, one_after_the_other(), over_steps])
def test_steps_that_differ_stay(step: Callable[[Graph, Weights, Value], Value]) -> None:
    found = joined(looped(1, 1, step))
    assert len(found) > STEPS and found[-1] == "concat"


@pytest.mark.parametrize("order", [(1, 0, 2, 3, 4), (0, 1, 2, 3), (0, 1, 2, 3, 3), (4, 3, 2, 1, 0)])
def test_steps_in_another_order_stay(order: tuple[int, ...]) -> None:
    found = joined(looped(1, 1, lambda g, w, x: w.layers(g, x), order))
    assert found.count("softmax") == len(set(order)) or found.count("softmax") == len(order)
