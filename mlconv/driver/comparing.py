"""What the Python API has to look into models and to compare them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver import bisection, differences, inspection, verification
from mlconv.driver.context import context_of
from mlconv.driver.loading import Model, held_as_file
from mlconv.driver.options import OF_MODELS, Options, check_keywords
from mlconv.importers.in_memory import Written
from mlconv.runtime.measures import limits_of
from mlconv.runtime.tolerances import ATOL, LEAST_SNR, RTOL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mlconv.driver.keywords import ConvertOptions, LoadOptions


def verify(
    a: Model,
    b: Model | None = None,
    *,
    args: Sequence[object] = (),
    data: str | os.PathLike[str] = "",
    expect: str | os.PathLike[str] = "",
    seed: int = 0,
    runs: int | None = None,
    backends: tuple[str, str] = ("auto", "auto"),
    per_layer: bool = False,
    rtol: float = RTOL,
    atol: float = ATOL,
    min_snr: float = LEAST_SNR,
    **settings: Unpack[LoadOptions],
) -> verification.Comparison:
    """Run two models or artifacts on the same inputs, and measure how far apart their outputs are; or hold one to the
    answers that a file or folder `expect` has.

    args: what a function or a torch module is called with, as `convert` takes it.
    data: a file or folder of inputs; random ones without, by `seed`, in so many `runs`.  backends: what each runs on,
    as `mlconv verify --backend-a` takes it.  per_layer: values inside are compared, too.  rtol, atol, min_snr: what may
    be apart.  settings: as `load` takes them.
    What differs is in the result: its `ok`, `problem` and `outputs`.  Raises ConversionError for what cannot be run.
    """
    first, second = _files_of("verify", a, b, args)
    limits, options = limits_of(rtol, atol, min_snr), _options("verify", settings, first.path)
    asked = verification.Asked(os.fspath(data), os.fspath(expect), seed, runs, limits, backends, per_layer)
    return verification.verify(first.path, second.path if second else None, asked, options)


def inspect(model: Model, *, args: Sequence[object] = (), **settings: Unpack[LoadOptions]) -> inspection.Inspection:
    """What is in a model, weights unread: what `mlconv inspect --json` prints.  args: as `convert` takes them.
    settings: as `load` does.  Raises ConversionError.
    """
    from mlconv.driver.objects import looks_like_object

    file = _file_of(model, "inspect", args)
    if looks_like_object(file.path):
        raise ConversionError(
            Code.UsageError,
            f"{file.path} is a native object, which has no ops to look at",
            help="mlconv.load_native(...) has its inputs and outputs",
        )
    return inspection.inspect_model(file.path, _options("inspect", settings, file.path))


def diff(
    a: Model, b: Model, *, args: Sequence[object] = (), **settings: Unpack[LoadOptions]
) -> differences.Differences:
    """What two models differ in: what `mlconv diff --json` prints.  args: as `convert` takes them.  settings: as `load`
    does.  Raises ConversionError.
    """
    first, second = _files_of("diff", a, b, args)
    assert second is not None
    return differences.differences(first.path, second.path, _options("diff", settings, first.path))


def bisect(
    model: Model,
    to: str = "tflite",
    *,
    args: Sequence[object] = (),
    seed: int = 0,
    **settings: Unpack[ConvertOptions],
) -> bisection.Bisection:
    """The first pass of a conversion that changes what a model computes, and the op.

    args, settings: as `convert` takes them; `data` are inputs, and `expect` the answers that the model should give.
    seed: of random inputs.  A fault that is found is in the result: its `problem`, `stage` and `layer`.  Raises
    ConversionError as a conversion does.
    """
    file = _file_of(model, "bisect", args)
    context = context_of(settings.get("plugins", ()), to, [file.path])
    options = Options().with_settings(settings, context)
    expect = bisection.Expected(options.expect, limits_of(options.rtol, options.atol, options.min_snr))
    return bisection.bisect(file.path, to, options, options.data, seed, context=context, expect=expect)


def _is_held(model: Model | None) -> bool:
    """It is no file, so that arguments may be its own."""
    return not (model is None or isinstance(model, (str, os.PathLike)))


class _File:
    """path: of a model.  held: keeps the folder of one that the program held."""

    def __init__(self, path: str, held: Written | None = None) -> None:
        self.path, self.held = path, held


def _file_of(model: Model, who: str, args: Sequence[object] = ()) -> _File:
    """Raises ConversionError UsageError for a model that was read already."""
    held = held_as_file(model, args)
    if held is not None:
        return _File(held.path, held)
    if not isinstance(model, (str, os.PathLike)):
        raise ConversionError(
            Code.UsageError, f"the model is loaded already: {who} takes what it was loaded from", help="give its path"
        )
    return _File(os.fspath(model))


def _files_of(who: str, a: Model, b: Model | None, args: Sequence[object]) -> tuple[_File, _File | None]:
    """Both sides of a comparison.  args: of those that the program holds; of the first, which tells so, if neither."""
    first = _file_of(a, who, args if _is_held(a) or not _is_held(b) else ())
    return first, None if b is None else _file_of(b, who, args if _is_held(b) else ())


def _options(who: str, settings: Mapping[str, object], path: str) -> Options:
    check_keywords(who, settings, {*OF_MODELS, "plugins"})
    plugins = settings.get("plugins", ())
    return Options().with_settings(settings, context_of(plugins, paths=[path]))  # type: ignore[arg-type]
