"""Opcodes that move data.  Source: openxla.org/xla/operation_semantics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.slicing import cuts_own
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.operands import (
    axes_in,
    checked,
    clamped,
    dims,
    highest_begins,
    hlo_rules,
    pad_inside,
    parts_in,
    result,
    sizes_in,
)
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import Part

RULES: Final = hlo_rules()


@RULES.rule("reshape")
@checked
def reshape_(n: SourceNode) -> Value:
    """Row-major, whatever the layouts."""
    return n.reshape(n.operand(0), result(n).static_shape())


@RULES.rule("bitcast")
@checked
def bitcast(n: SourceNode) -> Value:
    """The same memory: elements in the operand's order of axes, taken in that of the result."""
    x, out = n.operand(0), result(n)
    if x.tensor.dtype.bits != out.dtype.bits:
        raise n.unsupported(f"a bitcast from {x.tensor.dtype.display} to {out.dtype.display}")
    if x.tensor.dtype is not out.dtype:
        x = n.y(core.Bitcast(x, dtype=out.dtype))
    shape = out.static_shape()
    have, want = axes_in(n, n.attr("from"), n.rank(x)), axes_in(n, n.attr("to"), len(shape))
    if len(want) != len(shape):
        want = tuple(range(len(shape)))
    stored = n.reshape(n.transpose(x, have), [shape[a] for a in want])
    return n.transpose(stored, [want.index(a) for a in range(len(shape))])


def _spread(n: SourceNode, x: Value, at: Sequence[int], rank: int) -> Value:
    """Axis i of x as axis at[i] of a tensor of another rank, whose other axes are of size 1."""
    sizes = n.dims(x)
    if len(at) != len(sizes):
        raise n.unsupported(f"{len(at)} axes for {x.tensor}")
    order = sorted(range(len(at)), key=lambda i: at[i])
    laid: list[Part] = [1] * rank
    for i, axis in enumerate(at):
        laid[axis] = sizes[i]
    return n.reshape(n.transpose(x, order), laid)


@RULES.rule("broadcast")
@checked
def broadcast_(n: SourceNode) -> Value:
    """Axis i of the operand becomes axis dimensions[i]."""
    shape = result(n).static_shape()
    return n.broadcast_to(_spread(n, n.operand(0), axes_in(n, n.attr("dimensions"), len(shape)), len(shape)), shape)


@RULES.rule("dynamic-broadcast-in-dim")
@checked
def dynamic_broadcast(n: SourceNode) -> Value:
    """Likewise, to a shape that is an operand."""
    shape, rank = sizes_in(n, 1)
    return n.broadcast_to(_spread(n, n.operand(0), axes_in(n, n.attr("dimensions"), rank), rank), shape)


@RULES.rule("transpose")
@checked
def transpose_(n: SourceNode) -> Value:
    """transpose."""
    return n.transpose(n.operand(0), axes_in(n, n.attr("dimensions"), n.rank(n.operand(0))))


@RULES.rule("reverse")
@checked
def reverse(n: SourceNode) -> Value:
    """reverse."""
    axes = axes_in(n, n.attr("dimensions"), n.rank(n.operand(0)))
    return n.y(core.Reverse(n.operand(0), axes=tuple(sorted(axes)))) if axes else n.operand(0)


@RULES.rule("concatenate")
@checked
def concatenate(n: SourceNode) -> Value:
    """concat."""
    (axis,) = axes_in(n, n.attr("dimensions"), n.rank(n.operand(0)))
    return n.y(core.Concat(n.operands(), axis=axis)) if n.n_operands > 1 else n.operand(0)


@RULES.rule("slice")
@checked
def slice_(n: SourceNode) -> Value:
    """slice."""
    bounds = zip(n.attr("starts"), n.attr("limits"), n.attr("strides"), strict=True)
    return n.slice(n.operand(0), dict(enumerate(bounds)))


@RULES.rule("pad")
@checked
def pad_(n: SourceNode) -> Value:
    """Elements inside first, then around; those that are cut off may be some that came in at the other end."""
    x, value = n.operand(0), n.operand(1)
    config = n.attr("padding")
    for axis, (_, _, inside) in enumerate(config):
        x = pad_inside(n, x, value, axis, inside)
    amounts = [(lo, hi) for lo, hi, _ in config]
    if all(cuts_own(size, *pair) for size, pair in zip(x.tensor.shape or (), amounts, strict=True)):
        return n.pad(x, amounts, value)
    wide = n.pad(x, [(max(lo, 0), max(hi, 0)) for lo, hi in amounts], value)
    return n.slice(wide, {i: (max(-lo, 0), hi if hi < 0 else None, 1) for i, (lo, hi) in enumerate(amounts)})


@RULES.rule("iota")
@checked
def iota(n: SourceNode) -> Value:
    """A constant vector, broadcast."""
    t = result(n)
    shape = t.static_shape()
    (axis,) = axes_in(n, n.attr("dimensions"), len(shape))
    check_table((shape[axis],), "iota")
    numbers = np.arange(shape[axis]).astype(t.dtype.numpy)
    line = numbers.reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return n.broadcast_to(n.constant(line, t.dtype), shape)


@RULES.rule("dynamic-iota")
@checked
def dynamic_iota(n: SourceNode) -> Value:
    """A vector that is counted at run time, broadcast."""
    shape, rank = sizes_in(n, 0)
    (axis,) = axes_in(n, n.attr("dimensions"), rank)
    line = n.cast(n.arange(n.slice_axis(shape, 0, axis, axis + 1)), result(n).dtype)
    return n.broadcast_to(_spread(n, line, [axis], rank), shape)


@RULES.rule("dynamic-reshape")
@checked
def dynamic_reshape(n: SourceNode) -> Value:
    """Row-major, to a shape that is an operand."""
    return n.reshape(n.operand(0), sizes_in(n, 1)[0])


@RULES.rule("dynamic-pad")
@checked
def dynamic_pad(n: SourceNode) -> Value:
    """Elements around x; how many is an operand.  Of those between its elements it is to be a number."""
    x, value = n.operand(0), n.operand(1)
    for axis, count in enumerate(n.ints(4)):
        if count < 0:
            raise ConversionError(Code.AttributeInvalid, f"{n.kind} puts {count} elements between others", operand=4)
        x = pad_inside(n, x, value, axis, count)
    low, high = (parts_in(n, i) for i in (2, 3))
    return n.pad(x, list(zip(low, high, strict=True)), value)


@RULES.rule("real-dynamic-slice")
@checked
def real_dynamic_slice(n: SourceNode) -> Value:
    """Bounds are operands; where an end is the begin and a size that is known, so is the size of the result."""
    sizes = _between(n) if set(n.ints(3)) == {1} else None
    if sizes is not None:
        return n.y(core.DynamicSlice(n.operand(0), n.cast(n.operand(1), DType.I64), n.cast(sizes, DType.I64)))
    bounds = zip(parts_in(n, 1), parts_in(n, 2), n.ints(3), strict=True)
    return n.slice(n.operand(0), dict(enumerate(bounds)))


def _between(n: SourceNode) -> Value | None:
    """What is added to begins that only the run tells."""
    begin, end = n.operand(1), n.operand(2).producer
    if not isinstance(end, core.Add) or begin not in (end.a, end.b):
        return None
    sizes = end.b if end.a is begin else end.a
    known, places = sizes.known or (None,), begin.known or (None,)
    return sizes if None in places and None not in known and -1 not in known else None


@RULES.rule("dynamic-slice")
@checked
def dynamic_slice(n: SourceNode) -> Value:
    """The begin is limited so that the slice stays inside."""
    x, sizes = n.operand(0), n.attr("sizes")
    if not sizes:
        return x
    begin = n.stack(n.operands(1))
    begin = clamped(n, begin, highest_begins(n, x, range(n.rank(x)), sizes, sizes))
    return n.y(core.DynamicSlice(x, begin, n.vector(sizes)))


@RULES.rule("dynamic-update-slice")
@checked
def dynamic_update_slice(n: SourceNode) -> Value:
    """A scatter of the update's rows; axes that are written whole stay in the row.  Of open sizes, written as one."""
    x, update = n.operand(0), n.operand(1)
    if not (x.tensor.is_static and update.tensor.is_static):
        return n.y(core.UpdateSlice(x, update, [n.reshape(begin, ()) for begin in n.operands(2)]))
    shape, sizes = dims(x), dims(update)
    depth = max((i + 1 for i, (a, b) in enumerate(zip(shape, sizes, strict=True)) if a != b), default=0)
    if depth == 0:
        return update
    if 0 in sizes:
        return x
    begin = clamped(
        n, n.stack(n.operands(2)[:depth]), [d - s for d, s in zip(shape[:depth], sizes[:depth], strict=True)]
    )
    check_table((*sizes[:depth], depth), "table of the elements that dynamic-update-slice writes")
    elements = np.stack(np.meshgrid(*(np.arange(s) for s in sizes[:depth]), indexing="ij"), -1)
    indices = n.y(core.Add(n.constant(elements.astype(np.int64), DType.I64), begin))
    return n.y(core.ScatterNd(x, indices, update))
