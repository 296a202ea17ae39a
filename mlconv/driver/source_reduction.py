"""A small model in the source's own format: the nodes of one layer, on the values that they read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from mlconv.diagnostics import ConversionError
from mlconv.driver.context import Context
from mlconv.driver.interface import interface_of
from mlconv.driver.options import Options
from mlconv.exporters.target import WriteRequest
from mlconv.formats.run_files import RunFiles
from mlconv.ir.constants import Array, Const, Splat
from mlconv.ir.core import Op, Value, captures
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module, clone_module, cut_function
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import origins
from mlconv.rewrite import edit

_LARGE = 16  # elements of a constant that may be one number, repeated
_TARGETS = {
    "onnx": "onnx",
    "tflite": "tflite",
    "saved_model": "graphdef",
    "graphdef": "graphdef",
    "graphdef_text": "graphdef",
    "hlo": "hlo",
}
"""Targets that write the ops of a format as they are."""


class SourcePart:
    """Nodes of a model as it was read.  inputs: by name."""

    def __init__(self, module: Module, inputs: Mapping[str, Array], target: str) -> None:
        self.module, self.inputs, self.target = module, dict(inputs), target

    @staticmethod
    def of(module: Module, layer: Sequence[Op], known: Mapping[str, Array]) -> SourcePart | None:
        """The nodes that ops of core were made of.  known: values of the source, by name.  None where values are
        missing, or nothing writes the format.
        """
        target, function = _TARGETS.get(str(module.source.get("format", ""))), module.main
        wanted = {name for op in layer for name in origins(op.location)}
        nodes = [op for op in function.block.ops if op.results and wanted & {*origins(op.location)}]
        if target is None or not nodes:
            return None
        inputs, ops = closure(function, nodes)
        arrays = {v: found for v in inputs if (found := _found(known, v)) is not None}
        output = nodes[-1].results[0]
        if len(arrays) < len(inputs):
            return None
        part = cut_function(function, inputs, [output], ops)
        for value, array in [*zip(part.inputs, arrays.values(), strict=True), (part.outputs[0], _found(known, output))]:
            _tell_type(value, array)
        for op in part.block.ops:
            _tell_opset(op, module.source.get("opsets"))
        cut = Module([part], dict(module.source), list(module.passes))
        return SourcePart(cut, dict(zip(part.input_names, arrays.values(), strict=True)), target)

    def stripped(self) -> SourcePart:
        """With one number, repeated, for larger constants."""
        return SourcePart(stripped(self.module), self.inputs, self.target)

    def write(self, path: str, options: Options, context: Context) -> bool:
        """Whether the format's writer takes it."""
        target, module = context.target(self.target), clone_module(self.module)
        own = replace(options, target={}).of_target(target)
        try:
            prepared = target.prepare(module, own, False)
            request = WriteRequest(path, interface_of(module, target.name, path), prepared, RunFiles(), context.kernels)
            target.write(module, own, request)
        except ConversionError:
            Path(path).unlink(missing_ok=True)
            return False
        return True


def suffix_of(module: Module, context: Context) -> str:
    """Of files in the format of a source; empty where nothing writes it."""
    target = _TARGETS.get(str(module.source.get("format", "")))
    return "" if target is None else context.target(target).suffix


def _found(known: Mapping[str, Array], value: Value) -> Array | None:
    """By name; TensorFlow puts fewer calls in front where it inlines them."""
    name = value.name
    while name:
        for one in (name, f"{name}:0", name.removesuffix(":0")):
            if one in known:
                return known[one]
        name = name.partition("/")[2] if "/" in name.partition("/")[2] else ""
    return None


def _tell_type(value: Value, array: Array | None) -> None:
    if array is not None and not (isinstance(value.type, TensorType) and value.type.quant is not None):
        edit.retype(value, TensorType(DType.from_numpy(array.dtype), np.shape(array)))


def _tell_opset(op: Op, opsets: object) -> None:
    """ONNX's writer asks the ops for it."""
    if isinstance(opsets, dict) and op.name.startswith("onnx."):
        domain = op.name.removeprefix("onnx.").rpartition(".")[0]
        if version := opsets.get(domain):
            edit.set_attribute(op, "opset_version", int(version))


def closure(function: Function, ops: Sequence[Op]) -> tuple[list[Value], list[Op]]:
    """Values that some ops read and that are no constants, and the ops, with those of constants, in order."""
    wanted, inputs = set(ops), dict[Value, None]()
    left = list(ops)
    while left:
        op = left.pop()
        for value in (*op.inputs, *(v for region in op.regions for v in captures(region))):
            producer = value.producer
            if producer is None or producer.block is not function.block:
                inputs.setdefault(value)
            elif producer not in wanted and not producer.inputs and not producer.regions:
                wanted.add(producer)
            elif producer not in wanted:
                inputs.setdefault(value)
    return list(inputs), [op for op in function.block.ops if op in wanted]


def stripped(module: Module) -> Module:
    """A copy whose larger constants are one number, repeated."""
    copy = clone_module(module)
    for op in copy.walk():
        for name, value in list(op.attributes.items()):
            if isinstance(value, Const) and value.size >= _LARGE and value.dtype.is_float:
                mean = float(np.abs(value.view().astype(np.float64)).mean())
                edit.set_attribute(op, name, Splat(mean, value.dtype, value.shape))
    return copy


def named_beside(path: str, suffix: str) -> str:
    """The same name with another suffix."""
    return f"{os.path.splitext(path)[0]}{suffix}"
