"""TensorFlow's counter-based random bits: Philox 4x32-10, and the numbers that are made of them.

Words are the bits of int32, products int64, whose words the bits give: what every target computes with few ops.
Source: xla/tsl/lib/random/philox_random.h (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"),
random_distributions.h, random_distributions_utils.h; tensorflow/core/kernels/stateless_random_ops.cc, random_op_cpu.h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.source import SourceNode

_MULTIPLIERS: Final = 0xD2511F53, 0xCD9E8D57
_STEPS: Final = 0x9E3779B9, 0xBB67AE85
_SCRAMBLING: Final = 0x3EC8F720, 0x02461E29
_ROUNDS: Final = 10
_EPSILON: Final = 1.0e-7  # uniform numbers below count as this before their logarithm is taken
_RESERVED: Final = 256  # 32-bit samples that a number of a truncated distribution may use up
_CANDIDATES: Final = {DType.F64: 16}
_MOST_CANDIDATES: Final = 24
"""Normal numbers that are drawn for a group of 4 (2 of float64) truncated ones.  Each lies inside with 95.4 %: that
fewer than 4 of 24 do has a probability of 1e-25."""


class Generator(NamedTuple):
    """key: two words; counter: four, the lowest first; scalars."""

    key: Sequence[Value]
    counter: Sequence[Value]


def halves(n: SourceNode, x: Value) -> tuple[Value, Value]:
    """The lower and the upper word of numbers of 64 bits."""
    bits = n.y(core.Bitcast(x, dtype=DType.I32))
    last = n.rank(x)
    return n.gather(bits, 0, axis=last), n.gather(bits, 1, axis=last)


def _wide(n: SourceNode, x: Value) -> Value:
    """Words as int64 that are not negative."""
    return n.cast(n.cast(x, DType.U32), DType.I64)


def joined(n: SourceNode, low: Value, high: Value, dtype: DType) -> Value:
    """Two words as a number of 64 bits."""
    return n.y(core.Bitcast(n.concat([n.expand_dims(v, n.rank(v)) for v in (low, high)], n.rank(low)), dtype=dtype))


def mixed(n: SourceNode, counter: Sequence[Value], key: Sequence[Value]) -> list[Value]:
    """The four words that a counter of four words of one shape gives.

    Words 0 and 2 go through a round together, stacked; each round leaves them in the other order.
    """
    rank = n.rank(counter[0])
    keys = _keys(n, key, rank)
    first = n.concat([n.expand_dims(counter[i], 0) for i in (0, 2)], 0)
    second = n.concat([n.expand_dims(counter[i], 0) for i in (3, 1)], 0)
    for i in range(_ROUNDS):
        if i:
            second = n.y(core.Reverse(second, axes=(0,)))
        factors = np.asarray(_MULTIPLIERS if i % 2 == 0 else _MULTIPLIERS[::-1], np.int64)
        product = n.mul(_wide(n, first), n.constant(factors.reshape(2, *[1] * rank)))
        low, high = halves(n, product)
        first = n.y(core.Xor(n.y(core.Xor(high, second)), keys[i]))
        second = low
    return [n.gather(v, place, axis=0) for place in (0, 1) for v in (first, second)]


def _keys(n: SourceNode, key: Sequence[Value], rank: int) -> list[Value]:
    """Of each round, in the order of its words: the steps have been added modulo 2^32."""
    turn = np.arange(_ROUNDS).reshape(-1, 1) * np.asarray(_STEPS, np.int64)
    both = n.concat([n.reshape(_wide(n, k), [1]) for k in key], 0)
    rows, _ = halves(n, n.add(both, n.constant(turn)))
    shape = [2, *[1] * rank]
    return [
        n.reshape(n.gather(n.gather(rows, i, axis=0), [1, 0] if i % 2 == 0 else [0, 1], axis=0), shape)
        for i in range(_ROUNDS)
    ]


def _scalars(n: SourceNode, x: Value) -> list[Value]:
    """The words of a vector of numbers of 64 bits, the lowest of each first."""
    count = x.tensor.shape
    bits = n.y(core.Bitcast(x, dtype=DType.I32))
    size = count[0] if count and isinstance(count[0], int) else 2
    flat = n.reshape(bits, [-1])
    return [n.gather(flat, i, axis=0) for i in range(2 * size)]


def of_seed(n: SourceNode, seed: Value) -> Generator:
    """The generator of two integers, as GenerateKey scrambles them; negative ones are widened with their sign."""
    key = [n.constant(k, DType.I32) for k in _SCRAMBLING]
    made = mixed(n, _scalars(n, n.cast(seed, DType.I64))[:4], key)
    zero = n.constant(0, DType.I32)
    return Generator(made[:2], [zero, zero, *made[2:]])


def of_key(n: SourceNode, key: Value, counter: Value) -> Generator:
    """The generator of uint64 [1] and [2]."""
    return Generator(_scalars(n, key)[:2], _scalars(n, counter)[:4])


def words(n: SourceNode, generator: Generator, steps: Value) -> list[Value]:
    """The words of the counters that lie some steps (int64, not negative) ahead: four tensors of the shape of steps."""
    return mixed(n, ahead(n, generator.counter, steps), generator.key)


def ahead(n: SourceNode, counter: Sequence[Value], steps: Value) -> list[Value]:
    """The counters that lie some steps (int64, not negative) ahead, modulo 2^128: four words of the shape of steps."""
    added: list[Value] = list(halves(n, steps))
    moved: list[Value] = []
    carry: Value | None = None
    for i, word in enumerate(counter):
        total = _wide(n, word)
        for part in (added[i] if i < 2 else None, carry):
            total = total if part is None else n.add(total, _wide(n, part))
        low, carry = halves(n, total)
        moved.append(low)
    return moved


def filled(n: SourceNode, shape: Value, group: Sequence[Value]) -> Value:
    """Numbers of groups, each a tensor [groups] for one place in the group, as a tensor of the shape."""
    flat = n.reshape(n.concat([n.expand_dims(v, 1) for v in group], 1), [-1])
    return n.reshape(n.slice_axis(flat, 0, 0, n.reshape(_count(n, shape), [1])), shape)


def groups(n: SourceNode, shape: Value, per_group: int) -> Value:
    """0, 1, ...: int64, the numbers of the groups that fill a shape."""
    total = n.y(core.FloorDiv(n.add(_count(n, shape), per_group - 1), n.constant(per_group, DType.I64)))
    return n.y(core.Range(n.constant(0, DType.I64), total, n.constant(1, DType.I64)))


def _count(n: SourceNode, shape: Value) -> Value:
    return n.y(core.ReduceProd(n.cast(shape, DType.I64), axes=(0,)))


def per_group(dtype: DType) -> int:
    """How many numbers of a type a counter gives."""
    return 2 if dtype.bits == 64 else 4


def integers(n: SourceNode, four: Sequence[Value], dtype: DType) -> list[Value]:
    """Words as numbers of 32 bits, or pairs of them as numbers of 64."""
    if dtype.bits == 64:
        return [joined(n, four[i], four[i + 1], dtype) for i in (0, 2)]
    return [n.cast(v, dtype) for v in four]


def uniform(n: SourceNode, four: Sequence[Value], dtype: DType) -> list[Value]:
    """Numbers in [0, 1): as many bits of the words as the type has behind the point."""
    if dtype is DType.F64:
        tops = [n.cast(_lowest(n, four[i], 20), dtype) for i in (0, 2)]
        whole = [
            n.add(n.mul(top, 2.0**32), n.cast(_wide(n, four[i + 1]), dtype))
            for i, top in zip((0, 2), tops, strict=True)
        ]
        return [n.mul(v, 2.0**-52) for v in whole]
    digits = {DType.F32: 23, DType.F16: 10, DType.BF16: 7}[dtype]
    return [n.mul(n.cast(_lowest(n, v, digits), dtype), 2.0**-digits) for v in four]


def _lowest(n: SourceNode, x: Value, bits: int) -> Value:
    """The lowest bits of words, int64."""
    return n.y(core.FloorMod(_wide(n, x), n.constant(1 << bits, DType.I64)))


def normal(n: SourceNode, four: Sequence[Value], dtype: DType) -> list[Value]:
    """Box-Muller; float16 and bfloat16 by way of float32."""
    made = DType.F64 if dtype is DType.F64 else DType.F32
    flat = uniform(n, four, made)
    result: list[Value] = []
    for u, angle in zip(flat[::2], flat[1::2], strict=True):
        size = n.sqrt(n.mul(n.y(core.Log(n.maximum(u, _EPSILON))), -2.0))
        turn = n.mul(angle, 2 * math.pi)
        result += [n.mul(n.y(core.Sin(turn)), size), n.mul(n.y(core.Cos(turn)), size)]
    return [n.cast(v, dtype) for v in result]


def truncated(n: SourceNode, generator: Generator, group: Value, dtype: DType) -> list[Value]:
    """Normal numbers inside of (-2, 2): the first ones of each group's own stretch of the stream."""
    wanted = per_group(dtype)
    counters = _CANDIDATES.get(dtype, _MOST_CANDIDATES) // wanted
    start = n.expand_dims(n.mul(group, wanted * _RESERVED // 4), 1)
    four = words(n, generator, n.add(start, n.arange(counters)))
    made = normal(n, four, DType.F64 if dtype is DType.F64 else DType.F32)
    drawn = n.reshape(n.concat([n.expand_dims(v, 2) for v in made], 2), [-1, counters * wanted])
    inside = n.less(n.y(core.Abs(drawn)), 2.0)
    order = n.y(core.CumSum(n.cast(inside, DType.I32), axis=1))
    found = [n.where(n.logical_and(inside, n.equal(order, k + 1)), drawn, 0.0) for k in range(wanted)]
    return [n.cast(n.sum(v, (1,)), dtype) for v in found]
