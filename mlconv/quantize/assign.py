"""Quantizations of values: which share one, and which scales and zero points follow from ranges.

Source: TFLite 8-bit quantization specification, section 2 of its table of ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType, storage_range
from mlconv.ir.recipes import SIGN
from mlconv.ir.spec import OpDef
from mlconv.ir.value_groups import Groups
from mlconv.quantize.choose import FIXED, PRODUCTS, Choice, floats_of, is_lookup, is_movement
from mlconv.quantize.ranges import Range, activation_type, with_headroom
from mlconv.quantize.scheme import Scheme

Use = tuple[OpDef, int]
_COARSER = 1.5  # times as large steps, which an op that rounds anew is worth


class Assignment(NamedTuple):
    """results: quantizations of what ops of integers make.  uses: those of what they read, constants aside."""

    results: dict[Value, QuantType]
    uses: dict[Use, QuantType]


def activations_of(op: OpDef) -> list[int]:
    """Operands that are numbers of the model's data: constants of products are weights."""
    return [i for i in floats_of(op) if not (isinstance(op, PRODUCTS) and const_of(op.operands[i]) is not None)]


def grouped(choice: Choice, ranges: Mapping[Value, Range]) -> Groups:
    """Operands and results of ops that only move numbers share a quantization.  Where there are several operands, those
    of a range that is known do not, however they were moved, nor those that others read, too, in finer steps.
    """
    groups = Groups()
    for op in choice.integers:
        if not is_movement(op):
            continue
        read = _moved(op)
        others = len(read) > 1 or any(any(span.whole) for span in constants_of(op))
        for value in read:
            alone = not others or not (_is_fixed(value, choice) or _is_finer(value, op.results[0], ranges))
            if alone:
                groups.join(value, op.results[0])
    for op in choice.integers:
        for part in op.inputs:
            if isinstance(part.producer, core.Split) and choice.is_integer(part.producer.x) and _is_combined(part):
                groups.join(part.producer.x, part)
    return groups


def _is_combined(value: Value) -> bool:
    """Nobody moves a value, which would share the scale of what it is moved to, or needs it without a zero point."""
    return not any(is_movement(user) or (isinstance(user, core.MatMul) and user.b is value) for user in value.users)


def _moved(op: OpDef) -> list[Value]:
    return [v for i in floats_of(op) if (v := op.operands[i]) is not None and const_of(v) is None]


def _is_fixed(value: Value, choice: Choice) -> bool:
    """Kernels have one range for what a value is, or was moved from: to share it would cut all others off."""
    while (maker := value.producer) in choice.integers and is_movement(maker):
        read = _moved(maker)
        if len(read) != 1:
            return False
        value = read[0]
    return isinstance(value.producer, FIXED)


def _is_finer(value: Value, result: Value, ranges: Mapping[Value, Range]) -> bool:
    """Others read a value whose own range is much smaller than the one that it is moved into."""
    return (
        value in ranges
        and result in ranges
        and len(value.users) > 1
        and (_COARSER * _extent(ranges[value]) < _extent(ranges[result]))
    )


def _extent(span: Range) -> float:
    """From the least to the largest number, or 0."""
    low, high = span.whole
    return max(high, 0.0) - min(low, 0.0)


def wanted(choice: Choice) -> dict[Value, None]:
    """Values whose ranges decide quantizations."""
    found: dict[Value, None] = {}
    for op in choice.integers:
        for i in activations_of(op):
            value = op.operands[i]
            assert value is not None
            if const_of(value) is None and not choice.is_integer(value):
                found.setdefault(value)
        looked_at = isinstance(op, core.Softmax) or not isinstance(op, FIXED)
        if looked_at and not (is_movement(op) and (len(floats_of(op)) == 1 or is_lookup(op))):
            found.setdefault(choice.tails[op])
    return found


def assigned(
    choice: Choice,
    ranges: Mapping[Value, Range],
    scheme_of: Callable[[Op], Scheme],
    symmetric: bool = False,
    unlimited: Iterable[Value] = (),
) -> Assignment:
    """Quantizations by ranges of values.  symmetric: all zero points are 0.  unlimited: values that lost a limit, and
    that end where those of samples did.
    """
    shared = _Shared(choice, ranges, symmetric, unlimited)
    results, uses = {}, {}
    for op in choice.integers:
        storage, tail = storage_of(scheme_of(op)), choice.tails[op]
        for i in activations_of(op):
            value = op.operands[i]
            if value is not None and const_of(value) is None:
                uses[op, i] = shared.type_of(tail if is_movement(op) else value, storage)
        results[tail] = shared.type_of(tail, storage)
    return Assignment(results, uses)


def storage_of(scheme: Scheme) -> DType:
    """Of activations under a static scheme."""
    assert scheme.activations is not None
    return scheme.activations


class _Shared:
    """Quantizations of groups of values."""

    def __init__(
        self, choice: Choice, ranges: Mapping[Value, Range], symmetric: bool, unlimited: Iterable[Value]
    ) -> None:
        self.symmetric = symmetric
        self.groups = grouped(choice, ranges)
        self.ending = {self.groups.root(value) for value in unlimited if value in ranges}
        self.spans: dict[Value, Range] = {}
        self.least: dict[Value, float] = {}  # that ranges of 8 bits reach to
        self.fixed: dict[Value, OpDef] = {}
        self.given: dict[Value, QuantType] = {}  # by the source, which rounds what comes out
        self.made: dict[tuple[Value, DType], QuantType] = {}
        self.centred: set[Value] = set()  # right factors: XNNPACK takes them without a zero point only
        for value, span in ranges.items():
            low, high = span.whole
            self._add(value, Range(_scalar(low), _scalar(high)))
            if isinstance(value.producer, core.Softmax):
                self.least[self.groups.root(value)] = _least_share(value.producer)
        for op in choice.integers:
            if isinstance(op, FIXED):
                self.fixed[self.groups.root(choice.tails[op])] = op
            element = None if is_movement(op) else _rounded_to(choice.tails[op])
            if element is not None:
                self.given[self.groups.root(choice.tails[op])] = element
            for span in constants_of(op) if is_movement(op) else ():
                self._add(op.results[0], span)
            right = op.b if isinstance(op, core.MatMul) else None
            if right is not None and const_of(right) is None:
                self.centred.add(self.groups.root(right))

    def _add(self, value: Value, span: Range) -> None:
        root = self.groups.root(value)
        self.spans[root] = span if root not in self.spans else self.spans[root].joined(span)

    def type_of(self, value: Value, storage: DType) -> QuantType:
        """Raises ConversionError QuantizationInvalid."""
        root = self.groups.root(value)
        if (root, storage) not in self.made:
            self.made[root, storage] = self._made(root, storage)
        return self.made[root, storage]

    def _made(self, root: Value, storage: DType) -> QuantType:
        maker = self.fixed.get(root)
        if maker is not None:
            return fixed_type(maker, storage, self.symmetric)
        given, centred = self.given.get(root), self.symmetric or root in self.centred
        if given is not None and given.storage is storage and not (centred and given.zero_array().any()):
            return given
        span = self.spans[root]
        low, high = span.whole if root in self.ending else with_headroom(span, storage)
        if storage is DType.I8:
            high = max(high, self.least.get(root, high))
        return activation_type(low, high, storage, centred=centred)


def _rounded_to(value: Value) -> QuantType | None:
    """What all that read a value round it to, in a source that is quantized in part; with a sign."""
    elements = [user.element if isinstance(user, core.Quantize) else None for user in value.users]
    first = elements[0] if elements else None
    if first is None or not first.is_per_tensor or any(element != first for element in elements):
        return None
    if first.storage is not DType.U8 or (first.qmin, first.qmax) != storage_range(DType.U8):
        return first
    return QuantType.of(DType.I8, first.scales.view(), first.zero_array() - SIGN, expressed=first.expressed)


def _least_share(op: core.Softmax) -> float:
    """Twice what each of equal numbers has, or all.  ONNX Runtime 1.31 multiplies exponentials by the reciprocal of the
    scale, and overflows where that is more than 148 times the length of a row (QlinearBuildLookupTableUint32 and
    QlinearSoftmaxCPU, contrib_ops/cpu/quantization/qlinear_softmax.cc): all integers are the largest then.
    """
    size = (op.x.tensor.shape or ())[op.axis] if op.x.tensor.shape else None
    return 2 / size if isinstance(size, int) and size > 1 else 1.0


def constants_of(op: OpDef) -> Iterator[Range]:
    """Ranges of the constants among the operands of data movement."""
    for i in activations_of(op):
        numbers = const_of(op.operands[i])
        if numbers is not None and numbers.size:
            x = numbers.view()
            yield Range(_scalar(float(x.min())), _scalar(float(x.max())))


def _scalar(number: float) -> Array:
    return np.asarray(number, np.float32)


def fixed_type(op: OpDef, storage: DType, symmetric: bool = False) -> QuantType:
    """The quantization of results of a range that is known."""
    scale, zero = _fixed(op, storage)
    if symmetric and zero:
        low, high = ((end - zero) * scale for end in storage_range(storage))
        return activation_type(low, high, storage, centred=True)
    return QuantType.of(storage, scale, zero)


def fixed_scale(op: OpDef, storage: DType) -> float:
    """The scale that kernels have for results of an op."""
    return _fixed(op, storage)[0]


def _fixed(op: OpDef, storage: DType) -> tuple[float, int]:
    return next((s, z) for kind, s, z in op.spec.quant.fixed if kind is storage)


def is_batched(op: OpDef) -> bool:
    """Weights with axes in front of those of the product, which take one scale."""
    return isinstance(op, core.MatMul) and (op.b.tensor.rank or 0) > 2
