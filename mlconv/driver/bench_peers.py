"""A model in native code beside other runtimes, in one run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypedDict

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.bench_times import TimeFacts, clock_of, interleaved, time_facts
from mlconv.driver.context import Context, context_of
from mlconv.driver.conversion import convert
from mlconv.driver.options import OF_MODELS, Options
from mlconv.driver.telling import Telling
from mlconv.ir.constants import Array
from mlconv.runtime.contenders import FORMATS, NAMES, Contender, contender, is_installed
from mlconv.runtime.native import NativeModel


class PeerFacts(TypedDict):
    """A runtime.  file: what it ran; one that is converted for it is called by its target.  seconds: of its calls; None
    where it does not run the model, which `why` says.  ratio: of its median over that of native code, in the same
    rounds.
    """

    name: str
    file: str
    seconds: TimeFacts | None
    ratio: float | None
    why: str


class Beside(NamedTuple):
    """own: seconds of native code."""

    own: TimeFacts
    peers: list[PeerFacts]


def named_peers(names: Sequence[str]) -> list[str]:
    """Runtimes by name; `installed` is all that are.  Raises ConversionError UsageError."""
    if "installed" in names:
        return [name for name in FORMATS if is_installed(name)]
    for name in names:
        if name not in FORMATS:
            raise ConversionError(
                Code.UsageError,
                f"there is no runtime {name!r} to compare with",
                help=f"{', '.join(FORMATS)}, installed",
            )
    return list(names)


def bench_beside(
    path: str,
    options: Options,
    model: NativeModel,
    inputs: Mapping[str, Array],
    peers: Sequence[str],
    threads: int,
    rounds: int,
    warm_up: int,
    folder: str,
    telling: Telling,
) -> Beside:
    """Time native code and other runtimes on the same inputs, in turn.  folder: for files that are converted for them.
    A runtime that does not run the model is told of, and does not end the run.
    telling: is told what is done.
    """
    context = context_of(options.plugins, paths=[path])
    ready: dict[str, Contender] = {}
    rows: dict[str, PeerFacts] = {}
    for name in peers:
        telling.stage(f"prepare {NAMES[name]}")
        rows[name] = {"name": NAMES[name], "file": FORMATS[name], "seconds": None, "ratio": None, "why": ""}
        try:
            file = _file_for(name, path, options, inputs, context, folder)
            rows[name]["file"] = os.path.basename(file) if file == path else FORMATS[name]
            ready[name] = contender(name, file, _named(inputs), threads)
        except ConversionError as error:
            rows[name]["why"] = (*error.diagnostics, error.diagnostic)[0].message
    calls: list[Callable[[], object]] = [lambda: model.run(inputs), *(one.run for one in ready.values())]
    telling.still("time")
    clock = clock_of(threads)
    own, *others = (time_facts(times, clock) for times in interleaved(calls, rounds, warm_up, clock))
    for name, facts in zip(ready, others, strict=True):
        rows[name]["seconds"], rows[name]["ratio"] = facts, facts["median"] / own["median"]
    return Beside(own, list(rows.values()))


def _file_for(
    name: str, path: str, options: Options, inputs: Mapping[str, Array], context: Context, folder: str
) -> str:
    """The model, where the runtime runs its format; else what it is converted to, for the sizes of the inputs."""
    target = FORMATS[name]
    cut = any(getattr(options, field) for field in ("inputs", "outputs"))
    form = context.format_of(path)
    if form.name == target and not cut:
        return path
    settings = {field: getattr(options, field) for field in OF_MODELS & form.takes}
    if "shapes" in form.takes:
        settings["shapes"] = {**options.shapes, **{n: tuple(a.shape) for n, a in inputs.items()}}
    made = os.path.join(folder, f"peer{context.target(target).suffix}")
    return convert(path, target, made, plugins=options.plugins, **settings).output


def _named(inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Also without ports: files have plain names."""
    return {name.removesuffix(":0"): array for name, array in inputs.items()} | dict(inputs)
