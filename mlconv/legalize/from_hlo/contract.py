"""dot, convolution and fft.  Source: openxla.org/xla/operation_semantics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.window import spatial
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.open_windows import by_open_window, has_open_window
from mlconv.legalize.from_hlo.operands import (
    axes_in,
    checked,
    dims,
    hlo_rules,
    pad_inside,
    parts_of,
    result,
)
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import Part

RULES: Final = hlo_rules()

_BYTES = (DType.I8, DType.U8)


@RULES.rule("dot")
@checked
def dot(n: SourceNode) -> Value:
    """Both sides brought to [batch, rows, inner] x [batch, inner, columns]; they are computed in the result's element
    type.
    """
    out = result(n)
    a, b = n.operand(0), n.operand(1)
    short = out.dtype is DType.I32 and a.tensor.dtype in _BYTES and b.tensor.dtype in _BYTES
    cls = core.IntegerMatMul if short else core.MatMul
    if not short:
        a, b = n.cast(a, out.dtype), n.cast(b, out.dtype)
    sa, sb = n.dims(a), n.dims(b)
    lc, rc = axes_in(n, n.attr("lhs_contracting"), len(sa)), axes_in(n, n.attr("rhs_contracting"), len(sb))
    lb, rb = axes_in(n, n.attr("lhs_batch"), len(sa)), axes_in(n, n.attr("rhs_batch"), len(sb))
    lf = [i for i in range(len(sa)) if i not in (*lc, *lb)]
    rf = [i for i in range(len(sb)) if i not in (*rc, *rb)]
    batch, inner = [sa[i] for i in lb], n.prod([sa[i] for i in lc])
    lead = [n.prod(batch)] if batch else []
    left = n.reshape(n.transpose(a, [*lb, *lf, *lc]), [*lead, n.prod([sa[i] for i in lf]), inner])
    columns = n.prod([sb[i] for i in rf])
    if len(rc) == 1 and len(rf) == 1 and list(rb) == list(range(len(rb))) and rf[0] < rc[0]:
        right = n.y(cls(left, n.reshape(b, [*lead, columns, inner]), transpose_b=True))
    else:
        right = n.y(cls(left, n.reshape(n.transpose(b, [*rb, *rc, *rf]), [*lead, inner, columns])))
    return n.reshape(right, [*batch, *(sa[i] for i in lf), *(sb[i] for i in rf)])


@RULES.rule("convolution")
@checked
def convolution(n: SourceNode) -> Value:
    """core.conv; a stretched input gets its elements before, a reversed window a turned kernel; groups of the batch
    become groups of channels.
    """
    return _convolved(n, [(row[2], row[3]) for row in n.attr("window")])


@RULES.rule("dynamic-conv")
@checked
def dynamic_conv(n: SourceNode) -> Value:
    """Operand 2 says how many zeros lie around: of "SAME", sizes of the input do."""
    edges = n.operand(2)
    shape = dims(edges)
    if len(shape) != 2 or shape[1] != 2:
        raise ConversionError(Code.ShapeMismatch, f"{n.kind}: the padding is a {edges.tensor}, not pairs", operand=2)
    parts = parts_of(n, n.reshape(n.cast(edges, DType.I64), [2 * shape[0]]))
    return _convolved(n, list(zip(parts[::2], parts[1::2], strict=True)))


def _convolved(n: SourceNode, edges: Sequence[tuple[Part, Part]]) -> Value:
    """edges: zeros around each axis."""
    out = result(n)
    x, w = n.operand(0), n.operand(1)
    is_open = has_open_window(n, w)
    short = not is_open and out.dtype is DType.I32 and x.tensor.dtype in _BYTES and w.tensor.dtype in _BYTES
    if not short:
        x, w = n.cast(x, out.dtype), n.cast(w, out.dtype)
    x_layout, w_layout, groups = n.attr("x_layout"), n.attr("w_layout"), n.attr("groups")
    if n.attr("batch_groups", 1) != 1:
        if groups != 1:
            raise n.unsupported("groups of both the batch and the features")
        groups = n.attr("batch_groups", 1)
        x, x_layout = _batch_to_channels(n, x, x_layout, groups)
    axes, taps = spatial(x_layout), spatial(w_layout)
    window = n.attr("window")
    if len(window) != len(axes) or len(edges) != len(axes):
        raise n.unsupported(f"a window of {len(window)} axes for {len(axes)}")
    turned = tuple(sorted(taps[i] for i in n.attr("reversed", ())))
    if any(row[5] > 1 for row in window) and groups == 1 and not short and not is_open:
        transposed = _transposed(n, x, w, turned, edges)
        if transposed is not None:
            return transposed
    w = n.y(core.Reverse(w, axes=turned)) if turned else w
    for axis, row in zip(axes, window, strict=True):
        x = pad_inside(n, x, n.asarray(0, x), axis, row[5] - 1)
    pads = [(lo, hi) for lo, hi in edges if isinstance(lo, int) and isinstance(hi, int)]
    if len(pads) < len(edges) or is_open:
        around: list[tuple[Part, Part]] = [(0, 0)] * n.rank(x)
        for axis, edge in zip(axes, edges, strict=True):
            around[axis] = edge
        x, pads = n.pad(x, around, n.asarray(0, x)), [(0, 0)] * len(edges)
    if is_open:
        return by_open_window(n, x, x_layout, w, groups)
    nothing = _nothing(n, x, w)
    if nothing is not None:
        return nothing
    conv = (core.IntegerConv if short else core.Conv)(
        x,
        w,
        strides=tuple(r[1] for r in window),
        pads=tuple(pads),
        dilations=tuple(r[4] for r in window),
        groups=groups,
        x_layout=x_layout,
        w_layout=w_layout,
        y_layout=n.attr("y_layout"),
    )
    return n.y(conv)


def _nothing(n: SourceNode, x: Value, w: Value) -> Value | None:
    """A result of no elements, where the window is longer than an axis with its padding; None where there are some."""
    out = result(n)
    if 0 not in (out.shape or ()):
        return None
    own: dict[str, Part] = {
        "N": n.dim(x, n.attr("x_layout").index("N")),
        "O": n.dim(w, n.attr("w_layout").index("O")),
    }
    sizes = [
        size if isinstance(size, int) else own.get("O" if letter == "C" else letter)
        for letter, size in zip(n.attr("y_layout"), out.shape or (), strict=True)
    ]
    told = [size for size in sizes if size is not None]
    if len(told) < len(sizes):
        return None
    return n.broadcast_to(n.constant(np.asarray(0), out.dtype), told)


def _transposed(
    n: SourceNode, x: Value, w: Value, turned: Sequence[int], edges: Sequence[tuple[Part, Part]]
) -> Value | None:
    """A convolution of an operand that is stretched, as the transposed one that it is: its taps are the other way
    round, and what it crops is what the window reaches beyond the edges.  turned: axes of w.  None where the window
    moves by more than 1, or begins outside.
    """
    window, w_layout = n.attr("window"), n.attr("w_layout")
    taps = spatial(w_layout)
    pads, more = [], []
    for tap, (size, step, _, _, dilation, _), (low, high) in zip(taps, window, edges, strict=True):
        if step != 1 or not isinstance(low, int) or not isinstance(high, int) or n.dim(w, tap) != size:
            return None
        reach = (size - 1) * dilation
        if low > reach:
            return None
        pads.append((reach - low, max(0, reach - high)))
        more.append(max(0, high - reach))
    flipped = tuple(tap for tap in sorted(taps) if tap not in turned)
    return n.y(
        core.ConvTranspose(
            x,
            n.y(core.Reverse(w, axes=flipped)) if flipped else w,
            strides=tuple(row[5] for row in window),
            pads=tuple(pads),
            output_pads=tuple(more),
            dilations=tuple(row[4] for row in window),
            x_layout=n.attr("x_layout"),
            w_layout=w_layout,
            y_layout=n.attr("y_layout"),
        )
    )


def _batch_to_channels(n: SourceNode, x: Value, layout: str, groups: int) -> tuple[Value, str]:
    """Part g of the batch as the g-th group of channels: output features of group g see that part alone.  The result is
    batch first, then channels.
    """
    spatial_axes = spatial(layout)
    x = n.transpose(x, [layout.index("N"), layout.index("C"), *spatial_axes])
    batch, channels, *rest = n.dims(x)
    if isinstance(batch, int) and batch % groups:
        raise n.unsupported(f"a batch of {batch} in {groups} groups")
    part = batch // groups if isinstance(batch, int) else n.y(core.FloorDiv(batch, n.asarray(groups, batch)))
    parts = n.reshape(x, [groups, part, channels, *rest])
    moved = n.transpose(parts, [1, 0, *range(2, len(rest) + 3)])
    together = groups * channels if isinstance(channels, int) else n.mul(channels, groups)
    return n.reshape(moved, [part, together, *rest]), "NC" + "".join(map(str, range(len(rest))))


@RULES.rule("fft")
@checked
def fft(n: SourceNode) -> Value:
    """Over the last axes."""
    x, length, kind = n.operand(0), n.attr("fft_length"), n.attr("fft_type")
    rank = n.rank(x)
    axes = tuple(range(rank - len(length), rank))
    if kind in ("FFT", "IFFT"):
        return n.y(core.Fft(x, axes=axes, inverse=kind == "IFFT"))
    if kind == "RFFT":
        return n.y(core.Rfft(x, axes=axes))
    if kind == "IRFFT" and length:
        return n.y(core.Irfft(x, axes=axes, length=length[-1]))
    raise n.unsupported(f"transform {kind!r}")
