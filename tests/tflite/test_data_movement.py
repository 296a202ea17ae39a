"""Ops that move data, reduce, and pick by index, on LiteRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.legalize.to_tfl.suppress import above
from tests.support.litert import Row, check, data, to_tfl
from tests.support.modules import const, module

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
ALL = ["float32", "float16", "float64", *INTS, "bool"]
N, M = Dim.symbol("N"), Dim.symbol("M")
ROWS: list[tuple[str, Any]] = [
    ("transpose", lambda b, x: core.Transpose(x, perm=(2, 0, 1))),
    ("reshape", lambda b, x: core.Reshape(x, const(b, [4, -1]))),
    ("concat", lambda b, x: core.Concat([x, x], axis=1)),
    ("split", lambda b, x: core.Split(x, sizes=(1, 2), axis=1)),
    ("split even", lambda b, x: core.Split(x, sizes=(1, 1, 1), axis=1)),
    ("slice", lambda b, x: core.Slice(x, const(b, [0, -1, 3]), const(b, [2, -(2**63) + 1, 0]), const(b, [1, -1, -2]))),
    (
        "open slice",
        lambda b, x: core.Slice(
            x, const(b, [0, 1, 0]), const(b, [0, 2**40, 0]), const(b, [1, 1, 2]), begin_mask=1, end_mask=5
        ),
    ),
    ("dynamic slice", lambda b, x: core.DynamicSlice(x, const(b, [0, 1, 1]), const(b, [2, -1, 2]))),
    ("pad", lambda b, x: core.Pad(x, const(b, [[0, 1], [2, 0], [0, -1]]), const(b, 1, x.tensor.dtype.display))),
    ("tile", lambda b, x: core.Tile(x, const(b, [2, 1, 3]))),
    ("broadcast", lambda b, x: core.BroadcastTo(x, const(b, [2, 2, 3, 4]))),
    ("reverse", lambda b, x: core.Reverse(x, axes=(0, 2))),
    ("gather", lambda b, x: core.Gather(x, const(b, [[0, -1], [2, 1]]), axis=1)),
    ("gather_nd", lambda b, x: core.GatherNd(x, const(b, [[0, -1], [1, 2]]))),
    ("one element", lambda b, x: core.ExpandDims(x, axes=(0, 4))),
]


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name, make", ROWS, ids=[m[0] for m in ROWS])
def test_data_movement(name: str, make: Any, dtype: str) -> None:
    check(Row(name, lambda b, x: b.emit(make(b, x)).results, (data(dtype, 2, 3, 4),)), kernels=("AUTO",))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8", "bool"])
@pytest.mark.parametrize("rank", [7, 8, 9, 12])
def test_data_movement_of_many_dimensions(rank: int, dtype: str) -> None:
    """TRANSPOSE takes eight dimensions, a RESHAPE whose option lists more than eight numbers is refused with its
    file.
    """
    x = data(dtype, *[2] * rank)
    mixed = tuple(np.random.default_rng(rank).permutation(rank).tolist())
    for perm in (
        tuple(reversed(range(rank))),
        mixed,
        tuple((i * 5 + 1) % rank for i in range(rank)) if rank % 5 else mixed,
    ):
        check(Row("transpose", lambda b, x, perm=perm: b.emit(core.Transpose(x, perm=perm)).y, (x,)), kernels=("AUTO",))
    check(
        Row("reshape", lambda b, x: b.emit(core.Reshape(x, const(b, [4, *[2] * (rank - 2)]))).y, (x,)),
        kernels=("AUTO",),
    )
    check(Row("expand", lambda b, x: b.emit(core.ExpandDims(x, axes=(0, rank))).y, (x,)), kernels=("AUTO",))
    check(Row("concat", lambda b, x: b.emit(core.Concat([x, x], axis=3)).y, (x,)), kernels=("AUTO",))


@pytest.mark.parametrize("mode", ["reflect", "symmetric", "edge", "wrap"])
@pytest.mark.parametrize("pads", [[[1, 1], [2, 2]], [[0, 1], [5, 4]]])
def test_mirror_pads(mode: str, pads: list[list[int]]) -> None:
    check(
        Row(
            mode,
            lambda b, x: b.emit(core.Pad(x, const(b, pads), const(b, 0, "float32"), mode=mode)).y,
            (data("float32", 2, 3),),
        )
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", *INTS[:-1]])
@pytest.mark.parametrize(
    "cls", [core.ReduceSum, core.ReduceMean, core.ReduceMax, core.ReduceMin, core.ReduceProd], ids=lambda c: c.name
)
def test_reductions(cls: Any, dtype: str) -> None:
    check(Row(cls.name, lambda b, x: b.emit(cls(x, axes=(1,))).y, (data(dtype, 2, 3, 2),)))


@pytest.mark.parametrize("cls", [core.ReduceSum, core.ReduceMax, core.ReduceProd], ids=lambda c: c.name)
def test_reductions_of_many_dimensions_and_of_none(cls: Any) -> None:
    check(Row("7", lambda b, x: b.emit(cls(x, axes=(1, 3), keepdims=True)).y, (data("float32", 2, 1, 2, 2, 1, 2, 2),)))
    check(Row("none", lambda b, x: b.emit(cls(x, axes=())).y, (data("float32", 2, 2),)))
    check(Row("empty", lambda b, x: b.emit(cls(x, axes=(0,))).y, (data("float32", 0, 2),)))
    check(Row("f64", lambda b, x: b.emit(cls(x, axes=(0, 1))).y, (data("float64", 3, 2),)))


@pytest.mark.parametrize("cls", [core.ReduceAny, core.ReduceAll], ids=lambda c: c.name)
def test_logical_reductions(cls: Any) -> None:
    check(Row(cls.name, lambda b, x: b.emit(cls(x, axes=(0,))).y, (data("bool", 2, 3),)))


@pytest.mark.parametrize("dtype", ["float32", "float16", *INTS])
@pytest.mark.parametrize("cls", [core.ArgMax, core.ArgMin], ids=lambda c: c.name)
@pytest.mark.parametrize("last", [False, True])
def test_arg(cls: Any, dtype: str, last: bool) -> None:
    check(Row(cls.name, lambda b, x: b.emit(cls(x, axis=1, keepdims=last, select_last=last)).y, (data(dtype, 2, 5),)))


@pytest.mark.parametrize("cls", [core.CumSum, core.CumProd], ids=lambda c: c.name)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_scans(cls: Any, exclusive: bool, reverse: bool, dtype: str) -> None:
    check(
        Row(cls.name, lambda b, x: b.emit(cls(x, axis=1, exclusive=exclusive, reverse=reverse)).y, (data(dtype, 2, 5),))
    )


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("cls", [core.Softmax, core.LogSoftmax], ids=lambda c: c.name)
def test_softmax(cls: Any, axis: int) -> None:
    check(Row(cls.name, lambda b, x: b.emit(cls(x, axis=axis)).y, (data("float32", 2, 5, 3),)))


@pytest.mark.parametrize("after", [1, 2])
def test_lrn(after: int) -> None:
    attributes: dict[str, Any] = {"radius": 1, "radius_after": after, "alpha": 0.1, "beta": 0.5, "bias": 1.0, "axis": 1}
    check(Row("lrn", lambda b, x: b.emit(core.Lrn(x, **attributes)).y, (data("float32", 1, 5, 3, 3),)))


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_depth_and_space(layout: str) -> None:
    for mode in ("dcr", "crd"):
        make = lambda b, x, m=mode: b.emit(core.DepthToSpace(x, block_size=2, layout=layout, mode=m)).y  # noqa: E731
        check(Row(mode, make, (data("float32", 1, 8, 8, 8),)))
    check(
        Row(
            "s2d",
            lambda b, x: b.emit(core.SpaceToDepth(x, block_size=2, layout=layout)).y,
            (data("float32", 1, 8, 8, 8),),
        )
    )


def test_batch_and_space() -> None:
    pads = [[0, 0], [1, 1]]
    check(
        Row(
            "s2b",
            lambda b, x: b.emit(core.SpaceToBatch(x, const(b, pads), block_size=(2, 2))).y,
            (data("float32", 1, 4, 4, 3),),
        )
    )
    odd = [[0, 0], [1, 1], [0, 0]]
    check(
        Row(
            "s2b3",
            lambda b, x: b.emit(core.SpaceToBatch(x, const(b, odd), block_size=(2, 2, 1))).y,
            (data("float32", 1, 4, 4, 3, 2),),
        )
    )
    check(
        Row(
            "b2s",
            lambda b, x: b.emit(core.BatchToSpace(x, const(b, pads), block_size=(2, 2))).y,
            (data("float32", 4, 4, 4, 3),),
        )
    )
    check(
        Row(
            "b2s1",
            lambda b, x: b.emit(core.BatchToSpace(x, const(b, [[1, 1]]), block_size=(2,))).y,
            (data("float32", 4, 4, 4, 3),),
        )
    )


@pytest.mark.parametrize("dtype", ALL)
def test_scatter(dtype: str) -> None:
    index = np.asarray([[0], [-1], [0]])
    check(
        Row(
            "nd",
            lambda b, x, i, u: b.emit(core.ScatterNd(x, i, u)).y,
            (data(dtype, 5, 2), index, data(dtype, 3, 2, seed=1)),
        )
    )
    along = np.asarray([[0, -1, 0], [1, 2, 1]])
    make = lambda b, x, i, u: b.emit(core.ScatterElements(x, i, u, axis=1)).y  # noqa: E731
    check(Row("elements", make, (data(dtype, 2, 5), along, data(dtype, 2, 3, seed=1))))
    check(Row("gather", lambda b, x, i: b.emit(core.GatherElements(x, i, axis=1)).y, (data(dtype, 2, 5), along)))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("index", [[[3], [1]], [[-1], [0]], [[0, 1], [4, 1], [2, -2]]])
def test_scatter_to_places_that_are_known(dtype: str, index: list[list[int]]) -> None:
    """A constant mask tells which elements are written, from the front or from the end."""
    rest = (2, 3)[len(index[0]) - 1 :]
    places = lambda b: const(b, np.asarray(index))  # noqa: E731
    make = lambda b, x, u: b.emit(core.ScatterNd(x, places(b), u)).y  # noqa: E731
    check(Row("nd", make, (data(dtype, 5, 2, 3), data(dtype, len(index), *rest, seed=1))))


@pytest.mark.parametrize("reduction", ["add", "sub", "mul", "max", "min"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_scatter_reductions(reduction: str, dtype: str) -> None:
    index = np.asarray([[0], [-1], [0]])
    make = lambda b, x, i, u: b.emit(core.ScatterNd(x, i, u, reduction=reduction)).y  # noqa: E731
    check(Row(reduction, make, (data(dtype, 5, 2), index, data(dtype, 3, 2, seed=1))))


@pytest.mark.parametrize("dtype", ["float32", "float16", *INTS])
def test_search(dtype: str) -> None:
    x = data(dtype, 5, 4)
    check(Row("largest", lambda b, v: b.emit(core.TopK(v, const(b, 2), axis=0)).results, (x,)))
    check(Row("smallest", lambda b, v: b.emit(core.TopK(v, const(b, 2), axis=1, largest=False)).results, (x,)))
    check(Row("unique", lambda b, v: b.emit(core.Unique(v)).results, (data(dtype, 10),)))
    check(Row("unsorted", lambda b, v: b.emit(core.Unique(v, sorted=False)).results, (x,)))
    check(Row("nonzero", lambda b, v: b.emit(core.NonZero(v)).y, (x,)))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("ordered", [True, False])
def test_unique_slices(axis: int, ordered: bool) -> None:
    x = np.random.default_rng(3).integers(0, 2, (3, 4, 3)).astype(np.float32)
    x[2], x[:, 3] = x[0], x[:, 1]
    check(Row("slices", lambda b, v: b.emit(core.Unique(v, axis=axis, sorted=ordered)).results, (x,)))


def test_one_hot_segments_and_ranges() -> None:
    make = lambda b, i: b.emit(core.OneHot(i, const(b, 4), const(b, 1, "float32"), const(b, 0, "float32"), axis=1)).y  # noqa: E731
    check(Row("one hot", make, (np.asarray([[0, -1, 2], [3, 3, 1]]),)))
    for reduction in ("add", "mul", "max", "min", "mean"):
        segments = lambda b, x, i, r=reduction: b.emit(core.SegmentReduce(x, i, const(b, 4, "int32"), reduction=r)).y  # noqa: E731
        check(Row(reduction, segments, (data("float32", 5, 2), np.asarray([0, 2, 2, 0, 1]))))
    check(Row("range", lambda b, x: b.emit(core.Range(const(b, 0), x, const(b, 2))).y, (np.asarray(7),)))


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("sigma", [0.0, 0.5])
def test_non_max_suppression(padded: bool, sigma: float) -> None:
    low = data("float32", 6, 2, positive=True)
    boxes = np.concatenate([low, low + data("float32", 6, 2, seed=1, positive=True)], 1)

    def make(b: Any, x: Any, s: Any) -> Any:
        limits = [const(b, 3, "int32"), *(const(b, v, "float32") for v in (0.5, 0.1, sigma))]
        return b.emit(core.NonMaxSuppression(x, s, *limits, padded=padded)).results

    check(Row("nms", make, (boxes, data("float32", 6, positive=True))))


def picks(threshold: float, least: float, limit: int, padded: bool = False) -> Any:
    def make(b: Any, x: Any, s: Any) -> Any:
        limits = [const(b, limit, "int64"), *(const(b, v, "float32") for v in (threshold, least, 0.0))]
        return b.emit(core.NonMaxSuppression(x, s, *limits, padded=padded)).results

    return make


BOXES = np.asarray([[0, 0, 1, 1], [0, 0, 1, 0.5], [2, 2, 3, 3], [1, 1, 1, 3], [0, 0, 1, 1], [2, 2, 3, 3.5]], np.float32)
SCORES = np.asarray([0.5, 0.9, 0.5, 0.7, 0.5, 0.3], np.float32)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.6, 1.0])
def test_overlaps_at_the_threshold_boxes_without_area_and_equal_scores(threshold: float, padded: bool) -> None:
    """The kernel suppresses at the threshold, picks boxes without area for ever, and takes equal scores in any
    order.
    """
    check(Row("nms", picks(threshold, 0.3, 6, padded), (BOXES, SCORES)))
    check(
        Row(
            "more",
            picks(threshold, -np.inf, 5, padded),
            (np.concatenate([BOXES] * 3), np.concatenate([SCORES] * 3)),
            ((N, 4), (N,)),
        )
    )


@pytest.mark.parametrize("threshold, step", [(0.0, 2.0**-126), (0.5, 0.5 + 2.0**-24), (1.0, 1.0)])
def test_threshold_that_an_overlap_reaches(threshold: float, step: float) -> None:
    """One step higher, but no denormal number: where XNNPACK has run in the thread that would be 0."""

    def make(b: Any, x: Any) -> Any:
        e = TflBuilder(b)
        return [above(e, const(b, threshold, "float32")), above(e, x)]

    m = module(make, [np.asarray(threshold, np.float32)])
    known, computed = run_function(m.main, {"in0": np.asarray(threshold, np.float32)}).values()
    assert float(known) == float(np.float32(step)) == float(computed)


def test_suppression_without_limit_and_without_boxes() -> None:
    check(Row("limit", picks(0.5, 0.0, 2**63 - 1), (BOXES, SCORES)))
    check(Row("none", picks(0.5, 0.0, 3), (BOXES[:0], SCORES[:0]), ((N, 4), (N,))))
    check(Row("none padded", picks(0.5, 0.0, 3, True), (BOXES[:0], SCORES[:0]), ((N, 4), (N,))))


@pytest.mark.parametrize("count", [0, 2])
@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max"])
def test_scatter_of_as_many_updates_as_the_run_has(reduction: str, count: int) -> None:
    index, shapes = np.arange(count).reshape(count, 1), ((5, 2), (N, 1), (N, 2))
    make = lambda b, x, i, u: b.emit(core.ScatterNd(x, i, u, reduction=reduction)).y  # noqa: E731
    check(Row(reduction, make, (data("float32", 5, 2), index, data("float32", count, 2, seed=1)), shapes))


@pytest.mark.parametrize("reverse", [False, True])
def test_running_product_of_one(reverse: bool) -> None:
    make = lambda b, x: b.emit(core.CumProd(x, axis=1, exclusive=True, reverse=reverse)).y  # noqa: E731
    check(Row("one", make, (data("float32", 8, 1),), ((N, 1),)))


@pytest.mark.parametrize("start, limit, step", [(0, 5, 2), (5, 0, 2), (5, 0, -2), (0, 5, -1), (3, 3, 1)])
def test_ranges_that_the_run_decides(start: int, limit: int, step: int) -> None:
    """The kernel refuses a limit on the wrong side of the start, where the range is empty."""
    check(
        Row(
            "range",
            lambda b, *v: b.emit(core.Range(*v)).y,
            tuple(np.asarray(v, np.int32) for v in (start, limit, step)),
        )
    )


@pytest.mark.parametrize("mode", ["constant", "reflect"])
@pytest.mark.parametrize("pads", [[[1, 0], [0, 2]], [[-1, 1], [2, -1]], [[0, -1], [-2, 0]]])
def test_pads_that_the_run_decides(mode: str, pads: list[list[int]]) -> None:
    """The kernels refuse negative amounts."""
    make = lambda b, x, p: b.emit(core.Pad(x, p, const(b, 0, "float32"), mode=mode)).y  # noqa: E731
    check(Row(mode, make, (data("float32", 3, 5), np.asarray(pads))))


@pytest.mark.parametrize(
    "make",
    [lambda x: core.Softmax(x, axis=1), lambda x: core.Exp(x), lambda x: core.ReduceMax(x, axes=(1,))],
    ids=["a", "b", "c"],
)
def test_ops_that_make_nothing(make: Any) -> None:
    check(Row("empty", lambda b, x: b.emit(make(x)).y, (data("float32", 3, 4, 0, 2),)))


def test_an_empty_slice_of_run_time_size() -> None:
    """XNNPACK takes its size of 0 for "up to the end"."""
    bounds = ([0, 3, 0], [100, 1, 2], [1, 1, 1])
    make = lambda b, x: b.emit(core.Slice(x, *(const(b, v, "int64") for v in bounds))).y  # noqa: E731
    check(Row("empty slice", make, (data("float32", 2, 4, 3),), ((N, 4, 3),)))


def test_joined_parts_without_elements() -> None:
    """As long as all of them, beside the part itself."""

    def make(b: Any, x: Any) -> Any:
        part = b.emit(core.Slice(x, *(const(b, v, "int64") for v in ([1, 3], [100, 3], [1, 1])))).y
        return part, b.emit(core.Concat([part, part], axis=0)).y

    check(Row("empty concat", make, (data("float32", 4, 5),), ((N, 5),)))


@pytest.mark.parametrize("pads", [[[0, 0], [-5, 6]], [[7, -6], [1, 1]]])
def test_pads_that_cut_off_what_comes_in_at_the_other_end(pads: list[list[int]]) -> None:
    make = lambda b, x: b.emit(core.Pad(x, const(b, pads), const(b, 2, "float32"))).y  # noqa: E731
    check(Row("constant", make, (data("float32", 3, 4),)))
    check(Row("open", make, (data("float32", 5, 4),), ((N, 4),)))
    by_run = lambda b, x, p: b.emit(core.Pad(x, p, const(b, 2, "float32"))).y  # noqa: E731
    check(Row("computed", by_run, (data("float32", 3, 4), np.asarray(pads))))


def test_what_the_format_cannot_say_is_refused() -> None:
    """Sizes of more than 32 bits, and concatenation of tensors whose rank only the run knows."""
    huge = lambda b, x: b.emit(core.BroadcastTo(x, const(b, [2**32, 1]))).y  # noqa: E731
    with pytest.raises(ConversionError) as raised:
        to_tfl(module(huge, [np.ones((1, 1), np.float32)]))
    assert raised.value.code is Code.TensorTooLarge
    m = module(lambda b, x, y: b.emit(core.Concat([x, y], axis=0)).y, [np.ones((1, 2), np.float32)] * 2)
    m.main.inputs[1].type = TensorType(DType.F32, None)
    with pytest.raises(ConversionError) as raised:
        to_tfl(m)
    assert raised.value.code is Code.ShapeNotStatic


def test_sizes_of_the_run() -> None:
    x, shapes = data("float32", 2, 3, 4), ((N, M, 4),)
    check(Row("same", lambda b, v: b.emit(core.Add(v, v)).y, (x,), shapes))
    check(Row("flatten", lambda b, v: b.emit(core.Reshape(v, const(b, [-1, 4]))).y, (x,), shapes))
    check(Row("by shape", lambda b, v: b.emit(core.Reshape(v, b.emit(core.ShapeOf(v)).y)).y, (x,), shapes))
    check(Row("expand", lambda b, v: b.emit(core.ExpandDims(v, axes=(1,))).y, (x,), shapes))
    check(Row("outputs that are inputs", lambda b, v: [v, v, const(b, [1.0], "float32")], (x,), shapes))
    check(
        Row(
            "gather",
            lambda b, v, i: b.emit(core.GatherElements(v, i, axis=1)).y,
            (x, np.zeros((2, 3, 4), np.int64)),
            (*shapes, (N, 3, 4)),
        )
    )


@pytest.mark.parametrize("begin,end", [(0, 0), (3, 3), (6, -7), (5, 2), (8, 8)])
def test_no_elements_of_an_axis_beside_one_known_at_run_time(begin: int, end: int) -> None:
    """XNNPACK would give the whole axis."""

    def make(b: Any, x: Any) -> Any:
        bounds = [const(b, [0, v, 0]) for v in (begin, end)]
        return b.emit(core.Slice(x, *bounds, const(b, [1, 1, 1]), begin_mask=5, end_mask=5)).y

    for kind in ("float32", "int64", "bool"):
        check(Row("nothing", make, (data(kind, 2, 8, 3),), ((N, 8, 3),)))
