"""Quantized operators.  Scales that are constants give quantized element types with exactly these scales;
QLinear operators become the float operator between them.  Source: ONNX QuantizeLinear-21,
QLinearConv-10; ONNX Runtime contrib operator docs.
"""

from __future__ import annotations

from collections.abc import Callable

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Const, Splat
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, PerAxis, PerTensor, QuantType, Scheme
from mlconv.ir.shapes import static
from mlconv.legalize.from_onnx.activation import swish_of
from mlconv.legalize.from_onnx.conv import conv_of, kernel_sizes
from mlconv.legalize.from_onnx.matmul import matmul_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import largest_finite
from mlconv.legalize.from_onnx.pool import average_pool_of, mean_of_padded
from mlconv.legalize.from_onnx.scale_signs import MOST_BYTES, Quantized, with_positive_scales
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.from_onnx.window import digits, window_of
from mlconv.legalize.limits import check_table
from mlconv.rewrite import constant_of, edit
from mlconv.rewrite.core_builder import CoreBuilder

RULES = OnnxRules()

_MICROSOFT = "com.microsoft"


def quant_type(
    x: Value, storage: DType, expressed: DType, scale: Value, zero: Value | None, axis: int, block: int
) -> QuantType | None:
    """The element type of constant scales and zero points; None when they are data, or numbers that no quantization
    has, which are computed with as they are.
    """
    scales, zeros = constant_of(scale, MOST_BYTES), None if zero is None else constant_of(zero, MOST_BYTES)
    if scales is None or (zero is not None and zeros is None) or not storage.is_int or not expressed.is_float:
        return None
    scheme = _scheme(x, scales, axis, block)
    if scheme is None or not scales.dtype.is_float or (zeros is not None and zeros.dtype is not storage):
        return None
    scales = scales.reshape(()) if isinstance(scheme, PerTensor) else scales
    if zeros is not None and zeros.shape != scales.shape:
        if zeros.size not in (1, scales.size):
            return None
        shared = zeros.view().reshape(-1)[0]
        zeros = Splat(shared, storage, scales.shape) if zeros.size == 1 else zeros.reshape(scales.shape)
    try:
        return QuantType(storage, expressed, scheme, scales, 0 if zeros is None else zeros)
    except ConversionError:
        return None


def _scheme(x: Value, scales: Const, axis: int, block: int) -> Scheme | None:
    rank, shape = x.tensor.rank or 0, x.tensor.shape or ()
    if scales.size == 1 and len(scales.shape) <= 1:
        return PerTensor()
    if not block:
        return PerAxis(axis % max(rank, 1)) if len(scales.shape) == 1 else None
    axis, sizes = axis % max(rank, 1), static(shape)
    if sizes is None or tuple(-(-n // block) if i == axis else n for i, n in enumerate(sizes)) != scales.shape:
        return None
    return Blocked(axis if block > 1 else 0, max(1, min(block, sizes[axis])))


def _as_quantized(n: CoreBuilder, x: Value, quant: QuantType) -> Value:
    """Integers as a quantized tensor; what they were made from where that is the same, by their name."""
    made = x.producer
    if isinstance(made, core.StorageCast) and made.x.tensor.quant == quant:
        edit.rename(made.x, made.x.name or x.name)
        return made.x
    return n.y(core.StorageCast(x, element=quant))


def blocks(n: CoreBuilder, x: Value, param: Value, axis: int, block: int) -> Value:
    """A scale or zero point shaped to broadcast against x: per axis, or repeated `block` times along it."""
    rank = n.rank(x)
    own = n.rank(param)
    if own == 0 or (own == 1 and param.tensor.shape == (1,)):
        return n.reshape(param, []) if own else param
    if own == 1 and not block:
        return n.reshape(param, [-1 if i == axis else 1 for i in range(rank)])
    size = n.dim(x, axis)
    if block < 1:
        raise ConversionError(
            Code.ShapeMismatch, f"the scales or zero points {param.type} of {x.type} need a block_size"
        )
    if not isinstance(size, int):
        raise ConversionError(
            Code.ShapeNotStatic, f"blocked quantization needs a static size along axis {axis}, the input is {x.type}"
        )
    wanted = [-(-size // block) if i == axis else d for i, d in enumerate(x.tensor.shape or ())]
    if own != rank or any(
        isinstance(a, int) and isinstance(b, int) and a != b
        for a, b in zip(param.tensor.shape or (), wanted, strict=False)
    ):
        raise ConversionError(
            Code.ShapeMismatch,
            f"scales or zero points {param.type} of {x.type} in blocks "
            f"of {block} along axis {axis}, expected sizes {wanted}",
        )
    check_table([size], "the list of blocks")
    return n.gather(param, [i // block for i in range(size)], axis)


def dequantized(n: CoreBuilder, x: Value, scale: Value, zero: Value | None, axis: int = 0, block: int = 0) -> Value:
    """(x - zero) * scale in the scale's type."""
    dtype = scale.tensor.dtype
    x, scale, zero = with_positive_scales(n, Quantized(x, scale, zero), axis, block)
    quant = quant_type(x, x.tensor.dtype, dtype, scale, zero, axis, block)
    if quant is not None:
        return n.y(core.Dequantize(_as_quantized(n, x, quant)))
    # integers of 16 bits and their differences are no numbers of a 16-bit float type: those are computed in float32, as
    # ONNX Runtime does
    real = DType.F32 if dtype.bits < 32 else dtype
    wide = n.cast(x, real)
    if zero is not None:
        wide = n.sub(wide, n.cast(blocks(n, x, zero, axis, block), real))
    return n.cast(n.mul(wide, n.cast(blocks(n, x, scale, axis, block), real)), dtype)


def quantized(
    n: CoreBuilder, x: Value, scale: Value, zero: Value | None, dtype: DType, axis: int = 0, block: int = 0
) -> Value:
    """saturate(round(x / scale) + zero)."""
    number = x if x.tensor.dtype.is_float else n.cast(x, DType.F32)
    quant = quant_type(x, dtype, number.tensor.dtype, scale, zero, axis, block)
    if quant is not None:
        return n.y(core.StorageCast(n.y(core.Quantize(number, element=quant)), element=dtype))
    real = DType.F32 if scale.tensor.dtype.bits < 32 else scale.tensor.dtype  # as above
    ratio = n.div(n.cast(x, real), n.cast(blocks(n, x, scale, axis, block), real))
    if not dtype.is_int:
        return _to_float8(n, ratio, zero, dtype)
    stored = n.y(core.Round(ratio))
    if zero is not None:
        stored = n.add(stored, n.cast(blocks(n, x, zero, axis, block), stored.tensor.dtype))
    low, high = (-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1) if dtype.is_signed_int else (0, 2**dtype.bits - 1)
    return n.cast(n.clamp(stored, low, high), dtype)


def _to_float8(n: CoreBuilder, ratio: Value, zero: Value | None, dtype: DType) -> Value:
    if zero is not None:
        ratio = n.add(ratio, n.cast(zero, ratio.tensor.dtype)) if zero.tensor.rank == 0 else ratio
    top = largest_finite(dtype)
    return n.cast(n.clamp(ratio, -top, top), dtype)


def _axis(n: Node, x: Value, scale: Value) -> int:
    """The axis of scales that are not one number."""
    return 0 if scale.tensor.shape in ((), (1,)) else n.axis(n.i("axis", 1), n.rank(x))


@RULES.rule("QuantizeLinear")
@RULES.rule("QuantizeLinear", domain=_MICROSOFT)
def quantize_linear(n: Node) -> Value:
    x, scale, zero = n.x(0), n.x(1), n.opt(2)
    dtype = (
        zero.tensor.dtype
        if zero is not None
        else n.dtype("output_dtype", DType.U8)
        if n.i("output_dtype", 0)
        else DType.U8
    )
    axis = _axis(n, x, scale)
    precision = n.i("precision", 0)
    if precision:
        x, scale = n.cast(x, n.dtype("precision")), n.cast(scale, n.dtype("precision"))
    elif not x.tensor.dtype.is_float:
        x = n.cast(x, scale.tensor.dtype)
    return quantized(n, x, scale, zero, dtype, axis, n.i("block_size", 0))


@RULES.rule("DequantizeLinear")
@RULES.rule("DequantizeLinear", domain=_MICROSOFT)
def dequantize_linear(n: Node) -> Value:
    x, scale, zero = n.x(0), n.x(1), n.opt(2)
    axis = _axis(n, x, scale)
    y = dequantized(n, x, scale, zero, axis, n.i("block_size", 0))
    return n.cast(y, n.dtype("output_dtype")) if n.i("output_dtype", 0) else y


def _pair(n: Node, i: int, axis: int = 0) -> Value:
    """The real value of inputs i (data), i + 1 (scale), i + 2 (zero point)."""
    return dequantized(n, n.x(i), n.x(i + 1), n.opt(i + 2), axis)


def _out(n: Node, y: Value, i: int, like: Value) -> Value:
    """y quantized with inputs i (scale) and i + 1 (zero point)."""
    zero = n.opt(i + 1)
    return quantized(n, y, n.x(i), zero, zero.tensor.dtype if zero is not None else like.tensor.dtype)


def _bias(n: Node, bias: Value | None, x_scale: Value, w_scale: Value) -> Value | None:
    """An int32 bias, whose scale is the product of the scales of input and weights."""
    if bias is None:
        return None
    scale = n.mul(x_scale if n.rank(x_scale) == 0 else n.reshape(x_scale, []), w_scale)
    return dequantized(n, bias, scale, None, 0)


@RULES.rule("QLinearConv")
@RULES.rule("QLinearConv", domain=_MICROSOFT)
def qlinear_conv(n: Node) -> Value:
    x, w = _pair(n, 0), _pair(n, 3)
    kernel_sizes(n, n.x(3))
    y = conv_of(n, x, w, _bias(n, n.opt(8), n.x(1), n.x(4)), n.flag("channels_last"))
    return _out(n, y, 6, n.x(0))


@RULES.rule("QLinearMatMul")
def qlinear_matmul(n: Node) -> Value:
    a = _pair(n, 0, max(n.rank(n.x(0)) - 2, 0))
    b = _pair(n, 3, n.rank(n.x(3)) - 1)
    return _out(n, matmul_of(n, a, b), 6, n.x(0))


@RULES.rule("QGemm", domain=_MICROSOFT)
def qgemm(n: Node) -> Value:
    transposed = n.flag("transB")
    a, b = _pair(n, 0), _pair(n, 3, 0 if transposed else 1)
    y = n.matmul(a, b, transpose_a=n.flag("transA"), transpose_b=transposed)
    alpha = n.f("alpha", 1.0)
    y = y if alpha == 1.0 else n.mul(y, alpha)
    bias = _bias(n, n.opt(6), n.x(1), n.x(4))
    if bias is not None:
        y = n.add(y, bias if alpha == 1.0 else n.mul(bias, alpha))
    return y if n.opt(7) is None else _out(n, y, 7, n.x(0))


def _qlinear_binary(make: Callable[[Node, Value, Value], Value]) -> Callable[[Node], Value]:
    return lambda n: _out(n, make(n, _pair(n, 0), _pair(n, 3)), 6, n.x(0))


RULES.add("QLinearAdd", _qlinear_binary(lambda n, a, b: n.add(a, b)), domain=_MICROSOFT)
RULES.add("QLinearMul", _qlinear_binary(lambda n, a, b: n.mul(a, b)), domain=_MICROSOFT)


@RULES.rule("QLinearWhere", domain=_MICROSOFT)
def qlinear_where(n: Node) -> Value:
    return _out(n, n.where(n.x(0), _pair(n, 1), _pair(n, 4)), 7, n.x(1))


def _qlinear_unary(make: Callable[[Node, Value], Value]) -> Callable[[Node], Value]:
    return lambda n: _out(n, make(n, _pair(n, 0)), 3, n.x(0))


def _global_mean(n: Node, x: Value) -> Value:
    axes = range(1, n.rank(x) - 1) if n.flag("channels_last") else range(2, n.rank(x))
    return n.mean(x, axes, keepdims=True)


def _average(n: Node, x: Value) -> Value:
    """The kernel counts all places of a window where it counts pads, those behind the pads too (ceil_mode).

    Source: ONNX Runtime, qlinear_pool.cc.
    """
    kernel, last = n.ints("kernel_shape"), n.flag("channels_last")
    layout = "N" + digits(len(kernel)) + "C" if last else "NC" + digits(len(kernel))
    shape = x.tensor.shape or ()
    window = window_of(n, shape[1:-1] if last else shape[2:], kernel)
    if not (n.flag("ceil_mode") and n.flag("count_include_pad")):
        return average_pool_of(n, x, window, layout)
    rank = n.rank(x)
    y = mean_of_padded(n, n.transpose(x, (0, rank - 1, *range(1, rank - 1))) if last else x, window)
    return n.transpose(y, (0, *range(2, rank), 1)) if last else y


def _reduced_mean(n: Node, x: Value) -> Value:
    rank = n.rank(x)
    axes = n.ints("axes", tuple(range(rank)))
    return n.mean(x, sorted({n.axis(a, rank) for a in axes}), keepdims=n.flag("keepdims", True))


_QLINEAR_UNARY: dict[str, Callable[[Node, Value], Value]] = {
    "QLinearSigmoid": lambda n, x: n.sigmoid(x),
    "QLinearLeakyRelu": lambda n, x: n.y(core.LeakyRelu(x, alpha=n.f("alpha", 0.01))),
    "QLinearGlobalAveragePool": _global_mean,
    "QLinearAveragePool": _average,
    "QLinearReduceMean": _reduced_mean,
    "QLinearSwish": lambda n, x: swish_of(n, x, 1.0),
}
for _name, _make in _QLINEAR_UNARY.items():
    RULES.add(_name, _qlinear_unary(_make), domain=_MICROSOFT)


@RULES.rule("QLinearSoftmax", domain=_MICROSOFT)
def qlinear_softmax(n: Node) -> Value:
    """round(softmax * floor(1 / scale)) + zero: the kernel cuts the reciprocal of the scale.  Before opset 13 the axes
    from `axis` on are one.

    Source: ONNX Runtime, qlinear_softmax.cc.
    """
    x, scale, zero = _pair(n, 0), n.x(3), n.opt(4)
    rank, flat = n.rank(x), n.i("opset") < 13
    axis, sizes = n.axis(n.i("axis", 1 if flat else -1), rank), n.dims(x)
    if flat:
        x = n.reshape(x, [n.prod(sizes[:axis]), n.prod(sizes[axis:])])
    y = n.y(core.Softmax(x, axis=1 if flat else axis))
    y = n.y(core.Round(n.mul(y, n.reshape(n.floor(n.div(1, scale)), []))))
    y = n.reshape(y, sizes) if flat else y
    dtype = n.x(0).tensor.dtype
    y = y if zero is None else n.add(y, n.reshape(n.cast(zero, y.tensor.dtype), []))
    return n.cast(n.clamp(y, *((0, 255) if dtype is DType.U8 else (-128, 127))), dtype)


@RULES.rule("QLinearConcat", domain=_MICROSOFT)
def qlinear_concat(n: Node) -> Value:
    parts = [_pair(n, i) for i in range(2, n.count, 3)]
    y = n.concat(parts, n.axis(n.i("axis", 1), n.rank(parts[0])))
    zero = n.opt(1)
    return quantized(n, y, n.x(0), zero, zero.tensor.dtype if zero is not None else n.x(2).tensor.dtype)
