"""Tables of bytes as the differences of neighbours, which few bits hold: functions of one number are smooth.  For
networks whose tables are much of what they are; each run adds the differences up, once for each table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.kernel import LoopNestOp, Step, View
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder
from mlconv.legalize.to_kernel.integers import BYTE, handle_of

_BASES = (2, 3, 4, 6, 16)  # of which a byte holds 8, 5, 4, 3 and 2 digits
_WHOLE = 1 << 16
_MUCH = 16  # times tables of bytes, all constants together are fewer


class _Differences(NamedTuple):
    """What each number of a table is more than the one before, less `least`: digits to a base, several in a byte, those
    that lie `bytes_.size` apart.  entries: of the table; first: the first number of the table.
    """

    bytes_: Array
    base: int
    entries: int
    least: int
    first: int


def are_many(block: Block) -> bool:
    """Tables of bytes are much of all constants."""
    constants = {op.value for op in walk(block) if isinstance(op, core.Constant)}
    found = (handle_of(op.table) for op in walk(block) if isinstance(op, core.QuantTable))
    tables = {t for t in found if t is not None and t.dtype.bits == BYTE}
    return _MUCH * sum(t.nbytes for t in tables) > sum(c.nbytes for c in constants)


def short_table(op: core.QuantTable, e: KernelBuilder) -> Value | None:
    """The table, made when the model runs; None for one that is better read as it is: in loops, or where neighbours
    differ by much.
    """
    known, outer = handle_of(op.table), op.block.parent if op.block else None
    if known is None or known.dtype.bits != BYTE or (outer is not None and outer.parent is not None):
        return None
    found = _differences(known.view().reshape(-1).astype(np.int64))
    return None if found is None else _summed(found, TensorType(known.dtype, known.shape), e)


def _differences(table: Array) -> _Differences | None:
    more = np.diff(table)
    least, most = int(more.min()), int(more.max())
    base = next((n for n in _BASES if most - least < n), 0)
    if not base:
        return None
    digits = np.concatenate([[0], more - least])
    each = _digits(base)
    rows = np.append(digits, [0] * (-digits.size % each)).reshape(each, -1)
    weights = base ** np.arange(each)[:, None]
    return _Differences((rows * weights).sum(axis=0).astype(np.uint8), base, digits.size, least, int(table[0]))


def _digits(base: int) -> int:
    """That a byte holds."""
    return next(n for n in range(BYTE, 0, -1) if base**n <= 1 << BYTE)


def _summed(found: _Differences, type_: TensorType, e: KernelBuilder) -> Value:
    operands, steps = list[Value](), list[Step]()
    each, numbers = found.bytes_.size, e.constant(make_const(found.bytes_))
    for i in range(_digits(found.base)):
        body = Expr(operands)
        byte = body.cast(body.load(numbers, View(0, (1,))), DType.I32)
        above = body.with_number("mul", _quotient(body, byte, found.base ** (i + 1)), found.base)
        digit = body.op("sub", _quotient(body, byte, found.base**i), above)
        body.cast(body.with_number("add", digit, found.least), type_.dtype)
        count = min(each, found.entries - i * each)
        steps.append(Step((count,), 0, "", body.program(), (), View(i * each, (1,))))
    first = Expr(operands)
    first.const(type_.dtype, found.first)
    steps.append(Step((1,), 0, "", first.program(), (), View(0, (1,))))
    more = e.kernel(LoopNestOp(operands, tuple(steps), type_))
    return e.y(core.CumSum(more, axis=0))


def _quotient(e: Expr, byte: int, divisor: int) -> int:
    """A byte by a divisor of at most 256, rounded down: 255 times what the factor is too much is less than a whole."""
    return e.with_number("shr", e.with_number("mul", byte, -(-_WHOLE // divisor)), _WHOLE.bit_length() - 1)
