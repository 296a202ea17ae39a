"""Places in what is written: recorded paths mapped for reproducible builds, or no lines at all."""

from __future__ import annotations

from mlconv.ir.module import Module
from mlconv.provenance.locations import CallStack, FileLocation, Fused, Location, NameLocation, PathMap, mapped_path


def relocate(module: Module, strip: bool, path_map: PathMap) -> None:
    """Change the locations of all ops, in place.  strip: node names stay, lines of source go.  path_map: prefixes of
    paths, the first match wins.
    """
    if not strip and not path_map:
        return
    done: dict[Location, Location] = {}
    for op in module.walk():
        if op.location is not None:
            if op.location not in done:
                done[op.location] = _without_lines(op.location) if strip else _mapped(op.location, path_map)
            op.location = done[op.location]


def _without_lines(location: Location) -> Location:
    if isinstance(location, NameLocation):
        return NameLocation(location.name)
    if isinstance(location, Fused):
        return Fused(tuple(_without_lines(part) for part in location.locations), location.by)
    return NameLocation("")


def _mapped(location: Location, path_map: PathMap) -> Location:
    if isinstance(location, FileLocation):
        return location._replace(file=mapped_path(location.file, path_map))
    if isinstance(location, CallStack):
        mapped = (
            tuple(f._replace(file=mapped_path(f.file, path_map)) for f in frames)
            for frames in (location.frames, location.every)
        )
        return CallStack(next(mapped), location.hidden, next(mapped))
    if isinstance(location, NameLocation):
        return NameLocation(location.name, location.child and _mapped(location.child, path_map))
    return Fused(tuple(_mapped(part, path_map) for part in location.locations), location.by)
