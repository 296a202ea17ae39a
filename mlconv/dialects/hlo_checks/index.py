"""HLO's gather and scatter."""

from __future__ import annotations

from collections.abc import Callable

from mlconv.dialects.hlo_checks.base import (
    Ints,
    axes,
    dtype,
    is_index,
    numbers,
    region_types,
    result_is,
    scalars,
    shape,
)
from mlconv.ir.target_op import TargetOp


def _rising(op: TargetOp, name: str, rank: int) -> Ints:
    """Axes in order."""
    found = axes(op, name, rank)
    if list(found) != sorted(found):
        raise op.malformed(f"{name} is not sorted: {list(found)}")
    return found


def _spots(op: TargetOp, at: int, mapped: str, rank: int) -> list[int]:
    """The sizes of an operand of indices, less the axis of the index vectors.  mapped: the axes that these are for."""
    index, vector = list(shape(op, at)), op.attributes["index_vector_dim"]
    if not is_index(dtype(op, at)) or not 0 <= vector <= len(index):
        raise op.malformed(f"indices are {op.inputs[at].type}, with vectors along axis {vector}")
    count = index.pop(vector) if vector < len(index) else 1
    if len(axes(op, mapped, rank)) != count:
        raise op.malformed(f"{mapped} has {len(op.attributes[mapped])} axes for vectors of {count} indices")
    return index


def _batching(op: TargetOp, names: tuple[str, str], at: int) -> Ints:
    """Axes of operand 0 that go along with axes of the indices."""
    data, index = shape(op), shape(op, at)
    mine, its = _rising(op, names[0], len(data)), axes(op, names[1], len(index))
    if [data[i] for i in mine] != [index[i] for i in its]:
        raise op.malformed(f"{names[0]} and {names[1]} are axes of different sizes")
    return mine


def _gather(op: TargetOp) -> None:
    data = shape(op)
    index = _spots(op, 1, "start_index_map", len(data))
    sizes = numbers(op, "slice_sizes", len(data))
    if any(not 0 <= s <= n for s, n in zip(sizes, data, strict=True)):
        raise op.malformed(f"slices of {list(sizes)} leave the operand")
    collapsed = _rising(op, "collapsed_slice_dims", len(data))
    batching = _batching(op, ("operand_batching_dims", "start_indices_batching_dims"), 1)
    gone = (*collapsed, *batching)
    if len(set(gone)) < len(gone) or any(sizes[i] > 1 for i in gone):
        raise op.malformed(f"axes {list(gone)} do not vanish: slices are {list(sizes)}")
    window = [n for i, n in enumerate(sizes) if i not in gone]
    rank = len(index) + len(window)
    offsets = _rising(op, "offset_dims", rank)
    if len(window) != len(offsets):
        raise op.malformed(f"{len(window)} window axes for offset_dims {list(offsets)}")
    parts = {True: iter(window), False: iter(index)}
    result_is(op, [next(parts[i in offsets]) for i in range(rank)], dtype(op))


def _scatter(op: TargetOp) -> None:
    count = len(op.results)
    if len(op.inputs) != 2 * count + 1:
        raise op.malformed(f"it has {len(op.inputs)} operands for {count} results")
    data = shape(op)
    index = _spots(op, count, "scatter_dims_to_operand_dims", len(data))
    inserted = _rising(op, "inserted_window_dims", len(data))
    batching = _batching(op, ("input_batching_dims", "scatter_indices_batching_dims"), count)
    room = [n for i, n in enumerate(data) if i not in (*inserted, *batching)]
    for i in range(count):
        updates = shape(op, count + 1 + i)
        kept = _rising(op, "update_window_dims", len(updates))
        spots = [n for axis, n in enumerate(updates) if axis not in kept]
        window = [updates[axis] for axis in kept]
        if spots != index or len(window) != len(room) or any(w > n for w, n in zip(window, room, strict=True)):
            raise op.malformed("the updates do not fit")
        if shape(op, i) != data or dtype(op, count + 1 + i) is not dtype(op, i):
            raise op.malformed(f"updates of {op.inputs[i].type} are {op.inputs[count + 1 + i].type}")
        result_is(op, data, dtype(op, i), i)
    each = scalars(op, 0, count)
    region_types(op, op.regions[0], [*each, *each], each, "the computation")


CHECKS: dict[str, Callable[[TargetOp], None]] = {"gather": _gather, "scatter": _scatter}
