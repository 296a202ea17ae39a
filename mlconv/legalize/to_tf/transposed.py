"""Transposed convolutions: Conv2DBackpropInput and Conv3DBackpropInputV2, which take the sizes of their result.

The full result is made with `VALID` and then cut, or grown; `SAME` where TensorFlow cuts the same amounts.  Source:
tensorflow/core/kernels/conv_grad_input_ops.cc: no groups, and no dilations on CPUs.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tf.builder import TfBuilder, refuse
from mlconv.legalize.to_tf.window import LARGEST_RANK, dilated, kernel_sizes, last, split, to_layout, widened, with_bias
from mlconv.rewrite import Rules
from mlconv.rewrite.core_builder import Part

RULES = Rules()


@RULES.rule(core.ConvTranspose)
def conv_transpose(op: core.ConvTranspose, e: TfBuilder) -> Value:
    """Channels last; the filters are [*window, out, in]."""
    count = len(op.strides)
    if count > LARGEST_RANK:
        raise refuse(f"TensorFlow has transposed convolutions along 1 to {LARGEST_RANK} axes, not {count}")
    layout = last(count)
    x = to_layout(e, op.x, op.x_layout, layout)
    w = dilated(e, to_layout(e, op.w, op.w_layout, layout[1:-1] + "OI"), op.dilations)
    xs = split(e, x, count + 1, op.groups) if op.groups > 1 else [x]
    ws = split(e, w, count + 1, op.groups) if op.groups > 1 else [w]
    y = e.concat([_full(op, e, x, w) for x, w in zip(xs, ws, strict=True)], count + 1)
    return to_layout(e, with_bias(e, y, op.bias), layout, op.y_layout)


def _full(op: core.ConvTranspose, e: TfBuilder, x: Value, w: Value) -> Value:
    """One group, without a bias: as large as it gets, then cut by the pads, and grown by those below 0, and by what is
    added behind beyond the steps of a stride.
    """
    count, strides, output_pads = len(op.strides), op.strides, op.output_pads
    pads = [*op.pads]
    if count == 1:
        x, w = e.expand_dims(x, 1), widened(e, w)
        strides, output_pads, pads = (1, *strides), (0, *output_pads), [(0, 0), *pads]
    window = kernel_sizes(w, last(len(strides))[1:-1] + "OI")
    is_same = all(
        k >= s and p == ((k - s) // 2, k - s - (k - s) // 2) and not o
        for k, s, p, o in zip(window, strides, pads, output_pads, strict=True)
    )
    sizes: list[Part] = []
    for i, (k, s, o) in enumerate(zip(window, strides, output_pads, strict=True)):
        n = e.dim(x, 1 + i)
        more = 0 if is_same else k - s + min(o, s - 1)
        sizes.append(n * s + more if isinstance(n, int) else e.add(e.mul(n, s), more))
    y = _emitted(e, x, w, strides, "SAME" if is_same else "VALID", sizes)
    if not is_same:
        beyond = [max(o - s + 1, 0) for o, s in zip(output_pads, strides, strict=True)]
        y = _cut(e, y, [(lo, hi - rest) for (lo, hi), rest in zip(pads, beyond, strict=True)])
    return e.squeeze(y, 1) if count == 1 else y


def _emitted(e: TfBuilder, x: Value, w: Value, strides: tuple[int, ...], padding: str, sizes: list[Part]) -> Value:
    outs = (w.tensor.shape or ())[-2]
    n = e.dim(x, 0)
    channels = outs if isinstance(outs, int) else e.dim(w, len(sizes))
    parts = [n, *sizes, channels]
    fixed = [p for p in parts if isinstance(p, int)]
    shape = e.ints(fixed) if len(fixed) == len(parts) else e.cast(e.vector(parts), DType.I32)
    known = x.tensor.shape
    open_ = tuple(s if isinstance(s, int) else Dim.unknown() for s in sizes)
    t = x.tensor.with_shape(None if known is None else (known[0], *open_, outs))
    name = "Conv2DBackpropInput" if len(sizes) == 2 else "Conv3DBackpropInputV2"
    return e.one(name, [shape, w, x], t, strides=(1, *strides, 1), padding=padding)


def _cut(e: TfBuilder, y: Value, pads: list[tuple[int, int]]) -> Value:
    bounds: dict[int, tuple[Part | None, Part | None, int]] = {
        1 + i: (max(lo, 0), -hi if hi > 0 else None, 1) for i, (lo, hi) in enumerate(pads) if lo > 0 or hi > 0
    }
    y = e.slice(y, bounds) if bounds else y
    grown: list[tuple[Part, Part]] = [(max(-lo, 0), max(-hi, 0)) for lo, hi in pads]
    return e.pad(y, [(0, 0), *grown, (0, 0)])
