"""Complex numbers and Fourier transforms, one axis at a time."""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.rewrite import Rules

RULES = Rules()

_COMPLEX = {DType.F32: DType.C64, DType.F64: DType.C128}
_REAL = {v: k for k, v in _COMPLEX.items()}


@RULES.rule(core.Complex)
def complex_(op: core.Complex, e: HloBuilder) -> Value:
    """complex."""
    shape = np.broadcast_shapes(dims(op.real), dims(op.imag))
    return e.one("complex", [e.broadcast_to(op.real, shape), e.broadcast_to(op.imag, shape)], op.y.tensor)


@RULES.rule(core.Real, core.Imag)
def part(op: core.Real | core.Imag, e: HloBuilder) -> Value:
    """real or imag."""
    return e.one("real" if isinstance(op, core.Real) else "imag", [op.x], op.y.tensor)


def _along(e: HloBuilder, x: Value, axis: int, kind: str, length: int) -> Value:
    """A transform of one axis.  length: of the real side."""
    shape = dims(x)
    rank = len(shape)
    axis %= rank
    perm = [*(i for i in range(rank) if i != axis), axis]
    v = e.transpose(x, perm)
    dtype = x.tensor.dtype
    last = length
    if kind == "RFFT":
        dtype, last = _COMPLEX[dtype], length // 2 + 1
    elif kind == "IRFFT":
        dtype = _REAL[dtype]
    y = e.one("fft", [v], TensorType(dtype, (*dims(v)[:-1], last)), fft_type=kind, fft_length=(length,))
    return e.transpose(y, [perm.index(i) for i in range(rank)])


@RULES.rule(core.Fft)
def fft(op: core.Fft, e: HloBuilder) -> Value:
    """FFT or IFFT."""
    y = op.x
    for axis in op.axes:
        y = _along(e, y, axis, "IFFT" if op.inverse else "FFT", dims(y)[axis])
    return y


@RULES.rule(core.Rfft)
def rfft(op: core.Rfft, e: HloBuilder) -> Value:
    """RFFT of the last axis, FFT of the others."""
    y = _along(e, op.x, op.axes[-1], "RFFT", dims(op.x)[op.axes[-1]])
    for axis in op.axes[:-1]:
        y = _along(e, y, axis, "FFT", dims(y)[axis])
    return y


@RULES.rule(core.Irfft)
def irfft(op: core.Irfft, e: HloBuilder) -> Value:
    """IFFT of the other axes, IRFFT of the last one, which is cut or padded to what it takes."""
    y = op.x
    for axis in op.axes[:-1]:
        y = _along(e, y, axis, "IFFT", dims(y)[axis])
    axis = op.axes[-1]
    missing = op.length // 2 + 1 - dims(y)[axis]
    if missing:
        high = [missing if i == axis % len(dims(y)) else 0 for i in range(len(dims(y)))]
        y = e.pad(y, e.scalar(0, y.tensor.dtype), [0] * len(high), high)
    return _along(e, y, axis, "IRFFT", op.length)
