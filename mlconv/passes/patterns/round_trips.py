"""Axes that are merged for the ops between two reshapes, or divided for them, and then as they were: attention whose
heads are rows.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.shapes import is_told
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement

_NORMALIZED = (core.Softmax, core.LogSoftmax)
_STEPS = 8  # between two reshapes


@rewrite(core.Reshape)
def work_in_first_shape(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """reshape(f(reshape(x))) with the shape of x is f(x), for ops of single elements and softmax of the last axis."""
    steps, inner = _steps(op.x)
    before, after = (None, None) if inner is None else (inner.x.tensor.shape, inner.y.tensor.shape)
    if inner is None or not steps or not before or not after or before != op.y.tensor.shape or not is_told(before):
        return NoMatch("nothing but ops of single elements stands between the shape of x and itself")
    if before[-1] != after[-1] and any(isinstance(step, _NORMALIZED) for step, _ in steps):
        return NoMatch("what a softmax sums over has another size")
    rw.fuse(inner, *(step for step, _ in steps), by="work-in-first-shape")
    y = inner.x
    for step, main in reversed(steps):
        operands = [y if i == main else o for i, o in enumerate(step.operands)]
        attributes = {**step.attributes, "axis": len(before) - 1} if isinstance(step, _NORMALIZED) else step.attributes
        y = rw.emit(type(step)(*operands, **attributes)).results[0]
    return y


def _steps(y: Value) -> tuple[list[tuple[OpDef, int]], core.Reshape | None]:
    """The ops with one use each that make y, from the last one on, each with the place of the operand that it takes
    from the one before it, and the reshape before them.
    """
    steps: list[tuple[OpDef, int]] = []
    while len(steps) <= _STEPS and y.has_one_use and y.tensor.quant is None:
        op = y.producer
        if isinstance(op, core.Reshape):
            return steps, op
        main = _main(op) if isinstance(op, OpDef) else None
        x = None if op is None or main is None else op.operands[main]
        if not isinstance(op, OpDef) or main is None or x is None:
            break
        steps.append((op, main))
        y = x
    return steps, None


def _main(op: OpDef) -> int | None:
    """The operand that an op takes element by element, or the last axis of, beside others of one number."""
    if isinstance(op, _NORMALIZED):
        return 0 if op.x.tensor.rank == op.axis + 1 else None
    if Elementwise not in op.spec.traits or len(op.results) != 1:
        return None
    whole = [i for i, o in enumerate(op.operands) if o is not None and o.tensor.shape not in ((), (1,))]
    x = op.operands[whole[0]] if len(whole) == 1 else None
    return whole[0] if x is not None and x.tensor.shape == op.results[0].tensor.shape else None


PATTERNS = (work_in_first_shape,)
