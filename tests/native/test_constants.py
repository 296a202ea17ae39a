"""How constants lie in the weights of an object: how far apart, what is read behind them, and in how many bits."""

from __future__ import annotations

import itertools
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from mlconv.codegen.program.memory_plan import plan_memory
from mlconv.codegen.settings import Settings
from mlconv.dialects import core
from mlconv.exporters.native.export import export
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.spec import OpDef
from tests.support.integers import constant, function_of, int8
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import CPUS, InProcess, check, to_object

ROOT = pathlib.Path(__file__).parents[2]


def quant_matmul(v: Value, w: Value) -> core.QuantMatMul:
    return core.QuantMatMul(v, w, element=int8(0.2), lo=-128, hi=127)


def integer_product(depth: int, channels: int, zero: int, fill: int | None = None) -> Module:
    """Of a matrix of random integers, or of one number."""
    rng = np.random.default_rng(channels)
    weights = rng.integers(-128, 128, (depth, channels)) if fill is None else np.full((depth, channels), fill)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return quant_matmul(v[0], constant(b, weights.astype(np.int8), int8(0.01)))

    return function_of([(int8(0.03, zero), (5, depth))], make)


def check_integers(m: Module, folder: pathlib.Path, cpu: str) -> None:
    """The object's results are those of the interpreter, for random numbers and for the ends of their range."""
    shape = m.main.inputs[0].tensor.static_shape()
    model = InProcess(to_object(m, folder / "m.o", cpu))
    for x in (np.random.default_rng(3).integers(-128, 128, shape), np.full(shape, 127), np.full(shape, -128)):
        code, (y,) = model.call([x.astype(np.int8)])
        assert code == 0
        np.testing.assert_array_equal(y, run_function(m.main, {"in0": x.astype(np.int8)})["y"])


def guarded(path: pathlib.Path) -> subprocess.CompletedProcess[str]:
    """A run of an object in a process of its own, with pages around buffers that may not be touched."""
    program = [sys.executable, "-m", "tests.support.guarded_runs", str(path), "[{}]"]
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def weights_of(m: Module) -> tuple[list[tuple[int, int]], int]:
    """Offset and bytes of each constant, and the bytes of all."""
    lower(m, "native")
    plan = plan_memory(m.main.block)
    return [(at, c.nbytes) for c, at in plan.weights], plan.weight_bytes


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("channels", [1, 3, 5, 9, 13, 17, 21, 25, 31])
def test_nothing_is_read_behind_the_weights(channels: int, cpu: str, tmp_path: pathlib.Path) -> None:
    """The last constant is packed weights, and the page behind the file of weights may not be touched."""
    floats = module(lambda b, v: b.emit(core.MatMul(v, const(b, random(6, channels)))).y, [random(5, 6)])
    for m in (floats, integer_product(6, channels, -128)):
        path = to_object(m, tmp_path / "m.o", cpu, separate_weights=True)
        done = guarded(path)
        assert done.returncode == 0, done.stderr[-500:]


@pytest.mark.parametrize(("inner", "channels"), [(16, 21), (24, 37), (20, 25)])
def test_nothing_is_read_behind_the_weights_of_winograds_algorithm(
    inner: int, channels: int, tmp_path: pathlib.Path
) -> None:
    """Of bytes, whose weights are the last constants of the object."""
    weights = np.random.default_rng(0).integers(-40, 41, (channels, 3, 3, inner)).astype(np.int8)

    def make(b: Builder, v: list[Value]) -> OpDef:
        one = (1, 1)
        given = {"strides": one, "pads": (one, one), "dilations": one, "w_layout": "O01I"}
        return core.QuantConv(v[0], constant(b, weights, int8(0.02)), element=int8(0.4, 3), lo=-128, hi=127, **given)

    m = function_of([(int8(0.08, 3), (1, 40, 40, inner))], make)
    lower(m, "native", cpu="x86-64-v3", winograd="faster").raise_errors()
    assert "kernel.integer_winograd" in {op.name for op in m.walk()}
    path = tmp_path / "m.o"
    export(m, str(path), Settings(cpu="x86-64-v3", separate_weights=True))
    done = guarded(path)
    assert done.returncode == 0, done.stderr[-500:]


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("channels", [1, 3, 5, 9, 13, 21])
@pytest.mark.parametrize("stored", [DType.F64, DType.F32, DType.F16, DType.BF16])
def test_floats_have_the_columns_that_there_are(stored: DType, channels: int, cpu: str, tmp_path: pathlib.Path) -> None:
    """Numbers that are widened for a product, too, and matrices of a batch."""
    of_x = DType.F64 if stored is DType.F64 else DType.F32
    matrix, batch = (random(*s).astype(stored.numpy) for s in ((24, channels), (2, 24, channels)))

    def make(b: Builder, v: Value) -> list[Value]:
        wide = [b.emit(core.Cast(const(b, a), dtype=of_x)).y for a in (matrix, batch)]
        return [b.emit(core.MatMul(v, w)).y for w in wide]

    x = random(2, 7, 24).astype(of_x.numpy)
    m = module(make, [x])
    check(m, [x], tmp_path, cpu)
    places, _ = weights_of(m)
    most = 3 * 24 * channels * (of_x if stored.bits == 64 else stored).itemsize
    assert sum(n for _, n in places) <= most or channels == 1  # loops have a matrix of one column as it is


def test_panels_are_followed_by_the_next_constant() -> None:
    """Weights and what is read behind them, a vector of 16 columns at most, are all that is stored."""
    for channels in (1, 5, 9, 17, 21, 25):
        places, total = weights_of(integer_product(24, channels, -128))
        assert [n for _, n in places] == [24 * channels]
        assert 24 * channels <= total <= 24 * channels + 4 * 7


def test_long_constants_begin_with_a_line_and_short_ones_follow_closely() -> None:
    def network(widths: list[int]) -> Module:
        def make(b: Builder, v: Value) -> Value:
            for before, after in itertools.pairwise(widths):
                v = b.emit(core.MatMul(v, const(b, random(before, after)))).y
                v = b.emit(core.Add(v, const(b, random(after)))).y
            return v

        return module(make, [random(1, widths[0])])

    large, _ = weights_of(network([40, 333, 333, 77]))
    assert all(at % 64 == 0 for at, _ in large)
    small, total = weights_of(network([3, 7, 5, 9, 3, 5]))
    assert all(at % 4 == 0 for at, _ in small)
    ends = [at + n for at, n in small]
    assert all(0 <= at - end < 4 for (at, _), end in zip(small[1:], ends, strict=False))
    assert total <= sum(n for _, n in small) + 4 * len(small) + 4 * 7


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("fill", [0, 255, None])
@pytest.mark.parametrize("depth", [64, 127, 128, 300])
def test_zero_points_of_channels_are_bytes(depth: int, fill: int | None, cpu: str, tmp_path: pathlib.Path) -> None:
    """Sums of weights, where the zero point of x is data, and zero points of weights without a sign."""
    rng = np.random.default_rng(depth)
    weights = rng.integers(0, 256, (depth, 21)) if fill is None else np.full((depth, 21), fill)
    zeros = rng.integers(0, 256, 21).astype(np.uint8)

    def make(b: Builder, x: Value, zero: Value) -> Value:
        w, w_zero = (b.emit(core.Constant(value=make_const(a))).y for a in (weights.astype(np.uint8), zeros))
        return b.emit(core.IntegerMatMul(x, w, a_zero=zero, b_zero=w_zero)).y

    x, zero = rng.integers(0, 256, (7, depth)).astype(np.uint8), np.asarray(rng.integers(0, 256), np.uint8)
    m = module(make, [x, zero])
    code, (y,) = InProcess(to_object(m, tmp_path / "m.o", cpu)).call([x, zero])
    assert code == 0
    np.testing.assert_array_equal(y, next(iter(run_function(m.main, {"in0": x, "in1": zero}).values())))
    places, _ = weights_of(m)
    assert (21 in [n for _, n in places] and 4 * 21 not in [n for _, n in places]) or depth > 127
