"""Products whose weights have a zero point, and averages whose halves go up, for kernels that do so without a sign
alone.

Source: TFLite's kernels of CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and TRANSPOSE_CONV: those of int8 take weights
whose zero point is 0, those of uint8 any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounded_base import Rounded
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.quantized.borders import is_signed, unsigned
from mlconv.passes.quantized.storage import requantized, shift_back
from mlconv.rewrite import NOT_MEANT, Rewriter, greedy, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import NoMatch, Replacement
from mlconv.rewrite.whole_numbers import OwnRange, is_whole, own_range

Product = core.QuantConv | core.QuantConvTranspose | core.QuantMatMul


@dataclass(frozen=True, eq=False, repr=False)
class UnsignedProducts(Pass):
    """Products of int8 whose constant weights have a zero point are of uint8; so are averages whose halves go up.  Sums
    of products of plain integers have a sign.  Rows are looked up in tables as such products have them.
    """

    name: ClassVar[str] = "unsigned-products"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        greedy(function.block, (without_sign, average_without_sign, with_sign, shift_back), context.statistics)
        _share_tables(function.block)


@rewrite(core.QuantConv, core.QuantConvTranspose, core.QuantMatMul)
def without_sign(op: Product, rw: Rewriter) -> Replacement | NoMatch:
    """Operands and results are the same numbers, stored without a sign."""
    x, w = (op.a, op.b) if isinstance(op, core.QuantMatMul) else (op.x, op.w)
    stored = const_of(w)
    if stored is None or not all(is_all_of_int8(quantized(v)) for v in (x, w)) or not is_all_of_int8(op.element):
        return NOT_MEANT
    if not quantized(w).zero_array().any():
        return NOT_MEANT
    if isinstance(op, core.QuantMatMul) and len(stored.shape) != 2:
        return NoMatch("BATCH_MATMUL of int8 takes any zero point, and there is none of uint8")
    weights = rw.emit(core.Constant(value=recipes.unsigned(stored), element=unsigned(quantized(w)))).y
    operands = (requantized(rw, x, unsigned(quantized(x))), weights)
    limits = {"element": unsigned(op.element), "lo": op.lo + recipes.SIGN, "hi": op.hi + recipes.SIGN}
    made: Rounded = type(op)(*operands, bias=op.bias, **{**op.attributes, **limits})
    return requantized(rw, rw.emit(made).results[0], op.element)


def _share_tables(block: Block) -> None:
    """A table that is the weights of a product of uint8 has no sign where rows are looked up in it, either: it is
    stored once.
    """
    ops = [*walk(block)]
    weights = [const_of(op.b) for op in ops if isinstance(op, core.QuantMatMul) and op.b.tensor.dtype is DType.U8]
    found = {w.key for w in weights if w is not None}
    found |= {recipes.transpose(w, (1, 0)).key for w in weights if w is not None and len(w.shape) == 2}
    if not found:
        return
    for op in (op for op in ops if isinstance(op, core.Gather)):
        table, quant = const_of(op.x), op.x.tensor.quant
        if table is None or quant is None or not is_all_of_int8(quant):
            continue
        stored = recipes.unsigned(table)
        if stored.key in found:
            rw = Rewriter(op)
            shared = rw.emit(core.Constant(value=stored, element=unsigned(quant))).y
            rows = rw.emit(core.Gather(shared, op.indices, **op.attributes)).y
            rw.replace(op, requantized(rw, rows, quant))


@rewrite(core.QuantAveragePool)
def average_without_sign(op: core.QuantAveragePool, rw: Rewriter) -> Replacement | NoMatch:
    """Halves go up where all integers lie above 0, as those of a file of uint8 do."""
    if op.halves is None or not is_all_of_int8(op.element):
        return NOT_MEANT
    element = unsigned(op.element)
    limits = {"element": element, "lo": op.lo + recipes.SIGN, "hi": op.hi + recipes.SIGN, "halves": None}
    made = core.QuantAveragePool(requantized(rw, op.x, element), **{**op.attributes, **limits})
    return requantized(rw, rw.emit(made).y, op.element)


@rewrite(core.IntegerMatMul)
def with_sign(op: core.IntegerMatMul, rw: Rewriter) -> Replacement | NoMatch:
    """The first factor of a sum of products, and its zero point, that are made of floats are made as int8, and rows of
    a table are looked up so: what has no sign would be moved behind.
    """
    if op.a.tensor.dtype is not DType.U8:
        return NOT_MEANT
    b = CoreBuilder(rw)
    found = own_range(_read(op.a), op.a_zero)
    if found is not None:
        a, zero = _bytes_of(op.a, found, b)
    else:
        point = b.constant(-recipes.SIGN, DType.I8) if op.a_zero is None else _signed(op.a_zero, b)
        stored = None if point is None else _signed(op.a, b)
        if point is None or stored is None:
            return NoMatch("the factor or its zero point is made neither of whole floats nor of constants")
        a, zero = stored, point
    return rw.emit(core.IntegerMatMul(a, op.b, a_zero=zero, b_zero=op.b_zero, **op.attributes)).y


def _read(x: Value) -> Value:
    while isinstance(x.producer, core.Reverse):
        x = x.producer.x
    return x


def _bytes_of(x: Value, found: OwnRange, b: CoreBuilder) -> tuple[Value, Value]:
    """What is quantized by its own range, and its zero point, as int8."""
    if found.low is None:
        moved, zero = b.sub(found.steps, float(recipes.SIGN)), b.constant(-recipes.SIGN, DType.I8)
    else:
        point = b.sub(float(-recipes.SIGN), b.y(core.Round(b.div(found.low, found.step))))
        moved, zero = b.add(found.steps, point), b.y(core.Cast(point, dtype=DType.I8, saturate=True))
    return _reversed_as(x, b.y(core.Cast(moved, dtype=DType.I8, saturate=True)), b), zero


def _reversed_as(x: Value, stored: Value, b: CoreBuilder) -> Value:
    made = x.producer
    return (
        b.y(core.Reverse(_reversed_as(made.x, stored, b), axes=made.axes)) if isinstance(made, core.Reverse) else stored
    )


def _signed(x: Value, b: CoreBuilder) -> Value | None:
    made = x.producer
    if isinstance(made, core.Reverse):
        inner = _signed(made.x, b)
        return None if inner is None else b.y(core.Reverse(inner, axes=made.axes))
    stored = const_of(x)
    if stored is not None:
        return b.y(core.Constant(value=recipes.signed(stored)))
    if isinstance(made, core.Gather) and const_of(made.x) is not None and len(x.users) == 1:
        table = _signed(made.x, b)
        return None if table is None else b.y(core.Gather(table, made.indices, **made.attributes))
    if not isinstance(made, core.Cast) or not made.x.tensor.dtype.is_float or not is_whole(made.x):
        return None
    return b.cast(b.sub(made.x, float(recipes.SIGN)), DType.I8)


def is_all_of_int8(quant: QuantType) -> bool:
    """All integers of 8 bits with a sign, and one scale."""
    return is_signed(quant) and (quant.qmin, quant.qmax) == (-128, 127)
