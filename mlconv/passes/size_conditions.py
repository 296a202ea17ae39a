"""What sizes that are known at run time must fulfil: ops that join several operands are right, and stay inside of their
operands, only then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.slicing import is_from_end, pad_amounts, padded_from
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dims import Dim, Size, minimum, operands_of, product, total
from mlconv.ir.facts import Condition
from mlconv.ir.module import Function
from mlconv.ir.shapes import is_one_at_most
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.size_relations import Relation
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.traits import Elementwise
from mlconv.ir.types import TensorType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.branch_conditions import ask_in_branches, branches_of
from mlconv.passes.chosen_sizes import choose_sizes
from mlconv.passes.refine_shapes import apply_facts
from mlconv.provenance.locations import first_name
from mlconv.rewrite import constant_array, edit
from mlconv.rewrite.convert import diagnose

Found = Iterator[Condition]


@dataclass(frozen=True, eq=False, repr=False)
class SizeConditions(Pass):
    """What sizes that are known at run time must fulfil becomes conditions of the function, and a fact of its sizes.
    asked: the target's code asks for them first; else the kernels of a runtime do, and only what is always computed and
    must be equal, or hold a window, becomes a fact.  filled: what is 1, or 0 where something is empty, must be 1.
    branches: what is read in a branch is asked for where it is taken.
    """

    name: ClassVar[str] = "size-conditions"
    asked: bool = True
    filled: bool = False
    branches: bool = False

    def run_on_function(self, function: Function, context: PassContext) -> None:
        facts = function.facts
        if not self.asked:
            facts.where = guarded(_certain(function.block), facts.where)
            apply_facts(function.block, facts.where)
            choose_sizes(function.block, facts.where)
            return
        choose_sizes(function.block, guarded(_certain(function.block), facts.where))
        later = branches_of(function.block) if self.branches else {}
        asked = {c[:3]: c for c in (*conditions(function.block, facts.where, later), *facts.conditions)}
        found = tuple(c for c in asked.values() if not _holds(c, facts.where))
        decided = {op.symbol for op in walk(function.block) if isinstance(op, core.DefineSize)}
        if self.filled:
            filled = {c[:3]: c for c in _filled(function.block) if not c.symbols & decided}
            found += tuple(c for c in filled.values() if not _holds(c, facts.where))
        # one that data decide would stand for another in front of the op that defines it
        told = (c if not c.symbols & decided else c.as_least for c in found)
        facts.where = guarded((c for c in told if c is not None), facts.where)
        facts.conditions = ask_where_defined(function.block, found)
        read = {op: [c for c in _reads(op) if not _holds(c, facts.where)] for op in later}
        ask_in_branches(function.block, {op: cs for op, cs in read.items() if cs}, ask_where_defined)
        apply_facts(function.block, facts.where)


def conditions(block: Block, facts: SizeFacts, later: Collection[Op] = ()) -> tuple[Condition, ...]:
    """Those of a block of core ops and of the regions in it, once each, without what holds anyway, by facts about the
    sizes.  later: ops in branches, whose reading is asked for there.

    Raises ConversionError ShapeMismatch for numbers that do not fulfil them, which the ops that sources make refuse
    before.
    """
    found: dict[Condition, str] = {}
    for op in walk(block):
        read = {*_reads(op)} if op in later else set()
        for c in (*_sizes(op), *(c for c in _of(op) if c not in read)):
            if isinstance(c.a, Dim) or isinstance(c.b, Dim):
                found.setdefault(c, first_name(op.location) or op.name)
            elif c.a != c.b and (c.kind == "equal" or (c.kind == "spread" and c.a != 1)):
                error = ConversionError(
                    Code.ShapeMismatch, f"{op.name}: the sizes {c.a} and {c.b} of its operands do not fit"
                )
                error.diagnostic = diagnose(op, error)
                raise error
    return tuple(c._replace(asked_by=node) for c, node in found.items() if not _holds(c, facts))


def _reads(op: Op) -> Found:
    """How large what an op reads must be.  What sizes of results are and what must be equal is not of it: buffers have
    their sizes in any run.
    """
    for c in () if isinstance(op, (core.Conv, core.Pad, core.Slice, core.Tile)) else _of(op):
        if c.kind == "least":
            yield c


def _filled(block: Block) -> Found:
    """What has elements where sizes `min(1, N)` are 1."""
    for op in walk(block):
        for d in (d for v in op.results if isinstance(v.type, TensorType) for d in v.type.shape or ()):
            if isinstance(d, Dim) and is_one_at_most(d):
                yield from (
                    Condition("least", x, 1, first_name(op.location) or op.name)
                    for x in sorted(operands_of("min", d), key=str)
                    if isinstance(x, Dim)
                )


def _certain(block: Block) -> Found:
    """What operands of ops that run in any case must have in common, and that windows fit."""
    for op in block.ops:
        for c in () if isinstance(op, core.Squeeze) else _of(op):  # which asks only as long as it stands
            told = [isinstance(d, Dim) and d.is_known for d in (c.a, c.b)]
            is_equality = c.kind == "equal" and all(told) and c.a != c.b
            if is_equality or (c.kind == "least" and isinstance(op, core.Conv) and told[0]):
                yield c


def ask_where_defined(block: Block, found: Iterable[Condition]) -> tuple[Condition, ...]:
    """Conditions of sizes that data decide become those of the op that defines the last of them; the others are
    returned.  That something is there is not asked for: there may be nothing to do, which calls see by themselves.
    """
    definitions = [op for op in walk(block) if isinstance(op, core.DefineSize)]
    order = {op.symbol: i for i, op in enumerate(definitions)}
    asked: dict[int, list[Condition]] = {}
    others = []
    for c in found:
        names = c.symbols & order.keys()
        if names and c.kind == "least" and c.b == 1:
            continue
        if names:
            asked.setdefault(max(order[s] for s in names), []).append(c)
        else:
            others.append(c)
    for i, own in asked.items():
        edit.set_attribute(definitions[i], "conditions", (*definitions[i].conditions, *own))
    return tuple(others)


def _holds(c: Condition, facts: SizeFacts) -> bool:
    """Certain for all sizes, or nothing that can be asked for at run time."""
    if any(isinstance(d, Dim) and not d.is_known for d in (c.a, c.b)):
        return True
    if c.kind == "spread" and holds(c.a, "==", 1, facts):
        return True
    return bool(holds(c.a, ">=" if c.kind == "least" else "==", c.b, facts))


def guarded(conditions: Iterable[Condition], facts: SizeFacts) -> SizeFacts:
    """These facts, and those that hold wherever code runs that asks for the conditions first."""
    found, listed = [], list(conditions)
    filled = facts.and_also(Relation(a, ">=", b) for kind, a, b, _ in listed if kind == "least")
    for kind, a, b, _ in listed:
        if kind == "least":
            found.append(Relation(a, ">=", b))
        elif kind == "equal" or holds(a, ">", 1, filled):
            found.append(Relation(a, "==", b))
    return facts.and_also(found)


def _sizes(op: Op) -> Found:
    """No size is negative."""
    for value in (*op.results, *(a for region in op.regions for a in region.block.arguments)):
        if isinstance(value.type, TensorType):
            yield from (Condition("least", d, 0) for d in value.type.shape or () if isinstance(d, Dim))


def _of(op: Op) -> Found:
    if not isinstance(op, OpDef) or isinstance(op, core.Constant):
        return
    rule = _RULES.get(type(op))
    if rule is not None:
        yield from rule(op)
    elif Elementwise in op.spec.traits or isinstance(op, core.Complex):
        for value in op.inputs:
            yield from _spread(_shape(value), _shape(op.results[0]))


def _shape(value: Value) -> tuple[Size, ...]:
    return value.tensor.shape or ()


def _equal(a: tuple[Size, ...], b: tuple[Size, ...]) -> Found:
    for x, y in zip(a, b, strict=False):
        yield Condition("equal", x, y)


def _spread(a: tuple[Size, ...], b: tuple[Size, ...]) -> Found:
    """a broadcasts to b."""
    for x, y in zip(reversed(a), reversed(b), strict=False):
        yield Condition("spread", x, y)


def _matmul(op: core.MatMul) -> Found:
    a, b, y = _shape(op.a), _shape(op.b), _shape(op.y)
    yield from _spread(a[:-2], y[:-2])
    yield from _spread(b[:-2], y[:-2])
    yield Condition("equal", a[-2 if op.transpose_a else -1], b[-1 if op.transpose_b else -2])


def _concat(op: core.Concat) -> Found:
    y = _shape(op.y)
    axis = op.axis % max(len(y), 1)
    for x in op.xs:
        yield from _equal(_shape(x)[:axis], y[:axis])
        yield from _equal(_shape(x)[axis + 1 :], y[axis + 1 :])


def _same_count(op: core.Reshape | core.SpaceToDepth | core.DepthToSpace) -> Found:
    yield Condition("equal", product(_shape(op.x)), product(_shape(op.y)))


def _broadcast_to(op: core.BroadcastTo) -> Found:
    yield from _spread(_shape(op.x), _shape(op.y))


def _split(op: core.Split) -> Found:
    yield Condition("equal", _shape(op.x)[op.axis], total(_shape(y)[op.axis] for y in op.ys))


def _taken(count: Size, axes: Iterable[Size]) -> Found:
    """There is something to take along each axis, unless nothing is taken."""
    for size in axes:
        if not isinstance(size, int) or size < 1:
            yield Condition("least", size, minimum(1, count))


def _gather(op: core.Gather) -> Found:
    x, at = _shape(op.x), _shape(op.indices)
    yield from _equal(x[: op.batch_dims], at[: op.batch_dims])
    places = constant_array(op.indices)
    if places is None or not places.size:
        yield from _taken(product(at), [x[op.axis]])
    else:
        yield Condition("least", x[op.axis], max(int(places.max()) + 1, -int(places.min())))


def _gather_elements(op: core.GatherElements) -> Found:
    x, at = _shape(op.x), _shape(op.indices)
    axis = op.axis % max(len(x), 1)
    for i, (a, b) in enumerate(zip(x, at, strict=False)):
        if i != axis:
            yield Condition("least", a, b)
    yield from _taken(product(at), [x[axis]])


def _gather_nd(op: core.GatherNd) -> Found:
    x, at = _shape(op.x), _shape(op.indices)
    yield from _equal(x[: op.batch_dims], at[: op.batch_dims])
    if isinstance(at[-1], int):
        yield from _taken(product(at[:-1]), x[op.batch_dims : op.batch_dims + at[-1]])


def _top_k(op: core.TopK) -> Found:
    yield Condition("least", _shape(op.x)[op.axis], _shape(op.values)[op.axis])


def _mean(op: core.ReduceMean) -> Found:
    """There is no mean of nothing."""
    yield Condition("least", product(_shape(op.x)[a] for a in op.axes), 1)


def _scatter_nd(op: core.ScatterNd | core.ScatterFill) -> Found:
    whole, at = _shape(op.results[0]), _shape(op.indices)
    if isinstance(at[-1], int):
        yield from _equal((*at[:-1], *whole[at[-1] :]), _shape(op.updates))
        yield from _taken(product(at[:-1]), whole[: at[-1]])


def _scatter_elements(op: core.ScatterElements) -> Found:
    x, at = _shape(op.data), _shape(op.indices)
    axis = op.axis % max(len(x), 1)
    yield from _equal(at, _shape(op.updates))
    for i, (a, b) in enumerate(zip(x, at, strict=False)):
        if i != axis:
            yield Condition("least", a, b)
    yield from _taken(product(at), [x[axis]])


def _segments(op: core.SegmentReduce) -> Found:
    yield from _equal(_shape(op.ids), _shape(op.x))


def _sequence(op: core.ReverseSequence) -> Found:
    yield Condition("equal", _shape(op.lengths)[0], _shape(op.x)[op.batch_axis])


def _dynamic_slice(op: core.DynamicSlice) -> Found:
    for size, count in zip(_shape(op.x), _shape(op.y), strict=False):
        yield Condition("least", size, count)


def _update_slice(op: core.UpdateSlice) -> Found:
    for size, count in zip(_shape(op.x), _shape(op.update), strict=False):
        yield Condition("least", size, count)


def _suppression(op: core.NonMaxSuppression) -> Found:
    yield from _equal(_shape(op.boxes)[:1], _shape(op.scores))


def _recurrent(op: core.Lstm | core.Gru | core.Rnn) -> Found:
    for state in (op.h0, op.c0 if isinstance(op, core.Lstm) else None):
        if state is not None:
            yield from _spread(_shape(state), _shape(op.h))
    if op.lengths is not None:
        yield from _equal(_shape(op.lengths), _shape(op.h)[:1])


def _squeeze(op: core.Squeeze) -> Found:
    shape = _shape(op.x)
    for axis in op.axes:
        yield Condition("equal", shape[axis], 1)


def _cropped(size: Size, low: Size, high: Size) -> Found:
    """Negative pads cut off no more than there is."""
    cut = minimum(low, 0) + minimum(high, 0)
    if cut != 0:
        yield Condition("least", size + cut, 0)


def _pad(op: core.Pad) -> Found:
    for size, (low, high) in zip(_shape(op.x), pad_amounts(op.pads) or (), strict=False):
        if low is not None and high is not None:
            yield from _cropped(size, low, high)
            if least := padded_from(op.mode, low, high):
                yield Condition("least", size, least)


def _conv(op: core.Conv) -> Found:
    x, w = _shape(op.x), _shape(op.w)
    yield Condition("equal", x[op.x_layout.index("C")], w[op.w_layout.index("I")] * op.groups)
    if op.bias is not None:
        yield Condition("equal", _shape(op.bias)[0], w[op.w_layout.index("O")])
    for i, pair in enumerate(() if isinstance(op.pads, str) else op.pads):
        size = x[op.x_layout.index(str(i))]
        yield from _cropped(size, *pair)
        # the window fits
        yield Condition("least", size + (pair[0] + pair[1] - 1), (w[op.w_layout.index(str(i))] - 1) * op.dilations[i])


def _slice(op: core.Slice) -> Found:
    """Ends that are sizes count from the front, or from the end where they are below 0: `infer` takes them so, but
    where there would be nothing at any size.
    """
    for value, mask in ((op.begin, op.begin_mask), (op.end, op.end_mask)):
        for i, bound in enumerate(known_ints(value) or ()):
            if isinstance(bound, Dim) and not mask >> i & 1 and not op.wraps(i):
                yield Condition("least", -bound, 1) if is_from_end(bound) else Condition("least", bound, 0)


def _tile(op: core.Tile) -> Found:
    for repeats in known_ints(op.repeats) or ():
        if isinstance(repeats, Dim):
            yield Condition("least", repeats, 0)


def _if(op: core.If) -> Found:
    for region in op.regions:
        for made, y in zip(region.block.outputs, op.ys, strict=True):
            yield from _equal(_shape(made), _shape(y))


_RULES: dict[type[Op], Callable[[Any], Found]] = {
    core.MatMul: _matmul,
    core.QuantMatMul: _matmul,
    core.IntegerMatMul: _matmul,
    core.Concat: _concat,
    core.Reshape: _same_count,
    core.SpaceToDepth: _same_count,
    core.DepthToSpace: _same_count,
    core.BroadcastTo: _broadcast_to,
    core.Split: _split,
    core.Gather: _gather,
    core.GatherElements: _gather_elements,
    core.GatherNd: _gather_nd,
    core.ScatterNd: _scatter_nd,
    core.ScatterFill: _scatter_nd,
    core.ScatterElements: _scatter_elements,
    core.SegmentReduce: _segments,
    core.TopK: _top_k,
    core.ReverseSequence: _sequence,
    core.DynamicSlice: _dynamic_slice,
    core.UpdateSlice: _update_slice,
    core.NonMaxSuppression: _suppression,
    core.Lstm: _recurrent,
    core.Gru: _recurrent,
    core.Rnn: _recurrent,
    core.Squeeze: _squeeze,
    core.Pad: _pad,
    core.Conv: _conv,
    core.QuantConv: _conv,
    core.IntegerConv: _conv,
    core.If: _if,
    core.Slice: _slice,
    core.Tile: _tile,
    core.ReduceMean: _mean,
    core.QuantMean: _mean,
}
