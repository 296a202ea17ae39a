"""Numbers that nothing but products of bfloat16 reads are rounded as these take them: instructions for both have zeros
for denormal ones (Intel SDM volume 2, VCVTNEPS2BF16 and TDPBF16PS), other casts do not.
"""

from __future__ import annotations

import math

from mlconv.dialects.kernel import (
    AliasOp,
    Attention,
    AttentionOp,
    DepthwiseOp,
    GemmOp,
    Instr,
    KernelOp,
    LoopNestOp,
    OutputIndexing,
    Program,
    RowReduceOp,
    Sizes,
    View,
    dense,
)
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.rewrite import edit

_MULTIPLIED = 2  # operands of a product that are
_LARGE = 1 << 20  # bytes that do not stay in a second-level cache beside the rest
_DEPTH = 768  # places of rows that are rounded on the way: a few rows stay in the first-level cache


def round_factors(block: Block) -> None:
    """Change every such cast of a block."""
    for op in block.ops:
        if isinstance(op, KernelOp) and not op.regions and len(op.results) == 1:
            problem = _rounding(op)
            if problem is not None and _is_factor(op.result):
                edit.set_attribute(op, "problem", problem)
            if isinstance(op, LoopNestOp) and problem is not None:
                _read_wide(op)


def _rounding(op: KernelOp) -> object:
    """The problem, with the cast that its elements are results of exchanged; None where there is none."""
    if op.result.tensor.dtype is not DType.BF16:
        return None
    if isinstance(op, (GemmOp, DepthwiseOp)):
        indexing = _product(op.indexing)
        return None if indexing is None else op.problem._replace(indexing=indexing)
    if isinstance(op, AttentionOp):
        values = op.problem.values
        indexing = _product(values.indexing)
        return None if indexing is None else op.problem._replace(values=values._replace(indexing=indexing))
    if isinstance(op, LoopNestOp):
        return tuple(step._replace(body=_exchanged(step.body) or step.body) for step in op.steps)
    if isinstance(op, RowReduceOp):
        *stages, last = op.problem.stages
        body = _exchanged(last.body)
        return None if body is None else op.problem._replace(stages=(*stages, last._replace(body=body)))
    return None


def _product(indexing: OutputIndexing) -> OutputIndexing | None:
    after = _exchanged(indexing.after, 1)
    return None if after is None else indexing._replace(after=after)


def _exchanged(program: Program, first: int = 0) -> Program | None:
    """An expression that ends with a cast of float32 to bfloat16.  first: values that are there when it begins, which
    are float32.
    """
    if not program or program[-1].opcode != "cast" or program[-1].dtype is not DType.BF16:
        return None
    at = program[-1].args[0] - first
    if at >= 0 and program[at].dtype is not DType.F32:
        return None
    return (*program[:-1], program[-1]._replace(opcode="factor"))


def _is_factor(value: Value) -> bool:
    """Products of bfloat16 alone read it, or what only moves its elements for them."""
    return bool(value.uses) and all(_multiplies(user, position) for user, position in value.uses)


def _multiplies(user: Op, position: int) -> bool:
    if isinstance(user, AliasOp) or (isinstance(user, LoopNestOp) and _moves(user)):
        return _is_factor(user.result)
    if isinstance(user, AttentionOp):
        problem: Attention = user.problem
        return position in (0, 1, problem.split)
    return isinstance(user, (GemmOp, DepthwiseOp)) and position < _MULTIPLIED


def _moves(op: LoopNestOp) -> bool:
    """Copies elements, or fills some with zeros."""
    return all(len(s.body) == 1 and not s.after and s.body[0].opcode in ("load", "const") for s in op.steps)


def _read_wide(op: LoopNestOp) -> None:
    """A large tensor that is only rounded is read as it is by what multiplies it, or gathers it for that."""
    step, wide = op.steps[0], op.inputs[0] if len(op.inputs) == 1 else None
    plain = len(op.steps) == 1 and [i.opcode for i in step.body] == ["load", "factor"] and not step.after
    if wide is None or not plain or not all(_is_whole(v, step.extents) for v in (step.body[0].value, step.out)):
        return
    size = static(step.extents)
    if size is None or math.prod(size) * 4 < _LARGE or wide.tensor.size != math.prod(size):
        return
    users = [user for user, _ in op.result.uses]
    if all(_reads_wide(user) for user in users):
        for user in users:
            _widened(user)
            edit.set_operand(user, 0, wide)
        edit.erase(op)


def _is_whole(view: View, extents: Sizes) -> bool:
    """All elements in their order."""
    places = zip(extents, view.strides, dense(extents), strict=True)
    return view.offset == 0 and all(n == 1 or a == b for n, a, b in places)


def _reads_wide(user: Op) -> bool:
    if isinstance(user, LoopNestOp):
        return len(user.steps) == 1 and _moves(user) and user.steps[0].body[0].opcode == "load"
    if not isinstance(user, GemmOp) or user.problem.types.x is not DType.BF16 or len(user.operands) < _MULTIPLIED:
        return False
    once = math.prod(user.indexing.window) == 1 and user.problem.weight_strides == (0, 0)
    return once and user.problem.depth <= _DEPTH and user.operands[1] is not user.operands[0]


def _widened(user: Op) -> None:
    """The same of float32."""
    if isinstance(user, GemmOp):
        edit.set_attribute(user, "problem", user.problem._replace(wide=True))
    elif isinstance(user, LoopNestOp):
        (step,) = user.steps
        load = step.body[0]._replace(dtype=DType.F32)
        body = load, Instr("factor", DType.BF16, (0,))
        edit.set_attribute(user, "problem", (step._replace(body=body),))
