"""Weights that are stored as integers, and whose numbers are spelled out: (integers - zero points) * scales.

Source: torchao, weight-only configurations, as torch.onnx exports them: Cast, Sub, Mul in front of a product, or Cast
in front of it and Mul behind; Keras, layers quantized to int8 and int4, whose scales divide, or are gathered by group.
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.passes.quantized.spelled import STORAGE, Integers, Spread, constant_moved, element_of, inverse
from mlconv.passes.quantized.weights import MOVING, moved
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
    numbers = constant_array(value)
    return None if numbers is None else Spread(numbers)


def _constant(value: Value) -> Const | None:
    """Integers that a cast makes numbers of, whatever moves them in front of it or behind."""
    made, constant = value.producer, const_of(value)
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
        element = element_of(found, scales)
        if element is None or op.y.tensor.shape != found.constant.shape:
            return NoMatch("scales or zero points that no integers have")
        return _numbers(found, element, rw)
    return NOT_MEANT


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


PATTERNS = (spelled_numbers, scaled_product)
