"""Casts, bit patterns, and logic: bool, bitwise, shifts, and the integer types that TFLite has few kernels for.

Sources: kernels/cast.cc (no uint64), bitcast.cc, stablehlo_elementwise.cc (AND of every integer type, no broadcasting),
bitwise_xor.cc, right_shift.cc.
"""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.unary import Unary
from mlconv.dialects.tfl_types import TYPE_NAMES
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.legalize.to_tfl.builder import TflBuilder, shape_of
from mlconv.legalize.to_tfl.elementwise import emit_binary
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules
from mlconv.rewrite.whole_numbers import whole_source

RULES = Rules()
FIRST = Rules()  # asked before `widen`: they see every element type

_TFLITE_CAST = frozenset(
    {
        DType.F32,
        DType.F16,
        DType.BF16,
        DType.F64,
        DType.I8,
        DType.I16,
        DType.I32,
        DType.I64,
        DType.U8,
        DType.U16,
        DType.U32,
        DType.BOOL,
        DType.C64,
    }
)
_SIGNED = {DType.U64: DType.I64, DType.U32: DType.I32, DType.U16: DType.I16, DType.U8: DType.I8}


@RULES.rule(core.Cast)
def cast(op: core.Cast, e: TflBuilder) -> Value:
    """CAST; what it lacks or does differently from core (see `core.cast`) goes through another type."""
    x, to = op.x, op.dtype
    old = x.tensor.dtype
    if old is to:
        return x
    whole = whole_source(op.y)
    if whole is not None:
        return e.y(core.StorageCast(one_step_each(whole, to, e), element=to))
    if op.saturate and to in _TFLITE_CAST and to.is_int and not old.is_int and old is not DType.BOOL and to.bits < 32:
        info = np.iinfo(to.numpy)
        return e.cast(e.y(core.Clamp(e.cast(x, DType.F32), lo=float(info.min), hi=float(info.max))), to)
    if old is DType.F16 and to is DType.F32 and const_of(x) is not None:  # read once, when a model is loaded
        return e.one("DEQUANTIZE", [x], op.y.type)
    packed = _constant_of(x) if old in (DType.I2, DType.I4, DType.U4) else None
    if packed is not None:
        return e.cast(_unpacked(e, packed), to)
    if old is DType.U64:
        return _from_u64(e, x, to)
    if old.is_complex and not to.is_complex and to is not DType.BOOL:
        return e.cast(e.y(core.Real(x)), to)
    if to is DType.U64:
        return e.y(core.Bitcast(e.cast(x, DType.I64), dtype=DType.U64))
    if old not in _TFLITE_CAST or to not in _TFLITE_CAST:
        raise ConversionError(Code.TargetLacksType, f"TFLite cannot cast {old.display} to {to.display}")
    through = _between(old, to, op.saturate or _fits(x, to))
    if through is not None:
        return e.cast(e.cast(x, through), to)
    return e.one("CAST", [x], op.y.type, in_data_type=tfl_type(old), out_data_type=tfl_type(to))


def one_step_each(whole: Value, to: DType, e: TflBuilder) -> Value:
    """Whole numbers as bytes of a scale of 1: QUANTIZE holds those outside at the ends, which CAST is not known to."""
    return e.y(core.Quantize(whole, element=QuantType.of(to, 1.0)))


def _constant_of(x: Value) -> Const | None:
    """Constants may still have another shape in front of blocks (`quant-to-arithmetic`)."""
    maker = x.producer
    before = const_of(maker.x) if isinstance(maker, core.Reshape) and x.tensor.is_static else None
    return const_of(x) if before is None else before.reshape(x.tensor.static_shape())


def _unpacked(e: TflBuilder, packed: Const) -> Value:
    """Several integers of a byte, which CAST does not take: numbers of a scale of 1, of 4 bits where they have 2;
    without a sign, bytes.
    """
    if packed.dtype is DType.U4:
        return e.constant(recipes.cast(packed, DType.U8))
    stored = packed if packed.dtype is DType.I4 else recipes.cast(packed, DType.I4)
    return e.y(core.Dequantize(e.y(core.Constant(value=stored, element=QuantType.of(DType.I4, 1.0)))))


def _fits(x: Value, to: DType) -> bool:
    """Whether numbers are limited to the range of integers, so that saturating and wrapping are one."""
    maker = x.producer
    while isinstance(maker, (core.Round, core.Floor, core.Ceil)):
        maker = maker.x.producer
    if not isinstance(maker, core.Clamp) or not to.is_int:
        return False
    return bool(maker.lo >= np.iinfo(to.numpy).min and maker.hi <= np.iinfo(to.numpy).max)


def _between(old: DType, to: DType, saturate: bool) -> DType | None:
    """The type to go through: the kernel saturates narrow integers where core wraps, and bfloat16 goes only to and from
    float32.
    """
    if DType.BF16 in (old, to) and DType.F32 not in (old, to):
        return DType.F32
    if to.is_int and to.bits < 64 and not old.is_int and old is not DType.BOOL and not old.is_complex:
        return None if saturate or to is DType.I32 else DType.I64
    return None


def _from_u64(e: TflBuilder, x: Value, to: DType) -> Value:
    """uint64 read as int64; a float target adds 2^64 where the sign bit was set."""
    if to.is_complex:
        return e.cast(_from_u64(e, x, DType.F32), to)
    signed = e.y(core.Bitcast(x, dtype=DType.I64))
    if not to.is_float:
        return e.cast(signed, to)
    y = e.cast(signed, DType.F32)
    high = e.y(core.Less(signed, e.asarray(0, signed)))
    return e.cast(e.y(core.Select(high, e.y(core.Add(y, e.asarray(2.0**64, y))), y)), to)


def tfl_type(dtype: DType) -> str:
    """Name of an element type in the TFLite schema.  Raises ConversionError TargetLacksType when it has none."""
    name = TYPE_NAMES.get(dtype)
    if name is None or dtype in _UNCAST:
        raise ConversionError(Code.TargetLacksType, f"TFLite has no element type {dtype.display}")
    return name


_UNCAST = frozenset(
    {DType.I2, DType.U4, DType.F8E4M3FN, DType.F8E5M2}
)  # the schema names them, the kernels of casts take none


@RULES.rule(core.Bitcast)
def bitcast(op: core.Bitcast, e: TflBuilder) -> Value:
    """BITCAST."""
    tfl_type(op.dtype)
    return e.one("BITCAST", [op.x], op.y.type)


@RULES.rule(core.And, core.Or, core.Xor)
def logic(op: Binary, e: TflBuilder) -> Value:
    """and, or, xor: LOGICAL ops on bool; on integers STABLEHLO_AND, from which or and xor follow by arithmetic that
    wraps.
    """
    dtype, kind = op.y.tensor.dtype, type(op)
    if dtype is DType.BOOL:
        names = {core.And: "LOGICAL_AND", core.Or: "LOGICAL_OR", core.Xor: "NOT_EQUAL"}
        return emit_binary(e, names[kind], op.a, op.b, op.y.tensor)
    if kind is core.Xor and dtype.bits < 64:
        return emit_binary(e, "BITWISE_XOR", op.a, op.b, op.y.tensor)
    shape = shape_of(op.y)
    a, b = (e.broadcast_to(x, shape, op.a, op.b) for x in (op.a, op.b))
    both = e.one("STABLEHLO_AND", [a, b], op.y.type)
    if kind is core.And:
        return both
    total = e.y(core.Add(a, b))
    less = both if kind is core.Or else e.y(core.Add(both, both))
    return e.y(core.Sub(total, less))


@RULES.rule(core.BitwiseNot)
def bitwise_not(op: core.BitwiseNot, e: TflBuilder) -> Value:
    """-1 - x, in two's complement."""
    dtype = op.x.tensor.dtype
    ones = e.constant(np.asarray(-1).astype(dtype.numpy) if dtype.is_signed_int else np.iinfo(dtype.numpy).max, dtype)
    return e.y(core.Sub(ones, op.x))


@RULES.rule(core.ShiftLeft)
def shift_left(op: core.ShiftLeft, e: TflBuilder) -> Value:
    """A product with a power of two from a table; 0 beyond the width."""
    dtype = op.y.tensor.dtype
    bits = dtype.bits
    powers = np.asarray([1 << i for i in range(bits)] + [0], np.uint64).astype(dtype.numpy)
    amount = e.y(core.Maximum(e.y(core.Minimum(e.cast(op.b, DType.I32), e.i(bits))), e.i(0)))
    return e.y(core.Mul(op.a, e.y(core.Gather(e.constant(powers, dtype), amount))))


@RULES.rule(core.ShiftRight)
def shift_right(op: core.ShiftRight, e: TflBuilder) -> Value:
    """RIGHT_SHIFT up to 32 bits; 64 bits by halves."""
    dtype = op.y.tensor.dtype
    if dtype.bits < 64:
        amount = e.y(core.Minimum(e.cast(op.b, DType.I64), e.constant(dtype.bits - 1, DType.I64)))
        amount = e.y(core.Maximum(amount, e.asarray(0, amount)))
        shifted = emit_binary(e, "RIGHT_SHIFT", op.a, e.cast(amount, dtype), op.y.tensor)
        if dtype.is_signed_int:
            return shifted
        over = e.y(core.GreaterEqual(e.cast(op.b, DType.I64), e.constant(dtype.bits, DType.I64)))
        return e.y(core.Select(over, e.asarray(0, shifted), shifted))
    if dtype.is_signed_int:
        return _shift_right_signed(op, e)
    # Take the sign bit away, shift as a non-negative number, and put the bit back where it went: 2^(63 - amount).
    signed = e.y(core.Bitcast(op.a, dtype=DType.I64))
    low = e.y(core.And(signed, e.constant(2**63 - 1, DType.I64)))
    amount = e.y(core.Bitcast(op.b, dtype=DType.I64))
    rest = e.y(core.ShiftRight(low, amount))
    powers = np.asarray([1 << (63 - i) for i in range(64)] + [0], np.uint64).astype(np.int64)
    top = e.y(core.Gather(e.constant(powers, DType.I64), e.y(core.Minimum(e.cast(amount, DType.I32), e.i(64)))))
    y = e.y(core.Select(e.y(core.Less(signed, e.asarray(0, signed))), e.y(core.Add(rest, top)), rest))
    return e.y(core.Bitcast(y, dtype=DType.U64))


def _shift_right_signed(op: core.ShiftRight, e: TflBuilder) -> Value:
    """floor(a / 2^b), in two steps so that the divisor stays positive."""
    amount = e.y(core.Minimum(e.cast(op.b, DType.I32), e.i(63)))
    first = e.y(core.Minimum(amount, e.i(32)))
    powers = e.constant(np.asarray([1 << i for i in range(33)], np.int64), DType.I64)
    once = e.y(core.FloorDiv(op.a, e.y(core.Gather(powers, first))))
    return e.y(core.FloorDiv(once, e.y(core.Gather(powers, e.y(core.Sub(amount, first))))))


@FIRST.rule(core.Abs, core.Sign)
def abs_sign(op: Unary, e: TflBuilder) -> list[Value] | NoMatch:
    """abs and sign of integers without a kernel: by comparison."""
    x, dtype = op.x, op.x.tensor.dtype
    if not dtype.is_int or dtype in (DType.I32, DType.I16):
        return NOT_MEANT
    zero = e.asarray(0, x)
    if isinstance(op, core.Abs):
        if not dtype.is_signed_int:
            return [e.copy(x)]
        return [e.y(core.Maximum(x, e.y(core.Neg(x))))] if dtype is DType.I64 else NOT_MEANT
    positive = e.cast(e.y(core.NotEqual(x, zero) if dtype.is_unsigned_int else core.Greater(x, zero)), dtype)
    if dtype.is_unsigned_int:
        return [positive]
    return [e.y(core.Sub(positive, e.cast(e.y(core.Less(x, zero)), dtype)))]
