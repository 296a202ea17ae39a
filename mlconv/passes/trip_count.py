"""How often a loop runs, where constants tell: its condition and what that depends on are computed, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Op, Value, captures
from mlconv.ir.spec import OpDef
from mlconv.rewrite import constant_array
from mlconv.rewrite.fold import is_foldable

MAX_TURNS = 1 << 16


def trip_count(op: core.While, most: int) -> int | None:
    """How often the body runs, when that follows from constants; None when it depends on inputs or is above
    `most`.
    """
    cond, body = op.cond.block, op.body.block
    tests = _slice_of(cond, cond.outputs)
    if tests is None:
        return None
    needed = _arguments(cond, tests, cond.outputs)
    steps: list[OpDef] = []
    while True:
        roots = [body.outputs[i] for i in sorted(needed)]
        found = _slice_of(body, roots)
        if found is None:
            return None
        steps = found
        more = needed | _arguments(body, steps, roots)
        if more == needed:
            break
        needed = more
    state: dict[int, Array] = {}
    for i in needed:
        array = constant_array(op.inits[i])
        if array is None:
            return None
        state[i] = array
    return _simulate(op, tests, steps, state, most)


def _simulate(op: core.While, tests: list[OpDef], steps: list[OpDef], state: dict[int, Array], most: int) -> int | None:
    cond, body = op.cond.block, op.body.block
    outside: dict[Value, Array] = {}
    for value in (*captures(op.cond), *captures(op.body)):
        array = constant_array(value)
        if array is not None:
            outside[value] = array
    for turn in range(most + 1):
        env = outside | {cond.arguments[i]: a for i, a in state.items()}
        if not _run(tests, env) or cond.outputs[0] not in env:
            return None
        if not bool(np.all(env[cond.outputs[0]])):
            return turn
        env = outside | {body.arguments[i]: a for i, a in state.items()}
        if not _run(steps, env) or any(body.outputs[i] not in env for i in state):
            return None
        state = {i: env[body.outputs[i]] for i in state}
    return None


def _run(ops: Sequence[OpDef], env: dict[Value, Array]) -> bool:
    """Evaluate ops in order; False when one of them lacks an operand, or does not take those that it has."""
    for op in ops:
        if any(v not in env for v in op.inputs):
            return False
        try:
            with np.errstate(all="ignore"):
                got = op.evaluate(*(None if v is None else env[v] for v in op.operands))
        except (ArithmeticError, IndexError, TypeError, ValueError, MemoryError, ConversionError):
            return False  # whoever runs the loop meets it
        arrays = got if isinstance(got, (tuple, list)) else (got,)
        env.update(zip(op.results, arrays, strict=True))
    return True


def _slice_of(block: Block, roots: Sequence[Value]) -> list[OpDef] | None:
    """The ops of a block that roots depend on, in order; None when one of them cannot be evaluated here."""
    wanted: set[Op] = {v.producer for v in roots if v.producer is not None and v.producer.block is block}
    out: list[OpDef] = []
    op = block.last
    while op is not None:
        if op in wanted:
            if not isinstance(op, OpDef) or not is_foldable(op):
                return None
            out.append(op)
            wanted.update(v.producer for v in op.inputs if v.producer is not None and v.producer.block is block)
        op = op.prev
    return out[::-1]


def _arguments(block: Block, ops: Sequence[OpDef], roots: Sequence[Value]) -> set[int]:
    """Which arguments of a block these ops and roots use."""
    used = {v for op in ops for v in op.inputs} | set(roots)
    return {i for i, v in enumerate(block.arguments) if v in used}
