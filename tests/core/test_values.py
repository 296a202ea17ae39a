"""Numbers where sources disagree with numpy, or with one another: which meaning core has."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.dialects.core import math as cmath
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.rewrite import constant_array
from tests.support.graphs import Graph


def one(op_class: type, *arrays: np.ndarray, **attributes: object) -> np.ndarray:
    g = Graph()
    return g.e(op_class(*(g.const(a) for a in arrays), **attributes)).producer.eval(*arrays)  # type: ignore[union-attr, no-any-return]


def test_integer_division() -> None:
    a, b = np.array([7, -7, 7, -7, 5], np.int32), np.array([2, 2, -2, -2, 0], np.int32)
    assert one(core.Div, a, b).tolist() == [3, -3, -3, 3, 0]  # towards zero: ONNX Div-14, TensorFlow TruncateDiv
    assert one(core.FloorDiv, a, b).tolist() == [3, -4, -4, 3, 0]
    assert one(core.FloorMod, a, b).tolist() == [1, 1, -1, -1, 0]
    assert one(core.Rem, a, b).tolist() == [1, -1, 1, -1, 0]


def test_round_halves_to_even() -> None:
    assert one(core.Round, np.array([0.5, 1.5, 2.5, -0.5, -1.5], np.float32)).tolist() == [0, 2, 2, 0, -2]


def test_special_functions() -> None:
    x = np.array([-3.0, -0.5, 0.0, 0.5, 1.0, 4.5])
    np.testing.assert_allclose(cmath.erf(x) + cmath.erfc(x), np.ones(6), rtol=1e-14)
    np.testing.assert_allclose(
        cmath.digamma(np.array([1.0, 2.0, 0.5])),
        [-0.5772156649015329, 0.42278433509846714, -1.9635100260214235],
        rtol=1e-12,
    )
    np.testing.assert_allclose(cmath.lgamma(np.array([0.5, 5.0])), [np.log(np.pi) / 2, np.log(24.0)], rtol=1e-12)
    assert cmath.lgamma(np.array([0.0, -2.0]))[0] == np.inf
    assert cmath.sigmoid(np.array([-800.0, 800.0], np.float32)).tolist() == [0.0, 1.0]


def test_cast_saturates_only_when_asked() -> None:
    x = np.array([300.7, -300.7, 1.9], np.float32)
    assert one(core.Cast, x, dtype=DType.I8, saturate=True).tolist() == [127, -128, 1]
    assert one(core.Cast, np.array([257], np.int32), dtype=DType.U8).tolist() == [1]


def test_top_k_takes_the_lower_index_of_equals() -> None:
    g = Graph()
    x = np.array([3, 1, 3, 2], np.int32)
    values, indices = core.TopK(g.const(x), g.const(np.int32(3))).eval(x, np.asarray(3))
    assert values.tolist() == [3, 3, 2] and indices.tolist() == [0, 2, 3]


def test_largest_integers_of_all() -> None:
    for dtype in (np.int64, np.uint64, np.int8):
        info = np.iinfo(dtype)
        x = np.array([3, info.max, info.min, info.max - 1], dtype)
        values, indices = one(core.TopK, x, np.asarray(4))
        assert values.tolist() == sorted(x.tolist(), reverse=True) and indices.tolist()[0] == 1


def test_quantize_follows_the_specification() -> None:
    x = np.array([0.25, 0.75, -1.25, 100.0, -100.0, np.nan], np.float32)  # halves of the scale go to the even level
    assert one(core.Quantize, x, element=QuantType.of(DType.I8, 0.5, 3)).tolist() == [3, 5, 1, 127, -128, 0]
    per_axis = one(
        core.Quantize, np.ones((2, 3), np.float32), element=QuantType.of(DType.U8, (1.0, 0.5, 0.25), (0, 1, 2), 1)
    )
    assert per_axis.tolist() == [[1, 3, 6]] * 2


def test_dequantize_follows_the_specification() -> None:
    g = Graph()
    stored = np.array([[-128, 3], [127, 4]], np.int8)
    quant = QuantType.of(DType.I8, (0.5, 0.25), (3, -128), 1)
    y = g.e(core.Dequantize(g.e(core.StorageCast(g.const(stored), element=quant))))
    array = constant_array(y)
    assert array is not None and array.tolist() == [[-65.5, 32.75], [62.0, 33.0]]


def test_average_pool_counts_only_its_own_cells() -> None:
    x = np.ones((1, 2, 2, 1), np.float32)
    window = {"window": (2, 2), "strides": (1, 1), "pads": ((1, 0), (1, 0)), "dilations": (1, 1)}
    assert one(core.AvgPool, x, **window).reshape(-1).tolist() == [1, 1, 1, 1]
    assert one(core.AvgPool, x, count_include_pad=True, **window).reshape(-1).tolist() == [0.25, 0.5, 0.5, 1]


def test_known_contents_follow_shape_arithmetic() -> None:
    n = Dim.symbol("N")
    g = Graph((n, 4, 6))  # type: ignore[arg-type]
    shape = g.e(core.ShapeOf(g.xs[0]))
    first = g.e(core.Slice(shape, g.ints(0), g.ints(1), g.ints(1)))
    rest = g.e(core.ReduceProd(g.e(core.Slice(shape, g.ints(1), g.ints(3), g.ints(1))), axes=(0,), keepdims=True))
    y = g.e(core.Reshape(g.xs[0], g.e(core.Concat([first, rest], axis=0))))
    assert y.tensor.shape == (n, 24)
    half = g.e(core.Div(g.e(core.Mul(first, g.ints(4))), g.ints(2)))
    assert half.known == (n * 2,)
    assert g.e(core.Pow(first, g.ints(2))).known == (n * n,)
    assert g.e(core.Pow(first, g.ints(-1))).known in (None, (None,))


@pytest.mark.parametrize(
    ("place", "reduction", "known"),
    [(1, "none", ("N", "M", 6)), (-1, "none", ("N", 4, "M")), (3, "none", None), (1, "add", None)],
)
def test_known_contents_in_which_a_number_is_replaced(place: int, reduction: str, known: tuple[object] | None) -> None:
    """The shape to which PyTorch's `index_copy` expands its places."""
    sizes = {name: Dim.symbol(name) for name in "NM"}
    g = Graph((sizes["N"], 4, 6), (sizes["M"],))  # type: ignore[arg-type]
    shape, number = (g.e(core.ShapeOf(x)) for x in g.xs)
    want = None if known is None else tuple(sizes.get(n, n) if isinstance(n, str) else n for n in known)
    if place < len(shape.known or ()):
        assert g.e(core.ScatterElements(shape, g.ints(place), number, axis=0, reduction=reduction)).known == want


def test_known_contents_beyond_their_type_are_not_taken_for_constants() -> None:
    g = Graph((1 << 30, 4))
    sizes = g.e(core.Cast(g.e(core.ShapeOf(g.xs[0])), dtype=DType.I32))
    double = g.e(core.Mul(sizes, g.const(np.asarray([2, 2], np.int32))))
    assert double.tensor.dtype is DType.I32
    found = constant_array(double)
    assert found is None or found.tolist() == [-(1 << 31), 8]  # as int32 is multiplied


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda g: core.Add(g.xs[0], g.noise(5)), "MLC0201"),
        (lambda g: core.Add(g.xs[0], g.ints(1)), "MLC0202"),
        (lambda g: core.Rnn(g.noise(5, 4, 3), g.noise(4, 3), g.noise(4, 4), None, g.noise(2, 4)), "MLC0201"),
        (
            lambda g: core.Lstm(g.noise(5, 4, 3), g.noise(16, 3), g.noise(16, 4), None, g.noise(4, 4), g.noise(4, 5)),
            "MLC0201",
        ),
        (lambda g: core.Gru(g.noise(5, 4, 3), g.noise(12, 3), g.noise(12, 4), lengths=g.ints(1, 2)), "MLC0201"),
        (lambda g: core.MatMul(g.xs[0], g.noise(5, 2)), "MLC0201"),
        (lambda g: core.Reshape(g.xs[0], g.ints(5, -1)), "MLC0201"),
        (lambda g: core.Transpose(g.xs[0], perm=(0, 0)), "MLC0201"),
        (lambda g: core.Squeeze(g.xs[0], axes=(0,)), "MLC0201"),
        (lambda g: core.Gather(g.xs[0], g.ints(2), axis=0), "MLC0201"),
        (lambda g: core.Gather(g.xs[0], g.ints(0, -4), axis=1), "MLC0201"),
        (lambda g: core.GatherNd(g.xs[0], g.const(np.int32([[0, 2], [1, 3]]))), "MLC0201"),
        (lambda g: core.GatherElements(g.xs[0], g.const(np.int32([[0, 3]])), axis=1), "MLC0201"),
        (lambda g: core.GatherElements(g.xs[0], g.const(np.zeros((3, 1), np.int32)), axis=1), "MLC0201"),
        (lambda g: core.ScatterNd(g.xs[0], g.const(np.int64([[-3]])), g.noise(1, 3)), "MLC0201"),
        (
            lambda g: core.ScatterElements(
                g.xs[0], g.const(np.full((1 << 20, 3), 2, np.int32)), g.noise(1 << 20, 3), axis=0
            ),
            "MLC0201",
        ),
        (lambda g: core.ScatterFill(g.const(np.int32([[-1]])), g.noise(1, 3), g.ints(2, 3)), "MLC0201"),
        (lambda g: core.SegmentReduce(g.xs[0], g.ints(-5, 4), g.const(np.int64(4))), "MLC0201"),
        (lambda g: core.BroadcastTo(g.xs[0], g.ints(1 << 40, 1 << 40, 2, 3)), "MLC0204"),
        (lambda g: core.Slice(g.xs[0], g.ints(0, 0), g.ints(1, 1), g.ints(0, 1)), "MLC0201"),
        (lambda g: core.TopK(g.xs[0], g.const(np.int32(9))), "MLC0201"),
        (lambda g: core.Tile(g.xs[0], g.const(np.float32(0))), "MLC0201"),
        (lambda g: core.Tile(g.xs[0], g.const(np.float32([1, 1]))), "MLC0202"),
        (lambda g: core.BroadcastTo(g.xs[0], g.const(np.int64([[2, 3]]))), "MLC0201"),
        (lambda g: core.Fft(g.const(np.complex64([1, 2])), axes=(1,)), "MLC0201"),
        (lambda g: core.Fft(g.const(np.complex64([1, 2])), axes=()), "MLC0201"),
        (lambda g: core.Rfft(g.xs[0], axes=(0, 5)), "MLC0201"),
        (lambda g: core.Irfft(g.const(np.complex64([1, 2])), axes=(3,), length=2), "MLC0201"),
        (lambda g: core.Sqrt(g.ints(1)), "MLC0202"),
    ],
)
def test_misfits_are_refused(make: object, code: str) -> None:
    g = Graph((2, 3))
    with pytest.raises(ConversionError, match=code):
        make(g)  # type: ignore[operator]


def test_sizes_that_data_decide() -> None:
    """Places are filled up with zeros; a number outside of its bound is no size."""
    g = Graph()
    x = np.array([[0, 2], [3, 0]], np.int32)
    assert core.NonZero(g.const(x), padded=True).eval(x).tolist() == [[0, 1], [1, 0], [0, 0], [0, 0]]
    size = core.DefineSize(g.const(np.int64(3)), symbol="n", bound=4)
    assert size.eval(np.asarray(3)) == 3 and size.y.known == (Dim.symbol("n"),)
    for wrong in (-1, 5):
        with pytest.raises(ConversionError, match="the size n is"):
            size.eval(np.asarray(wrong))
