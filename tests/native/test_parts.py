"""Maps that read parts of tensors and write parts of others, with no copies in between."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import LoopNestOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import check, needs_cc


def rotated(b: Builder, x: Value, c: Value, s: Value) -> Value:
    """Halves of heads, turned as complex numbers are."""
    size = x.tensor.static_shape()[-1] // 2
    first, second = b.emit(core.Split(x, sizes=(size, size), axis=-1)).ys

    def product(a: Value, b_: Value) -> Value:
        return b.emit(core.Mul(a, b_)).y

    real = b.emit(core.Sub(product(first, c), product(second, s))).y
    imaginary = b.emit(core.Add(product(second, c), product(first, s))).y
    return b.emit(core.Concat([real, imaginary], axis=-1)).y


def half_turned(b: Builder, x: Value, c: Value, s: Value) -> Value:
    """The same as networks spell it: x * cos + concat(-second, first) * sin."""
    size = x.tensor.static_shape()[-1] // 2
    first, second = b.emit(core.Split(x, sizes=(size, size), axis=-1)).ys
    turned = b.emit(core.Concat([b.emit(core.Neg(second)).y, first], axis=-1)).y
    wide = [b.emit(core.Concat([v, v], axis=-1)).y for v in (c, s)]
    return b.emit(core.Add(b.emit(core.Mul(x, wide[0])).y, b.emit(core.Mul(turned, wide[1])).y)).y


def reshaped(b: Builder, x: Value, c: Value, s: Value) -> Value:
    """Parts along an outer axis, seen in other shapes."""
    n = x.tensor.static_shape()[0]
    first, second = b.emit(core.Split(x, sizes=(n // 2, n - n // 2), axis=0)).ys
    flat = [b.emit(core.Reshape(v, const(b, np.asarray([-1], np.int64)))).y for v in (first, second)]
    made = [b.emit(core.Tanh(v)).y for v in flat]
    joined = b.emit(core.Concat([made[1], made[0], made[1]], axis=0)).y
    return b.emit(core.Mul(joined, joined)).y


def after_sorting(b: Builder, x: Value, c: Value, s: Value) -> Value:
    """Behind a kernel of several results."""
    found = b.emit(core.TopK(c, const(b, np.asarray(3, np.int64)), axis=-1)).values
    made = [b.emit(core.Exp(v)).y for v in (found, found)]
    return b.emit(core.Concat([b.emit(core.Neg(made[0])).y, found], axis=-1)).y


@needs_cc
@pytest.mark.parametrize("make", [rotated, half_turned, reshaped, after_sorting])
@pytest.mark.parametrize("shape", [(2, 3, 5, 64), (1, 2, 7, 32), (3, 1, 4, 36), (4, 2, 2, 6)])
def test_numbers(make: object, shape: tuple[int, ...], tmp_path: pathlib.Path) -> None:
    half = (*shape[2:-1], shape[-1] // 2)
    arrays = [random(*shape), random(*half, seed=2), random(*half, seed=3)]
    check(module(make, arrays), arrays, tmp_path, "x86-64-v3")


def test_halves_of_heads_are_not_copied() -> None:
    m = module(rotated, [random(2, 3, 5, 64), random(5, 32, seed=2), random(5, 32, seed=3)])
    lower(m, "native", DiagnosticEngine())
    assert len([op for op in m.main.block.ops if isinstance(op, LoopNestOp)]) == 1
