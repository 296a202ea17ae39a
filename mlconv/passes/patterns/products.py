"""Products as layers that are written as sums over indices (EinsumDense and attention of Keras) leave them: columns
that are divided into heads before a bias is added, and scores of keys by queries.
"""

from __future__ import annotations

from itertools import dropwhile

from mlconv.dialects import core
from mlconv.ir.constants import Const
from mlconv.ir.spec import known_ints
from mlconv.ir.types import Shape
from mlconv.passes.fold_product import product_behind
from mlconv.passes.layout.permutation import identity
from mlconv.passes.layout.products import swap_last
from mlconv.passes.patterns.movement import asks
from mlconv.passes.per_channel import split_operands
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement


@rewrite(core.Add, core.Mul)
def take_columns_before_reshape(op: core.Add | core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """reshape(x w) + c is reshape(x w + c) for c per column, so that the product takes c as its bias, or as a factor
    of its weights.
    """
    pair = split_operands(op)
    reshape = pair[0].producer if pair is not None else None
    if pair is None or not isinstance(reshape, core.Reshape) or reshape.y.type != op.y.type:
        return NoMatch("not a constant with a reshape that has the shape of the result")
    found = product_behind(reshape.x) if reshape.y.has_one_use else None
    if found is None or op.y.tensor.quant is not None:
        return NoMatch("what is reshaped is no product with constant weights, or has other uses")
    columns = _columns(pair[1], found.columns, op.y.tensor.shape or ())
    if columns is None or (columns.size < found.columns and isinstance(op, core.Add)):
        return NoMatch(f"constant {list(pair[1].shape)} is not per column")
    rw.fuse(reshape, by="take-columns")
    constant = rw.emit(core.Constant(value=columns))
    return rw.emit(core.Reshape(rw.emit(type(op)(reshape.x, constant.y)).y, reshape.shape)).y


def _columns(c: Const, columns: int, shape: Shape) -> Const | None:
    """c as [columns] where the axes that it has are the last ones of a shape and make up the columns; one number as
    [1].
    """
    own = tuple(dropwhile(lambda n: n == 1, c.shape))
    if len(c.shape) > len(shape) or c.size not in (1, columns) or own != shape[len(shape) - len(own) :]:
        return None
    return c.reshape((c.size,))


@rewrite(core.Transpose)
def turn_product(op: core.Transpose, rw: Rewriter) -> Replacement | NoMatch:
    """(a b)^T is b^T a^T, where a transpose makes b, so that b^T is as cheap."""
    product, rank = op.x.producer, len(op.perm)
    if not isinstance(product, core.MatMul) or op.perm != swap_last(identity(rank)) or not op.x.has_one_use:
        return NoMatch("not the last two axes of a product with one use, swapped")
    if product.block is not op.block:
        return NoMatch("a loop would multiply in each turn")
    a, b = product.a, product.b
    if {a.tensor.rank, b.tensor.rank} != {rank} or not op.y.tensor.dtype.is_float or op.y.tensor.quant is not None:
        return NoMatch("operands have fewer axes, or other types than products that run the other way round")
    free = product.transpose_b or (isinstance(b.producer, core.Transpose) and b.has_one_use)
    if not free or isinstance(a.producer, core.Constant) or isinstance(b.producer, core.Constant):
        return NoMatch("an operand is constant, or b is not read, or made, in another order")
    left = b if product.transpose_b else rw.emit(core.Transpose(b, perm=op.perm)).y
    rw.fuse(product, by="turn-product")
    return rw.emit(core.MatMul(left, a, transpose_a=False, transpose_b=not product.transpose_a)).y


@rewrite(core.OneHot)
def look_up_before_reshape(op: core.OneHot, rw: Rewriter) -> Replacement | NoMatch:
    """Rows of a matrix that are looked up as products with ones and zeros: of indices as they are, so that the product
    may take them so.
    """
    reshape, depth = op.indices.producer, known_ints(op.depth)
    if not isinstance(reshape, core.Reshape) or op.indices.tensor.rank != 1 or (reshape.x.tensor.rank or 0) <= 1:
        return NoMatch("the indices are not merged axes")
    if asks(reshape):
        return NoMatch("the reshape holds for some sizes only")
    if op.axis not in (-1, 1) or not depth or not isinstance(depth[0], int) or depth[0] <= 0:
        return NoMatch("the number of classes is not known, or they are not the last axis")
    if not all(isinstance(user, core.MatMul) and user.a is op.y and user.b is not op.y for user in op.y.users):
        return NoMatch("something else than products uses it")
    rw.fuse(reshape, by="look-up-before-reshape")
    e = CoreBuilder(rw)
    return e.reshape(e.y(core.OneHot(reshape.x, op.depth, op.on, op.off, axis=-1)), [-1, depth[0]])


PATTERNS = (take_columns_before_reshape, turn_product, look_up_before_reshape)
