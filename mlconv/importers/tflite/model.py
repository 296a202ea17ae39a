"""A TFLite file to a module: a function for each signature.

Subgraphs that are called stand where they are called; branches and loops keep theirs as regions.  Variables that some
signature assigns are variables of core; others, and tables, are what CALL_ONCE gives them.
Source: tensorflow/compiler/mlir/lite/schema/schema.fbs; core/interpreter_builder.cc, core/subgraph.cc.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError, Diagnostic, Severity
from mlconv.diagnostics.hints import did_you_mean
from mlconv.formats.flatbuffer import FlatReader, Table
from mlconv.formats.size_names import ENTRY as SIZES_ENTRY
from mlconv.formats.size_names import unpacked
from mlconv.importers.format import LoadRequest
from mlconv.importers.pinned import check_pinned, no_input
from mlconv.importers.tflite.graph import GraphReader, NodeOf, Source
from mlconv.importers.tflite.locations import ENTRY, read_debug_locations
from mlconv.importers.tflite.opening import opened
from mlconv.importers.tflite.operators import read_codes
from mlconv.importers.tflite.subgraphs import COMPUTATIONS, SPECIAL
from mlconv.importers.tflite.tensors import Tensors, read_buffers
from mlconv.importers.value_names import distinct
from mlconv.ir.constants import SourceFile
from mlconv.ir.core import Yield
from mlconv.ir.dims import Dim, Size
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation

_VERSION = 3
_NO_NAMES = ("", "?")


class Signature(NamedTuple):
    """key: empty where the file has none.  inputs, outputs: names by tensor."""

    key: str
    graph: int
    inputs: dict[int, str]
    outputs: dict[int, str]


def read_model(path: str, request: LoadRequest, node_of: NodeOf) -> Module:
    """node_of: what a serialized NodeDef says, of a Select operator.

    Raises ConversionError InputNotReadable, FileDamaged, NameNotFound and what is wrong with tensors and operators.
    """
    with opened(path) as file:
        return _read(path, file, request, node_of)


def _read(path: str, file: SourceFile, request: LoadRequest, node_of: NodeOf) -> Module:
    reader = FlatReader(file.map())
    root = reader.root()
    version = reader.scalar(root, 0)
    if version != _VERSION:
        raise ConversionError(
            Code.VersionUnsupported,
            f"{path} is of version {version} of the TFLite schema, which is {_VERSION}: invalid?",
        )
    buffers = read_buffers(reader, root)
    graphs = reader.tables(root, 2)
    if not graphs:
        raise ConversionError(Code.FileDamaged, f"{path} is invalid: it has no subgraphs")
    tensors = [Tensors(reader, file, graph, buffers) for graph in graphs]
    entries = _entries(reader, root, buffers)
    debug = read_debug_locations(entries[ENTRY]) if ENTRY in entries else None
    named = unpacked(entries.get(SIZES_ENTRY, b""))
    source = Source(reader, read_codes(reader, root), graphs, tensors, debug, SPECIAL, COMPUTATIONS, node_of)
    signatures = _chosen(_signatures(reader, root, source), request)
    given = dict(request.shapes)
    functions = [_function(source, s, i, given, named.get(s.key, {})) for i, s in enumerate(signatures)]
    known = [name for f in functions for name in f.input_names]
    tensor_names = {tensors[s.graph][t].name for s in signatures for t in reader.ints(graphs[s.graph], 1)}
    answered = {n for name in (*known, *tensor_names) for n in (name, f"{name}:0", name.removesuffix(":0"))}
    unknown = [name for name in given if name not in answered]
    if unknown:
        raise no_input(unknown[0], known)
    return Module(functions, {"path": path, "format": "tflite", "producer": reader.text(root, 3)})


def _entries(reader: FlatReader, root: Table, buffers: Sequence[tuple[int, int]]) -> dict[str, bytes]:
    """The contents of the metadata that are looked into."""
    found = dict[str, bytes]()
    for entry in reader.tables(root, 6):
        name, at = reader.text(entry, 0), reader.scalar(entry, 1)
        if name in (ENTRY, SIZES_ENTRY) and at < len(buffers):
            position, size = buffers[at]
            found[name] = reader.data[position : position + size]
    return found


def _signatures(reader: FlatReader, root: Table, source: Source) -> list[Signature]:
    """Those of the file; the first subgraph where it has none."""
    found = []
    for entry in reader.tables(root, 7):
        graph = reader.scalar(entry, 4)
        if graph >= len(source.graphs):
            raise ConversionError(Code.FileDamaged, f"a signature is subgraph {graph} of {len(source.graphs)}: invalid")
        names = [
            {reader.scalar(part, 1): reader.text(part, 0) for part in reader.tables(entry, slot)} for slot in (0, 1)
        ]
        found.append(Signature(reader.text(entry, 2), graph, *names))
    return found or [Signature("", 0, {}, {})]


def _chosen(signatures: list[Signature], request: LoadRequest) -> list[Signature]:
    """Those that are asked for (`*`: all); else the one that an interpreter runs first, and a note of the others."""
    by_key = {s.key: s for s in signatures}
    if request.signature is None:
        first = min(signatures, key=lambda s: s.graph)
        if len(by_key) > 1:
            others = ", ".join(key for key in by_key if key != first.key)
            message = f"the file has several signatures: {first.key} is read, {others} not"
            request.engine.add(
                Diagnostic(Code.VariantUnsupported, message, Severity.NOTE, help="--signature '*' reads all of them")
            )
        return [first]
    if request.signature == "*":
        return signatures
    wanted = request.signature.split(",")
    missing = [key for key in wanted if key not in by_key]
    if missing:
        keys = [key for key in by_key if key]
        listed = f"it has {', '.join(keys)}" if keys else "it has none: leave --signature out"
        help = did_you_mean(missing[0], keys) or listed
        raise ConversionError(Code.NameNotFound, f"the file has no signature {missing[0]!r}", help=help)
    return [by_key[key] for key in wanted]


def _function(
    source: Source,
    signature: Signature,
    i: int,
    shapes: dict[str, Sequence[int | str]],
    named: Mapping[str, Sequence[str | None]],
) -> Function:
    """named: open sizes of inputs that have names."""
    tensors, graph = source.tensors[signature.graph], source.graphs[signature.graph]
    inputs, outputs = source.reader.ints(graph, 1), source.reader.ints(graph, 2)
    if not outputs:
        raise ConversionError(Code.NoOutputs, f"subgraph {signature.graph} has no outputs")
    names = distinct([signature.inputs.get(t) or tensors[t].name or f"input_{k}" for k, t in enumerate(inputs)])
    types = [
        _input_type(tensors[t].type, name, _given(shapes, name, tensors[t].name), named.get(name, ()))
        for t, name in zip(inputs, names, strict=True)
    ]
    location = NameLocation(signature.key or source.reader.text(graph, 4) or "main")
    function = Function.create("main" if i == 0 else f"signature_{i}", types, names, location)
    function.signature = signature.key or "serving_default"
    reading = GraphReader(source, signature.graph, function.block)
    for t, value in zip(inputs, function.inputs, strict=True):
        reading.values[t] = value
    reading.read()
    function.output_names = distinct(
        [signature.outputs.get(t) or tensors[t].name or f"output_{k}" for k, t in enumerate(outputs)]
    )
    function.block.insert(Yield([reading.value(t) for t in outputs], location))
    function.facts.variables = reading.run.used
    return function


def _given(shapes: Mapping[str, Sequence[int | str]], *names: str) -> Sequence[int | str] | None:
    """The shape of an input that is known by several names."""
    return next(
        (shapes[n] for name in names for n in (name, f"{name}:0", name.removesuffix(":0")) if n in shapes), None
    )


def _input_type(
    declared: TensorType | None, name: str, given: Sequence[int | str] | None, named: Sequence[str | None]
) -> TensorType:
    """Open sizes are symbols, by their names or named after the input and the axis; a shape that is given replaces the
    file's.
    """
    if declared is None or declared.shape is None:
        raise ConversionError(Code.ElementTypeUnsupported, f"the input {name} is a resource, not a tensor")
    own = named if len(named) == len(declared.shape) else [None] * len(declared.shape)
    sizes: list[Size] = [
        d if isinstance(d, int) else Dim.symbol(f"{name}_{i}" if size in _NO_NAMES or size is None else size)
        for i, (d, size) in enumerate(zip(declared.shape, own, strict=True))
    ]
    if given is not None:
        check_pinned(name, given, [d if isinstance(d, int) else None for d in declared.shape])
        sizes = [
            Dim.symbol(s) if isinstance(s, str) else old if s < 0 else s for s, old in zip(given, sizes, strict=True)
        ]
    return declared.with_shape(tuple(sizes))
