"""Ensembles of trees: rows, or trees, side by side in the lanes of vectors, go down by one node in each turn.

What is compared at a node, with which column, and where its other child lies are one number (`Forest`), so that a turn
reads one number of the tree and one of the row for each lane.  Several vectors go down together, each waiting for its
own reads; a turn that moves none ends it.  After the layout of: Asadi, Lin, de Vries, "Runtime optimizations for
tree-based machine learning models" (2014), section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import Code, Num
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.sizes import estimate
from mlconv.codegen.llvm.text import Carried
from mlconv.codegen.llvm.types import DOUBLE, I1, I8, I32, I64, Value, index, integer, memory_type, zero
from mlconv.dialects.core.trees import EQUAL, MISSING
from mlconv.dialects.kernel.routines import ROW_BLOCK, TREE_LANES, Forest
from mlconv.ir.dtypes import DType

_NODE_NS = 1.5
_DEPTH = 8
_TOGETHER = 4  # vectors that go down together
_NEUTRAL = {"add": 0.0, "min": float("inf"), "max": -float("inf")}


class _Walk:
    """Writes the code of one function."""

    def __init__(self, c: Code, p: Sequence[Value], given: Forest) -> None:
        self.c, self.b, self.given = c, c.b, given
        self.x, self.words, *rest = p
        self.splits = rest.pop(0) if given.wide else None
        self.held = rest.pop(0)
        self.leaves = rest.pop(0) if given.leaves else self.held
        self.roots, self.targets, self.group_roots, self.group_targets, self.y, scratch = rest
        self.lanes = 1
        self.ints, self.type = I32.of_lanes(self.lanes), memory_type(given.dtype)
        self.sums = c.b.offset(scratch, I8, c.first_share.value, given.own_scratch)
        self.spots = c.b.moved(self.sums, DOUBLE, ROW_BLOCK * given.targets)

    # -- going down ------------------------------------------------------------------------------

    def down(self, row: Value, starts: Sequence[Value], offsets: Sequence[Value]) -> list[Value]:
        """The leaves that vectors of nodes come to.  offsets: where the row of each lane begins, behind `row`."""
        b = self.b

        def turn(values: Carried) -> Carried:
            moved: Value = integer(I1.of_lanes(self.lanes), 0)
            following: Carried = []
            for node, offset in zip(values[1:], offsets, strict=True):
                step = self._step(row, node, offset)
                moved = b.or_(moved, b.icmp("ne", step, zero(self.ints)))
                following.append(b.add(node, step))
            return [self._any(moved), *following]

        return b.repeat([integer(I1, 1), *starts], lambda values: values[0], turn)[1:]

    def _any(self, mask: Value) -> Value:
        if self.lanes == 1:
            return mask
        return self.b.call(I1, f"llvm.vector.reduce.or.{mask.type.name}", [mask])

    def _step(self, row: Value, node: Value, offset: Value) -> Value:
        """How far the next node is, 0 at a leaf."""
        b = self.b
        flags, column, far, split = self._read(node)
        value = b.gather(row, self.type, b.add(offset, column))
        near = b.fcmp("ole", value, split)
        if self.given.flags & EQUAL:
            near = b.select(self._has(flags, EQUAL), b.fcmp("oeq", value, split), near)
        if self.given.flags & MISSING:
            near = b.or_(near, b.and_(self._has(flags, MISSING), b.fcmp("uno", value, value)))
        return b.select(near, integer(self.ints, 1), far)

    def _has(self, flags: Value, flag: int) -> Value:
        return self.b.icmp("ne", self.b.and_(flags, integer(self.ints, flag)), zero(self.ints))

    def _read(self, node: Value) -> tuple[Value, Value, Value, Value]:
        """Flags, column, distance of the other child and threshold of nodes."""
        b, given = self.b, self.given
        word = b.gather(self.words, I64, node)
        low = b.convert("trunc", word, self.ints)
        high = b.convert("trunc", b.binary("lshr", word, integer(word.type, 32)), self.ints)
        if self.splits is not None:
            column = b.binary("lshr", low, integer(self.ints, 2))
            return low, column, high, b.gather(self.splits, self.type, node)
        column = b.and_(b.binary("lshr", low, integer(self.ints, 2)), integer(self.ints, (1 << 14) - 1))
        split = b.bitcast(high, memory_type(given.dtype).of_lanes(self.lanes))
        return low, column, b.binary("lshr", low, integer(self.ints, 16)), split

    # -- what leaves hold ------------------------------------------------------------------------

    def _combined(self, total: Value, held: Value) -> Value:
        """float64 in every lane."""
        b, opcode = self.b, self.given.opcode
        if opcode == "add":
            return b.fadd(total, held)
        return b.select(b.fcmp("olt" if opcode == "min" else "ogt", held, total), held, total)

    def _wide(self, held: Value) -> Value:
        return held if held.type.element is DOUBLE else self.b.convert("fpext", held, DOUBLE.of_lanes(held.type.lanes))

    def _into(self, address: Value, held: Value) -> None:
        """Combine float64 in memory with numbers."""
        total = self.b.load(held.type, address, 8)
        self.b.store(self._combined(total, held), address, 8)

    def _clear(self, count: int) -> None:
        neutral = literal(DType.F64, _NEUTRAL[self.given.opcode])
        self.b.each(0, count, 1, lambda i: self.b.store(neutral, self.b.offset(self.sums, DOUBLE, i), 8))

    def _add_leaf(self, leaf: Value, slot: Value) -> None:
        """All targets of a leaf (i32) to the sums of a slot, [slots, targets]."""
        b, count = self.b, self.given.targets
        at = b.binary("mul nsw", b.convert("sext", leaf, I64), index(count))
        row, sums = b.gep(self.type, self.leaves, at), b.offset(self.sums, DOUBLE, slot, count)

        def one(k: Value) -> None:
            held = self._wide(b.load(self.type, b.offset(row, self.type, k), self.type.align))
            self._into(b.offset(sums, DOUBLE, k), held)

        b.each(0, count, 1, one)

    # -- rows side by side -----------------------------------------------------------------------

    def block(self, first: Num, count: Num) -> None:
        """Rows from `first` on, `count` of them, at most ROW_BLOCK: the lanes behind do the last one again."""
        b, given = self.b, self.given
        self._clear(ROW_BLOCK * given.targets)
        row = b.offset(self.x, self.type, first.value, given.columns)
        last = b.splat(b.convert("trunc", (count - 1).value, I32), self.lanes)
        size = self.lanes * min(_TOGETHER, ROW_BLOCK // self.lanes)

        def part(begin: Num) -> list[Num]:
            offsets = []
            for i in range(size // self.lanes):
                lane = b.add(
                    b.splat(b.convert("trunc", begin.value, I32), self.lanes), self._count_from(i * self.lanes)
                )
                inside = b.select(b.icmp("slt", lane, last), lane, last)
                offsets.append(b.mul(inside, integer(self.ints, given.columns)))
            self._trees(row, begin.value, offsets)
            return []

        self.c.fold(count, [], part, 0, size)
        self.c.each(count, lambda i: self._finish(first + i, i))

    def _count_from(self, first: int) -> Value:
        """first, first + 1, ... in lanes."""
        if self.lanes == 1:
            return integer(I32, first)
        numbers = ", ".join(f"i32 {first + i}" for i in range(self.lanes))
        return Value(self.ints, f"<{numbers}>")

    def _trees(self, row: Value, begin: Value, offsets: Sequence[Value]) -> None:
        """All trees for vectors of rows, of which the first lane is row `begin` of the block."""
        b, given = self.b, self.given

        def tree(t: Value) -> None:
            root = b.splat(b.load(I32, b.offset(self.roots, I32, t), 4), self.lanes)
            leaves = self.down(row, [root] * len(offsets), offsets)
            if given.leaves:
                self._add_leaves(leaves, lambda lane: b.add(begin, lane))
                return
            target = b.convert("sext", b.load(I32, b.offset(self.targets, I32, t), 4), I64)
            sums = b.offset(self.sums, DOUBLE, target, ROW_BLOCK) if given.targets > 1 else self.sums
            for i, leaf in enumerate(leaves):
                held = self._wide(b.gather(self.held, self.type, leaf))
                self._into(b.moved(b.gep(DOUBLE, sums, begin), DOUBLE, i * self.lanes), held)

        b.each(0, given.trees, 1, tree)

    def _add_leaves(self, leaves: Sequence[Value], slot: Callable[[Value], Value]) -> None:
        """Each lane's leaf to the sums of the lane's slot."""
        b = self.b
        for i, leaf in enumerate(leaves):
            b.store(b.gather(self.held, I32, leaf), b.moved(self.spots, I32, i * self.lanes), 4)

        def one(lane: Value) -> None:
            self._add_leaf(b.load(I32, b.offset(self.spots, I32, lane), 4), slot(lane))

        b.each(0, len(leaves) * self.lanes, 1, one)

    def _finish(self, row: Num, slot: Num) -> None:
        """Sums of a slot are the results of a row."""
        count, by_slot = self.given.targets, bool(self.given.leaves)

        def one(k: Num) -> None:
            at = slot * count + k if by_slot else k * ROW_BLOCK + slot
            total = Num(self.c, self.b.load(DOUBLE, self.b.offset(self.sums, DOUBLE, at.value), 8), DType.F64)
            self.c.store(self.y, row * count + k, total.to(self.given.dtype))

        self.c.each(count, one)

    # -- trees side by side ----------------------------------------------------------------------

    def single(self, row: Num) -> None:
        """One row."""
        b, given = self.b, self.given
        own = b.offset(self.x, self.type, row.value, given.columns)
        self._clear(given.targets if given.leaves else ROW_BLOCK * given.targets)
        vectors = TREE_LANES // self.lanes
        offsets = [zero(self.ints)] * _TOGETHER

        def some(first: Value) -> None:
            at = b.offset(self.group_roots, I32, first, self.lanes)
            starts = [b.load(self.ints, b.moved(at, I32, i * self.lanes), 4) for i in range(_TOGETHER)]
            leaves = self.down(own, starts, offsets)
            if given.leaves:
                self._add_leaves(leaves, lambda lane: index(0))
                return
            for i, leaf in enumerate(leaves):
                self._to_target(b.add(first, index(i)), vectors, self._wide(b.gather(self.held, self.type, leaf)))

        b.each(0, given.groups * vectors, _TOGETHER, some)
        self._finish(row, self.c.num(0))

    def _to_target(self, vector: Value, vectors: int, held: Value) -> None:
        """All lanes of a vector of trees to the sum of their target."""
        b = self.b
        while held.type.lanes > 2:
            half = held.type.lanes // 2
            held = self._combined(b.lanes(held, 0, half), b.lanes(held, half, half))
        held = held if held.type.lanes == 1 else self._combined(b.lane(held, 0), b.lane(held, 1))
        group = vector if vectors == 1 else b.udiv(vector, index(vectors))
        target = b.convert("sext", b.load(I32, b.offset(self.group_targets, I32, group), 4), I64)
        self._into(b.offset(self.sums, DOUBLE, target, ROW_BLOCK), held)


def forest(c: Code, p: Sequence[Value], given: Forest) -> Written:
    """See `Forest`."""
    walk, shares = _Walk(c, p, given), given.shares
    first, last = c.shared(given.rows, shares)
    few = max(2, ROW_BLOCK // 8)

    def rows(at: Num) -> list[Num]:
        count = (last - at).min(ROW_BLOCK)

        def together() -> list[Num]:
            walk.block(at, count)
            return []

        def apart() -> list[Num]:
            c.each(count, lambda i: walk.single(at + i))
            return []

        return c.choose(count.ge(few), together, apart, [])

    c.fold(last, [], rows, first, ROW_BLOCK)
    return Written(shares, estimate(given.rows * given.trees) * _DEPTH * _NODE_NS / shares)


GENERATORS = {"forest": forest}
