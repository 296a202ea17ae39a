"""Quantized types at the border to a target that computes with their integers."""

from __future__ import annotations

from mlconv.ir.core import Block, walk
from mlconv.ir.types import TensorType


def strip_quantization(block: Block) -> None:
    """Quantized storage is plain integers from here on: each target spells the arithmetic of its scales out."""
    values = [*block.arguments]
    for op in walk(block):
        values += op.results
        for region in op.regions:
            values += region.block.arguments
    for value in values:
        if isinstance(value.type, TensorType) and value.type.quant is not None:
            value.type = value.type.with_quant(None)
