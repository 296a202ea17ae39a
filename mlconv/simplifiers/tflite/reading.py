"""A TFLite file as the tables that it holds: what `exporters/tflite` writes.

Source: tensorflow/compiler/mlir/lite/schema/schema.fbs.
"""

from __future__ import annotations

import zipfile

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tfl_table import ENUMS, OPTION_FIELDS, OPTIONS_OF
from mlconv.dialects.tfl_types import INDEX_CODES
from mlconv.exporters.tflite.model import (
    Indices,
    Operator,
    OperatorCode,
    OptionValue,
    Payload,
    Quantization,
    RawBytes,
    Signature,
    Sparse,
    SparseLevel,
    SubGraph,
    Tensor,
    TflModel,
)
from mlconv.formats.flatbuffer import DamagedError, FlatReader, Table
from mlconv.importers.tflite.opening import opened
from mlconv.importers.tflite.operators import options_of, read_codes
from mlconv.importers.tflite.tensors import Buffer, read_buffers
from mlconv.ir.constants import Mapped, SourceFile
from mlconv.ir.dtypes import DType

_BLOCKWISE = ENUMS["QuantizationDetails"]["BlockwiseQuantization"]
_MOST_ATTACHED = 1 << 28


def read_tables(path: str) -> TflModel:
    """Raises ConversionError InputNotReadable, FileDamaged, VariantUnsupported for tables that have no place here."""
    with opened(path) as file:
        return _Reading(path, file).model()


class _Reading:
    def __init__(self, path: str, file: SourceFile) -> None:
        self.path, self.file = path, file
        self.reader = FlatReader(file.map())
        self.root = self.reader.root()
        self.codes = read_codes(self.reader, self.root)

    def model(self) -> TflModel:
        reader, root = self.reader, self.root
        entries = reader.tables(root, 1)
        for at, code in enumerate(self.codes):
            if not code.builtin:
                raise ConversionError(Code.OpUnsupported, f"operator code {at} is no operator of the schema")
        codes = [
            OperatorCode(c.builtin, reader.scalar(e, 2, 1, "<i"), c.custom if c.builtin == "CUSTOM" else None)
            for c, e in zip(self.codes, entries, strict=True)
        ]
        buffers = [self._payload(b) for b in read_buffers(reader, root)]
        return TflModel(
            [self._graph(g, len(buffers)) for g in reader.tables(root, 2)],
            codes,
            buffers,
            [self._signature(s) for s in reader.tables(root, 7)],
            {reader.text(m, 0): self._within(reader.scalar(m, 1), len(buffers)) for m in reader.tables(root, 6)},
            reader.text(root, 3),
            _attached(self.path),
        )

    def _within(self, number: int, count: int) -> int:
        if not 0 <= number < count:
            raise DamagedError(f"number {number} of {count}")
        return number

    def _payload(self, buffer: Buffer) -> Payload:
        if not buffer.size:
            return RawBytes(b"")
        return Mapped(self.file, buffer.position, DType.U8, (buffer.size,), buffer.size)

    def _signature(self, table: Table) -> Signature:
        reader = self.reader
        inputs, outputs = (
            [(reader.text(part, 0), reader.scalar(part, 1)) for part in reader.tables(table, slot)] for slot in (0, 1)
        )
        return Signature(reader.text(table, 2), inputs, outputs, reader.scalar(table, 4))

    def _graph(self, table: Table, buffers: int) -> SubGraph:
        reader = self.reader
        tensors = [self._tensor(t, buffers) for t in reader.tables(table, 0)]
        graph = SubGraph(
            reader.text(table, 4),
            tensors,
            list(reader.ints(table, 1)),
            list(reader.ints(table, 2)),
            [self._operator(o) for o in reader.tables(table, 3)],
            reader.scalar(table, 5, -1, "<i"),
        )
        named = [*graph.inputs, *graph.outputs]
        for op in graph.operators:
            named += [*(t for t in op.inputs if t != -1), *op.outputs, *(t for t in op.intermediates if t != -1)]
        for t in named:
            self._within(t, len(tensors))
        return graph

    def _tensor(self, table: Table, buffers: int) -> Tensor:
        reader = self.reader
        name = reader.text(table, 3)
        for slot, what in ((9, "a variant"), (10, "data of another file")):
            if reader.scalar(table, slot):
                raise ConversionError(Code.VariantUnsupported, f"tensor {name} is {what}, which is not simplified")
        shape: tuple[int, ...] | None = reader.ints(table, 0)
        if not shape and not reader.scalar(table, 8, code="<B"):
            shape = None
        position, sparsity = reader.target(table, 4), reader.target(table, 6)
        return Tensor(
            name,
            reader.scalar(table, 1, code="<b"),
            shape,
            self._within(reader.scalar(table, 2), buffers),
            reader.ints(table, 7) or None,
            self._quantization(reader.table(position)) if position else None,
            bool(reader.scalar(table, 5, code="<b")),
            self._sparse(reader.table(sparsity)) if sparsity else None,
        )

    def _sparse(self, table: Table) -> Sparse:
        reader = self.reader
        levels = [
            SparseLevel(reader.scalar(t, 1, code="<i"), self._indices(t, 2), self._indices(t, 4))
            for t in reader.tables(table, 2)
        ]
        return Sparse(reader.ints(table, 0), reader.ints(table, 1), tuple(levels))

    def _indices(self, table: Table, slot: int) -> Indices | None:
        reader = self.reader
        kind, position = reader.scalar(table, slot, code="<B"), reader.target(table, slot + 1)
        if kind not in INDEX_CODES or not position:
            return None
        return Indices(kind, reader.numbers(reader.table(position), 0, INDEX_CODES[kind]))

    def _quantization(self, table: Table) -> Quantization | None:
        reader = self.reader
        axis = reader.scalar(table, 6, code="<i")
        if reader.scalar(table, 4, code="<B") == _BLOCKWISE:
            blocks = reader.table(reader.target(table, 5))
            if reader.scalar(blocks, 1, code="<i") > 0:
                raise ConversionError(Code.VariantUnsupported, "zero points of blocks are not simplified")
            return Quantization(
                (), (), axis, (reader.scalar(blocks, 0, code="<i"), reader.scalar(blocks, 2, code="<i"))
            )
        if reader.scalar(table, 4, code="<B"):
            raise ConversionError(Code.VariantUnsupported, "quantization with details of its own is not simplified")
        lows, highs, scales = (reader.numbers(table, slot, "f") for slot in (0, 1, 2))
        zeros = reader.numbers(table, 3, "q")
        found = Quantization(scales, zeros, axis, None, lows, highs)
        return found if any((lows, highs, scales, zeros)) else None

    def _operator(self, table: Table) -> Operator:
        reader = self.reader
        at = self._within(reader.scalar(table, 0), len(self.codes))
        code = self.codes[at]
        options = options_of(reader, table, code)
        custom = None
        if code.builtin == "CUSTOM":
            custom, options = options["custom_options"], {}
        return Operator(
            at,
            reader.ints(table, 1),
            reader.ints(table, 2),
            {name: _encoded(code.builtin, name, value) for name, value in options.items()},
            custom,
            None,
            reader.scalar(table, 13, -1, "<i"),
            reader.ints(table, 8),
            tuple(map(bool, reader.numbers(table, 7, "?"))),
        )


def _encoded(builtin: str, name: str, value: object) -> OptionValue:
    """Members of enums as numbers."""
    kind = next(row[2] for row in OPTION_FIELDS[OPTIONS_OF[builtin]] if row[0] == name)
    members = ENUMS.get(kind.strip("[]").removeprefix("enum:"), {})
    if members and isinstance(value, str):
        return members[value]
    if members and isinstance(value, tuple):
        return tuple(members[str(v)] for v in value)
    assert isinstance(value, (bool, int, float, str, tuple, bytes))
    return value


def _attached(path: str) -> dict[str, str | bytes]:
    """Files that are packed behind the flatbuffer, as TFLite Metadata has them."""
    if not zipfile.is_zipfile(path):
        return {}
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(info.file_size for info in archive.infolist()) > _MOST_ATTACHED:
                raise ConversionError(Code.TensorTooLarge, f"{path} has files of more than {_MOST_ATTACHED} bytes")
            return {info.filename: archive.read(info) for info in archive.infolist()}
    except (zipfile.BadZipFile, RuntimeError) as error:
        raise ConversionError(Code.FileDamaged, f"the files that are packed behind {path}: {error}") from error
