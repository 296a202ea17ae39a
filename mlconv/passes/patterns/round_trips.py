"""Axes that are merged or divided for the ops between two reshapes: rows of dense layers, attention whose heads are
rows.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Block, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import MATRIX, is_told
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise
from mlconv.passes.patterns.movement import asks
from mlconv.rewrite import NoMatch, Rewriter, edit, remake, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_NAME = "work-in-last-shape"
_NORMALIZED = (core.Softmax, core.LogSoftmax)
_STEPS = 8  # between two reshapes


@rewrite(core.Reshape)
def work_in_last_shape(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """reshape(f(reshape(x))) is f(reshape(x)) with the axes of the result, and f(x) where x has them already, for what
    works on single elements or along the last axis, if the result has the last axis of f.
    """
    steps, inner = _steps(op.x, op.block)
    mid, after = op.x.tensor.shape, op.y.tensor.shape
    if inner is None or not steps or not mid or not after or mid[-1] != after[-1] or not is_told((*mid, *after)):
        return NoMatch(
            "nothing but ops of the last axis stands between two reshapes, of which the last keeps that axis"
        )
    columns = inner.y.tensor.shape[-1] if inner.y.tensor.shape else None
    if not isinstance(columns, int) or columns <= 0 or 0 in after or op.y.tensor.quant is not None:
        return NoMatch("the last axis is open, or there are no elements")
    if len(after) < MATRIX and any(isinstance(step, core.MatMul) for step, _ in steps):
        return NoMatch("a product of one row needs the axis of rows")
    if asks(inner) or asks(op):
        return NoMatch("a reshape holds for some sizes only")
    e = CoreBuilder(rw)
    rw.fuse(inner, by=_NAME)
    rank = len(after)
    ahead = e.y(core.Cast(e.gather(op.shape, [*range(rank - 1)]), dtype=DType.I64))
    y = e.y(core.Reshape(inner.x, e.y(core.Concat([ahead, e.constant(np.array([columns]), DType.I64)], axis=0))))
    for step, main in reversed(steps):
        operands = [y if i == main else o for i, o in enumerate(step.operands)]
        changes = {"axis": rank - 1} if isinstance(step, _NORMALIZED) else {}
        origins = (step, op) if step is steps[0][0] else (step,)
        y = rw.emit_at(remake(step, operands, **changes), *origins, by=_NAME).results[0]
        edit.rename(y, (op.y if len(origins) > 1 else step.results[0]).name)
    return y


def _steps(y: Value, block: Block | None) -> tuple[list[tuple[OpDef, int]], core.Reshape | None]:
    """The ops with one use each that make y, from the last one on, each with the place of the operand that it takes
    from the one before it, and the reshape before them.  All are of one block: a loop would do them in each turn.
    """
    steps: list[tuple[OpDef, int]] = []
    while len(steps) <= _STEPS and y.has_one_use and y.tensor.quant is None:
        op = y.producer
        if op is None or op.block is not block:
            break
        if isinstance(op, core.Reshape):
            return steps, op
        main = _main(op) if isinstance(op, OpDef) else None
        x = None if main is None else op.operands[main]
        if not isinstance(op, OpDef) or main is None or x is None:
            break
        steps.append((op, main))
        y = x
    return steps, None


def _main(op: OpDef) -> int | None:
    """The operand that an op takes element by element, or along the last axis, beside others that fit any axes before
    that one.
    """
    if isinstance(op, _NORMALIZED):
        return 0 if op.x.tensor.rank == op.axis + 1 else None
    if isinstance(op, core.MatMul):
        plain = op.y.tensor.dtype.is_float and not op.transpose_a and op.b.tensor.rank == MATRIX
        return 0 if plain and const_of(op.b) is not None and (op.a.tensor.rank or 0) >= MATRIX else None
    if Elementwise not in op.spec.traits or len(op.results) != 1:
        return None
    shape = op.results[0].tensor.shape or ()
    whole = [i for i, o in enumerate(op.operands) if o is not None and o.tensor.shape not in ((), (1,), shape[-1:])]
    x = op.operands[whole[0]] if len(whole) == 1 else None
    return whole[0] if x is not None and x.tensor.shape == shape else None


PATTERNS = (work_in_last_shape,)
