"""Numbers of every element type as literals."""

from __future__ import annotations

import math
import struct
from functools import lru_cache

import numpy as np

from mlconv.codegen.llvm.types import TYPES, Literal, LlvmType, integer
from mlconv.ir.dtypes import DType

SMALL = (DType.F16, DType.BF16)  # bits in registers; computed in float32


def literal(dtype: DType, value: complex, lanes: int = 1) -> Literal:
    """The nearest number of an element type, in every lane."""
    t = TYPES[dtype].of_lanes(lanes)
    if dtype.is_complex:
        return integer(t, _complex_bits(dtype, value))
    assert not isinstance(value, complex)
    if not dtype.is_float:
        return integer(t, int(value))
    return integer(t, small_bits(dtype, value)) if dtype in SMALL else real(t, value)


def wrapped(dtype: DType, number: int) -> int:
    """The number of an integer type that has the low bits of another."""
    if dtype is DType.BOOL:
        return number & 1
    rest = number & (1 << dtype.bits) - 1
    return rest - (1 << dtype.bits) if dtype.is_signed_int and rest >> dtype.bits - 1 else rest


def real(type_: LlvmType, value: float) -> Literal:
    """A float, as the hexadecimal of its double."""
    return _real(type_, struct.pack("<d", value))


@lru_cache(maxsize=4096)
def _real(type_: LlvmType, double: bytes) -> Literal:
    """The same by the bytes of a double, which tell zeros and NaNs apart."""
    (value,) = struct.unpack("<d", double)
    if type_.bits == 32 and math.isfinite(value):
        double = struct.pack("<d", *struct.unpack("<f", struct.pack("<f", value)))
    text = f"0x{int.from_bytes(double, 'little'):016X}"
    return Literal(type_, text if type_.lanes == 1 else f"splat ({type_.element.text} {text})")


def small_bits(dtype: DType, value: float) -> int:
    """The bits of the nearest float16 or bfloat16."""
    with np.errstate(over="ignore"):
        if dtype is DType.F16:
            return int(np.float16(value).view(np.uint16))
        word: int = struct.unpack("<I", np.float32(value).tobytes())[0]
    return word >> 16 | 0x40 if value != value else (word + 0x7FFF + (word >> 16 & 1)) >> 16


def _complex_bits(dtype: DType, value: complex) -> int:
    z = complex(value)
    data = struct.pack("<ff" if dtype is DType.C64 else "<dd", z.real, z.imag)
    return int.from_bytes(data, "little")
