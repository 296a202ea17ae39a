"""Running models and IR files from the command line."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mlconv import driver
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.dims import parse_dim, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from mlconv.ir.types import TensorType
from mlconv.native import NativeModel, load_native
from mlconv.options import Options
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.verify import drawn, drawn_size, random_inputs

BACKENDS = ("auto", "native", "reference")


class Ran(NamedTuple):
    """note: why the reference interpreter was taken, when it was not asked for."""

    outputs: dict[str, Any]
    note: str = ""


def run_model(path: str, inputs_file: str | None, output: str | None, seed: int, options: Options, backend: str = "auto", threads: int = 1) -> Ran:
    """Run a model with arrays of an .npz, or with random inputs; outputs go to `output` when given.

    path: a model file, IR text, or a native object.  backend: `native` code made for this machine, the `reference` interpreter, or `auto`: native code
    where there is some for all of the model.  Sizes that are not fixed are those of the inputs.
    """
    given = None if inputs_file is None else _read_npz(inputs_file)
    ran = _run_object(path, given, seed, threads) if path.endswith(".o") else _run(path, given, seed, options, backend, threads)
    if output is not None:
        np.savez(output, **ran.outputs)
    return ran


def _run_object(path: str, given: dict[str, Any] | None, seed: int, threads: int) -> Ran:
    model = load_native(path, threads)
    return Ran(model.run(_drawn_for(model, seed) if given is None else given))


def _drawn_for(model: NativeModel, seed: int) -> dict[str, Any]:
    """Random inputs of an object, by its contract; sizes that are known at run time are 2, or near it."""
    rng = np.random.default_rng(seed)
    sizes = {d: drawn_size(parse_dim(d), model.facts["ranges"]) for d in model.dimensions}
    shapes = {name: [d if isinstance(d, int) else substitute(d, sizes) for d in shape] for name, _, shape in model.inputs}
    out = {}
    for facts in model.facts["inputs"]:
        shape = [d for d in shapes[facts["name"]] if isinstance(d, int)]
        out[facts["name"]] = drawn(DType.from_numpy(facts["dtype"]), shape, rng)
    return out


def _run(path: str, given: dict[str, Any] | None, seed: int, options: Options, backend: str, threads: int) -> Ran:
    module = load_any(path, options)
    inputs = random_inputs(module.main, seed) if given is None else given
    if backend == "reference":
        return Ran(module.run(inputs))
    try:
        return Ran(_native(path, module, inputs, options, threads))
    except ConversionError as error:
        first = (*error.diagnostics, error.diagnostic)[0]
        if backend == "native" or not first.code.name.startswith(("MLC02", "MLC04")):
            raise
        return Ran(module.run(inputs), f"runs on the reference interpreter: {first.message}")


def _native(path: str, module: Module, inputs: dict[str, Any], options: Options, threads: int) -> dict[str, Any]:
    from mlconv.inprocess import compiled

    return compiled(pinned(path, module, inputs, options), options, threads).model.run(inputs)


def pinned(path: str, module: Module, inputs: dict[str, Any], options: Options) -> Module:
    """A model whose sizes are not fixed is read again with those of its inputs: code for fixed sizes is faster."""
    dynamic = [v.name for v in module.main.inputs if not (isinstance(v.type, TensorType) and v.type.is_static)]
    if not dynamic or path.endswith(".mlir"):
        return module
    return load_any(path, replace(options, shapes={**options.shapes, **{n: np.shape(inputs[n]) for n in dynamic if n in inputs}}))


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
