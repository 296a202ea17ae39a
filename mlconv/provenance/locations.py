"""Places in the user's source.  Every op has one; see docs/decisions for how they are printed.

`FileLocation` is a line of Python, `CallStack` the user's frames (innermost first), `NameLocation` a node path of the
source model with what is known beneath it, `Fused` the origins of an op that a rewrite made from several.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, Union


class FileLocation(NamedTuple):
    """A place in a text file; line and column count from 1, column 0 means unknown."""

    file: str
    line: int
    column: int = 0
    function: str = ""
    text: str = ""  # the source line, when the model file carries it


class CallStack(NamedTuple):
    """Frames of one call, innermost first, at least one."""

    frames: tuple[FileLocation, ...]
    hidden: int = 0  # library frames that were left out
    # all frames, library frames among them; empty when there are no others, or when they were not kept
    every: tuple[FileLocation, ...] = ()


class NameLocation(NamedTuple):
    """A node of the source model by its full name, and what is known about where it came from."""

    name: str
    child: Location | None = None


class Fused(NamedTuple):
    """Origins of an op that was made from several, with the rewrite that did it."""

    locations: tuple[Location, ...]
    by: str = ""


Location: TypeAlias = Union[FileLocation, CallStack, NameLocation, Fused]

_FUSED_CAP = 16


def fuse(locations: Iterable[Location], by: str = "") -> Location:
    """One location for several: duplicates and nested fusions are flattened, at most 16 origins are kept in order."""
    flat: dict[Location, None] = {}
    for location in locations:
        for part in location.locations if isinstance(location, Fused) else (location,):
            if len(flat) < _FUSED_CAP:
                flat.setdefault(part)
    parts = tuple(flat)
    if not parts:
        raise ValueError("an op needs at least one origin")
    return parts[0] if len(parts) == 1 else Fused(parts, by)


def first_name(location: Location | None) -> str:
    """The name of the first source node behind a location; empty when none was recorded."""
    return next(node_names(location), "")


def node_names(location: Location | None) -> Iterator[str]:
    """Names of the source nodes behind a location, first origin first."""
    if isinstance(location, NameLocation):
        yield location.name
    elif isinstance(location, Fused):
        for part in location.locations:
            yield from node_names(part)


def origins(location: Location | None) -> Iterator[str]:
    """What tells source ops behind a location from others: their names, or their places where they have none."""
    if isinstance(location, Fused):
        for part in location.locations:
            yield from origins(part)
    elif location is not None:
        yield location.name if isinstance(location, NameLocation) else repr(location)


def frames(location: Location | None) -> tuple[FileLocation, ...]:
    """User frames of the first origin that has any, innermost first; empty when none was recorded."""
    if isinstance(location, FileLocation):
        return (location,)
    if isinstance(location, CallStack):
        return location.frames
    if isinstance(location, NameLocation):
        return frames(location.child)
    if isinstance(location, Fused):
        for part in location.locations:
            found = frames(part)
            if found:
                return found
    return ()


def all_frames(location: Location | None) -> tuple[FileLocation, ...]:
    """Like `frames`, with library frames where the importer kept them."""
    if isinstance(location, CallStack):
        return location.every or location.frames
    if isinstance(location, NameLocation):
        return all_frames(location.child)
    if isinstance(location, Fused):
        return next((found for found in map(all_frames, location.locations) if found), ())
    return frames(location)


def hidden_frames(location: Location | None) -> int:
    """Library frames that were left out of the first recorded stack."""
    if isinstance(location, CallStack):
        return location.hidden
    if isinstance(location, NameLocation):
        return hidden_frames(location.child)
    if isinstance(location, Fused):
        return next((n for n in map(hidden_frames, location.locations) if n), 0)
    return 0


PathMap: TypeAlias = Sequence[tuple[str, str]]  # prefixes of recorded paths, and what stands for them


def mapped_path(file: str, path_map: PathMap) -> str:
    r"""A path with the first prefix of whole folders that matches replaced; an empty replacement leaves a relative
    path.  Paths of Windows (`C:\src\net.py`) match whatever the case of their letters, and go on with `/`, which every
    system understands: a model may be converted on another one than it was made on.
    """
    for old, new in path_map:
        prefix, path = _with_slashes(old).rstrip("/"), _with_slashes(file)
        start, known = (t.casefold() if is_of_windows(file) else t for t in (path, prefix))
        if start == known or start.startswith(known + "/"):
            rest = path[len(prefix) :]
            end = "/\\" if is_of_windows(new) else "/"
            return new.rstrip(end) + rest if new else rest.lstrip("/")
    return file


def is_of_windows(path: str) -> bool:
    r"""The path begins with a drive (`C:\`, `C:/`) or a server (`\\server`)."""
    return path.startswith("\\\\") or (path[:1].isalpha() and path[1:2] == ":" and path[2:3] in ("/", "\\", ""))


def _with_slashes(path: str) -> str:
    return path.replace("\\", "/") if is_of_windows(path) else path
