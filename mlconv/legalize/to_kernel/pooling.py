"""Pooling: reductions over windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.window import AveragePooling, Pads, resolve_pads, spatial
from mlconv.dialects.kernel import Instr, LoopNestOp, Step, View, dense
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import TensorType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, sizes, unsupported
from mlconv.legalize.to_kernel.reduce import accumulator, lowest
from mlconv.legalize.to_kernel.windows import Border, borders, start_of
from mlconv.rewrite import Rules

RULES = Rules()
_GAIN = 1.5  # comparisons by those that are left
_NARROW = 8  # pixels of a line: fewer fill no vectors


@RULES.rule(core.MaxPool, core.AvgPool)
def pool(op: core.MaxPool | core.AvgPool, e: KernelBuilder) -> Value:
    """Padding, then a reduction over windows; means multiply by the reciprocal of how many elements count at each
    place.
    """
    axes, dtype, out = spatial(op.layout), op.x.tensor.dtype, sizes(op.y)
    mean = isinstance(op, core.AvgPool)
    if dtype.is_complex or (mean and dtype is DType.BOOL):
        raise unsupported(op.name, dtype)
    if isinstance(op, core.MaxPool) and _is_shorter_by_axes(op):
        return _by_axes(op, e)
    if groups := _lines_of(op):
        return _along_lines(op, groups, e)
    source = windows(op, op.x, 0 if mean else lowest(dtype), e)
    wide = DType.F64 if mean and dtype.is_int else accumulator(dtype)
    operands: list[Value] = []
    body = Expr(operands)
    body.cast(body.load(*source), wide)
    after = Expr.after(operands, wide)
    if isinstance(op, core.AvgPool):
        after.op("div", 0, counts(op, e, after, wide))
    after.cast(len(after.code) - 1, dtype)
    combine = "add" if mean else "or" if dtype is DType.BOOL else "maximum"
    step = Step((*out, *op.window), len(axes), combine, body.program(), after.program()[1:], View(0, dense(out)))
    return e.kernel(LoopNestOp(operands, (step,), op.y.tensor))


def _is_shorter_by_axes(op: core.MaxPool) -> bool:
    """A third of the comparisons go where the last axis is done first, for all lines that windows begin at."""
    *others, last = op.window
    lines = math.prod(min(k, s) for k, s in zip(others, op.strides, strict=False))
    return last > 1 and math.prod(op.window) >= _GAIN * (last * lines + math.prod(others))


def _by_axes(op: core.MaxPool, e: KernelBuilder) -> Value:
    """The largest of each line of a window, then of those."""
    n = len(op.window) - 1

    def pads(inner: bool) -> Pads:
        if isinstance(op.pads, str):
            return op.pads
        return ((0, 0),) * n + op.pads[-1:] if inner else (*op.pads[:-1], (0, 0))

    of_lines = {"window": (1,) * n + op.window[-1:], "strides": (1,) * n + op.strides[-1:]}
    lines = e.y(core.MaxPool(op.x, **{**op.attributes, **of_lines, "pads": pads(True)}))
    of_rest = {"window": (*op.window[:-1], 1), "strides": (*op.strides[:-1], 1)}
    return e.y(core.MaxPool(lines, **{**op.attributes, **of_rest, "pads": pads(False)}))


class _Lines(NamedTuple):
    """Lines of a result, from the first to before `stop`, whose windows have so many lines of the image each.  first:
    line of the image, of the first window.  counted: lines that a mean counts.
    """

    start: int
    stop: int
    first: int
    lines: int
    counted: int


def _lines_of(op: core.MaxPool | core.AvgPool) -> list[_Lines]:
    """All lines of the result, for images with channels first and windows that overlap; else none."""
    height, out, dtype = static(sizes(op.x)[2:3]), static(sizes(op.y)[2:3]), op.x.tensor.dtype
    (kernel, step, spread), plain = (n[0] for n in (op.window, op.strides, op.dilations)), accumulator(dtype) is dtype
    if spatial(op.layout) != [2, 3] or height is None or out is None or kernel <= step or not plain:
        return []
    width = sizes(op.x)[3]
    if isinstance(width, int) and width < _NARROW:
        return []
    if dtype is DType.BOOL or (isinstance(op, core.AvgPool) and not dtype.is_float):
        return []
    low, high = _pads(op, 0)
    more = (low, high) if isinstance(op, core.AvgPool) and op.count_include_pad else (0, 0)
    found = list[_Lines]()
    for line in range(out[0]):
        begin = line * step - low
        rows = range(begin, begin + kernel * spread, spread)
        inside = [row for row in rows if 0 <= row < height[0]]
        counted = sum(-more[0] <= row < height[0] + more[1] for row in rows)
        if not inside:
            return []
        here = _Lines(line, line + 1, inside[0], len(inside), counted)
        if found and here == _next(found[-1], step):
            found[-1] = found[-1]._replace(stop=line + 1)
        else:
            found.append(here)
    return found


def _pads(op: core.MaxPool | core.AvgPool, axis: int) -> tuple[int, int]:
    """In front of and behind a spatial axis of known size."""
    if not isinstance(op.pads, str):
        return op.pads[axis]
    shape = [n if isinstance(n, int) else 1 for n in (sizes(op.x)[a] for a in spatial(op.layout))]
    return resolve_pads(op.pads, tuple(shape), op.window, op.strides, op.dilations)[axis]


def _next(lines: _Lines, step: int) -> _Lines:
    """The line behind some, if its window is like theirs."""
    first = lines.first + (lines.stop - lines.start) * step
    return lines._replace(start=lines.stop, stop=lines.stop + 1, first=first)


def _along_lines(op: core.MaxPool | core.AvgPool, groups: Sequence[_Lines], e: KernelBuilder) -> Value:
    """The largest or the mean of the lines of each window, with vectors along them and without what lies around the
    image; then of neighbours in that line.
    """
    (n, c, _, width), dtype, lines = sizes(op.x), op.x.tensor.dtype, sizes(op.y)[2]
    source, target = dense(sizes(op.x)), dense((n, c, lines, width))
    mean, steps = isinstance(op, core.AvgPool), list[Step]()
    for group in groups:
        view = View(group.first * width, (*source[:2], op.strides[0] * width, 1, op.dilations[0] * width))
        extents = (n, c, group.stop - group.start, width, group.lines)
        after = Expr.after([], dtype)
        if mean:
            after.with_number("div", 0, group.counted)
        body, out = (Instr("load", dtype, (0,), view),), View(group.start * width, target)
        steps.append(Step(extents, 1, "add" if mean else "maximum", body, after.program()[1:], out))
    made = e.kernel(LoopNestOp([op.x], tuple(steps), op.x.tensor.with_shape((n, c, lines, width))))
    rest = {"window": (1, op.window[1]), "strides": (1, op.strides[1]), "dilations": (1, op.dilations[1])}
    return e.y(type(op)(made, **{**op.attributes, **rest, "pads": ((0, 0), _pads(op, 1))}))


def _borders(op: core.MaxPool | AveragePooling) -> list[Border]:
    """What lies around the image: of a size that is known, no more than windows read."""
    axes, shape, out = spatial(op.layout), sizes(op.x), sizes(op.y)
    image = tuple(shape[a] for a in axes)
    around = borders(op.pads, image, op.window, op.strides, op.dilations, op.ceil_mode)
    for i, a in enumerate(axes):
        n, count = shape[a], out[a]
        if isinstance(n, int) and isinstance(count, int):
            reach = (count - 1) * op.strides[i] + (op.window[i] - 1) * op.dilations[i] + 1
            around[i] = around[i]._replace(high=reach - n - around[i].low)
    return around


def windows(op: core.MaxPool | AveragePooling, x: Value, fill: float, e: KernelBuilder) -> tuple[Value, View]:
    """x with `fill` around it, and a view of it over the result and the window."""
    return _windows(op, x, _borders(op), fill, e)


def _windows(
    op: core.MaxPool | AveragePooling, x: Value, around: Sequence[Border], fill: float, e: KernelBuilder
) -> tuple[Value, View]:
    """The same for an image with other borders."""
    axes = spatial(op.layout)
    amounts = [(0, 0)] * len(sizes(x))
    for border, a in zip(around, axes, strict=True):
        amounts[a] = border.amounts
    x = e.padded(x, amounts, fill)
    strides = dense(sizes(x))
    steps = list(strides)
    for i, a in enumerate(axes):
        steps[a] = steps[a] * op.strides[i]
    inner = tuple(strides[a] * d for a, d in zip(axes, op.dilations, strict=True))
    return x, View(start_of(around, [strides[a] for a in axes]), (*steps, *inner))


def counts(op: AveragePooling, e: KernelBuilder, after: Expr, dtype: DType) -> int:
    """How many elements of each window count, as a value over the result."""
    axes = spatial(op.layout)
    shape, out = (static(sizes(v)[a] for a in axes) for v in (op.x, op.y))
    if shape is None or out is None:
        return _counted(op, e, after, dtype)
    pads = resolve_pads(op.pads, tuple(shape), op.window, op.strides, op.dilations)
    check_table(out, "the table of window counts")
    table = np.ones(())
    for i in range(len(axes)):
        lo, hi = pads[i] if op.count_include_pad else (0, 0)
        starts = np.arange(out[i]) * op.strides[i] - pads[i][0]
        elements = starts[:, None] + np.arange(op.window[i]) * op.dilations[i]
        table = table[..., None] * ((elements >= -lo) & (elements < shape[i] + hi)).sum(1)
    table = np.maximum(table, 1)
    if (table == table.flat[0]).all():
        return after.const(dtype, float(table.flat[0]))
    places = dict(zip(axes, dense(table.shape), strict=True))
    return after.load(
        e.constant(table.astype(dtype.numpy)), View(0, tuple(places.get(a, 0) for a in range(len(sizes(op.y)))))
    )


def _counted(op: AveragePooling, e: KernelBuilder, after: Expr, dtype: DType) -> int:
    """The same where sizes are known at run time: sums of windows over ones."""
    axes, around = spatial(op.layout), _borders(op)
    inside = isinstance(op.pads, str) or not op.ceil_mode  # windows do not leave what is padded
    if (op.count_include_pad and inside) or all(b.amounts == (0, 0) for b in around):
        return after.const(dtype, math.prod(op.window))
    pads: Sequence[tuple[int, int]] = [(0, 0)] * len(axes)
    if op.count_include_pad and not isinstance(op.pads, str):
        pads = op.pads
        around = [Border(0, b.low + b.high - sum(pad)) for b, pad in zip(around, pads, strict=True)]
    ones: list[Size] = [1] * len(op.layout)
    for a, pad in zip(axes, pads, strict=True):
        ones[a] = sizes(op.x)[a] + sum(pad)
    extents = tuple(n if a in axes else 1 for a, n in enumerate(sizes(op.y)))
    image = e.map(TensorType(dtype, tuple(ones)), lambda x: x.const(dtype, 1))
    body = Expr([])
    body.load(*_windows(op, image, around, 0, e))
    step = Step((*extents, *op.window), len(axes), "add", body.program(), (), View(0, dense(extents)))
    found = e.kernel(LoopNestOp(body.operands, (step,), TensorType(dtype, extents)))
    at_least = e.y(core.Maximum(found, e.constant(np.ones((), dtype.numpy))))
    return after.load(at_least, View(0, tuple(s if a in axes else 0 for a, s in enumerate(dense(extents)))))
