"""Weights that are stored as integers, and whose numbers are spelled out: (integers - zero points) * scales.

Source: torchao, weight-only configurations, as torch.onnx exports them: Cast, Sub, Mul in front of a product, or Cast
in front of it and Mul behind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType, storage_range
from mlconv.passes.quantized.weights import MOVING
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, constant_array, rewrite
from mlconv.rewrite.pattern import Replacement

_STORAGE = (DType.I8, DType.U8, DType.I4, DType.U4)
_PRODUCTS = (core.Conv, core.ConvTranspose, core.MatMul)


class _Integers(NamedTuple):
    """zeros: that are taken off, of the rank of the constant or less; None for none."""

    constant: Const
    zeros: Array | None


def _integers(value: Value) -> _Integers | None:
    """A constant of integers as float32, less zero points."""
    made = value.producer
    shifted = made if isinstance(made, core.Sub) else None
    made = shifted.a.producer if shifted else made
    if not isinstance(made, core.Cast) or made.dtype is not DType.F32 or made.x.tensor.dtype not in _STORAGE:
        return None
    constant = const_of(made.x)
    zeros = constant_array(shifted.b) if shifted and constant is not None else None
    return None if constant is None or (shifted and zeros is None) else _Integers(constant, zeros)


def _is_weights(op: Op) -> bool:
    """A product multiplies with the result, or with what moves it."""
    result = op.results[0]
    return any(
        _is_weights(user) if isinstance(user, MOVING) else isinstance(user, _PRODUCTS) and user.operands[1] is result
        for user in result.users
    )


def _element(found: _Integers, scales: Array) -> QuantType | None:
    """The type of such integers; None where the numbers are not those of one axis, or no scales."""
    shape = found.constant.shape
    zeros = np.zeros((), np.float32) if found.zeros is None else found.zeros
    given = [np.shape(v) for v in (scales, zeros)]
    if any(len(s) > len(shape) for s in given) or not (np.isfinite(scales) & (scales > 0)).all():
        return None
    own = np.broadcast_shapes(*given)
    axes = [i - len(own) for i, n in enumerate(own) if n != 1]
    if len(axes) > 1 or any(own[a] != shape[a] for a in axes):
        return None
    low, high = storage_range(found.constant.dtype)
    if not ((zeros == np.rint(zeros)) & (zeros >= low) & (zeros <= high)).all():
        return None
    spread = [np.broadcast_to(v, own).reshape(-1) for v in (scales, zeros)]
    if not axes:
        return QuantType.of(found.constant.dtype, float(spread[0][0]), int(spread[1][0]))
    return QuantType.of(found.constant.dtype, spread[0], spread[1].astype(np.int64), len(shape) + axes[0])


def _numbers(found: _Integers, element: QuantType, rw: Rewriter) -> Value:
    return rw.emit(core.Dequantize(rw.emit(core.Constant(value=found.constant, element=element)).y)).y


@rewrite(core.Mul)
def spelled_numbers(op: core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """Scaled in front of a product."""
    for value, other in ((op.a, op.b), (op.b, op.a)):
        found = _integers(value)
        scales = None if found is None else constant_array(other)
        if found is None or scales is None or not _is_weights(op):
            continue
        element = _element(found, scales)
        if element is None or op.y.tensor.shape != found.constant.shape:
            return NoMatch("scales or zero points that no integers have")
        return _numbers(found, element, rw)
    return NOT_MEANT


@rewrite(core.Mul)
def scaled_product(op: core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """Scaled behind a product of matrices, column by column."""
    for value, other in ((op.a, op.b), (op.b, op.a)):
        product = value.producer
        found = _integers(product.b) if isinstance(product, core.MatMul) else None
        scales = None if found is None else constant_array(other)
        if not isinstance(product, core.MatMul) or found is None or scales is None or not value.has_one_use:
            continue
        if len(found.constant.shape) != 2 or np.shape(scales)[:-1] != (1,) * (np.ndim(scales) - 1):
            return NoMatch("no scale for each column")
        columns = scales.reshape(-1, 1) if product.transpose_b else scales.reshape(1, -1)
        element = _element(found, columns)
        if element is None or op.y.tensor.shape != value.tensor.shape:
            return NoMatch("scales or zero points that no integers have")
        rw.fuse(product, by="canonicalize")
        return rw.emit(core.MatMul(product.a, _numbers(found, element, rw), **product.attributes)).y
    return NOT_MEANT


PATTERNS = (spelled_numbers, scaled_product)
