"""Convolutions and products of matrices.  Source: tensorflow/lite/kernels/conv.cc, depthwise_conv.cc,
fully_connected.cc, batch_matmul.cc, transpose_conv.cc, conv3d.cc, conv3d_transpose.cc.
"""

from __future__ import annotations

from typing import Final, TypedDict

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.window import Pads
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, product_of
from mlconv.ir.quant_rules import quant_of
from mlconv.legalize.from_tfl.elementwise import activated
from mlconv.legalize.from_tfl.node import TflNode, numbers_of, tfl_rules
from mlconv.legalize.from_tfl.window import spatial_pads

RULES: Final = tfl_rules()


def is_dynamic(x: Value, w: Value, axis: int | None, blocks: int | None = None) -> bool:
    """Numbers times stored integers: the kernel quantizes the numbers at run time.  axis: of the weights that may have
    scales; blocks: along which they may be in blocks.
    """
    quant = w.type.quant
    if quant is None or x.tensor.element is not DType.F32 or not isinstance(w.producer, core.Constant):
        return False
    if quant.storage not in (DType.I8, DType.I4) or not isinstance(quant.zero_points, int):
        return False
    return quant.axis == blocks if isinstance(quant.scheme, Blocked) else quant.axis in (None, axis)


def _bias(n: TflNode, i: int, x: Value, w: Value) -> Value | None:
    """What operand i adds to x by w.  Kernels of integers add its integers to sums of products, whatever scale it has
    itself.
    """
    if not n.has(i):
        return None
    own, a, b = (quant_of(v) for v in (n.operand(i), x, w))
    if own is None or a is None or b is None or not a.is_per_tensor or isinstance(b.scheme, Blocked):
        return n.number(i)
    if own.is_product_of(a, b):
        return n.number(i)
    products = product_of(a, b)
    element = own.with_numbers(products.scheme, products.scales, 0)
    return numbers_of(n, n.y(core.StorageCast(n.operand(i), element=element)))


def _size(n: TflNode, w: Value, axis: int) -> int:
    size = (w.tensor.shape or ())[axis]
    if not isinstance(size, int):
        raise ConversionError(Code.ShapeNotStatic, f"the filter {w.type} of {n.kind} must be of a known shape")
    return size


class Steps(TypedDict):
    """How windows move: for each spatial axis."""

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: Pads


def _convolved(n: TflNode, x: Value, w: Value, layout: str, kernel: str, groups: int, steps: Steps) -> Value:
    """x by w, where integers are multiplied if the kernel does so."""
    dynamic = is_dynamic(x, w, kernel.index("O"))
    make = core.DynamicConv if dynamic else core.Conv
    filters = w if dynamic else numbers_of(n, w)
    made = make(
        x if dynamic else numbers_of(n, x),
        filters,
        _bias(n, 2, x, w),
        groups=groups,
        x_layout=layout,
        w_layout=kernel,
        y_layout=layout,
        **steps,
    )
    return activated(n, n.y(made))


def _steps(n: TflNode, axes: str = "hw") -> Steps:
    """Strides, dilations and pads.  Raises ConversionError AttributeInvalid."""
    strides = tuple(n.attr(f"stride_{a}") for a in axes)
    dilations = tuple(n.attr(f"dilation_{a}_factor", 1) for a in axes)
    if min(*strides, *dilations) < 1:
        raise ConversionError(Code.AttributeInvalid, f"{n.kind} with strides {strides} and dilations {dilations}")
    return {"strides": strides, "dilations": dilations, "pads": spatial_pads(n, len(axes))}


@RULES.rule("CONV_2D")
def conv_2d(n: TflNode) -> Value:
    """Filters [O, h, w, I]; a filter with fewer channels than the images has means groups."""
    x, w = n.operand(0), n.operand(1)
    channels, inner = (x.tensor.shape or ())[3], _size(n, w, 3)
    groups = channels // inner if isinstance(channels, int) and channels % inner == 0 else 1
    return _convolved(n, x, w, "N01C", "O01I", max(groups, 1), _steps(n))


@RULES.rule("DEPTHWISE_CONV_2D")
def depthwise_conv_2d(n: TflNode) -> Value:
    """Filters [1, h, w, O]: a group for each channel of the images, as many as `depth_multiplier` says where those are
    not known.
    """
    x, w = n.operand(0), n.operand(1)
    channels, outputs = (x.tensor.shape or ())[3], _size(n, w, 3)
    multiplier = n.attr("depth_multiplier")
    groups = channels if isinstance(channels, int) else outputs // multiplier if multiplier else outputs
    return _convolved(n, x, w, "N01C", "I01O", groups, _steps(n))


@RULES.rule("CONV_3D")
def conv_3d(n: TflNode) -> Value:
    """Filters [d, h, w, I, O]."""
    x, w = n.operand(0), n.operand(1)
    channels, inner = (x.tensor.shape or ())[4], _size(n, w, 3)
    groups = channels // inner if isinstance(channels, int) and channels % inner == 0 else 1
    return _convolved(n, x, w, "N012C", "012IO", max(groups, 1), _steps(n, "dhw"))


@RULES.rule("TRANSPOSE_CONV")
def transpose_conv(n: TflNode) -> Value:
    """Operands: shape of the result, filters [O, h, w, I], images, bias."""
    return _transposed(n, "N01C", "O01I", "hw")


@RULES.rule("CONV_3D_TRANSPOSE")
def conv_3d_transpose(n: TflNode) -> Value:
    """Operands: shape of the result, filters [d, h, w, O, I], images, bias."""
    return _transposed(n, "N012C", "012OI", "dhw")


def _transposed(n: TflNode, layout: str, kernel: str, axes: str) -> Value:
    count, steps = len(axes), _steps(n, axes)
    x, w = n.number(2), n.number(1)
    given, window = x.tensor.shape or (), [_size(n, w, kernel.index(str(i))) for i in range(count)]
    wanted = n.known(0)
    pads, more = [], []
    for i, (stride, dilation) in enumerate(zip(steps["strides"], steps["dilations"], strict=True)):
        span = (window[i] - 1) * dilation + 1
        full = (given[1 + i] - 1) * stride + span
        size = wanted[1 + i] if wanted is not None and len(wanted) == count + 2 else None
        low, high, extra = _crop(n, full, size, span, stride)
        pads.append((low, high))
        more.append(extra)
    made = core.ConvTranspose(
        x,
        w,
        _bias(n, 3, n.operand(2), n.operand(1)),
        strides=steps["strides"],
        dilations=steps["dilations"],
        pads=tuple(pads),
        output_pads=tuple(more),
        x_layout=layout,
        w_layout=kernel,
        y_layout=layout,
    )
    return activated(n, n.y(made))


def _crop(n: TflNode, full: Size, wanted: Size | None, span: int, stride: int) -> tuple[int, int, int]:
    """What is cropped before and after the full result of an axis, and what is added behind it.

    A size that only the run time knows is the one that the stride gives: n * stride where SAME pads, all where VALID
    does.
    """
    same = n.attr("padding") == "SAME"
    if wanted is None:
        total = max(span - stride, 0) if same else 0
        return total // 2, total - total // 2, max(stride - span, 0) if same else 0
    if not same:
        extra = wanted - full
        if not isinstance(extra, int) or extra < 0:
            raise ConversionError(Code.ShapeMismatch, f"{n.kind} gives {full} elements, not {wanted}")
        return 0, 0, extra
    over = full - wanted
    if not isinstance(over, int):
        raise ConversionError(Code.ShapeNotStatic, f"{n.kind} gives {full} elements, and {wanted} are wanted")
    total = max(over, 0)
    return total // 2, total - total // 2, max(-over, 0)


@RULES.rule("FULLY_CONNECTED")
def fully_connected(n: TflNode) -> Value:
    """x, as rows of what a filter [O, I] takes, by its transpose."""
    if n.attr("weights_format") != "DEFAULT":
        raise n.unsupported(f"weights in the format {n.attr('weights_format')}")
    x, w = n.operand(0), n.operand(1)
    inner, keep = _size(n, w, 1), n.attr("keep_num_dims")
    dynamic = is_dynamic(x, w, 0, 1)
    rows = x if dynamic else numbers_of(n, x)
    rank = n.rank(x)
    if (not (keep and rank > 1) and rank != 2) or (not keep and (x.tensor.shape or ())[-1] != inner):
        rows = n.reshape(rows, [-1, inner])
    if dynamic:
        return activated(n, n.y(core.DynamicMatMul(rows, w, bias=_bias(n, 2, x, w), transpose_b=True)))
    y = n.matmul(rows, numbers_of(n, w), transpose_b=True)
    bias = _bias(n, 2, x, w)
    return activated(n, y if bias is None else n.add(y, bias))


@RULES.rule("BATCH_MATMUL")
def batch_matmul(n: TflNode) -> Value:
    a, b = n.operand(0), n.operand(1)
    across, turned = n.attr("adj_x"), n.attr("adj_y")
    rank = n.rank(b)
    if is_dynamic(a, b, rank - 2 if turned else rank - 1):
        return n.y(core.DynamicMatMul(a, b, transpose_a=across, transpose_b=turned))
    if n.op.results[0].type.quant is None and n.plain_types()[0].dtype is DType.I32 and a.tensor.dtype is DType.I8:
        stored = n.integers(0), n.integers(1)  # the kernel looks at no scales: batch_matmul.cc, EvalInt8Int32
        return n.y(core.IntegerMatMul(*stored, transpose_a=across, transpose_b=turned))
    x, y = n.numbers()
    return n.matmul(x, y, transpose_a=across, transpose_b=turned)
