"""Convolutions.  Source: keras/src/layers/convolutional, keras/src/backend/tensorflow/nn.py."""

from __future__ import annotations

from typing import Final

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.importers.keras.layers.activation import activated
from mlconv.importers.keras.layers.windows import Ints, Pads, as_plane, layout_of, of_plane, pads_of, sizes_of
from mlconv.ir.core import Value

RULES: Final = Rules()
_KERNELS: Final = {2: "01IO", 3: "012IO"}


def _count(kind: str) -> int:
    """How many spatial axes a layer has, by its name."""
    return int(kind.removesuffix("Transpose")[-2])


class _Window:
    """Kernel size, strides, dilations and layout of a layer."""

    def __init__(self, n: Call, x: Value) -> None:
        self.count = _count(n.kind)
        self.size = n.fields.integers("kernel_size", self.count)
        self.strides = n.fields.integers("strides", self.count, 1)
        self.dilations = n.fields.integers("dilation_rate", self.count, 1)
        self.layout = layout_of(n, self.count)
        sizes_of(n, x, self.layout)
        self.channels = n.size(x, self.layout.index("C"))

    def conv(self, n: Call, x: Value, w: Value, bias: Value | None, pads: Pads | str, groups: int) -> Value:
        return convolved(n, x, w, bias, self.layout, self.strides, pads, self.dilations, groups)


def convolved(
    n: Call,
    x: Value,
    w: Value,
    bias: Value | None,
    layout: str,
    strides: Ints,
    pads: Pads | str,
    dilations: Ints,
    groups: int = 1,
) -> Value:
    """x by a layout, w [*window, channels of a group, filters]."""
    if len(strides) == 1:
        plane, wide = as_plane(n, x, layout)
        pairs = pads if isinstance(pads, str) else ((0, 0), *pads)
        y = convolved(n, plane, n.expand_dims(w, 0), bias, wide, (1, *strides), pairs, (1, *dilations), groups)
        return of_plane(n, y, layout)
    return n.y(
        core.Conv(
            x,
            w,
            bias,
            strides=strides,
            pads=pads,
            dilations=dilations,
            groups=groups,
            x_layout=layout,
            w_layout=_KERNELS[len(strides)],
            y_layout=layout,
        )
    )


def _padding(n: Call, window: _Window, x: Value) -> Pads | str:
    among = ("valid", "same", "causal") if window.count == 1 else ("valid", "same")
    padding = n.fields.text("padding", "valid", among)
    if padding == "causal" and (window.layout != "N0C" or n.kind != "Conv1D"):
        raise n.fields.wrong("padding")
    return pads_of(n, padding, x, window.layout, window.size, window.strides, window.dilations)


def _weights(n: Call, outputs: int, *kernels: Ints) -> list[Value | None]:
    """The kernels, and the bias or None."""
    if not n.fields.flag("use_bias", True):
        return [*n.own(*kernels), None]
    return [*n.own(*kernels, (outputs,))]


@RULES.rule("Conv1D", "Conv2D", "Conv3D", keeps_mask=False)
def conv(n: Call) -> Value:
    """Kernel: spatial sizes, channels of a group, filters."""
    x = n.x
    window, groups, filters = _Window(n, x), n.fields.integer("groups", 1, 1), n.fields.integer("filters", None, 1)
    if window.channels % groups or filters % groups:
        raise n.fields.wrong("groups")
    w, bias = _weights(n, filters, (*window.size, window.channels // groups, filters))
    assert w is not None
    return activated(n, "activation", window.conv(n, x, w, bias, _padding(n, window, x), groups))


@RULES.rule("DepthwiseConv1D", "DepthwiseConv2D", keeps_mask=False)
def depthwise_conv(n: Call) -> Value:
    """Kernel: spatial sizes, channels, results of each channel."""
    x = n.x
    window, multiplier = _Window(n, x), n.fields.integer("depth_multiplier", 1, 1)
    w, bias = _weights(n, window.channels * multiplier, (*window.size, window.channels, multiplier))
    assert w is not None
    # files of Keras 2 have these of the layer's base
    n.fields.absent("filters")
    n.fields.unused("groups")
    return activated(n, "activation", _depthwise(n, window, x, w, bias, multiplier))


def _depthwise(n: Call, window: _Window, x: Value, w: Value, bias: Value | None, multiplier: int) -> Value:
    grouped = n.reshape(w, [*window.size, 1, window.channels * multiplier])
    return window.conv(n, x, grouped, bias, _padding(n, window, x), window.channels)


@RULES.rule("SeparableConv1D", "SeparableConv2D", keeps_mask=False)
def separable_conv(n: Call) -> Value:
    """A convolution of each channel, and one of 1 x 1 behind it."""
    x = n.x
    window, multiplier = _Window(n, x), n.fields.integer("depth_multiplier", 1, 1)
    filters, between = n.fields.integer("filters", None, 1), window.channels * multiplier
    ones = (1,) * window.count
    depthwise, pointwise, bias = _weights(
        n, filters, (*window.size, window.channels, multiplier), (*ones, between, filters)
    )
    assert depthwise is not None and pointwise is not None
    n.fields.unused("groups")
    inner = _depthwise(n, window, x, depthwise, None, multiplier)
    y = convolved(n, inner, pointwise, bias, window.layout, ones, ((0, 0),) * window.count, ones)
    return activated(n, "activation", y)


@RULES.rule("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", keeps_mask=False)
def conv_transpose(n: Call) -> Value:
    """Kernel: spatial sizes, filters, channels."""
    x = n.x
    window, filters = _Window(n, x), n.fields.integer("filters", None, 1)
    w, bias = _weights(n, filters, (*window.size, filters, window.channels))
    assert w is not None
    padding = n.fields.text("padding", "valid", ("valid", "same"))
    pads, extra = _transposed_pads(n, window, padding)
    n.fields.unused("groups")
    layout, strides, dilations = window.layout, window.strides, window.dilations
    image, kernel = x, w
    if window.count == 1:
        image, layout = as_plane(n, x, layout)
        kernel, strides, dilations = n.expand_dims(w, 0), (1, *strides), (1, *dilations)
        pads, extra = ((0, 0), *pads), (0, *extra)
    y = n.y(
        core.ConvTranspose(
            image,
            kernel,
            bias,
            strides=strides,
            pads=pads,
            output_pads=extra,
            dilations=dilations,
            x_layout=layout,
            w_layout=_KERNELS[len(strides)].replace("IO", "OI"),
            y_layout=layout,
        )
    )
    y = of_plane(n, y, window.layout) if window.count == 1 else y
    return activated(n, "activation", y)


def _transposed_pads(n: Call, window: _Window, padding: str) -> tuple[Pads, Ints]:
    """What is cut off before and behind the full result, and what is added to it.

    Source: `_get_output_shape_given_tf_padding` of keras/src/backend/common/backend_utils.py gives the size of the
    result, Conv2DBackpropInput pads as the convolution of that size does.
    """
    given = n.fields.get("output_padding")
    outer = n.fields.integers("output_padding", window.count, least=0) if given is not None else (None,) * window.count
    pads, extra = [], []
    for k, s, d, more in zip(window.size, window.strides, window.dilations, outer, strict=True):
        span = (k - 1) * d + 1
        if padding == "valid":  # wanted: the size of the result less (n - 1) * stride
            wanted = max(span, s) if more is None else span + more
            total = 0
        else:
            wanted = s if more is None else span % 2 + more
            total = max(span - wanted, 0)
        if (more is not None and more >= s) or (padding == "same" and not 1 <= wanted <= s):
            raise n.fields.wrong("output_padding")
        pads.append((total // 2, total - total // 2))
        extra.append(wanted - (span - total))
    return tuple(pads), tuple(extra)
