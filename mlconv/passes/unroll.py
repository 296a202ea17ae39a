"""Loops that count a fixed, small number of turns are written out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Block, Op, Value, Yield, clone_op, walk
from mlconv.ir.data_sizes import is_open
from mlconv.ir.module import Function
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.spec import OpDef, contents
from mlconv.ir.types import TensorType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import edit


@dataclass(frozen=True, eq=False, repr=False)
class Unroll(Pass):
    """Write loops out whose number of turns is known.  turns: at most so many; ops: at most so many ops in all.  lean:
    only where that is no more ops than the loop is; what loops that stay collect then has its last size from the start.
    """

    name: ClassVar[str] = "unroll"
    turns: int = 16
    ops: int = 256
    lean: bool = False

    def run_on_function(self, function: Function, context: PassContext) -> None:
        count = self._unroll(function.block)
        context.count("unroll", count)
        if self.lean and any(isinstance(op, core.While) and is_open(op.results) for op in walk(function.block)):
            from mlconv.passes.filled_loops import fill_loops

            count += fill_loops(function)
        if count:
            eliminate_dead_code(function.block)

    def _unroll(self, block: Block) -> int:
        count = 0
        for op in block.ops:
            for region in op.regions:
                count += self._unroll(region.block)
            if isinstance(op, core.While):
                from mlconv.passes.trip_count import trip_count

                turns = trip_count(op, self.turns)
                size = sum(1 for _ in walk(op.body.block))
                grows = self.lean and turns is not None and _grows(op, turns)
                if turns is not None and turns * size <= self.ops and not grows:
                    write_out(op, turns)
                    count += 1
        return count


def _grows(loop: core.While, turns: int) -> bool:
    """Written out, the loop is more ops, and each turn computes with weights of all turns, on tensors of the same
    sizes: what is not so is worth its ops, or is none of a target's loops.
    """
    body = loop.body.block
    variables = zip(loop.inits, body.arguments, body.outputs, strict=True)
    if any(not a.tensor.shape == b.tensor.shape == c.tensor.shape for a, b, c in variables):
        return False
    counted = _counted(loop)
    inside = [op for op in walk(body) if not isinstance(op, (core.Constant, Yield))]
    left = [op for op in inside if any(y not in counted for y in op.results)]
    picked = {v for op in left for v in op.inputs if v in counted and v.tensor.dtype.is_float and v.tensor.rank != 0}
    asked = sum(1 for op in walk(loop.cond.block) if not isinstance(op, (core.Constant, Yield)))
    return not picked and turns * len(left) > len(inside) + asked + 1


def _counted(loop: core.While) -> set[Value]:
    """Values of the body that the number of the turn decides: of counters, and of constants from outside."""
    body = loop.body.block
    counters = [i for i, v in enumerate(loop.inits) if const_of(v) is not None]
    while True:
        known = {body.arguments[i] for i in counters}
        for op in body.ops:
            if op.inputs and not op.regions and all(v in known or const_of(v) is not None for v in op.inputs):
                known.update(op.results)
        kept = [i for i in counters if body.outputs[i] in known or const_of(body.outputs[i]) is not None]
        if kept == counters:
            return known
        counters = kept


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
