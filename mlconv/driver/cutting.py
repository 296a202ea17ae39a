"""Models cut at names that the user gives: what importers know by themselves, and everything else that reports name.

Types and shapes of the values that become inputs are found by legalizing what stands before them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine, Severity
from mlconv.importers.cut_points import LISTED, bare, cut_function, find_cut
from mlconv.importers.format import LoadRequest, SourceFormat
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module, clone_module
from mlconv.ir.types import TensorType, Type

ToCore = Callable[[Module], None]
Shapes = Mapping[str, Sequence[int | str]]
# what an importer says of a name that it does not know, whose type it does not find, or that is in a loop
_ASKS = (Code.NameNotFound, Code.ElementTypeUnsupported, Code.ControlFlowUnstructured)


def load_cut(form: SourceFormat, path: str, request: LoadRequest, to_core: ToCore) -> LoadedModel:
    """A model between names.  to_core: legalizes a module.  Raises ConversionError NameNotFound, ElementTypeUnsupported
    for inputs whose type nothing tells, and what loading raises.
    """
    named = {bare(name) for name in request.inputs}
    engine = DiagnosticEngine(model=request.engine.model)
    try:
        loaded = form.load(path, replace(request, engine=engine))
    except ConversionError as error:
        if error.code not in _ASKS or error.diagnostics:
            raise
        return _by_values(form, path, request, to_core, error)
    wrong = next((d for d in engine.diagnostics if d.severity is Severity.ERROR), None)
    given = {bare(name) for name in loaded.main.output_names}
    ignored = not (named <= {bare(v.name) for v in loaded.main.inputs} and {bare(n) for n in request.outputs} <= given)
    if (wrong is None and ignored) or (wrong is not None and wrong.code in _ASKS):
        return _by_values(form, path, request, to_core, ConversionError.of([wrong]) if wrong is not None else None)
    for diagnostic in engine.diagnostics:
        request.engine.add(diagnostic)
    unknown = [v for v in loaded.main.inputs if bare(v.name) in named and not _is_known(v.type)]
    if unknown and wrong is None:
        _complete(form, path, request, unknown, to_core)
    return loaded


def _is_known(type_: Type) -> bool:
    """Element type and rank are known."""
    return not isinstance(type_, TensorType) or (type_.shape is not None and type_.dtype is not DType.UNKNOWN)


def _complete(form: SourceFormat, path: str, request: LoadRequest, unknown: Sequence[Value], to_core: ToCore) -> None:
    """Inputs whose rank the importer does not know take what the part before them says."""
    from mlconv.rewrite import edit

    names = [v.name for v in unknown]
    engine = DiagnosticEngine()
    try:
        part = form.load(path, replace(request, inputs=(), outputs=names, shapes={}, engine=engine))
    except ConversionError:
        return  # it stays unknown, which whoever needs it says
    types = _types_of(part.module, names, to_core)
    for value in unknown:
        if value.name in types:
            edit.retype(value, types[value.name])


def _types_of(module: Module, names: Sequence[str], to_core: ToCore) -> dict[str, Type]:
    """Types of the outputs of a part of a model, by other names in order; none where it has no form in core."""
    try:
        to_core(module)
    except ConversionError:
        return {}
    return {n: v.type for n, v in zip(names, module.main.outputs, strict=True) if _is_known(v.type)}


def _by_values(
    form: SourceFormat, path: str, request: LoadRequest, to_core: ToCore, problem: ConversionError | None
) -> LoadedModel:
    """The whole model, cut at its values.  problem: what the importer says of the names."""
    named = {bare(n) for n in request.inputs}
    own = {bare(n): s for n, s in request.shapes.items() if bare(n) in named}
    others = {n: s for n, s in request.shapes.items() if bare(n) not in named}
    engine = DiagnosticEngine(model=request.engine.model)
    try:
        loaded = form.load(path, replace(request, inputs=(), outputs=(), shapes=others, engine=engine))
        engine.raise_errors()
    except ConversionError as error:
        raise (problem or error)  # noqa: B904  what is wrong with the rest does not matter to a part
    function = _function_with(loaded.module, request, problem)
    loaded.module.functions = [function]
    cut = find_cut(function, request.inputs, request.outputs)
    before = {n: v for n, v in cut.inputs.items() if v.producer is not None}
    types: dict[str, Type] = {}
    if before:
        part = clone_module(loaded.module)
        cut_function(part.main, find_cut(part.main, (), list(before)), {})
        types = _types_of(part, list(before), to_core)
    for name, value in cut.inputs.items():
        given, known = own.get(bare(name)), types.get(name, value.type)
        if given is not None:
            types[name] = _given_type(name, given, known)
        elif not _is_known(known):
            raise ConversionError(
                Code.ElementTypeUnsupported,
                f"the type of {name!r} is not known, for what stands before it has no form of its own",
                help=f"give its shape with --shape {name}=...",
            ) from problem
    cut_function(function, cut, types)
    return loaded


def _function_with(module: Module, request: LoadRequest, problem: ConversionError | None) -> Function:
    """The first function that has all names.  Raises ConversionError NameNotFound: as the main one does, or as the
    importer did, where that knows as much.
    """
    first: ConversionError | None = None
    for function in module.functions:
        try:
            find_cut(function, request.inputs, request.outputs)
        except ConversionError as error:
            first = first or error
        else:
            return function
    assert first is not None
    if problem is not None and problem.code is Code.NameNotFound:
        helps = problem.diagnostic.help, first.diagnostic.help
        first = problem if helps[0].startswith("did you mean") or helps[1] == LISTED else first
    raise first


def _given_type(name: str, given: Sequence[int | str], known: Type) -> Type:
    """Raises ConversionError ShapeMismatch for another rank or size than is known."""
    from mlconv.importers.pinned import check_pinned

    if not isinstance(known, TensorType):
        return known
    shape = known.shape
    check_pinned(name, given, shape)
    sizes: list[Size] = []
    for axis, size in enumerate(given):
        own = shape[axis] if shape is not None else Dim.symbol(f"{bare(name)}_{axis}")
        sizes.append(own if size == -1 else Dim.symbol(size) if isinstance(size, str) else size)
    return TensorType(DType.F32 if known.dtype is DType.UNKNOWN else known.dtype, tuple(sizes))
