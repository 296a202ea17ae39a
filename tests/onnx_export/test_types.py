"""Ops over every element type: ONNX Runtime has kernels for some, the others are computed with in wider ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from tests.support.modules import const, module
from tests.support.onnx_files import check, run, to_onnx

RNG = np.random.default_rng(3)
INTEGERS = [DType.I8, DType.U8, DType.I16, DType.U16, DType.I32, DType.U32, DType.I64]
FLOATS = [DType.F16, DType.BF16, DType.F64]
Make = Callable[[Builder, Value, Value], Op]
POOL: dict[str, Any] = {"window": (2, 2), "strides": (1, 1), "pads": ((0, 0), (0, 0)), "dilations": (1, 1)}
BOTH: dict[str, Make] = {
    "add": lambda b, x, y: core.Add(x, y),
    "sub": lambda b, x, y: core.Sub(x, y),
    "mul": lambda b, x, y: core.Mul(x, y),
    "div": lambda b, x, y: core.Div(x, y),
    "floor_div": lambda b, x, y: core.FloorDiv(x, y),
    "floor_mod": lambda b, x, y: core.FloorMod(x, y),
    "rem": lambda b, x, y: core.Rem(x, y),
    "neg": lambda b, x, y: core.Neg(x),
    "abs": lambda b, x, y: core.Abs(x),
    "sign": lambda b, x, y: core.Sign(x),
    "maximum": lambda b, x, y: core.Maximum(x, y),
    "minimum": lambda b, x, y: core.Minimum(x, y),
    "equal": lambda b, x, y: core.Equal(x, y),
    "less": lambda b, x, y: core.Less(x, y),
    "greater_equal": lambda b, x, y: core.GreaterEqual(x, y),
    "clamp": lambda b, x, y: core.Clamp(x, lo=1.0, hi=5.0),
    "select": lambda b, x, y: core.Select(b.emit(core.Less(x, y)).y, x, y),
    "reduce_sum": lambda b, x, y: core.ReduceSum(x, axes=(1,)),
    "reduce_max": lambda b, x, y: core.ReduceMax(x, axes=(1,)),
    "reduce_mean": lambda b, x, y: core.ReduceMean(x, axes=(1,)),
    "cumsum": lambda b, x, y: core.CumSum(x, axis=1),
    "arg_max": lambda b, x, y: core.ArgMax(x, axis=1),
    "top_k": lambda b, x, y: core.TopK(x, const(b, np.int64(2)), axis=1),
    "concat": lambda b, x, y: core.Concat([x, y], axis=0),
    "gather": lambda b, x, y: core.Gather(x, const(b, np.asarray([1, -1])), axis=1),
    "scatter": lambda b, x, y: core.ScatterNd(x, const(b, np.asarray([[1], [0]])), y),
    "pad": lambda b, x, y: core.Pad(x, const(b, np.asarray([[0, 1], [2, -1]])), const(b, x.tensor.dtype.numpy.type(3))),
    "tile": lambda b, x, y: core.Tile(x, const(b, np.asarray([2, 1]))),
    "reverse": lambda b, x, y: core.Reverse(x, axes=(0, 1)),
    "transpose": lambda b, x, y: core.Transpose(x, perm=(1, 0)),
    "one_hot": lambda b, x, y: core.OneHot(x, const(b, np.int32(4)), const(b, np.float32(1)), const(b, np.float32(0))),
    "nonzero": lambda b, x, y: core.NonZero(x),
    "cast": lambda b, x, y: core.Cast(x, dtype=DType.F32),
}
WHOLE: dict[str, Make] = {
    "and": lambda b, x, y: core.And(x, y),
    "xor": lambda b, x, y: core.Xor(x, y),
    "not": lambda b, x, y: core.BitwiseNot(x),
    "shift_left": lambda b, x, y: core.ShiftLeft(x, b.emit(core.Abs(y)).y if y.tensor.dtype.is_signed_int else y),
    "shift_right": lambda b, x, y: core.ShiftRight(x, b.emit(core.Abs(y)).y if y.tensor.dtype.is_signed_int else y),
}
IMAGES: dict[str, Make] = {
    "max_pool": lambda b, x, y: core.MaxPool(x, layout="NC01", **POOL),
    "depth_to_space": lambda b, x, y: core.DepthToSpace(x, block_size=2),
    "space_to_depth": lambda b, x, y: core.SpaceToDepth(x, block_size=2, layout="NCHW"),
}


def arrays(dtype: DType, shape: tuple[int, ...]) -> list[np.ndarray[Any, Any]]:
    low = -9 if dtype.is_signed_int or dtype.is_float else 0
    return [RNG.integers(low, 9, shape).astype(dtype.numpy) for _ in range(2)]


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=lambda d: d.name)
@pytest.mark.parametrize("name", list(BOTH))
def test_numbers(name: str, dtype: DType) -> None:
    if dtype.is_float and name == "one_hot":
        pytest.skip("indices are integers")
    xs = arrays(dtype, (2, 5))
    xs[1] = np.where(xs[1] == 0, xs[1] + xs[1].dtype.type(dtype.is_float), xs[1]).astype(xs[1].dtype)
    tolerance = 1e-2 if dtype in (DType.F16, DType.BF16) else 1e-5
    check(module(lambda b, x, y: b.emit(BOTH[name](b, x, y)).results, xs), xs, tolerance)


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: d.name)
@pytest.mark.parametrize("name", list(WHOLE))
def test_bits(name: str, dtype: DType) -> None:
    xs = arrays(dtype, (2, 5))
    check(module(lambda b, x, y: b.emit(WHOLE[name](b, x, y)).results, xs), xs)


@pytest.mark.parametrize("dtype", [DType.I8, DType.U8, DType.I32, DType.I64, DType.F64], ids=lambda d: d.name)
@pytest.mark.parametrize("name", list(IMAGES))
def test_images(name: str, dtype: DType) -> None:
    if (name, dtype) == ("max_pool", DType.I64):
        pytest.skip("nothing is wider")
    xs = arrays(dtype, (1, 4, 4, 4))
    check(module(lambda b, x, y: b.emit(IMAGES[name](b, x, y)).results, xs), xs)


@pytest.mark.parametrize("want", [DType.I8, DType.U8, DType.I32, DType.I64, DType.U64], ids=lambda d: d.name)
def test_floats_are_limited_to_the_range_of_integers(want: DType) -> None:
    x = np.asarray([-np.inf, -1e30, -300.5, -1.5, 0.0, 1.5, 300.5, 1e30, np.inf], np.float32)
    got = check_cast(x, want)
    low, high = np.iinfo(want.numpy).min, np.iinfo(want.numpy).max
    assert got[0] == low and int(got[-1]) >= high - (high >> 20) and got[4] == 0 and got[5] == 1


def check_cast(x: np.ndarray[Any, Any], want: DType) -> np.ndarray[Any, Any]:
    m = module(lambda b, v: b.emit(core.Cast(v, dtype=want, saturate=True)).results, [x])
    return np.asarray(run(to_onnx(m), [x])[0])


@pytest.mark.parametrize("make", [core.MaxPool, core.AvgPool])
def test_pads_as_large_as_the_window(make: Any) -> None:
    x = RNG.standard_normal((1, 5, 5, 2)).astype(np.float32)
    counted = {"count_include_pad": True} if make is core.AvgPool else {}
    window = {"window": (2, 2), "strides": (1, 1), "pads": ((2, 0), (0, 1)), "dilations": (1, 1)}
    if make is core.MaxPool:  # minus infinity where a window holds no element
        window["pads"] = ((1, 0), (0, 2))
    check(module(lambda b, v: b.emit(make(v, **window, **counted)).results, [x]), [x])
