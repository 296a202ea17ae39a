"""A model's message to a file, with its initializers streamed behind the nodes, or in a file beside.

Source: onnx.proto; onnx/docs/ExternalData.md.  What one message holds is 2 GB.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.exporters.onnx.tensors import Stored, lay_out
from mlconv.formats.atomic import replacing, write_pieces
from mlconv.formats.protos import onnx_pb
from mlconv.formats.wire import tag, varint_bytes

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import ModelProto

PROTO_LIMIT = (1 << 31) - (1 << 20)
_GRAPH_FIELD, _INITIALIZER_FIELD = 7, 5


def write_model(
    model: ModelProto,
    initializers: Sequence[Stored],
    target: Path,
    external_data: bool = False,
    limit: int = PROTO_LIMIT,
) -> int:
    """Write a model whose graph has no initializers yet; returns the size in bytes, of both files where there are two.
    Raises ConversionError TensorTooLarge, OutputNotWritable.

    external_data: weights go to `target`.data, as they do where a message is too large for them.
    """
    location = f"{target.name}.data"
    head, body = _parts(model)
    if external_data or len(body) + sum(i.size(location) for i in initializers) > limit:
        beside = lay_out(initializers)
    else:
        beside = 0
    total = len(body) + sum(framed(i, location) for i in initializers)
    if total > limit:
        raise ConversionError(
            Code.TensorTooLarge, f"the graph takes {total} bytes, and a protobuf message holds at most 2 GB"
        )
    if beside:
        with replacing(target.with_name(location)) as out:
            write_pieces(out, _data(initializers, beside))
    with replacing(target) as out:
        size = write_pieces(out, _pieces(head, body, total, initializers, location))
    return size + beside


def _parts(model: ModelProto) -> tuple[bytes, bytes]:
    """The model without its graph, and the graph."""
    body = model.graph.SerializeToString(deterministic=True)
    head = onnx_pb().ModelProto()
    head.CopyFrom(model)
    head.ClearField("graph")
    return head.SerializeToString(deterministic=True), body


def framed(each: Stored, location: str) -> int:
    """Bytes of an initializer in its graph."""
    size = each.size(location)
    return len(tag(_INITIALIZER_FIELD)) + len(varint_bytes(size)) + size


def _pieces(
    head: bytes, body: bytes, total: int, initializers: Sequence[Stored], location: str
) -> Iterator[bytes | memoryview]:
    yield head + tag(_GRAPH_FIELD) + varint_bytes(total) + body
    for each in initializers:
        yield tag(_INITIALIZER_FIELD) + varint_bytes(each.size(location))
        yield from each.pieces(location)


def _data(initializers: Sequence[Stored], size: int) -> Iterator[bytes | memoryview]:
    """The file beside."""
    at = 0
    for each in initializers:
        if each.offset >= 0:
            yield bytes(each.offset - at)
            yield from each.data()
            at = each.offset + each.nbytes
    yield bytes(size - at)
