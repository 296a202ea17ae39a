"""Weights that are stored as integers, and whose numbers are spelled out: (integers - zero points) * scales.

Source: torchao, weight-only configurations, as torch.onnx exports them: Cast, Sub, Mul in front of a product, or Cast
in front of it and Mul behind; Keras, layers quantized to int8 and int4, whose scales divide, or are gathered by group;
files that this package writes for LiteRT (`quantized/block_rows.py`).
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType, storage_range
from mlconv.passes.quantized.spelled import STORAGE, Integers, Spread, constant_moved, element_of, inverse
from mlconv.passes.quantized.weights import BLOCK, MOVING, moved
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, constant_array, rewrite
from mlconv.rewrite.pattern import Replacement

_PRODUCTS = (core.Conv, core.ConvTranspose, core.MatMul)


def _spread(value: Value) -> Spread | None:
    """Constants, or what lies in groups of slices in them."""
    made = value.producer
    rows = made.x.producer if isinstance(made, core.Cast) else made
    table = constant_moved(rows.x) if isinstance(rows, core.Gather) and not rows.batch_dims else None
    group = constant_array(rows.indices) if isinstance(rows, core.Gather) and table is not None else None
    if isinstance(rows, core.Gather) and table is not None and group is not None and group.ndim == 1:
        axis, count = rows.axis % len(table.shape), table.shape[rows.axis]
        return Spread(table.view(), np.where(group < 0, group + count, group), axis)
    plain = _plain_integers(value)
    numbers = constant_array(value) if plain is None else plain.view().astype(np.float32)
    return None if numbers is None else Spread(numbers)


def _plain_integers(value: Value) -> Const | None:
    """A constant of integers that are their own numbers, with a scale of 1."""
    made = value.producer
    constant = const_of(made.x) if isinstance(made, core.Dequantize) else None
    if not isinstance(made, core.Dequantize) or constant is None or constant.dtype not in STORAGE:
        return None
    quant = quantized(made.x)
    return constant if quant.is_per_tensor and quant.scales.view() == 1 and not quant.zero_array().any() else None


def _constant(value: Value) -> Const | None:
    """Integers that a cast makes numbers of, or a scale of 1, whatever moves them in front of it or behind."""
    made, constant = value.producer, const_of(value)
    plain = _plain_integers(value)
    if plain is not None:
        return plain
    if constant is not None:
        return constant if value.tensor.dtype in STORAGE and value.tensor.quant is None else None
    if isinstance(made, MOVING):
        inner = _constant(made.inputs[0])
        return None if inner is None else moved(made, inner)
    return _constant(made.x) if isinstance(made, core.Cast) and made.dtype is DType.F32 else None


def _integers(value: Value) -> Integers | None:
    """A constant of integers as float32, less zero points."""
    shifted = value.producer if isinstance(value.producer, core.Sub) else None
    constant = _constant(shifted.a if shifted else value)
    zeros = _spread(shifted.b) if shifted and constant is not None else None
    return None if constant is None or (shifted and zeros is None) else Integers(constant, zeros)


def _is_weights(op: Op) -> bool:
    """A product multiplies with the result, or with what moves it."""
    result = op.results[0]
    return any(
        _is_weights(user) if isinstance(user, MOVING) else isinstance(user, _PRODUCTS) and user.operands[1] is result
        for user in result.users
    )


def _numbers(found: Integers, element: QuantType, rw: Rewriter) -> Value:
    return rw.emit(core.Dequantize(rw.emit(core.Constant(value=found.constant, element=element)).y)).y


@rewrite(core.Mul, core.Div)
def spelled_numbers(op: core.Mul | core.Div, rw: Rewriter) -> Replacement | NoMatch:
    """Scaled in front of a product."""
    for value, other in _factors(op):
        found = _integers(value)
        scales = _scales(op, other) if found is not None and _is_weights(op) else None
        if found is None or scales is None:
            continue
        found, scales = _positive(found, scales)
        element = element_of(found, scales)
        if element is None or op.y.tensor.shape != found.constant.shape:
            return NoMatch("scales or zero points that no integers have")
        return _numbers(found, element, rw)
    return NOT_MEANT


def _positive(found: Integers, scales: Spread) -> tuple[Integers, Spread]:
    """The same numbers with scales above 0: (x - z) * s is (~x - ~z) * -s, where ~ turns every bit of an integer.  Of
    rows, where one zero point for each is no loss.
    """
    numbers, constant, zeros = scales.numbers, found.constant, found.zeros
    rows = tuple(n if a == 0 else 1 for a, n in enumerate(constant.shape))
    plain = zeros is None or (zeros.group is None and zeros.numbers.shape in ((), rows))
    if scales.group is not None or numbers.shape != rows or not plain or not (numbers < 0).any():
        return found, scales
    every = -1 if constant.dtype.is_signed_int else storage_range(constant.dtype)[1]
    turned = np.where(numbers < 0, every, 0)
    points = np.zeros(rows) if zeros is None else np.broadcast_to(zeros.numbers, rows)
    mask = make_const(turned.astype(constant.dtype.numpy), constant.dtype)
    integers = recipes.binary("xor", constant, mask)
    # ~z is every - z of integers with and without a sign
    points = np.where(numbers < 0, every - points, points).astype(np.float32)
    return Integers(integers, Spread(points)), scales._replace(numbers=np.abs(numbers))


def _factors(op: core.Mul | core.Div) -> tuple[tuple[Value, Value], ...]:
    """What is scaled, and what scales it; none of other types."""
    if op.y.tensor.dtype is not DType.F32:
        return ()
    return ((op.a, op.b), (op.b, op.a)) if isinstance(op, core.Mul) else ((op.a, op.b),)


def _scales(op: core.Mul | core.Div, value: Value) -> Spread | None:
    found = _spread(value)
    return inverse(found) if isinstance(op, core.Div) and found is not None else found


@rewrite(core.Mul, core.Div)
def scaled_product(op: core.Mul | core.Div, rw: Rewriter) -> Replacement | NoMatch:
    """Scaled behind a product of matrices, column by column; columns may have been taken apart into axes."""
    for value, other in _factors(op):
        apart = value.producer if isinstance(value.producer, core.Reshape) and value.has_one_use else None
        product = apart.x.producer if apart else value.producer
        found = _integers(product.b) if isinstance(product, core.MatMul) and product.y.has_one_use else None
        scales = None if found is None else _scales(op, other)
        if not isinstance(product, core.MatMul) or found is None or scales is None:
            continue
        columns = _columns(found.constant, product, value, scales)
        if columns is None:
            return NoMatch("no scale for each column")
        element = element_of(found, Spread(columns))
        if element is None or op.y.tensor.shape != value.tensor.shape:
            return NoMatch("scales or zero points that no integers have")
        rw.fuse(product, apart, by="canonicalize")
        y = rw.emit(core.MatMul(product.a, _numbers(found, element, rw), **product.attributes)).y
        return rw.emit(core.Reshape(y, apart.shape, **apart.attributes)).y if apart else y
    return NOT_MEANT


def _columns(constant: Const, product: core.MatMul, value: Value, scales: Spread) -> Array | None:
    """Scales as they broadcast against the second factor, of scales of the axes that its columns have become."""
    shape, given = value.tensor.shape, scales.numbers.shape
    if scales.group is not None or len(constant.shape) != 2 or shape is None or len(given) > len(shape):
        return None
    if scales.numbers.size == 1:
        return scales.numbers.reshape(1, 1)
    count, behind = constant.shape[0 if product.transpose_b else 1], 0
    while behind < len(shape) and math.prod(cast("tuple[int, ...]", shape[len(shape) - behind :])) != count:
        behind += 1
        if not isinstance(shape[-behind], int):
            return None
    axes = cast("tuple[int, ...]", shape[len(shape) - behind :])
    if not behind or any(n != 1 for n in given[:-behind]) or math.prod(axes) != count:
        return None
    try:
        own = np.broadcast_to(scales.numbers.reshape(given[-behind:]), axes)
    except ValueError:  # they do not spread over the columns, and the shape of the result is another
        return None
    return own.reshape(-1, 1) if product.transpose_b else own.reshape(1, -1)


@rewrite(core.Reshape)
def rows_of_blocks(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """Rows that have a scale each, under the shape of the weights of a product: integers in blocks."""
    border = op.x.producer
    constant = const_of(border.x) if isinstance(border, core.Dequantize) else None
    if not isinstance(border, core.Dequantize) or constant is None or not _is_weights(op):
        return NOT_MEANT
    quant, shape = quantized(border.x), op.y.tensor.shape
    if quant.axis != 0 or isinstance(quant.scheme, Blocked) or len(constant.shape) != 2 or not op.y.tensor.is_static:
        return NOT_MEANT
    (rows, size), whole = constant.shape, op.y.tensor.static_shape()
    if size < BLOCK or not rows or not whole or whole[-1] <= size or whole[-1] % size:
        return NoMatch(f"{rows} rows of {size} are no blocks of {shape}")
    count = (*whole[:-1], whole[-1] // size)
    zeros = quant.zero_points if isinstance(quant.zero_points, int) else quant.zero_points.reshape(count)
    element = quant.with_numbers(Blocked(len(whole) - 1, size), quant.scales.reshape(count), zeros)
    return _numbers(Integers(constant.reshape(whole), None), element, rw)


PATTERNS = (spelled_numbers, scaled_product, rows_of_blocks)
