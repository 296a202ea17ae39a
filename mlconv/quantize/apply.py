"""Borders between numbers and integers, put into a module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.quantize.assign import Assignment, activations_of, is_batched
from mlconv.quantize.choose import PRODUCTS, Choice, bias_of, is_movement
from mlconv.quantize.observe import behind
from mlconv.quantize.ranges import activation_type, largest_of, weight_type
from mlconv.quantize.scheme import Scheme
from mlconv.rewrite import edit

_MOST_BIAS = float(1 << 30)
_ONE = 1 + 2.0**-22  # no less when scales are rounded: factors of 15 bits have 1, and nothing next below it
_LEAST_FACTOR = {DType.I8: 2.0**-30, DType.I16: 2.0**-22}
"""Of sums, by what they are of: XNNPACK takes a quarter of it, `quant-lower` of 16 bits too; scales are rounded."""


def apply(
    function: Function,
    choice: Choice,
    assignment: Assignment,
    scheme_of: Callable[[Op], Scheme],
    symmetric: bool = False,
    weights: Mapping[OpDef, tuple[Const, QuantType]] | None = None,
) -> dict[Value, Value]:
    """Results of ops of integers are rounded behind them, what they read in front of them, once for each
    quantization; weights are stored as integers.  symmetric: zero points are 0.  weights: of products, as integers,
    where they were rounded already.  Returns what stands for each value that was rounded.
    """
    borders = _Borders(function, symmetric)
    rounded: dict[Value, Value] = {}
    for op in choice.integers:
        scheme = scheme_of(op)
        for i in activations_of(op):
            value = op.operands[i]
            assert value is not None
            if (op, i) in assignment.uses:
                edit.set_operand(op, i, borders.rounded(value, assignment.uses[op, i]))
            else:
                shared = assignment.results[choice.tails[op]] if is_movement(op) else None
                edit.set_operand(op, i, borders.constant(op, value, scheme, shared))
        if isinstance(op, PRODUCTS):
            _round_weights(op, scheme, borders, _limits_of_scales(op, choice, assignment), (weights or {}).get(op))
        tail = choice.tails[op]
        rounded[tail] = borders.round_result(tail, assignment.results[tail])
    return rounded


class _Borders:
    """What was rounded, by value and quantization."""

    def __init__(self, function: Function, symmetric: bool) -> None:
        self.function, self.symmetric = function, symmetric
        self.made: dict[tuple[Value, QuantType], Value] = {}

    def rounded(self, value: Value, element: QuantType) -> Value:
        """The numbers of a value as integers of a quantization."""
        maker = value.producer
        if isinstance(maker, core.Dequantize) and maker.x.tensor.quant == element:
            return value
        if (value, element) not in self.made:
            self.made[value, element] = self._border(value, element)
        return self.made[value, element]

    def _border(self, value: Value, element: QuantType) -> Value:
        builder = behind(value, self.function.location)
        return builder.emit(core.Dequantize(builder.emit(core.Quantize(value, element=element)).y)).y

    def round_result(self, value: Value, element: QuantType) -> Value:
        """Whoever uses a value, or has it behind a border of the source's own, uses its integers' numbers, which are
        returned.
        """
        uses = list(value.uses)
        made = self._border(value, element)
        for user, i in uses:
            if isinstance(user, core.Quantize) and _have_same_numbers(user.element, element):
                for reader in [r for r in user.y.users if isinstance(r, core.Dequantize) and r.y.type == made.type]:
                    edit.replace_uses(reader.y, made)
            edit.set_operand(user, i, made)
        edit.rename(made, value.name)
        return made

    def constant(self, op: OpDef, value: Value, scheme: Scheme, shared: QuantType | None) -> Value:
        """A constant that is combined with integers: with one scale, its own where it shares none."""
        numbers = const_of(value)
        assert numbers is not None and scheme.activations is not None
        x = numbers.view()
        ends = float(x.min(initial=0.0)), float(x.max(initial=0.0))
        element = shared or activation_type(*ends, scheme.activations, self.symmetric)
        return self.stored(op, numbers, element)

    def stored(self, op: OpDef, numbers: Const, element: QuantType) -> Value:
        """A constant as integers, in front of an op."""
        return self.integers(op, element.stored(numbers), element)

    def integers(self, op: OpDef, stored: Const, element: QuantType) -> Value:
        """What integers stand for, in front of an op."""
        assert op.block is not None
        builder = Builder(op.block, op.location or self.function.location, op)
        return builder.emit(core.Dequantize(builder.emit(core.Constant(value=stored, element=element)).y)).y


def _have_same_numbers(a: QuantType, b: QuantType) -> bool:
    """Integers of both stand for the same numbers, whatever their zero points are."""
    if not a.is_per_tensor or not b.is_per_tensor or a.scales.view() != b.scales.view():
        return False
    (x,), (y,) = a.zero_array().reshape(-1), b.zero_array().reshape(-1)
    return bool(a.qmin - x == b.qmin - y and a.qmax - x == b.qmax - y)


def output_axis(op: OpDef) -> int | None:
    """The axis of a product's weights that its output channels are; None where one scale is for all."""
    if isinstance(op, (core.Conv, core.ConvTranspose)):
        return op.w_layout.index("O")
    if not isinstance(op, core.MatMul) or is_batched(op):
        return None
    return 0 if op.transpose_b else 1


class _Limits(NamedTuple):
    """Of scales of weights.  least: of each output channel, such that its bias is an integer of 32 bits, and that sums
    are not scaled by less than kernels take.  still: of channels of zeros, such that their biases are integers of the
    result, which no kernel's rounding moves.
    """

    least: Array
    still: float


def _limits_of_scales(op: OpDef, choice: Choice, assignment: Assignment) -> _Limits | None:
    """None for products whose weights have one scale."""
    x = assignment.uses.get((op, 0))
    if x is None or output_axis(op) is None:
        return None
    step, result = float(x.scales.view()), float(assignment.results[choice.tails[op]].scales.view())
    bias = const_of(bias_of(op))
    largest = np.asarray(0.0) if bias is None else np.abs(bias.view().astype(np.float64))
    least = np.maximum(largest / _MOST_BIAS, result * _LEAST_FACTOR[x.storage]) / step
    return _Limits(np.asarray(least), result * _ONE / step)


def _round_weights(
    op: OpDef, scheme: Scheme, borders: _Borders, limits: _Limits | None, given: tuple[Const, QuantType] | None
) -> None:
    for i in (0, 1):
        numbers = const_of(op.operands[i])
        if numbers is None:
            continue
        if i == 1 and given is not None:
            edit.set_operand(op, i, borders.integers(op, *(given if limits is None else _within(limits, *given))))
            continue
        assert scheme.weights is not None
        axis = output_axis(op) if i == 1 and scheme.block >= 0 else None
        storage = DType.I8 if scheme.weights is DType.I4 else scheme.weights
        largest = largest_of(numbers, axis)
        is_zero = not largest.any()
        element = weight_type(largest, storage, axis)
        if i == 1 and axis is not None and limits is not None:
            top = (1 << storage.bits - 1) - 1
            wanted = np.maximum(largest, (limits.least * top).astype(np.float32))
            element = _stilled(weight_type(wanted, storage, axis), limits, largest)
        # Zeros have scales of their own in each layer: as integers, files have them once.
        stored = make_const(np.zeros(numbers.shape, storage.numpy), storage) if is_zero else element.stored(numbers)
        edit.set_operand(op, i, borders.integers(op, stored, element))


def _within(limits: _Limits, codes: Const, element: QuantType) -> tuple[Const, QuantType]:
    """Integers that are given, with scales that channels may have."""
    old, axis = element.scales.view(), element.axis
    new = np.maximum(old, limits.least.astype(np.float32))
    numbers = codes.view()
    if (new > old).any():
        numbers = np.rint(numbers * element.spread(old / new, numbers.shape)).astype(numbers.dtype)
    over = tuple(i for i in range(numbers.ndim) if i != axis)
    element = element.with_numbers(element.scheme, make_const(new), 0)
    return make_const(numbers, codes.dtype), _stilled(element, limits, np.abs(numbers).max(over, initial=0) * new)


def _stilled(element: QuantType, limits: _Limits, largest: Array) -> QuantType:
    """With another scale for channels whose largest weight becomes 0."""
    scales = element.scales.view()
    zeros = np.rint(largest.reshape(scales.shape) / scales) == 0
    still = np.maximum(limits.still, limits.least)
    numbers = np.where(zeros, still, scales).astype(np.float32)
    return element.with_numbers(element.scheme, make_const(numbers), 0) if zeros.any() else element
