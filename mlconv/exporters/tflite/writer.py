"""Writes a TflModel: the tables at the front, the constants streamed behind them, 16-byte aligned.

Below 2 GB the constants are flatbuffer vectors at higher addresses than the tables that refer to them.  A larger file
keeps only small constants inside; the others stand after the flatbuffer and are named by Buffer.offset and Buffer.size
(schema.fbs, table Buffer).  The bytes depend on the model alone.  The file appears under its name only when it is whole
and has passed its check.
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tfl_table import BUILTINS, ENUMS, OPTION_FIELDS, OPTIONS_OF, UNION2_ID, UNION_ID
from mlconv.dialects.tfl_types import INDEX_CODES
from mlconv.exporters.tflite.layout import Laid, Value, scalar_code
from mlconv.exporters.tflite.model import (
    Operator,
    OptionValue,
    Payload,
    Quantization,
    Signature,
    Sparse,
    SparseLevel,
    SubGraph,
    Tensor,
    TflModel,
)
from mlconv.formats.atomic import replacing, write_pieces
from mlconv.formats.files import open_regular
from mlconv.ir.constants import Mapped

T = TypeVar("T")
FLATBUFFER_LIMIT = (1 << 31) - (1 << 16)  # uoffset_t is 32 bits, and soffset_t is signed
INSIDE_LIMIT = 1 << 14  # of a file above the limit, constants up to this size stay inside
ALIGNMENT = 16
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the time of all packed files: same input, same bytes
_COPY_RANGE = 1 << 16  # smaller mapped constants go through the write buffer
_BLOCKWISE = ENUMS["QuantizationDetails"]["BlockwiseQuantization"]


def write_model(
    model: TflModel, target: Path, check: Callable[[Path], None] | None = None, limit: int = FLATBUFFER_LIMIT
) -> int:
    """Write `model` to `target` atomically; returns the size in bytes.

    check: called on the temporary file before it is renamed; raises to refuse it.  limit: largest flatbuffer part.
    Raises ConversionError OutputNotWritable when the file cannot be written.
    """
    with replacing(target, check) as out:
        return write_stream(model, out, limit)


def write_stream(model: TflModel, out: BinaryIO, limit: int = FLATBUFFER_LIMIT) -> int:
    """Write `model` to an open file that is at its start; returns the size in bytes."""
    laid = Laid(has_bodies=len(model.subgraphs) > 1)
    laid.data.extend(b"\0\0\0\0TFL3")
    data_fields = _tables(laid, model, outside=frozenset())
    places, end = _inside(len(laid.data), model.buffers, frozenset())
    outside: frozenset[int] = frozenset()
    if end > limit:
        outside = frozenset(i for i, b in enumerate(model.buffers) if b.nbytes > INSIDE_LIMIT)
        laid = Laid(has_bodies=len(model.subgraphs) > 1)
        laid.data.extend(b"\0\0\0\0TFL3")
        data_fields = _tables(laid, model, outside)
        places, end = _inside(len(laid.data), model.buffers, outside)
        if end > limit:
            raise ConversionError(
                Code.TensorTooLarge,
                f"the tables and small constants of the file take {end} bytes, more than the {limit} of a flatbuffer",
            )
        for i in sorted(outside):
            places[i] = end = end + (-end % ALIGNMENT)
            end += model.buffers[i].nbytes
    for i, field in data_fields.items():
        if i in outside:
            struct.pack_into("<QQ", laid.data, field, places[i], model.buffers[i].nbytes)
        elif i in places:
            laid.point(field, places[i] - 4)
    out.write(laid.data)
    _stream(out, model.buffers, places, outside, len(laid.data))
    return _attach(out, model.attached) if model.attached else end


def _attach(out: BinaryIO, files: Mapping[str, str | bytes]) -> int:
    """A zip archive of files behind what was written, as zipfile appends one; returns the size of all.  Raises
    ConversionError InputNotReadable.
    """
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, held in files.items():
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), held if isinstance(held, bytes) else _contents(held))
    return out.tell()


def _contents(path: str) -> bytes:
    try:
        with open_regular(path) as held:
            data: bytes = held.read()
            return data
    except OSError as error:
        raise ConversionError(Code.InputNotReadable, f"cannot read {path}: {error.strerror or error}") from error


def _inside(start: int, buffers: list[Payload], outside: frozenset[int]) -> tuple[dict[int, int], int]:
    """Positions of the data of the buffers that are flatbuffer vectors, and the end of the flatbuffer."""
    places: dict[int, int] = {}
    position = start
    for i, buffer in enumerate(buffers):
        if i == 0 or i in outside:
            continue
        position += 4
        position += -position % ALIGNMENT
        places[i] = position
        position += buffer.nbytes
    return places, position


def _stream(
    out: BinaryIO, buffers: list[Payload], places: dict[int, int], outside: frozenset[int], position: int
) -> None:
    """Write the constants at their places.  `position`: where the file stands."""
    for i, place in places.items():
        buffer = buffers[i]
        if i in outside:
            out.write(bytes(place - position))
        else:
            out.write(bytes(place - 4 - position) + struct.pack("<I", buffer.nbytes))
        written = _copy_mapped(out, buffer) if isinstance(buffer, Mapped) and buffer.nbytes >= _COPY_RANGE else 0
        if not written:
            written = write_pieces(out, buffer.blocks())
        if written != buffer.nbytes:
            raise ConversionError(Code.ConstantInvalid, f"a constant gave {written} bytes instead of {buffer.nbytes}")
        position = place + written


def _copy_mapped(out: BinaryIO, constant: Mapped) -> int:
    """Let the system copy a range of a file; returns 0 with nothing written where it cannot."""
    if not hasattr(os, "copy_file_range"):
        return 0
    try:
        source = os.open(constant.file.path, os.O_RDONLY)
    except OSError:
        return 0
    try:
        out.flush()
        start, done = out.tell(), 0
        while done < constant.nbytes:
            try:
                n = os.copy_file_range(
                    source, out.fileno(), constant.nbytes - done, constant.offset + done, start + done
                )
            except OSError:
                n = 0
            if n == 0:
                out.seek(start)
                return 0
            done += n
        out.seek(start + done)
        return done
    finally:
        os.close(source)


def _tables(laid: Laid, model: TflModel, outside: frozenset[int]) -> dict[int, int]:
    """Everything but constants.  Returns, per buffer, the position of its data offset field, or of its offset/size pair
    when outside.
    """
    values: dict[int, Value] = {0: 3, 1: 0, 2: 0, 3: 0, 4: 0}
    if model.metadata:
        values[6] = 0
    if model.signatures:
        values[7] = 0
    root, layout = laid.table("Model", values)
    laid.point(0, root)
    laid.point(root + layout.at[3], laid.string(model.description))
    _codes(laid, root + layout.at[1], model)
    _each(laid, root + layout.at[2], model.subgraphs, lambda g: _subgraph(laid, g, model))
    if model.metadata:
        _each(laid, root + layout.at[6], list(model.metadata.items()), lambda entry: _metadata(laid, *entry))
    if model.signatures:
        _each(laid, root + layout.at[7], model.signatures, lambda s: _signature(laid, s))
    laid.write_shared()
    return _buffers(laid, root + layout.at[4], model.buffers, outside)


def _each(laid: Laid, field: int, items: list[T], write: Callable[[T], int]) -> None:
    """A vector of tables: the vector first, then each table by `write`, which returns its position."""
    vector = laid.offsets(len(items))
    laid.point(field, vector)
    laid.point_all(vector, [write(item) for item in items])


def _codes(laid: Laid, field: int, model: TflModel) -> None:
    vector = laid.offsets(len(model.codes))
    laid.point(field, vector)
    positions = []
    for code in model.codes:
        number = BUILTINS[code.builtin]
        values: dict[int, Value] = {
            0: min(number, BUILTINS["PLACEHOLDER_FOR_GREATER_OP_CODES"]),
            2: code.version,
            3: number,
        }
        if code.custom is not None:
            values = {0: values[0], 1: 0, 2: code.version, 3: number}
        position, layout = laid.table("OperatorCode", values)
        if code.custom is not None:
            laid.point(position + layout.at[1], laid.string(code.custom))
        positions.append(position)
    laid.point_all(vector, positions)


def _subgraph(laid: Laid, graph: SubGraph, model: TflModel) -> int:
    values: dict[int, Value] = {0: 0, 1: 0, 2: 0, 3: 0, 4: 0}
    if graph.debug_index >= 0:
        values[5] = graph.debug_index
    position, layout = laid.table("SubGraph", values)
    laid.point(position + layout.at[4], laid.string(graph.name))
    laid.point(position + layout.at[1], laid.vector("i", graph.inputs))
    laid.point(position + layout.at[2], laid.vector("i", graph.outputs))
    tensors = laid.offsets(len(graph.tensors))
    laid.point(position + layout.at[0], tensors)
    for i, tensor in enumerate(graph.tensors):
        laid.share_in_bodies(tensors + 4 + 4 * i, _tensor_key(tensor), partial(_tensor, laid, tensor))
    operators = laid.offsets(len(graph.operators))
    laid.point(position + layout.at[3], operators)
    for i, op in enumerate(graph.operators):
        laid.share_in_bodies(operators + 4 + 4 * i, _operator_key(op), partial(_operator, laid, op, model))
    return position


def _tensor_key(tensor: Tensor) -> Hashable:
    quantization = None if tensor.quantization is None else _quantization_key(tensor.quantization)
    kind = tensor.dtype, tensor.shape, tensor.signature, tensor.is_variable, tensor.sparse
    return "tensor", tensor.name, tensor.buffer, kind, quantization


def _quantization_key(found: Quantization) -> Hashable:
    return found.scales, found.zero_points, found.axis, found.blocks, found.lows, found.highs


def _operator_key(op: Operator) -> Hashable:
    ends = op.inputs, op.outputs, op.intermediates, op.mutating
    return "operator", op.code, ends, _options_key(op), op.custom_options, op.debug_index


def _options_key(op: Operator) -> Hashable:
    return tuple(sorted((name, repr(value)) for name, value in op.options.items()))  # -0.0 is not 0.0


def _tensor(laid: Laid, tensor: Tensor) -> int:
    values: dict[int, Value] = {0: 0, 1: tensor.dtype, 2: tensor.buffer, 3: 0}
    if tensor.quantization is not None:
        values[4] = 0
    if tensor.is_variable:
        values[5] = True
    if tensor.sparse is not None:
        values[6] = 0
    if tensor.signature is not None:
        values[7] = 0
    values[8] = tensor.shape is not None
    position, layout = laid.table("Tensor", values)
    at = layout.at
    laid.share_vector(position + at[0], "i", tensor.shape or ())
    laid.share_in_bodies(position + at[3], tensor.name, lambda: laid.string(tensor.name))
    found = tensor.quantization
    if found is not None:
        laid.share(position + at[4], _quantization_key(found), lambda: _quantization(laid, found))
    sparse = tensor.sparse
    if sparse is not None:
        laid.share(position + at[6], sparse, lambda: _sparsity(laid, sparse))
    if tensor.signature is not None:
        laid.share_vector(position + at[7], "i", tensor.signature)
    return position


def _sparsity(laid: Laid, sparse: Sparse) -> int:
    blocks = {1: 0} if sparse.blocks else {}
    position, layout = laid.table("SparsityParameters", {0: 0, **blocks, 2: 0})
    for slot, axes in ((0, sparse.order), *((slot, sparse.blocks) for slot in blocks)):
        laid.point(position + layout.at[slot], laid.vector("i", axes))
    levels = laid.offsets(len(sparse.levels))
    laid.point(position + layout.at[2], levels)
    laid.point_all(levels, [_level(laid, level) for level in sparse.levels])
    return position


def _level(laid: Laid, level: SparseLevel) -> int:
    found = [(slot, part) for slot, part in ((2, level.segments), (4, level.indices)) if part is not None]
    if not found:
        return laid.table("DimensionMetadata", {0: 0, 1: level.size})[0]
    values = {key: value for slot, part in found for key, value in ((slot, part.kind), (slot + 1, 0))}
    position, layout = laid.table("DimensionMetadata", {0: 1, 1: level.size, **values})
    for slot, part in found:
        vector, own = laid.table("SparseIndexVector", {0: 0})
        laid.point(position + layout.at[slot + 1], vector)
        laid.point(vector + own.at[0], laid.vector(INDEX_CODES[part.kind], part.numbers))
    return position


def _quantization(laid: Laid, quantization: Quantization) -> int:
    if quantization.blocks is not None:
        return _blocks(laid, *quantization.blocks)
    seen = {slot: 0 for slot, numbers in enumerate((quantization.lows, quantization.highs)) if numbers}
    position, layout = laid.table("QuantizationParameters", {**seen, 2: 0, 3: 0, 6: quantization.axis})
    for slot in seen:
        laid.share_vector(position + layout.at[slot], "f", (quantization.lows, quantization.highs)[slot])
    laid.share_vector(position + layout.at[2], "f", quantization.scales)
    laid.share_vector(position + layout.at[3], "q", quantization.zero_points)
    return position


def _blocks(laid: Laid, scales: int, size: int) -> int:
    position, layout = laid.table("QuantizationParameters", {4: _BLOCKWISE, 5: 0})
    blocks, _ = laid.table("BlockwiseQuantization", {0: scales, 1: -1, 2: size})
    laid.point(position + layout.at[5], blocks)
    return position


def _operator(laid: Laid, op: Operator, model: TflModel) -> int:
    table = OPTIONS_OF.get(model.codes[op.code].builtin)
    values: dict[int, Value] = {0: op.code, 1: 0, 2: 0}
    options_slot = 0
    if table is not None:
        second = table in UNION2_ID
        kind_slot, options_slot = (11, 12) if second else (3, 4)
        values[kind_slot] = UNION2_ID[table] if second else UNION_ID[table]
        values[options_slot] = 0
    if op.custom_options is not None:
        values[5] = 0
    if op.debug_index >= 0:
        values[13] = op.debug_index
    lists = {7: ("?", op.mutating), 8: ("i", op.intermediates)}
    values.update({slot: 0 for slot, (_, numbers) in lists.items() if numbers})
    position, layout = laid.table("Operator", values)
    for slot, (kind, numbers) in lists.items():
        if numbers:
            laid.point(position + layout.at[slot], laid.vector(kind, numbers))
    at = layout.at
    for slot, ends in ((1, op.inputs), (2, op.outputs)):
        laid.share_vector(position + at[slot], "i", ends)
    if table is not None:
        laid.share(position + at[options_slot], (table, _options_key(op)), lambda: _options_of(laid, table, op))
    if op.custom_options is not None:
        laid.point(position + at[5], laid.vector("B", op.custom_options))
    return position


def _options_of(laid: Laid, table: str, op: Operator) -> int:
    try:
        return _options(laid, table, op.options)
    except struct.error as error:
        raise ConversionError(
            Code.TargetLacksOp, f"{table} has no room for {op.options}: {error}", location=op.location
        ) from error


def _options(laid: Laid, table: str, options: dict[str, OptionValue]) -> int:
    """An options table; fields at their default are left out.  Raises KeyError-like ConversionError for a field the
    schema has not.
    """
    values: dict[int, Value] = {}
    vectors: list[tuple[int, str, OptionValue]] = []
    known = 0
    for name, slot, kind, default in OPTION_FIELDS[table]:
        if name not in options:
            continue
        known += 1
        value = options[name]
        if isinstance(value, (str, bytes, tuple)):
            values[slot] = 0
            vectors.append((slot, kind, value))
        elif value != default:
            values[slot] = value
    if known != len(options):
        names = {row[0] for row in OPTION_FIELDS[table]}
        raise ConversionError(Code.InternalError, f"{table} has no field {', '.join(sorted(set(options) - names))}")
    position, layout = laid.table(table, values)
    for slot, kind, value in vectors:
        laid.point(position + layout.at[slot], _option_vector(laid, kind, value))
    return position


def _option_vector(laid: Laid, kind: str, value: OptionValue) -> int:
    if isinstance(value, str):
        return laid.string(value)
    if isinstance(value, (bytes, tuple)):
        return laid.vector(scalar_code(kind.strip("[]")), value)
    raise ConversionError(Code.InternalError, f"option of kind {kind} holds {value!r}")


def _metadata(laid: Laid, name: str, buffer: int) -> int:
    position, layout = laid.table("Metadata", {0: 0, 1: buffer})
    laid.point(position + layout.at[0], laid.string(name))
    return position


def _signature(laid: Laid, signature: Signature) -> int:
    position, layout = laid.table("SignatureDef", {0: 0, 1: 0, 2: 0, 4: signature.subgraph})
    for slot, entries in ((0, signature.inputs), (1, signature.outputs)):
        vector = laid.offsets(len(entries))
        laid.point(position + layout.at[slot], vector)
        laid.point_all(vector, [_tensor_map(laid, name, tensor) for name, tensor in entries])
    laid.point(position + layout.at[2], laid.string(signature.key))
    return position


def _tensor_map(laid: Laid, name: str, tensor: int) -> int:
    position, layout = laid.table("TensorMap", {0: 0, 1: tensor})
    laid.point(position + layout.at[0], laid.string(name))
    return position


def _buffers(laid: Laid, field: int, buffers: list[Payload], outside: frozenset[int]) -> dict[int, int]:
    vector = laid.offsets(len(buffers))
    laid.point(field, vector)
    positions, fields = [], {}
    for i in range(len(buffers)):
        if i == 0:
            position, layout = laid.table("Buffer", {})
        elif i in outside:
            position, layout = laid.table("Buffer", {1: 0, 2: 0})
            fields[i] = position + layout.at[1]
        else:
            position, layout = laid.table("Buffer", {0: 0})
            fields[i] = position + layout.at[0]
        positions.append(position)
    laid.point_all(vector, positions)
    return fields
