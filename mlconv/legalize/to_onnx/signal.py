"""Complex numbers and Fourier transforms.

ONNX computes with pairs: a complex tensor becomes one of floats with a last axis (real, imaginary).  Sources: ONNX
DFT-17, DFT-20.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value, clone_op
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.to_onnx.builder import OnnxBuilder, rank_of
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules, edit

RULES = Rules()
FIRST = Rules()

_PART = {DType.C64: DType.F32, DType.C128: DType.F64}


def _part(e: OnnxBuilder, x: Value, which: int) -> Value:
    """The real (0) or imaginary (1) part; of numbers that are put together from parts, that part."""
    made, constant = x.producer, const_of(x)
    if constant is not None:
        numbers = constant.view()
        return e.constant((numbers.imag if which else numbers.real).copy())
    if isinstance(made, core.Complex) and made.real.tensor.shape == made.imag.tensor.shape:
        return made.imag if which else made.real
    t = TensorType(_PART[x.tensor.dtype], x.tensor.shape)
    return e.one("Gather", [x, e.constant(which, DType.I64)], t, axis=rank_of(x, "complex numbers"))


def _pairs(e: OnnxBuilder, x: Value) -> Value:
    """Real and imaginary parts in a last axis."""
    return _joined(e, _part(e, x, 0), _part(e, x, 1))


def _joined(e: OnnxBuilder, real: Value, imag: Value) -> Value:
    rank = rank_of(real, "complex numbers")
    return e.concat([e.expand_dims(v, rank) for v in (real, imag)], rank)


@RULES.rule(core.Complex)
def complex_(op: core.Complex, e: OnnxBuilder) -> Value:
    """Both parts of one shape, side by side."""
    real, imag = op.real, op.imag
    if real.tensor.shape != imag.tensor.shape:
        zero = e.asarray(0, real)
        real, imag = e.add(real, e.mul(imag, zero)), e.add(imag, e.mul(real, zero))
    return _joined(e, real, imag)


@RULES.rule(core.Real)
def real(op: core.Real, e: OnnxBuilder) -> Value:
    """The first of each pair."""
    return _part(e, op.x, 0) if op.x.tensor.dtype.is_complex else e.one("Identity", [op.x], op.y.type)


@RULES.rule(core.Imag)
def imag(op: core.Imag, e: OnnxBuilder) -> Value:
    """The second of each pair."""
    return _part(e, op.x, 1) if op.x.tensor.dtype.is_complex else e.full_like(op.x, 0)


def _dft(e: OnnxBuilder, x: Value, axis: int, t: TensorType, *, inverse: bool = False, onesided: bool = False) -> Value:
    """DFT along one axis of pairs; the axis is an attribute until opset 19."""
    flags = {k: 1 for k, v in (("inverse", inverse), ("onesided", onesided)) if v}
    if e.has(20):
        return e.one("DFT", [x, None, e.constant(axis, DType.I64)], t, **flags)
    return e.one("DFT", [x], t, axis=axis, **flags)


@RULES.rule(core.Fft)
def fft(op: core.Fft, e: OnnxBuilder) -> Value:
    """DFT, one axis after another."""
    y = _pairs(e, op.x)
    for axis in op.axes:
        y = _dft(e, y, axis, y.tensor, inverse=op.inverse)
    return y


@RULES.rule(core.Rfft)
def rfft(op: core.Rfft, e: OnnxBuilder) -> Value:
    """DFT of real numbers along the last axis, one side of it; then of pairs."""
    rank = rank_of(op.x, "the signal")
    shape = op.y.tensor.shape
    t = op.x.tensor.with_shape(None if shape is None else (*shape, 2))
    y = _dft(e, e.expand_dims(op.x, rank), op.axes[-1], t, onesided=True)
    for axis in op.axes[:-1]:
        y = _dft(e, y, axis, y.tensor)
    return y


@RULES.rule(core.Irfft)
def irfft(op: core.Irfft, e: OnnxBuilder) -> Value:
    """The whole spectrum of real numbers is that of one side and its mirror image, conjugated."""
    axis, n, x = op.axes[-1], op.length, op.x
    half = n // 2 + 1
    real, imag = _part(e, x, 0), _part(e, x, 1)
    rank = rank_of(x, "the spectrum")
    have = e.dim(x, axis)
    if isinstance(have, int) and have < half:
        pads = [(0, half - have) if i == axis else (0, 0) for i in range(rank)]
        real, imag = e.pad(real, pads), e.pad(imag, pads)
    real, imag = (e.slice_axis(v, axis, 0, half) for v in (real, imag))
    y = _joined(e, real, imag)
    for other in op.axes[:-1]:
        y = _dft(e, y, other, y.tensor, inverse=True)
    if n > 2:
        mirrored = e.y(core.Reverse(e.slice_axis(y, axis, 1, n - half + 1), axes=(axis,)))
        conjugate = e.mul(mirrored, e.constant([1, -1], y.tensor.dtype))
        y = e.concat([y, conjugate], axis)
    whole = _dft(e, y, axis, y.tensor, inverse=True)
    return e.one("Gather", [whole, e.constant(0, DType.I64)], op.y.type, axis=rank)


@FIRST.rule(
    core.Add,
    core.Sub,
    core.Neg,
    core.ReduceSum,
    core.ReduceMean,
    core.Reshape,
    core.Transpose,
    core.ExpandDims,
    core.Squeeze,
    core.Concat,
    core.Slice,
    core.Gather,
    core.Select,
    core.BroadcastTo,
    core.Tile,
    core.Reverse,
)
def each_part(op: OpDef, e: OnnxBuilder) -> Value | NoMatch:
    """What is the same for both parts."""
    if not any(v.tensor.dtype.is_complex for v in op.inputs):
        return NOT_MEANT
    parts = []
    for which in (0, 1):
        mapping = {v: _part(e, v, which) for v in op.inputs if v.tensor.dtype.is_complex}
        copy = clone_op(op, mapping)
        edit.retype(copy.results[0], op.results[0].tensor.with_dtype(_PART[op.results[0].tensor.dtype]))
        parts.append(e.emit(copy).results[0])
    return e.y(core.Complex(parts[0], parts[1]))


@FIRST.rule(core.Mul, core.Div, core.Abs, core.Exp, core.Equal, core.NotEqual, core.MatMul)
def by_parts(op: OpDef, e: OnnxBuilder) -> Value | NoMatch:
    """Arithmetic of complex numbers, from that of their parts."""
    if not any(v.tensor.dtype.is_complex for v in op.inputs):
        return NOT_MEANT
    pairs = [(_part(e, v, 0), _part(e, v, 1)) for v in op.inputs]
    (a, b) = pairs[0]
    if isinstance(op, core.Abs):
        return e.sqrt(e.add(e.mul(a, a), e.mul(b, b)))
    if isinstance(op, core.Exp):
        size = e.exp(a)
        return e.y(core.Complex(e.mul(size, e.y(core.Cos(b))), e.mul(size, e.y(core.Sin(b)))))
    (c, d) = pairs[1]
    if isinstance(op, (core.Equal, core.NotEqual)):
        both = (core.And if isinstance(op, core.Equal) else core.Or)(e.y(type(op)(a, c)), e.y(type(op)(b, d)))
        return e.y(both)
    if isinstance(op, core.MatMul):
        flags = {"transpose_a": op.transpose_a, "transpose_b": op.transpose_b}
        ac, bd, ad, bc = (e.matmul(x, y, **flags) for x, y in ((a, c), (b, d), (a, d), (b, c)))
        return e.y(core.Complex(e.sub(ac, bd), e.add(ad, bc)))
    if isinstance(op, core.Mul):
        return e.y(core.Complex(e.sub(e.mul(a, c), e.mul(b, d)), e.add(e.mul(a, d), e.mul(b, c))))
    norm = e.add(e.mul(c, c), e.mul(d, d))
    re, im = e.add(e.mul(a, c), e.mul(b, d)), e.sub(e.mul(b, c), e.mul(a, d))
    return e.y(core.Complex(e.div(re, norm), e.div(im, norm)))


@FIRST.rule(core.Cast)
def cast_complex(op: core.Cast, e: OnnxBuilder) -> Value | NoMatch:
    """To real numbers the real part; from them with no imaginary one."""
    have, want = op.x.tensor.dtype, op.dtype
    if not have.is_complex and not want.is_complex:
        return NOT_MEANT
    if not want.is_complex:
        return e.cast(_part(e, op.x, 0), want)
    if have.is_complex:
        first, second = (e.cast(_part(e, op.x, i), _PART[want]) for i in (0, 1))
        return e.y(core.Complex(first, second))
    number = e.cast(op.x, _PART[want])
    return e.y(core.Complex(number, e.mul(number, 0)))
