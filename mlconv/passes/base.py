"""What a pass is: a frozen dataclass whose fields are its options."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar

from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import DIALECTS
from mlconv.ir.core import Op
from mlconv.ir.dialect import Dialects
from mlconv.ir.module import Function, Module
from mlconv.ir.objects import object_at
from mlconv.rewrite import Rules, Statistics

_BARE = re.compile(r"[A-Za-z0-9_.:/=;-]*")


@dataclass(eq=False, repr=False)
class PassContext:
    """What passes have besides the module: where they report, and where they count.

    rules: those of plug-ins, as `module:object`, by the pass that asks them first.  dialects: built-in ones and those
    of plug-ins.  kernels: kinds of kernels of plug-ins, as `module:object`, by the names of their ops.  quantize: what
    the pass of that name does.  floats: ops that compute with floats because that is asked for, though they stand
    between integers.
    """

    engine: DiagnosticEngine = field(default_factory=DiagnosticEngine)
    statistics: Statistics = field(default_factory=Statistics)
    rules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dialects: Dialects = DIALECTS
    kernels: Mapping[str, str] = field(default_factory=dict)
    quantize: Callable[[Module], object] | None = None
    floats: Collection[Op] = ()

    def rules_for(self, name: str) -> Rules:
        """Further rules of a pass."""
        return Rules.merged(object_at(place, Rules) for place in self.rules.get(name, ()))

    def count(self, what: str, times: int) -> None:
        """Add to what the statistics say was done."""
        self.statistics.applied[what] = self.statistics.applied.get(what, 0) + times


@dataclass(frozen=True, eq=False, repr=False)
class Pass:
    """A change to a module.  Subclasses set `name` and override `run_on_function` (or `run`).

    reads_weights: it looks at the numbers of large constants; where nothing is written, it is left out.

    Problems of the model go to the context's engine, or are raised as ConversionError; a pass that reported errors ends
    with `engine.raise_errors()`.
    """

    name: ClassVar[str] = ""
    reads_weights: ClassVar[bool] = False

    def run(self, module: Module, context: PassContext) -> None:
        for function in module.functions:
            self.run_on_function(function, context)

    def run_on_function(self, function: Function, context: PassContext) -> None:
        raise TypeError(f"pass {self.name} does nothing")

    def __str__(self) -> str:
        """The pass in pipeline syntax: `fold{limit=1024}`; options at their defaults are left out."""
        set_fields = [(f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default]
        inner = ",".join(f"{name.replace('_', '-')}={_value_text(value)}" for name, value in set_fields)
        return f"{self.name}{{{inner}}}" if inner else self.name


def _value_text(value: object) -> str:
    """Text that is not a plain word stands in quotes."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if _BARE.fullmatch(str(value)) else json.dumps(str(value))
