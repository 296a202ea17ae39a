"""Between which ends the numbers of a tensor lie, as far as the ops say that make it: boxes that are clipped to an
image, their widths, the sizes of masks that are drawn into them.

An end is a number, or a size that a run tells.  Ends are rounded outwards, by a little more than what float32 rounds.
Numbers that are no numbers (NaN) lie between no ends: whoever relies on a range checks at run time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple, TypeAlias, Union

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.reduce import Arg
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Dim, Size, extreme, floordiv, maximum, minimum, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told
from mlconv.ir.size_facts import SizeFacts, bounds
from mlconv.ir.spec import known_ints
from mlconv.ir.types import TensorType

End: TypeAlias = Union[float, Dim]

_SLACK: Final = 1e-6  # of a float32 result, more than its rounding
_DEEPEST: Final = 200
_LARGEST_SIZE: Final = 1 << 30  # the limit of an integer type is no bound
_COUNTED: Final = 2.0**62  # numbers from here on are no integers that sizes are computed with
_PARTS: Final = 64  # a size times a number is rounded to parts of this
_FEW: Final = 1 << 12  # places that are followed one by one
_LARGEST_CONSTANT: Final = 1 << 20


class Between(NamedTuple):
    """low <= x <= high."""

    low: End
    high: End


ANYTHING: Final = Between(-math.inf, math.inf)


def sizes_between(value: Value, facts: SizeFacts) -> tuple[Size, Size] | None:
    """The least and the most that an integer tensor holds, where both are told and neither is negative."""
    low, high = (_whole(end, up) for end, up in zip(ValueRanges(facts).of(value), (False, True), strict=True))
    if low is None or high is None or bounds(low, facts)[0] < 0 or (isinstance(high, int) and high > _LARGEST_SIZE):
        return None
    return low, high


class ValueRanges:
    """Ranges of values.  facts: of the sizes that occur; longest: axis that a target has."""

    def __init__(self, facts: SizeFacts, longest: float = math.inf) -> None:
        self.facts, self.longest = facts, longest
        self.found: dict[Value, Between] = {}

    def of(self, value: Value, depth: int = 0) -> Between:
        if value not in self.found:
            self.found[value] = self._range(value, depth)
        return self.found[value]

    def _range(self, value: Value, depth: int) -> Between:
        told = _told(value)
        op = value.producer
        if told is not None or not isinstance(value.type, TensorType):
            return told or ANYTHING
        if op is None or depth > _DEEPEST or value.tensor.dtype is DType.BOOL:
            return _limits(value.tensor.dtype)
        found = ANYTHING
        if isinstance(op, (core.ReduceMax, core.ReduceMin)):
            found = self._extreme(op, depth)
        elif isinstance(op, _SAME):
            found = self._joined(_read(op), depth)
        elif isinstance(op, core.If):
            place = op.results.index(value)
            found = self._joined([region.block.outputs[place] for region in op.regions], depth)
        elif isinstance(op, core.Select):
            found = self._joined([op.a, op.b], depth)
        elif isinstance(op, core.Pad):
            found = self._joined([op.x, op.value], depth)
        elif isinstance(op, core.Mul) and (scaled := self._scaled(op, depth)) is not None:
            found = scaled
        elif type(op) in _COMPUTED:
            found = _COMPUTED[type(op)](self, *(self.of(v, depth + 1) for v in op.inputs))
        else:
            found = self._by_meaning(op, value, depth)
        if value.tensor.dtype.is_float:
            return found if isinstance(op, _SAME) else _widened(found)
        return _wrapped(found, value.tensor.dtype)

    def _by_meaning(self, op: Op, value: Value, depth: int) -> Between:
        """What follows from what an op is."""
        if isinstance(op, (core.Sigmoid, core.Softmax)):
            return Between(0.0, 1.0)
        if isinstance(op, core.Tanh):
            return Between(-1.0, 1.0)
        if isinstance(op, core.Clamp):
            x = self.of(op.x, depth + 1)
            return Between(self.larger(x.low, op.lo), self.smaller(x.high, op.hi))
        if isinstance(op, core.Cast):
            x = self.of(op.x, depth + 1)
            return Between(_cut(x.low), _cut(x.high)) if op.dtype.is_int else x
        if isinstance(op, core.TopK):
            return self.of(op.x, depth + 1) if value is op.values else self._places(op.x.tensor, op.axis)
        if isinstance(op, Arg):
            return self._places(op.x.tensor, op.axis)
        if isinstance(op, core.NonZero):
            return self._places(op.x.tensor, *range(op.x.tensor.rank or 0))
        if isinstance(op, core.Range):
            return self._counted(op, depth)
        if isinstance(op, core.DefineSize):
            return Between(0, op.bound)
        if isinstance(op, (core.ReduceSum, core.CumSum)):
            shape = op.x.tensor.shape or ()
            axes = op.axes if isinstance(op, core.ReduceSum) else (op.axis,)
            return self._sum(op.x, [shape[a] for a in axes] if shape else None, depth)
        if isinstance(op, core.ScatterNd) and op.reduction == "add":
            data, places = self.of(op.data, depth + 1), op.indices.tensor.shape
            added = self._sum(op.updates, places and places[:-1], depth)
            return Between(self.plus(data.low, added.low, False), self.plus(data.high, added.high, True))
        return ANYTHING

    def _counted(self, op: core.Range, depth: int) -> Between:
        """Upwards, from the start to less than the limit."""
        start, limit, step = (self.of(v, depth + 1) for v in (op.start, op.limit, op.step))
        if not self.at_least_0(step.low):
            return ANYTHING
        return Between(start.low, self.larger(start.high, limit.high))

    def _sum(self, terms: Value, sizes: Sequence[Size] | None, depth: int) -> Between:
        """Of as many integers, or none, as there are along axes of some sizes."""
        count = product(sizes or ())
        if sizes is None or not terms.tensor.dtype.is_int or not is_told((count,)):
            return ANYTHING
        x = self.of(terms, depth + 1)
        ends = [_whole(end, up) for end, up in zip(x, (False, True), strict=True)]
        low, high = (None if isinstance(n, int) and abs(n) > _LARGEST_SIZE else n for n in ends)
        return Between(
            -math.inf if low is None else minimum(low * count, 0),
            math.inf if high is None else maximum(high * count, 0),
        )

    def _extreme(self, op: core.ReduceMax | core.ReduceMin, depth: int) -> Between:
        """The largest, or the least, of what is joined is no less, or no more, than any of it."""
        known, joined = op.x.known, op.x.producer
        told = tuple(k for k in known or () if k is not None)
        if op.x.tensor.rank == 1 and told and known is not None and len(told) == len(known) and is_told(told):
            one = reduce(maximum if isinstance(op, core.ReduceMax) else minimum, told)
            return Between(one, one)
        if not isinstance(joined, core.Concat) or {a % (op.x.tensor.rank or 1) for a in op.axes} != {_axis(joined)}:
            return self.of(op.x, depth + 1)
        found, *others = (self.of(x, depth + 1) for x in joined.xs)
        chosen = self.larger if isinstance(op, core.ReduceMax) else self.smaller
        for x in others:
            found = Between(chosen(found.low, x.low), chosen(found.high, x.high))
        return found

    def _scaled(self, op: core.Mul, depth: int) -> Between | None:
        """A size times a factor by which no side becomes longer than a number: `h * min(a/min(h, w), b/max(h, w))` is
        at most b, since h is at most max(h, w).
        """
        for size, factor in ((op.a, op.b), (op.b, op.a)):
            low, high = self.of(size, depth + 1)
            if bounds(_whole(low, False) or 0, self.facts)[0] < 0 or not isinstance(high, Dim):
                continue
            for most, side in _quotients(factor):
                limit, least = self.of(most, depth + 1), self.of(side, depth + 1).low
                if isinstance(limit.high, Dim) or math.isinf(limit.high) or not self.at_least_0(limit.low):
                    continue
                if isinstance(least, Dim) and bounds(least - high, self.facts)[0] >= 0:
                    return Between(0.0, limit.high)
        return None

    def at_least_0(self, end: End) -> bool:
        return bounds(end, self.facts)[0] >= 0 if isinstance(end, Dim) else end >= 0

    def _places(self, x: TensorType, *axes: int) -> Between:
        sizes = tuple(x.shape[axis] for axis in axes) if x.shape is not None else ()
        if not sizes or not is_told(sizes):
            return Between(0, self.longest - 1)
        return Between(0, self.larger(0, reduce(maximum, [s - 1 for s in sizes])))

    def _joined(self, values: Iterable[Value | None], depth: int) -> Between:
        ranges = [self.of(v, depth + 1) for v in values if v is not None]
        low, high = ranges[0] if ranges else ANYTHING
        for other in ranges[1:]:
            low, high = self.smaller(low, other.low), self.larger(high, other.high)
        return Between(low, high)

    # -- ends -------------------------------------------------------------------------------------------

    def smaller(self, a: End, b: End) -> End:
        """What is no more than either."""
        return self._chosen(a, b, False)

    def larger(self, a: End, b: End) -> End:
        return self._chosen(a, b, True)

    def _chosen(self, a: End, b: End, up: bool) -> End:
        if not isinstance(a, Dim) and not isinstance(b, Dim):
            return max(a, b) if up else min(a, b)
        x, y = _whole(a, up), _whole(b, up)
        if x is None or y is None:
            infinite = a if x is None else b
            below = not isinstance(infinite, Dim) and infinite < 0
            return (b if x is None else a) if below == up else infinite
        found = maximum(x, y) if up else minimum(x, y)
        least = max(bounds(x, self.facts)[0], bounds(y, self.facts)[0])
        # the algebra takes `n - 16` for a size, and leaves 0 out
        return extreme("max", x, y) if up and bounds(found, self.facts)[0] < least else found

    def plus(self, a: End, b: End, up: bool) -> End:
        if not isinstance(a, Dim) and not isinstance(b, Dim):
            return a + b if math.isfinite(a) or math.isfinite(b) or a == b else (math.inf if up else -math.inf)
        x, y = _whole(a, up), _whole(b, up)
        return x + y if x is not None and y is not None else (a if x is None else b)

    def product(self, a: Between, b: Between) -> Between:
        corners = [self._times(x, y) for x in a for y in b]
        low, high = corners[0]
        for corner in corners[1:]:
            low, high = self.smaller(low, corner.low), self.larger(high, corner.high)
        return Between(low, high)

    def _times(self, a: End, b: End) -> Between:
        """What lies around the product of two ends."""
        if not isinstance(a, Dim) and not isinstance(b, Dim):
            exact = 0.0 if not a or not b else a * b
            return Between(exact, exact)
        if not isinstance(a, Dim):
            a, b = b, a
        if not b:
            return Between(0, 0)
        if not isinstance(a, Dim) or (isinstance(b, float) and math.isinf(b)):
            return ANYTHING
        if isinstance(b, Dim) or float(b).is_integer():
            whole = a * (b if isinstance(b, Dim) else int(b))
            return Between(whole, whole)
        least, most = (floordiv(a * f, _PARTS) for f in (math.floor(b * _PARTS), math.ceil(b * _PARTS)))
        if bounds(a, self.facts)[0] < 0:  # of another sign, the larger factor gives less
            least, most = minimum(least, most), maximum(least, most)
        return Between(least, most + 1)


def _quotients(value: Value, depth: int = 8) -> list[tuple[Value, Value]]:
    """Numerators and denominators of quotients that a value is no larger than."""
    op = value.producer
    if depth == 0 or op is None:
        return []
    if isinstance(op, core.Minimum):
        return [*_quotients(op.a, depth - 1), *_quotients(op.b, depth - 1)]
    if isinstance(op, core.Div):
        return [(op.a, op.b)]
    if isinstance(op, core.Mul):  # by the reciprocal
        return [
            (x, inner.b)
            for x, other in ((op.a, op.b), (op.b, op.a))
            if isinstance(inner := other.producer, core.Div) and _is_one(inner.a)
        ]
    return _quotients(op.inputs[0], depth - 1) if isinstance(op, (core.Cast, *_SAME[:3])) else []


def _is_one(value: Value) -> bool:
    constant = const_of(value)
    return constant is not None and constant.size == 1 and float(np.asarray(constant.view()).reshape(())) == 1.0


def _axis(op: core.Concat) -> int:
    return op.axis % (op.y.tensor.rank or 1)


def _read(op: Op) -> Sequence[Value]:
    """The values whose elements are those of the result."""
    if isinstance(op, core.Concat):
        return op.xs
    joined = op.inputs[0].producer
    if not isinstance(joined, core.Concat):
        return op.inputs[:1]
    places: Iterable[int] | None = None
    if isinstance(op, core.Gather) and op.axis % (op.x.tensor.rank or 1) == _axis(joined):
        at = const_of(op.indices)
        places = None if at is None or at.size > _FEW else np.asarray(at.view()).reshape(-1).tolist()
    elif isinstance(op, core.Slice):
        places = _sliced(op, _axis(joined))
    return _parts(joined, places) or op.inputs[:1] if places is not None else op.inputs[:1]


def _sliced(op: core.Slice, axis: int) -> Iterable[int] | None:
    """Places along an axis, where they are numbers."""
    size = (op.x.tensor.shape or ())[axis]
    begin, end, step = (_number(v, axis) for v in (op.begin, op.end, op.strides))
    if not isinstance(size, int) or size > _FEW or begin is None or end is None or not step:
        return None
    first = None if op.begin_mask >> axis & 1 else begin
    last = None if op.end_mask >> axis & 1 else end
    return range(size)[first:last:step]


def _number(vector: Value, place: int) -> int | None:
    known = known_ints(vector)
    found = None if known is None else known[place]
    return found if isinstance(found, int) else None


def _parts(joined: core.Concat, places: Iterable[int]) -> list[Value]:
    """The operands in which places lie; none where that cannot be said."""
    owners: list[Value] = []
    for x in joined.xs:
        size = (x.tensor.shape or ())[_axis(joined)]
        if not isinstance(size, int):
            return []
        owners += [x] * size
    wanted = list(places)
    if not all(-len(owners) <= i < len(owners) for i in wanted):
        return []
    return list(dict.fromkeys(owners[i] for i in wanted))


def _told(value: Value) -> Between | None:
    """Of numbers that are written down, or that are sizes."""
    known = tuple(k for k in value.known or () if k is not None)
    if known and len(known) == len(value.known or ()) and is_told(known):
        return Between(reduce(minimum, known), reduce(maximum, known))
    constant = const_of(value)
    if constant is None or not 0 < constant.size <= _LARGEST_CONSTANT or not isinstance(value.type, TensorType):
        return None
    array = np.asarray(constant.view())
    if array.dtype.kind not in "biuf" or (array.dtype.kind == "f" and not np.isfinite(array).all()):
        return None
    return Between(float(array.min()), float(array.max()))


def _whole(end: End, up: bool) -> Size | None:
    """The next whole number; None of an end that no size computes with: infinite, or the largest float."""
    if isinstance(end, Dim):
        return end
    return (math.ceil(end) if up else math.floor(end)) if abs(end) < _COUNTED else None


def _cut(end: End) -> End:
    """Towards 0, as floats become integers."""
    return end if isinstance(end, Dim) or math.isinf(end) else float(math.trunc(end))


def _widened(x: Between) -> Between:
    low, high = x
    return Between(
        low if isinstance(low, Dim) else low - abs(low) * _SLACK if math.isfinite(low) else low,
        high if isinstance(high, Dim) else high + abs(high) * _SLACK if math.isfinite(high) else high,
    )


def _limits(dtype: DType) -> Between:
    """Of all numbers of a type."""
    if dtype is DType.BOOL:
        return Between(0, 1)
    return Between(int(np.iinfo(dtype.numpy).min), int(np.iinfo(dtype.numpy).max)) if dtype.is_int else ANYTHING


def _wrapped(x: Between, dtype: DType) -> Between:
    """Any number of the type, where some may have wrapped around.  Sizes fit every type that they are computed in."""
    if not dtype.is_int:
        return x
    limits = np.iinfo(dtype.numpy)
    fits = all(isinstance(end, Dim) or limits.min <= end <= limits.max for end in x)
    return x if fits else _limits(dtype)


def _neg(_: ValueRanges, x: Between) -> Between:
    return Between(-x.high, -x.low)


def _add(r: ValueRanges, a: Between, b: Between) -> Between:
    return Between(r.plus(a.low, b.low, False), r.plus(a.high, b.high, True))


def _sub(r: ValueRanges, a: Between, b: Between) -> Between:
    return _add(r, a, _neg(r, b))


def _div(r: ValueRanges, a: Between, b: Between) -> Between:
    if isinstance(b.low, Dim) or isinstance(b.high, Dim) or not (b.low > 0 or b.high < 0):
        return Between(0.0, math.inf) if r.at_least_0(a.low) and r.at_least_0(b.low) else ANYTHING
    found = r.product(a, Between(1 / b.high, 1 / b.low))
    return Between(_whole_or(found.low, False), _whole_or(found.high, True))


def _whole_or(end: End, up: bool) -> End:
    """Quotients of integers are cut: the next whole number is certain of floats and integers."""
    whole = _whole(end, up)
    return end if whole is None else whole


def _floor(_: ValueRanges, x: Between) -> Between:
    return Between(_whole_or(x.low, False), x.high)


def _ceil(_: ValueRanges, x: Between) -> Between:
    return Between(x.low, _whole_or(x.high, True))


def _round(_: ValueRanges, x: Between) -> Between:
    return Between(_whole_or(x.low, False), _whole_or(x.high, True))


def _abs(r: ValueRanges, x: Between) -> Between:
    return Between(0.0, r.larger(x.high, -x.low))


def _maximum(r: ValueRanges, a: Between, b: Between) -> Between:
    return Between(r.larger(a.low, b.low), r.larger(a.high, b.high))


def _minimum(r: ValueRanges, a: Between, b: Between) -> Between:
    return Between(r.smaller(a.low, b.low), r.smaller(a.high, b.high))


def _product(r: ValueRanges, a: Between, b: Between) -> Between:
    return r.product(a, b)


_COMPUTED: dict[type[Op], Callable[..., Between]] = {
    core.Neg: _neg,
    core.Abs: _abs,
    core.Add: _add,
    core.Sub: _sub,
    core.Mul: _product,
    core.Div: _div,
    core.FloorDiv: _div,
    core.Maximum: _maximum,
    core.Minimum: _minimum,
    core.Floor: _floor,
    core.Ceil: _ceil,
    core.Round: _round,
}

_FIRST: tuple[Any, ...] = (
    core.Reshape,
    core.ExpandDims,
    core.Squeeze,
    core.Transpose,
    core.Split,
    core.Tile,
    core.BroadcastTo,
    core.Slice,
    core.DynamicSlice,
    core.Reverse,
    core.ReverseSequence,
    core.Gather,
    core.GatherElements,
    core.GatherNd,
    core.ReduceMax,
    core.ReduceMin,
    core.ReduceMean,
)
_SAME: tuple[Any, ...] = (*_FIRST, core.Concat)
