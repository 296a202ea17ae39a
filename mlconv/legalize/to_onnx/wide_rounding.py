"""Scales of borders of 16 bits with which runtimes of ONNX, which multiply float32 numbers, give the integers that
LiteRT's kernels give (docs/decisions/0025-integers-of-quantized-tensors.md).

Those kernels multiply a sum of products by a factor of 15 bits: up to a step of the largest integers.  The scale of the
weights, or of the second factor, becomes the one that makes the factor just that: 2^-16 more or less of it.  They round
halves away from zero; where sums and means have halves, the scale of the result becomes a little smaller, and numbers
keep their scale to 8 bits.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounding import MOST_PARTS, WIDE_ROOM, factors_of_15_bits, parts_of_steps, ratio, ratios
from mlconv.ir.constants import make_const
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, PerAxis, PerTensor, QuantType, product_of
from mlconv.ir.spec import OpDef
from mlconv.legalize.to_onnx.kernel_rounding import has_halves, in_front, read_anew, round_anew
from mlconv.passes.quantized.borders import is_wide, rounding_of, stored
from mlconv.passes.quantized.rounding import WIDE_FACTORS
from mlconv.rewrite import Rewriter, constant_array, edit

_STEP_BITS = 8


def round_wide_as_kernels(block: Block) -> int:
    """Set scales in groups of 16 bits; how many there were."""
    count = 0
    for op in [op for op in walk(block) if isinstance(op, core.Quantize) and is_wide(op.element)]:
        found = rounding_of(op)
        value = _made_alone(found.value)
        maker = None if value is None else _product(value)
        if maker is not None:
            count += _narrow(maker, op.element)
        elif value is not None and isinstance(value.producer, OpDef):
            parts = _parts(value.producer, op.element) if all(map(_keeps_sign, found.ops)) else 0
            count += _push(op, value.producer, parts) if 1 < parts <= MOST_PARTS else 0
    return count


def _keeps_sign(op: Op) -> bool:
    """A limit that is the same whatever step numbers have."""
    return isinstance(op, core.Clamp) and {op.lo, op.hi} <= {0.0, -math.inf, math.inf}


def _made_alone(value: Value) -> Value | None:
    """What is rounded, before it was moved; None where others read the numbers, too."""
    while value.has_one_use and isinstance(value.producer, (core.Transpose, core.Reshape)):
        value = value.producer.x
    return value if value.has_one_use else None


def _parts(maker: OpDef, y: QuantType) -> int:
    """Of how many parts of a step sums and means of integers are multiples, where some are halves; else 0."""
    sources = [stored(in_front(v)) for v in maker.inputs]
    quants = [quantized(v) for v in sources if v is not None]
    if len(quants) != len(sources) or not all(map(is_wide, quants)):
        return 0
    if isinstance(maker, core.AvgPool):
        return math.prod(maker.window) if ratio(quants[0], y) == 1 and has_halves(maker) else 0
    return parts_of_steps(quants, y) if isinstance(maker, (core.Add, core.Sub)) else 0


def _push(op: core.Quantize, maker: OpDef, parts: int) -> int:
    """Halves, and nothing else, go away from zero: steps of numbers have so few bits that float32 holds all sums."""
    y = op.element
    share, power = math.frexp(float(y.scales.view()))
    step = math.ldexp(round(share * 2**_STEP_BITS), power - _STEP_BITS)
    for i, value in enumerate(maker.inputs):
        x = stored(in_front(value))
        assert x is not None
        read_anew(maker, i, x, QuantType.of(DType.I16, step * ratio(quantized(x), y), 0))
    round_anew(op, QuantType.of(DType.I16, step * (1 - 2.0**-WIDE_ROOM / parts), 0))
    return 1


def _product(value: Value) -> OpDef | None:
    """What is a sum of products, before its bias was added."""
    maker = value.producer
    if isinstance(maker, core.Add):
        pairs = ((maker.a, maker.b), (maker.b, maker.a))
        maker = next((in_front(v).producer for v, added in pairs if constant_array(added) is not None), None)
        maker = maker if isinstance(maker, core.MatMul) else None
    return maker if isinstance(maker, (core.Conv, core.ConvTranspose, core.MatMul)) else None


def _narrow(op: OpDef, y: QuantType) -> int:
    """1 where the scale of the second factor is another one now."""
    values = [stored(_unmoved(op.inputs[0])), stored(in_front(op.inputs[1]))]
    x, w = (None if v is None else quantized(v) for v in values)
    if x is None or w is None or not is_wide(x) or isinstance(w.scheme, Blocked) or w.expressed is not DType.F32:
        return 0
    if isinstance(op, core.MatMul) and w.storage is not DType.I16:
        return 0  # FULLY_CONNECTED multiplies in float64
    factors = ratios(x, w, y)
    if w.storage is DType.I4 or not ((factors >= WIDE_FACTORS[0]) & (factors < WIDE_FACTORS[1])).all():
        return 0  # computes with floats everywhere
    scales = factors_of_15_bits(x, w, y) * np.float64(y.scales.view()) / np.float64(x.scales.view())
    narrow = w.with_numbers(w.scheme, make_const(scales.astype(np.float32).reshape(w.scales.shape)), w.zero_points)
    bias = getattr(op, "bias", None)
    if bias is not None and not _follow(op, bias, x, w, narrow):
        return 0
    _restore(op, narrow)
    return 1


def _follow(op: OpDef, bias: Value, x: QuantType, old: QuantType, new: QuantType) -> bool:
    """The integers of a bias are those of the sum: they are multiplied by what that is."""
    made, more = stored(bias), np.asarray(new.scales.view() / old.scales.view(), np.float32)
    constant = None if made is None else made.producer
    if made is not None and isinstance(constant, core.Constant) and isinstance(quantized(made).zero_points, int):
        element = quantized(made)
        if element.scales.size == 1 or more.size in (1, element.scales.size):
            scales = np.asarray(element.scales.view() * more.reshape(() if more.size == 1 else -1))
            scheme = PerAxis(0) if scales.ndim else PerTensor()
            _read_constant(op, 2, constant, element.with_numbers(scheme, make_const(scales), 0))
            return True
    numbers = constant_array(bias)
    if numbers is None or numbers.dtype != np.float32:
        return False
    rewriter = Rewriter(op)
    again = make_const(product_of(x, new).dequantize(product_of(x, old).quantize(numbers)))
    edit.set_operand(op, 2, rewriter.emit(core.Constant(value=again)).y)
    edit.rename(op.inputs[2], bias.name)
    return True


def _unmoved(value: Value) -> Value:
    """Before it was turned or flattened, whoever else reads it."""
    while isinstance(value.producer, (core.Transpose, core.Reshape)):
        value = value.producer.x
    return value


def _restore(op: OpDef, element: QuantType) -> None:
    x = stored(in_front(op.inputs[1]))
    assert x is not None
    if isinstance(x.producer, core.Constant) and stored(op.inputs[1]) is x:
        _read_constant(op, 1, x.producer, element)
    else:
        read_anew(op, 1, x, element)


def _read_constant(op: OpDef, at: int, made: core.Constant, element: QuantType) -> None:
    """The same integers with other scales."""
    rewriter = Rewriter(op)
    constant = rewriter.emit(core.Constant(value=made.value, element=element)).y
    edit.rename(constant, made.y.name)
    edit.set_operand(op, at, rewriter.emit(core.Dequantize(constant)).y)
