"""Frames of the user's code among those of a call."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.provenance.locations import CallStack, FileLocation, Location, NameLocation

MAX_FRAMES = 256
_LIBRARY = ("/site-packages/", "/dist-packages/", "<frozen ")


def named_stack(label: str, frames: Sequence[FileLocation], caller: Location | None = None) -> Location:
    """A node with the frames that it comes from, innermost first, those of libraries left out where there are others.
    One without frames comes from where its computation is called.
    """
    own = tuple(f for f in frames if not any(mark in f.file for mark in _LIBRARY)) or tuple(frames)
    if not own:
        return NameLocation(label, caller.child if isinstance(caller, NameLocation) else None)
    hidden = len(frames) - len(own)
    return NameLocation(label, CallStack(own, hidden, tuple(frames) if hidden else ()))
