"""All rules by op name: one function for each core op, from the family files."""

from __future__ import annotations

from mlconv.legalize.to_tf import (
    contract,
    control,
    elementwise,
    index,
    pool,
    quant,
    reduce,
    resize,
    scatter,
    shape,
    signal,
    slicing,
    state,
    transposed,
    window,
)
from mlconv.rewrite import Rules

_FAMILIES = (
    elementwise,
    reduce,
    shape,
    slicing,
    index,
    scatter,
    window,
    transposed,
    pool,
    contract,
    resize,
    control,
    signal,
    state,
    quant,
)

RULES = Rules.merged([family.RULES for family in _FAMILIES])
