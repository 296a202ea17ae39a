"""Control flow.  Regions keep using the values around them, which ONNX's subgraphs see by name.

Sources: ONNX If-16, Loop-16.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Op, Region, Value, Yield, clone_block
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_onnx.builder import OnnxBuilder
from mlconv.rewrite import Rules, edit

RULES = Rules()


@RULES.rule(core.If)
def if_(op: core.If, e: OnnxBuilder) -> list[Value]:
    """If."""
    then, orelse = edit.take_regions(op)
    cond = e.scalar(op.cond)
    return e.control("If", [cond], [y.type for y in op.ys], [("then_branch", then), ("else_branch", orelse)])


@RULES.rule(core.While)
def while_(op: core.While, e: OnnxBuilder) -> list[Value]:
    """Loop without a trip count: the test is made before it and at the end of each turn."""
    cond, body = edit.take_regions(op)
    start = e.scalar(_inlined(cond.block, op.inits, e.builder)[0])
    types = [v.type for v in body.block.arguments]
    block = Block([TensorType(DType.I64, ()), TensorType(DType.BOOL, ()), *types])
    for old, new in zip(body.block.arguments, block.arguments[2:], strict=True):
        edit.replace_uses(old, new)
        edit.rename(new, old.name)
    for inner in list(body.block.ops):
        edit.unlink(inner)
        block.insert(inner)
    end = block.terminator
    inside = OnnxBuilder(Builder(block, e.builder.location, end), e.version)
    test = inside.scalar(_inlined(cond.block, end.inputs, inside.builder)[0])
    _end_with(block, end, [test, *end.inputs])
    return e.control("Loop", [None, start, *op.inits], [y.type for y in op.ys], [("body", Region(block))])


def _end_with(block: Block, end: Yield, values: Sequence[Value]) -> None:
    """Another end for a block."""
    location = end.location
    edit.erase(end)
    block.insert(Yield(list(values), location))


def _inlined(block: Block, arguments: Sequence[Value], builder: Builder) -> list[Value]:
    """A copy of a block's ops, for these arguments; what they yield."""
    copy = clone_block(block, {})
    for old, new in zip(copy.arguments, arguments, strict=True):
        edit.replace_uses(old, new)
    end = copy.terminator
    results = end.inputs
    inner: list[Op] = [o for o in copy.ops if o is not end]
    for op in inner:
        edit.unlink(op)
        builder.emit(op)
    edit.erase(end)
    return results
