"""Functions of the user's that options name as `module:function`.

Nobody knows what such code raises, and whatever it is, it is no fault of mlconv: here alone it becomes an error that
names the function and the line.  What is guarded is the import, the call, and each step through what the call gave.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.provenance.locations import CallStack, FileLocation, Location

# Frames of installed packages, of the standard library and of generated code are not the user's.
_LIBRARY = re.compile(r"[/\\](site|dist)-packages[/\\]|[/\\]lib[/\\]python3[\d.]*[/\\]|^<")
T = TypeVar("T")
_MISSING = object()


class OwnFunction:
    """What it raises is a ConversionError InputNotReadable with its place, `module:function`."""

    def __init__(self, place: str, function: Callable[..., object]) -> None:
        self.place, self._function = place, function

    def __call__(self, *args: object) -> Any:
        with _of_the_user(f"{self.place} raised"):
            return self._function(*args)

    def each(self) -> Iterator[Mapping[str, Array] | Array]:
        """What the iterable that the function gives has, one after the other."""
        found = iterable(self(), self.place)
        with _of_the_user(f"{self.place} raised"):
            rest = iter(found)
        while True:
            with _of_the_user(f"{self.place} raised"):
                following = list(islice(rest, 1))
            if not following:
                return
            yield following[0]


def iterable(found: Iterable[T], what: str) -> Iterable[T]:
    """What can be gone through, one sample after the other.  what: gave it.  Raises ConversionError InputNotReadable
    for all else; one sample, by name, is none either.
    """
    has_items = hasattr(found, "__iter__") or hasattr(found, "__getitem__")
    if not has_items or isinstance(found, (Mapping, str, bytes)):
        raise ConversionError(Code.InputNotReadable, f"{what}: {type(found).__name__} is no iterable of samples")
    return found


def function_at(place: str) -> OwnFunction:
    """place: `module:function`; modules of the current folder are found too, behind all others.  Raises ConversionError
    InputNotReadable.
    """
    name, _, attribute = place.partition(":")
    with _current_folder_on_path(), _of_the_user(f"{place} is no file and no function: importing {name!r} raised"):
        found = getattr(import_module(name), attribute, _MISSING)
    if found is _MISSING:
        raise ConversionError(
            Code.InputNotReadable, f"{place} is no file and no function: module {name!r} has no {attribute!r}"
        )
    if not callable(found):
        raise ConversionError(Code.InputNotReadable, f"{place} is not a function")
    return OwnFunction(place, found)


@contextmanager
def _current_folder_on_path() -> Iterator[None]:
    """As `python -m` has it, and an installed program has not."""
    try:
        here = os.getcwd()
    except OSError:  # it is gone
        here = ""
    if here:
        sys.path.append(here)
    try:
        yield
    finally:
        sys.path[:] = [entry for entry in sys.path if entry is not here]


@contextmanager
def _of_the_user(what: str) -> Iterator[None]:
    """Raises ConversionError InputNotReadable for whatever the user's code raises, but for what ends every run."""
    try:
        yield
    except (ConversionError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # the boundary: behind it there is only the user's code
        raise ConversionError(
            Code.InputNotReadable, f"{what} {type(error).__name__}: {error}", location=_place_of(error)
        ) from error


def _place_of(error: BaseException) -> Location | None:
    """The lines of the user's that an error comes from; None where there are none."""
    frames = [FileLocation(f.filename, f.lineno or 0, 0, f.name) for f in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append(FileLocation(error.filename, error.lineno or 0))
    own = [f for f in frames if f.line and f.file != __file__ and not _LIBRARY.search(f.file)]
    return CallStack(tuple(reversed(own))) if own else None
