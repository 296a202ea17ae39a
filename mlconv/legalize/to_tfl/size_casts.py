"""Sizes as int64, cast from the same as int32 where no shape needs them before a run: a second table of all shapes is
more ops than a few casts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.size_needs import Need
from mlconv.legalize.to_tfl.size_plans import (
    Cast,
    FromTable,
    Picked,
    Plan,
    ShapeOf,
    Told,
    all_parts,
    is_op,
    leaves_of,
    ops_of,
)

_ELEMENTWISE: Final = frozenset(("ADD", "SUB", "MUL", "FLOOR_DIV", "FLOOR_MOD", "MINIMUM", "MAXIMUM", "SELECT_V2"))
_RELATIONS: Final = frozenset(("LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "EQUAL", "NOT_EQUAL"))
_DATA: Final = _ELEMENTWISE | _RELATIONS | {"WHILE", "IF"}  # read a size as a number, LiteRT plans nothing with it


def with_casts(plans: Mapping[Need, Told], axes: Mapping[Size, tuple[Value, int]]) -> dict[Need, Told]:
    """The plans, with casts where those are fewer ops."""
    cast: dict[Need, Told] = {}
    before: dict[tuple[tuple[Size, ...], bool], Plan] = {}
    for need, told in plans.items():
        key = (told.sizes, need.scalar)
        if need.dtype is DType.I32:
            before.setdefault(key, told.plan)
        own = (before.get(key) or _as_int32(told.plan)) if need.dtype is DType.I64 and _is_data(need) else None
        cast[need] = told if own is None else Told(Cast(own, need.dtype), told.sizes)
    return min((dict(plans), cast), key=lambda each: _ops([told.plan for told in each.values()], axes))


def _is_data(need: Need) -> bool:
    return all(isinstance(op, TflOp) and op.builtin in _DATA for op in need.value.users)


def _as_int32(plan: Plan) -> Plan | None:
    if isinstance(plan, FromTable):
        return plan._replace(dtype=DType.I32)
    if isinstance(plan, ShapeOf):
        return plan._replace(dtype=DType.I32)
    if isinstance(plan, Picked):
        whole = _as_int32(plan.whole)
        return None if whole is None else plan._replace(whole=whole)
    return None


def _ops(plans: Sequence[Plan], axes: Mapping[Size, tuple[Value, int]]) -> int:
    """How many ops all plans are, with the tables of both types."""
    parts = {part for plan in plans for part in all_parts(plan) if is_op(part) and ops_of(part)}
    shapes = {part for part in parts if isinstance(part, ShapeOf)}
    joined = 0
    for dtype in (DType.I32, DType.I64):
        leaves = {size for plan in plans for kind, size in leaves_of(plan) if kind is dtype}
        values = {axes[size][0] for size in leaves if isinstance(size, Dim)}
        shapes |= {ShapeOf(v, dtype) for v in values}
        joined += len(values) > 1 or not leaves <= {n for v in values for n in v.tensor.shape or ()}
    return len(parts | shapes) + joined
