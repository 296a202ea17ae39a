"""Pooling: reductions over windows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.window import AveragePooling, Pads, resolve_pads, spatial
from mlconv.dialects.kernel import LoopNestOp, Step, View, dense
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
    pads = resolve_pads(op.pads, shape, op.window, op.strides, op.dilations)
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
