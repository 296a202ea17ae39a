"""Generators against `eval`: tiles, tails, groups, dilations, epilogues, on both instruction sets."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from mlconv.codegen.kernels.indexing import column_tiles
from mlconv.codegen.kernels.register_tiles import tile_shape
from mlconv.codegen.machines.cpus import X86_64
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.winograd import filter_places
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.module import clone_module
from mlconv.legalize.to_kernel.winograd import blocks_of
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import CPUS, Native, check, needs_cc, to_object


@needs_cc
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize(
    "rows,channels,depth",
    [(1, 1, 1), (1, 17, 5), (7, 16, 3), (15, 33, 8), (29, 48, 7), (64, 100, 31), (5, 70, 16), (15, 260, 420)],
)
def test_product(rows: int, channels: int, depth: int, cpu: str, tmp_path: pathlib.Path) -> None:
    """Rows and channels that do not fill tiles; bias, residual and activation in the epilogue."""

    def make(b: Builder, x: Value, r: Value) -> Value:
        y = b.emit(core.MatMul(x, const(b, random(depth, channels)))).y
        y = b.emit(core.Add(y, const(b, random(channels, seed=3)))).y
        y = b.emit(core.Add(r, y)).y
        return b.emit(core.Clamp(y, lo=0.0, hi=6.0)).y

    check(
        module(make, [random(rows, depth), random(rows, channels)]),
        [random(rows, depth), random(rows, channels, seed=9)],
        tmp_path,
        cpu,
    )


CONVOLUTIONS = [  # size, input channels, output channels, kernel, stride, dilation, groups, pads
    (9, 3, 20, 3, 2, 1, 1, ((0, 1), (1, 1))),
    (8, 5, 16, 3, 1, 2, 1, ((2, 2), (2, 2))),
    (7, 4, 33, 1, 1, 1, 1, ((0, 0), (0, 0))),
    (8, 20, 20, 3, 1, 1, 20, ((1, 1), (1, 1))),
    (9, 6, 12, 3, 2, 1, 3, ((1, 1), (0, 2))),
    (6, 3, 6, 5, 1, 1, 3, ((2, 2), (2, 2))),
    (9, 12, 24, 3, 1, 1, 4, ((1, 1), (1, 1))),
    (8, 40, 60, 3, 2, 1, 2, ((0, 1), (1, 1))),
    (7, 48, 96, 1, 1, 1, 3, ((0, 0), (0, 0))),
    (15, 2, 8, 7, 2, 1, 1, ((3, 3), (3, 3))),
    (6, 8, 1, 2, 3, 1, 1, ((0, 0), (0, 0))),
    (8, 4, 8, 3, 1, 1, 1, ((-1, 1), (1, -1))),
    (2, 4, 8, 1, 1, 1, 1, ((2, -3), (1, 1))),
]


@pytest.mark.share(4)
@needs_cc
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_convolution(case: tuple[Any, ...], batch: int, cpu: str, tmp_path: pathlib.Path) -> None:
    size, cin, cout, k, stride, dilation, groups, pads = case

    def make(b: Builder, x: Value) -> Value:
        w, bias = const(b, random(k, k, cin // groups, cout)), const(b, random(cout, seed=5))
        y = b.emit(core.Conv(x, w, bias, strides=(stride,) * 2, pads=pads, dilations=(dilation,) * 2, groups=groups)).y
        return b.emit(core.Sigmoid(y)).y

    x = random(batch, size, size + 1, cin)
    check(module(make, [x]), [x], tmp_path, cpu)


@needs_cc
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("channels", [2, 3, 7, 8])
def test_channels_last_of_few(channels: int, cpu: str, tmp_path: pathlib.Path) -> None:
    """What is computed along an image is written apart; numbers that fit no byte, NaN and infinities among them."""
    x = 200 * random(2, channels, 9, 11)
    x[0, 0, 0, :4] = [np.nan, np.inf, -np.inf, 3e9]

    def make(b: Builder, x: Value) -> Value:
        y = b.emit(core.Cast(b.emit(core.Mul(x, const(b, np.float32(1.5)))).y, dtype=DType.I8, saturate=True)).y
        return b.emit(core.Transpose(y, perm=(0, 2, 3, 1))).y

    check(module(make, [x]), [x], tmp_path, cpu)


@needs_cc
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("batch,heads,rows,columns,depth", [(1, 2, 70, 70, 8), (2, 3, 9, 130, 5), (1, 1, 200, 33, 16)])
def test_attention(
    batch: int, heads: int, rows: int, columns: int, depth: int, cpu: str, tmp_path: pathlib.Path
) -> None:
    """Scores, scale, mask, softmax and values in one kernel; queries as rows of all heads, a result likewise; rows that
    do not fill blocks.
    """
    q, k, v = (
        random(batch, rows, heads, depth),
        random(batch, columns, heads, depth, seed=2),
        random(batch, columns, heads, depth, seed=3),
    )
    mask = np.where(random(1, 1, 1, columns, seed=4) > 1, np.float32(-1e9), np.float32(0))

    def make(b: Builder, q: Value, k: Value, v: Value, mask: Value) -> Value:
        q, k, v = (b.emit(core.Transpose(x, perm=(0, 2, 1, 3))).y for x in (q, k, v))
        scores = b.emit(core.Mul(b.emit(core.MatMul(q, k, transpose_b=True)).y, const(b, np.float32(depth**-0.5)))).y
        weights = b.emit(core.Softmax(b.emit(core.Add(scores, mask)).y, axis=-1)).y
        return b.emit(core.Transpose(b.emit(core.MatMul(weights, v)).y, perm=(0, 2, 1, 3))).y

    m = module(make, [q, k, v, mask])
    check(m, [q, k, v, mask], tmp_path, cpu)
    legal = clone_module(m)
    lower(legal, "native", DiagnosticEngine())
    assert [
        op.name for op in legal.main.block.ops if op.name in ("kernel.attention", "kernel.gemm", "kernel.row_reduce")
    ] == ["kernel.attention"]


TRANSPOSED = [  # window, strides, pads, extra rows and columns
    ((2, 2), (2, 2), ((0, 0), (0, 0)), (0, 0)),
    ((3, 3), (2, 2), ((1, 1), (1, 1)), (1, 0)),
    ((4, 5), (2, 3), ((1, 2), (3, 0)), (0, 0)),
    ((1, 3), (3, 1), ((0, 0), (1, 1)), (2, 0)),
    ((5, 5), (2, 2), ((3, 4), (0, 1)), (0, 1)),
]


@needs_cc
@pytest.mark.parametrize("channels", [5, 16])
@pytest.mark.parametrize("case", TRANSPOSED, ids=str)
def test_transposed_convolution(case: tuple[Any, ...], channels: int, tmp_path: pathlib.Path) -> None:
    """Of panels of channels, phases are products of their own where windows of one size for all have many zeros; lines
    of phases are a batch that is written in its place where nothing is cut off.
    """
    window, strides, pads, extra = case

    def make(b: Builder, x: Value) -> Value:
        w, bias = const(b, random(*window, channels + 1, channels)), const(b, random(channels, seed=5))
        return b.emit(
            core.ConvTranspose(
                x, w, bias, strides=strides, pads=pads, dilations=(1, 1), output_pads=extra, w_layout="01IO"
            )
        ).y

    x = random(2, 7, 6, channels + 1)
    m = module(make, [x])
    check(m, [x], tmp_path)
    legal = clone_module(m)
    lower(legal, "native", DiagnosticEngine())
    apart = channels == 16 and window in ((3, 3), (5, 5))
    products = [op.problem for op in legal.main.block.ops if op.name == "kernel.gemm"]
    assert len(products) == (4 if apart else 1)
    assert any(any(p.weight_strides) for p in products) == (channels == 16 and window in ((2, 2), (1, 3)))


@needs_cc
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("size,cin,cout,batch", [((16, 16), 16, 16, 1), ((22, 21), 36, 40, 3), ((40, 9), 33, 64, 1)])
def test_minimal_filtering(
    size: tuple[int, int], cin: int, cout: int, batch: int, cpu: str, tmp_path: pathlib.Path
) -> None:
    """3 x 3 convolutions of stride 1 with images that do not fill tiles, blocks that overlap, a residual, and a padded
    result.
    """
    x, r = random(batch, *size, cin), random(batch, *size, cout, seed=9)
    assert blocks_of((batch, *size, cout), cin) is not None

    def make(b: Builder, x: Value, r: Value) -> Value:
        for i, channels in enumerate((cin, cout)):
            w = const(b, random(3, 3, channels, cout, seed=i) / np.float32(np.sqrt(9 * channels)))
            x = b.emit(
                core.Conv(
                    x,
                    w,
                    const(b, random(cout, seed=5)),
                    strides=(1, 1),
                    pads=((1, 1),) * 2,
                    dilations=(1, 1),
                    groups=1,
                )
            ).y
            x = b.emit(core.Clamp(x, lo=0.0, hi=6.0)).y
        return b.emit(core.Add(x, r)).y

    m = module(make, [x, r])
    check(m, [x, r], tmp_path, cpu)


@pytest.mark.parametrize("factor", [1, 2, 3, 4, 6, 8, 12])
@pytest.mark.parametrize("rows", range(1, 15))
def test_tiles_of_columns_whose_number_a_run_tells(factor: int, rows: int) -> None:
    """They follow one another, each range is of whole tiles, and all columns are done."""
    n = Dim.symbol("n")
    for columns in (n * factor, (n + 2) * factor, n * factor * 9):
        for number in range(40):
            at, end = 0, substitute(columns, {"n": number})
            for start, stop, size in column_tiles(columns, rows):
                first, last = (substitute(d, {"n": number}) for d in (start, stop))
                assert isinstance(first, int) and isinstance(last, int)
                assert first == at <= last and (last - first) % size == 0
                at = last
            assert at == end


def test_places_of_filters() -> None:
    """Y = A^T ((G w G^T) * (B^T x B)) A in float64 is the convolution."""
    w, x = np.random.default_rng(20).standard_normal((3, 3)), np.random.default_rng(1).standard_normal((6, 6))
    points = [0, 0.75, -0.75, 1.5, -1.5]
    back = np.array([[p**i for p in points] + [float(i == 3)] for i in range(4)])
    cells = np.array([[*np.poly([q for q in points if q != p])[::-1], 0] for p in points] + [np.poly(points)[::-1]])
    places = (np.array(filter_places()) @ w.reshape(-1)).reshape(6, 6)
    y = back @ (places * (cells @ x @ cells.T)) @ back.T
    true = [[(x[i : i + 3, j : j + 3] * w).sum() for j in range(4)] for i in range(4)]
    np.testing.assert_allclose(y, true, rtol=1e-12, atol=1e-12)


RANGES: dict[type[Any], tuple[float, float]] = {
    core.Exp: (-104, 89),
    core.Log: (1.4e-45, 1e30),
    core.Tanh: (-12, 12),
    core.Sigmoid: (-90, 90),
    core.Erf: (-6, 6),
    core.Sin: (-99e3, 110e3),
    core.Cos: (-110e3, 99e3),
    core.Asin: (-1.001, 1.001),
    core.Acos: (-1.001, 1.001),
    core.Atan: (-30, 30),
}
ULPS = 6


@needs_cc
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("cls", RANGES, ids=lambda c: c.name)
def test_accuracy(cls: Any, cpu: str, tmp_path: pathlib.Path) -> None:
    """Within the stated units in the last place of the true value; NaN and infinities as they should be."""
    low, high = RANGES[cls]
    grid = (
        np.geomspace(low, high, 4000)
        if cls is core.Log
        else np.concatenate([np.linspace(low, high, 4000), np.linspace(-0.1, 0.1, 999)])
    )
    x = np.concatenate([grid, [0.0, -0.0, np.inf, -np.inf, np.nan]]).astype(np.float32)
    m = module(lambda b, v: b.emit(cls(v)).y, [x])
    _, (y,) = Native(to_object(m, tmp_path / "m.o", cpu)).call([x])
    with np.errstate(all="ignore"):
        wide = module(lambda b, v: b.emit(cls(v)).y, [x.astype(np.float64)])
        wide = run_function(wide.main, {"in0": x.astype(np.float64)})["out0"]
        true = np.asarray(wide).astype(np.float32)
    finite = np.isfinite(true)
    np.testing.assert_array_equal(y[~finite], true[~finite])
    normal = finite & (np.abs(true) > 1.2e-38)
    error = np.abs(y[normal].astype(np.float64) - np.asarray(wide)[normal]) / np.spacing(np.abs(true[normal])).astype(
        np.float64
    )
    assert error.max() <= ULPS
    if cls in (core.Tanh, core.Erf):
        np.testing.assert_array_equal(y[np.isinf(x)], np.sign(x[np.isinf(x)]))
    assert np.abs(y[finite & ~normal]).max(initial=0) <= 1.2e-38


@needs_cc
@pytest.mark.parametrize("cpu", CPUS)
def test_far_from_zero_functions_are_what_they_tend_to(cpu: str, tmp_path: pathlib.Path) -> None:
    """An error in the last place of erf or tanh would be multiplied by x."""
    x = np.array([*np.linspace(4.1, 60, 50), 1e30, 3e38] * 2, np.float32) * np.repeat(np.array([1, -1], np.float32), 52)
    m = module(
        lambda b, v: [
            b.emit(op).y
            for op in (core.Erf(v), core.Tanh(b.emit(core.Add(v, v)).y), core.Gelu(v), core.Gelu(v, approximate=True))
        ],
        [x],
    )
    _, (erf, tanh, *gelus) = Native(to_object(m, tmp_path / "m.o", cpu)).call([x])
    far = np.abs(x) > 4.6
    assert (erf == np.sign(x)).all() and (tanh[far] == np.sign(x[far])).all()
    silu = module(lambda b, v: b.emit(core.Mul(v, b.emit(core.Sigmoid(v)).y)).y, [x])
    for y in gelus:
        np.testing.assert_allclose(y[far], np.where(x > 0, x, 0)[far], rtol=2e-7, atol=2e-5)
    _, (y,) = Native(to_object(silu, tmp_path / "silu.o", cpu)).call([x])
    np.testing.assert_allclose(y, np.asarray(run_function(silu.main, {"in0": x})["out0"]), rtol=1e-6, atol=1e-37)


@needs_cc
@pytest.mark.parametrize(
    "shape,axes", [((3, 100), (1,)), ((5, 7, 33), (0, 2)), ((4, 6, 40), (1,)), ((2, 16), (0, 1)), ((1, 5, 1), (1,))]
)
def test_reductions_along_any_axis(shape: tuple[int, ...], axes: tuple[int, ...], tmp_path: pathlib.Path) -> None:
    kinds: Sequence[Callable[..., Any]] = (core.ReduceSum, core.ReduceMean, core.ReduceMax, core.ReduceMin)

    def make(b: Builder, x: Value) -> list[Value]:
        return [b.emit(kind(x, axes=axes)).y for kind in kinds] + [b.emit(core.Softmax(x, axis=axes[-1])).y]

    check(module(make, [random(*shape)]), [random(*shape)], tmp_path)


@needs_cc
def test_attention_whose_weights_are_read_again(tmp_path: pathlib.Path) -> None:
    """The softmax is added to the product that it is a factor of."""
    arrays = [random(2, 12, 5), random(2, 5, 12), random(2, 12, 12, seed=3)]

    def make(b: Builder, x: Value, w: Value, v: Value) -> Value:
        weights = b.emit(core.Softmax(b.emit(core.MatMul(x, w)).y, axis=-1)).y
        return b.emit(core.Add(b.emit(core.MatMul(weights, v)).y, weights)).y

    check(module(make, arrays), arrays, tmp_path)


@pytest.mark.parametrize(("columns", "joined"), [(1000, True), (1200, False)])
def test_blocks_of_rows_do_not_read_much_again(columns: int, joined: bool) -> None:
    """A head of 256 by 1200 floats would go through the caches for each block."""

    def make(b: Builder, x: Value) -> Value:
        weights = b.emit(core.Softmax(b.emit(core.MatMul(x, const(b, random(64, 256)))).y, axis=-1)).y
        return b.emit(core.MatMul(weights, const(b, random(256, columns)))).y

    m = module(make, [random(100, 64)])
    lower(m, "native", DiagnosticEngine())
    assert any(op.name == "kernel.attention" for op in m.main.block.ops) == joined


@needs_cc
def test_attention_into_a_padded_buffer(tmp_path: pathlib.Path) -> None:
    """The kernel fills the border around its result."""
    arrays = [random(1, 3, 14, 17), random(1, 3, 14, 17, seed=2)]

    def make(b: Builder, x: Value, k: Value) -> Value:
        weights = b.emit(core.Softmax(b.emit(core.MatMul(x, k, transpose_b=True)).y, axis=-1)).y
        y = b.emit(core.MatMul(weights, k)).y
        return b.emit(core.MaxPool(y, window=(3, 3), strides=(1, 1), pads=((0, 2), (1, 2)), dilations=(1, 1))).y

    check(module(make, arrays), arrays, tmp_path)


@needs_cc
def test_product_that_reads_its_rows_and_its_residual_through_a_copy(tmp_path: pathlib.Path) -> None:
    x = random(2, 3, 9)

    def make(b: Builder, x: Value) -> list[Value]:
        first, second = b.emit(core.Split(x, sizes=(1, 1), axis=0)).ys
        y = b.emit(core.MatMul(second, const(b, random(9, 9)))).y
        thin = b.emit(core.Split(x, sizes=(4, 5), axis=2)).ys[1]
        z = b.emit(core.MatMul(thin, const(b, random(5, 5)))).y
        return [
            first,
            b.emit(core.Add(y, second)).y,
            b.emit(core.Add(b.emit(core.Tanh(thin)).y, z)).y,
            b.emit(core.Add(z, thin)).y,
        ]

    check(module(make, [x]), [x], tmp_path)


@needs_cc
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize(
    "shape,axes",
    [
        ((3, 4096), (1,)),
        ((3, 1000), (1,)),
        ((2, 5, 16, 16), (2, 3)),
        ((600, 5), (0,)),
        ((2, 300, 21), (1,)),
        ((2, 9, 40, 24), (1, 3)),
    ],
)
def test_means_of_large_numbers_are_off_by_less_than_a_digit(
    shape: tuple[int, ...], axes: tuple[int, ...], cpu: str, tmp_path: pathlib.Path
) -> None:
    """What is left of a number when such a mean is subtracted is off by the error of the mean."""
    x = (random(*shape) + np.float32(1e4)).astype(np.float32)

    def make(b: Builder, v: Value) -> list[Value]:
        mean = b.emit(core.ReduceMean(v, axes=axes, keepdims=True)).y
        return [mean, b.emit(core.Sub(v, mean)).y]

    _, (mean, centred) = Native(to_object(module(make, [x]), tmp_path / "m.o", cpu)).call([x])
    true = x.astype(np.float64).mean(axes, keepdims=True)
    np.testing.assert_array_less(np.abs(mean - true), np.spacing(np.float32(1e4)) * 0.8)
    np.testing.assert_allclose(centred, x - true, atol=np.spacing(np.float32(1e4)) * 0.8)


def test_the_shape_of_a_tile_does_not_depend_on_how_many_columns_are_walked() -> None:
    """As many as no list could hold."""
    for cpu in X86_64:
        assert tile_shape(cpu, 1 << 50, 1 << 40) == tile_shape(cpu, 2520 * 11, 2520)


@pytest.mark.parametrize(
    "rows,depth,layers,asks",
    [
        (49, 420, 1, True),
        (1, 420, 1, False),
        (1, 3100, 1, False),
        (1, 3100, 6, True),
        (1, 16400, 1, True),
        (49, 300, 1, False),
        (4000, 420, 1, False),
    ],
)
def test_weights_that_lie_far_away_are_asked_for(
    rows: int, depth: int, layers: int, asks: bool, tmp_path: pathlib.Path
) -> None:
    """Not by a single tile, but for a row whose own come from memory, as all of the object are more than caches keep;
    nor by very many, nor where they stay in a near cache.
    """

    def make(b: Builder, x: Value) -> list[Value]:
        return [b.emit(core.MatMul(x, const(b, random(depth, 260) + i))).y for i in range(layers)]

    m = module(make, [random(rows, depth)])
    to_object(m, tmp_path / "m.o", listings=("llvm",))
    (text,) = tmp_path.glob("*.ll")
    assert ("call void @llvm.prefetch" in text.read_text()) == asks
