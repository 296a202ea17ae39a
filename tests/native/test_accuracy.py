"""The table of functions in docs/native-edges.md: the largest error of each over random numbers, and the symbols that
an object takes for it.
"""

from __future__ import annotations

import json
import math
import pathlib
import platform
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from mlconv.codegen.kernels.reductions import lanes_at_once
from mlconv.codegen.llvm.scalars import ERF_END, TANH_END
from mlconv.codegen.machines.cpus import X86_64
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from tests.native.test_edges import PAGE
from tests.support.modules import module
from tests.support.native import CPUS, Array, InProcess, to_object

Wide = np.longdouble
HALVES = ("float16", "bfloat16")


class Format(NamedTuple):
    """bits: of the significand; least, most: powers of two of normal numbers."""

    bits: int
    least: int
    most: int


FORMATS = {"float32": Format(24, -126, 128), "float64": Format(53, -1022, 1024)}
FORMATS |= {"float16": Format(11, -14, 16), "bfloat16": Format(8, -126, 128)}


def digamma(x: Array) -> Array:
    """By recurrence to 20 and the asymptotic series (Abramowitz and Stegun 6.3.5, 6.3.18)."""
    y = np.zeros_like(x)
    for _ in range(20):
        y, x = y - np.where(x < 20, 1 / x, 0), np.where(x < 20, x + 1, x)
    terms = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760)
    return y + np.log(x) - 1 / (2 * x) - sum(c / x ** (2 * k) for k, c in enumerate(terms, 1))


def by_number(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """Of float64, for functions that numpy does not have in more."""
    return lambda x: np.array([function(float(v)) for v in x], Wide)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


REFERENCES: dict[str, Callable[..., Array]] = {
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Log": np.log,
    "Log1p": np.log1p,
    "Sqrt": np.sqrt,
    "Rsqrt": lambda x: 1 / np.sqrt(x),
    "Sin": np.sin,
    "Cos": np.cos,
    "Tan": np.tan,
    "Asin": np.arcsin,
    "Acos": np.arccos,
    "Atan": np.arctan,
    "Sinh": np.sinh,
    "Cosh": np.cosh,
    "Tanh": np.tanh,
    "Asinh": np.arcsinh,
    "Acosh": np.arccosh,
    "Atanh": np.arctanh,
    "Sigmoid": sigmoid,
    "Softplus": lambda x: np.logaddexp(x, 0 * x),
    "Erf": by_number(math.erf),
    "Erfc": by_number(math.erfc),
    "Lgamma": by_number(math.lgamma),
    "Digamma": digamma,
    "Pow": np.power,
    "Atan2": np.arctan2,
}
NOT_IN_MORE = {"Erf", "Erfc", "Lgamma"}


def numbers(name: str, dtype: str, count: int) -> list[Array]:
    """Half of them even, half by magnitude, where the function and its result are normal numbers."""
    rng, form, half = np.random.default_rng(8), FORMATS[dtype], count // 2
    end = (form.most - 1) * math.log(2)

    def magnitudes(low: float, high: float) -> Array:
        return np.exp2(rng.uniform(low, high, half)) * rng.choice([-1, 1], half)

    even: dict[str, tuple[float, float]] = dict.fromkeys(("Exp", "Expm1", "Sinh", "Cosh", "Sigmoid"), (-end, end))
    even |= {
        "Tanh": (-12, 12),
        "Erf": (-6, 6),
        "Erfc": (-3, 3),
        "Softplus": (-10, 30),
        "Log": (0.5, 2),
        "Log1p": (-1, 1),
    }
    even |= dict.fromkeys(("Asin", "Acos", "Atanh"), (-1, 1)) | {
        "Acosh": (1, 3),
        "Lgamma": (2.5, 30),
        "Digamma": (2, 30),
    }
    top: dict[str, float] = dict.fromkeys(("Exp", "Expm1", "Sinh", "Cosh", "Sigmoid"), math.log2(end))
    top |= {"Softplus": 3, "Erfc": 1} | dict.fromkeys(("Asin", "Acos", "Atanh"), 0)
    if name == "Pow":
        return [np.exp2(rng.uniform(-4, 4, count)), rng.uniform(-3, 3, count)]
    if name == "Atan2":
        return [np.concatenate([rng.normal(size=half), magnitudes(-9, 9)]) for _ in range(2)]
    x = np.concatenate(
        [rng.uniform(*even.get(name, (-10, 10)), half), magnitudes(form.least, top.get(name, form.most - 1))]
    )
    if name in ("Log", "Sqrt", "Rsqrt", "Acosh", "Lgamma", "Digamma"):
        x = np.abs(x)
    if name in ("Lgamma", "Digamma"):
        x = x[(x > 2) & (x < 1e4)]
    if name == "Acosh":
        x = x[x >= 1]
    return [x[x > -1] if name == "Log1p" else x]


def largest_error(name: str, dtype: str, cpu: str, folder: pathlib.Path, count: int = 20_000) -> float:
    """In units of the last place of the result, where that is a normal number."""
    x = [v.astype(DType.from_numpy(dtype).numpy) for v in numbers(name, dtype, count)]
    m = module(lambda b, *v: b.emit(getattr(core, name)(*v)).y, x)
    to_object(m, folder / "m.o", cpu)
    code, (y,) = InProcess(folder / "m.o").call(x)
    assert code == 0
    form = FORMATS[dtype]
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](*(v.astype(Wide) for v in x))
        power = np.frexp(np.abs(exact))[1] - 1
        kept = np.isfinite(exact) & (power >= form.least) & (power < form.most - 1)
        assert kept.mean() > 0.4 and np.isfinite(y[kept].astype(np.float64)).all()
        errors = np.abs(y.astype(Wide) - exact) / np.ldexp(Wide(1), power - form.bits + 1)
    return float(errors[kept].max())


def table() -> dict[str, list[str]]:
    section = PAGE.read_text(encoding="utf-8").partition("## Functions")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| ")
    ]
    return {cells[0]: cells[1:] for cells in rows if cells[0] in REFERENCES}


def test_the_page_has_all_of_them() -> None:
    assert list(table()) == list(REFERENCES)


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("name", REFERENCES)
def test_errors_are_no_larger(name: str, dtype: str, tmp_path: pathlib.Path) -> None:
    stated = table()[name][min(2, list(FORMATS).index(dtype))]
    if stated == "-":
        assert dtype == "float64" and name in NOT_IN_MORE
        return
    if np.finfo(Wide).nmant < 63 or platform.libc_ver()[0] != "glibc":
        pytest.skip("references and the C library are those of Linux on x86-64")
    for cpu in CPUS if dtype == "float32" else CPUS[1:2]:
        assert largest_error(name, dtype, cpu, tmp_path) <= float(stated), cpu


@pytest.mark.parametrize("name", REFERENCES)
def test_symbols_are_those_of_the_page(name: str, tmp_path: pathlib.Path) -> None:
    for dtype, listed in zip(FORMATS, table()[name][3:], strict=False):
        x = [np.ones(40, dtype)] * (2 if name in ("Pow", "Atan2") else 1)
        m = module(lambda b, *v: b.emit(getattr(core, name)(*v)).y, x)
        to_object(m, tmp_path / "m.o", "x86-64-v3")
        symbols = json.loads((tmp_path / "m.io.json").read_text())["symbols"]
        assert symbols == ([] if listed == "none" else re.findall(r"\w+", listed)), dtype


def test_errors_that_are_absolute(tmp_path: pathlib.Path) -> None:
    """Elu, which is e^x - 1, by the unit of 1; where Sigmoid is no normal number it is 0."""
    x = -np.exp2(np.random.default_rng(0).uniform(-30, 6, 20_000)).astype(np.float32)
    options: dict[str, Any] = {"alpha": 2.0}
    to_object(module(lambda b, v: b.emit(core.Elu(v, **options)).y, [x]), tmp_path / "m.o", CPUS[-1])
    _, (y,) = InProcess(tmp_path / "m.o").call([x])
    assert np.abs(y - 2 * np.expm1(x.astype(np.float64))).max() <= 2 * 2.0**-23
    low = np.linspace(-120, -88.4, 500, dtype=np.float32)
    to_object(module(lambda b, v: b.emit(core.Sigmoid(v)).y, [low]), tmp_path / "s.o", CPUS[-1])
    _, (y,) = InProcess(tmp_path / "s.o").call([low])
    assert (y == 0).all()


@pytest.mark.parametrize("cpu", CPUS)
def test_gates_are_closed_and_open_at_their_ends(cpu: str, tmp_path: pathlib.Path) -> None:
    """What multiplies them may be infinite; NaN stays."""
    x = np.float32([-np.inf, -1e30, -200, -89, TANH_END, ERF_END, 9.5, 40, 89, 1e30, np.inf, np.nan] * 4)

    def build(b: Builder, v: Value) -> list[Value]:
        return [b.emit(op(v)).y for op in (core.Sigmoid, core.Tanh, core.Erf)]

    to_object(module(build, [x]), tmp_path / "m.o", cpu)
    code, (gate, tanh, erf) = InProcess(tmp_path / "m.o").call([x])
    low, high, unknown = x <= -89, x >= 40, np.isnan(x)
    assert code == 0 and (gate[low] == 0).all() and (gate[high] == 1).all() and np.isnan(gate[unknown]).all()
    for y, end in ((tanh, TANH_END), (erf, ERF_END)):
        beyond = np.abs(x) >= np.float32(end)
        assert (y[beyond] == np.sign(x[beyond])).all() and np.isnan(y[unknown]).all()


def test_softmax_of_what_is_masked(tmp_path: pathlib.Path) -> None:
    """Minus infinity has no share; a row with NaN is NaN, wherever it stands and whatever else there is."""
    x = np.random.default_rng(3).normal(size=(8, 203)).astype(np.float32) * 20
    x[0, ::3], x[1, 5], x[2, :] = -np.inf, np.nan, 3e38
    x[4, 202], x[5, 16:], x[6, :], x[7, :] = np.nan, np.nan, np.nan, -np.inf
    x[7, 100] = np.nan
    to_object(module(lambda b, v: b.emit(core.Softmax(v, axis=1)).y, [x]), tmp_path / "m.o", CPUS[-1])
    _, (y,) = InProcess(tmp_path / "m.o").call([x])
    powers = np.exp((x - x.max(1, keepdims=True)).astype(np.float64))
    np.testing.assert_allclose(y, powers / powers.sum(1, keepdims=True), rtol=2e-6, atol=1e-37)
    assert (y[0, ::3] == 0).all() and np.isnan(y[[1, 4, 5, 6, 7]]).all()


@pytest.mark.parametrize("cpu", CPUS)
def test_reductions_of_every_length(cpu: str, tmp_path: pathlib.Path) -> None:
    """Rows that do not fill as many vectors as are combined at once, and what is in their last elements."""
    lengths = [63, 64, 127, 255, 256, 300, 320, 1027]
    rows = [np.random.default_rng(n).normal(size=(3, n)).astype(np.float32) for n in lengths]
    for i, x in enumerate(rows):
        x[i % 3, -1] = 9 + i

    def make(b: Builder, *v: Value) -> list[Value]:
        kinds = (core.ReduceMax, core.ReduceMin, core.ReduceSum)
        return [b.emit(kind(x, axes=(1,))).y for x in v for kind in kinds]

    to_object(module(make, rows), tmp_path / "m.o", cpu)
    code, got = InProcess(tmp_path / "m.o").call(rows)
    wanted = [f(x.astype(np.float64), axis=1) for x in rows for f in (np.max, np.min, np.sum)]
    assert code == 0
    for y, right in zip(got, wanted, strict=True):
        np.testing.assert_allclose(y, right, rtol=1e-5, atol=1e-4)


def test_lanes_that_are_combined_at_once() -> None:
    """Of long rows four vectors, where half of the registers hold them; of rows whose length is open two."""
    sets = {cpu.name: cpu for cpu in X86_64}
    assert [lanes_at_once(sets["x86-64-v3"], 16, n) for n in (63, 64, 255, 256, Dim.symbol("n"))] == [
        16,
        32,
        32,
        64,
        32,
    ]
    assert lanes_at_once(sets["x86-64"], 16, 4096) == 32
