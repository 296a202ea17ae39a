"""What the attentions of com.microsoft add to their scores, and the attention itself.

Source: ONNX Runtime, contrib_ops/cpu/bert: attention_cpu_base.h, attention_helper.h (PrepareMask),
multihead_attention_helper.h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import largest_finite, small_integers, widened
from mlconv.rewrite.core_builder import CoreBuilder, Part


@dataclass(frozen=True, slots=True)
class Heads:
    """q [b, n, s, h], k [b, n, t, h], v [b, n, t, v]; past: how many keys precede the first query's own.

    room: k and v are buffers, of which the keys behind the query's own are not looked at.
    """

    q: Value
    k: Value
    v: Value
    past: Part = 0
    room: bool = False


class Attended(NamedTuple):
    """y [b, s, n * v]; scores [b, n, s, t] before the softmax, with all that is added to them."""

    y: Value
    scores: Value


def number(n: CoreBuilder, part: Part) -> Value:
    """A size as an int64 scalar."""
    return n.constant(part, DType.I64) if isinstance(part, int) else n.reshape(part, [])


def one_size(n: Node, value: Value) -> Part:
    """A size that an input of one element tells."""
    known = small_integers(value, f"a size of {n.op_type}")
    return known[0] if known is not None and len(known) == 1 else n.reshape(n.cast(value, DType.I64), [1])


def scale_of(n: Node, q: Value) -> float:
    """The attribute `scale`, 1 / sqrt(head size) where it is absent or 0.  Raises ConversionError ShapeNotStatic."""
    size = n.dim(q, 3)
    stated = n.f("scale", 0.0)
    if stated:
        return stated
    if not isinstance(size, int):
        raise ConversionError(
            Code.ShapeNotStatic, f"{n.op_type}: the head size of {q.type} must be known at conversion time"
        )
    return 1.0 / math.sqrt(size)


def attended(n: Node, heads: Heads, mask: Value | None, bias: Value | None) -> Attended:
    """softmax(q k' * scale + mask + bias) v, with heads joined.  mask: of 0 and 1, or of lengths, see `masked`.

    All of it in float32 where numbers have 16 bits, as ONNX Runtime has it on CPUs: the mask's may be greater.
    """
    dtype = heads.q.tensor.dtype
    q, k, v = (widened(n, x) for x in (heads.q, heads.k, heads.v))
    heads = replace(heads, q=q, k=k, v=v)
    bias = None if bias is None else widened(n, bias)
    scores = n.mul(n.matmul(heads.q, heads.k, transpose_b=True), scale_of(n, heads.q))
    if heads.room:
        keys = n.dim(heads.k, 2)
        mask, bias = (None if x is None else filled(n, x, keys) for x in (mask, bias))
    for addend in (bias, _causal(n, heads, masked(n, heads, mask))):
        scores = scores if addend is None else n.add(scores, addend)
    if heads.room:
        places = n.reshape(n.arange(n.dim(heads.k, 2)), [1, 1, 1, -1])
        scores = n.where(n.less_equal(places, number(n, heads.past)), scores, -math.inf)
    weights = n.y(core.Softmax(scores, axis=3))
    return Attended(n.cast(joined(n, n.matmul(weights, heads.v)), dtype), n.cast(scores, dtype))


def filled(n: CoreBuilder, x: Value, size: Part) -> Value:
    """x with zeros behind its last axis, so that it has that size."""
    rank = n.rank(x)
    have = n.dim(x, rank - 1)
    if isinstance(have, int) and isinstance(size, int):
        missing: Part = size - have
    else:
        missing = n.sub(n.vector([size]), n.vector([have]))
    return n.pad(x, [*[(0, 0)] * (rank - 1), (0, missing)])


def joined(n: CoreBuilder, x: Value) -> Value:
    """[b, n, s, h] to [b, s, n * h]."""
    batch, heads, length, size = n.dims_of(x, 4)
    return n.reshape(n.transpose(x, (0, 2, 1, 3)), [batch, length, n.prod([heads, size])])


def masked(n: Node, heads: Heads, mask: Value | None) -> Value | None:
    """0 for keys that are seen, `mask_filter_value` for others, to broadcast against [b, n, s, t]; None without a mask.

    mask: [b, t] or [b, s, t] of which positive numbers are seen; [b] (or [3 b + 2], which starts with them) the number
    of keys that are; [2 b] the end and the beginning of those that are.  One number for all keys changes nothing.
    """
    if mask is None:
        return None
    rank = n.rank(mask)
    if rank > 3:
        raise n.refuse(f"a mask of rank {rank} ({mask.type}) is not supported, as it is not on ONNX Runtime's CPUs")
    keys = n.dim(heads.k, 2)
    if rank == 1:
        seen = _between(n, heads, mask, keys)
    else:
        have = n.dim(mask, rank - 1)
        if isinstance(have, int) and isinstance(keys, int) and have not in (1, keys):
            raise ConversionError(
                Code.ShapeMismatch, f"{n.op_type}: the mask {mask.type} is for other than {keys} keys"
            )
        seen = n.less(0, mask)
        seen = n.expand_dims(seen, 1) if rank == 3 else n.expand_dims(seen, 1, 2)
    dtype = heads.q.tensor.dtype
    return n.where(seen, n.constant(0.0, dtype), n.constant(n.f("mask_filter_value", -10000.0), dtype))


def _between(n: Node, heads: Heads, mask: Value, keys: Part) -> Value:
    """Whether a key lies before the end and, where the mask tells, not before the beginning of its batch's keys."""
    batch = (heads.q.tensor.shape or (None,))[0]
    size = (mask.tensor.shape or (None,))[0]
    if batch is None or size is None:
        raise ConversionError(
            Code.ShapeNotStatic, f"{n.op_type}: the rank of {mask.type} and {heads.q.type} must be known"
        )
    forms = {1: batch, 2: 2 * batch, 3: 3 * batch + 2}
    form = next((k for k, wanted in forms.items() if wanted == size), None)
    if form is None:
        code = Code.ShapeMismatch if isinstance(batch, int) and isinstance(size, int) else Code.ShapeNotStatic
        raise ConversionError(
            code,
            f"{n.op_type}: the mask has {size} numbers for a batch of {batch}, not 1, 2 or (with 2 more) 3 times it",
            help="name the sizes of the batch alike in the model, or make them fixed",
        )
    places = n.cast(n.reshape(n.arange(keys), [1, 1, 1, -1]), mask.tensor.dtype)
    length = n.dim(heads.q, 0)
    ends = mask if form == 1 else n.slice_axis(mask, 0, 0, length)
    seen = n.less(places, n.reshape(ends, [-1, 1, 1, 1]))
    if form != 2:
        return seen
    starts = n.slice_axis(mask, 0, length, None)
    return n.logical_and(seen, n.less_equal(n.reshape(starts, [-1, 1, 1, 1]), places))


def _causal(n: Node, heads: Heads, mask: Value | None) -> Value | None:
    """The mask, with the lowest number in the place of what it says of keys behind the query's own; the last query sees
    all keys, as it does in the kernel where there are more of them.
    """
    queries, keys = n.dim(heads.q, 2), n.dim(heads.k, 2)
    if not n.flag("unidirectional") or queries == 1:
        return mask
    rows = n.arange(queries)
    seen = n.less_equal(n.arange(keys), n.expand_dims(n.add(rows, number(n, heads.past)), 1))  # [s, t]
    if not _own_keys(heads):
        seen = n.logical_or(seen, n.expand_dims(n.equal(rows, n.sub(number(n, queries), 1)), 1))
    dtype = heads.q.tensor.dtype
    return n.where(seen, n.constant(0.0, dtype) if mask is None else mask, n.constant(-largest_finite(dtype), dtype))


def _own_keys(heads: Heads) -> bool:
    """Whether the keys are known to be the past ones and one for each query."""
    q, k = heads.q.tensor.shape, heads.k.tensor.shape
    return isinstance(heads.past, int) and q is not None and k is not None and k[2] == q[2] + heads.past
