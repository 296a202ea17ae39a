"""Running models and IR files from the command line."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from mlconv import driver
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.module import Module
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from mlconv.options import Options
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.verify import random_inputs


def run_model(path: str, inputs_file: str | None, output: str | None, seed: int, options: Options) -> dict[str, Any]:
    """Run a model on the reference interpreter with arrays of an .npz, or with random inputs; outputs go to `output` when given."""
    module = load_any(path, options)
    inputs = random_inputs(module.main, seed) if inputs_file is None else _read_npz(inputs_file)
    outputs = module.run(inputs)
    if output is not None:
        np.savez(output, **outputs)
    return outputs


def _read_npz(path: str) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as z:
            return {k: z[k] for k in z.files}
    except (OSError, ValueError) as e:
        raise ConversionError(Code.MLC0001, f"{path} is not a readable .npz: {e}") from e


def load_any(path: str, options: Options) -> Module:
    """A model file, or IR text (`.mlir`), as a module."""
    if os.path.splitext(path)[1] == ".mlir":
        try:
            with open(path, encoding="utf-8") as f:
                return parse_module(f.read(), core.BY_NAME.get)
        except OSError as e:
            raise ConversionError(Code.MLC0001, f"{path}: {e.strerror}") from e
    engine = DiagnosticEngine()
    module = driver.import_model(path, options, engine)
    engine.raise_errors()
    driver.to_core(module, engine)
    return module


def optimize_text(path: str, pipeline: str, locations: bool, verify_each: bool, options: Options) -> tuple[str, dict[str, float]]:
    """IR after a pipeline, as text, and seconds by pass."""
    module = load_any(path, options)
    watch = Instruments(verify_each=verify_each)
    run_pipeline(module, parse_pipeline(pipeline), watch)
    return print_module(module, locations), watch.timings
