"""Variables that a module takes as inputs and gives as outputs, as the exporters write them: `MODEL.state.safetensors`
holds their values before the first run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Const, Mapped, SourceFile
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import StateRow, StateSlot
from mlconv.ir.module import Function

if TYPE_CHECKING:
    from mlconv.formats.safetensors import Entry

STATE_KEY = "mlconv.state"
"""Of the metadata of a model whose format has no place for variables: a list as `read_rows` takes it."""


def constant_of(entry: Entry, file: SourceFile) -> Const:
    """A tensor of a safetensors file, unread."""
    return Mapped(file, entry.begin, DType(entry.kind), entry.shape, entry.nbytes)


def bind_state(function: Function, rows: Iterable[StateRow], path: str) -> None:
    """State which outputs the next run takes, and what the first one does.  path: of the initial values.

    Raises ConversionError FileDamaged, ExternalDataInvalid, ConstantInvalid for a file that does not fit.
    """
    from mlconv.formats.safetensors import Tensors

    tensors, file = Tensors(path), SourceFile(path)
    bind_initial(function, rows, lambda row: constant_of(tensors[row.variable], file), path)


def bind_initial(
    function: Function, rows: Iterable[StateRow], initial_of: Callable[[StateRow], Const], path: str
) -> None:
    """The same of values that the caller has.  path: of the file that they are in, for errors."""
    inputs, slots = {v.name: v for v in function.inputs}, {}
    for row in rows:
        initial, type_ = initial_of(row), inputs[row.input].tensor
        if (initial.dtype, initial.shape) != (type_.dtype, type_.shape):
            raise ConversionError(
                Code.ConstantInvalid, f"{path}: {row.variable} does not have the type {type_} of input {row.input}"
            )
        slots[row.variable] = StateSlot(row.input, row.output, initial)
    function.facts.state = slots


def bind_state_beside(function: Function, rows: Iterable[StateRow], module: str) -> None:
    """The same of a module that says itself which variables it has: without initial values beside it, and where it was
    cut, they are inputs and outputs like others.  module: path of the file.
    """
    path, known = f"{module}.state.safetensors", kept_rows(function, rows)
    if known and os.path.isfile(path):
        bind_state(function, known, path)


def kept_rows(function: Function, rows: Iterable[StateRow]) -> list[StateRow]:
    """Those whose input and output the function has."""
    inputs, outputs = function.input_names, function.output_names
    return [row for row in rows if row.input in inputs and row.output in outputs]


def read_rows(text: str) -> list[StateRow]:
    """Rows out of JSON: [{"variable", "input", "output"}, ...]; none of what is something else."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return []
    rows = data if isinstance(data, list) else []
    named = [[row.get(key) for key in StateRow._fields] for row in rows if isinstance(row, dict)]
    return [StateRow(*map(str, row)) for row in named if all(isinstance(name, str) for name in row)]
