"""Which numbers an integer value of an expression may be: enough to tell where an index that was limited points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from mlconv.dialects.kernel.attributes import Instr
from mlconv.ir.dtypes import DType

Range: TypeAlias = tuple[int, int]


def whole_range(dtype: DType) -> Range:
    """All numbers of an integer type; of others a range that no index is asked about."""
    bits = 1 if dtype is DType.BOOL else dtype.bits
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.is_signed_int else (0, (1 << bits) - 1)


def range_of(instr: Instr, ranges: Sequence[Range], types: Sequence[DType]) -> Range:
    """The range of what an instruction gives, from those of the values before it, and their types."""
    every = whole_range(instr.dtype)
    if not instr.dtype.is_int:
        return every
    if instr.opcode in ("const", "size"):
        found = (int(instr.value), int(instr.value)) if isinstance(instr.value, (int, float)) else every
    elif instr.opcode == "cast" and types[instr.args[0]].is_int:
        found = ranges[instr.args[0]]
    elif instr.opcode == "select":
        (a, b), (c, d) = (ranges[i] for i in instr.args[1:])
        found = min(a, c), max(b, d)
    elif instr.opcode in _ENDS:
        (a, b), (c, d) = (ranges[i] for i in instr.args)
        made = [_ENDS[instr.opcode](x, y) for x in (a, b) for y in (c, d)]
        found = min(made), max(made)
    else:
        found = every
    return found if every[0] <= found[0] and found[1] <= every[1] else every


_ENDS: dict[str, Callable[[int, int], int]] = {
    "add": int.__add__,
    "sub": int.__sub__,
    "mul": int.__mul__,
    "maximum": max,
    "minimum": min,
}


def places_of(index: Range, count: int) -> Range:
    """Where an index, taken for an int64, points on an axis: a negative one counts from the end, and both ends limit
    it.
    """
    low, high = index
    if low < 0 or high >= 1 << 63:
        return 0, count - 1
    return min(low, count - 1), min(high, count - 1)
