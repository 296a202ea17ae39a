"""Conversions of a project, built here or on workers: those that are not up to date."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from mlconv.diagnostics import Code, ConversionError, Diagnostic, Severity
from mlconv.driver.context import context_of
from mlconv.driver.conversion import convert
from mlconv.driver.options import Options
from mlconv.driver.pipeline import OnProgress, OnStage
from mlconv.driver.projects.bounds import Bounds, Held
from mlconv.driver.projects.measuring import measured
from mlconv.driver.projects.reading import Planned, Project
from mlconv.driver.projects.state import Files, drop, record, why_stale, within
from mlconv.driver.projects.values import Settings, located
from mlconv.formats.files import bytes_of
from mlconv.runtime.jobs import workers_of
from mlconv.runtime.workers import Workers

FRESH, STALE, BUILT, FAILED = "up to date", "stale", "built", "failed"


@dataclass(slots=True)
class Built:
    """What became of a conversion.  state: `up to date`, `built`, `failed`; `stale` where nothing is built.  why: it
    was stale.  size: bytes of the artifact.  bounds: that it was held to, those that it was built under.
    """

    name: str
    model: str
    target: str
    output: str
    state: str
    why: str = ""
    seconds: float = 0.0
    size: int = 0
    ops: int = 0
    bounds: list[Held] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


@dataclass(slots=True)
class BuildReport:
    """All conversions that were asked for, and those that they need, in the order of the project's file.  path: of
    that.
    """

    path: str
    conversions: list[Built]
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return all(one.state in (FRESH, BUILT) for one in self.conversions)

    def count(self, state: str) -> int:
        return sum(one.state == state for one in self.conversions)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return [d for one in self.conversions for d in one.diagnostics]

    def error(self) -> ConversionError:
        """What ends a run in which something failed, or is stale: all that was found."""
        found = self.diagnostics
        stale = [one for one in self.conversions if one.state == STALE]
        found += [Diagnostic(Code.ArtifactStale, f"{one.output} is not up to date: {one.why}") for one in stale]
        return ConversionError.of(found)


@dataclass(frozen=True)
class Job:
    """A conversion as workers get it: plain data, with whole paths."""

    model: str
    target: str
    output: str
    settings: Settings
    plugins: tuple[str, ...]
    bounds: Bounds


@dataclass(slots=True)
class Outcome:
    """What a worker says of its conversion."""

    seconds: float = 0.0
    size: int = 0
    ops: int = 0
    bounds: list[Held] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    ok: bool = True


def build(
    project: Project | str | os.PathLike[str] | None = None,
    names: Sequence[str] = (),
    jobs: str = "",
    check: bool = False,
    on_stage: OnStage | None = None,
) -> BuildReport:
    """Build conversions of a project, those that are stale.

    project: what `Project.read` gave, or the path of its file or folder; without it, the file of the current folder or
    the nearest above.  names: of conversions, or patterns of such, with those whose artifacts they read; all without
    any.  jobs: a number of processes, or `dask:ADDRESS` of a cluster that sees the same files.  check: nothing is
    built; the report says what is stale.  on_stage: is told of conversions by name.

    Conversions that fail are in the report, with their diagnostics.  Raises ConversionError UsageError for a project's
    file that is wrong, and WorkerLost.
    """
    started = time.perf_counter()
    found = project if isinstance(project, Project) else Project.read(project)
    chosen = _with_makers(found, found.chosen(names))
    build = _Build(found, chosen, check, on_stage)
    workers = None if check else workers_of(jobs)
    if workers is None:
        build.run(None)
    else:
        with workers:
            build.run(workers)
    return BuildReport(found.path, [build.done[one.name] for one in chosen], time.perf_counter() - started)


class _Build:
    """One run over the chosen conversions."""

    def __init__(self, project: Project, chosen: Sequence[Planned], check: bool, on_stage: OnStage | None) -> None:
        self.project, self.chosen, self.check, self.on_stage = project, chosen, check, on_stage
        self.files = Files(project.root)
        self.done: dict[str, Built] = {}

    def run(self, workers: Workers | None) -> None:
        for wave in _waves(self.chosen, self.project.root):
            stale = [one for one in wave if self._is_stale(one) and not self._lacks_inputs(one)]
            if self.check:
                continue
            for one, outcome in self._outcomes(stale, workers):
                self._conclude(one, outcome)
                self._tell("")

    def _is_stale(self, one: Planned) -> bool:
        self._tell(one.name)
        row = Built(one.name, one.model, one.target, one.output, STALE)
        self.done[one.name] = row
        context = context_of(self.project.plugins, one.target)
        row.why = why_stale(one, Options().with_settings(dict(one.settings), context), self.project, self.files)
        if not row.why and self.check:  # nothing was built
            row.why = next((f"{path} is stale" for path in self._stale_inputs(one)), "")
        if not row.why:
            row.why = next((f"{maker.output} is not made" for maker in self._makers(one, FAILED)), "")
        if not row.why:
            row.state = FRESH
            row.size = bytes_of(located(one.output, self.project.root))
        return bool(row.why)

    def _stale_inputs(self, one: Planned) -> list[str]:
        """Artifacts of other conversions that this one reads."""
        return [row.output for row in self._makers(one, STALE)]

    def _lacks_inputs(self, one: Planned) -> bool:
        """A conversion that made what this one reads has failed: there is nothing, or what was there before."""
        failed = self._makers(one, FAILED)
        for maker in failed:
            message = f"{maker.output} is not made, as conversion {maker.name} failed"
            self.done[one.name].diagnostics.append(
                Diagnostic(Code.InputNotReadable, message, Severity.ERROR, model=one.model)
            )
        if failed:
            self.done[one.name].state = FAILED
            drop(one)
        return bool(failed)

    def _makers(self, one: Planned, state: str) -> list[Built]:
        """Conversions in a state whose artifacts this one reads."""
        root = self.project.root
        found = {located(row.output, root): row for row in self.done.values() if row.state == state}
        return [found[path] for path in _read(one, root) if path in found and found[path].name != one.name]

    def _outcomes(self, stale: Sequence[Planned], workers: Workers | None) -> Iterator[tuple[Planned, Outcome]]:
        """In order; what is under way on workers is not waited for before the next is handed out."""
        jobs = [self._job(one) for one in stale]
        if workers is None:
            for one, job in zip(stale, jobs, strict=True):
                self._tell(one.name)
                yield one, build_one((), job, self.on_stage)
            return
        pending = (workers.submit(build_one, (), job) for job in jobs)
        yield from zip(stale, workers.in_order(pending), strict=True)

    def _job(self, one: Planned) -> Job:
        root = self.project.root
        output = located(one.output, root)
        for path in (output, one.certificate):
            _make_folder(os.path.dirname(path))
        settings = {**one.settings, "certificate": one.certificate}
        return Job(located(one.model, root), one.target, output, settings, self.project.plugins, one.bounds)

    def _conclude(self, one: Planned, outcome: Outcome) -> None:
        row, root = self.done[one.name], self.project.root
        row.seconds, row.size, row.ops, row.bounds = outcome.seconds, outcome.size, outcome.ops, outcome.bounds
        row.diagnostics = [_shown(d, one.model, root) for d in outcome.diagnostics]
        broken = [held for held in outcome.bounds if not held.ok]
        row.diagnostics += [_broken(one, held) for held in broken]
        row.state = BUILT if outcome.ok and not broken else FAILED
        self.files.forget(located(one.output, root))
        if row.state is BUILT:
            record(one, root, outcome.bounds)
        else:
            drop(one)

    def _tell(self, name: str) -> None:
        if self.on_stage is None:
            return
        if name:
            self.on_stage(name)
        if isinstance(self.on_stage, OnProgress):
            self.on_stage.advance(sum(row.state != STALE for row in self.done.values()), len(self.chosen))


def build_one(shared: Sequence[object], job: Job, on_stage: Callable[[str], None] | None = None) -> Outcome:
    """What a worker does: convert, and measure what bounds are about."""
    started = time.perf_counter()
    outcome = Outcome()
    try:
        result = convert(job.model, job.target, job.output, on_stage=on_stage, plugins=job.plugins, **job.settings)
        outcome.diagnostics = list(result.diagnostics)
        outcome.size, outcome.ops = result.size_bytes, sum(result.ops.values())
        options = Options().with_settings({**job.settings, "plugins": job.plugins}, context_of(job.plugins, job.target))
        outcome.bounds = job.bounds.held(measured(job.bounds, job.model, result, options))
    except ConversionError as error:
        outcome.ok = False
        outcome.diagnostics = list(error.diagnostics) or [error.diagnostic]
    outcome.seconds = time.perf_counter() - started
    return outcome


def _waves(chosen: Sequence[Planned], root: str) -> Iterable[list[Planned]]:
    """Conversions behind those whose artifacts they read.  Raises ConversionError UsageError where they read one
    another's.
    """
    makers = {located(one.output, root): one.name for one in chosen}
    reads = {one.name: {makers[p] for p in _read(one, root) if p in makers} - {one.name} for one in chosen}
    done: set[str] = set()
    left = list(chosen)
    while left:
        wave = [one for one in left if reads[one.name] <= done]
        if not wave:
            names = ", ".join(one.name for one in left)
            raise ConversionError(Code.UsageError, f"conversions read one another's artifacts: {names}")
        yield wave
        done |= {one.name for one in wave}
        left = [one for one in left if one.name not in done]


def _with_makers(project: Project, chosen: Sequence[Planned]) -> list[Planned]:
    """And those whose artifacts they read, in the order of the project's file."""
    makers = {located(one.output, project.root): one for one in project.conversions.values()}
    wanted = {one.name for one in chosen}
    left = list(chosen)
    while left:
        made = (makers[path] for path in _read(left.pop(), project.root) if path in makers)
        left += (more := [one for one in made if one.name not in wanted])
        wanted |= {one.name for one in more}
    return [one for one in project.conversions.values() if one.name in wanted]


def _read(one: Planned, root: str) -> list[str]:
    values = [one.settings.get(name) for name in ("calibration", "evaluation", "data", "quantize")]
    return [located(one.model, root), *(value for value in values if isinstance(value, str))]


def _make_folder(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise ConversionError(Code.OutputNotWritable, f"cannot make the folder {path}: {error.strerror}") from error


def _shown(d: Diagnostic, model: str, root: str) -> Diagnostic:
    """A diagnostic in the project's own paths."""
    message, help_ = (text.replace(root.rstrip(os.sep) + os.sep, "") for text in (d.message, d.help))
    return replace(d, message=message, help=help_, model=within(d.model, root) or model)


def _broken(one: Planned, held: Held) -> Diagnostic:
    unit = {"size": " bytes", "time": " s", "snr": " dB"}.get(held.name, "")
    kept = "at least" if held.name in ("snr", "agreement") else "at most"
    message = f"{one.output}: {held.name} is {held.value:.6g}{unit}, and may be {kept} {held.limit:.6g}{unit}"
    return Diagnostic(Code.BoundBroken, message, Severity.ERROR, model=one.model)
