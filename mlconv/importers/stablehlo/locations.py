"""Places of MLIR to locations: the op's name, with the frames of the user's code beneath it, innermost first.

jax writes the op's name around a chain of calls, each frame a place in a file with its function's name around it; its
columns count from 0.  Source: mlir/docs/Dialects/Builtin.md, "Location Attributes"; jax/_src/interpreters/mlir.py,
`source_info_to_location`.
"""

from __future__ import annotations

from mlconv.importers.stablehlo.ir import CallPlace, FilePlace, FusedPlace, NamedPlace, Place, PlaceRef
from mlconv.importers.user_frames import MAX_FRAMES, named_stack
from mlconv.provenance.locations import FileLocation, Location, NameLocation, fuse

_MAX_STEPS = 4096
_WHOLE = ("jit(", "jit_", "pmap(", "jvp(", "transpose(", "vmap(")


class Locations:
    """The locations of a file.  first_column: what it calls the first column of a line."""

    def __init__(self, first_column: int) -> None:
        self.first_column = first_column
        self._known: dict[Place, tuple[str, tuple[FileLocation, ...]]] = {}

    def location(self, place: Place | None, fallback: str, caller: Location | None = None) -> Location:
        """Where an op comes from.  fallback: the name of one that has none.  caller: where its function is called
        from, whose name it is put behind.
        """
        parts = _fused(place)
        if len(parts) > 1:
            return fuse([self.location(part, fallback, caller) for part in parts])
        found = parts[0] if parts else None
        label, frames = self._read(found)
        label = label or fallback
        if isinstance(caller, NameLocation) and not label.startswith(_WHOLE):
            label = f"{caller.name}/{label}"
        return named_stack(label, frames, caller)

    def name(self, place: Place | None) -> str:
        """The name that a place has, for a value; empty when it has none."""
        return self._read(resolved(place))[0]

    def _read(self, place: Place | None) -> tuple[str, tuple[FileLocation, ...]]:
        if place is None or isinstance(place, PlaceRef):
            return "", ()
        if place not in self._known:
            name, child = (place.name, place.child) if isinstance(place, NamedPlace) else ("", place)
            self._known[place] = name, tuple(self._frames(child))
        return self._known[place]

    def _frames(self, place: Place | None) -> list[FileLocation]:
        """Frames of a chain of calls, innermost first; of places that were fused, those of the first."""
        out: list[FileLocation] = []
        stack: list[tuple[Place | None, str]] = [(place, "")]
        for _ in range(_MAX_STEPS):
            if not stack or len(out) >= MAX_FRAMES:
                break
            found, function = stack.pop()
            found = resolved(found)
            if isinstance(found, FilePlace):
                out.append(FileLocation(found.file, found.line, self._column(found.column), function))
            elif isinstance(found, NamedPlace):
                stack.append((found.child, found.name))
            elif isinstance(found, CallPlace):
                stack += [(found.caller, ""), (found.callee, function)]
            elif isinstance(found, FusedPlace):
                stack += [(part, function) for part in found.parts[:1]]
        return out

    def _column(self, column: int) -> int:
        return column + 1 - self.first_column


def _fused(place: Place | None) -> list[Place]:
    """The first of the places that are fused, in order: each fusion once, for some may be parts of many."""
    out: list[Place] = []
    seen: set[int] = set()
    left = [place]
    while left and len(out) < MAX_FRAMES:
        one = resolved(left.pop())
        if not isinstance(one, FusedPlace):
            out += [] if one is None else [one]
        elif id(one) not in seen:
            seen.add(id(one))
            left += reversed(one.parts)
    return out


def resolved(place: Place | None) -> Place | None:
    """What a reference leads to."""
    for _ in range(MAX_FRAMES):
        if not isinstance(place, PlaceRef):
            return place
        place = place.place
    return None
