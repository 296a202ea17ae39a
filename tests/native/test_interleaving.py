"""Elements that lie a few apart, read and written by whole vectors."""

from __future__ import annotations

import pathlib
from itertools import pairwise

import numpy as np
import pytest

from mlconv.codegen.kernels.arrange import interleaves
from mlconv.codegen.kernels.steps import StepGenerator
from mlconv.codegen.llvm.interleaving import MOST, starts
from mlconv.codegen.llvm.text import Builder as Code
from mlconv.codegen.llvm.types import pointer
from mlconv.codegen.machines.cpus import X86_64
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import LoopNestOp, Step
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import ALL, Array, check_all, data, needs_cc

SIZES = [4, 15, 16, 17, 37, 70, 130]


def steps(m: Module) -> list[Step]:
    lower(m, "native", DiagnosticEngine())
    return [s for op in m.main.block.ops if isinstance(op, LoopNestOp) for s in op.steps]


def every(stride: int, start: int, b: Builder, v: Value) -> Value:
    """x[:, start::stride]"""
    rank = len(v.tensor.shape or ())
    begin, end, by = ([*[k] * (rank - 1), last] for k, last in ((0, start), (0, 0), (1, stride)))
    given = [const(b, np.asarray(k, np.int64)) for k in (begin, end, by)]
    return b.emit(core.Slice(v, *given, end_mask=2**rank - 1)).y


def enlarged(b: Builder, v: Value, factors: tuple[int, ...]) -> Value:
    """Each element so often along the axes from the second on."""
    sizes = [n * f for n, f in zip(v.tensor.static_shape()[1:], factors, strict=True)]
    size, axes = const(b, np.asarray(sizes, np.int64)), tuple(range(1, len(sizes) + 1))
    return b.emit(core.Resize(v, size, axes=axes, mode="nearest", coordinates="asymmetric", nearest_mode="floor")).y


@pytest.mark.parametrize("lanes", [4, 16, 64])
@pytest.mark.parametrize("stride", range(2, MOST + 1))
def test_nothing_is_read_behind_the_last_element(lanes: int, stride: int) -> None:
    begins = starts(lanes, stride)
    assert begins[0] == 0 and begins[-1] + lanes == stride * (lanes - 1) + 1
    assert all(b <= a + lanes for a, b in pairwise(begins))


@pytest.mark.share(6)
@needs_cc
@pytest.mark.parametrize("name", ALL)
def test_reads(name: str, tmp_path: pathlib.Path) -> None:
    for size in SIZES:
        x: Array = data(name, 3, size)
        makes = [
            lambda b, v, stride=stride, start=start: every(stride, start, b, v)
            for stride in (2, 3, 4, 5)
            for start in (0, 1)
        ]
        (folder := tmp_path / str(size)).mkdir()
        check_all(makes, [x], folder, host_cpus()[-1])


@pytest.mark.share(6)
@needs_cc
@pytest.mark.parametrize("cpu", host_cpus())
@pytest.mark.parametrize("name", ["float32", "int8", "float64", "bool"])
def test_writes(name: str, cpu: str, tmp_path: pathlib.Path) -> None:
    for size in SIZES:
        x: Array = data(name, 2, 3, size)
        makes = [
            lambda b, v, factors=factors: enlarged(b, v, factors)
            for factors in ((2, 2), (1, 3), (3, 4), (2, 1), (1, 5), (1, 2))
        ]
        makes.append(lambda b, v: b.emit(core.Transpose(v, perm=(0, 2, 1))).y)
        (folder := tmp_path / str(size)).mkdir()
        check_all(makes, [x], folder, cpu)


@pytest.mark.share(6)
@needs_cc
@pytest.mark.parametrize("cpu", host_cpus())
@pytest.mark.parametrize("name", ["float32", "float64", "int8", "int32", "int64"])
def test_sums(name: str, cpu: str, tmp_path: pathlib.Path) -> None:
    """Products of rows by matrices of few columns, and what few columns are reduced to."""
    for size in SIZES:
        for depth, columns in ((3, 3), (2, 4), (4, 2), (3, 2)):
            x, w = data(name, 3, size, depth), data(name, 3, depth, columns, seed=7)
            makes = [lambda b, x, w: b.emit(core.MatMul(x, w)).y]
            (folder := tmp_path / f"{size}x{depth}x{columns}").mkdir()
            check_all(makes, [x, w], folder, cpu)
        x = data(name, size, 3, 3)
        makes = [lambda b, x, axis=axis: b.emit(core.ReduceMax(x, axes=(axis,))).y for axis in (1, 2)]
        (folder := tmp_path / f"{size}").mkdir()
        check_all(makes, [x], folder, cpu)


@needs_cc
@pytest.mark.parametrize("cpu", host_cpus())
def test_with_arithmetic(cpu: str, tmp_path: pathlib.Path) -> None:
    def pooled(b: Builder, v: Value) -> Value:
        x = b.emit(core.Add(every(2, 0, b, v), every(2, 1, b, v))).y
        return b.emit(core.Tanh(x)).y

    def turned(b: Builder, v: Value) -> Value:
        rows = const(b, random(38, 1, seed=1))
        x = b.emit(core.Transpose(b.emit(core.Tanh(v)).y, perm=(1, 0))).y
        return b.emit(core.Mul(x, rows)).y

    check_all([pooled, turned], [random(3, 38)], tmp_path, cpu)


def test_which_steps() -> None:
    """Channels last of channels first, and back; pixels that are repeated."""
    row = X86_64[1]
    for perm in ((0, 2, 1), (1, 2, 0)):
        shape = (2, 3, 40) if perm == (0, 2, 1) else (3, 2, 40)
        m = module(lambda b, v, perm=perm: b.emit(core.Transpose(v, perm=perm)).y, [random(*shape)])
        (step,) = steps(m)
        made = StepGenerator(Code("own", [], {}, row), step, DType.F32)
        assert (made.turned is not None or made.along_kept) and not made.scatters
    (step,) = steps(module(lambda b, v: enlarged(b, v, (2, 2)), [random(2, 8, 40)]))
    assert interleaves(StepGenerator(Code("own", [], {}, row), step, DType.F32).step) == 2
    (step,) = steps(module(lambda b, x, w: b.emit(core.MatMul(x, w)).y, [random(8, 40, 3), random(8, 3, 3)]))
    assert interleaves(StepGenerator(Code("own", [], {}, row), step, DType.F32).step) == 3
    (step,) = steps(module(lambda b, v: b.emit(core.Transpose(v, perm=(0, 2, 1))).y, [random(1, 200, 3)]))
    assert StepGenerator(Code("own", [], {}, row), step, DType.F32).along_kept


@pytest.mark.parametrize("size,alone", [(20, False), (16, False), (7, True)])
def test_the_end_of_a_row_is_in_vectors(size: int, alone: bool) -> None:
    """The last one does again some of what the one before has done, where the row has as many elements."""
    (step,) = steps(module(lambda b, v: enlarged(b, v, (2, 2)), [random(2, 8, size)]))
    b = Code("own", [], {}, X86_64[1])
    StepGenerator(b, step, DType.F32).run([pointer("%a")], pointer("%out"))
    assert ("store float " in b.text()) == alone
