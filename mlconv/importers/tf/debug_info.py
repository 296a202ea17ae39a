"""Python stacks recorded in a GraphDebugInfo, by node.  Source: tensorflow/core/framework/graph_debug_info.proto.

Two layouts occur: `traces` hold frames inline (old), or ids into `frames_by_id` and `traces_by_id` through
`name_to_trace_id` (new). Keys are `node@function`; frames stand outermost first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mlconv.provenance.locations import CallStack, FileLocation, Location, NameLocation

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import GraphDebugInfo, GraphDebugInfoFileLineCol, GraphDebugInfoStackTrace


# Frames of installed packages, of the standard library and of generated code are not the user's.
_LIBRARY = re.compile(r"/(?:site|dist)-packages/|/lib/python\d[\d.]*/|^<|/tensorflow/python/|/bazel-out/")


class DebugInfo:
    """Locations of nodes.  Without a proto every location is a plain name."""

    def __init__(self, proto: GraphDebugInfo | None = None) -> None:
        self._proto = proto
        self._has_frames = proto is not None and bool(len(proto.traces) or len(proto.name_to_trace_id))

    def location(self, node: str, function: str = "", path: str = "") -> Location:
        """Where `node` of `function` was made; `path` is the full name after inlining (defaults to `node`)."""
        stack = self._stack(f"{node}@{function}") if self._has_frames else None
        return NameLocation(path or node, stack)

    def _stack(self, key: str) -> CallStack | None:
        """User frames innermost first; library frames only when there is nothing else."""
        frames = self._frames(key)[::-1]
        user = [f for f in frames if not _LIBRARY.search(f.file)]
        kept = user or frames[:1]
        return (
            CallStack(tuple(kept), len(frames) - len(kept), tuple(frames) if len(kept) < len(frames) else ())
            if kept
            else None
        )

    def _frames(self, key: str) -> list[FileLocation]:
        proto = self._proto
        if proto is None:
            return []
        if key in proto.traces:
            return self._trace(proto.traces[key])
        if key in proto.name_to_trace_id:
            number = proto.name_to_trace_id[key]
            return self._trace(proto.traces_by_id[number]) if number in proto.traces_by_id else []
        return []

    def _trace(self, trace: GraphDebugInfoStackTrace) -> list[FileLocation]:
        if len(trace.file_line_cols):
            return [self._frame(f) for f in trace.file_line_cols]
        known = self._proto.frames_by_id if self._proto is not None else {}
        return [self._frame(known[i]) for i in trace.frame_id if i in known]

    def _frame(self, frame: GraphDebugInfoFileLineCol) -> FileLocation:
        files = self._proto.files if self._proto is not None else ()
        file = files[frame.file_index] if 0 <= frame.file_index < len(files) else "<unknown>"
        return FileLocation(_text(file), frame.line, frame.col, _text(frame.func), _text(frame.code))


def _text(value: str | bytes) -> str:
    """Strings of this message come as bytes where they are not UTF-8."""
    return value if isinstance(value, str) else value.decode(errors="backslashreplace")
