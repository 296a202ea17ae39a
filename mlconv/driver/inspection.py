"""What is in a model file, without converting it: any op is accepted, weights stay unread."""

from __future__ import annotations

from typing import TypedDict

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.driver.context import Context, context_of
from mlconv.driver.loading import TypeFacts, import_model, to_core, type_facts
from mlconv.driver.options import Options
from mlconv.ir.constants import Const
from mlconv.ir.dims import Size
from mlconv.ir.module import Module, clone_module


class PortFacts(TypeFacts):
    """An input or an output."""

    name: str


class Inspection(TypedDict):
    """parameters: how many numbers the constants hold.  ops: how many of each kind."""

    path: str
    format: str
    producer: str
    source: dict[str, object]
    signatures: list[str]
    inputs: list[PortFacts]
    outputs: list[PortFacts]
    parameters: int
    parameter_bytes: int
    ops: dict[str, int]


class BufferFacts(TypedDict):
    """first, last: the calls that write it first and read it last.  op, node, line: what writes it."""

    offset: int | str
    size: int | str
    first: int
    last: int
    op: str
    node: str
    line: str


class MemoryFacts(TypedDict):
    """A size that is known at run time is its expression."""

    path: str
    arena_bytes: int | str
    weight_bytes: int
    buffers: list[BufferFacts]


def inspect_model(path: str, options: Options) -> Inspection:
    """Inputs, outputs, op counts and parameters of a model file, as plain data."""
    engine = DiagnosticEngine()
    context = context_of(options.plugins, paths=[path])
    module = import_model(path, options, engine, context).module
    engine.raise_errors()
    ops: dict[str, int] = {}
    parameters = nbytes = 0
    for op in module.walk():
        constants = [v for v in op.attributes.values() if isinstance(v, Const)]
        parameters += sum(c.size for c in constants)
        nbytes += sum(c.nbytes for c in constants)
        if not op.name.startswith(("mlconv.", "core.constant")):
            ops[op.name] = ops.get(op.name, 0) + 1
    inputs, outputs = _interface(module, context)
    return {
        "path": path,
        "format": module.source.get("format", ""),
        "producer": module.source.get("producer", ""),
        "source": {k: v for k, v in module.source.items() if isinstance(v, (str, int, float, dict))},
        "signatures": [f.signature for f in module.functions],
        "inputs": inputs,
        "outputs": outputs,
        "parameters": parameters,
        "parameter_bytes": nbytes,
        "ops": ops,
    }


def _interface(module: Module, context: Context) -> tuple[list[PortFacts], list[PortFacts]]:
    """Inputs and outputs of the entry function.  Output shapes are deduced where the model can be converted to core,
    else as the file states them.
    """
    deduced = clone_module(module)
    try:
        to_core(deduced, DiagnosticEngine(), context=context)
    except ConversionError:
        deduced = module
    main = deduced.main
    inputs: list[PortFacts] = [{"name": v.name, **type_facts(v)} for v in main.inputs]
    return inputs, [{"name": n, **type_facts(v)} for n, v in zip(main.output_names, main.outputs, strict=True)]


def memory_plan(path: str, options: Options) -> MemoryFacts:
    """Where the native code of a model keeps its values; buffers by offset in the arena.  Raises ConversionError."""
    from mlconv.codegen.program.memory import buffers
    from mlconv.codegen.program.memory_plan import plan_memory
    from mlconv.driver.pipeline import lower
    from mlconv.driver.running import load_any
    from mlconv.exporters.native.target import TARGET

    loaded = load_any(path, options)
    module = loaded.module
    lower(module, options, DiagnosticEngine(), TARGET)
    layout = plan_memory(module.main.block)
    found: list[BufferFacts] = [
        {
            "offset": _plain(b.offset),
            "size": _plain(b.size),
            "first": b.first,
            "last": b.last,
            "op": b.op,
            "node": b.node,
            "line": b.line,
        }
        for b in buffers(module.main.block, layout)
    ]
    return {
        "path": path,
        "arena_bytes": _plain(layout.arena_bytes),
        "weight_bytes": layout.weight_bytes,
        "buffers": found,
    }


def _plain(size: Size) -> int | str:
    """A size that is known at run time is its expression."""
    return size if isinstance(size, int) else str(size)
