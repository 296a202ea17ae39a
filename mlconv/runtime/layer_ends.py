"""A run of a model whose values end where another model's integers do.

Scales are made for samples.  Of other inputs, numbers lie beyond all integers, and what comes behind is not what a
model gives by itself: this is no mistake of an op, and of this run the other model differs by roundings alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.runtime.compare import rms
from mlconv.runtime.layer_errors import finite_part
from mlconv.runtime.layer_factors import carried_factors, channel_factors
from mlconv.runtime.layer_orders import Order, laid_as
from mlconv.runtime.layer_values import LayerValue, ends_of, in_numbers, quant_of_value


def ended_values(
    function: Function, inputs: Mapping[str, Array], matches: Mapping[Value, LayerValue]
) -> dict[Value, Array]:
    """Results of a function's ops that have counterparts, where all of these end as those do.  Raises ConversionError
    of a function that the interpreter cannot run.
    """
    found, orders, factors = dict[Value, Array](), dict[int, Order](), dict[Value, Array]()

    def change(op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        if op.block is not function.block:
            return results
        found.update(zip(op.results, results, strict=True))
        for value, own in zip(op.results, results, strict=True):
            if value in matches and own.dtype.kind == "f" and own.size == matches[value].array.size:
                other = matches[value]
                laid = laid_as(own, other.array, own, orders)
                options = [
                    channel_factors(own, laid, other.step, quant=other.quant),
                    carried_factors([op], factors, found),
                ]
                nearest = nearest_of(options, [own], laid, other.quant)
                factors.update({} if nearest is None else {value: nearest})
                found[value] = within(own, other.quant, nearest)
        return [found[v] for v in op.results]

    run_function(function, inputs, change=change)
    return {v: in_numbers(x, quant_of_value(v)) for v, x in found.items() if v in matches}


def nearest_of(
    options: Sequence[Array | None], known: Sequence[Array], laid: Array, quant: QuantType | None
) -> Array | None:
    """Factors, or none, which take another model's array nearest to one of some, where these end as its integers do."""

    def far(factors: Array | None) -> float:
        there = finite_part(laid if factors is None else np.asarray(laid / factors))
        return min(rms(finite_part(within(x, quant, factors)) - there) for x in known)

    return min((None, *(f for f in options if f is not None)), key=far)


def within(own: Array, quant: QuantType | None, factors: Array | None) -> Array:
    """What is left of numbers between the ends of integers that stand for so many times as much."""
    if quant is None or not quant.is_per_tensor:
        return own
    low, high = (end / (1.0 if factors is None else factors) for end in ends_of(quant))
    return np.clip(own, low, high).astype(own.dtype)
