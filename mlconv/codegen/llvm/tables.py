"""Elements of tables of 256 bytes, one for each lane, by instructions that shuffle 16 bytes (PSHUFB), or 64 (TBL).

Source: Intel SDM volume 2, PSHUFB: a byte of the index picks one of 16 by its low bits; one whose sign is set
gives 0.  Arm Architecture Reference Manual, TBL: one that is beyond the registers gives 0.
"""

from __future__ import annotations

from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I8, Value, index, integer, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.instructions import Shuffle
from mlconv.dialects.kernel import Instr
from mlconv.ir.dtypes import DType

ENTRIES = 256
_PART = 16  # bytes that an instruction picks from
# Added to a byte with saturation it sets the sign of those from 16 on, and leaves the low bits of others.
_BEYOND = 0x70
_GATHERED = (4, 8)  # bytes of elements that there are instructions for
_MASKS = 512  # bits of registers of sets that choose between bytes by a bit for each
_BITS = {16: 16, 32: 32, 64: 64, 128: -128}  # of an index, as bytes


def is_table(instr: Instr, at: DType, axis: int) -> bool:
    """Whether a `load_at` by an index of an element type picks bytes of a table that is the same along an axis."""
    view, stride, count = instr.value
    return (instr.dtype.is_int, instr.dtype.bits, at, stride, count) == (True, 8, DType.U8, 1, ENTRIES) and not any(
        view.strides[axis : axis + 1]
    )


def reads_in_lanes(cpu: Cpu, instr: Instr, at: DType, axis: int) -> bool:
    """Whether a `load_at` by an index of an element type, of its own in each lane along an axis, is read for all lanes:
    bytes of a table, or elements that the instruction set gathers.
    """
    if cpu.shuffles and is_table(instr, at, axis):
        return True
    known = instr.dtype.is_numeric and not instr.dtype.is_complex and instr.dtype.itemsize in _GATHERED
    return cpu.gathers and known and isinstance(instr.value[0].strides[axis], int)


def picked(b: Builder, table: Value, at: Value) -> Value:
    """The bytes of a table at unsigned numbers, lane by lane."""
    count = at.type.lanes
    if any(s.lanes == count for s in b.cpu.shuffles):
        return _picked(b, table, at)
    lanes = min(s.lanes for s in b.cpu.shuffles if s.lanes > count)
    return b.lanes(_picked(b, table, b.chosen(at, [i % count for i in range(lanes)])), 0, count)


def _picked(b: Builder, table: Value, at: Value) -> Value:
    shuffle = next(s for s in b.cpu.shuffles if s.lanes == at.type.lanes)
    if shuffle.parts > 1:
        return _by_ranges(b, shuffle, table, at)
    return _by_masks(b, table, at) if b.cpu.bits >= _MASKS else _by_sums(b, table, at)


def _by_masks(b: Builder, table: Value, at: Value) -> Value:
    """All parts are picked from by the low bits of an index; its other bits choose among them."""
    t = at.type
    low = b.and_(at, integer(t, 0x7F))
    is_set = {bit: b.icmp("ne", b.and_(at, integer(t, number)), zero(t)) for bit, number in _BITS.items()}

    def of(start: int, count: int) -> Value:
        """Of so many entries from one on."""
        if count == _PART:
            return _part(b, table, start, low)
        half = count // 2
        here, behind = of(start, half), of(start + half, half)
        return b.select(is_set[half], behind, here)

    return of(0, ENTRIES)


def _by_sums(b: Builder, table: Value, at: Value) -> Value:
    """What is picked from parts that an index is not in is 0."""
    t, found = at.type, None
    for start in range(0, ENTRIES, _PART):
        place = b.sub(at, integer(t, start)) if start else at
        place = b.call(t, f"llvm.uadd.sat.{t.name}", [place, integer(t, _BEYOND)])
        here = _part(b, table, start, place)
        found = here if found is None else b.or_(found, here)
    assert found is not None
    return found


def _by_ranges(b: Builder, shuffle: Shuffle, table: Value, at: Value) -> Value:
    """What is picked from registers that an index is not in is 0."""
    t, entries = at.type, shuffle.parts * _PART
    found: Value = zero(t)
    for start in range(0, ENTRIES, entries):
        parts = [b.load(t, b.gep(I8, table, index(first)), I8.align) for first in range(start, start + entries, _PART)]
        place = b.sub(at, integer(t, start)) if start else at
        found = b.or_(found, b.call(t, shuffle.intrinsic, [*parts, place]))
    return found


def _part(b: Builder, table: Value, start: int, place: Value) -> Value:
    """Entries of 16 from one on."""
    lanes = place.type.lanes
    intrinsic = next(s.intrinsic for s in b.cpu.shuffles if s.lanes == lanes)
    part = b.load(I8.of_lanes(_PART), b.gep(I8, table, index(start)), I8.align)
    return b.call(place.type, intrinsic, [b.chosen(part, [i % _PART for i in range(lanes)]), place])
