"""Quantizations of values: which share one, and which scales and zero points follow from ranges.

Source: TFLite 8-bit quantization specification, section 2 of its table of ops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.quantize.choose import FIXED, PRODUCTS, Choice, floats_of, is_lookup, is_movement
from mlconv.quantize.ranges import Range, activation_type

Use = tuple[OpDef, int]


class Groups:
    """Values that share a quantization: a forest with path halving."""

    def __init__(self) -> None:
        self._parent: dict[Value, Value] = {}

    def root(self, value: Value) -> Value:
        parent = self._parent
        while (above := parent.get(value, value)) is not value:
            parent[value] = parent.get(above, above)
            value = above
        return value

    def join(self, a: Value, b: Value) -> None:
        a, b = self.root(a), self.root(b)
        if a is not b:
            self._parent[b] = a


class Assignment(NamedTuple):
    """results: quantizations of what ops of integers make.  uses: those of what they read, constants aside."""

    results: dict[Value, QuantType]
    uses: dict[Use, QuantType]


def activations_of(op: OpDef) -> list[int]:
    """Operands that are numbers of the model's data: constants of products are weights."""
    return [i for i in floats_of(op) if not (isinstance(op, PRODUCTS) and const_of(op.operands[i]) is not None)]


def grouped(choice: Choice) -> Groups:
    """Operands and results of ops that only move numbers share a quantization, but for results of a range that is
    known, where there are several operands.
    """
    groups = Groups()
    for op in choice.integers:
        if not is_movement(op):
            continue
        read = [v for i in floats_of(op) if (v := op.operands[i]) is not None and const_of(v) is None]
        for value in read:
            if len(read) == 1 or not isinstance(value.producer, FIXED):
                groups.join(value, op.results[0])
    return groups


def wanted(choice: Choice) -> dict[Value, None]:
    """Values whose ranges decide quantizations."""
    found: dict[Value, None] = {}
    for op in choice.integers:
        for i in activations_of(op):
            value = op.operands[i]
            assert value is not None
            if const_of(value) is None and not choice.is_integer(value):
                found.setdefault(value)
        if not isinstance(op, FIXED) and not (is_movement(op) and (len(floats_of(op)) == 1 or is_lookup(op))):
            found.setdefault(choice.tails[op])
    return found


def assigned(choice: Choice, ranges: Mapping[Value, Range], storage: DType) -> Assignment:
    """Quantizations by ranges of values."""
    groups = grouped(choice)
    spans: dict[Value, Range] = {}
    fixed: dict[Value, QuantType] = {}
    for value, span in ranges.items():
        root = groups.root(value)
        whole = Range(*map(_scalar, span.whole))
        spans[root] = whole if root not in spans else spans[root].joined(whole)
    for op in choice.integers:
        for number in constants_of(op) if is_movement(op) else ():
            root = groups.root(op.results[0])
            spans[root] = number if root not in spans else spans[root].joined(number)
        if isinstance(op, FIXED):
            fixed[groups.root(choice.tails[op])] = fixed_type(op, storage)
    made: dict[Value, QuantType] = {}

    def type_of(value: Value) -> QuantType:
        root = groups.root(value)
        if root in fixed:
            return fixed[root]
        if root not in made:
            made[root] = activation_type(*spans[root].whole, storage)
        return made[root]

    results, uses = {}, {}
    for op in choice.integers:
        for i in activations_of(op):
            value = op.operands[i]
            if value is not None and const_of(value) is None:
                shared = choice.tails[op] if is_movement(op) else value
                uses[op, i] = type_of(shared)
        results[choice.tails[op]] = type_of(choice.tails[op])
    return Assignment(results, uses)


def constants_of(op: OpDef) -> Iterator[Range]:
    """Ranges of the constants that an op moves, or chooses among."""
    for i in activations_of(op):
        numbers = const_of(op.operands[i])
        if numbers is not None and numbers.size:
            x = numbers.view()
            yield Range(_scalar(float(x.min())), _scalar(float(x.max())))


def _scalar(number: float) -> Array:
    return np.asarray(number, np.float32)


def fixed_type(op: OpDef, storage: DType) -> QuantType:
    """The quantization of results of a range that is known."""
    scale, zero = next((s, z) for kind, s, z in op.spec.quant.fixed if kind is storage)
    return QuantType.of(storage, scale, zero)


def is_batched(op: OpDef) -> bool:
    """Weights with axes in front of those of the product, which take one scale."""
    return isinstance(op, core.MatMul) and (op.b.tensor.rank or 0) > 2
