"""Remainders of floats, quotients and remainders of integers, in vectors: exact as C's fmod and numpy's remainder have
them.
"""

from __future__ import annotations

import pathlib

import ml_dtypes
import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.modules import module
from tests.support.native import Native, check, needs_cc, to_object

pytestmark = needs_cc

SPECIAL = np.array([0, -0.0, 1, -1, 3, -7.5, 1e-45, -1e-38, 3e38, -3e38, np.inf, -np.inf, np.nan], np.float32)


def pairs() -> tuple[np.ndarray, np.ndarray]:
    """Of all exponents, whole multiples, numbers next to those, special ones."""
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 1 << 32, (2, 4096), dtype=np.uint64).astype(np.uint32).view(np.float32)
    small = rng.normal(0, 3, 2048).astype(np.float32)
    many = (small * rng.integers(1, 1 << 23, 2048)).astype(np.float32)
    a, b = (v.reshape(-1) for v in np.meshgrid(SPECIAL, SPECIAL))
    xs = [x, many, np.nextafter(many, np.float32(0)), a]
    return np.concatenate(xs), np.concatenate([y, small, small, b])


@pytest.mark.parametrize("cpu", host_cpus())
def test_all_bits(cpu: str, tmp_path: pathlib.Path) -> None:
    x, y = pairs()
    m = module(lambda b, v, w: [b.emit(op(v, w)).y for op in (core.Rem, core.FloorMod)], [x, y])
    code, (rem, mod) = Native(to_object(m, tmp_path / "m.o", cpu)).call([x, y])
    assert code == 0
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    nan = np.isnan(expected)
    assert (np.isnan(rem) == nan).all() and (np.isnan(mod) == nan).all()
    assert (rem.view(np.uint32)[~nan] == expected.view(np.uint32)[~nan]).all()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_as_interpreted(dtype: str, tmp_path: pathlib.Path) -> None:
    rng = np.random.default_rng(4)
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    x, y = (rng.normal(0, scale, (3, 77)).astype(kind) for scale in (40, 3))

    def both(b: Builder, v: Value, w: Value) -> list[Value]:
        return [b.emit(op(v, w)).y for op in (core.Rem, core.FloorMod)]

    check(module(both, [x, y]), [x, y], tmp_path)


def test_no_call_for_each_element(tmp_path: pathlib.Path) -> None:
    x = np.ones(4096, np.float32)
    m = module(lambda b, v, w: b.emit(core.Rem(v, w)).y, [x, x])
    to_object(m, tmp_path / "m.o", listings=("llvm",))
    (listing,) = tmp_path.glob("m.*.ll")
    assert "fdiv <16 x double>" in listing.read_text() and "fmodf(" not in listing.read_text()


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32"]


@pytest.mark.parametrize("cpu", host_cpus())
def test_quotients_of_integers(cpu: str, tmp_path: pathlib.Path) -> None:
    """Of all sizes, next to whole multiples and at the ends: those of int64."""
    rng, inputs = np.random.default_rng(5), list[np.ndarray]()
    for name in INTEGERS:
        low, high = np.iinfo(name).min, np.iinfo(name).max
        ends = [low, low + 1, high - 1, high, high // 2, 1, 2, 3, 7]
        x, y = (v.reshape(-1) for v in np.meshgrid(ends, [v for v in (*ends, low and -1, low and -3) if v]))
        some = 2 ** rng.uniform(0, np.iinfo(name).bits - 1, 1000) * rng.choice([1, -1 if low else 1], 1000)
        b = np.concatenate([np.resize(y, 1000), some.astype(np.int64)])
        a = high // np.abs(b) * np.abs(b) + np.resize([-1, 0, 1], 2000)
        x, y = np.concatenate([x, a * np.resize([1, -1 if low else 1], 2000)]), np.concatenate([y, b])
        fits = (x >= low) & (x <= high) & ~((x == low) & (y == -1))
        inputs += [x[fits].astype(name), y[fits].astype(name)]

    def all_of(b: Builder, *values: Value) -> list[Value]:
        ops = (core.Div, core.FloorDiv, core.Rem, core.FloorMod)
        return [b.emit(op(*values[i : i + 2])).y for i in range(0, len(values), 2) for op in ops]

    path = to_object(module(all_of, inputs), tmp_path / "m.o", cpu, listings=("llvm",))
    code, found = Native(path).call(inputs)
    assert code == 0 and "fdiv <16 x double>" in next(tmp_path.glob("m.*ll")).read_text()
    for i in range(0, len(inputs), 2):
        x, y = (v.astype(np.int64) for v in inputs[i : i + 2])
        expected = [(x - np.fmod(x, y)) // y, x // y, np.fmod(x, y), np.mod(x, y)]
        for wanted, got in zip(expected, found[2 * i : 2 * i + 4], strict=True):
            np.testing.assert_array_equal(got, wanted)
