"""Ensembles of trees.

Numbers are compared as integers of the same order (`Forest`), without branches.  Single rows go down several trees at
once, a node of each in turn, so that what one waits for is hidden by the others.  Blocks of rows are compared with all
nodes of a small tree, which needs no waiting at all: each test that fails takes the leaves below its first child out of
a set of bits, of which the lowest that is left is the leaf.  Source: Lucchese et al., "QuickScorer: a fast algorithm to
rank documents with additive ensembles of regression trees" (2015); by trees, as in Ye et al., "RapidScorer" (2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import Code, Num
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.text import Carried
from mlconv.codegen.llvm.types import DOUBLE, I1, I8, I16, I32, I64, LlvmType, Value, index, integer, memory_type
from mlconv.dialects.kernel.forest import LOWEST, ROW_BLOCK, TREE_GROUP, Forest
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

_TREE_NS = 8.0
_NEUTRAL = {"add": 0.0, "min": float("inf"), "max": -float("inf")}
_FEW = 8  # rows that go down one by one


class _Forest:
    """Writes the code of one function."""

    def __init__(self, c: Code, p: Sequence[Value], given: Forest) -> None:
        self.c, self.b, self.given = c, c.b, given
        self.x, self.used, *rest = p
        self.member, self.values = (rest.pop(0), rest.pop(0)) if given.members else (self.used, self.used)
        self.nodes = rest.pop(0)
        self.splits = rest.pop(0) if given.wide else self.nodes
        self.held = rest.pop(0)
        self.leaves = rest.pop(0) if given.leaves else self.held
        self.roots, self.targets, self.group_roots, self.group_targets, *rest, self.y, scratch = rest
        self.masks = rest
        self.type, self.key = memory_type(given.dtype), memory_type(given.key)
        self.low = integer(self.key, LOWEST[given.dtype] + 1)
        self.sums = c.b.offset(scratch, I8, c.first_share.value, given.own_scratch)
        self.spots = c.b.moved(self.sums, DOUBLE, ROW_BLOCK * given.targets)
        self.keys = c.b.moved(self.spots, I32, ROW_BLOCK)

    # -- keys --------------------------------------------------------------------------------------

    def make_keys(self, row: Num, slot: Value, step: int, stride: int) -> None:
        """The keys of a row: those of slot s begin at s * step and are `stride` apart."""
        b, given = self.b, self.given
        source = b.offset(self.x, self.type, row.value, given.columns)
        target = b.offset(self.keys, self.key, slot, step)

        def one(i: Value) -> None:
            value = self._at(source, self.used, i)
            value = b.fadd(value, literal(given.dtype, 0.0))  # -0 is 0
            bits = b.bitcast(value, self.key)
            sign = b.binary("ashr", bits, integer(self.key, self.key.bits - 1))
            turned = b.xor(bits, b.and_(sign, integer(self.key, (1 << (self.key.bits - 1)) - 1)))
            is_nan = b.fcmp("uno", value, value)
            highest = integer(self.key, (1 << (self.key.bits - 1)) - 1)
            self._keep(b.select(is_nan, highest, turned), target, i, stride)
            if given.missing:
                self._keep(b.select(is_nan, self.low, turned), target, b.add(i, self.further), stride)

        b.each(0, given.used, 1, one)
        if given.members:
            self._make_words(source, target, stride)

    def _make_words(self, source: Value, target: Value, stride: int) -> None:
        b, given, count = self.b, self.given, self.given.word

        def one(i: Value) -> None:
            value, place = self._at(source, self.member, i), b.add(i, index(given.used))
            known = b.load(self.type.of_lanes(count), b.offset(self.values, self.type, i, count), self.type.align)
            word = b.bitcast(b.fcmp("oeq", b.splat(value, count), known), self.key)
            self._keep(word, target, place, stride)
            if given.missing:
                is_nan = b.fcmp("uno", value, value)
                self._keep(b.select(is_nan, integer(self.key, -1), word), target, b.add(place, self.further), stride)

        b.each(0, given.members, 1, one)

    @property
    def further(self) -> Value:
        """How far the keys are in which NaN passes."""
        return index(self.given.used + self.given.members)

    def _at(self, row: Value, columns: Value, i: Value) -> Value:
        """The number of a row in a column of a list."""
        column = self.number_at(columns, i)
        return self.b.load(self.type, self.b.offset(row, self.type, column), self.type.align)

    def _keep(self, key: Value, target: Value, i: Value, stride: int) -> None:
        self.b.store(key, self.b.offset(target, self.key, i, stride), self.key.align)

    # -- going down --------------------------------------------------------------------------------

    def down(self, starts: Sequence[Value], rows: Sequence[Value]) -> list[Value]:
        """The leaves that rows come to, each from a node of its own.  rows: addresses of their keys."""
        b = self.b

        def turn(values: Carried) -> Carried:
            steps = [self._step(node, row) for node, row in zip(values[1:], rows, strict=True)]
            at_leaf = steps[0]
            for step in steps[1:]:
                at_leaf = b.and_(at_leaf, step)
            following = [b.add(b.add(n, s), index(1)) for n, s in zip(values[1:], steps, strict=True)]
            return [b.icmp("ne", at_leaf, index(-1)), *following]

        return b.repeat([integer(I1, 1), *starts], lambda values: values[0], turn)[1:]

    def _step(self, node: Value, row: Value) -> Value:
        """How far the next node is, less 1: 0 where the test holds, -1 at a leaf."""
        b = self.b
        word, half = b.offset(self.nodes, I64, node), I32 if self.given.wide else I16
        if self.given.wide:
            split, place = b.load(I64, b.offset(self.splits, I64, node), 8), b.load(half, word, 8)
        else:
            split, place = b.convert("sext", b.load(I32, word, 8), I64), b.load(half, b.moved(word, half, 2), 4)
        far = b.convert("sext", b.load(half, b.moved(word, half, 1 if self.given.wide else 3), half.align), I64)
        at = b.convert("zext", place, I64)
        if self.given.members:
            at = b.and_(at, index((1 << (half.bits - 1)) - 1))
        key = b.load(self.key, b.offset(row, self.key, at), self.key.align)
        failed = self._failed(key if self.key is I64 else b.convert("sext", key, I64), split, place)
        return b.and_(far, failed)

    def _failed(self, key: Value, split: Value, place: Value) -> Value:
        """-1 where the test does not hold, else 0.  place: of the key, its highest bit where a set is asked for."""
        b = self.b
        if self.key is I64:
            above = b.convert("sext", b.icmp("sgt", key, split), I64)
        else:  # the sign of a difference: no compiler makes a branch of it
            above = b.binary("ashr", b.sub(split, key), index(63))
        if not self.given.members:
            return above
        is_set = b.convert("sext", b.binary("ashr", place, integer(place.type, place.type.bits - 1)), I64)
        common = b.and_(key, split)
        some = b.binary("ashr", b.or_(common, b.sub(index(0), common)), index(63))
        none = b.xor(some, index(-1))
        return b.xor(above, b.and_(b.xor(above, none), is_set))

    # -- what leaves hold --------------------------------------------------------------------------

    def combined(self, total: Value, held: Value) -> Value:
        """float64 in every lane."""
        b, opcode = self.b, self.given.opcode
        if opcode == "add":
            return b.fadd(total, held)
        return b.select(b.fcmp("olt" if opcode == "min" else "ogt", held, total), held, total)

    def wide(self, held: Value) -> Value:
        return held if held.type.element is DOUBLE else self.b.convert("fpext", held, DOUBLE.of_lanes(held.type.lanes))

    def into(self, address: Value, held: Value) -> None:
        """Combine float64 in memory with numbers."""
        self.b.store(self.combined(self.b.load(held.type, address, 8), held), address, 8)

    def clear(self, count: int, stride: int = 1) -> None:
        neutral = literal(DType.F64, _NEUTRAL[self.given.opcode])
        self.b.each(0, count, 1, lambda i: self.b.store(neutral, self.b.offset(self.sums, DOUBLE, i, stride), 8))

    def add_leaf(self, number: Value, slot: Value) -> None:
        """All targets of a leaf (i32) to the sums of a slot, [slots, targets]."""
        b, count = self.b, self.given.targets
        row = b.offset(self.leaves, self.type, b.convert("sext", number, I64), count)
        sums = b.offset(self.sums, DOUBLE, slot, count)

        def one(k: Value) -> None:
            held = b.load(self.type, b.offset(row, self.type, k), self.type.align)
            self.into(b.offset(sums, DOUBLE, k), self.wide(held))

        b.each(0, count, 1, one)

    def add_node(self, node: Value, target: Value, slot: Value) -> None:
        """What the leaf at a node holds to the sums of a slot, for a target."""
        b = self.b
        if self.given.leaves:
            self.add_leaf(b.load(I32, b.offset(self.held, I32, node), 4), slot)
            return
        held = b.load(self.type, b.offset(self.held, self.type, node), self.type.align)
        self.into(b.gep(DOUBLE, b.offset(self.sums, DOUBLE, target, ROW_BLOCK), slot), self.wide(held))

    def finish(self, row: Num, slot: Num) -> None:
        """Sums of a slot are the results of a row."""
        count, by_slot = self.given.targets, bool(self.given.leaves)

        def one(k: Num) -> None:
            at = slot * count + k if by_slot else k * ROW_BLOCK + slot
            total = Num(self.c, self.b.load(DOUBLE, self.b.offset(self.sums, DOUBLE, at.value), 8), DType.F64)
            self.c.store(self.y, row * count + k, total.to(self.given.dtype))

        self.c.each(count, one)

    def number_at(self, table: Value, at: Value) -> Value:
        """An int32 of a table as an i64."""
        return self.b.convert("sext", self.b.load(I32, self.b.offset(table, I32, at), 4), I64)

    # -- single rows -------------------------------------------------------------------------------

    def single(self, row: Num) -> None:
        b, given = self.b, self.given
        self.clear(given.targets, 1 if given.leaves else ROW_BLOCK)
        self.make_keys(row, index(0), 0, 1)

        def some(group: Value) -> None:
            at = b.offset(self.group_roots, I32, group, TREE_GROUP)
            starts = [self.number_at(at, index(i)) for i in range(TREE_GROUP)]
            target = self.number_at(self.group_targets, group)
            for leaf in self.down(starts, [self.keys] * TREE_GROUP):
                self.add_node(leaf, target, index(0))

        b.each(0, given.groups, 1, some)
        self.finish(row, self.c.num(0))

    # -- blocks of rows ----------------------------------------------------------------------------

    def block(self, first: Num, count: Num) -> None:
        """Rows from `first` on, `count` of them, at most ROW_BLOCK.  What is computed of others is not used."""
        given = self.given
        self.clear(ROW_BLOCK * given.targets)
        step, stride = (1, ROW_BLOCK) if given.bits else (given.keys, 1)
        self.c.each(count, lambda i: self.make_keys(first + i, i.value, step, stride))
        if given.bits:
            Masks(self).trees(count)
        else:
            self._trees(count)
        self.c.each(count, lambda i: self.finish(first + i, i))

    def _trees(self, count: Num) -> None:
        """Some rows of the block at a time go down each tree; the last one does so again where there are too few."""
        b, given = self.b, self.given

        def tree(t: Value) -> None:
            root, target = self.number_at(self.roots, t), self.number_at(self.targets, t)

            def some(at: Num) -> list[Num]:
                slots = [(at + i).min(count - 1).value for i in range(TREE_GROUP)]
                rows = [b.offset(self.keys, self.key, slot, given.keys) for slot in slots]
                leaves = self.down([root] * TREE_GROUP, rows)
                for i, leaf in enumerate(leaves):
                    self._add_once(leaf, target, at + i, count)
                return []

            self.c.fold(count, [], some, 0, TREE_GROUP)

        b.each(0, given.trees, 1, tree)

    def _add_once(self, leaf: Value, target: Value, slot: Num, count: Num) -> None:
        self.c.when(slot.lt(count), lambda: self.add_node(leaf, target, slot.value))


class Masks:
    """Rows of a block in lanes, compared with all nodes of each tree."""

    def __init__(self, forest: _Forest) -> None:
        self.f, self.b, given = forest, forest.b, forest.given
        self.ends, self.places, self.splits, self.bits, self.first_leaves, self.held = forest.masks
        self.lanes = min(ROW_BLOCK // 4, max(1, self.b.cpu.lanes(given.dtype)))
        self.vectors = 4
        self.set: LlvmType = I64 if given.bits == 64 else I32

    def trees(self, count: Num) -> None:
        """All trees for rows 0 to `count` of the block, in steps."""
        given = self.f.given

        def tree(t: Value) -> None:
            begin = self.b.choose(
                self.b.icmp("eq", t, index(0)),
                lambda: [index(0)],
                lambda: [self.f.number_at(self.ends, self.b.sub(t, index(1)))],
            )[0]
            end = self.f.number_at(self.ends, t)
            middle = self.f.number_at(self.ends, self.b.add(t, index(given.trees))) if given.members else end
            self.f.c.fold(
                count, [], lambda at: self._rows(t, at.value, (begin, middle, end)), 0, self.lanes * self.vectors
            )

        self.b.each(0, given.trees, 1, tree)

    def _rows(self, tree: Value, at: Value, ends: tuple[Value, Value, Value]) -> list[Num]:
        b = self.b
        keys = b.gep(self.f.key, self.f.keys, at)
        whole = integer(self.set.of_lanes(self.lanes), -1)
        begin, middle, end = ends
        sets = b.over(begin, middle, [whole] * self.vectors, lambda i, s: self._tested(i, s, keys, self._above))
        if self.f.given.members:
            sets = b.over(middle, end, sets, lambda i, s: self._tested(i, s, keys, self._apart))
        first = b.convert("trunc", self.f.number_at(self.first_leaves, tree), I32)
        for i, left in enumerate(sets):
            leaf = b.call(left.type, f"llvm.cttz.{left.type.name}", [left, integer(I1, 1)])
            ints = I32.of_lanes(self.lanes)
            place = b.add(leaf if leaf.type is ints else b.convert("trunc", leaf, ints), b.splat(first, self.lanes))
            self._add(place, tree, b.add(at, index(i * self.lanes)))
        return []

    def _tested(self, node: Value, sets: Carried, keys: Value, failed: Callable[[Value, Value], Value]) -> Carried:
        """Sets without the leaves below the first child of a node, where its test does not hold."""
        b, key = self.b, self.f.key
        column = b.offset(keys, key, self.f.number_at(self.places, node), ROW_BLOCK)
        split = b.splat(b.load(key, b.offset(self.splits, key, node), key.align), self.lanes)
        mask = b.splat(b.load(self.set, b.offset(self.bits, self.set, node), self.set.align), self.lanes)
        out = []
        for i, kept in enumerate(sets):
            have = b.load(key.of_lanes(self.lanes), b.moved(column, key, i * self.lanes), key.align)
            out.append(b.select(failed(have, split), b.and_(kept, mask), kept))
        return out

    def _above(self, have: Value, split: Value) -> Value:
        return self.b.icmp("sgt", have, split)

    def _apart(self, have: Value, split: Value) -> Value:
        return self.b.icmp("eq", self.b.and_(have, split), integer(have.type, 0))

    def _add(self, place: Value, tree: Value, slot: Value) -> None:
        """What leaves hold to the sums of the slots from one on."""
        b, given = self.b, self.f.given
        if given.leaves:
            spots = b.gep(I32, self.f.spots, slot)
            b.store(b.gather(self.held, I32, place), spots, 4)
            b.each(0, self.lanes, 1, lambda i: self._add_spot(spots, slot, i))
            return
        held = self.f.wide(b.gather(self.held, self.f.type, place))
        target = self.f.number_at(self.f.targets, tree)
        self.f.into(b.gep(DOUBLE, b.offset(self.f.sums, DOUBLE, target, ROW_BLOCK), slot), held)

    def _add_spot(self, spots: Value, slot: Value, i: Value) -> None:
        self.f.add_leaf(self.b.load(I32, self.b.offset(spots, I32, i), 4), self.b.add(slot, i))


def forest(c: Code, p: Sequence[Value], given: Forest) -> Written:
    """See `Forest`."""
    own, shares = _Forest(c, p, given), given.shares
    first, last = c.shared(given.rows, shares)

    def rows(at: Num) -> list[Num]:
        count = (last - at).min(ROW_BLOCK)

        def together() -> list[Num]:
            own.block(at, count)
            return []

        def apart() -> list[Num]:
            c.each(count, lambda i: own.single(at + i))
            return []

        return c.choose(count.ge(_FEW), together, apart, [])

    c.fold(last, [], rows, first, ROW_BLOCK)
    return Written(shares, estimate(given.rows * given.trees) * _TREE_NS / shares)


GENERATORS = {"forest": forest}
