"""Weights that a file holds in 2 bits, which compute as 4 bits everywhere else, are 2 bits again where TFLite
multiplies them.

Source: LiteRT, kernels/fully_connected.cc: floats by int2, and int8 by int2.
"""

from __future__ import annotations

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import TflOp
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import PerAxis, PerTensor, QuantType
from mlconv.ir.recipes import Derived
from mlconv.legalize.to_tfl.one_op import builder_at
from mlconv.rewrite import edit


def store_two_bits(op: TflOp) -> bool:
    """FULLY_CONNECTED of weights that were 2 bits wide reads them as they were."""
    x, weights, *_ = op.inputs
    narrow, element = _narrow(weights), weights.tensor.element
    if narrow is None or not isinstance(element, QuantType) or not isinstance(element.scheme, (PerTensor, PerAxis)):
        return False
    if {v.tensor.dtype for v in (x, op.result)} not in ({DType.F32}, {DType.I8}):
        return False
    stored = QuantType(DType.I2, element.expressed, element.scheme, element.scales, element.zero_points)
    edit.set_operand(op, 1, builder_at(op).constant(narrow, element=stored))
    return True


def _narrow(weights: Value) -> Const | None:
    """The integers of 2 bits that a constant's are made of."""
    constant = const_of(weights)
    if not isinstance(constant, Derived) or constant.recipe != "cast" or constant.dtype is not DType.I4:
        return None
    source = constant.inputs[0]
    return source.reshape(constant.shape) if source.dtype is DType.I2 else None
