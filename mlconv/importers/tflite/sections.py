"""What the bytes of a TFLite file are: buffers of tensors, names, metadata, and the tables of the graph."""

from __future__ import annotations

import zipfile

from mlconv.formats.files import open_regular
from mlconv.formats.flatbuffer import DamagedError, FlatReader
from mlconv.formats.wire_sections import DEBUG, GRAPH, METADATA, NAMES, WEIGHTS
from mlconv.importers.tflite.locations import ENTRY
from mlconv.importers.tflite.tensors import read_buffers
from mlconv.ir.constants import SourceFile

_HEADER = 4  # bytes of the length of a vector
FILES = "packed files"


def tflite_sections(path: str) -> dict[str, int]:
    """Bytes by section.  Buffers that tensors share count once; what lies behind the flatbuffer is files that are
    packed with it.
    """
    file = SourceFile(path)
    reader = FlatReader(file.map())
    try:
        root = reader.root()
        buffers = read_buffers(reader, root)
        names = 0
        told: dict[int, str] = {}
        for graph in reader.tables(root, 2):
            for tensor in reader.tables(graph, 0):
                position, size = reader.vector(tensor, 3, 1)
                names += size + _HEADER if position else 0
                told[reader.scalar(tensor, 2)] = WEIGHTS
        for entry in reader.tables(root, 6):
            told[reader.scalar(entry, 1)] = DEBUG if reader.text(entry, 0) == ENTRY else METADATA
        found = {WEIGHTS: 0, NAMES: names, DEBUG: 0, METADATA: 0}
        places = {(b.position, b.size): told.get(i, METADATA) for i, b in enumerate(buffers) if b.size}
        for (_, size), what in places.items():
            found[what] += size
    except DamagedError:
        return {}
    found[FILES] = _packed(path, reader.end)
    found[GRAPH] = reader.end - sum(found.values())
    return {name: size for name, size in found.items() if size}


def _packed(path: str, end: int) -> int:
    """Bytes of a zip archive at the end of a file, from its first file on."""
    try:
        with open_regular(path) as f, zipfile.ZipFile(f) as archive:
            return end - min((info.header_offset for info in archive.infolist()), default=end)
    except (zipfile.BadZipFile, OSError, ValueError):
        return 0
