"""Kinds of kernels: the table, and a longer one."""

from __future__ import annotations

import pathlib
from typing import NamedTuple

import numpy as np
import pytest

from mlconv.codegen.kernels.kind import KINDS, Call, KernelKind, Kinds, Written, kind_of
from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import memory_type
from mlconv.codegen.program.work import work
from mlconv.codegen.settings import Settings
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import KernelOp
from mlconv.dialects.kernel.ops import BY_NAME
from mlconv.exporters.native.export import export
from mlconv.ir import builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.spec import attr, op, result
from mlconv.ir.types import TensorType
from tests.support.modules import LOCATION, module
from tests.support.native import InProcess


class Fill(NamedTuple):
    """out[i] = value."""

    count: int
    value: float


@op("kernel.fill")
class FillOp(KernelOp):
    """A call of it."""

    problem: Fill = attr()
    y: Value = result()


class FillKind(KernelKind[Fill]):
    """A kind that the table of the program does not have."""

    name = "kernel.fill"

    def flops(self, problem: Fill) -> int:
        return problem.count

    def scratch(self, problem: Fill) -> int:
        """Room for the number."""
        return DType.F32.itemsize

    def generate(self, b: Builder, problem: Fill, call: Call) -> Written:
        """By way of scratch memory."""
        (room,) = call.operands
        store(b, call.dtype, literal(call.dtype, problem.value), room)
        value = load(b, call.dtype, room)
        b.work_items(lambda i: store(b, call.dtype, value, b.offset(call.out, memory_type(call.dtype), i)))
        return Written(problem.count, 1.0)


FILL = FillKind()
LONGER: Kinds = {**KINDS, "kernel.fill": "tests.native.test_kinds:FILL"}


def filled() -> Module:
    def make(b: builder.Builder, x: Value) -> Value:
        return b.emit(FillOp([], Fill(5, 2.5), TensorType(DType.F32, (5,)), location=LOCATION)).result

    return module(make, [np.zeros(1, np.float32)])


@pytest.mark.parametrize("name", KINDS)
def test_the_table_leads_to_kinds(name: str) -> None:
    made = BY_NAME[name]([], None, TensorType(DType.F32, (1,)), location=LOCATION)
    assert kind_of(made).name == name


def test_a_kind_of_a_longer_table(tmp_path: pathlib.Path) -> None:
    m = filled()
    export(m, str(tmp_path / "net.o"), Settings(cpu="x86-64-v3", kinds=LONGER))
    code, (y,) = InProcess(tmp_path / "net.o").call([np.zeros(1, np.float32)])
    assert code == 0
    np.testing.assert_array_equal(y, np.full(5, 2.5, np.float32))
    made = next(o for o in m.walk() if isinstance(o, KernelOp))
    assert work(made, LONGER) == (5, 20)
    assert not kind_of(made, LONGER).has_choices


def test_a_kind_that_no_table_has(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError, match=r"no code is generated for kernel\.fill") as error:
        export(filled(), str(tmp_path / "net.o"), Settings(cpu="x86-64-v3"))
    assert error.value.diagnostic.code is Code.InternalError
