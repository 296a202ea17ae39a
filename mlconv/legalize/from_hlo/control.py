"""while and conditional; regions see the values around them.  Source: openxla.org/xla/operation_semantics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.operands import hlo_rules
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import edit

RULES: Final = hlo_rules()


@RULES.rule("while")
def while_(n: SourceNode) -> Sequence[Value]:
    """core.while; the importer took the tuple apart."""
    if len(n.op.regions) != 2:
        raise n.unsupported(f"{len(n.op.regions)} computations")
    inits = n.operands()
    for region in n.op.regions:
        for argument, init in zip(region.block.arguments, inits, strict=False):
            if not argument.tensor.is_static:  # a turn leaves sizes as they are
                edit.retype(argument, init.tensor)
        n.convert_block(region.block)
    return n.emit(core.While(inits, cond=n.take_region(0), body=n.take_region(1))).ys


@RULES.rule("conditional")
def conditional(n: SourceNode) -> Sequence[Value]:
    """By a bool: the first branch when it holds.  By an int32: that branch, the last one when it is out of range."""
    selector = n.operand(0)
    for region in n.op.regions:
        n.convert_block(region.block)
    if len(n.op.regions) == 1 and selector.tensor.dtype is not DType.BOOL:
        return n.inline(n.op.regions[0].block)
    regions = [n.take_region(i) for i in range(len(n.op.regions))]
    if selector.tensor.dtype is DType.BOOL:
        if len(regions) != 2:
            raise n.unsupported(f"{len(regions)} branches for a bool")
        return n.emit(core.If(selector, then=regions[0], orelse=regions[1])).ys
    if not regions:
        raise n.unsupported("no branch")
    chosen = regions[-1]
    for i in range(len(regions) - 2, 0, -1):
        block = Block()
        inner = n.rewriter.at(block)
        test = inner.emit(core.Equal(selector, inner.emit(core.Constant(value=_scalar(i, selector))).y)).y
        inner.emit(Yield(inner.emit(core.If(test, then=regions[i], orelse=chosen)).ys))
        chosen = Region(block)
    return n.emit(core.If(n.y(core.Equal(selector, n.asarray(0, selector))), then=regions[0], orelse=chosen)).ys


def _scalar(number: int, like: Value) -> Const:
    return make_const(number, like.tensor.dtype)
