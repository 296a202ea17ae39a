"""Inputs and outputs of a model as integers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.types import TensorType
from mlconv.passes.patterns.algebra import uniform
from mlconv.passes.quantized.weights import MOVING
from mlconv.quantize.choose import is_float
from mlconv.quantize.ranges import Range, activation_type
from mlconv.rewrite import edit

_OFFSET = 128  # from integers of 8 bits with a sign to those without


def interface_values(function: Function) -> dict[Value, None]:
    """Inputs and outputs of float32."""
    return dict.fromkeys(v for v in (*function.inputs, *function.outputs) if is_float(v))


def is_number(value: Value) -> bool:
    """Floats of any width, that integers may stand for."""
    return is_float(value) or _is_other(value)


def _is_other(value: Value) -> bool:
    t = value.type
    return isinstance(t, TensorType) and t.element in (DType.F16, DType.BF16, DType.F64)


def widen_interface(function: Function) -> None:
    """Inputs and outputs of other floats become float32, whose integers they are to be."""
    for value in [v for v in function.inputs if _is_other(v)]:
        narrow, uses = value.tensor.dtype, list(value.uses)
        edit.retype(value, TensorType(DType.F32, value.tensor.shape))
        rounded = (
            Builder(function.block, function.location, function.block.first).emit(core.Cast(value, dtype=narrow)).y
        )
        for user, i in uses:
            if isinstance(user, core.Cast) and user.dtype is DType.F32:
                edit.replace(user, [value])
            else:
                edit.set_operand(user, i, rounded)
    end = function.block.terminator
    for i, value in enumerate(function.outputs):
        if _is_other(value):
            maker = value.producer
            builder = Builder(function.block, end.location or function.location, end)
            wide = maker.x if isinstance(maker, core.Cast) and is_float(maker.x) else None
            edit.set_operand(end, i, wide or builder.emit(core.Cast(value, dtype=DType.F32)).y)


def quantize_interface(
    function: Function, storage: DType, ranges: Mapping[Value, Range], symmetric: bool = False
) -> None:
    """Inputs and outputs of float32 become integers of a storage, int8 or uint8: by the quantization that they have
    behind and in front of them, else by their ranges, of values as they were.  symmetric: zero points are 0.
    """
    place = function.location
    for value in [v for v in function.inputs if is_float(v)]:
        borders = [user.element for user in value.users if isinstance(user, core.Quantize) and _is_byte(user.element)]
        signed = borders[0] if borders else activation_type(*ranges[value].whole, DType.I8, symmetric)
        uses = list(value.uses)
        edit.retype(value, TensorType(_as(signed, storage), value.tensor.shape))
        numbers = Builder(function.block, place, function.block.first).emit(core.Dequantize(value)).y
        for user, i in uses:
            edit.set_operand(user, i, numbers)
    end = function.block.terminator
    for i, value in enumerate(function.outputs):
        if not is_float(value):
            continue
        maker = value.producer
        own = maker.x.tensor.quant if isinstance(maker, core.Dequantize) else None
        is_byte = own is not None and _is_byte(own)
        element = own if own is not None and is_byte else activation_type(*ranges[value].whole, DType.I8, symmetric)
        builder = Builder(function.block, end.location or place, end)
        edit.set_operand(end, i, builder.emit(core.Quantize(value, element=_as(element, storage))).y)


def quantize_pixels(function: Function) -> list[Op]:
    """Inputs of bytes that become numbers and integers again, moved or not, are integers with a scale of 1 themselves:
    no numbers in between.  A shift by a byte in front of that is their zero point.  Returns ops that are gone.
    """
    gone = list[Op]()
    for value in function.inputs:
        users = value.users
        storage = value.tensor.dtype
        is_byte = value.tensor.quant is None and storage in (DType.U8, DType.I8)
        if not is_byte or len(users) != 1 or not isinstance(users[0], core.Cast):
            continue
        numbers, zero = users[0].y, 0
        shift = numbers.users[0] if len(numbers.users) == 1 else None
        amount = uniform(shift.b) if isinstance(shift, core.Sub) and shift.a is numbers else None
        if isinstance(shift, core.Sub) and amount is not None and _holds(storage, amount):
            numbers, zero = shift.y, int(amount)
        if not (is_float(numbers) and numbers.users and all(map(_makes_bytes, numbers.users))):
            continue
        element = QuantType.of(storage, 1.0, zero)
        edit.retype(value, TensorType(element, value.tensor.shape))
        e = Builder(function.block, users[0].location or function.location, users[0])
        edit.replace_uses(numbers, e.emit(core.Dequantize(value)).y)
        for op in [op for op in (numbers.producer, users[0].y.producer) if op is not None]:
            if not op.results[0].uses:
                edit.erase(op)
                gone.append(op)
    return gone


def _holds(storage: DType, number: float) -> bool:
    bounds = np.iinfo(storage.numpy)
    return bool(bounds.min <= number <= bounds.max) and number == int(number)


def _makes_bytes(op: Op) -> bool:
    if isinstance(op, MOVING):
        return bool(op.y.users) and all(map(_makes_bytes, op.y.users))
    return isinstance(op, core.Quantize) and _is_byte(op.element)


def _is_byte(quant: QuantType) -> bool:
    return quant.is_per_tensor and quant.storage in (DType.I8, DType.U8)


def _as(quant: QuantType, storage: DType) -> QuantType:
    """The same numbers in integers with or without a sign."""
    if quant.storage is storage:
        return quant
    shift = _OFFSET if storage is DType.U8 else -_OFFSET
    return QuantType.of(storage, quant.scales.view(), quant.zero_array() + shift, None, quant.expressed)
