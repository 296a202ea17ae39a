"""Convolutions, channels last, as TensorFlow's kernels for CPUs have them.

Pads that are none of `SAME` and `VALID` are an op of their own in front, as Keras writes them.  Sources:
tensorflow/core/ops/nn_ops.cc; kernels/conv_ops.cc: groups of channels in two dimensions, kernels/conv_ops_3d.cc: none.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import Convolution, Pads, known_pads, resolve_pads, spatial, standard_padding
from mlconv.ir import recipes
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_tf.builder import TfBuilder, refuse
from mlconv.legalize.to_tf.shape import transposed
from mlconv.rewrite import Rules, remake
from mlconv.rewrite.core_builder import Part

RULES = Rules()

LARGEST_RANK = 3


def last(count: int) -> str:
    """The layout of as many spatial axes with channels last."""
    return "N" + "".join(map(str, range(count))) + "C"


def to_layout(e: TfBuilder, x: Value, have: str, want: str) -> Value:
    """x in another order of its axes."""
    return transposed(e, x, [have.index(c) for c in want])


def arranged(t: TensorType, have: str, want: str) -> TensorType:
    """The type of a tensor in another order of its axes."""
    return t.with_shape(None if t.shape is None else tuple(t.shape[have.index(c)] for c in want))


def spatial_sizes(x: Value, layout: str) -> Shape:
    """The sizes that a window moves along.  Raises ConversionError TargetLacksOp for an unknown rank."""
    if x.tensor.shape is None:
        raise refuse(f"the rank of what a window moves over must be known, it is {x.tensor}")
    return tuple(x.tensor.shape[i] for i in spatial(layout))


def kernel_sizes(w: Value, layout: str) -> tuple[int, ...]:
    """Sizes of a filter along its window.  Raises ConversionError TargetLacksOp when one is not known."""
    found = [s for s in spatial_sizes(w, layout) if isinstance(s, int)]
    if len(found) != len(layout) - 2:
        raise refuse(f"the sizes of a filter must be known, it is {w.tensor}")
    return tuple(found)


def amounts(
    e: TfBuilder, x: Value, pads: Pads, window: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> list[tuple[Part, Part]]:
    """Pads of x, channels last, as numbers; for open sizes computed by the formula of `SAME`."""
    sizes = tuple((x.tensor.shape or ())[1:-1])
    known = known_pads(sizes, tuple(window), tuple(strides), tuple(dilations), pads)
    if known is not None or not isinstance(pads, str):
        return list(known or ())
    found: list[tuple[Part, Part]] = []
    for i, (k, s, d) in enumerate(zip(window, strides, dilations, strict=True)):
        n = e.dim(x, 1 + i)
        if isinstance(n, int):
            found.append(resolve_pads(pads, (n,), (k,), (s,), (d,))[0])
            continue
        steps = e.y(core.FloorDiv(e.sub(n, 1), e.constant(s, DType.I64)))
        total = e.maximum(e.sub(e.add(e.mul(steps, s), (k - 1) * d + 1), n), 0)
        small = e.y(core.FloorDiv(total, e.constant(2, DType.I64)))
        large = e.sub(total, small)
        found.append((small, large) if pads == "SAME_UPPER" else (large, small))
    return found


def around(e: TfBuilder, x: Value, pads: Sequence[tuple[Part, Part]], fill: Value | float = 0) -> Value:
    """x, channels last, with something around it along its spatial axes."""
    return e.pad(x, [(0, 0), *pads, (0, 0)], fill)


def padded(e: TfBuilder, x: Value, op: Convolution, window: tuple[int, ...]) -> tuple[Value, str]:
    """x, channels last, as a convolution takes it, and the padding that is left to the kernel."""
    sizes = tuple((x.tensor.shape or ())[1:-1])
    padding = standard_padding(sizes, window, op.strides, op.dilations, op.pads)
    if padding is not None:
        return x, padding
    return around(e, x, amounts(e, x, op.pads, window, op.strides, op.dilations)), "VALID"


@RULES.rule(core.Conv)
def conv(op: core.Conv, e: TfBuilder) -> Value:
    """Conv2D, DepthwiseConv2dNative, Conv3D; one axis is two, one of which is of size 1."""
    layout, count = last(len(op.strides)), len(op.strides)
    if count > LARGEST_RANK:
        raise refuse(f"TensorFlow has convolutions along 1 to {LARGEST_RANK} axes, not {count}")
    window = kernel_sizes(op.w, op.w_layout)
    x = to_layout(e, op.x, op.x_layout, layout)
    w = to_layout(e, op.w, op.w_layout, layout[1:-1] + "IO")
    plain = {"x_layout": layout, "w_layout": layout[1:-1] + "IO", "y_layout": layout}
    if count == 1:
        y = _of_one_axis(op, e, x, w)
    elif count == 3 and op.groups > 1:
        y = _by_groups(remade(op, [x, w, None], **plain), e)
    else:
        x, padding = padded(e, x, op, window)
        t = arranged(op.y.tensor, op.y_layout, layout)
        y = _two_axes(op, e, x, w, padding, t) if count == 2 else _three_axes(op, e, x, w, padding, t)
    in_groups = op.groups > 1 and count < 3 and not _is_depthwise(op, x, w)
    return to_layout(e, with_bias(e, y, op.bias, in_groups=in_groups), layout, op.y_layout)


def remade(op: Convolution, operands: list[Value | None], **changes: object) -> Convolution:
    """The same op on other operands."""
    made = remake(op, operands, **changes)
    assert isinstance(made, Convolution)
    return made


def with_bias(e: TfBuilder, y: Value, bias: Value | None, *, in_groups: bool = False) -> Value:
    """BiasAdd, channels last.  TensorFlow 2.21 fuses that, and a sum too, into convolutions, and ends then over groups
    of channels: the bias is subtracted there, with its other sign.
    """
    if bias is None:
        return y
    if in_groups:
        constant = const_of(bias)
        return e.sub(y, e.neg(bias) if constant is None else e.constant(-constant.view(), constant.dtype))
    if y.tensor.dtype.is_complex:
        return e.add(y, bias)
    return e.one("BiasAdd", [y, bias], y.tensor)


def _two_axes(op: core.Conv, e: TfBuilder, x: Value, w: Value, padding: str, t: TensorType) -> Value:
    """DepthwiseConv2dNative takes one stride for both axes, and no dilations on CPUs; Conv2D takes groups."""
    numbers: dict[str, object] = {"strides": (1, *op.strides, 1), "padding": padding}
    outs = (w.tensor.shape or ())[-1]
    if _is_depthwise(op, x, w) and isinstance(outs, int):
        filters = reshaped(e, w, (*kernel_sizes(w, "01IO"), op.groups, outs // op.groups))
        return e.one("DepthwiseConv2dNative", [x, filters], t, **numbers)
    return e.one("Conv2D", [x, w], t, dilations=(1, *op.dilations, 1), **numbers)


def _is_depthwise(op: core.Conv, x: Value, w: Value) -> bool:
    """A group has one channel, and TensorFlow's kernel for that takes the window."""
    channels, outs = (x.tensor.shape or ())[-1], (w.tensor.shape or ())[-1]
    is_plain = len(set(op.strides)) == 1 and set(op.dilations) == {1}
    return op.groups > 1 and op.groups == channels and is_plain and isinstance(outs, int)


def reshaped(e: TfBuilder, w: Value, shape: tuple[int, ...]) -> Value:
    """Filters of other sizes; constants as they are stored."""
    constant = const_of(w)
    return e.reshape(w, shape) if constant is None else e.constant(constant.reshape(shape))


def _three_axes(op: core.Conv, e: TfBuilder, x: Value, w: Value, padding: str, t: TensorType) -> Value:
    strides, dilations = (1, *op.strides, 1), (1, *op.dilations, 1)
    if set(op.dilations) == {1}:
        return e.one("Conv3D", [x, w], t, strides=strides, dilations=dilations, padding=padding)
    if padding == "SAME":
        pads = amounts(e, x, op.pads, kernel_sizes(w, "012IO"), op.strides, op.dilations)
        x = around(e, x, pads)
    return e.one("Conv3D", [x, dilated(e, w, op.dilations)], t, strides=strides, padding="VALID")


def _of_one_axis(op: core.Conv, e: TfBuilder, x: Value, w: Value) -> Value:
    """A height of 1 is added."""
    pads = op.pads if isinstance(op.pads, str) else ((0, 0), *op.pads)
    wide = remade(
        op,
        [e.expand_dims(x, 1), widened(e, w), None],
        strides=(op.strides[0], *op.strides) if op.groups > 1 else (1, *op.strides),
        dilations=(1, *op.dilations),
        pads=pads,
        x_layout="N01C",
        w_layout="01IO",
        y_layout="N01C",
    )
    return e.squeeze(e.y(wide), 1)


def widened(e: TfBuilder, w: Value) -> Value:
    """Filters with a height of 1 in front."""
    constant = const_of(w)
    return e.expand_dims(w, 0) if constant is None else e.constant(constant.reshape((1, *constant.shape)))


def split(e: TfBuilder, v: Value, axis: int, parts: int) -> list[Value]:
    """Equal parts of a value; of a constant by recipes.  Raises ConversionError TargetLacksOp for an open size."""
    size = (v.tensor.shape or (None,) * (axis + 1))[axis]
    if not isinstance(size, int):
        raise refuse(f"a grouped convolution needs known channel counts, it has {v.tensor}")
    constant, step = const_of(v), size // parts
    if constant is None:
        return list(e.emit(core.Split(v, sizes=(step,) * parts, axis=axis)).ys)
    out = []
    for i in range(parts):
        begin = tuple(i * step if a == axis else 0 for a in range(len(constant.shape)))
        end = tuple((i + 1) * step if a == axis else d for a, d in enumerate(constant.shape))
        out.append(e.constant(recipes.slices(constant, begin, end)))
    return out


def _by_groups(op: Convolution, e: TfBuilder) -> Value:
    """One convolution for each group, joined along the channels."""
    xs = split(e, op.x, len(op.x_layout) - 1, op.groups)
    ws = split(e, op.w, len(op.w_layout) - 1, op.groups)
    parts = [e.y(remade(op, [x, w, None], groups=1)) for x, w in zip(xs, ws, strict=True)]
    return e.y(core.Concat(parts, axis=len(op.y_layout) - 1))


def dilated(e: TfBuilder, w: Value, dilations: tuple[int, ...]) -> Value:
    """Filters, spatial axes first, with zeros between the taps; constants by recipes."""
    for axis, d in enumerate(dilations):
        if d == 1:
            continue
        shape = tuple(n for n in w.tensor.shape or () if isinstance(n, int))
        if len(shape) != w.tensor.rank:
            raise refuse(f"the sizes of a dilated filter must be known, it is {w.tensor}")
        apart = (*shape[: axis + 1], 1, *shape[axis + 1 :])
        joined = (*shape[:axis], shape[axis] * d, *shape[axis + 1 :])
        rows = tuple((0, d - 1) if a == axis + 1 else (0, 0) for a in range(len(apart)))
        end = tuple((shape[axis] - 1) * d + 1 if a == axis else n for a, n in enumerate(joined))
        constant = const_of(w)
        if constant is None:
            spread = e.reshape(e.pad(e.reshape(w, apart), rows), joined)
            w = e.slice_axis(spread, axis, 0, end[axis])
        else:
            grown = recipes.pad_zeros(constant.reshape(apart), rows).reshape(joined)
            w = e.constant(recipes.slices(grown, (0,) * len(end), end))
    return w


@RULES.rule(core.IntegerConv)
def integer_conv(op: core.IntegerConv, e: TfBuilder) -> Value:
    """A convolution of float64, whose sums of such products are exact, of integers less their zero points."""
    wide = []
    for x, zero, axis in ((op.x, op.x_zero, -1), (op.w, op.w_zero, op.w_layout.index("O"))):
        number = e.cast(x, DType.F64)
        if zero is not None:
            point = e.cast(zero, DType.F64)
            if zero.tensor.rank:
                point = e.reshape(point, [-1 if i == axis else 1 for i in range(len(op.w_layout))])
            number = e.sub(number, point)
        wide.append(number)
    sums = e.y(core.Conv(wide[0], wide[1], None, **op.attributes))
    y = e.cast(sums, DType.I32)
    if op.bias is None:
        return y
    return e.add(y, e.reshape(op.bias, [-1 if c == "C" else 1 for c in op.y_layout]))
