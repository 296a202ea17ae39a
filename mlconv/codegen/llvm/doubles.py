"""Exponentials, logarithms, sines and what is made of them, of float64, on processors with vectors.

Numbers whose products must be exact, and coefficients of the logarithm, sine and cosine: fdlibm 5.3, e_exp.c, e_log.c,
e_rem_pio2.c, k_sin.c and k_cos.c (Sun Microsystems).  Sums of products need not be fused for the errors that are said.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from mlconv.codegen.llvm.circular import far_or_near
from mlconv.codegen.llvm.lanes import Lanes
from mlconv.codegen.llvm.types import I8, I32, I64, Literal, Value, integer
from mlconv.ir.dtypes import DType

_F64 = DType.F64
_MAGIC = 1.5 * 2**52  # added to a float64 it leaves the nearest integer in the low bits of the sum
_BIAS, _MANTISSA = 1023, 52
_LN2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # the first has 32 bits
_TERMS = 14  # of e^r: the next one is below 2^-57 for |r| <= ln 2 / 2
_EXP = tuple(1 / math.factorial(n) for n in range(2, _TERMS))
_LEAST = 2.0**-1022  # normal number
_RAISED = 54  # powers of two that make the others normal
_LOG = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860510658591e-01,
)
# pi / 2, in parts of 33 bits but for the last: products with fewer than 2^20 quarters are exact
_QUARTER = (
    1.57079632673412561417e00,
    6.07710050630396597660e-11,
    2.02226624871116645580e-21,
    8.47842766036889956997e-32,
)
_MOST = 1e6  # beyond it there are more quarters
_SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


class _Numbers:
    """Arithmetic of float64 on the lanes of `s`."""

    def __init__(self, s: Lanes) -> None:
        self.s, self.b = s, s.b

    def n(self, value: float) -> Literal:
        return self.s.literal(_F64, value)

    def i(self, value: int) -> Literal:
        return integer(self.s.wide(I64), value)

    def fma(self, x: Value, y: Value, z: Value) -> Value:
        return self.s.fma(x, y, z, _F64)

    def horner(self, x: Value, coefficients: Sequence[float]) -> Value:
        return self.s.horner(x, coefficients, _F64)

    def limited(self, x: Value, low: float, high: float) -> Value:
        """x within [low, high]; NaN stays."""
        for code, bound in (("olt", low), ("ogt", high)):
            x = self.b.select(self.b.fcmp(code, x, self.n(bound)), self.n(bound), x)
        return x

    def bits(self, x: Value) -> Value:
        return self.b.bitcast(x, self.s.wide(I64))

    def of_bits(self, bits: Value) -> Value:
        return self.b.bitcast(bits, self.s.type(_F64))

    def power(self, shifted: Value) -> Value:
        """2^k for _MAGIC + k; k + 1023 is that of a normal number, 0 or infinity."""
        return self.of_bits(self.b.binary("shl", self.b.add(self.bits(shifted), self.i(_BIAS)), self.i(_MANTISSA)))

    def split(self, x: Value) -> tuple[Value, Value]:
        """(_MAGIC + k, e^r - 1) where x = k ln 2 + r, |r| <= ln 2 / 2."""
        shifted = self.fma(x, self.n(1 / math.log(2)), self.n(_MAGIC))
        k, r = self.b.fsub(shifted, self.n(_MAGIC)), x
        for part in _LN2:
            r = self.fma(k, self.n(-part), r)
        return shifted, self.fma(self.b.fmul(r, r), self.horner(r, _EXP), r)

    def fabs(self, x: Value) -> Value:
        return self.s.intrinsic("fabs", _F64, [x])

    def with_sign(self, x: Value, sign: Value) -> Value:
        return self.s.intrinsic("copysign", _F64, [x, sign])


def exp(s: Lanes, x: Value) -> Value:
    """Within 1 ULP: infinity above 709.78, 0 below -745.2, NaN kept."""
    m, b = _Numbers(s), s.b
    shifted, less = m.split(m.limited(x, -746.0, 710.0))
    p, k = b.fadd(less, m.n(1.0)), b.fsub(shifted, m.n(_MAGIC))
    if b.cpu.scale and s.lanes == b.cpu.lanes(_F64):  # VSCALEFPD
        arguments = [p, k, p, integer(I8, -1), integer(I32, 4)]
        return b.call(p.type, "llvm.x86.avx512.mask.scalef.pd.512", arguments)
    # 2^k in two factors: k reaches -1076, and one factor would not be a normal number
    half = m.fma(k, m.n(0.5), m.n(_MAGIC))
    rest = b.fadd(b.fsub(k, b.fsub(half, m.n(_MAGIC))), m.n(_MAGIC))
    return b.fmul(b.fmul(p, m.power(half)), m.power(rest))


def exp_moderate(s: Lanes, x: Value) -> Value:
    """exp of what is below 709, within 1 ULP; 0 where it is no normal number, NaN kept."""
    m, b = _Numbers(s), s.b
    low = m.n(-709.0)
    shifted, less = m.split(b.select(b.fcmp("olt", x, low), low, x))
    return b.fmul(b.fadd(less, m.n(1.0)), m.power(shifted))


def sigmoid(s: Lanes, x: Value) -> Value:
    """Below 3 ULP: 1 / (1 + e^-x); 0 below -709.78."""
    b, one = s.b, s.literal(_F64, 1.0)
    return b.binary("fdiv", one, b.fadd(exp(s, b.fneg(x)), one))


def tanh(s: Lanes, x: Value) -> Value:
    """Below 3 ULP: t / (t + 2) for t = e^2x - 1; 1 from 20 on."""
    m, b = _Numbers(s), s.b
    size = m.fabs(x)
    size = b.select(b.fcmp("ogt", size, m.n(20.0)), m.n(20.0), size)
    shifted, less = m.split(b.fadd(size, size))
    power = m.power(shifted)
    t = m.fma(power, less, b.fsub(power, m.n(1.0)))
    return m.with_sign(b.binary("fdiv", t, b.fadd(t, m.n(2.0))), x)


def log(s: Lanes, x: Value) -> Value:
    """Within 1 ULP; -infinity at 0, NaN below."""
    m, b = _Numbers(s), s.b
    small = b.fcmp("olt", x, m.n(_LEAST))
    bits = m.bits(b.select(small, b.fmul(x, m.n(2.0**_RAISED)), x))
    (root,) = struct.unpack("<q", struct.pack("<d", math.sqrt(0.5)))
    bias = _BIAS << _MANTISSA
    biased = b.binary("lshr", b.add(bits, m.i(bias - root)), m.i(_MANTISSA))
    f = b.fsub(m.of_bits(b.sub(bits, b.sub(b.binary("shl", biased, m.i(_MANTISSA)), m.i(bias)))), m.n(1.0))
    # a whole number in the low bits of 2^52; conversions of int64 are AVX-512's alone
    (wide,) = struct.unpack("<q", struct.pack("<d", 2.0**_MANTISSA))
    base = b.select(small, m.n(2.0**_MANTISSA + _BIAS + _RAISED), m.n(2.0**_MANTISSA + _BIAS))
    k = b.fsub(m.of_bits(b.or_(biased, m.i(wide))), base)
    ratio = b.binary("fdiv", f, b.fadd(f, m.n(2.0)))
    z = b.fmul(ratio, ratio)
    half = b.fmul(b.fmul(f, f), m.n(0.5))
    series = m.fma(z, m.horner(z, _LOG), half)
    inner = b.fsub(half, m.fma(ratio, series, b.fmul(k, m.n(_LN2[1]))))
    y = b.fsub(b.fmul(k, m.n(_LN2[0])), b.fsub(inner, f))
    y = b.select(b.fcmp("oeq", x, m.n(0.0)), m.n(-math.inf), y)
    y = b.select(b.fcmp("olt", x, m.n(0.0)), m.n(math.nan), y)
    return b.select(b.fcmp("olt", x, m.n(math.inf)), y, x)  # infinity and NaN are their own logarithms


def sin(s: Lanes, x: Value) -> Value:
    """Within 1 ULP."""
    return _turned(s, x, "sin", 0)


def cos(s: Lanes, x: Value) -> Value:
    """Within 1 ULP."""
    return _turned(s, x, "cos", 1)


def _turned(s: Lanes, x: Value, name: str, quarters: int) -> Value:
    """The sine of an angle and some quarters; libm's where an angle is far from 0, or no number.  name: in libm."""
    return far_or_near(s, x, _F64, _MOST, name, lambda: _sine(s, x, quarters))


def _sine(s: Lanes, x: Value, quarters: int) -> Value:
    m, b = _Numbers(s), s.b
    shifted = m.fma(x, m.n(2 / math.pi), m.n(_MAGIC))
    k = b.fsub(shifted, m.n(_MAGIC))
    first, second, *others = (m.n(-part) for part in _QUARTER)
    whole = m.fma(k, first, x)  # exact, as the next one is where it is small
    r = m.fma(k, second, whole)
    rest = m.fma(k, second, b.fsub(whole, r))  # what r has lost
    for part in others:
        rest = m.fma(k, part, rest)
    whole, r = r, b.fadd(r, rest)
    rest = b.fadd(b.fsub(whole, r), rest)
    z = b.fmul(r, r)
    sine = b.fadd(m.fma(b.fmul(r, z), m.horner(z, _SINE), rest), r)
    half = b.fmul(z, m.n(0.5))
    near = b.fsub(m.n(1.0), half)
    lost = b.fsub(b.fsub(m.n(1.0), near), half)
    less = m.fma(b.fmul(z, z), m.horner(z, _COSINE), b.fsub(lost, b.fmul(r, rest)))
    turns = b.add(m.bits(shifted), m.i(quarters))
    odd = b.icmp("ne", b.and_(turns, m.i(1)), m.i(0))
    y = b.select(odd, b.fadd(near, less), m.with_sign(sine, r))
    back = b.and_(b.binary("shl", turns, m.i(62)), m.i(-(1 << 63)))
    return m.of_bits(b.xor(m.bits(y), back))


DOUBLES: dict[str, Callable[[Lanes, Value], Value]] = {
    "exp": exp,
    "exp_moderate": exp_moderate,
    "log": log,
    "sigmoid": sigmoid,
    "tanh": tanh,
    "sin": sin,
    "cos": cos,
}
