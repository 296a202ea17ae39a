"""Images resampled along each axis in turn, by tables of elements and weights that are made at conversion time, or at
run time where they depend on sizes that are known then.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.kernel import LoopNestOp, Step, View, dense, known
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate
from mlconv.ir.shapes import static
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, sizes
from mlconv.legalize.to_kernel.resize_tables import ResizeTables, Tap
from mlconv.rewrite import Rules

RULES = Rules()

MAX_TAPS = 8


@RULES.rule(core.Resize)
def resize(op: core.Resize, e: KernelBuilder) -> Value:
    """Along each axis in turn: every element is a sum of a few elements with weights, which the op's own meaning
    gives.
    """
    dtype, out = op.x.tensor.dtype, sizes(op.y)
    nearest = op.mode == "nearest"
    wide = dtype if nearest else DType.F64 if dtype.is_int or dtype is DType.F64 else DType.F32
    factors = _factors(op) if nearest else []
    if factors:
        return _repeated(op, factors, e)
    if nearest and _picks_few(op):
        return _picked(op, e)
    x = op.x if wide is dtype else e.y(core.Cast(op.x, dtype=wide))
    outside = np.zeros([1] * len(out), bool)
    for i in _order(op):
        axis = op.axes[i]
        n, m = sizes(x)[axis], out[axis]
        if n == m and (op.scales is None or op.scales[i] == 1.0):
            continue
        if not isinstance(n, int) or not isinstance(m, int):
            x = _taps(x, axis, m, ResizeTables(op, i, n, m, e).taps(wide), e)
            continue
        if op.coordinates == "tf_crop_and_resize":
            spots = op.positions(i, n, m)
            outside = outside | ((spots < 0) | (spots > n - 1)).reshape(
                [-1 if a == axis else 1 for a in range(outside.ndim)]
            )
        x = _resampled(op, x, i, n, m, e)
    if outside.any():
        x = e.y(
            core.Select(
                e.constant(np.ascontiguousarray(outside)),
                e.constant(np.asarray(op.extrapolation, x.tensor.dtype.numpy)),
                x,
            )
        )
    if wide is not dtype:
        x = e.y(core.Cast(e.y(core.Round(x)) if dtype.is_int else x, dtype=dtype))
    return x if x is not op.x else e.alias(x, op.y.tensor)


def _picks_few(op: core.Resize) -> bool:
    """Of the lines of an image some are picked, and of these some elements: both at once are a map."""
    before, after = op.x.tensor.shape or (), op.y.tensor.shape or ()
    (*_, height, width), (*_, lines, columns) = before, after
    inner = tuple(sorted(op.axes)) == (len(before) - 2, len(before) - 1)
    told = static((height, width, lines, columns))
    if not inner or told is None or 0 in told or op.coordinates == "tf_crop_and_resize":
        return False
    fewer = told[2] < told[0] and told[3] <= told[1]  # columns that are repeated are faster after the lines
    return fewer and told[0] * told[1] <= np.iinfo(np.int32).max


def _picked(op: core.Resize, e: KernelBuilder) -> Value:
    """Elements of the last two axes by their number in both."""
    shape, strides, rank = sizes(op.x), dense(sizes(op.x)), len(sizes(op.x))
    (height, width), out = known(shape[-2:]), known(sizes(op.y)[-2:])

    def places(b: Expr, axis: int, n: int, m: int) -> int:
        i = op.axes.index(axis)
        table = op.nearest(op.positions(i, n, m), n) * (width if axis == rank - 2 else 1)
        return b.load(e.constant(table.astype(np.int32)), View(0, tuple(int(a == axis) for a in range(rank))))

    def build(b: Expr) -> int:
        line, column = places(b, rank - 2, height, out[0]), places(b, rank - 1, width, out[1])
        return b.load_at(op.x, View(0, (*strides[:-2], 0, 0)), b.op("add", line, column), 1, height * width)

    return e.map(op.y.tensor, build)


def _order(op: core.Resize) -> list[int]:
    """The axes of the op in the order in which they are resampled.  Along the innermost one, elements are picked one by
    one, along others by vectors of them: it comes first where the others make the image larger.
    """
    before, after = sizes(op.x), sizes(op.y)
    inner = [i for i, axis in enumerate(op.axes) if axis == len(before) - 1]
    others = [i for i in range(len(op.axes)) if i not in inner]
    n, m = (estimate(product(s[op.axes[i]] for i in others)) for s in (before, after))
    return [*inner, *others] if n < m else [*others, *inner]


def _factors(op: core.Resize) -> list[int]:
    """How often each element of an axis stands in the result, by axis, where it does so in a row; empty where the
    nearest elements are others.
    """
    shape, out = op.x.tensor.shape or (), op.y.tensor.shape or ()
    factors = [1] * len(shape)
    for i, axis in enumerate(op.axes):
        n, m = shape[axis], out[axis]
        if not isinstance(n, int) or not isinstance(m, int) or not n or m % n or op.coordinates == "tf_crop_and_resize":
            return []
        factors[axis] = m // n
        if not np.array_equal(op.nearest(op.positions(i, n, m), n), np.arange(m) // factors[axis]):
            return []
    return factors


def _repeated(op: core.Resize, factors: Sequence[int], e: KernelBuilder) -> Value:
    """Each element so often along its axes: one copy, which writes neighbours together."""
    shape, strides = list[Size](), list[Size]()
    for size, stride, factor in zip(sizes(op.x), dense(sizes(op.x)), factors, strict=True):
        shape += [size, factor] if factor > 1 else [size]
        strides += [stride, 0] if factor > 1 else [stride]
    return e.alias(e.copy(op.x, op.x.tensor.with_shape(tuple(shape)), View(0, tuple(strides))), op.y.tensor)


def _resampled(op: core.Resize, x: Value, i: int, n: int, m: int, e: KernelBuilder) -> Value:
    """Along axis i, from n to m elements, by tables."""
    axis, dtype = op.axes[i], x.tensor.dtype
    if op.mode == "nearest":
        return _taps(x, axis, m, [Tap(e.constant(op.nearest(op.positions(i, n, m), n).astype(np.int32)), None)], e)
    elements, weights = op.taps(i, n, m)
    if elements.shape[1] > MAX_TAPS:
        return _mixed(x, axis, op.weights(i, n, m), e)
    columns = zip(elements.T, weights.T, strict=True)
    return _taps(
        x, axis, m, [Tap(e.constant(at.astype(np.int32)), e.constant(w.astype(dtype.numpy))) for at, w in columns], e
    )


def _taps(x: Value, axis: int, count: Size, taps: list[Tap], e: KernelBuilder) -> Value:
    """y[.., o, ..] = sum over t of x[.., elements[t][o], ..] * weights[t][o]: just these elements are read, whatever
    their weight, since 0 times infinity is NaN.  count: of results along the axis.
    """
    shape, strides = sizes(x), dense(sizes(x))
    out = (*shape[:axis], count, *shape[axis + 1 :])
    along = tuple(int(i == axis) for i in range(len(shape)))
    source = View(0, tuple(0 if i == axis else s for i, s in enumerate(strides)))

    def build(b: Expr) -> int:
        total = -1
        for tap in taps:
            place = View(tap.begin, along)
            element = b.load_at(x, source, b.load(tap.elements, place), strides[axis], shape[axis])
            if tap.weights is not None:
                element = b.op("mul", element, b.load(tap.weights, place))
            total = element if total < 0 else b.op("add", total, element)
        return total

    return e.map(x.tensor.with_shape(out), build)


def _mixed(x: Value, axis: int, weights: Array, e: KernelBuilder) -> Value:
    """y[.., o, ..] = sum over n of x[.., n, ..] * weights[o, n]."""
    shape, strides, rank = sizes(x), dense(sizes(x)), len(sizes(x))
    out = (*shape[:axis], len(weights), *shape[axis + 1 :])
    operands: list[Value] = []
    body = Expr(operands)
    table = e.constant(weights.astype(x.tensor.dtype.numpy))
    element = body.load(x, View(0, (*(0 if i == axis else s for i, s in enumerate(strides)), strides[axis])))
    body.op(
        "mul", element, body.load(table, View(0, (*(weights.shape[1] if i == axis else 0 for i in range(rank)), 1)))
    )
    step = Step((*out, weights.shape[1]), 1, "add", body.program(), (), View(0, dense(out)))
    return e.kernel(LoopNestOp(operands, (step,), x.tensor.with_shape(out)))
