"""Model files to modules of core ops."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import islice
from typing import Any

from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine, Severity, naming
from mlconv.driver.options import Options
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.types import TensorType


def import_model(path: str, options: Options, engine: DiagnosticEngine) -> Module:
    """Read a model file into source-level ops.

    Problems that need not end the run at once go to the engine: `to_core` ends it, with what it finds besides.
    Functions carry the ranges of their symbolic sizes, where some were given, as facts about its sizes.
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
        function.facts.where = SizeFacts(ranges)
    return module


_CUT = frozenset({"inputs", "outputs", "shapes"})
_TAKEN = {
    "onnx": _CUT | {"linked_data"},
    "graphdef": _CUT,
    "saved_model": _CUT | {"signature", "tags"},
    "keras": _CUT | {"signature", "tags", "imports", "unsafe_keras"},
}
"""By format: options that say how to read a model, and apply to it.  An HLO module is as it is."""


def _read(path: str, options: Options, engine: DiagnosticEngine) -> Module:
    from mlconv.importers.sniff import sniff

    kind = sniff(path)
    options.check_plain(
        f"{path}, which is a {kind.removesuffix('_text')} file", _TAKEN.get(kind.removesuffix("_text"), ())
    )
    if kind in ("onnx", "onnx_text"):
        from mlconv.importers import onnx

        shapes = options.plain_shapes()
        return onnx.load(
            path, options.inputs, options.outputs, shapes, engine, linked_data=options.linked_data, opened=options.reads
        )
    if kind in ("graphdef", "graphdef_text"):
        from mlconv.importers import tf

        return tf.load(
            path,
            options.inputs,
            options.outputs,
            options.plain_shapes(),
            engine,
            keep_node_defs=options.allow_select_ops,
        )
    if kind == "saved_model":
        from mlconv.importers import tf

        cut = (options.inputs, options.outputs, options.plain_shapes())
        return tf.load_saved_model(
            path, *cut, options.signature, options.tags or None, engine, keep_node_defs=options.allow_select_ops
        )
    if kind == "hlo":
        from mlconv.importers import hlo

        options.reads([f"{path}.json", f"{path}.safetensors"])
        return hlo.load(path)
    if kind == "keras":
        options.reads(name.replace(".", os.sep) + ".py" for name in options.imports)
        return import_keras(path, options, engine)
    raise ConversionError(Code.FormatUnknown, f"{path} is a {kind} file, which cannot be converted yet")


def import_keras(path: str, options: Options, engine: DiagnosticEngine) -> Module:
    """Read a Keras file by way of a SavedModel that a process of its own writes."""
    from mlconv.importers.keras import to_saved_model

    engine.add(
        Diagnostic(
            Code.VariantUnsupported,
            f"{os.path.basename(path)} is a Keras file: loaded with "
            f"your Keras in a separate process, which takes some seconds",
            Severity.NOTE,
        )
    )
    folder = to_saved_model(path, options.imports, options.unsafe_keras)
    module = _read(folder.name, replace(options, imports=(), unsafe_keras=False), engine)
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


def load(
    path: str | os.PathLike[str], inputs: Any = None, outputs: Any = None, signature: str | None = None, **options: Any
) -> Module:
    """A model file as a module of core ops.

    inputs, outputs: names that cut the graph.  signature: key of a signature.  Raises ConversionError.
    """
    engine = DiagnosticEngine()
    settings = Options(inputs=tuple(inputs or ()), outputs=tuple(outputs or ()), signature=signature, **options)
    module = import_model(os.fspath(path), settings, engine)
    try:
        to_core(module, engine)
    except ConversionError as error:
        if any(d.code is not Code.ShapeNotStatic for d in error.diagnostics or (error.diagnostic,)):
            raise
        return _for_values(os.fspath(path), settings)
    return module


def _for_values(path: str, settings: Options) -> Module:
    """A model whose shapes or axes are inputs: it stays at source level, and is legalized anew for the values of each
    run.
    """
    source = import_model(path, settings, DiagnosticEngine())

    def for_inputs(inputs: dict[str, Any]) -> Module:
        from mlconv.interp.bind import bind_parameters

        module = clone_module(source)
        bind_parameters(module.main, inputs)
        to_core(module, DiagnosticEngine())
        return module

    source.by_values = for_inputs
    return source


def files_of(path: str) -> list[str]:
    """The files that a path stands for: itself, all files of a SavedModel, those right in another folder (of
    arrays).
    """
    if not os.path.isdir(path):
        return [path]
    walked = os.walk(path)
    if any(os.path.exists(os.path.join(path, f"saved_model.{suffix}")) for suffix in ("pb", "pbtxt")):
        return [os.path.join(folder, name) for folder, _, names in walked for name in names]
    return [os.path.join(path, name) for _, _, names in islice(walked, 1) for name in names]


def type_facts(value: Value) -> dict[str, Any]:
    """dtype and shape of a value, for reports; a symbolic dimension is its expression."""
    t = value.type
    if not isinstance(t, TensorType):
        return {"dtype": str(t), "shape": None}
    return {
        "dtype": t.dtype.display,
        "shape": None if t.shape is None else [d if isinstance(d, int) else str(d) for d in t.shape],
    }
