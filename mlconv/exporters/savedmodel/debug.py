"""Places in the user's source, as TensorFlow records them: the frames of each node, outermost first.

Source: tensorflow/core/framework/graph_debug_info.proto; keys are `node@function`, of nodes of the graph `node@`.
Frames and traces are numbered, and each stands once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlconv.formats.protos import tf_pb
from mlconv.provenance.locations import FileLocation, Location, all_frames, frames

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import GraphDebugInfo


class DebugInfo:
    """The frames of a file's nodes."""

    def __init__(self) -> None:
        self.proto: GraphDebugInfo = tf_pb("framework.graph_debug_info_pb2").GraphDebugInfo()
        self._files: dict[str, int] = {}
        self._frames: dict[FileLocation, int] = {}
        self._traces: dict[tuple[int, ...], int] = {}

    def add(self, node: str, function: str, location: Location | None) -> None:
        """Note where a node comes from."""
        found = tuple(reversed(all_frames(location) or frames(location)))
        if not found:
            return
        numbers = tuple(map(self._frame, found))
        if numbers not in self._traces:
            self._traces[numbers] = len(self._traces) + 1
            self.proto.traces_by_id[self._traces[numbers]].frame_id.extend(numbers)
        self.proto.name_to_trace_id[f"{node}@{function}"] = self._traces[numbers]

    def _frame(self, frame: FileLocation) -> int:
        if frame not in self._frames:
            number = self._frames[frame] = len(self._frames) + 1
            if frame.file not in self._files:
                self._files[frame.file] = len(self._files)
                self.proto.files.append(frame.file)
            message = self.proto.frames_by_id[number]
            message.file_index, message.line, message.col = self._files[frame.file], frame.line, frame.column
            message.func, message.code = frame.function, frame.text
        return self._frames[frame]
