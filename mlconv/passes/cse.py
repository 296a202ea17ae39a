"""Common subexpression elimination: pure ops with equal name, operands and attributes become one; equal constants too.
One walk, hashed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import ClassVar

from mlconv.ir.constants import Const, Inline
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.module import Function
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.traits import Commutative, is_pure
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite import edit

_HASHED_BYTES = 1 << 16


def merge_common(block: Block, seen: dict[Hashable, Op] | None = None, fills: bool = True) -> int:
    """Merge equal ops of a block; ops of outer blocks are seen from inner ones.  fills: those without operands too.
    Returns how many were merged.
    """
    table = dict(seen or {})
    merged = 0
    for op in block.ops:
        for region in op.regions:
            merged += merge_common(region.block, table, fills)
        if op.regions or not is_pure(op) or not (fills or op.operands):
            continue
        key = key_of(op, id)
        if key is None:
            continue
        first = table.setdefault(key, op)
        if first is op or any(a.type != b.type for a, b in zip(op.results, first.results, strict=True)):
            continue
        edit.merge(op, into=first, by="cse")
        merged += 1
    return merged


def key_of(op: Op, number: Callable[[Value], int]) -> Hashable | None:
    """What pure ops that compute the same have in common; None where nobody can tell.  number: of an operand."""
    operands = tuple(-1 if v is None else number(v) for v in op.operands)
    if op.spec is not None and Commutative in op.spec.traits:
        operands = tuple(sorted(operands))
    attributes = tuple((k, _freeze(v)) for k, v in op.attributes.items())
    stored = tuple(map(quant_of, op.results))
    return None if any(v is _OPAQUE for _, v in attributes) else (op.name, operands, attributes, stored)


_OPAQUE = object()


def _freeze(value: object) -> Hashable:
    if isinstance(value, Const):
        if isinstance(value, Inline) and value.nbytes > _HASHED_BYTES:
            return ("same object", id(value))
        return value.key
    if isinstance(value, float):
        return repr(value)  # NaN equals itself here, and -0.0 differs from 0.0
    return (type(value), value) if isinstance(value, Hashable) else _OPAQUE


@dataclass(frozen=True, eq=False, repr=False)
class Cse(Pass):
    """Merge equal pure ops.  fills: those without operands too, which may be cheaper to repeat than to keep."""

    name: ClassVar[str] = "cse"
    fills: bool = True

    def run_on_function(self, function: Function, context: PassContext) -> None:
        context.count("cse", merge_common(function.block, fills=self.fills))
