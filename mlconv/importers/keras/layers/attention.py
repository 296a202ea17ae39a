"""Attention.  Source: keras/src/layers/attention, `dot_product_attention` of keras/src/backend/tensorflow/nn.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Results, Rules
from mlconv.importers.keras.layers.activation import lowest
from mlconv.importers.keras.weights import Weights
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()
_FUSED_LOWEST: Final = -0.7 * 3.38953e38  # `_get_large_negative`


def causal(n: Call, scores: Value, window: int | None = None, forward: bool = True) -> Value:
    """Which keys a query sees: none behind it; with a window, those nearer than that alone.  bool [queries, keys]."""
    rank = n.rank(scores)
    queries, keys = (n.arange(n.dim(scores, axis)) for axis in (rank - 2, rank - 1))
    i, j = n.expand_dims(queries, 1), n.expand_dims(keys, 0)
    parts = [n.greater_equal(i, j)] if forward else []
    if window is not None:
        parts.append(n.less(n.y(core.Abs(n.sub(i, j))), window))
    return reduce(n.logical_and, parts)


class _Heads(NamedTuple):
    """Attention of several heads.  heads: of queries; pairs: of keys and values; size, value_size: of each."""

    heads: int
    pairs: int
    size: int
    value_size: int
    outputs: tuple[int, ...]
    bias: bool
    gate: bool


def _projected(n: Call, x: Value, weights: Weights, h: _Heads, heads: int, size: int) -> Value:
    """x times weights [channels, heads, size]: [batch, steps, heads * size]."""
    channels = n.size(x, 2)
    shapes = [(channels, heads, size), (heads, size)][: 1 + h.bias]
    found = n.held(n.kind, weights, *shapes)
    y = n.matmul(x, n.reshape(found[0], [channels, heads * size]))
    return n.add(y, n.reshape(found[1], [heads * size])) if h.bias else y


def _split(n: Call, x: Value, heads: int, size: int) -> Value:
    """[batch, steps, heads * size] as [batch, heads, steps, size]."""
    return n.transpose(n.reshape(x, _open(n, [n.dim(x, 0), n.dim(x, 1), heads, size])), [0, 2, 1, 3])


def _open(n: Call, sizes: list[int | Value]) -> list[int | Value]:
    """Sizes, one that is known at run time only left to deduction."""
    if sum(isinstance(s, Value) for s in sizes) != 1:
        return sizes
    return [-1 if isinstance(s, Value) else s for s in sizes]


@RULES.rule("MultiHeadAttention", "GroupQueryAttention", "GroupedQueryAttention")
def multi_head(n: Call) -> Results:
    """Queries, values and keys [batch, steps, channels]."""
    grouped = n.kind != "MultiHeadAttention"
    h = _grouped_heads(n) if grouped else _heads(n)
    given = query, value, key = _operands(n)
    axes = _axes(n, n.rank(query))
    scores_too = n.kwarg("return_attention_scores", False) is True
    n.fields.unused("dropout", "activity_regularizer")
    dropout = n.fields.number("dropout", 0.0) > 0.0
    several = n.rank(query) > 3
    if several:
        _check_plain(n, given, scores_too)
        query, value, key = (_as_sequences(n, x, axes) for x in given)
    mask, query_mask = _masks(n, query, value, key, grouped)
    prefix = "_" if grouped else ""
    names = ["query_dense", "key_dense", *(["gate_dense"] if h.gate else []), "value_dense", "output_dense"]
    own = {name: n.weights.at(prefix + name, i) for i, name in enumerate(names)}
    if h.gate and not grouped:
        own["gate_dense"] = n.weights.at("_gate_dense", 2)
    q, k, v = (
        _split(n, _projected(n, x, own[name], h, heads, size), heads, size)
        for x, name, heads, size in (
            (query, "query_dense", h.heads, h.size),
            (key, "key_dense", h.pairs, h.size),
            (value, "value_dense", h.pairs, h.value_size),
        )
    )
    gate = n.sigmoid(_projected(n, query, own["gate_dense"], h, h.heads, h.value_size)) if h.gate else None
    if h.pairs != h.heads:
        k, v = (_shared(n, part, h.heads // h.pairs) for part in (k, v))
    scores = n.mul(n.matmul(q, k, transpose_b=True), 1.0 / math.sqrt(h.size))
    allowed = _allowed(n, scores, mask)
    plain = dropout or scores_too
    p = _softmax(n, scores, allowed, plain)
    y = _output(n, h, n.matmul(p, v), gate, own["output_dense"])
    if several:
        return _from_sequences(n, y, given[0], axes)
    if query_mask is not None and not grouped:
        n.masks[y] = query_mask
    return [y, p] if scores_too else y


def _heads(n: Call) -> _Heads:
    f = n.fields
    heads, size = f.integer("num_heads", None, 1), f.integer("key_dim", None, 1)
    outputs = f.listed("output_shape") if f.get("output_shape") is not None else ()
    if len(outputs) > 1 or min(outputs, default=1) < 1:
        raise f.wrong("output_shape")
    return _Heads(
        heads, heads, size, f.integer("value_dim", size, 1), outputs, f.flag("use_bias", True), f.flag("use_gate")
    )


def _axes(n: Call, rank: int) -> tuple[int, ...]:
    """Axes of steps; with one axis, Keras asks not which.  Source: `_build_attention`."""
    given = n.fields.get("attention_axes", list(range(1, rank - 1)))
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    if rank == 3 and listed in ([1], [-1]):
        return (1,)
    axes = tuple(a if a >= 0 else rank + a for a in listed if isinstance(a, int))
    if len(axes) != len(listed) or not axes or len(set(axes)) != len(axes) or not set(axes) <= set(range(1, rank - 1)):
        raise n.fields.wrong("attention_axes")
    return axes


def _check_plain(n: Call, operands: Sequence[Value], scores_too: bool) -> None:
    masks = (n.kwarg(name) for name in ("query_mask", "value_mask", "key_mask", "attention_mask"))
    if scores_too or any(m is not None for m in (*masks, *map(n.masks.get, operands))):
        raise n.unknown("masks, or scores that are asked for, with steps along several axes")
    if len({n.rank(x) for x in operands}) != 1 or n.kwarg("use_causal_mask", False) is True:
        raise n.unknown("steps along several axes, of operands that differ or in an order")


def _in_order(rank: int, axes: tuple[int, ...]) -> list[int]:
    """Axes of steps in front of channels, all others in front of them."""
    return [*(a for a in range(rank - 1) if a not in axes), *axes, rank - 1]


def _as_sequences(n: Call, x: Value, axes: tuple[int, ...]) -> Value:
    """[batch, ..., channels] as [batches, steps, channels]: axes that are none of steps join the batch."""
    rank = n.rank(x)
    steps = math.prod(n.size(x, axis) for axis in axes)
    return n.reshape(n.transpose(x, _in_order(rank, axes)), [-1, steps, n.size(x, rank - 1)])


def _from_sequences(n: Call, y: Value, query: Value, axes: tuple[int, ...]) -> Value:
    """[batches, steps, channels] with the axes of the query."""
    rank, dims = n.rank(query), n.dims(query)
    order = _in_order(rank, axes)
    apart = n.reshape(y, _open(n, [*(dims[axis] for axis in order[:-1]), n.size(y, 2)]))
    return n.transpose(apart, [order.index(axis) for axis in range(rank)])


def _grouped_heads(n: Call) -> _Heads:
    f = n.fields
    heads, pairs = f.integer("num_query_heads", None, 1), f.integer("num_key_value_heads", None, 1)
    size = f.integer("head_dim", None, 1)
    if heads % pairs:
        raise f.wrong("num_query_heads")
    return _Heads(heads, pairs, size, size, (), f.flag("use_bias", True), f.flag("use_gate"))


def _operands(n: Call) -> tuple[Value, Value, Value]:
    """Query, value and key, by position or by name."""
    given: list[object] = [*n.args, None, None, None][:3]
    if len(n.args) > 3:
        raise n.unknown(f"it is given {len(n.args)} arguments")
    query, value, key = (
        n.kwarg(name) if v is None else v for name, v in zip(("query", "value", "key"), given, strict=True)
    )
    values = [n.value(v) for v in (query, value, value if key is None else key)]
    if any(n.rank(v) < 3 or (n.rank(v) > 3 and n.kind != "MultiHeadAttention") for v in values):
        raise n.unknown("it is given what is no batch of sequences")
    return values[0], values[1], values[2]


def _masks(n: Call, query: Value, value: Value, key: Value, grouped: bool) -> tuple[Value | None, Value | None]:
    """What all queries and keys say of one another, [batch, queries, keys], and the mask of the queries.

    `MultiHeadAttention.call` takes the masks away from what it is given.
    """
    given = n.kwarg("query_mask")
    query_mask = given if grouped and isinstance(given, Value) else n.masks.get(query)
    value_mask = n.kwarg("value_mask", n.masks.get(value))
    key_mask = n.kwarg("key_mask", n.masks.get(key) if key is not value else None)
    if any(m is not None for m in (query_mask, value_mask, key_mask)) and n.context.reuses:
        raise n.unknown("masks, in a model that calls a layer twice")
    parts: list[Value] = []
    for mask, axis in ((query_mask, 2), (value_mask, 1), (key_mask, 1)):
        if mask is not None:
            parts.append(n.expand_dims(_bool(n, mask), axis))
    given = n.kwarg("attention_mask")
    if given is not None:
        parts.append(_bool(n, given))
    if not grouped:
        for v in (query, value, key):
            n.masks.pop(v, None)
    if parts and len({n.rank(p) for p in parts}) != 1:
        raise n.unknown("masks of several ranks")
    return (reduce(n.logical_and, parts) if parts else None), query_mask


def _bool(n: Call, mask: object) -> Value:
    if not isinstance(mask, Value):
        raise n.unknown("a mask is no tensor")
    return n.cast(mask, DType.BOOL)


def _allowed(n: Call, scores: Value, mask: Value | None) -> Value | None:
    """Which scores count, so that it broadcasts to them."""
    if mask is not None:
        rank = n.rank(mask)
        if rank not in (2, 3, 4):
            raise n.unknown("a mask of a rank that is none of scores")
        mask = n.expand_dims(mask, 1) if rank == 3 else mask
    window = n.fields.integer("sliding_window", None, 1) if n.fields.get("sliding_window") is not None else None
    forward = n.kwarg("use_causal_mask", False) is True
    if not forward and window is None:
        return mask
    seen = causal(n, scores, window, forward)
    return seen if mask is None else n.logical_and(mask, seen)


def _softmax(n: Call, scores: Value, allowed: Value | None, plain: bool) -> Value:
    """plain: by a layer, which gives nothing to what does not count; else by a function, which computes in float32."""
    axis = n.rank(scores) - 1
    if not plain:
        scores = n.cast(scores, DType.F32)
    if allowed is None:
        return n.cast(n.y(core.Softmax(scores, axis=axis)), n.dtype)
    p = n.y(core.Softmax(n.where(allowed, scores, lowest(n) if plain else _FUSED_LOWEST), axis=axis))
    return n.where(allowed, p, 0.0) if plain else n.cast(p, n.dtype)


def _shared(n: Call, x: Value, times: int) -> Value:
    """Heads [batch, pairs, steps, size], each several times in a row."""
    batch, pairs, steps, size = n.dims(x)
    spread = n.y(core.Tile(n.expand_dims(x, 2), n.vector([1, 1, times, 1, 1])))
    heads = pairs * times if isinstance(pairs, int) else pairs
    return n.reshape(spread, _open(n, [batch, heads, steps, size]))


def _output(n: Call, h: _Heads, y: Value, gate: Value | None, weights: Weights) -> Value:
    """[batch, heads, steps, size] times weights [heads, size, outputs]."""
    y = n.transpose(y, [0, 2, 1, 3])
    y = n.reshape(y, _open(n, [n.dim(y, 0), n.dim(y, 1), h.heads * h.value_size]))
    y = y if gate is None else n.mul(y, gate)
    (outputs,) = h.outputs or (n.size(n.value(n.args[0] if n.args else n.kwarg("query")), -1),)
    shapes = [(h.heads, h.value_size, outputs), (outputs,)][: 1 + h.bias]
    found = n.held(n.kind, weights, *shapes)
    y = n.matmul(y, n.reshape(found[0], [h.heads * h.value_size, outputs]))
    return n.add(y, found[1]) if h.bias else y


@RULES.rule("Attention", "AdditiveAttention")
def attention(n: Call) -> Results:
    """Queries [batch, queries, channels], values, and keys where they are not the values."""
    xs, given = n.xs, n.kwarg("mask")
    if len(xs) not in (2, 3) or any(n.rank(x) != 3 for x in xs):
        raise n.unknown("it is given what are no sequences")
    masks = given if isinstance(given, list) else [n.masks.get(x) for x in xs]
    query, value = xs[:2]
    scores = _scores(n, query, xs[-1] if len(xs) == 3 else value)
    allowed = n.expand_dims(_bool(n, masks[1]), 1) if masks[1] is not None else None
    if n.kwarg("use_causal_mask", False) is True:
        seen = causal(n, scores)
        allowed = seen if allowed is None else n.logical_and(allowed, seen)
    n.fields.unused("dropout")
    scores = (
        scores
        if allowed is None
        else n.where(allowed, scores, n.sub(scores, 65504.0 if n.dtype is DType.F16 else 1.0e9))
    )
    p = n.y(core.Softmax(scores, axis=2))
    y = n.matmul(p, value)
    if masks[0] is not None:
        y = n.where(n.expand_dims(_bool(n, masks[0]), 2), y, 0.0)
        n.masks[y] = masks[0]
    return [y, p] if n.kwarg("return_attention_scores", False) is True else y


def _scores(n: Call, query: Value, key: Value) -> Value:
    additive = n.kind == "AdditiveAttention"
    scaled = n.fields.flag("use_scale", additive)
    mode = "additive" if additive else n.fields.text("score_mode", "dot", ("dot", "concat"))
    shapes = [(n.size(query, 2),) if additive else ()] * scaled + [()] * (mode == "concat")
    found = n.own(*shapes)
    if mode == "dot":
        scores = n.matmul(query, key, transpose_b=True)
        return n.mul(scores, found[0]) if scaled else scores
    together = n.add(n.expand_dims(query, 2), n.expand_dims(key, 1))
    if additive:
        y = n.tanh(together)
        return n.sum(n.mul(y, found[0]) if scaled else y, [3])
    y = n.tanh(n.mul(together, found[0]) if scaled else together)
    return n.mul(n.sum(y, [3]), found[-1])
