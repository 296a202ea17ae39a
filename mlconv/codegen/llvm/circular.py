"""Sines, cosines and their inverses of float32, for scalars and vectors alike.

Reductions and coefficients: Cephes, sinf.c, asinf.c and atanf.c (Moshier); pi / 2 is taken off in four parts whose
products with a number of quarters below 2^16 are exact (Cody and Waite 1980), but for the last.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from mlconv.codegen.llvm.lanes import MAGIC, Lanes
from mlconv.codegen.llvm.types import I1, I32, Value, integer
from mlconv.ir.dtypes import DType

_QUARTER = (1.5703125, 4.825592041015625e-4, 1.2665987014770508e-6, 9.92093629470503e-10)
_MOST = 1e5  # beyond it there are more quarters than the parts are exact for
_SINE = (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4)
_COSINE = (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5)
_ARCSINE = (1.6666752422e-1, 7.4953002686e-2, 4.5470025998e-2, 2.4181311049e-2, 4.2163199048e-2)
_ARCTANGENT = (-3.33329491539e-1, 1.99777106478e-1, -1.38776856032e-1, 8.05374449538e-2)
_F32 = DType.F32


def sin(s: Lanes, x: Value) -> Value:
    """Within 1.1e-7, and below 3 ULP but where numbers far from 0 are next to multiples of pi / 2."""
    return _turned(s, x, "sinf", 0)


def cos(s: Lanes, x: Value) -> Value:
    """Within 1.1e-7, and below 3 ULP but where numbers far from 0 are next to multiples of pi / 2."""
    return _turned(s, x, "cosf", 1)


def _turned(s: Lanes, x: Value, name: str, quarters: int) -> Value:
    """The sine of an angle and some quarters; libm's where an angle is far from 0, or no number.  name: in libm."""
    return far_or_near(s, x, _F32, _MOST, name, lambda: _sine(s, x, quarters))


def far_or_near(s: Lanes, x: Value, dtype: DType, most: float, name: str, near: Callable[[], Value]) -> Value:
    """near(), or libm's function where any lane is beyond `most`, or no number."""
    b = s.b
    far = b.fcmp("ugt", s.intrinsic("fabs", dtype, [x]), s.literal(dtype, most))
    if s.lanes > 1:
        far = b.call(I1, f"llvm.vector.reduce.or.v{s.lanes}i1", [far])
    return b.choose(far, lambda: [one_by_one(s, name, x)], lambda: [near()])[0]


def one_by_one(s: Lanes, name: str, x: Value) -> Value:
    b, element = s.b, x.type.element
    if s.lanes == 1:
        return b.call(element, name, [x])
    room = b.room(element, s.lanes)
    b.store(x, room, element.align)

    def one(lane: Value) -> None:
        place = b.offset(room, element, lane)
        b.store(b.call(element, name, [b.load(element, place, element.align)]), place, element.align)

    b.each(0, s.lanes, 1, one)
    return b.load(x.type, room, element.align)


def _sine(s: Lanes, x: Value, quarters: int) -> Value:
    b, t = s.b, s.type(DType.I32)
    shifted = s.fma(x, s.f(2 / math.pi), s.f(MAGIC))
    count, r = s.binary("sub", shifted, s.f(MAGIC)), x
    for part in _QUARTER:
        r = s.fma(count, s.f(-part), r)
    turns = b.add(b.bitcast(shifted, t), s.i(quarters))
    z = s.binary("mul", r, r)
    sine = s.binary("mul", r, _with_one(s, z, _SINE))
    cosine = s.fma(s.binary("mul", z, z), s.horner(z, _COSINE), s.fma(z, s.f(-0.5), s.f(1.0)))
    odd = b.icmp("ne", b.and_(turns, s.i(1)), s.i(0))
    back = b.and_(b.binary("shl", turns, s.i(30)), integer(I32.of_lanes(s.lanes), -(1 << 31)))
    return b.bitcast(b.xor(b.bitcast(s.where(odd, cosine, sine), t), back), x.type)


def _with_one(s: Lanes, z: Value, coefficients: tuple[float, ...]) -> Value:
    """1 + z P(z)."""
    return s.fma(z, s.horner(z, coefficients), s.f(1.0))


def atan(s: Lanes, x: Value) -> Value:
    """Below 4 ULP: of a ratio of at most tan(pi / 8), and an eighth or a quarter of a turn more."""
    size = s.intrinsic("fabs", _F32, [x])
    far, mid = (s.apply("greater", DType.BOOL, [size, s.f(math.tan(k * math.pi / 8))], [_F32] * 2) for k in (3, 1))
    one = s.f(1.0)
    over = s.where(far, s.f(-1.0), s.where(mid, s.binary("sub", size, one), size))
    under = s.where(far, size, s.where(mid, s.binary("add", size, one), one))
    q = s.binary("div", over, under)
    y = s.binary("mul", q, _with_one(s, s.binary("mul", q, q), _ARCTANGENT))
    start = s.where(far, s.f(math.pi / 2), s.where(mid, s.f(math.pi / 4), s.f(0.0)))
    return s.intrinsic("copysign", _F32, [s.binary("add", start, y), x])


def asin(s: Lanes, x: Value) -> Value:
    """Below 4 ULP."""
    big, y = _half_arc(s, x)
    y = s.where(big, s.fma(y, s.f(-2.0), s.f(math.pi / 2)), y)
    return s.intrinsic("copysign", _F32, [y, x])


def acos(s: Lanes, x: Value) -> Value:
    """Below 4 ULP."""
    big, y = _half_arc(s, x)
    twice = s.binary("add", y, y)
    outer = s.where(s.below(x, 0.0), s.binary("sub", s.f(math.pi), twice), twice)
    return s.where(big, outer, s.binary("sub", s.f(math.pi / 2), s.intrinsic("copysign", _F32, [y, x])))


def _half_arc(s: Lanes, x: Value) -> tuple[Value, Value]:
    """Whether |x| is above 1/2, and the arc whose sine is |x|, or sqrt((1 - |x|) / 2) where it is."""
    size = s.intrinsic("fabs", _F32, [x])
    big = s.apply("greater", DType.BOOL, [size, s.f(0.5)], [_F32] * 2)
    z = s.where(big, s.fma(size, s.f(-0.5), s.f(0.5)), s.binary("mul", size, size))
    root = s.where(big, s.intrinsic("sqrt", _F32, [z]), size)
    return big, s.binary("mul", root, _with_one(s, z, _ARCSINE))


CIRCULAR = {"sin": sin, "cos": cos, "asin": asin, "acos": acos, "atan": atan}
