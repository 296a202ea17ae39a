"""What integer tensors hold, told from the ops that make them: positions along axes, and whether numbers are negative.

The positions that a model computes from `range` and shapes are sums of multiples of coordinates: `i*T + j` at [i, j].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias, Union

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Compare
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dims import Dim, Size, total
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import without_units
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.size_relations import Relation
from mlconv.ir.spec import known_ints
from mlconv.ir.types import Shape, TensorType
from mlconv.rewrite.signs import not_below_zero
from mlconv.rewrite.value_ranges import ValueRanges

_DEPTH = 24  # of chains that are followed
_READ = 1 << 16  # elements of a constant that is looked at
_NO_FACTS = SizeFacts()
_INT32_MAX = (1 << 31) - 1
_BITS = 32  # at least, of what counts
_SAME_ELEMENTS = (core.Reshape, core.ExpandDims, core.Squeeze, core.Transpose)
_VIEWS = (core.Reshape, core.ExpandDims, core.Squeeze, core.BroadcastTo)
Combined: TypeAlias = Union[core.Add, core.Sub, core.Mul, Compare]


class Positions(NamedTuple):
    """offset + the sum of steps[axis] * coordinate along the axis, for the axes that are not left out."""

    offset: Size
    steps: Mapping[int, Size]

    def only_axis(self) -> int | None:
        """The axis whose coordinate this is, from 0 on."""
        if self.offset != 0 or len(self.steps) != 1:
            return None
        ((axis, step),) = self.steps.items()
        return axis if step == 1 else None


def positions(value: Value) -> Positions | None:
    """A tensor of integers as positions; None where it is none, or nothing is known."""
    return _Forms().positions(value, _DEPTH)


def difference(op: Compare) -> Positions | None:
    """What a comparison compares with 0."""
    return _combined(_Forms(), op, op.y.tensor.shape or (), _DEPTH)


def truth(value: Value) -> bool | None:
    """What all elements of a tensor of truths are, where that is known."""
    return _Forms().truth(value, _DEPTH)


def not_negative(value: Value) -> bool:
    """Whether all numbers of an integer tensor are known to be at least 0."""
    return _Forms().not_negative(value, _DEPTH)


def counts_from_start(indices: Value, x: Value) -> bool:
    """Whether places in x are known to be no negative numbers, where there are any: x has elements then, and none of
    its sizes, nor of what it is a view of, is 0.
    """
    sizes: dict[Size, None] = {}
    while True:
        sizes |= dict.fromkeys(n for n in x.tensor.shape or () if isinstance(n, Dim))
        op = x.producer
        if not isinstance(op, _SAME_ELEMENTS):
            break
        x = op.x
    return _Forms(SizeFacts(relations=[Relation(n, ">=", 1) for n in sizes])).not_negative(indices, _DEPTH)


class _Forms:
    """What was found out in answer to one question.  facts: what is known of sizes."""

    def __init__(self, facts: SizeFacts = _NO_FACTS) -> None:
        self.facts = facts
        self._positions: dict[Value, Positions | None] = {}
        self._not_negative: dict[Value, bool] = {}
        self._truths: dict[Value, bool | None] = {}
        self._ranges = ValueRanges(facts)

    def positions(self, value: Value, depth: int) -> Positions | None:
        if value not in self._positions:
            self._positions[value] = _positions(self, value, depth)
        return self._positions[value]

    def not_negative(self, value: Value, depth: int) -> bool:
        if value not in self._not_negative:
            self._not_negative[value] = _not_negative(self, value, depth)
        return self._not_negative[value]

    def starts_at_0(self, value: Value) -> bool:
        """Limits and what is added to them say so."""
        return self._ranges.at_least_0(self._ranges.of(value).low)

    def truth(self, value: Value, depth: int) -> bool | None:
        if value not in self._truths:
            self._truths[value] = _truth(self, value, depth)
        return self._truths[value]


def _positions(forms: _Forms, value: Value, depth: int) -> Positions | None:
    t = value.type
    if depth == 0 or not isinstance(t, TensorType) or t.shape is None or not t.dtype.is_int or t.quant is not None:
        return None
    known = known_ints(value)
    if known is not None and len(known) == 1 and known[0] is not None:
        return Positions(known[0], {})
    op = value.producer
    if isinstance(op, core.Constant):
        return _of_constant(value)
    if isinstance(op, core.Range):
        start, step = (known_ints(v) for v in (op.start, op.step))
        if start is None or step is None or start[0] is None or step[0] is None:
            return None
        return Positions(start[0], {0: step[0]})
    if isinstance(op, (core.Reshape, core.ExpandDims, core.Squeeze)):
        return _moved(forms.positions(op.x, depth - 1), op.x.tensor.shape, t.shape)
    if isinstance(op, core.Slice):
        return _cut(forms, op, depth)
    if isinstance(op, core.Transpose):
        inner = forms.positions(op.x, depth - 1)
        return inner and Positions(inner.offset, {op.perm.index(a): s for a, s in inner.steps.items()})
    if isinstance(op, core.Cast):
        told = forms.truth(op.x, depth - 1) if op.x.tensor.dtype is DType.BOOL else None
        inner = forms.positions(op.x, depth - 1) if t.dtype.bits >= _BITS else None
        return inner if told is None else Positions(int(told), {})
    if isinstance(op, (core.BroadcastTo, core.Tile)):
        return _spread(forms.positions(op.x, depth - 1), op.x.tensor.shape, t.shape)
    if isinstance(op, core.Concat):
        return _joined(op, [forms.positions(x, depth - 1) for x in op.xs])
    if isinstance(op, core.CumSum):
        return _summed(op, forms.positions(op.x, depth - 1))
    if isinstance(op, (core.Add, core.Sub, core.Mul)):
        return _combined(forms, op, t.shape, depth)
    if isinstance(op, core.Select) and _wraps(forms, op, depth):
        return forms.positions(op.b, depth - 1)
    return None


def _cut(forms: _Forms, op: core.Slice, depth: int) -> Positions | None:
    """From some place on of what it cuts."""
    begin, steps = known_ints(op.begin), known_ints(op.strides)
    if begin is None or steps is None or any(s != 1 for s in steps):
        return None
    starts = [_skipped(op, i) for i in range(len(begin))]
    inner = forms.positions(op.x, depth - 1)
    if inner is None or None in starts:
        return None
    skipped = total(inner.steps.get(axis, 0) * (n or 0) for axis, n in enumerate(starts))
    return Positions(inner.offset + skipped, inner.steps)


def _skipped(op: core.Slice, axis: int) -> Size | None:
    """How many a slice leaves out in front of an axis."""
    begin, end, before, after = (known_ints(op.begin), known_ints(op.end), op.x.tensor.shape, op.y.tensor.shape)
    first = 0 if op.begin_mask >> axis & 1 else None if begin is None else begin[axis]
    if isinstance(first, int) and first >= 0:
        return first
    last = None if end is None or op.end_mask >> axis & 1 else end[axis]
    if isinstance(first, int) and isinstance(last, int) and last < 0 and before is not None and after is not None:
        return before[axis] + first if after[axis] == last - first else None  # all of it is there
    to_end = op.end_mask >> axis & 1 or (end is not None and isinstance(last := end[axis], int) and last >= _INT32_MAX)
    return before[axis] - after[axis] if to_end and before is not None and after is not None else None


def _of_constant(value: Value) -> Positions | None:
    constant = const_of(value)
    if constant is None or constant.size == 0 or constant.size > _READ:
        return None
    return counted(constant.view())


def counted(numbers: Array) -> Positions | None:
    """One number, or numbers that rise evenly along axes."""
    first, last = int(numbers.flat[0]), numbers.ndim - 1
    if (numbers == first).all():
        return Positions(first, {})
    steps = {axis: int(numbers.take(1, axis).flat[0]) - first for axis, n in enumerate(numbers.shape) if n > 1}
    rising = {axis: step for axis, step in steps.items() if step}
    if any(abs(n) > _INT32_MAX for n in (first, *rising.values())):
        return None
    told = first + sum(np.arange(numbers.shape[a]).reshape(-1, *(1,) * (last - a)) * s for a, s in rising.items())
    return Positions(first, rising) if (numbers == told).all() else None


def _moved(inner: Positions | None, before: Shape | None, after: Shape) -> Positions | None:
    """Under another shape that differs in axes of size 1 only."""
    if inner is None or before is None or without_units(before) != without_units(after):
        return None
    old, new = ([axis for axis, n in enumerate(shape) if n != 1] for shape in (before, after))
    places = dict(zip(old, new, strict=True))
    return Positions(inner.offset, {places[a]: s for a, s in inner.steps.items() if a in places})


def _joined(op: core.Concat, parts: Sequence[Positions | None]) -> Positions | None:
    """Where each part goes on as those before it end, if there is anything of it."""
    axis = op.axis % (op.y.tensor.rank or 1)
    start: Size = 0
    known = [p for p in parts if p is not None]
    lengths = [x.tensor.shape[axis] for x in op.xs if x.tensor.shape is not None]
    if not len(known) == len(lengths) == len(op.xs):
        return None
    steps = next((p.steps for p, n in zip(known, lengths, strict=True) if n != 1), known[0].steps)
    origin, step = known[0].offset, steps.get(axis, 0)
    for (offset, own), n in zip(known, lengths, strict=True):
        is_there = SizeFacts(relations=[Relation(n, ">=", 1)])
        if {**own, axis: step if n == 1 else own.get(axis, 0)} != {**steps, axis: step}:
            return None
        if not holds(offset, "==", origin + step * start, is_there):
            return None
        start = start + n
    return Positions(origin, steps)


def _summed(op: core.CumSum, inner: Positions | None) -> Positions | None:
    """The sums of one number."""
    if inner is None or inner.steps or op.reverse or op.exclusive:
        return None
    axis = op.axis % (op.y.tensor.rank or 1)
    return Positions(inner.offset, {axis: inner.offset} if inner.offset != 0 else {})


def _spread(inner: Positions | None, before: Shape | None, after: Shape) -> Positions | None:
    """Repeated along new axes, and along those of size 1."""
    if inner is None or before is None:
        return None
    more = len(after) - len(before)
    if any(before[a] not in (1, after[a + more]) for a in inner.steps):
        return None
    return Positions(inner.offset, {a + more: s for a, s in inner.steps.items() if before[a] != 1})


def _combined(forms: _Forms, op: Combined, shape: Shape, depth: int) -> Positions | None:
    """Of comparisons, the difference."""
    a, b = (_spread(forms.positions(v, depth - 1), v.tensor.shape, shape) for v in (op.a, op.b))
    if a is None or b is None:
        return None
    if isinstance(op, core.Mul):
        if a.steps and b.steps:
            return None
        factor, other = (b.offset, a) if not b.steps else (a.offset, b)
        return Positions(other.offset * factor, {axis: s * factor for axis, s in other.steps.items()})
    sign = 1 if isinstance(op, core.Add) else -1
    steps: dict[int, Size] = dict(a.steps)
    for axis, step in b.steps.items():
        steps[axis] = steps.get(axis, 0) + step * sign
    return Positions(a.offset + b.offset * sign, {axis: s for axis, s in steps.items() if s != 0})


def _wraps(forms: _Forms, op: core.Select, depth: int) -> bool:
    """x < 0 ? x + n : x, of an x that is not negative."""
    less = op.cond.producer
    zero = const_of(less.b) if isinstance(less, core.Less) else None
    return (
        isinstance(less, core.Less)
        and less.a is op.b
        and zero is not None
        and zero.size == 1
        and not zero.view().any()
        and forms.not_negative(op.b, depth - 1)
    )


_SAME = (core.Reshape, core.ExpandDims, core.Squeeze, core.Transpose, core.BroadcastTo, core.Slice, core.Gather)
_KEEPING = (core.Add, core.Mul, core.Div, core.FloorDiv, core.Minimum)
_MORE = (core.GatherNd, core.GatherElements, core.DynamicSlice, core.Tile, core.Reverse, core.CumSum)


def _not_negative(forms: _Forms, value: Value, depth: int) -> bool:
    t = value.type
    if depth == 0 or not isinstance(t, TensorType) or t.quant is not None:
        return False
    if t.dtype.is_unsigned_int or not (t.dtype.is_int or t.dtype is DType.BOOL):
        return t.dtype.is_unsigned_int
    op = value.producer
    if isinstance(value.owner, Block):
        return _is_counted_up(forms, value, depth)
    constant = const_of(value)
    if constant is not None:
        return constant.size <= _READ and not (constant.view() < 0).any()
    known = known_ints(value)
    if known is not None and all(k is not None and holds(k, ">=", 0, forms.facts) for k in known):
        return True
    if isinstance(op, (core.ShapeOf, core.ArgMax, core.ArgMin, core.NonZero)) or _is_place(op, value):
        return True
    if isinstance(op, core.Cast) and op.x.tensor.dtype.is_float:
        return not_below_zero(op.x, depth - 1)
    if isinstance(op, core.Cast):
        return op.x.tensor.dtype is DType.BOOL or forms.not_negative(op.x, depth - 1)
    if isinstance(op, (*_SAME, *_MORE)):
        return forms.not_negative(op.operands[0], depth - 1) if op.operands[0] is not None else False
    if isinstance(op, core.Concat):
        return all(forms.not_negative(x, depth - 1) for x in op.xs)
    if isinstance(op, core.FloorMod):
        return forms.not_negative(op.b, depth - 1)
    if isinstance(op, _KEEPING) and all(forms.not_negative(v, depth - 1) for v in op.inputs):
        return True
    if isinstance(op, (core.Add, core.Sub)) and forms.starts_at_0(value):
        return True
    if isinstance(op, core.Maximum):
        return forms.not_negative(op.a, depth - 1) or forms.not_negative(op.b, depth - 1)
    if isinstance(op, core.Clamp):
        return op.hi >= 0 and (op.lo >= 0 or forms.not_negative(op.x, depth - 1))
    if isinstance(op, core.Select):
        return all(forms.not_negative(v, depth - 1) for v in (op.a, op.b)) or _wraps(forms, op, depth)
    found = forms.positions(value, depth - 1)
    return found is not None and all(holds(n, ">=", 0, forms.facts) for n in (found.offset, *found.steps.values()))


def _is_place(op: Op | None, value: Value) -> bool:
    """The places that an op of several results tells."""
    if isinstance(op, core.NonMaxSuppression):
        return value is op.selected
    return isinstance(op, core.TopK) and value is op.indices


def _is_counted_up(forms: _Forms, argument: Value, depth: int) -> bool:
    """A loop variable that begins with no negative number, and stays or grows from turn to turn."""
    block = argument.owner
    loop = block.parent.parent if isinstance(block, Block) and block.parent is not None else None
    if loop is None or loop.name not in _LOOPS:
        return False
    place, body = argument.index, loop.regions[1].block
    carried, following = body.arguments[place], body.outputs[place]
    if following is not carried:
        step = following.producer
        operands = step.inputs if step is not None and step.name in _SUMS else []
        if len(operands) != 2 or carried not in operands:
            return False
        other = operands[1] if operands[0] is carried else operands[0]
        if other is not carried and not forms.not_negative(other, depth - 1):
            return False
    return forms.not_negative(loop.inputs[place], depth - 1)


# bodies are read while they are made ops of TFLite
_LOOPS, _SUMS = ("core.while", "tfl.WHILE"), ("core.add", "tfl.ADD")


def _truth(forms: _Forms, value: Value, depth: int) -> bool | None:
    constant = const_of(value)
    if constant is not None:
        if constant.size == 0 or constant.size > _READ:
            return None
        data = constant.view()
        return bool(data.all()) if data.all() == data.any() else None
    op = value.producer
    if depth == 0 or op is None:
        return None
    if isinstance(op, _VIEWS):
        return forms.truth(op.x, depth - 1)
    if isinstance(op, core.Concat):
        told = {forms.truth(x, depth - 1) for x in op.xs}
        return told.pop() if len(told) == 1 else None
    if isinstance(op, (core.And, core.Or, core.Xor)) and value.tensor.dtype is DType.BOOL:
        return _both(op, *(forms.truth(v, depth - 1) for v in (op.a, op.b)))
    if not isinstance(op, Compare) or not op.a.tensor.dtype.is_int or op.a.tensor.shape is None:
        return None
    zero = const_of(op.b)
    below = isinstance(op, (core.Less, core.GreaterEqual)) and zero is not None and zero.size == 1
    if below and zero is not None and not zero.view().any() and forms.not_negative(op.a, depth - 1):
        return isinstance(op, core.GreaterEqual)
    difference = _combined(forms, op, value.tensor.shape or (), depth)
    if difference is None or difference.steps:
        return None
    return holds(difference.offset, op.relation, 0, forms.facts)


def _both(op: core.And | core.Or | core.Xor, a: bool | None, b: bool | None) -> bool | None:
    """Of two truths, of which one may be enough."""
    if isinstance(op, core.Xor):
        return None if a is None or b is None else a != b
    decides = isinstance(op, core.Or)
    if decides in (a, b):
        return decides
    return None if None in (a, b) else not decides
