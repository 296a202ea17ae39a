"""Writes at computed positions.  A position outside of the tensor is left out: memory is never left."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.routines.code import BOOL, I64, Code, Num
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel import Sizes, dense
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType

_OPCODES = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "maximum", "min": "minimum"}
_BOOL_OPCODES = {"add": "or", "mul": "and", "max": "or", "min": "and", "sub": "xor"}


def combine(c: Code, reduction: str, old: Num, new: Num) -> Num:
    """What a place holds afterwards."""
    return c.apply((_BOOL_OPCODES if old.dtype is BOOL else _OPCODES)[reduction], old.dtype, old, new)


def write(c: Code, out: Value, at: Num, value: Num, reduction: str) -> None:
    c.store(out, at, value if reduction == "none" else combine(c, reduction, c.load(out, value.dtype, at), value))


def scatter_nd(
    c: Code, p: Sequence[Value], dtype: DType, index: DType, shape: Sizes, depth: int, count: Size, reduction: str
) -> None:
    """data of `shape`, indices [count, depth], updates [count, rest of shape]; the result may be data's own buffer."""
    data, indices, updates, out = p
    strides, inner = dense(shape), product(shape[depth:])
    c.copy(out, data, product(shape) * dtype.itemsize)

    def place(i: Num) -> None:
        at, inside = c.num(0), c.num(1, BOOL)
        for k in range(depth):
            position = c.load(indices, index, i * depth + k).to(I64)
            position = c.where(position.lt(0), position + shape[k], position)
            inside = inside & position.ge(0) & position.lt(shape[k])
            at = at + position * strides[k]
        c.when(
            inside,
            lambda: c.each(inner, lambda j: write(c, out, at + j, c.load(updates, dtype, i * inner + j), reduction)),
        )

    c.each(count, place)


def scatter_elements(
    c: Code, p: Sequence[Value], dtype: DType, index: DType, shape: Sizes, places: Sizes, axis: int, reduction: str
) -> None:
    """data of `shape`, indices and updates of the shape `places`."""
    data, indices, updates, out = p
    target, source = dense(shape), dense(places)
    c.copy(out, data, product(shape) * dtype.itemsize)

    def put(at: Num, i: Num) -> None:
        position = c.load(indices, index, i).to(I64)
        position = c.where(position.lt(0), position + shape[axis], position)
        inside = position.ge(0) & position.lt(shape[axis])
        c.when(inside, lambda: write(c, out, at + position * target[axis], c.load(updates, dtype, i), reduction))

    def walk(k: int, at: Num, i: Num) -> None:
        if k == len(places):
            put(at, i)
        else:
            c.each(places[k], lambda j: walk(k + 1, at if k == axis else at + j * target[k], i + j * source[k]))

    walk(0, c.num(0), c.num(0))


def update_slice(c: Code, p: Sequence[Value], dtype: DType, index: DType, shape: Sizes, piece: Sizes) -> None:
    """data of `shape` with `piece` written at a position, one index for each axis, which is moved so that the piece
    fits (XLA DynamicUpdateSlice).
    """
    data, update, begin, out = p
    target, source = dense(shape), dense(piece)
    c.copy(out, data, product(shape) * dtype.itemsize)
    start = c.num(0)
    for k, (n, m) in enumerate(zip(shape, piece, strict=True)):
        start = start + c.load(begin, index, k).to(I64).clamp(0, n - m) * target[k]

    def walk(k: int, at: Num, i: Num) -> None:
        if k == len(piece):
            c.store(out, at, c.load(update, dtype, i))
        else:
            c.each(piece[k], lambda j: walk(k + 1, at + j * target[k], i + j * source[k]))

    walk(0, start, c.num(0))


def segment(
    c: Code,
    p: Sequence[Value],
    dtype: DType,
    index: DType,
    rows: Size,
    inner: Size,
    count: int,
    kind: str,
    start: float,
    empty: float,
) -> None:
    """x [rows, inner], ids [rows]; result [count, inner]; scratch: how many rows each segment has, int64 [count]."""
    x, ids, out, scratch = p
    c.each(count, lambda s: c.store(scratch, s, c.num(0)))
    c.each(count * inner, lambda j: c.store(out, j, c.num(start, dtype)))
    reduction = "add" if kind == "mean" else kind

    def row(i: Num) -> None:
        s = c.load(ids, index, i).to(I64)

        def inside() -> None:
            c.store(scratch, s, c.load(scratch, I64, s) + 1)
            c.each(inner, lambda j: write(c, out, s * inner + j, c.load(x, dtype, i * inner + j), reduction))

        c.when(s.ge(0) & s.lt(count), inside)

    c.each(rows, row)

    def finish(s: Num) -> None:
        n = c.load(scratch, I64, s)

        def element(j: Num) -> None:
            at = s * inner + j
            value = c.load(out, dtype, at)
            if kind == "mean":
                value = _mean(value, n)
            c.store(out, at, c.where(n.eq(0), c.num(empty, dtype), value))

        c.each(inner, element)

    c.each(count, finish)


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
