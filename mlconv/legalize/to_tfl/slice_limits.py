"""Bounds of slices as int32, which STRIDED_SLICE takes: numbers of a run that may be larger are limited first."""

from __future__ import annotations

from collections.abc import Iterable

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Region, Value, walk
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.spec import known_ints
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.rewrite import edit
from mlconv.rewrite.value_ranges import ValueRanges

INT32_MAX = 2**31 - 1
_LONG = 1 << 15  # of an axis: the product of two such fits


def saturated(bound: Value, e: TflBuilder) -> Value:
    """A run-time int64 bound limited to int32, so that "the largest integer" stays large.  What sizes tell fits, and
    what is picked among such numbers.
    """
    known = known_ints(bound)
    if bound.tensor.dtype is not DType.I64 or (known is not None and all(map(_fits, known))) or _is_small(bound):
        return bound
    return e.y(
        core.Maximum(e.y(core.Minimum(bound, e.constant(INT32_MAX, DType.I64))), e.constant(-INT32_MAX, DType.I64))
    )


def narrow_inside(regions: Iterable[Region], e: TflBuilder) -> None:
    """Bounds in regions that are int32 by what is known around them, which their arguments will not tell any more."""
    for op in [op for region in regions for op in walk(region.block) if isinstance(op, core.Slice)]:
        assert op.block is not None
        for i, bound in ((1, op.begin), (2, op.end)):
            if bound.tensor.dtype is DType.I64 and const_of(bound) is None and _is_small(bound):
                edit.set_operand(op, i, e.within(op.block, op).cast(bound, DType.I32))


def _is_small(bound: Value) -> bool:
    return all(map(_fits, ValueRanges(SizeFacts(), longest=INT32_MAX).of(bound)))


def _fits(number: Size | float | None) -> bool:
    """Of sizes: where tensors of that many elements along an axis can be held."""
    if isinstance(number, Dim):
        number = substitute(number, dict.fromkeys(number.symbols(), _LONG))
        return isinstance(number, Dim) or abs(number) <= INT32_MAX
    return number is not None and abs(number) <= INT32_MAX
