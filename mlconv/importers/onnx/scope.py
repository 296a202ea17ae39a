"""Names in view at one place of a graph, and what surrounds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.types import Type

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import AttributeProto


class Scope:
    """Values by name; a subgraph's scope sees the one around it.  A name bound to None is an absent optional input of a
    function.
    """

    __slots__ = ("parent", "values")

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self.values: dict[str, Value | None] = {}

    def __contains__(self, name: str) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return True
            scope = scope.parent
        return False

    def find(self, name: str) -> Value | None:
        """The value of a name; None when it is absent or unknown."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        return None

    def __getitem__(self, name: str) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        raise KeyError(name)


@dataclass(eq=False, repr=False, slots=True)
class Frame:
    """Where nodes are being imported: names, builder, path of function calls, the function's attributes and operator
    set versions.
    """

    scope: Scope
    builder: Builder
    path: tuple[str, ...] = ()
    env: Mapping[str, AttributeProto] | None = None
    opsets: Mapping[str, int] = field(default_factory=dict)
    hints: Mapping[str, Type] = field(default_factory=dict)
    calls: tuple[tuple[str, str, str], ...] = ()

    def prefixed(self, name: str) -> str:
        return "/".join((*self.path, name))
