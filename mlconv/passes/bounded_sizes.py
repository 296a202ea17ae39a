"""Sizes that data decide, of which the ops that make the number say how large it is at most, or the user alone:
`--shape VALUE=0..N,...`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told, unknown_in
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.types import TensorType
from mlconv.passes.size_names import Names
from mlconv.rewrite import remake
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.value_ranges import sizes_between

I64 = DType.I64
_MOST_STEPS = 1 << 40  # of a range of floats: more than any bound

BOUNDED = (
    core.Range,
    core.Tile,
    core.OneHot,
    core.SegmentReduce,
    core.BroadcastTo,
    core.Reshape,
    core.Resize,
    core.Pad,
    core.While,
)
"""Ops whose results may be given bounds."""


def close_by_bound(op: OpDef, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    """The results of an op with sizes that are held to what the user says, or to what the numbers are at most; None
    where nothing is known of them.
    """
    if isinstance(op, core.SegmentReduce):
        count = named(e, op.count, names, op.y, 0)
        if count is None:
            return None
        return [e.y(core.SegmentReduce(op.x, op.ids, count, reduction=op.reduction, empty=op.empty))]
    if isinstance(op, core.Range):
        return _range(op, e, names)
    if isinstance(op, (core.BroadcastTo, core.Reshape)):
        shape = _shape(op, e, names)
        return None if shape is None else [e.y(type(op)(op.x, e.vector(shape)))]
    if isinstance(op, core.Tile):
        return _tile(op, e, names)
    if isinstance(op, core.Pad):
        return _pad(op, e, names)
    if isinstance(op, core.OneHot):
        depth = named(e, op.depth, names, op.y, op.axis % (op.y.tensor.rank or 1))
        return None if depth is None else [e.y(remake(op, [op.indices, depth, op.on, op.off]))]
    return None


def named(e: CoreBuilder, number: Value, names: Names, value: Value, axis: int, each: Size = 1) -> Value | None:
    """A number, which is a size from here on; None where it is not known how large it is at most.  A value has so many
    times `each` elements along an axis.
    """
    bounds, number = names.most(_told_of(value), axis), e.cast(e.scalar(number), I64)
    if bounds is not None and isinstance(each, int) and each > 1:
        bounds = -(-bounds[0] // each), bounds[1] // each
    required = _required(value, axis) if bounds is None and each == 1 else None
    if required is not None and names.is_of_inputs(required):
        names.hold(e, number, required, "equal")
        part = names.part(e, required)
        return e.constant(part, I64) if isinstance(part, int) else e.scalar(part)
    if bounds is None:
        between = sizes_between(number, names.facts)
        if between is None:
            most = names.most_beside(value, axis)
            return None if most is None or each != 1 else e.scalar(names.define(e, number, most))
        low, high = between
        if isinstance(high, int) and low == high:
            return e.constant(high, I64)
        return e.scalar(names.define(e, number, high))
    made = (_told_of(value).tensor.shape or ())[axis]
    if not value.name and isinstance(made, int):
        names.hold(e, number, made, "spread")
        return e.constant(1, I64)  # the other operand has it
    if bounds[0] == bounds[1]:
        names.hold(e, number, bounds[1], "equal")
        return e.constant(bounds[1], I64)
    return e.scalar(names.define(e, number, bounds[1]))


def _required(value: Value, axis: int) -> Size | None:
    """How large a value must be along an axis, as the ops beside it that take it say; None where they do not."""
    left, seen = [value], {value}
    for v in left:
        for op, place in v.uses:
            if v.producer is None or op.block is not v.producer.block:
                continue  # it may be that nobody runs it
            if isinstance(op, core.SegmentReduce) and place == 1 and axis == 0:
                found = (op.x.tensor.shape or (None,))[0]
                if found is not None and is_told((found,)):
                    return found
            kept = isinstance(op, core.Gather) and place == 1 and not op.axis | op.batch_dims
            if isinstance(op, core.Cast) or kept:
                left += {op.results[0]} - seen
                seen.add(op.results[0])
    return None


def _told_of(value: Value) -> Value:
    """The value of the model of which a value is all that its size depends on: Expand in ONNX is a product."""
    users = [op for op, _ in value.uses if isinstance(op, OpDef) and len(op.results) == 1]
    if value.name or len(users) != 1 or users[0].results[0].tensor.rank != value.tensor.rank:
        return value
    return users[0].results[0]


def _range(op: core.Range, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    """start + step * (0, 1, ...), of which there are as many as stand in front of the limit."""
    dtype = op.y.tensor.dtype
    wide = I64 if dtype.is_int else DType.F64
    start, limit, step = (e.cast(e.scalar(v), wide) for v in (op.start, op.limit, op.step))
    up = e.maximum(e.sub(limit, start), 0) if known_ints(op.step) == (1,) else _steps(op, e)
    count = named(e, up, names, op.y, 0)
    if count is None:
        return None
    places = e.cast(e.y(core.Range(e.constant(0, I64), count, e.constant(1, I64))), wide)
    return [e.cast(e.add(e.mul(places, step), start), dtype)]


def _steps(op: core.Range, e: CoreBuilder) -> Value:
    """How many steps stand in front of the limit; of floats computed in the type that `Range` counts in."""
    start, limit, step = (e.scalar(v) for v in (op.start, op.limit, op.step))
    if not start.tensor.dtype.is_int:
        if op.wide:
            start, limit, step = (e.cast(v, DType.F64) for v in (start, limit, step))
        steps = e.neg(e.floor(e.div(e.sub(start, limit), step)))
        return e.cast(e.minimum(e.maximum(steps, 0), _MOST_STEPS), I64)
    start, limit, step = (e.cast(v, I64) for v in (start, limit, step))
    up = e.sub(limit, start)
    whole = e.y(core.FloorDiv(up, step))
    return e.maximum(e.add(whole, e.cast(e.logical_not(e.equal(e.mul(whole, step), up)), I64)), 0)


def _tile(op: core.Tile, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    """x as often as numbers say."""
    before, made, known = op.x.tensor.shape, op.y.tensor.shape, known_ints(op.repeats)
    if before is None or made is None:
        return None
    parts: list[Part] = []
    for axis, (size, result) in enumerate(zip(before, made, strict=True)):
        times = None if known is None else known[axis]
        if isinstance(times, int):
            parts.append(times)
            continue
        part: Value | None = e.slice_axis(e.cast(op.repeats, I64), 0, axis, axis + 1)
        if part is not None and not is_told((result,)):
            part = named(e, e.maximum(part, 0), names, op.y, axis, size) if size != 0 else None
        if part is None:
            return None
        parts.append(e.reshape(part, [1]))
    return [e.y(core.Tile(op.x, e.vector(parts)))]


def _pad(op: core.Pad, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    """As much behind x as is missing to a size that has a name, and in front of it, no more than that."""
    before, made = op.x.tensor.shape, op.y.tensor.shape
    if before is None or made is None or op.mode == "wrap":  # which goes on from what is left of x behind a crop
        return None
    numbers = e.reshape(e.cast(op.pads, I64), [2 * len(before)])
    known = known_ints(op.pads) or (None,) * (2 * len(before))
    parts: list[Part] = []
    for axis, (size, result) in enumerate(zip(before, made, strict=True)):
        low, high = (_amount(e, numbers, i, known[i]) for i in (2 * axis, 2 * axis + 1))
        if not is_told((result,)):
            if not is_told((size,)):
                return None
            have = e.dim(op.x, axis)
            wanted = e.add(_with(e, low, high), have)
            whole = named(e, wanted, names, op.y, axis)
            if whole is None:
                return None
            if known[2 * axis] is None and isinstance(low, Value):
                limit = known_ints(whole)
                low = names.define(e, low, limit[0] if limit and limit[0] is not None else 0)
            high = e.sub(e.reshape(whole, [1]), _with(e, low, have))
        parts += [low, high]
    return [e.y(remake(op, [op.x, e.reshape(e.vector(parts), [len(before), 2]), op.value]))]


def _amount(e: CoreBuilder, numbers: Value, at: int, known: Size | None) -> Part:
    return known if isinstance(known, int) else e.slice_axis(numbers, 0, at, at + 1)


def _with(e: CoreBuilder, a: Part, b: Part) -> Value:
    """A sum, as a vector of one."""
    first = e.vector([a])
    return e.add(first, e.vector([b]) if isinstance(b, Value) else b)


def _shape(op: core.BroadcastTo | core.Reshape, e: CoreBuilder, names: Names) -> list[Part] | None:
    """The shape that a tensor gets, with names for what is not known of it; None where that names nothing."""
    made, known = op.y.tensor.shape, known_ints(op.shape)
    if made is None:
        return None
    parts: list[Part] = []
    is_new = False
    numbers = e.cast(op.shape, I64)
    if isinstance(op, core.Reshape) and not is_told(made):
        numbers = _with_the_rest(op.x, e, numbers)
    for axis, size in enumerate(made):
        fixed = size if isinstance(size, int) or known is None else known[axis]
        if isinstance(fixed, int):
            parts.append(fixed)
            continue
        part: Value | None = e.slice_axis(numbers, 0, axis, axis + 1)
        if part is not None and not is_told((size,)):
            part, is_new = named(e, part, names, op.y, axis), True
        if part is None:
            return None
        parts.append(e.reshape(part, [1]))
    return parts if is_new else None


def _with_the_rest(x: Value, e: CoreBuilder, numbers: Value) -> Value:
    """Sizes that x gets, of which data may say -1: that one is what the others leave."""
    is_open = e.less(numbers, 0)
    others = e.scalar(e.y(core.ReduceProd(e.where(is_open, 1, numbers), axes=(0,), keepdims=False)))
    whole = e.prod(e.dims(x))
    left = e.y(
        core.FloorDiv(e.constant(whole, I64) if isinstance(whole, int) else e.scalar(whole), e.maximum(others, 1))
    )
    return e.where(is_open, left, numbers)


def advice(value: Value) -> str:
    """How the user says how large a value may be, or the one that its sizes come from; nothing where he cannot."""
    made = _origin(value)
    if not isinstance(made.producer, BOUNDED):
        return ""
    told = _told_of(made)
    value = told if told.name else _named_user(made)
    shape = value.tensor.shape
    if not value.name or not shape or is_told(shape):
        return ""
    sizes = ",".join("0..N" if not is_told((d,)) else "-1" if isinstance(d, Dim) else str(d) for d in shape)
    return f"say how large it may be, with a number for N: --shape '{value.name}={sizes}'"


def _named_user(value: Value) -> Value:
    """The first of those that are computed from a value which has a name and the size that nothing is known about; the
    value itself where there is none.
    """
    sizes = {d for d in value.tensor.shape or () if not is_told((d,))}
    waiting, seen = [value], {value}
    for one in waiting:  # grows
        results = [r for op, _ in one.uses for r in op.results if isinstance(r.type, TensorType) and r not in seen]
        for result in results:
            if not sizes.isdisjoint(result.tensor.shape or ()):
                if result.name:
                    return result
                seen.add(result)
                waiting.append(result)
    return value


def _origin(value: Value) -> Value:
    """The value whose op made a size that nothing is known about, which other sizes follow from."""
    while value.producer is not None:
        mine = _unknown(value)
        before = next((v for v in value.producer.inputs if not mine.isdisjoint(_unknown(v))), None)
        if before is None:
            break
        value = before
    return value


def _unknown(value: Value) -> set[int]:
    """What nothing is known about in a shape, and in what a tensor of sizes holds."""
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return unknown_in(size for size in (*(shape or ()), *(value.known or ())) if size is not None)
