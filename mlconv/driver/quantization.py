"""Quantization as a conversion asks for it: the recipe of its options, its samples, and native code to calibrate
with.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mlconv.diagnostics import ConversionError, Family
from mlconv.driver.context import Context
from mlconv.driver.conversion import Result, convert
from mlconv.driver.options import Options
from mlconv.exporters.target import Target
from mlconv.importers.loaded import LoadedModel
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.module import Function, Module
from mlconv.quantize.calibrate import Run, Sample
from mlconv.quantize.quantizer import Quantizer
from mlconv.quantize.recipe import Recipe
from mlconv.runtime.images import ImageForm
from mlconv.runtime.samples import Source, given_samples, read_samples


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
    return Quantizer(recipe, give, lambda module: _ready(module, options, context), target.dynamic_blocks)


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


def quantize(
    model: str | os.PathLike[str] | LoadedModel | Module,
    to: str = "tflite",
    output: str | os.PathLike[str] | None = None,
    *,
    scheme: str = "int8",
    calibration: str | Source = "",
    rules: Sequence[str] = (),
    granularity: str = "",
    require_int8: bool = False,
    **settings: Any,
) -> Result:
    """Quantize a model, convert it to a target, and write the artifact.

    scheme: a name, or the path of a recipe.  calibration: a path, as `--calibration` takes it; or an iterable of
    samples that can be gone over again, or a function that gives one.  A sample is {input name: array}, or an array
    where the model has one input, with an axis for the batch or without.  rules: `SELECT=SCHEME`.  settings: as
    `convert` takes them.  What was done is in the result's `quantization`.
    Raises ConversionError with all diagnostics of the run; nothing is left behind then.
    """
    asked = {
        "quantize": scheme,
        "calibration": calibration,
        "quantize_rules": tuple(rules),
        "granularity": granularity,
        "require_int8": require_int8,
    }
    return convert(model, to, output, **{**settings, **asked})
