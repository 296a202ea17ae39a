"""Boxes drawn into images, and parts cut out around points.

Source: tensorflow/core/kernels/image (draw_bounding_box_op.cc, attention_ops.cc), tensorflow/core/kernels/
eigen_attention.h.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import static_shape, tf_rules
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()
_COLORS: Final = (
    (1, 1, 0, 1),
    (0, 0, 1, 1),
    (1, 0, 0, 1),
    (0, 1, 0, 1),
    (0.5, 0, 0.5, 1),
    (0.5, 0.5, 0, 1),
    (0.5, 0, 0, 1),
    (0, 0, 0.5, 1),
    (0, 1, 1, 1),
    (1, 0, 1, 1),
)
"""Of the first box, the second, ... where none are given: yellow, blue, red, lime, purple, olive, maroon, navy, aqua,
fuchsia."""


@RULES.rule("DrawBoundingBoxes", "DrawBoundingBoxesV2")
def draw_bounding_boxes(n: SourceNode) -> Value:
    """Operands: images [n, h, w, c], boxes [n, count, 4] as shares of height and width, colors.  Later boxes cover
    earlier ones; one whose ends are exchanged is not drawn.
    """
    x, boxes = n.operand(0), n.cast(n.operand(1), DType.F32)
    _, height, width, depth = n.dims_of(x, 4)
    count = static_shape(boxes, "the boxes")[1]
    check_table((count, 4), "list of boxes")
    if not isinstance(height, int) or not isinstance(width, int) or not isinstance(depth, int):
        raise n.unsupported(f"images {x.tensor}, whose sizes are open")
    colors = _colors(n, depth)
    total = static_shape(colors, "the colors")[0]
    rows = n.reshape(n.cast(n.arange(height), DType.I32), [1, -1, 1])
    columns = n.reshape(n.cast(n.arange(width), DType.I32), [1, 1, -1])
    for i in range(count):
        box = n.gather(boxes, i, axis=1)
        ends = n.constant([height - 1, width - 1, height - 1, width - 1], DType.F32)
        corners = n.cast(n.mul(box, ends), DType.I32)
        top, left, bottom, right = (n.reshape(n.slice_axis(corners, 1, k, k + 1), [-1, 1, 1]) for k in range(4))
        across = n.logical_and(n.less_equal(left, columns), n.less_equal(columns, right))
        along = n.logical_and(n.less_equal(top, rows), n.less_equal(rows, bottom))
        level = n.logical_or(n.equal(rows, top), n.equal(rows, bottom))
        upright = n.logical_or(n.equal(columns, left), n.equal(columns, right))
        border = n.logical_or(n.logical_and(level, across), n.logical_and(upright, along))
        sound = n.logical_and(n.less_equal(top, bottom), n.less_equal(left, right))
        color = n.cast(n.gather(colors, i % total), x.tensor.dtype)
        x = n.where(n.expand_dims(n.logical_and(border, sound), 3), color, x)
    return x


def _colors(n: SourceNode, depth: int) -> Value:
    """[count, depth]"""
    if n.has(2) and n.operand(2).tensor.size != 0:
        return n.slice_axis(n.operand(2), 1, 0, depth)
    table = np.asarray(_COLORS, np.float32)[:, :depth]
    return n.constant(np.ones_like(table) if depth == 1 else table)


@RULES.rule("ExtractGlimpse", "ExtractGlimpseV2")
def extract_glimpse(n: SourceNode) -> Value:
    """Operands: images [n, h, w, c], size [2], places [n, 2] (y, x).  What lies outside of the image is 0; noise is
    refused.
    """
    x, offsets = n.operand(0), n.operand(2)
    noise = n.attr("noise", "uniform")
    noise = noise.decode() if isinstance(noise, bytes) else noise
    if noise != "zero":
        raise n.unsupported(f"{noise or 'gaussian'} noise outside of the image", "give noise='zero'")
    batch, *sizes = n.dims_of(x, 4)
    wanted = n.ints(1)
    normalized, centered = bool(n.attr("normalized", True)), bool(n.attr("centered", True))
    inside: Value | None = None
    index = [n.reshape(n.cast(n.arange(batch), DType.I64), [-1, 1, 1])]
    for k in (0, 1):
        size = n.constant(sizes[k], DType.I64) if isinstance(sizes[k], int) else n.scalar(sizes[k])  # type: ignore[arg-type]
        real = n.cast(size, DType.F32)
        at = n.slice_axis(offsets, 1, k, k + 1)
        at = n.mul(at, real) if normalized else at
        first = n.kind == "ExtractGlimpse"
        if centered and (first or normalized):
            at = n.add(n.div(at, 2.0), n.div(real, 2.0))
        elif centered:
            at = n.add(at, n.div(real, 2.0))
        at = n.sub(at, wanted[k] / 2) if first or (centered and normalized) else at
        places = n.add(n.cast(at, DType.I64), n.arange(wanted[k]))
        here = n.logical_and(n.less_equal(0, places), n.less(places, size))
        shape = [-1, wanted[0], 1] if k == 0 else [-1, 1, wanted[1]]
        here, places = n.reshape(here, shape), n.reshape(n.where(here, places, 0), shape)
        inside = here if inside is None else n.logical_and(inside, here)
        index.append(places)
    whole = n.vector([batch, *wanted])
    tuples = n.concat([n.expand_dims(n.y(core.BroadcastTo(v, whole)), 3) for v in index], 3)
    found = n.y(core.GatherNd(x, tuples))
    return found if inside is None else n.where(n.expand_dims(inside, 3), found, 0)
