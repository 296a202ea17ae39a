"""Dialects by the prefix of their ops' names, loaded when a name asks for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlconv.ir.core import Op
    from mlconv.ir.schema import OpSchema


@dataclass(frozen=True)
class Dialect:
    """op_class: the class of an op by its full name, None for one that there is not; without it ops are opaque.
    attributes: classes by the names that text has for them.  schema: what the schema of a framework says of an op, by
    its full name and the version of its operator set (0: the newest); None for one that it does not have.
    """

    name: str
    op_class: Callable[[str], type[Op] | None] | None = None
    attributes: Mapping[str, type] = field(default_factory=dict)
    schema: Callable[[str, int], OpSchema | None] | None = None


@dataclass(frozen=True)
class Dialects:
    """places: `module:object` by prefix, as entry points have it.  Ops of a prefix that is not there are opaque."""

    places: Mapping[str, str]

    def op_class(self, name: str) -> type[Op] | None:
        dialect = self._of(name)
        return None if dialect is None or dialect.op_class is None else dialect.op_class(name)

    def attribute_class(self, name: str) -> type | None:
        dialect = self._of(name)
        return None if dialect is None else dialect.attributes.get(name)

    def schema(self, name: str, version: int = 0) -> OpSchema | None:
        """What a framework's schema says of an op; None where there is none."""
        dialect = self._of(name)
        return None if dialect is None or dialect.schema is None else dialect.schema(name, version)

    def with_more(self, places: Mapping[str, str]) -> Dialects:
        """These and others; a prefix that is taken stays whose it is."""
        return Dialects({**places, **self.places})

    def _of(self, name: str) -> Dialect | None:
        module, _, attribute = self.places.get(name.partition(".")[0], "").partition(":")
        if not module:
            return None
        found: Dialect = getattr(import_module(module), attribute)
        return found
