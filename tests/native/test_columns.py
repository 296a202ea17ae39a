"""Reductions whose rows lie apart: stretches of several vectors of each row."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.modules import module
from tests.support.native import OWN, check, data, needs_cc, to_object

pytestmark = needs_cc

OPS = (core.ReduceMean, core.ReduceSum, core.ReduceMax, core.ReduceMin, core.ReduceProd)


def reduced(b: Builder, v: Value) -> list[Value]:
    return [b.emit(op(v, axes=axes)).y for op in OPS for axes in ((1,), (0, 1))]


@pytest.mark.parametrize("cpu", host_cpus())
@pytest.mark.parametrize("columns", [3, 64, 181, 515, 2048])
def test_all_widths(columns: int, cpu: str, tmp_path: pathlib.Path) -> None:
    x = data("float32", 2, 150, columns)
    x[x == 0] = 1
    x = np.where(np.abs(x) < 0.5, x + np.sign(x) * 0.5, x) / 2
    check(module(reduced, [x]), [x], tmp_path, cpu=cpu)


@pytest.mark.parametrize("rows", [32, 50, 57, 150])
@pytest.mark.parametrize("columns", [1500, 2061], ids=str)
def test_rows_that_lie_far_apart(columns: int, rows: int, tmp_path: pathlib.Path) -> None:
    """Row by row, of blocks of images too, with what lies beyond whole vectors and whole blocks of rows."""
    x = data("float32", 2, rows, columns)
    x = np.where(x == 0, np.float32(1), x)

    def reduced_(b: Builder, v: Value) -> list[Value]:
        return [b.emit(op(v, axes=axes)).y for op in OPS[:4] for axes in ((1,), (0, 1))]

    for cpu in ("x86-64", "x86-64-v3"):
        check(module(reduced_, [x]), [x], tmp_path, cpu=cpu)


def test_rows_are_gone_through_from_end_to_end(tmp_path: pathlib.Path) -> None:
    """Sums lie on the stack; what is less than a near cache has them in registers."""
    for rows, far in ((64, True), (16, False)):
        x = data("float32", rows, 2048)
        m = module(lambda b, v: b.emit(core.ReduceSum(v, axes=(0,))).y, [x])
        to_object(m, tmp_path / f"m{rows}.o", "x86-64-v3", listings=("llvm",))
        (listing,) = tmp_path.glob(f"m{rows}.*.ll")
        assert ("alloca [1024 x float]" in listing.read_text()) == far


@pytest.mark.parametrize("name", ["float32", "float64", "int8", "int16"])
def test_what_fills_no_vector_overlaps(name: str, tmp_path: pathlib.Path) -> None:
    """Pools with lines last, and sums, of axes that are shorter than a vector and longer; results have guards behind
    them.
    """
    arrays = [data(name, 2, 3, 5, n) for n in (3, 4, 5, 7, 9, 13, 14, 23, 28, 70)]
    window = {"window": (2, 2), "strides": (1, 1), "pads": ((0, 0), (0, 0)), "dilations": (1, 1), "layout": "NC01"}

    def made(b: Builder, *inputs: Value) -> list[Value]:
        pools = [b.emit(core.MaxPool(v, **window)).y for v in inputs]
        return [*pools, *(b.emit(core.ReduceMax(v, axes=(2,))).y for v in inputs)]

    for cpu in ("x86-64", OWN):
        check(module(made, arrays), arrays, tmp_path, cpu=cpu)


@pytest.mark.parametrize("name", ["float32", "int8", "int64"])
def test_places_in_short_rows(name: str, tmp_path: pathlib.Path) -> None:
    """Rows lie in lanes; of equals the first one or the last one, and NaN counts as one."""
    x = data(name, 3, 43, 5)
    if name == "float32":
        x[0, :7, 2], x[0, 3] = np.nan, np.nan

    def made(b: Builder, v: Value) -> list[Value]:
        ops = [core.ArgMax, core.ArgMin]
        flags = [(False, False), (True, True)]
        return [b.emit(o(v, axis=2, select_last=last, keepdims=kept)).y for o in ops for last, kept in flags]

    check(module(made, [x]), [x], tmp_path, cpu=OWN)


@pytest.mark.parametrize("name", ["float32", "int8", "complex64"])
@pytest.mark.parametrize("shape", [(2, 3, 4, 66), (1, 2, 9, 120), (1, 5, 6, 12)], ids=str)
def test_pixels_to_channels(name: str, shape: tuple[int, ...], tmp_path: pathlib.Path) -> None:
    """Channels are first; lines are long, or not."""
    x, size = data(name, *shape), 3 if shape[2] == 9 else 2
    made = lambda b, v: b.emit(core.SpaceToDepth(v, block_size=size, layout="NCHW")).y  # noqa: E731
    for cpu in ("x86-64", OWN):
        check(module(made, [x]), [x], tmp_path, cpu=cpu)


def test_several_vectors_are_read_of_each_row(tmp_path: pathlib.Path) -> None:
    x = data("float32", 60, 512)
    m = module(lambda b, v: b.emit(core.ReduceMean(v, axes=(0,))).y, [x])
    to_object(m, tmp_path / "m.o", "x86-64-v4", listings=("llvm",))
    (listing,) = tmp_path.glob("m.*.ll")
    assert "load <128 x float>" in listing.read_text()
