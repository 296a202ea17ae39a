"""Every core op on TensorFlow: the rows of tests/core, exported."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from tests.support.core_rows import RANDOM, ROWS, Row, build
from tests.support.modules import Array, const, module, random
from tests.support.tf_files import check, export, ops_of, runner


@pytest.mark.share(6)
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_op(row: Row, tmp_path: pathlib.Path) -> None:
    made: list[Any] = []
    m = build(row, made)
    if isinstance(made[0], RANDOM):
        export(m, tmp_path / "m.pb", "graphdef")
        found = runner(tmp_path / "m.pb", "graphdef").run(m.main, {})["out0"]
        assert found.shape == (2, 3) and len(np.unique(found)) > 1
    else:
        check(m, row.inputs, "graphdef")


NEEDS_SIZES = {"unique axis", "conv transpose groups", "resize nearest half_pixel_symmetric"}
"""Rows sorted column by column, channels in groups, and places that float64 decides."""


@pytest.mark.share(4)
@pytest.mark.parametrize("row", [r for r in ROWS if r.symbolic and r.inputs], ids=lambda r: r.name)
def test_op_of_open_sizes(row: Row) -> None:
    """All sizes of the first operand are known at run time only."""
    shapes: list[Any] = [a.shape for a in row.inputs]
    shapes[0] = tuple(Dim.symbol(f"d{i}") for i in range(row.inputs[0].ndim))

    def make(b: Builder, *inputs: Value) -> list[Value]:
        return b.emit(row.build(list(inputs), lambda value, dtype=None: const(b, value, dtype))).results

    m = module(make, row.inputs, shapes)
    if row.name in NEEDS_SIZES:
        with pytest.raises(ConversionError) as error:
            check(m, row.inputs, "graphdef")
        assert error.value.diagnostics[0].code is Code.TargetLacksOp
    else:
        check(m, row.inputs, "graphdef")


X = random(2, 6, 7, 4)


@pytest.mark.share(4)
@pytest.mark.parametrize("pads", [((1, 2), (0, 1)), "SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize("ceil", [False, True])
@pytest.mark.parametrize("dilations", [(1, 1), (2, 1)])
@pytest.mark.parametrize("kind", ["max", "mean", "mean with pads"])
def test_pools(kind: str, dilations: tuple[int, int], ceil: bool, pads: Any) -> None:
    numbers: dict[str, Any] = {"window": (3, 2), "strides": (2, 1), "dilations": dilations, "ceil_mode": ceil}

    def make(b: Builder, x: Value) -> Value:
        if kind == "max":
            return b.emit(core.MaxPool(x, pads=pads, **numbers)).y
        return b.emit(core.AvgPool(x, pads=pads, count_include_pad=kind == "mean with pads", **numbers)).y

    check(module(make, [X]), [X], "graphdef")
    sizes = (Dim.symbol("N"), Dim.symbol("H"), Dim.symbol("W"), 4)
    check(module(make, [X], [sizes]), [X], "graphdef")


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("stride", [1, 2])
def test_convolutions(rank: int, groups: int, stride: int) -> None:
    x, w, bias = random(2, *[7] * rank, 4), random(*[3] * rank, 4 // groups, 8), random(8)
    layout = "N" + "012"[:rank] + "C"
    numbers: dict[str, Any] = {"strides": (stride,) * rank, "pads": ((1, 0),) * rank, "dilations": (2,) * rank}
    layouts = {"x_layout": layout, "w_layout": layout[1:-1] + "IO", "y_layout": layout}

    def make(b: Builder, v: Value) -> Value:
        return b.emit(core.Conv(v, const(b, w), const(b, bias), groups=groups, **numbers, **layouts)).y

    check(module(make, [x]), [x], "graphdef", 1e-4)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("numbers", [(1, 2, 1, 1), (2, 3, 0, 0), (3, 2, 1, 2), (2, 1, 0, 0), (3, 3, -1, 1)])
def test_transposed_convolutions(rank: int, numbers: tuple[int, int, int, int]) -> None:
    stride, size, pad, more = numbers
    x, w = random(1, *[4] * rank, 4), random(*[size] * rank, 3, 4)
    layout = "N" + "012"[:rank] + "C"
    layouts = {"x_layout": layout, "w_layout": layout[1:-1] + "OI", "y_layout": layout}
    given: dict[str, Any] = {
        "strides": (stride,) * rank,
        "pads": ((pad, 0),) * rank,
        "output_pads": (more,) * rank,
        "dilations": (2,) * rank,
    }

    def make(b: Builder, v: Value) -> Value:
        return b.emit(core.ConvTranspose(v, const(b, w), None, groups=2, **given, **layouts)).y

    check(module(make, [x]), [x], "graphdef", 1e-4)


@pytest.mark.parametrize("has_bias", [False, True])
def test_channels_of_pixel_shuffle_are_ordered_by_the_convolution(has_bias: bool) -> None:
    x, w, bias = random(2, 3, 5, 4), random(3, 3, 4, 12), random(12)

    def make(b: Builder, v: Value) -> list[Value]:
        parts = (const(b, w), const(b, bias)) if has_bias else (const(b, w),)
        one = {"strides": (1, 1), "pads": ((1, 1), (1, 1)), "dilations": (1, 1), "groups": 1}
        y = b.emit(core.Conv(v, *parts, **one, x_layout="N01C", w_layout="01IO", y_layout="N01C")).y
        return b.emit(core.DepthToSpace(y, block_size=2, layout="NHWC", mode="crd")).results

    assert "Transpose" not in ops_of(check(module(make, [x], [(Dim.symbol("n"), 3, 5, 4)]), [x], "graphdef"))


@pytest.mark.parametrize("reduction", ["none", "add", "sub", "mul", "div", "max", "min"])
def test_scattering(reduction: str) -> None:
    x, updates = random(4, 3), random(2, 2, 3) + 3
    at = np.array([[[0], [-1]], [[2], [2 if reduction != "none" else 1]]], np.int32)

    def make(b: Builder, data: Value, indices: Value, u: Value) -> Value:
        return b.emit(core.ScatterNd(data, indices, u, reduction=reduction)).y

    check(module(make, [x, at, updates]), [x, at, updates], "graphdef")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("name", ["Div", "FloorDiv", "FloorMod", "Rem", "ShiftLeft", "ShiftRight", "Pow", "Maximum"])
def test_integers(name: str, dtype: type[np.generic]) -> None:
    rng = np.random.default_rng(5)
    low = -90 if np.issubdtype(dtype, np.signedinteger) else 0
    a, b = rng.integers(low, 90, (5, 40)).astype(dtype), rng.integers(0, 70, (40,)).astype(dtype)
    if name == "Pow":
        a, b = (a % 4).astype(dtype), (b % 4).astype(dtype)
    check(module(lambda e, x, y: e.emit(getattr(core, name)(x, y)).y, [a, b]), [a, b], "graphdef")


@pytest.mark.parametrize("natural", [False, True])
def test_powers_of_integers_are_exact(natural: bool) -> None:
    """Beyond the 53 bits of a float64."""
    a, b = np.asarray([7, -7, 3, 2, -1, 5]), np.asarray([20, 21, 39, 62, 9, 0] if natural else [20, 21, 39, 62, -3, -1])
    check(module(lambda e, x, y: e.emit(core.Pow(x, y, natural=natural)).y, [a, b]), [a, b], "graphdef")


def of_dtype(x: Array, dtype: DType) -> Array:
    return x.astype(dtype.numpy)


@pytest.mark.parametrize("dtype", [DType.F16, DType.BF16, DType.F64])
def test_other_floats(dtype: DType) -> None:
    """What no kernel takes is computed with wider numbers."""
    window: dict[str, Any] = {"window": (2, 2), "strides": (1, 1), "pads": ((0, 0), (0, 0)), "dilations": (1, 1)}

    def make(b: Builder, x: Value) -> list[Value]:
        return [
            b.emit(core.Digamma(x)).y,
            b.emit(core.Softmax(x, axis=1)).y,
            b.emit(core.CumSum(x, axis=0)).y,
            b.emit(core.MaxPool(b.emit(core.ExpandDims(x, axes=(0, 3))).y, **window)).y,
        ]

    x = of_dtype(np.abs(random(3, 4)) + 1, dtype)
    check(module(make, [x]), [x], "graphdef", {DType.F64: 1e-9}.get(dtype, 1e-2))


@pytest.mark.parametrize("mode", ["constant", "reflect", "symmetric", "edge", "wrap"])
def test_pads_of_computed_amounts(mode: str) -> None:
    x = random(3, 4)
    pads = np.array([[1, 2], [-1 if mode == "constant" else 0, 3]], np.int64)

    def make(b: Builder, v: Value, p: Value) -> Value:
        return b.emit(core.Pad(v, p, const(b, np.float32(2)), mode=mode)).y

    check(module(make, [x, pads]), [x, pads], "graphdef")


def test_indices_that_are_not_negative_are_taken_as_they_are() -> None:
    x = random(5, 3)

    def make(b: Builder, v: Value) -> Value:
        return b.emit(core.Gather(v, const(b, np.array([4, 0], np.int64)))).y

    assert "SelectV2" not in ops_of(check(module(make, [x]), [x], "graphdef"))


@pytest.mark.parametrize("places", [-1, [-1], [[-2, 1]]])
def test_constant_places_from_the_end_keep_their_axes(places: Any) -> None:
    x = random(5, 3)

    def make(b: Builder, v: Value) -> list[Value]:
        y = b.emit(core.Gather(v, const(b, np.array(places, np.int64)), axis=1)).y
        return [y, b.emit(core.Add(y, y)).y]

    check(module(make, [x]), [x], "graphdef")


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_distinct_slices_in_order(axis: int | None) -> None:
    x = np.random.default_rng(2).integers(0, 2, (4, 3)).astype(np.float32)
    check(module(lambda b, v: list(b.emit(core.Unique(v, axis=axis)).results), [x]), [x], "graphdef")


def test_float8_has_no_way() -> None:
    def make(b: Builder, v: Value) -> Value:
        return b.emit(core.Cast(v, dtype=DType.F4E2M1)).y

    with pytest.raises(ConversionError) as error:
        check(module(make, [X]), [X], "graphdef")
    assert error.value.diagnostics[0].code is Code.TargetLacksType


def test_recurrent_layers_of_halves() -> None:
    """What the loop begins with is of the type of the layer."""
    x, w, r = (0.3 * random(*shape).astype(np.float16) for shape in ((5, 2, 3), (12, 3), (12, 4)))
    m = module(lambda b, v: b.emit(core.Gru(v, const(b, w), const(b, r))).results, [x])
    check(m, [x], "graphdef", tolerance=2e-3)


def test_sizes_are_divided_in_32_bits() -> None:
    """TensorFlow's converter to TFLite has no quotients of int64."""
    x = random(1, 7, 6, 2)

    def make(b: Builder, v: Value) -> list[Value]:
        window = {"window": (3, 3), "strides": (2, 2), "dilations": (1, 1), "layout": "N01C"}
        return b.emit(core.AvgPool(v, pads="SAME_LOWER", **window)).results

    graph = check(module(make, [x], [(1, Dim.symbol("h"), Dim.symbol("w"), 2)]), [x], "graphdef")
    kinds = {n.attr["T"].type for n in graph.node if n.op in ("FloorDiv", "TruncateDiv")}
    assert kinds == {3}
