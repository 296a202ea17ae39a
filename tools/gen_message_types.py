"""Writes mlconv/formats/hlo_messages.pyi and graph_messages.pyi from the protobuf messages of the installed TensorFlow.

Usage: python tools/gen_message_types.py [FOLDER].  Only the type checker reads the stubs: at run time messages come
from `mlconv.formats.protos`.  A stub has the messages that one of its roots contains, from whatever file.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mlconv.formats.protos import hlo_pb, tf_pb, xla_data_pb

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "mlconv" / "formats"
CONTAINERS = ("MessageMap", "RepeatedCompositeFieldContainer", "RepeatedScalarFieldContainer", "ScalarMap")
PYTHON = {8: "bool", 9: "str", 12: "bytes", 1: "float", 2: "float"}  # FieldDescriptor.type; everything else is an int


def flat(descriptor: Any) -> str:
    """A name for a message and its messages inside, which stand side by side in a stub."""
    return flat(descriptor.containing_type) + descriptor.name if descriptor.containing_type else str(descriptor.name)


def inside(roots: list[Any]) -> Iterator[Any]:
    """The descriptors that roots contain, each once, map entries left out."""
    pending, seen = list(roots), set()
    while pending:
        descriptor = pending.pop()
        if descriptor.full_name in seen:
            continue
        seen.add(descriptor.full_name)
        pending += [f.message_type for f in descriptor.fields if f.message_type is not None]
        if not descriptor.GetOptions().map_entry:
            yield descriptor


def scalar(field: Any) -> str:
    return flat(field.message_type) if field.message_type is not None else PYTHON.get(field.type, "int")


def type_of(field: Any) -> str:
    if not field.is_repeated:
        return scalar(field)
    if field.message_type is None:
        return f"RepeatedScalarFieldContainer[{scalar(field)}]"
    if field.message_type.GetOptions().map_entry:
        key, value = (field.message_type.fields_by_name[n] for n in ("key", "value"))
        return f"{'ScalarMap' if value.message_type is None else 'MessageMap'}[{scalar(key)}, {scalar(value)}]"
    return f"RepeatedCompositeFieldContainer[{scalar(field)}]"


def stub(title: str, roots: list[Any]) -> str:
    classes = []
    for descriptor in sorted(inside(roots), key=flat):
        lines = [f"    {f.name}: {type_of(f)}" for f in descriptor.fields if f.name.isidentifier()]
        classes.append("\n".join([f"class {flat(descriptor)}(Message):", *(lines or ["    ..."])]))
    body = "\n\n".join(classes)
    used = ", ".join(c for c in CONTAINERS if f"{c}[" in body)
    head = f'"""{title}  Written by tools/gen_message_types.py."""'
    imports = f"from google.protobuf.internal.containers import {used}\nfrom google.protobuf.message import Message"
    return f"{head}\n\n{imports}\n\n{body}\n"


def main(folder: Path) -> None:
    hlo = [hlo_pb().HloModuleProto, xla_data_pb().OpSharding]
    graph = [
        tf_pb("framework.graph_pb2").GraphDef,
        tf_pb("framework.graph_debug_info_pb2").GraphDebugInfo,
        tf_pb("protobuf.saved_model_pb2").SavedModel,
        tf_pb("protobuf.tensor_bundle_pb2").BundleHeaderProto,
        tf_pb("protobuf.tensor_bundle_pb2").BundleEntryProto,
        tf_pb("protobuf.trackable_object_graph_pb2").TrackableObjectGraph,
    ]
    for name, title, roots in (("hlo", "Messages of XLA.", hlo), ("graph", "Messages of TensorFlow.", graph)):
        path = folder / f"{name}_messages.pyi"
        path.write_text(stub(title, [r.DESCRIPTOR for r in roots]), encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "ruff", "format", "-q", "--config", str(ROOT / "pyproject.toml"), str(path)],
            check=True,
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
