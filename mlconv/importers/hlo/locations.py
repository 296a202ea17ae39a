"""OpMetadata to locations: the op's name in the source framework, with the frames of the user's code beneath.

HLO's columns are those of jax, which count from 0, as co_positions does; locations count them from 1.  Of a column 0
without an end nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlconv.importers.user_frames import MAX_FRAMES, named_stack
from mlconv.provenance.locations import FileLocation, Location

if TYPE_CHECKING:
    from mlconv.formats.hlo_messages import OpMetadata, StackFrameIndexProto


class Stacks:
    """The stack frames of a module."""

    def __init__(self, index: StackFrameIndexProto) -> None:
        self._index = index
        self._known: dict[int, tuple[FileLocation, ...]] = {}

    def location(self, name: str, metadata: OpMetadata, caller: Location | None = None) -> Location:
        """Where an instruction comes from; one without frames comes from where its computation is called."""
        label = metadata.op_name or name
        frames = self._frames(metadata.stack_frame_id)
        if not frames and metadata.source_file and metadata.source_line > 0:
            frames = (
                FileLocation(
                    metadata.source_file,
                    metadata.source_line,
                    _column(metadata.source_column, metadata.source_end_column),
                ),
            )
        return named_stack(label, frames, caller)

    def _frames(self, at: int) -> tuple[FileLocation, ...]:
        if at in self._known:
            return self._known[at]
        out: list[FileLocation] = []
        current, index = at, self._index
        while 0 < current <= len(index.stack_frames) and len(out) < MAX_FRAMES:
            frame = index.stack_frames[current - 1]
            if 0 < frame.file_location_id <= len(index.file_locations):
                place = index.file_locations[frame.file_location_id - 1]
                file, function = (
                    _text(index.file_names, place.file_name_id),
                    _text(index.function_names, place.function_name_id),
                )
                out.append(FileLocation(file, max(place.line, 0), _column(place.column, place.end_column), function))
            current = frame.parent_frame_id
        self._known[at] = tuple(out)
        return self._known[at]


def _column(column: int, end: int) -> int:
    return column + 1 if column > 0 or (column == 0 and end > 0) else 0


def _text(table: Sequence[str], at: int) -> str:
    return str(table[at - 1]) if 0 < at <= len(table) else ""
