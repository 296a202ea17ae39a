"""Pools, resampling and transposed convolutions of integers of quantized tensors."""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounded_base import per_tensor
from mlconv.dialects.core.window import spatial
from mlconv.dialects.kernel import LoopNestOp, Step, View, dense
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import PerAxis, QuantType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, dims, number, sizes
from mlconv.legalize.to_kernel.convolutions import channels_last
from mlconv.legalize.to_kernel.filters import Filter
from mlconv.legalize.to_kernel.integers import handle_of, plain, rounded_number, zero_of
from mlconv.legalize.to_kernel.phases import Attributes, has_phases, phased
from mlconv.legalize.to_kernel.pooling import counts, windows
from mlconv.legalize.to_kernel.transposed import borders_of, flipped
from mlconv.rewrite import Rules

RULES = Rules()
_WHOLE = 1 << 24  # integers that float32 holds, and quotients of which it rounds to no other integer
_WEIGHT_BITS = 11


@RULES.rule(core.QuantAveragePool)
def average_pool(op: core.QuantAveragePool, e: KernelBuilder) -> Value:
    """Sums of the stored integers by how many there are, halves away from zero, or up."""
    of_x, out, axes = per_tensor(op.x), sizes(op.y), spatial(op.layout)
    source = windows(op, plain(op.x, e), zero_of(of_x) if op.count_include_pad else 0, e)
    dtype = DType.F32 if math.prod(op.window) << of_x.storage.bits < _WHOLE else DType.F64
    operands: list[Value] = []
    body = Expr(operands)
    body.cast(body.load(*source), DType.I32)
    after = Expr.after(operands, DType.I32)
    total, count = after.cast(0, dtype), counts(op, e, after, dtype)
    half = after.op("floor", after.with_number("mul", count, 0.5))
    far = total if op.halves else after.op("abs", total)
    mean = after.op("floor", after.op("div", after.op("add", far, half), count))
    if not op.halves:
        negative = after.op("less", total, after.const(dtype, 0.0), dtype=DType.BOOL)
        mean = after.op("select", negative, after.op("neg", mean), mean, dtype=dtype)
    rounded_number(op, after, after.cast(mean, DType.F32), 0)
    step = Step((*out, *op.window), len(axes), "add", body.program(), after.program()[1:], View(0, dense(out)))
    return e.kernel(LoopNestOp(operands, (step,), op.y.tensor.stored))


@RULES.rule(core.QuantConvTranspose)
def conv_transpose(op: core.QuantConvTranspose, e: KernelBuilder) -> Value:
    """The input's elements are placed `stride` apart in its zero points, then convolved with the flipped kernel."""
    n, of_x, of_w = len(op.strides), quantized(op.x), quantized(op.w)
    order = channels_last(n)
    x = e.transpose(plain(op.x, e), tuple(map(op.x_layout.index, order)))
    back = tuple(map(order.index, op.y_layout))
    weights, fixed = handle_of(op.w), op.bias is None or handle_of(op.bias) is not None
    if weights is not None and fixed and op.groups == 1 and has_phases(op) and not of_w.zero_array().any():
        perm = tuple(op.w_layout.index(c) for c in f"{order[1:-1]}IO")
        return e.transpose(_by_phases(op, x, Filter(weights, e).transposed(perm), e), back)
    kernel = flipped(op, plain(op.w, e), e)
    wide = e.padded(x, [(0, 0), *borders_of(op, dims(kernel)), (0, 0)], zero_of(of_x), (1, *op.strides, 1))
    scheme = of_w.scheme if of_w.is_per_tensor else PerAxis(n + 1)
    of_kernel = of_w.with_numbers(scheme, of_w.scales, of_w.zero_points)
    y = e.y(
        core.QuantConv(
            _typed(wide, of_x, e),
            _typed(kernel, of_kernel, e),
            op.bias,
            strides=(1,) * n,
            pads=((0, 0),) * n,
            dilations=op.dilations,
            groups=op.groups,
            x_layout=order,
            w_layout=f"{order[1:-1]}IO",
            y_layout=order,
            element=op.element,
            lo=op.lo,
            hi=op.hi,
        )
    )
    return e.transpose(plain(y, e), back)


def _by_phases(op: core.QuantConvTranspose, x: Value, weights: Filter, e: KernelBuilder) -> Value:
    """x: [batch, places, I]; weights: [window, I, O].  Scales are those of the channels, for each phase."""
    of_x, of_kernel = quantized(op.x), _each_phase(quantized(op.w), len(op.strides) + 1, op)
    bias, bias_of = None, None if op.bias is None else handle_of(op.bias)
    if op.bias is not None and bias_of is not None:
        numbers = e.constant(np.tile(bias_of.view(), math.prod(op.strides)))
        bias = _typed(numbers, _each_phase(quantized(op.bias), 0, op), e)

    def convolve(image: Value, kernel: Value, attributes: Attributes) -> Value:
        attributes = {**attributes, "element": op.element, "lo": op.lo, "hi": op.hi}
        return plain(e.y(core.QuantConv(_typed(image, of_x, e), _typed(kernel, of_kernel, e), bias, **attributes)), e)

    return phased(op, x, weights, convolve, e, zero_of(of_x))


def _each_phase(quant: QuantType, axis: int, op: core.QuantConvTranspose) -> QuantType:
    """The type of numbers of the output channels along an axis, for each phase."""
    if quant.is_per_tensor:
        return quant
    return QuantType.of(quant.storage, np.tile(quant.scales.view().reshape(-1), math.prod(op.strides)), 0, axis)


def _typed(value: Value, quant: QuantType, e: KernelBuilder) -> Value:
    return e.y(core.StorageCast(value, element=quant))


@RULES.rule(core.QuantResize)
def resize(op: core.QuantResize, e: KernelBuilder) -> Value:
    """Four neighbours by weights in fixed point: along the last axis, then along the other one."""
    x, shape, out = plain(op.x, e), sizes(op.x), sizes(op.y)
    strides = dense(shape)
    high, low = (number(shape[a], "the image") for a in op.axes)
    row, column = (number(strides[a], "the image") for a in op.axes)
    apart = row // column  # rows, in columns
    taps = [op.taps(n, number(out[a], "the image")) for n, a in zip((high, low), op.axes, strict=True)]
    kept = View(0, tuple(0 if i in op.axes else s for i, s in enumerate(strides)))

    def build(made: Expr) -> int:
        def table(axis: int, numbers: object, times: int = 1) -> int:
            view = View(0, tuple(int(i == op.axes[axis]) for i in range(len(out))))
            return made.load(e.constant(np.asarray(numbers, np.int32) * times), view)

        def along(axis: int, left: int, right: int) -> int:
            moved = made.op("mul", made.op("sub", right, left), table(axis, taps[axis][2]))
            return made.op("add", made.with_number("shl", left, _WEIGHT_BITS), moved)

        def line(tap: int) -> int:
            places = (made.op("add", table(0, taps[0][tap], apart), table(1, taps[1][i])) for i in (0, 1))
            found = (made.load_at(x, kept, p, column, high * apart) for p in places)
            left, right = (made.cast(v, DType.I32) for v in found)
            return along(1, left, right)

        total = made.with_number("add", along(0, line(0), line(1)), 1 << 2 * _WEIGHT_BITS - 1)
        return made.cast(made.with_number("shr", total, 2 * _WEIGHT_BITS), x.tensor.dtype)

    return e.map(op.y.tensor.stored, build)
