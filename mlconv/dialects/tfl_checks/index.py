"""TFLite ops that take parts of tensors, put parts in, or reduce them."""

from __future__ import annotations

from mlconv.dialects.tfl_checks.base import (
    INDICES,
    Check,
    Extent,
    Sizes,
    agree,
    alike,
    axis_of,
    element,
    gives,
    has_rank,
    index_type,
    index_vector,
    is_one_of,
    is_scalar,
    number,
    numbers,
    option,
    same_elements,
    sizes,
    text,
)
from mlconv.dialects.tfl_checks.movement import made_shape
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp


def _slice(op: TargetOp) -> None:
    """A size of -1 is what is left."""
    have = sizes(op)
    rank = None if have is None else len(have)
    begin, size = index_vector(op, 1, rank), index_vector(op, 2, rank)
    gives(op, None if have is None else (None,) * len(have), element(op))
    if have is None or size is None:
        return
    out: list[Extent] = []
    for n, b, s in zip(have, begin or (None,) * len(have), size, strict=True):
        if (b is not None and b < 0) or (s is not None and s < -1):
            raise op.malformed(f"{s} elements from {b}")
        left = None if n is None or b is None else n - b
        if left is not None and s is not None and not -1 <= s <= left:
            raise op.malformed(f"{s} elements from {b} leave the size {n}")
        out.append(left if s == -1 else s)
    gives(op, tuple(out))


def _strided_slice(op: TargetOp) -> None:
    have = sizes(op)
    shape = sizes(op, 1)
    length = None if shape is None else shape[0] if shape else None
    begin, end, strides = (index_vector(op, i, length) for i in (1, 2, 3))
    gives(op, None, element(op))
    if strides is not None and 0 in strides:
        raise op.malformed("a stride is 0")
    if have is None or length is None or option(op, "ellipsis_mask") or option(op, "new_axis_mask"):
        return
    if length > len(have):
        raise op.malformed(f"{length} bounds for {text(have)}")
    masks = {name: int(option(op, f"{name}_mask")) for name in ("begin", "end", "shrink_axis")}
    unknown = (None,) * length
    out: list[Extent] = []
    rows = zip(have, begin or unknown, end or unknown, strides or unknown, strict=False)
    for i, (n, b, e, s) in enumerate(rows):
        if masks["shrink_axis"] >> i & 1:
            continue
        b = _MASKED if masks["begin"] >> i & 1 else b
        e = _MASKED if masks["end"] >> i & 1 else e
        out.append(None if option(op, "offset") else _extent(n, b, e, s))
    gives(op, (*out, *have[length:]))


_MASKED = 1 << 40
"""A bound that is left out: as far as the axis goes."""


def _extent(n: Extent, begin: Extent, end: Extent, stride: Extent) -> Extent:
    if n is None or begin is None or end is None or stride is None:
        return None
    low, high = (0, n) if stride > 0 else (-1, n - 1)
    first = (low if stride > 0 else high) if begin == _MASKED else min(max(begin + n * (begin < 0), low), high)
    last = (high if stride > 0 else low) if end == _MASKED else min(max(end + n * (end < 0), low), high)
    return max(0, -(-(last - first) // stride))


def _gather(op: TargetOp) -> None:
    have, index = sizes(op), sizes(op, 1)
    is_one_of(op, 1, DType.I16, *INDICES)
    gives(op, None, element(op))
    if have is None or index is None:
        return
    axis = axis_of(op, int(option(op, "axis")), len(have))
    batch = int(option(op, "batch_dims"))
    if batch:
        batch = axis_of(op, batch, len(index) + 1, "batch_dims")
    if batch > axis or not alike(have[:batch], index[:batch]):
        raise op.malformed(f"batch_dims {batch} of {text(have)} and {text(index)}")
    gives(op, (*have[:axis], *index[batch:], *have[axis + 1 :]))


def _gather_nd(op: TargetOp) -> None:
    have, index = sizes(op), sizes(op, 1)
    is_one_of(op, 1, DType.I16, *INDICES)
    gives(op, None, element(op))
    if have is None or index is None:
        return
    if not index or (index[-1] is not None and index[-1] > len(have)):
        raise op.malformed(f"indices are {text(index)} into {text(have)}")
    if index[-1] is not None:
        gives(op, (*index[:-1], *have[index[-1] :]))


def _scatter_nd(op: TargetOp) -> None:
    index, updates, want = sizes(op, 0), sizes(op, 1), made_shape(op, 2)
    is_one_of(op, 0, *INDICES)
    gives(op, want, element(op, 1))
    if index is None or want is None:
        return
    if not index or (index[-1] is not None and index[-1] > len(want)):
        raise op.malformed(f"indices are {text(index)} into {text(want)}")
    if index[-1] is not None and not alike(updates, (*index[:-1], *want[index[-1] :])):
        raise op.malformed(f"updates are {text(updates)}, expected {text((*index[:-1], *want[index[-1] :]))}")


def _sparse_to_dense(op: TargetOp) -> None:
    is_one_of(op, 0, *INDICES)
    is_scalar(op, 3)
    gives(op, made_shape(op, 1), same_elements(op, 2, 3))


def _update_slice(op: TargetOp) -> None:
    have, update = sizes(op), sizes(op, 1)
    gives(op, have, same_elements(op, 0, 1))
    if have is None:
        return
    index_vector(op, 2, len(have))
    if update is not None and (
        len(update) != len(have)
        or any(u is not None and n is not None and u > n for u, n in zip(update, have, strict=True))
    ):
        raise op.malformed(f"an update of {text(update)} in {text(have)}")


def _one_hot(op: TargetOp) -> None:
    index = sizes(op)
    is_one_of(op, 0, *INDICES)
    for i in (1, 2, 3):
        is_scalar(op, i)
    gives(op, None, same_elements(op, 2, 3))
    if index is not None:
        axis = axis_of(op, int(option(op, "axis")), len(index) + 1)
        gives(op, (*index[:axis], number(op, 1), *index[axis:]))


def _where(op: TargetOp) -> None:
    have = sizes(op)
    gives(op, (None, None if have is None else len(have)), DType.I64)


def _unique(op: TargetOp) -> None:
    has_rank(op, 0, 1)
    gives(op, (None,), element(op), 0)
    gives(op, sizes(op), index_type(op, "idx_out_type"), 1)


# reductions ------------------------------------------------------------------------------------------------------
def _axes(op: TargetOp, rank: int) -> set[int] | None:
    """The axes that operand 1 names; None where they are not known."""
    is_one_of(op, 1, *INDICES)
    found = numbers(op, 1)
    if found is None or None in found:
        return None
    return {axis_of(op, axis, rank) for axis in found if axis is not None}


def _reduced(have: Sizes, axes: set[int], keep: bool) -> Sizes:
    if keep:
        return tuple(1 if i in axes else n for i, n in enumerate(have))
    return tuple(n for i, n in enumerate(have) if i not in axes)


def _reduce(op: TargetOp) -> None:
    have, keep = sizes(op), bool(option(op, "keep_dims"))
    gives(op, None, element(op))
    axes = None if have is None else _axes(op, len(have))
    if have is not None and axes is not None:
        gives(op, _reduced(have, axes, keep))
    elif have is not None and keep:
        gives(op, (None,) * len(have))


def _bools(op: TargetOp) -> None:
    is_one_of(op, 0, DType.BOOL)


def _arg(op: TargetOp) -> None:
    have = sizes(op)
    is_scalar(op, 1)
    gives(op, None, index_type(op, "output_type"))
    if have is None:
        return
    axes = _axes(op, len(have))
    gives(op, (None,) * (len(have) - 1) if axes is None else _reduced(have, axes, keep=False))


def _along(op: TargetOp) -> None:
    have = sizes(op)
    gives(op, have, element(op))
    if have is not None:
        _axes(op, len(have))


def _segment_sum(op: TargetOp) -> None:
    have = sizes(op)
    is_one_of(op, 1, *INDICES)
    if have is not None and not (have and alike(sizes(op, 1), have[:1])):
        raise op.malformed(f"segments are {text(sizes(op, 1))} of {text(have)}")
    gives(op, None if have is None else (None, *have[1:]), element(op))


def _unsorted_segments(op: TargetOp) -> None:
    have, ids = sizes(op), sizes(op, 1)
    is_one_of(op, 1, *INDICES)
    is_scalar(op, 2)
    gives(op, None, element(op))
    if have is None or ids is None:
        return
    if not alike(have[: len(ids)], ids):
        raise op.malformed(f"segments are {text(ids)} of {text(have)}")
    gives(op, (number(op, 2), *have[len(ids) :]))


def _suppression(op: TargetOp) -> None:
    """Boxes that are kept, their scores in version 5, and how many."""
    boxes, scores, most = sizes(op, 0), sizes(op, 1), number(op, 2)
    has_rank(op, 0, 2)
    has_rank(op, 1, 1)
    for i in range(2, len(op.operands)):
        is_scalar(op, i)
    if boxes is not None and (not agree(boxes[1], 4) or (scores is not None and not agree(boxes[0], scores[0]))):
        raise op.malformed(f"boxes are {text(boxes)}, scores {text(scores)}")
    last = len(op.results) - 1
    gives(op, (most,), DType.I32, 0)
    gives(op, (), DType.I32, last)
    if last == 2:
        gives(op, (most,), DType.F32, 1)


CHECKS: dict[str, tuple[Check, ...]] = {
    "SLICE": (_slice,),
    "STRIDED_SLICE": (_strided_slice,),
    "GATHER": (_gather,),
    "GATHER_ND": (_gather_nd,),
    "SCATTER_ND": (_scatter_nd,),
    "SPARSE_TO_DENSE": (_sparse_to_dense,),
    "DYNAMIC_UPDATE_SLICE": (_update_slice,),
    "ONE_HOT": (_one_hot,),
    "WHERE": (_where,),
    "UNIQUE": (_unique,),
    **dict.fromkeys(("SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"), (_reduce,)),
    **dict.fromkeys(("REDUCE_ALL", "REDUCE_ANY"), (_bools, _reduce)),
    **dict.fromkeys(("ARG_MAX", "ARG_MIN"), (_arg,)),
    **dict.fromkeys(("CUMSUM", "REVERSE_V2"), (_along,)),
    "SEGMENT_SUM": (_segment_sum,),
    **dict.fromkeys((f"UNSORTED_SEGMENT_{name}" for name in ("MAX", "MIN", "PROD", "SUM")), (_unsorted_segments,)),
    **dict.fromkeys(("NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5"), (_suppression,)),
}
