"""Fourier transforms of as many points as are known at run time: products with matrices that are computed from sizes.

The matrix of n points has cos and sin of 2 pi (j k mod n) / n; the product of places is reduced first, so that large
arguments stay exact.
"""

from __future__ import annotations

import math
from typing import ClassVar, Union

from mlconv.dialects import core
from mlconv.ir.core import Value, walk
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.core_builder import CoreBuilder

_Transform = Union[core.Fft, core.Rfft]


class ExpandTransforms(Pass):
    """Transforms along sizes that are known at run time become products."""

    name: ClassVar[str] = "expand-transforms"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        found = [op for op in walk(function.block) if isinstance(op, (core.Fft, core.Rfft))]
        for op in [op for op in found if any(_is_open(op.x, axis) for axis in op.axes)]:
            rewriter = Rewriter(op)
            y = _expanded(CoreBuilder(rewriter), op)
            whole = y.producer
            if isinstance(whole, core.Complex):
                _take_halves(op, whole)
            rewriter.replace(op, y)
            context.count(self.name, 1)


def _take_halves(op: _Transform, whole: core.Complex) -> None:
    """Who reads one half of a result reads it where it is made."""
    for user in list(op.y.users):
        if isinstance(user, (core.Real, core.Imag)):
            edit.replace_uses(user.y, whole.real if isinstance(user, core.Real) else whole.imag)
            edit.erase(user)


def _is_open(x: Value, axis: int) -> bool:
    return isinstance((x.tensor.shape or ())[axis], Dim)


def _expanded(e: CoreBuilder, op: _Transform) -> Value:
    """One axis after another: the real one first."""
    y, axes, inverse = op.x, list(op.axes), False
    if isinstance(op, core.Fft):
        inverse = op.inverse
    else:
        last = axes.pop()
        y = _of_real(e, y, last) if _is_open(y, last) else e.y(core.Rfft(y, axes=(last,)))
    for axis in axes:
        y = _of_complex(e, y, axis, inverse) if _is_open(y, axis) else e.y(core.Fft(y, axes=(axis,), inverse=inverse))
    return y


def _of_real(e: CoreBuilder, x: Value, axis: int) -> Value:
    """n real points to n // 2 + 1 complex ones."""
    cos, sin = _matrices(e, x, axis, x.tensor.dtype, half=True)
    return e.y(core.Complex(_times(e, x, axis, cos), _times(e, x, axis, sin)))


def _of_complex(e: CoreBuilder, x: Value, axis: int, inverse: bool) -> Value:
    halves = x.producer
    re, im = (halves.real, halves.imag) if isinstance(halves, core.Complex) else (e.y(core.Real(x)), e.y(core.Imag(x)))
    if re.type != im.type:  # one of them is a number for all
        re, im = e.y(core.Real(x)), e.y(core.Imag(x))
    cos, sin = _matrices(e, re, axis, re.tensor.dtype, half=False)
    if inverse:
        sin = e.neg(sin)
    real = e.sub(_times(e, re, axis, cos), _times(e, im, axis, sin))
    imag = e.add(_times(e, re, axis, sin), _times(e, im, axis, cos))
    if inverse:
        count = e.cast(e.scalar(e.vector([e.dim(x, axis)])), re.tensor.dtype)
        real, imag = e.div(real, count), e.div(imag, count)
    return e.y(core.Complex(real, imag))


def _matrices(e: CoreBuilder, x: Value, axis: int, dtype: DType, half: bool) -> tuple[Value, Value]:
    """Real and imaginary part of what is multiplied, cos and -sin: [n, n], or [n, n // 2 + 1]."""
    size = e.vector([e.dim(x, axis)])
    columns = e.add(e.y(core.FloorDiv(size, e.constant([2], DType.I64))), 1) if half else size
    places, waves = e.expand_dims(e.arange(size), 1), e.expand_dims(e.arange(columns), 0)
    turns = e.cast(e.y(core.FloorMod(e.mul(places, waves), size)), dtype)
    angle = e.div(e.mul(turns, 2 * math.pi), e.cast(size, dtype))
    return e.y(core.Cos(angle)), e.neg(e.y(core.Sin(angle)))


def _times(e: CoreBuilder, x: Value, axis: int, matrix: Value) -> Value:
    """x, with an axis multiplied by a matrix."""
    rank = e.rank(x)
    if rank == 1:
        return e.squeeze(e.matmul(e.expand_dims(x, 0), matrix), 0)
    perm = [i for i in range(rank) if i != axis] + [axis]
    return e.transpose(e.matmul(e.transpose(x, perm), matrix), [perm.index(i) for i in range(rank)])
