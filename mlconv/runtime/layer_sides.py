"""What makes a value in both of two models."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Op, Value
from mlconv.runtime.layer_noise import MOVING
from mlconv.runtime.layer_numbers import Numbers, Region
from mlconv.runtime.layer_products import has_weights, steps_of
from mlconv.runtime.order import AT_RUN_TIME, PRODUCTS


class Sides(NamedTuple):
    """Both models, and what makes a value in each.  narrow: what is drawn has the signs of a run, or is like it."""

    own: Numbers
    region: Region
    others: Numbers
    other_region: Region
    narrow: bool = False


def are_floats(sides: Sides) -> bool:
    """Neither model has products, and constants of one are not rounded, and no biases that make up for what is rounded
    in front, where the other's are not.
    """
    both = (sides.own, sides.region), (sides.others, sides.other_region)
    if any(isinstance(op, (*PRODUCTS, *AT_RUN_TIME)) for _, region in both for op in region.ops):
        return False
    rounded, biases = [], False
    for numbers, region in both:
        stored = [(op, v) for op in region.ops for v in op.inputs if v in numbers.stored]
        rounded.append(any(steps_of(v, numbers)[1] is not None for _, v in stored))
        biases |= any(isinstance(op, (core.Add, core.Sub)) and v.tensor.size != 1 for op, v in stored)
    return rounded[0] == rounded[1] and (rounded[0] or not biases)


def functions_of(region: Region, numbers: Numbers) -> list[str]:
    """Ops of a region but for those that move, round, or scale by a number."""
    plain = (*MOVING, core.Quantize, core.Dequantize, core.Requantize, core.Clamp)
    scales = [
        isinstance(op, (core.Mul, core.Div, core.Add, core.Sub))
        and any(v in numbers.stored and v.tensor.size == 1 for v in op.inputs)
        for op in region.ops
    ]
    return sorted(
        op.name for op, is_scale in zip(region.ops, scales, strict=True) if not (is_scale or isinstance(op, plain))
    )


def behind(region: Region, stored: Container[Value]) -> Iterator[Op]:
    """Ops that read, by way of others, what products with constants make."""
    made: set[Value] = set()
    for op in region.ops:
        if not made.isdisjoint(op.inputs):
            yield op
            made.update(op.results)
        elif has_weights(op, stored):
            made.update(op.results)


def is_cut_last(sides: Sides, value: Value) -> bool:
    """Integers behind the other model's product are those of the value."""
    ops = behind(sides.other_region, sides.others.stored)
    return all(v is value or v.tensor.quant is None for op in ops for v in op.results)
