"""Convolutions.  Source: tensorflow/core/ops/nn_ops.cc, tensorflow/core/framework/kernel_shape_util.cc."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, ceildiv
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import (
    dim_value,
    reshape,
    shape_of,
    static_shape,
    tf_rules,
)
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()

Pairs: TypeAlias = tuple[tuple[int, int], ...]
LAYOUTS: Final = {"NHWC": "N01C", "NCHW": "NC01", "NDHWC": "N012C", "NCDHW": "NC012"}
KERNELS: Final = {2: "01IO", 3: "012IO"}


def layout_of(n: SourceNode, default: str) -> str:
    """The core layout of `data_format`."""
    name = n.attr("data_format", default)
    if name not in LAYOUTS:
        raise n.unsupported(f"data_format {name}")
    return LAYOUTS[name]


def spatial_of(n: SourceNode, name: str, layout: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """The spatial part of an attribute that has one entry for each axis.  Entries for batch and channels must be 1."""
    values = n.attr(name, default) or default
    if values is None or len(values) != len(layout):
        raise ConversionError(
            Code.AttributeInvalid,
            f"attribute '{name}' of {n.kind} has {len(values or ())} entries for {len(layout)} axes",
        )
    if values[layout.index("N")] != 1 or values[layout.index("C")] != 1:
        raise n.unsupported(f"{name} {list(values)} steps over batch or channels")
    return tuple(values[layout.index(str(i))] for i in range(len(layout) - 2))


def same_pads(
    sizes: list[Size], window: list[Size], strides: tuple[int, ...], dilations: tuple[int, ...]
) -> Pairs | str:
    """SAME padding as numbers, or SAME_UPPER where a size is open.  Source: GetWindowedOutputSizeVerbose."""
    pairs: list[tuple[int, int]] = []
    for size, k, s, d in zip(sizes, window, strides, dilations, strict=True):
        if not isinstance(k, int):
            return "SAME_UPPER"
        span = (k - 1) * d + 1
        if not isinstance(size, int):
            if s != 1:
                return "SAME_UPPER"
            total = span - 1
        else:
            total = max((-(-size // s) - 1) * s + span - size, 0)
        pairs.append((total // 2, total - total // 2))
    return tuple(pairs)


def pads_of(
    n: SourceNode,
    layout: str,
    sizes: list[Size],
    window: list[Size],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
) -> Pairs | str:
    """The padding of a window op."""
    padding = n.attr("padding")
    if padding == "SAME":
        return same_pads(sizes, window, strides, dilations)
    if padding == "VALID":
        return ((0, 0),) * len(strides)
    explicit = n.attr("explicit_paddings", ())
    if padding != "EXPLICIT" or len(explicit) != 2 * len(layout):
        raise ConversionError(
            Code.AttributeInvalid, f"padding '{padding}' of {n.kind} with explicit_paddings {list(explicit)}"
        )
    places = [layout.index(str(i)) for i in range(len(strides))]
    return tuple((explicit[2 * p], explicit[2 * p + 1]) for p in places)


def conv_of(n: SourceNode, x: Value, w: Value) -> Value:
    """NHWC images convolved as the node's attributes say."""
    return convolved(n, x, "N01C", w, KERNELS[2], 1)


def convolved(
    n: SourceNode,
    x: Value,
    layout: str,
    w: Value,
    kernel: str,
    groups: int,
    make: Callable[..., core.Conv | core.IntegerConv] = core.Conv,
) -> Value:
    """x by w, as the node's attributes say."""
    count = len(layout) - 2
    strides = spatial_of(n, "strides", layout)
    dilations = spatial_of(n, "dilations", layout, (1,) * len(layout))
    xs, ws = shape_of(x, "the convolution's input"), shape_of(w, "the convolution's kernel")
    if len(xs) != len(layout) or len(ws) != len(layout):
        raise ConversionError(
            Code.ShapeMismatch, f"{n.kind} of {x.tensor} with the kernel {w.tensor}: both need rank {len(layout)}"
        )
    sizes = [xs[layout.index(str(i))] for i in range(count)]
    window = [ws[kernel.index(str(i))] for i in range(count)]
    pads = pads_of(n, layout, sizes, window, strides, dilations)
    return n.y(
        make(
            x,
            w,
            strides=strides,
            pads=pads,
            dilations=dilations,
            groups=groups,
            x_layout=layout,
            w_layout=kernel,
            y_layout=layout,
        )
    )


@RULES.rule("Conv2D", "Conv3D")
def conv(n: SourceNode) -> Value:
    """A kernel with fewer input channels than the input has means groups."""
    layout = layout_of(n, "NHWC" if n.kind == "Conv2D" else "NDHWC")
    kernel = KERNELS[len(layout) - 2]
    xs, ws = shape_of(n.operand(0), "the convolution's input"), shape_of(n.operand(1), "the convolution's kernel")
    groups = 1
    if len(xs) == len(ws) == len(layout):
        channels, per_group = xs[layout.index("C")], ws[kernel.index("I")]
        if isinstance(channels, int) and isinstance(per_group, int) and per_group and channels % per_group == 0:
            groups = max(1, channels // per_group)
    return convolved(n, n.operand(0), layout, n.operand(1), kernel, groups)


@RULES.rule("Conv")
def general_conv(n: SourceNode) -> Value:
    """Of two or three spatial axes, with groups as an attribute."""
    count = n.rank(n.operand(0)) - 2
    if n.attr("batch_dims", 1) != 1 or count not in KERNELS:
        raise n.unsupported(f"{n.attr('batch_dims', 1)} batch axes of {n.operand(0).tensor}")
    axes = "".join(str(i) for i in range(count))
    layout = f"N{axes}C" if n.attr("data_format", "CHANNELS_LAST") == "CHANNELS_LAST" else f"NC{axes}"
    return convolved(n, n.operand(0), layout, n.operand(1), KERNELS[count], n.attr("groups", 1))


@RULES.rule("DepthwiseConv2dNative")
def depthwise_conv(n: SourceNode) -> Value:
    """Kernel [h, w, channels, multiplier] -> one group for each channel."""
    layout = layout_of(n, "NHWC")
    w = n.operand(1)
    h, width, channels, multiplier = shape_of(w, "the depthwise kernel")
    if not isinstance(channels, int):
        raise ConversionError(
            Code.ShapeNotStatic, f"the channels of the depthwise kernel must be known, it is {w.tensor}"
        )
    return convolved(n, n.operand(0), layout, reshape(n, w, [h, width, 1, channels * multiplier]), "01IO", channels)


@RULES.rule("Conv2DBackpropInput", "Conv3DBackpropInputV2")
def conv_transpose(n: SourceNode) -> Value:
    """Operands: input_sizes, kernel [.., out, in], gradient.  The result's spatial sizes are given, the padding is that
    of the forward convolution, whose groups follow from the result's channels.
    """
    layout = layout_of(n, "NHWC" if n.kind == "Conv2DBackpropInput" else "NDHWC")
    known, per_group = n.known(0), shape_of(n.operand(1), "the transposed convolution's kernel")[-2]
    channels = known[layout.index("C")] if known is not None and len(known) == len(layout) else None
    groups = 1
    if isinstance(channels, int) and isinstance(per_group, int) and per_group and channels % per_group == 0:
        groups = max(channels // per_group, 1)
    return transposed(n, layout, n.operand(2), n.operand(1), groups)


def transposed(n: SourceNode, layout: str, x: Value, w: Value, groups: int) -> Value:
    """The gradient of a convolution by its input: of x, with the kernel [.., out of a group, in]."""
    count = len(layout) - 2
    xs, ws = shape_of(x, "the transposed convolution's input"), shape_of(w, "the transposed convolution's kernel")
    strides = spatial_of(n, "strides", layout)
    dilations = spatial_of(n, "dilations", layout, (1,) * len(layout))
    places = [layout.index(str(i)) for i in range(count)]
    wanted = _result_sizes(n, layout, strides)
    if wanted is None:
        return _conv_transpose_at_run_time(n, layout, x, w, groups)
    pads: list[tuple[int, int]] = []
    extra: list[int] = []
    for i in range(count):
        k = ws[i]
        if not isinstance(k, int):
            raise ConversionError(
                Code.ShapeNotStatic, f"the window of {n.kind} must be known, the kernel is {w.tensor}"
            )
        span = (k - 1) * dilations[i] + 1
        lo, hi, more = _transposed_pad(n, layout, i, wanted[i], xs[places[i]], span, strides[i])
        pads.append((lo, hi))
        extra.append(more)
    return n.emit(
        core.ConvTranspose(
            x,
            w,
            strides=strides,
            pads=tuple(pads),
            output_pads=tuple(extra),
            dilations=dilations,
            groups=groups,
            x_layout=layout,
            w_layout=KERNELS[count].replace("IO", "OI"),
            y_layout=layout,
        )
    ).y


def _result_sizes(n: SourceNode, layout: str, strides: tuple[int, ...]) -> list[Size] | None:
    """Spatial sizes of the result; operand 0 holds the whole shape or only the spatial part.  None where only the run
    time knows them.
    """
    known = n.known(0)
    if known is not None and len(known) in (len(layout), len(strides)):
        whole = len(known) == len(layout)
        sizes = [known[layout.index(str(i))] if whole else known[i] for i in range(len(strides))]
        if all(s is not None for s in sizes):
            return [s for s in sizes if s is not None]
    return None


def _transposed_pad(
    n: SourceNode, layout: str, i: int, wanted: Size, given: Size, span: int, stride: int
) -> tuple[int, int, int]:
    """What is cropped before and after the full result of an axis, and what is added behind it."""
    padding = n.attr("padding")
    if padding == "EXPLICIT":
        explicit = n.attr("explicit_paddings")
        lo, hi = explicit[2 * layout.index(str(i)) : 2 * layout.index(str(i)) + 2]
    elif padding == "VALID":
        lo = hi = 0
    else:
        total = (given - 1) * stride + span - wanted
        if not isinstance(total, int):
            total = (ceildiv(wanted, stride) - 1) * stride + span - wanted
        if not isinstance(total, int):
            raise ConversionError(
                Code.ShapeNotStatic, f"{n.kind}: the padding of axis {i} depends on the size {wanted}"
            )
        total = max(total, 0)
        lo, hi = total // 2, total - total // 2
    more = wanted - ((given - 1) * stride + span - lo - hi)
    if not isinstance(more, int) or more < 0:
        raise ConversionError(
            Code.ShapeMismatch, f"{n.kind}: a result of size {wanted} does not fit the input's size {given} on axis {i}"
        )
    return lo, hi, more


def _conv_transpose_at_run_time(n: SourceNode, layout: str, x: Value, w: Value, groups: int) -> Value:
    """The largest result that the strides allow, of which the wanted part is cut out when its size is known."""
    strides = spatial_of(n, "strides", layout)
    dilations = spatial_of(n, "dilations", layout, (1,) * len(layout))
    count = len(strides)
    kernel = KERNELS[count].replace("IO", "OI")
    window = static_shape(w, "the kernel")[:count]
    explicit = n.attr("explicit_paddings", ())
    whole = n.emit(
        core.ConvTranspose(
            x,
            w,
            strides=strides,
            pads=((0, 0),) * count,
            output_pads=tuple(s - 1 for s in strides),
            dilations=dilations,
            groups=groups,
            x_layout=layout,
            w_layout=kernel,
            y_layout=layout,
        )
    ).y
    sizes = n.cast(n.operand(0), DType.I64)
    has_batch = static_shape(sizes, "the result's shape")[0] == len(layout)
    begins: list[int | Value] = [0] * len(layout)
    counts: list[int | Value] = [-1] * len(layout)
    for i in range(count):
        axis = layout.index(str(i))
        wanted = n.emit(core.Gather(sizes, n.constant(axis if has_batch else i, DType.I64), axis=0)).y
        counts[axis] = wanted
        if n.attr("padding") == "EXPLICIT":
            begins[axis] = explicit[2 * axis]
        elif n.attr("padding") == "SAME":
            span = (window[i] - 1) * dilations[i] + 1
            one = n.constant(1, DType.I64)
            full = n.add(
                n.mul(n.sub(dim_value(n, x, axis), one), n.constant(strides[i], DType.I64)),
                n.constant(span, DType.I64),
            )
            total = n.emit(core.Maximum(n.sub(full, wanted), n.constant(0, DType.I64))).y
            begins[axis] = n.emit(core.FloorDiv(total, n.constant(2, DType.I64))).y
    return n.emit(core.DynamicSlice(whole, n.stack(begins), n.stack(counts))).y
