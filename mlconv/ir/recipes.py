"""Changes to constants that are written down and run when the result is needed: `Derived` handles.

A recipe is a name, its parameters and input constants.  Large results are computed in slabs along the first axis, so
that export needs memory for a slab and not for a tensor.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import TypeGuard

import numpy as np

from mlconv.ir.constants import BLOCK_BYTES, Array, Const, Inline, Mapped, Splat, read_part, release_part
from mlconv.ir.dtypes import DType
from mlconv.ir.recipe_table import RECIPES, Params

_CACHE_LINE = 64
_SLABS, _LEAST_SLAB, _LARGEST_SLAB, _PIECE = 4, 1 << 19, 48 << 20, 1 << 18
_READ = 4 << 20  # bytes of a constant that is read from its file, and not mapped
_VIEWS = frozenset({"transpose", "flip", "slice"})
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
        return self._made([c.view() for c in self.inputs]).reshape(self.shape)

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[memoryview]:
        rows = self.result_shape[0] if self.result_shape else 1
        if rows <= 1 or self.nbytes <= block_bytes or self.recipe not in _ELEMENTWISE | {"transpose", "combine"}:
            yield from super().blocks(block_bytes)
            self.release()
            return
        inputs = self.inputs
        if self.recipe == "transpose":  # a slab may read the whole input: fewer and larger ones
            block_bytes = max(block_bytes, _LEAST_SLAB, min(self.nbytes // _SLABS, _LARGEST_SLAB))
        elif self.recipe == "combine":  # each slab reads it, and few rows are summed in another order
            block_bytes = max(block_bytes, self.nbytes // 3)
            inputs = (Inline(_gathered(inputs[0], inputs[0].view())),)
        source = Derived(self.recipe, self.params, inputs, self.dtype, self.result_shape)
        step = max(1, rows * block_bytes // self.nbytes)
        for start in range(0, rows, step):
            yield _bytes_of(source, start, min(start + step, rows))  # no name holds one while the next is made

    def release(self) -> None:
        for c in self.inputs:
            c.release()

    def part(self, axis: int, start: int, stop: int) -> Array:
        """`view` from start to stop along an axis.  Where that can be told, no more of the inputs is read."""
        place = _same_place(self.shape, axis, self.result_shape)
        shape = (*self.shape[:axis], stop - start, *self.shape[axis + 1 :])
        if start == stop:
            return np.empty(shape, self.dtype.numpy)
        if place is None:
            return self.view()[_along(axis, start, stop)]
        other, ratio = place
        return self._part(other, start * ratio, stop * ratio).reshape(shape)

    def _part(self, axis: int, start: int, stop: int) -> Array:
        """From start to stop along an axis of what the recipe makes."""
        p = self.params
        if self.recipe == "transpose":
            return np.transpose(_part_of(self.inputs[0], p[axis], start, stop), p)
        if self.recipe == "pad" and p[axis][0] == 0:
            size = self.inputs[0].shape[axis]
            inner = _part_of(self.inputs[0], axis, min(start, size), min(stop, size))
            return self._made([inner], (*p[:axis], (0, stop - start - inner.shape[axis]), *p[axis + 1 :]))
        if self.recipe == "combine" and axis == 0:
            return self._made([self.inputs[0].view()], p[start:stop])
        if self.recipe == "combine" or (self.recipe == "unpack" and axis < len(self.result_shape) - 1):
            return self._made([_part_of(self.inputs[0], axis, start, stop)], p)
        if self.recipe in _ELEMENTWISE - {"unpack"}:
            return self._in_pieces([_repeated(c, axis - len(self.result_shape), start, stop) for c in self.inputs])
        return self._made([c.view() for c in self.inputs], p)[_along(axis, start, stop)]

    def _in_pieces(self, views: list[Array]) -> Array:
        """What an elementwise recipe makes of arrays.  Those of a file are read in pieces, which are given back."""
        rank = len(self.result_shape)
        long = [v.ndim == rank and v.shape[0] != 1 for v in views]
        mapped = [v for v, c, is_long in zip(views, self.inputs, long, strict=True) if is_long and _may_show_file(c)]
        if not mapped:
            return self._made(views)
        rows, step = mapped[0].shape[0], max(1, _PIECE // max(1, *(abs(v.strides[0]) for v in mapped)))
        parts = []
        for low in range(0, rows, step):
            parts.append(self._made([v[low : low + step] if has else v for v, has in zip(views, long, strict=True)]))
            self.release()
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _made(self, views: list[Array], params: Params | None = None) -> Array:
        return RECIPES[self.recipe](views, self.params if params is None else params)

    def reshape(self, shape: tuple[int, ...]) -> Derived:
        out = Derived(self.recipe, self.params, self.inputs, self.dtype, self.result_shape)
        out.shape = shape
        return out

    @property
    def key(self) -> Hashable:
        return ("derived", self.recipe, self.params, tuple(c.key for c in self.inputs), self.dtype, self.shape)


def _part_of(c: Const, axis: int, start: int, stop: int) -> Array:
    return c.part(axis, start, stop) if isinstance(c, Derived) else c.view()[_along(axis, start, stop)]


def _repeated(c: Const, axis: int, start: int, stop: int) -> Array:
    """`_part_of` what is repeated along axes that it lacks, or that have a size of 1.  axis: from the last one."""
    place = axis + len(c.shape)
    return _part_of(c, place, start, stop) if place >= 0 and c.shape[place] != 1 else c.view()


def _along(axis: int, start: int, stop: int) -> tuple[slice, ...]:
    return (*[slice(None)] * axis, slice(start, stop))


def _same_place(shape: tuple[int, ...], axis: int, other: tuple[int, ...]) -> tuple[int, int] | None:
    """The axis of another shape of the same elements whose parts are those of an axis, and how many of its sizes one of
    that has.  None where there is none.
    """
    outside = math.prod(shape[:axis])
    for i, n in enumerate(other):
        if math.prod(other[:i]) == outside and n and shape[axis] and n % shape[axis] == 0:
            return i, n // shape[axis]
    return None


def _bytes_of(source: Derived, start: int, stop: int) -> memoryview:
    """Rows of a constant, whose inputs are given back."""
    rows = _gathered(source, source.part(0, start, stop))
    source.release()
    return rows.reshape(-1).view(np.uint8).data


def _gathered(source: Const, view: Array) -> Array:
    """What a view of a constant shows, in the order of its elements."""
    if view.flags.c_contiguous:
        return view
    out = np.empty(view.shape, view.dtype)
    if _may_show_file(source):
        _read_into(out, view, is_mapped=source.nbytes > _READ)
    else:
        _fill(out, view)
    return out


def _read_into(out: Array, view: Array, is_mapped: bool) -> None:
    """Fill an array with what a view of a file shows, of which little is read at a time.  is_mapped: as pages of the
    file, which takes less time, and more memory around them.
    """
    axis = _outermost(view)
    stride = abs(view.strides[axis])
    step = max(1, _PIECE * (2 if is_mapped else 1) // max(1, stride))
    for low in range(0, view.shape[axis], step):
        part = _along(axis, low, low + step)
        _fill(out[part], view[part] if is_mapped else read_part(view[part]))
        if is_mapped:
            release_part(view[part])


def _fill(out: Array, view: Array) -> None:
    """Strips that fill a cache line of the result are several times faster than numpy's order."""
    axis = _outermost(view)
    strip = max(1, _CACHE_LINE // view.itemsize) if view.ndim == 2 and axis == 1 else view.shape[axis]
    for low in range(0, view.shape[axis], max(1, strip)):
        part = _along(axis, low, low + strip)
        out[part] = view[part]


def _outermost(view: Array) -> int:
    """The axis along which elements lie farthest apart."""
    return int(np.argmax([abs(s) * (n != 1) for s, n in zip(view.strides, view.shape, strict=True)]))


def _may_show_file(c: Const) -> bool:
    """A view of a constant is likely to show what is stored, which may be a part of a file."""
    while isinstance(c, Derived) and c.recipe in _VIEWS:
        (c,) = c.inputs
    return isinstance(c, (Mapped, Inline))


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
    if _is_transposed(c):
        return transpose(c.inputs[0], tuple(c.params[p] for p in perm))
    return Derived("transpose", perm, (c,), c.dtype, shape)


def _is_transposed(c: Const) -> TypeGuard[Derived]:
    return isinstance(c, Derived) and c.recipe == "transpose" and c.shape == c.result_shape


def cast(c: Const, dtype: DType) -> Const:
    """c converted to another element type, as by numpy.astype."""
    if c.dtype is dtype:
        return c
    if isinstance(c, Splat):
        return Splat(RECIPES["cast"]([c.value], (dtype,)), dtype, c.shape)
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
    """uint8 less `SIGN`, int8; of what is transposed, so that a second transposition is seen."""
    if _is_transposed(c):
        return transpose(signed(c.inputs[0]), c.params)
    return cast(binary("sub", cast(c, DType.I16), Splat(SIGN, DType.I16, c.shape)), DType.I8)


def unsigned(c: Const) -> Const:
    """int8 and `SIGN`, uint8, as `signed`."""
    if _is_transposed(c):
        return transpose(unsigned(c.inputs[0]), c.params)
    return cast(binary("add", cast(c, DType.I16), Splat(SIGN, DType.I16, c.shape)), DType.U8)


def binary(name: str, a: Const, b: Const) -> Const:
    """`add`, `sub`, `mul`, `div`, `and` or `xor` of two constants of one element type, with numpy's broadcasting."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    if isinstance(a, Splat) and isinstance(b, Splat):
        return Splat(RECIPES[name]([a.value, b.value], ()), a.dtype, shape)
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


def take(c: Const, places: Const, axis: int) -> Const:
    """The elements of c at places along an axis, which are a vector of integers from 0 on."""
    shape = (*c.shape[:axis], places.shape[0], *c.shape[axis + 1 :])
    return Derived("take", (axis,), (c, places), c.dtype, shape)


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
