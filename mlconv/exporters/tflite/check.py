"""Structural check of a TFLite file: every offset in bounds, every index valid, buffer sizes as the tensor types say,
signatures and versions sane.

One linear walk over the tables through a memory map; constants are never read.  Source: schema.fbs and the loader's own
checks (core/interpreter_builder.cc).
"""

from __future__ import annotations

import math
import mmap
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tfl_table import BUILTINS, ENUMS, OPTION_FIELDS, OPTIONS_OF, UNION2_ID, UNION_ID
from mlconv.exporters.tflite.runtime_table import MIN_RUNTIME
from mlconv.formats.flatbuffer import DamagedError, FlatReader, Table

MAX_PROBLEMS = 20
_EMPTY = 2  # a tensor without elements needs neither data nor a producer
_TYPE_NAMES = {number: name for name, number in ENUMS["TensorType"].items()}
_ITEM_BITS = {
    "FLOAT32": 32,
    "FLOAT16": 16,
    "BFLOAT16": 16,
    "INT32": 32,
    "UINT8": 8,
    "INT64": 64,
    "BOOL": 8,
    "INT16": 16,
    "COMPLEX64": 64,
    "INT8": 8,
    "FLOAT64": 64,
    "COMPLEX128": 128,
    "UINT64": 64,
    "UINT32": 32,
    "UINT16": 16,
    "INT4": 4,
    "UINT4": 4,
    "INT2": 2,
    "FLOAT8_E4M3FN": 8,
    "FLOAT8_E5M2": 8,
}
_OP_NAMES = {number: name for name, number in BUILTINS.items()}
_TABLE_OF_UNION = {number: name for name, number in UNION_ID.items()}
_TABLE_OF_UNION2 = {number: name for name, number in UNION2_ID.items()}
_SUBGRAPH_FIELDS = {f"{part}_subgraph_index" for part in ("then", "else", "cond", "body", "init")}


def check_file(path: Path) -> None:
    """Raise ConversionError ArtifactInvalid with the first problems of the file at `path`, if it has any."""
    problems = problems_of(path)
    if problems:
        raise ConversionError(
            Code.ArtifactInvalid, f"the written file is not sound: {problems[0]}", notes=tuple(problems[1:MAX_PROBLEMS])
        )


def problems_of(path: Path) -> list[str]:
    """All problems found (at most `MAX_PROBLEMS`), in file order."""
    with open(path, "rb") as f:
        if path.stat().st_size < 16:
            return ["shorter than a flatbuffer header"]
        with mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
            walk = _Walk(data)
            try:
                walk.model()
            except DamagedError as e:
                walk.problems.append(str(e))
            return walk.problems[:MAX_PROBLEMS]


@dataclass(slots=True)
class _Graph:
    """What the checks need of one subgraph."""

    types: list[int] = field(default_factory=list)
    produced: bytearray = field(default_factory=bytearray)
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()


class _Walk(FlatReader):
    """Reads all tables and keeps what is wrong with them."""

    def __init__(self, data: mmap.mmap) -> None:
        super().__init__(data)
        self.problems: list[str] = []
        self.buffers: list[tuple[int, int]] = []  # position, size
        self.codes: list[tuple[str, int]] = []
        self.graphs: list[_Graph] = []

    def problem(self, text: str) -> None:
        self.problems.append(text)
        if len(self.problems) > MAX_PROBLEMS:
            raise DamagedError("more problems follow")

    def model(self) -> None:
        if self.data[4:8] != b"TFL3":
            self.problem(f"file identifier {bytes(self.data[4:8])!r} is not TFL3")
        root = self.root()
        if self.scalar(root, 0) != 3:
            self.problem(f"schema version {self.scalar(root, 0)} is not 3")
        self._read_buffers(root)
        self._read_codes(root)
        graphs = self.tables(root, 2)
        if not graphs:
            self.problem("no subgraph")
        for i, graph in enumerate(graphs):
            self._subgraph(i, graph, len(graphs))
        for signature in self.tables(root, 7):
            self._signature(signature)
        self._metadata(root)

    def _read_buffers(self, root: Table) -> None:
        for i, buffer in enumerate(self.tables(root, 4)):
            position, size = self.vector(buffer, 0, 1)
            outside = self.scalar(buffer, 1, code="<Q")
            if outside > 1:
                position, size = outside, self.scalar(buffer, 2, code="<Q")
                if position + size > self.end:
                    self.problem(f"buffer {i} runs past the end of the file")
            if size and position % 16:
                self.problem(f"buffer {i} at {position} is not aligned to 16 bytes")
            if i == 0 and size:
                self.problem("buffer 0 is not empty")
            self.buffers.append((position, size))

    def _read_codes(self, root: Table) -> None:
        for i, code in enumerate(self.tables(root, 1)):
            deprecated = self.scalar(code, 0, code="<b")
            number = max(deprecated, self.scalar(code, 3, code="<i"))
            name = _OP_NAMES.get(number, "")
            version = self.scalar(code, 2, 1, "<i")
            if not name:
                self.problem(f"operator code {i} has unknown builtin {number}")
            if deprecated != min(number, BUILTINS["PLACEHOLDER_FOR_GREATER_OP_CODES"]):
                self.problem(f"operator code {i} {name}: deprecated code {deprecated} does not match {number}")
            if name == "CUSTOM" and not self.text(code, 1):
                self.problem(f"operator code {i}: custom operator without a name")
            if not 1 <= version <= max(1, len(MIN_RUNTIME.get(name, ())) or version):
                self.problem(f"operator code {i} {name}: version {version} is not known")
            self.codes.append((name, version))

    def _subgraph(self, index: int, table: Table, graphs: int) -> None:
        graph = _Graph()
        self.graphs.append(graph)
        for i, tensor in enumerate(self.tables(table, 0)):
            self._tensor(f"subgraph {index} tensor {i}", graph, tensor)
        graph.inputs, graph.outputs = self.ints(table, 1), self.ints(table, 2)
        count = len(graph.types)
        for what, indices in (("input", graph.inputs), ("output", graph.outputs)):
            for t in indices:
                if not 0 <= t < count:
                    self.problem(f"subgraph {index}: {what} tensor {t} of {count}")
                elif what == "input":
                    graph.produced[t] = 1
        for i, operator in enumerate(self.tables(table, 3)):
            self._operator(f"subgraph {index} operator {i}", graph, operator, graphs)
        for t in graph.outputs:
            if 0 <= t < count and not graph.produced[t]:
                self.problem(f"subgraph {index}: output tensor {t} is produced by nothing")

    def _tensor(self, where: str, graph: _Graph, tensor: Table) -> None:
        shape, dtype, buffer = self.ints(tensor, 0), self.scalar(tensor, 1, code="<b"), self.scalar(tensor, 2)
        graph.types.append(dtype)
        graph.produced.append(self.scalar(tensor, 5, code="<b"))
        self.vector(tensor, 3, 1)
        signature = self.ints(tensor, 7)
        if dtype not in _TYPE_NAMES:
            self.problem(f"{where}: unknown element type {dtype}")
            return
        if any(d < 0 for d in shape):
            self.problem(f"{where}: negative dimension in {list(shape)}")
        if signature and (
            len(signature) != len(shape) or any(s not in (-1, d) for s, d in zip(signature, shape, strict=True))
        ):
            self.problem(f"{where}: shape signature {list(signature)} does not fit {list(shape)}")
        if not 0 <= buffer < len(self.buffers):
            self.problem(f"{where}: buffer {buffer} of {len(self.buffers)}")
            return
        size = self.buffers[buffer][1]
        if size:
            graph.produced[-1] = 1
        elif 0 in shape:
            graph.produced[-1] = _EMPTY
        bits = _ITEM_BITS.get(_TYPE_NAMES[dtype])
        if size and bits and not self.target(tensor, 6):
            wanted = -(-math.prod(shape) * bits // 8)
            if size != wanted:
                self.problem(f"{where}: {size} bytes of data, {_TYPE_NAMES[dtype]}{list(shape)} takes {wanted}")
        if self.target(tensor, 4):
            quantization = self.table(self.target(tensor, 4))
            self._quantization(where, shape, quantization)
            if self.scalar(quantization, 4, code="<B") == ENUMS["QuantizationDetails"]["BlockwiseQuantization"]:
                self._blocks(where, graph, shape, self.table(self.target(quantization, 5)))

    def _blocks(self, where: str, graph: _Graph, shape: tuple[int, ...], blocks: Table) -> None:
        """Scales of blocks are float16, in a tensor of their own in front of this one."""
        scales, size = self.scalar(blocks, 0, code="<i"), self.scalar(blocks, 2, code="<i")
        if not 0 <= scales < len(graph.types) - 1 or _TYPE_NAMES.get(graph.types[scales]) != "FLOAT16":
            self.problem(f"{where}: tensor {scales} does not hold scales of blocks")
        if size < 1 or not shape or shape[-1] % size:
            self.problem(f"{where}: blocks of {size} in {list(shape)}")

    def _quantization(self, where: str, shape: tuple[int, ...], table: Table) -> None:
        position, count = self.vector(table, 2, 4)
        zeros = self.vector(table, 3, 8)[1]
        axis = self.scalar(table, 6, code="<i")
        scales = struct.unpack_from(f"<{count}f", self.data, position)
        if zeros not in (0, count):
            self.problem(f"{where}: {zeros} zero points for {count} scales")
        if count > 1 and not (0 <= axis < len(shape) and shape[axis] == count):
            self.problem(f"{where}: {count} scales along dimension {axis} of {list(shape)}")
        if any(not math.isfinite(s) or s < 0 for s in scales):
            self.problem(f"{where}: scale is negative or not finite")

    def _operator(self, where: str, graph: _Graph, operator: Table, graphs: int) -> None:
        code = self.scalar(operator, 0)
        if not 0 <= code < len(self.codes):
            self.problem(f"{where}: operator code {code} of {len(self.codes)}")
            return
        name = self.codes[code][0]
        produced, count = graph.produced, len(graph.types)
        for t in self.ints(operator, 1):
            if not -1 <= t < count:
                self.problem(f"{where} {name}: input tensor {t} of {count}")
            elif t >= 0 and not produced[t]:
                self.problem(f"{where} {name}: input tensor {t} is used before it is produced")
        for t in self.ints(operator, 2):
            if not 0 <= t < count:
                self.problem(f"{where} {name}: output tensor {t} of {count}")
                continue
            if produced[t] not in (0, _EMPTY):
                self.problem(f"{where} {name}: tensor {t} is produced twice")
            produced[t] = 1
        self._check_options(f"{where} {name}", name, operator, graphs)

    def _check_options(self, where: str, name: str, operator: Table, graphs: int) -> None:
        kind, kind2 = self.scalar(operator, 3, code="<B"), self.scalar(operator, 11, code="<B")
        table_name = _TABLE_OF_UNION.get(kind) if kind else _TABLE_OF_UNION2.get(kind2)
        if (kind or kind2) and table_name != OPTIONS_OF.get(name):
            self.problem(f"{where}: options of kind {table_name}, expected {OPTIONS_OF.get(name)}")
            return
        position = self.target(operator, 4 if kind else 12)
        if not position or table_name is None:
            return
        options = self.table(position)
        if name in ("IF", "WHILE", "CALL_ONCE"):
            for field_name, slot, _, _ in OPTION_FIELDS[table_name]:
                if field_name in _SUBGRAPH_FIELDS and not 0 <= self.scalar(options, slot, code="<i") < graphs:
                    self.problem(f"{where}: {field_name} {self.scalar(options, slot)} of {graphs} subgraphs")

    def _signature(self, table: Table) -> None:
        index, key = self.scalar(table, 4), self.text(table, 2)
        if index >= len(self.graphs):
            self.problem(f"signature {key}: subgraph {index} of {len(self.graphs)}")
            return
        for slot, allowed in ((0, self.graphs[index].inputs), (1, self.graphs[index].outputs)):
            allowed_set = set(allowed)
            for entry in self.tables(table, slot):
                if self.scalar(entry, 1) not in allowed_set:
                    self.problem(
                        f"signature {key}: {self.text(entry, 0)} names tensor "
                        f"{self.scalar(entry, 1)}, which is no input or output"
                    )

    def _metadata(self, root: Table) -> None:
        for entry in self.tables(root, 6):
            name, buffer = self.text(entry, 0), self.scalar(entry, 1)
            if buffer >= len(self.buffers):
                self.problem(f"metadata {name}: buffer {buffer} of {len(self.buffers)}")
            elif name == "min_runtime_version":
                position, size = self.buffers[buffer]
                value = self.data[position : position + size].rstrip(b"\0").decode("latin1")
                if size != 16 or not re.fullmatch(r"(\d+\.\d+\.\d+)?", value):
                    self.problem(f"metadata min_runtime_version is {value!r} in {size} bytes")
