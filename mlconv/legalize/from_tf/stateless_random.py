"""Random numbers of a seed, or of a key and a counter: bit for bit those of TensorFlow's CPU kernels (normal ones up to
the rounding of logarithm and sine).

Source: tensorflow/core/ops/stateless_random_ops.cc, stateless_random_ops_v2.cc and their kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize import philox
from mlconv.legalize.from_tf.operands import dtype_of, shape_of, tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()
_PHILOX: Final = 1
_AUTO: Final = 3
"""random::Algorithm; TensorFlow's CPU kernels know Philox alone, and choose it where the choice is theirs."""


def _generator(n: SourceNode) -> philox.Generator:
    """Operands behind the shape: a seed [2], or key [1], counter and algorithm."""
    if "V2" not in n.kind:
        return philox.of_seed(n, _checked(n, 1, 2))
    algorithm = n.ints(3)[0]
    if algorithm not in (_PHILOX, _AUTO):
        raise n.unsupported(f"algorithm {algorithm}, where CPU kernels have Philox ({_PHILOX}) alone")
    return philox.of_key(n, _checked(n, 1, 1), _checked(n, 2, 2))


def _checked(n: SourceNode, i: int, size: int) -> Value:
    """Operand i, a vector.  Raises ConversionError ShapeMismatch when it has another size."""
    value = n.operand(i)
    shape = shape_of(value)
    if len(shape) != 1 or (isinstance(shape[0], int) and shape[0] < size):
        raise ConversionError(
            Code.ShapeMismatch, f"input {i} of {n.kind} is {value.tensor}, expected {size} numbers", operand=i
        )
    return value


@RULES.rule("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg")
def key_and_counter(n: SourceNode) -> Sequence[Value]:
    """Results: key uint64 [1], counter uint64 [2], and the algorithm, int32."""
    made = philox.of_seed(n, _checked(n, 0, 2))
    pairs = made.key, made.counter[:2], made.counter[2:]
    key, low, high = (philox.joined(n, pair[0], pair[1], DType.U64) for pair in pairs)
    key, counter = n.reshape(key, [1]), n.concat([n.reshape(v, [1]) for v in (low, high)], 0)
    return [key, counter, n.constant(_PHILOX, DType.I32)][: n.n_results]


@RULES.rule("StatelessRandomGetAlg")
def algorithm(n: SourceNode) -> Value:
    return n.constant(_PHILOX, DType.I32)


@RULES.rule(
    "StatelessRandomUniform",
    "StatelessRandomUniformV2",
    "StatelessRandomNormal",
    "StatelessRandomNormalV2",
    "StatelessRandomUniformFullInt",
    "StatelessRandomUniformFullIntV2",
)
def stateless_random(n: SourceNode) -> Value:
    """Every counter gives 4 numbers, or 2 of 64 bits."""
    dtype, generator = dtype_of(n, "dtype"), _generator(n)
    four = philox.words(n, generator, philox.groups(n, n.operand(0), philox.per_group(dtype)))
    make = philox.integers if "Int" in n.kind else philox.normal if "Normal" in n.kind else philox.uniform
    return philox.filled(n, n.operand(0), make(n, four, dtype))


@RULES.rule("StatelessTruncatedNormal", "StatelessTruncatedNormalV2")
def stateless_truncated_normal(n: SourceNode) -> Value:
    dtype, generator = dtype_of(n, "dtype"), _generator(n)
    group = philox.groups(n, n.operand(0), philox.per_group(dtype))
    return philox.filled(n, n.operand(0), philox.truncated(n, generator, group, dtype))


@RULES.rule("StatelessRandomUniformInt", "StatelessRandomUniformIntV2")
def stateless_random_uniform_int(n: SourceNode) -> Value:
    """Operands behind the generator's: least number, bound (exclusive).  The remainder of unsigned bits is added."""
    low, high = n.operands()[-2:]
    dtype, generator = low.tensor.dtype, _generator(n)
    four = philox.words(n, generator, philox.groups(n, n.operand(0), philox.per_group(dtype)))
    unsigned = DType.U64 if dtype.bits == 64 else DType.U32
    span = n.sub(n.cast(high, unsigned), n.cast(low, unsigned))
    bits = [n.y(core.Rem(v, span)) for v in philox.integers(n, four, unsigned)]
    return philox.filled(n, n.operand(0), [n.add(n.cast(v, dtype), low) for v in bits])
