"""Convolutions and matrix products: register tiles where the second factor is a float32 constant, loops otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import resolve_pads
from mlconv.dialects.kernel import (
    PANEL,
    Depthwise,
    DepthwiseOp,
    Gemm,
    GemmOp,
    Instr,
    LoopNestOp,
    OutputIndexing,
    Sizes,
    Step,
    View,
    Winograd,
    WinogradOp,
    dense,
    known,
)
from mlconv.dialects.winograd import OUTPUT_TILE
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dims import product as volume
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, broadcast, dims, number, sizes
from mlconv.legalize.to_kernel.phases import phased
from mlconv.legalize.to_kernel.reduce import accumulator
from mlconv.legalize.to_kernel.winograd import Blocks, are_moderate, blocks_of, transformed
from mlconv.rewrite import Rules

RULES = Rules()

MIN_TILED = 4  # rows and columns of a product whose second factor is worth packing at run time


def packed(weights: Const, depth: int, channels: int) -> Const:
    """[depth, channels] as panels [ceil(channels / 16)][depth][16], zeros behind the last column."""
    panels = -(-channels // PANEL)
    wide = recipes.pad_zeros(weights.reshape((depth, channels)), ((0, 0), (0, panels * PANEL - channels)))
    return recipes.transpose(wide.reshape((depth, panels, PANEL)), (1, 0, 2))


@RULES.rule(core.MatMul)
def matmul(op: core.MatMul, e: KernelBuilder) -> Value:
    """b constant: rows of a over packed weights.  Else loops whose lanes lie along b's rows."""
    a, b = op.a, op.b
    if op.transpose_a:
        a = e.transpose(a, _swap(len(sizes(a))))
    shape, weights = sizes(a), const_of(b)
    if weights is not None and len(sizes(b)) == 2 and op.y.tensor.dtype is DType.F32 and op.y.tensor.size and shape[-1]:
        depth, channels = dims(b)[1 if op.transpose_b else 0], dims(b)[0 if op.transpose_b else 1]
        panels = packed(recipes.transpose(weights, (1, 0)) if op.transpose_b else weights, depth, channels)
        rows = volume(shape[:-1])
        indexing = OutputIndexing(
            (1, 1, rows), View(0, (0, 0, depth)), (), (), channels, (), View(0, dense((1, 1, rows, channels)))
        )
        return e.kernel(GemmOp([a, e.constant(panels)], Gemm(indexing, depth), op.y.tensor))
    if op.transpose_b:
        b = e.transpose(b, _swap(len(sizes(b))))
    if (
        op.y.tensor.dtype is DType.F32
        and op.y.tensor.size
        and sizes(a)[-1]
        and all(not isinstance(d, int) or d >= MIN_TILED for d in sizes(op.y)[-2:])
    ):
        tiled = _product_by_tiles(op, a, b, e)
        if tiled is not None:
            return tiled
    return _product(op, a, b, e)


def _product_by_tiles(op: core.MatMul, a: Value, b: Value, e: KernelBuilder) -> Value | None:
    """b is packed at run time, then rows of a over it; the leading axes become at most two."""
    out, sa, sb = sizes(op.y), sizes(a), sizes(b)
    (m, n), k, lead = out[-2:], sa[-1], out[:-2]
    if not isinstance(n, int) or not isinstance(k, int):
        return None
    axes = _joined(lead, (broadcast(sa[:-2], lead).strides, broadcast(sb[:-2], lead).strides))
    if axes is None:
        return None
    (outer, inner), (la, lb) = axes
    panels, matrices = -(-n // PANEL), volume(sb[:-2])
    packed_type = op.y.tensor.with_shape((matrices, panels, k, PANEL))
    full, tail, strides = n // PANEL, n % PANEL, dense((matrices, panels, k, PANEL))
    steps = []
    if full:
        extents, source = (matrices, full, k, PANEL), View(0, (k * n, PANEL, n, 1))
        steps.append(Step(extents, 0, "", (Instr("load", DType.F32, (0,), source),), (), View(0, strides)))
    if tail:
        start = full * strides[1]
        source = View(full * PANEL, (k * n, 0, n, 1))
        steps.append(
            Step((matrices, 1, k, tail), 0, "", (Instr("load", DType.F32, (0,), source),), (), View(start, strides))
        )
        steps.append(
            Step(
                (matrices, 1, k, PANEL - tail),
                0,
                "",
                (Instr("const", DType.F32, (), 0.0),),
                (),
                View(start + tail, strides),
            )
        )
    weights = e.kernel(LoopNestOp([b], tuple(steps), packed_type))
    rows, each = (outer, inner, m), panels * k * PANEL
    indexing = OutputIndexing(
        rows, View(0, (la[0] * m * k, la[1] * m * k, k)), (), (), n, (), View(0, dense((*rows, n)))
    )
    return e.kernel(GemmOp([a, weights], Gemm(indexing, k, (lb[0] * each, lb[1] * each)), op.y.tensor))


def _joined(lead: Sizes, strides: tuple[Sizes, Sizes]) -> tuple[tuple[Size, Size], list[tuple[Size, Size]]] | None:
    """Leading axes joined into two where both factors run on: (extents, strides of each factor in matrices), or None
    when there are more.
    """
    extents: list[Size] = []
    kept: list[Sizes] = []
    for extent, *both in zip(lead, *strides, strict=True):
        if extent == 1:
            continue
        if extents and all(before == now * extent for before, now in zip(kept[-1], both, strict=True)):
            extents[-1] = extents[-1] * extent
            kept[-1] = tuple(both)
        else:
            extents.append(extent)
            kept.append(tuple(both))
    if len(extents) > 2:
        return None
    extents = [*[1] * (2 - len(extents)), *extents]
    kept = [*[(0, 0)] * (2 - len(kept)), *kept]
    return (extents[0], extents[1]), [(kept[0][i], kept[1][i]) for i in range(2)]


def _swap(rank: int) -> tuple[int, ...]:
    return (*range(rank - 2), rank - 1, rank - 2)


def _product(op: core.MatMul, a: Value, b: Value, e: KernelBuilder) -> Value:
    """a [..., n, k] x b [..., k, m] as a reduction."""
    out, sa, sb = sizes(op.y), sizes(a), sizes(b)
    lead, depth = out[:-2], sa[-1]
    if depth == 0:
        return e.map(op.y.tensor, lambda x: x.const(op.y.tensor.dtype, 0))
    la, lb = broadcast(sa, (*lead, *sa[-2:])).strides, broadcast(sb, (*lead, *sb[-2:])).strides
    n = len(lead)
    views = View(0, (*la[:n], sa[-1], 0, 1)), View(0, (*lb[:n], 0, 1, sb[-1]))
    return _sum_of_products((a, b), views, (*out, depth), 1, None, op.y, e)


def _sum_of_products(
    factors: tuple[Value, Value],
    views: tuple[View, View],
    extents: Sizes,
    reduced: int,
    bias: tuple[Value, View] | None,
    y: Value,
    e: KernelBuilder,
) -> Value:
    """y = sum over the last axes of both factors, plus a bias."""
    operands: list[Value] = []
    body, dtype = Expr(operands), y.tensor.dtype
    wide = accumulator(dtype)
    body.op("mul", *(body.cast(body.load(v, view), wide) for v, view in zip(factors, views, strict=True)))
    after = Expr.after(operands, wide)
    if bias is not None:
        after.op("add", 0, after.cast(after.load(*bias), wide))
    after.cast(len(after.code) - 1, dtype)
    kept = extents[: len(extents) - reduced]
    step = Step(extents, reduced, "add", body.program(), after.program()[1:], View(0, dense(kept)))
    return e.kernel(LoopNestOp(operands, (step,), y.tensor))


@RULES.rule(core.Conv)
def conv(op: core.Conv, e: KernelBuilder) -> Value:
    """Channels last; padding is a copy into a larger buffer."""
    n = len(op.strides)
    digits = "".join(map(str, range(n)))
    order = f"N{digits}C"
    if op.x_layout != order or op.y_layout != order:
        x = e.transpose(op.x, tuple(op.x_layout.index(c) for c in order))
        y = e.y(
            core.Conv(
                x,
                op.w,
                op.bias,
                strides=op.strides,
                pads=op.pads,
                dilations=op.dilations,
                groups=op.groups,
                x_layout=order,
                w_layout=op.w_layout,
                y_layout=order,
            )
        )
        return e.transpose(y, tuple(order.index(c) for c in op.y_layout))
    shape, kernel = sizes(op.x), tuple(dims(op.w)[op.w_layout.index(c)] for c in digits)
    pads = _pads(op, shape[1:-1], kernel)
    perm = tuple(op.w_layout.index(c) for c in f"{digits}IO")
    weights = const_of(op.w)
    plain = (
        e.winograd
        and kernel == (3, 3)
        and op.strides == op.dilations == (1, 1)
        and op.groups == 1
        and op.y.tensor.dtype is DType.F32
    )
    if weights is not None and plain:
        blocks = blocks_of(sizes(op.y), shape[-1])
        if blocks is not None and are_moderate(weights, op.w_layout):
            return _winograd(op, recipes.transpose(weights, perm), pads, blocks, e)
    x = e.padded(op.x, [(0, 0), *pads, (0, 0)], 0.0)
    if weights is not None and n <= 2 and op.y.tensor.dtype is DType.F32:
        if op.groups == 1:
            return _tiled(op, x, recipes.transpose(weights, perm), e)
        if op.groups == sizes(x)[-1] == sizes(op.y)[-1]:
            return _depthwise(op, x, recipes.transpose(weights, perm), e)
        if sizes(x)[0] == 1 and weights.shape[perm[-1]] // op.groups >= MIN_TILED:
            return _grouped(op, x, recipes.transpose(weights, perm), e)
    w = e.transpose(op.w, perm)
    return _direct(op, x, w, e)


def _pads(op: core.Conv, image: Sizes, kernel: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Low and high padding, which must be fixed."""
    if not isinstance(op.pads, str):
        return op.pads
    return resolve_pads(op.pads, tuple(number(d, "the image") for d in image), kernel, op.strides, op.dilations)


def _output_indexing(op: core.Conv, x: Value, window: tuple[int, ...], operands: list[Value]) -> OutputIndexing:
    """Where the result lies, and the elements of the padded image x that each of its own reads."""
    out, image, n = sizes(op.y), dense(sizes(x)), len(op.strides)
    steps = [s * k for s, k in zip(op.strides, image[1:-1], strict=True)]
    inner = tuple(d * k for d, k in zip(op.dilations, image[1:-1], strict=True))
    rows = (out[0], *(1,) * (2 - n), *out[1:-1])
    after = Expr.after(operands, DType.F32)
    if op.bias is not None:
        after.op("add", 0, after.add(Instr("load", DType.F32, (after.operand(op.bias),), View(0, (0, 0, 0, 1)))))
    view = View(0, (image[0], *(0,) * (2 - n), *steps))
    return OutputIndexing(
        rows,
        view,
        window,
        inner,
        number(out[-1], "the number of channels"),
        after.program()[1:],
        View(0, dense((*rows, out[-1]))),
    )


def _tiled(op: core.Conv, x: Value, weights: Const, e: KernelBuilder) -> Value:
    """Convolution as a product: the rows are places in the padded image."""
    depth, channels = math.prod(weights.shape[:-1]), weights.shape[-1]
    operands = [x, e.constant(packed(weights, depth, channels))]
    indexing = _output_indexing(op, x, weights.shape[:-2], operands)
    return e.kernel(GemmOp(operands, Gemm(indexing, weights.shape[-2]), op.y.tensor))


def _grouped(op: core.Conv, x: Value, weights: Const, e: KernelBuilder) -> Value:
    """One image: the groups take the place of the batch, each with its own part of the channels and of the weights."""
    window, (cin, cout) = weights.shape[:-2], weights.shape[-2:]
    depth, channels = math.prod(weights.shape[:-1]), cout // op.groups
    split = recipes.transpose(weights.reshape((depth, op.groups, channels)), (1, 0, 2))
    panels = -(-channels // PANEL)
    wide = recipes.pad_zeros(split, ((0, 0), (0, 0), (0, panels * PANEL - channels)))
    operands = [x, e.constant(recipes.transpose(wide.reshape((op.groups, depth, panels, PANEL)), (0, 2, 1, 3)))]
    indexing = _output_indexing(op, x, window, operands)
    rows, (_, row, column, _) = (op.groups, *indexing.rows[1:]), indexing.out.strides
    # the bias
    after = tuple(i._replace(value=View(0, (channels, 0, 0, 1))) if i.opcode == "load" else i for i in indexing.after)
    source = View(0, (cin, *indexing.x.strides[1:]))
    indexing = indexing._replace(
        rows=rows, x=source, channels=channels, after=after, out=View(0, (channels, row, column, 1))
    )
    return e.kernel(GemmOp(operands, Gemm(indexing, cin, (panels * depth * PANEL, 0)), op.y.tensor))


def _winograd(
    op: core.Conv, weights: Const, pads: Sequence[tuple[int, int]], blocks: Blocks, e: KernelBuilder
) -> Value:
    """The padded image is large enough for whole tiles."""
    wide = [(lo, hi + -d % OUTPUT_TILE) for (lo, hi), d in zip(pads, known(sizes(op.y)[1:3]), strict=True)]
    x = e.padded(op.x, [(0, 0), *wide, (0, 0)], 0.0)
    depth, channels = math.prod(weights.shape[:-1]), weights.shape[-1]
    operands = [x, e.constant(transformed(weights)), e.constant(packed(weights, depth, channels))]
    indexing = _output_indexing(op, x, (3, 3), operands)
    return e.kernel(WinogradOp(operands, Winograd(indexing, weights.shape[2], blocks.rows, blocks.slots), op.y.tensor))


def _depthwise(op: core.Conv, x: Value, weights: Const, e: KernelBuilder) -> Value:
    """One weight for each place of the window and channel."""
    operands = [x, e.constant(weights.reshape((math.prod(weights.shape[:-1]), weights.shape[-1])))]
    indexing = _output_indexing(op, x, weights.shape[:-2], operands)
    return e.kernel(DepthwiseOp(operands, Depthwise(indexing), op.y.tensor))


def _direct(op: core.Conv, x: Value, w: Value, e: KernelBuilder) -> Value:
    """Any groups: kept axes (batch, places, group, channel of group), reduced ones (window, input channel of group)."""
    out, image, sw, n = sizes(op.y), dense(sizes(x)), dims(w), len(op.strides)
    groups, per_group = op.groups, out[-1] // op.groups
    places = tuple(s * k for s, k in zip(op.strides, image[1:-1], strict=True))
    inner = tuple(d * k for d, k in zip(op.dilations, image[1:-1], strict=True))
    depth = sw[-2]
    strides = dense(sw)
    xs = View(0, (image[0], *places, depth, 0, *inner, 1))
    ws = View(0, (0, *(0,) * n, per_group, 1, *strides[:n], strides[-2]))
    extents = (*out[:-1], groups, per_group, *sw[:n], depth)
    bias = None if op.bias is None else (op.bias, View(0, (0, *(0,) * n, per_group, 1)))
    if groups == 1 or per_group == 1:  # one axis of channels, so that what follows can be fused
        drop = n + 1 if groups == 1 else n + 2
        xs, ws = (View(0, v.strides[:drop] + v.strides[drop + 1 :]) for v in (xs, ws))
        extents = extents[:drop] + extents[drop + 1 :]
        bias = None if op.bias is None else (op.bias, View(0, (*(0,) * (n + 1), 1)))
    return _sum_of_products((x, w), (xs, ws), extents, n + 1, bias, op.y, e)


@RULES.rule(core.ConvTranspose)
def conv_transpose(op: core.ConvTranspose, e: KernelBuilder) -> Value:
    """The input's elements are placed `stride` apart, then convolved with the flipped kernel."""
    n = len(op.strides)
    digits = "".join(map(str, range(n)))
    order = f"N{digits}C"
    x = e.transpose(op.x, tuple(op.x_layout.index(c) for c in order))
    perm, weights = tuple(op.w_layout.index(c) for c in f"{digits}IO"), const_of(op.w)
    if (
        weights is not None
        and op.groups == 1
        and max(op.strides) > 1
        and max(op.dilations) == 1
        and op.y.tensor.dtype is DType.F32
    ):
        return e.transpose(
            phased(op, x, recipes.transpose(weights, perm), e), tuple(order.index(c) for c in op.y_layout)
        )
    kernel = _flipped(op, perm, n, e)
    borders = []
    for size, dilation, (lo, hi), extra in zip(dims(kernel)[:n], op.dilations, op.pads, op.output_pads, strict=True):
        reach = (size - 1) * dilation
        borders.append((reach - lo, reach - hi + extra))
    wide = e.padded(x, [(0, 0), *borders, (0, 0)], 0.0, (1, *op.strides, 1))
    y = e.y(
        core.Conv(
            wide,
            kernel,
            op.bias,
            strides=(1,) * n,
            pads=((0, 0),) * n,
            dilations=op.dilations,
            groups=op.groups,
            x_layout=order,
            w_layout=f"{digits}IO",
            y_layout=order,
        )
    )
    return e.transpose(y, tuple(order.index(c) for c in op.y_layout))


def _flipped(op: core.ConvTranspose, perm: tuple[int, ...], n: int, e: KernelBuilder) -> Value:
    """The kernel [window, I / groups, O * groups] of the convolution: turned around, the groups moved from I to O."""
    weights, window = const_of(op.w), tuple(range(n))
    shape = tuple(dims(op.w)[p] for p in perm)
    split = (*shape[:n], op.groups, shape[n] // op.groups, shape[n + 1])
    moved = (*window, n + 1, n, n + 2)
    joined = (*shape[:n], shape[n] // op.groups, op.groups * shape[n + 1])
    if weights is not None:
        kernel = recipes.flip(recipes.transpose(weights, perm), window)
        return e.constant(kernel if op.groups == 1 else recipes.transpose(kernel.reshape(split), moved).reshape(joined))
    w = e.y(core.Reverse(e.transpose(op.w, perm), axes=window))
    return w if op.groups == 1 else e.reshape(e.transpose(e.reshape(w, split), moved), joined)
