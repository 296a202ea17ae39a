"""Places in what is written: recorded paths mapped for reproducible builds, or no lines at all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.module import Module
from mlconv.passes.base import Pass, PassContext
from mlconv.provenance.locations import CallStack, FileLocation, Fused, Location, NameLocation, PathMap, mapped_path
from mlconv.rewrite import edit


@dataclass(frozen=True, eq=False, repr=False)
class Relocate(Pass):
    """Change where ops come from.  strip: node names stay, lines of source go.  path_map: prefixes of paths, as a JSON
    list of pairs (from, to); the first match wins.
    """

    name: ClassVar[str] = "relocate"
    strip: bool = False
    path_map: str = "[]"

    def run(self, module: Module, context: PassContext) -> None:
        pairs = _pairs(self.path_map)
        done: dict[Location, Location] = {}
        for op in module.walk() if self.strip or pairs else ():
            if op.location is not None:
                if op.location not in done:
                    done[op.location] = _without_lines(op.location) if self.strip else _mapped(op.location, pairs)
                edit.relocate(op, done[op.location])


def _pairs(text: str) -> PathMap:
    """Raises ConversionError TextNotUnderstood for what is no list of pairs."""
    try:
        return tuple((str(old), str(new)) for old, new in json.loads(text))
    except (ValueError, TypeError) as error:
        raise ConversionError(Code.TextNotUnderstood, f"relocate{{path-map}} is no list of pairs: {text}") from error


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
