"""Elements that are picked, and what is told by comparing with constants, as the TFLite op that does the same:
STRIDED_SLICE that drops axes, BUCKETIZE, MATRIX_DIAG, MATRIX_SET_DIAG; parts of complex numbers as what they were made
of.

Source: LiteRT, kernels/strided_slice.cc, bucketize.cc, matrix_diag.cc, matrix_set_diag.cc.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import TflOp
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.legalize.to_tfl.one_op import builder_at, chain, erase_unused, ints_of, made_by, replace
from mlconv.rewrite import edit

_TO_THE_END = (1 << 31) - 1
_LOOKED_AT = 1 << 16
_OTHER_MASKS = ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
_OF_MATRICES = (DType.F32, DType.F64, DType.I8, DType.U8, DType.I16, DType.I32, DType.I64)  # of a matrix


def drop_axes(op: TflOp) -> bool:
    """RESHAPE that drops axes of which STRIDED_SLICE takes one element each: `x[:, 0]`.  Vectors of sizes are left as
    they are: what asks for one of them gathers it.  Others are cut at once in a branch: where that is not taken, they
    may be empty, and LiteRT prepares no RESHAPE of these.  Elsewhere RESHAPE says that an element is missing.
    """
    x, y = op.inputs[0], op.result
    cut = made_by(x, "STRIDED_SLICE")
    before, after = x.tensor.shape, y.tensor.shape
    if cut is None or not x.has_one_use or before is None or after is None:
        return False
    if len(before) < 2 and not (_is_in_branch(op) and not static(cut.inputs[0].tensor.shape)):
        return False
    strides = ints_of(cut.inputs[3])
    if strides is None or any(cut.attributes.get(name, 0) for name in _OTHER_MASKS):
        return False
    units = [a for a, n in enumerate(before) if strides[a] == 1 and (n == 1 or _takes_one(cut, a))]
    choices = combinations(units, max(len(before) - len(after), 0))
    fits = (some for some in choices if tuple(n for a, n in enumerate(before) if a not in some) == after)
    dropped = next(fits, ())
    if not dropped:
        return False
    options = {**cut.attributes, "shrink_axis_mask": sum(1 << a for a in dropped)}
    replace(op, [cut], builder_at(op, before=cut).one("STRIDED_SLICE", cut.inputs, y.type, **options), "drop-axes")
    return True


def _is_in_branch(op: Op) -> bool:
    """Inside of IF, at any depth."""
    outer = None if op.block is None or op.block.parent is None else op.block.parent.parent
    return outer is not None and (outer.name == "tfl.IF" or _is_in_branch(outer))


def _takes_one(cut: TflOp, axis: int) -> bool:
    """One element of an axis whose size is known at run time, or none where that is 0, which nothing is made of."""
    begin, end = ints_of(cut.inputs[1]), ints_of(cut.inputs[2])
    if begin is None or end is None or cut.attributes["begin_mask"] >> axis & 1:
        return False
    if begin[axis] == -1:
        return bool(cut.attributes["end_mask"] >> axis & 1) or end[axis] == _TO_THE_END
    return not cut.attributes["end_mask"] >> axis & 1 and end[axis] == begin[axis] + 1


def _small(value: Value) -> Array | None:
    constant = const_of(value)
    return constant.view() if constant is not None and constant.size <= _LOOKED_AT else None


def half(op: TflOp) -> bool:
    """REAL or IMAG of complex numbers that were put together is what they were put together of."""
    cast = made_by(op.inputs[0], "BITCAST")
    both = None if cast is None else made_by(cast.inputs[0], "PACK")
    if cast is None or both is None or len(both.inputs) != 2 or both.result.tensor.rank is None:
        return False
    part = both.inputs[op.builtin == "IMAG"]
    if both.attributes["axis"] % both.result.tensor.rank != both.result.tensor.rank - 1 or part.type != op.result.type:
        return False
    edit.rename(part, part.name or op.result.name)
    edit.replace(op, [part])
    erase_unused([cast, both])
    return True


def _is_column(value: Value, x: Value) -> bool:
    """Whether a reshape of x has an axis of one element behind x's.  One size may have two names: the number of all
    elements is the same.
    """
    sizes, before = value.tensor.shape, x.tensor.shape
    if sizes is None or before is None or len(sizes) != len(before) + 1 or sizes[-1] != 1 or 0 in before:
        return False
    return sum(n != m for n, m in zip(sizes, before, strict=False)) <= 1


def bucketize(op: TflOp) -> bool:
    """SUM of the bounds that x is not less than, one after the other."""
    parts = chain(op.inputs[0], "CAST", "LOGICAL_NOT", "LESS")
    if parts is None:
        return False
    value = parts[-1].inputs[0]
    column, axes, rank = made_by(value, "RESHAPE", "EXPAND_DIMS"), ints_of(op.inputs[1]), op.inputs[0].tensor.rank
    bounds = _small(parts[2].inputs[1])
    if column is None or axes is None or rank is None or bounds is None or bounds.ndim != 1 or bounds.dtype != "f4":
        return False
    x = column.inputs[0]
    is_last = [a % rank for a in axes] == [rank - 1] and _is_column(value, x)
    if not is_last or op.result.tensor.dtype is not DType.I32 or op.result.tensor.rank != x.tensor.rank:
        return False
    if not bounds.size or not (np.diff(bounds) >= 0).all():
        return False
    y = builder_at(op).one("BUCKETIZE", [x], op.result.type, boundaries=tuple(bounds.tolist()))
    replace(op, [*parts, column], y, "bucketize")
    return True


def diagonal(op: TflOp) -> bool:
    """SELECT_V2 of a vector along the diagonal of a matrix, and of zeros or another matrix beside it."""
    mask, inside, outside = op.inputs
    gathered, chosen = made_by(inside, "GATHER"), _small(mask)
    if gathered is None or chosen is None or chosen.ndim != 2:
        return False
    shape, n = op.result.tensor.shape, chosen.shape[-1]
    if chosen.shape != (n, n) or not (chosen == np.eye(n, dtype=bool)).all():
        return False
    x, places = gathered.inputs[0], _small(gathered.inputs[1])
    rank, element = x.tensor.rank, op.result.tensor.element
    if places is None or places.shape != (n, n) or not (np.diagonal(places) == np.arange(n)).all() or not rank:
        return False
    is_last = gathered.attributes["axis"] % rank == rank - 1 and not gathered.attributes.get("batch_dims", 0)
    if not is_last or x.tensor.shape is None or shape != (*x.tensor.shape, n) or x.tensor.shape[-1] != n:
        return False
    if element not in _OF_MATRICES or any(v.tensor.element != element for v in (x, outside)):
        return False
    zero = const_of(outside)
    e = builder_at(op)
    if zero is not None and zero.size == 1:
        if zero.view().reshape(()) != 0:
            return False
        y = e.one("MATRIX_DIAG", [x], op.result.type)
    elif outside.tensor.shape == shape:
        y = e.one("MATRIX_SET_DIAG", [outside, x], op.result.type)
    else:
        return False
    replace(op, [gathered], y, "diagonal")
    return True


def narrow_places(op: TflOp) -> bool:
    """Places that were made wider, which the kernel takes as they were."""
    wide = made_by(op.inputs[1], "CAST")
    if wide is None or (wide.inputs[0].tensor.element, op.inputs[1].tensor.element) != (DType.I32, DType.I64):
        return False
    edit.set_operand(op, 1, wide.inputs[0])
    edit.absorb(op, wide, by="narrow-places")
    erase_unused([wide])
    return True
