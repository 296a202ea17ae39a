"""By which powers of two channels of one model's value are those of another's: quantization scales them, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.rewrite.fold import constant_array
from mlconv.runtime.compare import rms
from mlconv.runtime.layer_errors import finite_part
from mlconv.runtime.layer_values import ends_of

_HOMOGENEOUS = (core.AvgPool, core.MaxPool, core.ReduceMean, core.Clamp, core.LeakyRelu)
"""What they make of numbers that are scaled is scaled as much, where a clamp ends nothing but below 0."""
_STEPS = 4  # that a channel goes to, to say by which power of two it is scaled
_ALIKE, _LEAST_ALIKE = 0.95, 0.8  # squared cosine of channels that are the same but for a factor, and for roundings
_NEAR, _COARSE = 0.08, 0.75  # of a power of two, as logarithm; and times as much as a step is of the largest number
_NOISY = 3.0  # times what roundings do, as part of a channel
_LEFT = 0.25  # of a difference, where factors of channels of few elements explain it
_MUCH_LESS = 0.5  # of what factors of one axis leave, or none do: those of two fit more by chance
_FEW = 4  # elements of a channel, of which little can be told


def channel_factors(
    own: Array, laid: Array, step: float, noise: Array | float = 0.0, quant: QuantType | None = None
) -> Array | None:
    """Powers of two, one for each channel, that take one array near to the other; channels may lie along two axes,
    as heads and their parts, of which heads may be one axis with a batch.  step: of the other's integers, which says
    nothing of channels of few of these.  noise: what roundings do.  quant: of the other's integers, of which the
    outermost say nothing.
    """
    x, y, off = finite_part(own), finite_part(laid), _NOISY * np.broadcast_to(noise, own.shape)
    if quant is not None and quant.is_per_tensor:
        low, high = ends_of(quant)
        is_inner = (y > low + step / 2) & (y < high - step / 2)
        x, y = np.where(is_inner, x, 0), np.where(is_inner, y, 0)
    found: list[Array] = []
    for kept in (*((i,) for i in range(1, own.ndim)), *combinations(range(own.ndim), 2)):
        axes = tuple(i for i in range(own.ndim) if i not in kept)
        is_few = math.prod(own.shape[i] for i in axes) < _FEW
        if is_few and len(kept) > 1:
            continue
        pairs = ((x, x), (x, y), (y, y), (off, off))
        squares, products, others, noises = ((p * q).sum(axes, keepdims=True) for p, q in pairs)
        least = np.maximum(_ALIKE - noises / np.where(squares > 0, squares, 1), _LEAST_ALIKE)
        alike = (products > 0) & (np.square(products) >= least * squares * others)
        largest = np.maximum(np.abs(y).max(axes, keepdims=True, initial=0), np.finfo(np.float32).tiny)
        alike &= largest >= _STEPS * step
        powers = np.log2(np.where(alike, products / np.where(alike, squares, 1), 1))
        unsure = _NEAR + _COARSE * step / largest + np.sqrt(noises / np.where(alike, squares, 1))
        powers = np.where(np.abs(powers - np.rint(powers)) < unsure, np.rint(powers), 0)
        if powers.any() and not (is_few and rms(x - y / 2.0**powers) > _LEFT * rms(x - y)):
            found.append(2.0**powers)
    left = [rms(x - y / factors) for factors in found]
    alone = min((one for one, f in zip(left, found, strict=True) if _axes(f) == 1), default=rms(x - y))
    known = [(one, i) for i, one in enumerate(left) if _axes(found[i]) == 1 or one < _MUCH_LESS * alone]
    return found[min(known)[1]] if known else None


def nearer_factors(own: Array, laid: Array, factors: Array, before: Array) -> Array:
    """Of each channel, the one of two factors that takes it nearer: the first say nothing of channels whose integers
    are the outermost.
    """
    kept = np.broadcast_shapes(factors.shape, before.shape)
    axes = tuple(i for i, n in enumerate(kept) if n == 1)
    far = [np.square(finite_part(own) - finite_part(laid / f)).sum(axes, keepdims=True) for f in (factors, before)]
    return np.where(far[0] <= far[1], factors, before)


def carried_factors(ops: Sequence[Op], factors: Mapping[Value, Array], plain: Mapping[Value, Array]) -> Array | None:
    """Factors of what the last of some ops gives, where all keep channels apart and what is scaled in them so: those
    of a channel that is small for its integers are not told by its numbers.  factors: of values in front.  plain:
    arrays of the sizes of these, and of results.
    """
    known: dict[Value, Array] = {}
    for op in ops:
        read = [_read(v, known, factors, plain) for v in op.operands]
        if len(op.results) != 1 or not any(x is not None for x in read):
            continue
        made: Array | None = None
        if isinstance(op, core.MatMul):
            made = _of_product(op, read, plain.get(op.results[0]))
        elif isinstance(op, _HOMOGENEOUS) or (isinstance(op, OpDef) and op.spec.quant.carries):
            made = None if read[0] is None else _carried(op, read[0], plain)
        known.update({} if made is None else {op.results[0]: made})
    found = known.get(ops[-1].results[0]) if ops else None
    is_exact = found is not None and bool(((found > 0) & (np.frexp(np.where(found > 0, found, 1))[0] == 0.5)).all())
    return np.asarray(found, np.float64) if is_exact else None


def _read(
    value: Value | None, known: Mapping[Value, Array], factors: Mapping[Value, Array], plain: Mapping[Value, Array]
) -> Array | None:
    """Factors of what an op reads, of its shape."""
    if value is None or value in known or value not in factors:
        return None if value is None else known.get(value)
    return np.broadcast_to(factors[value], plain[value].shape).astype(np.float32)


def _of_product(op: core.MatMul, read: Sequence[Array | None], made: Array | None) -> Array | None:
    """Of rows that the first operand has, and of columns of the second; none where what is summed up has others."""
    if made is None:
        return None
    found = np.ones(made.shape, np.float32)
    for x, turned, summed in ((read[0], op.transpose_a, -1), (read[1], op.transpose_b, -2)):
        if x is None or x.ndim < 2:
            continue
        laid = x.swapaxes(-1, -2) if turned else x
        if np.ptp(laid, summed).any():
            return None
        found = found * laid.take([0], summed)
    return found if found.shape == made.shape else None


def _carried(op: OpDef, read: Array, plain: Mapping[Value, Array]) -> Array | None:
    """Factors of a result, of those that an op reads first; none where constants do not say where elements go."""
    others = [None if v is None else constant_array(v) for v in op.operands[1:]]
    if all(v is None or (x is not None and x.dtype.kind in "iu") for v, x in zip(op.operands[1:], others, strict=True)):
        return np.asarray(op.eval(read, *others))
    made = plain.get(op.results[0])
    return read.reshape(made.shape) if isinstance(op, core.Reshape) and made is not None else None


def _axes(factors: Array) -> int:
    return sum(n > 1 for n in factors.shape)
