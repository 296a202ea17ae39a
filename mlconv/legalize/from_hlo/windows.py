"""select-and-scatter: the gradient of a pooling.  Source: openxla.org/xla/operation_semantics, SelectAndScatter."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Region, Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.operands import (
    apply,
    checked,
    dims,
    hlo_rules,
    opcode_of,
    pad_inside,
)
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode

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
    window, shape, out = n.attr("window"), dims(x), dims(source)
    if len(n.op.regions) != 2 or opcode_of(n.op.regions[1]) != "add":
        raise n.unsupported("a scatter that does not add")
    if len(window) != len(shape) or any(row[4] != 1 or row[5] != 1 or row[2] < 0 or row[3] < 0 for row in window):
        raise n.unsupported("a dilated or cropped window")
    if math.prod(row[0] for row in window) > MAX_WINDOW:
        raise n.unsupported(f"a window of {[row[0] for row in window]} elements")
    best: Value | None = None
    check_table(dims(x), "the operand of select-and-scatter")
    chosen = n.constant(np.zeros(out), DType.I32)
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
    n: SourceNode, x: Value, window: list[tuple[int, ...]], out: tuple[int, ...]
) -> Iterator[tuple[int, Value, Value]]:
    """For each element of the window: its number, its element in every window, and whether that is an element of x."""
    amounts = [(row[2], row[3]) for row in window]
    padded = n.pad(x, amounts, n.asarray(0, x))
    real = np.pad(np.ones(dims(x), bool), amounts)
    for number, at in enumerate(np.ndindex(*(row[0] for row in window))):
        part, inside = padded, real
        for axis, (i, row) in enumerate(zip(at, window, strict=True)):
            end = i + (out[axis] - 1) * row[1] + 1
            part = n.slice_axis(part, axis, i, end, row[1])
            inside = inside.take(range(i, end, row[1]), axis)
        yield number, part, n.constant(inside, DType.BOOL)


def _scattered(
    n: SourceNode, source: Value, chosen: Value, window: list[tuple[int, ...]], shape: tuple[int, ...]
) -> Value:
    """The source's elements at the places of the chosen elements, zeros elsewhere."""
    zero = n.asarray(0, source)
    total: Value | None = None
    for number, at in enumerate(np.ndindex(*(row[0] for row in window))):
        part = n.y(core.Select(n.y(core.Equal(chosen, n.constant(np.asarray(number), DType.I32))), source, zero))
        for axis, row in enumerate(window):
            part = pad_inside(n, part, zero, axis, row[1] - 1)
        edges = []
        for axis, (i, row) in enumerate(zip(at, window, strict=True)):
            low = i - row[2]
            edges.append((low, shape[axis] - dims(part)[axis] - low))
        part = n.pad(part, edges, zero)
        total = part if total is None else n.y(core.Add(total, part))
    if total is None:
        raise n.unsupported("an empty window")
    return total
