"""A model as it was loaded: its module, and what must live as long as that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

import numpy.typing as npt

from mlconv.ir.constants import Array
from mlconv.ir.core import Op
from mlconv.ir.module import Function, Module


@runtime_checkable
class Closes(Protocol):
    """A temporary folder."""

    def cleanup(self) -> None: ...


@dataclass(eq=False, repr=False, slots=True)
class LoadedModel:
    """module: pure IR, whose constants may be ranges of files.  files: paths that it was read from.  resources: kept
    alive with it: folders that its constants are mapped from.

    by_values: for a model that takes ranks or axes from its inputs, so that it has no form in core: makes the module
    for given input values.  frozen: inputs of the file that are constants of the module.
    """

    module: Module
    files: tuple[str, ...] = ()
    resources: tuple[Any, ...] = ()
    by_values: Callable[[Mapping[str, npt.ArrayLike]], Module] | None = None
    frozen: Mapping[str, npt.ArrayLike] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<LoadedModel {self.module.summary()}>"

    def _repr_html_(self) -> str:
        return self.module._repr_html_()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folders that it was read by way of, where there are some: constants that lie in them can be
        read no longer.
        """
        for resource in self.resources:
            if isinstance(resource, Closes):
                resource.cleanup()

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
        """Run the entry function on the reference interpreter: {input name: array} to {output name: array}.  The name
        of a node stands for its first output: `x` for `x:0`.

        state: arrays by variable name, for a model that changes variables: read and updated, so that the next run goes
        on from there.
        """
        from mlconv.interp import run_function

        known = set(self.main.input_names)
        inputs = {n if n in known or f"{n}:0" not in known else f"{n}:0": array for n, array in inputs.items()}
        module = self.module if self.by_values is None else self.by_values(inputs)
        return run_function(module.main, inputs, state)
