"""Weights that several products of integers read, each with other scales and zero points: steps of a recurrence that is
spelled out.

What a product makes of zero points and scales are vectors, a number for each channel.  Products that share weights can
share these, too: sums of the weights, times a zero point, and scales of the weights, times and by the others.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounded_base import OverIntegers
from mlconv.ir.core import Block, Value, walk
from mlconv.legalize.to_kernel.builder import SharedWeights
from mlconv.legalize.to_kernel.integers import BYTE, handle_of, zero_of

_BYTES = 4  # of a number
_GROWTH = 0.1  # of weights, that vectors may be


Product = core.QuantMatMul | core.QuantConv


class _Readers:
    """What the products with some weights differ in.  first: one of them."""

    def __init__(self, first: Product) -> None:
        self.first = first
        self.shifts = set[tuple[int, Value | None]]()
        self.biases = set[Value]()
        self.factors = set[tuple[float, float]]()

    def add(self, op: Product) -> None:
        x, bias = op.inputs[0], None if op.bias is None else stored(op.bias)
        self.shifts.add((zero_of(quantized(x)), bias))
        if not (isinstance(op, core.QuantConv) and op.twice):  # else factors are integers
            self.factors.add((float(quantized(x).scales.view()), float(quantized(op.y).scales.view())))
        if bias is not None:
            self.biases.add(bias)


def stored(value: Value) -> Value:
    """A constant of integers, without their type."""
    return value.producer.x if isinstance(value.producer, core.StorageCast) else value


def has_quantized_weights(block: Block) -> bool:
    """An op reads constants of stored integers that are no vectors."""
    readers = (op for op in walk(block) if isinstance(op, core.FromIntegers | OverIntegers))
    handles = (handle_of(stored(value)) for op in readers for value in op.inputs)
    return any(handle is not None and len(handle.shape) > 1 for handle in handles)


def shared_weights(block: Block) -> SharedWeights:
    """Where vectors of each product's own would be a tenth of the weights, or more."""
    found = dict[Value, _Readers]()
    for op in walk(block):
        if isinstance(op, Product) and handle_of(op.inputs[1]) is not None:
            found.setdefault(stored(op.inputs[1]), _Readers(op)).add(op)
    zeros, scales = set[Value](), set[Value]()
    for weights, readers in found.items():
        handle, quant = handle_of(weights), quantized(readers.first.inputs[1])
        assert handle is not None
        channels = handle.shape[_outputs(readers.first)]
        moved = len(readers.shifts) - len(readers.biases)
        scaled = len(readers.factors) if quant.scales.size > 1 else 1
        more = _BYTES * channels * (max(moved - 1, 0) + max(scaled - 1, 0))
        if more > _GROWTH * handle.size * handle.dtype.bits / BYTE:
            zeros |= {weights} if moved > 1 else set()
            scales |= {weights} if scaled > 1 else set()
    return SharedWeights(zeros, scales)


def _outputs(op: Product) -> int:
    """The axis of the output channels of weights."""
    if isinstance(op, core.QuantConv):
        return op.w_layout.index("O")
    return (op.b.tensor.rank or 0) - (2 if op.transpose_b else 1)
