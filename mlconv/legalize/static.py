"""Types once more: what folding found out about shapes reaches the ops behind it.

Ops keep the types that they were made with; when the shape that an op depends on has become a constant since, its
`infer` says more than its type does.  HLO and native code need every size, so all ops are asked again, in order.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.spec import OpDef, is_trackable
from mlconv.ir.types import Shape, TensorType, Type
from mlconv.legalize.growing import Write, allocate_growing

ROUNDS = 4  # over a loop body, whose arguments depend on what it yields


def refine(block: Block, write: Write) -> None:
    """Give every value of a block, and of the regions in it, the most precise shape that its op infers.

    write: how the target writes a piece into a tensor, for loop variables that grow.
    """
    for op in block.ops:
        if isinstance(op, core.While):
            allocate_growing(op, write)
            _refine_loop(op, write)
        else:
            for region in op.regions:
                refine(region.block, write)
        if isinstance(op, OpDef) and not isinstance(op, core.Constant):
            _refine_op(op)


def _refine_op(op: OpDef) -> None:
    if all(isinstance(v.type, TensorType) and v.type.is_static for v in op.results) and len(op.results) != 1:
        return
    for value, type_ in zip(op.results, op.inferred(), strict=True):
        if isinstance(type_, TensorType):
            _sharpen(value, type_.shape)
    if len(op.results) == 1:
        _learn(op)


def _learn(op: OpDef) -> None:
    """Integer contents that can be deduced now."""
    value = op.results[0]
    if not isinstance(value.type, TensorType) or not is_trackable(value.type):
        return
    known = op.deduce()
    if known is not None and (
        value.known is None or sum(isinstance(k, int) for k in known) > sum(isinstance(k, int) for k in value.known)
    ):
        value.known = known


def _sharpen(value: Value, shape: Shape | None) -> None:
    """Take over the sizes that are numbers in `shape` and not yet in the value's type."""
    have = value.tensor.shape
    if shape is None or have == shape:
        return
    if have is None:
        value.type = value.tensor.with_shape(shape)
    elif len(have) == len(shape):
        value.type = value.tensor.with_shape(
            tuple(h if isinstance(h, int) else s for h, s in zip(have, shape, strict=True))
        )


def _refine_loop(op: core.While, write: Write) -> None:
    """Arguments take the shapes of what the loop starts with, as far as the body gives them back."""
    body, cond = op.body.block, op.cond.block
    before = [v.type for v in body.arguments]
    for argument, init in zip(body.arguments, op.inits, strict=True):
        _sharpen(argument, init.tensor.shape)
    for _ in range(ROUNDS):
        saved = _types(body)
        refine(body, write)
        wrong = [
            i
            for i, (a, y) in enumerate(zip(body.arguments, body.outputs, strict=True))
            if a.tensor.shape != y.tensor.shape and a.type != before[i]
        ]
        if not wrong:
            break
        for value, type_ in saved.items():
            value.type = type_
        for i in wrong:
            body.arguments[i].type = before[i]
    for a, b in zip(cond.arguments, body.arguments, strict=True):
        a.type = b.type
    for value, argument in zip(op.ys, body.arguments, strict=True):
        value.type = argument.type
    refine(cond, write)


def _types(block: Block) -> dict[Value, Type]:
    """Types of all values that ops of a block and of its regions make."""
    out: dict[Value, Type] = {}
    pending: list[Op] = list(block.ops)
    while pending:
        op = pending.pop()
        out.update((v, v.type) for v in op.results)
        for region in op.regions:
            out.update((v, v.type) for v in region.block.arguments)
            pending.extend(region.block.ops)
    return out
