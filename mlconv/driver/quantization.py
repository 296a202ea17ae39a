"""Quantization as a conversion asks for it: the recipe of its options, its samples, and native code to calibrate
with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mlconv.diagnostics import Code, ConversionError, Family
from mlconv.driver.context import Context
from mlconv.driver.options import Options
from mlconv.exporters.target import Target
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.module import Module
from mlconv.quantize.collect import Collector, GiveSamples, Run
from mlconv.quantize.quantizer import Quantizer
from mlconv.quantize.recipe import Recipe
from mlconv.quantize.scheme import Scheme
from mlconv.runtime.images import ImageForm
from mlconv.runtime.samples import Source, given_samples, read_samples

_MOST_FOLDED = 1 << 28  # nothing is written: weights that two ops read are brought into their order once, beforehand


def quantizer_of(options: Options, context: Context, target: Target) -> Quantizer:
    """What the options ask for.  Raises ConversionError UsageError, InputNotReadable."""
    recipe = Recipe.of(options.quantize, options.quantize_rules, options.granularity, options.require_int8)
    for scheme in recipe.schemes:
        _check_scheme(scheme, target)
    give = _giver(options.calibration, ImageForm.parse(options.calibration_images))
    collector = None if give is None else Collector(give, lambda module: _ready(module, options, context))
    return Quantizer(recipe, collector, target.dynamic, target.dynamic_blocks, options.measure)


def _check_scheme(scheme: Scheme, target: Target) -> None:
    """Raises ConversionError TargetLacksType."""
    if scheme.name in target.instead:
        raise ConversionError(
            Code.TargetLacksType,
            f"target {target.name} computes nothing with the scheme {scheme.name}",
            help=f"take {target.instead[scheme.name]}",
        )
    if scheme.block > 0 and scheme.bits > target.block_bits:
        raise ConversionError(
            Code.TargetLacksType,
            f"target {target.name} has scales in blocks for weights of {target.block_bits} bits, not of {scheme.bits}",
            help="take --granularity channel, or the scheme int4",
        )


def _giver(source: str | Source | None, images: ImageForm) -> GiveSamples | None:
    if isinstance(source, str):
        return (lambda function: read_samples(source, function, images)) if source else None
    return None if source is None else lambda function: given_samples(source, function)


def _ready(module: Module, options: Options, context: Context) -> Run:
    """Native code where there is some for all of the module, else the reference interpreter."""
    from mlconv.driver.inprocess import compiled

    plain = replace(options, target={"winograd": "never"}, dump_ir="", print_ir_after="", verify_each=False)
    plain = replace(plain, fold_limit=_MOST_FOLDED)
    try:
        return compiled(module, plain, context=context).model.run
    except ConversionError as error:
        first = (*error.diagnostics, error.diagnostic)[0]
        if first.code.family not in (Family.Types, Family.Target, Family.SourceOps):
            raise
    return lambda inputs: _interpreted(module, inputs)


def _interpreted(module: Module, inputs: Mapping[str, Array]) -> dict[str, Array]:
    return run_function(module.main, inputs)
