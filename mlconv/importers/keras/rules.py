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
    spectrogram,
)
from mlconv.importers.keras.operations import elementwise, selection
from mlconv.importers.keras.operations import shape as movement

_INPUTS: Final = (images, lookup, preprocess, spectrogram)
_OTHERS: Final = (activation, attention, conv, dense, merge, norm, pool, recurrent, shape)
LAYERS: Final = Rules.merged([f.RULES for f in (*_INPUTS, *_OTHERS)])
OPERATIONS: Final = Rules.merged([elementwise.RULES, movement.RULES, selection.RULES])
