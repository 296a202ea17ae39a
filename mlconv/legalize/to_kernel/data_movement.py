"""Data movement: copies by views, and aliases."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.slicing import is_from_end, wrapped
from mlconv.dialects.kernel import Instr, LoopNestOp, Step, View, dense
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, maximum, minimum, product, total
from mlconv.ir.estimates import estimate
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.arithmetic import narrow_factor
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, broadcast, dims, fixed, refuse, sizes
from mlconv.rewrite import Rules
from mlconv.rewrite.fold import constant_array

RULES = Rules()

_SEVERAL = 16
_LONG = 32  # elements of lines of which each has a part


@RULES.rule(core.Reshape, core.ExpandDims, core.Squeeze)
def alias(op: core.Reshape | core.ExpandDims | core.Squeeze, e: KernelBuilder) -> Value:
    """Row-major order stays: nothing moves."""
    return e.alias(op.x, op.y.tensor)


@RULES.rule(core.Transpose)
def transpose(op: core.Transpose, e: KernelBuilder) -> Value:
    made = op.x.producer
    if isinstance(made, core.Resize) and _is_turned_first(op, made):
        axes = tuple(op.perm.index(axis) for axis in made.axes)
        turned = e.transpose(made.x, op.perm)
        return e.y(core.Resize(turned, made.sizes, **{**made.attributes, "axes": axes}))
    strides = dense(sizes(op.x))
    return e.copy(op.x, op.y.tensor, View(0, tuple(strides[p] for p in op.perm)))


def _is_turned_first(op: core.Transpose, made: core.Resize) -> bool:
    """An image that a resize makes several times as large, and whose channels are not to be innermost, is turned while
    it is small.
    """
    small, large = (estimate(product(sizes(v))) for v in (made.x, made.y))
    is_last = op.x.has_one_use and op.perm[-1] in made.axes and len(op.perm) - 1 not in made.axes
    return is_last and made.mode != "nearest" and large >= _SEVERAL * small


@RULES.rule(core.BroadcastTo)
def broadcast_to(op: core.BroadcastTo, e: KernelBuilder) -> Value:
    return e.copy(op.x, op.y.tensor, broadcast(sizes(op.x), sizes(op.y)))


@RULES.rule(core.Slice)
def slice_(op: core.Slice, e: KernelBuilder) -> Value:
    """Python's slices; a negative stride is a negative stride of the view."""
    shape, strides = sizes(op.x), dense(sizes(op.x))
    steps = fixed(op.strides, "stride").reshape(-1)
    begin, end = _slice_bounds(op.begin, op.begin_mask, "begin"), _slice_bounds(op.end, op.end_mask, "end")
    offset: Size = 0
    out = []
    for i, size in enumerate(shape):
        lo = begin[i]
        if lo is not None and op.wraps(i):
            lo = maximum(wrapped(lo, size), 0) if steps[i] > 0 else wrapped(lo, size)
        start, step = _start(lo, end[i], int(steps[i]), size)
        offset = offset + start * strides[i]
        out.append(step * strides[i])
    return e.copy(op.x, op.y.tensor, View(offset, tuple(out)))


def _slice_bounds(value: Value, mask: int, what: str) -> list[Size | None]:
    """Ends of a slice; None where it is open."""
    found = _told_by_sizes(value, what, mask)
    return [None if mask >> i & 1 else k for i, k in enumerate(found)]


def _told_by_sizes(value: Value, what: str, unused: int = 0) -> list[Size]:
    """Numbers, or sizes of the run.  unused: bits of entries that do not count.  Raises ConversionError TargetLacksOp
    for other numbers that are computed at run time.
    """
    array = constant_array(value)
    known = value.known if array is None else array.reshape(-1).tolist()
    count = math.prod(dims(value)) if known is None else len(known)
    found = [0 if unused >> i & 1 else known[i] if known else None for i in range(count)]
    numbers = [k for k in found if isinstance(k, int) or (k is not None and k.is_known)]
    if len(numbers) < len(found):
        raise refuse(f"{what} is computed at run time, and not from sizes")
    return numbers


def _start(lo: Size | None, hi: Size | None, step: int, size: Size) -> tuple[Size, int]:
    """First element and step of a slice; along a size that is known at run time its ends must be told from where they
    count.
    """
    if isinstance(lo, Dim) or isinstance(hi, Dim):  # sizes: conditions see to it that they count from the front
        return (_first(lo, size) if step > 0 else _last(lo, size)), step
    if isinstance(size, int):
        start, _, step = slice(lo, hi, step).indices(size)
        return start, step
    return (_first(lo, size) if step > 0 else _last(lo, size)), step


def _first(lo: Size | None, size: Size) -> Size:
    if lo is None:
        return 0
    return maximum(size + lo, 0) if is_from_end(lo) else lo


def _last(lo: Size | None, size: Size) -> Size:
    """Where a slice to the left begins."""
    if lo is None:
        return size - 1
    return maximum(size + lo, 0) if is_from_end(lo) else minimum(lo, size - 1)


@RULES.rule(core.Split)
def split(op: core.Split, e: KernelBuilder) -> Sequence[Value]:
    strides, parts = dense(sizes(op.x)), []
    start: Size = 0
    for y in op.ys:
        parts.append(
            e.copy(op.x, y.tensor, View(start * strides[op.axis], strides)) if y.tensor.size else e.nothing(y.tensor)
        )
        start = start + sizes(y)[op.axis]
    return parts


@RULES.rule(core.Concat)
def concat(op: core.Concat, e: KernelBuilder) -> Value:
    """One copy for each operand, into one buffer."""
    shape = sizes(op.y)
    start: Size = 0
    strides, operands, steps = dense(shape), list(dict.fromkeys(op.xs)), []
    axis = op.axis % len(shape)
    for x in op.xs:
        extents = sizes(x)
        if product(extents) != 0:
            body = (Instr("load", x.tensor.dtype, (operands.index(x),), View(0, dense(extents))),)
            steps.append(Step(extents, 0, "", body, (), View(start * strides[axis], strides)))
        start = start + extents[axis]
    return e.kernel(LoopNestOp(operands, tuple(steps), op.y.tensor))


@RULES.rule(core.Tile)
def tile(op: core.Tile, e: KernelBuilder) -> Value:
    """Each axis becomes (repeats, size)."""
    shape = sizes(op.x)
    repeats = _told_by_sizes(op.repeats, "the number of repeats")
    extents = tuple(n for r, d in zip(repeats, shape, strict=True) for n in (r, d))
    strides = tuple(n for s in dense(shape) for n in (0, s))
    return e.copy(op.x, op.y.tensor, View(0, strides), extents)


@RULES.rule(core.Reverse)
def reverse(op: core.Reverse, e: KernelBuilder) -> Value:
    shape, strides = sizes(op.x), dense(sizes(op.x))
    axes = {a % len(shape) for a in op.axes}
    offset = total((shape[a] - 1) * strides[a] for a in axes)
    return e.copy(op.x, op.y.tensor, View(offset, tuple(-s if i in axes else s for i, s in enumerate(strides))))


@RULES.rule(core.DepthToSpace)
def depth_to_space(op: core.DepthToSpace, e: KernelBuilder) -> Value:
    """A transposition of six axes: batch, then rows, columns and channels of the result with their two halves."""
    shape, b = sizes(op.x), op.block_size
    nchw = op.layout == "NCHW"
    strides = dense(shape)
    (sn, sc, sh, sw) = strides if nchw else (strides[0], strides[3], strides[1], strides[2])
    n, h, w, depth = shape[0], shape[2 if nchw else 1], shape[3 if nchw else 2], shape[1 if nchw else 3] // (b * b)
    crd = op.mode == "crd"
    channel, row, column = (b * b, b, 1) if crd else (1, b * depth, depth)
    axes = {
        "n": (n, sn),
        "h": (h, sh),
        "i": (b, row * sc),
        "w": (w, sw),
        "j": (b, column * sc),
        "c": (depth, channel * sc),
    }
    order = [axes[k] for k in ("nchiwj" if nchw else "nhiwjc")]
    return e.copy(op.x, op.y.tensor, View(0, tuple(s for _, s in order)), tuple(d for d, _ in order))


@RULES.rule(core.SpaceToDepth)
def space_to_depth(op: core.SpaceToDepth, e: KernelBuilder) -> Value:
    """The inverse transposition: the halves of rows and columns become channels."""
    b, nchw = op.block_size, op.layout == "NCHW"
    n, c, h, w = sizes(op.x) if nchw else (sizes(op.x)[i] for i in (0, 3, 1, 2))
    strides = dense(sizes(op.x))
    sn, sc, sh, sw = strides if nchw else (strides[i] for i in (0, 3, 1, 2))
    axes = {"n": (n, sn), "h": (h // b, b * sh), "i": (b, sh), "w": (w // b, b * sw), "j": (b, sw), "c": (c, sc)}
    if nchw and estimate(w) >= _LONG * b:
        return _lines_apart(op.x, axes, op.y.tensor, e)
    order = [axes[k] for k in ("nijchw" if nchw else "nhwijc")]
    return e.copy(op.x, op.y.tensor, View(0, tuple(s for _, s in order)), tuple(d for d, _ in order))


def _lines_apart(x: Value, axes: dict[str, tuple[Size, Size]], y: TensorType, e: KernelBuilder) -> Value:
    """Line by line of x, so that each is read once."""
    order, result = "nchijw", "nijchw"
    target = dict(zip(result, dense(tuple(axes[k][0] for k in result)), strict=True))
    body = (Instr("load", x.tensor.dtype, (0,), View(0, tuple(axes[k][1] for k in order))),)
    step = Step(tuple(axes[k][0] for k in order), 0, "", body, (), View(0, tuple(target[k] for k in order)))
    return e.kernel(LoopNestOp([x], (step,), y))


@RULES.rule(core.SpaceToBatch)
def space_to_batch(op: core.SpaceToBatch, e: KernelBuilder) -> Value:
    """Padding, then a transposition with the blocks in front."""
    m = len(op.block_size)
    pads = [(int(lo), int(hi)) for lo, hi in fixed(op.pads, "the pad amount")]
    x = e.padded(op.x, [(0, 0), *pads, *[(0, 0)] * (len(sizes(op.x)) - 1 - m)], 0)
    shape, strides = sizes(x), dense(sizes(x))
    inner = [(b, strides[1 + i]) for i, b in enumerate(op.block_size)]
    outer = [(shape[1 + i] // b, strides[1 + i] * b) for i, b in enumerate(op.block_size)]
    order = [*inner, (shape[0], strides[0]), *outer, *zip(shape[1 + m :], strides[1 + m :], strict=True)]
    return e.copy(x, op.y.tensor, View(0, tuple(s for _, s in order)), tuple(d for d, _ in order))


@RULES.rule(core.BatchToSpace)
def batch_to_space(op: core.BatchToSpace, e: KernelBuilder) -> Value:
    """The blocks go back between the elements; crops are a second copy."""
    m, shape, strides = len(op.block_size), sizes(op.x), dense(sizes(op.x))
    n = shape[0] // math.prod(op.block_size)
    order, block = [(n, strides[0])], n * strides[0]
    parts = []
    for b in reversed(op.block_size):
        parts.append((b, block))
        block *= b
    for i, part in enumerate(reversed(parts)):
        order += [(shape[1 + i], strides[1 + i]), part]
    order += zip(shape[1 + m :], strides[1 + m :], strict=True)
    whole = (n, *(s * b for s, b in zip(shape[1:], op.block_size, strict=False)), *shape[1 + m :])
    y = e.copy(op.x, op.x.tensor.with_shape(whole), View(0, tuple(s for _, s in order)), tuple(d for d, _ in order))
    crops = [(-int(lo), -int(hi)) for lo, hi in fixed(op.crops, "the crop")]
    return e.padded(y, [(0, 0), *crops, *[(0, 0)] * (len(shape) - 1 - m)], 0)


@RULES.rule(core.ShapeOf)
def shape_of(op: core.ShapeOf, e: KernelBuilder) -> Value:
    shape = sizes(op.x)
    if op.x.tensor.is_static:
        return e.constant(np.asarray(dims(op.x), op.dtype.numpy))
    steps = []
    for i, size in enumerate(shape):
        expr = Expr([])
        expr.size(op.dtype, size)
        steps.append(Step((1,), 0, "", expr.program(), (), View(i, (1,))))
    return e.kernel(LoopNestOp([], tuple(steps), op.y.tensor))


@RULES.rule(core.Gather)
def gather(op: core.Gather, e: KernelBuilder) -> Value:
    """Slices of x by an index that is loaded; it is limited to the axis.  Numbers that are stored in 16 bits are
    widened behind that.
    """
    stored = narrow_factor(op.x)
    if stored is not op.x and const_of(stored) is not None:
        picked = e.y(core.Gather(stored, op.indices, **op.attributes))
        return e.y(core.Cast(picked, dtype=op.x.tensor.dtype))
    shape, index, batch = sizes(op.x), sizes(op.indices), op.batch_dims
    axis = op.axis % len(shape)
    strides = dense(shape)
    lead, rest = shape[:axis], shape[axis + 1 :]
    own = index[batch:]
    extents = (*lead, *own, *rest)
    places = dense(index)
    at = View(0, (*places[:batch], *(0,) * (axis - batch), *places[batch:], *(0,) * len(rest)))
    data = View(0, (*strides[:axis], *(0,) * len(own), *strides[axis + 1 :]))

    def build(x: Expr) -> int:
        position = x.add(Instr("load", op.indices.tensor.dtype, (x.operand(op.indices),), at))
        return x.load_at(op.x, data, position, strides[axis], shape[axis])

    return e.map(op.y.tensor, build, extents)
