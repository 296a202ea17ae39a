"""All rules by op name: one function for each core op, from the family files."""

from __future__ import annotations

from typing import Any

from mlconv.legalize.to_tfl import (
    bits,
    control,
    conv,
    custom,
    elementwise,
    float64,
    index,
    mathfn,
    matmul,
    pad,
    pool,
    quant,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    state,
    suppress,
    unique,
    unsigned,
)

_FAMILIES = (
    elementwise,
    bits,
    mathfn,
    reduce,
    shape,
    pad,
    index,
    conv,
    pool,
    matmul,
    resize,
    recurrent,
    control,
    custom,
    state,
    signal,
    quant,
    float64,
    suppress,
    unique,
    unsigned,
)


def _by_name(attribute: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for family in _FAMILIES:
        for cls, rule in getattr(family, attribute, {}).items():
            out[cls.name] = _either(out[cls.name], rule) if cls.name in out else rule
    return out


def _either(first: Any, second: Any) -> Any:
    """Asks `second` where `first` has nothing to say (rules of `FIRST` only)."""

    def both(op: Any, e: Any) -> Any:
        values = first(op, e)
        return second(op, e) if values is None else values

    return both


RULES = _by_name("RULES")
FIRST = _by_name("FIRST")
