"""rng-bit-generator: random bits of a state, by Threefry 2x32-20 or Philox 4x32-10.

XLA's order of the numbers and its next states, which StableHLO leaves to implementations.  Source:
xla/hlo/builder/lib/prng.cc, xla/hlo/transforms/expanders/rng_bit_generator_expander.cc; Salmon et al., "Parallel random
numbers: as easy as 1, 2, 3".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize import philox
from mlconv.legalize.from_hlo.operands import checked, hlo_rules, result
from mlconv.legalize.source import SourceNode

RULES: Final = hlo_rules()
_DEFAULT, _THREE_FRY, _PHILOX = 0, 1, 2  # RandomAlgorithm; XLA's default on CPUs is Philox
_UNSIGNED: Final = (DType.U8, DType.U16, DType.U32, DType.U64)
_PARITY: Final = 0x1BD11BDA
_ROTATIONS: Final = ((13, 15, 26, 6), (17, 29, 16, 24))
_GROUPS: Final = 5  # of four rounds


@RULES.rule("rng-bit-generator")
@checked
def rng_bit_generator(n: SourceNode) -> Sequence[Value]:
    """The next state, and the bits."""
    state, out = n.operand(0), result(n, 1)
    algorithm, length = n.attr("algorithm"), state.tensor.shape
    if state.tensor.dtype is not DType.U64 or length not in ((2,), (3,)):
        raise ConversionError(Code.ShapeMismatch, f"the state is {state.tensor}, not uint64 of 2 or 3 elements")
    if out.dtype not in _UNSIGNED or not out.is_static:
        raise n.unsupported(f"random bits as {out}")
    if algorithm == _THREE_FRY and length == (2,):
        return _by_three_fry(n, state, out.static_shape(), out.dtype)
    if algorithm in (_DEFAULT, _PHILOX):
        return _by_philox(n, state, out.static_shape(), out.dtype)
    raise n.unsupported(f"algorithm {algorithm} with a state of {length[0]} elements")


def _words(n: SourceNode, state: Value, i: int) -> tuple[Value, Value]:
    """The lower and the upper word of an element, as scalars."""
    return philox.halves(n, n.gather(state, i))


def _narrow(n: SourceNode, words: Value, dtype: DType) -> Value:
    """The lower bits of words."""
    if dtype is DType.U32:
        return n.y(core.Bitcast(words, dtype=DType.U32))
    return n.cast(n.y(core.And(words, n.asarray((1 << dtype.bits) - 1, words))), dtype)


def _by_philox(n: SourceNode, state: Value, shape: Sequence[int], dtype: DType) -> list[Value]:
    """A counter of 128 bits gives four words, which stand in a row.  Its upper half is the key again in states of two
    elements.
    """
    long = state.tensor.shape == (3,)
    key = _words(n, state, 0)
    counter = [*_words(n, state, 1), *(_words(n, state, 2) if long else key)]
    per_group = philox.per_group(dtype)
    groups = -(-math.prod(shape) // per_group)
    four = philox.words(n, philox.Generator(key, counter), n.arange(groups))
    numbers = philox.integers(n, four, DType.U64 if dtype is DType.U64 else DType.I32)
    flat = n.reshape(n.concat([n.expand_dims(v, 1) for v in numbers], 1), [groups * per_group])
    bits = n.reshape(n.slice_axis(flat, 0, 0, math.prod(shape)), shape)
    moved = philox.ahead(n, counter, n.constant(groups, DType.I64))
    after = [philox.joined(n, moved[i], moved[i + 1], DType.U64) for i in ((0, 2) if long else (0,))]
    kept = n.slice_axis(state, 0, 0, 1)
    following = n.concat([kept, *(n.reshape(v, [1]) for v in after)], 0)
    return [following, bits if dtype is DType.U64 else _narrow(n, bits, dtype)]


def _by_three_fry(n: SourceNode, state: Value, shape: Sequence[int], dtype: DType) -> list[Value]:
    """A counter gives two words: one number of 64 bits, or two of which each stands in a half of the array along the
    first even axis, else the longest one.
    """
    wide = dtype is DType.U64
    axis = 0 if wide or not shape else _split_axis(shape)
    half = [-(-d // 2) if i == axis else d for i, d in enumerate(shape)] if not wide else [*shape]
    count = math.prod(half)
    steps = n.arange(count)
    start = n.y(core.Bitcast(n.gather(state, 1), dtype=DType.I64))
    x = three_fry(n, philox.halves(n, n.add(steps, start)), _words(n, state, 0))
    after = n.y(core.Bitcast(n.add(start, n.constant(count, DType.I64)), dtype=DType.U64))
    following = n.concat([n.slice_axis(state, 0, 0, 1), n.reshape(after, [1])], 0)
    if wide:
        return [following, n.reshape(philox.joined(n, x[0], x[1], DType.U64), shape)]
    if not shape:
        return [following, _narrow(n, n.reshape(x[0], []), dtype)]
    both = n.concat([n.reshape(v, [*half[: axis + 1], 1, *half[axis + 1 :]]) for v in x], axis + 1)
    rounded = n.reshape(both, [2 * d if i == axis else d for i, d in enumerate(half)])
    return [following, _narrow(n, n.slice_axis(rounded, axis, 0, shape[axis]), dtype)]


def _split_axis(shape: Sequence[int]) -> int:
    even = [i for i, d in enumerate(shape) if d % 2 == 0]
    return even[0] if even else max(range(len(shape)), key=lambda i: (shape[i], -i))


def three_fry(n: SourceNode, counter: Sequence[Value], key: Sequence[Value]) -> list[Value]:
    """The two words (int32) that a counter of two words of one shape gives, with a key of two scalars; 20 rounds."""
    x, y = (n.y(core.Bitcast(v, dtype=DType.U32)) for v in counter)
    first, second = (n.y(core.Bitcast(v, dtype=DType.U32)) for v in key)
    parity = n.constant(_PARITY, DType.U32)
    keys = [first, second, n.y(core.Xor(n.y(core.Xor(parity, first)), second))]
    x, y = n.add(x, keys[0]), n.add(y, keys[1])
    for group in range(_GROUPS):
        for distance in _ROTATIONS[group % 2]:
            x = n.add(x, y)
            left = n.y(core.ShiftLeft(y, n.asarray(distance, y)))
            right = n.y(core.ShiftRight(y, n.asarray(32 - distance, y)))
            y = n.y(core.Xor(x, n.y(core.Or(left, right))))
        x = n.add(x, keys[(group + 1) % 3])
        y = n.add(n.add(y, keys[(group + 2) % 3]), group + 1)
    return [n.y(core.Bitcast(v, dtype=DType.I32)) for v in (x, y)]
