"""Products as quantization wants them: with their biases, and, where their columns are split apart at once, as products
of their own, each of which has its own range.

Queries, keys and values of attention come out of one product in many models; their ranges differ, and one scale for all
three costs the smallest its steps.
"""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.passes.layout.reshapes import grouped
from mlconv.rewrite import Rewriter
from mlconv.rewrite.core_builder import CoreBuilder, Part


def pull_biases(function: Function) -> int:
    """A bias that is added behind a reshape of a product is added in front of it, where it is part of the product.
    Returns how many were.
    """
    count = 0
    for op in [*function.block.ops]:
        if not isinstance(op, core.Add):
            continue
        for data, bias in ((op.a, op.b), (op.b, op.a)):
            shaped = data.producer
            if isinstance(shaped, core.Reshape) and _takes_bias(shaped, bias):
                rewriter = Rewriter(op)
                rewriter.fuse(shaped, by="pull-biases")
                b = CoreBuilder(rewriter)
                rewriter.replace(op, b.y(core.Reshape(b.add(shaped.x, bias), shaped.shape)))
                count += 1
                break
    return count


def _takes_bias(op: core.Reshape, bias: Value) -> bool:
    """A product is reshaped, nothing else uses it, and the bias has a number for each column."""
    product = op.x.producer
    fits = isinstance(product, core.MatMul) and const_of(product.b) is not None and _keeps_columns(op)
    return fits and op.x.has_one_use and op.y.has_one_use and _is_vector(bias, op.y)


def _is_vector(bias: Value, value: Value) -> bool:
    return const_of(bias) is not None and bias.tensor.shape == (value.tensor.shape or ())[-1:]


class Columns(NamedTuple):
    """A product whose columns reach a split.  bias: that is added in between.  others: ops in between."""

    product: core.MatMul
    bias: Const | None
    others: tuple[Op, ...]


def split_products(function: Function) -> int:
    """Split weights where the results of a product are split along its columns.  Returns how many products were."""
    count = 0
    for op in [*function.block.ops]:
        if not isinstance(op, core.Split):
            continue
        found, apart = _columns(op), _apart(op)
        if found is not None:
            _carry_out(op, found)
        elif apart is not None:
            _carry_out_apart(op, apart)
        count += found is not None or apart is not None
    return count


def _columns(op: core.Split) -> Columns | None:
    """The product behind a split along the last axis, where nothing else uses what is in between."""
    rank = op.x.tensor.rank or 0
    found = _product_of(op.x) if op.axis % max(rank, 1) == rank - 1 else None
    return found if found is not None and sum(op.sizes) == _width(found.product) else None


def _product_of(value: Value) -> Columns | None:
    """What a value has its columns of, where nothing else uses what is in between."""
    bias, others = None, list[Op]()
    if not value.has_one_use:
        return None
    while not isinstance(value.producer, core.MatMul):
        maker = value.producer
        if isinstance(maker, core.Add) and bias is None:
            data, other = (maker.a, maker.b) if const_of(maker.b) is not None else (maker.b, maker.a)
            bias, width = const_of(other), (value.tensor.shape or ())[-1:]
            if bias is None or bias.shape != width:
                return None
        elif isinstance(maker, core.Reshape) and _keeps_columns(maker):
            data = maker.x
        else:
            return None
        if not data.has_one_use:
            return None
        others.append(maker)
        value = data
    product = value.producer
    weights = const_of(product.b)
    if weights is None or len(weights.shape) != 2:
        return None
    return Columns(product, bias, tuple(others))


class Move(NamedTuple):
    """An op that moves columns.  axis: of its result, where they begin."""

    op: core.Transpose | core.Reshape
    axis: int


class Apart(NamedTuple):
    """The same where columns are moved before they are split: as axes of their own, of which the first one is split.
    moved: the last one first.
    """

    found: Columns | core.Conv
    moved: tuple[Move, ...]


def _apart(op: core.Split) -> Apart | None:
    """Queries, keys and values of several heads: [rows, 3, heads, size] of [rows, columns]."""
    value, axis, moved = op.x, op.axis % max(op.x.tensor.rank or 0, 1), list[Move]()
    while isinstance(maker := value.producer, (core.Transpose, core.Reshape)) and value.has_one_use:
        before = maker.perm[axis] if isinstance(maker, core.Transpose) else _axis_before(maker, axis)
        if before is None:
            return None
        moved.append(Move(maker, axis))
        value, axis = maker.x, before
    if not moved or (value.tensor.shape or ())[axis] == sum(op.sizes):
        return None
    if isinstance(maker, core.Conv):
        whole = maker.groups == 1 and const_of(maker.w) is not None and (not maker.bias or const_of(maker.bias))
        return Apart(maker, tuple(moved)) if whole and axis == maker.y_layout.index("C") else None
    found = _product_of(value) if axis == (value.tensor.rank or 0) - 1 else None
    return None if found is None else Apart(found, tuple(moved))


def _axis_before(op: core.Reshape, axis: int) -> int | None:
    """The axis that begins where an axis of the result does, and is a multiple of it."""
    old, new = op.x.tensor.shape or (), op.y.tensor.shape or ()
    xs, ys = next((group for group in grouped(old, new) or () if axis in group[1]), ((), ()))
    size, first = new[axis], next((i for i in xs if old[i] != 1), None)
    whole = None if first is None else old[first]
    begins = all(new[i] == 1 for i in ys if i < axis)
    return first if begins and isinstance(whole, int) and isinstance(size, int) and whole % size == 0 else None


def _shape_of_part(move: Move, op: core.Reshape, size: int, total: int, b: CoreBuilder) -> list[Part]:
    """What a reshape gives to `size` of all blocks.  Its result is not asked for open sizes: nothing may keep it."""
    new, given = op.y.tensor.shape or (), ints_of(op.shape)
    shape = list[Part]()
    for i, n in enumerate(new):
        if isinstance(n, int):
            shape.append(n // total * size if i == move.axis else n)
        else:
            shape.append(b.slice_axis(b.cast(op.shape, DType.I64), 0, i, i + 1) if given is None else given[i])
    return shape


def _carry_out_apart(op: core.Split, apart: Apart) -> None:
    found, moved = apart
    product, others = (found, ()) if isinstance(found, core.Conv) else (found.product, found.others)
    rewriter = Rewriter(op)
    rewriter.fuse(product, *others, *(move.op for move in moved), by="split-products")
    b = CoreBuilder(rewriter)
    parts: list[Value] = []
    start, total = 0, sum(op.sizes)
    for size in op.sizes:
        y = _part_of(found, start, start + size, total, b)
        for move in reversed(moved):
            if isinstance(move.op, core.Transpose):
                y = b.transpose(y, move.op.perm)
            else:
                y = b.reshape(y, _shape_of_part(move, move.op, size, total, b))
        parts.append(y)
        start += size
    rewriter.replace(op, parts)


def _part_of(found: Columns | core.Conv, start: int, stop: int, total: int, b: CoreBuilder) -> Value:
    """Columns from start to stop, of `total` blocks of them."""
    if not isinstance(found, core.Conv):
        step = _width(found.product) // total
        return _part(found, start * step, stop * step, b)
    weights, bias = const_of(found.w), const_of(found.bias)
    assert weights is not None
    axis = found.w_layout.index("O")
    step = weights.shape[axis] // total
    begin, end = [0] * len(weights.shape), list(weights.shape)
    begin[axis], end[axis] = start * step, stop * step
    own = b.constant(recipes.slices(weights, tuple(begin), tuple(end)))
    added = None if bias is None else b.constant(recipes.slices(bias, (start * step,), (stop * step,)))
    return b.y(core.Conv(found.x, own, added, **found.attributes))


def _keeps_columns(op: core.Reshape) -> bool:
    old, new = (op.x.tensor.shape or ())[-1:], (op.y.tensor.shape or ())[-1:]
    return old == new and isinstance(old[0] if old else None, int)


def _width(product: core.MatMul) -> int:
    weights = const_of(product.b)
    assert weights is not None
    return weights.shape[0 if product.transpose_b else 1]


def _carry_out(op: core.Split, found: Columns) -> None:
    rewriter = Rewriter(op)
    rewriter.fuse(found.product, *found.others, by="split-products")
    b = CoreBuilder(rewriter)
    parts: list[Value] = []
    start = 0
    shaped = next((other for other in found.others if isinstance(other, core.Reshape)), None)
    for size in op.sizes:
        y = _part(found, start, start + size, b)
        parts.append(y if shaped is None else _reshaped(shaped, y, size, b))
        start += size
    rewriter.replace(op, parts)


def _part(found: Columns, start: int, stop: int, b: CoreBuilder) -> Value:
    """Columns [start, stop) of a product with its bias."""
    product = found.product
    weights = const_of(product.b)
    assert weights is not None
    depth = weights.shape[1 if product.transpose_b else 0]
    bounds = ((start, 0), (stop, depth)) if product.transpose_b else ((0, start), (depth, stop))
    own = b.constant(recipes.slices(weights, *bounds))
    y = b.matmul(product.a, own, transpose_a=product.transpose_a, transpose_b=product.transpose_b)
    return y if found.bias is None else b.add(y, b.constant(recipes.slices(found.bias, (start,), (stop,))))


def _reshaped(op: core.Reshape, y: Value, columns: int, b: CoreBuilder) -> Value:
    """y under the shape that a reshape gives, but for the number of columns.  Its sizes are not asked of its result,
    which nothing else may keep.
    """
    sizes = ints_of(op.shape)
    if sizes is not None:
        return b.reshape(y, [*sizes[:-1], columns])
    rows = b.slice_axis(b.cast(op.shape, DType.I64), 0, 0, len(op.y.tensor.shape or ()) - 1)
    return b.reshape(y, b.concat([rows, b.vector([columns])], 0))
