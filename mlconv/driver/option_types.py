"""What kind of value an option takes: Python code gives what it likes."""

from __future__ import annotations

import math
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
    """Fields that are a truth value, a number or a text.  Raises ConversionError UsageError for what is none, and for
    NaN, which no number is compared with.
    """
    for option in fields(options):
        kinds = str(option.type).split(" | ")
        value = getattr(options, option.name)
        if not _KINDS.keys() >= set(kinds) or any(_is(value, _KINDS[kind][0]) for kind in kinds):
            continue
        named = " or ".join(_KINDS[kind][1] for kind in kinds)
        raise ConversionError(Code.UsageError, f"{option.name} is {value!r}, expected {named}")


def _is(value: object, kind: type) -> bool:
    if kind is bool:
        return isinstance(value, Integral) and value in (0, 1)
    if isinstance(value, bool) or not isinstance(value, Real):
        return isinstance(value, kind) and not isinstance(value, bool)
    return isinstance(value, kind) and not math.isnan(value)
