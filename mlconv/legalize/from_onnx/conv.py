"""Convolutions."""

from __future__ import annotations

import itertools
import math
from typing import Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.shapes import static
from mlconv.legalize.from_onnx.activation import swish_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.sampling import sample_bilinear
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.from_onnx.window import auto_pad, digits, explicit_pads, per_axis, window_of
from mlconv.legalize.limits import check_table
from mlconv.rewrite.core_builder import CoreBuilder

RULES = OnnxRules()


def kernel_sizes(n: Node, w: Value) -> tuple[int, ...]:
    """Sizes of the weights' window.  Raises ConversionError ShapeMismatch when the attribute kernel_shape disagrees,
    ShapeNotStatic when not static.
    """
    shape = w.tensor.shape
    if shape is None or len(shape) < 3:
        raise ConversionError(
            Code.ShapeMismatch, f"{n.op_type}: the weights are {w.type}, expected rank 3 or more", operand=1
        )
    sizes = tuple(s for s in shape[2:] if isinstance(s, int))
    stated = n.ints("kernel_shape", sizes)
    if len(sizes) != len(shape) - 2:
        if len(stated) != len(shape) - 2:
            raise ConversionError(
                Code.ShapeNotStatic,
                f"{n.op_type}: the window of the weights {w.type} must be known at conversion time",
                operand=1,
            )
        return stated
    if stated != sizes:
        raise ConversionError(
            Code.ShapeMismatch, f"{n.op_type}: kernel_shape is {list(stated)}, the weights are {w.type}", operand=1
        )
    return sizes


def conv_of(n: Node, x: Value, w: Value, bias: Value | None, channels_last: bool = False) -> Value:
    """Conv with the attributes of `n`."""
    return n.y(core.Conv(x, w, bias, **convolution_of(n, x, w, channels_last)))


def convolution_of(n: Node, x: Value, w: Value, channels_last: bool = False) -> dict[str, Any]:
    """Attributes of a convolution of x by w with those of `n`.  Raises ConversionError."""
    kernel = kernel_sizes(n, w)
    rank = n.rank(x)
    if rank != len(kernel) + 2:
        raise ConversionError(
            Code.ShapeMismatch, f"{n.op_type}: the input {x.type} and the weights {w.type} differ in rank", operand=1
        )
    sizes = x.tensor.shape or ()
    window = window_of(n, sizes[1:-1] if channels_last else sizes[2:], kernel)
    axes = digits(len(kernel))
    layout = f"N{axes}C" if channels_last else "NC" + axes
    return {
        "strides": window.strides,
        "pads": window.pads,
        "dilations": window.dilations,
        "groups": n.i("group", 1),
        "x_layout": layout,
        "w_layout": "OI" + axes,
        "y_layout": layout,
    }


@RULES.rule("Conv")
def conv(n: Node) -> Value:
    return conv_of(n, n.x(0), n.x(1), n.opt(2))


@RULES.rule("ConvTranspose")
def conv_transpose(n: Node) -> Value:
    x, w, bias = n.x(0), n.x(1), n.opt(2)
    kernel = kernel_sizes(n, w)
    count = len(kernel)
    strides, dilations = per_axis(n, "strides", count, 1), per_axis(n, "dilations", count, 1)
    extra = n.ints("output_padding", (0,) * count)
    if len(extra) != count or any(e < 0 for e in extra):
        raise ConversionError(
            Code.AttributeInvalid,
            f"ConvTranspose: output_padding is {list(extra)}, expected {count} numbers that are not negative",
        )
    kind = auto_pad(n)
    wanted = n.ints("output_shape", ()) if n.has("output_shape") else ()
    if wanted and len(wanted) not in (count, count + 2):
        raise ConversionError(
            Code.AttributeInvalid, f"ConvTranspose: output_shape has {len(wanted)} numbers for {count} spatial axes"
        )
    pads = explicit_pads(n, count)
    if wanted or kind.startswith("SAME"):
        wanted = wanted[-count:]
        pads = tuple(
            _crop(
                n,
                x,
                i,
                kernel[i],
                strides[i],
                dilations[i],
                extra[i],
                wanted[i] if wanted else None,
                kind == "SAME_UPPER",
            )
            for i in range(count)
        )
    axes = digits(count)
    return n.y(
        core.ConvTranspose(
            x,
            w,
            bias,
            strides=strides,
            pads=pads,
            output_pads=extra,
            dilations=dilations,
            groups=n.i("group", 1),
            x_layout="NC" + axes,
            w_layout="IO" + axes,
            y_layout="NC" + axes,
        )
    )


def _crop(
    n: Node, x: Value, axis: int, k: int, stride: int, dilation: int, extra: int, wanted: int | None, upper: bool
) -> tuple[int, int]:
    """Pads that give the wanted size (ONNX ConvTranspose-11, total_padding); SAME wants size * stride, whatever the
    size.
    """
    size = n.dim(x, axis + 2)
    span = (k - 1) * dilation + 1
    if wanted is None:
        total = span + extra - stride
    elif isinstance(size, int):
        total = stride * (size - 1) + extra + span - wanted
    else:
        raise ConversionError(Code.ShapeNotStatic, f"ConvTranspose: output_shape needs a static input, it is {x.type}")
    half = total // 2
    return (half, total - half) if upper else (total - half, half)


@RULES.rule("CausalConvWithState")
def causal_conv_with_state(n: Node) -> list[Value]:
    """Depthwise convolution over time whose window ends at each step; the last k - 1 steps are handed on."""
    x, w, bias, past = n.x(0), n.x(1), n.opt(2), n.opt(3)
    (k,) = kernel_sizes(n, w)
    shape = x.tensor.shape
    channels = n.dim(w, 0)
    if shape is None or len(shape) != 3 or not isinstance(channels, int):
        raise ConversionError(
            Code.ShapeMismatch, f"CausalConvWithState: the input is {x.type}, expected rank 3 and static channels"
        )
    padded = n.pad(x, [(0, 0), (0, 0), (k - 1, 0)]) if past is None else n.concat([past, x], 2)
    y = n.y(
        core.Conv(
            padded,
            w,
            bias,
            strides=(1,),
            pads=((0, 0),),
            dilations=(1,),
            groups=channels,
            x_layout="NC0",
            w_layout="OI0",
            y_layout="NC0",
        )
    )
    activation = n.s("activation", "none")
    if activation not in ("none", "silu", "swish"):
        raise ConversionError(
            Code.AttributeInvalid, f"CausalConvWithState: activation is {activation!r}, expected silu, swish or none"
        )
    y = swish_of(n, y, 1.0) if activation != "none" else y
    length = n.dim(padded, 2)
    start = length - (k - 1) if isinstance(length, int) else n.sub(length, k - 1)
    return [y, n.slice_axis(padded, 2, start, None)]


@RULES.rule("Col2Im")
def col2im(n: Node) -> Value:
    """Columns [n, c * k, l] added into images: each window offset scatters a stretched, shifted copy."""
    x = n.x(0)
    image, kernel = n.list_of("", 1), n.list_of("", 2)
    if image is None or kernel is None:
        raise ConversionError(Code.WrongArity, "Col2Im needs the image's and the block's shape")
    count = len(image)
    strides, dilations, pads = (
        per_axis(n, "strides", count, 1),
        per_axis(n, "dilations", count, 1),
        explicit_pads(n, count),
    )
    outs = [
        (size + lo + hi - (k - 1) * d - 1) // s + 1
        for size, (lo, hi), k, d, s in zip(image, pads, kernel, dilations, strides, strict=True)
    ]
    batch, rows = n.dim(x, 0), n.dim(x, 1)
    area = math.prod(kernel)
    check_table([area, 1 << 10], "the block of Col2Im, whose elements are placed one by one,")
    if not isinstance(rows, int) or area < 1 or rows % area:
        raise ConversionError(
            Code.ShapeMismatch, f"Col2Im: the second size of {x.type} is not a multiple of the block's {area} elements"
        )
    whole = [o * s for o, s in zip(outs, strides, strict=True)]
    if tuple(kernel) == strides and set(dilations) == {1} and list(image) == whole and not any(map(any, pads)):
        return _tiled(n, n.reshape(x, [batch, rows // area, *kernel, *outs]), list(image))
    blocks = n.reshape(x, [batch, rows // area, area, *outs])
    total: Value | None = None
    for i, offset in enumerate(itertools.product(*map(range, kernel))):
        part = n.squeeze(n.slice_axis(blocks, 2, i, i + 1), 2)
        begin = [o * d for o, d in zip(offset, dilations, strict=True)]
        sizes = [size + lo + hi for size, (lo, hi) in zip(image, pads, strict=True)]
        placed = _stretch(n, part, outs, strides, begin, sizes)
        total = placed if total is None else n.add(total, placed)
    if total is None:
        raise ConversionError(Code.ShapeMismatch, f"Col2Im: the block {kernel} is empty")
    return n.slice(
        total, {i + 2: (lo, lo + size, 1) for i, ((lo, _), size) in enumerate(zip(pads, image, strict=True))}
    )


def _tiled(n: CoreBuilder, x: Value, image: list[int]) -> Value:
    """Blocks [n, c, *kernel, *places] side by side: an image [n, c, *image]."""
    count = len(image)
    perm = [0, 1, *(axis for i in range(count) for axis in (2 + count + i, 2 + i))]
    return n.reshape(n.transpose(x, perm), [*n.dims(x)[:2], *image])


def _stretch(
    n: CoreBuilder, x: Value, sizes: list[int], strides: tuple[int, ...], begin: list[int], whole: list[int]
) -> Value:
    """x [n, c, *sizes] with its elements `strides` apart from `begin` on in zeros of size `whole`."""
    for i, (size, s) in enumerate(zip(sizes, strides, strict=True)):
        axis = i + 2
        if s > 1:
            rank = n.rank(x)
            spread = n.pad(
                n.expand_dims(x, axis + 1), [(0, s - 1) if j == axis + 1 else (0, 0) for j in range(rank + 1)]
            )
            parts = n.dims(x)
            x = n.reshape(spread, [*parts[:axis], size * s, *parts[axis + 1 :]])
    pairs = [(b, w - b - size * s) for b, w, size, s in zip(begin, whole, sizes, strides, strict=True)]
    return n.pad(x, [(0, 0), (0, 0), *pairs])


@RULES.rule("DeformConv")
def deform_conv(n: Node) -> Value:
    """Each element of the window is sampled bilinearly at its place plus an offset; then a convolution over the
    gathered columns.
    """
    x, w, offset, bias, mask = n.x(0), n.x(1), n.x(2), n.opt(3), n.opt(4)
    kernel = kernel_sizes(n, w)
    sizes = static(n.dim(v, i) for v, i in ((x, 1), (x, 2), (x, 3), (w, 0), (offset, 2), (offset, 3)))
    if len(kernel) != 2 or sizes is None:
        raise n.refuse(f"only 2-dimensional windows over static sizes are supported, the input is {x.type}")
    batch = n.dim(x, 0)
    channels, height, width, outputs, oh, ow = sizes
    groups, offset_groups = n.i("group", 1), n.i("offset_group", 1)
    (sh, sw), (dh, dw) = per_axis(n, "strides", 2, 1), per_axis(n, "dilations", 2, 1)
    (top, _), (left, _) = explicit_pads(n, 2)
    kh, kw = kernel
    area, per_group = kh * kw, channels // offset_groups
    check_table([area, oh, ow], "the table of places of DeformConv")
    # offsets [n, og, kh*kw, 2, oh, ow]
    moved = n.reshape(offset, [batch, offset_groups, area, 2, oh, ow])
    rows = [[[float(sh * i - top + (k // kw) * dh)] * ow for i in range(oh)] for k in range(area)]
    columns = [[[float(sw * j - left + (k % kw) * dw) for j in range(ow)] for _ in range(oh)] for k in range(area)]
    dtype = x.tensor.dtype
    y = n.add(n.squeeze(n.slice_axis(moved, 3, 0, 1), 3), n.constant(rows, dtype))  # [n, og, k, oh, ow]
    z = n.add(n.squeeze(n.slice_axis(moved, 3, 1, 2), 3), n.constant(columns, dtype))
    images = n.reshape(x, [n.prod([batch, offset_groups]), per_group, height, width])
    flat = [n.prod([batch, offset_groups]), area * oh * ow]
    sampled = sample_bilinear(n, images, n.reshape(y, flat), n.reshape(z, flat), "zeros")  # [n*og, points, c/og]
    elements = n.reshape(sampled, [batch, offset_groups, area, oh, ow, per_group])
    if mask is not None:
        elements = n.mul(elements, n.expand_dims(n.reshape(mask, [batch, offset_groups, area, oh, ow]), 5))
    # one column per output element: [n, c * k, oh * ow], convolved with a 1x1 window in groups
    columns_ = n.reshape(n.transpose(elements, (0, 1, 5, 2, 3, 4)), [batch, channels * area, oh, ow])
    weights = n.reshape(w, [outputs, n.prod([n.dim(w, 1), area]), 1, 1])
    return n.y(
        core.Conv(
            columns_,
            weights,
            bias,
            strides=(1, 1),
            pads=((0, 0), (0, 0)),
            dilations=(1, 1),
            groups=groups,
            x_layout="NC01",
            w_layout="OI01",
            y_layout="NC01",
        )
    )
