"""Checks that what is said of a function is about its own inputs, outputs and sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from mlconv.ir.axis_orders import InputForm
from mlconv.ir.core import Value
from mlconv.ir.data_sizes import data_sizes
from mlconv.ir.dims import Dim, Size
from mlconv.ir.facts import EntrySizes
from mlconv.ir.module import Function
from mlconv.ir.shapes import symbols_of
from mlconv.ir.types import TensorType


def faults(function: Function) -> Iterator[str]:
    """What is wrong with the facts of a function."""
    inputs = {v.name: v for v in function.inputs}
    outputs = dict(zip(function.output_names, function.outputs, strict=False))
    yield from function.facts.where.faults()
    yield from _of_state(function, inputs, outputs)
    yield from _of_layout(function, inputs, outputs)
    if function.facts.sizes is not None:
        yield from _of_sizes(function.facts.sizes, [*inputs], [*outputs])
    given = set(symbols_of([v.type.shape for v in function.inputs if isinstance(v.type, TensorType)]))
    given |= data_sizes(function.block).keys()
    given |= {s.name for s in function.facts.sizes.counted} if function.facts.sizes is not None else set()
    for relation in function.facts.where.relations:
        for size in (relation.a, relation.b):
            yield from _strange(size, given, "what is known")
    for condition in function.facts.conditions:
        for size in (condition.a, condition.b):
            yield from _strange(size, given, "a condition")


def _strange(size: Size, given: set[str], what: str) -> Iterator[str]:
    strange = sorted(size.symbols() - given) if isinstance(size, Dim) else []
    if strange:
        yield f"{what} is about {size}, and no input has the size {strange[0]}"


def _of_state(function: Function, inputs: Mapping[str, Value], outputs: Mapping[str, Value]) -> Iterator[str]:
    for name, slot in function.facts.state.items():
        initial = TensorType(slot.initial.dtype, slot.initial.shape)
        if slot.input not in inputs:
            yield f"the variable {name!r} is no input {slot.input!r}"
        elif slot.output not in outputs:
            yield f"the variable {name!r} is no output {slot.output!r}"
        elif inputs[slot.input].type != initial:
            yield f"the variable {name!r} is {initial}, its input {inputs[slot.input].type}"


def _of_layout(function: Function, inputs: Mapping[str, Value], outputs: Mapping[str, Value]) -> Iterator[str]:
    layout, forms = function.facts.io_layout, function.facts.forms
    told = [] if layout is None else [(layout.inputs, inputs), (layout.outputs, outputs)]
    if forms is not None:
        perms = {name: form.perm for name, form in forms.inputs.items() if form.perm or name not in inputs}
        told += [(perms, inputs), (forms.outputs, outputs)]
        for name, form in forms.inputs.items():
            yield from _of_pixels(name, form, inputs)
    for held, values in told:
        for name, perm in held.items():
            rank = values[name].tensor.rank if name in values else None
            if rank is None or sorted(perm) != list(range(rank)):
                yield f"the layout {list(perm)} is of no value {name!r}"


def _of_pixels(name: str, form: InputForm, inputs: Mapping[str, Value]) -> Iterator[str]:
    rank = inputs[name].tensor.rank if name in inputs else None
    if not (all(map(math.isfinite, form.mean)) and all(math.isfinite(s) and s > 0 for s in form.std)):
        yield f"{name!r} cannot have the mean {list(form.mean)} and the deviation {list(form.std)}"
    if (form.mean or form.std) and (rank is None or not 0 <= form.axis < max(rank, 1)):
        yield f"the channels of {name!r} are no axis {form.axis}"


def _of_sizes(sizes: EntrySizes, inputs: list[str], outputs: list[str]) -> Iterator[str]:
    if inputs[: len(sizes.inputs)] != list(sizes.inputs) or outputs[: len(sizes.outputs)] != list(sizes.outputs):
        yield "the names beside its sizes are not those of its inputs and outputs"
    if len(inputs) != len(sizes.inputs) + len(sizes.sizes):
        yield f"{len(sizes.sizes)} sizes are to be given, by {len(inputs) - len(sizes.inputs)} inputs"
    for size in (*sizes.sizes, *sizes.counted):
        if not 0 <= size.low <= size.high:
            yield f"the size {size.name} has no range {size.low}..{size.high}"
    for name, shape in sizes.shapes.items():
        if name not in (*sizes.inputs, *sizes.outputs):
            yield f"a shape is of no value {name!r}"
        for part in shape:
            yield from _strange(part, {s.name for s in (*sizes.sizes, *sizes.counted)}, f"the shape of {name!r}")
