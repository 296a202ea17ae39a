"""Random numbers of a state that the runtime keeps.  The numbers themselves differ from TensorFlow's; shape, type and
distribution are kept.  Source: tensorflow/core/ops/random_ops.cc.
"""

from __future__ import annotations

from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import (
    dim_value,
    dtype_of,
    rank_of,
    tf_rules,
)
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()
_TINY: Final = 1e-20  # keeps the logarithm of a uniform number finite


def _uniform(n: SourceNode, shape: Value, dtype: DType) -> Value:
    return n.emit(core.RandomUniform(shape, dtype=dtype, seed=n.attr("seed", 0), seed2=n.attr("seed2", 0))).y


@RULES.rule("RandomUniform")
def random_uniform(n: SourceNode) -> Value:
    return _uniform(n, n.operand(0), dtype_of(n, "dtype"))


@RULES.rule("RandomStandardNormal")
def random_standard_normal(n: SourceNode) -> Value:
    return n.emit(
        core.RandomNormal(n.operand(0), dtype=dtype_of(n, "dtype"), seed=n.attr("seed"), seed2=n.attr("seed2"))
    ).y


@RULES.rule("RandomUniformInt")
def random_uniform_int(n: SourceNode) -> Value:
    """Operands: shape, least value, bound (exclusive)."""
    lo, hi = n.operand(1), n.operand(2)
    spread = n.cast(n.sub(hi, lo), DType.F32)
    steps = n.emit(core.Floor(n.mul(_uniform(n, n.operand(0), DType.F32), spread))).y
    return n.add(n.cast(steps, lo.tensor.dtype), lo)


@RULES.rule("Multinomial")
def multinomial(n: SourceNode) -> Value:
    """Operands: logits [batch, classes], number of samples.  argmax(logits + Gumbel noise) draws a class (Gumbel
    1954).
    """
    logits, count = n.operand(0), n.operand(1)
    rank = rank_of(logits)
    shape = n.stack([dim_value(n, logits, 0), count, dim_value(n, logits, rank - 1)])
    uniform = _uniform(n, shape, DType.F32)
    inner = n.emit(core.Neg(n.emit(core.Log(n.add(uniform, n.asarray(_TINY, uniform)))).y)).y
    noise = n.emit(core.Neg(n.emit(core.Log(n.add(inner, n.asarray(_TINY, inner)))).y)).y
    scores = n.add(n.expand_dims(n.cast(logits, DType.F32), 1), noise)
    return n.emit(core.ArgMax(scores, axis=2, dtype=dtype_of(n, "output_dtype"))).y
