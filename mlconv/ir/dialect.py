"""Dialects by the prefix of their ops' names, loaded when a name asks for one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from mlconv.ir.objects import object_at

if TYPE_CHECKING:
    from mlconv.ir.core import Op
    from mlconv.ir.schema import OpSchema


@dataclass(frozen=True, eq=False, repr=False)
class Dialect:
    """op_class: the class of an op by its full name, None for one that there is not; without it ops are opaque.
    attributes: classes by the names that text has for them.  schemas: `module:function` that says what the schema of a
    framework says of an op, by its full name and the version of its operator set (0: the newest); it gives None for one
    that it does not have.  names: those of all its ops, without the prefix; a dialect that says them has no others,
    one without them may have any.
    """

    name: str
    op_class: Callable[[str], type[Op] | None] | None = None
    attributes: Mapping[str, type] = field(default_factory=dict)
    schemas: str = ""
    names: Collection[str] = ()


class Dialects:
    """places: `module:object` by prefix, as entry points have it."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = places

    def op_class(self, name: str) -> type[Op] | None:
        dialect = self._of(name)
        return None if dialect is None or dialect.op_class is None else dialect.op_class(name)

    def attribute_class(self, name: str) -> type | None:
        dialect = self._of(name)
        return None if dialect is None else dialect.attributes.get(name)

    def schema(self, name: str, version: int = 0) -> OpSchema | None:
        """What a framework's schema says of an op; None where there is none."""
        dialect = self._of(name)
        if dialect is None or not dialect.schemas:
            return None
        find = cast("Callable[[str, int], OpSchema | None]", object_at(dialect.schemas, object))
        return find(name, version)

    def misspelt(self, name: str) -> tuple[str, str]:
        """Why there is no op of a name, and what it may have meant to be; both empty where there may be one.  What
        importers keep for themselves begins with `mlconv.` and has no dialect.
        """
        from mlconv.diagnostics.hints import did_you_mean

        prefix, _, local = name.partition(".")
        dialect = self._of(name)
        if dialect is None:
            known = not self.places or prefix == "mlconv"
            return ("", "") if known else (f"there is no dialect {prefix!r}", did_you_mean(prefix, self.places))
        if not dialect.names or local in dialect.names:
            return "", ""
        return f"the dialect {prefix} has no op {local!r}", did_you_mean(local, dialect.names)

    def with_more(self, places: Mapping[str, str]) -> Dialects:
        """These and others; a prefix that is taken stays whose it is."""
        return Dialects({**places, **self.places})

    def _of(self, name: str) -> Dialect | None:
        place = self.places.get(name.partition(".")[0], "")
        return object_at(place, Dialect) if place else None
