"""Remainders of floats, in vectors: exact as C's fmod and numpy's remainder have them."""

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
