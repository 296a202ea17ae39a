"""Floats of 16 bits: constants that are widened in front of ops that compute with float32, and products whose factors
are rounded to bfloat16 while their sums stay float32.

Source of the latter: Intel, BFLOAT16 - Hardware Numerics Definition (2018), section 3: products of two bfloat16 are
exact in float32, where they are summed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.quantize.choose import PRODUCTS
from mlconv.quantize.scheme import Scheme
from mlconv.quantize.unread import Unread
from mlconv.rewrite import edit

_LEAST = 1 << 6  # numbers of a constant that are worth an op that widens them
_SIZE, _INFINITE = np.uint32(0x7FFFFFFF), 0x7F800000  # of the bits of a float32, and of an infinite one
_HALF = np.finfo(np.float16)
_FACTORS = 2  # operands of a product that are multiplied


def halves_of(op: Op, scheme: Scheme) -> list[int]:
    """Operands of an op that are constants to be stored in 16 bits."""
    return [i for i, fits in _candidates(op, scheme) if fits]


def exceeds_halves(op: Op, scheme: Scheme) -> bool:
    """A constant of an op would be stored in 16 bits if these held its numbers."""
    return any(not fits for _, fits in _candidates(op, scheme))


def _candidates(op: Op, scheme: Scheme) -> Iterator[tuple[int, bool]]:
    """Operands that are constants worth 16 bits, and whether these hold their numbers."""
    weights = scheme.weights
    if weights is None or not weights.is_half or not isinstance(op, OpDef) or isinstance(op, core.Constant):
        return
    for i, constant in enumerate(map(const_of, op.operands)):
        if constant is not None and constant.dtype is DType.F32 and constant.size >= _LEAST:
            yield i, weights is DType.BF16 or _fits(constant)


def _fits(constant: Const) -> bool:
    """The largest of the finite numbers is one of float16, with all digits that these have."""
    if isinstance(constant, Unread):
        return True
    most = 0
    for block in constant.blocks():
        sizes = np.frombuffer(block, np.uint32) & _SIZE  # in the order of the numbers, infinities and NaN last
        largest = int(sizes.max(initial=0))
        most = max(most, largest if largest < _INFINITE else int(sizes.max(initial=0, where=sizes < _INFINITE)))
    number = float(np.uint32(most).view(np.float32))
    return not most or float(_HALF.smallest_normal) <= number <= float(_HALF.max)


def store_halves(function: Function, scheme_of: Callable[[Op], Scheme]) -> None:
    """Constants of float32 in 16 bits, widened in front of ops that ask for it; and factors of products."""
    widened: dict[tuple[Const, DType], Value] = {}
    for op in [*walk(function.block)]:
        scheme = scheme_of(op)
        if scheme.weights is None:
            continue
        stored = halves_of(op, scheme)
        if scheme.activations is DType.BF16 and isinstance(op, PRODUCTS):
            _round_factors(op, scheme.activations, stored)
        for i in stored:
            constant = const_of(op.operands[i])
            assert constant is not None
            key = constant, scheme.weights
            if key not in widened:
                builder = Builder(function.block, op.location or function.location, function.block.first)
                narrow = builder.emit(core.Constant(value=recipes.cast(constant, scheme.weights))).y
                widened[key] = builder.emit(core.Cast(narrow, dtype=DType.F32)).y
            edit.set_operand(op, i, widened[key])


def store_given_halves(function: Function) -> None:
    """What came as floats of 16 bits, and computes with floats, is stored so."""
    for op in [*walk(function.block)]:
        narrow = _given(op.value) if isinstance(op, core.Constant) and op.value.size >= _LEAST else None
        if (
            narrow is not None
            and op.block is not None
            and op.location is not None
            and op.results[0].tensor.quant is None
        ):
            builder = Builder(op.block, op.location, op)
            edit.replace(op, [builder.emit(core.Cast(builder.emit(core.Constant(value=narrow)).y, dtype=DType.F32)).y])


def _given(constant: Const) -> Const | None:
    """A constant before it was widened to float32."""
    if not isinstance(constant, recipes.Derived) or constant.dtype is not DType.F32:
        return None
    source = constant.inputs[0]
    if constant.recipe == "cast":
        return source.reshape(constant.shape) if source.dtype.is_half else None
    narrow = _given(source) if constant.recipe == "transpose" else None
    return None if narrow is None else recipes.transpose(narrow, constant.params).reshape(constant.shape)


def _round_factors(op: OpDef, dtype: DType, stored: Collection[int]) -> None:
    """What a product multiplies goes through the narrower type, but for constants that are stored in it."""
    for i in range(_FACTORS):
        value = op.operands[i]
        if value is None or value.tensor.dtype is not DType.F32 or i in stored:
            continue
        repeat = _repeated(value)
        reader, place = (op, i) if repeat is None else (repeat, 0)
        value = reader.inputs[place]
        assert reader.block is not None and op.location is not None
        builder = Builder(reader.block, op.location, reader)
        narrow = builder.emit(core.Cast(value, dtype=dtype)).y
        edit.set_operand(reader, place, builder.emit(core.Cast(narrow, dtype=DType.F32)).y)


def _repeated(value: Value) -> core.BroadcastTo | None:
    """What repeats numbers that nothing but a product reads, as keys that heads share: each is rounded once."""
    made = value.producer
    if isinstance(made, core.Reshape) and value.has_one_use:
        value, made = made.x, made.x.producer
    return made if isinstance(made, core.BroadcastTo) and value.has_one_use else None
