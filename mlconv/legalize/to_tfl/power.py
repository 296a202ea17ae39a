"""Powers.  Source: kernels/pow.cc, which takes float32, and int32 with exponents that are not negative."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, scalar_of
from mlconv.legalize.to_tfl.elementwise import emit_binary
from mlconv.rewrite import Rules
from mlconv.rewrite.index_forms import not_negative

RULES = Rules()
_BITS = 6  # of an exponent below 64: a larger one overflows, but for the powers of -1, 0 and 1


@RULES.rule(core.Pow)
def power(op: core.Pow, e: TflBuilder) -> Value:
    """POW; squares are products.  A power of 1/2 is no square root: (-inf)^(1/2) = inf."""
    a, b, dtype = op.a, op.b, op.a.tensor.dtype
    if scalar_of(b) == 2.0 and op.y.tensor.shape == a.tensor.shape:
        return e.y(core.Mul(a, a))
    if dtype.is_complex:
        raise refuse(f"TFLite has no power of {dtype.display}")
    if dtype.is_int and b.tensor.dtype.is_int:
        return _of_integers(op, e)
    if dtype is DType.F64 and not e.reduce_f64:
        raise refuse("TFLite has no float64 power", "allow float32 for float64 values")
    y = emit_binary(e, "POW", e.cast(a, DType.F32), e.cast(b, DType.F32), op.y.tensor.with_dtype(DType.F32))
    return e.cast(y, dtype)  # a fractional power of an integer is cut off


def _of_integers(op: core.Pow, e: TflBuilder) -> Value:
    """Exact, and cut to the element type.  A negative exponent leaves the powers of -1 and 1 alone, and 0 else."""
    dtype = op.a.tensor.dtype
    is_narrow = dtype.bits <= 32 and dtype is not DType.U32
    x, n = e.cast(op.a, DType.I32 if is_narrow else DType.I64), e.i32(op.b)
    natural = op.natural or _is_natural(op.b)
    size = n if natural else e.y(core.Abs(n))
    y = emit_binary(e, "POW", x, size, op.y.tensor.with_dtype(DType.I32)) if is_narrow else _squared(e, x, size)
    if not natural:
        larger = e.y(core.Or(e.y(core.Greater(x, e.asarray(1, x))), e.y(core.Less(x, e.asarray(-1, x)))))
        lost = e.y(core.And(e.y(core.Less(n, e.i(0))), larger))
        y = e.y(core.Select(lost, e.asarray(0, y), y))
    return e.cast(y, dtype)


def _is_natural(exponent: Value) -> bool:
    constant = const_of(exponent)
    if constant is None or constant.size > 4096:
        return not_negative(exponent)
    return constant.size == 0 or int(constant.view().min()) >= 0


def _squared(e: TflBuilder, x: Value, n: Value) -> Value:
    """x^n for int64, by squares: a factor x^(2^k) for each bit k of n."""
    known = scalar_of(n)
    if known is not None:
        return _squared_so_often(e, x, int(known))
    wrapped = e.y(core.Add(e.y(core.FloorMod(n, e.i(2))), e.i(2**_BITS - 2)))
    n = e.y(core.Select(e.y(core.Less(n, e.i(2**_BITS))), n, wrapped))
    one = e.asarray(1, x)
    y, factor = one, x
    for bit in range(_BITS):
        factor = e.y(core.Mul(factor, factor)) if bit else x
        half = e.y(core.FloorDiv(n, e.i(2)))
        odd = e.y(core.Greater(n, e.y(core.Mul(half, e.i(2)))))
        y, n = e.y(core.Mul(y, e.y(core.Select(odd, factor, one)))), half
    return y


def _squared_so_often(e: TflBuilder, x: Value, n: int) -> Value:
    y, factor = None, x
    for bit in range(n.bit_length()):
        factor = e.y(core.Mul(factor, factor)) if bit else x
        if n >> bit & 1:
            y = factor if y is None else e.y(core.Mul(y, factor))
    return e.broadcast_to(e.asarray(1, x), x.tensor.shape or (), x) if y is None else y
