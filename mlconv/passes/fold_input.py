"""Scales and shifts of an input go into the convolution that reads it: a network takes pixels, and normalizes them in
its first weights.

Only what computes on an input of the function counts: scales between layers may be there on purpose, for numbers of few
bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Block, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement

_LONGEST = 16  # ops between an input and a convolution
_READ = 1024  # bytes of a constant that is looked at
MOST_SUMMED = 1 << 14  # weights of one output that a shift is summed over
Step = core.Transpose | core.Reshape
_OF_IMAGES = (core.Cast, core.Transpose, core.Reshape, core.Resize, core.Slice, core.Pad, core.Reverse)
"""What else brings pixels into the form that a network wants."""


class _Found(NamedTuple):
    """op: computes with one number for each input channel of a convolution, or with one.  numbers: these.  steps: data
    movement between the two, from the convolution on.
    """

    op: Binary
    x: Value
    numbers: Array
    steps: list[Step]


def _before(conv: core.Conv, kinds: tuple[type[Binary], ...]) -> _Found | None:
    """What stands right before a convolution but for data movement, where that and all before it is of an input."""
    x, steps, axis = conv.x, list[Step](), conv.x_layout.index("C")
    place: int | None = axis  # of the channels; None where nobody knows
    while isinstance(x.producer, (core.Transpose, core.Reshape)) and x.has_one_use and len(steps) < _LONGEST:
        step = x.producer
        place = None if place is None or isinstance(step, core.Reshape) else step.perm[place]
        steps.append(step)
        x = step.x
    op = x.producer
    if not isinstance(op, kinds) or not x.has_one_use or not x.tensor.dtype.is_float:
        return None
    a, b = const_of(op.a), const_of(op.b)
    c, v = (b, op.a) if b is not None else (a, op.b)
    if c is None or const_of(v) is not None or (b is None and isinstance(op, (core.Sub, core.Div))):
        return None
    if not _is_of_input(v) or v.type != op.y.type or c.nbytes > _READ:
        return None
    along = None if place is None else place - len(x.tensor.shape or ()) + len(c.shape)
    if c.size != 1 and (along is None or along < 0 or c.shape[along] != c.size):
        return None
    return _Found(op, v, np.asarray(c.view()).reshape(-1), steps)


def _is_of_input(x: Value) -> bool:
    """Computed of an input of the function, with numbers alone, or the input at another size."""
    for _ in range(_LONGEST):
        op = x.producer
        if op is None:
            return isinstance(x.owner, Block) and x.owner.parent is None
        if isinstance(op, _OF_IMAGES):
            x = op.x
        elif isinstance(op, (core.Add, core.Sub, core.Mul, core.Div)):
            if const_of(op.b) is None and const_of(op.a) is None:
                return False
            x = op.a if const_of(op.b) is not None else op.b
        else:
            return False
    return False


def _moved(x: Value, steps: Sequence[Step], rw: Rewriter) -> Value:
    """A value through data movement, that next to the convolution first in the list."""
    for step in reversed(steps):
        moved = core.Transpose(x, perm=step.perm) if isinstance(step, core.Transpose) else core.Reshape(x, step.shape)
        x = rw.emit(moved).y
    return x


def along_inputs(layout: str, numbers: Array, dtype: DType) -> Const:
    """A number for each input channel, or one for all, beside the weights of a convolution."""
    return make_const(numbers.reshape([-1 if axis == "I" else 1 for axis in layout]), dtype)


def summed_rows(columns: Const, numbers: Array) -> Const:
    """The sum of the rows of a matrix, each times a number."""
    return recipes.combine(columns, (tuple(numbers.tolist()),)).reshape((columns.shape[1],))


def shift_of_outputs(weights: Const, layout: str, numbers: Array) -> Const:
    """What a number for each input channel adds to each output of a convolution that pads nothing."""
    sizes = dict(zip(layout, weights.shape, strict=True))
    count = math.prod(n for axis, n in sizes.items() if axis != "O")
    order = tuple(map(layout.index, ("I", *sorted(set(layout) - {"I", "O"}), "O")))
    columns = recipes.transpose(weights, order).reshape((count, sizes["O"]))
    return summed_rows(columns, np.repeat(numbers, count // sizes["I"]))


@rewrite(core.Conv)
def fold_scale_of_input(op: core.Conv, rw: Rewriter) -> Replacement | NoMatch:
    """conv(x * c, w) is conv(x, w * c) for c per input channel: zeros that pad it are zeros either way."""
    found, weights = _before(op, (core.Mul, core.Div)), const_of(op.w)
    if found is None or weights is None:
        return NoMatch("not an input times a constant, or the weights are none")
    numbers = found.numbers
    if len(numbers) != 1 and op.groups != 1:
        return NoMatch("a scale for each channel, and a convolution in groups")
    if isinstance(found.op, core.Div) and not numbers.all():
        return NoMatch("divides by zero")
    rw.fuse(found.op, *found.steps, by="fold-scale-of-input")
    scale = along_inputs(op.w_layout, numbers, weights.dtype)
    scaled = recipes.binary("div" if isinstance(found.op, core.Div) else "mul", weights, scale)
    w = rw.emit(core.Constant(value=scaled)).y
    return rw.emit(core.Conv(_moved(found.x, found.steps, rw), w, op.bias, **op.attributes)).y


@rewrite(core.Conv)
def fold_shift_of_input(op: core.Conv, rw: Rewriter) -> Replacement | NoMatch:
    """conv(x + c, w, b) is conv(x, w, b + sum of w * c) where nothing pads it: zeros that do are none of x + c."""
    found, weights = _before(op, (core.Add, core.Sub)), const_of(op.w)
    bias = None if op.bias is None else const_of(op.bias)
    if found is None or weights is None or (op.bias is not None and bias is None):
        return NoMatch("not an input plus a constant, or weights or bias are none")
    flat = None if isinstance(op.pads, str) else static(n for pair in op.pads for n in pair)
    if flat is None or any(flat):
        return NoMatch(f"the convolution pads its input by {op.pads}")
    numbers, sizes = found.numbers.astype(np.float64), dict(zip(op.w_layout, weights.shape, strict=True))
    if len(numbers) != 1 and op.groups != 1:
        return NoMatch("a shift for each channel, and a convolution in groups")
    count = math.prod(n for axis, n in sizes.items() if axis != "O")
    if count > MOST_SUMMED:
        return NoMatch(f"{count} weights are summed for each output")
    rw.fuse(found.op, *found.steps, by="fold-shift-of-input")
    signed = -numbers if isinstance(found.op, core.Sub) else numbers
    shift = shift_of_outputs(weights, op.w_layout, np.broadcast_to(signed, sizes["I"]))
    total = shift if bias is None else recipes.binary("add", bias, shift)
    x, b = _moved(found.x, found.steps, rw), rw.emit(core.Constant(value=total)).y
    return rw.emit(core.Conv(x, op.w, b, **op.attributes)).y


PATTERNS = (fold_scale_of_input, fold_shift_of_input)
