"""Resampling.  Source: tensorflow/lite/kernels/resize_bilinear.cc, resize_nearest_neighbor.cc."""

from __future__ import annotations

from typing import Final

from mlconv.ir.core import Value
from mlconv.legalize.from_tfl.node import TflNode, tfl_rules

RULES: Final = tfl_rules()


@RULES.rule("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
def resize(n: TflNode) -> Value:
    """Operands: images [n, h, w, c], size [2]."""
    kind = "ResizeBilinear" if n.kind == "RESIZE_BILINEAR" else "ResizeNearestNeighbor"
    names = ("align_corners", "half_pixel_centers")
    return n.tf1(kind, [n.number(0), n.operand(1)], **{name: n.attr(name) for name in names})
