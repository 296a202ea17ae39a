"""Scales and shifts of the columns of a matrix product go into its weights and its bias: batch normalization behind a
dense layer.  Weights stay unread: what happens to them is written down as a recipe.
"""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const, Inline, Mapped
from mlconv.ir.core import Op, Value
from mlconv.passes.per_channel import per_channel, split_operands
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement


class Found(NamedTuple):
    """op: x times constant weights, whose columns are the last axis of what it gives.  bias: what is added to these;
    None where nothing is.  ops: those that make the value.
    """

    op: core.MatMul
    weights: Const
    columns: int
    bias: Const | None
    ops: tuple[Op, ...]


def product_behind(y: Value) -> Found | None:
    """The product behind a value that nothing else uses, with the bias that may stand between."""
    add = y.producer
    ops: tuple[Op, ...] = ()
    bias: Const | None = None
    if isinstance(add, core.Add) and y.has_one_use:
        pair = split_operands(add)
        if pair is None or pair[0].type != y.type:
            return None
        y, bias, ops = *pair, (add,)
    op = y.producer
    if (
        not isinstance(op, core.MatMul)
        or not y.has_one_use
        or not y.tensor.dtype.is_float
        or y.tensor.quant is not None
    ):
        return None
    weights = const_of(op.b)
    if weights is None or len(weights.shape) != 2 or y.tensor.rank is None:
        return None
    columns = weights.shape[0 if op.transpose_b else 1]
    if bias is not None:
        bias = per_channel(bias, y.tensor.rank, y.tensor.rank - 1, columns)
        if bias is None:
            return None
    return Found(op, weights, columns, bias, (op, *ops))


@rewrite(core.Mul)
def fold_scale_into_product(op: core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """(x w + b) * c is x (w * c) + b * c for c per column.  Weights that are stored in fewer bits, or that another
    product reads as well, stay as they are.
    """
    pair = split_operands(op)
    found = product_behind(pair[0]) if pair is not None else None
    if pair is None or found is None or pair[0].type != op.y.type:
        return NoMatch("not a constant times a product with constant weights and one use")
    if not isinstance(found.weights, (Mapped, Inline)) or not found.op.b.has_one_use:
        return NoMatch("the weights are computed of others, or have other uses")
    rank = op.y.tensor.rank or 0
    scale = per_channel(pair[1], rank, rank - 1, found.columns)
    if scale is None or scale.dtype is not found.weights.dtype:
        return NoMatch(f"constant {list(pair[1].shape)} is not per column")
    rw.fuse(*found.ops, by="fold-scale")
    along = (found.columns, 1) if found.op.transpose_b else (1, found.columns)
    w = rw.emit(core.Constant(value=recipes.binary("mul", found.weights, scale.reshape(along)))).y
    y = rw.emit(core.MatMul(found.op.a, w, **found.op.attributes)).y
    if found.bias is None:
        return y
    return rw.emit(core.Add(y, rw.emit(core.Constant(value=recipes.binary("mul", found.bias, scale))).y)).y


@rewrite(core.Add, core.Sub)
def fold_shift_into_product(op: core.Add | core.Sub, rw: Rewriter) -> Replacement | NoMatch:
    """(x w + b) + c is x w + (b + c) for c per column."""
    pair = split_operands(op)
    if pair is None or pair[0].type != op.y.type or (isinstance(op, core.Sub) and pair[0] is not op.a):
        return NoMatch("not a value plus a constant")
    found = product_behind(pair[0])
    rank = op.y.tensor.rank or 0
    shift = None if found is None else per_channel(pair[1], rank, rank - 1, found.columns)
    if found is None or found.bias is None or shift is None:
        return NoMatch("not a product with a bias and one use, or the constant is not per column")
    rw.fuse(*found.ops[1:], by="fold-shift")
    bias = recipes.binary("sub" if isinstance(op, core.Sub) else "add", found.bias, shift)
    return rw.emit(core.Add(found.op.y, rw.emit(core.Constant(value=bias)).y)).y


PATTERNS = (fold_scale_into_product, fold_shift_into_product)
