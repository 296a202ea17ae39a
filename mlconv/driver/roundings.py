"""How the weights of what is run are rounded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mlconv.dialects import core
from mlconv.ir.core import Op, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.types import TensorType
from mlconv.runtime.layer_noise import Rounding, Weights, stored_values
from mlconv.runtime.tflite_file import TfliteFile


def tflite_rounding(file: TfliteFile, function: Function | None = None) -> Rounding:
    """How a file that was run stores its weights.  function: its ops, where they are known: LiteRT shows integers of
    few bits as ones of 8.
    """
    found = _rounding([*((v.dtype, v.quant, v.is_constant) for v in file.values()), *file.inner])
    stored = 0 if function is None else rounding_of(function).largest
    return replace(found, largest=min(stored, found.largest)) if stored else found


def rounding_of(function: Function) -> Rounding:
    """How a function stores its weights."""
    stored = stored_values(function)
    values = ((v.type, v in stored or _is_of_constants(op)) for op in walk(function.block) for v in op.results)
    return _rounding((t.dtype, t.quant, known) for t, known in values if isinstance(t, TensorType))


def _is_of_constants(op: Op) -> bool:
    """It is a constant, or computed of such, in a loop or a branch."""
    return isinstance(op, core.Constant) or (
        bool(op.inputs) and all(isinstance(v.producer, core.Constant) for v in op.inputs)
    )


def _rounding(values: Iterable[tuple[DType, QuantType | None, bool]]) -> Rounding:
    """Of element types, quantization and whether it is a constant."""
    weights, activations = set[Weights](), set[DType]()
    for dtype, quant, is_constant in values:
        if quant is not None and quant.storage is not DType.I32 and is_constant:
            weights.add(Weights(quant.storage, quant.is_per_tensor))
        elif quant is not None:
            activations.add(quant.storage)
        elif dtype.is_half and is_constant:
            weights.add(Weights(dtype))
    return Rounding.of(weights, activations)
