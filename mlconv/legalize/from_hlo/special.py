"""Functions of CHLO that HLO has no opcode for.

Source: stablehlo/dialect/ChloOps.td; stablehlo/transforms/ChloLegalizeToStablehlo.cpp, whose approximation of the
inverse error function is that of M. Giles, "Approximating the erfinv function".
"""

from __future__ import annotations

import math
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.operands import checked, hlo_rules, simple
from mlconv.legalize.source import SourceNode

RULES: Final = hlo_rules()
for _name, _make in {
    "erfc": core.Erfc,
    "lgamma": core.Lgamma,
    "digamma": core.Digamma,
    "atan": core.Atan,
    "is-inf": core.IsInf,
}.items():
    RULES.add(_name, simple(_make))
_NEAR: Final = (
    2.81022636e-08,
    3.43273939e-07,
    -3.5233877e-06,
    -4.39150654e-06,
    0.00021858087,
    -0.00125372503,
    -0.00417768164,
    0.246640727,
    1.50140941,
)
_FAR: Final = (
    -0.000200214257,
    0.000100950558,
    0.00134934322,
    -0.00367342844,
    0.00573950773,
    -0.0076224613,
    0.00943887047,
    1.00167406,
    2.83297682,
)


@RULES.rule("square")
@checked
def square(n: SourceNode) -> Value:
    """x * x."""
    return n.mul(n.operand(0), n.operand(0))


@RULES.rule("conj")
@checked
def conj(n: SourceNode) -> Value:
    """The imaginary part with the other sign; of a real number nothing."""
    x = n.operand(0)
    if not x.tensor.dtype.is_complex:
        return x
    return n.y(core.Complex(n.y(core.Real(x)), n.neg(n.y(core.Imag(x)))))


@RULES.rule("erf-inv")
@checked
def erf_inv(n: SourceNode) -> Value:
    """Two polynomials in w = -log(1 - x^2), computed in float32."""
    given = n.operand(0)
    dtype = given.tensor.dtype
    if dtype not in (DType.F32, DType.F16, DType.BF16):
        raise n.unsupported(f"the inverse error function of {dtype.display}", help="export it with jax.export")
    x = n.cast(given, DType.F32)
    w = n.neg(n.y(core.Log1p(n.mul(x, n.neg(x)))))
    near = n.less(w, 5.0)
    w = n.where(near, n.sub(w, 2.5), n.sub(n.sqrt(w), 3.0))
    p = n.where(near, n.asarray(_NEAR[0], w), _FAR[0])
    for close, distant in zip(_NEAR[1:], _FAR[1:], strict=True):
        p = n.add(n.where(near, n.asarray(close, w), distant), n.mul(p, w))
    ends = n.equal(n.y(core.Abs(x)), 1.0)
    return n.cast(n.where(ends, n.mul(x, math.inf), n.mul(p, x)), dtype)
