"""Attention and its kin: scaled dot products with masks, rotary embeddings, linear attention.

Source: onnx operator docs Attention-23..25, RotaryEmbedding-23, LinearAttention-27, FlexAttention-1 (ai.onnx.preview).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.spliced import splice
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite.core_builder import CoreBuilder, Part

RULES = OnnxRules()


def split_heads(n: CoreBuilder, x: Value, heads: int) -> Value:
    """[b, s, heads * d] to [b, heads, s, d]."""
    batch, length, hidden = n.dims_of(x, 3)
    if not isinstance(hidden, int) or heads < 1 or hidden % heads:
        raise ConversionError(Code.ShapeMismatch, f"the hidden size of {x.type} is not {heads} heads")
    return n.transpose(n.reshape(x, [batch, length, heads, hidden // heads]), (0, 2, 1, 3))


def join_heads(n: CoreBuilder, x: Value) -> Value:
    """[b, heads, s, d] to [b, s, heads * d]."""
    batch, heads, length, size = n.dims_of(x, 4)
    return n.reshape(n.transpose(x, (0, 2, 1, 3)), [batch, length, n.prod([heads, size])])


def repeat_heads(n: CoreBuilder, x: Value, times: int) -> Value:
    """[b, h, s, d] to [b, h * times, s, d]: each head stands `times` times in a row."""
    if times == 1:
        return x
    batch, heads, length, size = n.dims_of(x, 4)
    wide = n.broadcast_to(n.expand_dims(x, 2), [batch, heads, times, length, size])
    return n.reshape(wide, [batch, n.prod([heads, times]), length, size])


def grouped(n: CoreBuilder, q: Value, k: Value, v: Value) -> tuple[Value, Value]:
    """Keys and values repeated for the query heads that share them.  Raises ConversionError ShapeNotStatic when how
    many share one is not known.
    """
    query, own = (x.tensor.shape[n.axis_of(x, 1)] if x.tensor.shape else None for x in (q, k))
    if query == own or own == 1:
        return k, v
    if not isinstance(query, int) or not isinstance(own, int):
        raise ConversionError(
            Code.ShapeNotStatic,
            f"{query} query heads share {own} key heads: how many share one is not known at conversion time",
        )
    if own == 0 or query % own:
        raise ConversionError(Code.ShapeMismatch, f"{query} query heads are not a multiple of {own} key heads")
    return repeat_heads(n, k, query // own), repeat_heads(n, v, query // own)


@dataclass(slots=True)
class _Keys:
    """What the masks depend on: lengths, and how many keys precede the first query (one number, or one per batch)."""

    queries: Part
    keys: Part
    past: Part
    valid: Value | None  # [b] valid keys of a static cache

    def offset(self, n: CoreBuilder) -> Value:
        """Number of keys before the first query, shaped to broadcast against [b, h, q, k] or [q, k]."""
        if self.valid is not None:
            return n.reshape(n.sub(n.cast(self.valid, DType.I64), _number(n, self.queries)), [-1, 1, 1, 1])
        return _number(n, self.past)

    def distance(self, n: CoreBuilder) -> Value:
        """Position of the query minus position of the key, [.., q, k]."""
        rows = n.add(n.expand_dims(n.arange(self.queries), 1), self.offset(n))
        return n.sub(rows, n.expand_dims(n.arange(self.keys), 0))


def _number(n: CoreBuilder, part: Part) -> Value:
    return n.constant(part, DType.I64) if isinstance(part, int) else n.reshape(part, [])


@RULES.rule("Attention")
def attention(n: Node) -> list[Value | None]:
    q, k, v = n.x(0), n.x(1), n.x(2)
    past_k, past_v = n.opt(4), n.opt(5)
    flat = n.rank(q) == 3
    if flat:
        q = split_heads(n, q, n.i("q_num_heads"))
        k, v = (split_heads(n, x, n.i("kv_num_heads")) for x in (k, v))
    past: Part = 0
    if past_k is not None and past_v is not None:
        past = n.dim(past_k, 2)
        k, v = n.concat([past_k, k], 2), n.concat([past_v, v], 2)
    present_k, present_v = k, v
    dtype = q.tensor.dtype
    size = n.dim(q, 3)
    if n.has("scale"):
        scale = math.sqrt(n.f("scale"))
    elif isinstance(size, int):
        scale = math.sqrt(1.0 / math.sqrt(size))
    else:
        raise ConversionError(
            Code.ShapeNotStatic, f"Attention: the head size of {q.type} must be known at conversion time"
        )
    keys, values = grouped(n, q, k, v)
    scores = n.matmul(n.mul(q, scale), n.mul(keys, scale), transpose_b=True)
    mode = n.i("qk_matmul_output_mode", 0)
    cap = n.f("softcap", 0.0)
    raw = scores
    if cap > 0:
        scores = n.mul(n.tanh(n.div(scores, cap)), cap)
    shown = scores if mode == 1 else raw
    bias = _bias(n, _Keys(n.dim(q, 2), n.dim(k, 2), past, n.opt(6) if past_k is None else None), n.opt(6), dtype)
    scores = scores if bias is None else n.add(scores, bias)
    shown = scores if mode == 2 else shown
    precision = n.dtype("softmax_precision", dtype) if n.i("softmax_precision", 0) else dtype
    probabilities = _softmax(n, n.cast(scores, precision), bias)
    shown = probabilities if mode == 3 else shown
    y = n.matmul(n.cast(probabilities, dtype), values)
    return [join_heads(n, y) if flat else y, present_k, present_v, n.cast(shown, dtype)]


def _softmax(n: CoreBuilder, scores: Value, bias: Value | None) -> Value:
    """Softmax over keys; a query whose bias is -inf for every key attends to nothing and gives zeros."""
    rank = n.rank(scores)
    y = n.y(core.Softmax(scores, axis=rank - 1))
    if bias is None:
        return y
    top = n.max(bias, [n.rank(bias) - 1], keepdims=True)
    return n.where(n.y(core.IsInf(top, positive=False)), 0, y)


def _bias(n: Node, keys: _Keys, padding: Value | None, dtype: DType) -> Value | None:
    """The sum of the mask, the causal frontier, the window and the padding, as numbers to be added to the scores; None
    when there is none.
    """
    bias = _mask(n, n.opt(3), keys.keys, dtype)
    left, right = n.i("left_window_size", -1), n.i("right_window_size", -1)
    allowed: list[Value] = []
    if n.flag("is_causal") or left >= 0 or right >= 0:
        distance = keys.distance(n)
        if n.flag("is_causal"):
            allowed.append(n.less_equal(0, distance))
        if left >= 0:
            allowed.append(n.less_equal(distance, left))
        if right >= 0:
            allowed.append(n.less_equal(-right, distance))
    if padding is not None:
        places = n.reshape(n.arange(keys.keys), [1, 1, 1, -1])
        allowed.append(n.less(places, n.reshape(n.cast(padding, DType.I64), [-1, 1, 1, 1])))
    for condition in allowed:
        part = n.where(condition, n.constant(0.0, dtype), n.constant(-math.inf, dtype))
        bias = part if bias is None else n.add(bias, part)
    return bias


def _mask(n: CoreBuilder, mask: Value | None, keys: Part, dtype: DType) -> Value | None:
    """attn_mask as numbers: false and keys beyond its end are -inf."""
    if mask is None:
        return None
    own = n.dim(mask, n.rank(mask) - 1)
    if mask.tensor.dtype is DType.BOOL:
        mask = n.where(mask, n.constant(0.0, dtype), n.constant(-math.inf, dtype))
    if isinstance(own, int) and isinstance(keys, int) and own == keys:
        return mask
    missing: Part = (
        keys - own if isinstance(own, int) and isinstance(keys, int) else n.sub(n.vector([keys]), n.vector([own]))
    )
    if own == 1 and not isinstance(keys, int):
        return mask
    return n.pad(mask, [*[(0, 0)] * (n.rank(mask) - 1), (0, missing)], -math.inf)


@RULES.rule("FlexAttention", domain="ai.onnx.preview")
def flex_attention(n: Node) -> Value:
    """Attention whose scores and probabilities pass through subgraphs."""
    q, k, v = n.x(0), n.x(1), n.x(2)
    dtype, size = q.tensor.dtype, n.dim(q, 3)
    if not isinstance(size, int):
        raise ConversionError(
            Code.ShapeNotStatic, f"FlexAttention: the head size of {q.type} must be known at conversion time"
        )
    scale = math.sqrt(n.f("scale", 1.0 / math.sqrt(size)))
    precision = n.dtype("softmax_precision", DType.F64 if dtype is DType.F64 else DType.F32)
    keys, values = grouped(n, q, k, v)
    scores = n.cast(n.matmul(n.mul(q, scale), n.mul(keys, scale), transpose_b=True), precision)
    scores = _modified(n, "score_mod", scores)
    probabilities = _modified(n, "prob_mod", n.y(core.Softmax(scores, axis=3)))
    return n.cast(n.matmul(probabilities, n.cast(values, precision)), v.tensor.dtype)


def _modified(n: Node, name: str, x: Value) -> Value:
    region = n.region(name)
    return x if region is None else splice(n, region.block, [x])[0]


@RULES.rule("RotaryEmbedding")
def rotary_embedding(n: Node) -> Value:
    """The first `rotary_embedding_dim` features of each head rotated pairwise by the angle of its position."""
    x, cos, sin, positions = n.x(0), n.x(1), n.x(2), n.opt(3)
    flat = n.rank(x) == 3
    heads = split_heads(n, x, n.i("num_heads")) if flat else x
    if positions is not None:
        cos, sin = n.gather(cos, positions), n.gather(sin, positions)
    count = n.i("rotary_embedding_dim", 0)
    y = rotated(n, heads, (cos, sin), n.flag("interleaved"), count)
    return n.reshape(join_heads(n, y), n.dims(x)) if flat else y


def rotated(n: CoreBuilder, heads: Value, turns: tuple[Value, Value], interleaved: bool, count: int = 0) -> Value:
    """Pairs of the first `count` features (0: all) of each head turned: neighbours where `interleaved`, else one of the
    first half and one of the second.  heads: [b, h, s, d].  turns: cosine and sine, [b, s, count / 2].
    """
    size = n.dim(heads, 3)
    count = count or (size if isinstance(size, int) else 0)
    if not isinstance(size, int) or not count:
        raise ConversionError(
            Code.ShapeNotStatic, f"RotaryEmbedding: the head size of {heads.type} must be known at conversion time"
        )
    cos, sin = (n.expand_dims(turn, 1) for turn in turns)  # [b, 1, s, count / 2]
    turning = n.slice_axis(heads, 3, 0, count) if count != size else heads
    if interleaved:
        a, b = n.slice_axis(turning, 3, 0, None, 2), n.slice_axis(turning, 3, 1, None, 2)
    else:
        a, b = n.split(turning, [count // 2, count - count // 2], 3)
    real = n.sub(n.mul(cos, a), n.mul(sin, b))
    imaginary = n.add(n.mul(sin, a), n.mul(cos, b))
    if interleaved:
        pairs = n.concat([n.expand_dims(real, 4), n.expand_dims(imaginary, 4)], 4)
        y = n.reshape(pairs, n.dims(turning))
    else:
        y = n.concat([real, imaginary], 3)
    return y if count == size else n.concat([y, n.slice_axis(heads, 3, count, None)], 3)


@RULES.rule("LinearAttention")
def linear_attention(n: Node) -> list[Value]:
    """A state [b, h, d_k, d_v] per head that each step decays, corrects, adds key x value to and reads with the
    query.
    """
    q_heads, kv_heads = n.i("q_num_heads"), n.i("kv_num_heads")
    rule = n.s("update_rule", "gated_delta")
    if rule not in ("linear", "gated", "delta", "gated_delta"):
        raise ConversionError(
            Code.AttributeInvalid,
            f"LinearAttention: update_rule is {rule!r}, expected linear, gated, delta or gated_delta",
        )
    dtype = n.x(0).tensor.dtype
    q, k, v = (split_heads(n, n.cast(n.x(i), DType.F32), h) for i, h in ((0, q_heads), (1, kv_heads), (2, kv_heads)))
    steps, d_k, d_v = n.dim(q, 2), n.dim(k, 3), n.dim(v, 3)
    if not isinstance(steps, int) or not isinstance(d_k, int) or not isinstance(d_v, int) or steps > 4096:
        raise n.refuse(f"the number of steps must be known and at most 4096, the query is {n.x(0).type}")
    decay = _per_head(n, n.x(4), kv_heads) if "gated" in rule else None
    beta = _per_head(n, n.x(5), kv_heads) if "delta" in rule else None
    past = n.opt(3)
    state = (
        n.cast(past, DType.F32)
        if past is not None
        else n.broadcast_to(n.constant(0.0, DType.F32), [n.dim(q, 0), kv_heads, d_k, d_v])
    )
    scale = n.f("scale", 0.0) or 1.0 / math.sqrt(d_k)
    outputs: list[Value] = []
    for t in range(steps):
        k_t, v_t, q_t = (n.slice_axis(x, 2, t, t + 1) for x in (k, v, q))  # [b, h, 1, d]
        if decay is not None:
            state = n.mul(state, n.transpose(n.exp(n.slice_axis(decay, 2, t, t + 1)), (0, 1, 3, 2)))
        if beta is not None:
            v_t = n.mul(n.slice_axis(beta, 2, t, t + 1), n.sub(v_t, n.matmul(k_t, state)))
        state = n.add(state, n.matmul(k_t, v_t, transpose_a=True))
        outputs.append(n.matmul(q_t, repeat_heads(n, state, q_heads // kv_heads)))
    y = n.cast(join_heads(n, n.mul(n.concat(outputs, 2), scale)), dtype)
    return [y, n.cast(state, past.tensor.dtype if past is not None else dtype)]


def _per_head(n: CoreBuilder, x: Value, heads: int) -> Value:
    """[b, s, heads * m] or [b, s, 1] to [b, heads or 1, s, m] in float32."""
    last = n.dim(x, 2)
    return split_heads(n, n.cast(x, DType.F32), 1 if last == 1 else heads)
