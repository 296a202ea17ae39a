"""Complex numbers, Fourier transforms and bit patterns."""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.kernel.routines import Fourier
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, number, sizes
from mlconv.legalize.to_kernel.elementwise import elementwise
from mlconv.legalize.to_kernel.order import lanes, routine
from mlconv.rewrite import Rules

RULES = Rules()

_REAL = {DType.C64: DType.F32, DType.C128: DType.F64}
_COMPLEX = {v: k for k, v in _REAL.items()}


@RULES.rule(core.Bitcast)
def bitcast(op: core.Bitcast, e: KernelBuilder) -> Value:
    """The same buffer: the first of several narrow elements has the lowest bits."""
    return e.alias(op.x, op.y.tensor)


def _along(e: KernelBuilder, x: Value, axis: int, given: str, made: str, n: int, inverse: bool) -> Value:
    """The transform of length n of one axis, which is fixed.  given, made: `real`, `complex` or `half`."""
    shape = sizes(x)
    axis %= len(shape)
    dtype = x.tensor.dtype
    part = _REAL.get(dtype, dtype)
    outer, have, inner = lanes(shape, axis)
    keep = n // 2 + 1 if given == "real" and made == "complex" else n
    check_table((n,), "the table of the Fourier transform")
    angle = 2 * np.pi * np.arange(n) / n
    table = e.constant(np.stack([np.cos(angle), np.sin(angle)], 1))
    result = TensorType(part if made == "real" else _COMPLEX[part], (*shape[:axis], keep, *shape[axis + 1 :]))
    length = number(have, "the length of a transform")
    problem = Fourier(given, made, part, outer, length, n, keep, inner, inverse, 1 / n if inverse else 1.0)
    return routine(e, "fourier", problem, [x, table], [result])[0]


def _points(x: Value, axis: int) -> int:
    return number(sizes(x)[axis], "the length of a transform")


@RULES.rule(core.Fft)
def fft(op: core.Fft, e: KernelBuilder) -> Value:
    y = op.x
    for axis in op.axes:
        y = _along(e, y, axis, "complex", "complex", _points(y, axis), op.inverse)
    return y if y is not op.x else e.alias(y, op.y.tensor)


@RULES.rule(core.Rfft)
def rfft(op: core.Rfft, e: KernelBuilder) -> Value:
    """The last axis first, which then holds half of the points."""
    y = _along(e, op.x, op.axes[-1], "real", "complex", _points(op.x, op.axes[-1]), False)
    for axis in op.axes[:-1]:
        y = _along(e, y, axis, "complex", "complex", _points(y, axis), False)
    return y


@RULES.rule(core.Irfft)
def irfft(op: core.Irfft, e: KernelBuilder) -> Value:
    """The last axis last."""
    y = op.x
    for axis in op.axes[:-1]:
        y = _along(e, y, axis, "complex", "complex", _points(y, axis), True)
    return _along(e, y, op.axes[-1], "half", "real", op.length, True)


def _make(op: core.Complex | core.Real | core.Imag, e: Expr, args: list[int]) -> int:
    return e.op(op.name.removeprefix("core."), *args, dtype=op.y.tensor.dtype)


@RULES.rule(core.Complex, core.Real, core.Imag)
def parts(op: core.Complex | core.Real | core.Imag, e: KernelBuilder) -> Value:
    return elementwise(op, e, _make)
