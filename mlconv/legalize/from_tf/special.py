"""Special functions by the approximations that TensorFlow has of them, most out of the Cephes library.

Source: tensorflow/core/ops/math_ops.cc, special_math_ops.cc; unsupported/Eigen/src/SpecialFunctions/
SpecialFunctionsImpl.h; tensorflow/core/kernels/special_math/special_math_op_misc_impl.h.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf import special_table as table
from mlconv.legalize.from_tf.bessel import absolute, in_float, log, ratio
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()
_EULER: Final = 0.5772156649015329
_EXP_NEG_2: Final = 0.13533528323661269189
_NAN: Final = math.nan


def ndtri(n: SourceNode, a: Value) -> Value:
    """The inverse of the normal distribution function."""
    low = n.less_equal(a, 1.0 - _EXP_NEG_2)
    b = n.where(low, a, n.sub(1.0, a))
    c = n.sub(b, 0.5)
    square = n.mul(c, c)
    middle = n.add(n.mul(c, n.mul(square, ratio(n, square, table.NDTRI_P0, table.NDTRI_Q0))), c)
    x = n.sqrt(n.mul(log(n, b), -2.0))
    z = n.div(1.0, x)
    near, far = (ratio(n, z, p, q) for p, q in ((table.NDTRI_P1, table.NDTRI_Q1), (table.NDTRI_P2, table.NDTRI_Q2)))
    tail = n.sub(n.sub(x, n.div(log(n, x), x)), n.mul(z, n.where(n.less(x, 8.0), near, far)))
    tail = n.where(low, n.neg(tail), tail)
    y = n.where(n.less(_EXP_NEG_2, b), n.mul(middle, math.sqrt(2 * math.pi)), tail)
    return n.where(n.equal(a, 0.0), -math.inf, n.where(n.equal(a, 1.0), math.inf, y))


def erfinv(n: SourceNode, x: Value) -> Value:
    return n.mul(ndtri(n, n.add(n.mul(x, 0.5), 0.5)), math.sqrt(0.5))


def _odd(n: SourceNode, x: Value, y: Value) -> Value:
    """Of what was computed for |x|."""
    return n.where(n.less(x, 0.0), n.neg(y), y)


def dawsn(n: SourceNode, x: Value) -> Value:
    """exp(-x^2) times the integral of exp(t^2) from 0 to x."""
    y = absolute(n, x)
    near = n.mul(y, ratio(n, n.mul(y, y), table.DAWSN_1_AN, table.DAWSN_1_AD))
    inverse = n.div(1.0, y)
    square = n.mul(inverse, inverse)
    far = [
        n.mul(n.add(n.mul(square, n.div(ratio(n, square, above, below), y)), inverse), 0.5)
        for above, below in ((table.DAWSN_2_BN, table.DAWSN_2_BD), (table.DAWSN_3_CN, table.DAWSN_3_CD))
    ]
    value = n.where(n.less(y, 6.25), far[0], n.where(n.less(y, 1e9), far[1], n.mul(inverse, 0.5)))
    return _odd(n, x, n.where(n.less(y, 3.25), near, value))


def expint(n: SourceNode, x: Value) -> Value:
    """The exponential integral Ei."""
    w = n.div(1.0, x)
    value: Value | None = None
    factor = n.mul(n.exp(x), w)
    for end, above, below in (
        (math.inf, table.EXPINT_7_A3, table.EXPINT_7_B3),
        (64.0, table.EXPINT_6_A7, table.EXPINT_6_B7),
        (32.0, table.EXPINT_5_A4, table.EXPINT_5_B4),
        (16.0, table.EXPINT_4_A2, table.EXPINT_4_B2),
        (8.0, table.EXPINT_3_A5, table.EXPINT_3_B5),
        (4.0, table.EXPINT_2_A6, table.EXPINT_2_B6),
    ):
        here = n.mul(factor, n.add(n.mul(w, ratio(n, w, above, below)), 1.0))
        value = here if value is None else n.where(n.less(x, end), here, value)
    near = n.add(n.add(n.mul(x, ratio(n, x, table.EXPINT_1_A, table.EXPINT_1_B)), _EULER), log(n, x))
    value = near if value is None else n.where(n.less(x, 2.0), near, value)
    return n.where(n.less(x, 0.0), _NAN, value)


def _fresnel(n: SourceNode, x: Value, sine: bool) -> Value:
    """The integral of sin or cos(pi t^2 / 2) from 0 to x."""
    y = absolute(n, x)
    square = n.mul(y, y)
    fourth = n.mul(square, square)
    if sine:
        near = n.mul(n.mul(y, square), ratio(n, fourth, table.FRESNEL_SIN_1_SN, table.FRESNEL_SIN_1_SD))
    else:
        near = n.mul(y, ratio(n, fourth, table.FRESNEL_COS_1_CN, table.FRESNEL_COS_1_CD))
    t = n.div(1.0, n.mul(square, math.pi))
    u = n.mul(t, t)
    f = n.sub(1.0, n.mul(u, ratio(n, u, table.FRESNEL_ASYMP_FN, table.FRESNEL_ASYMP_FD)))
    g = n.mul(t, ratio(n, u, table.FRESNEL_ASYMP_GN, table.FRESNEL_ASYMP_GD))
    z = n.mul(square, math.pi / 2)
    c, s = n.y(core.Cos(z)), n.y(core.Sin(z))
    waves = n.add(n.mul(f, c), n.mul(g, s)) if sine else n.sub(n.mul(g, c), n.mul(f, s))
    far = n.sub(0.5, n.div(waves, n.mul(y, math.pi)))
    value = n.where(n.less(square, 2.5625), near, n.where(n.less(36974.0, y), n.asarray(0.5, y), far))
    return _odd(n, x, value)


def spence(n: SourceNode, x: Value) -> Value:
    """The integral of log(t) / (1 - t) from 1 to x."""
    y = n.where(n.less(x, 2.0), x, n.div(1.0, x))
    w = n.where(n.less(1.5, y), n.sub(n.div(1.0, y), 1.0), n.where(n.less(y, 0.5), n.neg(y), n.sub(y, 1.0)))
    value = n.mul(n.neg(w), ratio(n, w, table.SPENCE_A, table.SPENCE_B))
    z = log(n, y)
    mirrored = n.sub(n.sub(math.pi**2 / 6, n.mul(z, n.y(core.Log1p(n.neg(y))))), value)
    value = n.where(n.less(y, 0.5), mirrored, value)
    value = n.where(n.less(1.5, x), n.sub(n.mul(n.mul(z, z), -0.5), value), value)
    value = n.where(n.equal(x, 0.0), math.pi**2 / 6, n.where(n.equal(x, 1.0), 0.0, value))
    return n.where(n.less(x, 0.0), _NAN, value)


for _name, _function in {
    "Ndtri": ndtri,
    "Erfinv": erfinv,
    "Dawsn": dawsn,
    "Expint": expint,
    "FresnelCos": lambda n, x: _fresnel(n, x, False),
    "FresnelSin": lambda n, x: _fresnel(n, x, True),
    "Spence": spence,
}.items():
    RULES.add(_name, in_float(_function))


def _power(n: SourceNode, x: Value, exponent: Value) -> Value:
    return n.y(core.Pow(x, exponent))


def _zeta(n: SourceNode, x: Value, q: Value) -> Value:
    """Hurwitz' zeta function by Euler and Maclaurin: nine terms of the sum, or as many as pass 9 in float64, where q is
    negative, and a tail of twelve.
    """
    s, a = _power(n, q, n.neg(x)), q
    b = n.mul(s, 0.0)
    done: Value | None = None
    small = 2.0**-24 if x.tensor.dtype is DType.F32 else 2.0**-53
    for _ in range(9):
        a = n.add(a, 1.0) if done is None else n.where(done, a, n.add(a, 1.0))
        term = _power(n, a, n.neg(x))
        b = term if done is None else n.where(done, b, term)
        s = n.add(s, b) if done is None else n.where(done, s, n.add(s, b))
        reached = n.less(absolute(n, n.div(b, s)), small)
        done = reached if done is None else n.logical_or(done, reached)
    total = n.sub(n.add(s, n.div(n.mul(b, a), n.sub(x, 1.0))), n.mul(b, 0.5))
    factor: Value | None = None
    for i, divisor in enumerate(table.ZETA_A):
        if factor is not None:
            factor = n.mul(factor, n.add(x, 2.0 * i - 1))
            b = n.div(b, a)
        factor = n.add(x, 2.0 * i) if factor is None else n.mul(factor, n.add(x, 2.0 * i))
        b = n.div(b, a)
        total = n.add(total, n.div(n.mul(factor, b), divisor))
    found = total if done is None else n.where(n.logical_or(done, n.equal(b, 0.0)), s, total)
    return _zeta_domain(n, x, q, found)


def _zeta_domain(n: SourceNode, x: Value, q: Value, value: Value) -> Value:
    half = n.mul(x, 0.5)
    even = n.equal(n.y(core.Round(half)), half)
    pole = n.where(even, math.inf, n.mul(half, _NAN))
    whole = n.equal(n.floor(q), q)
    value = n.where(n.less_equal(q, 0.0), n.where(whole, pole, n.where(n.equal(n.floor(x), x), value, _NAN)), value)
    return n.where(n.equal(x, 1.0), math.inf, n.where(n.less(x, 1.0), _NAN, value))


@RULES.rule("Zeta")
def zeta(n: SourceNode) -> Value:
    return _zeta(n, n.operand(0), n.operand(1))


@RULES.rule("Polygamma")
def polygamma(n: SourceNode) -> Value:
    """The derivative of order a of digamma: (-1)^(a + 1) a! zeta(a + 1, x)."""
    order, x = n.operand(0), n.operand(1)
    following = n.add(order, 1.0)
    factorial = n.exp(n.y(core.Lgamma(following)))
    odd = n.equal(n.y(core.FloorMod(following, n.asarray(2.0, x))), 1.0)
    value = n.mul(n.mul(n.where(odd, n.asarray(-1.0, x), 1.0), factorial), _zeta(n, following, x))
    value = n.where(n.equal(order, 0.0), n.y(core.Digamma(x)), value)
    whole = n.logical_and(n.equal(n.floor(order), order), n.less_equal(0.0, order))
    return n.where(whole, value, _NAN)


@RULES.rule("NextAfter")
def next_after(n: SourceNode) -> Value:
    """The number next to x towards y: its bits are one more or one less.  Source: cwise_ops.h, std::nextafter."""
    x, y = n.operand(0), n.operand(1)
    integer = DType.I64 if x.tensor.dtype is DType.F64 else DType.I32
    bits = n.y(core.Bitcast(x, dtype=integer))
    grows = n.equal(n.less(x, y), n.less(0.0, x))  # away from 0
    moved = n.y(core.Bitcast(n.where(grows, n.add(bits, 1), n.sub(bits, 1)), dtype=x.tensor.dtype))
    tiny = float(np.nextafter(x.tensor.dtype.numpy.type(0), x.tensor.dtype.numpy.type(1)))
    moved = n.where(n.equal(x, 0.0), n.where(n.less(0.0, y), n.asarray(tiny, x), -tiny), moved)
    moved = n.where(n.equal(x, y), y, moved)
    unordered = n.logical_or(n.y(core.IsNan(x)), n.y(core.IsNan(y)))
    return n.where(unordered, n.add(x, y), moved)


@RULES.rule("PopulationCount")
def population_count(n: SourceNode) -> Value:
    """How many bits are set, uint8."""
    x = n.operand(0)
    dtype = x.tensor.dtype
    places = n.constant(np.arange(dtype.bits), dtype)
    bits = n.y(core.And(n.y(core.ShiftRight(n.expand_dims(x, n.rank(x)), places)), n.constant(1, dtype)))
    return n.cast(n.sum(n.cast(bits, DType.I32), (n.rank(x),)), DType.U8)
