"""All rules by op name: one function for each core op, from the family files."""

from __future__ import annotations

from mlconv.legalize.to_hlo import (
    contract,
    control,
    elementwise,
    index,
    mathfn,
    nms,
    parts,
    quant,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    window,
)
from mlconv.rewrite import Rules

_FAMILIES = (
    elementwise,
    mathfn,
    reduce,
    shape,
    parts,
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

RULES = Rules.merged(family.RULES for family in _FAMILIES)
