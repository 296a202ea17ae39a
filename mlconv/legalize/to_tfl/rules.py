"""All rules by op name: one function for each core op, from the family files."""

from __future__ import annotations

from functools import cache

from mlconv.dialects.core.state import assigned_variables
from mlconv.ir.constants import Splat
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import is_pure
from mlconv.legalize.to_tfl import (
    bits,
    control,
    conv,
    custom,
    elementwise,
    float64,
    float_sums,
    index,
    integer_products,
    mathfn,
    matmul,
    pad,
    pool,
    power,
    quant,
    quantized,
    recurrent,
    reduce,
    resize,
    scatter,
    shape,
    signal,
    state,
    suppress,
    unique,
    unsigned,
)
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.legalize.to_tfl.widen import widen
from mlconv.rewrite import NOT_MEANT, NoMatch, Rule, Rules

_FAMILIES = (
    float_sums,
    integer_products,
    elementwise,
    bits,
    mathfn,
    reduce,
    shape,
    pad,
    index,
    scatter,
    conv,
    pool,
    power,
    matmul,
    resize,
    recurrent,
    control,
    custom,
    state,
    signal,
    quant,
    quantized,
    float64,
    suppress,
    unique,
    unsigned,
)


def _nothing(op: OpDef, e: TflBuilder) -> list[Value] | NoMatch:
    """Constants for the results of an op that makes no element at all, which several kernels refuse."""
    shapes = [v.tensor.shape for v in op.results]
    if (
        op.regions
        or not is_pure(op)
        or assigned_variables(op)
        or any(v.tensor.dtype is DType.STRING for v in op.results)
        or not shapes
        or any(s is None or 0 not in s or static(s) is None for s in shapes)
    ):
        return NOT_MEANT
    return [
        e.constant(
            Splat(0, v.tensor.dtype, tuple(d for d in v.tensor.shape or () if isinstance(d, int))), element=quant_of(v)
        )
        for v in op.results
    ]


RULES = Rules.merged(family.RULES for family in _FAMILIES if hasattr(family, "RULES"))
FIRST = Rules.merged(family.FIRST for family in _FAMILIES if hasattr(family, "FIRST"))
_NOTHING, _WIDEN = Rule("nothing", _nothing), Rule("widen", widen)


@cache
def rules_of(name: str) -> tuple[Rule, ...]:
    """The rules of a core op, in the order in which they are asked: those that see every element type come before the
    one that makes an op anew in another type.
    """
    return (_NOTHING, *FIRST.find(name), _WIDEN, *RULES.find(name))
