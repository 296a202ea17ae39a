"""Complex numbers and Fourier transforms, which are of the last axes in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tf.builder import TfBuilder, rank_of
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.Complex)
def complex_(op: core.Complex, e: TfBuilder) -> Value:
    """Complex."""
    return e.one("Complex", [op.real, op.imag], op.y.type)


@RULES.rule(core.Real)
def real(op: core.Real, e: TfBuilder) -> Value:
    """Real."""
    return e.one("Real", [op.x], op.y.type)


@RULES.rule(core.Imag)
def imag(op: core.Imag, e: TfBuilder) -> Value:
    """Imag."""
    return e.one("Imag", [op.x], op.y.type)


def _along(e: TfBuilder, x: Value, axis: int, make: Callable[[Value], Value]) -> Value:
    """What `make` does to the last axis, done to another one."""
    rank = rank_of(x, "the signal")
    perm = [*(i for i in range(rank) if i != axis), axis]
    return e.transpose(make(e.transpose(x, perm)), [perm.index(i) for i in range(rank)])


def _transformed(e: TfBuilder, x: Value, axes: tuple[int, ...], name: str) -> Value:
    """A transform of complex numbers, one axis after another."""
    for axis in axes:
        x = _along(e, x, axis, lambda v: e.one(name, [v], v.tensor))
    return x


@RULES.rule(core.Fft)
def fft(op: core.Fft, e: TfBuilder) -> Value:
    """FFT, IFFT."""
    y = _transformed(e, op.x, op.axes, "IFFT" if op.inverse else "FFT")
    return e.identity(y) if y is op.x else y


@RULES.rule(core.Rfft)
def rfft(op: core.Rfft, e: TfBuilder) -> Value:
    """RFFT along the last of the axes, FFT along the others."""
    last = op.axes[-1]
    dtype, shape = op.y.tensor.dtype, op.y.tensor.shape

    def transform(x: Value) -> Value:
        sizes = x.tensor.shape
        t = TensorType(dtype, None if sizes is None or shape is None else (*sizes[:-1], shape[last]))
        return e.one("RFFT", [x, _length(e, e.dim(x, -1))], t)

    return _transformed(e, _along(e, op.x, last, transform), op.axes[:-1], "FFT")


@RULES.rule(core.Irfft)
def irfft(op: core.Irfft, e: TfBuilder) -> Value:
    """IFFT along all axes but the last, IRFFT along it."""
    dtype = op.y.tensor.dtype

    def transform(x: Value) -> Value:
        sizes = x.tensor.shape
        t = TensorType(dtype, None if sizes is None else (*sizes[:-1], op.length))
        return e.one("IRFFT", [x, e.ints([op.length])], t)

    return _along(e, _transformed(e, op.x, op.axes[:-1], "IFFT"), op.axes[-1], transform)


def _length(e: TfBuilder, size: int | Value) -> Value:
    """A size as the kernels take it, int32 [1]."""
    return e.ints([size]) if isinstance(size, int) else e.cast(size, DType.I32)
