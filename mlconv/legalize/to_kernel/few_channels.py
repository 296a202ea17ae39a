"""Convolutions of few channels whose results have channels first: constant weights times what windows read, which is
laid side by side, as that is far less than the results.
"""

from __future__ import annotations

import math

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import spatial
from mlconv.dialects.kernel import FLOAT32, Gemm, GemmOp, Instr, OutputIndexing, Program, View, dense
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.arithmetic import of_halves, panels_of
from mlconv.legalize.to_kernel.builder import KernelBuilder, dims, sizes
from mlconv.legalize.to_kernel.filters import filter_of
from mlconv.legalize.to_kernel.windows import borders, start_of


def is_by_patches(op: core.Conv) -> bool:
    """Of float32, with weights that are known."""
    first = op.y_layout == _channels_first(len(op.strides))
    floats = all(v.tensor.dtype is DType.F32 for v in (op.x, op.w, op.y))
    known = const_of(op.w) is not None and of_halves(op.x, op.w, op.bias) is None
    return first and floats and known and op.has_few_inputs()


def _channels_first(axes: int) -> str:
    return f"NC{''.join(map(str, range(axes)))}"


def by_patches(op: core.Conv, e: KernelBuilder) -> Value:
    """y [n, outputs, places] = w [outputs, channels and window] by what is read, [n, channels and window, places]."""
    order = _channels_first(len(op.strides))
    x = e.transpose(op.x, tuple(op.x_layout.index(c) for c in order))
    kernel = tuple(dims(op.w)[a] for a in spatial(op.w_layout))
    around = borders(op.pads, sizes(x)[2:], kernel, op.strides, op.dilations)
    x = e.padded(x, [(0, 0), (0, 0), *(b.amounts for b in around)], 0.0)
    out, (image, channel, *lines) = dims(op.y), dense(sizes(x))
    steps = [s * k for s, k in zip(op.strides, lines, strict=True)]
    inner = [d * k for d, k in zip(op.dilations, lines, strict=True)]
    view = View(start_of(around, lines), (image, channel, *inner, *steps))
    extents = (out[0], sizes(x)[1], *kernel, *out[2:])
    depth, places = math.prod(dims(op.w)) // out[1], math.prod(out[2:])
    laid = (out[0], depth, places)
    patches = e.reshape(x, laid) if op.is_product() else e.copy(x, x.tensor.with_shape(laid), view, extents)
    operands = [_rows(op, depth, e), panels_of(patches, out[0], depth, places, FLOAT32, e)]
    after: Program = ()
    if op.bias is not None:
        operands.append(op.bias)
        after = Instr("load", DType.F32, (2,), View(0, (0, 0, 1, 0))), Instr("add", DType.F32, (0, 1))
    rows = (1, out[0], out[1])
    indexing = OutputIndexing(rows, View(0, (0, 0, depth)), (), (), places, after, View(0, dense((*rows, places))))
    each = FLOAT32.columns(places, False) * depth
    return e.kernel(GemmOp(operands, Gemm(indexing, depth, (0, each)), op.y.tensor))


def _rows(op: core.Conv, depth: int, e: KernelBuilder) -> Value:
    """Weights of each result, channel by channel."""
    order = (op.w_layout.index("O"), op.w_layout.index("I"), *spatial(op.w_layout))
    turned = filter_of(op.w, e).transposed(order)
    return turned.reshaped((turned.shape[0], depth)).value
