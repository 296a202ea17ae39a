"""Branches of convolutions that read one value, and whose results are added or subtracted, are one convolution: that of
networks that are trained with several branches and run with one (RepVGG, Ding et al. 2021, section 3.3; MobileOne and
FastViT, Vasu et al. 2023).

Smaller windows are set into the largest; a branch that only scales what it reads is a window of one element.  Weights
stay unread: what happens to them is written down as a recipe.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import Ints, known_pads, spatial
from mlconv.ir import recipes
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Value
from mlconv.passes.per_channel import per_channel, split_operands
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement

_MOST = 64  # terms of a sum that are looked at


class _Branch(NamedTuple):
    """A convolution with constant weights and nothing else that reads it.  window: sizes of it; before: how far it
    reaches before the place that it computes.  Both by spatial axis.  sign: 1, or -1 where it is subtracted.
    """

    conv: core.Conv
    weights: Const
    window: Ints
    before: Ints
    sign: int


class _Scaled(NamedTuple):
    """A value times a constant."""

    mul: core.Mul
    x: Value
    numbers: Const
    sign: int


class _Sum(NamedTuple):
    """What is added, or subtracted."""

    branches: list[_Branch]
    scaled: list[_Scaled]
    others: list[tuple[Value, int]]


@rewrite(core.Add, core.Sub)
def merge_branches(op: core.Add | core.Sub, rw: Rewriter) -> Replacement | NoMatch:
    """conv(x, w1) + conv(x, w2) + x * c is conv(x, w1 + w2 + c at the middle, on the diagonal)."""
    if not op.y.tensor.dtype.is_float or op.y.tensor.quant is not None or any(_is_inner(op.y, u) for u in op.y.users):
        return NoMatch("not the last of some additions of floats")
    terms = _terms(op)
    if not terms.branches:
        return NoMatch("no convolution with constant weights and one use")
    largest = max(terms.branches, key=lambda b: b.weights.size)
    merged = [(b, w) for b in terms.branches if (w := _set_into(largest, b)) is not None]
    diagonals = [(s, w) for s in terms.scaled if (w := _diagonal(largest, s)) is not None]
    if len(merged) + len(diagonals) < 2:
        return NoMatch("no two branches that read one value, with windows of which one holds the other")
    rw.fuse(*(b.conv for b, _ in merged), *(s.mul for s, _ in diagonals), by="merge-branches")
    weights = [*(_signed(w, b.sign) for b, w in merged), *(_signed(w, s.sign) for s, w in diagonals)]
    conv, others = largest.conv, list[tuple[Value, int]]()
    shifts = [_signed(c, b.sign) for b, _ in merged if (c := const_of(b.conv.bias)) is not None]
    for other, sign in terms.others:
        shift = _shift(other, conv)
        others.append((other, sign)) if shift is None else shifts.append(_signed(shift, sign))
    others += [(b.conv.y, b.sign) for b in terms.branches if all(b is not m for m, _ in merged)]
    others += [(s.mul.y, s.sign) for s in terms.scaled if all(s is not d for d, _ in diagonals)]
    bias = rw.emit(core.Constant(value=_total(shifts))).y if shifts else None
    y = rw.emit(core.Conv(conv.x, rw.emit(core.Constant(value=_total(weights))).y, bias, **conv.attributes)).y
    for other, sign in others:
        y = rw.emit(core.Add(other, y) if sign > 0 else core.Sub(y, other)).y
    return y


def _signed(c: Const, sign: int) -> Const:
    return c if sign > 0 else recipes.binary("mul", c, make_const(-1, c.dtype))


def _total(parts: list[Const]) -> Const:
    return functools.reduce(lambda a, b: recipes.binary("add", a, b), parts)


def _shift(x: Value, conv: core.Conv) -> Const | None:
    """A constant with a number for each channel of what a convolution gives."""
    c, place = const_of(x), conv.y_layout.index("C")
    channels = conv.w.tensor.static_shape()[conv.w_layout.index("O")]
    return None if c is None else per_channel(c, len(conv.y_layout), place, channels)


def _is_inner(y: Value, user: object) -> bool:
    """Whether a sum is but a term of another one, with which it is looked at."""
    return isinstance(user, (core.Add, core.Sub)) and y.has_one_use and user.y.type == y.type


def _terms(last: core.Add | core.Sub) -> _Sum:
    found, left = _Sum([], [], []), _operands(last, 1)
    while left:
        y, sign = left.pop()
        op = y.producer
        if isinstance(op, (core.Add, core.Sub)) and _is_inner(y, last) and len(found.others) + len(left) < _MOST:
            left += _operands(op, sign)
        elif isinstance(op, core.Conv) and y.type == last.y.type and (branch := _branch(op, sign)) is not None:
            found.branches.append(branch)
        elif isinstance(op, core.Mul) and y.type == last.y.type and (pair := split_operands(op)) is not None:
            found.scaled.append(_Scaled(op, *pair, sign))
        else:
            found.others.append((y, sign))
    return found


def _operands(op: core.Add | core.Sub, sign: int) -> list[tuple[Value, int]]:
    """Terms of a sum that has a sign, the last first."""
    return [(op.b, -sign if isinstance(op, core.Sub) else sign), (op.a, sign)]


def _branch(conv: core.Conv, sign: int) -> _Branch | None:
    weights, size = const_of(conv.w), conv.x.tensor.shape
    if weights is None or size is None or not conv.y.has_one_use or conv.y.tensor.quant is not None:
        return None
    if conv.bias is not None and const_of(conv.bias) is None:
        return None
    window = tuple(weights.shape[a] for a in spatial(conv.w_layout))
    sizes = tuple(size[a] for a in spatial(conv.x_layout))
    pads = known_pads(sizes, window, conv.strides, conv.dilations, conv.pads)
    return None if pads is None else _Branch(conv, weights, window, tuple(before for before, _ in pads), sign)


def _set_into(largest: _Branch, b: _Branch) -> Const | None:
    """The weights of a branch amid zeros, as the window of the largest has them; None where they do not fit in it."""
    own, (conv, weights, window, before, _) = largest.conv, b
    ours = (conv.x, conv.x_layout, conv.w_layout, conv.y_layout, conv.groups, conv.strides, weights.dtype)
    if ours != (own.x, own.x_layout, own.w_layout, own.y_layout, own.groups, own.strides, largest.weights.dtype):
        return None
    pads = [(0, 0)] * len(weights.shape)
    for i, axis in enumerate(spatial(conv.w_layout)):
        step = own.dilations[i]
        if window[i] > 1 and conv.dilations[i] != step:
            return None
        first, rest = divmod(largest.before[i] - before[i], step)
        pads[axis] = (first, largest.window[i] - first - window[i])
        if rest or min(pads[axis]) < 0:
            return None
    return recipes.pad_zeros(weights, tuple(pads))


def _diagonal(largest: _Branch, scaled: _Scaled) -> Const | None:
    """Weights that give each channel times its number; None where the convolution computes something else there."""
    (conv, weights, window, before, _), (mul, x, numbers, _) = largest, scaled
    place, channels = conv.x_layout.index("C"), weights.shape[conv.w_layout.index("O")]
    is_same = conv.x is x and conv.x_layout == conv.y_layout and mul.y.has_one_use and x.type == conv.y.type
    per_group = weights.shape[conv.w_layout.index("I")]
    if not is_same or set(conv.strides) != {1} or per_group not in (1, channels) or numbers.dtype is not weights.dtype:
        return None
    c = per_channel(numbers, len(conv.x_layout), place, channels)
    if c is None or any(b % d or b // d >= w for b, d, w in zip(before, conv.dilations, window, strict=True)):
        return None
    if per_group > 1:  # each behind as many zeros as there are channels, which makes rows of a diagonal matrix
        rows = recipes.pad_zeros(c.reshape((channels, 1)), ((0, 0), (0, channels)))
        c = recipes.slices(rows.reshape((channels * (channels + 1),)), (0,), (channels * channels,))
    sizes = {"I": per_group, "O": channels}
    middle = c.reshape(tuple(sizes.get(a, 1) for a in conv.w_layout))
    axes = spatial(conv.w_layout)
    pads = [(0, 0)] * len(weights.shape)
    for axis, b, d, w in zip(axes, before, conv.dilations, window, strict=True):
        pads[axis] = (b // d, w - 1 - b // d)
    return recipes.pad_zeros(middle, tuple(pads))


PATTERNS = (merge_branches,)
