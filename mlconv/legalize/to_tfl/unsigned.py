"""uint64, which TFLite moves but does not compute with: by the signed integers of the same bits.

Flipping the top bit turns unsigned order into signed order.  A division by b < 2^63 is done on half the dividend and
corrected (Hacker's Delight, 9-3).
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules, remake

FIRST = Rules()

_TOP = -(2**63)
_ORDERED = (
    core.Less,
    core.LessEqual,
    core.Greater,
    core.GreaterEqual,
    core.Maximum,
    core.Minimum,
    core.TopK,
    core.ArgMax,
    core.ArgMin,
    core.ReduceMax,
    core.ReduceMin,
    core.Unique,
)
_VALUE_RESULTS = (core.Maximum, core.Minimum, core.TopK, core.ReduceMax, core.ReduceMin, core.Unique)


def _signed(e: TflBuilder, x: Value) -> Value:
    """The same bits as int64, ordered as the unsigned numbers are."""
    bits = e.y(core.Bitcast(x, dtype=DType.I64))
    return e.y(core.Add(bits, e.asarray(_TOP, bits)))


@FIRST.rule(*_ORDERED)
def ordered(op: OpDef, e: TflBuilder) -> list[Value] | NoMatch:
    """Comparisons, extremes and searches; the first result holds values where the op gives values."""
    first = op.operands[0]
    if first is None or first.tensor.dtype is not DType.U64:
        return NOT_MEANT
    operands = [_signed(e, v) if v is not None and v.tensor.dtype is DType.U64 else v for v in op.operands]
    results = list(e.emit(remake(op, operands)).results)
    if isinstance(op, _VALUE_RESULTS):
        back = e.y(core.Add(results[0], e.asarray(_TOP, results[0])))
        results[0] = e.y(core.Bitcast(back, dtype=DType.U64))
    return results


@FIRST.rule(core.Div, core.FloorDiv, core.FloorMod, core.Rem)
def divide(op: Binary, e: TflBuilder) -> list[Value] | NoMatch:
    """div, floor_div and the remainders."""
    if op.a.tensor.dtype is not DType.U64:
        return NOT_MEANT
    a, b = op.a, op.b
    half = e.y(core.ShiftRight(a, e.asarray(1, a)))
    large = e.y(core.GreaterEqual(b, e.asarray(2**63, b)))
    divisor = e.y(core.Bitcast(e.y(core.Select(large, e.asarray(1, b), b)), dtype=DType.I64))
    quotient = e.y(core.FloorDiv(e.y(core.Bitcast(half, dtype=DType.I64)), divisor))
    doubled = e.y(core.Bitcast(e.y(core.Add(quotient, quotient)), dtype=DType.U64))
    rest = e.y(core.Sub(a, e.y(core.Mul(doubled, b))))
    one, zero = e.asarray(1, a), e.asarray(0, a)
    small_case = e.y(core.Add(doubled, e.y(core.Select(e.y(core.GreaterEqual(rest, b)), one, zero))))
    large_case = e.y(core.Select(e.y(core.GreaterEqual(a, b)), one, zero))
    whole = e.y(core.Select(large, large_case, small_case))
    if isinstance(op, (core.Div, core.FloorDiv)):
        return [whole]
    return [e.y(core.Sub(a, e.y(core.Mul(whole, b))))]
