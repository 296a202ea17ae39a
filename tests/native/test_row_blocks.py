"""Reductions of rows of which several are done together, the largest lane of vectors, and numbers that are rounded to
integers.
"""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.codegen.kernels.row_reduce import in_blocks
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import RowReduceOp
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import clone_module
from mlconv.ir.quant import QuantType
from tests.support.lowering import lower
from tests.support.modules import module, random
from tests.support.native import CPUS, Native, check, needs_cc, to_object

SETS = [*CPUS, *(name for name in host_cpus() if name == "x86-64-v4")]


def normalized(b: Builder, x: Value) -> list[Value]:
    """Softmax, and what layer normalization consists of."""
    centered = b.emit(core.Sub(x, b.emit(core.ReduceMean(x, axes=(2,), keepdims=True)).y)).y
    power = b.emit(core.ReduceMean(b.emit(core.Mul(centered, centered)).y, axes=(2,), keepdims=True)).y
    scaled = b.emit(core.Mul(centered, b.emit(core.Rsqrt(power)).y)).y
    return [b.emit(core.Softmax(x, axis=-1)).y, scaled]


@needs_cc
@pytest.mark.parametrize("cpu", SETS)
@pytest.mark.parametrize("shape", [(3, 3, 40), (2, 5, 7), (2, 8, 33), (1, 19, 64), (2, 16, 515), (2, 9, 1500)])
def test_rows(shape: tuple[int, ...], cpu: str, tmp_path: pathlib.Path) -> None:
    """Fewer than are done together, as many, and some that are left; short and long ones."""
    x = random(*shape)
    check(module(normalized, [x]), [x], tmp_path, cpu)


@pytest.mark.parametrize(
    ("rows", "length", "blocks"),
    [(64, 128, [8]), (19, 49, [8, 0]), (5, 64, [4, 0]), (3, 64, [0]), (16, 1024, [4]), (16, 4096, [0])],
)
def test_which_are_done_together(rows: int, length: int, blocks: list[int]) -> None:
    """What stages leave of a block stays in a near cache; 0: one by one."""
    m = clone_module(module(lambda b, x: b.emit(core.Softmax(x, axis=-1)).y, [random(rows, length)]))
    engine = DiagnosticEngine()
    lower(m, "native", engine)
    (op,) = (op for op in m.walk() if isinstance(op, RowReduceOp))
    parts = in_blocks(op.problem, len(op.inputs), op.result.tensor.dtype)
    assert [p.stages[0].extents[1] if len(p.stages[0].extents) > 2 else 0 for p in parts] == blocks


@needs_cc
@pytest.mark.parametrize("cpu", SETS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("length", [4, 16, 37, 200])
def test_extremes(length: int, dtype: type, cpu: str, tmp_path: pathlib.Path) -> None:
    """Of rows with NaN in any place, with infinities, with zeros of both signs."""
    x = np.tile(random(1, length).astype(dtype), (length + 3, 1))
    x[np.arange(length), np.arange(length)] = np.nan
    x[length, 0], x[length + 1, -1] = np.inf, -np.inf

    def make(b: Builder, x: Value) -> list[Value]:
        return [b.emit(reduction(x, axes=(1,), keepdims=False)).y for reduction in (core.ReduceMax, core.ReduceMin)]

    code, got = Native(to_object(module(make, [x]), tmp_path / "m.o", cpu)).call([x])
    assert code == 0
    for found, reduced in zip(got, (np.max, np.min), strict=True):
        np.testing.assert_array_equal(found, reduced(x, axis=1))


@needs_cc
@pytest.mark.parametrize("cpu", SETS)
@pytest.mark.parametrize(
    "quant", [QuantType.of(DType.I8, 0.37, -11), QuantType.of(DType.U8, 0.37, 7), QuantType.of(DType.I16, 3e-4)]
)
def test_rounding(quant: QuantType, cpu: str, tmp_path: pathlib.Path) -> None:
    """Halves, and their neighbours, to even; what is beyond the integers, infinities, NaN."""
    scale, zero = np.float32(quant.scales.view().reshape(-1)[0]), int(quant.zero_array().reshape(-1)[0])
    halves = (np.arange(quant.qmin - zero - 3, quant.qmax - zero + 3) + 0.5).astype(np.float32) * scale
    edges = np.array([np.inf, -np.inf, np.nan, 3e38, -3e38, 0.0, -0.0, 1e-40], np.float32)
    x = np.concatenate([halves, np.nextafter(halves, np.inf), np.nextafter(halves, -np.inf), edges])
    m = module(lambda b, x: b.emit(core.ToIntegers(x, quant=quant)).y, [x])
    code, (got,) = Native(to_object(m, tmp_path / "m.o", cpu)).call([x])
    assert code == 0
    np.testing.assert_array_equal(got, next(iter(run_function(m.main, {"in0": x}).values())))
