"""Integers of quantized tensors in expressions: their zero points, limits, and rounding in fixed point.

To the bit what `dialects.core.rounding` computes.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounded_base import Rounded
from mlconv.dialects.core.rounding import fixed_point
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, refuse

BYTE = 8  # bits of integers that an int32 has room for
_MOST = 16  # bits of integers that a float32 holds beside their zero point


def handle_of(value: Value) -> Const | None:
    """The integers of a constant."""
    made = value.producer
    return const_of(made.x if isinstance(made, core.StorageCast) else value)


def plain(value: Value, e: KernelBuilder) -> Value:
    """The integers of a quantized tensor."""
    handle = handle_of(value)
    if handle is not None:
        return e.constant(handle)
    return e.y(core.StorageCast(value, element=quantized(value).storage))


def zero_of(quant: QuantType) -> int:
    """The zero point, of which there is one."""
    return int(quant.zero_array().reshape(-1)[0])


def clamped(e: Expr, x: int, lo: float, hi: float) -> int:
    """A float between two others."""
    dtype = e.code[x].dtype
    for number, opcode in ((lo, "less"), (hi, "greater")):
        bound = e.const(dtype, float(number))
        x = e.op("select", e.op(opcode, x, bound, dtype=DType.BOOL), bound, x, dtype=dtype)
    return x


def rounded_number(op: Rounded, e: Expr, x: int, zero: int) -> int:
    """clamp(rint(x), lo - zero, hi - zero) + zero of float32 x, in the storage of the result.  x is limited before it
    is rounded: the limits are integers.
    """
    if op.element.storage.bits > _MOST:
        raise refuse(f"it rounds to {op.element.storage.display}")
    x = e.op("nearest", clamped(e, x, op.lo - zero, op.hi - zero), dtype=op.element.storage)
    return e.with_number("add", x, zero) if zero else x  # modulo the storage's numbers, of which the result is one


def limited_integer(op: Rounded, e: Expr, x: int) -> int:
    """An integer in the bounds and the storage of the result."""
    for opcode, bound in (("maximum", op.lo), ("minimum", op.hi)):
        x = e.with_number(opcode, x, bound)
    return e.cast(x, op.element.storage)


def scaled_once(e: Expr, x: int, factor: float) -> int:
    """int64 x times a factor, rounded once, halves up."""
    bits, shift = fixed_point(factor)
    product = e.with_number("add", e.with_number("mul", x, bits), 1 << (30 - shift))
    return e.with_number("shr", product, 31 - shift)


def scaled_twice(e: Expr, x: int, factor: float) -> int:
    """int64 x times a factor, rounded to 31 bits and again, halves away from zero."""
    return by_twice(e, x, *fixed_point(factor))


def by_twice(e: Expr, x: int, bits: int, shift: int) -> int:
    """int64 x times a factor in fixed point, rounded twice."""
    wide = e.with_number("shl", x, shift) if shift > 0 else x
    product = e.with_number("mul", wide, bits)
    halves = (e.const(DType.I64, n) for n in (1 - (1 << 30), 1 << 30))
    nudged = e.op("add", product, e.op("select", _is_negative(e, product), *halves, dtype=DType.I64))
    return _shifted_away(e, _signed_as(e, nudged, e.with_number("shr", e.op("abs", nudged), 31)), max(-shift, 0))


def _shifted_away(e: Expr, x: int, bits: int) -> int:
    """int64 x / 2^bits, halves away from zero."""
    if not bits:
        return x
    return _signed_as(e, x, e.with_number("shr", e.with_number("add", e.op("abs", x), (1 << bits) >> 1), bits))


def _is_negative(e: Expr, x: int) -> int:
    return e.op("less", x, e.const(e.code[x].dtype, 0), dtype=DType.BOOL)


def _signed_as(e: Expr, x: int, size: int) -> int:
    """A number with the sign of x."""
    return e.op("select", _is_negative(e, x), e.op("neg", size), size, dtype=e.code[size].dtype)
