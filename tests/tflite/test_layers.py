"""Convolutions, pools, products, resampling, recurrent layers, control flow and transforms on LiteRT."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.convolutions import conv
from tests.support.litert import Row, check, data, op_names
from tests.support.modules import LOCATION, const

N, H, W, T = (Dim.symbol(s) for s in "NHWT")
F = "float32"
NONE2 = ((0, 0), (0, 0))
ONE2 = ((1, 1), (1, 1))


CONVS = {
    "valid": conv((1, 8, 8, 3), (3, 3, 3, 4), tfl=("CONV_2D", "-PAD", "-TRANSPOSE")),
    "explicit": conv((1, 8, 8, 3), (3, 3, 3, 4), pads=((2, 1), (0, 1)), tfl=("PAD",)),
    "same": conv((1, 9, 8, 3), (3, 3, 3, 4), pads=((1, 1), (0, 1)), strides=(2, 2), tfl=("-PAD",)),
    "same upper": conv((1, 9, 8, 3), (3, 3, 3, 4), pads="SAME_UPPER", strides=(2, 2), tfl=("-PAD",)),
    "same lower": conv((1, 9, 8, 3), (2, 3, 3, 4), pads="SAME_LOWER", strides=(2, 2)),
    "nchw": conv((1, 3, 8, 8), (4, 3, 3, 3), "NC01", "OI01", pads=ONE2),
    "dilated": conv((1, 9, 9, 3), (3, 3, 3, 4), dilations=(2, 2), pads=((2, 2), (2, 2))),
    "depthwise": conv((1, 8, 8, 4), (3, 3, 1, 8), groups=4, pads=ONE2, tfl=("DEPTHWISE_CONV_2D",)),
    "depthwise with weights of the run": conv(
        (2, 9, 9, 4), (3, 3, 1, 8), groups=4, pads=ONE2, run_time=True, tfl=("DEPTHWISE_CONV_2D", "-CONCATENATION")
    ),
    "depthwise, far apart, with weights of the run": conv(
        (1, 11, 9, 6), (3, 2, 1, 6), groups=6, dilations=(2, 3), run_time=True, tfl=("DEPTHWISE_CONV_2D", "-SPLIT")
    ),
    "depthwise nchw": conv((1, 4, 8, 8), (8, 1, 3, 3), "NC01", "OI01", groups=4, pads=ONE2, tfl=("DEPTHWISE_CONV_2D",)),
    "grouped": conv((1, 8, 8, 4), (3, 3, 2, 6), groups=2, pads=ONE2, tfl=("CONV_2D", "-CONCATENATION")),
    "grouped at run time": conv((1, 8, 8, 4), (3, 3, 2, 6), groups=2, run_time=True),
    "weights at run time": conv((1, 8, 8, 4), (3, 3, 4, 6), run_time=True),
    "1d": conv((1, 3, 10), (4, 3, 3), "NC0", "OI0", strides=(2,), pads=((1, 1),)),
    "1d depthwise": conv((1, 4, 10), (4, 1, 3), "NC0", "OI0", groups=4),
    "open batch": conv((2, 3, 8, 8), (4, 3, 3, 3), "NC01", "OI01", pads=ONE2, shapes=((N, 3, 8, 8),)),
    "open sizes": conv((2, 3, 8, 8), (4, 3, 3, 3), "NC01", "OI01", pads=ONE2, strides=(2, 2), shapes=((N, 3, H, W),)),
}


def test_grouped_conv_of_open_channels() -> None:
    """The runtime's delegate took the 1 that stands for an open size for the number of channels."""
    n, c = Dim.symbol("N"), Dim.symbol("C")
    for outs in (3, 15):
        w = data(F, outs, 1, 2, 1)
        attributes = {
            "x_layout": "NC01",
            "w_layout": "OI01",
            "strides": (1, 1),
            "pads": ((0, 0), (0, 0)),
            "dilations": (1, 1),
            "groups": 3,
        }
        make = lambda b, x, w=w, a=attributes: b.emit(core.Conv(x, const(b, w), **a)).y  # noqa: E731
        check(Row("groups", make, (data(F, 1, 3, 7, 8),), ((n, c, 7, 8),)))


@pytest.mark.parametrize("name", CONVS)
def test_conv(name: str) -> None:
    check(CONVS[name])


@pytest.mark.parametrize(
    "x, w, changes",
    [
        ((1, 3, 5, 5), (3, 2, 3, 3), {}),
        ((1, 3, 5, 5), (3, 2, 3, 3), {"strides": (2, 2), "pads": ONE2, "output_pads": (1, 1)}),
        ((1, 3, 5, 5), (3, 2, 4, 4), {"strides": (2, 2), "pads": ONE2}),
        ((1, 3, 5, 5), (3, 2, 2, 2), {"strides": (3, 3)}),
        ((1, 3, 5, 5), (3, 2, 3, 3), {"strides": (3, 3), "output_pads": (1, 2)}),
        ((1, 3, 5, 5), (3, 2, 3, 3), {"dilations": (2, 2)}),
        ((1, 3, 5, 5), (3, 2, 3, 3), {"strides": (3, 3), "pads": ((0, -1), (-2, 1))}),
        ((1, 4, 5, 5), (4, 2, 3, 3), {"groups": 2}),
        ((1, 3, 5), (3, 2, 3), {"strides": (2,), "pads": ((1, 0),)}),
        ((1, 3, 4, 4, 4), (3, 2, 3, 3, 3), {"strides": (2, 1, 1), "pads": ((1, 1), (0, 0), (0, 0))}),
    ],
)
def test_conv_transpose(x: tuple[int, ...], w: tuple[int, ...], changes: dict[str, Any]) -> None:
    rank = len(x) - 2
    spatial = "".join(map(str, range(rank)))
    attributes = {
        "strides": (1,) * rank,
        "pads": ((0, 0),) * rank,
        "output_pads": (0,) * rank,
        "dilations": (1,) * rank,
        "groups": 1,
        **changes,
    }
    layouts = {"x_layout": f"NC{spatial}", "w_layout": f"IO{spatial}", "y_layout": f"NC{spatial}"}
    make = lambda b, v: b.emit(core.ConvTranspose(v, const(b, data(F, *w, seed=1)), None, **attributes, **layouts)).y  # noqa: E731
    check(Row("conv transpose", make, (data(F, *x),)))


POOLS: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "valid": ((1, 3, 8, 8), {"window": (2, 2), "strides": (2, 2)}),
    "pads": ((1, 3, 8, 8), {"window": (3, 3), "strides": (2, 2), "pads": ONE2}),
    "uneven": ((1, 3, 8, 8), {"window": (3, 3), "pads": ((2, 1), (0, 1))}),
    "same": ((1, 3, 9, 8), {"window": (3, 3), "strides": (2, 2), "pads": "SAME_UPPER"}),
    "same lower": ((1, 3, 9, 8), {"window": (2, 3), "strides": (2, 2), "pads": "SAME_LOWER"}),
    "ceil": ((1, 3, 9, 8), {"window": (3, 3), "strides": (2, 2), "pads": ONE2, "ceil_mode": True}),
    "dilated": ((1, 3, 9, 8), {"window": (3, 3), "pads": ONE2, "dilations": (2, 2)}),
    "1d": ((1, 3, 9), {"window": (3,), "strides": (2,), "pads": ((1, 1),)}),
    "3d": ((1, 3, 6, 6, 6), {"window": (3, 2, 2), "strides": (2, 2, 1), "pads": ((1, 1), (0, 0), (1, 0))}),
}


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("kind", ["max", "mean", "mean with pads"])
def test_pools(name: str, kind: str) -> None:
    shape, given = POOLS[name]
    rank = len(shape) - 2
    attributes = {"strides": (1,) * rank, "pads": ((0, 0),) * rank, "dilations": (1,) * rank, **given}
    attributes["layout"] = "NC" + "".join(map(str, range(rank)))
    if kind == "mean with pads":
        attributes["count_include_pad"] = True
    cls = core.MaxPool if kind == "max" else core.AvgPool
    check(Row(name, lambda b, v: b.emit(cls(v, **attributes)).y, (data(F, *shape),)))


@pytest.mark.parametrize("cls", [core.MaxPool, core.AvgPool], ids=lambda c: c.name)
def test_pools_of_open_sizes(cls: Any) -> None:
    attributes = {"window": (3, 3), "strides": (2, 2), "pads": ONE2, "dilations": (1, 1), "layout": "NC01"}
    check(Row("open", lambda b, v: b.emit(cls(v, **attributes)).y, (data(F, 2, 3, 8, 8),), ((N, 3, H, W),)))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_max_pool_of_integers(dtype: str) -> None:
    attributes = {"window": (3, 3), "strides": (2, 2), "pads": ONE2, "dilations": (1, 1), "layout": "NC01"}
    check(Row(dtype, lambda b, v: b.emit(core.MaxPool(v, **attributes)).y, (data(dtype, 1, 3, 8, 8),)))


@pytest.mark.parametrize("dtype", [F, "float16", "int8", "int32", "int64"])
def test_products(dtype: str) -> None:
    check(
        Row("batch", lambda b, x, y: b.emit(core.MatMul(x, y)).y, (data(dtype, 2, 3, 4), data(dtype, 2, 4, 5, seed=1)))
    )


def test_products_by_form() -> None:
    w = data(F, 4, 5, seed=1)
    check(
        Row(
            "weights",
            lambda b, x: b.emit(core.MatMul(x, const(b, w))).y,
            (data(F, 2, 3, 4),),
            tfl=("FULLY_CONNECTED", "-TRANSPOSE"),
        )
    )
    flipped = lambda b, x, y: b.emit(core.MatMul(x, y, transpose_a=True, transpose_b=True)).y  # noqa: E731
    check(Row("flipped", flipped, (data(F, 2, 4, 3), data(F, 1, 5, 4, seed=1)), tfl=("BATCH_MATMUL", "-TRANSPOSE")))
    wide = (data(F, 2, 1, 2, 1, 3, 4), data(F, 1, 2, 1, 2, 4, 3, seed=1))
    check(Row("many axes", lambda b, x, y: b.emit(core.MatMul(x, y)).y, wide))
    windows = data(F, 1, 2, 1, 2, 1, 2, 3, 4)  # more axes than delegates take
    for rows in (False, True):
        check(Row("windows", lambda b, x, r=rows: _dense(b, x, w, r), (windows,), tfl=("FULLY_CONNECTED",)))


def _dense(b: Builder, x: Value, w: Any, rows: bool) -> Value:
    """x w, over rows that are merged before and divided again behind, if asked for."""
    e, shape = CoreBuilder(b), x.tensor.static_shape()
    y = e.matmul(e.reshape(x, [-1, shape[-1]]) if rows else x, const(b, w))
    return e.reshape(y, [*shape[:-1], w.shape[-1]]) if rows else y


def test_bias_and_activation_join_the_product() -> None:
    def make(b: Builder, x: Value) -> Any:
        product = b.emit(core.MatMul(x, const(b, data(F, 4, 5, seed=1)))).y
        return b.emit(core.Clamp(b.emit(core.Add(const(b, data(F, 1, 5, seed=2)), product)).y, lo=0.0, hi=6.0)).y

    model = check(Row("dense", make, (data(F, 2, 3, 4),), tfl=("FULLY_CONNECTED", "-ADD", "-RELU6")))
    assert len(model.subgraphs[0].operators) == 1


def test_equal_ops_are_made_once() -> None:
    def make(b: Builder, x: Value) -> Any:
        return [b.emit(core.ReduceSum(b.emit(core.Mul(x, const(b, k, F))).y, axes=(1,))).y for k in (2.0, 3.0)]

    model = check(Row("sums", make, (data(F, 2, 3),)))
    axes = [t for t in model.subgraphs[0].tensors if t.dtype == 2 and t.buffer]
    assert len(axes) == 1


def test_a_view_in_the_middle_of_a_chain_is_not_overwritten() -> None:
    """The runtime would multiply in place into memory that the first view still needs."""

    def make(b: Builder, x: Value, y: Value) -> Any:
        total = b.emit(core.Add(x, y)).y
        first = b.emit(core.Bitcast(total, dtype=DType.U64)).y
        second = b.emit(core.Bitcast(first, dtype=DType.I64)).y
        product = b.emit(core.Mul(second, y)).y
        later = b.emit(core.Bitcast(first, dtype=DType.I64)).y
        return b.emit(core.Sub(product, b.emit(core.FloorMod(later, y)).y)).y

    check(
        Row(
            "views",
            make,
            (data("int64", 3, 4, positive=True), data("int64", 3, 4, seed=1, positive=True)),
            tfl=("BITCAST",),
        )
    )


@pytest.mark.parametrize(
    "dtype, other", [("uint32", DType.I32), ("int32", DType.U32), ("float32", DType.I32), ("int32", DType.F32)]
)
def test_a_result_with_views_is_not_overwritten(dtype: str, other: DType) -> None:
    """The sum may lie in the memory of its operand, which has one user: the runtime does not see that the sum has
    several.
    """

    def make(b: Builder, x: Value, y: Value) -> Any:
        own = b.emit(core.Concat([x], axis=0)).y
        total = b.emit(core.Add(b.emit(core.Sub(own, y)).y, y)).y
        bits = [b.emit(core.Bitcast(total, dtype=other)).y for _ in range(3)]
        changed = b.emit(core.Add(b.emit(core.Bitcast(bits[0], dtype=x.tensor.dtype)).y, y)).y
        flat = b.emit(core.Reshape(total, const(b, [-1]))).y
        doubled = b.emit(core.Mul(flat, flat)).y
        tripled = b.emit(core.Mul(b.emit(core.Reshape(total, const(b, [4, 3]))).y, const(b, 3, dtype))).y
        return [changed, *bits, doubled, tripled, b.emit(core.Sub(total, y)).y]

    check(Row("result", make, (data(dtype, 3, 4, positive=True), data(dtype, 3, 4, seed=1, positive=True))))


COORDINATES = [
    "half_pixel",
    "asymmetric",
    "align_corners",
    "pytorch_half_pixel",
    "half_pixel_symmetric",
    "tf_half_pixel_for_nn",
]


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("size", [(8, 6), (3, 2), (4, 1)])
def test_resize(mode: str, coordinates: str, size: tuple[int, int]) -> None:
    for nearest in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil") if mode == "nearest" else ("floor",):
        for axes, shape in (((1, 2), (1, 4, 4, 2)), ((2, 3), (1, 2, 4, 4))):
            attributes = {"axes": axes, "mode": mode, "coordinates": coordinates, "nearest_mode": nearest}
            check(
                Row(
                    nearest,
                    lambda b, x, a=attributes: b.emit(core.Resize(x, const(b, size), **a)).y,
                    (data(F, *shape),),
                ),
                kernels=("AUTO",),
            )


@pytest.mark.parametrize(
    "dtype, sizes, attributes",
    [
        (F, [7], {"axes": (2,)}),
        (F, [3, 3], {"axes": (2, 3), "antialias": True}),
        (
            F,
            [3, 3],
            {
                "axes": (2, 3),
                "coordinates": "tf_crop_and_resize",
                "roi": ((0.2, 1.3), (0.1, 0.8)),
                "extrapolation": 10.0,
            },
        ),
        ("int8", [8, 8], {"axes": (2, 3)}),
        ("int32", [8, 8], {"axes": (2, 3), "mode": "nearest"}),
    ],
)
def test_resize_variants(dtype: str, sizes: list[int], attributes: dict[str, Any]) -> None:
    check(
        Row("resize", lambda b, x: b.emit(core.Resize(x, const(b, sizes), **attributes)).y, (data(dtype, 1, 2, 4, 4),))
    )


def test_resize_uses_the_kernels_that_mean_the_same() -> None:
    for mode, coordinates, kernel in (
        ("linear", "pytorch_half_pixel", "RESIZE_BILINEAR"),
        ("linear", "align_corners", "RESIZE_BILINEAR"),
        ("nearest", "asymmetric", "RESIZE_NEAREST_NEIGHBOR"),
        ("nearest", "half_pixel", "RESIZE_NEAREST_NEIGHBOR"),
    ):
        attributes = {"axes": (2, 3), "mode": mode, "coordinates": coordinates}
        make = lambda b, x, a=attributes: b.emit(core.Resize(x, const(b, [8, 8]), **a)).y  # noqa: E731
        check(Row(coordinates, make, (data(F, 1, 2, 4, 4),), tfl=(kernel, "-FULLY_CONNECTED")))


@pytest.mark.parametrize("time", [3, 20])
@pytest.mark.parametrize("lengths", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", ["lstm", "lstm+", "gru", "gru+", "rnn"])
def test_recurrent(kind: str, time: int, lengths: bool, reverse: bool) -> None:
    """`+`: with initial states, peepholes and clipping, or linear_before_reset."""

    def make(b: Builder, x: Value, *more: Value) -> Any:
        w = [
            const(b, data(F, *s, seed=i) / 2)
            for i, s in enumerate(((16, 3), (16, 4), (16,), (12, 3), (12, 4), (12,), (4, 3), (4, 4), (4,), (2, 4)))
        ]
        w = [b.emit(core.Cast(v, dtype=DType.F32)).y for v in w]
        length = more[0] if more else None
        if kind == "lstm":
            return b.emit(core.Lstm(x, w[0], w[1], w[2], None, None, length, reverse=reverse)).results
        if kind == "lstm+":
            return b.emit(
                core.Lstm(x, w[0], w[1], w[2], w[9], w[9], length, w[5], reverse=reverse, input_forget=True, clip=1.0)
            ).results
        if kind == "gru":
            return b.emit(core.Gru(x, w[3], w[4], w[5], w[5], None, length, reverse=reverse)).results
        if kind == "gru+":
            return b.emit(
                core.Gru(x, w[3], w[4], w[5], w[5], w[9], length, reverse=reverse, linear_before_reset=True)
            ).results
        return b.emit(core.Rnn(x, w[6], w[7], w[8], None, length, reverse=reverse)).results

    inputs: tuple[Any, ...] = (data(F, time, 2, 3), np.asarray([2, 3], np.int32)) if lengths else (data(F, time, 2, 3),)
    check(Row(kind, make, inputs, tfl=("WHILE" if time > 16 else "-WHILE",)))


@pytest.mark.parametrize(("batch", "time", "loops"), [(8, 3, False), (8, 5, True), (1, 5, False)])
@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_short_sequences_of_wide_rows_are_loops(kind: str, batch: int, time: int, loops: bool) -> None:
    """A step is so much work that the turn of a loop takes no time beside it, and written out it is more ops."""

    def make(b: Builder, x: Value) -> Any:
        gates = {"lstm": 4, "gru": 3}[kind] * 48
        w, r, bias = (const(b, data(F, *s, seed=i) / 8, F) for i, s in enumerate(((gates, 5), (gates, 48), (gates,))))
        layer = core.Lstm(x, w, r, bias) if kind == "lstm" else core.Gru(x, w, r, bias)
        return b.emit(layer).results

    check(Row(kind, make, (data(F, time, batch, 5),), tfl=("WHILE" if loops else "-WHILE",)))


def test_sizes_of_unrolled_steps_do_not_grow() -> None:
    """The state's batch and the input's are two symbols that meet in every step."""

    def make(b: Builder, x: Value, h: Value) -> Any:
        w, r = (const(b, data(F, *shape), F) for shape in ((8, 3), (8, 2)))
        return b.emit(core.Lstm(x, w, r, h0=h, c0=h)).y

    batches = Dim.symbol("B"), Dim.symbol("S")
    started = time.perf_counter()
    check(Row("lstm", make, (data(F, 16, 2, 3), data(F, 2, 2)), ((16, batches[0], 3), (batches[1], 2))))
    assert time.perf_counter() - started < 10  # twice the time for each step would take minutes


def test_recurrent_of_open_length() -> None:
    def make(b: Builder, x: Value) -> Any:
        return b.emit(core.Rnn(x, const(b, data(F, 4, 3)), const(b, data(F, 4, 4)), None)).results

    check(Row("open", make, (data(F, 5, 2, 3),), ((T, N, 3),)))


def region(types: list[Any], make: Any) -> Region:
    block = Block(types)
    b = Builder(block, LOCATION)
    b.emit(Yield(make(b, *block.arguments)))
    return Region(block)


@pytest.mark.parametrize("taken", [True, False])
def test_if_sees_values_around_it(taken: bool) -> None:
    def make(b: Builder, p: Value, x: Value) -> Any:
        k = const(b, 3, F)
        then = region([], lambda i: [i.emit(core.Add(x, k)).y, x, k])
        orelse = region([], lambda i: [i.emit(core.Mul(x, x)).y, x, k])
        return b.emit(core.If(p, then=then, orelse=orelse)).ys

    check(Row("if", make, (np.asarray(taken), data(F, 2, 3)), tfl=("IF",)))


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
def test_while(limit: int) -> None:
    """The body swaps two of its variables, uses a value from outside and makes a tensor grow."""

    def make(b: Builder, x: Value, y: Value, n: Value) -> Any:
        k, zero = const(b, 1.5, F), const(b, 0)
        types = [zero.type, x.type, x.type, x.tensor.with_shape((Dim.unknown(), 3))]

        def body(i: Builder, t: Value, p: Value, q: Value, grown: Value) -> list[Value]:
            one = i.emit(core.Constant(value=make_const(np.int64(1)))).y
            scaled = i.emit(core.Add(i.emit(core.Mul(q, k)).y, y)).y
            return [i.emit(core.Add(t, one)).y, q, p, i.emit(core.Concat([grown, scaled], axis=0)).y]

        cond = region(types, lambda i, t, *_: [i.emit(core.Less(t, n)).y])
        return b.emit(core.While([zero, x, y, x], cond=cond, body=region(types, body))).ys

    check(Row("while", make, (data(F, 2, 3), data(F, 2, 3, seed=1), np.asarray(limit)), tfl=("WHILE",)))


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_transforms(axes: tuple[int, ...]) -> None:
    for inverse in (False, True):
        check(
            Row("fft", lambda b, x, i=inverse: b.emit(core.Fft(x, axes=axes, inverse=i)).y, (data("complex64", 6, 5),))
        )
    check(Row("rfft", lambda b, x: b.emit(core.Rfft(x, axes=axes)).y, (data(F, 6, 8),)))
    for length in (8, 9):
        check(
            Row(
                "irfft", lambda b, x, n=length: b.emit(core.Irfft(x, axes=axes, length=n)).y, (data("complex64", 5, 5),)
            )
        )


@pytest.mark.parametrize("axes", [(1,), (0, 1)])
def test_transform_of_one_point(axes: tuple[int, ...]) -> None:
    check(Row("rfft", lambda b, x: b.emit(core.Rfft(x, axes=axes)).y, (data(F, 3, 1),), tfl=("-RFFT2D",)))


def test_complex_parts() -> None:
    z = data("complex64", 2, 3)
    for cls in (core.Real, core.Imag, core.Abs, core.Neg, core.Exp):
        check(Row(cls.name, lambda b, x, c=cls: b.emit(c(x)).y, (z,)))
    check(Row("complex", lambda b, x, y: b.emit(core.Complex(x, y)).y, (data(F, 2, 3), data(F, 2, 3, seed=1))))
    check(Row("matmul", lambda b, x, y: b.emit(core.MatMul(x, y)).y, (z, data("complex64", 3, 2, seed=1))))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_quantize_rounds_halves_to_even(dtype: str) -> None:
    x = np.asarray([[-1000, -0.75, -0.25, 0, 0.25, 0.75, 1.25, 1000]], np.float32)
    check(
        Row(
            "q",
            lambda b, v: b.emit(core.Quantize(v, element=QuantType.of(DType.from_numpy(dtype), 0.5, 3))).y,
            (x,),
        )
    )
    quant = QuantType.of(DType.from_numpy(dtype), (0.5, 0.25, 0.1), (3, 2, 1), 1)

    def dequantized(b: Builder, v: Value) -> Value:
        return b.emit(core.Dequantize(b.emit(core.StorageCast(v, element=quant)).y)).y

    check(Row("dq", dequantized, (data(dtype, 2, 3),)))


def test_fake_quant() -> None:
    check(
        Row("fq", lambda b, v: b.emit(core.FakeQuant(v, quant=QuantType.of(DType.U8, 3 / 255, 85))).y, (data(F, 20),))
    )


def _tensordot(b: Builder, x: Value, back: tuple[int, ...], flat: bool = True) -> Value:
    """x as a matrix, times another, plus a bias, in a shape of its own; without `flat`, that matrix is read, too."""
    e = CoreBuilder(b)
    rows = e.reshape(x, [-1, (x.tensor.shape or (1,))[-1]])
    y = e.add(e.matmul(rows, const(b, data(F, 8, 12, seed=1))), const(b, data(F, 12, seed=2)))
    made = e.clamp(y, 0.0)
    return e.reshape(made, back) if flat else e.add(e.reshape(made, back), e.sum(made, (0, 1), keepdims=False))


@pytest.mark.parametrize(
    ("back", "flat", "tfl"),
    [
        ((2, 5, 12), True, ("FULLY_CONNECTED", "-RESHAPE")),
        ((2, 5, 4, 3), True, ("FULLY_CONNECTED", "RESHAPE")),
        ((2, 5, 12), False, ("FULLY_CONNECTED", "RESHAPE")),
    ],
)
def test_products_take_rows_of_any_rank(back: tuple[int, ...], flat: bool, tfl: tuple[str, ...]) -> None:
    model = check(Row("rows", lambda b, x: _tensordot(b, x, back, flat), (data(F, 2, 5, 8),), tfl=tfl))
    assert op_names(model).count("RESHAPE") == ("-RESHAPE" not in tfl)
