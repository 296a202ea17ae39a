"""Reductions, scans along an axis, and normalizations that are one op on most targets.

axes are non-negative and sorted; an empty tuple reduces nothing.  `keepdims` keeps reduced axes with size 1.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import check_distinct, check_numbers, normalize_axis, ranked
from mlconv.ir.constants import Array
from mlconv.ir.core import Known, Value
from mlconv.ir.dims import Size, maximum, minimum
from mlconv.ir.dtypes import DType
from mlconv.ir.quant_rules import FREE, LOG_UNIT, SAME, UNIT
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.types import TensorType


class Reduce(OpDef):
    """x combined along `axes`."""

    __slots__ = ()
    x: Value = operand()
    axes: tuple[int, ...] = attr()
    keepdims: bool = attr(default=False)
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        shape = ranked(self.x)
        axes = [normalize_axis(a, len(shape)) for a in self.axes]
        check_distinct(axes, self.name)
        if self.keepdims:
            return t.with_shape(tuple(1 if i in axes else d for i, d in enumerate(shape)))
        return t.with_shape(tuple(d for i, d in enumerate(shape) if i not in axes))


def _only(reduce: Reduce, join: Callable[[Size, Size], Size]) -> Known | None:
    """What a vector of sizes is joined to."""
    known = reduce.x.known
    if not known or None in known or reduce.x.tensor.rank != 1 or not reduce.axes:
        return None
    return (functools.reduce(join, (k for k in known if k is not None)),)


def _wide(x: Array) -> Array:
    """float16 and bfloat16 are summed in float32."""
    return x.astype(np.float32) if x.dtype.itemsize < 4 and x.dtype.kind not in "iub" else x


@op("core.reduce_sum", quant=FREE)
class ReduceSum(Reduce):
    """Sum; wraps for integers."""

    def eval(self, x: Array) -> Array:
        return np.asarray(np.sum(_wide(x), axis=self.axes, keepdims=self.keepdims)).astype(x.dtype)


@op("core.reduce_mean", quant=FREE)
class ReduceMean(Reduce):
    """Mean; for integers towards zero."""

    def eval(self, x: Array) -> Array:
        wide = x.astype(np.float64) if x.dtype.kind in "iu" else _wide(x)
        return np.asarray(np.mean(wide, axis=self.axes, keepdims=self.keepdims)).astype(x.dtype)


@op("core.reduce_max", quant=SAME)
class ReduceMax(Reduce):
    """Largest; the lowest value of the type for an empty reduction."""

    def eval(self, x: Array) -> Array:
        return np.asarray(np.max(x, axis=self.axes, keepdims=self.keepdims, initial=limit(x, lowest=True)))

    def deduce(self) -> Known | None:
        return _only(self, maximum)


@op("core.reduce_min", quant=SAME)
class ReduceMin(Reduce):
    """Smallest; the highest value of the type for an empty reduction."""

    def eval(self, x: Array) -> Array:
        return np.asarray(np.min(x, axis=self.axes, keepdims=self.keepdims, initial=limit(x, lowest=False)))

    def deduce(self) -> Known | None:
        return _only(self, minimum)


@op("core.reduce_prod")
class ReduceProd(Reduce):
    """Product; wraps for integers."""

    def eval(self, x: Array) -> Array:
        return np.asarray(np.prod(_wide(x), axis=self.axes, keepdims=self.keepdims)).astype(x.dtype)

    def deduce(self) -> Known | None:
        return _only(self, operator.mul)


@op("core.reduce_any")
class ReduceAny(Reduce):
    """Or, on bool."""

    def eval(self, x: Array) -> Array:
        return np.asarray(np.any(x, axis=self.axes, keepdims=self.keepdims))


@op("core.reduce_all")
class ReduceAll(Reduce):
    """And, on bool."""

    def eval(self, x: Array) -> Array:
        return np.asarray(np.all(x, axis=self.axes, keepdims=self.keepdims))


REDUCTIONS = (ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceAny, ReduceAll)


def limit(x: Array, lowest: bool) -> Any:
    """The neutral element of max (lowest) or min."""
    if x.dtype.kind == "b":
        return not lowest
    if x.dtype.kind in "iu":
        return np.asarray(np.iinfo(x.dtype).min if lowest else np.iinfo(x.dtype).max, x.dtype)
    return np.asarray(-np.inf if lowest else np.inf).astype(x.dtype)


class Arg(OpDef):
    """Index of an extreme value along one axis."""

    __slots__ = ()
    x: Value = operand()
    axis: int = attr()
    keepdims: bool = attr(default=False)
    select_last: bool = attr(default=False)
    dtype: DType = attr(default=DType.I64)
    y: Value = result()

    def infer(self) -> TensorType:
        shape = ranked(self.x)
        axis = normalize_axis(self.axis, len(shape))
        return TensorType(self.dtype, (*shape[:axis], *((1,) if self.keepdims else ()), *shape[axis + 1 :]))

    def pick(self, x: Array, largest: bool) -> Array:
        find = np.argmax if largest else np.argmin
        if self.select_last:
            index = x.shape[self.axis] - 1 - find(np.flip(x, self.axis), axis=self.axis)
        else:
            index = find(x, axis=self.axis)
        return np.asarray(np.expand_dims(index, self.axis) if self.keepdims else index).astype(self.dtype.numpy)


@op("core.arg_max", quant=SAME)
class ArgMax(Arg):
    """Index of the largest, the first of equals (the last with `select_last`)."""

    def eval(self, x: Array) -> Array:
        return self.pick(x, largest=True)


@op("core.arg_min", quant=SAME)
class ArgMin(Arg):
    """Index of the smallest, the first of equals (the last with `select_last`)."""

    def eval(self, x: Array) -> Array:
        return self.pick(x, largest=False)


class Scan(OpDef):
    """Running combination along `axis`; `exclusive` leaves the own element out, `reverse` runs from the end."""

    __slots__ = ()
    x: Value = operand()
    axis: int = attr()
    exclusive: bool = attr(default=False)
    reverse: bool = attr(default=False)
    y: Value = result()

    def infer(self) -> TensorType:
        normalize_axis(self.axis, len(ranked(self.x)))
        return self.x.tensor

    def scan(self, x: Array, ufunc: np.ufunc, neutral: int) -> Array:
        v = np.flip(x, self.axis) if self.reverse else x
        y = np.asarray(ufunc.accumulate(_wide(v), axis=self.axis, dtype=_wide(v).dtype)).astype(x.dtype)
        if self.exclusive and x.shape[self.axis]:
            first = np.full_like(np.take(y, [0], self.axis), neutral)
            y = np.concatenate([first, np.take(y, np.arange(x.shape[self.axis] - 1), self.axis)], self.axis)
        return np.flip(y, self.axis) if self.reverse else y


@op("core.cumsum")
class CumSum(Scan):
    """Running sum (ONNX CumSum-14, TensorFlow Cumsum)."""

    def eval(self, x: Array) -> Array:
        return self.scan(x, np.add, 0)


@op("core.cumprod")
class CumProd(Scan):
    """Running product (TensorFlow Cumprod)."""

    def eval(self, x: Array) -> Array:
        return self.scan(x, np.multiply, 1)


class AlongAxis(OpDef):
    """A result of x's type, computed along one axis (non-negative)."""

    __slots__ = ()
    x: Value = operand()
    axis: int = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        rank = len(ranked(self.x))
        normalize_axis(self.axis, rank)
        if rank == 0:
            raise ConversionError(Code.ShapeMismatch, f"{self.name} of {self.x.tensor}, which has no axis")
        return self.x.tensor


@op("core.softmax", quant=UNIT)
class Softmax(AlongAxis):
    """exp(x - max) / sum of it, along `axis` (non-negative)."""

    def eval(self, x: Array) -> Array:
        wide = _wide(x)
        e = np.exp(wide - np.max(wide, self.axis, keepdims=True, initial=-np.inf))
        return np.asarray(e / e.sum(self.axis, keepdims=True)).astype(x.dtype)


@op("core.log_softmax", quant=LOG_UNIT)
class LogSoftmax(AlongAxis):
    """log of softmax, without going through it."""

    def eval(self, x: Array) -> Array:
        wide = _wide(x)
        shifted = wide - np.max(wide, self.axis, keepdims=True, initial=-np.inf)
        return np.asarray(shifted - np.log(np.exp(shifted).sum(self.axis, keepdims=True))).astype(x.dtype)


@op("core.lrn")
class Lrn(OpDef):
    """x / (bias + alpha * sum of x^2 over `radius` channels before and `radius_after` after)^beta, along `axis`.

    Source: TensorFlow LRN (radius on both sides), ONNX LRN-13 (alpha / size, size split as (size-1)//2 before, rest
    after).
    """

    x: Value = operand()
    radius: int = attr()
    radius_after: int = attr()
    alpha: float = attr()
    beta: float = attr()
    bias: float = attr()
    axis: int = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        normalize_axis(self.axis, len(ranked(self.x)))
        check_numbers((self.radius, self.radius_after), 2, 0, "the numbers of channels on either side")
        return self.x.tensor

    def eval(self, x: Array) -> Array:
        square = np.moveaxis(_wide(x) ** 2, self.axis, -1)
        total = np.concatenate(
            [np.zeros((*square.shape[:-1], 1), square.dtype), np.cumsum(square.astype(np.float64), -1)], -1
        )
        n = square.shape[-1]
        hi = np.minimum(np.arange(n) + self.radius_after + 1, n)
        lo = np.maximum(np.arange(n) - self.radius, 0)
        window = np.moveaxis(total[..., hi] - total[..., lo], -1, self.axis)
        return np.asarray(x / (self.bias + self.alpha * window) ** self.beta).astype(x.dtype)
