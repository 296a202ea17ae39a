"""All rules of layers."""

from __future__ import annotations

from typing import Final

from mlconv.importers.keras.call import Rules
from mlconv.importers.keras.layers import (
    activation,
    attention,
    conv,
    dense,
    images,
    lookup,
    merge,
    norm,
    pool,
    preprocess,
    recurrent,
    shape,
)
from mlconv.importers.keras.operations import elementwise
from mlconv.importers.keras.operations import shape as movement

LAYERS: Final = Rules.merged(
    [
        f.RULES
        for f in (activation, attention, conv, dense, images, lookup, merge, norm, pool, preprocess, recurrent, shape)
    ]
)
OPERATIONS: Final = Rules.merged([elementwise.RULES, movement.RULES])
