"""GroupQueryAttention and RotaryEmbedding of com.microsoft.

Source: ONNX Runtime, docs/ContribOperators.md, contrib_ops/cpu/bert/group_query_attention.cc, gqa_attention_base.h,
rotary_embedding.cc, rotary_embedding_helper.h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.attention import grouped, join_heads, rotated, split_heads
from mlconv.legalize.from_onnx.contrib import DOMAIN
from mlconv.legalize.from_onnx.contrib.masks import filled, joined, number, one_size, scale_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import widened
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite.core_builder import Part

RULES = OnnxRules()


@RULES.rule("RotaryEmbedding", domain=DOMAIN)
def rotary_embedding(n: Node) -> Value:
    """Heads turned by the angles of their positions: given for each token, or one number, the first one's.

    A head is as large as twice the table's rows, unless `rotary_embedding_dim` says that it is larger.
    """
    x, positions, cos, sin = (n.x(i) for i in range(4))
    if n.flag("is_packed_batching"):
        raise n.refuse("is_packed_batching, rows of several lengths in one, is not supported")
    count, flat = n.i("rotary_embedding_dim", 0), n.rank(x) == 3
    heads = split_heads(n, x, _heads_of(n, x, cos, count)) if flat else x
    if n.rank(positions) != 2:
        steps = n.cast(n.arange(n.dim(heads, 2)), positions.tensor.dtype)
        positions = n.expand_dims(n.add(steps, n.reshape(positions, [])), 0)
    y = rotated(n, heads, (n.gather(cos, positions), n.gather(sin, positions)), n.flag("interleaved"), count)
    return n.reshape(join_heads(n, y), n.dims(x)) if flat else y


def _heads_of(n: Node, x: Value, cos: Value, count: int) -> int:
    """How many heads x [b, s, n * h] has."""
    whole, half, stated = n.dim(x, 2), n.dim(cos, 1), n.i("num_heads", 0)
    if count and not stated:
        raise ConversionError(Code.AttributeInvalid, "RotaryEmbedding: rotary_embedding_dim needs num_heads")
    if stated:
        return stated
    if not isinstance(whole, int) or not isinstance(half, int) or half < 1:
        raise ConversionError(
            Code.ShapeNotStatic, f"RotaryEmbedding: the sizes of {x.type} and {cos.type} must be known"
        )
    return max(whole // (2 * half), 1)


@dataclass(frozen=True, slots=True)
class _Steps:
    """Where the tokens of a call stand.  past: int64 [b, 1], how many precede each row's own; total: int64 [b, 1], with
    its own; room: how many keys there are places for; first: whether there were none before, where it is known, else a
    scalar.
    """

    past: Value
    total: Value
    room: Part
    first: bool | Value


@RULES.rule("GroupQueryAttention", domain=DOMAIN)
def group_query_attention(n: Node) -> list[Value | None]:
    """Attention of groups of query heads that share a key head, with a cache of keys and values."""
    _refuse(n)
    q, k, v = _three(n)
    old_k, old_v = n.opt(3), n.opt(4)
    if (old_k is None) != (old_v is None):
        raise ConversionError(Code.WrongArity, f"{n.op_type}: past_key and past_value go together")
    steps = _steps(n, q, old_k)
    if n.flag("do_rotary"):
        turns = _turns(n, q, steps)
        q, k = (rotated(n, x, turns, n.flag("rotary_interleaved"), _count(n)) for x in (q, k))
    if old_k is not None and old_v is not None:
        k, v = _cached(n, old_k, k, steps), _cached(n, old_v, v, steps)
    keys, values = grouped(n, q, k, v)
    wide = n.matmul(widened(n, q), widened(n, keys), transpose_b=True)
    scores = _seen(n, _added(n, n.mul(wide, scale_of(n, q)), steps), steps)
    weights = _weights(n, scores)
    dtype = q.tensor.dtype
    y = n.cast(n.matmul(weights, widened(n, values)), dtype)
    return [joined(n, y), k, v, _shown(n, scores, weights, dtype)]


def _refuse(n: Node) -> None:
    """What ONNX Runtime's CPUs have no kernel for, or keeps numbers of 8 bits in the cache."""
    if n.flag("sliding_window_cache"):
        raise n.refuse("sliding_window_cache is not supported: keys are moved within the cache")
    kinds = {n.s("k_quant_type", "NONE"), n.s("v_quant_type", "NONE")}
    if kinds != {"NONE"} or n.opt(12) is not None or n.opt(13) is not None:
        raise n.refuse(f"a cache of quantized keys and values ({', '.join(sorted(kinds))}) is not supported")
    if n.opt(14) is not None or n.opt(15) is not None:
        raise n.refuse("q_norm_weight and k_norm_weight are not supported, as they are not on ONNX Runtime's CPUs")
    if n.i("qk_output", 0) not in (0, 1, 2):
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: qk_output is {n.i('qk_output')}, expected 0, 1 or 2"
        )
    if not n.flag("causal", True) and n.i("local_window_size", -1) >= 0:
        raise ConversionError(Code.AttributeInvalid, f"{n.op_type}: a local_window_size needs causal")


def _three(n: Node) -> list[Value]:
    """Queries, keys and values [b, heads, s, h], of three inputs or side by side in one."""
    heads, shared = n.i("num_heads"), n.i("kv_num_heads")
    if heads < 1 or shared < 1 or heads % shared:
        raise ConversionError(Code.AttributeInvalid, f"{n.op_type}: {heads} heads are no multiple of {shared}")
    if n.opt(1) is not None:
        return [split_heads(n, n.x(i), count) for i, count in enumerate((heads, shared, shared))]
    whole = n.dim(n.x(0), 2)
    if not isinstance(whole, int) or whole % (heads + 2 * shared):
        raise ConversionError(
            Code.ShapeMismatch, f"{n.op_type}: {n.x(0).type} are not the features of {heads + 2 * shared} heads"
        )
    size = whole // (heads + 2 * shared)
    parts = n.split(n.x(0), [size * heads, size * shared, size * shared], 2)
    return [split_heads(n, part, count) for part, count in zip(parts, (heads, shared, shared), strict=True)]


def _steps(n: Node, q: Value, old: Value | None) -> _Steps:
    """A first call (as many tokens as there are in all) starts with nothing before it."""
    own, whole = n.dim(q, 2), one_size(n, n.x(6))
    total = n.add(n.reshape(n.cast(n.x(5), DType.I64), [n.dim(q, 0), 1]), 1)
    before = n.sub(total, number(n, own))
    none = n.sub(total, total)
    if old is None:
        return _Steps(none, total, own, True)
    kept = n.dim(old, 2)
    if isinstance(own, int) and isinstance(whole, int):
        room = max(kept, whole) if isinstance(kept, int) else n.maximum(kept, n.vector([whole]))
        return _Steps(none if own == whole else before, total, room, own == whole)
    first = n.equal(number(n, own), number(n, whole))
    room = n.maximum(n.vector([kept]), n.vector([whole]))
    return _Steps(n.where(first, none, before), total, room, first)


def _turns(n: Node, q: Value, steps: _Steps) -> tuple[Value, Value]:
    """Cosines and sines of the tokens' positions; those that are given count from the first one in a first call."""
    cos, sin, given = n.x(7), n.x(8), n.opt(9)
    own = n.expand_dims(n.arange(n.dim(q, 2)), 0)
    if given is None:
        positions = n.add(own, steps.past)
    else:
        one = n.reshape(n.slice(given, {0: (0, 1, 1), 1: (0, 1, 1)}), [1, 1])
        start = n.add(n.add(own, n.cast(one, DType.I64)), n.mul(steps.past, 0))
        later = n.cast(given, DType.I64)
        first = steps.first
        positions = n.where(first, start, later) if isinstance(first, Value) else start if first else later
    return n.gather(cos, positions), n.gather(sin, positions)


def _count(n: Node) -> int:
    half = n.dim(n.x(7), 1)
    if not isinstance(half, int):
        raise ConversionError(Code.ShapeNotStatic, f"{n.op_type}: the size of the rotation {n.x(7).type} must be known")
    return 2 * half


def _cached(n: Node, old: Value, new: Value, steps: _Steps) -> Value:
    """[b, n, room, h]: the first of the old rows, then the new ones, then zeros."""
    kept, own = n.dim(old, 2), n.dim(new, 2)
    places = n.expand_dims(n.arange(steps.room), 0)  # [1, room]
    fresh = n.add(n.sub(places, steps.past), number(n, kept))
    end = n.add(steps.past, number(n, own))
    taken = n.where(n.less(places, steps.past), places, fresh)  # [b, room]
    there = n.less(places, end)
    taken = n.where(there, taken, 0)
    batch = n.dim(old, 0)
    taken = n.broadcast_to(taken, [batch, steps.room])
    rows = n.transpose(n.concat([old, new], 2), (0, 2, 1, 3))
    found = n.y(core.Gather(rows, taken, axis=1, batch_dims=1))
    found = n.where(n.expand_dims(there, 2, 3), found, 0)
    return n.transpose(found, (0, 2, 1, 3))


def _added(n: Node, scores: Value, steps: _Steps) -> Value:
    """Scores [b, n, s, room] after the cap and the bias, which is for the first keys."""
    cap, bias = n.f("softcap", 0.0), n.opt(10)
    if cap > 0:
        scores = n.mul(n.tanh(n.div(scores, cap)), cap)
    if bias is None:
        return scores
    return n.add(scores, filled(n, n.cast(bias, scores.tensor.dtype), steps.room))


def _seen(n: Node, scores: Value, steps: _Steps) -> Value:
    """-inf for keys behind the query's own, before its window, or (where it is not causal) behind all."""
    places = n.reshape(n.arange(n.dim(scores, 3)), [1, 1, 1, -1])
    if not n.flag("causal", True):
        return n.where(n.less(places, n.expand_dims(steps.total, 2, 3)), scores, -math.inf)
    own = n.add(n.expand_dims(n.arange(n.dim(scores, 2)), 0), steps.past)  # [b, s]
    own = n.expand_dims(own, 1, 3)
    seen = n.less_equal(places, own)
    window = n.i("local_window_size", -1)
    if window >= 0:
        seen = n.logical_and(seen, n.less(n.sub(own, window), places))
    return n.where(seen, scores, -math.inf)


def _weights(n: Node, scores: Value) -> Value:
    """Softmax over keys; a sink, a number for each head, is one more key that has no value."""
    sink = n.opt(11)
    if sink is None and n.i("smooth_softmax", -1) != 1:
        return n.y(core.Softmax(scores, axis=3))
    dtype = scores.tensor.dtype
    extra = n.constant(0.0, dtype) if sink is None else n.reshape(n.cast(sink, dtype), [1, -1, 1, 1])
    sizes = n.dims(scores)
    wide = n.concat([scores, n.broadcast_to(extra, [*sizes[:3], 1])], 3)
    return n.slice_axis(n.y(core.Softmax(wide, axis=3)), 3, 0, sizes[3])


def _shown(n: Node, scores: Value, weights: Value, dtype: DType) -> Value | None:
    """Output 3: scores or weights of the keys that there are, 0 for those that are not seen."""
    if not n.used(3):
        return None
    kind = n.i("qk_output", 0)
    if kind == 0:
        raise ConversionError(Code.AttributeInvalid, f"{n.op_type}: output 3 needs qk_output to be 1 or 2")
    shown = weights if kind == 2 else n.where(n.y(core.IsInf(scores)), 0, scores)
    return n.cast(n.slice_axis(shown, 3, 0, one_size(n, n.x(6))), dtype)
