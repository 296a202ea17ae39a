"""What is left of a division of floats, exact as C's fmod has it: of float32 in float64, all lanes at once."""

from __future__ import annotations

import math

from mlconv.codegen.llvm.lanes import Lanes
from mlconv.codegen.llvm.text import Carried
from mlconv.codegen.llvm.types import I1, TYPES, Value
from mlconv.ir.dtypes import DType

_BITS = 27  # of a whole quotient that float64 has exactly, and its product with a float32
_FRACTION, _BIAS = 52, 1023  # of float64
_F64, _I64 = DType.F64, DType.I64


def remainder(s: Lanes, dtype: DType, x: Value, y: Value) -> Value:
    """C's fmod."""
    if s.lanes == 1 or dtype is not DType.F32:
        return s.b.call(TYPES[dtype], "fmodf" if dtype is DType.F32 else "fmod", [x, y])
    b, wide = s.b, s.type(_F64)
    a, d = (b.convert("fpext", v, wide) for v in (x, y))
    left, quotient = b.repeat(
        [a, b.binary("fdiv", a, d)], lambda at: _any(s, _far(s, at[1])), lambda at: _nearer(s, d, at)
    )
    whole = s.intrinsic("trunc", _F64, [quotient])
    rest = b.binary("fsub", left, b.binary("fmul", whole, d))
    rest = b.select(b.fcmp("oeq", whole, s.literal(_F64, 0.0)), left, rest)  # infinity divides what is less
    return s.intrinsic("copysign", DType.F32, [b.convert("fptrunc", rest, s.type(DType.F32)), x])


def _far(s: Lanes, quotient: Value) -> Value:
    """Lanes whose quotient has more bits."""
    size = s.intrinsic("fabs", _F64, [quotient])
    least, last = s.literal(_F64, 2.0**_BITS), s.literal(_F64, math.inf)
    return s.b.and_(s.b.fcmp("oge", size, least), s.b.fcmp("olt", size, last))


def _any(s: Lanes, lanes: Value) -> Value:
    return s.b.call(I1, f"llvm.vector.reduce.or.v{s.lanes}i1", [lanes])


def _nearer(s: Lanes, d: Value, at: Carried) -> Carried:
    """Less the multiples of the divisor times a power of two that takes the first bits of the quotient away."""
    b, (left, quotient), bits = s.b, at, s.type(_I64)
    far, size = _far(s, quotient), s.intrinsic("fabs", _F64, [quotient])
    power = b.binary("lshr", b.bitcast(size, bits), s.literal(_I64, _FRACTION))
    scale = b.binary("shl", b.sub(power, s.literal(_I64, _BITS - 1)), s.literal(_I64, _FRACTION))
    divisor = b.binary("fmul", d, b.bitcast(scale, s.type(_F64)))
    whole = s.intrinsic("trunc", _F64, [b.binary("fdiv", left, divisor)])
    rest = b.binary("fsub", left, b.binary("fmul", whole, divisor))
    left = b.select(far, rest, left)
    return [left, b.binary("fdiv", left, d)]
