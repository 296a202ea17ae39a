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

_KINDS = {
    "bool": "True or False",
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "None": "None",
}
"""What values are called, by annotation."""


def check_types(options: DataclassInstance) -> None:
    """Fields that are a truth value, a number or a text, or a path for one; None says nothing of the first and the
    last.  Raises ConversionError UsageError for what is none, and for NaN, which no number is compared with.
    """
    for option in fields(options):
        kinds = str(option.type).split(" | ")
        value = getattr(options, option.name)
        if not _KINDS.keys() >= set(kinds) or any(_is(unboxed(value), kind) for kind in kinds):
            continue
        named = " or ".join(_KINDS[kind] for kind in kinds)
        raise ConversionError(Code.UsageError, f"{option.name} is {value!r}, expected {named}")


def unboxed(value: object) -> object:
    """A number of numpy, and an array of one, as Python's."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value


def _is(value: object, kind: str) -> bool:
    if kind == "bool":
        return value is None or (isinstance(value, Integral) and value in (0, 1))
    if kind == "str":
        return value is None or isinstance(value, (str, os.PathLike))
    if kind == "None":
        return value is None
    is_number = isinstance(value, Integral if kind == "int" else Real) and not isinstance(value, bool)
    return is_number and not (isinstance(value, float) and math.isnan(value))
