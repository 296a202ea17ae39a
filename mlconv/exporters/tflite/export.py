"""A module of tfl ops to a TFLite file.

Functions become signatures of their own subgraphs (the first is subgraph 0), regions of IF and WHILE further subgraphs.
Tensors are named after the values; constants become buffers, each content once.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant
from mlconv.dialects.tfl import REGION_FIELDS, TflOp, encoded_options
from mlconv.dialects.tfl_table import ENUMS
from mlconv.dialects.tfl_types import RESOURCE, TYPE_NAMES
from mlconv.exporters.tflite.buffers import BufferPool
from mlconv.exporters.tflite.check import check_file
from mlconv.exporters.tflite.debug import ENTRY as DEBUG_ENTRY
from mlconv.exporters.tflite.debug import debug_metadata
from mlconv.exporters.tflite.model import (
    Operator,
    OperatorCode,
    Quantization,
    RawBytes,
    Signature,
    SubGraph,
    Tensor,
    TflModel,
)
from mlconv.exporters.tflite.versions import OpFacts, min_runtime, op_version
from mlconv.exporters.tflite.writer import FLATBUFFER_LIMIT, write_model
from mlconv.formats.node_names import without_calls
from mlconv.formats.size_names import ENTRY as SIZES_ENTRY
from mlconv.formats.size_names import packed
from mlconv.ir import recipes
from mlconv.ir.core import Block, Value, Yield
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import first_name

MAX_INT32 = 2**31 - 1
# Kernels that take complex128, found by running them; no other does, not even the copy of a tensor.
_COMPLEX128_KERNELS = frozenset({"REAL", "IMAG", "COMPLEX_ABS", "RESHAPE", "SHAPE"})


def export(module: Module, path: Path | str, limit: int = FLATBUFFER_LIMIT, metadata: str = "") -> int:
    """Write `module` to `path`; returns the size in bytes.  metadata: a JSON file.  Raises ConversionError
    (TargetLacksType, ArtifactInvalid, OutputNotWritable, ...).
    """
    return write_model(build(module, metadata), Path(path), check_file, limit)


def build(module: Module, metadata: str = "") -> TflModel:
    """The file's content.  Constants stay handles."""
    builder = _Builder()
    for function in module.functions:
        builder.function(function)
    model = builder.finish(str(module.source.get("format", "")))
    names = {f.signature: named for f in module.functions if (named := _size_names(f))}
    if names:
        model.metadata[SIZES_ENTRY] = len(model.buffers)
        model.buffers.append(RawBytes(packed(names)))
    if metadata:
        from mlconv.exporters.tflite.metadata import pack_metadata
        from mlconv.formats.tflite_metadata_table import ENTRY

        described = pack_metadata(metadata, module.main)
        model.metadata[ENTRY] = len(model.buffers)
        model.buffers.append(RawBytes(described.buffer))
        model.attached = dict(described.files)
    return model


def _size_names(function: Function) -> dict[str, list[str | None]]:
    """Of inputs some of whose open sizes have names that reading the file would not give them."""
    found = dict[str, list[str | None]]()
    for name, value in zip(function.input_names, function.inputs, strict=True):
        told = [d.name if isinstance(d, Dim) else None for d in value.tensor.shape or ()]
        row = [None if size == f"{name}_{axis}" else size for axis, size in enumerate(told)]
        found |= {name: row} if any(row) else {}
    return found


class _Builder:
    """Collects subgraphs, operator codes and buffers."""

    def __init__(self) -> None:
        self.model = TflModel([], [], [])
        self.pool = BufferPool()
        self.codes: dict[OperatorCode, int] = {}
        self.initial: int | None = None  # the subgraph of CALL_ONCE

    def function(self, function: Function) -> None:
        """A function with its signature."""
        index = self.graph(function.name or "main", function.block, main=True)
        graph = self.model.subgraphs[index]
        outputs = list(zip(function.output_names, graph.outputs, strict=True))
        self.model.signatures.append(
            Signature(function.signature, list(zip(function.input_names, graph.inputs, strict=True)), outputs, index)
        )

    def graph(self, name: str, block: Block, main: bool = False) -> int:
        """A subgraph for a block; its index.  The graphs of inner regions follow it."""
        index = len(self.model.subgraphs)
        graph = SubGraph(name)
        self.model.subgraphs.append(graph)
        _Graph(self, graph).fill(block, main)
        return index

    def once(self, name: str, block: Block) -> int:
        """The subgraph of CALL_ONCE, which is the same for all functions: TFLite runs each subgraph of such once."""
        if self.initial is None:
            self.initial = self.graph(name, block)
        return self.initial

    def code(self, builtin: str, version: int, custom: str | None = None) -> int:
        """The index of an operator code."""
        key = OperatorCode(builtin, version, custom)
        if key not in self.codes:
            self.codes[key] = len(self.model.codes)
            self.model.codes.append(key)
        return self.codes[key]

    def finish(self, source: str) -> TflModel:
        """Add metadata and buffers."""
        model = self.model
        runtime = min_runtime([(c.builtin, c.version) for c in model.codes])
        model.buffers = self.pool.payloads()
        model.metadata["min_runtime_version"] = len(model.buffers)
        model.buffers.append(RawBytes(runtime.encode().ljust(16, b"\0")))
        debug = debug_metadata(model.subgraphs)
        if debug is not None:
            model.metadata[DEBUG_ENTRY] = len(model.buffers)
            model.buffers.append(RawBytes(debug))
            for i, graph in enumerate(model.subgraphs):
                graph.debug_index = i
                for k, operator in enumerate(graph.operators):
                    operator.debug_index = k
        model.description = f"mlconv ({source})" if source else "mlconv"
        return model


class _Graph:
    """One subgraph being filled."""

    def __init__(self, builder: _Builder, graph: SubGraph) -> None:
        self.builder, self.graph = builder, graph
        self.index: dict[Value, int] = {}
        self.names: set[str] = set()
        self.own: set[str] = set()  # of values, which are no others' with a number

    def fill(self, block: Block, main: bool) -> None:
        self.own = {without_calls(v.name) for op in block.ops for v in op.results}
        for value in block.arguments:
            self.graph.inputs.append(self.tensor(value, value.name or "input"))
        for op in block.ops:
            if isinstance(op, Constant):
                continue
            if isinstance(op, Yield):
                break
            if not isinstance(op, TflOp):
                raise ConversionError(Code.TargetLacksOp, f"{op.describe()} is not a TFLite op", location=op.location)
            self.operator(op)
        self.outputs(block, main)

    def outputs(self, block: Block, main: bool) -> None:
        """The outputs.  Copies stand in for those that are another output too, or an input of the main graph, or a
        constant of it.

        A loop body writes its outputs over its inputs one by one, so that an input may be handed on in its own place
        only.
        """
        taken: set[int] = set()
        inputs = self.graph.inputs
        for i, value in enumerate(block.outputs):
            at = self.tensor(value, "output")
            moved = at in inputs and (main or i >= len(inputs) or inputs[i] != at)
            if at in taken or moved or (main and isinstance(value.producer, Constant)):
                at = self.copied(at)
            taken.add(at)
            self.graph.outputs.append(at)

    def tensor(self, value: Value, fallback: str) -> int:
        """The tensor of a value, made on first use."""
        at = self.index.get(value)
        if at is not None:
            return at
        t = value.type
        if t == RESOURCE:
            self.graph.tensors.append(
                Tensor(self.unique(value.name or fallback), ENUMS["TensorType"]["RESOURCE"], (), 0)
            )
            self.index[value] = len(self.graph.tensors) - 1
            return self.index[value]
        if not isinstance(t, TensorType):
            raise ConversionError(Code.TargetLacksType, f"TFLite has no tensors of type {t}")
        buffer = 0
        if isinstance(value.producer, Constant):
            buffer = self.builder.pool.add(value.producer.value)
        tensor = make_tensor(self.unique(value.name or fallback), t, buffer)
        if t.quant is not None and isinstance(t.quant.scheme, Blocked):
            tensor.quantization = Quantization((), (), 0, (self.scales(tensor.name, t.quant), t.quant.scheme.size))
        self.graph.tensors.append(tensor)
        self.index[value] = len(self.graph.tensors) - 1
        return self.index[value]

    def scales(self, name: str, quant: QuantType) -> int:
        """A tensor of the scales of blocks, in float16."""
        constant = recipes.cast(quant.scales, DType.F16)
        buffer = self.builder.pool.add(constant)
        made = make_tensor(self.unique(f"{name}_scales"), TensorType(DType.F16, constant.shape), buffer)
        self.graph.tensors.append(made)
        return len(self.graph.tensors) - 1

    def unique(self, name: str) -> str:
        """The name, with a number when another tensor has it."""
        name = without_calls(name)
        if name not in self.names:
            self.names.add(name)
            return name
        n = len(self.graph.tensors)
        while f"{name}_{n}" in self.names or f"{name}_{n}" in self.own:
            n += 1
        self.names.add(f"{name}_{n}")
        return f"{name}_{n}"

    def operator(self, op: TflOp) -> None:
        what = op.builtin.lower()
        ins = tuple(
            -1 if v is None else self.tensor(v, "c" if isinstance(v.producer, Constant) else what) for v in op.operands
        )
        node = first_name(op.location)
        is_told = f"/{node}".endswith(f"/{what}")  # by a file that was read: names do not grow
        title = node if is_told else f"{node}/{what}" if node else what
        outs = tuple(self.tensor(v, title) for v in op.results)
        if op.builtin == "CUSTOM":
            code = self.builder.code("CUSTOM", 1, op.attributes["custom_code"])
            self.graph.operators.append(Operator(code, ins, outs, {}, op.attributes["custom_options"], op.location))
            return
        options = encoded_options(op)
        tensors = self.graph.tensors
        facts = OpFacts([None if i < 0 else tensors[i] for i in ins], [tensors[i] for i in outs], options)
        code = self.code(op.builtin, facts)
        for field, region in zip(REGION_FIELDS.get(op.builtin, ()), op.regions, strict=True):
            name = op.results[0].name if op.results else ""
            called = f"{without_calls(name) or what}_{field.removesuffix('_subgraph_index')}"
            make = self.builder.once if op.builtin == "CALL_ONCE" else self.builder.graph
            options[field] = make(called, region.block)
        self.graph.operators.append(Operator(code, ins, outs, options, location=op.location))

    def code(self, builtin: str, facts: OpFacts) -> int:
        """The operator code for an op with these operands.  Raises ConversionError TargetLacksType for a type that no
        build of the kernel takes.
        """
        complex128 = ENUMS["TensorType"]["COMPLEX128"]
        if builtin not in _COMPLEX128_KERNELS and any(
            t is not None and t.dtype == complex128 for t in (*facts.ins, *facts.outs)
        ):
            raise ConversionError(Code.TargetLacksType, f"TFLite's {builtin} does not take complex128")
        return self.builder.code(builtin, op_version(builtin, facts))

    def copied(self, at: int) -> int:
        """A copy of a tensor: SELECT_V2 of it and itself, which has every rank, every type but strings, and never works
        in place; of strings all of a SLICE, or of a scalar a RESHAPE.
        """
        source = self.graph.tensors[at]
        if source.dtype == ENUMS["TensorType"]["STRING"]:
            return self._copied_strings(at)
        tensors = self.graph.tensors
        true = Tensor(self.unique("true"), ENUMS["TensorType"]["BOOL"], (), self.builder.pool.add_bytes(b"\1"))
        out = Tensor(
            self.unique(source.name + "_copy"), source.dtype, source.shape, 0, source.signature, source.quantization
        )
        tensors += [true, out]
        last = len(tensors) - 1
        code = self.code("SELECT_V2", OpFacts([true, source, source], [out], {}))
        self.graph.operators.append(Operator(code, (last - 1, at, at), (last,), {}))
        return last

    def _copied_strings(self, at: int) -> int:
        source, tensors = self.graph.tensors[at], self.graph.tensors
        rank = len(source.shape or ())
        numbers = [[0] * rank, [-1] * rank] if rank else [[]]
        kind = ENUMS["TensorType"]["INT32"]
        held = [
            Tensor(self.unique("all"), kind, (rank,), self.builder.pool.add_bytes(np.array(n, np.int32).tobytes()))
            for n in numbers
        ]
        out = Tensor(self.unique(source.name + "_copy"), source.dtype, source.shape, 0, source.signature)
        first = len(tensors)
        tensors += [*held, out]
        code = self.code("SLICE" if rank else "RESHAPE", OpFacts([source, *held], [out], {}))
        inputs = (at, *range(first, first + len(held)))
        self.graph.operators.append(Operator(code, inputs, (len(tensors) - 1,), {}))
        return len(tensors) - 1


def make_tensor(name: str, t: TensorType, buffer: int) -> Tensor:
    """The tensor entry of a type.  Raises ConversionError TargetLacksType when TFLite cannot hold the type."""
    type_name = TYPE_NAMES.get(t.dtype)
    if type_name is None or type_name not in ENUMS["TensorType"]:
        raise ConversionError(Code.TargetLacksType, f"TFLite has no element type {t.dtype.display}, which {name} has")
    shape: tuple[int, ...] | None = None
    signature: tuple[int, ...] | None = None
    if t.shape is not None:
        shape = tuple(d if isinstance(d, int) else 1 for d in t.shape)
        if any(d > MAX_INT32 for d in shape):
            raise ConversionError(Code.TensorTooLarge, f"{name} has a dimension above 2^31: {t}")
        if not t.is_static:
            signature = tuple(d if isinstance(d, int) else -1 for d in t.shape)
    quantization = None
    if t.quant is not None:
        scales, zeros = t.quant.scales.view().reshape(-1).tolist(), t.quant.zero_array().reshape(-1).tolist()
        quantization = Quantization(tuple(scales), tuple(zeros), t.quant.axis or 0)
    return Tensor(name, ENUMS["TensorType"][type_name], shape, buffer, signature, quantization)


def version_of(op: TflOp) -> int:
    """The version of an operator that a file names."""
    ins = [None if v is None else make_tensor(v.name, v.tensor, 0) for v in op.operands]
    return op_version(
        op.builtin, OpFacts(ins, [make_tensor(v.name, v.tensor, 0) for v in op.results], encoded_options(op))
    )
