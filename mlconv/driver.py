"""Options to stages to result: the only file that knows all stages."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine, Severity, naming
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from mlconv.ir.types import TensorType
from mlconv.options import SUFFIXES, TARGETS, Options
from mlconv.run_files import RunFiles


@dataclass(slots=True)
class Result:
    """What a conversion did.  sizes in bytes, times in seconds by stage, and by pass."""

    output: str
    target: str
    size_bytes: int = 0
    source: dict[str, Any] = field(default_factory=dict)
    inputs: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[dict[str, Any]] = field(default_factory=list)
    ops: dict[str, int] = field(default_factory=dict)
    transposes: int = 0
    timings: dict[str, float] = field(default_factory=dict)
    pass_timings: dict[str, float] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    verification: list[dict[str, Any]] = field(default_factory=list)


def import_model(path: str, options: Options, engine: DiagnosticEngine) -> Module:
    """Read a model file into source-level ops.

    Problems that need not end the run at once go to the engine: `to_core` ends it, with what it finds besides.
    Functions carry the ranges of their symbolic sizes, where some were given, as the attribute `ranges`.
    """
    engine.model = path
    found = files_of(path)
    with naming(path):
        options.reads(found)
        try:
            module = _read(path, options, engine)
        except ConversionError as error:
            if error.diagnostics or not engine.has_errors:
                raise
            engine.error(error)  # what ends the import is told beside what was found before
            raise ConversionError.of(engine.explained()) from error
        options.reads(module.files)
    module.files = (*found, *module.files)
    ranges = options.ranges()
    for function in module.functions if ranges else ():
        function.attributes["ranges"] = ranges
    return module


def _read(path: str, options: Options, engine: DiagnosticEngine) -> Module:
    from mlconv.importers.sniff import sniff

    kind = sniff(path)
    if kind in ("onnx", "onnx_text"):
        from mlconv.importers import onnx

        shapes = options.plain_shapes()
        return onnx.load(path, options.inputs, options.outputs, shapes, engine, linked_data=options.linked_data, opened=options.reads)
    if kind in ("graphdef", "graphdef_text"):
        from mlconv.importers import tf

        return tf.load(path, options.inputs, options.outputs, options.plain_shapes(), engine, keep_node_defs=options.allow_select_ops)
    if kind == "saved_model":
        from mlconv.importers import tf

        cut = (options.inputs, options.outputs, options.plain_shapes())
        return tf.load_saved_model(path, *cut, options.signature, options.tags or None, engine, keep_node_defs=options.allow_select_ops)
    if kind == "hlo":
        from mlconv.importers import hlo

        if options.inputs or options.outputs or options.shapes:
            raise ConversionError(Code.MLC0801, "an HLO module has fixed inputs, outputs and shapes: --inputs, --outputs and --shape do not apply")
        options.reads([f"{path}.json", f"{path}.safetensors"])
        return hlo.load(path)
    if kind == "keras":
        options.reads(name.replace(".", os.sep) + ".py" for name in options.imports)
        return import_keras(path, options, engine)
    raise ConversionError(Code.MLC0002, f"{path} is a {kind} file, which cannot be converted yet")


def import_keras(path: str, options: Options, engine: DiagnosticEngine) -> Module:
    """Read a Keras file by way of a SavedModel that a process of its own writes."""
    from mlconv.importers.keras import to_saved_model

    engine.add(
        Diagnostic(
            Code.MLC0302, f"{os.path.basename(path)} is a Keras file: loaded with your Keras in a separate process, which takes some seconds", Severity.NOTE
        )
    )
    folder = to_saved_model(path, options.imports, options.unsafe_keras)
    module = _read(folder.name, options, engine)
    module.resources = (folder,)
    module.source["path"] = path
    return module


def to_core(module: Module, engine: DiagnosticEngine, options: Options | None = None) -> None:
    """Legalize source ops to core, in place; raises with everything that was found when something cannot be."""
    from mlconv.diagnostics.hints import how_to_record
    from mlconv.legalize.handed_through import keep_rule
    from mlconv.passes.dce import eliminate_dead_code

    engine.no_lines = how_to_record(module.source)
    keep = keep_rule(options.allow_custom_ops, options.allow_select_ops) if options is not None else None
    if module.source["format"].startswith("onnx"):
        from mlconv.legalize import from_onnx

        from_onnx.legalize(module, engine, keep)
    elif module.source["format"] == "hlo":
        from mlconv.legalize import from_hlo

        from_hlo.legalize(module, engine)
    else:
        from mlconv.legalize import from_tf

        from_tf.legalize(module, engine, keep)
    engine.raise_errors()
    for function in module.functions:
        eliminate_dead_code(function.block)


def load(path: str | os.PathLike[str], inputs: Any = None, outputs: Any = None, signature: str | None = None, **options: Any) -> Module:
    """A model file as a module of core ops.

    inputs, outputs: names that cut the graph.  signature: key of a signature.  Raises ConversionError.
    """
    engine = DiagnosticEngine()
    settings = Options(inputs=tuple(inputs or ()), outputs=tuple(outputs or ()), signature=signature, **options)
    module = import_model(os.fspath(path), settings, engine)
    try:
        to_core(module, engine)
    except ConversionError as error:
        if any(d.code is not Code.MLC0203 for d in error.diagnostics or (error.diagnostic,)):
            raise
        return _for_values(os.fspath(path), settings)
    return module


def _for_values(path: str, settings: Options) -> Module:
    """A model whose shapes or axes are inputs: it stays at source level, and is legalized anew for the values of each run."""
    source = import_model(path, settings, DiagnosticEngine())

    def for_inputs(inputs: dict[str, Any]) -> Module:
        from mlconv.interp.bind import bind_parameters

        module = clone_module(source)
        bind_parameters(module.main, inputs)
        to_core(module, DiagnosticEngine())
        return module

    source.by_values = for_inputs
    return source


OnStage = Callable[[str], None]


def native_kernels(module: Module, options: Options, engine: DiagnosticEngine) -> None:
    """A module of core ops to kernel calls, in place, as for a native object.  Raises ConversionError with everything that was found."""
    from mlconv.legalize.to_kernel.driver import legalize

    optimize(module, options, target="native")
    legalize(module, engine, options.winograd == "auto")
    engine.raise_errors()


def standard_pipeline(options: Options, target: str = "tflite") -> str:
    """The passes between legalization and a target, in pipeline syntax.

    HLO takes any layout, so none is assigned for it unless it is asked for.  TFLite keeps variables, of other targets they are inputs and outputs.
    """
    fold = f"fold{{limit={options.fold_limit}}}"
    layout = ",layout,io-layout" if options.io_layout == "nhwc" else "" if target in ("hlo", "stablehlo") else ",layout"
    state = "" if target == "tflite" else "state,"
    return f"{state}canonicalize,{fold},loops,unroll,canonicalize,cse,fold-batch-norm{layout},canonicalize,{fold},fold-batch-norm,canonicalize,cse,dce"


def optimize(module: Module, options: Options, emit: OnStage | None = None, target: str = "tflite") -> dict[str, float]:
    """Run the standard pipeline in place; returns seconds by pass."""
    from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline

    watch = Instruments(options.verify_each, options.print_ir_after, partial(_dump, options) if options.dump_ir else None, emit)
    run_pipeline(module, parse_pipeline(standard_pipeline(options, target)), watch)
    return watch.timings


_DUMP = "the IR after a pass"


def _dump(options: Options, name: str, text: str) -> None:
    """Write IR into the folder that was asked for.  Raises ConversionError MLC0007."""
    from mlconv.exporters.atomic import write_text

    try:
        os.makedirs(options.dump_ir, exist_ok=True)
    except (OSError, ValueError) as e:
        raise ConversionError(Code.MLC0007, f"cannot write IR into {options.dump_ir}: {getattr(e, 'strerror', None) or e}") from e
    write_text(os.path.join(options.dump_ir, name), text, options.files, _DUMP)


def convert(
    model: str | os.PathLike[str] | Module,
    to: str = "tflite",
    output: str | os.PathLike[str] | None = None,
    options: Options | None = None,
    on_stage: OnStage | None = None,
    emit: OnStage | None = None,
    **settings: Any,
) -> Result:
    """Convert a model file, or a module, to a target and write the artifact.

    to: `tflite`, `hlo`, `stablehlo` or `native`.  output: path, by default the input's name with the target's suffix.
    settings: fields of `Options`.  on_stage: called with the name of each stage.  emit: receives printed IR.
    Raises ConversionError with all diagnostics of the run; nothing is left behind then.
    """
    path = "" if isinstance(model, Module) else os.fspath(model)
    with naming(path):
        options = replace(options or Options(), **settings)
        run = _Run(options, Result(_target_path(path, to, output, options), to), on_stage, emit)
        run.convert(model)
    return run.result


def _target_path(path: str, to: str, output: str | os.PathLike[str] | None, options: Options) -> str:
    """Where the artifact goes.  path: of the model, empty for a module.  Raises ConversionError MLC0801, MLC0404."""
    if to not in TARGETS:
        raise ConversionError(Code.MLC0801, f"unknown target {to!r}; targets are {', '.join(TARGETS)}")
    if to not in _WRITERS:
        raise ConversionError(Code.MLC0404, f"target {to} is not available in this version")
    options.check_target(to)
    if output is None and not path:
        raise ConversionError(Code.MLC0801, "a module has no file name: say where to write with output=...")
    if output is not None and not os.fspath(output):
        raise ConversionError(Code.MLC0801, "the name of the output is empty")
    return os.fspath(output) if output is not None else os.path.splitext(path.rstrip("/"))[0] + SUFFIXES[to]


class _Run:
    """One conversion: the stages in order, timed."""

    def __init__(self, options: Options, result: Result, on_stage: OnStage | None, emit: OnStage | None) -> None:
        self.files = options.files or RunFiles()
        self.options, self.result, self.on_stage, self.emit = replace(options, files=self.files), result, on_stage, emit
        self.engine = DiagnosticEngine()

    def stage(self, name: str, work: Callable[[], Any]) -> Any:
        if self.on_stage is not None:
            self.on_stage(name)
        started = time.perf_counter()
        value = work()
        self.result.timings[name] = time.perf_counter() - started
        return value

    def convert(self, model: str | os.PathLike[str] | Module) -> None:
        """All stages.  What is written lies in a folder of its own until it is whole and verified."""
        from mlconv.exporters.atomic import publish, staged
        from mlconv.exporters.beside import claim

        target = Path(self.result.output)
        self.claim(model)
        with staged(target) as written:
            module = self.imported(model)
            stamps = _stamps(module.files)
            self.produce(module, written)
            changed = [name for name, stamp in _stamps(module.files).items() if stamp != stamps[name]]
            if changed:
                raise ConversionError(Code.MLC0003, f"{changed[0]} was changed while it was converted", help="convert again when nothing writes to it")
            publish(written, target, lambda names: claim(target, names, self.files))

    def claim(self, model: str | os.PathLike[str] | Module) -> None:
        """Note all files that are known before the work: those that are read, and those that will be written.  Raises ConversionError MLC0007."""
        from mlconv.exporters.beside import claim, names_beside
        from mlconv.passes.pipeline import dump_name, parse_pipeline

        options, files, target = self.options, self.files, Path(self.result.output)
        files.read([*(model.files if isinstance(model, Module) else files_of(os.fspath(model))), *(files_of(options.data) if options.data else ())])
        claim(target, [target.name, *names_beside(target, self.result.target, options)], files)
        claim_tune_cache(options)
        for number, item in enumerate(parse_pipeline(standard_pipeline(options, self.result.target)) if options.dump_ir else ()):
            files.write(os.path.join(options.dump_ir, dump_name(number, item)), _DUMP)

    def imported(self, model: str | os.PathLike[str] | Module) -> Module:
        """A module of core ops: the model's, or a copy of a given one."""
        options, engine = self.options, self.engine
        if isinstance(model, Module) and model.by_values is not None:
            raise ConversionError(
                Code.MLC0203, "the module takes shapes or axes from its inputs, and can only be run", help="convert its file: the errors say where"
            )
        if isinstance(model, Module):
            return clone_module(model)
        module: Module = self.stage("import", lambda: import_model(os.fspath(model), options, engine))
        self.stage("legalize", lambda: to_core(module, engine, options))
        return module

    def produce(self, module: Module, written: Path) -> None:
        """Optimize, write and verify.  The reference of the verification is the module as it comes in."""
        from mlconv.contract import contract_of, contract_path, write_contract, write_initial_state
        from mlconv.passes.finite import find_not_finite

        options, engine, path = self.options, self.engine, str(written)
        reference = clone_module(module) if options.verify else None
        self.result.pass_timings = self.stage("optimize", lambda: optimize(module, options, self.emit, self.result.target))
        for warning in find_not_finite(module):
            engine.add(warning)
        interface = clone_module(module) if options.verify else None
        self.describe(module)
        contract = contract_of(module, self.result.target, path) if options.io_json and self.result.target != "native" else None
        self.stage("write", lambda: self.write(module, path))
        write_initial_state(module, path)
        if contract is not None:
            write_contract(contract, contract_path(path))
        self.result.diagnostics = engine.diagnostics
        if reference is not None and interface is not None:
            self.stage("verify", lambda: self.verify(reference, interface, path))

    def describe(self, module: Module) -> None:
        main, result = module.main, self.result
        result.source = module.source
        result.inputs = [{"name": v.name, **type_facts(v)} for v in main.inputs]
        result.outputs = [{"name": n, **type_facts(v)} for n, v in zip(main.output_names, main.outputs, strict=True)]

    def write(self, module: Module, path: str) -> None:
        write, prefix = _WRITERS[self.result.target]
        self.result.size_bytes = write(module, self.engine, self.options, path)
        for op in module.walk():
            if op.name.startswith(prefix):
                self.result.ops[op.name] = self.result.ops.get(op.name, 0) + 1
        self.result.transposes = self.result.ops.get("tfl.TRANSPOSE", 0) + self.result.ops.get("hlo.transpose", 0)

    def verify(self, reference: Module, interface: Module, path: str) -> None:
        """Raises ConversionError MLC0701 when the artifact gives other numbers than the reference."""
        from mlconv.runtime.verify import Request, failures, verify_artifact

        options = self.options
        request = Request(options.verify_with, options.data, bool(options.inputs or options.outputs), options.tags)
        runtime, errors = verify_artifact(self.result.target, path, reference, interface, request)
        self.result.verification = [{"output": e.name, "max_abs": e.max_abs, "relative": e.relative, "ok": e.ok} for e in errors]
        listed = failures(errors)
        if listed:
            other = "the reference interpreter" if options.verify_with == "reference" else "the source's runtime"
            raise ConversionError(Code.MLC0701, f"{runtime} and {other} disagree: {listed}")


def files_of(path: str) -> list[str]:
    """The files that a path stands for: itself, all files of a SavedModel, those right in another folder (of arrays)."""
    if not os.path.isdir(path):
        return [path]
    walked = os.walk(path)
    if any(os.path.exists(os.path.join(path, f"saved_model.{suffix}")) for suffix in ("pb", "pbtxt")):
        return [os.path.join(folder, name) for folder, _, names in walked for name in names]
    return [os.path.join(path, name) for _, _, names in islice(walked, 1) for name in names]


def claim_tune_cache(options: Options) -> None:
    """The tuning cache can be written, and is nothing else of the run.  Raises ConversionError MLC0007."""
    from mlconv.exporters.atomic import check_target

    if options.tune_cache:
        check_target(Path(options.tune_cache), options.files, "the tuning cache")


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


def _write_tflite(module: Module, engine: DiagnosticEngine, options: Options, path: str) -> int:
    from mlconv.exporters.tflite.export import export
    from mlconv.legalize.to_tfl.driver import legalize
    from mlconv.passes.relocate import relocate

    legalize(module, engine, options.reduce_float64)
    engine.raise_errors()
    relocate(module, options.strip_locations, options.path_map)
    return export(module, path)


def _write_hlo(module: Module, engine: DiagnosticEngine, options: Options, path: str) -> int:
    from mlconv.exporters.hlo.export import export
    from mlconv.exporters.hlo.sharding import Sharding
    from mlconv.legalize.to_hlo.driver import legalize
    from mlconv.passes.relocate import relocate

    legalize(module, engine)
    engine.raise_errors()
    relocate(module, options.strip_locations, options.path_map)
    return export(module, path, options.weights == "parameters", Sharding(options.mesh, options.shard_rules))


def _write_stablehlo(module: Module, engine: DiagnosticEngine, options: Options, path: str) -> int:
    from mlconv.exporters.hlo.sharding import Sharding
    from mlconv.exporters.hlo.stablehlo import export_text
    from mlconv.legalize.to_hlo.driver import legalize
    from mlconv.passes.relocate import relocate

    legalize(module, engine)
    engine.raise_errors()
    relocate(module, options.strip_locations, options.path_map)
    return export_text(module, path, Sharding(options.mesh, options.shard_rules))


def native_choices(module: Module, options: Options) -> Any:
    """What `--tune` and `--tune-cache` choose for the kernels of a module, for this machine's instruction set.  Raises ConversionError."""
    if not options.tune and not options.tune_cache:
        return {}
    from mlconv.exporters.native.machines.targets import chosen_cpus, target_named
    from mlconv.exporters.native.program.compile import host_cpu
    from mlconv.exporters.native.program.tune import tuned

    here = target_named("")
    if target_named(options.machine).arch != here.arch:
        raise ConversionError(Code.MLC0801, f"tiles are chosen by timing on this machine, which is not {options.machine}")
    best, cpu = host_cpu(), chosen_cpus(here, options.cpu or host_cpu(), "")[0]
    names = [c.name for c in here.cpus]
    if options.tune and here.dispatch and names.index(cpu.name) > names.index(best):
        raise ConversionError(Code.MLC0801, f"tiles are chosen by timing on this machine, which has {best} and not {cpu.name}")
    return tuned(module.main.block, cpu, options.tune, options.tune_cache)


def _write_native(module: Module, engine: DiagnosticEngine, options: Options, path: str) -> int:
    from mlconv.contract import contract_of
    from mlconv.exporters.native.export import export
    from mlconv.exporters.native.machines.targets import chosen_cpus, target_named
    from mlconv.exporters.native.settings import Settings
    from mlconv.legalize.to_kernel.driver import legalize
    from mlconv.passes.relocate import relocate
    from mlconv.runtime.inputs import random_inputs

    machine, here = target_named(options.machine), target_named("")
    chosen_cpus(machine, options.cpu, options.features)
    if options.verify and (machine.arch, machine.format) != (here.arch, here.format):
        raise ConversionError(Code.MLC0702, f"code for {machine.triple} cannot be verified on this machine", help="leave --verify out, or use --self-test")
    interface, reference = contract_of(module, "native", path), clone_module(module) if options.self_test else None
    legalize(module, engine, options.winograd == "auto")
    engine.raise_errors()
    relocate(module, options.strip_locations, options.path_map)
    choices = native_choices(module, options)
    vectors = None
    if reference is not None:
        inputs = random_inputs(reference.main)
        vectors = inputs, reference.run(inputs)
    settings = Settings(
        options.machine, options.cpu, options.features, options.weights == "file", options.pool, False, options.shared, options.archive, options.example,
        vectors, choices, interface,
    )  # fmt: skip
    return export(module, path, settings)


# By target: legalizes a module of core ops and writes it; the prefix of the target's ops.
_WRITERS: dict[str, tuple[Callable[[Module, DiagnosticEngine, Options, str], int], str]] = {
    "tflite": (_write_tflite, "tfl."),
    "hlo": (_write_hlo, "hlo."),
    "stablehlo": (_write_stablehlo, "hlo."),
    "native": (_write_native, "kernel."),
}


def type_facts(value: Value) -> dict[str, Any]:
    """dtype and shape of a value, for reports; a symbolic dimension is its expression."""
    t = value.type
    if not isinstance(t, TensorType):
        return {"dtype": str(t), "shape": None}
    return {"dtype": t.dtype.display, "shape": None if t.shape is None else [d if isinstance(d, int) else str(d) for d in t.shape]}
