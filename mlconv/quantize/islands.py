"""Ops that stay floats for the numbers that samples showed: for what no sample gets to, for masks, for infinities, for
shares of many that a fixed scale rounds to nothing.

A mask chooses a number far below all others (a softmax makes 0 of it): integers of one scale for both would leave no
steps to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.spec import OpDef
from mlconv.quantize.assign import constants_of, fixed_scale, storage_of
from mlconv.quantize.choose import Choice, floats_of, is_movement
from mlconv.quantize.portable import Lacks
from mlconv.quantize.ranges import Range
from mlconv.quantize.scheme import Scheme

_UNMET = "no sample of the calibration gets there"
_MASKED = "it reads a mask, whose numbers leave no integers to the others"
_ENDLESS = "its numbers reach minus infinity"
_COARSE = "its numbers are but a few steps of the scale that kernels have for them"
_FAINT = "it reads shares of many, most of which are but a few steps of the scale that the largest has"
_FEWEST_STEPS = 32  # up to the largest number of a softmax
_FEWEST_ON_AVERAGE = 4  # up to a share of a sum that is divided by itself
_MOST_LOGITS = 256.0  # between the least and the largest number that softmax reads as integers
_MOST_APART = {8: 4.0, 16: 64.0}  # how many times as far as numbers of so many bits a constant among them may reach


def stays_float(choice: Choice, ranges: Mapping[Value, Range], scheme_of: Callable[[Op], Scheme]) -> dict[OpDef, str]:
    """Of ops that were to compute with integers, those that cannot, and why."""
    found = {op: _MASKED for op in choice.integers if _reads_mask(op, ranges)}
    found |= {op: _MASKED for op in choice.integers if _is_mask(op, choice, ranges, scheme_of(op))}
    found |= {op: _COARSE for op in choice.integers if _is_coarse(op, choice, ranges, scheme_of(op))}
    found |= {op: _FAINT for op in choice.integers if _reads_faint_shares(op, choice, ranges, scheme_of(op))}
    endless = {value for value, span in ranges.items() if span.is_masking}
    found |= dict.fromkeys(_touching(choice, endless), _ENDLESS)
    unmet = {value for value, span in ranges.items() if not span.is_met}
    ways = {block for value in unmet if (block := _way(value)) is not None}
    found |= dict.fromkeys((op for op in choice.integers if op.block in ways), _UNMET)
    return found | dict.fromkeys(_touching(choice, unmet), _UNMET)


def also(lacks: Lacks, reasons: Mapping[OpDef, str]) -> Lacks:
    """As `lacks`, and reasons that are known."""
    return lambda op, scheme: reasons.get(op) or lacks(op, scheme)


def _touching(choice: Choice, values: set[Value]) -> Iterator[OpDef]:
    """Ops that read or make one of the values."""
    return (op for op, tail in choice.tails.items() if not values.isdisjoint([*op.inputs, tail]))


def _way(value: Value) -> Block | None:
    """The body of a loop or branch that makes a value."""
    block = None if value.producer is None else value.producer.block
    return None if block is None or block.parent is None else block


def _reads_mask(op: OpDef, ranges: Mapping[Value, Range]) -> bool:
    """Softmax of numbers that reach far below those that count: a step would be larger than these differ by."""
    span = ranges.get(op.x) if isinstance(op, core.Softmax) else None
    if span is None or not span.is_met:
        return False
    low, high = span.whole
    return high - low > _MOST_LOGITS


def _is_coarse(op: OpDef, choice: Choice, ranges: Mapping[Value, Range], scheme: Scheme) -> bool:
    """Softmax over so many that each has little: attention to 700 places, with steps of 1/256."""
    span = ranges.get(choice.tails[op]) if isinstance(op, core.Softmax) else None
    if span is None or not span.is_met or scheme.activations is None:
        return False
    return bool(span.whole[1] < _FEWEST_STEPS * fixed_scale(op, storage_of(scheme)))


def _reads_faint_shares(op: OpDef, choice: Choice, ranges: Mapping[Value, Range], scheme: Scheme) -> bool:
    """A product of shares, numbers over their own sum, whose average is next to nothing beside the largest one: what is
    rounded of so many adds up.  Shares that are integers have a scale of their own (`_is_coarse`).
    """
    if not isinstance(op, core.MatMul) or op.transpose_a or choice.is_integer(op.a) or scheme.activations is None:
        return False
    count, span = _count_of_shares(op.a), ranges.get(op.a)
    if count is None or span is None or not span.is_met or not span.is_finite:
        return False
    steps = (1 << scheme.activations.bits) - 1
    return bool(steps < _FEWEST_ON_AVERAGE * count * span.whole[1])


def _count_of_shares(value: Value) -> int | None:
    """How many numbers along the last axis were divided by their sum; None for others."""
    share = value.producer
    total = share.b if isinstance(share, core.Div) else None
    while total is not None and isinstance(total.producer, (core.ExpandDims, core.Reshape)):
        total = total.producer.x
    added, rank = None if total is None else total.producer, value.tensor.rank or 0
    if not isinstance(share, core.Div) or not isinstance(added, core.ReduceSum) or added.x is not share.a:
        return None
    size = (value.tensor.shape or (None,))[-1]
    return size if added.axes == (rank - 1,) and isinstance(size, int) else None


def _is_mask(op: OpDef, choice: Choice, ranges: Mapping[Value, Range], scheme: Scheme) -> bool:
    """Constants take the place of numbers next to which they are far too large."""
    constants = [span.whole for span in constants_of(op)] if is_movement(op) else []
    read = [v for i in floats_of(op) if (v := op.operands[i]) is not None and const_of(v) is None]
    spans = [_span(v, choice, ranges) for v in read]
    known = [span.whole for span in spans if span is not None and span.is_finite]
    if not constants or not read or len(known) < len(read) or scheme.activations is None:
        return False
    return bool(_extent([*constants, *known]) > _MOST_APART[scheme.activations.bits] * _extent(known) > 0)


def _extent(spans: list[tuple[float, float]]) -> float:
    """From the least to the largest number, or 0."""
    return max(0.0, *(high for _, high in spans)) - min(0.0, *(low for low, _ in spans))


def _span(value: Value, choice: Choice, ranges: Mapping[Value, Range]) -> Range | None:
    """The range of a value, or of what was moved to make it."""
    while value not in ranges and (maker := value.producer) in choice.integers and is_movement(maker):
        read = [v for i in floats_of(maker) if (v := maker.operands[i]) is not None]
        if len(read) != 1:
            return None
        value = read[0]
    return ranges.get(value)
