"""Complex numbers and Fourier transforms.

A complex64 tensor is the bits of a float32 one with a last axis (real, imaginary), which BITCAST goes to and from.
Transforms of known size are products with DFT matrices; RFFT2D serves powers of two.  Sources: kernels/bitcast.cc,
rfft2d.cc, complex_support.cc.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules, remake

RULES = Rules()
FIRST = Rules()

MAX_POINTS = 4096  # of a transform by matrix


def parts(e: TflBuilder, x: Value) -> tuple[Value, Value]:
    """Real and imaginary part."""
    t = TensorType(DType.F32, x.tensor.shape)
    return e.one("REAL", [x], t), e.one("IMAG", [x], t)


def join(e: TflBuilder, real: Value, imag: Value) -> Value:
    """complex64 from two float32 tensors of one shape."""
    rank = len(shape_of(real))
    both = [e.y(core.ExpandDims(v, axes=(rank,))) for v in (real, imag)]
    return e.y(core.Bitcast(e.y(core.Concat(both, axis=rank)), dtype=DType.C64))


@RULES.rule(core.Complex)
def complex_(op: core.Complex, e: TflBuilder) -> Value:
    """Interleaved and reinterpreted."""
    shape = shape_of(op.y)
    real, imag = (e.broadcast_to(v, shape, op.real, op.imag) for v in (op.real, op.imag))
    return join(e, real, imag)


@RULES.rule(core.Real)
def real(op: core.Real, e: TflBuilder) -> Value:
    """REAL."""
    return e.one("REAL", [op.x], op.y.type)


@RULES.rule(core.Imag)
def imag(op: core.Imag, e: TflBuilder) -> Value:
    """IMAG."""
    return e.one("IMAG", [op.x], op.y.type)


@FIRST.rule(
    core.Add,
    core.Sub,
    core.Neg,
    core.ReduceSum,
    core.ReduceMean,
    core.MatMul,
    core.Equal,
    core.NotEqual,
    core.Div,
    core.Exp,
)
def by_parts(op: OpDef, e: TflBuilder) -> list[Value] | NoMatch:
    """Arithmetic of complex numbers, from that of their parts."""
    operands = op.inputs
    if not operands or not any(v.tensor.dtype is DType.C64 for v in operands):
        return NOT_MEANT
    if isinstance(op, (core.Add, core.Sub, core.Neg)):
        flat = [e.y(core.Bitcast(v, dtype=DType.F32)) for v in operands]
        return [e.y(core.Bitcast(e.y(remake(op, flat)), dtype=DType.C64))]
    if isinstance(op, (core.ReduceSum, core.ReduceMean)):
        axes = tuple(a % len(shape_of(op.x)) for a in op.axes)
        flat_op = remake(op, [e.y(core.Bitcast(op.x, dtype=DType.F32))], axes=axes)
        return [e.y(core.Bitcast(e.y(flat_op), dtype=DType.C64))]
    if isinstance(op, core.MatMul):
        return [_matmul(op, e)]
    pairs = [parts(e, v) for v in operands]
    if isinstance(op, (core.Equal, core.NotEqual)):
        tests = [e.y(type(op)(a, b)) for a, b in zip(*pairs, strict=True)]
        return [e.y((core.And if isinstance(op, core.Equal) else core.Or)(*tests))]
    if isinstance(op, core.Div):
        return [_divide(e, *pairs)]
    if isinstance(op, core.Exp):
        ((re, im),) = pairs
        size = e.y(core.Exp(re))
        return [join(e, e.y(core.Mul(size, e.y(core.Cos(im)))), e.y(core.Mul(size, e.y(core.Sin(im)))))]
    return NOT_MEANT


def _divide(e: TflBuilder, a: tuple[Value, Value], b: tuple[Value, Value]) -> Value:
    """a times the conjugate of b over |b|^2."""

    def products(x: Value, y: Value, z: Value, w: Value, make: type[Binary]) -> Value:
        return e.y(make(e.y(core.Mul(x, y)), e.y(core.Mul(z, w))))

    norm = products(b[0], b[0], b[1], b[1], core.Add)
    re = products(a[0], b[0], a[1], b[1], core.Add)
    im = products(a[1], b[0], a[0], b[1], core.Sub)
    return join(e, e.y(core.Div(re, norm)), e.y(core.Div(im, norm)))


def _matmul(op: core.MatMul, e: TflBuilder) -> Value:
    (ar, ai), (br, bi) = parts(e, op.a), parts(e, op.b)

    def product(x: Value, y: Value) -> Value:
        return e.y(remake(op, [x, y]))

    re = e.y(core.Sub(product(ar, br), product(ai, bi)))
    im = e.y(core.Add(product(ar, bi), product(ai, br)))
    return join(e, re, im)


def _points(x: Value, axis: int) -> int:
    n = shape_of(x)[axis]
    if not isinstance(n, int) or n > MAX_POINTS:
        raise refuse(
            f"Fourier transform of {n} points: TFLite transforms "
            f"powers of two, others by matrices of at most {MAX_POINTS}"
        )
    return n


def _apply(e: TflBuilder, x: Value, axis: int, matrix: Array) -> Value:
    """Multiply `axis` of a float32 tensor by a matrix [in, out]."""
    rank = len(shape_of(x))
    perm = [i for i in range(rank) if i != axis] + [axis]
    back = [perm.index(i) for i in range(rank)]
    moved = e.transpose(x, perm)
    if rank == 1:
        moved = e.reshape(moved, (1, *shape_of(moved)))
    y = e.y(core.MatMul(moved, e.constant(matrix.astype(np.float32), DType.F32)))
    return e.reshape(y, shape_of(y)[1:]) if rank == 1 else e.transpose(y, back)


def _dft(n: int, m: int, sign: float) -> tuple[Array, Array]:
    """cos and sin [n, m] of 2 pi j k / n; the product is reduced modulo n first, so that large arguments stay exact."""
    angle = 2 * np.pi * ((np.arange(n)[:, None] * np.arange(m)[None, :]) % n) / n
    return np.cos(angle), sign * np.sin(angle)


@RULES.rule(core.Fft)
def fft(op: core.Fft, e: TflBuilder) -> Value:
    """One axis after another."""
    made = op.x.producer
    is_real = isinstance(made, core.Cast) and made.x.tensor.dtype is DType.F32
    re, im = (made.x, None) if isinstance(made, core.Cast) and is_real else parts(e, op.x)
    for axis in op.axes:
        re, im = _transform(e, re, im, axis % len(shape_of(op.x)), op.inverse)
    return op.x if im is None else join(e, re, im)


def _transform(e: TflBuilder, re: Value, im: Value | None, axis: int, inverse: bool) -> tuple[Value, Value]:
    """Along one axis.  im: None for real numbers."""
    n = _points(re, axis)
    cos, sin = _dft(n, n, 1.0 if inverse else -1.0)
    if inverse:
        cos, sin = cos / n, sin / n
    if im is None:
        return _apply(e, re, axis, cos), _apply(e, re, axis, sin)
    real_part = e.y(core.Sub(_apply(e, re, axis, cos), _apply(e, im, axis, sin)))
    imag_part = e.y(core.Add(_apply(e, re, axis, sin), _apply(e, im, axis, cos)))
    return real_part, imag_part


@RULES.rule(core.Rfft)
def rfft(op: core.Rfft, e: TflBuilder) -> Value:
    """RFFT2D for powers of two along the last axis or, in order, the last two, else matrices."""
    x, rank = op.x, len(shape_of(op.x))
    axes = tuple(a % rank for a in op.axes)
    n = _points(x, axes[-1])
    shape = shape_of(x)
    if axes == (rank - 2, rank - 1) and _is_power(n) and _is_power(shape[-2]):
        return e.one("RFFT2D", [x, e.ints([_points(x, rank - 2), n])], op.y.type)
    if axes == (rank - 1,) and _is_power(n):
        flat = e.reshape(x, (*shape[:-1], 1, n))
        y = e.one("RFFT2D", [flat, e.ints([1, n])], TensorType(DType.C64, (*shape[:-1], 1, n // 2 + 1)))
        return e.reshape(y, shape_of(op.y), x)
    cos, sin = _dft(n, n // 2 + 1, -1.0)
    re, im = _apply(e, x, axes[-1], cos), _apply(e, x, axes[-1], sin)
    for axis in axes[:-1]:
        re, im = _transform(e, re, im, axis, False)
    return join(e, re, im)


def _is_power(n: Size) -> bool:
    """A power of two that RFFT2D transforms: it leaves a transform of one point unset."""
    return isinstance(n, int) and n > 1 and n & (n - 1) == 0


@RULES.rule(core.Irfft)
def irfft(op: core.Irfft, e: TflBuilder) -> Value:
    """The other axes first; the last sums its half spectrum, whose inner points count twice."""
    rank, n = len(shape_of(op.x)), op.length
    axes = tuple(a % rank for a in op.axes)
    have = shape_of(op.x)[axes[-1]]
    if not isinstance(have, int) or n > MAX_POINTS:
        raise refuse(f"inverse Fourier transform of {have} points to {n}")
    re, im = parts(e, op.x)
    for axis in axes[:-1]:
        re, im = _transform(e, re, im, axis, True)
    check_table((have, n), "the table of the Fourier transform")
    half = n // 2 + 1
    k, j = np.arange(have)[:, None], np.arange(n)[None, :]
    angle = 2 * np.pi * ((k * j) % n) / n
    weight = np.where((k == 0) | ((n % 2 == 0) & (k == n // 2)), 1.0, 2.0) * (k < half) / n
    return e.y(
        core.Sub(_apply(e, re, axes[-1], weight * np.cos(angle)), _apply(e, im, axes[-1], weight * np.sin(angle)))
    )
