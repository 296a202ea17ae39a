"""Maps over several padded tensors, of which none is written."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

import numpy as np
import pytest

from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import LoopNestOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.lowering import lower
from tests.support.modules import Array, const, module, random
from tests.support.native import check, needs_cc


def padded(b: Builder, x: Value, pads: Sequence[tuple[int, int]], border: float = 0) -> Value:
    value = const(b, np.asarray(border, x.tensor.dtype.numpy))
    return b.emit(core.Pad(x, const(b, np.asarray(pads, np.int64)), value)).y


def shifted(b: Builder, x: Value, y: Value, whole: Value) -> Value:
    """Borders that lie elsewhere in each operand, on axes that another one has none along, of several numbers."""
    sides = [[(0, 0), (0, 2), (2, 0)], [(0, 0), (1, 1), (1, 1)]]
    first, second = (padded(b, v, pads, border) for v, pads, border in zip((x, y), sides, (3, -2), strict=True))
    return b.emit(core.Mul(b.emit(core.Sub(first, second)).y, whole)).y


def columns(b: Builder, x: Value, y: Value, whole: Value) -> Value:
    """Neighbours of rows meet where one ends and the other begins."""
    size = x.tensor.static_shape()[-1]
    first = padded(b, x, [(0, 0), (1, 1), (0, size)])
    second = padded(b, y, [(0, 0), (1, 1), (size, 0)])
    return b.emit(core.Add(first, second)).y


def kernels(make: object, arrays: Sequence[Array]) -> list[LoopNestOp]:
    m = module(make, arrays)
    lower(m, "native", DiagnosticEngine())
    return [op for op in m.main.block.ops if isinstance(op, LoopNestOp)]


def operands(width: int, dtype: str = "float32") -> list[Array]:
    sizes = [(3, 7, width), (3, 7, width), (3, 9, width + 2)]
    return [(random(*size, seed=i) * 20).astype(dtype) for i, size in enumerate(sizes)]


@needs_cc
@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64"])
@pytest.mark.parametrize("width", [5, 20, 33])
@pytest.mark.parametrize("make", [shifted, columns])
@pytest.mark.parametrize("dtype", ["float32", "int32", "float64"])
def test_numbers(make: object, width: int, dtype: str, cpu: str, tmp_path: pathlib.Path) -> None:
    arrays = operands(width, dtype)
    check(module(make, arrays), arrays, tmp_path, cpu)


@pytest.mark.parametrize("make", [shifted, columns])
def test_no_padded_tensor_is_written(make: object) -> None:
    assert len(kernels(make, operands(32))) == 1


def test_short_rows_are_padded_first() -> None:
    """Vectors would go through no row."""
    assert len(kernels(shifted, operands(5))) == 3


def test_what_another_op_reads_is_written() -> None:
    def make(b: Builder, x: Value, y: Value, whole: Value) -> list[Value]:
        sides = [(0, 0), (1, 1), (1, 1)]
        first, second = padded(b, x, sides), padded(b, y, sides)
        return [b.emit(core.Add(first, second)).y, first]

    assert len(kernels(make, operands(32))) == 3
