"""Convolution and pooling: ops over sliding windows, with explicit dimension numbers.

A layout is a string with one letter for each axis: `N` batch, `C` channel (feature), digits for spatial axes; for
kernels `I`, `O` and digits.  `N01C` is NHWC, `NC01` NCHW, `01IO` HWIO, `OI01` OIHW.  Kernels hold I = input channels
per group.

pads: one (before, after) pair for each spatial axis, or "SAME_UPPER"/"SAME_LOWER" where the size is not known at
conversion time (output = ceil(input / stride), the odd element after/before).
"""

from __future__ import annotations

import math
from typing import TypeAlias, Union

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import check_count, check_numbers, ranked, same_dtype
from mlconv.ir.attributes import Rule
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, ceildiv, floordiv, minimum
from mlconv.ir.quant_rules import BIAS, SAME
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef, attr, op, operand, optional_operand, result
from mlconv.ir.types import Shape, TensorType

_FEW = 3  # times as many results as elements that are read for them
_AT_ONCE = 1 << 20  # bytes of images that stay near
_MOST_LAID = 1 << 24  # bytes of windows that are laid side by side
_SEVERAL_CHANNELS = 8  # for each place of a window, a product of its own
Pads: TypeAlias = Union[tuple[tuple[int, int], ...], str]
Ints: TypeAlias = tuple[int, ...]


def _is_layout(value: object, letters: str) -> bool:
    """Each of the two letters once, and a digit for each spatial axis."""
    return isinstance(value, str) and sorted(value) == sorted(letters + "".join(map(str, range(len(value) - 2))))


def _are_pads(value: object) -> bool:
    return value in _SAME or (
        isinstance(value, tuple)
        and all(isinstance(p, tuple) and len(p) == 2 and all(isinstance(n, int) for n in p) for p in value)
    )


_SAME = ("SAME_UPPER", "SAME_LOWER")
PADS = Rule(f"a pair of numbers for each spatial axis, or one of {', '.join(_SAME)}", _are_pads)
LAYOUT = Rule("a layout, such as N01C", lambda value: _is_layout(value, "NC"))
FILTER_LAYOUT = Rule("a layout of filters, such as 01IO", lambda value: _is_layout(value, "IO"))


def spatial(layout: str) -> list[int]:
    """Positions of the spatial axes, in order."""
    return [layout.index(str(i)) for i in range(len(layout) - 2)]


def to_order(x: Array, layout: str, order: str) -> Array:
    """x, whose axes are `layout`, with its axes in `order`."""
    return x.transpose([layout.index(c) for c in order])


def resolve_pads(pads: Pads, sizes: Ints, window: Ints, strides: Ints, dilations: Ints) -> tuple[tuple[int, int], ...]:
    """pads as numbers for given input sizes.  SAME: total = max((ceil(n / s) - 1) * s + (k - 1) * d + 1 - n, 0)
    (TensorFlow nn docs, "Padding").
    """
    if not isinstance(pads, str):
        return pads
    out: list[tuple[int, int]] = []
    for n, k, s, d in zip(sizes, window, strides, dilations, strict=True):
        total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        small, large = total // 2, total - total // 2
        out.append((small, large) if pads == "SAME_UPPER" else (large, small))
    return tuple(out)


def known_pads(
    sizes: Shape, window: Ints, strides: Ints, dilations: Ints, pads: Pads
) -> tuple[tuple[int, int], ...] | None:
    """pads as numbers; None for those that depend on sizes that are open.  With stride 1 none do."""
    if not isinstance(pads, str):
        return tuple(pads)
    if not all(isinstance(n, int) or s == 1 for n, s in zip(sizes, strides, strict=True)):
        return None
    known = tuple(n if isinstance(n, int) else 1 << 20 for n in sizes)
    return resolve_pads(pads, known, window, strides, dilations)


def standard_padding(sizes: Shape, window: Ints, strides: Ints, dilations: Ints, pads: Pads) -> str | None:
    """`VALID` for none, `SAME` for what TensorFlow pads with; None for other pads, and for what is not known before
    sizes are.
    """
    if pads == "SAME_UPPER":
        return "SAME"
    numbers = known_pads(sizes, window, strides, dilations, pads)
    if numbers is not None and not any(any(pad) for pad in numbers):
        return "VALID"
    same = known_pads(sizes, window, strides, dilations, "SAME_UPPER")
    return "SAME" if numbers is not None and numbers == same else None


def window_size(n: Size, k: Size, s: int, d: int, pad: tuple[int, int] | None, ceil_mode: bool = False) -> Size:
    """Number of window positions; pad None means SAME.  Raises ConversionError ShapeMismatch when the window does not
    fit.
    """
    if pad is None:
        return ceildiv(n, s)
    room = n + pad[0] + pad[1] - ((k - 1) * d + 1)
    if isinstance(room, int) and room < 0:
        raise ConversionError(
            Code.ShapeMismatch,
            f"a window of {k} (dilation {d}) does not fit into the size {n} with pads {pad[0]} and {pad[1]}",
        )
    if not ceil_mode:
        return floordiv(room, s) + 1
    out, span = ceildiv(room, s) + 1, (k - 1) * d + 1
    if isinstance(span, int) and pad[1] + s <= span:
        return out
    # ONNX pooling, PyTorch: a window that would start in the padding after the end is not counted.
    return minimum(out, floordiv(n + (pad[0] - 1), s) + 1)


def _pad_pairs(pads: Pads, count: int) -> list[tuple[int, int] | None]:
    return [None] * count if isinstance(pads, str) else list(pads)


def check_bias(bias: Value | None, outputs: Size) -> None:
    """A bias has one number for each output channel.  Raises ConversionError ShapeMismatch."""
    if bias is None or bias.tensor.shape is None:
        return
    shape = bias.tensor.shape
    if len(shape) != 1 or (isinstance(shape[0], int) and isinstance(outputs, int) and shape[0] != outputs):
        raise ConversionError(
            Code.ShapeMismatch,
            f"the bias is {bias.tensor}, expected one number for each of {outputs} output channels",
            operand=2,
        )


class Convolution(OpDef):
    """Convolution (cross-correlation) of any spatial rank, whatever the elements are.

    x by `x_layout`, w by `w_layout` with I = channels(x) / groups; bias [O] or absent; y by `y_layout`.  strides,
    dilations: one per spatial axis.
    """

    __slots__ = ()
    x: Value = operand()
    w: Value = operand()
    bias: Value | None = optional_operand(default=None)
    strides: Ints = attr(kw_only=True)
    pads: Pads = attr(kw_only=True, check=PADS)
    dilations: Ints = attr(kw_only=True)
    groups: int = attr(default=1)
    x_layout: str = attr(default="N01C", check=LAYOUT)
    w_layout: str = attr(default="01IO", check=FILTER_LAYOUT)
    y_layout: str = attr(default="N01C", check=LAYOUT)
    y: Value = result()

    def result_shape(self) -> Shape:
        """Raises ConversionError ShapeMismatch for shapes that do not fit one another."""
        xs, ws = ranked(self.x, "the convolution's input"), ranked(self.w, "the convolution's kernel")
        if len(xs) != len(self.x_layout) or len(ws) != len(self.w_layout):
            raise ConversionError(
                Code.ShapeMismatch, f"convolution of {self.x.tensor} with the kernel {self.w.tensor}: ranks do not fit"
            )
        channels, per_group = xs[self.x_layout.index("C")], ws[self.w_layout.index("I")]
        if isinstance(channels, int) and isinstance(per_group, int) and channels != per_group * self.groups:
            raise ConversionError(
                Code.ShapeMismatch,
                f"weights expect {per_group * self.groups} input channels, the input has {channels}",
                operand=1,
            )
        outputs = ws[self.w_layout.index("O")]
        if self.groups < 1 or (isinstance(outputs, int) and outputs % self.groups):
            raise ConversionError(
                Code.ShapeMismatch,
                f"{outputs} output channels of the weights {self.w.tensor} are not {self.groups} groups",
                operand=1,
            )
        check_bias(self.bias, outputs)
        axes, kernel = spatial(self.x_layout), spatial(self.w_layout)
        check_numbers(self.strides, len(axes), 1, "strides")
        check_numbers(self.dilations, len(axes), 1, "dilations")
        check_count(_pad_pairs(self.pads, len(axes)), len(axes), "pads")
        sizes: dict[str, Size] = {"N": xs[self.x_layout.index("N")], "C": outputs}
        for i, pad in enumerate(_pad_pairs(self.pads, len(axes))):
            sizes[str(i)] = window_size(xs[axes[i]], ws[kernel[i]], self.strides[i], self.dilations[i], pad)
        return tuple(sizes[c] for c in self.y_layout)

    def is_product(self) -> bool:
        """Windows are single elements, at each of them."""
        shape = ranked(self.w)
        window = [shape[self.w_layout.index(str(i))] for i in range(len(self.strides))]
        padded = not isinstance(self.pads, str) and any(map(any, self.pads))
        return {*window, *self.strides, self.groups} == {1} and not padded

    def has_few_inputs(self) -> bool:
        """Of an image of known sizes, what each place reads is far less than what is made of it, or is read nowhere
        else: laying it side by side is less to do than moving results.
        """
        shape, out = static(ranked(self.w)), static(ranked(self.y))
        if shape is None or out is None or self.groups != 1 or 0 in (*shape, *out):
            return False
        outputs = shape[self.w_layout.index("O")]
        return self.is_product() or _FEW * math.prod(shape) <= outputs * outputs

    def convolved(self, x: Array, w: Array) -> Array:
        """The sums, channels last."""
        order = "N" + "".join(str(i) for i in range(len(self.x_layout) - 2)) + "C"
        x, w = to_order(x, self.x_layout, order), to_order(w, self.w_layout, order[1:-1] + "IO")
        return conv_nhwc(x, w, self.strides, self.pads, self.dilations, self.groups)


@op("core.conv", quant=BIAS)
class Conv(Convolution):
    """Convolution (cross-correlation) of any spatial rank; see `Convolution`.

    Source: ONNX Conv-11, TensorFlow Conv2D, TFLite CONV_2D/DEPTHWISE_CONV_2D (groups = channels).
    """

    def infer(self) -> TensorType:
        dtype = same_dtype(self.x, self.w)
        return TensorType(dtype, self.result_shape())

    def eval(self, x: Array, w: Array, bias: Array | None) -> Array:
        y = self.convolved(x, w)
        if bias is not None:
            y = y + bias.astype(y.dtype)
        order = "N" + "".join(str(i) for i in range(len(self.y_layout) - 2)) + "C"
        return to_order(y, order, self.y_layout).astype(x.dtype)


def conv_nhwc(x: Array, w: Array, strides: Ints, pads: Pads, dilations: Ints, groups: int) -> Array:
    """x [n, *spatial, c], w [*window, c / groups, o] to [n, *out, o]; accumulates in float32 at least, integers in
    their own type.
    """
    n = len(strides)
    amounts = resolve_pads(pads, x.shape[1 : 1 + n], w.shape[:n], strides, dilations)
    padded = np.pad(x, [(0, 0), *((max(lo, 0), max(hi, 0)) for lo, hi in amounts), (0, 0)])
    crop = tuple(
        slice(max(0, -lo), d - max(0, -hi)) for d, (lo, hi) in zip(padded.shape[1 : 1 + n], amounts, strict=True)
    )
    padded = padded[(slice(None), *crop)]  # what is cut off may be padding: there is more of it than image
    wide = np.result_type(x.dtype, np.float32) if x.dtype.kind not in "iuc" else x.dtype
    spans = tuple((k - 1) * d + 1 for k, d in zip(w.shape[:n], dilations, strict=True))
    views = sliding_window_view(padded, spans, axis=tuple(range(1, 1 + n)))
    views = views[
        (slice(None), *(slice(None, None, s) for s in strides), slice(None), *(slice(None, None, d) for d in dilations))
    ]
    laid = math.prod(views.shape) * wide.itemsize
    if groups == x.shape[-1] == w.shape[-1] or (w.shape[n] >= _SEVERAL_CHANNELS and laid > _MOST_LAID):
        return _by_taps(views, w, groups, wide)
    return _by_windows(views, w, groups, wide)


def _by_taps(views: Array, w: Array, groups: int, wide: np.dtype[np.generic]) -> Array:
    """Sums of one product for each place of the window: nothing is copied that is read again.  views: [n, *out, c,
    *window].
    """
    n, channels = w.ndim - 2, w.shape[-2]
    each = channels == 1 and groups == w.shape[-1]
    results = w.shape[-1] // groups
    kernels = {tap: w[tap].reshape(channels, groups, results).astype(wide) for tap in np.ndindex(*w.shape[:n])}
    y = np.zeros((*views.shape[: 1 + n], w.shape[-1]), wide)
    line = math.prod(views.shape[2 : 2 + n]) * wide.itemsize  # of one place of the outermost axis
    lines = max(1, _AT_ONCE // max(1, line))
    images = max(1, _AT_ONCE // max(1, line * y.shape[1]))
    for first in range(0, len(y), images):
        for start in range(0, y.shape[1], lines):
            here = slice(first, first + images), slice(start, start + lines)
            sums = y[here].reshape(-1, groups, results)  # the same elements: whole images, or lines of one
            for tap, kernel in kernels.items():
                x = views[here][(..., *tap)].reshape(-1, groups, channels).astype(wide, copy=False)
                if each:
                    sums += x * kernel[0]
                else:
                    sums += np.matmul(x.swapaxes(0, 1), kernel.swapaxes(0, 1)).swapaxes(0, 1)
    return y


def _by_windows(views: Array, w: Array, groups: int, wide: np.dtype[np.generic]) -> Array:
    """One product of all windows, laid side by side, where channels are few.  views: [n, *out, c, *window]."""
    n, channels = w.ndim - 2, w.shape[-2]
    spots = views.shape[: 1 + n]
    columns = views.reshape(math.prod(spots), groups, channels * math.prod(w.shape[:n])).astype(wide)
    kernel = w.reshape(*w.shape[:n], channels, groups, w.shape[-1] // groups)
    stacked = np.moveaxis(kernel, (n, n + 1), (1, 0)).reshape(groups, columns.shape[-1], kernel.shape[-1]).astype(wide)
    y = np.matmul(columns.transpose(1, 0, 2), stacked)
    return np.ascontiguousarray(y.transpose(1, 0, 2)).reshape(*spots, w.shape[-1])


@op("core.max_pool", quant=SAME)
class MaxPool(OpDef):
    """Largest value in each window.  x, y by `layout`; padded elements never win; `ceil_mode` counts a last partial
    window.

    Source: ONNX MaxPool-12, TFLite MAX_POOL_2D.
    """

    x: Value = operand()
    window: Ints = attr()
    strides: Ints = attr()
    pads: Pads = attr(check=PADS)
    dilations: Ints = attr()
    ceil_mode: bool = attr(default=False)
    layout: str = attr(default="N01C", check=LAYOUT)
    y: Value = result()

    def infer(self) -> TensorType:
        return _infer_pool(self.x.tensor, ranked(self.x), self)

    def eval(self, x: Array) -> Array:
        lowest = np.asarray(-np.inf if x.dtype.kind not in "iub" else np.iinfo(x.dtype).min).astype(x.dtype)
        views, _ = pool_windows(x, self, lowest)
        return to_order(views.max(axis=tuple(range(x.ndim, views.ndim))), _pool_order(self.layout), self.layout)


class AveragePooling(OpDef):
    """Means over windows.  x, y by `layout`; `ceil_mode` counts a last partial window.  `count_include_pad`: padded
    elements count as zeros in the mean; else only elements of x count.  `halves`: of integers go `up`, or, by default,
    away from the integer 0.
    """

    __slots__ = ()
    x: Value = operand()
    window: Ints = attr()
    strides: Ints = attr()
    pads: Pads = attr(check=PADS)
    dilations: Ints = attr()
    ceil_mode: bool = attr(default=False)
    count_include_pad: bool = attr(default=False)
    layout: str = attr(default="N01C", check=LAYOUT)
    halves: str | None = attr(default=None, check=lambda where: where in (None, "up"))
    y: Value = result()

    def result_type(self) -> TensorType:
        """Raises ConversionError ShapeMismatch where the windows do not fit."""
        return _infer_pool(self.x.tensor, ranked(self.x), self)

    def sums(self, x: Array, fill: Array) -> tuple[Array, Array]:
        """Sums over the windows of x padded with `fill`, [n, c, *out], and how many elements of each count, [*out]."""
        views, counts = pool_windows(x, self, fill)
        return views.sum(axis=tuple(range(x.ndim, views.ndim))), counts

    def laid_out(self, y: Array) -> Array:
        """Results [n, c, *out] by `layout`."""
        return to_order(y, _pool_order(self.layout), self.layout)


@op("core.avg_pool", quant=SAME)
class AvgPool(AveragePooling):
    """Mean of each window, see `AveragePooling`.

    Source: ONNX AveragePool-19, TFLite AVERAGE_POOL_2D (padding not counted).
    """

    def infer(self) -> TensorType:
        return self.result_type()

    def moves_integers(self) -> bool:
        return False

    def eval(self, x: Array) -> Array:
        wide = x.astype(np.float32) if x.dtype.itemsize < 4 and x.dtype.kind not in "iu" else x
        total, counts = self.sums(wide, np.zeros((), wide.dtype))
        return self.laid_out((total / counts).astype(x.dtype))


def ceil_is_floor(pool: MaxPool | AveragePooling, sizes: Shape) -> bool:
    """Ceiling makes no difference to the output size.  sizes: of the axes that windows lie along."""
    if isinstance(pool.pads, str):
        return True
    rows = zip(sizes, pool.window, pool.strides, pool.dilations, pool.pads, strict=True)
    return all(s == 1 or (isinstance(n, int) and (n + sum(pad) - (k - 1) * d - 1) % s == 0) for n, k, s, d, pad in rows)


def _pool_order(layout: str) -> str:
    return "NC" + "".join(map(str, range(len(layout) - 2)))


def _infer_pool(t: TensorType, shape: tuple[Size, ...], pool: MaxPool | AveragePooling) -> TensorType:
    if len(shape) != len(pool.layout):
        raise ConversionError(Code.ShapeMismatch, f"pooling with layout {pool.layout} of {t}: ranks do not fit")
    if any(v < 1 for v in (*pool.window, *pool.strides, *pool.dilations)):
        raise ConversionError(
            Code.ShapeMismatch,
            f"windows of {list(pool.window)} with strides {list(pool.strides)} "
            f"and dilations {list(pool.dilations)} must be positive",
        )
    negative = [pad for pad in _pad_pairs(pool.pads, len(pool.window)) if pad is not None and min(pad) < 0]
    if negative:  # ONNX MaxPool, `pads`: "The pad values should be greater than or equal to 0"
        raise ConversionError(
            Code.AttributeInvalid,
            f"pooling with pads {negative[0]}: they are not below 0",
            help="crop with a Slice or a Pad in front of it",
        )
    out = list(shape)
    for i, (axis, pad) in enumerate(zip(spatial(pool.layout), _pad_pairs(pool.pads, len(pool.window)), strict=True)):
        out[axis] = window_size(shape[axis], pool.window[i], pool.strides[i], pool.dilations[i], pad, pool.ceil_mode)
    return t.with_shape(tuple(out))


def pool_windows(x: Array, pool: MaxPool | AveragePooling, fill: Array) -> tuple[Array, Array]:
    """Windows [n, c, *out, *window] over x padded with `fill`, and how many elements of each window count, [*out]."""
    v = to_order(x, pool.layout, _pool_order(pool.layout))
    sizes = v.shape[2:]
    pads = resolve_pads(pool.pads, sizes, pool.window, pool.strides, pool.dilations)
    spans = [(k - 1) * d + 1 for k, d in zip(pool.window, pool.dilations, strict=True)]
    places = [
        window_size(n, k, s, d, p, pool.ceil_mode)
        for n, k, s, d, p in zip(sizes, pool.window, pool.strides, pool.dilations, pads, strict=True)
    ]
    outs = static(places) or ()
    ends = [
        max(0, (o - 1) * s + e - (n + p[0]))
        for o, s, e, n, p in zip(outs, pool.strides, spans, sizes, pads, strict=True)
    ]
    borders = [(p[0], end) for p, end in zip(pads, ends, strict=True)]
    padded = np.pad(v, [(0, 0), (0, 0), *borders], constant_values=fill)
    include = isinstance(pool, AveragePooling) and pool.count_include_pad
    mask = np.pad(
        np.ones(sizes),
        [(p[0], min(p[1], b[1])) if include else (0, 0) for p, b in zip(pads, borders, strict=True)],
        constant_values=1.0,
    )
    rest = [(0, b[1] - min(p[1], b[1])) if include else b for p, b in zip(pads, borders, strict=True)]
    mask = np.pad(mask, rest)
    n = len(sizes)
    cut = tuple(slice(0, (o - 1) * s + 1, s) for o, s in zip(outs, pool.strides, strict=True))
    step = tuple(slice(None, None, d) for d in pool.dilations)
    views = sliding_window_view(padded, spans, axis=tuple(range(2, 2 + n)))[(slice(None), slice(None), *cut, *step)]
    counts = sliding_window_view(mask, spans)[(*cut, *step)].sum(axis=tuple(range(n, 2 * n)))
    return views, np.maximum(counts, 1).astype(x.dtype if x.dtype.kind in "f" else np.float64)
