"""What kind of value an option takes: Python code gives what it likes."""

from __future__ import annotations

import math
import os
from dataclasses import fields
from numbers import Integral, Real
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_KINDS: dict[str, tuple[type, str]] = {
    "bool": (bool, "True or False"),
    "int": (Integral, "a whole number"),
    "float": (Real, "a number"),
    "str": (str, "a text"),
    "None": (type(None), "None"),
}
"""By annotation: what values are, and what that is called."""


def check_types(options: DataclassInstance) -> None:
    """Fields that are a truth value, a number or a text, or a path for one; None says nothing of the first and the
    last.  Raises ConversionError UsageError for what is none, and for NaN, which no number is compared with.
    """
    for option in fields(options):
        kinds = str(option.type).split(" | ")
        value = getattr(options, option.name)
        if not _KINDS.keys() >= set(kinds) or any(_is(unboxed(value), kind) for kind in kinds):
            continue
        named = " or ".join(_KINDS[kind][1] for kind in kinds)
        raise ConversionError(Code.UsageError, f"{option.name} is {value!r}, expected {named}")


def unboxed(value: object) -> object:
    """A number of numpy, and an array of one, as Python's."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value


def _is(value: object, kind: str) -> bool:
    if kind == "bool":
        return value is None or (isinstance(value, Integral) and value in (0, 1))
    if kind == "str" and (value is None or isinstance(value, os.PathLike)):
        return True
    if isinstance(value, bool) or not isinstance(value, Real):
        return isinstance(value, _KINDS[kind][0]) and not isinstance(value, bool)
    return isinstance(value, _KINDS[kind][0]) and not math.isnan(value)
