"""Elementwise functions as LLVM IR, for scalars and vectors alike.

float32 exp, log, tanh, sigmoid and erf are polynomials of this file (errors below are measured against float64 on dense
grids), sines and their inverses those of `circular`; other functions are libm's, one lane at a time.  The polynomials
are Chebyshev fits, the rational ones fits by weights that grow where the error is largest (Lawson 1961).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from mlconv.codegen.llvm.lanes import MAGIC, Lanes
from mlconv.codegen.llvm.literals import SMALL, wrapped
from mlconv.codegen.llvm.types import BFLOAT, I16, I32, TYPES, Literal, Value, integer
from mlconv.dialects.kernel import POLYNOMIAL
from mlconv.ir.dtypes import DType

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
_BIAS = 127  # of exponents of float32
_ROUND = {"floor": "floor", "ceil": "ceil", "round": "roundeven", "trunc": "trunc", "sqrt": "sqrt", "abs": "fabs"}
Coefficients = tuple[float, ...]
# Rational approximations x P(x^2) / Q(x^2), fitted for the least relative error on [0, 9.2] and [0, 4].  At the ends,
# beyond which the value is 1, they give no less than 1 in float32, with fused sums and without.
TANH_END, ERF_END = 9.25, 4.09375
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
EXP: Coefficients = (
    0.50000000142812,
    0.1666657340005648,
    0.04166645687314043,
    0.008363769614357728,
    0.0013934534192785895,
)

_GUARDED = frozenset({"div", "rem", "floor_div", "floor_mod", "shl", "shr", "pow"})
"""Functions of integers that `integers` has, with a meaning for every operand."""


class Scalars(Lanes):
    """Emits functions on values of `lanes` lanes (1: plain scalars)."""

    def apply(self, opcode: str, dtype: DType, args: Sequence[Value], types: Sequence[DType]) -> Value:
        """opcode(args) with the result type `dtype`; types: those of args."""
        b, source = self.b, types[0]
        if opcode == "select":
            return b.select(*args)
        if opcode == "factor":
            return self._factor(args[0])
        if opcode == "cast":
            return self.cast(args[0], source, dtype)
        if dtype in SMALL or source in SMALL or types[-1] in SMALL:
            return self._through_float(opcode, dtype, args, types)
        if dtype.is_complex or source.is_complex:
            from mlconv.codegen.llvm import complexes

            return complexes.apply(self, opcode, dtype, args, types)
        if dtype is DType.BOOL:
            opcode = _LOGICAL.get(opcode, opcode)
        elif opcode in _GUARDED and dtype.is_int:
            from mlconv.codegen.llvm import integers

            return integers.apply(self, opcode, dtype, args)
        if opcode in _COMPARE:
            ordered, signed, unsigned = _COMPARE[opcode]
            if source.is_float:
                return b.fcmp(ordered, *args)
            return b.icmp(signed if source.is_signed_int else unsigned, *args)
        if opcode in _ARITHMETIC:
            return b.binary(_ARITHMETIC[opcode][0 if dtype.is_float else 1], *args)
        if opcode == "greatest":
            if not b.cpu.maximum:
                return b.select(b.fcmp("ogt", args[1], args[0]), args[1], args[0])
            opcode = "maximum"
        if opcode in ("maximum", "minimum"):
            if dtype.is_float:
                return self.intrinsic(opcode, dtype, args, "nsz ")  # which zero of two it is does not matter
            return self.intrinsic(("s" if dtype.is_signed_int else "u") + opcode[:3], dtype, args)
        if opcode == "saturate":
            from mlconv.codegen.llvm import integers

            return integers.saturated(self, self._float32(args[0], source)[0], dtype)
        if opcode == "cast_small":
            return self.cast(self.saturated("fptosi", args[0], DType.I32), DType.I32, dtype)
        if opcode == "nearest":
            return self._nearest(args[0], dtype)
        if opcode == "neg":
            return b.fneg(args[0]) if dtype.is_float else b.sub(self.literal(dtype, 0), args[0])
        if opcode == "not":
            return b.xor(args[0], self.literal(dtype, 1 if dtype is DType.BOOL else -1))
        if opcode == "abs" and not dtype.is_float and not dtype.is_signed_int:
            return args[0]
        if opcode == "abs" and not dtype.is_float:
            return self.apply("maximum", dtype, [args[0], b.sub(self.literal(dtype, 0), args[0])], [dtype, dtype])
        if opcode in _ROUND:
            return self.intrinsic(_ROUND[opcode], dtype, args)
        return self.function(opcode, dtype, args)

    def _nearest(self, x: Value, dtype: DType) -> Value:
        """The integer next to x, halves to even, in the low bits of a sum; |x| < 2^22.  The 22 lowest bits of what is
        added are zeros, so that a narrow integer is cut out of the sum.
        """
        bits = self.b.bitcast(self.b.fadd(x, self.f(MAGIC)), self.type(DType.I32))
        if dtype is not DType.I32:
            return self.b.convert("trunc", bits, self.type(dtype))
        (magic,) = struct.unpack("<i", struct.pack("<f", MAGIC))
        return self.b.sub(bits, self.i(magic))

    def _factor(self, x: Value) -> Value:
        """The nearest bfloat16, by an instruction for so many lanes where there is one."""
        row = next((i for i in self.b.cpu.factors if i.lanes == self.lanes), None)
        if row is None:
            return self.cast(x, DType.F32, DType.BF16)
        return self.b.bitcast(self.b.call(self.wide(BFLOAT), row.intrinsic, [x]), self.wide(I16))

    def _through_float(self, opcode: str, dtype: DType, args: Sequence[Value], types: Sequence[DType]) -> Value:
        """A function of small floats, computed in float32."""
        wide = [DType.F32 if t in SMALL else t for t in types]
        made = DType.F32 if dtype in SMALL else dtype
        y = self.apply(opcode, made, [self.cast(a, t, w) for a, t, w in zip(args, types, wide, strict=True)], wide)
        return self.cast(y, made, dtype)

    def _float32(self, x: Value, dtype: DType) -> tuple[Value, DType]:
        """A small float as float32."""
        return (self.cast(x, dtype, DType.F32), DType.F32) if dtype in SMALL else (x, dtype)

    def cast(self, x: Value, source: DType, target: DType) -> Value:
        """As numpy converts; floats to integers as C does by way of int64."""
        b = self.b
        if source is target:
            return x
        if target is DType.BOOL and not source.is_complex:
            x, source = self._float32(x, source)
            nothing = self.literal(source, 0)
            return b.fcmp("une", x, nothing) if source.is_float else b.icmp("ne", x, nothing)
        if source.is_complex or target.is_complex:
            from mlconv.codegen.llvm import complexes

            return complexes.cast(self, x, source, target)
        if source in SMALL or target in SMALL:
            return self._cast_small(x, source, target)
        if source.is_float and target.is_float:
            return b.convert("fpext" if source.bits < target.bits else "fptrunc", x, self.type(target))
        if source.is_float:
            from mlconv.codegen.llvm import integers

            return integers.from_float(self, x, source, target)
        signed = source.is_signed_int
        if target.is_float:
            return b.convert("sitofp" if signed else "uitofp", x, self.type(target))
        bits = 1 if source is DType.BOOL else source.bits
        if bits == target.bits:
            return x
        if isinstance(x, Literal) and x.number is not None:
            return self.literal(target, wrapped(target, wrapped(source, x.number)))
        return b.convert("trunc" if bits > target.bits else "sext" if signed else "zext", x, self.type(target))

    def _cast_small(self, x: Value, source: DType, target: DType) -> Value:
        """From a small float, or to one."""
        from mlconv.codegen.llvm import halves

        if source in SMALL:
            return self.cast(halves.widen(self, x, source), DType.F32, target)
        if source is DType.F64 and target is DType.F16:
            x = halves.rounded_to_odd(self, x)
        elif source is not DType.F32:
            x = self.cast(x, source, DType.F32)
        return halves.narrow(self, x, target)

    def function(self, opcode: str, dtype: DType, args: Sequence[Value]) -> Value:
        if opcode in ("lgamma", "digamma"):
            from mlconv.codegen.llvm import helpers

            wide_x = self.cast(args[0], dtype, DType.F64)
            return self.cast(helpers.call(self.b, f"mlc_{opcode}", [wide_x]), DType.F64, dtype)
        if opcode in ("rem", "floor_mod"):
            return self._remainder(opcode, dtype, args)
        if opcode == "floor_div":
            return self.apply("floor", dtype, [self.binary("div", args[0], args[1], dtype)], [dtype])
        if dtype is DType.F64:
            from mlconv.codegen.llvm.doubles import DOUBLES

            if opcode in DOUBLES:
                return DOUBLES[opcode](self, args[0]) if self.b.cpu.has_vectors else self._double(opcode, args[0])
        if opcode in POLYNOMIAL and dtype is DType.F32:
            own = {"exp": self.exp, "exp_moderate": self.exp_moderate, "log": self.log}
            own |= {"tanh": self.tanh, "sigmoid": self.sigmoid, "erf": self.erf}
            if opcode in own:
                return own[opcode](args[0])
            from mlconv.codegen.llvm.circular import CIRCULAR

            return CIRCULAR[opcode](self, args[0])
        return self.b.call(TYPES[dtype], opcode + ("f" if dtype is DType.F32 else ""), args)

    def _double(self, opcode: str, x: Value) -> Value:
        """libm's function of a float64, in a tenth of the code where there are no vectors to gain from ours."""
        dtype = DType.F64
        if opcode != "sigmoid":
            from mlconv.codegen.llvm.circular import one_by_one

            return one_by_one(self, opcode.removesuffix("_moderate"), x)
        one, e = self.literal(dtype, 1), self._double("exp", self.apply("neg", dtype, [x], [dtype]))
        return self.binary("div", one, self.binary("add", e, one, dtype), dtype)

    def _remainder(self, opcode: str, dtype: DType, args: Sequence[Value]) -> Value:
        """C's fmod; floor_mod then moves it to the divisor's sign, as numpy.remainder does."""
        from mlconv.codegen.llvm.remainders import remainder

        left = remainder(self, dtype, args[0], args[1])
        if opcode == "rem":
            return left
        zero, booleans = self.literal(dtype, 0.0), [DType.BOOL, dtype, dtype]
        signs = [self.apply("less", DType.BOOL, [v, zero], [dtype] * 2) for v in (left, args[1])]
        apart = self.b.xor(*signs)
        moved = self.apply("select", dtype, [apart, self.binary("add", left, args[1], dtype), left], booleans)
        none = self.apply("equal", DType.BOOL, [left, zero], [dtype] * 2)
        return self.apply("select", dtype, [none, self.intrinsic("copysign", dtype, [left, args[1]]), moved], booleans)

    # -- float32 polynomials -----------------------------------------------------------------------

    def limited(self, x: Value, low: float, high: float) -> Value:
        """x within [low, high]; NaN stays."""
        return self.at_most(self.at_least(x, low), high)

    def at_least(self, x: Value, low: float) -> Value:
        """x, or `low` where it is less; NaN stays."""
        return self.where(self.below(x, low), self.f(low), x)

    def at_most(self, x: Value, high: float) -> Value:
        """x, or `high` where it is greater; NaN stays."""
        return self.where(self.apply("greater", DType.BOOL, [x, self.f(high)], [DType.F32] * 2), self.f(high), x)

    def _split(self, x: Value, bias: int = 0) -> tuple[Value, Value]:
        """(bits of k + bias + MAGIC, p(r)) where exp(x) = 2^k * p(r), r = x - k ln 2, |r| <= ln 2 / 2."""
        shifted = self.fma(x, self.f(1 / math.log(2)), self.f(MAGIC + bias))
        k = self.binary("sub", shifted, self.f(MAGIC + bias))
        r = self.fma(k, self.f(-0.693359375), x)
        r = self.fma(k, self.f(2.12194440e-4), r)
        p = self.fma(self.binary("mul", r, r), self.horner(r, EXP), self.binary("add", r, self.f(1.0)))
        return self.b.bitcast(shifted, self.type(DType.I32)), p

    def exp(self, x: Value) -> Value:
        """Below 2 ULP: infinity above 88.7, 0 below -104, NaN kept."""
        bits, p = self._split(self.limited(x, -104.0, 89.0))
        if self.b.cpu.scale and self.lanes == self.b.cpu.lanes(DType.F32):
            return self._scaled(p, bits)
        # 2^k in two factors: k reaches -150, and one factor would not be a normal number
        b, (magic,) = self.b, struct.unpack("<i", struct.pack("<f", MAGIC))
        n = b.sub(bits, self.i(magic))
        half = b.binary("ashr", n, self.i(1))
        for part in (half, b.sub(n, half)):
            power = b.binary("shl", b.add(part, self.i(_BIAS)), self.i(23))
            p = self.binary("mul", p, b.bitcast(power, self.type(DType.F32)))
        return p

    def _scaled(self, p: Value, bits: Value) -> Value:
        """p * 2^k by the instruction that AVX-512 has for it (Intel SDM, VSCALEFPS)."""
        k = self.binary("sub", self.b.bitcast(bits, p.type), self.f(MAGIC))
        arguments = [p, k, p, integer(I16, -1), integer(I32, 4)]  # all lanes, rounding as the mode says
        return self.b.call(p.type, "llvm.x86.avx512.mask.scalef.ps.512", arguments)

    def exp_moderate(self, x: Value) -> Value:
        """exp of what is below 88.3, below 2 ULP; 0 where it is no normal number, NaN kept."""
        bits, p = self._split(self.at_least(x, -88.0), _BIAS)
        power = self.b.binary("shl", bits, self.i(23))  # 2^k; for k = -127 it is 0
        return self.binary("mul", p, self.b.bitcast(power, p.type))

    def log(self, x: Value) -> Value:
        """Below 3 ULP; -infinity at 0, NaN below."""
        b, t, ft = self.b, self.type(DType.I32), self.type(DType.F32)
        small = self.below(x, 1.17549435e-38)  # numbers that are not normal are made so
        bits = b.bitcast(self.where(small, self.binary("mul", x, self.f(2.0**23)), x), t)
        exponent = b.binary("ashr", b.sub(bits, self.i(0x3F3504F3)), self.i(23))
        kept = b.sub(bits, b.binary("shl", exponent, self.i(23)))
        m = self.binary("sub", b.bitcast(kept, ft), self.f(1.0))
        k = self.binary("sub", self.cast(exponent, DType.I32, DType.F32), self.where(small, self.f(23.0), self.f(0.0)))
        square = self.binary("mul", m, m)
        y = self.fma(self.binary("mul", square, m), self.horner(m, LOG), self.binary("mul", k, self.f(-2.12194440e-4)))
        y = self.binary("add", self.fma(square, self.f(-0.5), y), m)
        y = self.fma(k, self.f(0.693359375), y)
        zero = self.apply("equal", DType.BOOL, [x, self.f(0.0)], [DType.F32] * 2)
        y = self.where(self.below(x, 0.0), self.f(math.nan), self.where(zero, self.f(-math.inf), y))
        ends = self.apply("less", DType.BOOL, [x, self.f(math.inf)], [DType.F32] * 2)
        return self.where(ends, y, x)  # infinity and NaN are their own logarithms

    def rational(self, x: Value, coefficients: tuple[Coefficients, Coefficients], end: float) -> Value:
        """x P(x^2) / Q(x^2) for x within [-end, end], limited to [-1, 1].  At the end, and so beyond, it is exactly 1,
        since gelu multiplies what is missing by x.
        """
        inner = self.limited(x, -end, end)
        u = self.binary("mul", inner, inner)
        over, under = (self.horner(u, c) for c in coefficients)
        return self.limited(self.binary("div", self.binary("mul", inner, over), under), -1.0, 1.0)

    def tanh(self, x: Value) -> Value:
        """Below 6 ULP."""
        return self.rational(x, TANH, TANH_END)

    def sigmoid(self, x: Value) -> Value:
        """Below 4 ULP: exp(x) / (1 + exp(x)), which is 1 from 30 on; 0 where it is no normal number, since silu
        multiplies it by x.
        """
        e = self.exp_moderate(self.at_most(x, 30.0))
        return self.binary("div", e, self.binary("add", e, self.f(1.0)))

    def erf(self, x: Value) -> Value:
        """Below 6 ULP."""
        return self.rational(x, ERF, ERF_END)
