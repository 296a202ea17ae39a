"""Comparisons of positions that sizes alone tell, and what they decide."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.base import broadcast_shapes
from mlconv.dialects.core.shape import ints_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise
from mlconv.passes.patterns.algebra import uniform
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.index_forms import positions, truth
from mlconv.rewrite.pattern import Replacement


@rewrite(core.LessEqual, core.GreaterEqual)
def compare_strictly(op: core.LessEqual | core.GreaterEqual, rw: Rewriter) -> Replacement | NoMatch:
    """i + 1 <= j is i < j of positions: masks by `triu(x, 1)`."""
    least, most = (op.a, op.b) if isinstance(op, core.LessEqual) else (op.b, op.a)
    inner = least.producer
    if not isinstance(inner, core.Add):
        return NoMatch("nothing is added to the smaller one")
    for x, one in ((inner.a, inner.b), (inner.b, inner.a)):
        if ints_of(one) == (1,) and positions(x) is not None and least.tensor.shape == x.tensor.shape:
            rw.fuse(inner, by="compare-strictly")
            return rw.emit(core.Less(x, most)).y
    return NoMatch("not 1 more than a position")


@rewrite(core.And, core.Or)
def drop_decided_condition(op: core.And | core.Or, rw: Rewriter) -> Replacement | NoMatch:
    """true and x is x, false or x is x, where the shape stays."""
    neutral = isinstance(op, core.And)
    for a, b in ((op.a, op.b), (op.b, op.a)):
        if a.tensor.dtype is DType.BOOL and b.tensor.shape == op.y.tensor.shape and truth(a) is neutral:
            return b
    return NoMatch("neither side is decided")


@rewrite(core.Select)
def drop_decided_choice(op: core.Select, rw: Rewriter) -> Replacement | NoMatch:
    """A choice that is known, where the shape stays."""
    chosen = _chosen(op)
    if chosen is None:
        return NoMatch("the condition is not decided")
    return chosen if chosen.tensor.shape == op.y.tensor.shape else NoMatch("the shape changes")


def _chosen(op: core.Select) -> Value | None:
    told = truth(op.cond)
    return None if told is None else op.a if told else op.b


@rewrite(*(cls for cls in core.OPS if Elementwise in cls.spec.traits and len(cls.spec.operands) > 1))
def take_decided_choice(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    """A number that is chosen everywhere need not have the shape of what chooses, where other operands give it."""
    for i, v in enumerate(op.operands):
        inner = None if v is None else v.producer
        chosen = _chosen(inner) if isinstance(inner, core.Select) else None
        if chosen is None or uniform(chosen) is None or chosen.tensor.size != 1:
            continue
        operands = [chosen if j == i else o for j, o in enumerate(op.operands)]
        shape = broadcast_shapes(*(o.tensor.shape for o in operands if o is not None))
        if shape is not None and shape == op.results[0].tensor.shape:
            rw.fuse(inner, by="take-decided-choice")
            return list(rw.emit(type(op)(*operands, **op.attributes)).results)
    return NoMatch("no operand is decided")


PATTERNS = (compare_strictly, drop_decided_condition, drop_decided_choice, take_decided_choice)
