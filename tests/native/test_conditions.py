"""Sizes that are known at run time and must fit one another: right where they do, the error `dimensions` and no foreign
memory where not.
"""

from __future__ import annotations

import ctypes
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlconv.codegen.program.module import ERROR_DIMENSIONS
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from tests.support.modules import const, module_of_shapes, module_of_types, random
from tests.support.native import InProcess, to_object

N, M = Dim.symbol("N"), Dim.symbol("M")
Sizes = tuple[int, int]
Make = Callable[..., Any]


def _ends(step: int, begin: int | None, end: int | None) -> Make:
    def make(b: Builder, x: Value) -> Value:
        bounds = [const(b, np.array([0 if v is None else v, 0])) for v in (begin, end)]
        mask = [2 | (v is None) for v in (begin, end)]
        return b.emit(core.Slice(x, *bounds, const(b, np.array([step, 1])), begin_mask=mask[0], end_mask=mask[1])).y

    return make


def _one(op: Callable[..., Any]) -> Make:
    return lambda b, *values: b.emit(op(b, *values)).results[0]


def _layer(b: Builder, x: Value, h: Value) -> Value:
    return b.emit(core.Rnn(x, const(b, random(4, 3)), const(b, random(4, 4)), None, h)).y


def _suppressed(b: Builder, boxes: Value, scores: Value) -> list[Value]:
    numbers = [const(b, np.asarray(n, np.int32 if i == 0 else np.float32)) for i, n in enumerate((3, 0.5, -9, 0))]
    found = b.emit(core.NonMaxSuppression(boxes, scores, *numbers, padded=True))
    return [found.selected, found.valid]


def _filtered(b: Builder, x: Value) -> Value:
    place: dict[str, Any] = {"strides": (1,), "dilations": (1,), "pads": ((0, 0),)}
    return b.emit(core.Conv(x, const(b, random(5, 3, 4)), x_layout="N0C", w_layout="0IO", y_layout="N0C", **place)).y


def _chained(b: Builder, x: Value, u: Value) -> Value:
    """What broadcasts at run time, between other kernels."""
    y = b.emit(core.Tanh(b.emit(core.Add(b.emit(core.MatMul(x, const(b, random(5, 8)))).y, u)).y)).y
    return b.emit(core.Softmax(b.emit(core.MatMul(y, const(b, random(8, 8)))).y, axis=-1)).y


def _cached(b: Builder, x: Value) -> Value:
    """Rows behind those that there are, and products of all: nothing but the copy sees that there are none."""
    rows = b.emit(core.Concat([x, const(b, random(2, 5))], axis=0)).y
    return b.emit(core.MatMul(rows, const(b, random(5, 8)))).y


def _apart(b: Builder, x: Value, u: Value) -> list[Value]:
    """Products of one, and a map of the other."""
    return [b.emit(core.MatMul(x, const(b, random(5, 8)))).y, b.emit(core.Tanh(u)).y]


INT = TensorType(DType.I32, (M,))
# name: what is made, of which inputs, (N, M) that fit, (N, M) that do not
CASES: dict[str, tuple[Make, list[Any], list[Sizes], list[Sizes]]] = {
    "last three": (_ends(1, -3, None), [(N, 4)], [(1, 1), (2, 1), (3, 1), (9, 1)], []),
    "every second of the last five": (_ends(2, -5, None), [(N, 4)], [(1, 1), (4, 1), (6, 1)], []),
    "between two from the end": (_ends(1, -3, -1), [(N, 4)], [(1, 1), (2, 1), (9, 1)], []),
    "two symbols": (
        _one(lambda b, x, u: core.Add(x, u)),
        [(N, 5), (M, 5)],
        [(1, 1), (3, 3), (1, 4), (4, 1)],
        [(2, 3), (3, 2)],
    ),
    "two symbols, inner": (
        _one(lambda b, x, u: core.Mul(x, u)),
        [(3, N), (3, M)],
        [(1, 1), (33, 33), (1, 40), (40, 1)],
        [(2, 3)],
    ),
    "a number": (
        _one(lambda b, x: core.Sub(x, const(b, random(3, 5)))),
        [(N, 5)],
        [(1, 1), (3, 1)],
        [(2, 1), (4, 1)],
    ),
    "a choice": (
        _one(lambda b, x, u: core.Select(b.emit(core.Less(x, u)).y, x, u)),
        [(N, 5), (M, 1)],
        [(1, 4), (4, 1), (2, 2)],
        [(4, 2)],
    ),
    "batches": (_one(lambda b, x, u: core.MatMul(x, u)), [(N, 5, 6), (M, 6, 7)], [(1, 3), (3, 1), (2, 2)], [(2, 3)]),
    "small batches": (
        _one(lambda b, x, u: core.MatMul(x, u)),
        [(N, 2, 3), (M, 3, 2)],
        [(1, 3), (3, 1), (2, 2)],
        [(2, 3)],
    ),
    "depth": (
        _one(lambda b, x, u: core.MatMul(x, u, transpose_b=True)),
        [(5, N), (6, M)],
        [(1, 1), (7, 7)],
        [(1, 7), (7, 1), (2, 3)],
    ),
    "depth of constants": (
        _one(lambda b, x: core.MatMul(x, const(b, random(6, 7)))),
        [(5, N)],
        [(6, 1)],
        [(1, 1), (5, 1), (7, 1)],
    ),
    "joined": (_one(lambda b, x, u: core.Concat([x, u], axis=0)), [(3, N), (2, M)], [(1, 1), (4, 4)], [(1, 4), (4, 1)]),
    "squeezed": (_one(lambda b, x: core.Squeeze(x, axes=(0,))), [(N, 5)], [(1, 1)], [(2, 1)]),
    "split": (lambda b, x: list(b.emit(core.Split(x, sizes=(2, 3), axis=0)).ys), [(N, 5)], [(5, 1)], [(4, 1), (6, 1)]),
    "another shape": (
        _one(lambda b, x: core.Reshape(x, const(b, np.array([6, 2])))),
        [(N, 4)],
        [(3, 1)],
        [(2, 1), (4, 1)],
    ),
    "rest of a shape": (
        _one(lambda b, x: core.Reshape(x, const(b, np.array([3, -1])))),
        [(N, 4)],
        [(3, 1), (6, 1)],
        [(2, 1), (4, 1)],
    ),
    "boxes and scores": (_suppressed, [(N, 4), (M,)], [(2, 2), (5, 5)], [(2, 3), (3, 2)]),
    "updated": (
        _one(lambda b, x, u: core.UpdateSlice(x, u, [const(b, np.int32(0))])),
        [(N,), (M,)],
        [(3, 3), (4, 2)],
        [(2, 3)],
    ),
    "window": (_filtered, [(1, N, 3)], [(5, 1), (9, 1)], [(2, 1), (3, 1)]),
    "state": (_layer, [(5, N, 3), (2, 4)], [(2, 1)], [(1, 1), (3, 1)]),
    "one state": (_layer, [(5, N, 3), (1, 4)], [(1, 1), (3, 1)], []),
    "elements": (
        _one(lambda b, x, i: core.GatherElements(x, b.emit(core.ExpandDims(i, axes=(1,))).y, axis=1)),
        [(N, 3), INT],
        [(2, 2), (3, 2)],
        [(1, 2)],
    ),
    "rows at fixed places": (
        _one(lambda b, x: core.Gather(x, const(b, np.array([3, 0, -2])), axis=0)),
        [(N, 3)],
        [(4, 1), (9, 1)],
        [(1, 1), (3, 1)],
    ),
    "segments": (
        _one(lambda b, x, i: core.SegmentReduce(x, i, const(b, np.int32(4)))),
        [(N, 3), INT],
        [(2, 2)],
        [(1, 2), (2, 1)],
    ),
    "a cache without rows": (_cached, [(N, 5)], [(0, 1), (3, 1)], []),
    "no rows for one of two": (_apart, [(N, 5), (M, 4)], [(3, 2), (0, 0), (3, 0)], [(0, 2)]),
    "chained": (_chained, [(N, 5), (M, 8)], [(1, 1), (6, 6), (1, 6), (6, 1)], [(2, 6)]),
}


@pytest.mark.parametrize(
    ("n", "m", "fine"),
    [
        (1 << 20, 1 << 20, True),
        (1 << 29, 1 << 30, True),
        ((1 << 31) - 1, (1 << 31) - 1, False),
        (1 << 30, 1 << 30, False),
    ],
)
def test_a_product_of_sizes_is_bounded(n: int, m: int, fine: bool, tmp_path: pathlib.Path) -> None:
    """8 bytes for each of n * m: a size that passes 2^63 is none."""
    x = TensorType(DType.F64, (N, M))
    net = InProcess(
        to_object(
            module_of_types(lambda b, x: b.emit(core.Exp(b.emit(core.Transpose(x, perm=(1, 0))).y)).y, [x]),
            tmp_path / "m.o",
        )
    )
    dims = (ctypes.c_int64 * 2)(n, m)
    assert (net.workspace_bytes(dims) != ctypes.c_size_t(-1).value) == fine
    if not fine:
        assert net.run_function(None, None, dims, None, 0, None) == ERROR_DIMENSIONS


def test_ranges_that_allow_too_much_are_refused(tmp_path: pathlib.Path) -> None:
    x = TensorType(DType.F32, (N, M))
    with pytest.raises(ConversionError) as e:
        to_object(
            module_of_types(lambda b, x: b.emit(core.Exp(x)).y, [x]),
            tmp_path / "m.o",
            interface={"ranges": {"N": [1, 1 << 31], "M": [1, 1 << 31]}},
        )
    assert e.value.code is Code.TensorTooLarge


@pytest.mark.parametrize("name", CASES)
def test_sizes_that_fit_and_others(name: str, tmp_path: pathlib.Path) -> None:
    make, shapes, good, bad = CASES[name]
    m = module_of_shapes(make, shapes)
    net = InProcess(to_object(m, tmp_path / "m.o"))
    for n, k in (*good, *bad):
        given = {"N": n, "M": k}
        arrays = []
        for i, v in enumerate(m.main.inputs):
            shape: tuple[Any, ...] = tuple(substitute(d, given) for d in v.tensor.shape or ())
            arrays.append(
                random(*shape, seed=i) if v.tensor.dtype is DType.F32 else (np.arange(shape[0]) % 2).astype(np.int32)
            )
        named = {d: given[d] for d in net.facts["dimensions"]}
        if (n, k) in bad:
            dims = (ctypes.c_int64 * len(named))(*named.values())
            assert net.run_function(None, None, dims, None, 0, None) == ERROR_DIMENSIONS
            assert net.workspace_bytes(dims) == ctypes.c_size_t(-1).value
            with pytest.raises(ConversionError, match="does not take these dimensions"):
                net.model.run({f"in{i}": a for i, a in enumerate(arrays)})
            continue
        code, got = net.call(arrays, given=named)
        expected = run_function(m.main, {f"in{i}": a for i, a in enumerate(arrays)})
        assert code == 0
        for y, output in zip(got, m.main.output_names, strict=True):
            np.testing.assert_allclose(y, np.asarray(expected[output]), rtol=2e-5, atol=2e-5)


def test_numbers_that_do_not_fit_are_refused(tmp_path: pathlib.Path) -> None:
    """What no source hands over, but would be read or written beside its operands."""
    rows, tuples = TensorType(DType.F32, (3, 4)), TensorType(DType.I32, (2, 1))
    with pytest.raises(ConversionError, match="do not fit") as e:
        to_object(
            module_of_types(
                lambda b, x, i: b.emit(core.ScatterFill(i, x, const(b, np.array([5, 4])))).y, [rows, tuples]
            ),
            tmp_path / "m.o",
        )
    assert e.value.code is Code.ShapeMismatch
