"""Ops that move data without computing: reshape, transpose, slice, concat, pad and their kin.

Amounts that may be data at run time (a shape, the begin of a slice, pads) are operands, integer tensors of rank 1; `known_ints` of them decides
the result's shape where it can be deduced.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import check_integers, check_rank, normalize_axis, ranked, same_dtype, same_size, unknown_shape
from mlconv.dialects.core.unary import Cast
from mlconv.ir.constants import Array, Const, check_size
from mlconv.ir.core import Known, Value
from mlconv.ir.dims import Dim, Size, ceildiv, floordiv, maximum, minimum, product
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_RANK
from mlconv.ir.spec import MAX_KNOWN, OpDef, attr, known_ints, known_of_array, op, operand, operands, result, results
from mlconv.ir.types import TensorType


@op("core.constant")
class Constant(OpDef):
    """A constant tensor.  value: a handle; its data are read only when they are needed."""

    value: Const = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        return TensorType(self.value.dtype, self.value.shape)

    def eval(self) -> Array:
        return self.value.view()

    def deduce(self) -> Known | None:
        return known_of_array(self.value.view()) if self.value.size <= MAX_KNOWN else None


@op("core.shape_of")
class ShapeOf(OpDef):
    """The run-time shape of x: [rank(x)] of `dtype` (int32 or int64)."""

    x: Value = operand()
    dtype: DType = attr(default=DType.I64)
    y: Value = result()

    def infer(self) -> TensorType:
        rank = self.x.tensor.rank
        return TensorType(self.dtype, (Dim.unknown() if rank is None else rank,))

    def eval(self, x: Array) -> Array:
        return np.asarray(x.shape, self.dtype.numpy)

    def deduce(self) -> Known | None:
        return self.x.tensor.shape


def operand_sizes(value: Value) -> tuple[Size, ...] | None:
    """A shape operand as sizes; unknown entries become unknown sizes, -1 stays; None when not even the rank is known."""
    check_integers(value, "sizes")
    known = known_ints(value)
    if known is not None:
        return tuple(Dim.unknown() if k is None else k for k in known)
    shape = value.tensor.shape
    if shape is not None and len(shape) == 1 and isinstance(shape[0], int):
        if shape[0] > MAX_RANK:
            raise ConversionError(Code.MLC0204, f"a shape of {shape[0]} numbers: at most {MAX_RANK} axes are possible")
        return unknown_shape(shape[0])
    return None


def _check_shape(sizes: Sequence[Size], dtype: DType, what: str) -> None:
    ints = tuple(d for d in sizes if isinstance(d, int))
    if any(d < 0 for d in ints):
        raise ConversionError(Code.MLC0201, f"{what} would have the negative dimension {min(ints)} in {list(map(str, sizes))}")
    if 0 not in ints:
        check_size(ints, dtype, what)


@op("core.reshape")
class Reshape(OpDef):
    """x's elements in row-major order under another shape; one entry of `shape` may be -1 (deduced)."""

    x: Value = operand()
    shape: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        sizes = operand_sizes(self.shape)
        if sizes is None:
            return t.with_shape(None)
        if -1 in sizes:
            i = sizes.index(-1)
            rest = product(d for j, d in enumerate(sizes) if j != i)
            fill: Size = Dim.unknown()
            if t.size is not None and rest != 0:
                fill = floordiv(t.size, rest)
                if isinstance(t.size, int) and isinstance(rest, int) and t.size % rest:
                    raise ConversionError(Code.MLC0201, f"cannot reshape {t} ({t.size} elements) to {list(map(str, sizes))}")
            sizes = (*sizes[:i], fill, *sizes[i + 1 :])
        elif isinstance(t.size, int) and isinstance(product(sizes), int) and product(sizes) != t.size:
            raise ConversionError(Code.MLC0201, f"cannot reshape {t} ({t.size} elements) to {list(map(str, sizes))}")
        return TensorType(t.dtype, sizes)

    def eval(self, x: Array, shape: Array) -> Array:
        return x.reshape([int(d) for d in shape])

    def deduce(self) -> Known | None:
        return self.x.known


@op("core.expand_dims")
class ExpandDims(OpDef):
    """Dimensions of size 1 inserted so that they stand at `axes` (sorted, non-negative) of the result."""

    x: Value = operand()
    axes: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        if t.shape is None:
            return t
        out = list(t.shape)
        for axis in self.axes:
            if not 0 <= axis <= len(out):
                raise ConversionError(Code.MLC0201, f"axis {axis} is out of range for {t}")
            out.insert(axis, 1)
        return t.with_shape(tuple(out))

    def eval(self, x: Array) -> Array:
        return np.expand_dims(x, self.axes)

    def deduce(self) -> Known | None:
        return self.x.known


@op("core.squeeze")
class Squeeze(OpDef):
    """Dimensions of size 1 at `axes` (sorted, non-negative) removed."""

    x: Value = operand()
    axes: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        if t.shape is None:
            return t
        for axis in self.axes:
            normalize_axis(axis, len(t.shape))
            if isinstance(t.shape[axis], int) and t.shape[axis] != 1:
                raise ConversionError(Code.MLC0201, f"cannot squeeze axis {axis} of {t}: its size is {t.shape[axis]}, not 1")
        return t.with_shape(tuple(d for i, d in enumerate(t.shape) if i not in self.axes))

    def eval(self, x: Array) -> Array:
        return np.squeeze(x, self.axes)

    def deduce(self) -> Known | None:
        return self.x.known


@op("core.transpose")
class Transpose(OpDef):
    """y.shape[i] = x.shape[perm[i]]."""

    x: Value = operand()
    perm: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        if t.shape is not None and sorted(self.perm) != list(range(len(t.shape))):
            raise ConversionError(Code.MLC0201, f"{list(self.perm)} is not a permutation of the axes of {t}")
        return t if t.shape is None else t.with_shape(tuple(t.shape[p] for p in self.perm))

    def eval(self, x: Array) -> Array:
        return np.transpose(x, self.perm)


@op("core.concat")
class Concat(OpDef):
    """Operands of one element type joined along `axis` (non-negative)."""

    xs: list[Value] = operands()
    axis: int = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        dtype = same_dtype(*self.xs)
        shapes = [v.tensor.shape for v in self.xs]
        first = next((s for s in shapes if s is not None), None)
        if first is None:
            return TensorType(dtype, None)
        if not first:
            raise ConversionError(Code.MLC0201, "scalars have no axis along which they could be concatenated")
        normalize_axis(self.axis, len(first))
        out: list[Size] = list(first)
        total: Size = 0
        for s in shapes:
            if s is not None and len(s) != len(first):
                raise ConversionError(Code.MLC0201, f"cannot concatenate ranks {len(first)} and {len(s)}")
            for i, d in enumerate(s or ()):
                if i != self.axis:
                    out[i] = same_size(out[i], d, f"concatenated sizes along axis {i}")
            total = total + (Dim.unknown() if s is None else s[self.axis])
        out[self.axis] = total
        return TensorType(dtype, tuple(out))

    def eval(self, *xs: Array) -> Array:
        return np.concatenate(xs, self.axis)

    def deduce(self) -> Known | None:
        parts: list[Size | None] = []
        for v in self.xs:
            size = v.tensor.size
            if v.known is None and not isinstance(size, int):
                return None
            parts += [None] * size if v.known is None and isinstance(size, int) else list(v.known or ())
        return tuple(parts)


@op("core.split")
class Split(OpDef):
    """x cut along `axis` into parts of the given sizes; one size may be -1 (the rest)."""

    x: Value = operand()
    sizes: tuple[int, ...] = attr()
    axis: int = attr()
    ys: list[Value] = results()

    def infer(self) -> list[TensorType]:
        t = self.x.tensor
        if t.shape is None:
            return [t] * len(self.sizes)
        axis = normalize_axis(self.axis, len(t.shape))
        whole = t.shape[axis]
        parts: list[Size] = list(self.sizes)
        if -1 in parts:
            parts[parts.index(-1)] = whole - product(()) * sum(s for s in self.sizes if s != -1)
        elif isinstance(whole, int) and sum(self.sizes) != whole:
            raise ConversionError(Code.MLC0201, f"sizes {list(self.sizes)} do not add up to {whole}, axis {axis} of {t}")
        return [t.with_shape((*t.shape[:axis], n, *t.shape[axis + 1 :])) for n in parts]

    def eval(self, x: Array) -> tuple[Array, ...]:
        sizes = list(self.sizes)
        if -1 in sizes:
            sizes[sizes.index(-1)] = x.shape[self.axis] - sum(s for s in sizes if s != -1)
        return tuple(np.split(x, np.cumsum(sizes)[:-1], self.axis))


@op("core.slice")
class Slice(OpDef):
    """x[begin:end:strides] along every axis with Python's meaning of negative and out-of-range indices.

    begin, end, strides: integer [rank(x)].  Bit i of `begin_mask`/`end_mask` set: that bound of axis i is open (None in Python's slice).
    """

    x: Value = operand()
    begin: Value = operand()
    end: Value = operand()
    strides: Value = operand()
    begin_mask: int = attr(default=0)
    end_mask: int = attr(default=0)
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        if t.shape is None:
            return t
        n = len(t.shape)
        begin, end, strides = (known_ints(v) or (None,) * n for v in (self.begin, self.end, self.strides))
        if not len(begin) == len(end) == len(strides) == n:
            raise ConversionError(Code.MLC0201, f"slice of {t} needs {n} begins, ends and strides, has {len(begin)}, {len(end)}, {len(strides)}")
        return t.with_shape(tuple(self._size(i, t.shape[i], begin[i], end[i], strides[i]) for i in range(n)))

    def _size(self, axis: int, size: Size, begin: Size | None, end: Size | None, stride: Size | None) -> Size:
        open_begin, open_end = self.begin_mask >> axis & 1, self.end_mask >> axis & 1
        if stride == 0:
            raise ConversionError(Code.MLC0201, f"stride of axis {axis} is 0")
        if isinstance(stride, int) and open_begin and open_end:
            return ceildiv(size, abs(stride))
        if not isinstance(stride, int) or (begin is None and not open_begin) or (end is None and not open_end):
            return Dim.unknown()
        if isinstance(size, int) and (open_begin or isinstance(begin, int)) and (open_end or isinstance(end, int)):
            return len(range(*slice(None if open_begin else begin, None if open_end else end, stride).indices(size)))
        if stride < 0:
            return Dim.unknown()
        lo = 0 if open_begin or begin is None else _clip(begin, size)
        hi = size if open_end or end is None else _clip(end, size)
        return Dim.unknown() if lo is None or hi is None else ceildiv(maximum(hi - lo, 0) if lo != 0 else hi, stride)

    def eval(self, x: Array, begin: Array, end: Array, strides: Array) -> Array:
        return x[
            tuple(
                slice(None if self.begin_mask >> i & 1 else int(b), None if self.end_mask >> i & 1 else int(e), int(s))
                for i, (b, e, s) in enumerate(zip(begin, end, strides, strict=True))
            )
        ]

    def deduce(self) -> Known | None:
        known = self.x.known
        if known is None or self.x.tensor.rank != 1 or not all(self._fixed()):
            return None
        (b,), (e,), (s,) = (known_ints(v) or (0,) for v in (self.begin, self.end, self.strides))
        begin = None if self.begin_mask & 1 or not isinstance(b, int) else b
        end = None if self.end_mask & 1 or not isinstance(e, int) else e
        return known[slice(begin, end, s if isinstance(s, int) else 1)]

    def _fixed(self) -> list[bool]:
        def ok(v: Value) -> bool:
            known = known_ints(v)
            return known is not None and all(isinstance(k, int) for k in known)

        return [ok(self.begin) or bool(self.begin_mask & 1), ok(self.end) or bool(self.end_mask & 1), ok(self.strides)]


def _clip(bound: Size, size: Size) -> Size | None:
    """A slice bound as an index in [0, size]; None when that cannot be said."""
    if isinstance(bound, int):
        if bound < 0:
            return maximum(size + bound, 0)
        return bound if bound == 0 else minimum(bound, size)
    return bound if bound == size else minimum(bound, size)


@op("core.dynamic_slice")
class DynamicSlice(OpDef):
    """x[begin : begin + size] along every axis (TFLite SLICE, TensorFlow Slice); begin, size: integer [rank(x)], size -1 means up to the end."""

    x: Value = operand()
    begin: Value = operand()
    size: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        if t.shape is None:
            sizes = operand_sizes(self.size)
            return t.with_shape(None if sizes is None else tuple(Dim.unknown() if d == -1 else d for d in sizes))
        n = len(t.shape)
        begin, size = known_ints(self.begin) or (None,) * n, known_ints(self.size) or (None,) * n
        if len(begin) != n or len(size) != n:
            raise ConversionError(Code.MLC0201, f"slice of {t} needs {n} begins and sizes, has {len(begin)} and {len(size)}")
        out: list[Size] = []
        for whole, b, s in zip(t.shape, begin, size, strict=True):
            rest: Size | None = None if b is None else whole - b
            out.append(Dim.unknown() if s is None or (s == -1 and rest is None) else rest if s == -1 and rest is not None else s)
            if isinstance(whole, int) and isinstance(b, int) and isinstance(s, int) and (b < 0 or b + max(s, 0) > whole):
                raise ConversionError(Code.MLC0201, f"slice [{b}, {b + s}) leaves the size {whole} of {t}")
        return t.with_shape(tuple(out))

    def eval(self, x: Array, begin: Array, size: Array) -> Array:
        return x[tuple(slice(int(b), None if s == -1 else int(b) + int(s)) for b, s in zip(begin, size, strict=True))]

    def deduce(self) -> Known | None:
        b, s = known_ints(self.begin), known_ints(self.size)
        if self.x.known is None or b is None or s is None or len(b) != 1 or not isinstance(b[0], int) or not isinstance(s[0], int):
            return None
        return self.x.known[b[0] : None if s[0] == -1 else b[0] + s[0]]


@op("core.pad")
class Pad(OpDef):
    """x with cells before and after each axis.  pads: integer [rank, 2]; value: scalar of x's type, for mode `constant`.

    mode: `constant` (negative pads crop), `reflect` (edge not repeated), `symmetric` (edge repeated), `edge`, `wrap` (ONNX Pad-19, TensorFlow MirrorPad).
    """

    x: Value = operand()
    pads: Value = operand()
    value: Value = operand()
    mode: str = attr(default="constant")
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        same_dtype(self.x, self.value)
        if t.shape is None:
            return t
        known = pad_amounts(self.pads)
        if known is None:
            return t.with_shape(unknown_shape(len(t.shape)))
        if len(known) != len(t.shape):
            raise ConversionError(Code.MLC0201, f"{len(known)} pairs of pads for {t}")
        out = tuple(d if lo == hi == 0 else Dim.unknown() if lo is None or hi is None else d + lo + hi for d, (lo, hi) in zip(t.shape, known, strict=True))
        _check_shape(out, t.dtype, "result of pad")
        return t.with_shape(out)

    def eval(self, x: Array, pads: Array, value: Array) -> Array:
        amounts = [(int(lo), int(hi)) for lo, hi in pads]
        if self.mode != "constant":
            return _pad_mirror(x, amounts, self.mode)
        y = np.full([max(0, n + lo + hi) for n, (lo, hi) in zip(x.shape, amounts, strict=True)], value.reshape(()), x.dtype)
        spans = [(max(0, lo), min(n + lo, m), lo) for n, m, (lo, _) in zip(x.shape, y.shape, amounts, strict=True)]
        y[tuple(slice(a, max(a, b)) for a, b, _ in spans)] = x[tuple(slice(a - lo, max(a, b) - lo) for a, b, lo in spans)]
        return y


def _pad_mirror(x: Array, amounts: list[tuple[int, int]], mode: str) -> Array:
    """Index arithmetic rather than numpy.pad, which repeats a reflection differently when pads exceed the size."""
    for axis, (lo, hi) in enumerate(amounts):
        n = x.shape[axis]
        i = np.arange(-lo, n + hi)
        if mode == "edge":
            i = np.clip(i, 0, n - 1)
        elif mode == "wrap":
            i = np.mod(i, n)
        elif mode == "symmetric":
            i = np.mod(i, 2 * n)
            i = np.where(i >= n, 2 * n - 1 - i, i)
        else:
            period = max(2 * n - 2, 1)
            i = np.mod(i, period)
            i = np.where(i >= n, period - i, i)
        x = np.take(x, i, axis)
    return x


def pad_amounts(pads: Value) -> list[tuple[Size | None, Size | None]] | None:
    """Contents of a [rank, 2] pads operand, pair by pair, following the reshapes, concats and constants that make it."""
    from mlconv.ir.types import shapes_compatible

    producer = pads.producer
    shape = pads.tensor.shape
    if shape is None or not shapes_compatible(shape, (Dim.unknown(), 2)):
        return None
    known: Known | None = None
    if isinstance(producer, Constant):
        known = tuple(int(i) for i in producer.value.view().reshape(-1))
    elif isinstance(producer, (Reshape, Transpose, Cast)):
        flat = known_ints(producer.operands[0])
        if flat is None and isinstance(producer, (Cast, Transpose)) and producer.operands[0] is not None:
            inner = producer.operands[0].producer
            flat = known_ints(inner.operands[0]) if isinstance(inner, Reshape) else None
        if flat is not None and len(flat) % 2 == 0:
            n = len(flat) // 2
            known = tuple(flat[i + j * n] for i in range(n) for j in (0, 1)) if isinstance(producer, Transpose) else flat
    if known is None:
        return None
    return [(known[i], known[i + 1]) for i in range(0, len(known), 2)]


@op("core.tile")
class Tile(OpDef):
    """x repeated repeats[i] times along axis i.  repeats: integer [rank(x)]."""

    x: Value = operand()
    repeats: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        check_integers(self.repeats, "repeats")
        if t.shape is None:
            return t
        known = known_ints(self.repeats) or (None,) * len(t.shape)
        if len(known) != len(t.shape):
            raise ConversionError(Code.MLC0201, f"{len(known)} repeats for {t}")
        out = tuple(Dim.unknown() if k is None else d * k for d, k in zip(t.shape, known, strict=True))
        _check_shape(out, t.dtype, "result of Tile")
        return t.with_shape(out)

    def eval(self, x: Array, repeats: Array) -> Array:
        return np.tile(x, [int(r) for r in repeats])


@op("core.broadcast_to")
class BroadcastTo(OpDef):
    """x repeated to `shape` by numpy's broadcasting rules (TensorFlow BroadcastTo, Fill; ONNX Expand is made of it)."""

    x: Value = operand()
    shape: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        sizes = operand_sizes(self.shape)
        if sizes is None:
            return t.with_shape(None)
        if t.shape is not None:
            if len(t.shape) > len(sizes):
                raise ConversionError(Code.MLC0201, f"cannot broadcast {t} to the smaller rank of {list(map(str, sizes))}")
            for d, s in zip(reversed(t.shape), reversed(sizes), strict=False):
                if isinstance(d, int) and isinstance(s, int) and d not in (1, s):
                    raise ConversionError(Code.MLC0201, f"cannot broadcast {t} to {list(map(str, sizes))}")
        _check_shape(sizes, t.dtype, "result of broadcast (Fill, Expand, ConstantOfShape)")
        return t.with_shape(sizes)

    def eval(self, x: Array, shape: Array) -> Array:
        return np.broadcast_to(x, [int(d) for d in shape])

    def deduce(self) -> Known | None:
        size = self.y.tensor.size
        return self.x.known * size if self.x.known is not None and len(self.x.known) == 1 and isinstance(size, int) else self.x.known


@op("core.reverse")
class Reverse(OpDef):
    """x reversed along `axes` (non-negative)."""

    x: Value = operand()
    axes: tuple[int, ...] = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        shape = ranked(self.x)
        for axis in self.axes:
            normalize_axis(axis, len(shape))
        return self.x.tensor

    def eval(self, x: Array) -> Array:
        return np.flip(x, self.axes)


@op("core.reverse_sequence")
class ReverseSequence(OpDef):
    """The first lengths[b] slices along `time_axis` reversed, for each b along `batch_axis`.  lengths: integer [batch]."""

    x: Value = operand()
    lengths: Value = operand()
    time_axis: int = attr()
    batch_axis: int = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        shape, lengths = self.x.tensor.shape, self.lengths.tensor.shape
        if shape is not None and lengths is not None:
            same_size(check_rank(self.lengths, 1, "the lengths")[0], shape[self.batch_axis], "lengths and rows")
        return self.x.tensor

    def eval(self, x: Array, lengths: Array) -> Array:
        moved = np.moveaxis(x, (self.batch_axis, self.time_axis), (0, 1)).copy()
        for row, n in zip(moved, lengths, strict=True):
            row[: int(n)] = row[: int(n)][::-1].copy()
        return np.moveaxis(moved, (0, 1), (self.batch_axis, self.time_axis))


def _range_count(start: Array, limit: Array, step: Array) -> int:
    """Length of a range, computed in the element type, as TensorFlow and TFLite do: float32 may give another one than float64."""
    s, e, d = (v.reshape(()) for v in (start, limit, step))
    if d == 0:
        raise ConversionError(Code.MLC0201, "the step of a range is 0")
    steps = (e - s) / d if start.dtype.kind == "f" else (e.item() - s.item()) / d.item()
    return max(0, int(np.ceil(steps)))


@op("core.range")
class Range(OpDef):
    """start, start + step, ... before limit; all scalars of one numeric type.  Result [max(0, ceil((limit - start) / step))]."""

    start: Value = operand()
    limit: Value = operand()
    step: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        dtype = same_dtype(self.start, self.limit, self.step)
        parts = [known_ints(v) for v in (self.start, self.limit, self.step)]
        size: Size = Dim.unknown()
        if all(p is not None and p and p[0] is not None for p in parts):
            start, limit, step = (p[0] for p in parts if p is not None)
            if step == 0:
                raise ConversionError(Code.MLC0201, "the step of a range is 0")
            if isinstance(start, int) and isinstance(limit, int) and isinstance(step, int):
                size = len(range(start, limit, step))
            elif isinstance(step, int) and step > 0 and start is not None and limit is not None:
                size = ceildiv(limit - start, step)
        else:
            arrays = [v.producer.value.view() for v in (self.start, self.limit, self.step) if isinstance(v.producer, Constant)]
            if len(arrays) == 3:
                size = _range_count(*arrays)
        return TensorType(dtype, (size,))

    def eval(self, start: Array, limit: Array, step: Array) -> Array:
        s, d = start.reshape(()).item(), step.reshape(()).item()
        count = _range_count(start, limit, step)
        check_size((count,), self.start.tensor.dtype, "result of range")
        return np.asarray(s + np.arange(count) * d).astype(start.dtype)
