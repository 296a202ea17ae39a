"""Gather, scatter, segments, search: ops that pick or place by index.  Indices are int32 or int64.

Sources: ONNX Gather-13, GatherElements-13, GatherND-13, ScatterND-18, ScatterElements-18, TopK-11, Unique-11,
NonZero-13; TensorFlow counterparts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import check_integer_type, normalize_axis, ranked, same_dtype, same_size
from mlconv.dialects.core.places import check_places, check_tuples
from mlconv.dialects.core.shape import operand_sizes
from mlconv.ir.attributes import one_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Known, Value
from mlconv.ir.dims import Dim
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import SAME
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef, attr, known_array, known_ints, op, operand, result
from mlconv.ir.traits import ReadsContents
from mlconv.ir.types import TensorType, Type, shapes_compatible

_UFUNC = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "div": np.divide}
SCATTERING = one_of("none", *_UFUNC)


def _same_ranks(what: str, *values: Value) -> None:
    """All values have one rank, where it is known, and an axis.  Raises ConversionError ShapeMismatch."""
    ranks = {v.tensor.rank for v in values if v.tensor.rank is not None}
    if len(ranks) > 1 or 0 in ranks:
        raise ConversionError(
            Code.ShapeMismatch,
            f"{what} of {', '.join(str(v.tensor) for v in values)}: they must have one rank, of 1 or more",
        )


def _check_elements(data: Value, indices: Value, axis: int, what: str) -> None:
    """`axis` is one of data, along the others the indices have no more elements than data, and constant ones point
    inside. Raises ConversionError ShapeMismatch.
    """
    check_integer_type(indices, f"{what}: indices")
    d, i = data.tensor.shape, indices.tensor.shape
    if d is None:
        return
    at = normalize_axis(axis, len(d))
    if any(
        isinstance(a, int) and isinstance(b, int) and a < b and k != at
        for k, (a, b) in enumerate(zip(d, i or (), strict=False))
    ):
        raise ConversionError(
            Code.ShapeMismatch,
            f"{what}: the indices {indices.tensor} are larger than {data.tensor} beside axis {at}",
            operand=1,
        )
    check_places(indices, d[at], what)


def _check_tuples(data: Value, indices: Value, updates: Value, what: str) -> None:
    """indices [..., k] of a known k and updates indices[:-1] + data[k:] fit data.  Raises ConversionError
    ShapeMismatch, TypeMismatch for what are no integers.
    """
    check_integer_type(indices, f"{what}: indices")
    d, i, u = data.tensor.shape, indices.tensor.shape, updates.tensor.shape
    if i is not None and not i:
        raise ConversionError(Code.ShapeMismatch, f"{what}: the indices are one number, expected tuples", operand=1)
    if d is None or i is None or not isinstance(i[-1], int):
        return
    if i[-1] > len(d):
        raise ConversionError(
            Code.ShapeMismatch, f"{what}: index tuples of {i[-1]} are longer than the rank of {data.tensor}", operand=1
        )
    check_tuples(indices, d, what)
    wanted = (*i[:-1], *d[i[-1] :])
    if u is not None and not shapes_compatible(u, wanted):
        raise ConversionError(
            Code.ShapeMismatch,
            f"{what}: the updates are {updates.tensor}, expected the shape {[str(s) for s in wanted]}",
            operand=2,
        )


@op("core.gather", traits=[ReadsContents], quant=SAME)
class Gather(OpDef):
    """Slices of x along `axis`: shape x[:axis] + indices[batch_dims:] + x[axis+1:].  Negative indices count from the
    end.  from_start: there are none, the source refuses them.
    """

    moves_elements = True
    x: Value = operand()
    indices: Value = operand()
    axis: int = attr(default=0)
    batch_dims: int = attr(default=0)
    from_start: bool = attr(default=False)
    y: Value = result()

    def infer(self) -> TensorType:
        t, i = self.x.tensor, self.indices.tensor
        if t.shape is None or i.shape is None:
            return t.with_shape(None)
        axis = normalize_axis(self.axis, len(t.shape))
        if not t.shape or not 0 <= self.batch_dims <= min(axis, len(i.shape)):
            raise ConversionError(
                Code.ShapeMismatch,
                f"gather of {t} at {i} along axis {axis} with {self.batch_dims} batch axes: the ranks do not fit",
            )
        for a, b in zip(t.shape[: self.batch_dims], i.shape, strict=False):
            same_size(a, b, f"batch axes of {t} and the indices {i}")
        check_places(self.indices, t.shape[axis], "gather")
        return t.with_shape((*t.shape[:axis], *i.shape[self.batch_dims :], *t.shape[axis + 1 :]))

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        axis, taken = self.axis % max(self.x.tensor.rank or 0, 1), self.indices.tensor.rank
        quant = quants[0].untouched([*range(self.batch_dims), axis], "a gather")
        if quant.axis is None or quant.axis < axis or taken is None:
            return [quant]
        return [quant.with_axis(quant.axis + taken - self.batch_dims - 1)]

    def eval(self, x: Array, indices: Array) -> Array:
        n = x.shape[self.axis]
        index = np.where(indices < 0, indices + n, indices).astype(np.int64)
        if self.batch_dims == 0:
            return np.take(x, index, self.axis)
        lead = x.shape[: self.batch_dims]
        count = math.prod(lead)
        xs, js = x.reshape(count, *x.shape[self.batch_dims :]), index.reshape(count, *index.shape[self.batch_dims :])
        parts = [np.take(a, b, self.axis - self.batch_dims) for a, b in zip(xs, js, strict=True)]
        shape = (*x.shape[: self.axis], *index.shape[self.batch_dims :], *x.shape[self.axis + 1 :])
        return np.stack(parts).reshape(shape) if parts else np.zeros(shape, x.dtype)

    def deduce(self) -> Known | None:
        index = static(self.indices.known)
        known = None if self.x.known is None else known_array(self.x)
        if known is None or index is None or self.batch_dims:
            return None
        n = known.shape[self.axis]
        if not all(-n <= i < n for i in index):
            return None
        return tuple(np.take(known, np.asarray(index, np.int64), self.axis).reshape(-1))


@op("core.gather_elements", traits=[ReadsContents], quant=SAME)
class GatherElements(OpDef):
    """y[i, j, ...] = x[i, indices[i, j, ...], ...] along `axis`; y has the shape of indices."""

    x: Value = operand()
    indices: Value = operand()
    axis: int = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        _same_ranks("elements gathered", self.x, self.indices)
        _check_elements(self.x, self.indices, self.axis, "elements gathered")
        return self.x.tensor.with_shape(self.indices.tensor.shape)

    def eval(self, x: Array, indices: Array) -> Array:
        index = np.where(indices < 0, indices + x.shape[self.axis], indices).astype(np.int64)
        cut = tuple(slice(None) if a == self.axis else slice(0, n) for a, n in enumerate(index.shape))
        return np.take_along_axis(x[cut], index, self.axis)


@op("core.gather_nd", traits=[ReadsContents], quant=SAME)
class GatherNd(OpDef):
    """Slices of x at index tuples: indices [batch..., ..., k]; result batch + indices[batch:-1] + x[batch + k:].
    Negative indices count from the end.  from_start: there are none, the source refuses them.
    """

    x: Value = operand()
    indices: Value = operand()
    batch_dims: int = attr(default=0)
    from_start: bool = attr(default=False)
    y: Value = result()

    def infer(self) -> TensorType:
        t, i = self.x.tensor, self.indices.tensor
        if i.shape is not None and not 0 <= self.batch_dims < len(i.shape):
            raise ConversionError(
                Code.ShapeMismatch, f"index tuples {i} with {self.batch_dims} batch axes: the rank is too small"
            )
        if t.shape is None or i.shape is None or not isinstance(i.shape[-1], int):
            return t.with_shape(None)
        depth = i.shape[-1]
        if self.batch_dims + depth > len(t.shape):
            raise ConversionError(Code.ShapeMismatch, f"index tuples of {depth} are longer than the rank of {t}")
        for a, b in zip(t.shape[: self.batch_dims], i.shape, strict=False):
            same_size(a, b, f"batch axes of {t} and the index tuples {i}")
        check_tuples(self.indices, t.shape[self.batch_dims :], "gather of tuples")
        return t.with_shape((*i.shape[:-1], *t.shape[self.batch_dims + depth :]))

    def eval(self, x: Array, indices: Array) -> Array:
        b, depth = self.batch_dims, indices.shape[-1]
        sizes = np.asarray(x.shape[b : b + depth])
        index = np.where(indices < 0, indices + sizes, indices).astype(np.int64)
        lead = np.indices(indices.shape[:-1], sparse=True)[:b]
        return (
            x[(*lead, *(index[..., k] for k in range(depth)))]
            if b + depth
            else np.broadcast_to(x, (*indices.shape[:-1], *x.shape))
        )


def _put(out: Array, at: tuple[Array, ...], updates: Array, reduction: str) -> Array:
    if reduction == "none":
        out[at] = updates
    else:
        _UFUNC[reduction].at(out, at, updates)
    return out


def _replaced(op: ScatterNd | ScatterElements) -> Known | None:
    """A vector in which some numbers, at places that are known, are others."""
    known, at = op.data.known, static(op.indices.known)
    if known is None or at is None or op.data.tensor.rank != 1 or op.reduction != "none":
        return None
    if not all(-len(known) <= i < len(known) for i in at):
        return None
    numbers = list(known)
    for i, number in zip(at, op.updates.known or [None] * len(at), strict=True):
        numbers[i] = number
    return tuple(numbers)


@op("core.scatter_nd", traits=[ReadsContents])
class ScatterNd(OpDef):
    """data with updates placed at index tuples.  indices [..., k], updates indices[:-1] + data[k:].  reduction: none,
    add, sub, mul, div, max, min.

    Duplicate indices with reduction `none`: the last wins.  Indices out of range: error in `eval`.  Negative ones count
    from the end.  from_start: there are none, the source refuses them.
    """

    data: Value = operand()
    indices: Value = operand()
    updates: Value = operand()
    reduction: str = attr(default="none", check=SCATTERING)
    from_start: bool = attr(default=False)
    y: Value = result()

    def infer(self) -> TensorType:
        same_dtype(self.data, self.updates)
        _check_tuples(self.data, self.indices, self.updates, "scatter")
        return self.data.tensor

    def eval(self, data: Array, indices: Array, updates: Array) -> Array:
        out = data.copy()
        depth = indices.shape[-1]
        index = np.where(indices < 0, indices + np.asarray(data.shape[:depth]), indices).astype(np.int64)
        return _put(out, tuple(index[..., k] for k in range(depth)), updates, self.reduction)

    def deduce(self) -> Known | None:
        return _replaced(self)


@op("core.scatter_elements", traits=[ReadsContents])
class ScatterElements(OpDef):
    """data with y[i, indices[i, j], ...] = updates[i, j, ...] along `axis`.  reduction as in scatter_nd."""

    data: Value = operand()
    indices: Value = operand()
    updates: Value = operand()
    axis: int = attr()
    reduction: str = attr(default="none", check=SCATTERING)
    y: Value = result()

    def infer(self) -> TensorType:
        same_dtype(self.data, self.updates)
        _same_ranks("elements scattered", self.data, self.indices, self.updates)
        if not shapes_compatible(self.indices.tensor.shape, self.updates.tensor.shape):
            raise ConversionError(
                Code.ShapeMismatch,
                f"scatter: the indices are {self.indices.tensor}, the updates {self.updates.tensor}",
                operand=2,
            )
        _check_elements(self.data, self.indices, self.axis, "scatter")
        return self.data.tensor

    def eval(self, data: Array, indices: Array, updates: Array) -> Array:
        out = data.copy()
        index = np.where(indices < 0, indices + data.shape[self.axis], indices).astype(np.int64)
        at: list[Array] = list(np.indices(index.shape, sparse=True))
        at[self.axis] = index
        return _put(out, tuple(at), updates, self.reduction)

    def deduce(self) -> Known | None:
        return _replaced(self)


@op("core.one_hot")
class OneHot(OpDef):
    """on where the new axis equals the index, off elsewhere.  depth: integer scalar; on, off: scalars of one type.

    Negative indices do not match (TensorFlow OneHot); ONNX's wrap-around is added by its legalization.
    """

    indices: Value = operand()
    depth: Value = operand()
    on: Value = operand()
    off: Value = operand()
    axis: int = attr(default=-1)
    y: Value = result()

    def infer(self) -> TensorType:
        dtype = same_dtype(self.on, self.off)
        check_integer_type(self.indices, "indices")
        shape = self.indices.tensor.shape
        if shape is None:
            return TensorType(dtype, None)
        known = known_ints(self.depth)
        depth = Dim.unknown() if not known or known[0] is None else known[0]
        axis = normalize_axis(self.axis, len(shape) + 1)
        return TensorType(dtype, (*shape[:axis], depth, *shape[axis:]))

    def eval(self, indices: Array, depth: Array, on: Array, off: Array) -> Array:
        axis = self.axis if self.axis >= 0 else indices.ndim
        classes = np.arange(int(depth.reshape(()))).reshape([-1] + [1] * (indices.ndim - axis))
        hot = np.expand_dims(indices, axis) == classes
        return np.where(hot, on.reshape(()), off.reshape(()))


@op("core.segment_reduce", traits=[ReadsContents])
class SegmentReduce(OpDef):
    """Rows of x combined by segment id: y[s] = reduce of x[i] where ids[i] == s; empty segments get the neutral element
    `empty`.

    ids: integer, shape a prefix of x's; count: integer scalar (number of segments).  reduction: add, mul, max, min,
    mean.  Negative ids are dropped.
    Source: TensorFlow UnsortedSegmentSum and kin.
    """

    x: Value = operand()
    ids: Value = operand()
    count: Value = operand()
    reduction: str = attr(default="add", check=one_of("add", "mul", "max", "min", "mean"))
    empty: float = attr(default=0.0)
    y: Value = result()

    def infer(self) -> TensorType:
        known = known_ints(self.count)
        count = Dim.unknown() if not known or known[0] is None else known[0]
        check_places(self.ids, count, "segments", low=-(1 << 63))  # negative ids are dropped
        return self.x.tensor.with_shape((count, *ranked(self.x)[len(ranked(self.ids)) :]))

    def eval(self, x: Array, ids: Array, count: Array) -> Array:
        rows = x.reshape(ids.size, *x.shape[ids.ndim :])
        flat = ids.reshape(-1)
        kind, n = self.reduction, int(count.reshape(()))
        start: float | None = {"add": 0, "mean": 0, "mul": 1}.get(kind)
        if start is None:
            lowest = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
            highest = np.iinfo(x.dtype).max if x.dtype.kind in "iu" else np.inf
            start = lowest if kind == "max" else highest
        out = np.full((n, *rows.shape[1:]), start, x.dtype)
        keep = flat >= 0
        _UFUNC["add" if kind == "mean" else kind].at(out, flat[keep], rows[keep])
        counts = np.bincount(flat[keep].astype(np.int64), minlength=n)[:n].reshape([-1] + [1] * (rows.ndim - 1))
        if kind == "mean":
            out = (out / np.maximum(counts, 1)).astype(x.dtype)
        return np.where(counts == 0, np.asarray(self.empty).astype(x.dtype), out)


@op("core.scatter_fill", traits=[ReadsContents])
class ScatterFill(OpDef):
    """updates scattered into zeros of `shape`, duplicates added (TensorFlow ScatterNd, TFLite SCATTER_ND).  shape:
    integer [rank].
    """

    indices: Value = operand()
    updates: Value = operand()
    shape: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        sizes = operand_sizes(self.shape)
        check_tuples(self.indices, sizes or (), "scatter", low=0)
        return self.updates.tensor.with_shape(sizes)

    def eval(self, indices: Array, updates: Array, shape: Array) -> Array:
        out = np.zeros([int(d) for d in shape], updates.dtype)
        at = tuple(indices[..., k] for k in range(indices.shape[-1]))
        if updates.dtype == np.bool_:
            np.logical_or.at(out, at, updates)
        else:
            np.add.at(out, at, updates)
        return out
