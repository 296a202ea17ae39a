"""All rules by op name: one function for each core op, from the family files."""

from __future__ import annotations

from typing import Any

from mlconv.legalize.to_hlo import (
    contract,
    control,
    elementwise,
    index,
    mathfn,
    nms,
    quant,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    window,
)

_FAMILIES = (
    elementwise,
    mathfn,
    reduce,
    shape,
    index,
    window,
    contract,
    resize,
    recurrent,
    control,
    signal,
    quant,
    nms,
)

RULES: dict[str, Any] = {cls.name: rule for family in _FAMILIES for cls, rule in family.RULES.items()}
