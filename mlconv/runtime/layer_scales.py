"""Scales that are no roundings: integers that are read by another scale than they are made by, and a tensor that has a
scale of its own where all others have the other model's.

What is off by such a scale is off by a part of each number, which is less than a step for most of them: it is told from
what the models say of their integers, not from numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.passes.quantized.grids import grid_of
from mlconv.runtime.layer_noise import MOVING
from mlconv.runtime.layer_numbers import Numbers
from mlconv.runtime.layer_values import is_moving, quant_of_value, step_of

_LEAST, _PART = 4, 8  # tensors that tell; of so many, one may have another scale
_ROUNDING = 4e-3  # of a scale, which writers may choose so that halves are rounded as kernels round them
_FACTOR = 0.51 / 256  # of the step behind: of a factor of 8 bits behind the point, which writers choose scales by
_PLAIN = (*MOVING, core.Quantize, core.Dequantize, core.Requantize)


class Scales:
    """pairs: values of one model, in order, by those of the other that stand for the same."""

    def __init__(self, pairs: Mapping[Value, Value], own: Numbers, others: Numbers) -> None:
        self.pairs, self.own, self.others = pairs, own, others
        self.ends = frozenset(pairs), frozenset(pairs.values())
        self.shifts = _shifts(own.function), _shifts(others.function)
        self.apart = self._apart()

    def why(self, value: Value) -> str:
        """What the integers of a value, or those that it is computed of, are off by, in words."""
        own, other = self._ops(value)
        texts = _misread(own, self.shifts[0]), _misread(other, self.shifts[1])
        if bool(texts[0]) != bool(texts[1]):
            return texts[0] or texts[1]
        return self.apart.get(value, "") if _functions(own) == _functions(other) else ""

    def _apart(self) -> dict[Value, str]:
        """Values with scales of their own, if these are few."""
        quants = {v: (_quant(v), _quant(other)) for v, other in self.pairs.items()}
        known = {
            v: (a, b)
            for v, (a, b) in quants.items()
            if a is not None and b is not None and a.is_per_tensor and b.is_per_tensor and a.storage is b.storage
        }
        found = {v: (a, b) for v, (a, b) in known.items() if not _are_same(a, b)}
        if len(known) < _LEAST or len(found) > max(1, len(known) // _PART):
            return {}
        rest = f"{len(known) - len(found)} of {len(known)} tensors have the same"
        return {v: f"its integers are {a} in one model and {b} in the other, {rest}" for v, (a, b) in found.items()}

    def ops(self, value: Value) -> list[Op]:
        """What makes a value of those in front that have a counterpart, constants left out."""
        return [op for op in self._ops(value)[0] if any(v not in self.own.stored for v in op.results)]

    def _ops(self, value: Value) -> tuple[list[Op], list[Op]]:
        """What makes both values of those in front that stand for the same."""
        return (
            list(_behind(value, self.ends[0], self.own)),
            list(_behind(self.pairs[value], self.ends[1], self.others)),
        )


def _behind(value: Value, ends: frozenset[Value], numbers: Numbers) -> Iterator[Op]:
    seen: set[Op] = set()
    left = [value]
    while left:
        one = left.pop()
        op = one.producer
        if op is None or op in seen or op.block is not numbers.function.block or (one is not value and one in ends):
            continue
        seen.add(op)
        yield op
        left += op.inputs


def _misread(ops: Iterable[Op], shifts: Mapping[int, int]) -> str:
    """Integers that are read by other scales or zero points than they are made by, in words.  shifts: how often a model
    reads some so many steps away; mlconv's writer of ONNX does that, and undoes it behind.
    """
    for op in ops:
        made, read = _read_as(op)
        if made is None or read is None:
            continue
        shift = _shift(made, read)
        if not _have_same_scales(made, read, _FACTOR * _step_behind(op)) or shifts.get(shift) != shifts.get(-shift):
            return f"integers that are {made} are read as {read}"
    return ""


def _shifts(function: Function) -> Counter[int]:
    pairs = (_read_as(op) for op in function.block.ops)
    return Counter(_shift(made, read) for made, read in pairs if made is not None and read is not None)


def _shift(made: QuantType, read: QuantType) -> int:
    return int(read.zero_array().sum() - made.zero_array().sum())


def _read_as(op: Op) -> tuple[QuantType | None, QuantType | None]:
    """What integers are made as, and what they are read as by an op."""
    if not isinstance(op, core.StorageCast) or op.y.tensor.quant is None:
        return None, None
    value = op.x
    while value.tensor.quant is None and isinstance(value.producer, MOVING):
        value = value.producer.inputs[0]
    return value.tensor.quant, op.y.tensor.quant


def _functions(ops: list[Op]) -> list[str]:
    """Ops but for those that move and round, and constants."""
    return sorted(
        f"{op.name} {op.attributes if isinstance(op, core.Clamp) else ''}"
        for op in ops
        if not isinstance(op, (*_PLAIN, core.Constant))
    )


def _quant(value: Value) -> QuantType | None:
    of = value.producer.x if isinstance(value.producer, core.Dequantize) else value
    return quant_of_value(of) or grid_of(value)


def _are_same(a: QuantType, b: QuantType) -> bool:
    return a == b or (_have_same_scales(a, b) and np.array_equal(a.zero_array(), b.zero_array()))


def _step_behind(op: Op) -> float:
    """The largest step of the integers that an op's become; 0 where they become none."""
    found, seen, left = [0.0], set[Op](), list(op.results)
    while left:
        for user in left.pop().users:
            if isinstance(user, core.Quantize):
                found.append(step_of(user.element))
            elif user not in seen and (isinstance(user, core.Dequantize) or is_moving(user)):
                seen.add(user)
                left += user.results
    return max(found)


def _have_same_scales(a: QuantType, b: QuantType, slack: float = 0.0) -> bool:
    """slack: of a step, beside its part."""
    if a.scheme != b.scheme or a.scales.shape != b.scales.shape:
        return False
    return bool(np.allclose(a.scales.view(), b.scales.view(), rtol=_ROUNDING, atol=slack))
