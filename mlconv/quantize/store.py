"""Weights in fewer bits, for ops that compute with floats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.spec import OpDef
from mlconv.quantize.apply import output_axis
from mlconv.quantize.choose import MOST_SPATIAL, PRODUCTS, Choice, bias_behind, is_lookup, walk_floats
from mlconv.quantize.moments import MOST, Moments, depth_of, has_moments
from mlconv.quantize.ranges import activation_type, largest_of, weight_type
from mlconv.quantize.scheme import Scheme
from mlconv.quantize.shared import Sharing
from mlconv.quantize.weights import round_weights
from mlconv.rewrite import Rewriter, edit

Integers: TypeAlias = tuple[Const, QuantType]
"""The integers of weights, and what they stand for."""
SHORT = "it sums so few products that rounding what it reads takes more than it saves: weights alone are integers"
_SHORT = 32  # products of a sum
_CHANNELS = 4  # of an image or a signal that a model begins with
_SHORT_FRONT = 128  # products of a sum over these


def weighted(function: Function, scheme_of: Callable[[Op], Scheme]) -> list[OpDef]:
    """Products whose weights become integers while they compute with floats."""
    return [op for op in walk_floats(function) if stores_integers(op, scheme_of(op))]


def stores_integers(op: OpDef, scheme: Scheme) -> bool:
    """The op's weights become integers while it computes with floats."""
    if not isinstance(op, PRODUCTS):
        return False
    weights = const_of(op.operands[1])
    stores = scheme.activations is None and scheme.weights is not None and scheme.weights.is_int
    return stores and weights is not None and weights.dtype is DType.F32


def rounds_reads(op: OpDef, scheme: Scheme) -> bool:
    """The scheme rounds what the op reads when it runs, in 8 bits with one scale for a row or an image.  Where sums are
    short that takes more than products of integers save (depthwise convolutions), and what a model begins with has no
    channels that could be brought to like ranges.
    """
    return scheme.dynamic and not _is_short(op)


def _is_short(op: OpDef) -> bool:
    weights = const_of(op.operands[1])
    if weights is None or not _has_rows(op):
        return False
    is_front = isinstance(op, core.Conv) and weights.shape[op.w_layout.index("I")] <= _CHANNELS
    return depth_of(op) <= (_SHORT_FRONT if is_front else _SHORT)


def as_numbers(function: Function, scheme_of: Callable[[Op], Scheme]) -> None:
    """Weights that a file has as integers are numbers again where a scheme rounds what they are multiplied with, or has
    fewer bits for them.
    """
    for op in [*walk_floats(function)]:
        weights = op.operands[1] if isinstance(op, PRODUCTS) else None
        border = None if weights is None else weights.producer
        if isinstance(border, core.Dequantize) and _is_rounded_anew(border, scheme_of(op)):
            numbers = _numbers_of(border)
            if numbers is not None:
                edit.set_operand(op, 1, Rewriter(op).emit(core.Constant(value=numbers)).y)


def _is_rounded_anew(border: core.Dequantize, scheme: Scheme) -> bool:
    stays = scheme.activations is None and not scheme.dynamic and scheme.bits >= quantized(border.x).storage.bits
    return scheme.rounds and not stays


def _numbers_of(border: core.Dequantize) -> Const | None:
    """As a recipe; None for what is data, or has scales in blocks."""
    quant, stored = quantized(border.x), const_of(border.x)
    if stored is None or isinstance(quant.scheme, Blocked) or quant.expressed is not DType.F32:
        return None
    zeros, scales = (
        make_const(np.asarray(quant.spread(v, stored.shape), np.float32))
        for v in (quant.zero_array(), quant.scales.view())
    )
    return recipes.binary("mul", recipes.binary("sub", recipes.cast(stored, DType.F32), zeros), scales)


def stores_table(op: OpDef, scheme: Scheme) -> bool:
    """The op looks up rows of a table that becomes integers."""
    if not isinstance(op, core.Gather) or not is_lookup(op) or not scheme.rounds or scheme.activations is not None:
        return False
    table = const_of(op.x)
    return table is not None and table.dtype is DType.F32


def store_tables(function: Function, scheme_of: Callable[[Op], Scheme]) -> dict[Value, Value]:
    """Tables whose rows are looked up, as integers of 8 bits with one scale: rows become numbers behind the look-up.
    Returns what took the place of results.
    """
    made: dict[Value, Value] = {}
    for op in [*walk_floats(function)]:
        table = const_of(op.x) if isinstance(op, core.Gather) else None
        if not isinstance(op, core.Gather) or table is None or not stores_table(op, scheme_of(op)):
            continue
        largest = float(largest_of(table, None))
        element = activation_type(-largest, largest, DType.I8, centred=True)
        rewriter = Rewriter(op)
        stored = rewriter.emit(core.Constant(value=element.stored(table), element=element)).y
        rows = rewriter.emit(core.Gather(stored, op.indices, **op.attributes)).y
        made[op.y] = rewriter.emit(core.Dequantize(rows)).y
        rewriter.replace(op, made[op.y])
    return made


def needs_moments(op: OpDef, scheme: Scheme) -> bool:
    """Samples tell how weights of so few bits are rounded best."""
    return scheme.bits in MOST and scheme.block >= 0 and has_moments(op, scheme.bits)


def rounded_finely(choice: Choice, scheme_of: Callable[[Op], Scheme]) -> list[OpDef]:
    """Products of integers whose weights are rounded with regard to what they read: numbers between ops have so many
    bits that what is lost is lost by weights.
    """
    return [
        op
        for op in choice.integers
        if isinstance(op, PRODUCTS) and scheme_of(op).activations is DType.I16 and needs_moments(op, scheme_of(op))
    ]


def store_integers(
    op: OpDef, scheme: Scheme, integers: Integers, dynamic: bool = True, dynamic_blocks: bool = False
) -> dict[Value, Value]:
    """Weights of a product as integers: behind a `dequantize`, or for a product that quantizes what it reads when it
    runs.  integers: what `integers_of` gave.  dynamic: the target has such products.  dynamic_blocks: those whose
    weights have scales in blocks do so, whatever the scheme says, and their blocks lie along the last axis, else along
    the first.  Returns what took the place of a result.
    """
    numbers, element = integers
    if isinstance(op, core.MatMul) and isinstance(element.scheme, Blocked) and op.transpose_b != dynamic_blocks:
        numbers, element = recipes.transpose(numbers, (1, 0)), element.transposed((1, 0))
        edit.set_attribute(op, "transpose_b", dynamic_blocks)
    is_dynamic = (dynamic and rounds_reads(op, scheme)) or (dynamic_blocks and isinstance(element.scheme, Blocked))
    fits = isinstance(op, core.MatMul) or (isinstance(op, core.Conv) and len(op.strides) <= MOST_SPATIAL)
    if is_dynamic and fits and isinstance(op, (core.Conv, core.MatMul)):
        return _make_dynamic(op, numbers, element)
    set_weights(op, numbers, element)
    return {}


def set_weights(op: OpDef, numbers: Const, element: QuantType) -> None:
    """Weights are integers behind a `dequantize`."""
    builder = _in_front(op)
    stored = builder.emit(core.Constant(value=numbers, element=element)).y
    edit.set_operand(op, 1, builder.emit(core.Dequantize(stored)).y)


def integers_of(op: OpDef, scheme: Scheme, moments: Mapping[OpDef, Moments], sharing: Sharing) -> Integers:
    """What weights are stored as, rounded with regard to moments where there are some; a bias makes up for what is
    lost on average.  One scale for all is that of the largest weight.  sharing: of the products that moments may be of.
    """
    assert scheme.weights is not None
    if scheme.block >= 0 and (scheme.bits <= 4 or scheme.block > 0 or op in moments) and _has_rows(op):
        others = [moments[other] for other in sharing.get(op, ()) if other is not op and other in moments]
        found = round_weights(op, scheme.weights, scheme.block, moments.get(op), others)
        if found.shift is not None:
            _correct_bias(op, found.shift)
        return found.numbers, found.element
    constant = const_of(op.operands[1])
    assert constant is not None
    axis = output_axis(op) if scheme.block >= 0 else None
    element = weight_type(largest_of(constant, axis), scheme.weights, axis)
    return element.stored(constant), element


def _make_dynamic(op: core.Conv | core.MatMul, numbers: Const, element: QuantType) -> dict[Value, Value]:
    """The product with integers in place of its weights, and with its bias.  Returns what took the place of its
    result.
    """
    rewriter = Rewriter(op)
    stored = rewriter.emit(core.Constant(value=numbers, element=element)).y
    if isinstance(op, core.Conv):
        made = rewriter.emit(core.DynamicConv(op.x, stored, op.bias, **op.attributes))
        rewriter.replace(op, made.y)
        return {op.y: made.y}
    bias, add = bias_behind(op)
    if add is None:
        y = rewriter.emit(core.DynamicMatMul(op.a, stored, **op.attributes)).y
        rewriter.replace(op, y)
        return {op.y: y}
    behind = Rewriter(add)
    behind.fuse(op, by="quantize")
    y = behind.emit(core.DynamicMatMul(op.a, stored, bias=bias, **op.attributes)).y
    behind.replace(add, y)
    edit.erase(op)
    return {add.y: y}


def _has_rows(op: OpDef) -> bool:
    """Its weights have one axis of output channels, and one row for each."""
    return isinstance(op, core.Conv) or (isinstance(op, core.MatMul) and op.b.tensor.rank == 2)


def _in_front(op: Op) -> Builder:
    assert op.block is not None and op.location is not None
    return Builder(op.block, op.location, op)


def _correct_bias(op: OpDef, shift: Array) -> None:
    """A bias makes up for what outputs lose on average.  Source: Nagel et al. 2019, section 4.2."""
    if isinstance(op, core.Conv):
        bias = const_of(op.bias)
        user: Op | None = op
    elif isinstance(op, core.MatMul):
        value, user = bias_behind(op)
        bias = const_of(value)
    if bias is None or user is None:
        return
    corrected = make_const((bias.view().astype(np.float64) + shift).astype(np.float32))
    place = next(i for i, v in enumerate(user.operands) if const_of(v) is bias)
    edit.set_operand(user, place, _in_front(user).emit(core.Constant(value=corrected)).y)
