"""What the Python API has besides conversions: checks, and artifacts for the length of a block."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Unpack

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.budget import Budget, machine
from mlconv.driver.check import CheckReport, check_models
from mlconv.driver.context import context_of
from mlconv.driver.conversion import convert
from mlconv.driver.loading import Model, held_as_file
from mlconv.driver.options import Options
from mlconv.driver.result import Result

if TYPE_CHECKING:
    from mlconv.driver.keywords import ConvertOptions


def check(
    model: Model,
    to: str | Sequence[str] = "tflite",
    *,
    args: Sequence[object] = (),
    profiles: Sequence[str] = (),
    max_size: Mapping[str, int] | int | None = None,
    max_time: Mapping[str, float] | float | None = None,
    core: tuple[float, float] | None = None,
    **settings: Unpack[ConvertOptions],
) -> CheckReport:
    """What converting a model to one target or several would say, without converting and without reading weights.

    args: as `convert` takes them.  profiles: rules of devices, by name or as TOML files.  max_size, max_time: budgets
    in bytes and seconds, for all targets or by target; core: float operations and bytes per second of the one that
    times are for, this machine's without it.  settings: as `convert` takes them.
    What is refused is in the report: its `ok`, and its `diagnostics`.  Raises ConversionError when the model cannot be
    read at all, for an unknown target or profile, and for an option that no target has.
    """
    held, targets = held_as_file(model, args), [to] if isinstance(to, str) else list(to)
    if held is not None:
        path = held.path
    elif isinstance(model, (str, os.PathLike)):
        path = os.fspath(model)
    else:
        raise ConversionError(Code.UsageError, "the model is loaded already: check takes what it was loaded from")
    context = context_of(settings.get("plugins", ()), paths=[path])
    sizes = {"": max_size} if isinstance(max_size, int) else max_size or {}
    times = {"": max_time} if isinstance(max_time, (int, float)) else max_time or {}
    budget = Budget(sizes, times, None if core is None else machine(core))
    options = Options().with_settings(settings, context)
    return check_models([path], targets, profiles, options, context, budget)[0]


@contextmanager
def temporary_artifact(
    model: Model, to: str = "tflite", *, args: Sequence[object] = (), **settings: Unpack[ConvertOptions]
) -> Iterator[Result]:
    """`convert` into a folder that is there for the length of a `with` block: the result's `output` is the path of the
    artifact, beside which lies what belongs to it.  args, settings: as `convert` takes them.  Raises ConversionError.
    """
    stem = os.path.splitext(os.path.basename(os.fspath(model)))[0] if isinstance(model, (str, os.PathLike)) else ""
    with tempfile.TemporaryDirectory(prefix="mlconv-") as folder:
        target = context_of(settings.get("plugins", ()), to).target(to)
        yield convert(model, to, os.path.join(folder, (stem or "model") + target.suffix), args=args, **settings)
