"""Cutting large payloads out of a serialized protobuf, so that weights are never parsed.

`reduce` walks the wire format (protobuf encoding specification, "Message Structure") along a small table, which names
the messages on the way to tensors and the length-delimited fields that hold their numbers.  A payload of at least
`MIN_CUT` bytes is left out and recorded as a byte range of the file; in its place stands a private field with the
number of the payload.  What remains is small, and is parsed by the generated classes; `payloads_of` finds a message's
payloads again.

Everything here is untrusted: a varint is at most 10 bytes, a length never reaches past its message, nesting is bounded.
"""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError

if TYPE_CHECKING:
    from google.protobuf.message import Message

Buffer = bytes | mmap.mmap

MIN_CUT = 1024
"""Smallest payload in bytes that is cut; smaller ones, and messages smaller than this, are copied as they are."""

MAX_DEPTH = 100
"""Deepest nesting of messages that is followed, as in the protobuf parsers."""

MARKER_FIELD = 536_870_003
"""Private field number of the marker (varint: index into `Reduced.payloads`); the specification's maximum is 2**29 -
1.
"""

_WINDOW = 8 << 20
"""Bytes of a mapped file that are passed before its pages are given back."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class Payload:
    """Bytes [offset, offset + nbytes) of the file: the content of length-delimited field `number` of its message."""

    number: int
    offset: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class MessageTable:
    """What to do with the length-delimited fields of a message: `inner` are entered, `cut` are payloads.  Others are
    copied.
    """

    name: str
    inner: Mapping[int, str] = field(default_factory=dict)
    cut: frozenset[int] = frozenset()


Tables = Mapping[str, MessageTable]


@dataclass(frozen=True, slots=True)
class Reduced:
    """The proto without its payloads, and where those are."""

    proto: bytes
    payloads: tuple[Payload, ...]


def tables(*entries: MessageTable) -> dict[str, MessageTable]:
    return {entry.name: entry for entry in entries}


def reduce(buffer: Buffer, table: Tables, root: str) -> Reduced:
    """`buffer` without the payloads that `table` names, starting at message `root`.

    Raises ConversionError: FileDamaged (a length reaches past the end, endless varint, unknown wire type),
    NestedTooDeeply (nesting).
    """
    cutter = _Cutter(buffer, table)
    pieces = cutter.message(0, len(buffer), root, 0)
    cutter.give_back(len(buffer))
    return Reduced(buffer[:] if pieces is None else b"".join(pieces), tuple(cutter.payloads))


def payloads_of(message: Message, reduced: Reduced) -> dict[int, Payload]:
    """The payloads that were cut out of `message` (itself, not its children), by field number."""
    if not reduced.payloads:
        return {}
    from google.protobuf.unknown_fields import UnknownFieldSet

    found: dict[int, Payload] = {}
    for unknown in UnknownFieldSet(message):  # type: ignore[attr-defined]  # the stubs leave __iter__ out
        if unknown.field_number != MARKER_FIELD:
            continue
        index = unknown.data
        if not isinstance(index, int) or index >= len(reduced.payloads) or reduced.payloads[index].number in found:
            raise ConversionError(
                Code.FileDamaged, f"cannot parse {message.DESCRIPTOR.name}: its payload is given twice or is invalid"
            )
        found[reduced.payloads[index].number] = reduced.payloads[index]
    return found


class _Cutter:
    """One walk over one buffer."""

    def __init__(self, buffer: Buffer, table: Tables) -> None:
        self.buffer = buffer
        self.table = table
        self.payloads: list[Payload] = []
        self.given_back = 0

    def give_back(self, at: int) -> None:
        """Pages of a mapped file are not needed behind a place; around each that is read, the system has mapped up to
        megabytes.
        """
        self.given_back = at
        if isinstance(self.buffer, mmap.mmap) and hasattr(self.buffer, "madvise"):
            self.buffer.madvise(mmap.MADV_DONTNEED)

    def message(self, start: int, end: int, name: str, depth: int) -> list[bytes] | None:
        """The reduced bytes of the message at [start, end), or None when nothing was cut out of it."""
        if depth > MAX_DEPTH:
            raise ConversionError(
                Code.NestedTooDeeply,
                f"cannot parse the file: messages are nested deeper than "
                f"{MAX_DEPTH} levels at byte {start} (recursion depth limit)",
            )
        buffer, table = self.buffer, self.table[name]
        inner, cut = table.inner, table.cut
        pieces: list[bytes] | None = None
        copied = start
        at = start
        while at < end:
            begin = at
            tag = buffer[at]
            if tag < 128:
                at += 1
            else:
                tag, at = self.varint(at, end)
            if tag & 7 != _BYTES:
                at = self.skip(tag, at, end)
                continue
            if at < end and buffer[at] < 128:
                size = buffer[at]
                at += 1
            else:
                size, at = self.varint(at, end)
            body, at = at, at + size
            if at > end:
                raise _truncated(name, begin, size, end - body)
            if size < MIN_CUT:
                continue
            number = tag >> 3
            replacement: list[bytes] | None = None
            if number in cut:
                replacement = [varint_bytes(MARKER_FIELD << 3 | _VARINT), varint_bytes(len(self.payloads))]
                self.payloads.append(Payload(number, body, size))
                if at - self.given_back > _WINDOW:
                    self.give_back(at)
            elif number in inner:
                replacement = self.message(body, at, inner[number], depth + 1)
                if replacement is not None:
                    replacement = [varint_bytes(tag), varint_bytes(sum(map(len, replacement))), *replacement]
            if replacement is not None:
                pieces = pieces if pieces is not None else []
                pieces.append(buffer[copied:begin])
                pieces.extend(replacement)
                copied = at
        if pieces is not None:
            pieces.append(buffer[copied:end])
        return pieces

    def varint(self, at: int, end: int) -> tuple[int, int]:
        """A varint of at most 10 bytes at `at`, and the offset behind it."""
        value = 0
        for shift in range(0, 70, 7):
            if at >= end:
                raise ConversionError(
                    Code.FileDamaged, f"cannot parse the file: it is truncated within a number at byte {at}"
                )
            byte = self.buffer[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
        raise ConversionError(
            Code.FileDamaged, f"cannot parse the file: a number (varint) that ends at byte {at} is longer than 10 bytes"
        )

    def skip(self, tag: int, at: int, end: int) -> int:
        """The offset behind a field that is not length-delimited."""
        kind = tag & 7
        if kind == _VARINT:
            return self.varint(at, end)[1]
        size = {_FIXED64: 8, _FIXED32: 4}.get(kind)
        if size is None or tag >> 3 == 0:
            raise ConversionError(Code.FileDamaged, f"cannot parse the file: invalid field tag {tag} before byte {at}")
        if at + size > end:
            raise ConversionError(
                Code.FileDamaged, f"cannot parse the file: it is truncated within a field at byte {at}"
            )
        return at + size


def tag(number: int) -> bytes:
    """The tag of a length-delimited field."""
    return varint_bytes(number << 3 | _BYTES)


def varint_bytes(value: int) -> bytes:
    """A non-negative number in base 128, lowest digits first (protobuf's encoding guide, "Base 128 Varints")."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _truncated(name: str, begin: int, size: int, left: int) -> ConversionError:
    return ConversionError(
        Code.FileDamaged,
        f"cannot parse the file: a field of {name} at byte {begin} claims "
        f"{size} bytes, {left} are left; the file is truncated or invalid",
        help="the file is damaged or was not copied completely; get it again and compare its size",
    )


# TensorFlow: tensor.proto (half_val 13, float_val 5, ..., tensor_content 4), attr_value.proto, node_def.proto,
# function.proto, graph.proto, meta_graph.proto, saved_model.proto.
TENSORFLOW: Tables = tables(
    MessageTable("SavedModel", {2: "MetaGraphDef"}),
    MessageTable("MetaGraphDef", {2: "GraphDef"}),
    MessageTable("GraphDef", {1: "NodeDef", 2: "FunctionDefLibrary"}),
    MessageTable("FunctionDefLibrary", {1: "FunctionDef"}),
    MessageTable("FunctionDef", {3: "NodeDef", 5: "AttrEntry"}),
    MessageTable("NodeDef", {5: "AttrEntry"}),
    MessageTable("AttrEntry", {2: "AttrValue"}),
    MessageTable("AttrValue", {1: "ListValue", 8: "TensorProto"}, frozenset({2})),
    MessageTable("ListValue", {8: "TensorProto"}),
    MessageTable("TensorProto", cut=frozenset({4, 5, 6, 7, 9, 10, 11, 12, 13, 16, 17, 18})),
)

# Of LiteralProto, what is packed as memory holds it: bytes, fixed32 and fixed64; integers of 32 and 64 bits are
# varints, and stay.
HLO: Tables = tables(
    MessageTable("HloModuleProto", {3: "HloComputationProto"}),
    MessageTable("HloComputationProto", {2: "HloInstructionProto"}),
    MessageTable("HloInstructionProto", {8: "LiteralProto"}),
    MessageTable(
        "LiteralProto", {10: "LiteralProto"}, frozenset({3, 8, 9, 11, 12, 13, 15, 16, 17, 18, 19, 20, 24, 25})
    ),
)
