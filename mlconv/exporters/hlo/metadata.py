"""Where instructions come from: OpMetadata, and the module's table of stack frames.

source_file and source_line are the innermost frame of the user's code; stack_frame_id points to it in
StackFrameIndexProto, whose ids count from 1. Columns count from 0, as jax writes them; an unknown one is 0 too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlconv.provenance.locations import FileLocation, Location, first_name, frames

if TYPE_CHECKING:
    from mlconv.formats.hlo_messages import OpMetadata, StackFrameIndexProto


class Frames:
    """The StackFrameIndexProto being filled; equal frames are written once."""

    def __init__(self) -> None:
        self._strings: dict[str, dict[str, int]] = {"file": {}, "function": {}}
        self._places: dict[tuple[int, int, int, int], int] = {}
        self._frames: dict[tuple[int, int], int] = {}
        self._known: dict[tuple[FileLocation, ...], int] = {}

    def add(self, stack: tuple[FileLocation, ...]) -> int:
        """The id of the innermost frame of a stack (innermost first)."""
        known = self._known.get(stack)
        if known is not None:
            return known
        parent = 0
        for frame in reversed(stack):
            place = (
                self._id("file", frame.file),
                self._id("function", frame.function),
                max(frame.line, 0),
                max(frame.column - 1, 0),
            )
            at = self._places.setdefault(place, len(self._places) + 1)
            parent = self._frames.setdefault((at, parent), len(self._frames) + 1)
        self._known[stack] = parent
        return parent

    def _id(self, kind: str, text: str) -> int:
        table = self._strings[kind]
        return table.setdefault(text, len(table) + 1)

    def fill(self, proto: StackFrameIndexProto) -> None:
        """Write the tables."""
        proto.file_names.extend(self._strings["file"])
        proto.function_names.extend(self._strings["function"])
        for file, function, line, column in self._places:
            proto.file_locations.add(file_name_id=file, function_name_id=function, line=line, column=column)
        for place, parent in self._frames:
            proto.stack_frames.add(file_location_id=place, parent_frame_id=parent)


def fill_metadata(proto: OpMetadata, location: Location | None, op_type: str, stacks: Frames) -> None:
    """OpMetadata of an instruction."""
    if op_type:
        proto.op_type = op_type
    if location is None:
        return
    name = first_name(location)
    if name:
        proto.op_name = name
    stack = frames(location)
    if stack:
        proto.source_file = stack[0].file
        proto.source_line = max(stack[0].line, 0)
        proto.stack_frame_id = stacks.add(stack)
