"""All rules by op name: one function for each core op, from the family files.  Those of the first ask for what the
others do not take: complex numbers.
"""

from __future__ import annotations

from mlconv.legalize.to_onnx import (
    contract,
    control,
    elementwise,
    index,
    quant,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    slicing,
    window,
)
from mlconv.rewrite import Rules

_FAMILIES = (
    elementwise,
    reduce,
    shape,
    slicing,
    index,
    window,
    contract,
    resize,
    recurrent,
    control,
    signal,
    quant,
)

RULES = Rules.merged([signal.FIRST, *(family.RULES for family in _FAMILIES)])
