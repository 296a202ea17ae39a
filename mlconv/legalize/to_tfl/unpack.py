"""Slices of one element of an axis, all of a tensor, without that axis: UNPACK.

Source: LiteRT, kernels/unpack.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_tfl.dtypes_table import DELEGATE_RANK
from mlconv.legalize.to_tfl.one_op import builder_at, erase_unused, ints_of, made_by
from mlconv.rewrite import edit

_UNPACKED = (DType.F32, DType.I8, DType.U8, DType.I16, DType.I32)
"""What the kernel copies, with the scales of quantized ones."""


class _Slice(NamedTuple):
    """last: the op whose result has lost the axis.  turned: the transpose before it.  perm: that of the rest."""

    last: Op
    turned: TflOp | None = None
    perm: tuple[int, ...] = ()


def unpack_parts(op: TflOp) -> bool:
    """SPLIT into parts of size 1, of which each loses the axis, at once or behind a transpose."""
    axis, x = const_of(op.inputs[0]), op.inputs[1]
    shape = x.tensor.shape
    if axis is None or shape is None:
        return False
    at = int(axis.view().reshape(())) % len(shape)
    found = []
    for part in op.results:
        slices = [_slice(user, x, at) for user in part.users]
        if len(slices) > 1 or None in slices:
            return False
        found.append(next(iter(slices), None))
    return any(found) and _unpacked(op, x, at, found, op)


def unpack_picks(op: TflOp) -> bool:
    """GATHER of each element of an axis.  Vectors, of sizes often, are left as they are."""
    x, at = op.inputs[0], op.attributes.get("axis", 0)
    shape = x.tensor.shape
    if shape is None or len(shape) < 2 or len(x.uses) != shape[at % len(shape)] or _index(op, at) is None:
        return False
    at %= len(shape)
    inner = shape[:at] + shape[at + 1 :]
    picks = {_index(user, op.attributes.get("axis", 0)): user for user in x.users if user.block is op.block}
    if set(picks) != set(range(len(x.uses))) or not all(_has(user.results[0], x, inner) for user in picks.values()):
        return False
    return _unpacked(op, x, at, [_Slice(picks[i]) for i in range(len(picks))])


def _index(user: Op, axis: int) -> int | None:
    """Which element of the axis an op takes."""
    if not isinstance(user, TflOp) or user.builtin != "GATHER" or user.attributes.get("batch_dims", 0):
        return None
    numbers = ints_of(user.inputs[1])
    is_one = numbers is not None and user.inputs[1].tensor.rank == 0 and user.attributes.get("axis", 0) == axis
    return numbers[0] if numbers is not None and is_one else None


def _slice(user: Op, x: Value, at: int) -> _Slice | None:
    """What an op makes of a slice that has one element of the axis."""
    shape = x.tensor.shape
    assert shape is not None
    inner = shape[:at] + shape[at + 1 :]
    if not isinstance(user, TflOp) or len(user.results) != 1:
        return None
    y = user.result
    if made_by(y, "RESHAPE", "SQUEEZE") is not None:
        return _Slice(user) if _has(y, x, inner) else None
    order = ints_of(user.inputs[1]) if user.builtin == "TRANSPOSE" and y.has_one_use else None
    last = y.users[0] if order is not None else None
    if order is None or not isinstance(last, TflOp) or last.builtin not in ("RESHAPE", "SQUEEZE"):
        return None
    perm = tuple(a - (a > at) for a in order if a != at)
    return _Slice(last, user, perm) if _has(last.result, x, tuple(inner[a] for a in perm)) else None


def _has(y: Value, x: Value, shape: Shape) -> bool:
    return y.tensor.shape == shape and y.tensor.element == x.tensor.element


def _unpacked(before: Op, x: Value, at: int, slices: Sequence[_Slice | None], *made_of: TflOp) -> bool:
    """One UNPACK in the place of what made the slices."""
    shape = x.tensor.shape
    assert shape is not None
    inner = shape[:at] + shape[at + 1 :]
    # UNPACK refuses tensors without elements, of which a detector that finds nothing has some
    if len(slices) < 2 or shape[at] != len(slices) or 0 in inner or not is_told(inner):
        return False
    if x.tensor.dtype not in _UNPACKED:
        return False
    types = [TensorType(x.tensor.element, inner)] * len(slices)
    e, apart = builder_at(before), _apart(x, at)
    if apart is not None:
        parts = e.tfl("SPLIT", [e.i(len(inner) - 1), apart.inputs[0]], types, num_splits=len(slices))
        made_of = (*made_of, apart)
    else:
        parts = e.tfl("UNPACK", [x], types, num=len(slices), axis=at)
    made = parts[0].producer
    assert made is not None
    used = [s for s in slices if s is not None]
    edit.absorb(made, *made_of, *(s.last for s in used), by="unpack")
    for s, part in zip(slices, parts, strict=True):
        if s is not None:
            _put(s, part)
    sizes = None if apart is None else made_by(apart.inputs[1], "GATHER")
    erase_unused([*made_of, *([] if sizes is None else [sizes])])
    return True


def _apart(x: Value, at: int) -> TflOp | None:
    """RESHAPE that makes two axes of the last one, of which the first one is unpacked: queries, keys and values."""
    op = made_by(x, "RESHAPE")
    shape, before = x.tensor.shape, op.inputs[0].tensor.shape if op is not None else None
    if op is None or shape is None or before is None or at != len(shape) - 2 or len(before) != len(shape) - 1:
        return None
    return op if before[:-1] == shape[:-2] and len(before) <= DELEGATE_RANK else None


def _put(s: _Slice, part: Value) -> None:
    """The part in the place of a slice, with its axes in order."""
    y, name = part, s.last.results[0].name
    if s.perm not in ((), tuple(range(len(s.perm)))):
        e = builder_at(s.last)
        y = e.one("TRANSPOSE", [part, e.ints(s.perm)], s.last.results[0].type)
    edit.rename(y, name or y.name)
    edit.replace(s.last, [y])
    erase_unused([s.turned] if s.turned is not None else [])
