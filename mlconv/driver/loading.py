"""Model files to modules of core ops."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy.typing as npt

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine, naming
from mlconv.driver.context import Context, context_of
from mlconv.driver.files import files_of
from mlconv.driver.options import OF_MODELS, Options, check_keywords
from mlconv.importers.format import LoadRequest
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.module import Module, clone_module
from mlconv.ir.size_facts import SizeFacts
from mlconv.passes.pipeline import Instruments

if TYPE_CHECKING:
    from mlconv.driver.keywords import LoadOptions
    from mlconv.importers.in_memory import Written


def import_model(path: str, options: Options, engine: DiagnosticEngine, context: Context | None = None) -> LoadedModel:
    """Read a model file into source-level ops.

    Problems that need not end the run at once go to the engine: `to_core` ends it, with what it finds besides.
    Functions carry the ranges of their symbolic sizes, where some were given, as facts about its sizes.
    """
    engine.model = path
    found = files_of(path)
    with naming(path):
        options.reads(found)
        try:
            loaded, options = _read_with_bounds(
                path, options, engine, context or context_of(options.plugins, paths=[path])
            )
        except ConversionError as error:
            if error.diagnostics or not engine.has_errors:
                raise
            engine.error(error)  # what ends the import is told beside what was found before
            raise ConversionError.of(engine.explained()) from error
        options.reads(loaded.files)
    loaded.files = (*found, *loaded.files)
    ranges = options.ranges()
    for function in loaded.functions if ranges else ():
        function.facts.where = SizeFacts(ranges)
    return loaded


def _read_with_bounds(
    path: str, options: Options, engine: DiagnosticEngine, context: Context
) -> tuple[LoadedModel, Options]:
    """Shapes of values that are no inputs say how large these may be; functions carry that as facts, and the options
    that are returned have it no longer.
    """
    try:
        return _read(path, options, engine, context), options
    except ConversionError as error:
        told = {name: most for name, shape in options.shapes.items() if (most := options.most(shape)) is not None}
        if error.code is not Code.NameNotFound or not told:
            raise
        others = {name: shape for name, shape in options.shapes.items() if name not in told}
        rough = _read(path, replace(options, shapes=others), DiagnosticEngine(), context)
        inputs = {_bare(name) for function in rough.functions for name in function.input_names}
        values = {_bare(v.name) for op in rough.walk() for v in op.results}
        bounds = {n: most for name, most in told.items() if (n := _bare(name)) in values - inputs}
        if not bounds:
            raise
    options = replace(options, shapes={n: s for n, s in options.shapes.items() if _bare(n) not in bounds})
    loaded = _read(path, options, engine, context)
    for function in loaded.functions:
        function.facts.most = bounds
    return loaded, options


def import_to_look(path: str, options: Options, context: Context) -> LoadedModel:
    """Read a model file into source-level ops that are looked at and not converted: of a file whose signatures have to
    be chosen from, all are read.  Raises ConversionError, with everything that was found.
    """
    engine = DiagnosticEngine()
    try:
        loaded = import_model(path, options, engine, context)
    except ConversionError as error:
        named = options.signature is not None or options.inputs or options.outputs or options.shapes
        if error.code is not Code.NameNotFound or named or "signature" not in context.format_of(path).takes:
            raise
        engine = DiagnosticEngine()
        loaded = import_model(path, replace(options, signature="*"), engine, context)
    engine.raise_errors()
    return loaded


def _bare(name: str) -> str:
    return name.removesuffix(":0")


def _read(path: str, options: Options, engine: DiagnosticEngine, context: Context) -> LoadedModel:
    form = context.format_of(path)
    options.check_plain(f"{path}, which is a {form.name} file", form.takes)
    request = LoadRequest(
        engine,
        context.dialects,
        options.inputs,
        options.outputs,
        options.plain_shapes(),
        options.signature,
        options.tags,
        options.imports,
        options.unsafe_keras,
        options.linked_data,
        keep_node_defs=bool(options.target.get("allow_select_ops")),
        opened=options.reads,
    )
    if request.inputs or request.outputs:
        from mlconv.driver.cutting import load_cut

        loaded = load_cut(form, path, request, lambda module: to_core(module, DiagnosticEngine(), None, context))
    else:
        loaded = form.load(path, request)
    if options.freeze:
        from mlconv.driver.freezing import frozen

        loaded.frozen = frozen(loaded.module, options.freeze)
    return loaded


def to_core(
    module: Module,
    engine: DiagnosticEngine,
    options: Options | None = None,
    context: Context | None = None,
    watch: Instruments | None = None,
) -> None:
    """Legalize source ops to core, in place; raises with everything that was found when something cannot be."""
    from mlconv.diagnostics.hints import how_to_record
    from mlconv.driver.pipeline import instruments, run, source_pipeline

    engine.no_lines = how_to_record(module.source)
    options = options or Options()
    context = context or context_of(options.plugins)
    if watch is None:
        watch = instruments(options, engine, context)
        watch.original = lambda: import_model(engine.model, options, DiagnosticEngine(), context).module
    run(module, source_pipeline(module, options, context), watch, context)


Model: TypeAlias = object
"""A path, a loaded model, a module, or what `importers/in_memory` makes a file of."""


def held_as_file(model: Model, args: Sequence[object]) -> Written | None:
    """The file of a model that the program holds; None for what is one, or was read already.  Raises ConversionError
    UsageError, PackageMissing.
    """
    if not isinstance(model, (str, os.PathLike, LoadedModel, Module)):
        from mlconv.importers.in_memory import written

        return written(model, args)
    if args:
        raise ConversionError(Code.UsageError, "args are those of a function or a torch module, not of a file")
    return None


def load(
    model: Model,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    signature: str | None = None,
    args: Sequence[object] = (),
    **options: Unpack[LoadOptions],
) -> LoadedModel:
    """A model file, or a model that the program holds (see `convert`), in core ops.

    inputs, outputs: names that cut the graph.  signature: key of a signature.  Raises ConversionError.
    """
    check_keywords("load", options, {*OF_MODELS, "plugins"})
    held = held_as_file(model, args)
    if held is not None:
        loaded = load(held.path, inputs, outputs, signature, **options)
        loaded.resources = (*loaded.resources, held.folder)
        return loaded
    if not isinstance(model, (str, os.PathLike)):
        raise ConversionError(Code.UsageError, "the model is loaded already")
    path = os.fspath(model)
    given: dict[str, Any] = {"inputs": inputs or (), "outputs": outputs or (), "signature": signature, **options}
    context = context_of(options.get("plugins", ()), paths=[path])
    return in_core(path, Options().with_settings(given, context), context)


def in_core(path: str, settings: Options, context: Context) -> LoadedModel:
    """A model file in core ops; one whose shapes or axes are inputs is legalized anew for each run.  Raises
    ConversionError.
    """
    engine = DiagnosticEngine()
    loaded = import_model(path, settings, engine, context)
    try:
        to_core(loaded.module, engine, context=context)
    except ConversionError as error:
        if any(d.code is not Code.ShapeNotStatic for d in error.diagnostics or (error.diagnostic,)):
            raise
        return _for_values(path, settings, context)
    return loaded


def _for_values(path: str, settings: Options, context: Context) -> LoadedModel:
    """A model whose shapes or axes are inputs: it stays at source level, and is legalized anew for the values of each
    run.
    """
    source = import_model(path, settings, DiagnosticEngine(), context)

    def for_inputs(inputs: Mapping[str, npt.ArrayLike]) -> Module:
        from mlconv.interp.bind import bind_parameters

        module = clone_module(source.module)
        bind_parameters(module.main, inputs)
        to_core(module, DiagnosticEngine(), context=context)
        return module

    source.by_values = for_inputs
    return source


def check_whole(loaded: LoadedModel) -> None:
    """Raises ConversionError TextNotUnderstood for IR text that was printed without its large constants."""
    if loaded.source.get("elided"):
        raise ConversionError(
            Code.TextNotUnderstood,
            "the data of large constants were left out when this IR was printed: it can be looked at and taken through "
            "passes, and nothing else",
            help="make the text anew from the model, with mlconv opt",
        )
