"""The pipeline of a conversion, from the ops of a file to those of a target, and how it is run and watched."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol, TypeVar, cast, runtime_checkable

from mlconv.diagnostics import DiagnosticEngine
from mlconv.driver.context import Context, context_of
from mlconv.driver.dumps import CONSTANTS, DUMP, Dumps
from mlconv.driver.options import Options
from mlconv.exporters.target import Target
from mlconv.formats.run_files import RunFiles
from mlconv.importers.format import SourceFormat
from mlconv.ir.module import Module, clone_module
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.pipeline import Instruments, dump_name, parse_pipeline, run_pipeline

OnStage = Callable[[str], None]
T = TypeVar("T")


@runtime_checkable
class OnProgress(Protocol):
    """An `OnStage` that is also told how far a stage is."""

    def advance(self, done: int, total: int) -> None:
        """total: 0 where nobody knows."""

    def follow(self, measure: Callable[[], int], total: int) -> None:
        """The stage writes bytes.  measure: how many there are; it may be called by another thread.  total: how many
        there will be, about.
        """

    def watch(self, fraction: Callable[[], float]) -> None:
        """fraction: how much of the stage is done; it may be called by another thread."""


@runtime_checkable
class OnDetails(Protocol):
    """An `OnStage` that is also told what came of stages, and of each pass."""

    def came(self, text: str) -> None:
        """What the stage made, once it is done."""

    def passed(self, name: str, seconds: float, changes: int) -> None:
        """changes: how often the pass changed something, where it counts that."""


def timed(name: str, work: Callable[[], T], timings: dict[str, float], on_stage: OnStage | None) -> T:
    """What a stage makes.  timings: seconds by stage, which this one is added to."""
    if on_stage is not None:
        on_stage(name)
    started = time.perf_counter()
    value = work()
    timings[name] = time.perf_counter() - started
    return value


_CORE = "core."
_SCHEMAS = "check-schemas"
_KEPT = ("allow_custom_ops", "allow_select_ops")


def _has_ops(module: Module, prefixes: tuple[str, ...]) -> bool:
    return any(op.name.startswith(prefixes) for op in module.walk())


def source_pipeline(module: Module, options: Options, context: Context) -> str:
    """Source ops to core; empty for IR text that is past that.  Where passes are verified, ops are held against their
    schemas first.
    """
    form = _source_of(module, context)
    if form is None:
        return ""
    asked = [f"{name.replace('_', '-')}=true" for name in _KEPT if form.keeps_ops and options.target.get(name)]
    if form.keeps_ops and options.target.get("extern"):
        asked.append(f"foreign={json.dumps(foreign_text(options))}")
    first = f"{_SCHEMAS}," if options.verify_each else ""
    return first + form.legalization + (f"{{{','.join(asked)}}}" if asked else "")


def foreign_text(options: Options) -> str:
    """The ops that C functions compute, as a pass has them.  Raises ConversionError ForeignDeclaration,
    InputNotReadable.
    """
    from mlconv.legalize.foreign import declarations, files_of, to_text

    given, library = options.target["extern"], options.target.get("library", "")
    texts = [given] if isinstance(given, str) else [str(text) for text in cast("Iterable[object]", given)]
    options.reads(files_of(texts))
    return to_text(declarations(texts, str(library)))


def _source_of(module: Module, context: Context) -> SourceFormat | None:
    """The format that a module has ops of: the one that it says it was read from, or of IR text that says nothing, the
    one with the prefix of its ops; none where it is past that.
    """
    if any(name != _SCHEMAS for name in module.passes):
        return None
    name = str(module.source.get("format", ""))
    if name in context.formats:
        form = context.formats[name]
        return form if form.legalization and _has_ops(module, (form.prefix, *form.other_prefixes)) else None
    forms = (form for form in context.formats.all() if form.legalization)
    return next((form for form in forms if _has_ops(module, (form.prefix,))), None)


class Parts(NamedTuple):
    """The pipeline of a conversion.  lowered: the module has the target's ops already."""

    source: str
    common: str
    target: str
    lowered: bool = False

    def __str__(self) -> str:
        return ",".join(filter(None, (self.source, self.common, self.target)))


def parts_of(module: Module, options: Options, target: Target, context: Context) -> Parts:
    """What has to be done for a module as it was loaded: what it has been through is not done again."""
    source = source_pipeline(module, options, context)
    widened = _for_quantization(options) if options.quantize else ()
    common = ",".join((*forms_pipeline(options), *widened, standard_pipeline(options, target), "check-finite"))
    if options.quantize:
        common += f",expand-recurrent,quantize,{_behind_quantization(target)}"
    own = ",".join((target.pipeline(options.of_target(target)), *_relocation(options)))
    if source:
        return Parts(source, common, own)
    shared, lowering = (parse_pipeline(text, context.passes) for text in (common, own))
    first = _first_left(module, [p.name for p in shared], [p.name for p in lowering], target)
    left = [*shared, *lowering][first:]
    return Parts(
        "", ",".join(map(str, left[: -len(lowering)])), ",".join(map(str, left[-len(lowering) :])), first > len(shared)
    )


def _for_quantization(options: Options) -> tuple[str, ...]:
    """Floats of other widths as those of 32 bits, which schemes are for."""
    narrow = ("reduce-float64",) if options.target.get("reduce_float64") else ()
    return (*narrow, "reduce-float16{bfloat16=true}")


def forms_pipeline(options: Options) -> list[str]:
    """The pass that gives inputs and outputs the form that was asked for, where one was."""
    asked = ",".join(f"{option}={_quoted(texts)}" for option, texts in options.forms().items())
    return [f"io-forms{{{asked}}}"] if asked else []


def _quoted(texts: Mapping[str, str]) -> str:
    """A JSON object as the value of an option of a pass."""
    return json.dumps(json.dumps(dict(texts)))


def _first_left(module: Module, common: Sequence[str], lowering: Sequence[str], target: Target) -> int:
    """How many of the passes are not to be run again: those that it has been through, where they are the first of
    these; else, where it has the target's ops, up to its conversion and what of the target's has run.
    """
    done = [name for name in module.passes if not is_on_source(name)]
    if done and done == [*common, *lowering][: len(done)]:
        return len(done)
    if not _is_lowered(module, target):
        return 0
    conversion = next((i for i, name in enumerate(lowering) if name.startswith("to-")), 0)
    return len(common) + 1 + max(conversion, *(i for i, name in enumerate(lowering) if name in done), conversion)


def _is_lowered(module: Module, target: Target) -> bool:
    """The ops are those of the target; core ops are the target's own only where it has no others."""
    names = {op.name for op in module.walk()}
    return (
        target.prefix != _CORE
        and any(name.startswith(target.prefix) for name in names)
        and not any(name.startswith(_CORE) and name != "core.constant" for name in names)
    )


def is_on_source(name: str) -> bool:
    """A pass with that name is for ops of a file."""
    return name == _SCHEMAS or name.startswith("from-")


def standard_pipeline(options: Options, target: Target) -> str:
    """The passes on core, in pipeline syntax."""
    stored = f",{target.stored_weights}" if target.stored_weights else ""
    stored += ",halves=true" if options.quantize else ""  # they are quantized on all targets
    fold = f"fold{{limit={options.fold_limit}{stored}}}"
    asked = options.io_layout == "nhwc"
    if target.channels_first:
        assign = ",layout{channels-first=true,plain-products=true}"
    elif options.quantize:  # bytes are faster with channels last, and weights on the right have scales for each column
        assign = ",layout{rounded=true}"
    elif target.left_weights:
        assign = ",layout{left-weights=true}"
    else:
        assign = ",layout{windows-anywhere=true}" if target.windows_anywhere else ",layout"
    assign = f",split-groups{assign}" if target.splits_groups else assign
    layout = f"{assign},io-layout" if asked else "" if target.takes_any_layout else assign
    state = "known-variables," if target.keeps_variables else "state{apart=true}," if target.names_once else "state,"
    clean = f"canonicalize,{fold}"
    unroll = "unroll{lean=true}" if target.keeps_loops and not options.quantize else "unroll"
    norm = "fold-batch-norm" if _folds_between(options) else "fold-batch-norm{between=false}"
    folded = f"{clean},loops,{unroll},canonicalize,cse,keep-batch-axes,repeat-last,join-alike,{norm}{layout}"
    # ranges of training are seldom around 0
    trained = target.quantizes_trained and not target.symmetric(options.of_target(target))
    lowered = f"{'quantize-trained,' if trained else ''}{_lowering(target)}"
    # behind layouts again: axes of integers are moved, not those of the floats that they are made of
    return f"unchanged-variables,{lowered}{state}{folded},{clean},{norm},{lowered}canonicalize,cse,dce"


def _folds_between(options: Options) -> bool:
    """Whether scales between layers go into weights.  Not into such as are rounded while their inputs stay floats: they
    have one scale for all inputs, which the largest decide.
    """
    if not options.quantize:
        return True
    from mlconv.quantize.scheme import SCHEMES

    scheme = SCHEMES.get(options.quantize)
    return scheme is not None and (scheme.is_static or not scheme.rounds) and not options.quantize_rules


def _behind_quantization(target: Target) -> str:
    return f"{_lowering(target)}cse,dce"


def lower_quantized(module: Module, options: Options, target: Target, context: Context) -> None:
    """A module as quantization leaves it to the ops of a target, in place, as a conversion does.  Raises
    ConversionError.
    """
    passes = f"{_behind_quantization(target)},{target.pipeline(options.of_target(target))}"
    run(module, passes, instruments(options, DiagnosticEngine(), context), context)


def _lowering(target: Target) -> str:
    """Ops between quantized tensors as those that a target has over integers."""
    ops = f"{{{target.quantized_ops}}}" if target.quantized_ops else ""
    return f"quant-lower{ops}," if target.computes_quantized else ""


def _relocation(options: Options) -> list[str]:
    """Places as they are to be written."""
    if options.strip_locations:
        return ["relocate{strip=true}"]
    return [f"relocate{{path-map={json.dumps(json.dumps(options.path_map))}}}"] if options.path_map else []


def instruments(
    options: Options, engine: DiagnosticEngine, context: Context | None = None, emit: OnStage | None = None
) -> Instruments:
    """What the options ask to watch."""
    dumps = Dumps(options.dump_ir, options.files) if options.dump_ir else None
    context = context or context_of(options.plugins)
    found = PassContext(engine, rules=context.rules, dialects=context.dialects, kernels=context.kernels)
    plugins = tuple(f"{plugin.name} {plugin.version}" for plugin in context.plugins)
    watch = Instruments(options.verify_each, options.print_ir_after, emit=emit, context=found, plugins=plugins)
    if dumps is not None:
        watch.dump, watch.keep = dumps.write, dumps.keep
    return watch


def run(module: Module, passes: str, watch: Instruments, context: Context) -> None:
    """Run passes in pipeline syntax."""
    run_pipeline(module, parse_pipeline(passes, context.passes), watch)


def lower(
    module: Module,
    options: Options,
    engine: DiagnosticEngine,
    target: Target,
    context: Context | None = None,
    quantize: Callable[[Module], object] | None = None,
) -> None:
    """Core ops to those of a target, in place, all passes but that on the form of inputs, which are what they are.
    quantize: does what the options ask for, where it is to be done.  Raises ConversionError with everything that was
    found.
    """
    options = replace(options, layouts={}, means={}, stds={}, input_types={})
    context = context or context_of(options.plugins)
    before = clone_module(module)
    watch = instruments(options, engine, context)
    watch.original = lambda: clone_module(before)
    parts = parts_of(module, options, target, context)
    passes = parse_pipeline(str(parts), context.passes)
    watch.context.quantize = quantize
    wanted = quantize is not None
    items = [item for item in passes if not item.reads_weights or (wanted and item.name == "quantize")]
    run_pipeline(module, items, watch)


def claim_dumps(passes: Sequence[Pass], options: Options, files: RunFiles) -> None:
    """Note the files of IR that passes will write.  Raises ConversionError OutputNotWritable."""
    for number, item in enumerate(passes if options.dump_ir else ()):
        files.write(os.path.join(options.dump_ir, dump_name(number, item)), DUMP)
    if options.dump_ir:
        files.write(os.path.join(options.dump_ir, CONSTANTS), DUMP)
