"""Functions that TFLite has no kernel for, by formulas."""

from __future__ import annotations

from collections.abc import Callable

from mlconv.dialects import core
from mlconv.dialects.core.unary import Unary
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.legalize import functions
from mlconv.legalize.functions import Ex
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules

RULES = Rules()
FIRST = Rules()


def _rule(formula: Callable[[Ex], Ex]) -> Callable[[Unary, TflBuilder], Value]:
    def rule(op: Unary, e: TflBuilder) -> Value:
        return formula(Ex(e, op.x)).v

    return rule


_FORMULAS: dict[type[OpDef], Callable[[Ex], Ex]] = {
    core.Tan: functions.tan,
    core.Asin: functions.asin,
    core.Acos: functions.acos,
    core.Atan: functions.atan,
    core.Sinh: functions.sinh,
    core.Cosh: functions.cosh,
    core.Asinh: functions.asinh,
    core.Acosh: functions.acosh,
    core.Atanh: functions.atanh,
    core.Expm1: functions.expm1,
    core.Log1p: functions.log1p,
    core.Softplus: functions.softplus,
    core.Erf: functions.erf,
    core.Erfc: functions.erfc,
    core.Lgamma: functions.lgamma,
    core.Digamma: functions.digamma,
}


@FIRST.rule(core.Mul)
def mish(op: core.Mul, e: TflBuilder) -> Value | NoMatch:
    """x * tanh(softplus(x)) is x / (1 + 2 / n) with n = e^x (e^x + 2), as tanh(log(1 + u)) = n / (n + 2) for u = e^x:
    an infinite n gives x, and an n of 0 gives 0.
    """
    for x, other in ((op.a, op.b), (op.b, op.a)):
        tanh = other.producer
        inner = tanh.x.producer if isinstance(tanh, core.Tanh) and other.has_one_use else None
        if isinstance(inner, core.Softplus) and inner.x is x and inner.y.has_one_use and x.tensor.dtype is DType.F32:
            u = Ex(e, x).exp
            return (Ex(e, x) / (2.0 / (u * (u + 2.0)) + 1.0)).v
    return NOT_MEANT


for cls, formula in _FORMULAS.items():
    RULES.add(cls, _rule(formula))
