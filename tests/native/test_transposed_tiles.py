"""Maps that read along one axis and write along another, by square tiles in registers."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.codegen.kernels.steps import StepGenerator
from mlconv.codegen.kernels.transposed_tiles import tile_size, transposed
from mlconv.codegen.llvm.text import Builder as Code
from mlconv.codegen.llvm.types import POINTER, memory_type, pointer
from mlconv.codegen.llvm.types import Value as Register
from mlconv.codegen.machines.cpus import X86_64
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import Instr, LoopNestOp, Step, View
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import clone_module
from mlconv.ir.spec import OpDef
from mlconv.runtime.native import load_native
from tests.support.integers import constant, function_of, int8
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import ALL, Array, InProcess, check, data, needs_cc, to_object

CASES = [
    ((64, 48), (1, 0)),
    ((37, 61), (1, 0)),
    ((9, 33), (1, 0)),
    ((3, 21, 40), (0, 2, 1)),
    ((2, 5, 19, 35), (3, 1, 2, 0)),
    ((4, 18, 3, 50), (0, 2, 3, 1)),
    ((2, 1024, 37), (0, 2, 1)),  # lines of the result push each other out of a near cache
]


@pytest.mark.share(6)
@needs_cc
@pytest.mark.parametrize("name", ALL)
def test_types(name: str, tmp_path: pathlib.Path) -> None:
    for number, (shape, perm) in enumerate(CASES):
        x, folder = data(name, *shape, edges=name != "bool" and not name.startswith("complex")), tmp_path / str(number)
        folder.mkdir()

        def make(b: Builder, v: Value, perm: tuple[int, ...] = perm) -> Value:
            return b.emit(core.Transpose(v, perm=perm)).y

        _, (y,) = InProcess(to_object(module(make, [x]), folder / "m.o", host_cpus()[-1])).call([x])
        assert y.tobytes() == x.transpose(perm).tobytes()


@needs_cc
@pytest.mark.parametrize("cpu", host_cpus())
def test_what_is_computed_on_the_way(cpu: str, tmp_path: pathlib.Path) -> None:
    """Operands that have one number for a row, for a column, or for all."""
    x = random(45, 29)

    def make(b: Builder, v: Value) -> Value:
        rows, columns = const(b, random(45, 1, seed=1)), const(b, random(29, seed=2))
        y = b.emit(core.Mul(b.emit(core.Add(v, rows)).y, columns)).y
        y = b.emit(core.Transpose(b.emit(core.Tanh(y)).y, perm=(1, 0))).y
        return b.emit(core.Sub(y, const(b, np.float32(0.5)))).y

    check(module(make, [x]), [x], tmp_path, cpu)


@needs_cc
@pytest.mark.parametrize("cpu", host_cpus())
@pytest.mark.parametrize("shape", [(45, 37), (2, 16, 65), (5, 3)], ids=str)
def test_bytes_of_a_table(cpu: str, shape: tuple[int, ...], tmp_path: pathlib.Path) -> None:
    """Elements of a table on the way from lines to columns."""
    rng = np.random.default_rng(3)
    x = rng.integers(-128, 128, shape).astype(np.int8)
    table = rng.integers(-128, 128, 256).astype(np.int8)
    perm = (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2)

    def make(b: Builder, v: list[Value]) -> OpDef:
        turned = b.emit(core.Transpose(v[0], perm=perm)).y
        return core.QuantTable(turned, constant(b, table, int8(0.1, 9)), element=int8(0.1, 9), lo=-128, hi=127)

    m = function_of([(int8(0.05, -7), shape)], make)
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    ((step,),) = [op.steps for op in lowered.main.block.ops if isinstance(op, LoopNestOp)]
    row = next(c for c in X86_64 if c.name == cpu)
    tiles = StepGenerator(Code("own", [], {}, row), step, DType.I8).turned
    assert (tiles is not None) == (bool(row.shuffles) and min(shape[-2:]) >= tile_size(DType.I8))
    _, (y,) = InProcess(to_object(m, tmp_path / "m.o", cpu)).call([x])
    np.testing.assert_array_equal(y, table[x.astype(np.int64) + 128].transpose(perm))


def _turn(b: Builder, v: Value) -> Value:
    return b.emit(core.Transpose(v, perm=(1, 0))).y


def test_sizes_at_run_time(tmp_path: pathlib.Path) -> None:
    shape = (Dim.symbol("n"), Dim.symbol("m"))
    native = InProcess(to_object(module(_turn, [random(2, 2)], [shape]), tmp_path / "m.o", host_cpus()[-1]))
    for n, m in ((1, 1), (5, 40), (40, 5), (16, 16), (47, 33)):
        x = random(n, m)
        code, (y,) = native.call([x], given={"n": n, "m": m})
        assert code == 0
        np.testing.assert_array_equal(y, x.T)


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_blocks_of_rows_are_shared(threads: int, tmp_path: pathlib.Path) -> None:
    x: Array = random(1037, 1203)
    path = to_object(module(_turn, [x]), tmp_path / "m.o", host_cpus()[-1], pool=True)
    np.testing.assert_array_equal(load_native(path, threads).run({"in0": x})["out0"], x.T)


@pytest.mark.parametrize(("dtype", "size", "stages"), [(DType.F32, 8, 3), (DType.F64, 4, 2), (DType.I8, 16, 4)])
def test_stages_are_shuffles_of_two_rows(dtype: DType, size: int, stages: int) -> None:
    """Of vectors that were joined before, LLVM makes more and other instructions."""
    b, row = Code("tile", [], {}, X86_64[1]), memory_type(dtype).of_lanes(size)
    rows = [b.load(row, Register(POINTER, f"%row{i}"), 1) for i in range(size)]
    transposed(b, rows, 16 // dtype.itemsize)
    assert b.text().count("shufflevector") == size * stages


@pytest.mark.parametrize("shape", [(37, 61), (16, 50), (50, 16)], ids=str)
def test_the_last_tiles_overlap(shape: tuple[int, int]) -> None:
    """Nothing is written element by element where a whole tile ends with an axis."""
    rows, columns = shape
    load = Instr("load", DType.F32, (0,), View(0, (1, columns)))
    step = Step((columns, rows), 0, "", (load,), (), View(0, (rows, 1)))
    b = Code("kernel", [pointer("%x"), pointer("%y")], {}, X86_64[3])
    StepGenerator(b, step, DType.F32).run([pointer("%x")], pointer("%y"))
    assert "store <8 x float>" in b.text()
    assert "store float" not in b.text()
