"""Complex numbers and Fourier transforms."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import broadcast_shapes, check_axes, check_numbers, ranked, same_dtype
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, floordiv
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.types import TensorType

_COMPLEX = {DType.F32: DType.C64, DType.F64: DType.C128}
_REAL = {v: k for k, v in _COMPLEX.items()}


def _pair(dtype: DType, table: dict[DType, DType], what: str) -> DType:
    if dtype not in table:
        raise ConversionError(
            Code.TypeMismatch, f"{what} needs {' or '.join(d.display for d in table)}, got {dtype.display}"
        )
    return table[dtype]


@op("core.complex")
class Complex(OpDef):
    """real + i * imag (float32 to complex64, float64 to complex128), broadcast."""

    real: Value = operand()
    imag: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        dtype = _pair(same_dtype(self.real, self.imag), _COMPLEX, "complex")
        return TensorType(dtype, broadcast_shapes(self.real.tensor.shape, self.imag.tensor.shape))

    def eval(self, real: Array, imag: Array) -> Array:
        y = np.empty(np.broadcast_shapes(real.shape, imag.shape), self.y.tensor.dtype.numpy)
        y.real, y.imag = real, imag  # a product with i would make NaN of an infinite part
        return y


@op("core.real")
class Real(OpDef):
    """Real part."""

    x: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        return self.x.tensor.with_dtype(_pair(self.x.tensor.dtype, _REAL, "real"))

    def eval(self, x: Array) -> Array:
        return x.real.copy()


@op("core.imag")
class Imag(OpDef):
    """Imaginary part."""

    x: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        return self.x.tensor.with_dtype(_pair(self.x.tensor.dtype, _REAL, "imag"))

    def eval(self, x: Array) -> Array:
        return x.imag.copy()


@op("core.fft")
class Fft(OpDef):
    """Discrete Fourier transform of complex x along `axes` (non-negative); `inverse` divides by the number of
    points.
    """

    x: Value = operand()
    axes: tuple[int, ...] = attr()
    inverse: bool = attr(default=False)
    y: Value = result()

    def infer(self) -> TensorType:
        _pair(self.x.tensor.dtype, _REAL, "fft")
        check_axes(self.x, self.axes, "fft")
        return self.x.tensor

    def eval(self, x: Array) -> Array:
        run = np.fft.ifftn if self.inverse else np.fft.fftn
        return run(x, axes=self.axes).astype(x.dtype)


@op("core.rfft")
class Rfft(OpDef):
    """Transform of real x along `axes`; the last of them keeps only n // 2 + 1 points."""

    x: Value = operand()
    axes: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        shape: list[Size] = list(ranked(self.x))
        check_axes(self.x, self.axes, "rfft")
        shape[self.axes[-1]] = floordiv(shape[self.axes[-1]], 2) + 1
        return TensorType(_pair(self.x.tensor.dtype, _COMPLEX, "rfft"), tuple(shape))

    def eval(self, x: Array) -> Array:
        return np.fft.rfftn(x, axes=self.axes).astype(self.y.tensor.dtype.numpy)


@op("core.irfft")
class Irfft(OpDef):
    """Inverse of rfft; `length` is the size of the last transformed axis of the result."""

    x: Value = operand()
    axes: tuple[int, ...] = attr()
    length: int = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        shape: list[Size] = list(ranked(self.x))
        check_axes(self.x, self.axes, "irfft")
        check_numbers((self.length,), 1, 1, "the sizes of the result of irfft")
        shape[self.axes[-1]] = self.length
        return TensorType(_pair(self.x.tensor.dtype, _REAL, "irfft"), tuple(shape))

    def eval(self, x: Array) -> Array:
        sizes = [x.shape[a] for a in self.axes[:-1]] + [self.length]
        return np.fft.irfftn(x, s=sizes, axes=self.axes).astype(self.y.tensor.dtype.numpy)
