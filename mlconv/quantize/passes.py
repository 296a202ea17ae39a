"""Quantization as a pass."""

from __future__ import annotations

from typing import ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.module import Module
from mlconv.passes.base import Pass, PassContext


class Quantize(Pass):
    """What computes with floats computes with integers, as the run's recipe and samples say."""

    name: ClassVar[str] = "quantize"
    reads_weights: ClassVar[bool] = True

    def run(self, module: Module, context: PassContext) -> None:
        if context.quantize is None:
            raise ConversionError(
                Code.UsageError,
                "the pass quantize needs a recipe and samples",
                help="run mlconv convert --quantize SCHEME --calibration DATA",
            )
        context.quantize(module)
