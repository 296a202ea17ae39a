"""What is known of numbers that count the turns of a Loop, and parts of tensors that begin at them.

`x[:, i : i + 1]` has one row in each turn, where there are as many rows as turns: bounds of slices are cut to what
there is, so that the size would be data else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.dialects.source import SourceOp
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Value
from mlconv.ir.dims import Size
from mlconv.ir.shapes import is_told
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.spec import known_ints
from mlconv.legalize.from_onnx.loop_sequences import STATES
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.source import Span
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import Part

_PLAIN: Final = ("Cast", "Identity", "Squeeze")


def of_step(limit: Value | None) -> dict[int, Span]:
    """What the number of turns says of the first argument of the body."""
    past = None if limit is None else _size(limit)
    return {} if past is None else {0: Span(0, past)}


def of_counters(body: Block, inits: Sequence[Value], start: Value) -> dict[int, Span]:
    """States that the condition holds to a limit, at the start and behind each turn, by their places among the
    arguments of the body, whose operators are those of the source still.
    """
    outputs = body.outputs
    test = _through(outputs[0], ("Identity",)).producer
    if test is None or test.name != "onnx.Less":
        return {}
    less, limit = (_through(v, _PLAIN) for v in test.inputs)
    own = body.arguments.index(limit) - STATES if limit in body.arguments else None
    if own is not None and own >= 0 and outputs[1 + own] is limit:
        limit = inits[own]  # passed from turn to turn
    past, found = _size(limit), dict[int, Span]()
    for i, init in enumerate(inits):
        first, step = _size(init), _added(body.arguments[STATES + i], outputs[1 + i])
        if past is None or not isinstance(first, int) or step is None or less is not _through(outputs[1 + i], _PLAIN):
            continue
        if step > 0 and _begins_below(start, first, past):
            found[STATES + i] = Span(first, past)
    return found


def _through(value: Value, kinds: Sequence[str]) -> Value:
    """What a value was before operators of some kinds."""
    while isinstance(value.producer, SourceOp) and value.producer.name.removeprefix("onnx.") in kinds:
        value = value.producer.inputs[0]
    return value


def _added(argument: Value, following: Value) -> int | None:
    """The constant that a body adds to an argument."""
    op = _through(following, ("Identity",)).producer
    if op is None or op.name != "onnx.Add" or argument not in op.inputs:
        return None
    other = _through(next((v for v in op.inputs if v is not argument), argument), (*_PLAIN, "CastLike"))
    made = other.producer
    constant = made.attributes.get("value") if made is not None and made.name == "onnx.Constant" else None
    array = constant.view() if isinstance(constant, Const) else constant_array(other)
    return int(array.reshape(())) if array is not None and array.size == 1 and array.dtype.kind in "iu" else None


def _begins_below(start: Value, first: int, past: Size) -> bool:
    """There is a first turn only where the counter is below the limit."""
    from mlconv.passes.loop_limits import conjuncts

    for test in conjuncts(start):
        op = test.producer
        if isinstance(op, core.Less) and _size(_integer(op.b)) == past and _number(op.a) == first:
            return True
    return holds(first, "<", past, SizeFacts()) is True


def _number(value: Value) -> float | None:
    array = constant_array(value)
    return float(array.reshape(())) if array is not None and array.size == 1 else None


def _integer(number: Value) -> Value:
    op = number.producer
    return op.x if isinstance(op, core.Cast) and op.x.tensor.dtype.is_int else number


def _size(value: Value) -> Size | None:
    known = known_ints(value)
    size = known[0] if known is not None and len(known) == 1 else None
    return size if size is not None and is_told((size,)) else None


# parts that begin at such a number ----------------------------------------------------------------------------------


def part_size(n: Node, begin: Part | None, end: Part | None, whole: Size | None) -> int | None:
    """How many elements there are from a number of a loop on to one a few further; None where that is not told, or one
    may be behind the end.
    """
    if not isinstance(begin, Value) or not isinstance(end, Value) or whole is None:
        return None
    (base, low), (other, high) = _from_base(begin), _from_base(end)
    span = n.source.conversion.spans.get(base) if base is other else None
    if span is None or high <= low or span.first + low < 0:
        return None
    asking = n.source.conversion.asking
    facts = SizeFacts() if asking is None else asking.where
    return high - low if holds(span.past - 1 + high, "<=", whole, facts) else None


def _from_base(value: Value) -> tuple[Value, int]:
    """An integer as a number more than another value."""
    more = 0
    while True:
        op = value.producer
        if isinstance(op, (core.Add, core.Sub)) and isinstance(k := _size(op.b), int):
            value, more = op.a, more + (k if isinstance(op, core.Add) else -k)
        elif isinstance(op, core.Add) and isinstance(k := _size(op.a), int):
            value, more = op.b, more + k
        elif (
            (isinstance(op, core.Cast) and op.dtype.is_int and op.x.tensor.dtype.is_int)
            or isinstance(op, (core.Reshape, core.ExpandDims, core.Squeeze))
            or (isinstance(op, core.Slice) and op.x.tensor.size == 1)
        ):
            value = op.x
        elif isinstance(op, core.Slice) and (part := _entry(op)) is not None:
            value = part
        else:
            return value, more


def _entry(op: core.Slice) -> Value | None:
    """The part that a slice of one element of joined vectors is."""
    joined, begin, size = op.x.producer, _size(op.begin), op.y.tensor.size
    if not isinstance(joined, core.Concat) or not isinstance(begin, int) or size != 1 or begin < 0:
        return None
    for x in joined.xs:
        count = x.tensor.size
        if not isinstance(count, int):
            return None
        if begin < count:
            return x if count == 1 else None
        begin -= count
    return None


def noted(n: Node, body: Block, spans: Mapping[int, Span]) -> None:
    """Tell rules of the body what is known of its arguments."""
    n.source.conversion.spans.update({body.arguments[place]: span for place, span in spans.items()})
