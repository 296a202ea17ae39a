"""Models as native code in this process: compiled for this machine only, into a folder that is gone once the code is
loaded.
"""

from __future__ import annotations

import os
import tempfile
from typing import NamedTuple

from mlconv.codegen.kernels.kind import KINDS, Kinds
from mlconv.codegen.program.compile import host_cpu
from mlconv.codegen.progress import Compiling
from mlconv.codegen.settings import Settings
from mlconv.diagnostics import DiagnosticEngine
from mlconv.driver.context import Context, context_of
from mlconv.driver.options import Options
from mlconv.driver.pipeline import lower, lower_quantized
from mlconv.exporters.native.export import export
from mlconv.exporters.native.target import TARGET as NATIVE
from mlconv.exporters.native.target import NativeOptions, tuned_choices
from mlconv.ir.module import Module, clone_module
from mlconv.runtime.native import NativeModel, load_native
from mlconv.runtime.programs import OBJECT
from mlconv.runtime.variables import Variables


class InProcess(NamedTuple):
    """model: to be called.  kernels: the module of kernel calls that it was made of.  kinds: of these."""

    model: NativeModel
    kernels: Module
    kinds: Kinds


def compiled(
    module: Module,
    options: Options,
    threads: int = 1,
    stamps: bool = False,
    context: Context | None = None,
    quantized: bool = False,
    runs: int = 0,
    progress: Compiling | None = None,
) -> InProcess:
    """Compile a module of core ops.  stamps: kernels and threads record times.  quantized: it is as quantization leaves
    it, and becomes what a conversion makes of it.  runs: how often it will run, at most, where that is known.
    progress: is told how far the object is.  Raises ConversionError with everything that has no native form.
    """
    with tempfile.TemporaryDirectory(prefix="mlconv-") as folder:
        path = os.path.join(folder, OBJECT)
        own = context or context_of(options.plugins)
        kernels, kinds = compile_to(path, module, options, own, stamps, quantized, threads == 1, runs, progress)
        model = load_native(path, threads, traced=stamps)
        model.variables = Variables.of_function(kernels.main)
        return InProcess(model, kernels, kinds)


def compile_to(
    path: str,
    module: Module,
    options: Options,
    context: Context,
    stamps: bool = False,
    quantized: bool = False,
    serial: bool = False,
    runs: int = 0,
    progress: Compiling | None = None,
) -> tuple[Module, Kinds]:
    """Compile a module of core ops to an object with what belongs beside it; returns the kernel calls that it is made
    of, and their kinds.  serial: one thread runs it.  runs, progress: as for `compiled`.
    """
    kernels = clone_module(module)
    if quantized:
        lower_quantized(kernels, options, NATIVE, context)
    else:
        lower(kernels, options, DiagnosticEngine(), NATIVE, context)
    kinds = {**KINDS, **context.kernels}
    own: NativeOptions = options.of_target(NATIVE)
    settings = Settings(
        cpu=own.cpu or host_cpu(),
        separate_weights=True,
        stamps=stamps,
        choices=tuned_choices(kernels, own, kinds),
        kinds=kinds,
        here=True,
        serial=serial,
        runs=runs,
        progress=progress or Compiling(),
    )
    export(kernels, path, settings)
    return kernels, kinds
