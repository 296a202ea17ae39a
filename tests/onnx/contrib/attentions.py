"""Random cases of attentions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.onnx.contrib.cases import Array, Op, Rng, maybe, real, some, whole
from tests.onnx.rows import Row


def mask_of(rng: Rng, batch: int, queries: int, keys: int, three: bool = True) -> Array | None:
    """No mask, one of the forms of 0 and 1, or lengths."""
    form = int(rng.integers(6 if three else 5))
    ends = rng.integers(1, keys + 1, batch)
    if form == 0:
        return None
    if form == 1:
        return ends.astype(np.int32)
    if form == 2:
        return np.concatenate([ends, rng.integers(0, ends)]).astype(np.int32)
    if form == 3:
        counts = np.concatenate([[0], np.cumsum(ends)])
        return np.concatenate([ends, np.arange(batch + 1) * queries, counts]).astype(np.int32)
    shape = (batch, keys) if form == 4 else (batch, queries, keys)
    return whole(rng, *shape, high=2, dtype=np.int32)


def bias_of(rng: Rng, batch: int, heads: int, queries: int, keys: int) -> Array:
    return real(rng, int(rng.choice([1, batch])), int(rng.choice([1, heads])), queries, keys)


def attention(rng: Rng) -> Row:
    batch, queries, past, heads, size = (int(rng.integers(1, k)) for k in (4, 6, 4, 4, 6))
    width, given = int(rng.integers(1, 8)), bool(rng.integers(2))
    values = heads * (size if given else int(rng.integers(1, 5)))
    keys = queries + (past if given else 0)
    attributes: dict[str, Any] = {"num_heads": heads}
    attributes |= some(rng, unidirectional=[None, 1], scale=[None, 0.3], mask_filter_value=[None, -3.4028235e38])
    if values != heads * size:
        attributes["qkv_hidden_sizes"] = [heads * size, heads * size, values]
    whole_width = 2 * heads * size + values
    inputs = [
        real(rng, batch, queries, width),
        real(rng, width, whole_width),
        real(rng, whole_width),
        mask_of(rng, batch, queries, keys),
        real(rng, 2, batch, heads, past, size) if given else None,
        None if given else maybe(rng, lambda: bias_of(rng, batch, heads, queries, keys)),
    ]
    outputs = 2 if given or (values == heads * size and rng.integers(2)) else 1
    return Row("com.microsoft:Attention", inputs, attributes, constants=(1, 2), outputs=outputs)


def multi_head(rng: Rng) -> Row:
    batch, queries, own, past, heads, size = (int(rng.integers(1, k)) for k in (4, 6, 6, 4, 4, 6))
    form = int(rng.integers(3))  # 0: no past, 1: past, 2: keys and values with heads apart
    values = size if form else int(rng.integers(1, 5))
    keys = own + (past if form == 1 else 0)
    attributes: dict[str, Any] = {"num_heads": heads}
    attributes |= some(rng, unidirectional=[None, 1], scale=[None, 0.3], mask_filter_value=[None, -100.0])
    apart = form == 2
    k = real(rng, batch, heads, own, size) if apart else real(rng, batch, own, heads * size)
    v = real(rng, batch, heads, own, values) if apart else real(rng, batch, own, heads * values)
    mask = mask_of(rng, batch, queries, keys)
    if mask is not None and mask.shape == (2 * batch,):  # no form of this operator
        mask = mask[:batch]
    inputs = [
        real(rng, batch, queries, heads * size),
        k,
        v,
        maybe(rng, lambda: real(rng, heads * (2 * size + values))),
        mask,
        maybe(rng, lambda: bias_of(rng, batch, heads, queries, keys)),
        *([real(rng, batch, heads, past, size) for _ in range(2)] if form == 1 else []),
    ]
    outputs = int(rng.integers(3, 5)) if form == 1 else 1
    return Row("com.microsoft:MultiHeadAttention", inputs, attributes, outputs=outputs)


def decoder(rng: Rng) -> Row:
    batch, past, heads, size, room = (int(rng.integers(1, k)) for k in (4, 5, 4, 6, 4))
    attributes: dict[str, Any] = {"num_heads": heads} | some(rng, scale=[None, 0.3], mask_filter_value=[None, -100.0])
    width = heads * size
    bias = maybe(rng, lambda: real(rng, 3 * width))
    if rng.integers(2):
        k, v = (real(rng, batch, heads, past, size) for _ in range(2))
        mask = maybe(rng, lambda: whole(rng, batch, past, high=2, dtype=np.int32))
        inputs = [real(rng, batch, 1, width), k, v, mask, *[None] * 6, bias]
        return Row("com.microsoft:DecoderMaskedMultiHeadAttention", inputs, attributes)
    old = [real(rng, batch, heads, past + room, size) for _ in range(2)]
    query = [real(rng, batch, 1, width) for _ in range(3)]
    mask = maybe(rng, lambda: whole(rng, batch, past + 1, high=2, dtype=np.int32))
    added = maybe(rng, lambda: bias_of(rng, batch, heads, 1, past + 1))
    inputs = [*query, mask, added, *old, np.asarray(past, np.int32), None, None, bias]
    attributes |= {"past_present_share_buffer": 1, "output_qk": int(rng.integers(2))}
    outputs = 3 + attributes["output_qk"]
    return Row("com.microsoft:DecoderMaskedMultiHeadAttention", inputs, attributes, outputs=outputs)


def rotary(rng: Rng) -> Row:
    batch, length, heads, half, room = (int(rng.integers(1, k)) for k in (4, 6, 4, 4, 5))
    extra = int(rng.integers(2)) * 2
    size, places = 2 * half + extra, length + room
    angles = [real(rng, places, half) for _ in range(2)]
    apart = bool(rng.integers(2))
    x = real(rng, batch, heads, length, size) if apart else real(rng, batch, length, heads * size)
    one = bool(rng.integers(2))
    positions = (
        whole(rng, 1, high=room, dtype=np.int64) if one else whole(rng, batch, length, high=places, dtype=np.int64)
    )
    attributes = some(rng, interleaved=[None, 1], scale=[None, 1.0])
    if extra:
        attributes |= {"num_heads": heads, "rotary_embedding_dim": 2 * half}
    dtype = rng.choice([np.float32, np.float16])
    floats = [a.astype(dtype) for a in (x, *angles)]
    tolerance = 1e-5 if dtype == np.float32 else 4e-3
    return Row("com.microsoft:RotaryEmbedding", [floats[0], positions, *floats[1:]], attributes, tolerance=tolerance)


def group_query(rng: Rng) -> Row:
    """A first call (of rows that are all full), or a later one of one token a row, or of several of one row."""
    form = int(rng.integers(3))
    batch = 1 if form == 2 else int(rng.integers(1, 4))
    shared, times, size = int(rng.integers(1, 3)), int(rng.integers(1, 4)), int(rng.choice([8, 16]))
    heads, own = shared * times, 1 if form == 1 else int(rng.integers(2, 6))
    past = 0 if form == 0 else int(rng.integers(1, 6))
    total = own + past
    lengths = np.full(batch, total) if form != 1 else rng.integers(1, total + 1, batch)
    lengths[0] = total
    dtype = rng.choice([np.float32, np.float32, np.float16])
    shown = int(rng.integers(3)) if dtype == np.float32 else 0
    if shown:  # what is shown of keys behind a shorter row's own is not defined
        lengths[:] = total
    widths = [heads * size, shared * size, shared * size]
    attributes: dict[str, Any] = {"num_heads": heads, "kv_num_heads": shared}
    attributes |= some(
        rng, scale=[None, 0.3], softcap=[None, 2.0], local_window_size=[None, 3], smooth_softmax=[None, 1]
    )
    if rng.integers(2):
        parts: list[Array | None] = [real(rng, batch, own, sum(widths)), None, None]
    else:
        parts = [real(rng, batch, own, width) for width in widths]
    room = total if rng.integers(2) else total + 2
    kept = [room if rng.integers(2) else past] * 2 if form else []
    inputs = [*parts, *([real(rng, batch, shared, k, size) for k in kept] or [None, None])]
    inputs += [(lengths - 1).astype(np.int32), np.asarray(total, np.int32)]
    if size == 16 and rng.integers(2):
        attributes |= {"do_rotary": 1} | some(rng, rotary_interleaved=[None, 1])
        inputs += [real(rng, total + 3, 8) for _ in range(2)]
        start = (lengths - own + int(rng.integers(3)))[:, None]
        inputs.append(maybe(rng, lambda: start + np.arange(own)))
    else:
        inputs += [None, None, None]
    inputs.append(maybe(rng, lambda: bias_of(rng, batch, heads, own, total)))
    inputs.append(maybe(rng, lambda: real(rng, heads)) if "smooth_softmax" not in attributes else None)
    inputs = [a.astype(dtype) if a is not None and a.dtype == np.float32 else a for a in inputs]
    if rng.integers(3) == 0:
        attributes.pop("local_window_size", None)
        attributes["causal"] = 0
    attributes |= {"qk_output": shown} if shown else {}
    outputs, tolerance = 4 if shown else 3, 2e-5 if dtype == np.float32 else 5e-3
    constants = (6,) if rng.integers(2) else ()
    return Row("com.microsoft:GroupQueryAttention", inputs, attributes, 21, constants, outputs, tolerance=tolerance)


OPS = {
    "RotaryEmbedding": Op(rotary),
    "GroupQueryAttention": Op(group_query, fixed=(6,)),
    "Attention": Op(attention),
    "MultiHeadAttention": Op(multi_head),
    "DecoderMaskedMultiHeadAttention": Op(decoder),
}
