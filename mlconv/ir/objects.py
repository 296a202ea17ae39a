"""Objects by the text `module:object`, as entry points have it: tables of these are read without loading anything."""

from __future__ import annotations

from importlib import import_module
from typing import TypeVar

from mlconv.diagnostics import Code, ConversionError

T = TypeVar("T")


def object_at(place: str, kind: type[T]) -> T:
    """What stands at `module:object`.  Raises ConversionError PluginUnusable when there is nothing, or something of
    another kind.
    """
    module, _, attribute = place.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConversionError(Code.PluginUnusable, f"{place!r} cannot be loaded: {error}") from error
    if not isinstance(found, kind):
        raise ConversionError(Code.PluginUnusable, f"{place!r} is {type(found).__name__}, expected {kind.__name__}")
    return found


def class_at(place: str, base: type[T]) -> type[T]:
    """A class that stands at `module:class`.  Raises ConversionError PluginUnusable when there is none of that base."""
    found: type[T] = object_at(place, type)
    if not issubclass(found, base):
        raise ConversionError(Code.PluginUnusable, f"{place!r} is no {base.__name__}")
    return found
