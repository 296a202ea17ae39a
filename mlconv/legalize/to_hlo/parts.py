"""Parts of tensors, what is put around them, and their order.  Amounts are numbers in HLO; where a part begins may be
computed at run time, which is how parts along sizes with a range are made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import ints_of
from mlconv.dialects.core.slicing import entry, pad_amounts
from mlconv.dialects.core.slicing import pad_mirror as mirrored
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, maximum, minimum
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import with_size
from mlconv.ir.size_facts import bounds, simplify
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_hlo.builder import HloBuilder, dims, need_ints, refuse
from mlconv.legalize.to_hlo.dynamic_sizes.places import (
    clamped,
    filled,
    from_place,
    joined,
    modulo,
    number,
    reversed_from,
    rows,
    written,
)
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import is_dynamic
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.Concat)
def concat(op: core.Concat, e: HloBuilder) -> Value:
    """concatenate; behind a size that is known at run time, dynamic-update-slice."""
    axis = op.axis % len(dims(op.y))
    xs = [x for x in op.xs if dims(x)[axis]] or [op.xs[0]]
    if any(isinstance(e.sizes.of(x)[axis], Dim) for x in xs[:-1]):
        return joined(e, xs, axis, e.sizes.of(op.y), dims(op.y)[axis])
    return e.concat(xs, axis)


@RULES.rule(core.Split)
def split(op: core.Split, e: HloBuilder) -> list[Value]:
    """A slice for each part."""
    axis = op.axis % len(dims(op.x))
    parts: list[Value] = []
    at: Size = 0
    for y in op.ys:
        whole, size = e.sizes.of(op.x)[axis], e.sizes.of(y)[axis]
        if isinstance(whole, int) and isinstance(at, int) and isinstance(size, int):
            parts.append(e.slice_axis(op.x, axis, at, at + size))
        else:
            parts.append(from_place(e, op.x, {axis: at}, dims(y), e.sizes.of(y)))
        at = at + size
    return parts


@RULES.rule(core.Slice)
def slice_(op: core.Slice, e: HloBuilder) -> Value:
    """slice, after reverse where a stride is negative; dynamic-slice where the begin is computed and the size is
    not.
    """
    x, shape = op.x, dims(op.x)
    strides = need_ints(op.strides, "the strides of a slice")
    if is_dynamic(e.sizes.of(x)) or is_dynamic(e.sizes.of(op.y)):
        return _slice_at_run_time(op, e, strides)
    begin, end = ints_of(op.begin), ints_of(op.end)
    opened = (1 << len(shape)) - 1
    if (begin is None and op.begin_mask & opened != opened) or (end is None and op.end_mask & opened != opened):
        return _computed_slice(op, e, strides)
    begins, ends, steps, flipped = [], [], [], []
    for i, (n, s) in enumerate(zip(shape, strides, strict=True)):
        b = None if begin is None or op.begin_mask >> i & 1 else begin[i]
        c = None if end is None or op.end_mask >> i & 1 else end[i]
        first, last, _ = slice(b, c, s).indices(n)
        if s < 0:
            flipped.append(i)
            first, last = n - 1 - first, n - 1 - last
        begins.append(first)
        ends.append(max(first, last))
        steps.append(abs(s))
    return e.slice(e.reverse(x, flipped), begins, ends, steps)


def _computed_slice(op: core.Slice, e: HloBuilder, strides: Sequence[int]) -> Value:
    """A begin that is known at run time only; sizes come from the result's type.  Negative begins count from the
    end.
    """
    x, shape, out = op.x, dims(op.x), dims(op.y)
    if any(s <= 0 for s in strides):
        raise refuse("a slice with a computed begin and a negative stride has no HLO form")
    spans = [(m - 1) * s + 1 for m, s in zip(out, strides, strict=True)]
    begin = e.convert(op.begin, DType.I32)
    size = e.constant(np.asarray(shape), DType.I32)
    begin = e.select(e.compare("LT", begin, e.scalar(0, DType.I32)), e.binary("add", begin, size), begin)
    if op.begin_mask:
        opened = np.asarray([bool(op.begin_mask >> i & 1) for i in range(len(shape))])
        begin = e.select(e.constant(opened, DType.BOOL), e.scalar(0, DType.I32), begin)
    y = at_run_time(e, x, begin, spans)
    return e.slice(y, (0,) * len(out), spans, strides)


def _slice_at_run_time(op: core.Slice, e: HloBuilder, strides: Sequence[int]) -> Value:
    """A dynamic-slice as wide as the part may be, then a slice for strides."""
    x, shape, want = op.x, e.sizes.of(op.x), e.sizes.of(op.y)
    spans = [max(0, (m - 1) * abs(s) + 1) for m, s in zip(dims(op.y), strides, strict=True)]
    starts: dict[int, Size | Value] = {}
    for axis, (size, stride) in enumerate(zip(shape, strides, strict=True)):
        if stride < 0:
            x, first = reversed_from(e, x, axis)
            starts[axis] = first + _begin_to_the_left(op, axis, size)
        elif not op.begin_mask >> axis & 1:
            starts[axis] = _begin(e, op.begin, axis, size)
    fixed = all(isinstance(d, int) for d in want)
    y = from_place(e, x, starts, spans, tuple(spans) if any(abs(s) != 1 for s in strides) else want, inside=fixed)
    if all(abs(s) == 1 for s in strides):
        return y
    z = e.slice(y, (0,) * len(spans), spans, [abs(s) for s in strides])
    if z is not x:
        e.sizes.state(z, want)
    return z


def _begin_to_the_left(op: core.Slice, axis: int, size: Size) -> Size:
    """Where a part with a negative stride begins, counted from the last element."""
    if op.begin_mask >> axis & 1:
        return 0
    begin = entry(op.begin, axis)
    if begin is None:
        raise refuse("a slice with a computed begin and a negative stride has no HLO form")
    return minimum(~begin, size) if isinstance(begin, int) and begin < 0 else maximum(size - 1 - begin, 0)


def _begin(e: HloBuilder, begins: Value, axis: int, size: Size) -> Size | Value:
    """Where a part begins: an index in [0, size], counted from the end where it is below 0."""
    begin = entry(begins, axis)
    low, high = (-1, 1) if begin is None else bounds(begin, e.sizes.facts)
    if begin is not None and (low >= 0 or high < 0):
        first = minimum(begin, size) if low >= 0 else maximum(size + begin, 0)
        return simplify(first, e.sizes.facts)
    at = e.convert(e.reshape(e.slice_axis(begins, 0, axis, axis + 1), ()), DType.I32)
    end, zero = number(e, size), e.scalar(0, DType.I32)
    return clamped(e, e.select(e.compare("LT", at, zero), e.binary("add", at, end), at), zero, end)


def at_run_time(e: HloBuilder, x: Value, begin: Value, sizes: Sequence[int]) -> Value:
    """x[begin : begin + sizes] with a computed begin [rank]."""
    if not sizes:
        return x
    starts = [e.reshape(e.slice_axis(begin, 0, i, i + 1), ()) for i in range(len(sizes))]
    return e.one("dynamic-slice", [x, *starts], x.tensor.with_shape(tuple(sizes)), sizes=tuple(sizes))


@RULES.rule(core.DynamicSlice)
def dynamic_slice(op: core.DynamicSlice, e: HloBuilder) -> Value:
    """slice or dynamic-slice."""
    out, want = dims(op.y), e.sizes.of(op.y)
    begin = ints_of(op.begin)
    if is_dynamic(e.sizes.of(op.x)) or is_dynamic(want):
        starts = {axis: _begin(e, op.begin, axis, size) for axis, size in enumerate(e.sizes.of(op.x))}
        return from_place(e, op.x, starts, out, want, inside=not is_dynamic(want))
    if begin is not None:
        return e.slice(op.x, begin, [b + n for b, n in zip(begin, out, strict=True)])
    return at_run_time(e, op.x, op.begin, out)


@RULES.rule(core.UpdateSlice)
def update_slice(op: core.UpdateSlice, e: HloBuilder) -> Value:
    """dynamic-update-slice; it moves what would leave the largest size, and not what leaves that of the run."""
    begins = list(op.begins)
    pieces: dict[int, tuple[Value, Value]] = {}
    for axis, (size, part) in enumerate(zip(e.sizes.of(op.x), e.sizes.of(op.update), strict=True)):
        if not isinstance(size, Dim) and not isinstance(part, Dim):
            continue
        at = e.convert(e.reshape(begins[axis], ()), DType.I32)
        most = e.binary("subtract", number(e, size), number(e, part))
        at = clamped(e, at, e.scalar(0, DType.I32), most)
        begins[axis] = e.convert(at, begins[axis].tensor.dtype)
        if isinstance(part, Dim) and part != size:
            pieces[axis] = at, number(e, part)
    if pieces:
        return _write_valid(op, e, begins, pieces)
    return e.one("dynamic-update-slice", [op.x, op.update, *begins], op.y.tensor)


def _write_valid(
    op: core.UpdateSlice, e: HloBuilder, begins: Sequence[Value], pieces: Mapping[int, tuple[Value, Value]]
) -> Value:
    """Write what is valid of a piece; what is behind that stays as it is.  pieces: where it begins and how long it is,
    along axes of sizes with a range.
    """
    zero, have, piece = e.scalar(0, op.x.tensor.dtype), dims(op.x), dims(op.update)
    room = tuple(n + (m if axis in pieces else 0) for axis, (n, m) in enumerate(zip(have, piece, strict=True)))
    before = e.pad(op.x, zero, [0] * len(have), [n - m for n, m in zip(room, have, strict=True)])
    e.sizes.state(before, room)
    y = e.one("dynamic-update-slice", [before, op.update, *begins], before.tensor)
    e.sizes.state(y, room)
    for axis, (at, size) in pieces.items():
        place = e.iota(DType.I32, room, axis)
        is_new = e.binary("and", e.compare("GE", place, at), e.compare("LT", place, e.binary("add", at, size)))
        y = e.select(is_new, y, before)
        e.sizes.state(y, room)
    z = e.slice(y, (0,) * len(room), have)
    e.sizes.state(z, e.sizes.of(op.x))
    return z


@RULES.rule(core.Pad)
def pad(op: core.Pad, e: HloBuilder) -> Value:
    """pad; other modes take rows by constant indices, or by computed ones along a size with a range."""
    shape, sizes = dims(op.x), e.sizes.of(op.x)
    known = pad_amounts(op.pads)
    if op.mode == "constant" and known is not None and any(isinstance(n, Dim) for pair in known for n in pair):
        return _pad_by_sizes(op, e, known)
    if op.mode == "constant":
        amounts = pairs(op.pads, "the amounts of a pad", len(shape))
        return e.pad(op.x, op.value, [lo for lo, _ in amounts], [hi for _, hi in amounts])
    y = op.x
    for axis, (lo, hi) in enumerate(_mirrored_amounts(op, len(shape))):
        if lo == hi == 0:
            continue
        if isinstance(sizes[axis], Dim) or not isinstance(lo, int) or not isinstance(hi, int):
            index = _mirrored_places(e, op.mode, number(e, lo), dims(op.y)[axis], number(e, sizes[axis]))
            y = rows(e, y, index, axis, with_size(e.sizes.of(y), axis, e.sizes.of(op.y)[axis]))
            continue
        check_table((shape[axis] + lo + hi,), "the list of rows that a pad repeats")
        table: Array = np.arange(shape[axis])
        y = e.take(y, mirrored(table, [(lo, hi)], op.mode), axis)
    return y


def _mirrored_amounts(op: core.Pad, rank: int) -> list[tuple[Size, Size]]:
    """Numbers, or sizes of the run.  Raises ConversionError ShapeNotStatic for others."""
    known = pad_amounts(op.pads)
    told = [(lo, hi) for lo, hi in known or () if lo is not None and hi is not None]
    return told if len(told) == rank else list(pairs(op.pads, "the amounts of a pad", rank))


def _pad_by_sizes(op: core.Pad, e: HloBuilder, known: Sequence[tuple[Size | None, Size | None]]) -> Value:
    """x written into what it is padded with; what it is padded with at most, from a place on, where a part of x may be
    cut off in front.  Raises ConversionError TargetLacksOp for amounts that have no bounds.
    """
    starts: dict[int, Size] = {}
    for axis, (low, high) in enumerate(known):
        if low is None or high is None:
            raise refuse("a pad by amounts that data decide has no HLO form")
        starts[axis] = low
    value = e.reshape(op.value, ())
    if any(bounds(low, e.sizes.facts)[0] < 0 for low in starts.values()):
        return _part_of_padded(op, e, starts, value)
    room = [n + m for n, m in zip(dims(op.x), dims(op.y), strict=True)]  # the largest x fits at any place of y
    whole = written(e, e.broadcast_to(value, room), filled(e, op.x, value), starts, tuple(room))
    y = e.slice(whole, [0] * len(room), dims(op.y))
    e.sizes.state(y, e.sizes.of(op.y))
    return y


def _part_of_padded(op: core.Pad, e: HloBuilder, lows: Mapping[int, Size], value: Value) -> Value:
    """The part of x between the most that it is padded with that begins where the amounts in front say."""
    front, back, starts = [], [], dict[int, Size]()
    for axis, (have, want) in enumerate(zip(dims(op.x), dims(op.y), strict=True)):
        least, most = bounds(lows[axis], e.sizes.facts)
        if math.isinf(least) or math.isinf(most):
            raise refuse(f"a pad by {lows[axis]}, which has no bounds, has no HLO form")
        room = max(0, int(most))
        front.append(room)
        back.append(max(0, want - int(least) - have))
        starts[axis] = room - lows[axis]
    whole = e.pad(filled(e, op.x, value), value, front, back)
    e.sizes.state(whole, dims(whole))
    return from_place(e, whole, starts, dims(op.y), e.sizes.of(op.y), inside=True)


def _mirrored_places(e: HloBuilder, mode: str, low: Value, largest: int, size: Value) -> Value:
    """Which of `size` elements each place of a padded axis repeats, int32 [largest]."""

    def const(n: int) -> Value:
        return e.scalar(n, DType.I32)

    place = e.binary("subtract", e.iota(DType.I32, (largest,), 0), low)
    last = e.binary("subtract", size, const(1))
    if mode == "edge":
        return clamped(e, place, const(0), last)
    if mode == "wrap":
        return modulo(e, place, size)
    twice = e.binary("multiply", size, const(2))
    period = twice if mode == "symmetric" else e.binary("maximum", e.binary("subtract", twice, const(2)), const(1))
    place = modulo(e, place, period)
    back = e.binary("subtract", e.binary("subtract", period, const(1)) if mode == "symmetric" else period, place)
    return e.select(e.compare("GE", place, size), back, place)


def pairs(value: Value, what: str, count: int) -> list[tuple[int, int]]:
    """Amounts before and after each axis.  Raises ConversionError ShapeNotStatic for computed ones."""
    known = pad_amounts(value)
    found = [(lo, hi) for lo, hi in known or () if isinstance(lo, int) and isinstance(hi, int)]
    if len(found) != count:
        flat = need_ints(value, what)
        found = [(flat[2 * i], flat[2 * i + 1]) for i in range(count)]
    return found


@RULES.rule(core.Tile)
def tile(op: core.Tile, e: HloBuilder) -> Value:
    """A broadcast along new axes, joined with the old ones; rows by computed places along a size with a range."""
    x, have, want = op.x, e.sizes.of(op.x), e.sizes.of(op.y)
    for axis, (n, m) in enumerate(zip(have, want, strict=True)):
        if n != m and (isinstance(n, Dim) or isinstance(m, Dim)) and n != 1:
            index = modulo(e, e.iota(DType.I32, (dims(op.y)[axis],), 0), number(e, n))
            x = rows(e, x, index, axis, with_size(e.sizes.of(x), axis, m))
    shape, out = dims(x), dims(op.y)
    if shape == out:
        return x
    grown = [d for n, m in zip(shape, out, strict=True) for d in (m // n if n else 0, n)]
    y = e.reshape(x, [d for n in shape for d in (1, n)])
    return e.reshape(e.broadcast_to(y, grown), out)


@RULES.rule(core.Reverse)
def reverse(op: core.Reverse, e: HloBuilder) -> Value:
    """reverse; the valid part is moved to the front."""
    x, shape = op.x, e.sizes.of(op.x)
    axes = [a % len(shape) for a in op.axes]
    starts: dict[int, Size | Value] = {}
    for axis in (a for a in axes if isinstance(shape[a], Dim)):
        x, starts[axis] = reversed_from(e, x, axis)
    x = e.reverse(x, [a for a in axes if a not in starts])
    if not starts:
        return x
    e.sizes.state(x, dims(x))
    return from_place(e, x, starts, dims(x), shape)
