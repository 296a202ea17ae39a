"""Dimensions that are known at run time: every kind of kernel at several sizes, through the C ABI and in process."""

from __future__ import annotations

import ctypes
import pathlib
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import TensorType
from mlconv.runtime.native import load_native
from tests.support.modules import LOCATION, const, module_of_shapes, random
from tests.support.native import Array, InProcess, Native, needs_cc, to_object

N, M = Dim.symbol("N"), Dim.symbol("M")
SIZES = [{"N": 1, "M": 1}, {"N": 3, "M": 5}, {"N": 17, "M": 2}, {"N": 40, "M": 33}]
Make = Callable[..., "Value | list[Value]"]


def dense_layers(b: Builder, x: Value) -> Value:
    y = b.emit(core.MatMul(x, const(b, random(20, 33)))).y
    y = b.emit(core.Clamp(b.emit(core.Add(y, const(b, random(33)))).y, lo=0.0, hi=9.0)).y
    return b.emit(core.Softmax(b.emit(core.MatMul(y, const(b, random(33, 10)))).y, axis=-1)).y


def convolutions(b: Builder, x: Value) -> list[Value]:
    common: dict[str, Any] = {"dilations": (1, 1), "strides": (1, 1), "pads": ((1, 1), (1, 1))}
    y = b.emit(core.Conv(x, const(b, random(3, 3, 6, 16)), const(b, random(16)), groups=1, **common)).y
    z = b.emit(core.Conv(y, const(b, random(3, 3, 1, 16)), None, groups=16, **common)).y
    w = b.emit(
        core.Conv(
            z, const(b, random(2, 2, 8, 4)), None, groups=2, dilations=(1, 1), strides=(2, 2), pads=((0, 0), (0, 0))
        )
    ).y
    return [b.emit(core.Add(y, z)).y, w]


def minimal_filtering(b: Builder, x: Value) -> Value:
    w = const(b, random(3, 3, 32, 36) / 20)
    return b.emit(
        core.Conv(x, w, const(b, random(36)), groups=1, dilations=(1, 1), strides=(1, 1), pads=((1, 1), (1, 1)))
    ).y


def attention(b: Builder, x: Value) -> Value:
    q, k = (b.emit(core.MatMul(x, const(b, random(24, 24, seed=s) / 5))).y for s in (1, 2))
    scores = b.emit(core.MatMul(q, k, transpose_b=True)).y
    return b.emit(core.MatMul(b.emit(core.Softmax(scores, axis=-1)).y, k)).y


def normalized(b: Builder, x: Value) -> Value:
    centred = b.emit(core.Sub(x, b.emit(core.ReduceMean(x, axes=(2,), keepdims=True)).y)).y
    variance = b.emit(core.ReduceMean(b.emit(core.Mul(centred, centred)).y, axes=(2,), keepdims=True)).y
    return b.emit(core.Div(centred, b.emit(core.Sqrt(b.emit(core.Add(variance, const(b, np.float32(1e-5)))).y)).y)).y


def data_movement(b: Builder, x: Value, y: Value) -> list[Value]:
    total = b.emit(core.Add(x, y)).y
    turned = b.emit(core.Transpose(total, perm=(1, 0))).y
    joined = b.emit(core.Concat([turned, turned], axis=1)).y
    padded = b.emit(core.Pad(x, const(b, np.array([[1, 2], [0, 3]])), const(b, np.float32(7)), mode="constant")).y
    first = b.emit(core.Gather(x, const(b, np.array([0, -1])), axis=0)).y
    return [
        b.emit(core.ReduceMean(joined, axes=(1,), keepdims=False)).y,
        padded,
        first,
        b.emit(core.ReduceMax(x, axes=(0, 1), keepdims=False)).y,
        b.emit(core.Reverse(x, axes=(1,))).y,
        b.emit(core.Cast(b.emit(core.ShapeOf(joined, dtype=DType.I64)).y, dtype=DType.F32)).y,
    ]


def recurrent(b: Builder, x: Value) -> list[Value]:
    """Steps and rows that are known at run time; a scan over the states."""
    w, r, bias = random(36, 7), random(36, 9), random(36)
    lstm = b.emit(core.Lstm(x, const(b, w), const(b, r), const(b, bias), reverse=True))
    gru = b.emit(core.Gru(x, const(b, w[:27]), const(b, r[:27]), const(b, bias[:27])))
    sums = b.emit(core.CumSum(b.emit(core.Mul(gru.y, const(b, np.float32(0.1)))).y, axis=0)).y
    return [*lstm.results, *gru.results, sums, b.emit(core.CumSum(gru.y, axis=2, reverse=True, exclusive=True)).y]


def routines(b: Builder, x: Value) -> list[Value]:
    top = b.emit(core.TopK(x, const(b, np.int64(3)), axis=2))
    at = const(b, np.array([[0], [-1]], np.int32))
    rows = b.emit(core.Gather(b.emit(core.Neg(x)).y, const(b, np.array([0, 0])), axis=0)).y
    placed = b.emit(core.ScatterNd(x, at, rows, reduction="max")).y
    index = b.emit(core.ArgMax(x, axis=2, keepdims=True)).y
    marked = b.emit(core.ScatterElements(x, index, b.emit(core.ReduceSum(x, axes=(2,), keepdims=True)).y, axis=2)).y
    return [top.values, top.indices, placed, marked]


def first_size(b: Builder, x: Value) -> list[Value]:
    """A slice from the start reads on from there as a whole copy does, but what it is taken from must not be written
    into it as a whole.
    """
    shape = b.emit(core.ShapeOf(x, dtype=DType.I64)).y
    first = b.emit(core.Slice(shape, const(b, [0]), const(b, [1]), const(b, [1]))).y
    return [first, b.emit(core.Neg(x)).y]


def branches(b: Builder, x: Value, y: Value) -> list[Value]:
    """A loop that carries a tensor of both sizes, and a branch in it."""
    scalar = TensorType(DType.I32, ())

    def region(types: list[TensorType], make: Make) -> Region:
        block = Block(types)
        inner = Builder(block, LOCATION)
        inner.emit(Yield(make(inner, *block.arguments)))
        return Region(block)

    def body(e: Builder, i: Value, v: Value, w: Value) -> list[Value]:
        low = e.emit(core.Less(i, const(e, np.int32(2)))).y
        then = region([], lambda k: [k.emit(core.Tanh(k.emit(core.Add(v, x)).y)).y])
        picked = e.emit(core.If(low, then=then, orelse=region([], lambda k: [w]))).ys[0]
        return [e.emit(core.Add(i, const(e, np.int32(1)))).y, w, picked]

    start = b.emit(core.Add(x, y)).y
    inits = [const(b, np.int32(0)), start, x]
    types = [scalar, start.tensor, x.tensor]
    test = region(types, lambda e, i, v, w: [e.emit(core.Less(i, const(e, np.int32(5)))).y])
    return list(b.emit(core.While(inits, cond=test, body=region(types, body))).ys)[1:]


def parts(b: Builder, x: Value) -> list[Value]:
    """A piece from a computed place, and rows turned around up to a computed place."""
    size = b.emit(core.Slice(b.emit(core.ShapeOf(x)).y, *(const(b, [n]) for n in (0, 1, 1)))).y
    last = b.emit(core.Sub(size, const(b, [1]))).y
    at = b.emit(core.Cast(b.emit(core.ReduceMax(x, axes=(0, 1, 2), keepdims=False)).y, dtype=DType.I64)).y
    at = b.emit(core.Minimum(b.emit(core.Reshape(at, const(b, [1]))).y, last)).y
    begin = b.emit(core.Concat([at, const(b, [0, 1])], axis=0)).y
    piece = b.emit(core.DynamicSlice(x, begin, const(b, [1, 1, 4]))).y
    lengths = b.emit(core.Cast(b.emit(core.ReduceMax(x, axes=(1, 2), keepdims=False)).y, dtype=DType.I64)).y
    return [piece, b.emit(core.ReverseSequence(x, lengths, time_axis=1, batch_axis=0)).y]


def nothing(b: Builder, x: Value) -> list[Value]:
    """Parts without columns, which are copied, picked from, and added up."""
    none = b.emit(core.Slice(x, *(const(b, n) for n in ([0, 0], [99, 0], [1, 1])))).y
    rows = b.emit(core.Gather(none, const(b, [0, 0]), axis=0)).y
    return [b.emit(core.Concat([none, x], axis=1)).y, b.emit(core.Tanh(none)).y, b.emit(core.Neg(rows)).y]


CASES: dict[str, tuple[Make, list[tuple[Size, ...]]]] = {
    "recurrent": (recurrent, [(M, N, 7)]),
    "routines": (routines, [(M, N, 5)]),
    "nothing": (nothing, [(N, 5)]),
    "branches": (branches, [(N, M), (N, M)]),
    "first size": (first_size, [(N, M, 3)]),
    "dense layers": (dense_layers, [(N, 20)]),
    "convolutions of a batch": (convolutions, [(N, 8, 9, 6)]),
    "convolutions of any image": (convolutions, [(1, N + 1, M + 1, 6)]),
    "minimal filtering of a batch": (minimal_filtering, [(N, 14, 17, 32)]),
    "attention": (attention, [(N, M, 24)]),
    "normalization": (normalized, [(N, M, 32)]),
    "data_movement": (data_movement, [(N, M), (M,)]),
}


def arrays_for(shapes: list[tuple[Size, ...]], sizes: dict[str, int]) -> list[Array]:
    return [random(*(static(substitute(d, sizes) for d in shape) or ()), seed=9 + i) for i, shape in enumerate(shapes)]


@needs_cc
@pytest.mark.parametrize("case", [*CASES, "parts"])
def test_all_sizes(case: str, tmp_path: pathlib.Path) -> None:
    make, shapes = {**CASES, "parts": (parts, [(N, M, 5)])}[case]
    m = module_of_shapes(make, shapes)
    native = Native(to_object(m, tmp_path / "m.o"))
    for sizes in SIZES:
        arrays = arrays_for(shapes, sizes)
        code, got = native.call(arrays, given={d: sizes[d] for d in native.facts["dimensions"]})
        assert code == 0
        expected = run_function(m.main, {f"in{i}": a for i, a in enumerate(arrays)})
        for name, y in zip(m.main.output_names, got, strict=True):
            np.testing.assert_allclose(
                y,
                np.asarray(expected[name]),
                rtol=2e-5,
                atol=2e-5 * max(1.0, float(np.abs(y).max(initial=0))),
                err_msg=name,
            )


@needs_cc
def test_dimensions_and_workspace_are_checked(tmp_path: pathlib.Path) -> None:
    make, shapes = CASES["data_movement"]
    native = Native(to_object(module_of_shapes(make, shapes), tmp_path / "m.o", interface={"ranges": {"N": [2, 5]}}))
    errors, arrays = native.facts["errors"], arrays_for(shapes, {"N": 5, "M": 4})
    assert native.facts["dimensions"] == ["N", "M"] and native.facts["ranges"] == {"N": [2, 5]}
    assert native.call(arrays, given={"N": 5, "M": 4})[0] == 0
    for bad in ({"N": 1, "M": 4}, {"N": 6, "M": 4}):
        assert native.call(arrays_for(shapes, {"N": 6, "M": 4}), 10_000, bad)[0] == errors["dimensions"]
    need = int(native.workspace_bytes((ctypes.c_int64 * 2)(5, 4)))
    assert native.call(arrays, need - 1, {"N": 5, "M": 4})[0] == errors["workspace"]


def test_sizes_come_from_the_inputs(tmp_path: pathlib.Path) -> None:
    make, shapes = CASES["data_movement"]
    m = module_of_shapes(make, shapes)
    model = load_native(to_object(m, tmp_path / "m.o"))
    for sizes in [*SIZES, *SIZES]:
        x, y = arrays_for(shapes, sizes)
        got, expected = model.run({"in0": x, "in1": y}), run_function(m.main, {"in0": x, "in1": y})
        assert all(np.allclose(got[k], np.asarray(expected[k]), rtol=1e-5, atol=1e-5) for k in expected)
    with pytest.raises(ConversionError) as e:
        model.run({"in0": random(2, 3), "in1": random(4)})
    assert e.value.code is Code.ShapeMismatch
    with pytest.raises(ConversionError) as e:
        model.run({"in0": random(2, 3)})
    assert e.value.code is Code.NameNotFound


@needs_cc
def test_the_header_tells_shapes(tmp_path: pathlib.Path) -> None:
    make, shapes = CASES["data_movement"]
    to_object(module_of_shapes(make, shapes), tmp_path / "m.o")
    source = """#include "m.h"
#include <stdio.h>
int main(void) {
  int64_t dims[M_DIMENSIONS] = {3, 5}, shape[4];
  m_output_shape(1, dims, shape);
  printf("%s %s %d %lld %lld %zu\\n", m_dimension_names[0], m_dimension_names[1], m_output_ranks[1],
    (long long)shape[0], (long long)shape[1],
         m_output_bytes(1, dims));
  return m_workspace_bytes(dims) < 16;
}
"""
    (tmp_path / "main.c").write_text(source)
    subprocess.run(
        [
            "cc",
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-o",
            tmp_path / "main",
            tmp_path / "main.c",
            tmp_path / "m.o",
            "-lm",
        ],
        check=True,
    )
    printed = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout
    assert printed.split() == ["N", "M", "2", "6", "8", str(6 * 8 * 4)]


def test_sizes_that_nothing_tells_are_refused(tmp_path: pathlib.Path) -> None:
    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.Unique(x, axis=0)).y

    with pytest.raises(ConversionError) as e:
        to_object(module_of_shapes(make, [(N, 300)]), tmp_path / "m.o")
    assert e.value.code is Code.TargetLacksOp


def sums(b: Builder, x: Value) -> list[Value]:
    total = b.emit(core.ReduceSum(x, axes=(0, 1), keepdims=False)).y
    return [b.emit(core.Softmax(x, axis=1)).y, total, b.emit(core.ReduceMax(b.emit(core.Tanh(x)).y, axes=(0,))).y]


@needs_cc
@pytest.mark.parametrize("case", [*CASES, "sums"])
def test_sizes_of_zero(case: str, tmp_path: pathlib.Path) -> None:
    """Where nothing is to be written, nothing is done; plain loops do what there is to do beside it.  All else is
    refused.
    """
    make, shapes = {**CASES, "sums": (sums, [(N, 6)])}[case]
    m = module_of_shapes(make, shapes)
    native = Native(to_object(m, tmp_path / "m.o"))
    for sizes in ({"N": 0, "M": 3}, {"N": 3, "M": 0}, {"N": 0, "M": 0}, {"N": 0, "M": 1}):
        arrays = arrays_for(shapes, sizes)
        code, got = native.call(arrays, 10_000_000, {d: sizes[d] for d in native.facts["dimensions"]})
        try:
            expected = {
                k: np.asarray(v) for k, v in run_function(m.main, {f"in{i}": a for i, a in enumerate(arrays)}).items()
            }
        except ConversionError:
            assert code == native.facts["errors"]["dimensions"]
            continue
        if case == "recurrent" and not sizes["M"] and sizes["N"]:
            assert code == native.facts["errors"]["dimensions"]
            continue
        assert code == 0
        for name, y in zip(m.main.output_names, got, strict=True):
            np.testing.assert_allclose(y, expected[name], rtol=2e-5, atol=2e-5)


def test_there_is_no_mean_of_nothing(tmp_path: pathlib.Path) -> None:
    model = load_native(
        to_object(module_of_shapes(lambda b, x: b.emit(core.ReduceMean(x, axes=(0,))).y, [(N, 4)]), tmp_path / "m.o")
    )
    assert model.run({"in0": random(2, 4)})["out0"].shape == (4,)
    with pytest.raises(ConversionError) as e:
        model.run({"in0": random(0, 4)})
    assert e.value.code is Code.VerificationImpossible


def turned(b: Builder, x: Value) -> Value:
    return b.emit(core.Transpose(b.emit(core.Exp(x)).y, perm=(1, 2, 0))).y


def soft(b: Builder, x: Value) -> Value:
    return b.emit(core.Softmax(b.emit(core.Transpose(x, perm=(2, 1, 0))).y, axis=0)).y


@pytest.mark.parametrize("make", [turned, soft])
def test_nothing_takes_no_time_and_no_memory(make: Callable[[Builder, Value], Value], tmp_path: pathlib.Path) -> None:
    """However large the other sizes are, of which too large ones are refused where there is something."""
    model = InProcess(to_object(module_of_shapes(make, [(N, Dim.symbol("H"), Dim.symbol("W"))]), tmp_path / "m.o"))
    most = 2**31 - 1
    for sizes in ((0, most, most), (most, 0, most), (most, most, 0), (0, 1 << 20, 1 << 20)):
        given = dict(zip("NHW", sizes, strict=True))
        dims = (ctypes.c_int64 * 3)(*(given[d] for d in model.facts["dimensions"]))
        assert model.workspace_bytes(ctypes.addressof(dims)) == 0
        assert model.run_function(None, None, ctypes.addressof(dims), None, 0, None) == 0
    # 2^62 elements of 4 bytes are 0 modulo 2^64
    for sizes in ((1, most, most), (4, 1 << 30, 1 << 30), (most, most, most)):
        dims = (ctypes.c_int64 * 3)(*sizes)
        assert model.workspace_bytes(ctypes.addressof(dims)) == 2**64 - 1
        assert model.run_function(None, None, ctypes.addressof(dims), None, 0, None) == 3
