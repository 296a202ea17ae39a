"""Elementwise functions as LLVM IR, for scalars and vectors alike.

float32 exp, log, tanh, sigmoid and erf are polynomials of this file (errors below are measured against float64 on dense
grids); other functions are libm's, one lane at a time.  The polynomials are Chebyshev fits, the rational ones fits by
weights that grow where the error is largest (Lawson 1961).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from mlconv.codegen.llvm import complexes, halves, helpers, integers
from mlconv.codegen.llvm.text import Builder
from mlconv.dialects.kernel import POLYNOMIAL
from mlconv.ir.dtypes import DType

TYPES = {
    DType.F64: "double",
    DType.F32: "float",
    DType.F16: "i16",
    DType.BF16: "i16",
    DType.C64: "i64",
    DType.C128: "i128",
    DType.I64: "i64",
    DType.U64: "i64",
    DType.I32: "i32",
    DType.U32: "i32",
    DType.I16: "i16",
    DType.U16: "i16",
    DType.I8: "i8",
    DType.U8: "i8",
    DType.BOOL: "i1",
}
_SUFFIX = {"double": "f64", "float": "f32"}
SMALL = (DType.F16, DType.BF16)  # bits in registers; computed in float32
_COMPARE = {
    "equal": ("oeq", "eq", "eq"),
    "not_equal": ("une", "ne", "ne"),
    "less": ("olt", "slt", "ult"),
    "less_equal": ("ole", "sle", "ule"),
}
_COMPARE |= {"greater": ("ogt", "sgt", "ugt"), "greater_equal": ("oge", "sge", "uge")}
_ARITHMETIC = {"add": ("fadd", "add"), "sub": ("fsub", "sub"), "mul": ("fmul", "mul"), "div": ("fdiv", "")}
_ARITHMETIC |= {name: ("", name) for name in ("and", "or", "xor")}
_LOGICAL = {"add": "or", "mul": "and", "maximum": "or", "minimum": "and", "sub": "xor"}  # on bool, as numpy
_ROUND = {"floor": "floor", "ceil": "ceil", "round": "roundeven", "trunc": "trunc", "sqrt": "sqrt", "abs": "fabs"}
Coefficients = tuple[float, ...]
# Rational approximations x P(x^2) / Q(x^2), fitted for the least relative error on [0, TANH_END] and [0, ERF_END],
# beyond which the value is 1.
TANH_END, ERF_END = 9.2, 4.0
TANH: tuple[Coefficients, Coefficients] = (
    (
        0.9999999916790986,
        0.13075404385654474,
        0.003094335879812903,
        1.1053419861263003e-05,
        -1.981421198829733e-08,
        5.0791530584045196e-11,
        -7.976365207302452e-14,
    ),
    (1.0, 0.4640872997493214, 0.0244568893673237, 0.00025321211330775516),
)
ERF: tuple[Coefficients, Coefficients] = (
    (
        1.1283791693675251,
        0.18520348540829065,
        0.05431690444963326,
        0.0038496172535608143,
        0.00037960725601788746,
        4.684727090936e-06,
        -1.320198699118324e-08,
    ),
    (1.0, 0.49746572920420595, 0.11395848817235758, 0.015462094911011252, 0.0013075689341174263, 6.31101065279778e-05),
)
LOG: Coefficients = (
    0.33333331190855303,
    -0.2499998904873629,
    0.20000707477771118,
    -0.16668480239212627,
    0.1424993654687141,
)
LOG += (-0.12411050694702144, 0.1166151096711454, -0.11571200634657841, 0.07149754024952765)
_MAGIC = 1.5 * 2**23  # added to a float32 it leaves the nearest integer in the low bits of the sum
EXP: Coefficients = (
    0.50000000142812,
    0.1666657340005648,
    0.04166645687314043,
    0.008363769614357728,
    0.0013934534192785895,
)


class Scalars:
    """Emits functions on values of `lanes` lanes (1: plain scalars)."""

    def __init__(self, b: Builder, lanes: int) -> None:
        self.b, self.lanes = b, lanes

    def type(self, dtype: DType) -> str:
        return self.wide(TYPES[dtype])

    def wide(self, base: str) -> str:
        return base if self.lanes == 1 else f"<{self.lanes} x {base}>"

    def splat(self, dtype: DType, scalar: str) -> str:
        """A scalar in every lane."""
        if self.lanes == 1:
            return scalar
        t = self.type(dtype)
        first = self.b.op(f"insertelement {t} poison, {TYPES[dtype]} {scalar}, i64 0")
        return self.b.op(f"shufflevector {t} {first}, {t} poison, <{self.lanes} x i32> zeroinitializer")

    def literal(self, dtype: DType, value: float) -> str:
        """A constant in every lane."""
        text = literal(dtype, value)
        return text if self.lanes == 1 else f"splat ({TYPES[dtype]} {text})"

    def intrinsic(self, name: str, dtype: DType, arguments: Sequence[str], flags: str = "") -> str:
        """Call of an intrinsic of one type; flags: fast-math flags."""
        t = self.type(dtype)
        base = TYPES[dtype]
        suffix = ("" if self.lanes == 1 else f"v{self.lanes}") + _SUFFIX.get(base, base)
        return self.b.call(t, f"llvm.{name}.{suffix}", [(t, a) for a in arguments], flags)

    def apply(self, opcode: str, dtype: DType, args: Sequence[str], types: Sequence[DType]) -> str:
        """opcode(args) with the result type `dtype`; types: those of args."""
        b, source = self.b, types[0]
        if opcode == "select":
            return b.op(
                f"select {self.wide('i1')} {args[0]}, {self.type(dtype)} {args[1]}, {self.type(dtype)} {args[2]}"
            )
        if opcode == "cast":
            return self.cast(args[0], source, dtype)
        if dtype in SMALL or any(t in SMALL for t in types):
            return self._through_float(opcode, dtype, args, types)
        if dtype.is_complex or source.is_complex:
            return complexes.apply(self, opcode, dtype, args, types)
        if dtype is DType.BOOL:
            opcode = _LOGICAL.get(opcode, opcode)
        elif opcode in integers.OPCODES and dtype.is_int:
            return integers.apply(self, opcode, dtype, args)
        if opcode in _COMPARE:
            code = _COMPARE[opcode][0 if source.is_float else 1 if source.is_signed_int else 2]
            return b.op(f"{'fcmp' if source.is_float else 'icmp'} {code} {self.type(source)} {args[0]}, {args[1]}")
        if opcode in _ARITHMETIC:
            return b.op(f"{_ARITHMETIC[opcode][0 if dtype.is_float else 1]} {self.type(dtype)} {args[0]}, {args[1]}")
        if opcode in ("maximum", "minimum"):
            if dtype.is_float:
                return self.intrinsic(opcode, dtype, args, "nsz ")  # which zero of two it is does not matter
            return self.intrinsic(("s" if dtype.is_signed_int else "u") + opcode[:3], dtype, args)
        if opcode == "saturate":
            return integers.saturated(self, *self._float32(args[0], source), dtype)
        if opcode == "cast_small":
            whole = self.intrinsic_to(
                f"fptosi.sat.{self.name(DType.I32)}.{self.name(source)}", DType.I32, source, args[0]
            )
            return self.cast(whole, DType.I32, dtype)
        if opcode == "neg":
            return b.op(
                f"fneg {self.type(dtype)} {args[0]}"
                if dtype.is_float
                else f"sub {self.type(dtype)} {self.literal(dtype, 0)}, {args[0]}"
            )
        if opcode == "not":
            return b.op(f"xor {self.type(dtype)} {args[0]}, {self.literal(dtype, 1 if dtype is DType.BOOL else -1)}")
        if opcode == "abs" and not dtype.is_float and not dtype.is_signed_int:
            return args[0]
        if opcode == "abs" and not dtype.is_float:
            negative = b.op(f"sub {self.type(dtype)} {self.literal(dtype, 0)}, {args[0]}")
            return self.apply("maximum", dtype, [args[0], negative], [dtype, dtype])
        if opcode in _ROUND:
            return self.intrinsic(_ROUND[opcode], dtype, args)
        return self.function(opcode, dtype, args)

    def _through_float(self, opcode: str, dtype: DType, args: Sequence[str], types: Sequence[DType]) -> str:
        """A function of small floats, computed in float32."""
        wide = [DType.F32 if t in SMALL else t for t in types]
        made = DType.F32 if dtype in SMALL else dtype
        y = self.apply(opcode, made, [self.cast(a, t, w) for a, t, w in zip(args, types, wide, strict=True)], wide)
        return self.cast(y, made, dtype)

    def _float32(self, x: str, dtype: DType) -> tuple[str, DType]:
        """A small float as float32."""
        return (self.cast(x, dtype, DType.F32), DType.F32) if dtype in SMALL else (x, dtype)

    def cast(self, x: str, source: DType, target: DType) -> str:
        """As numpy converts; floats to integers as C does by way of int64."""
        b = self.b
        if source is target:
            return x
        if target is DType.BOOL and not source.is_complex:
            x, source = self._float32(x, source)
            return b.op(
                f"{'fcmp une' if source.is_float else 'icmp ne'} {self.type(source)} {x}, {self.literal(source, 0)}"
            )
        if source.is_complex or target.is_complex:
            return complexes.cast(self, x, source, target)
        if source in SMALL:
            return self.cast(halves.widen(self, x, source), DType.F32, target)
        if target in SMALL:
            if source is not DType.F32:
                x = (
                    halves.rounded_to_odd(self, x)
                    if source is DType.F64 and target is DType.F16
                    else self.cast(x, source, DType.F32)
                )
            return halves.narrow(self, x, target)
        if source.is_float and target.is_float:
            return b.op(
                f"{'fpext' if source.bits < target.bits else 'fptrunc'} {self.type(source)} {x} to {self.type(target)}"
            )
        if source.is_float:
            return integers.from_float(self, x, source, target)
        signed = source.is_signed_int
        if target.is_float:
            return b.op(f"{'sitofp' if signed else 'uitofp'} {self.type(source)} {x} to {self.type(target)}")
        bits = 1 if source is DType.BOOL else source.bits
        if bits == target.bits:
            return x
        return b.op(
            f"{'trunc' if bits > target.bits else 'sext' if signed else 'zext'} "
            f"{self.type(source)} {x} to {self.type(target)}"
        )

    def name(self, dtype: DType) -> str:
        """The type as intrinsics spell it."""
        base = TYPES[dtype]
        return ("" if self.lanes == 1 else f"v{self.lanes}") + _SUFFIX.get(base, base)

    def intrinsic_to(self, name: str, target: DType, source: DType, x: str) -> str:
        return self.b.call(self.type(target), f"llvm.{name}", [(self.type(source), x)])

    def function(self, opcode: str, dtype: DType, args: Sequence[str]) -> str:
        if opcode in ("lgamma", "digamma"):
            wide_x = self.cast(args[0], dtype, DType.F64)
            return self.cast(helpers.call(self.b, f"mlc_{opcode}", "double", [wide_x]), DType.F64, dtype)
        if opcode in ("rem", "floor_mod"):
            return self._remainder(opcode, dtype, args)
        if opcode == "floor_div":
            return self.apply("floor", dtype, [self.binary("div", args[0], args[1], dtype)], [dtype])
        if opcode == "sigmoid" and dtype is DType.F64:
            e = self.function("exp", dtype, [self.apply("neg", dtype, args, [dtype])])
            return self.binary(
                "div", self.literal(dtype, 1), self.binary("add", e, self.literal(dtype, 1), dtype), dtype
            )
        if opcode in POLYNOMIAL and dtype is DType.F32:
            return {"exp": self.exp, "log": self.log, "tanh": self.tanh, "sigmoid": self.sigmoid, "erf": self.erf}[
                opcode
            ](args[0])
        t = TYPES[dtype]
        return self.b.call(t, opcode + ("f" if dtype is DType.F32 else ""), [(t, a) for a in args])

    def _remainder(self, opcode: str, dtype: DType, args: Sequence[str]) -> str:
        """C's fmod; floor_mod then moves it to the divisor's sign, as numpy.remainder does."""
        t = TYPES[dtype]
        left = self.b.call(t, "fmodf" if dtype is DType.F32 else "fmod", [(t, a) for a in args])
        if opcode == "rem":
            return left
        zero, booleans = self.literal(dtype, 0.0), [DType.BOOL, dtype, dtype]
        signs = [self.apply("less", DType.BOOL, [v, zero], [dtype] * 2) for v in (left, args[1])]
        apart = self.b.op(f"xor {self.wide('i1')} {signs[0]}, {signs[1]}")
        moved = self.apply("select", dtype, [apart, self.binary("add", left, args[1], dtype), left], booleans)
        none = self.apply("equal", DType.BOOL, [left, zero], [dtype] * 2)
        return self.apply("select", dtype, [none, self.intrinsic("copysign", dtype, [left, args[1]]), moved], booleans)

    # -- float32 polynomials -----------------------------------------------------------------------

    def binary(self, opcode: str, x: str, y: str, dtype: DType = DType.F32) -> str:
        return self.apply(opcode, dtype, [x, y], [dtype, dtype])

    def f(self, value: float) -> str:
        return self.literal(DType.F32, value)

    def fma(self, x: str, y: str, z: str) -> str:
        return self.intrinsic("fma", DType.F32, [x, y, z])

    def horner(self, x: str, coefficients: Sequence[float]) -> str:
        acc = self.f(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            acc = self.fma(acc, x, self.f(c))
        return acc

    def where(self, condition: str, x: str, y: str) -> str:
        return self.apply("select", DType.F32, [condition, x, y], [DType.BOOL, DType.F32, DType.F32])

    def below(self, x: str, limit: float) -> str:
        return self.apply("less", DType.BOOL, [x, self.f(limit)], [DType.F32, DType.F32])

    def limited(self, x: str, low: float, high: float) -> str:
        """x within [low, high]; NaN stays."""
        x = self.where(self.below(x, low), self.f(low), x)
        return self.where(self.apply("greater", DType.BOOL, [x, self.f(high)], [DType.F32] * 2), self.f(high), x)

    def _split(self, x: str) -> tuple[str, str]:
        """(bits of k + MAGIC, p(r)) where exp(x) = 2^k * p(r), r = x - k ln 2, |r| <= ln 2 / 2."""
        shifted = self.fma(x, self.f(1 / math.log(2)), self.f(_MAGIC))
        k = self.binary("sub", shifted, self.f(_MAGIC))
        r = self.fma(k, self.f(-0.693359375), x)
        r = self.fma(k, self.f(2.12194440e-4), r)
        p = self.fma(self.binary("mul", r, r), self.horner(r, EXP), self.binary("add", r, self.f(1.0)))
        return self.b.op(f"bitcast {self.type(DType.F32)} {shifted} to {self.type(DType.I32)}"), p

    def exp(self, x: str) -> str:
        """Below 2 ULP: infinity above 88.7, 0 below -104, NaN kept."""
        bits, p = self._split(self.limited(x, -104.0, 89.0))
        if self.b.scale and self.lanes == 16:
            return self._scaled(p, bits)
        # 2^k in two factors: k reaches -150, and one factor would not be a normal number
        t, ints = self.type(DType.I32), DType.I32
        (magic,) = struct.unpack("<i", struct.pack("<f", _MAGIC))
        n = self.b.op(f"sub {t} {bits}, {self.literal(ints, magic)}")
        half = self.b.op(f"ashr {t} {n}, {self.literal(ints, 1)}")
        for part in (half, self.b.op(f"sub {t} {n}, {half}")):
            power = self.b.op(
                f"shl {t} {self.b.op(f'add {t} {part}, {self.literal(ints, 127)}')}, {self.literal(ints, 23)}"
            )
            p = self.binary("mul", p, self.b.op(f"bitcast {t} {power} to {self.type(DType.F32)}"))
        return p

    def _scaled(self, p: str, bits: str) -> str:
        """p * 2^k by the instruction that AVX-512 has for it (Intel SDM, VSCALEFPS)."""
        ft, t = self.type(DType.F32), self.type(DType.I32)
        k = self.binary("sub", self.b.op(f"bitcast {t} {bits} to {ft}"), self.f(_MAGIC))
        arguments = [(ft, p), (ft, k), (ft, p), ("i16", "-1"), ("i32", "4")]  # all lanes, rounding as the mode says
        return self.b.call(ft, "llvm.x86.avx512.mask.scalef.ps.512", arguments)

    def exp_normal(self, x: str) -> str:
        """exp where neither x nor the result leaves the normal numbers: x within [-87, 88.3], or NaN."""
        bits, p = self._split(x)
        t, ft = self.type(DType.I32), self.type(DType.F32)
        power = self.b.op(f"shl {t} {bits}, {self.literal(DType.I32, 23)}")
        whole = self.b.op(f"bitcast {ft} {p} to {t}")
        return self.b.op(f"bitcast {t} {self.b.op(f'add {t} {whole}, {power}')} to {ft}")

    def log(self, x: str) -> str:
        """Below 3 ULP; -infinity at 0, NaN below."""
        t, ft = self.type(DType.I32), self.type(DType.F32)
        small = self.below(x, 1.17549435e-38)  # numbers that are not normal are made so
        bits = self.b.op(f"bitcast {ft} {self.where(small, self.binary('mul', x, self.f(2.0**23)), x)} to {t}")
        shifted = self.b.op(f"sub {t} {bits}, {self.literal(DType.I32, 0x3F3504F3)}")
        exponent = self.b.op(f"ashr {t} {shifted}, {self.literal(DType.I32, 23)}")
        kept = self.b.op(f"sub {t} {bits}, {self.b.op(f'shl {t} {exponent}, {self.literal(DType.I32, 23)}')}")
        m = self.binary("sub", self.b.op(f"bitcast {t} {kept} to {ft}"), self.f(1.0))
        k = self.binary("sub", self.cast(exponent, DType.I32, DType.F32), self.where(small, self.f(23.0), self.f(0.0)))
        square = self.binary("mul", m, m)
        y = self.fma(self.binary("mul", square, m), self.horner(m, LOG), self.binary("mul", k, self.f(-2.12194440e-4)))
        y = self.binary("add", self.fma(square, self.f(-0.5), y), m)
        y = self.fma(k, self.f(0.693359375), y)
        zero = self.apply("equal", DType.BOOL, [x, self.f(0.0)], [DType.F32] * 2)
        y = self.where(self.below(x, 0.0), self.f(math.nan), self.where(zero, self.f(-math.inf), y))
        ends = self.apply("less", DType.BOOL, [x, self.f(math.inf)], [DType.F32] * 2)
        return self.where(ends, y, x)  # infinity and NaN are their own logarithms

    def rational(self, x: str, coefficients: tuple[Coefficients, Coefficients], end: float) -> str:
        """x P(x^2) / Q(x^2) for x within [-end, end], limited to [-1, 1]; exactly 1 and -1 beyond, since gelu
        multiplies what is missing by x.
        """
        inner = self.limited(x, -end, end)
        u = self.binary("mul", inner, inner)
        over, under = (self.horner(u, c) for c in coefficients)
        y = self.limited(self.binary("div", self.binary("mul", inner, over), under), -1.0, 1.0)
        y = self.where(self.below(x, -end), self.f(-1.0), y)
        return self.where(self.apply("greater", DType.BOOL, [x, self.f(end)], [DType.F32] * 2), self.f(1.0), y)

    def tanh(self, x: str) -> str:
        """Below 6 ULP."""
        return self.rational(x, TANH, TANH_END)

    def sigmoid(self, x: str) -> str:
        """Below 4 ULP: 1 / (1 + exp(-x)); 0 below -88.3, where it is no normal number, since silu multiplies it by
        x.
        """
        e = self.exp_normal(self.limited(self.apply("neg", DType.F32, [x], [DType.F32]), -87.0, 88.3))
        y = self.binary("div", self.f(1.0), self.binary("add", e, self.f(1.0)))
        return self.where(self.below(x, -88.3), self.f(0.0), y)

    def erf(self, x: str) -> str:
        """Below 6 ULP."""
        return self.rational(x, ERF, ERF_END)


def literal(dtype: DType, value: float) -> str:
    """A number as LLVM text; floats as the hexadecimal of their double."""
    if dtype.is_complex:
        return complexes.literal(dtype, value)
    if not dtype.is_float:
        return str(int(value))
    if dtype in SMALL:
        return str(halves.bits(dtype, value))
    rounded = struct.unpack("<f", struct.pack("<f", value))[0] if dtype is DType.F32 and math.isfinite(value) else value
    return f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"
