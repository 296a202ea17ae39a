"""Observers: ops behind what makes a value, whose results a run of the model gives beside its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value, clone_block, walk
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.rewrite import edit


class Observer(NamedTuple):
    """low, high: names of outputs.  axis: of the value, along which there is a number for each slice."""

    value: Value
    axis: int | None
    low: str
    high: str


class Observed(NamedTuple):
    """module: a copy of a function, which gives the outputs of observers behind its own."""

    module: Module
    observers: list[Observer]


def observed(function: Function, wanted: Mapping[Value, int | None], sizes: Mapping[str, int]) -> Observed:
    """A copy of a function with observers of least and largest numbers.  wanted: values with the axis of channels.
    sizes: of symbols.
    """
    mapping: dict[Value, Value] = {}
    block = clone_block(function.block, mapping)
    copy = Function(function.name, block, list(function.output_names), function.signature, function.location)
    bind_sizes(copy, sizes)
    found, outputs = [], list(block.outputs)
    for i, (value, axis) in enumerate(wanted.items()):
        observer = Observer(value, axis, f"low.{i}", f"high.{i}")
        outputs += _observe(copy, mapping[value], axis)
        copy.output_names += [observer.low, observer.high]
        found.append(observer)
    edit.set_operands(block.terminator, outputs)
    return Observed(Module([copy]), found)


def _observe(function: Function, value: Value, axis: int | None) -> list[Value]:
    maker = value.producer
    before = function.block.first if maker is None else maker.next
    place = None if maker is None else maker.location
    builder = Builder(function.block, place or function.location, before)
    axes = tuple(i for i in range(value.tensor.rank or 0) if i != axis)
    made = (builder.emit(cls(value, axes=axes)).y for cls in (core.ReduceMin, core.ReduceMax))
    return list(made)


def bind_sizes(function: Function, sizes: Mapping[str, Size]) -> None:
    """Symbols stand for numbers in all types of a function."""
    if not sizes:
        return
    values = [*function.inputs]
    for op in walk(function.block):
        values += op.results
        for region in op.regions:
            values += region.block.arguments
    for value in values:
        t = value.type
        if isinstance(t, TensorType) and t.shape is not None and not t.is_static:
            edit.retype(value, t.with_shape(tuple(_bound(d, sizes) for d in t.shape)))
        if value.known is not None:
            value.known = tuple(None if k is None else _bound(k, sizes) for k in value.known)


def _bound(size: Size, sizes: Mapping[str, Size]) -> Size:
    return substitute(size, sizes) if isinstance(size, Dim) else size


def symbols_in(inputs: Sequence[Value], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """What the symbols in the types of inputs are for arrays of some shapes."""
    pairs = ((d, n) for v in inputs for d, n in zip(v.tensor.shape or (), shapes[v.name], strict=True))
    return {str(d): n for d, n in pairs if isinstance(d, Dim)}
