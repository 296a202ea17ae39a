"""Transposed convolutions: convolutions of what lies apart, or one for each phase of the strides."""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.transposed import TransposedConvolution
from mlconv.dialects.kernel import (
    Ints,
)
from mlconv.ir.constants import Array, Const, Splat, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.legalize.to_kernel.arithmetic import (
    numbers_of_zeros,
    of_halves,
    stored_weights,
)
from mlconv.legalize.to_kernel.blocked_filters import blocks_of_constant
from mlconv.legalize.to_kernel.builder import KernelBuilder, dims
from mlconv.legalize.to_kernel.convolutions import channels_last
from mlconv.legalize.to_kernel.filters import Filter, by_groups, filter_of
from mlconv.legalize.to_kernel.phases import (
    Attributes,
    by_phase,
    each_phase,
    has_phases,
    lacks_taps,
    phased,
    phases_apart,
    widened,
)
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.ConvTranspose)
def conv_transpose(op: core.ConvTranspose, e: KernelBuilder) -> Value:
    """The input's elements are placed `stride` apart, then convolved with the flipped kernel."""
    stored = stored_weights(op.w, op.groups)
    if stored is not None and op.y.tensor.dtype is DType.F32:
        rest = numbers_of_zeros(stored[1])
        y = _transposed(op, op.x, e.constant(stored[0]), e, stored[1])
        return y if rest is None else e.y(core.Sub(y, _of_zeros(op, stored[0].shape, rest, e)))
    blocks = blocks_of_constant(op, op.w)
    if blocks is not None and op.y.tensor.dtype is DType.F32:
        return _transposed(op, op.x, e.constant(blocks[0]), e, blocks[1])
    halves = of_halves(op.x, op.w, None)
    x, w = (op.x, op.w) if halves is None or const_of(halves[1]) is None else halves[:2]
    return _transposed(op, x, w, e)


def _of_zeros(op: core.ConvTranspose, shape: Ints, numbers: Array, e: KernelBuilder) -> Value:
    """What zero points add, by a kernel of one channel: ones that are stored in bytes."""
    ones = Splat(1, DType.I8, tuple(1 if c == "O" else d for c, d in zip(op.w_layout, shape, strict=True)))
    weights = e.y(core.FromIntegers(e.constant(ones), quant=QuantType.of(DType.I8, 1.0)))
    sums = e.y(core.ConvTranspose(op.x, weights, **op.attributes))
    along = tuple(-1 if c == "C" else 1 for c in op.y_layout)
    return e.y(core.Mul(sums, e.constant(numbers.reshape(along) if numbers.ndim else numbers)))


def _transposed(op: core.ConvTranspose, x: Value, w: Value, e: KernelBuilder, quant: QuantType | None = None) -> Value:
    """x, w: factors of any type.  quant: weights are integers of it, but for its zero points."""
    n = len(op.strides)
    order = channels_last(n)
    x, back = e.transpose(x, tuple(map(op.x_layout.index, order))), tuple(map(order.index, op.y_layout))
    phases = has_phases(op) and op.y.tensor.dtype is DType.F32

    def numbers(kernel: Value, quant: QuantType) -> Value:
        if not isinstance(quant.scheme, Blocked):
            return _numbers(kernel, quant, e)
        return _numbers_of_blocks(op, kernel, quant, e, phases=phases)

    weights = _by_window(op, w, e) if phases else None
    plain = op.x.tensor.dtype is x.tensor.dtype is w.tensor.dtype is DType.F32
    apart = weights is not None and quant is None and plain and lacks_taps(op, weights)
    bias = op.bias if op.bias is None or not phases or apart else each_phase(op.bias, op, e)

    def convolve(image: Value, kernel: Value, attributes: Attributes) -> Value:
        if op.x.tensor.dtype is DType.F32:
            image = widened(image, e)
            kernel = widened(kernel, e) if quant is None else numbers(kernel, quant)
        return e.y(core.Conv(image, kernel, bias, **attributes))

    if weights is not None:
        made = (phases_apart if apart else phased)(op, x, weights, convolve, e)
        return e.transpose(made, back)
    kernel = flipped(op, w, e)
    wide = e.padded(x, [(0, 0), *borders_of(op, dims(kernel)), (0, 0)], 0.0, (1, *op.strides, 1))
    dense: Attributes = {"strides": (1,) * n, "pads": ((0, 0),) * n, "dilations": op.dilations, "groups": op.groups}
    layouts = {"x_layout": order, "w_layout": f"{order[1:-1]}IO", "y_layout": order}
    return e.transpose(convolve(wide, kernel, dense | layouts), back)


def _numbers(kernel: Value, quant: QuantType, e: KernelBuilder) -> Value:
    """Integers [window, I, O], of each group and phase, times their scales."""
    scales = quant.scales.view().reshape(-1)
    if quant.is_per_tensor:
        return e.y(core.FromIntegers(kernel, quant=QuantType.of(quant.storage, scales[0])))
    axis = len(dims(kernel)) - 1
    each = np.tile(scales, dims(kernel)[axis] // scales.size)
    return e.y(core.FromIntegers(kernel, quant=QuantType.of(quant.storage, each, 0, axis)))


def _numbers_of_blocks(
    op: core.ConvTranspose, kernel: Value, quant: QuantType, e: KernelBuilder, *, phases: bool
) -> Value:
    """The same of integers in blocks of I, whose scales are moved as they are; those of taps beyond a window are
    any.
    """

    def moved(c: Const) -> Const:
        w = e.constant(c)
        placed = by_phase(_by_window(op, w, e), op.strides, op.groups).value if phases else flipped(op, w, e)
        known = const_of(placed)
        assert known is not None
        return known

    positive = make_const(np.maximum(moved(quant.scales).view(), np.finfo(np.float32).tiny))  # filled up with zeros
    points = quant.zero_points
    if not isinstance(points, int) or points:
        given = Splat(points, quant.storage, quant.scales.shape) if isinstance(points, int) else points
        points = moved(given)
    scheme = Blocked(len(op.strides), quant.scheme.size if isinstance(quant.scheme, Blocked) else 1)
    return e.y(core.FromIntegers(kernel, quant=QuantType(quant.storage, quant.expressed, scheme, positive, points)))


def _by_window(op: core.ConvTranspose, w: Value, e: KernelBuilder) -> Filter:
    """[window, I, O / groups]."""
    order = channels_last(len(op.strides))
    return filter_of(w, e).transposed(tuple(map(op.w_layout.index, f"{order[1:-1]}IO")))


def borders_of(op: TransposedConvolution, kernel: Ints) -> list[tuple[int, int]]:
    """What lies around the input's elements.  kernel: sizes of the convolution's."""
    borders = []
    for size, dilation, (lo, hi), extra in zip(kernel, op.dilations, op.pads, op.output_pads, strict=False):
        reach = (size - 1) * dilation
        borders.append((reach - lo, reach - hi + extra))
    return borders


def flipped(op: TransposedConvolution, w: Value, e: KernelBuilder) -> Value:
    """The kernel [window, I / groups, O * groups] of the convolution: turned around, the groups moved from I to O.  w:
    plain elements of the op's.
    """
    n = len(op.strides)
    window = tuple(range(n))
    turned = (
        filter_of(w, e).transposed(tuple(op.w_layout.index(c) for c in (*map(str, window), "I", "O"))).turned(window)
    )
    return by_groups(turned, op.groups).value
