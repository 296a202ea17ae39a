"""select, and quotients and remainders that are written out with it.

HLO divides integers towards zero.  What rounds down is then a select between the quotient and one less, and a remainder
with the sign of the divisor one between the remainder and that plus the divisor: core has ops of these, whose results
are followed where sizes are computed.  Source: jax/_src/numpy/ufuncs.py, floor_divide, remainder.
"""

from __future__ import annotations

from typing import Final, TypeVar

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.spec import OpDef
from mlconv.legalize.from_hlo.operands import checked, hlo_rules
from mlconv.legalize.source import SourceNode

RULES: Final = hlo_rules()
M = TypeVar("M", bound=OpDef)


@RULES.rule("select")
@checked
def select(n: SourceNode) -> Value:
    """By a condition, elementwise; or a quotient or a remainder."""
    cond, a, b = (n.operand(i) for i in range(3))
    return n.y(_floored(cond, a, b) or core.Select(cond, a, b))


def _floored(cond: Value, a: Value, b: Value) -> OpDef | None:
    """A quotient or a remainder by a positive number, which rounds down."""
    both = made(cond, core.And)
    if both is None or not a.tensor.dtype.is_signed_int:
        return None
    signs, rest = made(both.a, core.NotEqual), made(both.b, core.NotEqual)
    if signs is None or rest is None or _number(rest.b) != 0:
        return None
    return _quotient(signs, rest, a, b) or _remainder(signs, rest, a, b)


def _quotient(signs: core.NotEqual, rest: core.NotEqual, a: Value, b: Value) -> OpDef | None:
    """x / y - 1 where the signs of x and y differ and x % y is not 0, else x / y."""
    whole, less, left = made(b, core.Div), made(a, core.Sub), made(rest.a, core.Rem)
    first, second = made(signs.a, core.Sign), made(_spread(signs.b), core.Sign)
    if whole is None or less is None or left is None or first is None or second is None:
        return None
    divisors = {_number(y) for y in (whole.b, left.b, second.x)}
    if less.a is not b or _number(less.b) != 1 or {whole.a, left.a, first.x} != {whole.a} or not _is_positive(divisors):
        return None
    return core.FloorDiv(whole.a, whole.b)


def _remainder(signs: core.NotEqual, rest: core.NotEqual, a: Value, b: Value) -> OpDef | None:
    """x % y + y where x % y is not 0 and below 0 as y is not, else x % y."""
    left, more = made(b, core.Rem), made(a, core.Add)
    first, second = made(signs.a, core.Less), made(_spread(signs.b), core.Less)
    if left is None or more is None or first is None or second is None:
        return None
    divisors = {_number(y) for y in (left.b, more.b, second.a)}
    if {more.a, rest.a, first.a} != {b} or {_number(first.b), _number(second.b)} != {0} or not _is_positive(divisors):
        return None
    return core.FloorMod(left.a, left.b)


def made(value: Value, kind: type[M]) -> M | None:
    """The op that makes a value, where it is of a kind."""
    op = value.producer
    return op if isinstance(op, kind) else None


def _spread(value: Value) -> Value:
    """What is repeated, where all elements are the same one."""
    while isinstance(value.producer, (core.BroadcastTo, core.Reshape)):
        value = value.producer.x
    return value


def _number(value: Value) -> int | None:
    """The number that all elements are."""
    known = set(_spread(value).known or ())
    (number,) = known if len(known) == 1 else (None,)
    return number if isinstance(number, int) else None


def _is_positive(divisors: set[int | None]) -> bool:
    """They are one number, above 0."""
    (number,) = divisors if len(divisors) == 1 else (None,)
    return number is not None and number > 0
