"""Constants that are stored as integers and become numbers."""

from __future__ import annotations

import math

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, PerAxis
from mlconv.rewrite import Rewriter

_EACH = (DType.I8, DType.U8, DType.I4)
"""Storage that may have scales along an axis.  Source: TFLite, kernels/dequantize.h."""


def is_weights(value: Value) -> bool:
    """A constant whose numbers are taken, as kernels do."""
    quant = value.tensor.quant
    if quant is None or const_of(value) is None or isinstance(quant.scheme, Blocked):
        return False
    fits = quant.storage in _EACH or (quant.storage is DType.I16 and quant.is_per_tensor)
    return fits and any(isinstance(user, core.Dequantize) for user in value.users)


def kept_weights(border: core.Dequantize) -> bool:
    """Integers in blocks become numbers under a shape that has an axis of blocks; False for what kernels do not
    take.
    """
    quant, value = quantized(border.x), const_of(border.x)
    scheme = quant.scheme
    if value is None or not isinstance(scheme, Blocked) or quant.storage not in _EACH or quant.scales.size == 0:
        return False
    if math.prod(value.shape[scheme.axis + 1 :]) != 1:
        return False
    rewriter, rows = Rewriter(border), (quant.scales.size, scheme.size)
    zeros = quant.zero_points if isinstance(quant.zero_points, int) else quant.zero_points.reshape((quant.scales.size,))
    element = quant.with_numbers(PerAxis(0), quant.scales.reshape((quant.scales.size,)), zeros)
    integers = rewriter.emit(core.Constant(value=value.reshape(rows), element=element)).y
    numbers = rewriter.emit(core.Dequantize(integers)).y
    shape = rewriter.emit(core.Constant(value=make_const(list(value.shape)))).y
    rewriter.replace(border, rewriter.emit(core.Reshape(numbers, shape)).y)
    return True
