"""Sizes that are known at run time, computed once: what a file does with the shapes of its inputs is found out
symbolically, and done anew with as few ops as there are vectors that something reads.

All numbers that vectors hold lie in one table, the joined shapes of inputs and constants; each vector is a GATHER from
it.  What is no axis of an input is computed for all elements of a vector at once, or comes from the SHAPE of a value
that has it.  SHAPE, CONCATENATION, GATHER and MUL of such give their results before LiteRT runs
(`SetTensorToPersistentRo` in their kernels), so that tensors of these sizes lie in the planned arena.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from mlconv.dialects.core import Constant
from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dim_fold import line_of
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.size_forms import leaves
from mlconv.ir.size_parts import SizeParts
from mlconv.ir.traits import is_pure
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_tfl.merge import merge_equal
from mlconv.legalize.to_tfl.piece_ops import compute_before_unpack
from mlconv.legalize.to_tfl.size_bases import Read, is_planned, is_vector, multiple, table_base
from mlconv.legalize.to_tfl.size_casts import with_casts
from mlconv.legalize.to_tfl.size_contents import SizeContents
from mlconv.legalize.to_tfl.size_emission import Emission
from mlconv.legalize.to_tfl.size_joins import Joins, with_an_open_size
from mlconv.legalize.to_tfl.size_needs import Need, needs_of, read_as_int32, read_for_elements
from mlconv.legalize.to_tfl.size_plans import (
    Apply,
    Cast,
    FromTable,
    Pack,
    Picked,
    Plan,
    ShapeOf,
    Told,
    Trees,
    all_parts,
    arithmetic,
    is_op,
    leaves_of,
    ops_of,
    stays_known,
    table_ops,
)
from mlconv.legalize.to_tfl.size_results import plan_of_parts
from mlconv.legalize.to_tfl.split_axes import split_first
from mlconv.passes.simplify_indices import is_dynamic
from mlconv.rewrite import edit

_CHEAP: Final = 1  # ops, of a plan that no other one is looked for


def share_sizes(block: Block, facts: SizeFacts) -> int:
    """Rewrite what computes sizes in a block, and in each region's own block; returns how many vectors are read."""
    pending, shared = [block], 0
    while pending:
        current = pending.pop()
        pending.extend(region.block for op in current.ops for region in op.regions)
        if is_dynamic(current):
            shared += _share(current, facts)
    return shared


def _share(block: Block, facts: SizeFacts) -> int:
    contents = SizeContents(facts)
    split_first(block)
    for op in block.ops:
        contents.learn(op)
    for op in list(block.ops):
        _leave_whole(op, contents)
        read_as_int32(op, contents)
    read = read_for_elements(block, contents)
    needs = needs_of(block, contents, read)
    planner = _Planner(block, needs, read)
    emission = Emission(planner)
    for need, told in planner.plans.items():
        emission.start(need)
        _replace(need, emission.shaped(told.plan, need.value.tensor), planner.place)
    erase_dead(block)
    merge_equal(block)
    compute_before_unpack(block)
    return len(needs)


def _leave_whole(op: Op, contents: SizeContents) -> None:
    """A SLICE of all that there is: what pads cut off, where facts say that they only add."""
    if not isinstance(op, TflOp) or op.builtin != "SLICE":
        return
    x, begin, size = op.operands[0], contents.of(op.operands[1]), contents.of(op.operands[2])
    if x is None or begin is None or size is None or x.tensor.shape is None or not is_told(x.tensor.shape):
        return
    if all(n == 0 for n in begin) and size == x.tensor.shape and op.block and op.results[0] not in op.block.outputs:
        edit.replace_uses(op.results[0], x)


def _replace(need: Need, made: Value, place: dict[Op, int]) -> None:
    """What reads a need reads what its plan makes, but for ops before that: they compute sizes that have no plan."""
    before = [(op, i) for op, i in need.value.uses if place.get(op, place[need.at]) < place[need.at]]
    edit.replace_uses(need.value, made)
    for op, i in before:
        edit.set_operand(op, i, need.value)


def erase_dead(block: Block) -> None:
    """Pure ops that nothing reads go, but for loops and branches that change something."""
    op = block.last
    while op is not None:
        before = op.prev
        is_read = op.is_used
        if isinstance(op, (TflOp, Constant)) and op.results and not is_read and _makes_results_alone(op):
            edit.erase(op)
        op = before


def _makes_results_alone(op: Op) -> bool:
    inner = [x for region in op.regions for x in walk(region.block) if isinstance(x, TflOp)]
    return all(map(is_pure, (op, *inner)))


class _Planner:
    """How each need is computed.  read: ops whose results are there in any case."""

    def __init__(self, block: Block, needs: list[Need], read: Collection[Op]) -> None:
        self.block = block
        self.place = {op: i for i, op in enumerate(block.ops)}
        self.inputs = [v for v in block.arguments if _is_ranked(v)]
        self.axes: dict[Size, tuple[Value, int]] = {}
        for v in self.inputs:
            self._add_axes(v)
        self.of_results: dict[Size, Value] = {}
        self.in_view = SizeParts()
        for size in self.axes:
            if isinstance(size, Dim):
                self.in_view.add(size)
        self.shapes: dict[tuple[Size, ...], Value] = {v.tensor.shape or (): v for v in reversed(self.inputs)}
        lines = {line.symbol: a for a in self.axes if isinstance(a, Dim) and (line := line_of(a)) is not None}
        self.trees = Trees(lambda size: size in self.axes, lines)
        results = iter([(op, v) for op in block.ops if op in read for v in op.results if _is_ranked(v)])
        self.plans: dict[Need, Told] = {}
        self.alone = {need.sizes[0] for need in needs if need.scalar and need.dtype is DType.I32}
        self.seen: dict[Need, Value | None] = {}
        self.made: set[Plan] = set()
        waiting: tuple[Op, Value] | None = next(results, None)
        for need in needs:
            while waiting is not None and self.place[waiting[0]] < self.place[need.at]:
                self._see(waiting[1])
                waiting = next(results, None)
            need = self._filled(need)
            told = self._plan(need)
            if told is not None:
                self.made.update(all_parts(told.plan))
                self.plans[need] = told
                self.seen[need] = self._with_shape(need)
        self._leave_table()
        Joins(self).join()
        self._rebase()
        self._share()
        self.plans = with_casts(self.plans, self.axes)

    def _share(self) -> None:
        """Equal vectors are computed as the first of them is, and so are those that make equal shapes."""
        equal: dict[tuple[tuple[Size, ...], bool, DType], Told] = {}
        making: dict[Shape, Told] = {}
        for need, told in self.plans.items():
            key = (told.sizes, need.scalar, need.dtype)
            first = equal.get(key)
            if first is None and need.whole is not None and need.dtype is DType.I32:
                first = equal.get((need.whole, False, need.dtype)) or making.get(need.whole)
            self.plans[need] = told = first or told
            equal.setdefault((told.sizes, need.scalar, need.dtype), told)
            if need.whole is not None and need.dtype is DType.I32:
                making.setdefault(need.whole, told)

    def _rebase(self) -> None:
        """Tables begin with shapes that are read themselves, where one tells as much as that of an input."""
        for value in self.inputs:
            plans = [
                Read(told.plan, self.place[need.at], need.whole or need.sizes) for need, told in self.plans.items()
            ]
            base = table_base(value, self.axes, plans, self.shapes, self.place)
            if base is None:
                continue
            shape = base.tensor.shape or ()
            self.axes.update({n: (base, i) for i, n in enumerate(shape) if n in self.axes and self.axes[n][0] is value})
            for need, read in zip(list(self.plans), plans, strict=True):
                if is_vector(read.plan) and read.shape == shape:
                    self.plans[need] = Told(ShapeOf(base, DType.I32), shape)

    def is_input(self, size: Size) -> bool:
        return isinstance(size, int) or self.axes[size][0] in self.inputs

    def _leave_table(self) -> None:
        """A few vectors that are shapes of values, parts of one, or multiples, take fewer ops than a table does."""
        tabled = {need: told for need, told in self.plans.items() if leaves_of(told.plan)}
        others = {need: self._beside(need, *told) for need, told in tabled.items()}
        plans = {told.plan for told in others.values() if told is not None}
        ops = {part for plan in plans for part in all_parts(plan) if is_op(part) and ops_of(part)}
        if None not in others.values() and len(ops) < table_ops([told.plan for told in tabled.values()], self.axes):
            self.plans.update({need: told for need, told in others.items() if told is not None})

    def _beside(self, need: Need, plan: Plan, sizes: tuple[Size, ...]) -> Told | None:
        """The vector without a table: of the shape of a value before it, or of an input times constants."""
        whole = self.seen[need]
        if isinstance(plan, FromTable):
            if whole is not None and plan.dtype is DType.I32:
                return Told(ShapeOf(whole, plan.dtype), whole.tensor.shape or ())
            for value in {self.axes[size][0]: None for size in sizes if isinstance(size, Dim)}:
                shape = value.tensor.shape or ()
                if set(sizes) <= set(shape):
                    places = tuple(shape.index(n) for n in sizes)
                    return Told(Picked(ShapeOf(value, plan.dtype), places, plan.scalar), sizes)
        elif not isinstance(plan, Apply):
            return None
        if need.scalar or need.dtype is not DType.I32:
            return None
        before = (v for v in self.shapes.values() if v.producer and self.place[v.producer] < self.place[need.at])
        made = multiple(sizes, (*self.inputs, *filter(is_planned, before)))
        return None if made is None else Told(made, sizes)

    def _add_axes(self, value: Value) -> None:
        for axis, size in enumerate(value.tensor.shape or ()):
            if isinstance(size, Dim):
                self.axes.setdefault(size, (value, axis))

    def _see(self, value: Value) -> None:
        """A value that stands before what is planned next."""
        shape = value.tensor.shape or ()
        self.shapes.setdefault(shape, value)
        for size in shape:
            if isinstance(size, Dim) and size not in self.of_results:
                self.of_results[size] = value
                self.in_view.add(size)

    def _with_shape(self, need: Need) -> Value | None:
        """A value before it whose shape is the vector, or what RESHAPE makes by it."""
        return None if need.scalar else self.shapes.get(need.whole or need.sizes)

    def _plan(self, need: Need) -> Told | None:
        whole = self._with_shape(need)
        sizes = with_an_open_size(need, self.trees) if whole is None else whole.tensor.shape or ()
        numbers = FromTable(sizes, need.scalar, need.dtype)
        if all(isinstance(s, int) for s in sizes):
            return Told(numbers, sizes)
        of_whole = None if whole is None else Told(ShapeOf(whole, need.dtype), sizes)
        if whole in self.inputs and of_whole is not None:
            return of_whole
        packed = self._packed(need) if whole is None else None
        if packed is not None:
            return Told(packed, need.sizes)
        try:
            trees = [self.trees.of(s) for s in sizes]
            if not all(map(stays_known, trees)) and of_whole is not None:
                return of_whole
            if all(isinstance(t, (int, Dim)) for t in trees):
                return Told(numbers, sizes)
            plan = arithmetic(trees, need.scalar)
        except LookupError:
            plan = None
        if of_whole is not None and (plan is None or ops_of(plan, self.made) > 1):
            return of_whole
        costly = plan is None or (ops_of(plan, self.made) > 2 and not all(map(stays_known, trees)))
        if costly and self._promote(need):
            return self._plan(need)
        plan = self._of_parts(need, sizes, plan)
        return None if plan is None else Told(plan if need.dtype is DType.I32 else Cast(plan, need.dtype), sizes)

    def _of_parts(self, need: Need, sizes: tuple[Size, ...], plan: Plan | None) -> Plan | None:
        """A plan, or one of sums and products of sizes of results that takes fewer ops."""
        is_cheap = plan is not None and ops_of(plan, self.made) <= _CHEAP
        is_of_inputs = plan is not None and all(self.is_input(s) for _, s in leaves_of(plan))
        if is_cheap or is_of_inputs or not need.is_long:
            return plan
        try:
            own = plan_of_parts(
                self.in_view,
                sizes,
                need.scalar,
                self.trees.lines,
                lambda s: s in self.of_results or s in self.axes,
            )
        except LookupError:
            return plan
        more = [s for _, s in leaves_of(own) if isinstance(s, Dim) and s not in self.axes]
        values = {self.of_results[s] for s in more}
        if plan is not None and ops_of(own, self.made) + len(values) >= ops_of(plan, self.made):
            return plan
        for value in values:
            self._add_axes(value)
        self.trees.made.clear()
        return own

    def _filled(self, need: Need) -> Need:
        """With numbers for what nothing depends on that take no ops of their own: those of a shape in view."""
        wanted = [s for i, s in enumerate(need.sizes) if i not in need.free and isinstance(s, Dim)]
        if not need.free or not wanted:
            return need
        for shape in self.shapes:
            if len(shape) == len(need.sizes) and all(
                i in need.free or a == b for i, (a, b) in enumerate(zip(shape, need.sizes, strict=True))
            ):
                return need._replace(sizes=shape)
        return need._replace(sizes=tuple(wanted[0] if i in need.free else s for i, s in enumerate(need.sizes)))

    def _packed(self, need: Need) -> Plan | None:
        """A vector of what is wanted alone as well, and at most one size of an input: else the table is better."""
        sizes = {s for s in need.sizes if isinstance(s, Dim)}
        if len(need.sizes) < 2 or need.dtype is not DType.I32 or sizes <= self.axes.keys():
            return None
        if len(sizes - self.alone) > 1 or not sizes <= self.alone | self.axes.keys():
            return None
        try:
            return Pack(tuple(arithmetic([self.trees.of(s)], True) for s in need.sizes))
        except LookupError:
            return None

    def _promote(self, need: Need) -> bool:
        """Take sizes, and what they are made of, from the shapes of results instead; whether there are such."""
        sizes = [s for s in need.sizes if isinstance(s, Dim) and s not in self.axes]
        parts = [part for s in sizes if s not in self.of_results for part in leaves(s)] if need.is_long else []
        wanted = [s for s in (*sizes, *parts) if s in self.of_results and s not in self.axes]
        wanted = list(dict.fromkeys(s for s in wanted if not self._is_simple(s)))
        for size in wanted:
            self._add_axes(self.of_results[size])
        self.trees.made.clear()
        return bool(wanted)

    def _is_simple(self, size: Size) -> bool:
        try:
            return stays_known(self.trees.of(size))
        except LookupError:
            return False


def _is_ranked(value: Value) -> bool:
    return isinstance(value.type, TensorType) and bool(value.type.shape)
