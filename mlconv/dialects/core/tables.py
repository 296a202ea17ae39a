"""Lookups in a table of keys and values, for element types that no arithmetic finds a key of.

Source: TensorFlow LookupTableFindV2, TFLite HASHTABLE_FIND.
"""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import ranked, same_dtype
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.spec import OpDef, op, operand, result
from mlconv.ir.types import TensorType


@op("core.lookup")
class Lookup(OpDef):
    """values[i] where keys[i] equals the element of x, else `default` (a scalar); NaN equals NaN.

    keys, values: [n], keys distinct; y: x's shape, values' element type.
    """

    x: Value = operand()
    default: Value = operand()
    keys: Value = operand()
    values: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        same_dtype(self.x, self.keys)
        same_dtype(self.default, self.values)
        if len(ranked(self.keys, "the table's keys")) != 1 or len(ranked(self.values, "the table's values")) != 1:
            raise ConversionError(
                Code.ShapeMismatch,
                f"a table has one row of keys and one of values, not {self.keys.tensor} and {self.values.tensor}",
            )
        return self.x.tensor.with_shape(self.x.tensor.shape).with_dtype(self.values.tensor.dtype)

    def eval(self, x: Array, default: Array, keys: Array, values: Array) -> Array:
        table = dict(zip(map(_plain, keys.tolist()), values.tolist(), strict=True))
        otherwise = default.reshape(-1).tolist()[0]
        out = np.empty(x.size, values.dtype)
        out[:] = [table.get(_plain(item), otherwise) for item in x.reshape(-1).tolist()]
        return out.reshape(x.shape)


def _plain(item: object) -> object:
    """Strings are compared as bytes, and NaN is NaN."""
    if item != item:
        return None
    return item.encode("utf-8", "surrogateescape") if isinstance(item, str) else item
