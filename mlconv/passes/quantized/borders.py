"""What lies between a float value and the quantized ones around it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.rounded_base import OverIntegers
from mlconv.ir.core import Op, Value, clone_op
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.spec import OpDef
from mlconv.rewrite import Rewriter, edit


class Rounding(NamedTuple):
    """How a float value becomes integers.  value: before it is limited.  lo, hi: stored integers that it is limited to.
    ops: that go into it, besides the `quantize` itself.
    """

    value: Value
    element: QuantType
    lo: int
    hi: int
    ops: tuple[Op, ...]


def stored(value: Value | None) -> Value | None:
    """The quantized tensor whose numbers a value is."""
    producer = None if value is None else value.producer
    return producer.x if isinstance(producer, core.Dequantize) else None


def has_one_live_use(value: Value) -> bool:
    """One use by an op that something needs: those that patterns leave behind are there until the end."""
    live = (user for user, _ in value.uses if not user.results or user.is_used)
    return len(list(islice(live, 2))) == 1


def rounding_of(border: core.Quantize) -> Rounding:
    """What is limited and then rounded: limits of numbers are limits of the integers next to them, since rounding keeps
    order.  Where channels have scales of their own there is no one integer for a limit.
    """
    value, element, ops = border.x, border.element, list[Op]()
    if not element.is_per_tensor:
        return Rounding(value, element, element.qmin, element.qmax, ())
    lo, hi = -math.inf, math.inf
    while isinstance(value.producer, core.Clamp) and value.producer.kernel is None and has_one_live_use(value):
        clamp = value.producer
        lo, hi = max(lo, clamp.lo), min(hi, clamp.hi)
        ops.append(clamp)
        value = clamp.x
    if lo > hi or math.isnan(lo) or math.isnan(hi):
        return Rounding(border.x, element, element.qmin, element.qmax, ())
    return Rounding(value, element, _integer(lo, element, element.qmin), _integer(hi, element, element.qmax), (*ops,))


def _integer(bound: float, element: QuantType, unbound: int) -> int:
    return int(element.quantize(np.asarray(bound, np.float32))) if math.isfinite(bound) else unbound


def shifted(value: Value) -> Value | None:
    """What a value was made of by another zero point and storage alone: the same numbers."""
    made = value.producer
    if not isinstance(made, core.Requantize) or (made.lo, made.hi) != (made.element.qmin, made.element.qmax):
        return None
    old, new = made.x.tensor.quant, made.element
    if old is None or old == new or {old.storage, new.storage} != {DType.I8, DType.U8}:
        return None
    unsigned, other = (new, old) if new.storage is DType.U8 else (old, new)
    return made.x if is_unsigned(unsigned) and signed(unsigned) == other else None


def readings(value: Value) -> Iterator[Value]:
    """What a value was before its integers got their element types, the last first."""
    while isinstance(value.producer, core.StorageCast):
        value = value.producer.x
        yield value


def as_made(x: Value, fits: Callable[[QuantType], bool]) -> Value:
    """A quantized tensor under the parameters that its integers were made with, where those fit as well."""
    for value in readings(x):
        quant = value.tensor.quant
        x = value if quant is not None and quant.is_per_tensor and fits(quant) else x
    return x


def is_unsigned(quant: QuantType) -> bool:
    """All integers of 8 bits without a sign, which have their like with one."""
    return quant.storage is DType.U8 and (quant.qmin, quant.qmax) == (0, 255) and not isinstance(quant.scheme, Blocked)


def is_signed(quant: QuantType) -> bool:
    """Integers of 8 bits with a sign and one scale, which kernels take."""
    return quant.storage is DType.I8 and quant.is_per_tensor


def is_wide(quant: QuantType) -> bool:
    """Integers of 16 bits with one scale and no zero point, which kernels take, too."""
    return quant.storage is DType.I16 and quant.is_per_tensor and isinstance(quant.zero_points, int)


def is_computed(quant: QuantType) -> bool:
    """Kernels compute with such integers."""
    return is_signed(quant) or is_wide(quant)


def signed(quant: QuantType) -> QuantType:
    """The same numbers in signed integers: those of 8 bits less 128."""
    zeros = quant.zero_array() - 128
    return QuantType.of(DType.I8, quant.scales.view(), zeros, _axis(quant), quant.expressed)


def unsigned(quant: QuantType) -> QuantType:
    """The same numbers in unsigned integers: those of 8 bits and 128."""
    return QuantType.of(DType.U8, quant.scales.view(), quant.zero_array() + 128, _axis(quant), quant.expressed)


def _axis(quant: QuantType) -> int | None:
    return None if quant.is_per_tensor else quant.axis


def is_int8(value: Value) -> bool:
    """int8 with one scale, which kernels take."""
    quant = value.tensor.quant
    return quant is not None and is_signed(quant)


def is_int16(value: Value) -> bool:
    """int16 with one scale and no zero point."""
    quant = value.tensor.quant
    return quant is not None and is_wide(quant)


def stays(value: Value) -> bool:
    """Kernels of int8 take a value as it is: weights, too, and what comes in or goes out as uint8."""
    made = value.producer
    return (
        is_int8(value) or isinstance(made, OverIntegers) or any(isinstance(user, OverIntegers) for user in value.users)
    )


def is_for(op: core.Quantize, found: Rounding) -> bool:
    """Integers that kernels compute with are wanted, and nothing else wants the numbers."""
    return is_computed(op.element) and has_one_live_use(found.value)


def quant_of_stored(value: Value) -> QuantType:
    quant = value.tensor.quant
    assert quant is not None
    return quant


def limits_of(found: Rounding) -> dict[str, Any]:
    return {"element": found.element, "lo": found.lo, "hi": found.hi}


def made_of(rw: Rewriter, found: Rounding, op: OpDef, *others: Op | None) -> Value:
    """Emit an op for others that go into it."""
    rw.fuse(*found.ops, *others, by="quant-lower")
    return rw.emit(op).result


def on_numbers(op: OpDef) -> None:
    """The op on the numbers of its quantized tensors, between borders."""
    rewriter = Rewriter(op)
    numbers = {v: rewriter.emit(core.Dequantize(v)).y for v in op.inputs if quant_of(v) is not None}
    copy = rewriter.emit(clone_op(op, dict(numbers)))
    values = []
    for old, new in zip(op.results, copy.results, strict=True):
        quant = quant_of(old)
        if quant is not None:
            edit.retype(new, new.tensor.expressed)
            new = rewriter.emit(core.Quantize(new, element=quant)).y
            edit.rename(new, old.name)
        values.append(new)
    rewriter.replace(op, values)
