"""Fields of a layer's configuration, each asked for by name, so that none is passed over.

A layer is read here only when all that its configuration says is understood: a field that nobody asked for, and that
may change what the layer computes, leaves the model to Keras.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TypeGuard

MAX_NUMBER = 1 << 31
# What a layer has whatever it computes, and what matters to training alone: archives have kernels with LoRA's added.
_WITHOUT_EFFECT = re.compile(
    r"name|trainable|seed|lora_(rank|alpha)|.*_(initializer|regularizer|constraint)|(momentum|synchronized|implementation)"
)


class LeftToKerasError(Exception):
    """Something that is not known here, and that Keras may know: the reason, in a few words."""


class Fields:
    """The configuration of one layer.  kind: its class.

    What is missing takes the default, as in files of older versions; null stands for a feature that is not used.
    """

    __slots__ = ("_asked", "given", "kind")

    def __init__(self, kind: str, given: object) -> None:
        if not isinstance(given, Mapping):
            raise LeftToKerasError(f"{kind} has no configuration")
        self.kind, self.given, self._asked = kind, given, {"dtype"}

    def get(self, name: str, default: object = None) -> object:
        """A field as it is."""
        self._asked.add(name)
        value = self.given.get(name)
        return default if value is None else value

    def wrong(self, name: str) -> LeftToKerasError:
        text = repr(self.given.get(name))
        return LeftToKerasError(f"{name} of {self.kind} is {text if len(text) <= 60 else text[:57] + '...'}")

    def integer(self, name: str, default: int | None = None, least: int = -MAX_NUMBER) -> int:
        value = self.get(name, default)
        if not _is_int(value) or not least <= value < MAX_NUMBER:
            raise self.wrong(name)
        return value

    def number(self, name: str, default: float | None = None) -> float:
        value = self.get(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self.wrong(name)
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.get(name, default)
        if not isinstance(value, bool):
            raise self.wrong(name)
        return value

    def text(self, name: str, default: str | None = None, among: tuple[str, ...] = ()) -> str:
        value = self.get(name, default)
        if not isinstance(value, str) or (among and value not in among):
            raise self.wrong(name)
        return value

    def integers(self, name: str, count: int, default: object = None, least: int = 1) -> tuple[int, ...]:
        """So many numbers, or one that stands for all."""
        value = self.get(name, default)
        values = [value] * count if _is_int(value) else value
        if not isinstance(values, (list, tuple)) or len(values) != count:
            raise self.wrong(name)
        if not all(_is_int(v) and least <= v < MAX_NUMBER for v in values):
            raise self.wrong(name)
        return tuple(int(v) for v in values)

    def listed(self, name: str) -> tuple[int, ...]:
        """Numbers, however many."""
        value = self.get(name)
        values = [value] if _is_int(value) else value
        if not isinstance(values, (list, tuple)) or not all(_is_int(v) and abs(v) < MAX_NUMBER for v in values):
            raise self.wrong(name)
        return tuple(int(v) for v in values)

    def absent(self, *names: str) -> None:
        """Features that are read only where they are off."""
        for name in names:
            if self.get(name) not in (None, False, 0, 0.0):
                raise self.wrong(name)

    def unused(self, *names: str) -> None:
        """Fields that say nothing about what is computed."""
        self._asked.update(names)

    def finish(self) -> None:
        """Raises LeftToKerasError for a field that nobody asked for."""
        for name, value in self.given.items():
            if value is not None and name not in self._asked and not _WITHOUT_EFFECT.fullmatch(str(name)):
                raise LeftToKerasError(f"{self.kind} has the field {str(name)[:40]!r}")


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def policy_of(kind: str, given: Mapping[str, object]) -> tuple[str, str]:
    """The element types that a layer computes with and keeps its weights in.  Source: keras dtype_policy.py."""
    value: object = given.get("dtype") or "float32"
    if isinstance(value, Mapping):
        if value.get("class_name") not in ("DTypePolicy", "Policy") or value.get("registered_name"):
            raise LeftToKerasError(f"{kind} has the dtype policy {value.get('class_name')!r}")
        inner = value.get("config")
        value = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(value, str):
        raise LeftToKerasError(f"{kind} has no dtype")
    if value.startswith("mixed_"):
        return value.removeprefix("mixed_"), "float32"
    return value, value
