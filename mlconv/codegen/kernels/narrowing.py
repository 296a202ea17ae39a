"""Floats that become bytes at the end of an epilogue, of several vectors together.

An instruction set may have conversions to the nearest integer, and instructions that narrow two registers to one and
limit what does not fit (PACKSSDW, PACKSSWB, PACKUSWB; Intel SDM volume 2B).  They do what the program says one step at
a time: limit, round, take the low byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.llvm.evaluate import Values
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I8, I16, I32, LlvmType, Value, integer
from mlconv.codegen.machines.instructions import Narrowing
from mlconv.dialects.kernel import LOADS, Instr
from mlconv.ir.dtypes import DType

AT_ONCE = 4  # vectors of floats whose bytes fill a register
_RANGE = 255  # from the least byte to the largest


class Narrowed(NamedTuple):
    """Where a program rounds to bytes.  at: its instruction; source: the value before it is limited to low ... high."""

    at: int
    source: int
    low: float
    high: float


def narrowed(program: Sequence[Instr]) -> Narrowed | None:
    """Where a program limits a float and rounds it to a byte, after which it reads nothing.  Value 0 is given, value
    i + 1 that of instruction i.
    """
    at = max((i for i, instr in enumerate(program) if instr.opcode == "nearest"), default=-1)
    if at < 0 or program[at].dtype.bits != I8.bits or not _ends_alone(program, at):
        return None
    above = _limit(program, program[at].args[0], "greater")
    below = _limit(program, above[0], "less") if above is not None else None
    if above is None or below is None or above[1] - below[1] > _RANGE:
        return None
    return Narrowed(at, below[0], below[1], above[1])


def _ends_alone(program: Sequence[Instr], at: int) -> bool:
    """What follows instruction `at` computes with its value and with constants."""
    known = {i + 1 for i, instr in enumerate(program) if instr.opcode == "const"} | {at + 1}
    for i, instr in enumerate(program[at + 1 :], at + 1):
        if instr.opcode in LOADS or instr.opcode == "size" or not known.issuperset(instr.args):
            return False
        known.add(i + 1)
    return True


def _limit(program: Sequence[Instr], value: int, comparison: str) -> tuple[int, float] | None:
    """(x, bound) of a value that is select(x > bound, bound, x), or with `less`."""
    instr = program[value - 1] if value else None
    if instr is None or instr.opcode != "select" or instr.dtype is not DType.F32:
        return None
    condition, bound, x = instr.args
    asked, number = program[condition - 1], program[bound - 1] if bound else None
    if condition == 0 or asked.opcode != comparison or asked.args != (x, bound):
        return None
    return (x, float(number.value)) if number is not None and number.opcode == "const" else None


def narrow(b: Builder, row: Narrowing, found: Narrowed, floats: Sequence[Value]) -> Value:
    """Bytes of up to four vectors, those of the first one first."""
    vectors = [*floats, *[floats[-1]] * (AT_ONCE - len(floats))]
    if len(floats) == 2:
        vectors = [*floats, *floats]  # one instruction does both pairs
    moved, unsigned = _offset(found)
    words = []
    for first, second in ((0, 1), (2, 3)):
        pair = [_nearest(b, row, found, vectors[i], moved, unsigned) for i in (first, second)]
        both = _together(b, row, row.words, I16, pair)
        if moved:
            number = integer(both.type, moved)
            both = b.call(both.type, f"llvm.sadd.sat.{both.type.name}", [both, number])
        words.append(both)
    out = _together(b, row, row.unsigned if unsigned else row.signed, I8, words)
    parts = row.lanes // AT_ONCE  # of a register, of 128 bits, within which instructions narrow
    if parts > 1:
        dwords = b.bitcast(out, I32.of_lanes(row.lanes))
        dwords = b.chosen(dwords, [part * AT_ONCE + i for i in range(AT_ONCE) for part in range(parts)])
        out = b.bitcast(dwords, out.type)
    return b.sub(out, integer(out.type, moved)) if moved else out


def _together(b: Builder, row: Narrowing, intrinsic: str, element: LlvmType, pair: Sequence[Value]) -> Value:
    """Two registers narrowed to one of such elements."""
    lanes = pair[0].type.lanes
    if not row.single:
        return b.call(element.of_lanes(2 * lanes), intrinsic, pair)
    return b.joined(*(b.call(element.of_lanes(lanes), intrinsic, [x]) for x in pair))


def _offset(found: Narrowed) -> tuple[int, bool]:
    """What is added to words so that the limits are those of bytes, and whether of bytes without a sign."""
    least = I8.bits - 1
    if found.low >= 0 and found.high <= _RANGE:
        return 0, True
    if found.low >= -(1 << least) and found.high < 1 << least:
        return 0, False
    return int(-(1 << least) - found.low), False


def _nearest(b: Builder, row: Narrowing, found: Narrowed, x: Value, moved: int, unsigned: bool) -> Value:
    """Integers next to floats.  What is far below all integers becomes the least one, which is right; on some sets what
    is far above does, too, so it is limited before.  Limits that narrowing has are left to it.
    """

    def bound(code: str, number: float) -> Value:
        limit = b.splat(literal(DType.F32, number), row.lanes)
        return b.select(b.fcmp(code, x, limit), limit, x)

    if found.low != (0 if unsigned else -(1 << I8.bits - 1) - moved):
        x = bound("olt", found.low)
    if not row.single or found.high != (_RANGE if unsigned else (1 << I8.bits - 1) - 1 - moved):
        x = bound("ogt", found.high)
    return b.call(I32.of_lanes(row.lanes), row.nearest, [x])


def finished(b: Builder, row: Narrowing, program: Sequence[Instr], found: Narrowed, parts: Sequence[Values]) -> Value:
    """The last value of a program, of vectors whose values up to where they are narrowed are given."""
    made = narrow(b, row, found, [v.vector(found.source) for v in parts])
    dtype = program[found.at].dtype
    whole = Values(b, made.type.lanes)
    whole.add(made, dtype, False)
    for i, instr in enumerate(program):
        if instr.opcode == "const" or i > found.at:
            whole.compute(instr)
        else:
            whole.add(made, dtype, False)  # nothing behind reads what was before
    return whole.vector(len(whole.values) - 1)
