"""Integers of 4 bits that are taken out of the bytes of constants, two of each: they are stored as what they are.

Source: Keras, quantizers.unpack_int4, as a SavedModel spells it: masks, shifts, and a stack of both halves.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import storage_range
from mlconv.ir.spec import OpDef
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, constant_of, rewrite
from mlconv.rewrite.fold import MOST_BYTES, is_foldable
from mlconv.rewrite.pattern import Replacement

_HALVES = {DType.I8: DType.I4, DType.U8: DType.U4}
_MOST_OPS = 64  # that take integers out of bytes
_LEAST = 1 << 8  # integers


def narrowed(value: Value) -> Const | None:
    """Integers that are computed from constants, as 4 bits; None where they have more, or are no constants."""
    narrow, size = _HALVES.get(value.tensor.dtype), value.tensor.size
    if narrow is None or value.tensor.quant is not None or (value.tensor.rank or 0) < 2 or not isinstance(size, int):
        return None
    if size < _LEAST or const_of(value) is not None or not _is_of_constants(value):
        return None
    computed = constant_of(value, MOST_BYTES)
    if computed is None:
        return None
    integers, (low, high) = computed.view(), storage_range(narrow)
    return make_const(integers, narrow) if low <= integers.min() and integers.max() <= high else None


def _is_of_constants(value: Value) -> bool:
    """Few ops on integers lie between constants and a value, and no lookups, of which scales of groups are told."""
    left, seen = [value], {value}
    while left and len(seen) <= _MOST_OPS:
        v = left.pop()
        if const_of(v) is not None:
            continue
        maker = v.producer
        fits = v.tensor.dtype.is_int and isinstance(maker, OpDef) and not isinstance(maker, core.Gather)
        if not fits or not isinstance(maker, OpDef) or not is_foldable(maker, MOST_BYTES):
            return False
        inputs = [i for i in maker.inputs if i not in seen]
        left += inputs
        seen.update(inputs)
    return not left


@rewrite(core.Cast)
def narrow_integers(op: core.Cast, rw: Rewriter) -> Replacement | NoMatch:
    """Integers that become numbers."""
    if op.dtype is not DType.F32 or op.x.tensor.dtype not in _HALVES:
        return NOT_MEANT
    narrow = narrowed(op.x)
    if narrow is None:
        return NoMatch("no integers of 4 bits that constants tell")
    return rw.emit(core.Cast(rw.emit(core.Constant(value=narrow)).y, dtype=op.dtype)).y


PATTERNS = (narrow_integers,)
