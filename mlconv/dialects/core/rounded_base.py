"""What ops over stored integers have in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.quant import quantized
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef

_ROUNDING = frozenset({"element", "lo", "hi", "twice"})  # attributes


def centred(x: Array, quant: QuantType) -> Array:
    """Stored integers less their zero points, int64."""
    return x.astype(np.int64) - quant.spread(quant.zero_array(), x.shape)


def per_tensor(value: Value) -> QuantType:
    """The quantization of a value that has one scale.  Raises ConversionError TypeMismatch."""
    quant = quantized(value)
    if not quant.is_per_tensor:
        raise ConversionError(Code.TypeMismatch, f"{value.type} has more than one scale")
    return quant


class OverIntegers(OpDef):
    """An op over stored integers: it says itself what they become."""

    __slots__ = ()


class Rounded(OverIntegers):
    """Common to ops whose results are rounded to an element type and limited to [lo, hi], stored integers."""

    __slots__ = ()
    element: QuantType
    lo: int
    hi: int

    def unrounded(self, kind: Callable[..., OpDef], *operands: Value | None, **more: object) -> OpDef:
        """An op of another kind on operands, with what this one's attributes say beside its rounding."""
        beside = {name: value for name, value in self.attributes.items() if name not in _ROUNDING}
        return kind(*operands, **beside, **more)

    def check_element(self, *values: Value) -> None:
        """One scale for the result, bounds within its range; the operands are quantized.  Raises ConversionError
        TypeMismatch.
        """
        for value in values:
            quantized(value)
        y = self.element
        if not y.is_per_tensor:
            raise ConversionError(Code.TypeMismatch, f"{self.name} rounds to one scale, not to {y}")
        if not y.qmin <= self.lo <= self.hi <= y.qmax:
            raise ConversionError(Code.TypeMismatch, f"{self.name}: [{self.lo}, {self.hi}] is no range of {y}")


def limited(made: Array, op: Rounded) -> Array:
    """Numbers in stored units, within the op's bounds, as integers of its storage."""
    return np.asarray(np.clip(made, op.lo, op.hi).astype(op.element.storage.numpy))
