"""Products that share their weights, as towers that several inputs or levels of a pyramid go through, or have equal
ones, as layers that are copies: what is stored is the same for all, or each would have integers of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Const
from mlconv.ir.core import Op, Value
from mlconv.ir.equal_constants import EqualConstants
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.quantize.choose import PRODUCTS
from mlconv.quantize.scheme import Scheme
from mlconv.quantize.unread import Unread

Sharing: TypeAlias = Mapping[OpDef, Sequence[OpDef]]
"""For products, all that read the same weights, themselves among them."""


class Change(NamedTuple):
    """An operand that was a constant, and the value whose channels are divided by what that now holds besides."""

    op: Op
    operand: int
    before: Value
    divided: Value


def parted(function: Function, changes: Sequence[Change]) -> set[Value]:
    """Values whose factors went into weights that products shared, and no longer do, as where a layer follows itself:
    its first copy and its last one would have other weights than those in between.
    """
    if not changes:
        return set()
    first: dict[OpDef, Value] = {}
    for op, operand, before, _ in changes:
        if isinstance(op, PRODUCTS) and operand == 1:
            first.setdefault(op, before)
    groups: dict[object, list[OpDef]] = {}
    equal = EqualConstants()
    for op in function.block.ops:
        if isinstance(op, PRODUCTS):
            groups.setdefault(number_of(const_of(first.get(op, op.operands[1])), equal), []).append(op)
    apart = set[Op]()
    for constant, group in groups.items():
        is_shared = constant is not None and len(group) > 1 and not first.keys().isdisjoint(group)
        if is_shared and len({number_of(const_of(op.operands[1]), equal) for op in group}) > 1:
            apart.update(group)
    return {change.divided for change in changes if change.op in apart and change.operand == 1}


def sharing(products: Iterable[OpDef], schemes: Mapping[OpDef, Scheme]) -> Sharing:
    """Of products that read one constant, or equal ones, in one way, and that one scheme is for."""
    groups: dict[object, list[OpDef]] = {}
    equal = EqualConstants()
    for op in products:
        groups.setdefault(_key(op, schemes[op], equal), []).append(op)
    return {op: group for group in groups.values() for op in group}


def _key(op: OpDef, scheme: Scheme, equal: EqualConstants) -> object:
    constant = number_of(const_of(op.operands[1]), equal)
    if isinstance(op, core.Conv):
        return constant, scheme, op.w_layout, op.groups
    return constant, scheme, type(op), isinstance(op, core.MatMul) and op.transpose_b


def number_of(constant: Const | None, equal: EqualConstants) -> Hashable:
    """The same for constants that hold the same; those whose numbers are not looked at are as their handles are."""
    return constant if constant is None or isinstance(constant, Unread) else equal.number(constant)
