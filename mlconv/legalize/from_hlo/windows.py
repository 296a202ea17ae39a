"""select-and-scatter: the gradient of a pooling.  Source: openxla.org/xla/operation_semantics, SelectAndScatter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Region, Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.operands import (
    apply,
    checked,
    end_behind,
    hlo_rules,
    minus,
    opcode_of,
    pad_inside,
)
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import Part

RULES: Final = hlo_rules()
MAX_WINDOW: Final = 1024


@RULES.rule("select-and-scatter")
@checked
def select_and_scatter(n: SourceNode) -> Value:
    """Each window picks one of its elements, to whose place the source's element goes; what meets at a place is added
    to the init.

    The elements of the window are compared one after another, over all windows at once; elements of the padding are
    never picked.
    """
    x, source, init = n.operands()
    window, shape, out = n.attr("window"), n.dims(x), n.dims(source)
    if len(n.op.regions) != 2 or opcode_of(n.op.regions[1]) != "add":
        raise n.unsupported("a scatter that does not add")
    if len(window) != len(shape) or any(row[4] != 1 or row[5] != 1 or row[2] < 0 or row[3] < 0 for row in window):
        raise n.unsupported("a dilated or cropped window")
    if math.prod(row[0] for row in window) > MAX_WINDOW:
        raise n.unsupported(f"a window of {[row[0] for row in window]} elements")
    best: Value | None = None
    chosen = n.broadcast_to(n.constant(np.asarray(0), DType.I32), out)
    for number, part, inside in _elements(n, x, window, out):
        if best is None:  # whatever is outside loses against the first element that is inside
            best, taken = part, inside
            continue
        (keeps,) = apply(n, _selection(n), [best, part])
        keeps = n.y(core.Or(n.y(core.And(keeps, taken)), n.y(core.LogicalNot(inside))))
        best, taken = n.y(core.Select(keeps, best, part)), n.y(core.Or(taken, inside))
        chosen = n.y(core.Select(keeps, chosen, n.constant(np.asarray(number), DType.I32)))
    return n.y(core.Add(_scattered(n, source, chosen, window, shape), n.broadcast_to(init, shape)))


def _selection(n: SourceNode) -> Region:
    return n.op.regions[0]


def _elements(
    n: SourceNode, x: Value, window: list[tuple[int, ...]], out: Sequence[Part]
) -> Iterator[tuple[int, Value, Value]]:
    """For each element of the window: its number, its element in every window, and whether that is an element of x."""
    padded = n.pad(x, [(row[2], row[3]) for row in window], n.asarray(0, x))
    real = [_real(n, size, row, i, len(window)) for i, (size, row) in enumerate(zip(n.dims(x), window, strict=True))]
    for number, at in enumerate(np.ndindex(*(row[0] for row in window))):
        bounds: dict[int, tuple[Part | None, Part | None, int]] = {
            axis: (i, end_behind(n, i, count, row[1]), row[1])
            for axis, (i, count, row) in enumerate(zip(at, out, window, strict=True))
            if row[:4] != (1, 1, 0, 0)
        }
        inside = n.constant(np.ones([1] * len(window), bool), DType.BOOL)
        for axis, line in enumerate(real):
            if line is not None:
                inside = n.logical_and(inside, n.slice(line, {axis: bounds[axis]}))
        yield number, n.slice(padded, bounds), inside


def _real(n: SourceNode, size: Part, row: tuple[int, ...], axis: int, rank: int) -> Value | None:
    """Which places along an axis are elements of x, in a tensor that is 1 along the others; None where all are."""
    if row[2:4] == (0, 0):
        return None
    if isinstance(size, int):
        check_table((size,), "the operand of select-and-scatter")
    ones = n.broadcast_to(n.constant(np.asarray(1), DType.I32), [size if i == axis else 1 for i in range(rank)])
    pads = [(row[2], row[3]) if i == axis else (0, 0) for i in range(rank)]
    return n.y(core.Equal(n.pad(ones, pads, 0), n.asarray(1, ones)))


def _scattered(
    n: SourceNode, source: Value, chosen: Value, window: list[tuple[int, ...]], shape: Sequence[Part]
) -> Value:
    """The source's elements at the places of the chosen elements, zeros elsewhere."""
    zero = n.asarray(0, source)
    total: Value | None = None
    for number, at in enumerate(np.ndindex(*(row[0] for row in window))):
        part = n.y(core.Select(n.y(core.Equal(chosen, n.constant(np.asarray(number), DType.I32))), source, zero))
        edges: list[tuple[Part, Part]] = []
        for axis, (i, row, size) in enumerate(zip(at, window, shape, strict=True)):
            if row[:4] == (1, 1, 0, 0):
                edges.append((0, 0))
                continue
            part = pad_inside(n, part, zero, axis, row[1] - 1)
            low = i - row[2]
            edges.append((low, minus(n, minus(n, size, n.dim(part, axis)), low)))
        part = n.pad(part, edges, zero)
        total = part if total is None else n.y(core.Add(total, part))
    if total is None:
        raise n.unsupported("an empty window")
    return total
