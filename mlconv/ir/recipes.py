"""Changes to constants that are written down and run when the result is needed: `Derived` handles.

A recipe is a name, its parameters and input constants.  Large results are computed in slabs along the first axis, so
that export needs memory for a slab and not for a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from mlconv.ir.constants import BLOCK_BYTES, Array, Const, Mapped, Splat
from mlconv.ir.dtypes import DType

Params = tuple[Any, ...]


def _transpose(xs: list[Array], p: Params) -> Array:
    return np.transpose(xs[0], p)


def _cast(xs: list[Array], p: Params) -> Array:
    with np.errstate(all="ignore"):
        return xs[0].astype(p[0].numpy)


def _concat(xs: list[Array], p: Params) -> Array:
    return np.concatenate(xs, axis=p[0])


def _slice(xs: list[Array], p: Params) -> Array:
    return xs[0][tuple(slice(b, e, s) for b, e, s in p)]


def _pad(xs: list[Array], p: Params) -> Array:
    return np.pad(xs[0], p)


_SHARED = 1 << 18  # products that OpenBLAS shares among threads, which wait in loops: ten times as much processor time


def _combine(xs: list[Array], p: Params) -> Array:
    """Rows of the result are sums of the input's rows by the rows of a matrix, taken in float64, a few columns at a
    time.
    """
    matrix, flat = np.asarray(p, np.float64), xs[0].reshape(xs[0].shape[0], -1)
    out, step = np.empty((len(matrix), flat.shape[1]), flat.dtype), max(1, _SHARED // matrix.size)
    for start in range(0, flat.shape[1], step):
        out[:, start : start + step] = matrix @ flat[:, start : start + step].astype(np.float64)
    return out.reshape(len(matrix), *xs[0].shape[1:])


def _quantize(xs: list[Array], p: Params) -> Array:
    """Numbers, scales and zero points to integers, by `QuantType.quantize`'s arithmetic, in [p[1], p[2]]."""
    ratio = np.asarray(xs[0].astype(np.float32, copy=False) / xs[1])
    np.rint(ratio, out=ratio)
    if xs[2].any() or p[0].bits > 16:
        stored = np.nan_to_num(ratio.astype(np.float64) + xs[2])
        return np.clip(stored, p[1], p[2]).astype(np.int64).astype(p[0].numpy)
    np.clip(ratio, p[1], p[2], out=ratio)  # as in float64: float32 has all integers of 16 bits
    missing = np.isnan(ratio)
    if missing.any():
        ratio[missing] = np.clip(0, p[1], p[2])
    return ratio.astype(p[0].numpy)


def _unpack(xs: list[Array], p: Params) -> Array:
    """Elements of p[0] bits out of bytes, lowest bits first (the other way round where p[1]), less p[2]; where there is
    a p[4], the highest bit of each is its sign.
    """
    bits, reverse, shift, dtype, *signed = p
    places = np.arange(0, 8, bits, dtype=np.uint8)
    parts = (xs[0][..., None] >> (places[::-1] if reverse else places)) & np.uint8((1 << bits) - 1)
    flat = parts.reshape(*xs[0].shape[:-1], -1).astype(np.int16) - np.int16(shift)
    if signed:
        half = np.int16(1 << (bits - 1))
        flat = (flat ^ half) - half
    return np.asarray(flat.astype(dtype.numpy))


def _levels(xs: list[Array], p: Params) -> Array:
    """Numbers limited to [low, high], in steps from low less so many, halves up, all in float32."""
    x, low, high, scale, zero = xs
    limited = np.clip(x.astype(np.float32, copy=False), low, high)
    return np.asarray(np.floor((limited - low) / scale - zero + np.float32(0.5)).astype(p[0].numpy))


_RECIPES: dict[str, Callable[[list[Array], Params], Array]] = {
    "transpose": _transpose,
    "cast": _cast,
    "concat": _concat,
    "slice": _slice,
    "pad": _pad,
    "total": lambda xs, p: xs[0].sum(axis=p[0], dtype=p[1].numpy),
    "broadcast": lambda xs, p: np.broadcast_to(xs[0], p),
    "combine": _combine,
    "flip": lambda xs, p: np.flip(xs[0], p),
    "add": lambda xs, p: np.add(xs[0], xs[1]),
    "sub": lambda xs, p: np.subtract(xs[0], xs[1]),
    "mul": lambda xs, p: np.multiply(xs[0], xs[1]),
    "div": lambda xs, p: np.divide(xs[0], xs[1]),
    "and": lambda xs, p: np.bitwise_and(xs[0], xs[1]),
    "xor": lambda xs, p: np.bitwise_xor(xs[0], xs[1]),
    "quantize": _quantize,
    "levels": _levels,
    "unpack": _unpack,
}
_CACHE_LINE = 64
_ELEMENTWISE = frozenset(  # or row by row
    {"add", "sub", "mul", "div", "and", "xor", "cast", "quantize", "levels", "unpack"}
)


class Derived(Const):
    """`recipe(params)` applied to `inputs`.  dtype and shape are those of the result; `reshape` only relabels it."""

    __slots__ = ("inputs", "params", "recipe", "result_shape")

    def __init__(
        self, recipe: str, params: Params, inputs: tuple[Const, ...], dtype: DType, shape: tuple[int, ...]
    ) -> None:
        super().__init__(dtype, shape)
        self.recipe, self.params, self.inputs = recipe, params, inputs
        self.result_shape = shape  # before `reshape`

    def view(self) -> Array:
        return _RECIPES[self.recipe]([c.view() for c in self.inputs], self.params).reshape(self.shape)

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[memoryview]:
        rows = self.result_shape[0] if self.result_shape else 1
        matrix = self.recipe == "transpose" and len(self.result_shape) == 2
        if (
            rows <= 1
            or not self.nbytes
            or (self.nbytes <= 2 * block_bytes and not matrix)
            or self.recipe not in _ELEMENTWISE | {"transpose"}
        ):
            yield from super().blocks(block_bytes)
            return
        views = [c.view() for c in self.inputs]
        if self.recipe == "transpose":  # each slab reads the whole input: fewer and larger ones
            block_bytes = max(block_bytes, min(self.nbytes // 2, 12 * BLOCK_BYTES))
        step = max(1, rows * block_bytes // self.nbytes)
        for start in range(0, rows, step):
            slab = np.ascontiguousarray(self._slab(views, start, min(start + step, rows)))
            yield slab.reshape(-1).view(np.uint8).data

    def _slab(self, views: list[Array], start: int, stop: int) -> Array:
        """Rows [start, stop) of the result."""
        for c in self.inputs:
            if isinstance(c, Mapped):
                c.file.map()  # raises when the file was truncated meanwhile
        if self.recipe == "transpose":
            return self._transposed_slab(views[0], start, stop)
        rank = len(self.result_shape)
        parts = [v[start:stop] if v.ndim == rank and v.shape[0] != 1 else v for v in views]
        slab = _RECIPES[self.recipe](parts, self.params)
        for c, part in zip(self.inputs, parts, strict=True):
            if isinstance(c, Mapped) and part.shape[:1] == (stop - start,):
                _release_rows(c, start, stop)
        return slab

    def _transposed_slab(self, view: Array, start: int, stop: int) -> Array:
        """Reads the input in pieces of its own first axis and gives each back, so that a slab does not make the whole
        input resident.
        """
        source = self.inputs[0]
        if view.ndim == 2:
            return self._transposed_matrix(view, start, stop)
        if not isinstance(source, Mapped) or source.nbytes <= 8 * BLOCK_BYTES or self.params[0] == 0:
            return np.transpose(view, self.params)[start:stop]
        slab = np.empty((stop - start, *self.result_shape[1:]), view.dtype)
        place = self.params.index(0)
        rows = view.shape[0]
        step = max(1, rows * 8 * BLOCK_BYTES // source.nbytes)
        for low in range(0, rows, step):
            high = min(low + step, rows)
            into = tuple(slice(low, high) if axis == place else slice(None) for axis in range(slab.ndim))
            slab[into] = np.transpose(view[low:high], self.params)[start:stop]
            _release_rows(source, low, high)
        return slab

    def _transposed_matrix(self, view: Array, start: int, stop: int) -> Array:
        """Rows of the input go in strips that fill a cache line of the result each, which is several times faster than
        numpy's order.
        """
        source = self.inputs[0]
        rows = view.shape[0]
        slab = np.empty((stop - start, rows), view.dtype)
        strip = max(1, _CACHE_LINE // view.dtype.itemsize)
        piece = rows if not isinstance(source, Mapped) else max(strip, rows * 8 * BLOCK_BYTES // max(source.nbytes, 1))
        for low in range(0, rows, piece):
            high = min(low + piece, rows)
            for at in range(low, high, strip):
                end = min(at + strip, high)
                slab[:, at:end] = view[at:end, start:stop].T
            if isinstance(source, Mapped):
                _release_rows(source, low, high)
        return slab

    def reshape(self, shape: tuple[int, ...]) -> Derived:
        out = Derived(self.recipe, self.params, self.inputs, self.dtype, self.result_shape)
        out.shape = shape
        return out

    @property
    def key(self) -> Hashable:
        return ("derived", self.recipe, self.params, tuple(c.key for c in self.inputs), self.dtype, self.shape)


def _release_rows(c: Mapped, start: int, stop: int) -> None:
    """The pages of rows [start, stop) are not needed for now."""
    row = c.nbytes // max(c.shape[0], 1)
    c.file.release(c.offset + start * row, (stop - start) * row)


def transpose(c: Const, perm: tuple[int, ...]) -> Const:
    """c with its axes permuted as by numpy.transpose; two permutations in a row become one, moving only unit axes is a
    reshape.
    """
    if perm == tuple(range(len(perm))):
        return c
    shape = tuple(c.shape[p] for p in perm)
    moved = [p for p in perm if c.shape[p] != 1]
    if moved == sorted(moved):
        return c.reshape(shape)
    if isinstance(c, Splat):
        return c.reshape(shape)
    if isinstance(c, Derived) and c.recipe == "transpose" and c.shape == c.result_shape:
        return transpose(c.inputs[0], tuple(c.params[p] for p in perm))
    return Derived("transpose", perm, (c,), c.dtype, shape)


def cast(c: Const, dtype: DType) -> Const:
    """c converted to another element type, as by numpy.astype."""
    if c.dtype is dtype:
        return c
    if isinstance(c, Splat):
        return Splat(_cast([c.value], (dtype,)), dtype, c.shape)
    return Derived("cast", (dtype,), (c,), dtype, c.shape)


def quantize(c: Const, scales: Const, zeros: Const, dtype: DType, low: int, high: int) -> Const:
    """c as integers in [low, high].  scales: float32, zeros: float64; both of c's rank, broadcast against it."""
    return Derived("quantize", (dtype, low, high), (c, scales, zeros), dtype, c.shape)


def levels(c: Const, numbers: Sequence[Const], dtype: DType) -> Const:
    """c as integers by `core.fake_quant`'s arithmetic.  numbers: lowest, highest, scale, and how many levels lie below
    0, float32, of c's rank.
    """
    return Derived("levels", (dtype,), (c, *numbers), dtype, c.shape)


def unpack(
    c: Const, bits: int, dtype: DType, shift: int = 0, *, high_first: bool = False, signed: bool = False
) -> Const:
    """Bytes [..., k] as elements of `bits` bits, [..., k * 8 / bits], less `shift`; those of a byte stand lowest bits
    first, or `high_first`.  signed: they are in two's complement.
    """
    shape = (*c.shape[:-1], c.shape[-1] * 8 // bits)
    return Derived("unpack", (bits, high_first, shift, dtype, *((True,) if signed else ())), (c,), dtype, shape)


SIGN = 128
"""What uint8 is above the int8 of the same place in its range."""


def signed(c: Const) -> Const:
    """uint8 less `SIGN`, int8."""
    return cast(binary("sub", cast(c, DType.I16), Splat(SIGN, DType.I16, c.shape)), DType.I8)


def unsigned(c: Const) -> Const:
    """int8 and `SIGN`, uint8."""
    return cast(binary("add", cast(c, DType.I16), Splat(SIGN, DType.I16, c.shape)), DType.U8)


def binary(name: str, a: Const, b: Const) -> Const:
    """`add`, `sub`, `mul`, `div`, `and` or `xor` of two constants of one element type, with numpy's broadcasting."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    if isinstance(a, Splat) and isinstance(b, Splat):
        return Splat(_RECIPES[name]([a.value, b.value], ()), a.dtype, shape)
    return Derived(name, (), (a, b), a.dtype, shape)


def concat(parts: tuple[Const, ...], axis: int) -> Const:
    """Constants of one element type joined along `axis`."""
    shape = list(parts[0].shape)
    shape[axis] = sum(c.shape[axis] for c in parts)
    return parts[0] if len(parts) == 1 else Derived("concat", (axis,), parts, parts[0].dtype, tuple(shape))


def slices(c: Const, begin: tuple[int, ...], end: tuple[int, ...]) -> Const:
    """c[begin:end] along each axis; 0 <= begin <= end <= size."""
    shape = tuple(e - b for b, e in zip(begin, end, strict=True))
    if shape == c.shape:
        return c
    if isinstance(c, Splat):
        return c.reshape(shape)
    return Derived("slice", tuple((b, e, 1) for b, e in zip(begin, end, strict=True)), (c,), c.dtype, shape)


def pad_zeros(c: Const, pads: tuple[tuple[int, int], ...]) -> Const:
    """c with zeros before and after along each axis; amounts are non-negative."""
    if not any(any(p) for p in pads):
        return c
    shape = tuple(n + lo + hi for n, (lo, hi) in zip(c.shape, pads, strict=True))
    return Derived("pad", pads, (c,), c.dtype, shape)


def combine(c: Const, matrix: tuple[tuple[float, ...], ...]) -> Const:
    """result[i] = sum over j of matrix[i][j] * c[j]; c has a first axis and floats."""
    return Derived("combine", matrix, (c,), c.dtype, (len(matrix), *c.shape[1:]))


def total(c: Const, axes: tuple[int, ...], dtype: DType) -> Const:
    """Sums of integers along axes, taken in an integer type, in which they wrap."""
    shape = tuple(n for i, n in enumerate(c.shape) if i not in axes)
    return Derived("total", (axes, dtype), (c,), dtype, shape)


def total_of_each(c: Const, axis: int, dtype: DType) -> Const:
    """`total` along all axes but one."""
    return total(c, tuple(i for i in range(len(c.shape)) if i != axis), dtype)


def flip(c: Const, axes: tuple[int, ...]) -> Const:
    """c reversed along some axes."""
    return c if isinstance(c, Splat) or not axes else Derived("flip", axes, (c,), c.dtype, c.shape)
