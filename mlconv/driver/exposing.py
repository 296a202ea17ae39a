"""Which op of an artifact is at fault, where that shows nothing but its outputs: values inside become outputs, some
at a time, and what is left of the conversion runs again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.driver.stages import Stages
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from mlconv.ir.types import TensorType
from mlconv.rewrite import edit
from mlconv.runtime.layer_report import Layer
from mlconv.runtime.layers import Judge

_AT_ONCE = 16
_TIMES = 4


def narrowed(stages: Stages, before: int, inputs: Mapping[str, Array], layer: Layer) -> Layer:
    """The first op that is off of those of a layer, as far as artifacts tell: one that gives more may be made
    otherwise, and right.  before: the stage, of core ops, that the layer is of.
    """
    ops = list(stages.found[before].module.main.block.ops)
    for time in range(_TIMES):
        inside = [i for i, op in enumerate(ops) if op in layer.ops and layer.value not in op.results]
        shown = [i for i in inside if _is_shown(ops[i].results)]
        if not shown:
            break
        read = {value.producer for op in layer.ops for value in op.inputs}.difference(layer.ops)
        front = [i for i, op in enumerate(ops) if op in read and _is_shown(op.results)]
        module = _showing(stages.found[before].module, [*front, *_spread(shown)])
        found = _first_off(stages, before, module, inputs, f"shown{time}")
        if found is None or len(found.ops) >= len(layer.ops):
            break
        places = {op: i for i, op in enumerate(module.main.block.ops)}
        value = ops[places[found.value.owner]].results[found.value.index]  # type: ignore[index]
        layer = replace(found, value=value, ops=tuple(ops[places[op]] for op in found.ops))
    return layer


def _is_shown(results: Sequence[Value]) -> bool:
    """The op has one result that can be an output, and computes it."""
    return (
        len(results) == 1
        and isinstance(results[0].type, TensorType)
        and results[0].type.shape is not None
        and not isinstance(results[0].owner, core.Constant)
    )


def _spread(places: Sequence[int]) -> list[int]:
    """At most so many, evenly."""
    step = max(1, -(-len(places) // _AT_ONCE))
    return list(places[step // 2 :: step])


def _showing(module: Module, shown: Sequence[int]) -> Module:
    """A copy that gives results of more ops.  shown: their places."""
    copy = clone_module(module)
    function = copy.main
    ops = list(function.block.ops)
    values = [v for i in shown for v in ops[i].results if v not in function.outputs]
    edit.set_operands(function.block.terminator, [*function.outputs, *values])
    function.output_names = [*function.output_names, *(f"mlconv.inside.{i}" for i in range(len(values)))]
    return copy


def _first_off(stages: Stages, before: int, module: Module, inputs: Mapping[str, Array], name: str) -> Layer | None:
    """Of a module; None where nothing is, or where no artifact can be made."""
    try:
        seen = stages.outputs_of(clone_module(module), stages.found[before].number, name, inputs)
    except ConversionError:
        return None
    call = stages.call(module.main, inputs)
    return Judge(module.main, call, seen.values, seen.rounding).report().first
