"""Operators that read and write at indices, select and sort."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.base import same_size
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.limits import check_table

RULES = OnnxRules()

# ONNX ScatterElements-18, ScatterND-18: the attribute `reduction`.
_REDUCTIONS = {"none": "none", "add": "add", "mul": "mul", "max": "max", "min": "min"}


@RULES.rule("Gather")
def gather(n: Node) -> Value:
    x = n.x(0)
    return n.gather(x, n.x(1), n.axis(n.i("axis", 0), n.rank(x)))


@RULES.rule("GatherElements")
def gather_elements(n: Node) -> Value:
    x = n.x(0)
    return n.y(core.GatherElements(x, n.x(1), axis=n.axis(n.i("axis", 0), n.rank(x))))


@RULES.rule("GatherND")
@RULES.rule("GatherND", domain="com.microsoft")
def gather_nd(n: Node) -> Value:
    return n.y(core.GatherNd(n.x(0), n.x(1), batch_dims=n.i("batch_dims", 0)))


def _reduction(n: Node) -> str:
    kind = n.s("reduction", "none")
    if kind not in _REDUCTIONS:
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: reduction is {kind!r}, expected one of {', '.join(_REDUCTIONS)}"
        )
    return _REDUCTIONS[kind]


@RULES.rule("ScatterElements", "Scatter")
def scatter_elements(n: Node) -> Value:
    x = n.x(0)
    return n.y(core.ScatterElements(x, n.x(1), n.x(2), axis=n.axis(n.i("axis", 0), n.rank(x)), reduction=_reduction(n)))


@RULES.rule("ScatterND")
def scatter_nd(n: Node) -> Value:
    return n.y(core.ScatterNd(n.x(0), n.x(1), n.x(2), reduction=_reduction(n)))


@RULES.rule("TensorScatter")
def tensor_scatter(n: Node) -> Value:
    """The update written into the cache along `axis`, for each sample from its own index on; `circular` wraps
    around.
    """
    cache, update, starts = n.x(0), n.x(1), n.opt(2)
    rank = n.rank(cache)
    axis = n.axis(n.i("axis", -2), rank)
    mode = n.s("mode", "linear")
    if mode not in ("linear", "circular"):
        raise ConversionError(Code.AttributeInvalid, f"TensorScatter: mode is {mode!r}, expected linear or circular")
    for i, (a, b) in enumerate(zip(cache.tensor.shape or (), update.tensor.shape or (), strict=False)):
        if i != axis:
            same_size(a, b, f"TensorScatter of {update.type} into {cache.type}")
    steps = n.arange(n.dim(update, axis))
    places = n.reshape(steps, [-1 if i == axis else 1 for i in range(rank)])
    if starts is not None:
        places = n.add(places, n.reshape(n.cast(starts, DType.I64), [-1 if i == 0 else 1 for i in range(rank)]))
    if mode == "circular":
        length = n.dim(cache, axis)
        places = n.y(core.FloorMod(places, n.constant(length, DType.I64) if isinstance(length, int) else length))
    return n.y(core.ScatterElements(cache, n.broadcast_to(places, n.shape_of(update)), update, axis=axis))


@RULES.rule("OneHot")
def one_hot(n: Node) -> Value:
    """Indices in [-depth, depth); negative ones count from the end; others give `off` everywhere."""
    indices, depth, values = n.x(0), n.x(1), n.x(2)
    count = n.reshape(n.cast(depth, DType.I64), [])
    places = n.cast(indices, DType.I64)
    wrapped = n.where(n.less(places, 0), n.add(places, count), places)
    off, on = (n.reshape(n.slice_axis(values, 0, i, i + 1), []) for i in (0, 1))
    rank = n.rank(indices) + 1
    return n.y(core.OneHot(wrapped, count, on, off, axis=n.axis(n.i("axis", -1), rank)))


@RULES.rule("NonZero")
def non_zero(n: Node) -> Value:
    found = n.y(core.NonZero(n.x()))
    return n.transpose(found, (1, 0))


@RULES.rule("Compress")
def compress(n: Node) -> Value:
    """Slices along `axis` (or elements of the flattened input) where the condition holds; it may be shorter than the
    axis.

    What a longer one says of places behind the axis counts for nothing, as in ONNX Runtime.
    """
    x, condition = n.x(0), n.x(1)
    if not n.has("axis"):
        x, axis = n.reshape(x, [-1]), 0
    else:
        axis = n.axis(n.i("axis"), n.rank(x))
    there, asked = n.dim(x, axis), n.dim(condition, 0)
    if not (isinstance(there, int) and isinstance(asked, int) and asked <= there):
        condition = n.slice_axis(condition, 0, None, there)
    kept = n.squeeze(n.y(core.NonZero(condition)), 1)
    return n.gather(x, kept, axis)


@RULES.rule("TopK")
def top_k(n: Node) -> tuple[Value, ...]:
    x = n.x(0)
    k = n.scalar(n.cast(n.value_of("k", 1), DType.I64))
    axis = n.axis(n.i("axis", -1), n.rank(x))
    return n.ys(core.TopK(x, k, axis=axis, largest=n.flag("largest", True)))


@RULES.rule("Unique")
def unique(n: Node) -> tuple[Value, ...]:
    x = n.x()
    axis = n.axis(n.i("axis"), n.rank(x)) if n.has("axis") else None
    return n.ys(core.Unique(x, axis=axis, sorted=n.flag("sorted", True)))


@RULES.rule("TfIdfVectorizer")
def tf_idf_vectorizer(n: Node) -> Value:
    """Counts of n-grams of integers: for each n-gram of the pool, its items are compared at every place and skip
    distance.

    mode TF: counts; IDF: weight where the count is positive; TFIDF: weight times count.
    """
    x = n.x()
    if n.has("pool_strings"):
        raise n.refuse("string n-grams are not supported")
    pool, starts, places = n.ints("pool_int64s"), n.ints("ngram_counts"), n.ints("ngram_indexes")
    weights, mode = n.floats("weights", ()), n.s("mode")
    low, high, skips = n.i("min_gram_length"), n.i("max_gram_length"), n.i("max_skip_count")
    rank = n.rank(x)
    rows = n.cast(x if rank == 2 else n.reshape(x, [1, -1]), DType.I64)
    length = n.dim(rows, 1)
    if not isinstance(length, int):
        raise ConversionError(
            Code.ShapeNotStatic,
            f"TfIdfVectorizer: the number of items must be known at conversion time, the input is {x.type}",
        )
    size = max(places, default=-1) + 1
    check_table([size, 1 << 10], "the table of n-grams of TfIdfVectorizer")
    check_table([len(places), max(skips, 0) + 1, 1 << 4], "the list of n-grams and skips of TfIdfVectorizer")
    columns: dict[int, Value] = {}
    entry = 0
    for order, start in enumerate(starts, start=1):
        stop = starts[order] if order < len(starts) else len(pool)
        for at in range(start, stop - order + 1, order):
            column, entry = places[entry], entry + 1
            if low <= order <= high:
                count = _count_gram(n, rows, length, pool[at : at + order], skips)
                columns[column] = count if column not in columns else n.add(columns[column], count)
    blank = n.sum(n.cast(n.slice_axis(rows, 1, 0, 0), DType.F32), [1], keepdims=True)
    table = n.concat([columns.get(i, blank) for i in range(size)], 1)
    if mode in ("IDF", "TFIDF"):
        weight = n.constant(
            np.asarray([dict(zip(places, weights, strict=False)).get(i, 1.0) for i in range(size)], np.float32)
        )
        table = n.mul(table if mode == "TFIDF" else n.cast(n.less(0, table), DType.F32), weight)
    return table if rank == 2 else n.reshape(table, [size])


def _count_gram(n: Node, rows: Value, length: int, gram: tuple[int, ...], skips: int) -> Value:
    """How often `gram` occurs in each row with 0 to `skips` items left out between its items: [rows, 1] float32."""
    total = n.sum(n.cast(n.slice_axis(rows, 1, 0, 0), DType.F32), [1], keepdims=True)
    for distance in range(1, (skips + 1 if len(gram) > 1 else 1) + 1):
        spots = length - distance * (len(gram) - 1)
        if spots < 1:
            break
        match: Value | None = None
        for i, item in enumerate(gram):
            here = n.equal(n.slice_axis(rows, 1, i * distance, i * distance + spots), item)
            match = here if match is None else n.logical_and(match, here)
        if match is not None:
            total = n.add(total, n.sum(n.cast(match, DType.F32), [1], keepdims=True))
    return total
