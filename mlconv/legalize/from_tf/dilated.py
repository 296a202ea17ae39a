"""SpaceToBatchND, convolution, BatchToSpaceND -> one dilated convolution.

tf.nn.convolution and Keras write dilation this way.  With blocks of b elements, paddings (p0, p1) and crops (c0, c1), a
convolution of stride 1 with pads (q0, q1) inside equals a convolution with dilation b and pads (p0 + b q0 - c0, p1 + b
q1 - c1).
Source: tensorflow/python/ops/nn_ops.py, _WithSpaceToBatch; TensorFlow Lite's identify_dilated_conv.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Size
from mlconv.legalize.from_tf.operands import stacked_rows
from mlconv.legalize.limits import MAX_LIST
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import constant_array

Row = tuple[Size | None, ...]


class _Inner(NamedTuple):
    """The convolution between the two, and the axis that a 1-D convolution adds around it (None for 2-D)."""

    conv: core.Conv
    split: core.SpaceToBatch
    extra: int | None


def dilated_conv(n: SourceNode) -> Value | None:
    """The dilated convolution that a BatchToSpaceND ends, or None when it ends none."""
    found = _find(n.operand(0))
    crops = rows_of(n.operand(2))
    if found is None or crops is None:
        return None
    conv, split, extra = found
    pads = rows_of(split.pads)
    sizes = n.ints(1)
    if pads is None or isinstance(conv.pads, str) or sizes != tuple(split.block_size) or not _is_plain(conv):
        return None
    dilations, amounts = [1] * len(conv.strides), list(conv.pads)
    for i, size in enumerate(sizes):
        axis = layout_axis(conv, i, extra)
        pair = None if axis is None else _pair(pads[i], crops[i], conv.pads[axis], size)
        if axis is None or pair is None:
            return None
        amounts[axis], dilations[axis] = pair, size
    x = split.x if extra is None else n.expand_dims(split.x, extra)
    y = n.emit(
        core.Conv(
            x,
            conv.w,
            conv.bias,
            strides=conv.strides,
            pads=tuple(amounts),
            dilations=tuple(dilations),
            groups=conv.groups,
            x_layout=conv.x_layout,
            w_layout=conv.w_layout,
            y_layout=conv.y_layout,
        )
    ).y
    return y if extra is None else n.squeeze(y, extra)


def _pair(pads: Row, crops: Row, inside: tuple[int, int], block: int) -> tuple[int, int] | None:
    """Pads of one axis; None when they depend on the run time or would crop."""
    found: list[int] = []
    for before, after, own in zip(pads, crops, inside, strict=True):
        total = None if before is None or after is None else before - after + own * block
        if not isinstance(total, int) or total < 0:
            return None
        found.append(total)
    return found[0], found[1]


def _find(y: Value) -> _Inner | None:
    op: Op | None = y.producer
    extra: int | None = None
    if isinstance(op, core.Squeeze) and len(op.axes) == 1:
        extra, op = op.axes[0], op.x.producer
    if not isinstance(op, core.Conv):
        return None
    source: Op | None = op.x.producer
    if extra is not None:
        if not isinstance(source, core.ExpandDims) or source.axes != (extra,):
            return None
        source = source.x.producer
    return _Inner(op, source, extra) if isinstance(source, core.SpaceToBatch) else None


def _is_plain(conv: core.Conv) -> bool:
    """Stride and dilation 1, batch first."""
    ones = all(k == 1 for k in (*conv.strides, *conv.dilations))
    return ones and conv.x_layout == conv.y_layout and conv.x_layout[0] == "N"


def layout_axis(conv: core.Conv, i: int, extra: int | None) -> int | None:
    """Which spatial axis of the convolution block size i is of: axis i + 1 of the tensor outside."""
    place = i + 1 if extra is None or i + 1 < extra else i + 2
    letter = conv.x_layout[place] if place < len(conv.x_layout) else ""
    return int(letter) if letter.isdigit() else None


def rows_of(value: Value) -> Sequence[Row] | None:
    """A matrix of small integers row by row, each a size or None; also where rows of run-time sizes were stacked."""
    array = constant_array(value)
    if array is not None:
        return [tuple(int(v) for v in row) for row in array] if array.ndim == 2 and array.size <= MAX_LIST else None
    if isinstance(value.producer, core.Reshape) and value.producer.x.known is not None and value.tensor.rank == 2:
        flat = value.producer.x.known
        return [flat[i : i + 2] for i in range(0, len(flat), 2)]
    rows = [v.known for v in stacked_rows(value)]
    return [r for r in rows if r is not None] if rows and None not in rows else None
