"""A conversion: the stages in order, timed; what is written appears when it is whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine, naming
from mlconv.diagnostics.text import amount
from mlconv.driver.config import Config
from mlconv.driver.context import Context, context_of
from mlconv.driver.counting import counted, follow_writing
from mlconv.driver.files import files_of
from mlconv.driver.loading import Model, check_whole, held_as_file, import_model, to_core
from mlconv.driver.options import Options
from mlconv.driver.pipeline import (
    OnDetails,
    OnProgress,
    OnStage,
    Parts,
    claim_dumps,
    forms_pipeline,
    instruments,
    parts_of,
    run,
    timed,
)
from mlconv.driver.result import Failed, OnFailed, Result
from mlconv.driver.types import type_facts
from mlconv.exporters.target import Target, WriteRequest
from mlconv.formats.run_files import RunFiles
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.module import Module, clone_module

T = TypeVar("T")

if TYPE_CHECKING:
    from mlconv.driver.keywords import ConvertOptions
    from mlconv.driver.quantization import Quantization
    from mlconv.driver.report.conversion import Recorder


def convert(
    model: Model,
    to: str = "tflite",
    output: str | os.PathLike[str] | None = None,
    options: Options | None = None,
    on_stage: OnStage | None = None,
    emit: OnStage | None = None,
    context: Context | None = None,
    config: str | os.PathLike[str] | None = None,
    args: Sequence[object] = (),
    on_failed: OnFailed | None = None,
    **settings: Unpack[ConvertOptions],
) -> Result:
    """Convert a model file, a module, or a model that the program holds, to a target and write the artifact.

    model: a path; what `load` gave, or its module; an onnx.ModelProto, a function of jax, a tf.function or a concrete
    one, a Keras model, a torch module.  args: what a function or a torch module is called with, arrays or what has
    their shapes and dtypes.

    to: `tflite`, `hlo`, `stablehlo`, `onnx` or `native`.  output: path, by default the input's name with the target's
    suffix.
    settings: fields of `Options`, and options of the target.  on_stage: called with the name of each stage.  emit:
    receives printed IR.  context: targets, formats and passes that there are; without it the built-in ones, and
    those of the plug-ins that the options name, or that have the target.  config: a TOML file with plug-ins and options
    of targets, that settings win over.  on_failed: is told of an error before it is raised.
    Raises ConversionError with all diagnostics of the run; nothing is left behind then.
    """
    if output is None and not isinstance(model, (str, os.PathLike)):
        raise ConversionError(Code.UsageError, "the model has no file name: say where to write with output=...")
    held = held_as_file(model, args)
    model = model if held is None else held.path
    path = os.fspath(model) if isinstance(model, (str, os.PathLike)) else ""
    with naming(path):
        told = Config.read(config) if config is not None else Config()
        names = settings.get("plugins", options.plugins if options is not None else ())
        context = context or context_of((*told.plugins, *names), to, [path] if path else ())
        told.check(context)
        target = context.target(to)
        options = (options or Options()).with_settings({**told.of_target(target), **settings}, context)
        options.check_targets((target,), context)
        result = Result(_target_path(path, target, output), to)
        given = LoadedModel(model) if isinstance(model, Module) else model if isinstance(model, LoadedModel) else path
        conversion = Conversion(options, target, result, context, on_stage, emit)
        try:
            conversion.convert(given)
        except ConversionError as error:
            if on_failed is not None:
                on_failed(Failed(error, result, partial(conversion.tell_failure, given, error)))
            raise
    return result


def _target_path(path: str, target: Target, output: str | os.PathLike[str] | None) -> str:
    """Where the artifact goes.  path: of the model.  Raises ConversionError UsageError, OutputNotWritable."""
    if output is not None and not os.fspath(output):
        raise ConversionError(Code.UsageError, "the name of the output is empty")
    if output is not None and target.folder:
        return os.fspath(output).rstrip("/" + os.sep) or os.fspath(output)
    if output is not None and os.fspath(output).endswith(("/", os.sep)):
        raise ConversionError(Code.OutputNotWritable, f"cannot write {os.fspath(output)}: it names a folder")
    return os.fspath(output) if output is not None else os.path.splitext(path.rstrip("/"))[0] + target.suffix


class Conversion:
    """One conversion: the stages in order, timed."""

    def __init__(
        self,
        options: Options,
        target: Target,
        result: Result,
        context: Context,
        on_stage: OnStage | None,
        emit: OnStage | None,
    ) -> None:
        self.files = options.files or RunFiles()
        self.options = replace(options, files=self.files)
        self.target, self.own, self.context = target, options.of_target(target), context
        self.result, self.on_stage = result, on_stage
        self.engine = DiagnosticEngine()
        self.watch = instruments(self.options, self.engine, context, emit)
        self.details = on_stage if isinstance(on_stage, OnDetails) else None
        self.watch.told = self.details.passed if self.details is not None else None
        self.parts = Parts("", "", "")
        self.told = ""
        self.quantization: Quantization | None = None
        if options.quantize:
            from mlconv.driver.quantization import Quantization

            self.quantization = Quantization(self.options, context, target, self._tell, self._watch)
            self.watch.context.quantize = self._quantize
        self.recorder: Recorder | None = None
        if options.report:
            from mlconv.driver.report.conversion import Recorder

            self.recorder = Recorder(target, options)

    def _quantize(self, module: Module) -> None:
        """What the pass `quantize` does."""
        assert self.quantization is not None
        self._tell("", 0, 0)
        self.result.quantization = self.quantization.quantize(module)
        self.watch.context.floats = self.quantization.floats
        for note in self.quantization.notes:
            self.engine.add(note)

    def _watch(self, what: str, fraction: Callable[[], float]) -> None:
        """What quantization does, and who says what part of it is done."""
        self._name(what)
        if isinstance(self.on_stage, OnProgress):
            self.on_stage.watch(fraction)

    def _name(self, what: str) -> None:
        name = f"quantize: {what}" if what else "quantize"
        if self.on_stage is not None and name != self.told:
            self.told = name
            self.on_stage(name)

    def _tell(self, what: str, done: int, total: int) -> None:
        """What quantization does, and how much of how much."""
        self._name(what)
        if isinstance(self.on_stage, OnProgress):
            self.on_stage.advance(done, total)

    def stage(self, name: str, work: Callable[[], T]) -> T:
        return timed(name, work, self.result.timings, self.on_stage)

    def came(self, module: Module, *more: str) -> None:
        """Tell what a stage made of the model."""
        if self.details is not None:
            found = counted(module)
            ops, parameters = amount(sum(found.ops.values()), "op"), amount(found.parameters, "parameter")
            self.details.came(", ".join(filter(None, (ops, f"{parameters} in {found.parameter_bytes:,} bytes", *more))))

    def convert(self, model: str | os.PathLike[str] | LoadedModel) -> None:
        """All stages.  What is written lies in a folder of its own until it is whole and verified."""
        self.claim(model)
        try:
            self.converted(model)
        except ConversionError as error:
            if self.options.report:
                self.tell_failure(model, error, self.options.report)
            raise
        self.check_accuracy()

    def tell_failure(
        self, model: str | os.PathLike[str] | LoadedModel, error: ConversionError, page: str, purpose: str = ""
    ) -> None:
        """Write a page that says what was in the way.  purpose: of the file.  Raises ConversionError
        OutputNotWritable.
        """
        from mlconv.driver.report.failed import write_failed_page

        def read(engine: DiagnosticEngine) -> Module:
            if isinstance(model, LoadedModel):
                return clone_module(model.module)
            return import_model(os.fspath(model), self.options, engine, self.context).module

        path = str(model.source.get("path", "")) if isinstance(model, LoadedModel) else os.fspath(model)
        write_failed_page(
            page,
            path,
            error,
            read,
            self.options,
            self.target,
            self.context,
            self.files,
            self.result.quantization,
            self.recorder,
            purpose,
        )

    def converted(self, model: str | os.PathLike[str] | LoadedModel) -> None:
        """All stages, when files are claimed."""
        from mlconv.driver.beside import claim
        from mlconv.formats.atomic import publish, staged

        target, holds = Path(self.result.output), self.target.folder
        with staged(target, self.target.folder) as written:
            loaded = self.imported(model)
            stamps = _stamps(loaded.files)
            written = self.produce(loaded, written)
            changed = [name for name, stamp in _stamps(loaded.files).items() if stamp != stamps[name]]
            if changed:
                raise ConversionError(
                    Code.FileDamaged,
                    f"{changed[0]} was changed while it was converted",
                    help="convert again when nothing writes to it",
                )
            target = target.with_name(written.name)
            names = publish(written, target, lambda names: claim(target, names, self.files, holds))
        if self.options.certificate:
            self.certify(model, names)
        if self.recorder is not None:
            self.recorder.write(self.result, loaded.files, self.files)

    def certify(self, model: str | os.PathLike[str] | LoadedModel, names: Sequence[str]) -> None:
        """Raises ConversionError UsageError for a model that no file holds."""
        from mlconv.driver.certificate import Done, certify

        result = self.result
        if isinstance(model, LoadedModel):
            raise ConversionError(Code.UsageError, "a certificate is of a model file, not of one that is loaded")
        passes = [str(item) for item in self.watch.done]
        done = Done(
            os.fspath(model),
            result.target,
            result.output,
            names,
            passes,
            result.pass_statistics,
            result.verification,
            result.plugins,
        )
        certify(done, self.options)

    def check_accuracy(self) -> None:
        """Raises ConversionError AccuracyLost where the result is the best there is, and not good enough."""
        lost = self.quantization.lost if self.quantization is not None else None
        if lost is not None:
            lost.diagnostic = replace(lost.diagnostic, help=f"the best model is {self.result.output}")
            self.engine.error(lost)
            self.engine.raise_errors()

    def claim(self, model: str | os.PathLike[str] | LoadedModel) -> None:
        """Note all files that are known before the work: those that are read, and those that will be written.  Raises
        ConversionError OutputNotWritable.
        """
        from mlconv.driver.beside import CERTIFICATE, FINDINGS, RECIPE, REPORT, claim
        from mlconv.formats.atomic import check_target

        options, files, artifact = self.options, self.files, Path(self.result.output)
        files.read(
            [
                *(model.files if isinstance(model, LoadedModel) else files_of(os.fspath(model))),
                *(
                    name
                    for given in (options.data, options.expect, options.calibration, options.evaluation)
                    if isinstance(given, str) and given
                    for name in files_of(given)
                ),
            ]
        )
        for path, purpose in (
            (options.save_recipe, RECIPE),
            (options.save_calibration, FINDINGS),
            (options.certificate, CERTIFICATE),
            (options.report, REPORT),
        ):
            if path:
                check_target(Path(path), files, purpose)
        claim(
            artifact,
            [artifact.name, *self.target.beside(artifact, self.own, options.io_json)],
            files,
            self.target.folder,
        )
        self.target.claim(self.own, files)

    def plan(self, module: Module) -> None:
        """Decide on the passes, and note the files of IR that they will write."""
        from mlconv.passes.pipeline import parse_pipeline

        self.parts = parts_of(module, self.options, self.target, self.context)
        claim_dumps(parse_pipeline(str(self.parts), self.context.passes), self.options, self.files)
        if self.parts.lowered and self.options.verify:
            raise ConversionError(
                Code.VerificationImpossible,
                f"the IR has ops of target {self.target.name} already, which nothing here runs for comparison",
                help="leave --verify out",
            )

    def imported(self, model: str | os.PathLike[str] | LoadedModel) -> LoadedModel:
        """A model of core ops: that of a file, or a copy of a given one."""
        options, engine = self.options, self.engine
        if isinstance(model, LoadedModel):
            if model.by_values is not None:
                raise ConversionError(
                    Code.ShapeNotStatic,
                    "the model takes shapes or axes from its inputs, and can only be run",
                    help="convert its file: the errors say where",
                )
            self.watch.original = lambda: clone_module(model.module)
            check_whole(model)
            self.plan(model.module)
            loaded: LoadedModel = replace(model, module=clone_module(model.module))
            self.record(loaded.module)
            return loaded
        path = os.fspath(model)
        self.watch.original = lambda: import_model(path, options, DiagnosticEngine(), self.context).module
        loaded = self.stage("import", lambda: import_model(path, options, engine, self.context))
        check_whole(loaded)
        self.came(loaded.module, str(loaded.source.get("format", "")))
        self.plan(loaded.module)
        self.record(loaded.module)
        self.stage("legalize", lambda: to_core(loaded.module, engine, options, self.context, self.watch))
        self.came(loaded.module)
        return loaded

    def record(self, module: Module) -> None:
        """Begin to note what becomes of a module, where a report is asked for."""
        if self.recorder is not None:
            self.watch.seen = self.recorder.imported(module).seen

    def produce(self, loaded: LoadedModel, written: Path) -> Path:
        """Optimize, write and verify; returns what was written, under a name of its own where it is not what was asked
        for.  The reference of the verification is the module as it comes in.
        """
        from mlconv.driver.interface import interface_of, interface_path, write_initial_state, write_interface

        options, module = self.options, loaded.module
        if self.recorder is not None:
            self.recorder.legalized(module)
        # what is quantized gives other numbers than the model: without answers, it is held to the quantized module
        coarser = self.target.coarser(self.own)
        by_itself = bool(options.quantize or coarser) and not options.expect
        reference = None if by_itself else self.reference(module)
        self.stage("optimize", lambda: run(module, self.parts.common, self.watch, self.context))
        self.came(module)
        if self.quantization is not None and self.quantization.lost is not None:
            written = best_beside(written, self.target.suffix)
            self.result.output = str(Path(self.result.output).with_name(written.name))
        path = str(written)
        optimized = clone_module(module) if options.verify else None
        if optimized is not None and by_itself:
            passes = ",".join(filter(None, (coarser, self.target.integers())))
            run(optimized, passes, instruments(options, DiagnosticEngine()), self.context)
        reference = optimized if by_itself else reference
        self.describe(module)
        interface = interface_of(module, self.result.target, path)
        self.stage("write", lambda: self.write(module, path, interface))
        self.came(module, f"a file of {self.result.size_bytes:,} bytes")
        self.describe_quantization(loaded)
        write_initial_state(module, path)
        if options.io_json and not self.target.writes_interface():
            write_interface(interface, interface_path(path))
        self.result.diagnostics, self.result.pass_timings = self.engine.diagnostics, self.watch.timings
        self.result.pass_statistics = self.watch.context.statistics.applied
        self.result.plugins = [{"name": p.name, "version": p.version} for p in self.context.plugins]
        if reference is not None and optimized is not None:
            for before, after in zip(reference.functions, module.functions, strict=True):
                before.facts.conditions = after.facts.conditions
                least = (r for r in after.facts.where.relations if r.kind == ">=")  # kernels refuse what is smaller
                before.facts.where = before.facts.where.and_also(least)
            self.stage("verify", lambda: self.verify(reference, optimized, path, loaded.folder))
        return written

    def reference(self, module: Module) -> Module | None:
        """The model as it was imported, with inputs and outputs in the form that was asked for, and float16 as the
        target has it; None where nobody looks at it.
        """
        if not self.options.verify:
            return None
        copy = clone_module(module)
        passes = [*forms_pipeline(self.options), *(["reduce-float16"] if self.target.widens_float16 else [])]
        run(copy, ",".join(passes), instruments(self.options, DiagnosticEngine()), self.context)
        return copy

    def describe(self, module: Module) -> None:
        main, result = module.main, self.result
        result.source = module.source
        result.inputs = [{"name": v.name, **type_facts(v)} for v in main.inputs]
        result.outputs = [{"name": n, **type_facts(v)} for n, v in zip(main.output_names, main.outputs, strict=True)]

    def describe_quantization(self, loaded: LoadedModel) -> None:
        """What came of which files."""
        report = self.result.quantization
        if report is not None:
            report.model = str(loaded.source.get("path", ""))
            report.target, report.output = self.result.target, self.result.output
            report.source_bytes = sum(stamp[0] for stamp in _stamps(loaded.files).values() if stamp is not None)
            report.output_bytes = self.result.size_bytes

    def write(self, module: Module, path: str, interface: dict[str, Any]) -> None:
        prepared = self.target.prepare(module, self.own, self.options.verify)
        self.tell_layers(module, lowered=False)
        run(module, self.parts.target, self.watch, self.context)
        self.tell_layers(module, lowered=True)
        if self.recorder is not None:
            self.recorder.lowered(module, self.context.kernels)
        request = WriteRequest(path, interface, prepared, self.files, self.context.kernels, on_stage=self.on_stage)
        if isinstance(self.on_stage, OnProgress):
            request = replace(request, on_fraction=self.on_stage.watch)
            follow_writing(self.on_stage, module, os.path.dirname(path))
        self.result.size_bytes = self.target.write(module, self.own, request)
        self.result.sizes = request.sizes
        self.result.computed_elsewhere = [c.facts() for c in request.computed]
        for op in module.walk():
            if op.name.startswith(self.target.prefix):
                self.result.ops[op.name] = self.result.ops.get(op.name, 0) + 1
                self.result.transposes += self.target.is_transpose(op)

    def tell_layers(self, module: Module, lowered: bool) -> None:
        """Put into the report what became of layers.  Raises ConversionError FloatsLeft behind the lowering, where all
        were to compute with integers.
        """
        if self.quantization is None:
            return
        from mlconv.driver.outcomes import refuse_floats, tell_layers

        tell_layers(self.quantization.rows, module, self.target, lowered)
        if lowered and self.options.require_int8:
            refuse_floats(self.quantization.rows, self.target.name, self.engine)
            self.engine.raise_errors()

    def verify(self, reference: Module, optimized: Module, path: str, folder: str) -> None:
        """Raises ConversionError VerificationFailed when the artifact gives other numbers than the reference, or than
        the answers that are given.
        """
        from mlconv.driver.verified import verified
        from mlconv.runtime.verify import Request

        options = self.options
        cut = bool(options.inputs or options.outputs)
        request = Request(options.verify_with, options.data, cut=cut, tags=options.tags, folder=folder)
        if isinstance(self.on_stage, OnProgress):
            request = replace(request, on_calls=self.on_stage.advance)
        if self.quantization is not None:
            request = replace(request, samples=self.quantization.first_samples, numbers=self.quantization.inputs)
        runner = self.target.runner(path)
        if runner is None:
            raise ConversionError(
                Code.VerificationImpossible, f"artifacts of target {self.target.name} cannot be run here"
            )
        found = verified(runner, self.target.has_bounds, reference, optimized, request, options)
        self.result.verification = list(found.rows)
        declared = [f"{c['op']} {c['node']}" for c in self.result.computed_elsewhere if c["declared"]]
        self.result.unverified = list(dict.fromkeys(declared))
        if found.problem:
            raise ConversionError(Code.VerificationFailed, found.problem)


def best_beside(path: Path, suffix: str) -> Path:
    """STEM.best.SUFFIX.  suffix: of artifacts; another one that the path has counts, too."""
    suffix = suffix if path.name.endswith(suffix) else path.suffix
    return path.with_name(f"{path.name.removesuffix(suffix)}.best{suffix}")


def _stamps(files: Sequence[str]) -> dict[str, tuple[int, int] | None]:
    """Size and time of last change of each file; None for one that is not there."""
    found: dict[str, tuple[int, int] | None] = {}
    for name in files:
        try:
            status = os.stat(name)
            found[name] = status.st_size, status.st_mtime_ns
        except OSError:
            found[name] = None
    return found
