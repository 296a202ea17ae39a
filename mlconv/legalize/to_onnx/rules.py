"""All rules by op name: one function for each core op, from the family files.  Asked first are those for what the
others do not take, complex numbers, and those for several ops at once.
"""

from __future__ import annotations

from mlconv.legalize.to_onnx import (
    contract,
    control,
    elementwise,
    index,
    nbits,
    normalization,
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

RULES = Rules.merged(
    [signal.FIRST, nbits.FIRST, normalization.FIRST, contract.FIRST, *(family.RULES for family in _FAMILIES)]
)
