"""Where an ONNX node came from: its name, and the Python frames that exporters record.

torch's dynamo exporter writes traceback text (outermost frame first, with source lines) to the node's metadata
`pkg.torch.onnx.stack_trace`; its older exporter with `verbose=True` writes `file(line): function` lines to
`doc_string`, innermost first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mlconv.importers.onnx.fields import text
from mlconv.provenance.locations import CallStack, FileLocation, Location, NameLocation

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import NodeProto


_STACK_KEY = "pkg.torch.onnx.stack_trace"
_TRACEBACK_FRAME = re.compile(r'^\s*File "(.*)", line (\d+), in (.*)$')
_DOC_FRAME = re.compile(r"^(.*)\((\d+)\): (.*)$")
_MARKS = re.compile(r"^[\s^~]*$")
_LIBRARY = re.compile(r"[/\\](site-packages|dist-packages)[/\\]|[/\\]lib[/\\]python3(\.\d+)?[/\\]|^torch[/\\]|^<")
_MAX_FRAMES = 100


def node_location(node: NodeProto, fallback: str, path: tuple[str, ...]) -> NameLocation:
    """The location of a node: its name (`fallback` when it has none) below the names of the function calls around
    it.
    """
    name = text(node.name) or fallback
    return NameLocation("/".join((*path, name)), recorded_stack(node))


def recorded_stack(node: NodeProto) -> Location | None:
    """The user's frames that the file records for a node, innermost first; library frames are counted.  None when there
    are none.
    """
    for entry in node.metadata_props:
        if text(entry.key) == _STACK_KEY:
            return _call_stack(reversed(_traceback(text(entry.value))))
    doc = text(node.doc_string)
    return _call_stack(_doc_frames(doc)) if "): " in doc else None


def _traceback(trace: str) -> list[FileLocation]:
    """Frames of traceback text in its order, each with the source line that follows it."""
    found: list[FileLocation] = []
    for line in trace.splitlines():
        match = _TRACEBACK_FRAME.match(line)
        if match is not None:
            found.append(FileLocation(match[1], int(match[2]), 0, match[3]))
        elif found and not found[-1].text and not _MARKS.match(line):
            found[-1] = found[-1]._replace(text=line.strip())
    return found[-_MAX_FRAMES:]


def _doc_frames(doc: str) -> list[FileLocation]:
    matches = (_DOC_FRAME.match(line) for line in doc.splitlines()[:_MAX_FRAMES])
    return [FileLocation(m[1], int(m[2]), 0, m[3]) for m in matches if m is not None]


def _call_stack(frames: Iterable[FileLocation]) -> Location | None:
    """A stack without library frames; when nothing else was recorded, the innermost of those stands."""
    every = [f for f in frames if f.line < 1 << 31]
    user = [f for f in every if not _LIBRARY.search(f.file)]
    kept = user or every[:1]
    return (
        CallStack(tuple(kept), len(every) - len(kept), tuple(every) if len(every) > len(kept) else ()) if kept else None
    )
