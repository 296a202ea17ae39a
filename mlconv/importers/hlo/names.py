"""Names beside a module, as the exporter writes them: `MODEL.json` with inputs, outputs, weights and state.

HLO has no names for outputs.  Parameters that are weights get their data from `MODEL.safetensors`, so that they are
constants again; the variables' values before the first run come from `MODEL.state.safetensors`.  A file that does not
fit the module is an error: names in a wrong order would be wrong names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant
from mlconv.formats.files import read_text
from mlconv.formats.safetensors import Tensors
from mlconv.importers.initial_state import bind_state, constant_of
from mlconv.ir.builder import Builder
from mlconv.ir.constants import SourceFile
from mlconv.ir.facts import StateRow
from mlconv.ir.module import Function
from mlconv.rewrite import edit

_LIMIT = 1 << 26


def _size_names(data: Mapping[str, object], beside: str) -> list[str]:
    """Of sizes with a range, which are parameters behind the inputs.  Raises ConversionError FileDamaged."""
    rows = data.get("sizes", [])
    names = [row.get("name") if isinstance(row, dict) else None for row in rows] if isinstance(rows, list) else [None]
    if not all(isinstance(name, str) for name in names):
        raise ConversionError(Code.FileDamaged, f"{beside}: 'sizes' is no list of sizes")
    return [str(name) for name in names]


def names_of_sizes(sizes: Iterable[str], inputs: Iterable[str]) -> dict[str, str]:
    """What the inputs are called that say how much of those with room for the largest sizes is valid, by the size:
    as it, with `.size` behind it where an input has that name.
    """
    taken, found = set(inputs), dict[str, str]()
    for size in sizes:
        name = size
        while name in taken:
            name += ".size"
        taken.add(name)
        found[size] = name
    return found


def apply_names(function: Function, path: str) -> None:
    """Rename inputs and outputs, and bind weights, where the files are there.  Raises ConversionError FileDamaged,
    ExternalDataInvalid, ConstantInvalid.
    """
    beside = f"{path}.json"
    if not os.path.isfile(beside):
        return
    data = read_facts(beside)
    inputs, outputs, weights = (names_of(data, key, beside) for key in ("inputs", "outputs", "weights"))
    inputs += names_of_sizes(_size_names(data, beside), inputs).values()
    outputs += [shape_of(name) for name in outputs if name in data.get("shapes", ())]
    if len(inputs) + len(weights) != len(function.inputs) or len(outputs) != len(function.output_names):
        counts = f"{len(inputs)} inputs, {len(weights)} weights and {len(outputs)} outputs"
        raise ConversionError(
            Code.FileDamaged,
            f"{beside} names {counts}, the module has {len(function.inputs)} "
            f"parameters and {len(function.output_names)} outputs",
            help="the file belongs to another module: remove it, or write the module again",
        )
    for value, name in zip(function.inputs, [*inputs, *weights], strict=True):
        value.name = name
    function.output_names = outputs
    if weights:
        _bind(function, weights, f"{path}.safetensors")
    bind_rows(function, data.get("state", []), f"{path}.state.safetensors", beside)


def shape_of(name: str) -> str:
    """The output behind all others that has the sizes of one whose data decide them, as StableHLO calls it."""
    return f"{name}.shape"


def read_facts(beside: str) -> dict[str, Any]:
    """What the file beside a module says.  Raises ConversionError FileDamaged, ExternalDataInvalid."""
    try:
        if os.path.getsize(beside) > _LIMIT:
            raise ConversionError(
                Code.FileDamaged, f"{beside} has {os.path.getsize(beside)} bytes, a list of names has at most {_LIMIT}"
            )
        data = json.loads(read_text(beside))
    except OSError as e:
        raise ConversionError(Code.ExternalDataInvalid, f"{beside}: {e.strerror}") from e
    except (ValueError, RecursionError) as e:
        raise ConversionError(Code.FileDamaged, f"{beside} is not JSON: {e}") from e
    if not isinstance(data, dict):
        raise ConversionError(Code.FileDamaged, f"{beside} holds no object with names")
    return data


def names_of(data: Mapping[str, object], key: str, beside: str) -> list[str]:
    """A list of names in it.  Raises ConversionError FileDamaged."""
    names = data.get(key, [])
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names) or len(set(names)) != len(names):
        raise ConversionError(Code.FileDamaged, f"{beside}: {key!r} is no list of distinct names")
    return names


def _bind(function: Function, weights: list[str], path: str) -> None:
    """Make the last parameters constants."""
    tensors, file = Tensors(path), SourceFile(path)
    block = function.block
    first = len(block.arguments) - len(weights)
    builder = Builder(block, function.location, before=block.first)
    for value in block.arguments[first:]:
        constant = constant_of(tensors[value.name], file)
        if (constant.dtype, constant.shape) != (value.tensor.dtype, value.tensor.static_shape()):
            raise ConversionError(
                Code.ConstantInvalid,
                f"{path}: {value.name} is {constant.dtype.display}{list(constant.shape)}, "
                f"the module takes {value.type}",
            )
        edit.replace_uses(value, builder.emit(Constant(value=constant)).y)
    edit.keep_arguments(block, range(first))


def bind_rows(function: Function, rows: Any, path: str, beside: str) -> None:
    """The variables: which output feeds which input, and their initial values.  Raises ConversionError FileDamaged,
    ExternalDataInvalid.
    """
    if not rows:
        return
    known = (function.input_names, function.output_names)
    if not isinstance(rows, list) or not all(
        isinstance(r, dict) and r.get("input") in known[0] and r.get("output") in known[1] for r in rows
    ):
        raise ConversionError(Code.FileDamaged, f"{beside}: 'state' does not name inputs and outputs of the module")
    bind_state(function, [StateRow(str(r.get("variable")), r["input"], r["output"]) for r in rows], path)
