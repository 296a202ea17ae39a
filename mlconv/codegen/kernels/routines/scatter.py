"""Writes at computed positions.  A position outside of the tensor is left out: memory is never left."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import BOOL, I64, Code, Num, Number, Step
from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel import dense, needs_scalars
from mlconv.dialects.kernel.routines import ScatterElements, ScatterNd, Segment, UpdateSlice
from mlconv.ir.dims import Size, ceildiv, product
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

Scattered = ScatterNd | ScatterElements | UpdateSlice
_LINE, _PIECE = 32, 64  # bytes of rows, and of data, that are copied at once
_BLOCK, _BLOCKS = 1 << 16, 16  # bytes of a share; shares of what is known at run time
_BYTES_PER_NS, _WRITE_NS, _CELL_NS = 8.0, 2.0, 1.0
_OPCODES = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "maximum", "min": "minimum"}
_BOOL_OPCODES = {"add": "or", "mul": "and", "max": "or", "min": "and", "sub": "xor"}


def combine(c: Code, reduction: str, old: Num, new: Num) -> Num:
    """What a place holds afterwards."""
    return c.apply((_BOOL_OPCODES if old.dtype is BOOL else _OPCODES)[reduction], old.dtype, old, new)


def write(c: Code, out: Value, at: Num, value: Num, reduction: str) -> None:
    c.store(out, at, value if reduction == "none" else combine(c, reduction, c.load(out, value.dtype, at), value))


def _row(
    c: Code, target: tuple[Value, Num], source: tuple[Value, Num], count: Size, dtype: DType, reduction: str
) -> None:
    """Neighbouring elements combined with those from another place on, by vectors."""
    (out, at), (x, i) = target, source
    lanes = 1 if dtype is BOOL or needs_scalars(_OPCODES[reduction], dtype) else c.lanes(dtype)
    whole = count // lanes * lanes if lanes > 1 else 0

    def several(j: Num) -> list[Num]:
        place, s = c.address(out, dtype, at + j), Scalars(c.b, lanes)
        both = [load(c.b, dtype, place, lanes), load(c.b, dtype, c.address(x, dtype, i + j), lanes)]
        store(c.b, dtype, s.apply(_OPCODES[reduction], dtype, both, [dtype, dtype]), place)
        return []

    if whole != 0:
        c.fold(whole, [], several, step=lanes)
    if whole != count:
        c.each(count, lambda j: write(c, out, at + j, c.load(x, dtype, i + j), reduction), whole)


def _run(c: Code, target: tuple[Value, Num], source: tuple[Value, Num], count: Number, dtype: DType) -> None:
    """Neighbouring elements, from a place in one buffer to a place in another."""
    (out, at), (x, i), step = target, source, _LINE // dtype.itemsize
    whole = count // step * step if isinstance(count, int) else c.raw("and", c.num(count), -step)

    def line(j: Num) -> list[Num]:
        c.b.copy(c.address(out, dtype, at + j), c.address(x, dtype, i + j), _LINE)
        return []

    if whole != 0:
        c.fold(whole, [], line, step=step)
    if whole != count:
        c.each(count, lambda j: c.store(out, at + j, c.load(x, dtype, i + j)), whole)


def copied(c: Code, p: Sequence[Value], given: Scattered) -> Written:
    """Bytes of the first operand to the result, where that is not the same buffer."""
    data, out, size = p[0], p[-1], given.data_bytes
    shares = max(1, size // _BLOCK) if isinstance(size, int) else _BLOCKS
    shares = shares if given.shares > 1 else 1  # else one thread writes to them next
    first, last = c.shared(ceildiv(size, _PIECE), shares)
    begin = first * _PIECE
    count = (last * _PIECE).min(size) - begin

    def copy() -> None:
        source, target = (c.address(v, DType.U8, begin) for v in (data, out))
        whole = c.raw("and", count, -_PIECE)
        c.fold(whole, [], lambda i: _moved(c, target, source, i, _PIECE), step=_PIECE)
        c.fold(count, [], lambda i: _moved(c, target, source, i, 1), start=whole)

    c.when(~c.same(out, data), copy)
    return Written(shares, estimate(size) / shares / _BYTES_PER_NS)


def _moved(c: Code, target: Value, source: Value, at: Num, count: int) -> list[Num]:
    """Neighbouring bytes."""
    c.b.copy(c.address(target, DType.U8, at), c.address(source, DType.U8, at), count)
    return []


def _with_copy(_: Scattered) -> list[Step]:
    """Data are copied first, by all threads."""
    return [Step("copied"), Step()]


def scatter_nd(c: Code, p: Sequence[Value], given: ScatterNd) -> Written:
    """See `ScatterNd`: threads take places that indices name, so that what goes to one place stays in its order."""
    _, indices, updates, out = p
    shape, depth, inner, shares = given.shape, given.depth, given.inner, given.shares
    strides = dense(shape[:depth])
    first, last = c.shared(product(shape[:depth]), shares)

    def place(i: Num) -> None:
        row, inside = c.num(0), c.num(1, BOOL)
        for k in range(depth):
            position = c.load(indices, given.positions, i * depth + k).to(I64)
            position = c.where(position.lt(0), position + shape[k], position)
            inside = inside & position.ge(0) & position.lt(shape[k])
            row = row + position * strides[k]
        if shares > 1:
            inside = inside & row.ge(first) & row.lt(last)
        at, update = row * inner, i * inner

        def elements() -> None:
            if given.reduction == "none":
                _run(c, (out, at), (updates, update), inner, given.dtype)
                return
            _row(c, (out, at), (updates, update), inner, given.dtype, given.reduction)

        c.when(inside, elements)

    c.each(given.places, place)
    return Written(shares, estimate(given.places * inner) * _WRITE_NS / shares)


def scatter_elements(c: Code, p: Sequence[Value], given: ScatterElements) -> Written:
    """See `ScatterElements`: threads take parts of another axis than that of the indices."""
    _, indices, updates, out = p
    shape, places, axis, shares, divided = given.shape, given.places, given.axis, given.shares, given.divided
    target, source = dense(shape), dense(places)
    first, last = c.shared(places[divided] if divided >= 0 else 1, shares)

    def put(at: Num, i: Num) -> None:
        position = c.load(indices, given.positions, i).to(I64)
        position = c.where(position.lt(0), position + shape[axis], position)
        place = at + position * target[axis]

        def element() -> None:
            write(c, out, place, c.load(updates, given.dtype, i), given.reduction)

        c.when(position.ge(0) & position.lt(shape[axis]), element)

    def walk(k: int, at: Num, i: Num) -> None:
        if k == len(places):
            put(at, i)
            return
        low, high = (first, last) if k == divided else (c.num(0), c.num(places[k]))
        c.each(high, lambda j: walk(k + 1, at if k == axis else at + j * target[k], i + j * source[k]), low)

    walk(0, c.num(0), c.num(0))
    return Written(shares, estimate(product(places)) * _WRITE_NS / shares)


def update_slice(c: Code, p: Sequence[Value], given: UpdateSlice) -> Written:
    """See `UpdateSlice`: the position is moved so that the piece fits (XLA DynamicUpdateSlice)."""
    _, update, begin, out = p
    shape, piece = given.shape, given.piece
    target, source = dense(shape), dense(piece)
    first, last = c.shared(piece[given.divided] if piece else 1, given.shares)
    start = c.num(0)
    for k, (n, m) in enumerate(zip(shape, piece, strict=True)):
        start = start + c.load(begin, given.positions, k).to(I64).clamp(0, n - m) * target[k]

    ends = [k for k in range(given.divided, len(piece)) if piece[k + 1 :] == shape[k + 1 :]]  # what is behind is whole

    def walk(k: int, at: Num, i: Num) -> None:
        if not ends:
            c.store(out, at, c.load(update, given.dtype, i))
            return
        low, high = (first, last) if k == given.divided else (c.num(0), c.num(piece[k]))
        if k == ends[0]:
            run = (high - low) * source[k] if k == given.divided else product(piece[k:])
            _run(c, (out, at + low * target[k]), (update, i + low * source[k]), run, given.dtype)
            return
        c.each(high, lambda j: walk(k + 1, at + j * target[k], i + j * source[k]), low)

    walk(0, start, c.num(0))
    return Written(given.shares, estimate(product(piece)) * _CELL_NS / given.shares)


def segment(c: Code, p: Sequence[Value], given: Segment) -> Written:
    """See `Segment`: threads take segments, so that what goes to one place stays in its order."""
    x, ids, out, scratch = p
    inner, shares = given.inner, given.shares
    first, last = c.shared(given.total, shares)
    reduction = "add" if given.kind == "mean" else given.kind

    def start(s: Num) -> None:
        c.store(scratch, s, c.num(0))
        c.each(inner, lambda j: c.store(out, s * inner + j, c.num(given.start, given.dtype)))

    def row(i: Num) -> None:
        s = c.load(ids, given.positions, i).to(I64)

        def inside() -> None:
            c.store(scratch, s, c.load(scratch, I64, s) + 1)
            own, other = s * inner, i * inner
            _row(c, (out, own), (x, other), inner, given.dtype, reduction)

        c.when(s.ge(first) & s.lt(last), inside)

    def finish(s: Num) -> None:
        n = c.load(scratch, I64, s)

        def element(j: Num) -> None:
            at = s * inner + j
            value = c.load(out, given.dtype, at)
            if given.kind == "mean":
                value = _mean(value, n)
            c.store(out, at, c.where(n.eq(0), c.num(given.empty, given.dtype), value))

        c.each(inner, element)

    c.each(last, start, first)
    c.each(given.rows, row)
    c.each(last, finish, first)
    return Written(shares, estimate(given.rows * inner) * _WRITE_NS / shares)


def _mean(total: Num, n: Num) -> Num:
    """total / n; integers by way of float64."""
    if total.dtype.is_complex:
        return total / n.max(1).to(total.dtype)
    return (total.to(DType.F64) / n.max(1).to(DType.F64)).to(total.dtype)


GENERATORS = {
    "scatter_nd": scatter_nd,
    "scatter_elements": scatter_elements,
    "update_slice": update_slice,
    "segment": segment,
}
STEPS = {"copied": copied}
PIECES = dict.fromkeys(("scatter_nd", "scatter_elements", "update_slice"), _with_copy)
