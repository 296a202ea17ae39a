"""Numbers that are counted."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import same_dtype
from mlconv.dialects.core.shape import Constant
from mlconv.dialects.core.unary import Cast
from mlconv.ir.constants import Array, check_size
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, ceildiv, maximum
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import at_least_one
from mlconv.ir.spec import OpDef, attr, known_ints, op, operand, result
from mlconv.ir.types import TensorType


def _range_count(start: Array, limit: Array, step: Array, wide: bool) -> int:
    """Length of a range, computed in the element type, as TensorFlow and TFLite do, or in float64: float32 may give
    another one.
    """
    s, e, d = (v.reshape(()) for v in (start, limit, step))
    if d == 0:
        raise ConversionError(Code.ShapeMismatch, "the step of a range is 0")
    own = start.dtype.kind == "f" and not wide
    steps = (e - s) / d if own else (e.item() - s.item()) / d.item()
    return max(0, int(np.ceil(steps)))


def _whole(value: Value, up: bool) -> Size | None:
    """An end of a range as a size, also in floats that hold it, or as the next whole number."""
    while value.tensor.dtype in (DType.F32, DType.F64) and isinstance(value.producer, Cast):
        value = value.producer.x
    if value.tensor.dtype in (DType.F32, DType.F64) and isinstance(value.producer, Constant):
        number = value.producer.value.view().reshape(-1)[0]
        return int(np.ceil(number) if up else np.floor(number)) if np.isfinite(number) else None
    return (known_ints(value) or (None,))[0]


@op("core.range")
class Range(OpDef):
    """start, start + step, ... before limit, of one numeric type: max(0, ceil((limit - start) / step)) scalars.
    wide: this is computed in float64, as ONNX Runtime does it, else in the element type.
    """

    start: Value = operand()
    limit: Value = operand()
    step: Value = operand()
    wide: bool = attr(default=False)
    y: Value = result()

    def infer(self) -> TensorType:
        dtype = same_dtype(self.start, self.limit, self.step)
        arrays = [
            v.producer.value.view() for v in (self.start, self.limit, self.step) if isinstance(v.producer, Constant)
        ]
        if len(arrays) == 3:
            return TensorType(dtype, (_range_count(arrays[0], arrays[1], arrays[2], self.wide),))
        down, step = (_whole(self.step, up) for up in (False, True))
        falls = isinstance(step, int) and step < 0
        start, limit = _whole(self.start, falls), _whole(self.limit, not falls)
        if down == step == 0:
            raise ConversionError(Code.ShapeMismatch, "the step of a range is 0")
        if start is None or limit is None or not isinstance(step, int) or step != down:
            return TensorType(dtype, (Dim.unknown(),))
        count = ceildiv((limit - start) * (1 if step > 0 else -1), abs(step))
        return TensorType(dtype, (count if at_least_one(count)[0] >= 0 else maximum(count, 0),))

    def eval(self, start: Array, limit: Array, step: Array) -> Array:
        s, d = start.reshape(()).item(), step.reshape(()).item()
        count = _range_count(start, limit, step, self.wide)
        check_size((count,), self.start.tensor.dtype, "result of range")
        return np.asarray(s + np.arange(count) * d).astype(start.dtype)
