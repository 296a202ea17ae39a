"""Quantization from Python."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.conversion import convert
from mlconv.driver.loading import Model
from mlconv.driver.result import Result
from mlconv.quantize.metrics import OwnMetric
from mlconv.runtime.samples import Source

if TYPE_CHECKING:
    from mlconv.driver.keywords import QuantizeOptions


def quantize(
    model: Model,
    to: str = "tflite",
    output: str | os.PathLike[str] | None = None,
    *,
    scheme: str = "int8",
    calibration: str | Source = "",
    rules: str | Sequence[str] = (),
    granularity: str | int = "",
    require_int8: bool = False,
    measure: bool = False,
    max_drop: float | None = None,
    metric: str | OwnMetric = "",
    evaluation: str | Source = "",
    labels: str = "",
    jobs: int | str = "",
    **settings: Unpack[QuantizeOptions],
) -> Result:
    """Quantize a model, convert it to a target, and write the artifact.

    scheme: a name, `auto`, or the path of a recipe.  calibration: a path, as `--calibration` takes it; or an iterable
    of samples, or a function that gives one.  They are gone over several times: what an iterator gives is kept in
    memory for that.  A sample is {input name: array}, or an array where the model has one input, with an axis for the
    batch or without.  rules: `SELECT=SCHEME`, one or several.
    granularity: what one scale of weights is for: `channel`, `tensor`, or a number of weights.
    max_drop: how much worse the score of the result may be than that of the model, in units of the metric; layers that
    cost too much are kept in more bits.  metric: `top1`, `psnr`, `rmse`, `agreement`, `fidelity`, or a function of
    {output name: array} and a sample, which says what these outputs are worth; more is better.  evaluation: samples to
    score with, as calibration; labels: the name of the right answers in these.  jobs: processes that run samples, or
    `dask:ADDRESS`.
    measure: run the quantized model beside the model, and say what each layer loses.  settings: as `convert` takes
    them.  What was done is in the result's `quantization`, a `Report`, of which `data()` and `html()` tell it all.
    Raises ConversionError with all diagnostics of the run; nothing is left behind then, but for AccuracyLost, with
    which the best model that was found lies beside the output, as STEM.best.SUFFIX.
    """
    asked: dict[str, Any] = {
        "quantize": scheme,
        "calibration": calibration,
        "quantize_rules": (rules,) if isinstance(rules, str) else rules or (),
        "granularity": str(granularity),
        "require_int8": require_int8,
        "measure": measure,
        "max_drop": max_drop,
        "metric": metric,
        "evaluation": evaluation,
        "labels": labels,
        "jobs": str(jobs),
    }
    twice = sorted(asked.keys() & settings.keys())
    if twice:
        raise ConversionError(
            Code.UsageError, f"quantize has a parameter for {', '.join(twice)}", help="scheme=..., rules=..."
        )
    return convert(model, to, output, **{**settings, **asked})
