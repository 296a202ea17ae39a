"""Attention, MultiHeadAttention and DecoderMaskedMultiHeadAttention of com.microsoft.

Source: ONNX Runtime, docs/ContribOperators.md, and its CPU kernels in contrib_ops/cpu/bert: attention_base.cc,
attention.cc, multihead_attention.cc, decoder_masked_multihead_attention.cc.
"""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Value
from mlconv.legalize.from_onnx.attention import split_heads
from mlconv.legalize.from_onnx.contrib import DOMAIN
from mlconv.legalize.from_onnx.contrib.masks import Heads, attended, number, one_size
from mlconv.legalize.from_onnx.matmul import matmul_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite.core_builder import Part

RULES = OnnxRules()


@RULES.rule("Attention", domain=DOMAIN)
def attention(n: Node) -> list[Value | None]:
    """Self-attention of x [b, s, i], projected by one matrix [i, h + h + v]."""
    refuse_shared(n, 6)
    projected = matmul_of(n, n.x(0), n.x(1))
    bias = n.opt(2)
    projected = projected if bias is None else n.add(projected, bias)
    return self_attention(n, projected, n.opt(3), n.opt(4), n.opt(5))


def refuse_shared(n: Node, place: int) -> None:
    """Refuse a state that is written in place, and rotation inside the operator.  place: of the input that tells how
    long the state is.
    """
    if n.flag("past_present_share_buffer") or n.opt(place) is not None:
        raise n.refuse("past_present_share_buffer is set, or past_sequence_length given: the state is written in place")
    if n.flag("do_rotary"):
        raise n.refuse("do_rotary is not supported, as it is not on ONNX Runtime's CPUs")


def self_attention(
    n: Node, projected: Value, mask: Value | None, past: Value | None, bias: Value | None
) -> list[Value | None]:
    """projected: queries, keys and values side by side [b, s, h + h + v].  past: [2, b, n, p, h].  Gives the output and
    the new state.
    """
    heads = n.i("num_heads")
    whole = n.dim(projected, 2)
    if not isinstance(whole, int):
        raise ConversionError(
            Code.ShapeNotStatic, f"{n.op_type}: the size of the projection {projected.type} must be known"
        )
    sizes = n.ints("qkv_hidden_sizes", ()) or (whole // 3,) * 3
    if len(sizes) != 3 or sum(sizes) != whole or sizes[0] != sizes[1] or min(sizes) < 1:
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: queries, keys and values of {list(sizes)} of a projection of {whole}"
        )
    q, k, v = (split_heads(n, part, heads) for part in n.split(projected, sizes, 2))
    before: Part = 0
    if past is not None:
        before = n.dims_of(past, 5)[3]
        old_k, old_v = (n.squeeze(part, 0) for part in n.split(past, [1, 1], 0))
        k, v = n.concat([old_k, k], 2), n.concat([old_v, v], 2)
    present = None
    if n.used(1):
        present = n.concat([n.expand_dims(k, 0), n.expand_dims(v, 0)], 0)
    return [attended(n, Heads(q, k, v, before), mask, bias).y, present]


@RULES.rule("MultiHeadAttention", domain=DOMAIN)
def multi_head_attention(n: Node) -> list[Value | None]:
    """Attention of queries, keys and values that are projected already, and get their bias here."""
    if n.opt(8) is not None or n.opt(9) is not None:
        raise n.refuse("past_sequence_length and cache_indirection are not supported: the state is written in place")
    q, k, v = _three(n, n.i("num_heads"), n.opt(3))
    past: Part = 0
    old_k, old_v = n.opt(6), n.opt(7)
    if (old_k is None) != (old_v is None):
        raise ConversionError(Code.WrongArity, f"{n.op_type}: past_key and past_value go together")
    if old_k is not None and old_v is not None:
        past = n.dims_of(old_k, 4)[2]
        k, v = n.concat([old_k, k], 2), n.concat([old_v, v], 2)
    found = attended(n, Heads(q, k, v, past), n.opt(4), n.opt(5))
    return [found.y, k, v, found.scores]


def _three(n: Node, heads: int, bias: Value | None) -> list[Value]:
    """Queries, keys and values as [b, n, s, h].

    Inputs 0 to 2 are three tensors [b, s, n * h]; keys and values may have their heads apart already, [b, n, t, h]; or
    keys and values [b, t, n, 2, h], or all three [b, s, n, 3, h], are one tensor.
    """
    query, key, value = n.x(0), n.opt(1), n.opt(2)
    if key is None:
        parts = _unpacked(n, query, 3)
    elif n.rank(key) == 5:
        parts = [query, *_unpacked(n, key, 2)]
    else:
        parts = [query, key, n.x(2) if value is None else value]
    if bias is not None:
        parts = _biased(n, parts, bias)
    return [part if n.rank(part) == 4 else split_heads(n, part, heads) for part in parts]


def _unpacked(n: Node, x: Value, count: int) -> list[Value]:
    """[b, s, n, count, h] to `count` tensors [b, s, n * h]."""
    batch, length, heads, own, size = n.dims_of(x, 5)
    if own != count:
        raise ConversionError(Code.ShapeMismatch, f"{n.op_type}: {x.type} holds {own} tensors, expected {count}")
    rows = [batch, length, n.prod([heads, size])]
    return [n.reshape(part, rows) for part in n.split(x, [1] * count, 3)]


def _biased(n: Node, parts: list[Value], bias: Value) -> list[Value]:
    """Each part [b, s, h] plus its share of the bias; keys and values whose heads are apart get none."""
    if n.rank(parts[1]) == 4:
        return [n.add(parts[0], n.slice_axis(bias, 0, 0, n.dim(parts[0], 2))), *parts[1:]]
    known = [size for size in (n.dim(part, 2) for part in parts) if isinstance(size, int)]
    if len(known) != 3:
        raise ConversionError(Code.ShapeNotStatic, f"{n.op_type}: the sizes of what the bias is added to must be known")
    return [n.add(part, share) for part, share in zip(parts, n.split(bias, known, 0), strict=True)]


@RULES.rule("DecoderMaskedMultiHeadAttention", domain=DOMAIN)
def decoder_masked_multi_head_attention(n: Node) -> list[Value | None]:
    """One query for each row: against given keys and values, or against those of a buffer that its own are put into."""
    if n.opt(9) is not None:
        raise n.refuse("cache_indirection, the bookkeeping of a beam search, is not supported")
    heads = n.i("num_heads")
    key, bias, old_k, old_v = n.opt(1), n.opt(10), n.opt(5), n.opt(6)
    if old_k is None and key is not None and n.rank(key) == 4:
        parts = [n.x(0), key, n.x(2)]
        query = (parts if bias is None else _biased(n, parts, bias))[0]
        found = attended(n, Heads(split_heads(n, query, heads), key, n.x(2)), n.opt(3), n.opt(4))
        return [found.y, None, None, found.scores]
    if old_k is None or old_v is None or not n.flag("past_present_share_buffer"):
        raise n.refuse("without a buffer of past keys and values (past_present_share_buffer)")
    return _with_buffer(n, heads, (old_k, old_v))


def _with_buffer(n: Node, heads: int, old: tuple[Value, Value]) -> list[Value | None]:
    """past_sequence_length tells where the new key and value go; those behind it are not looked at."""
    if n.opt(1) is None:
        whole = n.dim(n.x(0), 2)
        third = whole // 3 if isinstance(whole, int) else -1
        parts = list(n.split(n.x(0), [third] * 3, 2))
    else:
        parts = [n.x(0), n.x(1), n.x(2)]
    bias = n.opt(10)
    parts = parts if bias is None else _biased(n, parts, bias)
    q, k, v = (split_heads(n, part, heads) for part in parts)
    if n.dim(q, 2) != 1:
        raise ConversionError(Code.ShapeMismatch, f"{n.op_type}: {n.dim(q, 2)} queries a row, expected 1")
    past = one_size(n, n.x(7))
    places = n.reshape(n.arange(n.dim(old[0], 2)), [1, 1, -1, 1])
    at = n.equal(places, number(n, past))
    k, v = (n.where(at, new, kept) for new, kept in zip((k, v), old, strict=True))
    found = attended(n, Heads(q, k, v, past, room=True), n.opt(3), n.opt(4))
    if not n.used(3):
        return [found.y, k, v]
    end: Part = past + 1 if isinstance(past, int) else n.add(past, 1)
    return [found.y, k, v, n.slice_axis(found.scores, 3, 0, end)]
