"""gather and scatter with full dimension numbers.  Source: openxla.org/xla/operation_semantics, Gather and Scatter.

Axes that are picked by an index, one row at a time, are brought to the front: then it is core's gather_nd or
scatter_nd.  Where slices are larger than one row but smaller than their axis, every element gets its own index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.operands import (
    axes_in,
    checked,
    clamped,
    highest_begins,
    hlo_rules,
    opcode_of,
    parts_in,
    region,
    result,
    sizes_in,
)
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import Part

RULES: Final = hlo_rules()
_REDUCTIONS = {"second": "none", "add": "add", "multiply": "mul", "maximum": "max", "minimum": "min"}
Ints = tuple[int, ...]


def _starts(n: SourceNode, indices: Value, vector_dim: int) -> Value:
    """Index vectors as the last axis, int64: [batch..., k]."""
    rank = n.rank(indices)
    if vector_dim == rank:
        indices = n.reshape(indices, [*n.dims(indices), 1])
    elif 0 <= vector_dim < rank:
        indices = n.transpose(indices, [*(i for i in range(rank) if i != vector_dim), vector_dim])
    else:
        raise n.unsupported(f"index_vector_dim {vector_dim} for {indices.tensor}")
    return n.cast(indices, DType.I64)


def _with_batch(n: SourceNode, starts: Value, axes: Ints, batching: Ints, at: Ints) -> tuple[Value, Ints]:
    """Index vectors with a coordinate of its own for every batching axis of the operand."""
    if not at:
        return starts, (*axes, *batching)
    shape = n.dims(starts)
    parts = [starts]
    for dim in at:
        count = shape[dim]
        if isinstance(count, int):
            check_table((count,), "list of batch elements")
        numbers = n.reshape(n.arange(count), [count if i == dim else 1 for i in range(len(shape))])
        parts.append(n.broadcast_to(numbers, (*shape[:-1], 1)))
    return n.y(core.Concat(parts, axis=len(shape) - 1)), (*axes, *batching)


@RULES.rule("gather")
@checked
def gather(n: SourceNode) -> Value:
    """Slices of sizes that are fixed."""
    sizes = tuple(n.attr("slice_sizes"))
    return _gathered(n, sizes, sizes)


@RULES.rule("dynamic-gather")
@checked
def dynamic_gather(n: SourceNode) -> Value:
    """Slices of sizes that are an operand, and told by those of others."""
    if n.rank(n.operand(1)) == 1 and not n.attr("collapsed_slice_dims") and not n.attr("operand_batching_dims"):
        return _one_slice(n)
    known = n.known(2)
    if known is None or None in known:
        raise ConversionError(Code.ShapeNotStatic, f"{n.kind}: the sizes of the slices are not known", operand=2)
    return _gathered(n, tuple(size for size in known if size is not None), parts_in(n, 2))


def _one_slice(n: SourceNode) -> Value:
    """A single slice, wherever it begins and whatever its size: no other index takes part."""
    x, (sizes, rank) = n.operand(0), sizes_in(n, 2)
    begins: list[Part] = [0] * n.rank(x)
    if rank != len(begins):
        raise ConversionError(Code.WrongArity, f"{n.kind} of {x.tensor} has {rank} slice sizes")
    starts = parts_in(n, 1)
    for axis, start in zip(axes_in(n, n.attr("start_index_map"), rank), starts, strict=True):
        begins[axis] = start
    room = n.sub(n.shape_of(x), sizes)
    return n.y(core.DynamicSlice(x, n.minimum(n.maximum(n.vector(begins), 0), room), sizes))


def _gathered(n: SourceNode, sizes: tuple[Size, ...], parts: Sequence[Part]) -> Value:
    """gather_nd over the indexed axes, then the window's axes are moved where they belong.  parts: the sizes, where a
    run tells some.
    """
    x, a = n.operand(0), n.attr
    shape, rank = x.tensor.shape or (), n.rank(x)
    if len(sizes) != rank:
        raise ConversionError(Code.WrongArity, f"{n.kind} of {x.tensor} has {len(sizes)} slice sizes")
    starts = _starts(n, n.operand(1), a("index_vector_dim"))
    mapped = axes_in(n, a("start_index_map"), rank)
    starts, mapped = _moving(n, starts, mapped, [shape[i] - sizes[i] for i in mapped])
    starts = clamped(n, starts, highest_begins(n, x, mapped, sizes, parts))
    batching = axes_in(n, a("operand_batching_dims"), rank)
    starts, picked = _with_batch(n, starts, mapped, batching, a("start_indices_batching_dims"))
    gone = (*axes_in(n, a("collapsed_slice_dims"), rank), *batching)
    window = [i for i in range(rank) if i not in gone]
    out, batch = result(n).shape or (), n.dims(starts)[:-1]
    offsets = _fitting(n, "offset_dims", len(out), window)
    if len(out) != len(batch) + len(window):
        raise ConversionError(
            Code.WrongArity,
            f"{n.kind} of {x.tensor} gives {len(batch) + len(window)} axes, it states the result {result(n)}",
        )
    partial = [i for i in window if sizes[i] != shape[i] or i in picked]
    if partial:
        starts, picked = _per_element(n, starts, picked, partial, [parts[i] for i in partial])
    rest = [i for i in range(rank) if i not in picked]
    moved = n.transpose(x, [*picked, *rest])
    got = n.y(core.GatherNd(moved, starts))
    # The result has the batch axes, then those of `partial`, then the others of the window.
    have = [*(-1 - i for i in range(len(batch))), *partial, *(i for i in rest if i in window)]
    flat = [i for i in rest if i not in window]
    if flat:
        whole = n.dims(x)  # along the other axes of the window
        keep = [*batch, *(parts[i] for i in partial), *(whole[i] for i in rest if i in window)]
        got = n.reshape(got, keep)
    inner, outer = iter(window), iter(-1 - i for i in range(len(batch)))
    want = [next(inner) if i in offsets else next(outer) for i in range(len(out))]
    return n.transpose(got, [have.index(w) for w in want])


def _moving(n: SourceNode, starts: Value, axes: Ints, room: Sequence[Size]) -> tuple[Value, Ints]:
    """Without the axes along which slices are whole and begin at 0, whatever the index; one axis stays in any case."""
    kept = [k for k, size in enumerate(room) if size != 0] or [0]
    if len(kept) >= len(axes):
        return starts, axes
    return n.gather(starts, kept, n.rank(starts) - 1), tuple(axes[k] for k in kept)


def _fitting(n: SourceNode, name: str, rank: int, window: Sequence[int]) -> Ints:
    """Axes of a result or of updates, one for each of the window.  Raises ConversionError WrongArity,
    AttributeInvalid.
    """
    axes = axes_in(n, n.attr(name), rank)
    if len(axes) != len(window):
        raise ConversionError(
            Code.WrongArity, f"{n.kind} names {len(axes)} axes as {name}, its window has {len(window)}"
        )
    return axes


def _per_element(
    n: SourceNode, starts: Value, picked: Ints, partial: list[int], sizes: Sequence[Part]
) -> tuple[Value, Ints]:
    """Index vectors for every element of the slices along `partial`: [batch..., sizes..., k]."""
    shape = n.dims(starts)
    batch, extra = shape[:-1], [i for i in partial if i not in picked]
    wide = n.broadcast_to(n.reshape(starts, (*batch, *[1] * len(sizes), shape[-1])), (*batch, *sizes, shape[-1]))
    names = (*picked, *extra)
    if extra:
        zeros = n.constant(np.zeros((*(1,) * (len(batch) + len(sizes)), len(extra)), np.int64), DType.I64)
        wide = n.concat([wide, n.broadcast_to(zeros, (*batch, *sizes, len(extra)))], len(batch) + len(sizes))
    columns = [names.index(axis) for axis in partial]
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) == len(sizes):
        return n.y(core.Add(wide, _offsets(n, known, columns, len(names)))), names
    for k, (size, column) in enumerate(zip(sizes, columns, strict=True)):
        grid = n.reshape(n.arange(size), [size if i == k else 1 for i in range(len(sizes))] + [1])
        only = np.arange(len(names)) == column
        wide = n.add(wide, n.mul(grid, n.constant(only.astype(np.int64), DType.I64)))
    return wide, names


def _offsets(n: SourceNode, sizes: Sequence[int], columns: Sequence[int], width: int) -> Value:
    """Of every element of a slice its distances from the first one, each in its column."""
    check_table((*sizes, width), "table of places within a slice")
    offsets = np.zeros((*sizes, width), np.int64)
    for k, column in enumerate(columns):
        grid = np.arange(sizes[k]).reshape([-1 if i == k else 1 for i in range(len(sizes))])
        offsets[..., column] += grid
    return n.constant(offsets, DType.I64)


@RULES.rule("scatter")
@checked
def scatter(n: SourceNode) -> Value:
    """scatter_nd over the indexed axes.  Updates that would leave the tensor go to a row behind it, which is
    dropped.
    """
    if n.n_operands != 3:
        raise n.unsupported(f"{n.n_operands // 2} operands at once")
    data, updates, a = n.operand(0), n.operand(2), n.attr
    reduction = _REDUCTIONS.get(opcode_of(region(n)))
    if reduction is None:
        raise n.unsupported("a computation that is not a single add, multiply, maximum, minimum or replacement")
    shape, rank = data.tensor.shape or (), n.rank(data)
    starts = _starts(n, n.operand(1), a("index_vector_dim"))
    mapped = axes_in(n, a("scatter_dims_to_operand_dims"), rank)
    batching = axes_in(n, n.attr("input_batching_dims", ()), rank)
    starts, picked = _with_batch(n, starts, mapped, batching, n.attr("scatter_indices_batching_dims", ()))
    gone = (*axes_in(n, a("inserted_window_dims"), rank), *batching)
    window = [i for i in range(rank) if i not in gone]
    at = _fitting(n, "update_window_dims", n.rank(updates), window)
    given = updates.tensor.shape or ()
    sizes: list[Size] = [given[at[window.index(i)]] if i in window else 1 for i in range(rank)]
    lengths = n.dims(updates)
    parts: list[Part] = [lengths[at[window.index(i)]] if i in window else 1 for i in range(rank)]
    inside = _inside(n, starts, highest_begins(n, data, picked, sizes, parts))
    if not data.tensor.is_static:  # windows that are inside begin at 0 where they are whole
        starts, picked = _moving(n, starts, picked, [shape[i] - sizes[i] if i in window else 1 for i in picked])
    partial = [i for i in window if sizes[i] != shape[i] or i in picked]
    batch = [i for i in range(n.rank(updates)) if i not in at]
    rest = [i for i in range(rank) if i not in (*picked, *partial)]
    updates = n.transpose(
        updates, [*batch, *(at[window.index(i)] for i in partial), *(at[window.index(i)] for i in rest)]
    )
    if partial:
        starts, picked = _per_element(n, starts, picked, partial, [parts[i] for i in partial])
        flag = n.reshape(inside, (*n.dims(inside)[:-1], *[1] * len(partial), 1))
        inside = n.broadcast_to(flag, (*n.dims(starts)[:-1], 1))
    order = [*picked, *rest]
    moved = n.transpose(data, order)
    size = n.dims(moved)[0]
    outside = n.vector([size, *[0] * (len(picked) - 1)])
    starts = n.y(core.Select(inside, starts, outside))
    grown = n.pad(moved, [(0, 1 if i == 0 else 0) for i in range(rank)], n.asarray(0, moved))
    added = n.y(core.ScatterNd(grown, starts, updates, reduction=reduction))
    done = n.slice_axis(added, 0, 0, size)
    return n.transpose(done, [order.index(i) for i in range(rank)])


def _inside(n: SourceNode, starts: Value, highest: Value | Sequence[int]) -> Value:
    """Which windows lie within the tensor: bool [batch..., 1]."""
    low = n.y(core.GreaterEqual(starts, n.asarray(0, starts)))
    most = highest if isinstance(highest, Value) else n.constant(np.asarray(highest), DType.I64)
    high = n.y(core.LessEqual(starts, most))
    return n.y(core.ReduceAll(n.y(core.And(low, high)), axes=(n.rank(starts) - 1,), keepdims=True))
