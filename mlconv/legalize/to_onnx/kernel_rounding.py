"""Parameters of borders with which runtimes of ONNX, which round float32 numbers to even, give the integers that
LiteRT's default kernels give (docs/decisions/0025-integers-of-quantized-tensors.md).

The groups stay what runtimes look for, DequantizeLinear, operator, QuantizeLinear, and their numbers what they were, to
half of what a kernel's factor of 8 bits leaves out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.rounding import byte_factor
from mlconv.dialects.core.rounding_tables import hard_swish, leaky_relu, limit, stored_numbers
from mlconv.ir import recipes
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import PerTensor, QuantType, storage_range
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.passes.quantized.borders import Rounding, rounding_of
from mlconv.passes.quantized.windows import MOST_IN_WINDOW, PUSH, counts_padding, is_padded
from mlconv.rewrite import Rewriter, edit

_FEW_MISSES = 1  # of 256 integers
_NUDGE = 2.0**-18
"""What makes a half more than one: more than float32 loses on the way, less than a 256th of the largest integer."""


def round_as_kernels(block: Block, join: bool = False) -> int:
    """Set scales, zero points and slopes in groups of 8 bits; how many groups there were.  join: tensors are brought to
    one scale by the concatenation that reads them, which ONNX Runtime does with tables.
    """
    count, borders = 0, [op for op in walk(block) if isinstance(op, core.Quantize) and _is_plain(op.element)]
    for op in borders if join else ():
        _bring_together(op)
    for op in borders:
        found = rounding_of(op)
        maker = in_front(found.value).producer
        if isinstance(maker, core.AvgPool):
            count += _average(op, found, maker)
        elif isinstance(maker, core.LeakyRelu):
            count += _leaky(op, maker)
        elif isinstance(maker, core.HardSwish):
            count += _swish(op, maker)
        elif isinstance(maker, core.Clamp):
            count += _limited(op, maker)
        elif isinstance(maker, core.Dequantize):
            count += not _is_joined(maker) and _other_scale(op, maker)
        elif isinstance(maker, OpDef) and maker.spec.quant.carries and maker.moves_integers():
            count += sum(_other_scale(op, border, maker, at) for at, border in list(_read(maker)))
    return count


def whole_reciprocals(block: Block) -> int:
    """Scales of softmax that are a part of one, to float32's rounding, are not more than that; how many were.  ONNX
    Runtime 1.31 multiplies by what 1 / scale has in front of the point: 254 for 1/255, which its quantizer gives
    (contrib_ops/cpu/quantization/qlinear_softmax.cc).
    """
    count = 0
    for op in [op for op in walk(block) if isinstance(op, core.Quantize) and _is_plain(op.element)]:
        scale = _whole_reciprocal(np.float32(op.element.scales.view()))
        if scale is None or not isinstance(in_front(op.x).producer, core.Softmax):
            continue
        element = QuantType.of(op.element.storage, float(scale), op.element.zero_array())
        if all(isinstance(user, core.Dequantize) for user in op.y.users):
            edit.set_attribute(op, "element", element)
            edit.retype(op.y, TensorType(element, op.y.tensor.shape))
        else:
            round_anew(op, element)
        count += 1
    return count


def _whole_reciprocal(scale: np.float32) -> np.float32 | None:
    """A scale next to this one whose reciprocal is not cut off to one less; None where that is another number."""
    parts = round(1 / float(scale))
    if not math.isclose(parts * float(scale), 1, rel_tol=2.0**-22) or np.floor(np.float32(1) / scale) >= parts:
        return None
    while np.floor(np.float32(1) / scale) < parts:
        scale = np.nextafter(scale, np.float32(0))
    return scale


def _is_plain(quant: QuantType | None) -> bool:
    """8 bits, one scale, no limits of its own."""
    if quant is None or quant.storage not in (DType.I8, DType.U8) or quant.expressed is not DType.F32:
        return False
    return isinstance(quant.scheme, PerTensor) and (quant.qmin, quant.qmax) == storage_range(quant.storage)


def _plain(value: Value | None) -> QuantType | None:
    """The quantization of a tensor that is not known, if it is such."""
    if value is None or isinstance(value.producer, core.Constant):
        return None
    quant = quant_of(value)
    return quant if _is_plain(quant) else None


def _average(op: core.Quantize, found: Rounding, pool: core.AvgPool) -> int:
    """Halves go away from an integer: numbers are counted from there, and are divided by a little less."""
    border, quant = in_front(pool.x).producer, op.element
    x = border.x if isinstance(border, core.Dequantize) else None
    if x is None or _plain(x) != quant or not has_halves(pool):
        return 0
    least = storage_range(quant.storage)[0]
    zero = least if pool.halves else least + recipes.SIGN
    if zero != int(quant.zero_array()) and (counts_padding(pool) or found.ops):
        return 0
    scale = float(quant.scales.view())
    read_anew(pool, 0, x, QuantType.of(quant.storage, scale, zero))
    _unnamed(op.x, pool)
    round_anew(op, QuantType.of(quant.storage, scale * (1 - PUSH), zero))
    return 1


def _unnamed(value: Value, maker: OpDef) -> None:
    """Numbers that are counted from elsewhere are not what the source calls so: that is read behind the integers."""
    while value.producer is not maker:
        edit.rename(value, "")
        assert isinstance(value.producer, OpDef)
        value = value.producer.inputs[0]
    edit.rename(value, "")


def has_halves(pool: core.AvgPool) -> bool:
    """Some window has an even number of elements, and none so many that a little more is a step more."""
    size = math.prod(pool.window)
    most = MOST_IN_WINDOW // 2 if pool.halves else MOST_IN_WINDOW
    return size < most and (size % 2 == 0 or is_padded(pool) or pool.ceil_mode)


def _leaky(op: core.Quantize, maker: core.LeakyRelu) -> int:
    """The kernel's two factors have 8 bits behind the point, halves go up."""
    border, y = in_front(maker.x).producer, op.element
    x = _plain(border.x) if isinstance(border, core.Dequantize) else None
    wanted = None if x is None else leaky_relu(maker.alpha, x, y)
    if x is None or wanted is None or not isinstance(border, core.Dequantize):
        return 0
    scale = float(y.scales.view())
    above, below = byte_factor(x, y), byte_factor(x, y, maker.alpha)
    options = [(float(x.scales.view()), maker.alpha)]
    if above and below:
        more = _NUDGE if below < 0 else -_NUDGE
        options += [(above / 256 * scale * (1 + _NUDGE), below / above * (1 + more) / (1 + _NUDGE))]
    best = _better(wanted, x, y, options)
    if best is None:
        return 0
    number, alpha = best
    read_anew(maker, 0, border.x, QuantType.of(x.storage, number, int(x.zero_array())))
    edit.set_attribute(maker, "alpha", alpha)
    return 1


def _swish(op: core.Quantize, maker: core.HardSwish) -> int:
    """The kernel computes in 16 bits: next to halves it goes the other way.  Of scales of x that are nearly the same,
    and that the kernel gives the same integers for, the one that float32 misses fewest with.
    """
    border, y = in_front(maker.x).producer, op.element
    x = _plain(border.x) if isinstance(border, core.Dequantize) else None
    wanted = None if x is None else hard_swish(x, y)
    if x is None or wanted is None or not isinstance(border, core.Dequantize):
        return 0
    best, fewest = None, _swish_misses(wanted, x, y)
    if fewest <= _FEW_MISSES:
        return 0
    for steps in range(-8, 9):
        near = QuantType.of(x.storage, float(x.scales.view()) * (1 + steps * 2.0**-15), int(x.zero_array()))
        misses, given = _swish_misses(wanted, near, y), hard_swish(near, y)
        if misses < fewest and given is not None and np.array_equal(_limits(wanted, y), _limits(given, y)):
            best, fewest = near, misses
    if best is None:
        return 0
    read_anew(maker, 0, border.x, best)
    return 1


def _swish_misses(wanted: Array, x: QuantType, y: QuantType) -> int:
    """How many integers of x become others than wanted."""
    numbers = x.dequantize(stored_numbers(x))
    share = np.clip(numbers * np.float32(1 / 6) + np.float32(0.5), 0, 1)
    return int(np.count_nonzero(y.quantize(numbers * share) != _limits(wanted, y)))


def _limits(integers: Array, y: QuantType) -> Array:
    return np.clip(integers, y.qmin, y.qmax)


def round_anew(op: core.Quantize, element: QuantType) -> None:
    """By another scale, for integers that mean what they did."""
    rewriter = Rewriter(op)
    made = rewriter.emit(core.Quantize(op.x, element=element)).y
    same = rewriter.emit(core.StorageCast(made, element=op.element)).y
    edit.rename(made, op.y.name)
    rewriter.replace(op, same)


def _limited(op: core.Quantize, maker: core.Clamp) -> int:
    """What is rounded by the kernel of a limit: as floats are, but for halves."""
    border, y = in_front(maker.x).producer, op.element
    x = _plain(border.x) if isinstance(border, core.Dequantize) else None
    wanted = limit(maker.kernel, x, y) if x is not None and maker.kernel is not None else None
    if x is None or wanted is None or not isinstance(border, core.Dequantize):
        return 0
    scale, zero = float(x.scales.view()), int(x.zero_array())
    options = [scale, scale * (1 + _NUDGE), scale * (1 - _NUDGE)]
    best = _better(wanted, x, y, [(s, 1.0) for s in options])
    if best is None:
        return 0
    read_anew(maker, 0, border.x, QuantType.of(x.storage, best[0], zero))
    return 1


def _other_scale(op: core.Quantize, border: core.Dequantize, user: OpDef | None = None, at: int = 0) -> int:
    """Numbers that are rounded to another scale, as they are or behind `user`, whose operand `at` they are."""
    x, y = _plain(border.x), op.element
    if x is None or x == y or not 0 < byte_factor(x, y) < 1 << 15:
        return 0
    numbers, zero = stored_numbers(x) - int(x.zero_array()), int(y.zero_array())
    wanted = ((numbers * byte_factor(x, y) + 128) >> 8) + zero
    exact = byte_factor(x, y) / 256 * float(y.scales.view())
    options = [float(x.scales.view()), exact, exact * (1 + _NUDGE), exact * (1 - _NUDGE)]
    best = _better(wanted, x, y, [(s, 1.0) for s in options])
    if best is None:
        return 0
    read_anew(op if user is None else user, at, border.x, QuantType.of(x.storage, best[0], int(x.zero_array())))
    return 1


def _better(
    wanted: Array, x: QuantType, y: QuantType, options: Sequence[tuple[float, float]]
) -> tuple[float, float] | None:
    """The scale and the slope that give most of what is wanted; None where no others are better than the first."""
    off = [_misses(wanted, x, y, scale, alpha) for scale, alpha in options]
    return None if min(off) == off[0] else options[off.index(min(off))]


def _misses(wanted: Array, x: QuantType, y: QuantType, scale: float, alpha: float) -> int:
    """How many integers of x become others than wanted, where their numbers have `scale` and those below 0 go through a
    slope.
    """
    least, most = storage_range(y.storage)
    low, high = max(least, int(wanted.min())), min(most, int(wanted.max()))  # limits are behind a slope
    numbers = (stored_numbers(x) - int(x.zero_array())).astype(np.float32) * np.float32(scale)
    numbers = np.where(numbers < 0, numbers * np.float32(alpha), numbers)
    made = np.rint(numbers / np.float32(y.scales.view())) + int(y.zero_array())
    return int(np.count_nonzero(np.clip(made, low, high) != np.clip(wanted, low, high)))


def in_front(value: Value) -> Value:
    """Before it was turned, for images whose channels come first."""
    while isinstance(value.producer, core.Transpose) and value.has_one_use:
        value = value.producer.x
    return value


def read_anew(op: OpDef, at: int, x: Value, quant: QuantType) -> None:
    """An operand is made of the integers of x with parameters of its own; what turns it in between stays."""
    value = op.operands[at]
    while value is not None and isinstance(value.producer, core.Transpose):
        op, at = value.producer, 0
        value = op.x
    rewriter = Rewriter(op)
    edit.set_operand(op, at, rewriter.emit(core.Dequantize(rewriter.emit(core.StorageCast(x, element=quant)).y)).y)


def _is_joined(border: core.Dequantize) -> bool:
    """What is rounded twice on end ONNX Runtime rounds once (double_qdq_pairs_remover.cc), which costs less and loses
    less than the kernel's second rounding.
    """
    return isinstance(border.x.producer, core.Quantize) and border.x.has_one_use and border.y.has_one_use


def _bring_together(op: core.Quantize) -> None:
    """Tensors of other scales that were each rounded to that of their concatenation: its result is, anyhow."""
    maker = op.x.producer
    if not isinstance(maker, core.Concat):
        return
    for i, border in list(_read(maker)):
        first = border.x.producer
        source = first.x.producer if isinstance(first, core.Quantize) and first.element == op.element else None
        alone = border.x.has_one_use and border.y.has_one_use
        if alone and isinstance(source, core.Dequantize) and _plain(source.x) is not None:
            edit.set_operand(maker, i, source.y)


def _read(op: OpDef) -> Iterator[tuple[int, core.Dequantize]]:
    """The operands that are numbers of integers."""
    for i, value in enumerate(op.operands):
        made = None if value is None else in_front(value).producer
        if isinstance(made, core.Dequantize):
            yield i, made
