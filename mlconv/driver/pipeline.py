"""The passes between legalization and a target."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.driver.options import Options
from mlconv.ir.module import Module

OnStage = Callable[[str], None]
DUMP = "the IR after a pass"


def native_kernels(module: Module, options: Options, engine: DiagnosticEngine) -> None:
    """A module of core ops to kernel calls, in place, as for a native object.  Raises ConversionError with everything
    that was found.
    """
    from mlconv.legalize.to_kernel.driver import legalize

    optimize(module, options, target="native")
    legalize(module, engine, options.winograd == "auto")
    engine.raise_errors()


def standard_pipeline(options: Options, target: str = "tflite") -> str:
    """The passes between legalization and a target, in pipeline syntax.

    HLO takes any layout, so none is assigned for it unless it is asked for.  TFLite keeps variables, of other targets
    they are inputs and outputs.
    """
    fold = f"fold{{limit={options.fold_limit}}}"
    layout = ",layout,io-layout" if options.io_layout == "nhwc" else "" if target in ("hlo", "stablehlo") else ",layout"
    state = "" if target == "tflite" else "state,"
    clean = f"canonicalize,{fold}"
    folded = f"{clean},loops,unroll,canonicalize,cse,fold-batch-norm{layout}"
    return f"{state}{folded},{clean},fold-batch-norm,canonicalize,cse,dce"


def optimize(module: Module, options: Options, emit: OnStage | None = None, target: str = "tflite") -> dict[str, float]:
    """Run the standard pipeline in place; returns seconds by pass."""
    from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline

    watch = Instruments(
        options.verify_each, options.print_ir_after, partial(_dump, options) if options.dump_ir else None, emit
    )
    run_pipeline(module, parse_pipeline(standard_pipeline(options, target)), watch)
    return watch.timings


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
