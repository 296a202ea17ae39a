"""float16 and bfloat16: in registers their 16 bits; every function of them goes through float32.

Source: IEEE 754-2019, 3.6 and 4.3.1 (binary16, round to nearest, ties to even); bfloat16 is the upper half of binary32.
"""

from __future__ import annotations

from mlconv.codegen.llvm.lanes import Lanes
from mlconv.codegen.llvm.types import HALF, I16, Value
from mlconv.ir.dtypes import DType

_F32, _I32, _F64 = DType.F32, DType.I32, DType.F64


class _Words:
    """Operations on int32 in every lane."""

    def __init__(self, s: Lanes) -> None:
        self.s, self.t = s, s.type(_I32)

    def number(self, value: Value | int) -> Value:
        return self.s.literal(_I32, value) if isinstance(value, int) else value

    def op(self, name: str, a: Value, b: Value | int) -> Value:
        return self.s.b.binary(name, a, self.number(b))

    def compare(self, code: str, a: Value, b: Value | int) -> Value:
        return self.s.b.icmp(code, a, self.number(b))

    def where(self, condition: Value, a: Value | int, b: Value | int) -> Value:
        return self.s.b.select(condition, self.number(a), self.number(b))

    def of(self, x: Value) -> Value:
        """The bits of a float32."""
        return self.s.b.bitcast(x, self.t)

    def float(self, bits: Value) -> Value:
        return self.s.b.bitcast(bits, self.s.type(_F32))

    def cut(self, bits: Value) -> Value:
        return self.s.b.convert("trunc", bits, self.s.wide(I16))


def widen(s: Lanes, x: Value, source: DType) -> Value:
    """The float32."""
    if source is DType.F16 and s.b.cpu.halves:
        return s.b.convert("fpext", s.b.bitcast(x, s.wide(HALF)), s.type(_F32))
    w = _Words(s)
    bits = s.b.convert("zext", x, w.t)
    if source is DType.BF16:
        return w.float(w.op("shl", bits, 16))
    size = w.op("and", bits, 0x7FFF)
    moved = w.op("shl", size, 13)
    # exact, subnormal numbers too
    scaled = w.of(s.apply("mul", _F32, [w.float(moved), s.literal(_F32, 2.0**112)], [_F32, _F32]))
    endless = w.compare("ugt", size, 0x7BFF)
    sign = w.op("shl", w.op("and", bits, 0x8000), 16)
    return w.float(w.op("or", w.where(endless, w.op("or", moved, 0x7F800000), scaled), sign))


def narrow(s: Lanes, x: Value, target: DType) -> Value:
    """The nearest number of the small type to a float32, halves to even; NaN stays one."""
    w = _Words(s)
    if target is DType.F16 and s.b.cpu.halves:
        return s.b.bitcast(s.b.convert("fptrunc", x, s.wide(HALF)), s.wide(I16))
    bits = w.of(x)
    nan = s.b.fcmp("uno", x, x)
    if target is DType.BF16:
        high = w.op("lshr", bits, 16)
        rounded = w.op("lshr", w.op("add", w.op("add", bits, 0x7FFF), w.op("and", high, 1)), 16)
        return w.cut(w.where(nan, w.op("or", high, 0x40), rounded))
    size = w.op("and", bits, 0x7FFFFFFF)
    sign = w.op("lshr", w.op("xor", bits, size), 16)
    rebased = w.op("add", size, 0xFFF - (112 << 23))
    normal = w.op("lshr", w.op("add", rebased, w.op("and", w.op("lshr", size, 13), 1)), 13)
    step = s.literal(_F32, 0.5)  # its last bit is worth the last bit of a subnormal float16: the sum is rounded there
    tiny = w.op("sub", w.of(s.apply("add", _F32, [w.float(size), step], [_F32, _F32])), 0x3F000000)
    y = w.where(w.compare("ult", size, 0x38800000), tiny, normal)
    y = w.where(w.compare("uge", size, 0x47800000), 0x7C00, y)
    return w.cut(w.op("or", w.where(nan, 0x7E00, y), sign))


def rounded_to_odd(s: Lanes, x: Value) -> Value:
    """float64 to float32 so that rounding once more gives what rounding once would: cut, with the last bit set when
    something was cut off.

    Source: Boldo and Melquiond, "When double rounding is odd" (2005).
    """
    b, w = s.b, _Words(s)
    near = b.convert("fptrunc", x, s.type(_F32))
    back = b.convert("fpext", near, s.type(_F64))
    inexact = b.fcmp("one", back, x)
    above = b.fcmp("ogt", s.intrinsic("fabs", _F64, [back]), s.intrinsic("fabs", _F64, [x]))
    bits = w.of(near)
    cut = w.op("sub", bits, b.convert("zext", above, w.t))
    return w.float(w.where(inexact, w.op("or", cut, 1), bits))
