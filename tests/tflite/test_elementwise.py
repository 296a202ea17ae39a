"""Elementwise core ops on LiteRT, by element type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from tests.support.all_sizes import agree_at_all_sizes, numbers
from tests.support.litert import Row, check, data, file_bytes, run_litert, to_tfl
from tests.support.modules import const, module
from tests.support.onnx_models import model, value

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float16"]
SMALL = np.asarray([-8, -3.5, -1.2, -0.7, -1e-4, 0, 1e-6, 0.3, 0.9, 1.0, 2.5, 4.2, 8], np.float32)
UNIT = np.asarray([-0.99, -0.5, 0, 1e-5, 0.3, 0.9, 1], np.float32)
POSITIVE = np.asarray([1e-3, 0.1, 0.5, 1, 1.5, 2, 3.7, 10, 100], np.float32)

UNARY: list[tuple[Any, list[str], bool]] = [
    *((cls, FLOATS + INTS, False) for cls in (core.Neg, core.Abs, core.Sign)),
    *(
        (cls, FLOATS, False)
        for cls in (
            core.Exp,
            core.Sin,
            core.Cos,
            core.Tanh,
            core.Floor,
            core.Ceil,
            core.Round,
            core.Sigmoid,
            core.HardSwish,
            core.Gelu,
            core.Elu,
            core.IsNan,
            core.IsInf,
            core.IsFinite,
        )
    ),
    *((cls, FLOATS, True) for cls in (core.Log, core.Sqrt, core.Rsqrt)),
    (core.BitwiseNot, INTS, False),
    (core.LogicalNot, ["bool"], False),
]
BINARY: list[tuple[Any, list[str], bool]] = [
    *((cls, FLOATS + INTS, False) for cls in (core.Add, core.Sub, core.Mul, core.Maximum, core.Minimum)),
    *(
        (cls, FLOATS + INTS + ["bool"], False)
        for cls in (core.Equal, core.NotEqual, core.Less, core.LessEqual, core.Greater, core.GreaterEqual)
    ),
    *((cls, FLOATS + INTS, True) for cls in (core.Div, core.FloorDiv, core.FloorMod, core.Rem)),
    (core.Pow, FLOATS + INTS[:-1], True),
    *((cls, INTS + ["bool"], False) for cls in (core.And, core.Or, core.Xor)),
    *((cls, INTS, True) for cls in (core.ShiftLeft, core.ShiftRight)),
    (core.Atan2, ["float32", "float64"], False),
]
DOUBLE = [
    core.Add,
    core.Sub,
    core.Mul,
    core.Maximum,
    core.Minimum,
    core.Equal,
    core.NotEqual,
    core.Less,
    core.GreaterEqual,
]


def one(cls: Any, *arrays: Any, **attributes: Any) -> Row:
    return Row(cls.name, lambda b, *xs: b.emit(cls(*xs, **attributes)).results, arrays, tolerance=1e-4)


@pytest.mark.parametrize(
    "cls, dtype, positive", [(c, d, p) for c, ds, p in UNARY for d in ds], ids=lambda v: getattr(v, "name", str(v))
)
def test_unary(cls: Any, dtype: str, positive: bool) -> None:
    check(one(cls, data(dtype, 2, 3, positive=positive)))


@pytest.mark.share(4)
@pytest.mark.parametrize(
    "cls, dtype, positive", [(c, d, p) for c, ds, p in BINARY for d in ds], ids=lambda v: getattr(v, "name", str(v))
)
def test_binary(cls: Any, dtype: str, positive: bool) -> None:
    check(one(cls, data(dtype, 2, 3, positive=positive), data(dtype, 1, 3, seed=1, positive=positive)))


@pytest.mark.parametrize("cls", DOUBLE, ids=lambda c: c.name)
def test_float64_where_it_is_exact(cls: Any) -> None:
    a, b = data("float64", 2, 3), data("float64", 1, 3, seed=1)
    a[0, 0] = b[0, 0]
    check(one(cls, a, b))


@pytest.mark.parametrize("exponent", [2.0, [1.5j, 2.0, 3.0]])
def test_powers_of_complex_numbers_are_refused(exponent: Any) -> None:
    """Of real parts there are powers, which are other numbers."""
    with pytest.raises(ConversionError, match="no power of complex64") as error:
        to_tfl(
            module(lambda b, x: b.emit(core.Pow(x, const(b, exponent, "complex64"))).y, [data("complex64", 3)]),
        )
    assert error.value.code is Code.TargetLacksOp


@pytest.mark.parametrize("cls", [core.Exp, core.Sqrt, core.Floor], ids=lambda c: c.name)
def test_float64_without_kernel_is_refused(cls: Any) -> None:
    with pytest.raises(ConversionError, match="float64"):
        to_tfl(module(lambda b, x: b.emit(cls(x)).y, [data("float64", 2)]))


@pytest.mark.parametrize(
    "cls, x",
    [
        *(
            (c, SMALL)
            for c in (
                core.Tan,
                core.Sinh,
                core.Cosh,
                core.Asinh,
                core.Atan,
                core.Expm1,
                core.Softplus,
                core.Erf,
                core.Erfc,
            )
        ),
        *((c, UNIT) for c in (core.Asin, core.Acos)),
        (core.Atanh, UNIT[:-1]),
        (core.Acosh, POSITIVE[3:]),
        (core.Log1p, np.asarray([-0.9, -1e-6, 0, 1e-8, 0.1, 3], np.float32)),
        (core.Lgamma, np.append(POSITIVE, np.float32(-3.5))),
        (core.Digamma, np.append(POSITIVE, np.float32(-3.5))),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
def test_functions_without_kernel(cls: Any, x: Any) -> None:
    check(one(cls, x))


@pytest.mark.parametrize("a", [*FLOATS, *INTS, "bool", "float64"])
@pytest.mark.parametrize("b", [*FLOATS, *INTS, "bool", "float64"])
def test_cast(a: str, b: str) -> None:
    check(one(core.Cast, data(a, 2, 3), dtype=DType.from_numpy(b)), kernels=("AUTO",))


NEAR_ZERO = np.asarray([-3e-4, -2e-7, -1e-30, 0, 1e-30, 1.2e-7, 3e-6, 2e-3, 0.3, 0.5], np.float32)
WIDE = np.asarray([-3e37, -1e20, -88.9, -30, -3, 1e-3, 2, 15, 88.9, 1e20, 3e37], np.float32)
EXACT: list[tuple[Any, Any]] = [
    (core.Log1p, np.append(NEAR_ZERO, [1e10, 2e38])),
    (core.Atanh, np.append(NEAR_ZERO, [-0.9999, 0.99999994])),
    (core.Asinh, NEAR_ZERO),
    (core.Asinh, WIDE),
    (core.Acosh, np.append(1 + np.abs(NEAR_ZERO), [1e10, 1e20, 2e38])),
    (core.Acosh, [0.999, 0.3, 0.0, -0.5, -1.0, -3.0, -700.0, -1e10, -2e38]),
    (core.Sinh, WIDE[2:-2]),
    (core.Cosh, WIDE[2:-2]),
    (core.Softplus, np.append(WIDE[3:-2], [-80, -13.7, -5, 1e-8])),
    (core.Rsqrt, [0.0, 1e-30, 4.0, 1e30]),
]


@pytest.mark.parametrize("cls, x", EXACT, ids=[c.name for c, _ in EXACT])
def test_functions_keep_relative_accuracy(cls: Any, x: Any) -> None:
    """Near 0, where LOG of XNNPACK loses it, and where a square or an exponential on the way would overflow.  float64
    is the truth.
    """
    array = np.asarray(x, np.float32)
    m = module(lambda b, v: b.emit(cls(v)).y, [array])
    wanted = np.asarray(next(iter(run_function(m.main, {"in0": array}).values())), np.float64)
    content = file_bytes(to_tfl(m))
    got = run_litert(content, [array])[0].astype(np.float64)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-37)


@pytest.mark.parametrize(("lo", "hi"), [(np.inf, np.inf), (-np.inf, -np.inf), (3.0, -np.inf)])
def test_bounds_that_leave_an_infinity(lo: float, hi: float) -> None:
    check(one(core.Clamp, np.asarray([-2, 0, 5, 1e30], np.float32), lo=lo, hi=hi))


@pytest.mark.parametrize("cls", [core.FloorDiv, core.FloorMod, core.Div], ids=lambda c: c.name)
def test_division_of_floats_by_zero(cls: Any) -> None:
    check(one(cls, np.asarray([1, -2, 0, 5], np.float32), np.asarray([0, 0, 0, 2], np.float32)), kernels=("AUTO",))


@pytest.mark.parametrize("dtype", [DType.U16, DType.I32, DType.F32])
def test_cast_of_complex_numbers(dtype: DType) -> None:
    check(
        Row(
            "cast",
            lambda b, x: b.emit(core.Cast(x, dtype=dtype)).y,
            (np.asarray([3 + 2j, -1 + 0.5j, -2.7j], np.complex64),),
        )
    )


def test_cast_saturating() -> None:
    x = np.asarray([-1000, -1.5, 3.7, 1000], np.float32)
    check(one(core.Cast, x, dtype=DType.I8, saturate=True))


def test_int64_division_is_exact() -> None:
    big = 2**40 + 12345
    a, b = np.asarray([big, -big, big * 3, 7, -7]), np.asarray([3, 3, 2**33 + 1, 2, 2])
    check(one(core.Div, a, b))
    check(one(core.FloorDiv, a, b))


@pytest.mark.parametrize("cls", [core.Div, core.FloorMod, core.Less, core.Maximum], ids=lambda c: c.name)
def test_large_uint64(cls: Any) -> None:
    a = np.asarray([2**64 - 1, 2**63, 2**63 - 1, 5, 2**64 - 1, 3], np.uint64)
    b = np.asarray([3, 2**63 + 1, 2**62, 2**64 - 1, 2**64 - 2, 1], np.uint64)
    check(one(cls, a, b))


def test_large_uint64_as_complex() -> None:
    check(one(core.Cast, np.asarray([2**64 - 1, 2**63, 2**63 - 1, 5], np.uint64), dtype=DType.C64))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS, "bool", "float64", "complex64"])
def test_select(dtype: str) -> None:
    check(one(core.Select, data("bool", 2, 3), data(dtype, 2, 3), data(dtype, 1, seed=1)))


@pytest.mark.parametrize(
    "lo, hi, kernel", [(0.0, np.inf, "RELU"), (0.0, 6.0, "RELU6"), (-1.0, 1.0, "RELU_N1_TO_1"), (0.5, 2.0, "MAXIMUM")]
)
def test_clamp(lo: float, hi: float, kernel: str) -> None:
    check(Row("clamp", lambda b, x: b.emit(core.Clamp(x, lo=lo, hi=hi)).y, (SMALL,), tfl=(kernel,)))


def test_activation_is_fused_when_it_is_the_only_use() -> None:
    row = Row(
        "fused",
        lambda b, x: b.emit(core.Clamp(b.emit(core.Add(x, x)).y, lo=0.0, hi=6.0)).y,
        (SMALL,),
        tfl=("ADD", "-RELU6"),
    )
    model = check(row)
    assert model.subgraphs[0].operators[0].options == {"fused_activation_function": 3}

    def two_uses(b: Any, x: Any) -> Any:
        total = b.emit(core.Add(x, x)).y
        return [total, b.emit(core.Clamp(total, lo=0.0, hi=6.0)).y]

    check(Row("two uses", two_uses, (SMALL,), tfl=("ADD", "RELU6")))


def test_more_dimensions_than_a_kernel_takes() -> None:
    a, b = data("float32", 2, 1, 2, 2, 3, 1, 2), data("float32", 2, 2, 3, 1, 2, seed=1)
    check(one(core.Add, a, b))
    check(one(core.FloorMod, np.abs(a) + 1, np.abs(b) + 1))


@pytest.mark.parametrize("cls", [core.Add, core.Sub, core.Mul, core.Div, core.Equal], ids=lambda c: c.name)
def test_complex(cls: Any) -> None:
    check(one(cls, data("complex64", 2, 3), data("complex64", 1, 3, seed=1)))


def test_power_of_constants() -> None:
    for exponent in (2.0, 0.5, 3.0, -1.0):
        check(Row("pow", lambda b, x, k=exponent: b.emit(core.Pow(x, const(b, k, "float32"))).y, (POSITIVE,)))
    half = lambda b, x: b.emit(core.Pow(x, const(b, 0.5, "float32"))).y  # noqa: E731
    check(Row("of integers", half, (np.asarray([0, 1, 2, 3, 8, 9, 24], np.int64),)))
    root = lambda b, x: b.emit(core.Pow(x, const(b, 0.5, "float32"))).y  # noqa: E731
    check(Row("no square root", root, (np.asarray([-np.inf, -0.0, 0.0, 4.0, -1.0], np.float32),)))


@pytest.mark.parametrize("dtype", ["int32", "int64", "int16"])
def test_integer_powers_are_exact(dtype: str) -> None:
    """Beyond the 24 bits of a float32; a negative exponent leaves -1 and 1."""
    a = np.asarray([7, -7, 3, 2, 11, -2, -1, 1, 5, -1], dtype)
    b = np.asarray([9, 9, 19, 30, 8, 31, -3, -2, -1, -4] if dtype != "int16" else [5, 5, 9, 14, 4, 15, -3, -2, -1, -4])
    if dtype == "int64":
        b[:4] = 20, 21, 39, 62
    check(one(core.Pow, a, b.astype(dtype)))
    for exponent in (0, 5):
        check(Row("pow", lambda e, x, k=exponent: e.emit(core.Pow(x, const(e, k, dtype))).y, (a[:6] % 4,)))


@pytest.mark.parametrize("cls", [core.And, core.Or], ids=lambda c: c.name)
def test_bits_of_one_number_and_of_an_open_vector(cls: Any) -> None:
    """A number that is not 0 is no condition that holds."""
    masked = lambda b, x: b.emit(cls(x, const(b, 12, "int32"))).y  # noqa: E731
    check(Row("masked", masked, (np.arange(9, 40, 3, dtype=np.int32),), shapes=((Dim.symbol("n"),),)), ("AUTO",))


def test_windows_of_open_videos(tmp_path: Path) -> None:
    """Eight dimensions, of which those beside one of an operand's ones are as one, known before run time or not."""
    nodes = [helper.make_node("Add", ["x", "bias"], ["b"]), helper.make_node("Mul", ["b", "rows"], ["y"])]
    constants = {"bias": numbers(3), "rows": numbers(2, 1, 1, 1, 1, 3)}
    proto = model(nodes, [value("x", ["N", "T", 2, "H", 4, "W", 4, 3])], [value("y")], constants)
    feeds = [{"x": numbers(n, t, 2, h, 4, w, 4, 3)} for n, t, h, w in ((1, 1, 1, 1), (2, 3, 1, 2), (1, 2, 4, 3))]
    agree_at_all_sizes(proto, feeds, tmp_path, 1e-6)


def test_outer_products_of_integers(tmp_path: Path) -> None:
    """Masks of blocks, as BigBird makes them by Einsum, are as many products as elements, at any size."""
    nodes = [
        helper.make_node("Cast", ["x"], ["i"], to=TensorProto.INT64),
        helper.make_node("Einsum", ["i", "i"], ["z"], equation="bnq,bnk->bnqk"),
        helper.make_node("Cast", ["z"], ["y"], to=TensorProto.FLOAT),
    ]
    proto = model(nodes, [value("x", ["B", "N", 5])], [value("y")])
    agree_at_all_sizes(proto, [{"x": numbers(b, n, 5)} for b, n in ((1, 1), (2, 7), (3, 4))], tmp_path, 0)
