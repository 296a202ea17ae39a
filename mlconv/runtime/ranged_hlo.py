"""HLO modules whose sizes have ranges: what goes in and out, as the model has it that they were made from.

In the module each size is the largest one, and numbers say how much of it is valid: its ops are read back so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.hlo.graph import entry_types
from mlconv.importers.hlo.names import bind_rows, names_of, read_facts
from mlconv.ir.builder import Builder
from mlconv.ir.core import OpaqueOp, Yield
from mlconv.ir.dims import Size
from mlconv.ir.facts import Condition
from mlconv.ir.module import Function
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from mlconv.runtime.native_interface import condition_in, size_in

_MODULE = "hlo.module"


def entry_of_ranges(path: str) -> Function | None:
    """The entry with the model's own inputs and outputs, in symbolic shapes, and one op that stands for the module.

    None where no size is left for run time, as the file beside it says.  Raises ConversionError: FileDamaged,
    ExternalDataInvalid, and what reading types may raise.
    """
    beside = f"{path}.json"
    facts = read_facts(beside) if os.path.isfile(beside) else {}
    if not facts.get("sizes"):
        return None
    taken, given = entry_types(path)
    inputs, outputs = (names_of(facts, key, beside) for key in ("inputs", "outputs"))
    ranges = _ranges(facts, "sizes", beside)
    dimensions = frozenset({**ranges, **_ranges(facts, "counted", beside)})
    location = NameLocation(os.path.basename(path))
    types = _typed(inputs, taken, facts, dimensions, beside)
    function = Function.create("main", types, inputs, location)
    results = _typed(outputs, given, facts, dimensions, beside)
    module = Builder(function.block, location).emit(OpaqueOp(_MODULE, function.inputs, {}, results, location=location))
    function.block.insert(Yield(module.results, location))
    function.output_names = outputs
    function.facts.where = SizeFacts(ranges)
    function.facts.conditions = _conditions(facts, dimensions, beside)
    bind_rows(function, facts.get("state", []), f"{path}.state.safetensors", beside)
    return function


def _typed(
    names: Sequence[str],
    types: Sequence[TensorType],
    facts: Mapping[str, object],
    dimensions: frozenset[str],
    beside: str,
) -> list[TensorType]:
    """The types of what has names, with symbolic sizes where there are such."""
    if len(names) > len(types):
        raise _damaged(beside, f"it names {len(names)} values where the module has {len(types)}")
    shapes = facts.get("shapes", {})
    if not isinstance(shapes, dict):
        raise _damaged(beside, "'shapes' holds no shapes")
    found = []
    for name, t in zip(names, types, strict=False):
        sizes = shapes.get(name, t.shape)
        shape: tuple[Size, ...] = tuple(n for d in sizes or () if (n := size_in(d, dimensions)) is not None)
        if len(shape) != t.rank or len(shape) != len(sizes or ()):
            raise _damaged(beside, f"the shape of {name} is {sizes}, the module has {t}")
        found.append(t.with_shape(shape))
    return found


def _ranges(facts: Mapping[str, object], key: str, beside: str) -> dict[str, tuple[int, int]]:
    rows = facts.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(r, dict) and isinstance(r.get("name"), str) for r in rows):
        raise _damaged(beside, f"{key!r} is no list of sizes")
    found = {}
    for row in rows:
        low, high = row.get("low"), row.get("high")
        if type(low) is not int or type(high) is not int or not 0 <= low <= high:
            raise _damaged(beside, f"{row['name']} is from {low} to {high}")
        found[row["name"]] = (low, high)
    return found


def _conditions(facts: Mapping[str, object], dimensions: frozenset[str], beside: str) -> tuple[Condition, ...]:
    rows = facts.get("conditions", [])
    found = [condition_in(row, dimensions) for row in rows] if isinstance(rows, list) else [None]
    if None in found:
        raise _damaged(beside, "'conditions' are not those of its sizes")
    return tuple(c for c in found if c is not None)


def _damaged(beside: str, why: str) -> ConversionError:
    return ConversionError(
        Code.FileDamaged, f"{beside}: {why}", help="the file belongs to another module: write the module again"
    )
