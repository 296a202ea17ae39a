"""Limits on what a loop counts: places that are computed of a counter are inside of what they are places in, where the
counter goes from one constant to another by steps of a constant (jax clamps all of them).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from mlconv.dialects import core
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.rewrite import constant_array, edit

_FEW = 16  # elements that are looked at one by one
_DEEP = 32
Span = tuple[int, int]
"""The least and the most that an element is."""


def drop_limits(loop: core.While) -> int:
    """Put in place of limits and choices in the body of a loop what they always are; returns how many."""
    spans = _Spans(_counters(loop))
    found = {} if not spans.counters else {op: spans.always(op) for op in walk(loop.body.block)}
    gone = {op.results[0]: value for op, value in found.items() if value is not None}
    for old in gone:
        new = gone[old]
        while new in gone:
            new = gone[new]
        edit.replace_uses(old, new)
    return len(gone)


def _counters(loop: core.While) -> dict[Value, Span]:
    """Arguments of the body that count, and how far."""
    cond, body = loop.cond.block, loop.body.block
    ends = _ends(cond.outputs[0], {argument: k for k, argument in enumerate(cond.arguments)})
    found = {}
    for k, end in ends.items():
        first, argument, after = constant_array(loop.inits[k]), body.arguments[k], body.outputs[k].producer
        step = None
        if isinstance(after, core.Add) and argument in (after.a, after.b):
            step = _number(after.b if after.a is argument else after.a)
        if first is None or first.size != 1 or step is None or step < 1 or after is None:
            continue
        begin = int(first.reshape(()))
        if begin < end and end - 1 + step < 1 << (argument.tensor.dtype.bits - 1):
            found[argument] = (begin, end - 1)
    return found


def _ends(test: Value, places: Mapping[Value, int], depth: int = 0) -> dict[int, int]:
    """By variable, the number below which it is while the loop goes on."""
    made = test.producer
    if isinstance(made, core.And) and depth < _DEEP:
        return _ends(made.a, places, depth + 1) | _ends(made.b, places, depth + 1)
    if isinstance(made, (core.Greater, core.GreaterEqual)):
        small, large = made.b, made.a
    elif isinstance(made, (core.Less, core.LessEqual)):
        small, large = made.a, made.b
    else:
        return {}
    end = _number(large)
    if end is None or small not in places or not small.tensor.dtype.is_signed_int:
        return {}
    return {places[small]: end + isinstance(made, (core.LessEqual, core.GreaterEqual))}


def _number(value: Value) -> int | None:
    array = constant_array(value)
    return int(array.reshape(())) if array is not None and array.size == 1 and array.dtype.kind == "i" else None


class _Spans:
    """Of integers and tests of a few elements, in row-major order."""

    def __init__(self, counters: Mapping[Value, Span]) -> None:
        self.counters = counters
        self.known: dict[Value, list[Span] | None] = {}

    def always(self, op: Op) -> Value | None:
        """The operand that the result of an op is whenever the loop runs."""
        if isinstance(op, core.Select):
            test = self.of(op.cond)
            sides = {low: op.a if low else op.b for low, high in test or () if low == high}
            chosen = next(iter(sides.values())) if len(sides) == 1 and test and all(a == b for a, b in test) else None
        elif isinstance(op, (core.Maximum, core.Minimum)):
            chosen = next((x for x, y in ((op.a, op.b), (op.b, op.a)) if self._beyond(op, x, y)), None)
        else:
            return None
        return chosen if chosen is not None and chosen.type == op.results[0].type else None

    def _beyond(self, op: core.Maximum | core.Minimum, x: Value, y: Value) -> bool:
        pair = self._aligned(x, y)
        if not pair:
            return False
        return all(a[0] >= b[1] if isinstance(op, core.Maximum) else a[1] <= b[0] for a, b in pair)

    def _aligned(self, x: Value, y: Value) -> list[tuple[Span, Span]] | None:
        """Elements of two operands that meet; one of one element meets all."""
        a, b = self.of(x), self.of(y)
        if a is None or b is None:
            return None
        if 1 not in (len(a), len(b)) and x.tensor.shape != y.tensor.shape:
            return None
        most = max(len(a), len(b))
        return [*zip(a * (most // len(a)), b * (most // len(b)), strict=True)]

    def of(self, value: Value, depth: int = 0) -> list[Span] | None:
        if value not in self.known:
            self.known[value] = None if depth > _DEEP else self._found(value, depth)
        return self.known[value]

    def _found(self, value: Value, depth: int) -> list[Span] | None:
        tensor = value.tensor if value.producer is not None or value in self.counters else None
        if tensor is None or not tensor.is_static or not 0 < math.prod(tensor.static_shape()) <= _FEW:
            return None
        if not (tensor.dtype.is_signed_int or tensor.dtype is DType.BOOL):
            return None
        if value in self.counters:
            return [self.counters[value]]
        array = constant_array(value)
        if array is not None:
            return [(int(n), int(n)) for n in array.reshape(-1)]
        found = self._computed(value, depth + 1)
        limit = 1 << (tensor.dtype.bits - 1 if tensor.dtype is not DType.BOOL else 1)
        return found if found is not None and all(-limit <= low and high < limit for low, high in found) else None

    def _computed(self, value: Value, depth: int) -> list[Span] | None:
        op = value.producer
        if isinstance(op, (core.Cast, core.Reshape, core.ExpandDims, core.Squeeze)):
            return self.of(op.x, depth)
        if isinstance(op, core.Concat) and value.tensor.rank == 1:
            parts = [self.of(x, depth) for x in op.inputs]
            return [span for part in parts for span in part or ()] if all(p is not None for p in parts) else None
        rule = None if op is None else _RULES.get(type(op))
        if rule is None or op is None:
            return None
        a, b = op.inputs
        self.of(a, depth), self.of(b, depth)
        pair = self._aligned(a, b)
        return None if pair is None else [rule(x, y) for x, y in pair]


def _less(a: Span, b: Span) -> Span:
    return int(a[1] < b[0]), int(a[0] < b[1])


def _less_equal(a: Span, b: Span) -> Span:
    return int(a[1] <= b[0]), int(a[0] <= b[1])


_RULES: Mapping[type[Op], Callable[[Span, Span], Span]] = {
    core.Add: lambda a, b: (a[0] + b[0], a[1] + b[1]),
    core.Sub: lambda a, b: (a[0] - b[1], a[1] - b[0]),
    core.Maximum: lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    core.Minimum: lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    core.Less: _less,
    core.LessEqual: _less_equal,
    core.Greater: lambda a, b: _less(b, a),
    core.GreaterEqual: lambda a, b: _less_equal(b, a),
}
