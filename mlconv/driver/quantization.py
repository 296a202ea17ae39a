"""Quantization as a conversion asks for it: the recipe of its options, its samples, and native code to calibrate
with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from mlconv.diagnostics import ConversionError, Family
from mlconv.driver.context import Context
from mlconv.driver.options import Options
from mlconv.exporters.target import Target
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.module import Function, Module
from mlconv.quantize.calibrate import Run, Sample
from mlconv.quantize.quantizer import Quantizer
from mlconv.quantize.recipe import Recipe
from mlconv.runtime.images import ImageForm
from mlconv.runtime.samples import given_samples, read_samples


def quantizer_of(options: Options, context: Context, target: Target) -> Quantizer:
    """What the options ask for.  Raises ConversionError UsageError, InputNotReadable."""
    recipe = Recipe.of(options.quantize, options.quantize_rules, options.granularity, options.require_int8)
    images = ImageForm.parse(options.calibration_images)
    source = options.calibration
    give: Callable[[Function], Iterable[Sample]] | None = None
    if isinstance(source, str):
        if source:
            give = lambda function: read_samples(source, function, images)  # noqa: E731
    elif source is not None:
        give = lambda function: given_samples(source, function)  # noqa: E731
    return Quantizer(
        recipe, give, lambda module: _ready(module, options, context), target.dynamic, target.dynamic_blocks
    )


def _ready(module: Module, options: Options, context: Context) -> Run:
    """Native code where there is some for all of the module, else the reference interpreter."""
    from mlconv.driver.inprocess import compiled

    plain = replace(options, target={"winograd": "never"}, dump_ir="", print_ir_after="", verify_each=False)
    try:
        return compiled(module, plain, context=context).model.run
    except ConversionError as error:
        first = (*error.diagnostics, error.diagnostic)[0]
        if first.code.family not in (Family.Types, Family.Target, Family.SourceOps):
            raise
    return lambda inputs: _interpreted(module, inputs)


def _interpreted(module: Module, inputs: Mapping[str, Array]) -> dict[str, Array]:
    return run_function(module.main, inputs)
