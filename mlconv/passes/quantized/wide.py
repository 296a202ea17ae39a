"""Tensors of 16 bits under the parameters that they were made with, where files for ONNX have others, such that float32
numbers that are rounded once give the integers of kernels (`onnx-rounding`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.rounding import (
    MOST_PARTS,
    WIDE_ROOM,
    bits_in_front,
    bits_of_mean,
    parts_of_steps,
    pushed_step,
    ratio,
)
from mlconv.dialects.core.rounding_wide import leaky_bits, wide_table
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.passes.quantized.borders import (
    Rounding,
    as_made,
    is_wide,
    limits_of,
    made_of,
    quant_of_stored,
    readings,
    rounding_of,
    stored,
)
from mlconv.passes.quantized.tables import as_table
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement

_FLOAT32 = 2.0**-22  # what numbers of float32 differ by after some operations
_ONE_SOURCE = (core.QuantMean, core.QuantTable, core.Requantize)


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


class _Twice(NamedTuple):
    """What is rounded to whole numbers, and again.  x: whose numbers it is made of.  maker: of the numbers, which may
    be those of x.
    """

    found: Rounding
    x: Value
    maker: OpDef


def _rounded_twice(op: core.Quantize) -> _Twice | None:
    found = rounding_of(op)
    whole = found.value.producer
    maker = whole.x.producer if isinstance(whole, core.Round) else None
    if not isinstance(maker, (core.ReduceMean, core.LeakyRelu, core.Dequantize)):
        return None
    x = maker.x if isinstance(maker, core.Dequantize) else stored(maker.x)
    fits = x is not None and x.tensor.quant is not None and is_wide(x.tensor.quant) and is_wide(op.element)
    return _Twice(found, x, maker) if x is not None and fits else None


@rewrite(core.Quantize)
def rounded_twice(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """What is rounded to the bits that kernels round it to, and again."""
    twice = _rounded_twice(op)
    if twice is None:
        return NOT_MEANT
    step, quant = float(op.element.scales.view()), quant_of_stored(twice.x)
    bits = round(math.log2(step))
    element = QuantType.of(DType.I16, 2.0**bits)
    if bits != bits_before(twice.maker, quant, element) or not math.isclose(step, pushed_step(bits), rel_tol=_FLOAT32):
        return NoMatch("kernels round to other bits first")
    made = _kernel(rw, twice._replace(found=twice.found._replace(element=element)))
    return rw.emit(core.StorageCast(made, element=op.element)).y


def bits_before(maker: OpDef, x: QuantType, y: QuantType) -> int:
    """Behind the point, that a kernel rounds to before it rounds to integers; 0 where nothing says so."""
    if isinstance(maker, core.ReduceMean):
        count = maker.count()
        return 0 if count is None else bits_of_mean(count, ratio(x, y))
    if isinstance(maker, core.LeakyRelu):
        return leaky_bits(maker.alpha, x, y)
    return bits_in_front(ratio(x, y))


def _kernel(rw: Rewriter, twice: _Twice) -> Value:
    found, x, maker = twice
    if isinstance(maker, core.ReduceMean):
        mean = core.QuantMean(x, axes=maker.axes, keepdims=maker.keepdims, **limits_of(found))
        return made_of(rw, found, mean, maker)
    if isinstance(maker, core.LeakyRelu):
        table = wide_table("leaky_relu", maker.alpha, quant_of_stored(x), found.element)
        assert table is not None
        return as_table(rw, found, x, table, function="leaky_relu", alpha=maker.alpha)
    return made_of(rw, found, core.Requantize(x, **limits_of(found)))


@rewrite(core.StorageCast)
def under_one_scale(op: core.StorageCast, rw: Rewriter) -> Replacement | NoMatch:
    """What has an operand and a result under other scales of the same quotient, has those that they were made with."""
    first = [op.x, *readings(op.x)]
    maker, element = first[-1].producer, op.y.tensor.quant
    if not isinstance(maker, _ONE_SOURCE) or element is None or not all(map(is_wide, (maker.element, element))):
        return NOT_MEANT
    x, old = as_made(maker.x, is_wide), ratio(quant_of_stored(maker.x), maker.element)
    if not math.isclose(ratio(quant_of_stored(x), element), old, rel_tol=_FLOAT32):
        return NoMatch("the scales have another quotient")
    if not all(v.has_one_use for v in first):
        return NoMatch("others read the integers")
    rw.fuse(maker, by="quant-lower")
    own = {**maker.attributes, "element": element}
    if not isinstance(maker, core.QuantTable):
        return rw.emit(type(maker)(x, **own)).result
    table = (
        wide_table(maker.function, maker.alpha, quant_of_stored(x), element) if maker.function == "leaky_relu" else None
    )
    if table is None:
        return NoMatch("no other function goes by the quotient alone")
    limited = make_const(table.clip(maker.lo, maker.hi).astype(element.storage.numpy))
    constant = rw.emit(core.Constant(value=limited, element=element)).y
    return rw.emit(core.QuantTable(x, constant, **own)).y


PATTERNS = (pushed_sum, rounded_twice, under_one_scale)
