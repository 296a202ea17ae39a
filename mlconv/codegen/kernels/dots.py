"""Sums of products of integers: groups of neighbouring elements of x times as many weights of each column.

An instruction set may have an instruction for sums of four products of bytes (`Cpu.dots`: VPDPBUSD, SDOT).  Else both
factors are widened to 16 bits and multiplied two by two, by an instruction too where there is one (`Cpu.pairs`:
PMADDWD); each column has a sum for every two places of a group until the end.  Sums are exact.

Weights of 4 bits share bytes: those of a group are the lower halves, those of the group behind it the upper ones.
Instructions for bytes multiply them times 16, as they lie in the upper half of a byte, and so do sums until the end.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from mlconv.codegen.kernels.costs import NARROW_LOAD
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I8, I16, I32, I64, TYPES, LlvmType, Value, integer, memory_type, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import ProductTypes
from mlconv.ir.dtypes import DType

# Of registers of so many bits one is loaded while this many products are computed: measured on Ice Lake.
_WIDE, _LOAD = 512, 1.8
_ALTERNATING = 256  # bits of registers in which words of whole bytes are taken apart
_WORD = 4  # bytes that a register of integers holds on every machine
_NIBBLE = 4  # bits of weights that share bytes
_UPPER_HALVES = 0xF0F0F0F0 - (1 << 32)  # of the bytes of a word
_WHOLE = {8: I8, 16: I16, 32: I32, 64: I64}


class Dots:
    """How an instruction set multiplies.  shift: is added to elements of x.

    columns: of a vector, the widest; partials: sums that a column has until the end.  staged: elements of x as they are
    multiplied, which they may be made before.
    halves: groups of weights that share bytes.
    alternates: of a group of four bytes the first and the third are multiplied together, then the others: both as they
    lie in words of 16 bits, so that a column has one sum; x is laid out in that order.
    """

    def __init__(self, types: ProductTypes, shift: int, cpu: Cpu, alternates: bool = False) -> None:
        self.types, self.shift, self.cpu, self.group = types, shift, cpu, types.group
        self.stored, self.halves = types.stored, types.shared
        x, fits = _shifted(types.x, shift), types.sums is DType.I32
        found = (x, types.stored, self.group)
        self.rows = {d.lanes: d for d in cpu.dots if fits and (d.x, d.weights, d.places) == found}
        self.staged = x if self.rows else DType.I16
        self.alternates, self.turns = alternates, 2 if alternates else 1
        self.partials = 1 if self.rows or self.group == 1 or alternates else self.group // 2
        self.columns = max(self.rows) if self.rows else max(4, cpu.lanes(DType.I32))

    @property
    def widths(self) -> list[int]:
        """Columns of the vectors that there are, the least first."""
        return sorted(self.rows) if self.rows else [n for n in (4, 8, 16) if n <= self.columns]

    @property
    def registers(self) -> int:
        """That the sums of the widest vector take."""
        return max(1, self.columns * self.partials * self.types.sums.bits // self.cpu.bits)

    @property
    def others(self) -> int:
        """Registers that a step needs besides sums and weights: for x, for products that are not yet added, and for a
        constant of what is around it, which LLVM would rather keep than a sum.
        """
        return 2 if self.rows or self.alternates else 3

    def cost(self, rows: int, vectors: int, places: int = 1) -> float:
        """Of a step of a register tile, in products of two registers: those, what is decoded or loaded, or a sum that
        waits for the one before.  places: of a window that an element of x is loaded for.
        """
        loads = (rows + places - 1) / places + vectors
        if self.rows and self.columns * self.types.sums.bits >= _WIDE:
            return max(rows * vectors, _LOAD * loads, 8)
        if self.at_once > 1:
            return max(rows * vectors, 8) + NARROW_LOAD * (rows / self.at_once + vectors)
        if self.rows:
            return max(rows * vectors, (rows * vectors + loads + 3) / 2, 8)
        return rows * vectors + 0.5 * vectors + 0.25 * rows + 1  # each is added, weights are widened

    @property
    def at_once(self) -> int:
        """Groups of x that a register holds, each of which is multiplied by itself: see `Cpu.by_element`."""
        return self.cpu.lanes(DType.I32) if self.cpu.by_element and self.rows and self.group == _WORD else 1

    def parts(self, columns: int) -> int:
        """Registers of sums of so many columns, each of as many of them; more than one where columns have partial
        sums.
        """
        if self.rows:
            return 1
        return max(1, columns * self.partials // max(4, self.cpu.lanes(DType.I32)))

    def can_alternate(self) -> bool:
        """Bytes lie four by four, and pairs of 16 bits have an instruction, in registers for which it was measured: of
        halves of bytes in all.
        """
        bytes_ = self.group == _WORD and self.stored is DType.I8 and self.types.sums is DType.I32
        gains = self.cpu.bits == _ALTERNATING or (self.halves > 1 and bool(self.cpu.pairs))
        return bytes_ and not self.rows and self.staged is DType.I16 and gains

    def laid(self, b: Builder, x: Value) -> Value:
        """Elements as they are multiplied, as they lie in the room."""
        if not self.alternates:
            return x
        return b.chosen(x, [first + i for first in range(0, x.type.lanes, _WORD) for i in (0, 2, 1, 3)])

    def nothing(self, columns: int) -> list[Value]:
        """Sums of nothing, in registers."""
        count = self.parts(columns)
        return [zero(TYPES[self.types.sums].of_lanes(columns // count * self.partials))] * count

    def made(self, b: Builder, x: Value) -> Value:
        """Elements of x as they are multiplied."""
        if self.shift:
            x = b.xor(x, integer(x.type, -(1 << x.type.bits - 1)))
        return Scalars(b, x.type.lanes).cast(x, _shifted(self.types.x, self.shift), self.staged)

    def spread(self, b: Builder, pointer: Value, columns: int, dtype: DType, turn: int = 0) -> Value:
        """A group of elements of x for each column of a register.  columns: of all registers of a vector.  dtype: as
        they lie there.  turn: of those that alternate.
        """
        if self.alternates:
            pair = b.load(I32, b.moved(pointer, I32, turn), I16.align)
            return b.bitcast(b.splat(pair, columns), I16.of_lanes(2 * columns))
        if self.group == 1:
            return Scalars(b, 1).cast(b.load(TYPES[dtype], pointer, 0), dtype, DType.I32)
        element, columns = memory_type(dtype), columns // self.parts(columns)
        if self.group > _WORD:
            long = b.load(element.of_lanes(self.group), pointer, element.align)
            group = b.chosen(long, [*range(self.group)] * columns)
        else:
            together = b.load(_WHOLE[self.group * element.bits], pointer, element.align)
            group = b.bitcast(b.splat(together, columns), element.of_lanes(columns * self.group))
        return self.made(b, group) if dtype is self.types.x else group

    def groups(self, b: Builder, pointer: Value, dtype: DType) -> Value:
        """`at_once` groups of elements of x, as words.  dtype: as they lie there."""
        element = memory_type(dtype)
        found = b.load(element.of_lanes(self.group * self.at_once), pointer, element.align)
        made = self.made(b, found) if dtype is self.types.x else found
        return b.bitcast(made, I32.of_lanes(self.at_once))

    def of_group(self, b: Builder, groups: Value, number: int, columns: int) -> Value:
        """One of them for each column of a register."""
        return b.bitcast(b.chosen(groups, [number] * columns), I8.of_lanes(self.group * columns))

    def weights(
        self, b: Builder, pointer: Value, columns: int, read: int, places: int, turn: int = 0, half: int = 0
    ) -> list[Value]:
        """A group of weights of each column, in registers; zeros for those that are not there.  read: columns that lie
        there; places: of the group; turn: of those that alternate; half: of the bytes, 0 for the lower one.
        """
        if self.alternates:
            return [self._of_turn(b, pointer, columns, read, turn, half)]
        dtype, count = self.stored, self.parts(columns)
        element, each = memory_type(dtype), columns // count
        wide, out = dtype if self.rows else DType.I32 if self.group == 1 else DType.I16, []
        for first in range(0, columns, each):
            some = min(each, read - first)
            place = b.moved(pointer, element, first * places)
            loaded = b.load(element.of_lanes(some * places), place, element.align) if some > 0 else None
            if loaded is None:
                loaded = zero(element.of_lanes(each * self.group))
            elif some * places == 1 and each * self.group > 1:
                loaded = _alone(b, loaded, each * self.group)
            elif places == 3 and some == each and element.bits == 8 and each % 8 == 0:
                loaded = _of_threes(b, place, element, each)
            elif (some, places) != (each, self.group):
                lanes = [(i, p) for i in range(each) for p in range(self.group)]
                there = [i * places + p if i < some and p < places else some * places for i, p in lanes]
                loaded = b.chosen_or_zero(loaded, there)
            out.append(self._of_half(b, Scalars(b, each * self.group).cast(loaded, dtype, wide), half))
        return out

    def _of_half(self, b: Builder, loaded: Value, half: int) -> Value:
        """Weights that share bytes, as they are multiplied: of bytes times 16."""
        if self.halves == 1:
            return loaded
        if self.rows:
            return upper_half(b, loaded, half)
        return b.binary("ashr", loaded, integer(loaded.type, _NIBBLE)) if half else _field(b, loaded, 0, _NIBBLE)

    def _of_turn(self, b: Builder, pointer: Value, columns: int, read: int, turn: int, half: int) -> Value:
        """Words of 16 bits: their upper bytes, or their lower ones, or halves of them."""
        loaded = b.load(I8.of_lanes(read * _WORD), pointer, I8.align)
        if read != columns:
            there = [min(i, read * _WORD) for i in range(columns * _WORD)]
            loaded = b.chosen_or_zero(loaded, there)
        words, bits = b.bitcast(loaded, I16.of_lanes(2 * columns)), I8.bits // self.halves
        return _field(b, words, I8.bits * turn + bits * half, bits)

    def added(self, b: Builder, x: Value, weights: Value, sums: Value) -> Value:
        """sums + x * weights, of a register."""
        lanes = sums.type.lanes
        if self.rows:
            # the last one may be an element of a register
            factors = [weights, x] if self.at_once > 1 else [x, weights]
            return b.call(sums.type, self.rows[lanes].intrinsic, [sums, *factors])
        products = b.mul(b.splat(x, lanes), weights) if self.group == 1 else self.of_pairs(b, x, weights)
        return b.add(sums, Scalars(b, lanes).cast(products, DType.I32, self.types.sums))

    def of_pairs(self, b: Builder, x: Value, weights: Value) -> Value:
        """Sums of two products of 16 bits, int32."""
        lanes = x.type.lanes // 2
        intrinsic = next((p.intrinsic for p in self.cpu.pairs if p.lanes == lanes), "")
        if intrinsic:
            return b.call(I32.of_lanes(lanes), intrinsic, [x, weights])
        places = range(0, 2 * lanes, 2), range(1, 2 * lanes, 2)
        return b.add(*(b.mul(_part(b, x, p), _part(b, weights, p)) for p in places))

    def less(self, b: Builder, total: Value) -> Value:
        """A sum of a column without the factor of its weights."""
        return b.binary("ashr", total, integer(total.type, _NIBBLE)) if self.rows and self.halves > 1 else total

    def total(self, b: Builder, sums: Sequence[Value]) -> Value:
        """One number for each column of the registers of a vector."""
        whole = functools.reduce(b.joined, sums)
        if self.partials == 1:
            return self.less(b, whole)
        return b.add(*(b.chosen(whole, range(first, whole.type.lanes, 2)) for first in range(2)))


def upper_half(b: Builder, loaded: Value, half: int) -> Value:
    """The lower halves (0) of bytes, or the upper ones (1), as bytes: times 16."""
    words = b.bitcast(loaded, I32.of_lanes(loaded.type.lanes // _WORD))
    moved = words if half else b.binary("shl", words, integer(words.type, _NIBBLE))
    return b.bitcast(b.and_(moved, integer(words.type, _UPPER_HALVES)), loaded.type)


def _field(b: Builder, words: Value, start: int, bits: int) -> Value:
    """Integers of so many bits, of words from bit `start` on."""
    above, below = words.type.bits - start - bits, words.type.bits - bits
    moved = b.binary("shl", words, integer(words.type, above)) if above else words
    return b.binary("ashr", moved, integer(words.type, below))


def _alone(b: Builder, element: Value, lanes: int) -> Value:
    """An element in the first of so many lanes, and zeros."""
    whole = _WHOLE.get(lanes * element.type.bits, I32)
    few = b.bitcast(b.convert("zext", element, whole), element.type.of_lanes(whole.bits // element.type.bits))
    if few.type.lanes == lanes:
        return few
    return b.chosen_or_zero(few, [min(i, few.type.lanes) for i in range(lanes)])


def _of_threes(b: Builder, pointer: Value, element: LlvmType, columns: int) -> Value:
    """Three bytes of each column, and zeros: four columns at a time from 16 bytes, which one instruction shuffles."""
    parts = []
    for first in range(0, 3 * columns, 12):
        start = min(first, 3 * columns - 16)  # nothing is read beyond the last column
        found = b.load(element.of_lanes(16), b.moved(pointer, element, start), element.align)
        parts.append(
            b.chosen_or_zero(found, [16 if p == 3 else first - start + 3 * i + p for i in range(4) for p in range(4)])
        )
    while len(parts) > 1:
        parts = [b.joined(*parts[i : i + 2]) for i in range(0, len(parts), 2)]
    return parts[0]


def _part(b: Builder, factors: Value, places: range) -> Value:
    """Some lanes of factors of 16 bits, as int32."""
    return Scalars(b, len(places)).cast(b.chosen(factors, places), DType.I16, DType.I32)


def _shifted(x: DType, shift: int) -> DType:
    """What bytes are once half of their range is added or taken off."""
    return {DType.I8: DType.U8, DType.U8: DType.I8}[x] if shift else x
