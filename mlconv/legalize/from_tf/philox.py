"""TensorFlow's counter-based random bits: Philox 4x32-10, and the numbers that are made of them.

Words of 32 bits are held in uint64, so that products are whole; a generator is a key of two words and a counter of
four.
Source: xla/tsl/lib/random/philox_random.h (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"),
random_distributions.h, random_distributions_utils.h; tensorflow/core/kernels/stateless_random_ops.cc, random_op_cpu.h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.source import SourceNode

_WORD: Final = 0xFFFFFFFF
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
    """key: two words; counter: its lower and upper 64 bits; scalars."""

    key: tuple[Value, Value]
    low: Value
    high: Value


def _u64(n: SourceNode, number: int) -> Value:
    return n.constant(number, DType.U64)


def _lower(n: SourceNode, x: Value) -> Value:
    return n.y(core.And(x, _u64(n, _WORD)))


def _upper(n: SourceNode, x: Value) -> Value:
    return n.y(core.ShiftRight(x, _u64(n, 32)))


def joined(n: SourceNode, low: Value, high: Value) -> Value:
    """Two words as a number of 64 bits."""
    return n.y(core.Or(low, n.y(core.ShiftLeft(high, _u64(n, 32)))))


def mixed(n: SourceNode, counter: Sequence[Value], key: tuple[Value, Value]) -> list[Value]:
    """The four words that a counter of four words gives."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for i in range(_ROUNDS):
        if i:
            k0, k1 = (_lower(n, n.add(k, _u64(n, step))) for k, step in zip((k0, k1), _STEPS, strict=True))
        first, second = (n.mul(c, _u64(n, m)) for c, m in zip((c0, c2), _MULTIPLIERS, strict=True))
        c0, c2 = (
            n.y(core.Xor(n.y(core.Xor(_upper(n, product), other)), k))
            for product, other, k in ((second, c1, k0), (first, c3, k1))
        )
        c1, c3 = _lower(n, second), _lower(n, first)
    return [c0, c1, c2, c3]


def of_seed(n: SourceNode, seed: Value) -> Generator:
    """The generator of two integers, as GenerateKey scrambles them; negative ones are widened with their sign."""
    wide = n.y(core.Bitcast(n.cast(seed, DType.I64), dtype=DType.U64)) if seed.tensor.dtype is not DType.U64 else seed
    first, second = (n.scalar(n.slice_axis(wide, 0, i, i + 1)) for i in (0, 1))
    key = _u64(n, _SCRAMBLING[0]), _u64(n, _SCRAMBLING[1])
    counter = [_lower(n, first), _upper(n, first), _lower(n, second), _upper(n, second)]
    words = mixed(n, counter, key)
    return Generator((words[0], words[1]), _u64(n, 0), joined(n, words[2], words[3]))


def of_key(n: SourceNode, key: Value, counter: Value) -> Generator:
    """The generator of uint64 [1] and [2]."""
    bits = n.scalar(n.slice_axis(key, 0, 0, 1))
    low, high = (n.scalar(n.slice_axis(counter, 0, i, i + 1)) for i in (0, 1))
    return Generator((_lower(n, bits), _upper(n, bits)), low, high)


def words(n: SourceNode, generator: Generator, steps: Value) -> list[Value]:
    """The words of the counters that lie some steps (int64, not negative) ahead: four tensors of the shape of steps."""
    ahead = n.cast(steps, DType.U64)
    low = n.add(generator.low, ahead)
    high = n.add(generator.high, n.cast(n.less(low, ahead), DType.U64))
    return mixed(n, [_lower(n, low), _upper(n, low), _lower(n, high), _upper(n, high)], generator.key)


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
    bits = [joined(n, four[i], four[i + 1]) for i in (0, 2)] if dtype.bits == 64 else list(four)
    return [n.cast(v, dtype) for v in bits]


def uniform(n: SourceNode, four: Sequence[Value], dtype: DType) -> list[Value]:
    """Numbers in [0, 1): as many bits of the words as the type has behind the point."""
    if dtype is DType.F64:
        tops = [n.y(core.And(four[i], _u64(n, 0xFFFFF))) for i in (0, 2)]
        whole = [joined(n, four[i + 1], top) for i, top in zip((0, 2), tops, strict=True)]
        return [n.mul(n.cast(v, dtype), 2.0**-52) for v in whole]
    digits = {DType.F32: 23, DType.F16: 10, DType.BF16: 7}[dtype]
    kept = [n.y(core.And(v, _u64(n, (1 << digits) - 1))) for v in four]
    return [n.mul(n.cast(n.cast(v, DType.I32), dtype), 2.0**-digits) for v in kept]


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
