"""What is in a model file, without converting it: any op is accepted, weights stay unread."""

from __future__ import annotations

from typing import TypedDict

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.driver.context import Context, context_of
from mlconv.driver.loading import TypeFacts, import_model, to_core, type_facts
from mlconv.driver.options import Options
from mlconv.ir.constants import Const
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
