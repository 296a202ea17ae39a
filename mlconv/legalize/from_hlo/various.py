"""Opcodes that are compositions: normalization, counts of bits, reduced precision, random numbers, sizes, annotations.

Source: openxla.org/xla/operation_semantics; xla/hlo/evaluator for bits and precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.combine import approximate_top
from mlconv.legalize.from_hlo.linalg import LAPACK
from mlconv.legalize.from_hlo.operands import axes_in, checked, hlo_rules, result
from mlconv.legalize.source import SourceNode

RULES: Final = hlo_rules()
_ANNOTATIONS: Final = frozenset(
    {"Sharding", "SPMDFullToShardShape", "xla.sdy.FuncResultSharding", "annotate_device_placement", "LayoutConstraint"}
)
_UNIFORM, _NORMAL = 1, 2  # RandomDistribution


def _along(n: SourceNode, v: Value, x: Value) -> Value:
    """A vector over the feature axis, shaped to broadcast with x."""
    (axis,) = axes_in(n, [n.attr("feature_index")], n.rank(x))
    return n.reshape(v, [d if i == axis else 1 for i, d in enumerate(n.dims(x))])


def _normalized(n: SourceNode, x: Value, scale: Value, offset: Value, mean: Value, variance: Value) -> Value:
    mean, variance, scale, offset = (_along(n, v, x) for v in (mean, variance, scale, offset))
    spread = n.y(core.Rsqrt(n.y(core.Add(variance, n.asarray(n.attr("epsilon"), x)))))
    centred = n.y(core.Mul(n.y(core.Sub(x, mean)), spread))
    return n.y(core.Add(n.y(core.Mul(centred, scale)), offset))


@RULES.rule("batch-norm-inference")
@checked
def batch_norm_inference(n: SourceNode) -> Value:
    """Operands: x, scale, offset, mean, variance."""
    return _normalized(n, *n.operands())


@RULES.rule("batch-norm-training")
@checked
def batch_norm_training(n: SourceNode) -> Sequence[Value]:
    """The mean and the biased variance of the batch are results too."""
    x, scale, offset = n.operands()
    (feature,) = axes_in(n, [n.attr("feature_index")], n.rank(x))
    axes = tuple(i for i in range(n.rank(x)) if i != feature)
    mean = n.y(core.ReduceMean(x, axes=axes))
    centred = n.y(core.Sub(x, _along(n, mean, x)))
    variance = n.y(core.ReduceMean(n.y(core.Mul(centred, centred)), axes=axes))
    return [_normalized(n, x, scale, offset, mean, variance), mean, variance]


@RULES.rule("popcnt", "count-leading-zeros")
@checked
def bits(n: SourceNode) -> Value:
    """Bit by bit: how many are set; or how many right shifts give zero."""
    x = n.operand(0)
    width = x.tensor.dtype.bits
    unsigned = {8: DType.U8, 16: DType.U16, 32: DType.U32, 64: DType.U64}.get(width)
    if unsigned is None or not x.tensor.dtype.is_int:
        raise n.unsupported(f"bits of {x.tensor.dtype.display}")
    plain = x if x.tensor.dtype is unsigned else n.y(core.Bitcast(x, dtype=unsigned))
    total: Value | None = None
    for i in range(width):
        rest = plain if i == 0 else n.y(core.ShiftRight(plain, n.asarray(i, plain)))
        if n.kind == "popcnt":
            one = n.y(core.And(rest, n.asarray(1, plain)))
        else:
            one = n.cast(n.y(core.Equal(rest, n.asarray(0, plain))), unsigned)
        total = one if total is None else n.y(core.Add(total, one))
    if total is None:
        raise n.unsupported("no bits")
    return n.cast(total, x.tensor.dtype)


@RULES.rule("reduce-precision")
@checked
def reduce_precision(n: SourceNode) -> Value:
    """Through an element type of that precision, where there is one."""
    x, wanted = n.operand(0), (n.attr("exponent_bits"), n.attr("mantissa_bits"))
    own = {DType.F64: (11, 52), DType.F32: (8, 23), DType.BF16: (8, 7), DType.F16: (5, 10)}
    have = own.get(x.tensor.dtype)
    if have is not None and wanted[0] >= have[0] and wanted[1] >= have[1]:
        return x
    through = next((t for t, widths in own.items() if widths == wanted), None)
    if through is None:
        raise n.unsupported(f"a precision of {wanted[0]} exponent and {wanted[1]} mantissa bits")
    return n.cast(n.cast(x, through), x.tensor.dtype)


@RULES.rule("rng")
@checked
def rng(n: SourceNode) -> Value:
    """Uniform in [a, b), or normal with mean a and deviation b."""
    a, b = n.operands()
    out, kind = result(n), n.attr("distribution")
    if kind not in (_UNIFORM, _NORMAL) or not out.dtype.is_float:
        raise n.unsupported(f"distribution {kind} of {out.dtype.display}")
    shape = n.vector([*out.static_shape()])
    drawn = n.cast(n.y(core.RandomUniform(shape) if kind == _UNIFORM else core.RandomNormal(shape)), out.dtype)
    scale = n.y(core.Sub(b, a)) if kind == _UNIFORM else b
    spread = n.y(core.Mul(drawn, n.broadcast_to(scale, out.static_shape())))
    return n.y(core.Add(spread, n.broadcast_to(a, out.static_shape())))


@RULES.rule("get-dimension-size")
@checked
def get_dimension_size(n: SourceNode) -> Value:
    """A number, or what is known at run time."""
    (axis,) = axes_in(n, n.attr("dimensions"), n.rank(n.operand(0)))
    size = n.dim(n.operand(0), axis)
    return n.constant(np.asarray(size), DType.I32) if isinstance(size, int) else n.scalar(n.cast(size, DType.I32))


@RULES.rule("custom-call")
def custom_call(n: SourceNode) -> Value | Sequence[Value]:
    """Annotations for the partitioner hand their operand on; of other targets, some of LAPACK are known."""
    if n.attr("target") in _ANNOTATIONS and n.n_operands == 1:
        return n.operand(0)
    if n.attr("target") == "ApproxTopK":
        return checked(approximate_top)(n)
    if n.attr("target") in LAPACK:
        return checked(LAPACK[n.attr("target")])(n)
    raise n.unsupported(f"the call of {n.attr('target')!r}, which is code outside of the module")
