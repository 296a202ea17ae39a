"""Every element type: functions, casts, reductions, data movement and products against the interpreter, edges of the
types included.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import numpy as np
import pytest

import mlconv
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from tests.support.modules import const, module
from tests.support.native import (
    ALL,
    COMPLEX,
    FLOATS,
    INTEGERS,
    InProcess,
    check,
    check_all,
    data,
    needs_cc,
    to_object,
)

pytestmark = needs_cc
CPUS = ["x86-64", "x86-64-v3"]
Make = Callable[[Builder, Value], Value]


UNARY = {
    "float": "Neg Abs Sign Exp Expm1 Log Log1p Sqrt Rsqrt Sin Cos Tan Asin Acos Atan "
    "Sinh Cosh Tanh Asinh Acosh Atanh Erf Erfc Lgamma Digamma Floor Ceil "
    "Round Sigmoid Softplus HardSwish Elu IsNan IsInf IsFinite",
    "int": "Neg Abs Sign BitwiseNot IsNan IsInf IsFinite",
    "complex": "Neg Abs Sign Exp Expm1 Log Log1p Sqrt Rsqrt Sin Cos Tan Sinh Cosh Tanh Sigmoid",
    "bool": "LogicalNot",
}
BINARY = {
    "float": "Add Sub Mul Div FloorDiv FloorMod Rem Pow Maximum Minimum "
    "Atan2 Equal NotEqual Less LessEqual Greater GreaterEqual",
    "int": "Add Sub Mul Div FloorDiv FloorMod Rem Maximum Minimum And "
    "Or Xor Equal NotEqual Less LessEqual Greater GreaterEqual",
    "complex": "Add Sub Mul Div Pow Equal NotEqual",
    "bool": "And Or Xor Maximum Minimum Equal NotEqual Less GreaterEqual",
}


def kind(name: str) -> str:
    return "float" if name in FLOATS else "complex" if name in COMPLEX else "bool" if name == "bool" else "int"


@pytest.mark.share(4)
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("name", ALL)
def test_functions(name: str, cpu: str, tmp_path: pathlib.Path) -> None:
    x, y = data(name, 3, 19, edges=True), data(name, 3, 19, edges=True, seed=4)[:, ::-1].copy()
    if kind(name) == "int":
        # the divisors of the edges
        y.reshape(-1)[:8] = np.array([0, 1, 0, 2, -1 if name[0] == "i" else 5, 3, 1, 0]).astype(y.dtype)
    unary = [lambda b, v, w, c=getattr(core, c): b.emit(c(v)).y for c in UNARY[kind(name)].split()]
    binary = [lambda b, v, w, c=getattr(core, c): b.emit(c(v, w)).y for c in BINARY[kind(name)].split()]
    check_all(
        [*unary, *binary],
        [x, y],
        tmp_path,
        cpu,
        {"complex64": 1e-4, "complex128": 1e-10, "float64": 1e-12}.get(name, 2e-5),
    )


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_elu_of_halves_near_zero(name: str, tmp_path: pathlib.Path) -> None:
    """What e^x - 1 leaves near 0 is not lost to a rounding of e^x."""
    x = -np.linspace(1e-3, 0.1, 32).astype(DType.from_numpy(name).numpy)
    net = to_object(module(lambda b, v: b.emit(core.Elu(v)).y, [x]), tmp_path / "m.o", "x86-64-v3")
    y = mlconv.load_native(net).run({"in0": x})["out0"].astype(np.float64)
    np.testing.assert_allclose(y, np.expm1(x.astype(np.float64)), rtol=1 / 128 if name == "bfloat16" else 1e-3)


@pytest.mark.parametrize("name", INTEGERS)
def test_shifts_and_powers(name: str, tmp_path: pathlib.Path) -> None:
    """Amounts of the width and more; powers wrap."""
    x, amounts = data(name, 40, edges=True), np.arange(40).astype(DType.from_numpy(name).numpy) * 2
    ops = (core.ShiftLeft, core.ShiftRight, core.Pow)
    check_all([lambda b, v, w, c=c: b.emit(c(v, w)).y for c in ops], [x, amounts], tmp_path)


@pytest.mark.parametrize("name", INTEGERS)
def test_shifts_by_known_amounts(name: str, tmp_path: pathlib.Path) -> None:
    x, bits = data(name, 40, edges=True), DType.from_numpy(name).bits
    amounts = [0, 3, bits - 1, bits, 127] + ([-1, -128] if DType.from_numpy(name).is_signed_int else [])
    makes = [
        lambda b, v, c=c, n=n: b.emit(c(v, const(b, np.array(n, x.dtype)))).y
        for c in (core.ShiftLeft, core.ShiftRight)
        for n in amounts
    ]
    check_all(makes, [x], tmp_path)


@pytest.mark.share(4)
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("name", ALL)
def test_casts(name: str, cpu: str, tmp_path: pathlib.Path) -> None:
    """To every type, plain and saturating, from numbers that do not fit as well."""
    x = data(name, 37, edges=True)
    if name in FLOATS:
        rest = [1e3, -1e3, 200.7, -200.7, 40000.5, 3e9, -3e9, 65519, 65520, 1e-7, 6e-8, -2.5]
        with np.errstate(over="ignore"):
            # without infinities and NaN, whose integers are not defined
            x = np.concatenate([x, np.array(rest).astype(x.dtype)])
        x = x[np.isfinite(x.astype(np.float64))]
    makes = []
    for target in ALL:
        for saturate in (False, True):
            if target != "uint64" or saturate or name not in FLOATS:  # negative to unsigned 64 bits: not defined
                makes.append(
                    lambda b, v, t=target, s=saturate: b.emit(core.Cast(v, dtype=DType.from_numpy(t), saturate=s)).y
                )
    check_all(makes, [x], tmp_path, cpu)


def test_double_to_half_is_rounded_once(tmp_path: pathlib.Path) -> None:
    """Halfway cases of float16 that float32 cannot tell from their neighbours."""
    halves = np.float16(1) + np.arange(200).astype(np.float64) * 2.0**-11
    x = np.concatenate(
        [halves + s * 2.0**-40 for s in (-1, 0, 1)] + [halves * 2.0**-15 + s * 2.0**-55 for s in (-1, 0, 1)]
    )
    for cpu in CPUS:
        m = module(lambda b, v: b.emit(core.Bitcast(b.emit(core.Cast(v, dtype=DType.F16)).y, dtype=DType.U16)).y, [x])
        check(m, [x], tmp_path, cpu)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", ALL)
def test_reductions(name: str, tmp_path: pathlib.Path) -> None:
    """Along inner, middle and no elements."""
    names = {"complex": "ReduceSum ReduceProd", "bool": "ReduceSum ReduceProd ReduceMax ReduceMin ReduceAny ReduceAll"}
    chosen = names.get(kind(name), "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd").split()
    x, empty = data(name, 3, 17, 5), data(name, 3, 0, 2)
    makes = [
        lambda b, v, w, c=getattr(core, c), a=a: b.emit(c(v, axes=a)).y for c in chosen for a in ((1,), (2,), (0, 1, 2))
    ]
    makes += [
        lambda b, v, w, c=getattr(core, c): b.emit(c(w, axes=(1,), keepdims=True)).y
        for c in chosen
        if c != "ReduceMean"
    ]
    if kind(name) != "complex":
        makes += [
            lambda b, v, w, c=c, last=last: b.emit(c(v, axis=1, select_last=last)).y
            for c in (core.ArgMax, core.ArgMin)
            for last in (False, True)
        ]
    if kind(name) == "float":
        makes += [lambda b, v, w, c=c: b.emit(c(v, axis=1)).y for c in (core.Softmax, core.LogSoftmax)]
    check_all(makes, [x, empty], tmp_path)


@pytest.mark.parametrize("name", ALL)
def test_data_movement(name: str, tmp_path: pathlib.Path) -> None:
    x, index = data(name, 3, 4, 5, edges=name not in COMPLEX), np.array([[0, 2, -1], [1, 1, 3]], np.int32)

    makes: list[Callable[[Builder, Value, Value], Value]] = [
        lambda b, v, i: b.emit(core.Transpose(v, perm=(2, 0, 1))).y,
        lambda b, v, i: b.emit(core.Slice(v, const(b, [0, 3, -1]), const(b, [3, 0, 0]), const(b, [2, -1, -2]))).y,
        lambda b, v, i: b.emit(core.Pad(v, const(b, [[1, 0], [0, 2], [-1, 1]]), const(b, data(name, 1)[0]))).y,
        lambda b, v, i: b.emit(core.Gather(v, i, axis=1)).y,
        lambda b, v, i: b.emit(core.GatherNd(v, const(b, np.zeros((2, 0), np.int64)))).y,
        lambda b, v, i: b.emit(core.Concat([v, v], axis=1)).y,
        lambda b, v, i: b.emit(core.Select(const(b, data("bool", 3, 4, 5)), v, const(b, data(name, 5)))).y,
        lambda b, v, i: b.emit(core.ReverseSequence(v, const(b, np.array([0, 4, 2])), time_axis=1, batch_axis=0)).y,
        lambda b, v, i: (
            b.emit(
                core.OneHot(i, const(b, np.int32(4)), const(b, data(name, 1)[0]), const(b, data(name, 1, seed=5)[0]))
            ).y
        ),
        lambda b, v, i: b.emit(core.Bitcast(v, dtype=DType.U8)).y,
    ]
    check_all(makes, [x, index], tmp_path)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", [n for n in ALL if n != "bool"])
def test_products(name: str, tmp_path: pathlib.Path) -> None:
    x, w = data(name, 2, 6, 5, 4), data(name, 3, 2, 2, 8)
    window = {"strides": (2, 1), "pads": ((1, 0), (1, 1)), "dilations": (1, 1)}
    makes: list[Make] = [
        lambda b, v: b.emit(core.MatMul(v, const(b, data(name, 4, 7)))).y,
        lambda b, v: b.emit(core.MatMul(v, v, transpose_b=True)).y,
        lambda b, v: b.emit(core.Conv(v, const(b, w), const(b, data(name, 8)), groups=2, **window)).y,
        lambda b, v: b.emit(core.Conv(v, const(b, data(name, 3, 2, 4, 3)), None, **window)).y,
        lambda b, v: (
            b.emit(
                core.ConvTranspose(v, const(b, data(name, 3, 2, 3, 4)), None, output_pads=(1, 0), groups=2, **window)
            ).y
        ),
    ]
    if name not in COMPLEX:
        makes.append(
            lambda b, v: (
                b.emit(
                    core.MaxPool(
                        v, window=(3, 2), strides=(2, 2), pads=((1, 1), (0, 1)), dilations=(1, 1), ceil_mode=True
                    )
                ).y
            )
        )
        makes.append(
            lambda b, v: (
                b.emit(core.AvgPool(v, window=(3, 2), strides=(2, 2), pads=((1, 1), (0, 1)), dilations=(1, 1))).y
            )
        )
        makes.append(lambda b, v: b.emit(core.Clamp(v, lo=0.0, hi=6.0)).y)
    check_all(makes, [x], tmp_path, tolerance=1e-4 if kind(name) != "float" else 2e-5)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS])
def test_resampling(name: str, tmp_path: pathlib.Path) -> None:
    x = (np.random.default_rng(1).random((1, 7, 5, 2)) * 100).astype(DType.from_numpy(name).numpy)
    roi = ((0.2, 1.3), (-0.1, 0.5))
    forms = [{"mode": m, "antialias": a} for m in ("nearest", "linear", "cubic") for a in (False, True)]
    forms.append({"coordinates": "tf_crop_and_resize", "roi": roi, "extrapolation": 7.0})
    makes = []
    for form in forms:
        makes.append(
            lambda b, v, f=form: (
                b.emit(core.Cast(b.emit(core.Resize(v, const(b, [3, 9]), axes=(1, 2), **f)).y, dtype=DType.F64)).y
            )
        )
    loose = {"float16": 2e-3, "bfloat16": 1e-2}.get(name, 2e-5)
    # a half may be rounded either way: 1 of 100
    check_all(makes, [x], tmp_path, tolerance=0.012 if name in INTEGERS else loose)


@pytest.mark.parametrize("stored", ["int8", "uint8", "int16", "uint16", "int32"])
def test_quantization(stored: str, tmp_path: pathlib.Path) -> None:
    dtype = DType.from_numpy(stored)
    points = (0, 0 if stored == "int32" else 1)
    x = data("float32", 20, 2)

    def typed(expressed: DType) -> QuantType:
        return QuantType.of(dtype, (0.05, 0.1), points, 1, expressed)

    def integers(b: Builder, v: Value) -> Value:
        return b.emit(core.StorageCast(b.emit(core.Quantize(v, element=typed(DType.F32))).y, element=dtype)).y

    makes: list[Make] = [integers]
    for name in FLOATS:
        element = typed(DType.from_numpy(name))
        makes.append(
            lambda b, v, e=element: b.emit(core.Dequantize(b.emit(core.StorageCast(integers(b, v), element=e)).y)).y
        )
    check_all(makes, [x], tmp_path)


NARROW = [DType.I4, DType.U4, DType.I2, DType.U2]


@pytest.mark.parametrize("narrow", NARROW, ids=lambda d: d.display)
def test_integers_below_a_byte(narrow: DType, tmp_path: pathlib.Path) -> None:
    """Inside of a model: constants, casts that wrap, quantization, data movement."""
    x = np.linspace(-20, 20, 81).astype(np.float32)
    q = QuantType.of(narrow, 0.5, 1)
    stored = np.arange(81).astype(narrow.numpy)

    def weights(b: Builder) -> Value:
        return b.emit(core.Constant(value=make_const(stored, narrow))).y

    def as_quantized(b: Builder) -> Value:
        return b.emit(core.StorageCast(weights(b), element=q)).y

    def plain(b: Builder, v: Value) -> Value:
        return b.emit(core.Cast(v, dtype=DType.F32)).y

    makes: list[Make] = [
        lambda b, v: plain(b, b.emit(core.Cast(v, dtype=narrow)).y),
        lambda b, v: plain(b, b.emit(core.Reverse(weights(b), axes=(0,))).y),
        lambda b, v: b.emit(core.Dequantize(b.emit(core.Quantize(v, element=q)).y)).y,
        lambda b, v: b.emit(core.Mul(v, b.emit(core.Dequantize(as_quantized(b))).y)).y,
    ]
    check_all(makes, [x], tmp_path)


REFUSED: list[tuple[str, Make]] = [
    ("complex64", lambda b, v: b.emit(core.Maximum(v, v)).y),
    ("complex64", lambda b, v: b.emit(core.TopK(v, const(b, np.int64(1)))).values),
    ("bool", lambda b, v: b.emit(core.Neg(v)).y),
    ("complex128", lambda b, v: b.emit(core.Erf(v)).y),
    ("float32", lambda b, v: b.emit(core.ReduceAny(v, axes=(0,))).y),
    ("float32", lambda b, v: b.emit(core.Cast(v, dtype=DType.I4)).y),
]


@pytest.mark.parametrize("name,make", REFUSED)
def test_functions_without_meaning_are_refused(name: str, make: Make, tmp_path: pathlib.Path) -> None:
    x = data(name, 3)
    with pytest.raises(ConversionError) as error:
        check(module(make, [x]), [x], tmp_path)
    assert error.value.diagnostics[0].code is Code.TargetLacksType


@pytest.mark.parametrize("name", FLOATS)
def test_hard_swish_up_to_the_largest_number(name: str, tmp_path: pathlib.Path) -> None:
    top = np.finfo(np.float64 if name == "float64" else np.float16 if name == "float16" else np.float32).max
    x = np.asarray([top * 0.99, top / 5, -top / 5, -3, 3, 0, 1, -2], np.float64).astype(DType.from_numpy(name).numpy)
    check_all(
        [lambda b, v: b.emit(core.HardSwish(v)).y],
        [x],
        tmp_path,
        tolerance=1e-2 if DType.from_numpy(name).bits < 32 else 2e-5,
    )


@pytest.mark.parametrize("cpu", host_cpus())
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_floats_as_int64(name: str, cpu: str, tmp_path: pathlib.Path) -> None:
    """What does not fit, and NaN, is the smallest integer.  The conversion is the machine's."""
    edges = [0, -0.0, 0.75, -1.5, 2.0**62, -(2.0**63), 2.0**63, -(2.0**64), 1e30, np.inf, -np.inf, np.nan]
    x = np.tile(np.asarray([*edges, np.nextafter(np.asarray(2.0**63, name), 0)], name), 3)
    expected = np.asarray([int(v) if abs(v) < 2.0**63 else -(1 << 63) for v in x.astype(np.float64)], np.int64)
    m = module(lambda b, v: b.emit(core.Cast(v, dtype=DType.I64)).y, [x])
    path = to_object(m, tmp_path / "m.o", cpu, listings=("llvm",))
    np.testing.assert_array_equal(InProcess(path).call([x])[1][0], expected)
    (listing,) = tmp_path.glob("*.ll")
    assert "fptosi.sat" not in listing.read_text()
