"""Loops that count a fixed, small number of turns are written out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value, Yield, clone_op, walk
from mlconv.ir.module import Function
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.spec import OpDef, contents
from mlconv.ir.types import TensorType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.passes.trip_count import trip_count
from mlconv.rewrite import edit


@dataclass(frozen=True)
class Unroll(Pass):
    """Write loops out whose number of turns is known.  turns: at most so many; ops: at most so many ops in all."""

    name: ClassVar[str] = "unroll"
    turns: int = 16
    ops: int = 256

    def run_on_function(self, function: Function, context: PassContext) -> None:
        count = self._unroll(function.block)
        context.count("unroll", count)
        if count:
            eliminate_dead_code(function.block)

    def _unroll(self, block: Block) -> int:
        count = 0
        for op in block.ops:
            for region in op.regions:
                count += self._unroll(region.block)
            if isinstance(op, core.While):
                turns = trip_count(op, self.turns)
                size = sum(1 for _ in walk(op.body.block))
                if turns is not None and turns * size <= self.ops:
                    write_out(op, turns)
                    count += 1
        return count


def write_out(loop: core.While, turns: int) -> None:
    """Put `turns` copies of the body in the place of the loop."""
    block = loop.block
    if block is None:
        return
    body, current = loop.body.block, list(loop.inits)
    for _ in range(turns):
        mapping: dict[Value, Value] = dict(zip(body.arguments, current, strict=True))
        for op in body.ops:
            if isinstance(op, Yield):
                current = [mapping.get(v, v) for v in op.inputs]
                continue
            copy = clone_op(op, mapping)
            edit.insert(copy, before=loop)
            _refine(copy)
    edit.replace(loop, current)


def _refine(op: Op) -> None:
    """What is known of the operands now gives the results more precise types than the loop had."""
    if not isinstance(op, OpDef) or op.regions:
        return
    for value, t in zip(op.results, op.inferred(), strict=True):
        edit.retype(value, value.tensor.with_shape(t.shape) if quant_of(value) and isinstance(t, TensorType) else t)
    if len(op.results) == 1:
        op.results[0].known = contents(op)
