"""All rules of layers."""

from __future__ import annotations

from typing import Final

from mlconv.importers.keras.call import Rules
from mlconv.importers.keras.layers import activation, conv, dense, merge, norm, pool, shape

LAYERS: Final = Rules.merged([f.RULES for f in (activation, conv, dense, merge, norm, pool, shape)])
OPERATIONS: Final = Rules.merged([])
