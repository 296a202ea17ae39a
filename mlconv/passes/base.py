"""What a pass is: a frozen dataclass whose fields are its options."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from mlconv.ir.module import Function, Module
from mlconv.rewrite import Statistics


@dataclass(frozen=True)
class Pass:
    """A change to a module.  Subclasses set `name` and override `run_on_function` (or `run`)."""

    name: ClassVar[str] = ""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in module.functions:
            self.run_on_function(function, statistics)

    def run_on_function(self, function: Function, statistics: Statistics) -> None:
        raise TypeError(f"pass {self.name} does nothing")

    def __str__(self) -> str:
        """The pass in pipeline syntax: `fold{limit=1024}`; options at their defaults are left out."""
        set_fields = [(f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default]
        inner = ",".join(
            f"{name.replace('_', '-')}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in set_fields
        )
        return f"{self.name}{{{inner}}}" if inner else self.name
