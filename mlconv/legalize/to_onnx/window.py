"""Convolutions and pools, channels first.

Sources: ONNX Conv-11, ConvTranspose-11, MaxPool-12, AveragePool-11 and -19.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.window import Pads, resolve_pads, spatial
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_onnx.builder import OnnxBuilder, rank_of, refuse
from mlconv.legalize.to_onnx.shape import transposed
from mlconv.rewrite import Rules

RULES = Rules()


def first(layout: str) -> str:
    """The layout of the same rank with channels first."""
    return "NC" + "".join(map(str, range(len(layout) - 2)))


def to_layout(e: OnnxBuilder, x: Value, have: str, want: str) -> Value:
    """x in another order of its axes."""
    return transposed(e, x, [have.index(c) for c in want])


def arranged(t: TensorType, have: str, want: str) -> TensorType:
    """The type of a tensor in another order of its axes."""
    return t.with_shape(None if t.shape is None else tuple(t.shape[have.index(c)] for c in want))


def window_attributes(
    x: Value, layout: str, window: tuple[int, ...], op: core.Conv | core.IntegerConv | core.MaxPool | core.AvgPool
) -> dict[str, Any]:
    """Numbers of a window; pads of unknown sizes are left to the runtime, by `auto_pad`."""
    found: dict[str, Any] = {"kernel_shape": window, "strides": op.strides}
    if any(d != 1 for d in op.dilations):
        found["dilations"] = op.dilations
    pads = _numbers(x.tensor.shape, layout, window, op.pads, op)
    if isinstance(pads, str):
        found["auto_pad"] = pads
    elif any(n for pair in pads for n in pair):
        found["pads"] = (*(p[0] for p in pads), *(p[1] for p in pads))
    return found


def _numbers(
    shape: Shape | None,
    layout: str,
    window: tuple[int, ...],
    pads: Pads,
    op: core.Conv | core.IntegerConv | core.MaxPool | core.AvgPool,
) -> Pads:
    if not isinstance(pads, str) or shape is None:
        return pads
    sizes = [shape[i] for i in spatial(layout)]
    ints = tuple(d for d in sizes if isinstance(d, int))
    return resolve_pads(pads, ints, window, op.strides, op.dilations) if len(ints) == len(sizes) else pads


def _kernel(w: Value, layout: str) -> tuple[int, ...]:
    """Sizes of a filter.  Raises ConversionError TargetLacksOp when one is not known."""
    shape = w.tensor.shape or ()
    found = tuple(d for d in (shape[i] for i in _digits(layout)) if isinstance(d, int)) if shape else ()
    if len(found) != len(layout) - 2:
        raise refuse(f"the sizes of a filter must be known, it is {w.tensor}")
    return found


def _digits(layout: str) -> list[int]:
    return [layout.index(str(i)) for i in range(len(layout) - 2)]


@RULES.rule(core.Conv)
def conv(op: core.Conv, e: OnnxBuilder) -> Value:
    """Conv."""
    return _convolution(op, "Conv", [op.bias], e)


@RULES.rule(core.IntegerConv)
def integer_conv(op: core.IntegerConv, e: OnnxBuilder) -> Value:
    """ConvInteger; ONNX Runtime 1.31 takes one zero point of all filters: those of its own for each go by sums of x."""
    if DType.I16 in (op.x.tensor.dtype, op.w.tensor.dtype):
        raise refuse("ConvInteger takes integers of 8 bits")
    if op.w_zero is not None and op.w_zero.tensor.rank:
        return _with_zeros(op, op.w_zero, e)
    return _convolution(op, "ConvInteger", [op.x_zero, op.w_zero], e, since=10)


def _with_zeros(op: core.IntegerConv, zeros: Value, e: OnnxBuilder) -> Value:
    """Sums with filters as they are, less those with ones times zero points; one filter of ones serves all channels."""
    shape = static(op.w.tensor.shape)
    if shape is None:
        raise refuse(f"the sizes of a filter must be known, it is {op.w.tensor}")
    sizes = [1 if c == "O" and op.groups == 1 else n for c, n in zip(op.w_layout, shape, strict=True)]
    ones = e.constant(np.ones(sizes, op.w.tensor.dtype.numpy))
    sums = [e.y(core.IntegerConv(op.x, w, x_zero=op.x_zero, **op.attributes)) for w in (op.w, ones)]
    spread = e.reshape(e.cast(zeros, DType.I32), [-1 if c == "C" else 1 for c in op.y_layout])
    return e.sub(sums[0], e.mul(sums[1], spread))


def _convolution(
    op: core.Conv | core.IntegerConv, name: str, others: list[Value | None], e: OnnxBuilder, since: int = 0
) -> Value:
    """An operator with the attributes of Conv, channels first."""
    layout = first(op.x_layout)
    window = _kernel(op.w, op.w_layout)
    x = to_layout(e, op.x, op.x_layout, layout)
    w = to_layout(e, op.w, op.w_layout, layout.replace("NC", "OI"))
    attributes = window_attributes(op.x, op.x_layout, window, op)
    t = arranged(op.y.tensor, op.y_layout, layout)
    y = e.one(name, [x, w, *others], t, since=since, group=op.groups, **attributes)
    return to_layout(e, y, layout, op.y_layout)


@RULES.rule(core.ConvTranspose)
def conv_transpose(op: core.ConvTranspose, e: OnnxBuilder) -> Value:
    """ConvTranspose, whose filters are [C, M / group, ...]."""
    layout = first(op.x_layout)
    window = _kernel(op.w, op.w_layout)
    if any(n < 0 for pair in op.pads for n in pair):
        raise refuse(f"ConvTranspose crops, and the pads are {op.pads}")
    x = to_layout(e, op.x, op.x_layout, layout)
    w = to_layout(e, op.w, op.w_layout, layout.replace("NC", "IO"))
    attributes: dict[str, Any] = {"kernel_shape": window, "strides": op.strides, "group": op.groups}
    if any(d != 1 for d in op.dilations):
        attributes["dilations"] = op.dilations
    if any(n for pair in op.pads for n in pair):
        attributes["pads"] = (*(p[0] for p in op.pads), *(p[1] for p in op.pads))
    if any(op.output_pads):
        attributes["output_padding"] = op.output_pads
    y = e.one("ConvTranspose", [x, w, op.bias], arranged(op.y.tensor, op.y_layout, layout), **attributes)
    return to_layout(e, y, layout, op.y_layout)


def _padded(op: core.MaxPool | core.AvgPool, e: OnnxBuilder, x: Value) -> Value:
    """Runtimes take pads that are smaller than the window; larger ones are an op of their own: x with them, or x.
    Raises ConversionError TargetLacksOp.
    """
    pads, dtype = op.pads, x.tensor.dtype
    if isinstance(pads, str) or all(n < k for pair, k in zip(pads, op.window, strict=True) for n in pair):
        return x
    if isinstance(op, core.AvgPool) and not op.count_include_pad:
        raise refuse(f"the pads {pads} are as large as the window {op.window}, and do not count")
    fill = 0.0
    if isinstance(op, core.MaxPool):
        fill = -math.inf if dtype.is_float else float(np.iinfo(dtype.numpy).min)
    return e.pad(x, [(0, 0), (0, 0), *pads], e.constant(np.asarray(fill).astype(dtype.numpy), dtype))


def _pool(op: core.MaxPool | core.AvgPool, e: OnnxBuilder, name: str, since: int, **more: int) -> Value:
    layout = first(op.layout)
    x = to_layout(e, op.x, op.layout, layout)
    rank_of(op.x, "what is pooled")
    attributes = window_attributes(op.x, op.layout, op.window, op)
    padded = _padded(op, e, x)
    if padded is not x:
        del attributes["pads"]
    if op.ceil_mode:
        attributes["ceil_mode"] = 1
        since = max(since, _counting_version(op))
    t = arranged(op.y.tensor, op.layout, layout)
    return to_layout(e, e.one(name, [padded], t, since=since, **attributes, **more), layout, op.layout)


def _counting_version(op: core.MaxPool | core.AvgPool) -> int:
    """A last window that would start in the padding is counted until opset 21 (MaxPool-22, AveragePool-22)."""
    x, y = op.x.tensor.shape, op.y.tensor.shape
    if isinstance(op.pads, str) or x is None or y is None:
        return 0
    numbers = zip(spatial(op.layout), op.window, op.strides, op.dilations, op.pads, strict=True)
    for axis, k, s, d, pad in numbers:
        n, m = x[axis], y[axis]
        if isinstance(n, int) and m != -(-(n + sum(pad) - ((k - 1) * d + 1)) // s) + 1:
            return 22
    return 0


@RULES.rule(core.MaxPool)
def max_pool(op: core.MaxPool, e: OnnxBuilder) -> Value:
    """MaxPool."""
    return _pool(op, e, "MaxPool", 0)


@RULES.rule(core.AvgPool)
def avg_pool(op: core.AvgPool, e: OnnxBuilder) -> Value:
    """AveragePool, which has dilations from opset 19 on."""
    since = 19 if any(d != 1 for d in op.dilations) else 0
    counted = {"count_include_pad": 1} if op.count_include_pad else {}
    return _pool(op, e, "AveragePool", since, **counted)
