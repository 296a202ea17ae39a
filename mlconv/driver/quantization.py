"""Quantization as a conversion asks for it: the recipe of its options, its samples, and native code to calibrate
with.
"""

from __future__ import annotations

from mlconv.driver.context import Context
from mlconv.driver.options import Options
from mlconv.driver.pool import NativePool
from mlconv.exporters.target import Target
from mlconv.ir.module import Module
from mlconv.quantize.collect import Collector, GiveSamples, OnProgress
from mlconv.quantize.quantizer import Quantizer
from mlconv.quantize.recipe import Recipe
from mlconv.quantize.report import Report
from mlconv.runtime.images import ImageForm
from mlconv.runtime.jobs import workers_of
from mlconv.runtime.samples import Source, given_samples, read_samples


class Quantization:
    """What a conversion's options ask for.  on_progress: is told of samples and trials."""

    def __init__(self, options: Options, context: Context, target: Target, on_progress: OnProgress) -> None:
        """Raises ConversionError UsageError, InputNotReadable."""
        self.options, self.context, self.target, self.on_progress = options, context, target, on_progress
        self.recipe = Recipe.of(options.quantize, options.quantize_rules, options.granularity, options.require_int8)
        self.give = _giver(options.calibration, ImageForm.parse(options.calibration_images))

    def quantize(self, module: Module) -> Report:
        """In place.  Raises what `Quantizer.quantize` does, and WorkerLost."""
        with NativePool(self.options, self.context, workers_of(self.options.jobs)) as pool:
            collector = None if self.give is None else Collector(self.give, pool, self.on_progress)
            quantizer = Quantizer(self.recipe, collector, self.target.dynamic, self.target.dynamic_blocks)
            quantizer.quantize(module)
            return quantizer.report


def _giver(source: str | Source | None, images: ImageForm) -> GiveSamples | None:
    if isinstance(source, str):
        return (lambda function: read_samples(source, function, images)) if source else None
    return None if source is None else lambda function: given_samples(source, function)
