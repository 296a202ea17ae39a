"""Weights in fewer bits, for ops that compute with floats."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.spec import OpDef
from mlconv.quantize.apply import output_axis
from mlconv.quantize.choose import MOST_SPATIAL, PRODUCTS, bias_behind, is_lookup, walk_floats
from mlconv.quantize.moments import Moments, has_moments
from mlconv.quantize.ranges import activation_type, largest_of, weight_type
from mlconv.quantize.scheme import Scheme
from mlconv.quantize.weights import round_weights
from mlconv.rewrite import Rewriter, edit

LEAST_STORED = 1 << 6  # numbers of a constant that are worth an op that widens them


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


def store_tables(function: Function, scheme_of: Callable[[Op], Scheme]) -> None:
    """Tables whose rows are looked up, as integers of 8 bits with one scale: rows become numbers behind the look-up."""
    for op in [*walk_floats(function)]:
        scheme = scheme_of(op)
        if not isinstance(op, core.Gather) or not is_lookup(op) or not scheme.rounds or scheme.activations is not None:
            continue
        table = const_of(op.x)
        if table is None or table.dtype is not DType.F32:
            continue
        largest = float(largest_of(table, None))
        element = activation_type(-largest, largest, DType.I8, centred=True)
        rewriter = Rewriter(op)
        stored = rewriter.emit(core.Constant(value=element.stored(table), element=element)).y
        rows = rewriter.emit(core.Gather(stored, op.indices, **op.attributes)).y
        rewriter.replace(op, rewriter.emit(core.Dequantize(rows)).y)


def needs_moments(op: OpDef, scheme: Scheme) -> bool:
    """Samples tell how weights of so few bits are rounded best."""
    return scheme.bits <= 4 and has_moments(op)


def store_integers(
    op: OpDef,
    scheme: Scheme,
    moments: Mapping[OpDef, Moments],
    dynamic: bool = True,
    dynamic_blocks: bool = False,
) -> None:
    """Weights of a product as integers, rounded with regard to moments where there are some: behind a `dequantize`, or
    for a product that quantizes what it reads when it runs.  dynamic: the target has such.  dynamic_blocks: products
    whose weights have scales in blocks do, whatever the scheme says, and their blocks lie along the last axis, else
    along the first.
    """
    numbers, element = _integers(op, scheme, moments)
    if isinstance(op, core.MatMul) and isinstance(element.scheme, Blocked) and op.transpose_b != dynamic_blocks:
        numbers, element = recipes.transpose(numbers, (1, 0)), element.transposed((1, 0))
        edit.set_attribute(op, "transpose_b", dynamic_blocks)
    is_dynamic = (scheme.dynamic and dynamic) or (dynamic_blocks and isinstance(element.scheme, Blocked))
    fits = isinstance(op, core.MatMul) or (isinstance(op, core.Conv) and len(op.strides) <= MOST_SPATIAL)
    if is_dynamic and fits and isinstance(op, (core.Conv, core.MatMul)):
        _make_dynamic(op, numbers, element)
        return
    builder = _in_front(op)
    stored = builder.emit(core.Constant(value=numbers, element=element)).y
    edit.set_operand(op, 1, builder.emit(core.Dequantize(stored)).y)


def _integers(op: OpDef, scheme: Scheme, moments: Mapping[OpDef, Moments]) -> tuple[Const, QuantType]:
    """What weights are stored as."""
    assert scheme.weights is not None
    if scheme.bits <= 4 and _has_rows(op):
        # ONNX Runtime ends over blocks in bodies of loops, whose scales it looks for around them
        block = max(scheme.block, 0) if op.block is not None and op.block.parent is None else 0
        found = round_weights(op, scheme.weights, block, moments.get(op))
        if found.shift is not None:
            _correct_bias(op, found.shift)
        return found.numbers, found.element
    constant = const_of(op.operands[1])
    assert constant is not None
    axis = output_axis(op) if scheme.block >= 0 else None
    element = weight_type(largest_of(constant, axis), scheme.weights, axis)
    return element.stored(constant), element


def _make_dynamic(op: core.Conv | core.MatMul, numbers: Const, element: QuantType) -> None:
    """The product with integers in place of its weights, and with its bias."""
    rewriter = Rewriter(op)
    stored = rewriter.emit(core.Constant(value=numbers, element=element)).y
    if isinstance(op, core.Conv):
        made = rewriter.emit(core.DynamicConv(op.x, stored, op.bias, **op.attributes))
        rewriter.replace(op, made.y)
        return
    bias, add = bias_behind(op)
    if add is None:
        rewriter.replace(op, rewriter.emit(core.DynamicMatMul(op.a, stored, **op.attributes)).y)
        return
    behind = Rewriter(add)
    behind.fuse(op, by="quantize")
    behind.replace(add, behind.emit(core.DynamicMatMul(op.a, stored, bias=bias, **op.attributes)).y)
    edit.erase(op)


def _has_rows(op: OpDef) -> bool:
    """Its weights have one axis of output channels, and one row for each."""
    return isinstance(op, core.Conv) or (isinstance(op, core.MatMul) and op.b.tensor.rank == 2)


def _in_front(op: Op) -> Builder:
    assert op.block is not None and op.location is not None
    return Builder(op.block, op.location, op)


def _correct_bias(op: OpDef, shift: Array) -> None:
    """A convolution's bias makes up for what its outputs lose on average.  Source: Nagel et al. 2019, section 4.2."""
    bias = const_of(op.operands[2]) if isinstance(op, core.Conv) else None
    if bias is None:
        return
    corrected = make_const((bias.view().astype(np.float64) + shift).astype(np.float32))
    edit.set_operand(op, 2, _in_front(op).emit(core.Constant(value=corrected)).y)


def store_halves(function: Function, scheme_of: Callable[[Op], Scheme]) -> None:
    """Constants of float32 in 16 bits, widened in front of ops that ask for it."""
    widened: dict[tuple[Const, DType], Value] = {}
    for op in [*walk(function.block)]:
        if not isinstance(op, OpDef) or isinstance(op, core.Constant):
            continue
        scheme = scheme_of(op)
        if scheme.weights is not DType.F16:
            continue
        for i, value in enumerate(op.operands):
            constant = const_of(value)
            if constant is None or constant.dtype is not DType.F32 or constant.size < LEAST_STORED:
                continue
            key = constant, scheme.weights
            if key not in widened:
                builder = Builder(function.block, op.location or function.location, function.block.first)
                narrow = builder.emit(core.Constant(value=recipes.cast(constant, scheme.weights))).y
                widened[key] = builder.emit(core.Cast(narrow, dtype=DType.F32)).y
            edit.set_operand(op, i, widened[key])
