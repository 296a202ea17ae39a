"""The pipeline of a conversion, from the ops of a file to those of a target, and how it is run and watched."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.driver.context import BUILT_IN, Context
from mlconv.driver.options import Options
from mlconv.exporters.target import Target
from mlconv.ir.module import Module
from mlconv.passes.base import PassContext
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline

OnStage = Callable[[str], None]
DUMP = "the IR after a pass"
_KEPT = ("allow_custom_ops", "allow_select_ops")


def source_pipeline(module: Module, options: Options, context: Context) -> str:
    """Source ops to core.  module: as a file has it."""
    form = context.formats[str(module.source["format"])]
    asked = [f"{name.replace('_', '-')}=true" for name in _KEPT if form.keeps_ops and options.target.get(name)]
    return form.legalization + (f"{{{','.join(asked)}}}" if asked else "")


def standard_pipeline(options: Options, target: Target) -> str:
    """The passes on core, in pipeline syntax."""
    fold = f"fold{{limit={options.fold_limit}}}"
    asked = options.io_layout == "nhwc"
    layout = ",layout,io-layout" if asked else "" if target.takes_any_layout else ",layout"
    state = "" if target.keeps_variables else "state,"
    clean = f"canonicalize,{fold}"
    folded = f"{clean},loops,unroll,canonicalize,cse,fold-batch-norm{layout}"
    return f"{state}{folded},{clean},fold-batch-norm,canonicalize,cse,dce"


def target_pipeline(options: Options, target: Target) -> str:
    """Core ops to those of a target, with places as they are to be written."""
    lowering = target.pipeline(options.of_target(target))
    if options.strip_locations:
        return f"{lowering},relocate{{strip=true}}"
    if options.path_map:
        return f"{lowering},relocate{{path-map={json.dumps(json.dumps(options.path_map))}}}"
    return lowering


def instruments(
    options: Options,
    engine: DiagnosticEngine,
    emit: OnStage | None = None,
    original: Callable[[], Module] | None = None,
) -> Instruments:
    """What the options ask to watch.  original: makes the module that the pipeline is given again."""
    dump = partial(_dump, options) if options.dump_ir else None
    context = PassContext(engine)
    return Instruments(options.verify_each, options.print_ir_after, dump, emit, original, context)


def run(module: Module, passes: str, watch: Instruments, context: Context) -> None:
    """Run passes in pipeline syntax."""
    run_pipeline(module, parse_pipeline(passes, context.passes), watch)


def lower(
    module: Module, options: Options, engine: DiagnosticEngine, target: Target, context: Context = BUILT_IN
) -> None:
    """Core ops to those of a target, in place, all passes.  Raises ConversionError with everything that was found."""
    watch = instruments(options, engine)
    run(module, f"{standard_pipeline(options, target)},{target_pipeline(options, target)}", watch, context)


def _dump(options: Options, name: str, text: str) -> None:
    """Write IR into the folder that was asked for.  Raises ConversionError MLC0007."""
    from mlconv.formats.atomic import write_text

    try:
        os.makedirs(options.dump_ir, exist_ok=True)
    except (OSError, ValueError) as e:
        raise ConversionError(
            Code.OutputNotWritable, f"cannot write IR into {options.dump_ir}: {getattr(e, 'strerror', None) or e}"
        ) from e
    write_text(os.path.join(options.dump_ir, name), text, options.files, DUMP)
