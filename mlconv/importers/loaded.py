"""A model as it was loaded: its module, and what must live as long as that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from mlconv.ir.constants import Array
from mlconv.ir.core import Op
from mlconv.ir.module import Function, Module


@dataclass(slots=True)
class LoadedModel:
    """module: pure IR, whose constants may be ranges of files.  files: paths that it was read from.  resources: kept
    alive with it: folders that its constants are mapped from.

    by_values: for a model that takes ranks or axes from its inputs, so that it has no form in core: makes the module
    for given input values.
    """

    module: Module
    files: tuple[str, ...] = ()
    resources: tuple[Any, ...] = ()
    by_values: Callable[[Mapping[str, npt.ArrayLike]], Module] | None = None

    @property
    def main(self) -> Function:
        """The entry function."""
        return self.module.main

    @property
    def functions(self) -> list[Function]:
        return self.module.functions

    @property
    def source(self) -> dict[str, Any]:
        """Where it came from: path, format, producer, opset ..."""
        return self.module.source

    @property
    def folder(self) -> str:
        """The folder of a SavedModel that stands for the file; empty when the file itself was read."""
        return str(getattr(self.resources[0], "name", "")) if self.resources else ""

    def walk(self) -> Iterator[Op]:
        """All ops of all functions, outer before inner."""
        return self.module.walk()

    def run(self, inputs: Mapping[str, npt.ArrayLike], state: dict[str, Array] | None = None) -> dict[str, Array]:
        """Run the entry function on the reference interpreter: {input name: array} to {output name: array}.

        state: arrays by variable name, for a model that changes variables: read and updated, so that the next run goes
        on from there.
        """
        from mlconv.interp import run_function

        module = self.module if self.by_values is None else self.by_values(inputs)
        return run_function(module.main, inputs, state)
