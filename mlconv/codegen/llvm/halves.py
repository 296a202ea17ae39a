"""float16 and bfloat16: in registers their 16 bits; every function of them goes through float32.

Source: IEEE 754-2019, 3.6 and 4.3.1 (binary16, round to nearest, ties to even); bfloat16 is the upper half of binary32.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from mlconv.codegen.llvm.scalars import Scalars

_F32, _I32, _F64 = DType.F32, DType.I32, DType.F64


class _Words:
    """Operations on int32 in every lane."""

    def __init__(self, s: Scalars) -> None:
        self.s, self.t = s, s.type(_I32)

    def op(self, name: str, a: str, b: str | int) -> str:
        return self.s.b.op(f"{name} {self.t} {a}, {self.s.literal(_I32, b) if isinstance(b, int) else b}")

    def where(self, condition: str, a: str | int, b: str | int) -> str:
        a, b = (self.s.literal(_I32, v) if isinstance(v, int) else v for v in (a, b))
        return self.s.b.op(f"select {self.s.wide('i1')} {condition}, {self.t} {a}, {self.t} {b}")

    def of(self, x: str) -> str:
        """The bits of a float32."""
        return self.s.b.op(f"bitcast {self.s.type(_F32)} {x} to {self.t}")

    def float(self, bits: str) -> str:
        return self.s.b.op(f"bitcast {self.t} {bits} to {self.s.type(_F32)}")

    def cut(self, bits: str) -> str:
        return self.s.b.op(f"trunc {self.t} {bits} to {self.s.wide('i16')}")


def widen(s: Scalars, x: str, source: DType) -> str:
    """The float32."""
    if source is DType.F16 and s.b.halves:
        half = s.b.op(f"bitcast {s.wide('i16')} {x} to {s.wide('half')}")
        return s.b.op(f"fpext {s.wide('half')} {half} to {s.type(_F32)}")
    w = _Words(s)
    bits = s.b.op(f"zext {s.wide('i16')} {x} to {w.t}")
    if source is DType.BF16:
        return w.float(w.op("shl", bits, 16))
    size = w.op("and", bits, 0x7FFF)
    moved = w.op("shl", size, 13)
    # exact, subnormal numbers too
    scaled = w.of(s.apply("mul", _F32, [w.float(moved), s.literal(_F32, 2.0**112)], [_F32, _F32]))
    endless = w.op("icmp ugt", size, 0x7BFF)
    sign = w.op("shl", w.op("and", bits, 0x8000), 16)
    return w.float(w.op("or", w.where(endless, w.op("or", moved, 0x7F800000), scaled), sign))


def narrow(s: Scalars, x: str, target: DType) -> str:
    """The nearest number of the small type to a float32, halves to even; NaN stays one."""
    w = _Words(s)
    if target is DType.F16 and s.b.halves:
        half = s.b.op(f"fptrunc {s.type(_F32)} {x} to {s.wide('half')}")
        return s.b.op(f"bitcast {s.wide('half')} {half} to {s.wide('i16')}")
    bits = w.of(x)
    nan = s.b.op(f"fcmp uno {s.type(_F32)} {x}, {x}")
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
    y = w.where(w.op("icmp ult", size, 0x38800000), tiny, normal)
    y = w.where(w.op("icmp uge", size, 0x47800000), 0x7C00, y)
    return w.cut(w.op("or", w.where(nan, 0x7E00, y), sign))


def rounded_to_odd(s: Scalars, x: str) -> str:
    """float64 to float32 so that rounding once more gives what rounding once would: cut, with the last bit set when
    something was cut off.

    Source: Boldo and Melquiond, "When double rounding is odd" (2005).
    """
    b, w, wide, narrow_ = s.b, _Words(s), s.type(_F64), s.type(_F32)
    near = b.op(f"fptrunc {wide} {x} to {narrow_}")
    back = b.op(f"fpext {narrow_} {near} to {wide}")
    inexact = b.op(f"fcmp one {wide} {back}, {x}")
    above = b.op(f"fcmp ogt {wide} {s.intrinsic('fabs', _F64, [back])}, {s.intrinsic('fabs', _F64, [x])}")
    bits = w.of(near)
    cut = w.op("sub", bits, b.op(f"zext {s.wide('i1')} {above} to {w.t}"))
    return w.float(w.where(inexact, w.op("or", cut, 1), bits))


def bits(dtype: DType, value: float) -> int:
    """The bits of the nearest number."""
    with np.errstate(over="ignore"):
        if dtype is DType.F16:
            return int(np.float16(value).view(np.uint16))
        word: int = struct.unpack("<I", np.float32(value).tobytes())[0]
    return word >> 16 | 0x40 if value != value else (word + 0x7FFF + (word >> 16 & 1)) >> 16
