"""Batch axes that a model merges for products stay apart.

Exporters write attention as products of rank 3: batch and heads are merged into one axis before, and split behind.
Between the two stand ops that treat leading axes alike.  Each of them does the same with the axes apart, on tensors
that hold the same elements in the same order; where all of such a region is made so, the reshapes at its ends are left
out, and a table that was repeated for the merged axis is broadcast.  What reads from within reshapes for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.reduce import REDUCTIONS
from mlconv.dialects.core.shape import ints_of
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dims import product
from mlconv.ir.module import Function
from mlconv.ir.shapes import is_told
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise, has_trait
from mlconv.ir.types import Shape, TensorType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.passes.patterns.movement import simplify_reshape, simplify_transpose
from mlconv.rewrite import Rewriter, edit, greedy
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import remake

Twin: TypeAlias = Callable[[CoreBuilder], Value]
_MERGING = (core.Reshape, core.Squeeze)  # where regions begin: within them stands none


class KeepBatchAxes(Pass):
    """Ops between a reshape that merges leading axes and one that splits them work on the axes apart."""

    name: ClassVar[str] = "keep-batch-axes"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        pending, lifted = [function.block], 0
        while pending:
            block = pending.pop()
            pending.extend(region.block for op in block.ops for region in op.regions)
            lifted += sum(region.lift() for region in _regions(block) if region.gain() > 0)
        context.count(self.name, lifted)
        if lifted:
            from mlconv.passes.broadcasts import drop_repetitions

            greedy(function.block, [simplify_reshape, simplify_transpose], context.statistics)
            drop_repetitions(function.block)  # which merged axes had to be repeated for
            eliminate_dead_code(function.block)


def _shape(value: Value | None) -> Shape | None:
    """The shape, where it is told, of what is not quantized."""
    t = value.type if value is not None else None
    if not isinstance(t, TensorType) or t.quant is not None or t.shape is None:
        return None
    return t.shape if is_told(t.shape) else None


def _merged(op: Op) -> Shape | None:
    """The leading axes that a reshape merges into one; one of size 1 that is taken out counts as merged."""
    if not isinstance(op, _MERGING):
        return None
    before, after = _shape(op.x), _shape(op.y)
    if before is None or after is None or not 2 <= len(after) < len(before) or 0 in before:
        return None
    lead = before[: len(before) - len(after) + 1]
    return lead if before[len(lead) :] == after[1:] and product(lead) == after[0] else None


# -- which ops do the same with the axes apart ------------------------------------------------------


@dataclass(eq=False, repr=False)
class _Region:
    """Ops that are connected.  lead: the axes; members: merged values, with the op that makes each."""

    lead: Shape
    members: dict[Value, OpDef] = field(default_factory=dict)
    ops: set[Op] = field(default_factory=set)

    def add(self, op: OpDef) -> None:
        self.members[op.results[0]] = op
        self.ops.add(op)

    def readers(self, value: Value) -> Iterator[Op]:
        """Those that need the value with its axes merged; a reshape and a shape do not."""
        others = (u for u in value.users if u not in self.ops and not isinstance(u, (core.Reshape, core.ShapeOf)))
        return (u for u in others if not self.splits(u, value))

    def splits(self, op: Op, value: Value) -> bool:
        """Whether an op has the axes of a value apart as its result."""
        apart = (*self.lead, *(value.tensor.shape or ())[1:])
        return isinstance(op, (core.Reshape, core.ExpandDims)) and op.x is value and op.y.tensor.shape == apart

    def gain(self) -> int:
        """How many ops fewer there are."""
        gain = 0
        for value, op in self.members.items():
            is_read, is_entry = any(self.readers(value)), isinstance(op, _MERGING)
            gain += sum(self.splits(u, value) for u in value.users)
            gain += not is_read if is_entry else -is_read
            gain += 0 if is_entry else sum(_repeated(v, self.lead) is not None for v in op.inputs)
        return gain

    def lift(self) -> int:
        """Make all ops anew; returns how many."""
        twins: dict[Value, Value] = {}
        for value, op in self.members.items():
            e = CoreBuilder(Rewriter(op))
            if isinstance(op, _MERGING):
                twins[value] = op.x
            else:
                twins[value] = e.y(_RULES.get(type(op), _same)(op, _Twins(e, self.lead, twins)))
        for value, twin in twins.items():
            self._redirect(value, twin)
        return len(twins)

    def _redirect(self, value: Value, twin: Value) -> None:
        """Whoever else reads a value reads its twin."""
        op = self.members[value]
        for user, place in list(value.uses):
            if self.splits(user, value):
                edit.replace(user, [twin])
            elif isinstance(user, core.Reshape) and user not in self.ops:
                edit.set_operand(user, place, twin)
            elif isinstance(user, core.ShapeOf):
                e = CoreBuilder(Rewriter(user))
                sizes = e.dims(twin)
                shape = e.vector([e.prod(sizes[: len(self.lead)]), *sizes[len(self.lead) :]])
                edit.replace(user, [e.cast(shape, user.dtype)])
        if isinstance(op, _MERGING) or not any(self.readers(value)):
            return
        readers = [(user, place) for user, place in value.uses if user not in self.ops]
        following = op.next
        if following is not None:
            e = CoreBuilder(Rewriter(following))
            merged = e.reshape(twin, [-1, *e.dims(twin)[len(self.lead) :]])
            for user, place in readers:
                edit.set_operand(user, place, merged)
            edit.rename(merged, value.name)


@dataclass(eq=False, repr=False)
class _Twins:
    """What the ops of a region take, with the axes apart."""

    e: CoreBuilder
    lead: Shape
    made: Mapping[Value, Value]

    def of(self, value: Value, rank: int) -> Value:
        if value in self.made:
            return self.made[value]
        free = _apart(value, rank, self.lead)
        if free is None:
            raise ValueError(f"{value.type} has no form with the axes {self.lead}")
        return free(self.e)

    @property
    def more(self) -> int:
        """How many axes are added."""
        return len(self.lead) - 1


def _repeated(value: Value, lead: Shape) -> Value | None:
    """What is repeated for the merged axis, and can be broadcast."""
    tile = value.producer
    if not isinstance(tile, core.Tile) or len(lead) != 2:
        return None
    inner, whole = _shape(tile.x), _shape(tile.y)
    if inner is None or whole is None or inner[0] != lead[-1] or inner[1:] != whole[1:] or whole[0] != product(lead):
        return None
    return tile.x


def _apart(value: Value, rank: int, lead: Shape) -> Twin | None:
    """A value from outside of a region, for an op whose result has a rank; None where it has no form with the axes
    apart.
    """
    shape = _shape(value)
    if shape is None:
        return None
    if len(shape) < rank:
        return lambda e: value
    table = _repeated(value, lead)
    if table is not None:
        return lambda e: table
    if isinstance(value.producer, core.Constant) and value.tensor.is_static and shape[0] == product(lead):
        sizes = [n for n in (*lead, *shape[1:]) if isinstance(n, int)]
        return (lambda e: e.reshape(value, sizes)) if len(sizes) == len(lead) + len(shape) - 1 else None
    return None


def _fits(op: OpDef, known: Container[Value], lead: Shape) -> bool:
    """An op does the same with the axes apart; known: merged values before it."""
    result = _shape(op.results[0]) if len(op.results) == 1 else None
    if result is None or result[0:1] != (product(lead),) or 0 in result:
        return False
    rank = len(result)
    inside = [v for v in op.inputs if v in known]
    if any((_shape(v) or ())[0:1] != (product(lead),) for v in inside):
        return False
    if isinstance(op, core.MatMul) and rank < 3:
        return False  # the merged axis may be what is summed over
    if isinstance(op, core.MatMul) or has_trait(op, Elementwise):
        same = all(v.tensor.rank == rank for v in inside)
        return same and all(v in known or _apart(v, rank, lead) is not None for v in op.inputs)
    if isinstance(op, core.Transpose):
        return op.perm[0] == 0
    if isinstance(op, (core.Softmax, core.LogSoftmax)):
        return op.axis > 0
    if isinstance(op, core.Concat):
        return op.axis > 0 and all(v in known for v in op.xs)
    if isinstance(op, REDUCTIONS):
        return all(axis > 0 for axis in op.axes)
    if isinstance(op, core.Pad):
        amounts = ints_of(op.pads)
        return op.x in known and amounts is not None and not any(amounts[:2])
    if isinstance(op, core.GatherElements):
        places = op.indices.producer
        return op.axis > 0 and op.x in known and isinstance(places, core.BroadcastTo) and _rank(places.x) < rank
    return False


def _rank(value: Value) -> int:
    shape = _shape(value)
    return 1 << 30 if shape is None else len(shape)


def _regions(block: Block) -> list[_Region]:
    """Connected ops that do the same with some leading axes apart."""
    of: dict[Value, _Region] = {}
    for op in block.ops:
        if not isinstance(op, OpDef):
            continue
        lead, found = _merged(op), list(dict.fromkeys(of[v] for v in op.inputs if v in of))
        if lead is not None:
            joined = _Region(lead)
        elif found and all(r.lead == found[0].lead for r in found) and _fits(op, of, found[0].lead):
            joined = _joined(found, of)
        else:
            continue
        joined.add(op)
        of[op.results[0]] = joined
    return list(dict.fromkeys(of.values()))


def _joined(regions: Sequence[_Region], of: dict[Value, _Region]) -> _Region:
    """One region of several: the largest takes the others."""
    largest = max(regions, key=lambda r: len(r.members))
    for other in regions:
        if other is not largest:
            for op in other.members.values():
                largest.add(op)
            of.update(dict.fromkeys(other.members, largest))
    return largest


# -- the same with the axes apart -------------------------------------------------------------------


def _same(op: OpDef, twins: _Twins) -> OpDef:
    """An op that looks at no leading axis."""
    rank = op.results[0].tensor.rank or 0
    return remake(op, [twins.of(v, rank) for v in op.inputs])


def _transpose(op: core.Transpose, twins: _Twins) -> OpDef:
    perm = (*range(len(twins.lead)), *(p + twins.more for p in op.perm[1:]))
    return core.Transpose(twins.of(op.x, 0), perm=perm)


def _along(op: core.Softmax | core.LogSoftmax | core.Concat, twins: _Twins) -> OpDef:
    return remake(op, [twins.of(v, 0) for v in op.inputs], axis=op.axis + twins.more)


def _reduce(op: OpDef, twins: _Twins) -> OpDef:
    return remake(op, [twins.of(op.inputs[0], 0)], axes=tuple(a + twins.more for a in op.attributes["axes"]))


def _pad(op: core.Pad, twins: _Twins) -> OpDef:
    pads = np.reshape(ints_of(op.pads) or (), (-1, 2))
    wider = np.concatenate([np.zeros((twins.more, 2), np.int64), pads])
    return remake(op, [twins.of(op.x, 0), twins.e.constant(wider), op.value])


def _gather_elements(op: core.GatherElements, twins: _Twins) -> OpDef:
    """At places that are the same along the leading axes."""
    e, x, places = twins.e, twins.of(op.x, 0), op.indices.producer
    if not isinstance(places, core.BroadcastTo):
        raise ValueError("places are the same along leading axes")
    sizes = (op.indices.tensor.shape or ())[1:]
    rest = [d if isinstance(d, int) else e.dim(op.indices, i) for i, d in enumerate(sizes, 1)]
    spread = e.broadcast_to(places.x, [*e.dims(x)[: len(twins.lead)], *rest])
    return core.GatherElements(x, spread, axis=op.axis + twins.more)


_RULES: dict[type[OpDef], Callable[..., OpDef]] = {
    core.Transpose: _transpose,
    core.GatherElements: _gather_elements,
    core.Pad: _pad,
    **dict.fromkeys(REDUCTIONS, _reduce),
    **dict.fromkeys((core.Softmax, core.LogSoftmax, core.Concat), _along),
}
