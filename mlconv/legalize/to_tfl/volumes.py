"""Convolutions along 3 axes by kernels that convolve along 2, which have groups and integers and are faster (LiteRT's
CONV_3D has floats and one group, and XNNPACK does not take it).

A window that is flat along depth convolves planes: depth becomes part of the batch.  One that is a line along depth
convolves an image, all of a plane in one row.  Of a convolution in groups each plane of the window is a convolution of
planes, and their results are added.  Sources: kernels/conv3d.cc, conv.cc, depthwise_conv.cc.
"""

from __future__ import annotations

from typing import Any

from mlconv.dialects import core
from mlconv.dialects.core.window import Convolution, Ints, known_pads, standard_padding
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.shapes import static
from mlconv.ir.types import Shape
from mlconv.legalize.to_tfl.builder import TflBuilder, shape_of
from mlconv.legalize.to_tfl.operands import numbers_of, split_weights
from mlconv.legalize.to_tfl.pad import pad_spatial
from mlconv.legalize.to_tfl.quantized import limited
from mlconv.rewrite import remake

_NONE = (0, 0)
_FEW = 8
"""Groups that CONV_3D takes one by one in less time than planes of an open depth are picked in with a stride."""


def by_images(op: Convolution, e: TflBuilder) -> Value | None:
    """A convolution of volumes, channels last, by those of images; None where CONV_3D is what there is.  That of
    integers in groups is one of the numbers that they stand for, and its result is rounded.
    """
    window = static(tuple(shape_of(op.w)[op.w_layout.index(axis)] for axis in "012"))
    if window is None or isinstance(op, core.DynamicConv):
        return None
    if op.strides[0] > 1 and not isinstance(shape_of(op.x)[1], int) and op.groups <= _FEW:
        return None
    pads = [_pads(op, window, axis) for axis in range(3)]
    if window[0] == 1 and pads[0] == _NONE:
        return _planes(op, e)
    if window[1:] == op.strides[1:] == (1, 1) and pads[1:] == [_NONE, _NONE]:
        return _lines(op, e)
    depth = pads[0]
    return None if op.groups == 1 or depth is None else _sum_of_planes(op, e, window, depth)


def _pads(op: Convolution, window: Ints, axis: int) -> tuple[int, int] | None:
    """Of one axis; None for those that depend on a size that is open."""
    if not isinstance(op.pads, str):
        return op.pads[axis]
    if window[axis] == 1:
        return _NONE
    size = shape_of(op.x)[1 + axis]
    found = known_pads((size,), (window[axis],), (op.strides[axis],), (op.dilations[axis],), op.pads)
    return None if found is None else found[0]


def _planes(op: Convolution, e: TflBuilder) -> Value:
    """Depth, which the window does not reach along, is part of the batch."""
    x = _every(e, op.x, 1, (0, 0), op.strides[0])
    w = _without_axis(e, op.w, op.w_layout.index("0"))
    y = e.y(remake(op, [_folded(e, x), w, op.bias], **_of_images(op)))
    return e.reshape(y, shape_of(op.y), x, op.x)


def _lines(op: Convolution, e: TflBuilder) -> Value:
    """A plane is one row of an image."""
    n, depth, height, width, channels = shape_of(op.x)
    x = e.reshape(op.x, (n, depth, height * width, channels))
    w = _without_axis(e, op.w, op.w_layout.index("2"))
    changes = _of_images(op) | {
        "strides": op.strides[:2],
        "dilations": op.dilations[:2],
        "pads": op.pads if isinstance(op.pads, str) else op.pads[:2],
        "w_layout": op.w_layout.replace("2", ""),
    }
    return e.reshape(e.y(remake(op, [x, w, op.bias], **changes)), shape_of(op.y), op.x)


def _sum_of_planes(op: Convolution, e: TflBuilder, window: Ints, depth: tuple[int, int]) -> Value:
    """Each plane of the window with the planes of x that it meets; the bias is in the first one's results."""
    order = "0I12O" if shape_of(op.w)[op.w_layout.index("I")] == 1 else "0O12I"  # as the kernels of planes have it
    options = _of_images(op, order)
    around = _explicit(op, window)
    if around is not None:
        options["pads"] = (_NONE, _NONE)
    padded = (depth, *(around or (_NONE, _NONE)))
    x = numbers_of(e, pad_spatial(e, op.x, padded) if any(map(any, padded)) else op.x)
    w = e.transpose(op.w, [op.w_layout.index(axis) for axis in order])
    is_single = shape_of(x)[0] == 1
    x, axis = (_folded(e, x), 0) if is_single else (x, 1)
    total = None
    for i, plane in enumerate(split_weights(e, w, 0, window[0])):
        met = _every(e, x, axis, (i * op.dilations[0], (window[0] - 1 - i) * op.dilations[0]), op.strides[0])
        image = met if is_single else _folded(e, met)
        bias = None if total is not None or op.bias is None else numbers_of(e, op.bias)
        part = e.y(core.Conv(image, numbers_of(e, _without_axis(e, plane, 0)), bias, **options))
        total = part if total is None else e.y(core.Add(total, part))
    assert total is not None
    y = e.reshape(total, shape_of(op.y), x, op.x)
    return limited(op, e.y(core.Quantize(y, element=op.element)), e) if isinstance(op, core.QuantConv) else y


def _explicit(op: Convolution, window: Ints) -> tuple[tuple[int, int], ...] | None:
    """Pads of a plane that the kernels of planes have no name for."""
    sizes, strides, dilations = shape_of(op.x)[2:-1], op.strides[1:], op.dilations[1:]
    pads = op.pads if isinstance(op.pads, str) else op.pads[1:]
    if standard_padding(sizes, window[1:], strides, dilations, pads) is not None:
        return None
    return known_pads(sizes, window[1:], strides, dilations, pads)


def _every(e: TflBuilder, x: Value, axis: int, without: tuple[int, int], step: int) -> Value:
    """Each step-th element of an axis, without some at its ends; picked where it can be, which copies whole planes."""
    begin, behind = without
    size = shape_of(x)[axis]
    if not any(without) and step == 1:
        return x
    if step == 1 or not isinstance(size, int):
        return e.slice_axis(x, axis, begin, -behind if behind else None, step)
    return e.y(core.Gather(x, e.ints(range(begin, size - behind, step)), axis=axis))


def _of_images(op: Convolution, w_layout: str = "") -> dict[str, Any]:
    """Attributes of the convolution of a plane."""
    layout = (w_layout or op.w_layout).replace("0", "").replace("1", "0").replace("2", "1")
    return {
        "groups": op.groups,
        "strides": op.strides[1:],
        "dilations": op.dilations[1:],
        "pads": op.pads if isinstance(op.pads, str) else op.pads[1:],
        "w_layout": layout,
        "x_layout": "N01C",
        "y_layout": "N01C",
    }


def _folded(e: TflBuilder, x: Value) -> Value:
    """Batch and depth as one axis."""
    n, depth, *rest = shape_of(x)
    return e.reshape(x, (n * depth, *rest))


def _without_axis(e: TflBuilder, w: Value, axis: int) -> Value:
    """An axis of size 1 less."""
    shape: Shape = shape_of(w)
    kept: tuple[Size, ...] = (*shape[:axis], *shape[axis + 1 :])
    return e.reshape(w, kept)
