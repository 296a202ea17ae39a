"""What is in a model file, without converting it: any op is accepted, weights stay unread.

Where a format tells what is in a file without its ops being made (`SourceFormat.summary`), that is what is shown: of
the largest models in less time than their messages take to be read by other programs.  Nothing here loads numpy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, TypedDict

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.driver.context import Context, context_of
from mlconv.driver.files import FileFacts, bytes_of, file_facts, files_of
from mlconv.driver.options import OF_MODELS, Options
from mlconv.driver.types import PortFacts, TypeFacts, facts_of, type_facts
from mlconv.importers.about import SignatureFacts
from mlconv.importers.format import LoadRequest
from mlconv.importers.summary import Summary, stated

if TYPE_CHECKING:
    from mlconv.ir.module import Module

DEDUCED = 1 << 28
"""Bytes of parameters up to which output shapes are deduced where the file does not state them in sizes of inputs."""


class Inspection(TypedDict):
    """parameters: how many numbers the constants hold.  ops: how many of each kind.  bytes: of all files.  entries: the
    signatures of the file with their inputs and outputs, also those that are not shown.
    """

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
    bytes: int
    files: list[FileFacts]
    entries: list[SignatureFacts]
    metadata: dict[str, object]


def inspect_model(path: str, options: Options) -> Inspection:
    """Inputs, outputs, op counts and parameters of a model file, as plain data.  Raises ConversionError."""
    context = context_of(options.plugins, paths=[path])
    summary = _summary(path, options, context)
    if summary is None or not (summary.parameter_bytes > DEDUCED or stated(summary.inputs, summary.outputs)):
        return _of_module(path, options, context)
    inputs, outputs = ([_port(name, facts_of(t)) for name, t in side] for side in (summary.inputs, summary.outputs))
    return {
        "path": path,
        "format": str(summary.source["format"]),
        "producer": str(summary.source["producer"]),
        "source": summary.source,
        "signatures": ["serving_default"],
        "inputs": inputs,
        "outputs": outputs,
        "parameters": summary.parameters,
        "parameter_bytes": summary.parameter_bytes,
        "ops": dict(summary.ops),
        **_files([*files_of(path), *summary.files]),
        "entries": summary.about["signatures"],
        "metadata": summary.about["metadata"],
    }


class _Files(TypedDict):
    bytes: int
    files: list[FileFacts]


def _files(paths: Iterable[str]) -> _Files:
    found = file_facts(paths)
    return {"bytes": bytes_of(found), "files": found}


def _port(name: str, facts: TypeFacts) -> PortFacts:
    return {"name": name, **facts}


def _summary(path: str, options: Options, context: Context) -> Summary | None:
    """None where options change what the file says, or the format has none."""
    changed = any(getattr(options, f.name) for f in fields(options) if f.name in OF_MODELS - {"linked_data"})
    if changed:
        return None
    form = context.format_of(path)
    options.check_plain(f"{path}, which is a {form.name} file", form.takes)
    options.reads(files_of(path))
    return form.summary(path, _request(options))


def _request(options: Options) -> LoadRequest:
    return LoadRequest(DiagnosticEngine(), tags=options.tags, linked_data=options.linked_data, opened=options.reads)


def _of_module(path: str, options: Options, context: Context) -> Inspection:
    from mlconv.driver.counting import counted
    from mlconv.driver.loading import import_to_look

    loaded = import_to_look(path, options, context)
    module = loaded.module
    found = counted(module)
    inputs, outputs = _interface(module, context)
    about = context.format_of(path).about(path, _request(options))
    return {
        "path": path,
        "format": module.source.get("format", ""),
        "producer": module.source.get("producer", ""),
        "source": {k: v for k, v in module.source.items() if isinstance(v, (str, int, float, dict))},
        "signatures": [f.signature for f in module.functions],
        "inputs": inputs,
        "outputs": outputs,
        "parameters": found.parameters,
        "parameter_bytes": found.parameter_bytes,
        "ops": dict(found.ops),
        **_files(loaded.files),
        "entries": about["signatures"],
        "metadata": about["metadata"],
    }


def _interface(module: Module, context: Context) -> tuple[list[PortFacts], list[PortFacts]]:
    """Inputs and outputs of the entry function.  Output shapes are deduced where the model can be converted to core,
    else as the file states them.
    """
    from mlconv.ir.module import clone_module

    main = module.main
    inputs = [_port(v.name, type_facts(v)) for v in main.inputs]
    outputs = list(zip(main.output_names, main.outputs, strict=True))
    if not stated([(v.name, v.type) for v in main.inputs], [(n, v.type) for n, v in outputs]):
        from mlconv.driver.loading import to_core

        deduced = clone_module(module)
        try:
            to_core(deduced, DiagnosticEngine(), context=context)
        except ConversionError:
            deduced = module
        outputs = list(zip(deduced.main.output_names, deduced.main.outputs, strict=True))
    return inputs, [_port(name, type_facts(v)) for name, v in outputs]
