"""Convolutions whose window is as long as a run tells, as gradients of weights are: places of the result are few, and
each is a sum of products of all that the window lies on.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.window import spatial
from mlconv.ir.core import Value
from mlconv.ir.shapes import static
from mlconv.legalize.from_hlo.operands import end_behind, result
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import Part

MOST_PLACES: Final = 1024


def has_open_window(n: SourceNode, w: Value) -> bool:
    """Whether a window has a size that only the run tells."""
    w_layout = n.attr("w_layout")
    return any(not isinstance(n.dim(w, tap), int) for tap in spatial(w_layout))


def by_open_window(n: SourceNode, x: Value, x_layout: str, w: Value, groups: int) -> Value:
    """x, padded, by the window w, of as many groups.  Raises ConversionError ShapeNotStatic where the places of the
    result are not known, or many.
    """
    y_layout, w_layout, window = n.attr("y_layout"), n.attr("w_layout"), n.attr("window")
    shape = result(n).shape or ()
    out = static([shape[axis] for axis in spatial(y_layout)])
    if out is None or math.prod(out) > MOST_PLACES:
        raise ConversionError(Code.ShapeNotStatic, f"{n.kind}: the size of its window is not known")
    left = n.transpose(x, [x_layout.index("N"), x_layout.index("C"), *spatial(x_layout)])
    right = n.transpose(w, [w_layout.index("O"), w_layout.index("I"), *spatial(w_layout)])
    rows, columns, taps = n.dim(left, 0), n.dim(right, 0), n.dims(right)[2:]
    parts: list[Value] = []
    for at in np.ndindex(*out):
        begins = [int(i) * row[1] for i, row in zip(at, window, strict=True)]
        bounds: dict[int, tuple[Part | None, Part | None, int]] = {
            axis: (begin, end_behind(n, begin, size, row[4]), row[4])
            for axis, (begin, size, row) in enumerate(zip(begins, taps, window, strict=True), 2)
        }
        parts.append(n.slice(left, bounds))
    depth = n.prod([n.dim(right, 1), *taps])
    y = n.reshape(_product(n, n.concat(parts, 0), right, depth, groups), [*out, rows, columns])
    order = [*map(str, range(len(out))), "N", "C"]
    return n.transpose(y, [order.index(letter) for letter in y_layout])


def _product(n: SourceNode, left: Value, right: Value, depth: Part, groups: int) -> Value:
    """Rows of both, merged axes behind the first, multiplied with one another: [rows, columns]."""
    rows, columns = n.dim(left, 0), n.dim(right, 0)
    if groups == 1:
        return n.matmul(n.reshape(left, [rows, depth]), n.reshape(right, [columns, depth]), transpose_b=True)
    if not isinstance(columns, int):
        raise n.unsupported("groups of features whose number a run tells")
    left = n.transpose(n.reshape(left, [rows, groups, depth]), [1, 0, 2])
    right = n.reshape(right, [groups, columns // groups, depth])
    return n.reshape(n.transpose(n.matmul(left, right, transpose_b=True), [1, 0, 2]), [rows, columns])
