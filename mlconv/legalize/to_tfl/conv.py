"""Convolutions: CONV_2D, DEPTHWISE_CONV_2D, CONV_3D, TRANSPOSE_CONV.

Kernels are NHWC with weights O01I (depthwise 1,0,1,O; 3D 012IO).  Weights that are constants are re-laid by recipes.
Padding is SAME or VALID in the file; other pads are an explicit pad.  Sources: kernels/conv.cc, depthwise_conv.cc,
conv3d.cc, transpose_conv.cc, padding.h.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.transposed import TransposedConvolution
from mlconv.dialects.core.window import Convolution, known_pads, standard_padding
from mlconv.ir import recipes
from mlconv.ir.constants import Const, Splat, make_const
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import PerAxis, QuantType, product_of
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, is_weights, refuse, shape_of
from mlconv.legalize.to_tfl.operands import numbers_of, split_weights
from mlconv.legalize.to_tfl.pad import pad_spatial
from mlconv.legalize.to_tfl.quantized import activation_of, limited
from mlconv.legalize.to_tfl.volumes import by_images
from mlconv.passes.quantized.borders import is_wide
from mlconv.passes.quantized.weights import in_bytes
from mlconv.rewrite import Rules, remake

RULES = Rules()

Pairs = tuple[tuple[int, int], ...]


def channels_last(op: Convolution | TransposedConvolution, e: TflBuilder, x_name: str = "x") -> Value | None:
    """The op in channels-last layout between transposes; None when it is already."""
    n = len(op.strides)
    want = "N" + "".join(map(str, range(n))) + "C"
    if op.x_layout == op.y_layout == want:
        return None
    operands = list(op.operands)
    operands[0] = e.transpose(op.x, [op.x_layout.index(c) for c in want])
    y = e.y(remake(op, operands, x_layout=want, y_layout=want))
    return e.transpose(y, [want.index(c) for c in op.y_layout])


def weights(op: Convolution | TransposedConvolution, e: TflBuilder, order: str) -> Value:
    """The kernel with its axes in `order`."""
    return e.transpose(op.w, [op.w_layout.index(c) for c in order])


def each_scale(w: Value, e: TflBuilder) -> Value:
    """Depthwise weights with a scale for each channel: the kernels that quantize at run time read so many."""
    quant, constant = w.tensor.quant, const_of(w)
    if quant is None or constant is None or not quant.is_per_tensor:
        return w
    channels = constant.shape[-1]
    scales = np.full(channels, quant.scales.view(), np.float32)
    return e.constant(constant, element=quant.with_numbers(PerAxis(len(constant.shape) - 1), make_const(scales), 0))


def in_8_bits(w: Value, e: TflBuilder) -> Value:
    """Constant weights of 4 bits as int8, for kernels that take no others, or compute another thing with them."""
    if const_of(w) is None:
        raise refuse(f"a convolution of {w.type} that is no constant")
    return e.y(in_bytes(w))


def bias_or_zero(op: Convolution | TransposedConvolution, e: TflBuilder, channels: Size) -> Value:
    """A bias vector; kernels without one are less well supported than a vector of zeros."""
    if op.bias is not None:
        return op.bias
    if not isinstance(channels, int):
        raise refuse(f"the number of output channels, {channels}, is not known")
    of_x, of_w = op.x.tensor.quant, op.w.tensor.quant
    if of_x is None or of_w is None:
        return e.constant(Splat(0.0, DType.F32, (channels,)))
    element = product_of(of_x, of_w)
    return e.constant(Splat(0, element.storage, (channels,)), element=element)


def padding_of(
    sizes: tuple[Size, ...],
    window: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    pads: str | Pairs,
) -> tuple[str, Pairs | None]:
    """("SAME" or "VALID", explicit pads to be done before).  Raises ConversionError TargetLacksOp for SAME_LOWER of an
    unknown size.
    """
    standard = standard_padding(sizes, window, strides, dilations, pads)
    if standard is not None:
        return standard, None
    explicit = known_pads(sizes, window, strides, dilations, pads)
    if explicit is None:
        raise refuse(f"{pads} padding of a size that is not known at conversion time")
    return "VALID", explicit


@RULES.rule(core.Conv, core.QuantConv, core.DynamicConv)
def conv(op: Convolution, e: TflBuilder) -> Value:
    """By number of spatial axes and groups."""
    if isinstance(op, core.QuantConv) and _has_open_zero(op):
        return _of_their_numbers(op, core.Conv, e)
    if isinstance(op, core.QuantConv) and not activation_of(op)[1]:
        free = remake(op, op.operands, lo=op.element.qmin, hi=op.element.qmax)
        return limited(op, e.y(free), e)
    is_dynamic = isinstance(op, core.DynamicConv)
    moved = channels_last(op, e)
    if moved is not None:
        return moved
    n = len(op.strides)
    imaged = by_images(op, e) if n == 3 else None
    if imaged is not None:
        return imaged
    if op.w.tensor.dtype is DType.I4 and (op.groups > 1 or (is_dynamic and op.is_product())):
        return e.y(remake(op, [op.x, in_8_bits(op.w, e), op.bias]))
    if isinstance(op, core.QuantConv) and op.w.tensor.dtype is DType.I4 and not (op.twice or is_wide(op.element)):
        return _of_matrices(op, e) if op.is_product() else e.y(remake(op, [op.x, in_8_bits(op.w, e), op.bias]))
    if n == 1:
        return _conv_1d(op, e)
    if n not in (2, 3):
        raise refuse(f"TFLite convolves along 1 to 3 axes, not {n}")
    order = "O" + "".join(map(str, range(n))) + "I"
    window = tuple(shape_of(op.w)[op.w_layout.index(str(i))] for i in range(n))
    ints = static(window)
    if ints is None:
        raise refuse(f"the window {list(map(str, window))} of a convolution is not known")
    padding, explicit = padding_of(shape_of(op.x)[1:-1], ints, op.strides, op.dilations, op.pads)
    x = op.x if explicit is None else pad_spatial(e, op.x, explicit)
    if n == 3:
        return _conv_3d(op, e, x, padding)
    channels, inner = shape_of(op.x)[3], shape_of(op.w)[op.w_layout.index("I")]
    if op.groups > 1 and not isinstance(channels, int) and isinstance(inner, int):
        # XNNPACK takes the 1 that stands for an open size at its word: one channel would be one group.
        channels = inner * op.groups
        known = (*shape_of(x)[:3], channels)
        x = e.one("RESHAPE", [x, e.sizes(known, x)], x.tensor.with_shape(known))
    out_channels = shape_of(op.w)[op.w_layout.index("O")]
    options: dict[str, object] = {
        "padding": padding,
        "stride_h": op.strides[0],
        "stride_w": op.strides[1],
        "dilation_h_factor": op.dilations[0],
        "dilation_w_factor": op.dilations[1],
    }
    if isinstance(op, core.QuantConv):
        options["fused_activation_function"] = activation_of(op)[0]
    bias = bias_or_zero(op, e, out_channels)
    bias = e.floats(bias) if is_dynamic else bias
    reads = is_weights(op.w) or isinstance(op, core.Conv)  # kernels that quantize at run time prepare constant weights
    if op.groups > 1 and op.groups == channels and isinstance(out_channels, int) and reads:
        w = weights(op, e, "I01O")
        w = each_scale(w, e) if is_dynamic else w
        return e.one(
            "DEPTHWISE_CONV_2D", [x, w, bias], op.y.type, depth_multiplier=out_channels // op.groups, **options
        )
    if op.groups > 1 and not is_weights(op.w):
        return _grouped(op, e)
    return e.one("CONV_2D", [x, weights(op, e, order), bias], op.y.type, **options)


def _has_open_zero(op: core.QuantConv | core.QuantConvTranspose) -> bool:
    """Weights with a zero point that are data, or beside 16 bits: kernels refuse them, or leave the zero point out.

    Source: kernels/conv.cc; depthwise_conv.cc, transpose_conv.cc, which do not look at it.
    """
    return (const_of(op.w) is None or is_wide(op.element)) and bool(quantized(op.w).zero_array().any())


def _of_their_numbers(
    op: core.QuantConv | core.QuantConvTranspose, plain: Callable[..., OpDef], e: TflBuilder
) -> Value:
    """The op of what its integers stand for, rounded and limited."""
    bias = None if op.bias is None else numbers_of(e, op.bias)
    total = op.unrounded(plain, numbers_of(e, op.x), numbers_of(e, op.w), bias)
    y = e.y(core.Quantize(e.y(total), element=op.element))
    return limited(op, y, e)


def _of_matrices(op: core.QuantConv, e: TflBuilder) -> Value:
    """A product of matrices: kernels that round as those of int8 weights do take weights of 4 bits there (XNNPACK)."""
    spatial = "".join(map(str, range(len(op.strides))))
    w = weights(op, e, f"O{spatial}I")
    outputs, *_, inputs = shape_of(w)
    w = e.reshape(w, (outputs, inputs))
    made = core.QuantMatMul(op.x, w, bias=op.bias, transpose_b=True, element=op.element, lo=op.lo, hi=op.hi)
    return e.y(made)


def _conv_1d(op: Convolution | TransposedConvolution, e: TflBuilder) -> Value:
    """A height of 1 is added."""
    n, width, c = shape_of(op.x)
    w_shape = shape_of(op.w)
    at = op.w_layout.index("0")
    w = e.reshape(op.w, (*w_shape[:at], 1, *w_shape[at:]))
    layout = op.w_layout[:at].replace("0", "") + "01" + op.w_layout[at + 1 :]
    pads = op.pads if isinstance(op.pads, str) else ((0, 0), *op.pads)
    operands = [e.reshape(op.x, (n, 1, width, c)), w, op.bias]
    changes: dict[str, object] = {
        "strides": (1, *op.strides),
        "dilations": (1, *op.dilations),
        "pads": pads,
        "w_layout": layout,
        "x_layout": "N01C",
        "y_layout": "N01C",
    }
    if isinstance(op, TransposedConvolution):
        changes["output_pads"] = (0, *op.output_pads)
    return e.reshape(e.y(remake(op, operands, **changes)), shape_of(op.y), op.x)


def _conv_3d(op: Convolution, e: TflBuilder, x: Value, padding: str) -> Value:
    if op.groups > 1:
        return _grouped(op, e)
    options = {
        f"{what}_{axis}{tail}": values[i]
        for what, tail, values in (("stride", "", op.strides), ("dilation", "_factor", op.dilations))
        for i, axis in enumerate("dhw")
    }
    bias = bias_or_zero(op, e, shape_of(op.w)[op.w_layout.index("O")])
    y = _of_numbers(e, "CONV_3D", [x, weights(op, e, "012IO"), bias], op.y.tensor, padding=padding, **options)
    return limited(op, y, e) if isinstance(op, core.QuantConv) else y


def _of_numbers(e: TflBuilder, builtin: str, operands: list[Value], y: TensorType, **options: object) -> Value:
    """A kernel that has floats alone: of integers it gets the numbers, and its results are rounded."""
    if y.quant is None:
        return e.one(builtin, operands, y, **options)
    numbers = [numbers_of(e, v) for v in operands]
    made = e.one(builtin, numbers, TensorType(y.quant.expressed, y.shape), **options)
    return e.y(core.Quantize(made, element=y.quant))


def _grouped(op: Convolution | TransposedConvolution, e: TflBuilder) -> Value:
    """One convolution for each group, joined along the channels."""
    groups = op.groups
    x_shape, w_shape = shape_of(op.x), shape_of(op.w)
    channels = x_shape[-1]
    axis = op.w_layout.index("I" if isinstance(op, TransposedConvolution) else "O")
    outs = w_shape[axis]
    if not isinstance(channels, int) or not isinstance(outs, int):
        raise refuse("a grouped convolution needs known channel counts")
    xs = e.emit(core.Split(op.x, sizes=(channels // groups,) * groups, axis=len(x_shape) - 1)).ys
    ws = split_weights(e, op.w, axis, groups)
    biases = [None] * groups if op.bias is None else split_weights(e, op.bias, 0, groups)
    parts = [e.y(remake(op, [x, w, b], groups=1)) for x, w, b in zip(xs, ws, biases, strict=True)]
    return e.y(core.Concat(parts, axis=len(x_shape) - 1))


@RULES.rule(core.ConvTranspose, core.QuantConvTranspose)
def conv_transpose(op: TransposedConvolution, e: TflBuilder) -> Value:
    """TRANSPOSE_CONV to the full (VALID) or stride-multiple (SAME) size, then a slice for other pads."""
    if isinstance(op, core.QuantConvTranspose) and _has_open_zero(op):
        return _of_their_numbers(op, core.ConvTranspose, e)
    if isinstance(op, core.QuantConvTranspose) and (op.lo, op.hi) != (op.element.qmin, op.element.qmax):
        return limited(op, e.y(remake(op, op.operands, lo=op.element.qmin, hi=op.element.qmax)), e)
    moved = channels_last(op, e)
    if moved is not None:
        return moved
    if op.groups > 1:
        return _grouped(op, e)
    n = len(op.strides)
    if any(lo < 0 or hi < 0 for lo, hi in op.pads):
        return _grown(op, e)
    if n == 1:
        return _conv_1d(op, e)
    if n not in (2, 3):
        raise refuse(f"TFLite has transposed convolutions along 1 to 3 axes, not {n}")
    order = ("O01I", "012OI")[n - 2]
    w = weights(op, e, order)
    if any(d != 1 for d in op.dilations):
        w = _dilated(e, w, op.dilations, 1 if n == 2 else 0)
    first = 1 if n == 2 else 0
    window = shape_of(w)[first : first + n]
    spatial = shape_of(op.x)[1:-1]
    full: list[Size] = [
        (d - 1) * s + k + p for d, s, k, p in zip(spatial, op.strides, window, op.output_pads, strict=True)
    ]
    out = shape_of(op.y)
    same = all(
        isinstance(k, int) and k >= s and p == ((k - s) // 2, k - s - (k - s) // 2) and o == 0
        for k, s, p, o in zip(window, op.strides, op.pads, op.output_pads, strict=True)
    )
    target = out if same else (out[0], *full, out[-1])
    y = _transpose_conv(op, e, w, target, "SAME" if same else "VALID")
    if same:
        return y
    for i, (lo, hi) in enumerate(op.pads):
        if lo or hi:
            y = e.slice_axis(y, 1 + i, lo, -hi if hi else None)
    return y


def _grown(op: TransposedConvolution, e: TflBuilder) -> Value:
    """Negative pads extend the result by elements that only the bias reaches."""
    pads = tuple((max(lo, 0), max(hi, 0)) for lo, hi in op.pads)
    extra = tuple((max(-lo, 0), max(-hi, 0)) for lo, hi in op.pads)
    if isinstance(op, core.QuantConvTranspose):
        raise refuse(f"a transposed convolution of {op.x.tensor} whose pads {list(op.pads)} are negative")
    y = pad_spatial(e, e.y(remake(op, [op.x, op.w, None], pads=pads)), extra)
    return y if op.bias is None else e.y(core.Add(y, op.bias))


def _transpose_conv(
    op: TransposedConvolution, e: TflBuilder, w: Value, target: tuple[Size, ...], padding: str
) -> Value:
    shape = e.sizes(target, op.x)
    type_ = op.y.tensor.with_shape(target)
    bias = bias_or_zero(op, e, target[-1])
    if len(op.strides) == 3:
        options = {f"stride_{axis}": op.strides[i] for i, axis in enumerate("dhw")}
        return _of_numbers(e, "CONV_3D_TRANSPOSE", [shape, w, op.x, bias], type_, padding=padding, **options)
    return e.one(
        "TRANSPOSE_CONV", [shape, w, op.x, bias], type_, padding=padding, stride_h=op.strides[0], stride_w=op.strides[1]
    )


def _dilated(e: TflBuilder, w: Value, dilations: tuple[int, ...], first: int) -> Value:
    """Weights with zeros between the taps; spatial axes start at `first`.  Constants by recipes."""
    for i, d in enumerate(dilations):
        axis = first + i
        shape = shape_of(w)
        size = shape[axis]
        if d == 1:
            continue
        if not isinstance(size, int):
            raise refuse(f"dilation {d} of a transposed convolution over a window whose size is not known")
        rows = tuple((0, d - 1) if a == axis + 1 else (0, 0) for a in range(len(shape) + 1))
        split, joined = (*shape[: axis + 1], 1, *shape[axis + 1 :]), (*shape[:axis], size * d, *shape[axis + 1 :])
        constant = const_of(w)
        if constant is None:
            spread = e.y(
                core.Pad(e.reshape(w, split), e.constant(np.asarray(rows, np.int32), DType.I32), e.asarray(0, w))
            )
            w = e.slice_axis(e.reshape(spread, joined, w), axis, 0, (size - 1) * d + 1)
            continue
        ints = tuple(n for n in joined if isinstance(n, int))
        taps = constant.reshape(tuple(n for n in split if isinstance(n, int)))
        padded = _with_numbers_of_zero(taps, rows, w.tensor.quant).reshape(ints)
        end = tuple((size - 1) * d + 1 if a == axis else n for a, n in enumerate(ints))
        w = e.constant(recipes.slices(padded, (0,) * len(end), end), element=w.tensor.quant)
    return w


def _with_numbers_of_zero(c: Const, pads: Pairs, quant: QuantType | None) -> Const:
    """c with what stands for 0 before and after along each axis: the zero point, around which bytes wrap."""
    zero = None if quant is None else quant.zero_array()
    if zero is None or not zero.any():
        return recipes.pad_zeros(c, pads)
    if zero.size > 1:
        raise refuse(f"dilation of a transposed convolution with weights of {quant}")
    number = int(zero.reshape(()))
    less = recipes.binary("sub", c, Splat(number, c.dtype, c.shape))
    wide = recipes.pad_zeros(less, pads)
    return recipes.binary("add", wide, Splat(number, c.dtype, wide.shape))
