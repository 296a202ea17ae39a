"""Operations that move, combine and reduce.  Source: keras/src/ops/numpy.py, math.py."""

from __future__ import annotations

from itertools import pairwise
from typing import Final, TypeAlias, Union

import numpy as np

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Results, Rules
from mlconv.importers.keras.graph import Slice
from mlconv.importers.keras.layers.einsum import einsum
from mlconv.importers.keras.operations.operands import (
    NUMPY_TYPES,
    argument,
    axes,
    floats,
    open_sizes,
    pair,
    tensor,
    tensors,
    whole_axis,
)
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()
Bounds: TypeAlias = dict[int, tuple[Union[int, Value, None], Union[int, Value, None], int]]


@RULES.rule("Mean", "Sum", "Max", "Min", "Amax", "Amin", "Prod", "Var", "Std", keeps_mask=False)
def reduce(n: Call) -> Value:
    x, keep = floats(n), n.fields.flag("keepdims")
    n.fields.absent("initial")
    at = axes(n, x)
    if n.kind == "Mean":
        return n.mean(x, at, keepdims=keep)
    if n.kind == "Sum":
        return n.sum(x, at, keepdims=keep)
    if n.kind in ("Max", "Amax"):
        return n.max(x, at, keepdims=keep)
    if n.kind in ("Min", "Amin"):
        return n.y(core.ReduceMin(x, axes=at, keepdims=keep))
    if n.kind == "Prod":
        n.fields.absent("dtype")
        return n.y(core.ReduceProd(x, axes=at, keepdims=keep))
    centred = n.sub(x, n.mean(x, at, keepdims=True))
    variance = n.mean(n.mul(centred, centred), at, keepdims=keep)
    return variance if n.kind == "Var" else n.sqrt(variance)


@RULES.rule("Any", "All", keeps_mask=False)
def reduce_bool(n: Call) -> Value:
    x = tensor(n)
    if x.tensor.dtype is not DType.BOOL:
        raise n.unknown(f"x is of {x.tensor.dtype.display}")
    make = core.ReduceAny if n.kind == "Any" else core.ReduceAll
    return n.y(make(x, axes=axes(n, x), keepdims=n.fields.flag("keepdims")))


@RULES.rule("Argmax", "Argmin", keeps_mask=False)
def arg(n: Call) -> Value:
    """Places as int32."""
    x = floats(n)
    make = core.ArgMax if n.kind == "Argmax" else core.ArgMin
    return n.y(make(x, axis=whole_axis(n, x), keepdims=n.fields.flag("keepdims"), dtype=DType.I32))


@RULES.rule("Logsumexp", keeps_mask=False)
def log_sum_exp(n: Call) -> Value:
    """The largest number is taken out, so that nothing overflows."""
    x = floats(n)
    at, keep = axes(n, x), n.fields.flag("keepdims")
    top = n.max(x, at, keepdims=True)
    total = n.y(core.Log(n.sum(n.exp(n.sub(x, top)), at, keepdims=True)))
    y = n.add(total, top)
    return y if keep else n.squeeze(y, *at)


@RULES.rule("Cumsum", keeps_mask=False)
def cumsum(n: Call) -> Value:
    x = tensor(n)
    n.fields.absent("dtype")
    if not (x.tensor.dtype.is_float or x.tensor.dtype in (DType.I32, DType.I64)):
        raise n.unknown(f"x is of {x.tensor.dtype.display}")
    return n.y(core.CumSum(x, axis=whole_axis(n, x)))


@RULES.rule("Matmul", keeps_mask=False)
def matmul(n: Call) -> Value:
    a, b = pair(n)
    if not a.tensor.dtype.is_float or min(n.rank(a), n.rank(b)) < 2:
        raise n.unknown(f"a product of {a.tensor} and {b.tensor}")
    return n.matmul(a, b)


@RULES.rule("Einsum", keeps_mask=False)
def einsum_of_two(n: Call) -> Value:
    """Of two operands whose axes are all named."""
    terms = n.fields.text("subscripts").replace(" ", "").replace("->", ",").split(",")
    xs = list(n.args)
    if len(terms) != 3 or len(xs) != 2 or not all(t.isalpha() for t in terms):
        raise n.fields.wrong("subscripts")
    a, b = floats(n, 0), floats(n, 1)
    if a.tensor.dtype is not b.tensor.dtype or (n.rank(a), n.rank(b)) != (len(terms[0]), len(terms[1])):
        raise n.fields.wrong("subscripts")
    left, right, wanted = terms
    return einsum(n, left, right, wanted, a, b)


@RULES.rule("Reshape", keeps_mask=False)
def reshape(n: Call) -> Value:
    x, given = tensor(n), n.fields.get("newshape", [])
    sizes = open_sizes(n, given if isinstance(given, list) else [given], "newshape")
    return n.reshape(x, sizes)


@RULES.rule("Transpose", keeps_mask=False)
def transpose(n: Call) -> Value:
    x = tensor(n)
    order = list(range(n.rank(x)))[::-1] if n.fields.get("axes") is None else list(n.fields.listed("axes"))
    perm = [n.axis_of(x, a) for a in order]
    if sorted(perm) != list(range(n.rank(x))):
        raise n.fields.wrong("axes")
    return n.transpose(x, perm)


@RULES.rule("Swapaxes", "Moveaxis", keeps_mask=False)
def move(n: Call) -> Value:
    x = tensor(n)
    first, second = ("axis1", "axis2") if n.kind == "Swapaxes" else ("source", "destination")
    a, b = ([n.axis_of(x, i) for i in n.fields.listed(name)] for name in (first, second))
    if len(a) != 1 or len(b) != 1:
        raise n.fields.wrong(first)
    order = list(range(n.rank(x)))
    if n.kind == "Swapaxes":
        order[a[0]], order[b[0]] = order[b[0]], order[a[0]]
    else:
        order.insert(b[0], order.pop(a[0]))
    return n.transpose(x, order)


@RULES.rule("ExpandDims", keeps_mask=False)
def expand_dims(n: Call) -> Value:
    x, listed = tensor(n), n.fields.listed("axis")
    rank = n.rank(x) + len(listed)
    return n.expand_dims(x, *(n.axis(a, rank) for a in listed))


@RULES.rule("Squeeze", keeps_mask=False)
def squeeze(n: Call) -> Value:
    x = tensor(n)
    if n.fields.get("axis") is None:
        return n.squeeze(x, *(i for i, s in enumerate(n.shape(x)) if s == 1))
    return n.squeeze(x, *axes(n, x))


@RULES.rule("Concatenate", "Stack", keeps_mask=False)
def join(n: Call) -> Value:
    xs = tensors(n, "xs" if n.kind == "Concatenate" else "x")
    if n.kind == "Concatenate":
        return n.concat(xs, whole_axis(n, xs[0], 0))
    axis = whole_axis(n, xs[0], 0, n.rank(xs[0]) + 1)
    return n.concat([n.expand_dims(x, axis) for x in xs], axis)


@RULES.rule("Split", keeps_mask=False)
def split(n: Call) -> Results:
    """Into equal parts, or at places."""
    x = tensor(n)
    axis, given = whole_axis(n, x, 0), n.fields.get("indices_or_sections")
    size = n.size(x, axis)
    if isinstance(given, int) and given > 0 and size % given == 0:
        return list(n.split(x, (size // given,) * given, axis))
    places = [0, *n.fields.listed("indices_or_sections"), size]
    sizes = [b - a for a, b in pairwise(places)]
    if isinstance(given, int) or min(sizes) <= 0:
        raise n.fields.wrong("indices_or_sections")
    return list(n.split(x, tuple(sizes), axis))


@RULES.rule("Flip", keeps_mask=False)
def flip(n: Call) -> Value:
    x = tensor(n)
    return n.y(core.Reverse(x, axes=axes(n, x)))


@RULES.rule("Tile", keeps_mask=False)
def tile(n: Call) -> Value:
    x, repeats = tensor(n), list(n.fields.listed("repeats"))
    rank = n.rank(x)
    if len(repeats) > rank or min(repeats, default=1) < 1:
        raise n.fields.wrong("repeats")
    return n.y(core.Tile(x, n.vector([1] * (rank - len(repeats)) + repeats)))


@RULES.rule("BroadcastTo", keeps_mask=False)
def broadcast_to(n: Call) -> Value:
    x, listed = tensor(n), n.fields.listed("shape")
    if min(listed, default=0) < 0:
        raise n.fields.wrong("shape")
    return n.broadcast_to(x, list(listed))


@RULES.rule("Take", keeps_mask=False)
def take(n: Call) -> Value:
    """Along an axis; places are counted from the front."""
    x, places = tensor(n, 0, "x"), argument(n, 1, "indices")
    if n.fields.get("axis") is None:
        raise n.fields.wrong("axis")
    axis = whole_axis(n, x)
    size = n.size(x, axis)
    listed = [places] if isinstance(places, int) else places
    if not isinstance(listed, list) or not all(isinstance(p, int) and -size <= p < size for p in listed):
        raise n.unknown("places that are no numbers")
    taken = n.gather(x, [p % size for p in listed], axis)
    return n.squeeze(taken, axis) if isinstance(places, int) else taken


@RULES.rule("Pad", keeps_mask=False)
def pad(n: Call) -> Value:
    """With zeros or another number."""
    x, given = tensor(n), n.fields.get("pad_width")
    n.fields.text("mode", "constant", ("constant",))
    fill = n.kwarg("constant_values", 0)
    pairs: list[list[int]] = given if isinstance(given, list) and len(given) == n.rank(x) else [[]]
    if not all(isinstance(p, list) and len(p) == 2 and all(_is_size(v) for v in p) for p in pairs):
        raise n.fields.wrong("pad_width")
    if isinstance(fill, bool) or not isinstance(fill, (int, float)):
        raise n.unknown("it is filled with what is no number")
    return n.pad(x, [(p[0], p[1]) for p in pairs], fill)


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31


@RULES.rule("GetItem", keeps_mask=False)
def get_item(n: Call) -> Value:
    """x[...] by numbers, slices, new axes and an ellipsis."""
    x, key = tensor(n), argument(n, 1, "key")
    keys: list[object] = key if isinstance(key, list) else [key]
    used = sum(k is not None and k is not Ellipsis for k in keys)
    rank = n.rank(x)
    if used > rank or sum(k is Ellipsis for k in keys) > 1:
        raise n.unknown("an index of another rank")
    if Ellipsis not in keys:
        keys = [*keys, Ellipsis]
    at = keys.index(Ellipsis)
    keys = [*keys[:at], *[Slice(None, None, None)] * (rank - used), *keys[at + 1 :]]
    bounds: Bounds = {}
    gone: list[int] = []
    new: list[int] = []
    axis = kept = 0
    for k in keys:
        if k is None:
            new.append(kept)
            kept += 1
            continue
        if isinstance(k, Slice):
            kept += 1
            if tuple(k) != (None, None, None):
                bounds[axis] = _bounds(n, k)
        elif isinstance(k, int) and not isinstance(k, bool) and abs(k) < 1 << 31:
            bounds[axis] = (k, k + 1 if k != -1 else None, 1)
            gone.append(axis)
        else:
            raise n.unknown("an index that is no number")
        axis += 1
    return _indexed(n, x, bounds, gone, new)


def _indexed(n: Call, x: Value, bounds: Bounds, gone: list[int], new: list[int]) -> Value:
    y = n.slice(x, bounds) if bounds else x
    return n.expand_dims(n.squeeze(y, *gone), *new)


def _bounds(n: Call, k: Slice) -> tuple[int | None, int | None, int]:
    found: list[int | None] = []
    for v in k:
        if v is not None and (not isinstance(v, int) or isinstance(v, bool) or abs(v) >= 1 << 31):
            raise n.unknown("a slice whose ends are no numbers")
        found.append(v)
    start, stop, step = found
    if step == 0:
        raise n.unknown("a slice without a step")
    return start, stop, 1 if step is None else step


@RULES.rule("ZerosLike", "OnesLike", keeps_mask=False)
def like(n: Call) -> Value:
    x = tensor(n)
    dtype = DType.from_numpy(np.dtype(n.fields.text("dtype", x.tensor.dtype.numpy.name, NUMPY_TYPES)))
    return n.broadcast_to(n.constant(float(n.kind == "OnesLike"), dtype), n.dims(x))
