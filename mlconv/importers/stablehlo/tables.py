"""The tables of MLIR bytecode: strings, dialects, attributes and types, resources.

Attributes and types are read when they are first asked for, and once.  Source: mlir/docs/BytecodeFormat.md;
mlir/lib/Bytecode/Reader/BytecodeReader.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo import elements, encodings
from mlconv.importers.stablehlo.cursor import Cursor
from mlconv.importers.stablehlo.ir import (
    CallPlace,
    FilePlace,
    FusedPlace,
    MlirType,
    NamedPlace,
    Opaque,
    PlaceRef,
    Shaped,
)
from mlconv.importers.stablehlo.shardy import shardy_attribute
from mlconv.ir.constants import Const, SourceFile

MAX_DEPTH = 64  # of attributes within attributes
_DIALECTS = ("builtin", "vhlo")
DIALECT_VERSIONS, KNOWN_OPS, NATIVE_PROPERTIES = 1, 4, 5  # versions of the format since which there are these
_UNREAD = object()
T = TypeVar("T")


class Entry(NamedTuple):
    """An attribute or a type.  encoded: in the dialect's own encoding, else as text."""

    dialect: str
    encoded: bool
    cursor: Cursor


class Tables:
    """What ops refer to by number."""

    def __init__(self, file: SourceFile | bytes, version: int) -> None:
        self.file, self.version = file, version
        self.strings: list[str] = []
        self.dialects: list[str] = []
        self.op_names: list[str] = []
        self.resources: list[Cursor] = []
        self._attributes: list[Entry] = []
        self._types: list[Entry] = []
        self._read: dict[int, object] = {}
        self._read_types: dict[int, MlirType] = {}
        self._places: dict[int, PlaceRef] = {}
        self._pending: list[int] = []
        self._depth = 0

    def read_strings(self, c: Cursor) -> None:
        """Sizes, last string first, then the strings."""
        sizes = [c.varint() for _ in range(c.count())]
        end = c.end
        found = []
        for size in sizes:
            if size < 1 or size > end - c.at:
                c.fail(f"a string of {size} bytes, {end - c.at} are left")
            found.append(bytes(c.data[end - size : end - 1]).decode("utf-8", "replace"))
            end -= size
        self.strings = found[::-1]

    def read_dialects(self, c: Cursor) -> None:
        """Names of dialects, then names of ops by dialect.  Raises ConversionError VersionUnsupported for a dialect
        whose ops have no stable form.
        """
        for _ in range(c.count()):
            if self.version < DIALECT_VERSIONS:
                self.dialects.append(self.string(c.varint()))
                continue
            name, versioned = c.flagged()
            self.dialects.append(self.string(name))
            if versioned:
                c.section()
        if self.version >= KNOWN_OPS:
            c.varint()
        while c.left:
            dialect = self.dialect(c)
            for _ in range(c.count()):
                name = c.varint()
                if self.version >= NATIVE_PROPERTIES:
                    name >>= 1
                self.op_names.append(f"{dialect}.{self.string(name)}")
        unstable = sorted({name.partition(".")[0] for name in self.op_names} - {*_DIALECTS, "sdy"})
        if unstable:
            raise ConversionError(
                Code.VersionUnsupported,
                f"the bytecode holds ops of {', '.join(unstable)}, whose encoding is not that of a portable artifact",
                help="write it with jax.export, or with stablehlo.serialize_portable_artifact; or as text",
            )

    def read_entries(self, offsets: Cursor, data: Cursor) -> None:
        """Where attributes and types are: sizes, grouped by dialect."""
        counts = offsets.varint(), offsets.varint()
        for count, into in zip(counts, (self._attributes, self._types), strict=True):
            if count > offsets.left:
                offsets.fail(f"{count} entries are announced, {offsets.left} bytes are left")
            while len(into) < count:
                dialect = self.dialect(offsets)
                for _ in range(offsets.count()):
                    size, encoded = offsets.flagged()
                    into.append(Entry(dialect, encoded, data.part(size)))

    def read_resources(self, offsets: Cursor, data: Cursor) -> None:
        """Where large elements are: those of tools first, then those that attributes name."""
        for _ in range(offsets.count()):
            self.string(offsets.varint())
            self._resource_group(offsets, data)
        while offsets.left:
            self.dialect(offsets)
            self.resources += self._resource_group(offsets, data)

    def _resource_group(self, offsets: Cursor, data: Cursor) -> list[Cursor]:
        found = []
        for _ in range(offsets.count()):
            self.string(offsets.varint())
            size, _kind = offsets.varint(), offsets.byte()
            found.append(data.part(size))
        return found

    def dialect(self, c: Cursor) -> str:
        index = c.varint()
        if index >= len(self.dialects):
            c.fail(f"there is no dialect {index}")
        return self.dialects[index]

    def string(self, index: int) -> str:
        """Raises ConversionError FileDamaged."""
        if index >= len(self.strings):
            raise _missing("string", index)
        return self.strings[index]

    def attribute(self, index: int) -> object:
        """Raises ConversionError FileDamaged, NestedTooDeeply and what reading it raises."""
        found = self._read.get(index, _UNREAD)
        if found is not _UNREAD:
            return found
        if index >= len(self._attributes):
            raise _missing("attribute", index)
        entry = self._attributes[index]
        if entry.dialect == "vhlo" and entry.encoded:
            found = self._deeper(encodings.vhlo_attribute, entry)
        elif entry.dialect == "builtin" and entry.encoded:
            found = self._deeper(encodings.builtin_attribute, entry)
        elif entry.dialect == "sdy" and entry.encoded:
            found = self._deeper(shardy_attribute, entry)
        else:
            found = self._foreign(entry)
        self._read[index] = found
        return found

    def _foreign(self, entry: Entry) -> Opaque:
        c = entry.cursor
        return Opaque(f"#{entry.dialect}") if entry.encoded else Opaque(Cursor(c.data, c.at, c.end, c.base).text())

    def type(self, index: int) -> MlirType:
        """Raises ConversionError FileDamaged, NestedTooDeeply and what reading it raises."""
        found = self._read_types.get(index)
        if found is None:
            if index >= len(self._types):
                raise _missing("type", index)
            entry = self._types[index]
            read = {"vhlo": encodings.vhlo_type, "builtin": encodings.builtin_type}.get(entry.dialect)
            if read is None or not entry.encoded:
                raise ConversionError(Code.ElementTypeUnsupported, f"a type of the dialect {entry.dialect}")
            found = self._read_types[index] = self._deeper(read, entry)
        return found

    def _deeper(self, read: Callable[[Tables, Cursor], T], entry: Entry) -> T:
        if self._depth > MAX_DEPTH:
            raise ConversionError(Code.NestedTooDeeply, f"attributes nest more than {MAX_DEPTH} deep")
        self._depth += 1
        try:
            c = entry.cursor
            return read(self, Cursor(c.data, c.at, c.end, c.base))
        finally:
            self._depth -= 1

    def place(self, index: int) -> PlaceRef:
        """A place, which is read later: places are chained as deep as calls are."""
        found = self._places.get(index)
        if found is None:
            found = self._places[index] = PlaceRef()
            self._pending.append(index)
        return found

    def read_places(self) -> None:
        """Read all places that were asked for, and those that they are made of."""
        while self._pending:
            index = self._pending.pop()
            found = self.attribute(index)
            if isinstance(found, (FilePlace, NamedPlace, CallPlace, FusedPlace)):
                self._places[index].place = found

    def elements(self, kind: Shaped, start: int, size: int) -> Const:
        """A constant whose data begin at an offset of the file."""
        return elements.of_file(kind, self.file, start, size)

    def resource(self, kind: MlirType, index: int, c: Cursor) -> Const:
        """A constant whose data are a resource: alignment, size, padding, data."""
        if index >= len(self.resources) or not isinstance(kind, Shaped):
            c.fail(f"there is no resource {index} of type {kind}")
        part = self.resources[index]
        entry = Cursor(part.data, part.at, part.end, part.base)
        alignment, size = entry.varint(), entry.varint()
        entry.align(alignment)
        return self.elements(kind, entry.take(size), size)


def _missing(what: str, index: int) -> ConversionError:
    return ConversionError(Code.FileDamaged, f"MLIR bytecode: there is no {what} {index}")
