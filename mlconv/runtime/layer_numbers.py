"""Parts of a function on the numbers that its integers stand for: nothing is rounded between ops, and what has an end
still has it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.interp.interpreter import Change
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import OWN, has_quantized, on_numbers
from mlconv.ir.spec import OpDef
from mlconv.runtime.layer_noise import stored_values
from mlconv.runtime.layer_values import ends_of, in_numbers, quant_of_value
from mlconv.runtime.order import AT_RUN_TIME


class UnknownError(Exception):
    """An op is about integers, and not about numbers."""


class Region(NamedTuple):
    """What makes a value of some others.  ops: in order.  leaves: what they read, constants left out."""

    ops: tuple[Op, ...]
    leaves: frozenset[Value]


class Numbers:
    """The ops of a function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.stored = stored_values(function)
        self.order = {op: i for i, op in enumerate(function.block.ops)}
        self.held: dict[Value, Array] = {}

    def region(self, value: Value, leaves: Collection[Value]) -> Region:
        """Raises UnknownError where it has loops or branches."""
        found: set[Op] = set()
        read: set[Value] = set()
        left = [value]
        while left:
            one = left.pop()
            op = one.producer
            if one is not value and (one in leaves or op is None):
                read.add(one)
            elif one not in self.stored and op is not None and op not in found:
                if op.regions or op.block is not self.function.block:
                    raise UnknownError
                found.add(op)
                left += [v for v in op.inputs if v is not None]
        return Region(tuple(sorted(found, key=self.order.__getitem__)), frozenset(read))

    def run(
        self,
        region: Region,
        value: Value,
        given: Mapping[Value, Array],
        noisy: Change | None = None,
        cuts: bool = True,
    ) -> Array:
        """A value of its leaves.  noisy: changes what ops give.  cuts: numbers end where integers do.  Raises
        UnknownError.
        """
        env = dict(given)
        with np.errstate(all="ignore"):
            for op in region.ops:
                if not isinstance(op, OpDef):
                    raise UnknownError
                arrays = [None if v is None else env[v] if v in env else self.stored_array(v) for v in op.operands]
                results = _results(op, arrays, [v is not None and v in self.stored for v in op.operands], cuts)
                if noisy is not None and results[0].dtype.kind == "f":
                    results = [*noisy(op, arrays, results)]
                env.update((v, x) for v, x in zip(op.results, results, strict=True) if v not in given)
        return env[value]

    def stored_array(self, value: Value) -> Array:
        """What is computed of constants alone, as it is stored."""
        if value not in self.held:
            op = value.producer
            assert isinstance(op, OpDef)
            made = op.evaluate(*(None if v is None else self.stored_array(v) for v in op.operands))
            results = made if isinstance(made, (tuple, list)) else (made,)
            self.held.update(zip(op.results, map(np.asarray, results), strict=True))
        return self.held[value]


def _results(op: OpDef, arrays: list[Array | None], stored: list[bool], cuts: bool) -> list[Array]:
    """Of an op that reads numbers, and integers of constants."""
    if isinstance(op, (core.Quantize, core.Requantize)):
        return [_cut(arrays[0], op.element, cuts)]
    if isinstance(op, core.Dequantize) and not stored[0]:
        assert arrays[0] is not None
        return [arrays[0]]
    if isinstance(op, AT_RUN_TIME):
        x, w, bias = arrays[0], arrays[1], arrays[2] if len(arrays) > 2 else None
        assert x is not None and w is not None
        return [op.unrounded(x, w, bias)]
    if op.spec.quant is OWN and not all(stored):
        raise UnknownError
    numbers = [
        in_numbers(x, quant_of_value(v)) if s and x is not None and v is not None else x
        for x, v, s in zip(arrays, op.operands, stored, strict=True)
    ]
    made = (on_numbers(op) if has_quantized([*op.operands, *op.results]) else op).eval(*numbers)
    results = made if isinstance(made, (tuple, list)) else (made,)
    quants = [quant_of_value(v) for v in op.results]
    return [np.asarray(x) if q is None else _cut(np.asarray(x), q, cuts) for x, q in zip(results, quants, strict=True)]


def _cut(x: Array | None, element: QuantType, cuts: bool) -> Array:
    """Within the integers of a type."""
    assert x is not None
    if not (cuts and element.is_per_tensor):
        return x
    low, high = ends_of(element)
    return np.clip(x, low, high)
