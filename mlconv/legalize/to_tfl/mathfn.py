"""Functions that TFLite has no kernel for, by formulas."""

from __future__ import annotations

from collections.abc import Callable

from mlconv.dialects import core
from mlconv.dialects.core.unary import Unary
from mlconv.ir.core import Value
from mlconv.ir.spec import OpDef
from mlconv.legalize import functions
from mlconv.legalize.functions import Ex
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.rewrite import Rules

RULES = Rules()


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


for cls, formula in _FORMULAS.items():
    RULES.add(cls, _rule(formula))
