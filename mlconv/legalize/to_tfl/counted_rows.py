"""The front of a table, as long as something counts in any case, as the rows at these places: no vector says where the
front ends.

Source: LiteRT, kernels/range.cc, gather.cc: both know the shapes of their results before they run where the limit is a
size.
"""

from __future__ import annotations

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.one_op import builder_at, ints_of, made_by, replace
from mlconv.rewrite import edit

_STEPS = 1 << 12  # from one op to another
_TYPES = (DType.F32, DType.I32, DType.I64)


def count_rows(op: TflOp) -> bool:
    """STRIDED_SLICE of the first rows of a constant, up to a size, as GATHER at a RANGE up to that size."""
    x, y = op.inputs[0], op.result
    rows, made = x.tensor.shape, y.tensor.shape
    if (
        const_of(x) is None
        or x.tensor.element not in _TYPES
        or not rows
        or made is None
        or len(made) != len(rows)
        or made[1:] != rows[1:]
    ):
        return False
    if any(ints_of(op.inputs[i]) != [n] * len(rows) for i, n in ((1, 0), (3, 1))) or _cuts_more(op, len(rows)):
        return False
    end = made_by(op.inputs[2], "GATHER")
    at = None if end is None else ints_of(end.inputs[1])
    if end is None or not at or end.attributes.get("axis") or end.inputs[0].tensor.rank != 1:
        return False
    found = _count(end.inputs[0], at[0])
    if found is None or found.block is not op.block or found.result.tensor.shape != made[:1]:
        return False  # a GATHER does not end with the table, as a STRIDED_SLICE up to a size beyond it does
    if not _stands_before(found, op):
        return False
    rows_at = builder_at(op).one("GATHER", [x, found.result], y.type, axis=0, batch_dims=0)
    replace(op, [end], rows_at, "count-rows")
    return True


def _cuts_more(op: TflOp, rank: int) -> bool:
    """Along other axes than the first one, or with other axes than there were."""
    others = any(op.attributes.get(name, 0) for name in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask"))
    return others or int(op.attributes.get("end_mask", 0)) != (1 << rank) - 2


def _count(sizes: Value, place: int) -> TflOp | None:
    """RANGE from 0 to the number at a place of a vector of sizes."""
    numbers = [n for n in sizes.users if isinstance(n, TflOp) and n.builtin == "GATHER" and n.result.tensor.shape == ()]
    counts = [op for n in numbers if ints_of(n.inputs[1]) == [place] for op in n.result.users if _counts(op, n.result)]
    return counts[0] if counts and isinstance(counts[0], TflOp) else None


def _counts(op: Op, limit: Value) -> bool:
    if not isinstance(op, TflOp) or op.builtin != "RANGE" or op.inputs[1] is not limit:
        return False
    return ints_of(op.inputs[0]) == [0] and ints_of(op.inputs[2]) == [1]


def _stands_before(count: TflOp, op: Op) -> bool:
    """Whether it does, or could be moved there with all that it reads, as it now is."""
    if _follows(op, count):
        return True
    if not _follows(count, op):
        return False
    number = count.inputs[1].producer
    for part in (
        number.inputs[1].producer if number is not None else None,
        number,
        *(v.producer for v in count.inputs),
    ):
        if part is not None and _follows(part, op):
            edit.move(part, before=op)
    edit.move(count, before=op)
    return True


def _follows(op: Op, other: Op) -> bool:
    """Whether an op stands behind another one, not far away."""
    at = other.next
    for _ in range(_STEPS):
        if at is op or at is None:
            break
        at = at.next
    return at is op
