"""Opcodes that combine elements by a computation of scalars: reduce, reduce-window, map, sort, topk.

Computations that are one op become core's reductions and poolings.  Others are applied to whole tensors: a reduction
halves its axis until one element is left, which HLO allows because it leaves the order of combination open.  Source:
openxla.org/xla/operation_semantics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.reduce import limit
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.legalize.from_hlo.extremes import places_of_extremes
from mlconv.legalize.from_hlo.operands import (
    apply,
    apply_in,
    axes_in,
    checked,
    end_behind,
    hlo_rules,
    opcode_of,
    pad_inside,
    parts_of,
    region,
    result,
)
from mlconv.legalize.running import running
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import Part

RULES: Final = hlo_rules()
MAX_WINDOW = 4096
Row = tuple[Size | None, ...]
"""Of a window along an axis: elements, stride, padding in front and behind, dilation of it and of the operand."""
Numbers = tuple[int, ...]


class _Along(NamedTuple):
    """A row whose padding may be computed."""

    elements: int
    stride: int
    before: Part
    behind: Part
    step: int


_WHOLE: Final = _Along(1, 1, 0, 0, 1)  # no window along an axis


_REDUCE: dict[str, type[OpDef]] = {
    "add": core.ReduceSum,
    "multiply": core.ReduceProd,
    "maximum": core.ReduceMax,
    "minimum": core.ReduceMin,
}
_ON_BOOL: dict[str, type[OpDef]] = {
    "or": core.ReduceAny,
    "and": core.ReduceAll,
    "add": core.ReduceAny,
    "multiply": core.ReduceAll,
    "maximum": core.ReduceAny,
    "minimum": core.ReduceAll,
}
_BINARY: dict[str, type[OpDef]] = {
    "add": core.Add,
    "multiply": core.Mul,
    "maximum": core.Maximum,
    "minimum": core.Minimum,
    "or": core.Or,
    "and": core.And,
}


def is_neutral(opcode: str, value: Value) -> bool:
    """The number leaves the other operand alone."""
    array = constant_array(value)
    if array is None or array.size != 1:
        return False
    x: Array = array.reshape(())
    if opcode in ("add", "or"):
        return bool(x == 0)
    if opcode in ("multiply", "and"):
        return bool(x == 1)
    return opcode in ("maximum", "minimum") and bool(x == limit(x, lowest=opcode == "maximum"))


@RULES.rule("reduce")
@checked
def reduce(n: SourceNode) -> Sequence[Value]:
    """One op: core's reduction, joined with the init where that is not neutral."""
    count = n.n_operands // 2
    xs, inits = n.operands()[:count], n.operands()[count:]
    axes = tuple(sorted(axes_in(n, n.attr("dimensions"), n.rank(xs[0]))))
    opcode = opcode_of(region(n)) if count == 1 else ""
    table = _ON_BOOL if xs[0].tensor.dtype is DType.BOOL else _REDUCE
    if opcode in table:
        made = n.y(table[opcode](xs[0], axes=axes)) if axes else xs[0]
        if is_neutral(opcode, inits[0]):
            return [made]
        (joined,) = apply(n, region(n), [n.broadcast_to(inits[0], n.dims(made)), made])
        return [joined]
    found = places_of_extremes(n, xs, inits, axes) if count == 2 and len(axes) == 1 else None
    if found is not None:
        return found
    for axis in reversed(axes):
        xs = _halved(n, xs, axis, inits)
    return apply(n, region(n), [*(n.broadcast_to(i, n.dims(x)) for i, x in zip(inits, xs, strict=True)), *xs])


def _halved(n: SourceNode, xs: list[Value], axis: int, inits: Sequence[Value]) -> list[Value]:
    """Without `axis`: neighbours are combined until one element is left."""
    parts, size = n.dims(xs[0]), n.dim(xs[0], axis)
    rest = [*parts[:axis], *parts[axis + 1 :]]
    if not isinstance(size, int):
        raise ConversionError(Code.ShapeNotStatic, f"axis {axis} of {xs[0].tensor}, which a computation joins, is open")
    if size == 0:
        return [n.broadcast_to(i, rest) for i in inits]
    while size > 1:
        even = size // 2 * 2
        left, right = ([n.slice_axis(x, axis, start, even, 2) for x in xs] for start in (0, 1))
        combined = apply(n, region(n), [*left, *right])
        if size % 2:
            combined = [
                n.y(core.Concat([c, n.slice_axis(x, axis, size - 1, size)], axis=axis))
                for c, x in zip(combined, xs, strict=True)
            ]
        xs, size = combined, (size + 1) // 2
    return [n.reshape(x, rest) for x in xs]


@RULES.rule("map")
@checked
def map_(n: SourceNode) -> Sequence[Value]:
    """The computation on whole tensors."""
    return apply(n, region(n), n.operands())


@RULES.rule("reduce-window")
@checked
def reduce_window(n: SourceNode) -> Sequence[Value]:
    """A running sum or pooling where it is one; else the elements of the window one after another, over all windows at
    once.
    """
    return _windowed(n, n.n_operands // 2, n.attr("window"))


@RULES.rule("dynamic-reduce-window")
@checked
def dynamic_reduce_window(n: SourceNode) -> Sequence[Value]:
    """Of windows that operands say, as told by sizes of others."""
    operands = (n.n_operands - 5) // 2
    count = n.rank(n.operand(0))
    parts = [n.known(i) for i in range(2 * operands, 2 * operands + 5)]
    if [len(part or ()) for part in parts] != [count] * 4 + [2 * count]:
        raise ConversionError(Code.ShapeNotStatic, f"{n.kind}: the windows are not known")
    size, stride, base, step, pad = (part or () for part in parts)
    return _windowed(n, operands, list(zip(size, stride, pad[::2], pad[1::2], step, base, strict=True)))


def _windowed(n: SourceNode, count: int, window: Sequence[Row]) -> Sequence[Value]:
    """count: of tensors, whose windows are combined together."""
    xs, inits = n.operands()[:count], n.operands()[count : 2 * count]
    if any(len(window) != n.rank(x) for x in xs) or n.attr("reversed", ()):
        raise n.unsupported("a window that is turned, or of another rank")
    for axis, row in enumerate(window):
        if not isinstance(row[5], int):
            raise ConversionError(Code.ShapeNotStatic, f"{n.kind}: how far the operand is stretched is not known")
        xs = [pad_inside(n, x, init, axis, row[5] - 1) for x, init in zip(xs, inits, strict=True)]
    window = [(*row[:5], 1) for row in window]
    opcode = opcode_of(region(n)) if count == 1 else ""
    if opcode in _REDUCE:
        if is_neutral(opcode, inits[0]) or all((lo, hi) == (0, 0) for _, _, lo, hi, _, _ in window):
            xs[0], window = _over_open_axes(n, xs[0], opcode, window)
        xs[0], window = _one_in_each(n, xs[0], opcode, window)
    up_to = _running(n, xs, inits, opcode, window)
    if up_to is not None:
        return up_to
    known = [tuple(number for number in row if isinstance(number, int)) for row in window]
    if all(len(row) == 6 for row in known):
        pooled = _pooled(n, xs[0], inits[0], opcode, known)
        if pooled is not None:
            return [pooled]
    return _by_elements(n, xs, inits, opcode, _along(n, window))


def _over_open_axes(n: SourceNode, x: Value, opcode: str, window: Sequence[Row]) -> tuple[Value, Sequence[Row]]:
    """Reduced along axes whose size only the run tells, where the one window is all of it: global pooling."""
    sizes = x.tensor.shape or ()
    whole = tuple(
        axis
        for axis, (size, (k, _, lo, hi, step, _)) in enumerate(zip(sizes, window, strict=True))
        if isinstance(size, Dim) and size == k and (lo, hi, step) == (0, 0, 1)
    )
    if not whole:
        return x, window
    one: Row = (1, 1, 0, 0, 1, 1)
    table = _ON_BOOL if x.tensor.dtype is DType.BOOL else _REDUCE
    rest = [one if axis in whole else row for axis, row in enumerate(window)]
    return n.y(table[opcode](x, axes=whole, keepdims=True)), rest


def _one_in_each(n: SourceNode, x: Value, opcode: str, window: Sequence[Row]) -> tuple[Value, Sequence[Row]]:
    """Repeated along axes of one element with so many neutral ones around it that each window holds it: the gradient of
    global pooling.
    """
    padded = x.producer
    amounts = pad_amounts(padded.pads) if isinstance(padded, core.Pad) and is_neutral(opcode, padded.value) else None
    if not isinstance(padded, core.Pad) or amounts is None or padded.x.tensor.shape is None:
        return x, window
    spread: dict[int, Value] = {}
    for axis, (size, (low, high)) in enumerate(zip(padded.x.tensor.shape, amounts, strict=True)):
        if (low, high) == (0, 0):
            continue
        k, *rest = window[axis]
        if size != 1 or k is None or isinstance(k, int) or rest != [1, 0, 0, 1, 1] or (low, high) != (k - 1, k - 1):
            return x, window
        twice = n.add(n.dim(x, axis), 1)
        spread[axis] = n.y(core.FloorDiv(twice, n.asarray(2, twice)))
    one: Row = (1, 1, 0, 0, 1, 1)
    sizes: list[Part] = [spread.get(axis, size) for axis, size in enumerate(n.dims(padded.x))]
    rows = [one if axis in spread else row for axis, row in enumerate(window)]
    return (n.broadcast_to(padded.x, sizes), rows) if spread else (x, window)


def _along(n: SourceNode, window: Sequence[Row]) -> list[_Along]:
    """Raises ConversionError ShapeNotStatic for windows whose sizes and distances are not numbers."""
    found = []
    for axis, (k, stride, before, behind, step, _) in enumerate(window):
        if not (isinstance(k, int) and isinstance(stride, int) and isinstance(step, int)):
            what = f"{n.kind} of {n.operand(0).tensor}: the window has no fixed size"
            raise ConversionError(Code.ShapeNotStatic, what)
        if isinstance(before, int) and isinstance(behind, int):
            found.append(_Along(k, stride, before, behind, step))
            continue
        pads = n.reshape(n.cast(n.operand(n.n_operands - 1), DType.I64), [2 * len(window)])
        told = parts_of(n, n.slice_axis(pads, 0, 2 * axis, 2 * axis + 2))
        found.append(_Along(k, stride, told[0], told[1], step))
    return found


def _by_elements(
    n: SourceNode, xs: Sequence[Value], inits: Sequence[Value], opcode: str, window: Sequence[_Along]
) -> Sequence[Value]:
    """The elements of the window one after another, over all windows at once."""
    elements = math.prod(row.elements for row in window)
    if elements > MAX_WINDOW:
        raise n.unsupported(f"a window of {elements} elements")
    if not elements:
        raise n.unsupported("an empty window")
    out = [_windows_along(n, part, row) for part, row in zip(n.dims(xs[0]), window, strict=True)]
    pads = [(row.before, row.behind) for row in window]
    padded = [n.pad(x, pads, init) for x, init in zip(xs, inits, strict=True)]
    total: Sequence[Value] = ()
    for at in np.ndindex(*(row.elements for row in window)):
        bounds: dict[int, tuple[Part | None, Part | None, int]] = {}
        for axis, (i, row) in enumerate(zip(at, window, strict=True)):
            if row != _WHOLE:
                begin = i * row.step
                bounds[axis] = begin, end_behind(n, begin, out[axis], row.stride), row.stride
        parts = [n.slice(x, bounds) for x in padded]
        total = apply(n, region(n), [*total, *parts]) if total else parts
    if is_neutral(opcode, inits[0]):
        return total
    return apply(n, region(n), [*(n.broadcast_to(init, out) for init in inits), *total])


def _windows_along(n: SourceNode, size: Part, row: _Along) -> Part:
    """How many windows there are along an axis."""
    if row == _WHOLE:
        return size
    last: Part = -(row.elements - 1) * row.step - 1
    for part in (row.before, row.behind, size):
        last = last + part if isinstance(last, int) and isinstance(part, int) else n.add(part, last)
    if isinstance(last, int):
        return max(last // row.stride + 1, 0)
    steps = last if row.stride == 1 else n.y(core.FloorDiv(last, n.asarray(row.stride, last)))
    return n.maximum(n.add(steps, 1), 0)


def _running(
    n: SourceNode, xs: Sequence[Value], inits: Sequence[Value], opcode: str, window: Sequence[Row]
) -> Sequence[Value] | None:
    """A window as long as its axis, padded so that it holds all elements up to one, or from one on: a running sum or
    product, or the same of another computation, which HLO takes to be associative.
    """
    shape = xs[0].tensor.shape or ()
    wide = [i for i, row in enumerate(window) if row != (1, 1, 0, 0, 1, 1)]
    if len(wide) != 1:
        return None
    (axis,) = wide
    size = shape[axis]
    k, s, lo, hi, d, _ = window[axis]
    if (k, s, d) != (size, 1, 1) or (lo, hi) not in ((size - 1, 0), (0, size - 1)):
        return None
    neutral = is_neutral(opcode, inits[0])
    if neutral and opcode in ("add", "multiply"):
        make = core.CumSum if opcode == "add" else core.CumProd
        return [n.y(make(xs[0], axis=axis, reverse=lo == 0))]
    found = running(n, xs, axis, lambda e, a, b: apply_in(n, region(n), e, [*a, *b]), reverse=lo == 0)
    if neutral:
        return found
    return apply(n, region(n), [*(n.broadcast_to(i, n.dims(x)) for i, x in zip(inits, xs, strict=True)), *found])


def _pooled(n: SourceNode, x: Value, init: Value, opcode: str, window: Sequence[Numbers]) -> Value | None:
    """Windows over inner axes of float tensors: max_pool, or avg_pool times the size of the window."""
    rank = n.rank(x)
    if (
        opcode not in ("maximum", "add")
        or rank < 3
        or rank > 5
        or not is_neutral(opcode, init)
        or not x.tensor.dtype.is_float
    ):
        return None
    whole = [i for i, row in enumerate(window) if row == (1, 1, 0, 0, 1, 1)]
    layout = (
        "".join(["N", *map(str, range(rank - 2)), "C"])
        if {0, rank - 1} <= set(whole)
        else "NC" + "".join(map(str, range(rank - 2)))
    )
    if not {layout.index("N"), layout.index("C")} <= set(whole):
        return None
    axes = [layout.index(str(i)) for i in range(rank - 2)]
    inner = [window[axis] for axis in axes]
    if any(lo < 0 or hi < 0 for _, _, lo, hi, _, _ in inner):
        return None
    if any(_windows_along(n, n.dim(x, a), _Along(*window[a][:5])) == 0 for a in axes):
        return None
    sizes, strides = tuple(r[0] for r in inner), tuple(r[1] for r in inner)
    pads, dilations = tuple((r[2], r[3]) for r in inner), tuple(r[4] for r in inner)
    if opcode == "maximum":
        return n.y(core.MaxPool(x, window=sizes, strides=strides, pads=pads, dilations=dilations, layout=layout))
    mean = n.y(
        core.AvgPool(
            x, window=sizes, strides=strides, pads=pads, dilations=dilations, count_include_pad=True, layout=layout
        ),
    )
    return n.y(core.Mul(mean, n.asarray(float(math.prod(sizes)), x)))


@RULES.rule("sort")
@checked
def sort(n: SourceNode) -> Sequence[Value]:
    """By the operands that decide, each up or down, as trying the comparison on numbers shows, the last of them first:
    equal ones keep their order.  The others follow.
    """
    found = n.operands()
    (axis,) = axes_in(n, n.attr("dimensions"), n.rank(found[0]))
    descending = _descending(n, found)
    size = n.dim(found[0], axis)
    k = n.constant(np.asarray(size), DType.I64) if isinstance(size, int) else n.scalar(size)
    for at, largest in reversed([*enumerate(descending)]):
        top = n.emit(core.TopK(found[at], k, axis=axis, largest=largest))
        moved = enumerate(found)
        found = [top.values if i == at else n.y(core.GatherElements(v, top.indices, axis=axis)) for i, v in moved]
    return found


def _descending(n: SourceNode, keys: Sequence[Value]) -> list[bool]:
    """Of the first operands, which decide one after another, whether the largest come first.  Raises ConversionError
    VariantUnsupported for another comparison.
    """

    def before(pairs: Sequence[tuple[int, int]]) -> bool:
        values = [
            n.constant(np.asarray(v), key.tensor.dtype) for pair, key in zip(pairs, keys, strict=True) for v in pair
        ]
        (outcome,) = apply(n, region(n), values)
        array = constant_array(outcome)
        if array is None:
            raise n.unsupported("a comparison that depends on the model's inputs")
        return bool(array.reshape(()))

    found: list[bool] = []
    for at in range(len(keys)):
        same, left = [(1, 1)] * at, len(keys) - at - 1
        tried = [{before([*same, p, *([q] * left)]) for q in ((1, 1), (1, 0), (0, 1))} for p in ((0, 1), (1, 0))]
        if tried[0] == tried[1] and len(tried[0]) == 1:
            break
        if any(len(one) > 1 for one in tried):
            raise n.unsupported("a comparison that is not by the first operands, one after another")
        found.append(tried[1] == {True})
    if not found:
        raise n.unsupported("a comparison that is not by the first operand")
    return found


def approximate_top(n: SourceNode) -> Sequence[Value]:
    """Values and what goes with them, as many as the result has: the exact ones, as XLA gives on CPUs.  What operands
    begin with says whether they are the largest.
    """
    x, others, start = n.operand(0), n.operand(1), constant_array(n.operand(2))
    if start is None or not np.isinf(start).all():
        raise n.unsupported("a comparison that does not begin at an infinity")
    axis = int(n.attr("reduction_dim")) % n.rank(x)
    k = n.constant(np.asarray(result(n).static_shape()[axis]), DType.I64)
    found = n.emit(core.TopK(x, k, axis=axis, largest=bool((start < 0).all())))
    return [found.values, n.y(core.GatherElements(others, found.indices, axis=axis))]


@RULES.rule("topk")
@checked
def topk(n: SourceNode) -> Sequence[Value]:
    """Along the last axis."""
    x = n.operand(0)
    k = n.constant(np.asarray(n.attr("k")), DType.I64)
    found = n.emit(core.TopK(x, k, axis=n.rank(x) - 1, largest=bool(n.attr("largest")), index_dtype=DType.I32))
    return [found.values, found.indices]
