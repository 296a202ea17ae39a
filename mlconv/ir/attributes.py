"""Attribute classes: named tuples that print and parse from their fields.

    @attribute("kernel.view")
    class View(NamedTuple): ...

prints as `#kernel.view<offset = 0, strides = [4, 1]>`; fields at their defaults are left out.  What the fields may hold
is said by their annotations, which text is checked against.
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar

C = TypeVar("C", bound=type)
Check = Callable[[object], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """What an attribute may hold besides what its annotation says.  text: how messages have it."""

    text: str
    holds: Check

    def __call__(self, value: object) -> bool:
        return self.holds(value)


def one_of(*names: str) -> Rule:
    """One of some words."""
    return Rule(f"one of {', '.join(names)}", lambda value: value in names)


def attribute(name: str) -> Callable[[C], C]:
    """Give a named tuple a name in IR text."""

    def name_it(cls: C) -> C:
        cls.attribute_name = name  # type: ignore[attr-defined]
        return cls

    return name_it


def attribute_name(cls: type) -> str | None:
    """The name of an attribute class in text; None for other classes."""
    return getattr(cls, "attribute_name", None)


def written_fields(value: Any) -> Iterator[tuple[str, object]]:
    """Names and values of the fields of an attribute that are not at their defaults."""
    defaults = type(value)._field_defaults
    for name, held in zip(type(value)._fields, value, strict=True):
        if name not in defaults or held != defaults[name]:
            yield name, held


def read_attribute(cls: Any, fields: Mapping[str, object]) -> Any:
    """An attribute of its fields.  Raises ValueError for fields that it does not have, lacks, or that hold another
    type.
    """
    for name, held in fields.items():
        if name not in cls._fields:
            raise ValueError(f"#{cls.attribute_name} has no field {name!r}")
        if not field_check(cls, name)(held):
            raise ValueError(f"{name!r} of #{cls.attribute_name} is not {hint_text(cls, name)}")
    missing = [name for name in cls._fields if name not in fields and name not in cls._field_defaults]
    if missing:
        raise ValueError(f"#{cls.attribute_name} lacks the field {missing[0]!r}")
    return cls(**fields)


def field_check(cls: type, name: str) -> Check:
    """Whether a value is what a field, or a declared attribute of an op, may hold, by the annotation of its class."""
    return _annotated(cls, name)


@lru_cache(maxsize=2048)
def _annotated(cls: type, name: str) -> Check:
    return _check_of(field_hint(cls, name))


def field_hint(cls: type, name: str) -> Any:
    """The annotation of a field, or of a declared attribute of an op."""
    owner = next(base for base in cls.__mro__ if name in vars(base).get("__annotations__", ()))
    annotated = types.SimpleNamespace(__annotations__={name: owner.__annotations__[name]})
    return typing.get_type_hints(annotated, vars(sys.modules[owner.__module__]))[name]


def attribute_classes(hints: Iterable[Any]) -> dict[str, type]:
    """The attribute classes that annotations name, and those that the fields of these name, by their names in text."""
    found: dict[str, type] = {}
    left = list(hints)
    while left:
        hint = left.pop()
        left += typing.get_args(hint)
        name = attribute_name(hint) if isinstance(hint, type) else None
        if name is not None and name not in found:
            found[name] = hint
            left += [field_hint(hint, field) for field in hint._fields]
    return found


class DeclaredAttributes(Mapping[str, type]):
    """`attribute_classes` of annotations, which are evaluated when one is asked for."""

    def __init__(self, hints: Callable[[], Iterable[object]]) -> None:
        self._hints = hints

    @cached_property
    def _found(self) -> dict[str, type]:
        return attribute_classes(self._hints())

    def __getitem__(self, name: str) -> type:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def hint_text(cls: type, name: str) -> str:
    """What a field may hold, for messages."""
    found = [vars(base).get("__annotations__", {}).get(name) for base in cls.__mro__]
    hint = next(filter(None, found), "of its type")
    if typing.get_origin(hint) is typing.Literal:
        return f"one of {', '.join(map(str, typing.get_args(hint)))}"
    return hint.__name__ if isinstance(hint, type) and not typing.get_origin(hint) else str(hint)


def _check_of(hint: object) -> Check:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return lambda value: True
    if origin in (typing.Union, types.UnionType):
        return _any_of([_check_of(h) for h in inner])
    if origin is typing.Literal:
        return lambda value: value in inner
    if origin is tuple:
        return _tuple_check(inner)
    if origin is not None and issubclass(origin, typing.Mapping):
        of_value = _check_of(inner[1])
        return lambda value: isinstance(value, dict) and all(map(of_value, value.values()))
    if origin is not None:  # sequences
        item = _check_of(inner[0])
        return lambda value: isinstance(value, (tuple, list)) and all(map(item, value))
    return _class_check(hint)


def _any_of(checks: list[Check]) -> Check:
    return lambda value: any(check(value) for check in checks)


def _tuple_check(inner: tuple[object, ...]) -> Check:
    if len(inner) == 2 and inner[1] is Ellipsis:
        item = _check_of(inner[0])
        return lambda value: isinstance(value, (tuple, list)) and all(map(item, value))
    items = [_check_of(h) for h in inner]
    return lambda value: (
        isinstance(value, (tuple, list))
        and len(value) == len(items)
        and all(check(v) for check, v in zip(items, value, strict=True))
    )


def _class_check(hint: Any) -> Check:
    if hint is float:
        return lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool)
    cls = type(None) if hint is None else hint
    return lambda value: isinstance(value, cls)
