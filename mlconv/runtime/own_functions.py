"""Functions of the user's that options name as `module:function`.

Nobody knows what such code raises.  It passes through to who called mlconv; the command line, where every exception
becomes a message, asks `blamed` whether it came from the user's code: from an import, a call, or a step through what
the call gave.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType, TracebackType
from typing import Any, TypeVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import nearest
from mlconv.ir.constants import Array
from mlconv.provenance.locations import CallStack, FileLocation, Location

# Frames of installed packages, of the standard library and of generated code are not the user's.
_LIBRARY = re.compile(r"[/\\](site|dist)-packages[/\\]|[/\\]lib[/\\]python3[\d.]*[/\\]|^<")
T = TypeVar("T")
_MISSING = object()
_LISTED = 8  # names that an error tells


class OwnFunction:
    """place: `module:function`."""

    def __init__(self, place: str, function: Callable[..., object]) -> None:
        self.place, self._function = place, function

    def __call__(self, *args: object) -> Any:
        return self._function(*args)

    def each(self) -> Iterator[Mapping[str, Array] | Array]:
        """What the iterable that the function gives has, one after the other.  Raises ConversionError
        InputNotReadable.
        """
        yield from iterable(self(), self.place)


def iterable(found: Iterable[T], what: str) -> Iterable[T]:
    """What can be gone through, one sample after the other.  what: gave it.  Raises ConversionError InputNotReadable
    for all else; one sample, by name, is none either.
    """
    has_items = hasattr(found, "__iter__") or hasattr(found, "__getitem__")
    if not has_items or isinstance(found, (Mapping, str, bytes)):
        raise ConversionError(
            Code.InputNotReadable,
            f"{what}: {type(found).__name__} is no iterable of samples",
            help="give a list, a generator, or what else samples come of one by one: {input name: array}, or arrays",
        )
    return found


def function_at(place: str) -> OwnFunction:
    """place: `module:function`; modules of the current folder are found too, behind all others.  Raises ConversionError
    InputNotReadable, and what importing the module raises.
    """
    name, _, attribute = place.partition(":")
    with _current_folder_on_path():
        found = getattr(import_module(name), attribute, _MISSING)
    if found is _MISSING:
        raise ConversionError(
            Code.InputNotReadable,
            f"{place} is no file and no function: module {name!r} has no {attribute!r}",
            help=_instead(name, attribute),
        )
    if not callable(found):
        raise ConversionError(
            Code.InputNotReadable,
            f"{place} is not a function: it is of type {type(found).__name__}",
            help=_instead(name, attribute),
        )
    return OwnFunction(place, found)


def _instead(name: str, attribute: str) -> str:
    """What to give in place of something that is no function of a module."""
    members = vars(import_module(name)).items()
    own = [n for n, f in members if isinstance(f, FunctionType) and f.__module__ == name and n != attribute]
    near = nearest(attribute, own)
    if near:
        return f"did you mean {name}:{near[0]}?"
    some = ", ".join(own[:_LISTED]) + (", ..." if len(own) > _LISTED else "")
    return f"functions of the module: {some}" if own else f"module {name} has no function of its own"


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


def blamed(error: Exception) -> ConversionError | None:
    """What an exception from the user's code is told as; None for others."""
    at = error.__traceback__
    while at is not None:
        frame, at = at.tb_frame, at.tb_next
        own, place = frame.f_locals.get("self"), frame.f_locals.get("place")
        help_ = ""
        if frame.f_code is function_at.__code__:
            module = str(place).partition(":")[0]
            what = f"{place} is no file and no function: importing {module!r} raised"
            help_ = _unless_found(error, module)
        elif frame.f_code in _CALLS and isinstance(own, OwnFunction):
            what = f"{own.place} raised"
        else:
            continue
        text = f"{what} {type(error).__name__}: {error}"
        return ConversionError(Code.InputNotReadable, text, location=_place_of(error, at), help=help_)
    return None


def _unless_found(error: Exception, module: str) -> str:
    """Where a module is looked for that is not found itself."""
    if not isinstance(error, ModuleNotFoundError) or error.name != module.partition(".")[0]:
        return ""
    return f"{module} is looked for in the current folder, and where Python finds modules (PYTHONPATH)"


_CALLS = (OwnFunction.__call__.__code__, OwnFunction.each.__code__)


def _place_of(error: Exception, at: TracebackType | None) -> Location | None:
    """The lines of the user's that an error comes from; None where there are none.  at: frames inside of the call."""
    frames = [FileLocation(f.filename, f.lineno or 0, 0, f.name) for f in traceback.extract_tb(at)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append(FileLocation(error.filename, error.lineno or 0))
    own = [f for f in frames if f.line and f.file != __file__ and not _LIBRARY.search(f.file)]
    return CallStack(tuple(reversed(own))) if own else None
