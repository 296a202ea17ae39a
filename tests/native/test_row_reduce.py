"""Random chains of convolution, unary, transpose, row op and product over odd sizes: what may be fused into kernels
that go over rows.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlconv.codegen.kernels.row_reduce import ROW_REDUCE
from mlconv.codegen.kernels.row_results import in_result
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import RowReduceOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from tests.native.test_random_graphs import Pieces, _check, pieces
from tests.support.core_graphs import OPS, Graph, is_matrix, norm, shape, turn
from tests.support.lowering import lower
from tests.support.modules import module
from tests.support.native import CPUS, check

__all__ = ["pieces"]
SIZES, WIDTHS = (5, 17, 33, 79), (3, 8, 20, 24)


def line(g: Graph) -> Value:
    """A convolution along one axis, channels first or last."""
    v = g.some(lambda v: len(shape(v)) == 3 and isinstance(shape(v)[1], int) and isinstance(shape(v)[2], int))
    order, k, stride = g.one(["NC0", "N0C"]), g.one([1, 2, 3, 4, 5]), g.one([1, 2, 3, 4])
    c, length = (shape(v)[order.index(a)] for a in "C0")
    groups, o = g.one([(1, g.one(WIDTHS)), (1, c), (c, c)])
    dilation, pad = g.one([1, 1, 2]), g.number(0, k - 1)
    if length + 2 * pad <= (k - 1) * dilation:
        dilation, k = 1, 1
    bias = g.one([None, g.weights(o)])
    w = g.weights(k, c // groups, o, depth=k * c / groups)
    place: dict[str, Any] = {"strides": (stride,), "dilations": (dilation,), "pads": ((pad, pad),), "groups": groups}
    return g.e(core.Conv(v, w, bias, x_layout=order, w_layout="0IO", y_layout=order, **place))


def gelu(g: Graph) -> Value:
    """Written out with erf."""
    v = g.some()
    return g.e(
        core.Mul(
            v, g.e(core.Add(g.e(core.Erf(g.e(core.Div(v, g.constant(np.float32(1.5)))))), g.constant(np.float32(1))))
        )
    )


def row(g: Graph) -> Value:
    """Softmax, normalizations and their like over the last axis."""
    v = g.some(is_matrix)
    made = g.number(0, 4)
    if made == 0:
        return g.e(core.Softmax(v, axis=-1))
    if made == 1:
        return g.e(core.LogSoftmax(v, axis=-1))
    if made == 2:
        power = g.e(core.ReduceMean(g.e(core.Mul(v, v)), axes=(len(shape(v)) - 1,), keepdims=True))
        return g.e(core.Mul(v, g.e(core.Rsqrt(g.e(core.Add(power, g.constant(np.float32(0.01))))))))
    y = norm(g)
    return y if made == 3 else g.e(core.Add(g.e(core.Mul(y, g.weights(shape(y)[-1]))), g.weights(shape(y)[-1])))


def multiplied(g: Graph) -> Value:
    """A product with constants, by either side's transposition."""
    v = g.some(is_matrix)
    k, n = shape(v)[-1], g.one(WIDTHS)
    if g.number(0, 1):
        return g.e(core.MatMul(v, g.weights(n, k, depth=k), transpose_b=True))
    return g.e(core.Add(g.e(core.MatMul(v, g.weights(k, n, depth=k))), g.weights(n)))


def last_two(g: Graph) -> Value:
    """The transposition in front of a row op over channels."""
    v = g.some(is_matrix)
    n = len(shape(v))
    return g.e(core.Transpose(v, perm=(*range(n - 2), n - 1, n - 2)))


STEPS: list[Callable[[Graph], Value | list[Value]]] = [
    line,
    line,
    gelu,
    OPS["unary"],
    last_two,
    turn,
    row,
    row,
    multiplied,
    OPS["affine"],
]


class Chain(Graph):
    """Each op takes the value before it, where it fits; the first is a convolution."""

    def __init__(self, seed: int, images: bool) -> None:
        super().__init__(seed, "rows")
        self.ops = [*STEPS, *([OPS["conv"]] * 3 if images else [])]
        self.first: list[Callable[[Graph], Value | list[Value]]] = [OPS["conv"] if images else line]

    def some(self, fits: Callable[[Value], bool] = lambda v: True) -> Value:
        newest = self.values[-1]
        return newest if fits(newest) else super().some(fits)

    def op(self) -> Callable[[Graph], Value | list[Value]]:
        return self.first.pop() if self.first else self.ops[self.number(0, len(self.ops) - 1)]


@pytest.mark.share(4)
@pytest.mark.parametrize("seed", range(24))
def test_chain(seed: int, pieces: Pieces, tmp_path: pathlib.Path) -> None:
    g = Chain(seed, seed % 3 == 0)
    size, wide = g.one(SIZES), g.one(WIDTHS)
    m = g.module([(1, 7, size, wide) if seed % 3 == 0 else (1 + seed % 2, size, wide)], 5 + seed % 5)
    _check(m, CPUS[seed % len(CPUS)], [{}], pieces, tmp_path)


ROWS = [
    ((3, 577), [3]),
    ((701, 397), [350, 1]),
    ((2, 5, 37), [1, 1]),
    ((41, 3), [5, 1]),
    ((1, 3, 197, 467), [98, 1]),
]


@pytest.mark.parametrize(("shape", "rows"), ROWS)
def test_rows_lie_in_the_result_between_their_stages(
    shape: tuple[int, ...], rows: list[int], tmp_path: pathlib.Path
) -> None:
    """Of large results a few rows at once, whose lines are asked for ahead."""
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    m = module(lambda b, x: b.emit(core.Softmax(x, axis=-1)).y, [x])
    for cpu in CPUS:
        check(m, [x], tmp_path, cpu)
    lower(m, "native", DiagnosticEngine())
    (op,) = (op for op in m.main.block.ops if isinstance(op, RowReduceOp))
    parts = [part.problem for part in ROW_REDUCE.pieces(op)]
    assert [part.rows[-1] for part in parts] == rows
    for part in parts:
        shared = in_result(part, (*part.temporaries, DType.F32), 1)
        assert shared.number == 1 and shared.stages[1].out == shared.stages[-1].out
        assert bool(shared.asked) == (np.prod(shape) >= 1 << 18 and part.rows[-1] > 1)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize(("k", "stride"), [(3, 2), (4, 4), (2, 1), (1, 1)])
def test_scores_of_a_convolution(k: int, stride: int, normalized: bool, tmp_path: pathlib.Path) -> None:
    """Its window has several lines of which a row of scores is the sum."""
    g = Graph(k, "rows")

    def make(b: Builder, x: Value) -> Value:
        g.b, g.values = b, [x]
        place: dict[str, Any] = {"strides": (stride,), "pads": ((0, 0),), "dilations": (1,)}
        y = g.e(
            core.Conv(x, g.weights(k, 24, 24, depth=24 * k), x_layout="NC0", w_layout="0IO", y_layout="NC0", **place)
        )
        g.values = [g.e(core.Transpose(y, perm=(0, 2, 1)))]
        rows = norm(g) if normalized else g.e(core.Softmax(g.values[0], axis=-1))
        return g.e(core.MatMul(rows, g.weights(24, 48, depth=24)))

    x = np.random.default_rng(0).standard_normal((1, 24, 79)).astype(np.float32)
    check(module(make, [x]), [x], tmp_path)


@pytest.mark.parametrize("length", [90, 700])
@pytest.mark.parametrize("normalized", [False, True])
def test_turned_rows(normalized: bool, length: int, tmp_path: pathlib.Path) -> None:
    """Long ones are no chain of the tensor that is turned: each of its elements would be another cache line."""
    g = Graph(length, "rows")

    def make(b: Builder, x: Value) -> Value:
        g.b, g.values = b, [x]
        g.values = [g.e(core.Transpose(x, perm=(0, 2, 1)))]
        return norm(g) if normalized else g.e(core.Softmax(g.values[0], axis=-1))

    x = np.random.default_rng(0).standard_normal((2, length, 40)).astype(np.float32)
    check(module(make, [x]), [x], tmp_path)
