"""How sizes that data decide become sizes of the function: what `data-sizes` does where there are some."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeAlias

from mlconv.dialects import core
from mlconv.ir.core import Block, Value
from mlconv.ir.data_sizes import SIZES, is_open, upper
from mlconv.ir.dims import Dim, Size, maximum
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.shapes import is_told, symbols_of
from mlconv.ir.size_facts import bounds
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.types import TensorType
from mlconv.passes.bounded_sizes import close_by_bound, named
from mlconv.passes.distinct import distinct
from mlconv.passes.growing_loops import close_loop
from mlconv.passes.kept_sizes import keep_sizes
from mlconv.passes.patterns.scaled_sizes import whole_size
from mlconv.passes.refine_shapes import refine_loop, simplify_types
from mlconv.passes.repeated_rows import repeated_rows
from mlconv.passes.roomy_loops import close_roomy
from mlconv.passes.size_names import Names
from mlconv.rewrite import NoMatch, Rewriter, edit, remake
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.refine import refine_op
from mlconv.rewrite.strided import strided

I64 = DType.I64
_POSITIONS = 2**31 - 1  # as many as int32 counts, which stands for no limit where one is asked for


Rule: TypeAlias = Callable[..., Sequence[Value] | None]
"""Of an op, a builder and the names: the values of its results; None where they stay without names."""


def name_sizes(function: Function, shapes: bool) -> int:
    """In place; how many were named.  shapes: see `DataSizes`."""
    names = Names(function)
    _name_sizes(function.block, names)
    function.facts.where = names.certain
    function.facts.conditions = (*function.facts.conditions, *names.asked)
    if shapes:
        _add_shapes(function, names)
    return len(names.made)


def _name_sizes(block: Block, names: Names) -> None:
    """In order, so that what an op takes has its sizes when it is looked at."""
    op = block.first
    while op is not None:
        following = op.next
        if isinstance(op, core.While) and is_open(op.results):
            refine_loop(op, names.facts)  # what it starts with has sizes by now
            keep_sizes(op, names)
            close_loop(op, names)
            if is_open(op.results) and close_roomy(op, names, _name_sizes):
                op = following  # what stands in its place has names inside
                continue
        for region in op.regions:
            _name_sizes(region.block, names)
        if isinstance(op, core.If) and is_open(op.results):
            _close_branches(op, names)
        if isinstance(op, OpDef) and not isinstance(op, core.Constant) and not op.regions:
            refine_op(op)
            simplify_types(op.results, names.facts)
            if isinstance(op, core.Cast) and _is_size(op):
                op = following
                continue
            rule = _RULES.get(type(op), close_by_bound)
            if is_open(op.results):
                before = op.prev
                _replace(op, rule, names)
                following = block.first if before is None else before.next
                following = following if following is not op else op.next
        op = following


def _is_size(op: core.Cast) -> bool:
    """Whether floats have computed a size, which is computed by integers now."""
    rewriter = Rewriter(op)
    made = whole_size.apply(op, rewriter)
    if isinstance(made, NoMatch):
        rewriter.undo()
        return False
    rewriter.replace(op, made)
    return True


def _replace(op: OpDef, rule: Rule, names: Names) -> None:
    rewriter = Rewriter(op)
    made = rule(op, CoreBuilder(rewriter), names)
    if made is None:
        rewriter.undo()
        return
    rewriter.replace(op, list(made))


def _close_branches(op: core.If, names: Names) -> None:
    """Results along whose first axis branches give more or less come with as much as there can be, and how much is
    there.
    """
    blocks = [region.block for region in op.regions]
    for i, result in enumerate(list(op.results)):
        made = [b.outputs[i] for b in blocks]
        bound = _common_bound(made, names)
        if not is_open([result]) or bound is None:
            continue
        room = names.part(CoreBuilder(Rewriter(op)), bound)
        counts, whole = [], []
        for block, value in zip(blocks, made, strict=True):
            e = CoreBuilder(Rewriter(block.terminator))
            have = e.dim(value, 0)
            counts.append(e.constant(have, I64) if isinstance(have, int) else e.scalar(have))
            whole.append(e.in_room(value, 0, room))
        for block, count, value in zip(blocks, counts, whole, strict=True):
            outputs = list(block.outputs)
            outputs[i] = value
            edit.set_operands(block.terminator, [*outputs, count])
        edit.retype(result, whole[0].type)
        number = edit.add_result(op, counts[0].type)
        _cut_behind(op, result, number, bound, names)


def _cut_behind(op: core.If, result: Value, number: Value, bound: Size, names: Names) -> None:
    """Whoever reads the result reads what is there."""
    users = list(result.uses)
    following = op.next
    if following is None:
        return
    e = CoreBuilder(Rewriter(following))
    part = _cut(e, result, names.define(e, number, bound))
    simplify_types([part], names.facts)
    for user, place in users:
        edit.set_operand(user, place, part)


def _common_bound(values: Sequence[Value], names: Names) -> Size | None:
    """The most elements along the first axis that some values may have, whose other axes are alike: a number, or one
    that the sizes of inputs tell where no smaller number does than positions count; None where neither is known.
    """
    shapes = [v.tensor.shape for v in values]
    if any(not s or not is_told(s) or s[1:] != (shapes[0] or ())[1:] for s in shapes):
        return None
    found = [bounds(s[0], names.facts)[1] for s in shapes if s]
    if all(isinstance(n, int) and n < _POSITIONS for n in found):
        return int(max(found))
    told = reduce(maximum, (upper(s[0], names.most_of) for s in shapes if s))
    known = {n for x in names.inputs if isinstance(x.type, TensorType) for n in symbols_of([x.type.shape])}
    return told if isinstance(told, int) or (told.is_known and told.symbols() <= known) else None


def _size(value: Value) -> Size | None:
    """How many elements there are, where that is known."""
    size = value.tensor.size
    return size if isinstance(size, int) or (size is not None and size.is_known) else None


def _cut(e: CoreBuilder, x: Value, count: Value) -> Value:
    """The first `count` along the first axis."""
    return e.slice_axis(x, 0, 0, count)


def _nonzero(op: core.NonZero, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    bound = _size(op.x)
    if bound is None:
        return None
    x = op.x if op.x.tensor.dtype is DType.BOOL else e.logical_not(e.equal(op.x, 0))
    axes = tuple(range(e.rank(x)))
    number = e.sum(e.cast(x, I64), axes) if axes else e.cast(x, I64)
    places = e.y(core.NonZero(x, padded=True))
    return [_cut(e, places, names.define(e, number, bound))]


def _suppression(op: core.NonMaxSuppression, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    bound = _size(op.scores)
    if bound is None:
        return None
    known = known_ints(op.max_output)
    limit = known[0] if known else None
    if isinstance(limit, int) and isinstance(bound, int):
        least = max(0, min(limit, bound))
        room: Size = least
        most = e.constant(least, I64)
    else:
        have = e.dim(op.scores, 0)
        wanted = e.maximum(e.cast(e.scalar(op.max_output), I64), 0)
        most = e.minimum(wanted, e.scalar(have) if isinstance(have, Value) else have)
        room = bound
        if not most.known or most.known[0] is None or not is_told((most.known[0],)):
            most = e.scalar(names.define(e, most, bound))
        else:
            room = most.known[0]
    again = core.NonMaxSuppression(
        op.boxes, op.scores, most, op.iou_threshold, op.score_threshold, op.soft_sigma, padded=True
    )
    selected, scores, valid = e.ys(again)
    count = names.define(e, e.cast(valid, I64), room)
    return [_cut(e, selected, count), _cut(e, scores, count), valid]


def _top_k(op: core.TopK, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    axis = e.axis_of(op.x, op.axis)
    bound = (op.x.tensor.shape or ())[axis]
    if not is_told((bound,)):
        return None
    have = e.dim(op.x, axis)
    wanted = e.maximum(e.cast(e.scalar(op.k), I64), 0)
    least = e.minimum(wanted, e.scalar(have) if isinstance(have, Value) else have)
    k = e.scalar(names.define(e, least, bound))
    return e.ys(core.TopK(op.x, k, axis=op.axis, largest=op.largest, index_dtype=op.index_dtype))


def _slice(op: core.Slice, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    """Ends that data decide are brought to places of the axis, and named."""
    shape, strides = op.x.tensor.shape or (), known_ints(op.strides)
    bounds: dict[int, tuple[Part | None, Part | None, int]] = {}
    for axis, (size, made) in enumerate(zip(shape, op.y.tensor.shape or (), strict=True)):
        step = strides[axis] if strides else None
        if isinstance(step, int) and step < 0 and is_told((size,)) and not is_told((made,)):
            return [_backwards(op, axis, step, e)]
        if not isinstance(step, int) or step < 1 or not is_told((size,)):
            return None
        bounds[axis] = (*_ends(op, axis, e, None if is_told((made,)) else names), step)
    return [e.slice(op.x, bounds)]


def _backwards(op: core.Slice, axis: int, step: int, e: CoreBuilder) -> Value:
    """The other axes first; then places along this one, whose number is told by a slice from 0 on."""
    begin, end, strides = (e.cast(v, I64) for v in (op.begin, op.end, op.strides))
    mine = 1 << axis
    rest = core.Slice(
        op.x,
        op.begin,
        op.end,
        e.vector([1 if i == axis else e.slice_axis(strides, 0, i, i + 1) for i in range(e.rank(op.x))]),
        begin_mask=op.begin_mask | mine,
        end_mask=op.end_mask | mine,
    )
    # open bounds: beyond the last element, and before the first
    first = e.dim(op.x, axis) if op.begin_mask & mine else e.slice_axis(begin, 0, axis, axis + 1)
    last = -(1 << 62) if op.end_mask & mine else e.slice_axis(end, 0, axis, axis + 1)
    return strided(e, e.y(rest), axis, first, last, step)


def _ends(op: core.Slice, axis: int, e: CoreBuilder, names: Names | None) -> tuple[Part | None, Part | None]:
    """Begin and end along an axis; as they are where no names are given."""
    found: list[Part | None] = []
    have = e.dim(op.x, axis)
    size = (op.x.tensor.shape or ())[axis]
    first: Value | None = None
    for value, mask in ((op.begin, op.begin_mask), (op.end, op.end_mask)):
        if mask >> axis & 1:
            found.append(None)
            continue
        known = known_ints(value)
        number = known[axis] if known else None
        if number is not None and is_told((number,)):
            found.append(number if isinstance(number, int) else e.slice_axis(e.cast(value, I64), 0, axis, axis + 1))
            continue
        if names is None:
            return None, None
        given = e.scalar(e.cast(e.slice_axis(value, 0, axis, axis + 1), I64))
        whole = e.scalar(have) if isinstance(have, Value) else e.constant(have, I64)
        place = e.where(e.less(given, 0), e.add(given, whole), given)
        place = e.minimum(e.maximum(place, 0 if first is None else first), whole)
        named = names.define(e, place, size)
        first = e.scalar(named)
        found.append(named)
    return found[0], found[1]


def _resize(op: core.Resize, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    """Sizes that a scale which is no fraction gives, or numbers of which it is known how large they are."""
    shape, made = op.x.tensor.shape or (), op.y.tensor.shape or ()
    if not all(is_told((shape[axis],)) for axis in op.axes) or all(is_told((made[axis],)) for axis in op.axes):
        return None
    parts: list[Part] = []
    for i, axis in enumerate(op.axes):
        part: Value | None = e.cast(e.slice_axis(op.sizes, 0, i, i + 1), I64)
        if part is not None and not is_told((made[axis],)):
            if op.scales is None:
                part = named(e, part, names, op.y, axis)
            else:
                part = names.define(e, part, shape[axis] * max(1, math.ceil(op.scales[i])))
        if part is None:
            return None
        parts.append(e.reshape(part, [1]))
    return [e.y(remake(op, [op.x, e.vector(parts)]))]


_RULES: dict[type[OpDef], Rule] = {
    core.NonZero: _nonzero,
    core.NonMaxSuppression: _suppression,
    core.TopK: _top_k,
    core.Slice: _slice,
    core.Resize: _resize,
    core.Unique: distinct,
    core.Gather: repeated_rows,
}


def _add_shapes(function: Function, names: Names) -> None:
    """A further output for each that has a size which data decide."""
    end, named = function.block.terminator, set(names.made)
    for name, value in list(zip(function.output_names, function.outputs, strict=True)):
        sizes = [d for d in value.tensor.shape or () if isinstance(d, Dim) and d.symbols() & named]
        if sizes:
            builder = CoreBuilder(Rewriter(end))
            edit.add_operands(end, [builder.y(core.ShapeOf(value))])
            function.output_names.append(f"{name}{SIZES}")
