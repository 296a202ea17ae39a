"""Kernels of models tuned in advance: what is chosen by timing on this machine goes into a file, which conversions
take it from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypedDict

from mlconv.codegen.kernels.kind import KINDS, Kinds, kind_of
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.program.survey import fastest_of, text_of
from mlconv.codegen.program.tune import Cache, by_problem, fastest, problem_key, processor, tuning_cpu
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects.kernel import Ints, KernelOp
from mlconv.driver.context import Context, context_of
from mlconv.driver.files import distinct, files_of
from mlconv.driver.options import Options
from mlconv.driver.pipeline import OnStage, lower
from mlconv.driver.running import load_any
from mlconv.driver.telling import Telling
from mlconv.exporters.native.target import TARGET, NativeOptions
from mlconv.formats.atomic import check_target
from mlconv.formats.run_files import RunFiles
from mlconv.ir.core import Block
from mlconv.ir.module import Module
from mlconv.runtime.jobs import workers_of
from mlconv.runtime.workers import Workers

_CACHE = "the tuning cache"


class TunedFacts(TypedDict):
    """cpu: the instruction set that was timed.  problems: of kernels with fixed sizes among whose forms is a choice,
    each once.  timed: those of them that the file did not have.  faster: those whose choice is not the default one.
    """

    model: str
    cpu: str
    problems: int
    timed: int
    faster: int


class TuneFacts(TypedDict):
    """cache: the file.  processor: its name, and a digest of its features."""

    cache: str
    processor: str
    seconds: float
    models: list[TunedFacts]


class _Problems(NamedTuple):
    """What a model's native code computes, by key."""

    cpu: Cpu
    kinds: Kinds
    ops: dict[str, KernelOp]

    def choices(self, key: str) -> Sequence[Ints]:
        """The default one first."""
        op = self.ops[key]
        return kind_of(op, self.kinds).choices(self.cpu, op.problem)


def tune(
    paths: Sequence[str], cache: str, options: Options, jobs: str = "", on_stage: OnStage | None = None
) -> TuneFacts:
    """Time the forms of all kernels of models that have fixed sizes, and add the fastest to a file, model by model.

    cache: the file; what it holds of this processor is not timed again.  jobs: as `runtime.jobs.workers_of` takes it;
    workers of another processor are refused.  Raises ConversionError.
    """
    started, telling, found = time.perf_counter(), Telling(on_stage), list[TunedFacts]()
    options = replace(options, files=options.files or RunFiles())
    for path in paths:
        options.reads(files_of(path))
    check_target(Path(cache), options.files or RunFiles(), _CACHE)
    workers, name = workers_of(jobs), ""
    try:
        for path in distinct(paths):
            telling.stage("import")
            problems = _problems(path, options, telling)
            kept = Cache.read(cache, problems.cpu)
            missing = [key for key in problems.ops if key not in kept.choices]
            for key, choice in _searched(problems, missing, workers, telling):
                kept.add(key, list(choice))
            kept.write()
            found.append(_facts(path, problems, kept, missing))
            name = processor(problems.cpu).rpartition(", ")[0]
    finally:
        if workers is not None:
            workers.close(at_once=False)
    return {"cache": cache, "processor": name, "seconds": time.perf_counter() - started, "models": found}


def _problems(path: str, options: Options, telling: Telling) -> _Problems:
    """Of a model as a conversion to native code has it, quantized as the options say."""
    context: Context = context_of(options.plugins, "native", [path])
    own: NativeOptions = options.of_target(TARGET)
    module, kinds = load_any(path, options, context).module, {**KINDS, **context.kernels}
    lower(module, options, DiagnosticEngine(), TARGET, context, _quantizes(options, context, telling))
    block: Block = module.main.block
    cpu = tuning_cpu(own.machine, own.cpu, True, block, kinds)
    ops = {problem_key(same[0], kinds): same[0] for same in by_problem(block, kinds).values()}
    return _Problems(cpu, kinds, ops)


def _quantizes(options: Options, context: Context, telling: Telling) -> Callable[[Module], object] | None:
    """None where nothing is to be quantized."""
    if not options.quantize:
        return None
    from mlconv.driver.quantization import Quantization

    def tell(what: str, done: int, total: int) -> None:
        telling.stage(f"quantize: {what}" if what else "quantize")
        telling.count(done, total)

    return Quantization(options, context, TARGET, tell).quantize


def _searched(
    problems: _Problems, keys: Sequence[str], workers: Workers | None, telling: Telling
) -> Iterator[tuple[str, Ints]]:
    """The fastest choices, in order.  Kernels of plug-ins, which workers do not know, are timed here."""
    cpu, kinds = problems.cpu, problems.kinds
    telling.still("time kernels")
    away = [key for key in keys if workers is not None and problems.ops[key].name in KINDS]
    here = [key for key in keys if workers is None or problems.ops[key].name not in KINDS]
    for done, key in enumerate(here):
        telling.count(done, len(keys))
        op = problems.ops[key]
        yield key, fastest(op, cpu, problems.choices(key), kinds)
    if workers is not None:
        of = processor(cpu)
        pending = (workers.submit(fastest_of, (), text_of(problems.ops[key]), cpu.name, of) for key in away)
        for done, (key, choice) in enumerate(zip(away, workers.in_order(pending), strict=True)):
            telling.count(len(here) + done, len(keys))
            yield key, choice


def _facts(path: str, problems: _Problems, kept: Cache, missing: Sequence[str]) -> TunedFacts:
    """Of problems with a choice."""
    choices = {key: problems.choices(key) for key in problems.ops}
    open_ = [key for key, some in choices.items() if len(some) > 1]
    return {
        "model": path,
        "cpu": problems.cpu.name,
        "problems": len(open_),
        "timed": len(set(open_).intersection(missing)),
        "faster": sum(tuple(kept.choices[key]) != choices[key][0] for key in open_),
    }
