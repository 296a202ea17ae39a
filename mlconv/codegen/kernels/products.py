"""What products compute with: factors as they are loaded, and how they are multiplied and added.

Floats are multiplied by the instruction that the table of an instruction set has; those of 16 bits are widened before,
and weights that are stored as integers become floats.  Integers that each have a weight of their own are widened to
int32; sums of many products of integers: `dots`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.literals import SMALL
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I8, I16, I32, Value, integer, integers, memory_type, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.instructions import Dot, MultiplyAdd
from mlconv.dialects.kernel import PANEL, ProductTypes
from mlconv.ir.dtypes import DType

BYTE = 8  # bits
_ABOVE = 28  # bits of an int32 that one of 4 bits leaves
_QUAD = 4  # bytes of a word
_LEAST = 8  # lanes for which laying bytes side by side pays


class Multiplier:
    """Emits products.  Raises ConversionError TargetLacksOp for floats that an instruction set has no row for."""

    def __init__(self, types: ProductTypes, cpu: Cpu) -> None:
        self.types = types
        self.row: MultiplyAdd | None = None
        if types.sums.is_float:
            factor = types.sums if types.x in SMALL else types.x
            self.row = cpu.multiply_add(factor, factor, types.sums)
        self.factor = self.row.x if self.row else DType.I32

    def spread(self, b: Builder, pointer: Value, lanes: int) -> Value:
        """An element of x in all lanes."""
        return b.splat(self._widened(b, load(b, self.types.x, pointer), self.types.x), lanes)

    def numbers(self, b: Builder, pointer: Value, count: int) -> Value:
        """Neighbours of x, of which one at a time is multiplied by weights: see `Cpu.by_element`."""
        return self._widened(b, load(b, self.types.x, pointer, count), self.types.x)

    def column(self, b: Builder, dtype: DType, pointer: Value, lanes: int, times: int = 1) -> Value:
        """Elements of x or of the weights, each in its lane, or in so many."""
        if dtype is DType.I4:
            return self._widened(b, _of_halves(b, pointer, lanes), DType.I32)
        return self._widened(b, _repeated(b, dtype, pointer, lanes, times), dtype)

    def added(self, b: Builder, x: Value, weights: Value, sums: Value) -> Value:
        """sums + x * weights, lane by lane."""
        if self.row is not None:
            return b.call(sums.type, f"{self.row.intrinsic}.{sums.type.name}", [x, weights, sums])
        return b.add(sums, Scalars(b, sums.type.lanes).cast(b.mul(x, weights), DType.I32, self.types.sums))

    def _widened(self, b: Builder, value: Value, dtype: DType) -> Value:
        return Scalars(b, value.type.lanes).cast(value, dtype, self.factor)


class PairMultiplier:
    """Products of bytes that each have a weight of their own, two at a time: both factors are widened to 16 bits, and
    those of two places lie side by side in a word, or one beside nothing (PMADDWD).
    """

    def __init__(self, types: ProductTypes, intrinsic: str) -> None:
        self.types, self.intrinsic = types, intrinsic

    def column(self, b: Builder, dtype: DType, pointers: Sequence[Value], lanes: int, times: int = 1) -> Value:
        """Elements of x or of the weights at one address, or at two: a word for each lane, or for so many."""
        found = [_repeated(b, dtype, p, lanes, times) for p in pointers]
        if len(found) == 2:
            both = b.chosen(b.joined(*found), [i + half * lanes for i in range(lanes) for half in range(2)])
            return Scalars(b, 2 * lanes).cast(both, dtype, DType.I16)
        scalars = Scalars(b, lanes)
        if dtype is self.types.weights:  # nothing beside it, whatever lies beside x
            alone = b.convert("zext", scalars.cast(found[0], dtype, DType.I16), I32.of_lanes(lanes))
        else:
            alone = scalars.cast(found[0], dtype, DType.I32)
        return b.bitcast(alone, I16.of_lanes(2 * lanes))

    def added(self, b: Builder, x: Value, weights: Value, sums: Value) -> Value:
        """sums + x * weights, lane by lane."""
        return b.add(sums, b.call(sums.type, self.intrinsic, [x, weights]))


def _of_halves(b: Builder, pointer: Value, lanes: int) -> Value:
    """Integers of 4 bits, of a place of a panel: lower halves of bytes, and behind them the upper ones."""
    count = lanes // 2
    found = b.load(I8.of_lanes(count), pointer, I8.align)
    wide = b.convert("sext", b.chosen(found, [*range(count)] * 2), I32.of_lanes(lanes))
    above = integers(wide.type, [_ABOVE - BYTE // 2 * (i >= count) for i in range(lanes)])
    return b.binary("ashr", b.binary("shl", wide, above), integer(wide.type, _ABOVE))


def _repeated(b: Builder, dtype: DType, pointer: Value, lanes: int, times: int) -> Value:
    """Elements, each in so many lanes side by side; both are powers of two."""
    found = load(b, dtype, pointer, max(1, lanes // times))
    if times == 1:
        return found
    return b.chosen(found, [i // times for i in range(lanes)]) if found.type.lanes > 1 else b.splat(found, lanes)


def pair_multiplier(types: ProductTypes, cpu: Cpu, lanes: int) -> PairMultiplier | None:
    """None where an instruction set has none for vectors of so many lanes, or factors are no bytes."""
    fits = types.x.bits == types.weights.bits == BYTE and types.sums is DType.I32
    intrinsic = next((p.intrinsic for p in cpu.pairs if p.lanes == lanes), "")
    return PairMultiplier(types, intrinsic) if fits and intrinsic else None


class QuadMultiplier:
    """Products of bytes that each have a weight of their own, four at a time: those of four places lie side by side in
    a word, x without a sign where the instruction wants none (VPDPBUSD).
    """

    def __init__(self, types: ProductTypes, dot: Dot) -> None:
        self.types, self.dot, self.shift = types, dot, types.x is not dot.x

    def weights(self, b: Builder, pointers: Sequence[Value]) -> Value:
        """Weights at up to four addresses, and zeros: a word for each lane."""
        return self._words(b, [load(b, self.types.weights, p, self.dot.lanes) for p in pointers])

    def column(self, b: Builder, pointers: Sequence[Value], times: int = 1) -> Value:
        """Elements of x at up to four addresses, each for so many lanes, and whatever is multiplied by zeros."""
        words = self._words(b, [_repeated(b, self.types.x, p, self.dot.lanes, times) for p in pointers])
        return b.xor(words, integer(words.type, -128)) if self.shift else words

    def _words(self, b: Builder, found: Sequence[Value]) -> Value:
        """Four bytes of each lane side by side: words of four lanes are moved first, then bytes within 128 bits."""
        lanes = self.dot.lanes
        parts, bytes_of = lanes // _QUAD, memory_type(self.types.weights).of_lanes(_QUAD * lanes)
        found = [*found, *[zero(found[0].type)] * (_QUAD - len(found))]
        four = b.bitcast(b.joined(b.joined(found[0], found[1]), b.joined(found[2], found[3])), I32.of_lanes(lanes))
        moved = b.chosen(four, [part + parts * i for part in range(parts) for i in range(_QUAD)])
        places = [16 * part + _QUAD * i + j for part in range(parts) for j in range(_QUAD) for i in range(_QUAD)]
        return b.chosen(b.bitcast(moved, bytes_of), places)

    def start(self, b: Builder, weights: Sequence[Value]) -> Value:
        """Sums before the first product: what the missing sign adds, taken off."""
        nothing: Value = zero(I32.of_lanes(self.dot.lanes))
        if not self.shift:
            return nothing
        added = nothing
        for w in weights:
            added = self.added(b, integer(w.type, -128), w, added)
        return b.sub(nothing, added)

    def added(self, b: Builder, x: Value, weights: Value, sums: Value) -> Value:
        """sums + x * weights, lane by lane."""
        return b.call(sums.type, self.dot.intrinsic, [sums, x, weights])


def quad_multiplier(types: ProductTypes, cpu: Cpu, lanes: int) -> QuadMultiplier | None:
    """None where an instruction set has none for vectors of so many lanes, eight at least, or factors are no bytes."""
    fits = types.x.bits == types.weights.bits == BYTE and types.sums is DType.I32 and lanes >= _LEAST
    dot = next((d for d in cpu.dots if (d.lanes, d.x, d.weights) == (lanes, DType.U8, types.weights)), None)
    return QuadMultiplier(types, dot) if fits and dot is not None else None


def panel_vectors(types: ProductTypes, cpu: Cpu) -> int:
    """Registers that the sums of a panel take."""
    return max(1, PANEL // cpu.lanes(types.sums))
