"""Running models and IR files from the command line."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine, Family
from mlconv.diagnostics.hints import how_to_record
from mlconv.driver.context import Context, context_of
from mlconv.driver.files import files_of
from mlconv.driver.loading import check_whole, import_model, to_core
from mlconv.driver.objects import is_object
from mlconv.driver.options import Options
from mlconv.driver.pipeline import OnStage, claim_dumps, instruments, is_on_source, source_pipeline
from mlconv.driver.telling import Telling
from mlconv.exporters.native.target import TARGET, NativeOptions
from mlconv.formats.atomic import check_target, replacing, write_text
from mlconv.formats.run_files import RunFiles
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.constants import Array
from mlconv.ir.dtypes import DType
from mlconv.ir.printer import print_module
from mlconv.ir.types import TensorType
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from mlconv.runtime.given import Given, read_inputs
from mlconv.runtime.images import ImageForm
from mlconv.runtime.inputs import DYNAMIC_SIZE, drawn, nearest, sized
from mlconv.runtime.loop_ends import drawn_inputs
from mlconv.runtime.native import NativeModel, interface_path, load_native
from mlconv.runtime.ports import Port, ports_of
from mlconv.runtime.variables import Variables

BACKENDS = ("auto", "native", "reference")
_OUTPUTS, _IR = "a file of outputs", "the IR"


class Ran(NamedTuple):
    """runs: the outputs of each run.  model: what was run, as which of `BACKENDS`.  seconds: of each run.  notes: why
    the reference interpreter was taken, when it was not asked for, and what of the data was left out.
    """

    runs: list[dict[str, Array]]
    model: LoadedModel | NativeModel
    backend: str
    seconds: list[float]
    notes: Sequence[str] = ()


class Asked(NamedTuple):
    """What `run_model` is asked for beside the model."""

    data: str
    seed: int
    backend: str
    threads: int
    images: ImageForm | None
    telling: Telling

    def inputs(self, ports: Sequence[Port], drawn: Callable[[int], dict[str, Array]]) -> Given:
        """Those of the data; else random ones.  drawn: gives them by seed."""
        return read_inputs(self.data, ports, self.images) if self.data else Given([drawn(self.seed)], {})


def run_model(
    path: str,
    data: str,
    output: str | None,
    seed: int,
    options: Options,
    backend: str = "auto",
    threads: int = 1,
    images: ImageForm | None = None,
    on_stage: OnStage | None = None,
) -> Ran:
    """Run a model with arrays of a file or a folder, or with random inputs; outputs go to `output` when given.

    path: a model file, IR text, or a native object.  data: as `runtime.given.read_inputs` takes it; empty for random
    inputs.  images: how images become inputs.  output: an .npz, or a folder of them when `data` is one.  backend:
    `native` code made for this machine, the `reference` interpreter, or `auto`: native code where there is some for
    all of the model.  Sizes that are not fixed are those of the inputs.  on_stage: is told what is done.
    """
    folder, files = os.path.isdir(data), options.files or RunFiles()
    options = replace(options, files=files)
    files.read([*files_of(path), *(files_of(data) if data else [])])
    if output == "":
        raise ConversionError(Code.UsageError, "the name of the output is empty")
    if output is not None:
        _check_output(output, data, folder, files)
    asked = Asked(data, seed, backend, threads, images, Telling(on_stage))
    ran = _run_object(path, asked, options) if is_object(path) else _run(path, asked, options)
    if output is not None:
        _write(ran.runs, output, folder, files)
    return ran


def _check_output(output: str, data: str, folder: bool, files: RunFiles) -> None:
    """folder: `data` is one, of arrays.  Raises ConversionError OutputNotWritable for a folder where a file is due, and
    for that of the inputs, which the outputs would join.
    """
    if not folder:
        if os.path.basename(output) in ("", os.curdir, os.pardir):
            raise ConversionError(Code.OutputNotWritable, f"cannot write {output}: it is a folder, not a regular file")
        check_target(_npz(output), files, _OUTPUTS)
    elif os.path.isdir(output) and os.path.samefile(output, data):
        raise ConversionError(
            Code.OutputNotWritable, f"cannot write into {output}: it holds the inputs", help="name another folder"
        )


def _npz(output: str) -> Path:
    """The file that is written; numpy adds the suffix where it is missing."""
    return Path(output if output.endswith(".npz") else output + ".npz")


def _write(runs: list[dict[str, Any]], output: str, folder: bool, files: RunFiles) -> None:
    """files: of the run.  Raises ConversionError OutputNotWritable."""
    targets = [_npz(output)]
    if folder:
        try:
            os.makedirs(output, exist_ok=True)
        except OSError as e:
            raise ConversionError(Code.OutputNotWritable, f"cannot write into {output}: {e.strerror}") from e
        targets = [Path(output, f"{k:04d}.npz") for k in range(len(runs))]
    for target in targets:
        check_target(target, files, _OUTPUTS)
    for target, outputs in zip(targets, runs, strict=True):
        with replacing(target) as out:
            np.savez(out, **outputs)


def _run_object(path: str, asked: Asked, options: Options) -> Ran:
    """Raises ConversionError UsageError for what is asked of a model file only."""
    if asked.backend == "reference":
        raise ConversionError(
            Code.UsageError,
            f"{path} is native code, which the reference interpreter does not run",
            help="run the model that it was made of",
        )
    options.check_plain(f"{path}, which is native code")
    options.reads([interface_path(path)])
    own: NativeOptions = options.of_target(TARGET)
    model = load_native(path, asked.threads, [own.library] if own.library else [])
    if model.interface.weights is not None:
        options.reads([os.path.join(os.path.dirname(path), model.interface.weights.file)])
    kept = model.variables.inputs
    ports = [Port(p.name, p.dtype, p.shape, is_variable=p.name in kept) for p in model.interface.inputs]
    given = asked.inputs(ports, lambda seed: _drawn_for(model, seed))
    return _timed(model.run, given, model, "native", asked.telling)


def _timed(
    run: Callable[[Mapping[str, Array]], dict[str, Array]],
    given: Given,
    model: LoadedModel | NativeModel,
    backend: str,
    telling: Telling,
    notes: Sequence[str] = (),
) -> Ran:
    runs, seconds = [], []
    for inputs in telling.each("run", given.runs):
        started = time.perf_counter()
        runs.append(run(inputs))
        seconds.append(time.perf_counter() - started)
    return Ran(runs, model, backend, seconds, [*given.notes, *notes])


def _drawn_for(model: NativeModel, seed: int) -> dict[str, Array]:
    """Random inputs of an object, by its model interface; sizes that are known at run time are 2, or near it."""
    rng = np.random.default_rng(seed)
    sizes = {d: nearest(DYNAMIC_SIZE, d, model.facts["ranges"]) for d in model.dimensions}
    shapes = {name: [sized(d, sizes) for d in shape] for name, _, shape in model.inputs}
    return {f["name"]: drawn(DType.from_numpy(f["dtype"]), shapes[f["name"]], rng) for f in model.facts["inputs"]}


def _run(path: str, asked: Asked, options: Options) -> Ran:
    asked.telling.stage("import")
    loaded = load_any(path, options)
    check_whole(loaded)
    given = asked.inputs(ports_of(loaded.main)[0], lambda seed: drawn_inputs(loaded.main, seed))
    if asked.backend == "reference":
        return _timed(_stepping(loaded), given, loaded, asked.backend, asked.telling)
    try:
        return _natively(path, loaded, given, asked, options)
    except ConversionError as error:
        first = (*error.diagnostics, error.diagnostic)[0]
        if asked.backend == "native" or first.code.family not in (Family.Types, Family.Target):
            raise
        why = f"runs on the reference interpreter: {first.message}"
        return _timed(_stepping(loaded), given, loaded, "reference", asked.telling, [why])


def _stepping(loaded: LoadedModel) -> Callable[[Mapping[str, Array]], dict[str, Array]]:
    """Consecutive runs: each goes on from the variables that the one before left."""
    state: dict[str, Array] = {}
    variables = Variables.of_function(loaded.main)
    return lambda inputs: variables.step(lambda taken: loaded.run(taken, state), inputs)


def _natively(path: str, loaded: LoadedModel, given: Given, asked: Asked, options: Options) -> Ran:
    """Code for the sizes of each run, made once for runs of the same; making it does not count."""
    from mlconv.driver.inprocess import compiled

    runs: list[dict[str, Array]] = []
    models: dict[object, NativeModel] = {}
    names = loaded.main.output_names  # variables that the model keeps to itself are outputs of native code, too
    seconds: list[float] = []
    for done, inputs in enumerate(given.runs):
        sizes = tuple(sorted((name, np.shape(array)) for name, array in inputs.items()))
        if sizes not in models:
            module = pinned(path, loaded, inputs, options).module
            model = compiled(module, options, asked.threads, progress=asked.telling.compiles()).model
            model.variables = next(iter(models.values()), model).variables  # of all sizes
            models[sizes] = model
            asked.telling.stage("run")
        asked.telling.count(done, len(given.runs))
        started = time.perf_counter()
        found = models[sizes].run(inputs)
        seconds.append(time.perf_counter() - started)
        runs.append({name: found[name] for name in names})
    return Ran(runs, loaded, "native", seconds, given.notes)


def pinned(path: str, loaded: LoadedModel, inputs: dict[str, Array], options: Options) -> LoadedModel:
    """A model whose sizes are not fixed is read again with those of its inputs, where its format takes shapes: code for
    fixed sizes is faster.
    """
    dynamic = [v.name for v in loaded.main.inputs if not (isinstance(v.type, TensorType) and v.type.is_static)]
    context = context_of(options.plugins, paths=[path])
    if not dynamic or "shapes" not in context.format_of(path).takes:
        return loaded
    shapes = {**options.shapes, **{n: np.shape(inputs[n]) for n in dynamic if n in inputs}}
    return load_any(path, replace(options, shapes=shapes), context=context)


def load_any(path: str, options: Options, context: Context | None = None) -> LoadedModel:
    """A model file, or IR text, in core ops."""
    context = context or context_of(options.plugins, paths=[path])
    engine = DiagnosticEngine()
    loaded = import_model(path, options, engine, context)
    to_core(loaded.module, engine, _lowering(options), context)
    return loaded


def _lowering(options: Options) -> Options:
    """Of options, those that say how source ops become core ops."""
    kept = {name: value for name, value in options.target.items() if name in ("extern", "library")}
    return Options(target=kept, plugins=options.plugins, files=options.files)


class TextForm(NamedTuple):
    """locations: where ops come from.  inline: data of files stand in the text, not where they are."""

    locations: bool = True
    inline: bool = False


class Optimized(NamedTuple):
    """text: the IR.  timings: seconds by pass.  counts: how often what was done."""

    text: str
    timings: dict[str, float]
    counts: dict[str, int]
    diagnostics: list[Diagnostic]


def optimize_text(
    path: str,
    pipeline: str,
    form: TextForm,
    options: Options,
    output: str | None = None,
    context: Context | None = None,
    emit: OnStage | None = None,
) -> Optimized:
    """IR after a pipeline.  output: where the text is written too.  emit: receives IR that the options ask for.

    A model is taken to core ops first, unless the pipeline begins with a pass on source ops (`from-onnx`).
    """
    context = context or context_of(options.plugins, paths=[path])
    files = options.files or RunFiles()
    options = replace(options, files=files)
    files.read(files_of(path))
    if output is not None:
        check_target(Path(output), files, _IR)
    passes, engine = parse_pipeline(pipeline, context.passes), DiagnosticEngine()
    module = import_model(path, options, engine, context).module
    engine.no_lines = how_to_record(module.source)
    if not passes or not is_on_source(passes[0].name):
        passes = [*parse_pipeline(source_pipeline(module, options, context), context.passes), *passes]
    if not any(is_on_source(item.name) for item in passes):
        engine.raise_errors()
    watch = instruments(options, engine, context, emit)
    watch.original = lambda: import_model(path, options, DiagnosticEngine(), context).module
    claim_dumps(passes, options, files)
    run_pipeline(module, passes, watch)
    text = print_module(module, form.locations, inline=form.inline)
    if output is not None:
        write_text(output, text, files, _IR)
    return Optimized(text, watch.timings, watch.context.statistics.applied, engine.explained())
