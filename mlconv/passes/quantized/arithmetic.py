"""Quantized tensors as their integers: what `quant-to-arithmetic` does where there are some."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounded_base import OverIntegers
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Block, Value, clone_op, values_of, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.quant_rules import computes_with_quantized, has_quantized, quant_of
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef
from mlconv.ir.types import Shape
from mlconv.passes.quantized.block_rows import has_short_rows, kept_weights
from mlconv.passes.quantized.borders import is_int8, is_int16, on_numbers, stays
from mlconv.passes.quantized.grids import note_grids
from mlconv.passes.quantized.lookups import looked_up
from mlconv.passes.quantized.rounded_numbers import round_numbers
from mlconv.passes.quantized.weights import is_weights
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.core_builder import CoreBuilder

_SPREAD_BYTES = 1 << 20
"""Scales of blocks are repeated at conversion time up to this size, else where they are used."""


class Kept(NamedTuple):
    """What stays, see `QuantToArithmetic`."""

    int8: bool
    int16: bool
    weights: bool
    apart: bool
    rounded: bool

    def take_numbers(self, border: core.Dequantize) -> None:
        if self.apart and looked_up(border):
            return
        if self.weights and not self.apart and has_short_rows(quantized(border.x)) and looked_up(border, plain=False):
            return
        if not (self.weights and kept_weights(border)):
            _dequantize(border, self.apart and const_of(border.x) is not None)

    def is_stored(self, value: Value) -> bool:
        """The target has tensors like this one."""
        kept = (self.int8 and is_int8(value)) or (self.int16 and is_int16(value))
        return kept or (self.weights and is_weights(value))


def to_arithmetic(function: Function, kept: Kept) -> int:
    """Returns how many ops were between quantized tensors."""
    block = function.block
    note_grids(function)
    found = [op for op in walk(block) if isinstance(op, OpDef) and has_quantized([*op.operands, *op.results])]
    for op in found:
        if computes_with_quantized(op):
            on_numbers(op)
    for border in [*walk(block)]:
        if isinstance(border, core.Quantize) and not kept.is_stored(border.y):
            _quantize(border)
        elif isinstance(border, core.Dequantize) and not kept.is_stored(border.x):
            kept.take_numbers(border)
    between = _between_casts(block) if kept.rounded else set()
    for value in values_of(block):
        stays_quantized = value in between or kept.is_stored(value) or (kept.int8 and stays(value))
        if quant_of(value) is not None and not stays_quantized:
            edit.retype(value, value.tensor.stored)
            if isinstance(value.producer, core.Constant):
                edit.set_attribute(value.producer, "element", None)
    for cast in [*walk(block)]:
        if isinstance(cast, core.StorageCast) and cast.x.type == cast.y.type:
            Rewriter(cast).replace(cast, cast.x)
    if kept.weights:
        round_numbers(block)
    return len(found)


def _between_casts(block: Block) -> set[Value]:
    """Ops that round, between casts of their integers; returns what is quantized there.  The last ones first: what an
    op reads is quantized until its maker's turn comes.
    """
    kept: set[Value] = set()
    for op in reversed([*walk(block)]):
        if not isinstance(op, OverIntegers):
            continue
        rewriter, casts = Rewriter(op), dict[Value, Value]()
        for value in op.inputs:
            quant = quant_of(value)
            if quant is not None:
                casts[value] = rewriter.emit(core.StorageCast(value, element=quant)).y
        copy = rewriter.emit(clone_op(op, dict(casts)))
        made = rewriter.emit(core.StorageCast(copy.result, element=copy.result.tensor.dtype)).y
        edit.rename(made, op.result.name)
        rewriter.replace(op, made)
        kept |= {*casts.values(), copy.result}
    return kept


def _quantize(op: core.Quantize) -> None:
    rewriter, quant = Rewriter(op), op.element
    if isinstance(quant.scheme, Blocked):
        stored = _to_blocks(op.x, quant, rewriter)
    else:
        stored = rewriter.emit(core.ToIntegers(op.x, quant=quant)).y
    edit.rename(stored, op.y.name)
    rewriter.replace(op, rewriter.emit(core.StorageCast(stored, element=quant)).y)


def _dequantize(op: core.Dequantize, whole: bool = False) -> None:
    """whole: integers in blocks become numbers by one op, too."""
    rewriter, quant = Rewriter(op), quantized(op.x)
    stored = rewriter.emit(core.StorageCast(op.x, element=quant.storage)).y
    if isinstance(quant.scheme, Blocked) and not whole:
        rewriter.replace(op, _from_blocks(stored, quant, rewriter))
        return
    rewriter.replace(op, rewriter.emit(core.FromIntegers(stored, quant=quant)).y)


def _to_blocks(x: Value, quant: QuantType, rewriter: Rewriter) -> Value:
    """clamp(round(x / scale) + zero)."""
    wide = DType.F32 if quant.storage.bits <= 16 else DType.F64
    y = _cast(x, DType.F32, rewriter)
    y = rewriter.emit(core.Div(y, _spread(quant.scales, quant, x.tensor.shape, rewriter))).y
    y = _cast(rewriter.emit(core.Round(y)).y, wide, rewriter)
    if not isinstance(quant.zero_points, int):
        zeros = make_const(quant.zero_array(), wide)
        y = rewriter.emit(core.Add(y, _spread(zeros, quant, x.tensor.shape, rewriter))).y
    y = rewriter.emit(core.Clamp(y, lo=float(quant.qmin), hi=float(quant.qmax))).y
    return _cast(y, quant.storage, rewriter)


def _from_blocks(x: Value, quant: QuantType, rewriter: Rewriter) -> Value:
    """(x - zero) * scale, under a shape that has an axis of blocks where x has a constant size; zeros fill up the last
    one.
    """
    shape, fixed, wide = x.tensor.shape, static(x.tensor.shape), DType.F32 if quant.storage.bits <= 16 else DType.I64
    split, whole = None, fixed
    if isinstance(quant.scheme, Blocked) and fixed is not None:
        axis, size, count = *quant.scheme, quant.scales.shape[quant.scheme.axis]
        split = (*fixed[:axis], count, size, *fixed[axis + 1 :])
        whole = (*fixed[:axis], count * size, *fixed[axis + 1 :])
        if whole != fixed:
            amounts = [(0, w - n) for n, w in zip(fixed, whole, strict=True)]
            x = CoreBuilder(rewriter).pad(_cast(x, wide, rewriter), amounts)
        x = _reshaped(x, split, rewriter)
    y = _cast(x, wide, rewriter)
    if not isinstance(quant.zero_points, int):
        zeros = make_const(quant.zero_array(), y.tensor.dtype)
        y = rewriter.emit(core.Sub(y, _of_blocks(zeros, quant, shape, split, rewriter))).y
    y = _cast(y, DType.F32, rewriter)
    y = rewriter.emit(core.Mul(y, _of_blocks(quant.scales, quant, shape, split, rewriter))).y
    if fixed is not None and whole is not None and split is not None:
        y = _reshaped(y, whole, rewriter)
        if whole != fixed:
            y = CoreBuilder(rewriter).slice_axis(y, quant.axis or 0, None, fixed[quant.axis or 0])
    return _cast(y, quant.expressed, rewriter)


def _reshaped(x: Value, shape: tuple[int, ...], rewriter: Rewriter) -> Value:
    return rewriter.emit(core.Reshape(x, rewriter.emit(core.Constant(value=make_const(list(shape)))).y)).y


def _of_blocks(
    numbers: Const, quant: QuantType, shape: Shape | None, split: tuple[int, ...] | None, rewriter: Rewriter
) -> Value:
    """Numbers of blocks so that they broadcast, or one for each element."""
    if split is None:
        return _spread(numbers, quant, shape, rewriter)
    axis = quant.axis or 0
    column = numbers.reshape((*numbers.shape[: axis + 1], 1, *numbers.shape[axis + 1 :]))
    return rewriter.emit(core.Constant(value=column)).y


def _cast(x: Value, dtype: DType, rewriter: Rewriter) -> Value:
    return x if x.tensor.dtype is dtype else rewriter.emit(core.Cast(x, dtype=dtype)).y


def _spread(numbers: Const, quant: QuantType, shape: Shape | None, rewriter: Rewriter) -> Value:
    """Numbers of blocks, one for each element."""
    scheme = quant.scheme
    size = scheme.size if isinstance(scheme, Blocked) else 1
    axis = quant.axis or 0
    if numbers.nbytes * size <= _SPREAD_BYTES:
        full: Array = quant.spread(numbers.view(), shape or ())
        return rewriter.emit(core.Constant(value=make_const(np.ascontiguousarray(full), numbers.dtype))).y
    length = None if shape is None else shape[axis]
    places = make_const(np.arange(length if isinstance(length, int) else numbers.shape[axis] * size) // size)
    table = rewriter.emit(core.Constant(value=numbers)).y
    return rewriter.emit(core.Gather(table, rewriter.emit(core.Constant(value=places)).y, axis=axis)).y
