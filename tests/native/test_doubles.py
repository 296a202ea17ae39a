"""Functions of float64 where numbers end, in vectors and in what is left over behind them."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import mlconv
from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.modules import module
from tests.support.native import Array, InProcess, to_object

NAMES = ("Exp", "Log", "Tanh", "Sigmoid", "Sin", "Cos")
LEAST = 5e-324


def _ends() -> Array:
    tiny = np.finfo(np.float64).tiny
    near = [
        v for x in (709.7827, 745.1332, 708.4, 20.0, 1.0, np.sqrt(0.5), np.pi / 2, 1e6, 1e22, 355 / 2) for v in (x, -x)
    ]
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, LEAST, -LEAST, tiny, tiny / 4, -tiny, 1.7e308, -1.7e308, 1e-9, -1e-9]
    found = np.array(ends + near + [np.nextafter(x, 2 * x) for x in near])
    return np.concatenate([found, np.random.default_rng(3).uniform(-800, 800, 67)])  # no whole number of vectors


def _made(b: Builder, x: Value) -> list[Value]:
    return [b.emit(getattr(core, name)(x)).y for name in NAMES]


@pytest.mark.parametrize("cpu", host_cpus())
def test_ends(cpu: str, tmp_path: pathlib.Path) -> None:
    x = _ends()
    code, got = InProcess(to_object(module(_made, [x]), tmp_path / "m.o", cpu)).call([x])
    with np.errstate(all="ignore"):
        wanted = [np.exp(x), np.log(x), np.tanh(x), 1 / (1 + np.exp(-x)), np.sin(x), np.cos(x)]
    assert code == 0
    for name, y, r in zip(NAMES, got, wanted, strict=True):
        np.testing.assert_array_equal(np.isnan(y), np.isnan(r), err_msg=name)
        np.testing.assert_array_equal(np.isinf(y), np.isinf(r), err_msg=name)
        known = np.isfinite(r)
        apart = np.abs(y[known] - r[known]) / np.spacing(np.abs(r[known]))
        assert apart.max() <= 3, (name, x[known][apart.argmax()])
        np.testing.assert_array_equal(np.signbit(y[r == 0]), np.signbit(r[r == 0]), err_msg=name)


@pytest.mark.parametrize("cpu", host_cpus())
def test_a_number_is_the_same_wherever_it_stands(cpu: str, tmp_path: pathlib.Path) -> None:
    x = np.repeat(np.random.default_rng(4).uniform(0.1, 30, 1), 29)
    code, got = InProcess(to_object(module(_made, [x]), tmp_path / "m.o", cpu)).call([x])
    assert code == 0
    for y in got:
        assert len(set(y.tolist())) == 1


@pytest.mark.parametrize("machine", ["riscv64-linux-gnu", "thumbv7em-none-eabi"])
def test_processors_without_vectors_call_the_library(machine: str, tmp_path: pathlib.Path) -> None:
    """Ours would be ten times the code, and no faster."""
    mlconv.convert(module(_made, [_ends()]), "native", tmp_path / "m.o", machine=machine)
    interface = json.loads((tmp_path / "m.io.json").read_text())
    assert {"exp", "log", "tanh", "sin", "cos"} <= set(interface["symbols"])
    assert (tmp_path / "m.o").stat().st_size < 12_000
