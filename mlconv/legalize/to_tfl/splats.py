"""Large constants of one repeated element become FILL ops: a model of a hundred bytes shall not become a file of
gigabytes.

Source: kernels/fill.cc.  With constant operands the kernel computes once, when tensors are allocated.
"""

from __future__ import annotations

from mlconv.dialects.core import Constant
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Inline, Splat
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.rewrite import edit

LARGE_BYTES = 1 << 20
"""Smaller ones stay constants: they cost little, and delegates want constant weights."""
LOOP_BYTES = 1 << 10
"""Of those that a loop begins with, which are copied either way."""

_TYPES = frozenset({DType.F32, DType.F16, DType.I64, DType.I32, DType.I16, DType.I8, DType.BOOL})


def fill_splats(block: Block) -> int:
    """Replace large splats of a block and its regions; how many uses have changed."""
    filled: dict[tuple[Block, Value], Value] = {}
    changed = 0
    for op in list(walk(block)):
        for i, value in enumerate(op.operands):
            limit = LOOP_BYTES if op.name == "tfl.WHILE" else LARGE_BYTES
            if value is None or not _is_large(value, limit) or op.block is None:
                continue
            if (op.block, value) not in filled:
                filled[op.block, value] = _fill(op, value)
            edit.set_operand(op, i, filled[op.block, value])
            changed += 1
    return changed


def _is_large(value: Value, limit: int) -> bool:
    if not isinstance(value.producer, Constant):
        return False
    constant = value.producer.value
    return isinstance(constant, Splat) and constant.nbytes > limit and constant.dtype in _TYPES


def _fill(op: Op, value: Value) -> Value:
    """The op that makes the value, before the first op of a block that reads it."""
    assert op.block is not None and isinstance(value.producer, Constant) and value.producer.location is not None
    e = TflBuilder(Builder(op.block, value.producer.location, op))
    constant = value.producer.value
    assert isinstance(constant, Splat)
    return e.one(
        "FILL", [e.ints(list(constant.shape)), e.constant(Inline(constant.value, constant.dtype))], value.tensor
    )
