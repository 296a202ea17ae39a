"""Ops along a size with a range: windows, parts, orders, resampling, recurrent layers and loops."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

import mlconv
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from tests.support.hlo_sizes import L, M, N, Row, check_row, const, ints, one, recurrent, turns
from tests.support.modules import LOCATION, random
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference
from tests.support.xla import xla_here

NX, NMX, IMAGE = (N, 4), (N, M, 4), (2, N, M, 2)
SIZES = (
    {"N": 1, "M": 1, "L": 6},
    {"N": 2, "M": 5, "L": 9},
    {"N": 5, "M": 6, "L": 7},
    {"N": 8, "M": 3, "L": 5},
)


def pool(op: Any, **attributes: Any) -> Callable[..., Value]:
    plain = {"strides": (1, 1), "pads": ((0, 0), (0, 0)), "dilations": (1, 1), "layout": "N01C"}
    return one(op, **{**plain, **attributes})


def conv(window: int, pads: Any, strides: tuple[int, int], dilations: tuple[int, int] = (1, 1)) -> Callable[..., Value]:
    def make(b: Builder, x: Value) -> Value:
        w = const(b, np.random.default_rng(5).standard_normal((window, window, 2, 3)))
        bias = const(b, [1.0, -2.0, 3.0])
        layouts = {"x_layout": "N01C", "w_layout": "01IO", "y_layout": "N01C"}
        return b.emit(core.Conv(x, w, bias, strides=strides, pads=pads, dilations=dilations, **layouts)).y

    return make


def transposed(b: Builder, x: Value) -> Value:
    w = const(b, np.random.default_rng(5).standard_normal((4, 3, 3, 2)))
    return b.emit(
        core.ConvTranspose(
            x,
            w,
            None,
            strides=(2, 3),
            pads=((1, 1), (0, 1)),
            output_pads=((0, 1)),
            dilations=(1, 1),
            x_layout="N01C",
            w_layout="01OI",
            y_layout="N01C",
        )
    ).y


def part(begin: int, end: int, stride: int = 1, begin_mask: int = 0, end_mask: int = 0) -> Callable[..., Value]:
    """Of the first axis of two."""
    return lambda b, x: (
        b.emit(
            core.Slice(
                x, ints(b, begin, 0), ints(b, end, 4), ints(b, stride, 1), begin_mask=begin_mask, end_mask=end_mask | 2
            )
        ).y
    )


def rows_of_windows(b: Builder, x: Value) -> Value:
    """Windows of a signal, N*(floordiv(L, 2)-1) rows: a product whose factor has a number less."""
    means = pool(core.AvgPool, window=(4,), strides=(2,), pads=((0, 0),), dilations=(1,), layout="N0C")(b, x)
    return b.emit(core.Reshape(means, ints(b, -1, 2))).y


def padded(mode: str, low: int, high: int) -> Callable[..., Value]:
    return lambda b, x: b.emit(core.Pad(x, const(b, [[low, high], [0, 0]], DType.I64), const(b, 7.0), mode=mode)).y


def padded_to_sum(b: Builder, x: Value, other: Value) -> Value:
    """As many zeros before and behind x as another input is long."""
    size = b.emit(core.Slice(b.emit(core.ShapeOf(other)).y, ints(b, 0), ints(b, 1), ints(b, 1))).y
    flat = b.emit(core.Concat([size, ints(b, 1, 0, 0)], axis=0)).y
    return b.emit(core.Pad(x, b.emit(core.Reshape(flat, ints(b, 2, 2))).y, const(b, 7.0))).y


def padded_to_difference(b: Builder, x: Value, other: Value) -> Value:
    """Two rows less in front than another input is long, which may cut off the first; one more behind for each."""
    size = b.emit(core.Slice(b.emit(core.ShapeOf(other)).y, ints(b, 0), ints(b, 1), ints(b, 1))).y
    flat = b.emit(core.Concat([b.emit(core.Sub(size, ints(b, 2))).y, size, ints(b, 0, 0)], axis=0)).y
    return b.emit(core.Pad(x, b.emit(core.Reshape(flat, ints(b, 2, 2))).y, const(b, 7.0))).y


def resized(scale: int, **attributes: Any) -> Callable[..., Value]:
    def make(b: Builder, x: Value) -> Value:
        shape = b.emit(core.ShapeOf(x)).y
        size = b.emit(core.Slice(shape, ints(b, 1), ints(b, 3), ints(b, 1))).y
        return b.emit(core.Resize(x, b.emit(core.Mul(size, ints(b, scale))).y, axes=(1, 2), **attributes)).y

    return make


def reshaped(*shape: int) -> Callable[..., Value]:
    return lambda b, x: b.emit(core.Reshape(x, ints(b, *shape))).y


def split_again(b: Builder, x: Value) -> Value:
    """[N, M, 4] to [4 * N * M] and, by the shape, back to [M, N, 4]."""
    shape = b.emit(core.ShapeOf(x)).y
    turned = b.emit(core.Gather(shape, ints(b, 1, 0, 2), axis=0)).y
    return b.emit(core.Reshape(b.emit(core.Reshape(x, ints(b, -1))).y, turned)).y


def top_k_of_all(b: Builder, x: Value) -> Any:
    """All of them, sorted."""
    return sorted_along(b, x, 0)


def sorted_inside(b: Builder, x: Value) -> Any:
    """All along an inner axis, beside another open one."""
    return sorted_along(b, x, 1)


def sorted_along(b: Builder, x: Value, axis: int) -> Any:
    size = b.emit(core.Slice(b.emit(core.ShapeOf(x)).y, ints(b, axis), ints(b, axis + 1), ints(b, 1))).y
    return b.emit(core.TopK(x, size, axis=axis)).results


def scattered(b: Builder, x: Value, places: Value) -> Value:
    """Rows added at places that are counted by another size."""
    index = b.emit(core.ExpandDims(places, axes=(1,))).y
    shape = b.emit(core.Concat([b.emit(core.ShapeOf(places)).y, ints(b, 4)], axis=0)).y
    ones = b.emit(core.BroadcastTo(const(b, 1.0), shape)).y
    return b.emit(core.ScatterNd(x, index, ones, reduction="add")).y


def growing(b: Builder, x: Value) -> Value:
    """A loop whose body joins places: x less its mean, three times, behind itself."""

    def step(inner: Builder, v: Value) -> Value:
        mean = inner.emit(core.ReduceMean(v, axes=(0,), keepdims=True)).y
        return inner.emit(core.Softmax(inner.emit(core.Sub(v, mean)).y, axis=0)).y

    return turns(b, x, step)


def either(b: Builder, x: Value) -> Value:
    """A choice at run time between two sums over the size."""
    total = b.emit(core.ReduceSum(x, axes=(0, 1))).y
    branches = []
    for op in (core.ReduceMax, core.ReduceMin):
        block = Block([])
        inner = Builder(block, LOCATION)
        inner.emit(Yield([inner.emit(core.Mul(x, inner.emit(op(x, axes=(0,), keepdims=True)).y)).y]))
        branches.append(Region(block))
    cond = b.emit(core.Less(total, const(b, 0.0))).y
    return b.emit(core.If(cond, then=branches[0], orelse=branches[1])).ys[0]


ROWS = [
    Row("conv", [IMAGE], conv(3, ((1, 1), (1, 1)), (1, 1))),
    Row("conv_strides", [IMAGE], conv(3, ((1, 1), (2, 0)), (2, 2))),
    Row("conv_dilated", [IMAGE], conv(3, ((2, 2), (2, 3)), (1, 2), (2, 2))),
    Row("conv_same", [IMAGE], conv(3, "SAME_UPPER", (1, 1))),
    Row("conv_same_strides", [IMAGE], conv(3, "SAME_UPPER", (2, 3))),
    Row("conv_same_lower", [IMAGE], conv(4, "SAME_LOWER", (3, 2))),
    Row("conv_transposed", [IMAGE], transposed),
    Row("max_pool", [IMAGE], pool(core.MaxPool, window=(3, 3), strides=(2, 2), pads=((1, 1), (1, 1)))),
    Row("max_pool_same", [IMAGE], pool(core.MaxPool, window=(3, 2), strides=(2, 2), pads="SAME_UPPER")),
    Row(
        "max_pool_ceil",
        [IMAGE],
        pool(core.MaxPool, window=(3, 3), strides=(2, 2), pads=((1, 1), (1, 1)), ceil_mode=True),
    ),
    Row("avg_pool", [IMAGE], pool(core.AvgPool, window=(3, 3), strides=(2, 2), pads=((1, 1), (1, 1)))),
    Row("avg_pool_same", [IMAGE], pool(core.AvgPool, window=(3, 2), strides=(2, 2), pads="SAME_UPPER")),
    Row(
        "avg_pool_counting_pads",
        [IMAGE],
        pool(
            core.AvgPool, window=(3, 3), strides=(2, 2), pads=((1, 1), (1, 1)), ceil_mode=True, count_include_pad=True
        ),
    ),
    Row("last", [NX], part(-1, 0, end_mask=1)),
    Row("last_three", [NX], part(-3, 9)),
    Row("all_but_last", [NX], part(0, -1)),
    Row("every_second", [NX], part(0, 0, 2, end_mask=1)),
    Row("backwards", [NX], part(0, 0, -1, begin_mask=1, end_mask=1)),
    Row("every_second_backwards", [NX], part(0, 0, -2, begin_mask=1, end_mask=1)),
    Row("rows_of_windows", [(N, L, 2)], rows_of_windows),
    Row("pad_reflect", [(L, 4)], padded("reflect", 2, 1)),
    Row("pad_symmetric", [NX], padded("symmetric", 1, 3)),
    Row("pad_edge", [NX], padded("edge", 2, 3)),
    Row("pad_wrap", [NX], padded("wrap", 2, 3)),
    Row("crop", [(L, 4)], padded("constant", -1, -1)),
    Row("pad_by_size", [NX, (M, 4)], padded_to_sum),
    Row("pad_or_cut", [NX, (M, 4)], padded_to_difference),
    Row("tile", [NX], lambda b, x: b.emit(core.Tile(x, ints(b, 3, 2))).y),
    Row("nearest", [IMAGE], resized(2, mode="nearest", coordinates="asymmetric", nearest_mode="floor")),
    Row("linear", [IMAGE], resized(2, mode="linear", coordinates="half_pixel")),
    Row("cubic", [IMAGE], resized(3, mode="cubic", coordinates="half_pixel")),
    Row("cumsum_backwards", [NX], one(core.CumSum, axis=0, reverse=True)),
    Row("cumsum_exclusive", [NX], one(core.CumSum, axis=0, reverse=True, exclusive=True)),
    Row("reverse_both", [NMX], one(core.Reverse, axes=(0, 1, 2))),
    Row("lstm", [NMX], recurrent(core.Lstm, 4)),
    Row("gru_backwards", [NMX], recurrent(core.Gru, 3, reverse=True)),
    Row("rnn_of_lengths_backwards", [NMX, (M,)], recurrent(core.Rnn, 1, reverse=True), index=(1,)),
    Row("merge", [(3, N, M)], reshaped(3, -1)),
    Row("merge_all", [(M, N, 4)], reshaped(-1)),
    Row("merge_inner", [(3, N, 4)], reshaped(-1, 2)),
    Row("split_again", [NMX], split_again),
    Row("concat_three", [NMX, (N, 3, 4), (N, M, 4)], lambda b, *xs: b.emit(core.Concat(list(xs), axis=1)).y),
    Row("gather_negative", [NX], lambda b, x: b.emit(core.Gather(x, ints(b, -1, 0), axis=0)).y),
    Row("scatter", [(L, 4), (M,)], scattered, index=(1,)),
    Row("top_k_of_all", [NX], top_k_of_all),
    Row("sorted_inside", [NMX], sorted_inside),
    Row("smallest", [NMX], lambda b, x: b.emit(core.TopK(x, ints(b, 1), axis=1, largest=False)).results),
    Row("arg_max_last", [NX], one(core.ArgMax, axis=0, select_last=True)),
    Row("depth_to_space", [(2, N, M, 4)], one(core.DepthToSpace, block_size=2, layout="NHWC")),
    Row("lrn", [NX], one(core.Lrn, axis=0, radius=1, radius_after=2, alpha=1.0, beta=0.5, bias=1.0)),
    Row("loop", [NX], growing),
    Row("choice", [NX], either),
]


@pytest.mark.share(6)
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_along(row: Row, tmp_path: pathlib.Path) -> None:
    check_row(row, tmp_path / "m.hlo.pb", SIZES)


MEETING = [
    Row("broadcast_at_run_time", [NX, (M, 4)], one(core.Mul)),
    Row("product_of_meeting_batches", [(N, 3, 4), (M, 4, 2)], one(core.MatMul)),
]


@pytest.mark.parametrize("row", MEETING, ids=lambda r: r.name)
def test_sizes_that_meet(row: Row, tmp_path: pathlib.Path) -> None:
    """They are alike, or one of them is 1."""
    check_row(row, tmp_path / "m.hlo.pb", [{"N": 3, "M": 3}, {"N": 1, "M": 4}, {"N": 5, "M": 1}])


def patches() -> onnx.ModelProto:
    """Images in patches of 4 by 4, of which there are as many as the model has places."""
    rng = np.random.default_rng(2)
    weights = {"w": (3, 2, 4, 4), "positions": (1, 4, 3)}
    constants = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in weights.items()}
    constants["flat"] = np.array([0, 3, -1])
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], strides=[4, 4]),
        helper.make_node("Reshape", ["c", "flat"], ["r"]),
        helper.make_node("Transpose", ["r"], ["t"], perm=[0, 2, 1]),
        helper.make_node("Add", ["t", "positions"], ["y"]),
    ]
    return model(nodes, [value("x", ["N", 2, "H", "W"])], [value("y")], constants)


def one_window() -> onnx.ModelProto:
    """Windows in windows, of which the largest size has one, beside their mean."""
    w = {f"w{n}": random(2, 2, n, seed=n) for n in (4, 2)}
    nodes = [
        helper.make_node("Conv", ["x", "w4"], ["a"], strides=[4]),
        helper.make_node("Conv", ["a", "w2"], ["b"], strides=[2]),
        helper.make_node("ReduceMean", ["b"], ["mean"], axes=[1], keepdims=1),
        helper.make_node("Sub", ["b", "mean"], ["y"]),
    ]
    return model(nodes, [value("x", [1, 2, "N"])], [value("y")], w)


def blocks() -> onnx.ModelProto:
    """Rows in blocks of 4, and the first two of them."""
    shapes = {"blocks": [0, -1, 4, 2], "two": [-1, 2, 2], "zero": [0], "end": [2], "axis": [1]}
    constants = {name: np.array(numbers) for name, numbers in shapes.items()}
    nodes = [
        helper.make_node("Reshape", ["x", "blocks"], ["y"]),
        helper.make_node("Slice", ["x", "zero", "end", "axis"], ["front"]),
        helper.make_node("Reshape", ["front", "two"], ["z"]),
    ]
    return model(nodes, [value("x", ["N", "M", 2])], [value("y"), value("z")], constants)


LOW = [
    (patches, ["N:1..3", 2, "H:1..8", "W:1..8"], [(1, 2, 8, 8), (3, 2, 4, 4)]),
    (one_window, [1, 2, "N:1..11"], [(1, 2, 8), (1, 2, 11)]),
    (blocks, ["N:1..3", "M:1..16", 2], [(1, 4, 2), (3, 12, 2)]),
]


@pytest.mark.parametrize(("make", "shape", "sizes"), LOW, ids=lambda v: getattr(v, "__name__", ""))
def test_ranges_begin_below_what_the_model_takes(
    make: Callable[[], onnx.ModelProto], shape: list[int | str], sizes: list[tuple[int, ...]], tmp_path: pathlib.Path
) -> None:
    proto = make()
    path = save(tmp_path, proto)
    shapes = {"x": shape}
    mlconv.convert(path, "hlo", tmp_path / "m.hlo.pb", shapes=shapes)
    main, module = mlconv.load(path, shapes=shapes).main, xla_here(tmp_path / "m.hlo.pb")
    for size in sizes:
        x = random(*size)
        for y, want in zip(module.run(main, {"x": x}).values(), run_reference(proto, {"x": x}), strict=True):
            np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-5)
