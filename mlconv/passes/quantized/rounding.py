"""Ops between quantized tensors as ops over their integers, which say how they round.

Source: TFLite 8-bit quantization specification; LiteRT's kernels and its XNNPACK delegate; ONNX Runtime, QDQ selectors.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.rounding import MOST_PARTS, WIDE_ROOM, byte_factor, factors_of_15_bits, parts_of_steps, ratio
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType, product_of
from mlconv.ir.spec import OpDef
from mlconv.passes.quantized.borders import (
    as_made,
    has_one_live_use,
    is_computed,
    is_for,
    is_signed,
    is_wide,
    limits_of,
    made_of,
    quant_of_stored,
    readings,
    rounding_of,
    stored,
)
from mlconv.passes.quantized.weights import in_bytes
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, constant_array, rewrite
from mlconv.rewrite.pattern import Pattern, Replacement

# Factors between scales that kernels take.  Source: TFLite, delegates/xnnpack/xnnpack_delegate.cc.
_FACTORS = {
    "add": (2.0**-10, 2.0**8),
    "sub": (2.0**-10, 2.0**8),
    "mul": (2.0**-16, 2.0**8),
    "requantize": (2.0**-8, 2.0**7),
    "mean": (2.0**-8, 2.0**7),
    "sum": (2.0**-32, 2.0**8),
}
WIDE_FACTORS = (2.0**-24, 2.0**8)
"""Of LiteRT's own kernels, which have no such limits: where 64 bits hold the products."""
_PLANE = 2  # axes
_Pair = tuple[QuantType, QuantType]
_BINARY: dict[type[OpDef], str] = {core.Add: "add", core.Sub: "sub", core.Mul: "mul"}


def of_int8(pattern: Pattern) -> Pattern:
    """A pattern that rounds to int8 alone."""

    def apply(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
        if is_wide(op.element):
            return NoMatch(f"{op.element} is not int8")
        return pattern.apply(op, rw)

    return Pattern(pattern.name, pattern.roots, apply)


def unless(held: Collection[Op], pattern: Pattern) -> Pattern:
    """A pattern that leaves what some ops make.  held: these."""

    def apply(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
        if rounding_of(op).value.producer in held:
            return NoMatch("a rule keeps what is rounded in floats")
        return pattern.apply(op, rw)

    return Pattern(pattern.name, pattern.roots, apply)


@rewrite(core.Quantize)
def other_scale(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """Numbers of integers as integers again."""
    found = rounding_of(op)
    source = stored(found.value)
    if source is None:
        return NoMatch("what is rounded are not the numbers of integers")
    x = as_made(source, lambda quant: _are_rescaled_alike(quant, quant_of_stored(source), op.element))
    if x.tensor.quant == op.element and not found.ops:
        return x
    if not is_computed(op.element):
        return NoMatch(f"{op.element} is not int8 with one scale, or int16 without a zero point")
    operands = int8_operands([found.value], op.element, "requantize")
    return operands if isinstance(operands, NoMatch) else made_of(rw, found, core.Requantize(x, **limits_of(found)))


def _are_rescaled_alike(a: QuantType, b: QuantType, element: QuantType) -> bool:
    """Integers become the same, whichever scale they are said to have."""
    if not all(map(is_signed, (a, b, element))) or a.zero_array() != b.zero_array():
        return False
    return byte_factor(a, element) == byte_factor(b, element)


@rewrite(core.Quantize)
def sum_of_products(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """A convolution or a product of matrices, its bias and limits."""
    return _summed(op, rw, {core.Conv: core.QuantConv, core.MatMul: core.QuantMatMul})


def _are_multiplied_alike(a: _Pair, b: _Pair, element: QuantType) -> bool:
    """Sums of products of activations of 16 bits become the same, whichever scales these are said to have."""
    return all(map(is_wide, a)) and bool((factors_of_15_bits(*a, element) == factors_of_15_bits(*b, element)).all())


@rewrite(core.Quantize)
def transposed_products(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """A transposed convolution, its bias and limits."""
    return _summed(op, rw, {core.ConvTranspose: core.QuantConvTranspose})


def _summed(op: core.Quantize, rw: Rewriter, forms: Mapping[type[Op], type[OpDef]]) -> Replacement | NoMatch:
    """What sums products, in the form that there is for it."""
    found = rounding_of(op)
    maker, bias = _sum_of(found.value) if is_for(op, found) else (None, None)
    if maker is None or type(maker) not in forms:
        return NOT_MEANT
    operands = int8_operands(maker.inputs[:2], op.element, "sum")
    if isinstance(operands, NoMatch):
        return operands
    if not _multiplies_with(operands[1], isinstance(maker, core.MatMul)):
        return NoMatch(f"no kernel multiplies with {operands[1].type}")
    a, b = operands[0], _as_stored(rw, operands[1], isinstance(maker, core.ConvTranspose))
    if is_wide(op.element) and is_wide(quant_of_stored(b)):
        of_a, of_b = map(quant_of_stored, (a, b))
        b = as_made(b, lambda quant: _are_multiplied_alike((of_a, quant), (of_a, of_b), op.element))
    add = None if bias is None or not isinstance(maker, core.MatMul) else found.value.producer
    try:
        vector = None if bias is None else _bias(rw, bias, quant_of_stored(a), quant_of_stored(b))
        how = {"twice": True} if isinstance(maker, core.Conv) and _is_rounded_twice(maker, a, b) else {}
        made = forms[type(maker)](a, b, bias=vector, **maker.attributes, **how, **limits_of(found))
    except ConversionError as error:
        return NoMatch(str(error))
    return made_of(rw, found, made, maker, add)


def _multiplies_with(w: Value, matrices: bool) -> bool:
    """Products of matrices take any constant, and data of one scale; convolutions 8 bits at most."""
    quant = quant_of_stored(w)
    return quant.is_per_tensor or const_of(w) is not None if matrices else not is_wide(quant)


def _is_rounded_twice(conv: core.Conv, x: Value, w: Value) -> bool:
    """XNNPACK has no such kernel: weights that are data, and those of 4 bits where windows are more than a product."""
    quant = quant_of_stored(w)
    if len(conv.strides) > _PLANE or is_wide(quant_of_stored(x)) or (const_of(w) is None and quant.zero_array().any()):
        return False
    is_half = quant.storage is DType.I4
    return const_of(w) is None or (is_half and conv.groups == 1 and not conv.is_product())


def _as_stored(rw: Rewriter, w: Value, transposed: bool) -> Value:
    """Weights of 4 bits are bytes where there is a zero point, and in transposed convolutions: no kernel takes others
    there.
    """
    quant = quant_of_stored(w)
    if quant.storage is not DType.I4 or not (transposed or quant.zero_array().any()):
        return w
    return rw.emit(in_bytes(w)).y


@rewrite(core.Quantize)
def elementwise(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """A sum, difference or product."""
    found = rounding_of(op)
    maker = found.value.producer if is_for(op, found) else None
    kind = _BINARY.get(type(maker)) if isinstance(maker, OpDef) else None
    if kind is None or maker is None:
        return NOT_MEANT
    operands = int8_operands(maker.inputs, op.element, kind)
    if isinstance(operands, NoMatch):
        return operands
    return made_of(rw, found, core.QuantBinary(*operands, kind=kind, **limits_of(found)), maker)


@rewrite(core.StorageCast)
def pushed_sum(op: core.StorageCast, rw: Rewriter) -> Replacement | NoMatch:
    """A sum or difference of 16 bits whose steps are so much smaller that halves, and nothing else, go away from zero,
    is that of its operands as they were made.  Files for ONNX say it so (`onnx-rounding`).
    """
    first = [op.x, *readings(op.x)]
    made, element = first[-1].producer, op.y.tensor.quant
    if not isinstance(made, core.QuantBinary) or made.kind == "mul" or element is None:
        return NOT_MEANT
    if not all(v.has_one_use for v in first):
        return NoMatch("others read the integers")
    sources = [as_made(v, is_wide) for v in (made.a, made.b)]
    quants = [quant_of_stored(v) for v in sources]
    if not all(map(is_wide, (*quants, element))):
        return NoMatch(f"{element} is not int16")
    parts = parts_of_steps(quants, element)
    push = 2.0**-WIDE_ROOM / max(parts, 1)
    read = [ratio(quant_of_stored(v), made.element) / ratio(q, element) - 1 for v, q in zip((made.a, made.b), quants)]
    if not 1 < parts <= MOST_PARTS or not all(push / 2 < more < push * 1.5 for more in read):
        return NoMatch("its halves are not pushed")
    rw.fuse(made, by="quant-lower")
    return rw.emit(core.QuantBinary(*sources, kind=made.kind, element=element, lo=made.lo, hi=made.hi)).y


@rewrite(core.Quantize)
def mean(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """A mean along some axes."""
    found = rounding_of(op)
    maker = found.value.producer if is_for(op, found) else None
    if not isinstance(maker, core.ReduceMean):
        return NOT_MEANT
    operands = int8_operands([maker.x], op.element, "mean")
    if isinstance(operands, NoMatch):
        return operands
    made = core.QuantMean(operands[0], axes=maker.axes, keepdims=maker.keepdims, **limits_of(found))
    return made_of(rw, found, made, maker)


def int8_operands(values: Sequence[Value], element: QuantType, kind: str) -> list[Value] | NoMatch:
    """The tensors whose numbers are combined, int8 and int16, where kernels take their storage and scales."""
    operands = [v for v in map(stored, values) if v is not None]
    if len(operands) != len(values) or not _are_combined(operands, element, kind):
        return NoMatch(f"operands are not the numbers of {element.storage.display}")
    scales = [quant_of_stored(v).scales.view().astype(np.float64) for v in operands]
    if kind != "sum" and any(not quant_of_stored(v).is_per_tensor for v in operands):
        return NoMatch(f"{kind} of more than one scale")
    if kind in ("mul", "sum"):
        scales = [np.asarray(math.prod(scales))]
    low, high = WIDE_FACTORS if is_wide(element) else _FACTORS[kind]
    for scale in np.concatenate([s.reshape(-1) for s in scales]) / np.float64(element.scales.view()):
        if not low <= scale < high:
            return NoMatch(f"the factor {scale:g} to the scale of {element} is not in [{low:g}, {high:g})")
    return operands


def _are_combined(operands: Sequence[Value], element: QuantType, kind: str) -> bool:
    """Kernels take the storage of operands: that of the result, and weights of 8 and 4 bits; zero points of 16 bits are
    0; another scale may have another storage.
    """
    quants = [quant_of_stored(v) for v in operands]
    if kind == "requantize":
        return is_computed(quants[0])
    fixed = kind == "sum" and const_of(operands[1]) is not None
    factors, weights = (quants[:1], quants[1:]) if fixed else (quants, [])
    fits = map(is_wide, factors) if is_wide(element) else (q.storage is element.storage for q in factors)
    return all(fits) and all(map(_is_multiplied, weights))


def _is_multiplied(weights: QuantType) -> bool:
    """Kernels take such weights."""
    return weights.storage is DType.I8 or (weights.storage is DType.I4 and not isinstance(weights.scheme, Blocked))


def _sum_of(value: Value) -> tuple[Op | None, Value | None]:
    """What sums products, and its bias."""
    maker = value.producer
    if isinstance(maker, (core.Conv, core.ConvTranspose)):
        return maker, maker.bias
    if isinstance(maker, core.Add):
        for product, bias in ((maker.a, maker.b), (maker.b, maker.a)):
            if isinstance(product.producer, core.MatMul) and has_one_live_use(product) and _is_vector(bias, product):
                return product.producer, bias
        return None, None
    return maker, None


def _is_vector(bias: Value, product: Value) -> bool:
    """One number for each column."""
    return bias.tensor.rank == 1 and bias.tensor.shape == (product.tensor.shape or ())[-1:]


def _bias(rw: Rewriter, bias: Value, a: QuantType, b: QuantType) -> Value:
    """With the product of the scales: as it is stored, or rounded here.  Raises ConversionError."""
    own, element = stored(bias), product_of(a, b)
    powers = None if own is None else quant_of_stored(own).powers_of_product(a, b)
    if own is not None and powers is not None:
        value = const_of(own)
        if own.tensor.dtype is element.storage and not powers.any():
            return own
        if value is not None and value.dtype is DType.I32 and not powers.any():
            return rw.emit(core.Constant(value=recipes.cast(value, element.storage), element=element)).y
        if value is not None and value.dtype is DType.I32 and element.storage is DType.I64 and (powers >= 0).all():
            wide = make_const(value.view().astype(np.int64) << powers)
            return rw.emit(core.Constant(value=wide, element=element)).y
    numbers = constant_array(bias)
    if numbers is None:
        raise ConversionError(Code.ShapeNotStatic, "the bias is data")
    if not element.is_per_tensor and element.scales.size not in (1, numbers.size):
        message = f"groups of channels share {element.scales.size} scales, and the bias has {numbers.size} numbers"
        raise ConversionError(Code.TypeMismatch, message)
    return rw.emit(core.Constant(value=make_const(element.quantize(numbers)), element=element)).y


PATTERNS = (other_scale, sum_of_products, elementwise, mean)
WIDE = (pushed_sum,)
