"""Convolutions: register tiles where they are worth packing the filter for, loops otherwise."""

from __future__ import annotations

import math

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import Convolution
from mlconv.dialects.kernel import (
    BFLOAT16,
    PANEL,
    WORD,
    Depthwise,
    DepthwiseOp,
    Gemm,
    GemmOp,
    IntegerWinograd,
    IntegerWinogradOp,
    Ints,
    OutputIndexing,
    View,
    Winograd,
    WinogradOp,
    dense,
)
from mlconv.dialects.winograd import OUTPUT_TILE, SMALL_TILE
from mlconv.ir import recipes
from mlconv.ir.constants import Const, Splat
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.shapes import static
from mlconv.legalize.to_kernel.arithmetic import (
    HALF_TYPES,
    Arithmetic,
    Packing,
    are_of_4_bits,
    numbers_of_zeros,
    of_halves,
    of_numbers,
    of_stored,
    packed,
    packing_of,
    stored_weights,
    sum_of_products,
)
from mlconv.legalize.to_kernel.builder import KernelBuilder, dims, number, sizes
from mlconv.legalize.to_kernel.few_channels import by_patches, is_by_patches
from mlconv.legalize.to_kernel.few_rows import MIN_TILED
from mlconv.legalize.to_kernel.filters import Filter, bytes_of_halves, filter_in_blocks
from mlconv.legalize.to_kernel.integer_winograd import IntegerBlocks, integer_blocks_of, small_transformed
from mlconv.legalize.to_kernel.live_taps import by_live_taps
from mlconv.legalize.to_kernel.windows import Border, borders, start_of
from mlconv.legalize.to_kernel.winograd import Blocks, are_moderate, blocks_of, middle_apart, transformed
from mlconv.rewrite import Rules

RULES = Rules()
_NEAR = 1 << 20  # bytes of gathered windows that stay in a second-level cache
_SHORT = 8  # places of a line that is short
_LINE = 64  # bytes of a line of a cache
_SETS = 4  # of such lines, between two of which every fourth one lies, of all that a first-level cache has
_WORTH_HALVES = 1 << 8  # bytes of weights that 4 bits are worth an op for
_MEMBERS = 4  # channels of a group, at most, that are not products of their own: of eight some are slower so
_FILLED = 10  # times the channels, that members of all lanes are at most
_LEAST = 8  # lines of a place that one more makes but little longer


@RULES.rule(core.Conv)
def conv(op: core.Conv, e: KernelBuilder) -> Value:
    """Channels last; padding is a copy into a larger buffer."""
    n, weights = len(op.strides), const_of(op.w)
    order = channels_last(n)
    if is_by_patches(op):
        return by_patches(op, e)
    if op.x_layout != order or op.y_layout != order:
        x = e.transpose(op.x, tuple(op.x_layout.index(c) for c in order))
        y = e.y(core.Conv(x, op.w, op.bias, **{**op.attributes, "x_layout": order, "y_layout": order}))
        return e.transpose(y, tuple(order.index(c) for c in op.y_layout))
    in_parts = by_live_taps(op, e)
    if in_parts is not None:
        return in_parts
    stored = stored_weights(op.w, op.groups)
    if stored is not None and op.y.tensor.dtype is DType.F32:
        y = convolution(op, op.x, e.constant(stored[0]), of_stored(*stored, op.bias, e), e)
        rest = numbers_of_zeros(stored[1])
        if rest is None:
            return y
        return e.y(core.Sub(y, e.y(core.Mul(_sums_of_windows(op, stored[0].shape, e), e.constant(rest)))))
    halves = of_halves(op.x, op.w, op.bias)
    if halves is not None and const_of(halves[1]) is not None:
        x, w, arithmetic = halves
        return convolution(op, x, w, arithmetic, e)
    plain = _has_fewer(op, e) and op.y.tensor.dtype is DType.F32
    arithmetic = of_numbers(op.y.tensor.dtype, op.bias)
    blocks = blocks_of(sizes(op.y), sizes(op.x)[-1]) if weights is not None and plain else None
    if weights is not None and blocks is not None:
        if are_moderate(weights, op.w_layout):
            return _winograd(op, weights, arithmetic, blocks, e)
        apart = middle_apart(weights, op.w_layout) if _reaches_out(op) else None
        if apart is not None:
            return e.y(core.Add(_winograd(op, apart[0], arithmetic, blocks, e), _of_middle(op, apart[1], e)))
    return convolution(op, op.x, op.w, arithmetic, e)


def _reaches_out(op: Convolution) -> bool:
    """The middle of a window of 3 x 3 moves over the whole image at least."""
    return all(isinstance(n, int) and n > 0 for lo, hi, _ in _borders(op) for n in (lo, hi))


def _of_middle(op: core.Conv, weights: Const, e: KernelBuilder) -> Value:
    """What the middle of the window adds."""
    pads = tuple((lo - 1, hi - 1) for lo, hi, _ in _borders(op))
    return e.y(core.Conv(op.x, e.constant(weights), **{**op.attributes, "pads": pads}))


def _has_fewer(op: Convolution, e: KernelBuilder) -> bool:
    """Winograd's algorithm needs fewer products, and may be used."""
    window = tuple(dims(op.w)[p] for p in _perm(op)[:-2])
    return e.forms.winograd and window == (3, 3) and op.strides == op.dilations == (1, 1) and op.groups == 1


def _integer_blocks(op: Convolution, filter_: Filter, arithmetic: Arithmetic, e: KernelBuilder) -> IntegerBlocks | None:
    """In what blocks bytes are multiplied so; None where they are not: weights of 4 bits would become many times as
    large.
    """
    types, result = arithmetic.types, static(sizes(op.y))
    bytes_ = types.x in (DType.I8, DType.U8) and (types.weights, types.sums) == (DType.I8, DType.I32)
    if not (e.forms.pairs and bytes_ and arithmetic.has_tiles and types.places == WORD and _has_fewer(op, e)):
        return None
    channels = number(sizes(op.x)[-1], "the number of channels")
    blocks = None if result is None else integer_blocks_of(result, channels)
    packing = _packing(filter_, channels, 1, arithmetic)
    return None if packing.halved or packing.types.weights is DType.I4 else blocks


def _sums_of_windows(op: core.Conv, shape: tuple[int, ...], e: KernelBuilder) -> Value:
    """Sums of the windows of x, in one channel, by ones that are stored in bytes."""
    ones = e.constant(Splat(1, DType.I8, tuple(1 if c == "O" else d for c, d in zip(op.w_layout, shape, strict=True))))
    numbers = e.y(core.FromIntegers(ones, quant=QuantType.of(DType.I8, 1.0)))
    return e.y(core.Conv(op.x, numbers, **op.attributes))


def channels_last(axes: int) -> str:
    """The layout of images with so many spatial axes."""
    return f"N{''.join(map(str, range(axes)))}C"


def convolution(op: Convolution, x: Value, w: Value, arithmetic: Arithmetic, e: KernelBuilder) -> Value:
    """A convolution of layouts with channels last, of plain elements x and w that may be other values than the op's."""
    filter_, channels = filter_in_blocks(op, w, e).transposed(_perm(op)), sizes(x)[-1]
    weights = filter_.constant
    blocks = None if weights is None else _integer_blocks(op, filter_, arithmetic, e)
    if weights is not None and blocks is not None:
        return _integer_winograd(op, x, weights, arithmetic, blocks, e)
    members = 0 if weights is None else _members(op, weights, channels, arithmetic)
    by_channels = members > 0
    x, times = _spread(op, x, weights, e) if weights is not None and members == 1 else (x, 1)
    in_panels = weights is not None or filter_.blocks is not None or _is_worth_packing(op, filter_, arithmetic)
    grouped = in_panels and not by_channels and _is_grouped(op, filter_, arithmetic)
    amounts: list[tuple[Size, Size]] = [b.amounts for b in _borders(op)]
    if grouped and len(amounts) == 2:
        amounts[0] = amounts[0][0], amounts[0][1] + _lines_below(op)
    copied = by_channels and any(a != (0, 0) for a in amounts)
    apart = _apart(number(sizes(x)[-1], "the number of channels"), arithmetic.types.x, e) if copied else 0
    x = e.padded(x, [(0, 0), *amounts, (0, apart)], arithmetic.padding)
    if in_panels and arithmetic.has_tiles and op.groups == 1 and (len(op.strides) <= 2 or _is_volume(op)):
        return _tiled(op, x, filter_, arithmetic, e)
    if weights is not None and by_channels:
        return _depthwise(op, x, weights, (times, members), arithmetic, e)
    if grouped:
        return _grouped(op, x, filter_, arithmetic, e)
    return _direct(op, x, filter_.value, arithmetic, e)


def _is_worth_packing(op: Convolution, filter_: Filter, arithmetic: Arithmetic) -> bool:
    """Weights of the run are read for so many places that panels pay, whose runs have no room between them."""
    types, out = arithmetic.types, sizes(op.y)
    places = [d for d in out[:-1] if isinstance(d, int)]
    many = len(places) < len(out) - 1 or math.prod(places) >= MIN_TILED
    runs, run = math.prod(filter_.shape[:-2]), filter_.shape[-2]
    whole = run > 0 and types.filled(runs, run) == (runs, run)
    return arithmetic.has_tiles and many and whole and filter_.shape[-1] // op.groups >= MIN_TILED


def _members(op: Convolution, weights: Const, channels: Size, arithmetic: Arithmetic) -> int:
    """Channels that each result is made of, where vectors have those of several groups: 1, or of floats as many as a
    group has results, a power of two; 0 where panels are better, as of a single group.  weights: [window, I, O].
    """
    each, results = weights.shape[-2], weights.shape[-1] // op.groups
    if len(op.strides) > 2 or not arithmetic.has_tiles or op.groups == 1 or channels != op.groups * each:
        return 0
    if each == 1:
        return 1
    floats, wide = arithmetic.types.x is arithmetic.types.sums is DType.F32, -(-weights.shape[-1] // PANEL) * PANEL
    few = each == results <= _MEMBERS and each * wide <= _FILLED * weights.shape[-1]
    return each if floats and few and each & each - 1 == 0 else 0


def _spread(op: Convolution, x: Value, weights: Const, e: KernelBuilder) -> tuple[Value, int]:
    """x, and how many results a kernel makes of each of its channels (a depth multiplier): a power of two; for other
    numbers channels lie in x as often.
    """
    shape, times = sizes(x), weights.shape[-1] // op.groups
    if times & times - 1 == 0:
        return x, times
    view = View(0, (*dense(shape), 0))
    return e.copy(x, x.tensor.with_shape((*shape[:-1], shape[-1] * times)), view, (*shape, times)), 1


def _apart(channels: int, dtype: DType, e: KernelBuilder) -> int:
    """Elements to leave out behind the channels of each place, which else lie a power of two of lines apart: those of a
    window would share few sets of a first-level cache, and push each other out.
    """
    line = _LINE // dtype.itemsize
    spreads = e.forms.caches and channels % (line * _SETS) == 0
    return line if spreads and channels >= line * _LEAST else 0


def _is_volume(op: Convolution) -> bool:
    """One volume: its planes are like images of a batch."""
    return len(op.strides) == 3 and sizes(op.y)[0] == 1


def _perm(op: Convolution) -> tuple[int, ...]:
    """The axes of the filter as [window, I, O]."""
    return tuple(op.w_layout.index(c) for c in f"{channels_last(len(op.strides))[1:-1]}IO")


def _borders(op: Convolution) -> list[Border]:
    """What lies around the image."""
    kernel = tuple(dims(op.w)[p] for p in _perm(op)[:-2])
    return borders(op.pads, sizes(op.x)[1:-1], kernel, op.strides, op.dilations)


def _output_indexing(
    op: Convolution, x: Value, window: tuple[int, ...], operands: list[Value], arithmetic: Arithmetic
) -> OutputIndexing:
    """Where the result lies, and the elements of the padded image x that each of its own reads."""
    out, image, n = sizes(op.y), dense(sizes(x)), len(op.strides)
    steps = [s * k for s, k in zip(op.strides, image[1:-1], strict=True)]
    inner = tuple(d * k for d, k in zip(op.dilations, image[1:-1], strict=True))
    outer = () if n > 2 else (out[0],), () if n > 2 else (image[0],)  # a volume's planes take the place of the batch
    rows = (*outer[0], *(1,) * (2 - n), *out[1:-1])
    view = View(start_of(_borders(op), image[1:-1]), (*outer[1], *(0,) * (2 - n), *steps))
    channels, after = number(out[-1], "the number of channels"), arithmetic.epilogue(operands, View(0, (0, 0, 0, 1)))
    return OutputIndexing(rows, view, window, inner, channels, after, View(0, dense((*rows, out[-1]))))


def _tiled(op: Convolution, x: Value, filter_: Filter, arithmetic: Arithmetic, e: KernelBuilder) -> Value:
    """Convolution as a product: the rows are places in the padded image."""
    *window, cin, _ = filter_.shape
    gathered = arithmetic.types == BFLOAT16 and _is_gathered(op, filter_)
    run = math.prod(window) * cin if gathered else cin
    packing = _packing(filter_, run, 1, arithmetic)
    panels, is_dense = filter_.panels(packing, run, 1)
    operands = [x, panels]
    indexing = _output_indexing(op, x, tuple(window), operands, arithmetic)
    if gathered:
        operands[0], indexing = _gathered(x, indexing, cin, e)
    problem = Gemm(indexing, run, types=packing.types, shift=arithmetic.shift, dense=is_dense)
    return e.kernel(GemmOp(operands, problem, op.y.tensor.stored))


def _packing(filter_: Filter, run: int, groups: int, arithmetic: Arithmetic) -> Packing:
    weights, types = filter_.constant, arithmetic.types
    if weights is None:
        return Packing(types)
    return packing_of(types, weights, math.prod(filter_.shape[:-1]) // run, run, filter_.shape[-1] // groups)


def _is_gathered(op: Convolution, filter_: Filter) -> bool:
    """Windows are worth laying side by side in front of a product that takes 16 places at a time: lines are short, or
    windows of one place lie apart; and the copy stays in a second-level cache.
    """
    out = sizes(op.y)
    fixed, depth = static(out[:-1]), math.prod(filter_.shape[:-1])
    if fixed is None or math.prod(fixed) * depth * 2 > _NEAR:
        return False
    apart = depth == filter_.shape[-2] and max(op.strides) > 1
    return apart or (2 <= fixed[-1] <= _SHORT and math.prod(fixed[1:]) > fixed[-1])


def _gathered(x: Value, indexing: OutputIndexing, cin: int, e: KernelBuilder) -> tuple[Value, OutputIndexing]:
    """The windows of x side by side, and a product of their rows."""
    rows, window = indexing.rows, indexing.window
    extents, depth = (*rows, *window, cin), math.prod(window) * cin
    view = View(indexing.x.offset, (*indexing.x.strides, *indexing.window_strides, 1))
    made = e.copy(x, x.tensor.with_shape((*rows, depth)), view, extents)
    source = View(0, dense((*rows, depth))[:3])
    return made, indexing._replace(x=source, window=(), window_strides=())


def _is_grouped(op: Convolution, filter_: Filter, arithmetic: Arithmetic) -> bool:
    """Products for each group."""
    several = op.groups > 1 and filter_.shape[-2:] != (1, op.groups)
    tiled = arithmetic.has_tiles and len(op.strides) <= 2
    return several and tiled and filter_.shape[-1] // op.groups >= MIN_TILED


def _lines_between(op: Convolution) -> int:
    """Lines of results that windows across the border of two images make, as images lie one below the other."""
    if len(op.strides) < 2 or 1 in sizes(op.y)[:2]:
        return 0
    border = _borders(op)[0]
    reached = (dims(op.w)[_perm(op)[0]] - 1) * op.dilations[0] + 1 + (0 if border.shift == 0 else border.low)
    return -(-reached // op.strides[0]) - 1


def _lines_below(op: Convolution) -> Size:
    """Lines below the padded image, so that the next one begins a whole number of steps further."""
    if 1 in sizes(op.y)[:2]:
        return 0
    height = op.strides[0] * (sizes(op.y)[1] + _lines_between(op))
    return height - (sizes(op.x)[1] + sum(_borders(op)[0].amounts))


def _grouped(op: Convolution, x: Value, filter_: Filter, arithmetic: Arithmetic, e: KernelBuilder) -> Value:
    """Lines of all images by groups, each with its own part of the channels and of the weights: of several images those
    between two of them, too, which are left out afterwards.
    """
    window, (cin, cout) = filter_.shape[:-2], filter_.shape[-2:]
    channels, packing = cout // op.groups, _packing(filter_, cin, op.groups, arithmetic)
    panels, is_dense = filter_.panels(packing, cin, op.groups)
    types = packing.types
    operands = [x, panels]
    indexing = _output_indexing(op, x, window, operands, arithmetic)
    (images, lines, columns), (image, line, *_) = indexing.rows, indexing.x.strides
    between, first = _lines_between(op), images == 1  # of one image a group's weights are read for all lines
    many = images if lines == 1 else images * (lines + between) - between

    def ordered(of_lines: Size, of_groups: Size) -> tuple[Size, Size]:
        return (of_groups, of_lines) if first else (of_lines, of_groups)

    own = View(0, (*ordered(0, channels), 0, 1))  # numbers of each channel
    after = tuple(i._replace(value=own) if i.opcode == "load" else i for i in indexing.after)
    indexing = indexing._replace(
        rows=(*ordered(many, op.groups), columns),
        x=View(indexing.x.offset, (*ordered(image if lines == 1 else line, cin), indexing.x.strides[2])),
        channels=channels,
        after=after,
        out=View(0, (*ordered(columns * cout, channels), cout, 1)),
    )
    problem = Gemm(indexing, cin, types=types, shift=arithmetic.shift, dense=is_dense)
    problem = problem._replace(weight_strides=ordered(0, problem.columns * problem.depth // types.shared))
    made, shape = op.y.tensor.stored, sizes(op.y)
    if not between:
        return e.kernel(GemmOp(operands, problem, made))
    tall = (shape[0], shape[1] + between, *shape[2:])
    return e.copy(e.kernel(GemmOp(operands, problem, made.with_shape(tall))), made, View(0, dense(tall)))


def _winograd(op: core.Conv, weights: Const, arithmetic: Arithmetic, blocks: Blocks, e: KernelBuilder) -> Value:
    """The padded image is large enough for whole tiles."""
    weights = recipes.transpose(weights, _perm(op))
    x = _of_whole_tiles(op, op.x, OUTPUT_TILE, 0.0, e)
    depth, channels = math.prod(weights.shape[:-1]), weights.shape[-1]
    operands = [x, e.constant(transformed(weights)), e.constant(packed(weights, depth, channels))]
    indexing = _output_indexing(op, x, (3, 3), operands, arithmetic)
    return e.kernel(WinogradOp(operands, Winograd(indexing, weights.shape[2], *blocks), op.y.tensor))


def _of_whole_tiles(op: Convolution, x: Value, tile: int, padding: float, e: KernelBuilder) -> Value:
    """x with padding that whole tiles of results read."""
    lacking = [-d % tile if isinstance(d, int) else tile - 1 for d in sizes(op.y)[1:3]]
    wide = [(lo, hi + more) for (lo, hi, _), more in zip(_borders(op), lacking, strict=True)]
    return e.padded(x, [(0, 0), *wide, (0, 0)], padding)


def _integer_winograd(
    op: Convolution, x: Value, weights: Const, arithmetic: Arithmetic, blocks: IntegerBlocks, e: KernelBuilder
) -> Value:
    """The same of bytes."""
    x = _of_whole_tiles(op, x, SMALL_TILE, arithmetic.padding, e)
    (cin, channels), types = weights.shape[2:], arithmetic.types
    direct = packed(weights, 9 * cin, channels, types, cin)
    operands = [x, e.constant(small_transformed(weights)), e.constant(direct)]
    indexing = _output_indexing(op, x, (3, 3), operands, arithmetic)
    problem = IntegerWinograd(indexing, cin, types, arithmetic.shift, *blocks)
    return e.kernel(IntegerWinogradOp(operands, problem, op.y.tensor.stored))


def _depthwise(
    op: Convolution, x: Value, weights: Const, repeats: Ints, arithmetic: Arithmetic, e: KernelBuilder
) -> Value:
    """One weight for each place of the window, member of a group and channel; those of 4 and 16 bits are widened first:
    they are few, and each is read for every place of the image.  repeats: `times` and `members` of the problem.
    """
    types, channels = arithmetic.types, weights.shape[-1]
    apart = _apart(channels, types.weights, e)
    rows = weights.reshape((math.prod(weights.shape[:-1]), channels))
    if weights.dtype is DType.I8 and weights.nbytes >= _WORTH_HALVES and are_of_4_bits(weights):
        w = bytes_of_halves(rows, channels + apart, e)
    else:
        w = e.constant(recipes.pad_zeros(rows, ((0, 0), (0, apart))))
    if weights.dtype in HALF_TYPES:
        w, types = e.y(core.Cast(w, dtype=DType.F32)), types._replace(weights=DType.F32)
    operands = [x, w]
    indexing = _output_indexing(op, x, weights.shape[:-2], operands, arithmetic)
    problem = Depthwise(indexing, types, channels + apart if apart else 0, *repeats)
    return e.kernel(DepthwiseOp(operands, problem, op.y.tensor.stored))


def _direct(op: Convolution, x: Value, w: Value, arithmetic: Arithmetic, e: KernelBuilder) -> Value:
    """Any groups: kept axes (batch, places, group, channel of group), reduced ones (window, input channel of group)."""
    out, image, sw, n = sizes(op.y), dense(sizes(x)), dims(w), len(op.strides)
    groups, per_group = op.groups, out[-1] // op.groups
    places = tuple(s * k for s, k in zip(op.strides, image[1:-1], strict=True))
    inner = tuple(d * k for d, k in zip(op.dilations, image[1:-1], strict=True))
    depth = sw[-2]
    strides = dense(sw)
    start = start_of(_borders(op), image[1:-1])
    xs = View(start, (image[0], *places, depth, 0, *inner, 1))
    ws = View(0, (0, *(0,) * n, per_group, 1, *strides[:n], strides[-2]))
    extents = (*out[:-1], groups, per_group, *sw[:n], depth)
    along = View(0, (0, *(0,) * n, per_group, 1))
    if groups == 1 or per_group == 1:  # one axis of channels, so that what follows can be fused
        drop = n + 1 if groups == 1 else n + 2
        xs, ws = (View(v.offset, v.strides[:drop] + v.strides[drop + 1 :]) for v in (xs, ws))
        extents = extents[:drop] + extents[drop + 1 :]
        along = View(0, (*(0,) * (n + 1), 1))
    return sum_of_products((x, w), (xs, ws), extents, n + 1, arithmetic, op.y.tensor.stored, e, along)
