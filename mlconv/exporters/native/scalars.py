"""Elementwise functions as LLVM IR, for scalars and vectors alike.

float32 exp, log, tanh, sigmoid and erf are polynomials of this file (errors below are measured against float64 on dense grids); other functions are
libm's, one lane at a time.  The polynomials are Chebyshev fits.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from mlconv.dialects.kernel import POLYNOMIAL
from mlconv.exporters.native.text import Builder
from mlconv.ir.dtypes import DType

TYPES = {
    DType.F64: "double", DType.F32: "float", DType.F16: "half", DType.I64: "i64", DType.U64: "i64", DType.I32: "i32", DType.U32: "i32",
    DType.I16: "i16", DType.U16: "i16", DType.I8: "i8", DType.U8: "i8", DType.BOOL: "i1",
}  # fmt: skip
_SUFFIX = {"double": "f64", "float": "f32", "half": "f16"}
_COMPARE = {"equal": ("oeq", "eq", "eq"), "not_equal": ("une", "ne", "ne"), "less": ("olt", "slt", "ult"), "less_equal": ("ole", "sle", "ule")}
_COMPARE |= {"greater": ("ogt", "sgt", "ugt"), "greater_equal": ("oge", "sge", "uge")}
_ARITHMETIC = {"add": ("fadd", "add"), "sub": ("fsub", "sub"), "mul": ("fmul", "mul"), "div": ("fdiv", "")}
_ARITHMETIC |= {name: ("", name) for name in ("and", "or", "xor")}
_ROUND = {"floor": "floor", "ceil": "ceil", "round": "roundeven", "trunc": "trunc", "sqrt": "sqrt", "abs": "fabs"}
Coefficients = tuple[float, ...]
TANH: Coefficients = (-0.33333333092361483, 0.1333329179692905, -0.05395654945833066, 0.021747512228080537, -0.008276035455693078, 0.002218285022020033)
ERF: Coefficients = (1.1283791670623609, -0.37612638475991583, 0.11283782622065379, -0.02686543831068032, 0.005221053412978721, -0.0008484396556940846)
ERF += (0.00011268253940578668, -9.673590947028872e-06)
ERFC: Coefficients = (0.00040050048145540455, -1.130604469306247, -0.6310888681832332, -0.11090741685033627, 0.02699949699808107, -0.005021044709264789)
ERFC += (0.0006733375366706245, -6.0068793660740625e-05, 3.095204438267961e-06, -6.58285704646971e-08)
LOG: Coefficients = (0.33333331190855303, -0.2499998904873629, 0.20000707477771118, -0.16668480239212627, 0.1424993654687141)
LOG += (-0.12411050694702144, 0.1166151096711454, -0.11571200634657841, 0.07149754024952765)
EXP: Coefficients = (0.50000000142812, 0.1666657340005648, 0.04166645687314043, 0.008363769614357728, 0.0013934534192785895)


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

    def intrinsic(self, name: str, dtype: DType, arguments: Sequence[str]) -> str:
        t = self.type(dtype)
        base = TYPES[dtype]
        suffix = ("" if self.lanes == 1 else f"v{self.lanes}") + _SUFFIX.get(base, base)
        return self.b.call(t, f"llvm.{name}.{suffix}", [(t, a) for a in arguments])

    def apply(self, opcode: str, dtype: DType, args: Sequence[str], types: Sequence[DType]) -> str:
        """opcode(args) with the result type `dtype`; types: those of args."""
        b, source = self.b, types[0]
        if opcode in _COMPARE:
            code = _COMPARE[opcode][0 if source.is_float else 1 if source.is_signed_int else 2]
            return b.op(f"{'fcmp' if source.is_float else 'icmp'} {code} {self.type(source)} {args[0]}, {args[1]}")
        if opcode in _ARITHMETIC:
            return b.op(f"{_ARITHMETIC[opcode][0 if dtype.is_float else 1]} {self.type(dtype)} {args[0]}, {args[1]}")
        if opcode == "select":
            return b.op(f"select {self.wide('i1')} {args[0]}, {self.type(dtype)} {args[1]}, {self.type(dtype)} {args[2]}")
        if opcode in ("maximum", "minimum"):
            kind = opcode[:3]
            return self.intrinsic(opcode if dtype.is_float else ("s" if dtype.is_signed_int else "u") + kind, dtype, args)
        if opcode == "cast":
            return self.cast(args[0], source, dtype)
        if opcode == "neg":
            return b.op(f"fneg {self.type(dtype)} {args[0]}" if dtype.is_float else f"sub {self.type(dtype)} {self.literal(dtype, 0)}, {args[0]}")
        if opcode == "not":
            return b.op(f"xor {self.type(dtype)} {args[0]}, {self.literal(dtype, 1 if dtype is DType.BOOL else -1)}")
        if opcode == "abs" and not dtype.is_float:
            negative = b.op(f"sub {self.type(dtype)} {self.literal(dtype, 0)}, {args[0]}")
            return self.apply("maximum", dtype, [args[0], negative], [dtype, dtype])
        if opcode in _ROUND:
            return self.intrinsic(_ROUND[opcode], dtype, args)
        return self.function(opcode, dtype, args)

    def cast(self, x: str, source: DType, target: DType) -> str:
        """As numpy converts; floats to integers by way of int64, truncated and wrapped."""
        b = self.b
        if source is target:
            return x
        if target is DType.BOOL:
            return b.op(f"{'fcmp une' if source.is_float else 'icmp ne'} {self.type(source)} {x}, {self.literal(source, 0)}")
        if source.is_float and target.is_float:
            return b.op(f"{'fpext' if source.bits < target.bits else 'fptrunc'} {self.type(source)} {x} to {self.type(target)}")
        if source.is_float:
            wide = DType.I32 if target.bits < 32 else DType.I64
            whole = self.intrinsic_to(f"fptosi.sat.{self.name(wide)}.{self.name(source)}", wide, source, x)
            return self.cast(whole, wide, target)
        signed = source.is_signed_int
        if target.is_float:
            return b.op(f"{'sitofp' if signed else 'uitofp'} {self.type(source)} {x} to {self.type(target)}")
        bits = 1 if source is DType.BOOL else source.bits
        if bits == target.bits:
            return x
        return b.op(f"{'trunc' if bits > target.bits else 'sext' if signed else 'zext'} {self.type(source)} {x} to {self.type(target)}")

    def name(self, dtype: DType) -> str:
        """The type as intrinsics spell it."""
        base = TYPES[dtype]
        return ("" if self.lanes == 1 else f"v{self.lanes}") + _SUFFIX.get(base, base)

    def intrinsic_to(self, name: str, target: DType, source: DType, x: str) -> str:
        return self.b.call(self.type(target), f"llvm.{name}", [(self.type(source), x)])

    def function(self, opcode: str, dtype: DType, args: Sequence[str]) -> str:
        if dtype is DType.F16:
            wide = [self.cast(a, DType.F16, DType.F32) for a in args]
            return self.cast(self.function(opcode, DType.F32, wide), DType.F32, DType.F16)
        if opcode == "sigmoid" and dtype is DType.F64:
            e = self.function("exp", dtype, [self.apply("neg", dtype, args, [dtype])])
            return self.binary("div", self.literal(dtype, 1), self.binary("add", e, self.literal(dtype, 1), dtype), dtype)
        if opcode in POLYNOMIAL and dtype is DType.F32:
            return {"exp": self.exp, "log": self.log, "tanh": self.tanh, "sigmoid": self.sigmoid, "erf": self.erf}[opcode](args[0])
        t = TYPES[dtype]
        return self.b.call(t, opcode + ("f" if dtype is DType.F32 else ""), [(t, a) for a in args])

    # -- float32 polynomials ---------------------------------------------------------------------------------------------------------

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

    def exp(self, x: str) -> str:
        """Below 2 ULP: 2^k * p(r), r = x - k ln 2; infinity above 88.7, 0 below -104, NaN kept."""
        low = self.where(self.below(x, -104.0), self.f(-104.0), x)
        x = self.where(self.apply("greater", DType.BOOL, [low, self.f(89.0)], [DType.F32] * 2), self.f(89.0), low)
        k = self.intrinsic("roundeven", DType.F32, [self.binary("mul", x, self.f(1 / math.log(2)))])
        r = self.fma(k, self.f(-0.693359375), x)
        r = self.fma(k, self.f(2.12194440e-4), r)
        p = self.fma(self.binary("mul", r, r), self.horner(r, EXP), self.binary("add", r, self.f(1.0)))
        # 2^k in two factors: k reaches -150, and one factor would not be a normal number
        n = self.intrinsic_to(f"fptosi.sat.{self.name(DType.I32)}.{self.name(DType.F32)}", DType.I32, DType.F32, k)
        t = self.type(DType.I32)
        half = self.b.op(f"ashr {t} {n}, {self.literal(DType.I32, 1)}")
        rest = self.b.op(f"sub {t} {n}, {half}")
        for part in (half, rest):
            bits = self.b.op(f"shl {t} {self.b.op(f'add {t} {part}, {self.literal(DType.I32, 127)}')}, {self.literal(DType.I32, 23)}")
            p = self.binary("mul", p, self.b.op(f"bitcast {t} {bits} to {self.type(DType.F32)}"))
        return p

    def log(self, x: str) -> str:
        """Below 3 ULP for normal numbers; subnormal ones count as the smallest normal one; -infinity at 0, NaN below."""
        t, ft = self.type(DType.I32), self.type(DType.F32)
        tiny = self.where(self.below(x, 1.17549435e-38), self.f(1.17549435e-38), x)
        bits = self.b.op(f"bitcast {ft} {tiny} to {t}")
        shifted = self.b.op(f"sub {t} {bits}, {self.literal(DType.I32, 0x3F3504F3)}")
        exponent = self.b.op(f"ashr {t} {shifted}, {self.literal(DType.I32, 23)}")
        kept = self.b.op(f"sub {t} {bits}, {self.b.op(f'shl {t} {exponent}, {self.literal(DType.I32, 23)}')}")
        m = self.binary("sub", self.b.op(f"bitcast {t} {kept} to {ft}"), self.f(1.0))
        k = self.cast(exponent, DType.I32, DType.F32)
        square = self.binary("mul", m, m)
        y = self.fma(self.binary("mul", square, m), self.horner(m, LOG), self.binary("mul", k, self.f(-2.12194440e-4)))
        y = self.binary("add", self.fma(square, self.f(-0.5), y), m)
        y = self.fma(k, self.f(0.693359375), y)
        zero = self.apply("equal", DType.BOOL, [x, self.f(0.0)], [DType.F32] * 2)
        y = self.where(self.below(x, 0.0), self.f(math.nan), self.where(zero, self.f(-math.inf), y))
        ends = self.apply("less", DType.BOOL, [x, self.f(math.inf)], [DType.F32] * 2)
        return self.where(ends, y, x)  # infinity and NaN are their own logarithms

    def tanh(self, x: str) -> str:
        """Below 4 ULP: odd polynomial up to 0.65, then 1 - 2 / (exp(2|x|) + 1)."""
        a = self.intrinsic("fabs", DType.F32, [x])
        u = self.binary("mul", x, x)
        small = self.fma(self.binary("mul", u, x), self.horner(u, TANH), x)
        e = self.exp(self.binary("mul", a, self.f(2.0)))
        large = self.binary("sub", self.f(1.0), self.binary("div", self.f(2.0), self.binary("add", e, self.f(1.0))))
        return self.where(self.below(a, 0.65), small, self.intrinsic("copysign", DType.F32, [large, x]))

    def sigmoid(self, x: str) -> str:
        """Below 4 ULP: 1 / (1 + exp(-x))."""
        e = self.exp(self.apply("neg", DType.F32, [x], [DType.F32]))
        return self.binary("div", self.f(1.0), self.binary("add", e, self.f(1.0)))

    def erf(self, x: str) -> str:
        """Below 4 ULP: odd polynomial up to 1, then 1 - exp(p(|x|)) up to 4, where it is 1."""
        a = self.intrinsic("fabs", DType.F32, [x])
        u = self.binary("mul", x, x)
        small = self.binary("mul", x, self.horner(u, ERF))
        top = self.where(self.apply("greater", DType.BOOL, [a, self.f(4.0)], [DType.F32] * 2), self.f(4.0), a)
        large = self.binary("sub", self.f(1.0), self.exp(self.horner(top, ERFC)))
        return self.where(self.below(a, 1.0), small, self.intrinsic("copysign", DType.F32, [large, x]))


def literal(dtype: DType, value: float) -> str:
    """A number as LLVM text; floats as the hexadecimal of their double."""
    if not dtype.is_float:
        return str(int(value))
    if dtype is DType.F16:
        return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
    rounded = struct.unpack("<f", struct.pack("<f", value))[0] if dtype is DType.F32 and math.isfinite(value) else value
    return f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"
