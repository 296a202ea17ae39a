"""Writes mlconv/formats/tensorflow_messages.binpb: the definitions of the messages of TensorFlow and XLA that mlconv
reads and writes, from the installed TensorFlow, as a serialized FileDescriptorSet.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from mlconv.formats.protos import TENSORFLOW_FILES, of_tensorflow

OUTPUT = Path(__file__).resolve().parent.parent / "mlconv" / "formats" / "tensorflow_messages.binpb"


def definitions() -> bytes:
    """What files are made of stands in front of them."""
    found: dict[str, bytes] = {}

    def add(file: Any) -> None:
        if file.name not in found:
            for part in file.dependencies:
                add(part)
            found[file.name] = file.serialized_pb

    for module in TENSORFLOW_FILES.values():
        add(of_tensorflow(module).DESCRIPTOR)
    return FileDescriptorSet(file=map(FileDescriptorProto.FromString, found.values())).SerializeToString(
        deterministic=True
    )


if __name__ == "__main__":
    (Path(sys.argv[1]) if sys.argv[1:] else OUTPUT).write_bytes(definitions())
