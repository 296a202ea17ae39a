"""Convolutions by weights of 4 bits in blocks of input channels, as products of matrices, which take such as they are
stored.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import known_pads, spatial
from mlconv.ir import recipes
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.shapes import static
from mlconv.passes.quantized.weights import BLOCK
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.core_builder import CoreBuilder


class _Places(NamedTuple):
    """Along the spatial axes: places of the window, what lies around x, and sizes of the result."""

    window: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    out: tuple[int, ...]


def is_product_of_blocks(user: Op, w: Value, quant: QuantType) -> bool:
    """Numbers of such weights are those of a convolution that can be a product of matrices."""
    scheme = quant.scheme
    if not isinstance(user, core.Conv) or user.groups != 1 or user.w is not w or user.x is w:
        return False
    if not isinstance(scheme, Blocked) or quant.storage is not DType.I4 or user.x.tensor.dtype is not DType.F32:
        return False
    fits = scheme.axis == user.w_layout.index("I") and scheme.size % BLOCK == 0
    return (
        fits
        and (w.tensor.shape or ())[scheme.axis] == quant.scales.shape[scheme.axis] * scheme.size
        and bool(_places(user))
    )


def _places(op: core.Conv) -> _Places | None:
    shape, found, made = op.x.tensor.shape, op.w.tensor.shape, op.y.tensor.shape
    if shape is None or found is None or made is None:
        return None
    sizes = tuple(shape[i] for i in spatial(op.x_layout))
    window, out = static(found[i] for i in spatial(op.w_layout)), static(made[i] for i in spatial(op.y_layout))
    if window is None or out is None:
        return None
    pads = known_pads(sizes, tuple(window), op.strides, op.dilations, op.pads)
    return None if pads is None else _Places(tuple(window), pads, tuple(out))


def block_convolutions(block: Block) -> None:
    """Rewrite those of a block."""
    for border in [*walk(block)]:
        if not isinstance(border, core.Dequantize) or const_of(border.x) is None:
            continue
        quant = quantized(border.x)
        for user in [*border.y.users]:
            if isinstance(user, core.Conv) and is_product_of_blocks(user, border.y, quant):
                _as_product(user, border, quant)
        if not border.y.users:
            edit.erase(border)


def _as_product(op: core.Conv, border: core.Dequantize, quant: QuantType) -> None:
    rewriter, places, stored = Rewriter(op), _places(op), const_of(border.x)
    assert places is not None and stored is not None and isinstance(quant.scheme, Blocked)
    e, axes = CoreBuilder(rewriter), [str(i) for i in range(len(places.window))]
    perm = tuple(op.w_layout.index(c) for c in (*axes, "I", "O"))
    matrix, scales = (recipes.transpose(c, perm) for c in (stored, quant.scales))
    zeros = quant.zero_points
    columns = matrix.shape[-1]
    element = quant.with_numbers(
        Blocked(0, quant.scheme.size),
        scales.reshape((scales.size // columns, columns)),
        zeros if isinstance(zeros, int) else recipes.transpose(zeros, perm).reshape((scales.size // columns, columns)),
    )
    w = e.y(core.Dequantize(e.constant(matrix.reshape((matrix.size // columns, columns)), element=element)))
    y = e.matmul(_patches(op, places, e), w)
    y = y if op.bias is None else e.add(y, op.bias)
    order = f"N{''.join(axes)}C"
    rewriter.replace(op, e.transpose(y, [order.index(c) for c in op.y_layout]))


def _patches(op: core.Conv, places: _Places, e: CoreBuilder) -> Value:
    """x with the channels of all places of a window behind one another."""
    axes = [str(i) for i in range(len(places.window))]
    x = e.transpose(op.x, [op.x_layout.index(c) for c in ("N", *axes, "C")])
    if any(n for pair in places.pads for n in pair):
        x = e.pad(x, [(0, 0), *places.pads, (0, 0)])
    parts = []
    for place in itertools.product(*map(range, places.window)):
        bounds: dict[int, tuple[int | Value | None, int | Value | None, int]] = {}
        for i, (at, n) in enumerate(zip(place, places.out, strict=True)):
            begin = at * op.dilations[i]
            bounds[i + 1] = (begin, begin + (n - 1) * op.strides[i] + 1, op.strides[i])
        parts.append(x if _is_whole(op, places) else e.slice(x, bounds))
    return parts[0] if len(parts) == 1 else e.concat(parts, len(axes) + 1)


def _is_whole(op: core.Conv, places: _Places) -> bool:
    """A window of one place that goes to each place."""
    return all(n == 1 for n in (*places.window, *op.strides)) and not any(n for pair in places.pads for n in pair)
