"""Control flow with regions.  Source: tensorflow/core/ops/functional_ops.cc.

A loop's variables take the types of their initial values.  Where the body gives another shape, the sizes that differ
become unknown and the loop is legalized anew; an empty list (see `lists.py`) is allocated when the body has shown what
it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import make_const
from mlconv.ir.core import Block, Region, Value, Yield, clone_op
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType, Type
from mlconv.legalize.from_tf.lists import allocate, is_empty
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import constant_array, edit

RULES: Final = tf_rules()
_MAX_ROUNDS: Final = 8


def as_condition(n: SourceNode, value: Value) -> Value:
    """A bool scalar: other numbers hold when they are not 0."""
    x = n.scalar(value) if value.tensor.rank != 0 and value.tensor.size == 1 else value
    return x if x.tensor.dtype is DType.BOOL else n.emit(core.NotEqual(x, n.asarray(0, x))).y


@RULES.rule("If")
def if_(n: SourceNode) -> Sequence[Value]:
    """Regions: then, else.  A condition that is known takes its branch alone: the other one need not even be legal."""
    cond = as_condition(n, n.operand(0))
    known = constant_array(cond)
    if known is not None:
        return n.inline(n.op.regions[0 if bool(known.reshape(())) else 1].block)
    for region in n.op.regions:
        n.convert_block(region.block)
        _check_dense(n, region.block)
    return n.emit(core.If(cond, then=n.take_region(0), orelse=n.take_region(1))).ys


def _check_dense(n: SourceNode, block: Block) -> None:
    for value in block.outputs:
        if not isinstance(value.type, TensorType):
            raise n.unsupported(f"a branch returns a {value.type} that has no dense form")


@RULES.rule("Case")
def case(n: SourceNode) -> Sequence[Value]:
    """The region number `index`; any other index takes the last."""
    index = n.scalar(n.operand(0))
    count = len(n.op.regions)
    known = constant_array(index)
    if known is not None or count == 1:
        number = 0 if known is None else int(known.reshape(()))
        return n.inline(n.op.regions[number if 0 <= number < count else -1].block)
    for region in n.op.regions:
        n.convert_block(region.block)
        _check_dense(n, region.block)
    rest = n.take_region(count - 1)
    for i in range(count - 2, 0, -1):
        block = Block()
        location = n.rewriter.location
        inside = n.rewriter.at(block)
        test = inside.emit(core.Equal(index, inside.emit(core.Constant(value=make_const(i, index.tensor.dtype))).y)).y
        nested = inside.emit(core.If(test, then=n.take_region(i), orelse=rest))
        inside.emit(Yield(nested.ys, location))
        rest = Region(block)
    first = n.emit(core.Equal(index, n.asarray(0, index))).y
    return n.emit(core.If(first, then=n.take_region(0), orelse=rest)).ys


@RULES.rule("While")
def while_(n: SourceNode) -> Sequence[Value]:
    """Regions: condition, body; both have a parameter for each carried value."""
    inits = n.operands()
    types: list[Type] = [v.type for v in inits]
    opened: set[Size] = set()
    for _ in range(_MAX_ROUNDS):
        body = _attempt(n, 1, inits, types)
        yields = [v.type for v in body.block.outputs]
        empties = [i for i, v in enumerate(inits) if is_empty(v) and isinstance(yields[i], TensorType)]
        merged = [
            t if is_empty(v) else _merge(t, y, i, opened)
            for i, (v, t, y) in enumerate(zip(inits, types, yields, strict=True))
        ]
        if not empties and merged == types:
            break
        body.block.erase_all()
        for i in empties:
            inits[i] = _allocated(n, inits[i], yields[i])
            merged[i] = inits[i].type
        types = merged
    else:
        raise n.unsupported(f"the shapes of the loop's variables reach no fixed point: {', '.join(map(str, types))}")
    dropped = [i for i, v in enumerate(inits) if is_empty(v)]
    if dropped:
        raise n.unsupported("a list is carried through the loop, but nothing is written to it")
    condition = _attempt(n, 0, inits, types)
    _condition_to_bool(n, condition.block)
    return n.emit(core.While(inits, cond=condition, body=body)).ys


def _attempt(n: SourceNode, which: int, inits: Sequence[Value], types: Sequence[Type]) -> Region:
    """A legalized copy of a region whose parameters have the given types; empty lists are put in place of their
    parameters.
    """
    block = edit.stand_in(n.op.regions[which].block)
    region = Region(block)
    region.parent = n.op
    for argument, init, type_ in zip(block.arguments, inits, types, strict=True):
        edit.retype(argument, type_)
        if is_empty(init) and init.producer is not None:
            copy = clone_op(init.producer, {})
            edit.insert(copy, before=block.first or block.terminator)
            edit.replace_uses(argument, copy.result)
    n.convert_block(block)
    region.parent = None
    return region


def _allocated(n: SourceNode, empty: Value, type_: Type) -> Value:
    if empty.producer is None or not isinstance(type_, TensorType) or type_.shape is None:
        raise n.unsupported("the element shape of a list cannot be deduced")
    return allocate(n, empty.producer, type_.shape[1:])


def _merge(a: Type, b: Type, i: int, opened: set[Size]) -> Type:
    """The type that holds before and after one turn of the loop.  opened: sizes that stand for any; those made here are
    added.
    """
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return a
    if a.dtype is not b.dtype:
        raise ConversionError(Code.TypeMismatch, f"loop variable {i} changes from {a} to {b}")
    element = a.element if a.element == b.element else a.dtype
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return TensorType(element, None)
    sizes: list[Size] = []
    for before, after in zip(a.shape, b.shape, strict=True):
        if before != after and before not in opened:
            before = Dim.unknown()
            opened.add(before)
        sizes.append(before)
    return TensorType(element, tuple(sizes))


def _condition_to_bool(n: SourceNode, block: Block) -> None:
    """Make the value that the condition yields a bool scalar."""
    value = block.outputs[0]
    inside = n.rewriter.at(block, block.terminator)
    if value.tensor.rank != 0 and value.tensor.size == 1:
        value = inside.emit(core.Reshape(value, inside.emit(core.Constant(value=make_const([], DType.I64))).y)).y
    if value.tensor.dtype is not DType.BOOL:
        value = inside.emit(core.Cast(value, dtype=DType.BOOL)).y
    edit.set_operand(block.terminator, 0, value)
