"""Functions of one stored integer, and normalized exponentials, which read tables."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import normalize_axis, ranked
from mlconv.dialects.core.rounded_base import Rounded, limited, per_tensor
from mlconv.dialects.core.rounding_tables import LIMITS
from mlconv.dialects.core.rounding_wide import softmax_wide
from mlconv.ir.attributes import one_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType, storage_range
from mlconv.ir.quant_rules import LOG_UNIT, OWN, UNIT
from mlconv.ir.spec import attr, op, operand, result
from mlconv.ir.types import TensorType

FUNCTIONS = ("", "elu", "exp", "gelu", "gelu_tanh", "hard_swish", "leaky_relu", "log", "sigmoid", "tanh", *LIMITS)


@op("core.quant_table", quant=OWN)
class QuantTable(Rounded):
    """y = table[x - least stored integer], elementwise: any function of one tensor of 8 or 16 bits.

    table: integers of `element`, one for each that x may have, within lo and hi.  function: that of core which it is
    made of, where targets have a kernel for it that gives the same table; empty for others.  alpha: of leaky_relu.
    """

    x: Value = operand()
    table: Value = operand()
    function: str = attr(default="", check=one_of(*FUNCTIONS))
    alpha: float = attr(default=0.0)
    element: QuantType = attr(kw_only=True)
    lo: int = attr(kw_only=True)
    hi: int = attr(kw_only=True)
    y: Value = result()

    def infer(self) -> TensorType:
        self.check_element(self.x)
        entries = 1 << per_tensor(self.x).storage.bits
        if self.table.tensor.quant != self.element or self.table.tensor.shape != (entries,):
            raise ConversionError(
                Code.TypeMismatch, f"the table is {self.table.type}, expected {entries} of {self.element}", operand=1
            )
        return TensorType(self.element, self.x.tensor.shape)

    def eval(self, x: Array, table: Array) -> Array:
        low, _ = storage_range(per_tensor(self.x).storage)
        return np.asarray(table[x.astype(np.int64) - low])


class Normalized(Rounded):
    """Common to softmax, of 8 and 16 bits, and its logarithm, of int8, along `axis` (non-negative)."""

    __slots__ = ()
    x: Value = operand()
    axis: int = attr()
    element: QuantType = attr(kw_only=True)
    lo: int = attr(kw_only=True)
    hi: int = attr(kw_only=True)
    y: Value = result()

    def result_type(self) -> TensorType:
        """Raises ConversionError TypeMismatch for what the kernels have no form for."""
        self.check_element(self.x)
        storage, y = per_tensor(self.x).storage, self.element
        normalize_axis(self.axis, len(ranked(self.x)))
        rows = (LOG_UNIT if isinstance(self, QuantLogSoftmax) else UNIT).fixed
        known = [row for row in rows if row == (y.storage, float(y.scales.view()), int(y.zero_array()))]
        if storage is not y.storage or storage not in (DType.I8, DType.I16) or not known:
            raise ConversionError(Code.TypeMismatch, f"{self.name} of {self.x.type} does not give {y}")
        return TensorType(y, self.x.tensor.shape)

    def table(self) -> Array:
        """exp of minus each difference that two integers have, float32."""
        powers = -np.float32(per_tensor(self.x).scales.view()) * np.arange(256).astype(np.float32)
        return np.asarray(np.exp(powers.astype(np.float64)), np.float32)

    def exponentials(self, x: Array) -> tuple[Array, Array]:
        """exp(x - largest) by a table in float32, and their sums, added one after the other."""
        wide = x.astype(np.int64)
        made = self.table()[wide.max(self.axis, keepdims=True, initial=-128) - wide]
        total = np.add.accumulate(made, self.axis, dtype=np.float32).take([-1], self.axis)
        return made, total


@op("core.quant_softmax", quant=OWN)
class QuantSoftmax(Normalized):
    """exp(x - max) / sum of it along `axis`, scale 1/256 and zero point -128; of 16 bits, 1/32768.  Source: TFLite
    SOFTMAX, optimized/optimized_ops.h and reference/softmax.h.
    """

    def infer(self) -> TensorType:
        return self.result_type()

    def eval(self, x: Array) -> Array:
        if self.element.storage is DType.I16:
            return limited(softmax_wide(x, float(per_tensor(self.x).scales.view()), self.axis), self)
        made, total = self.exponentials(x)
        inverse = np.float32(1) / (total * np.float32(self.element.scales.view()))
        return limited(np.rint(made * inverse) + int(self.element.zero_array()), self)


@op("core.quant_log_softmax", quant=OWN)
class QuantLogSoftmax(Normalized):
    """log of softmax along `axis`, scale 1/16 and zero point 127.  Source: TFLite LOG_SOFTMAX,
    reference/log_softmax.h.
    """

    def infer(self) -> TensorType:
        return self.result_type()

    def eval(self, x: Array) -> Array:
        _, total = self.exponentials(x)
        scale = np.float32(per_tensor(self.x).scales.view())
        largest = x.max(self.axis, keepdims=True, initial=-128).astype(np.float32)
        made = scale * x.astype(np.float32) - (scale * largest + np.log(total))
        steps = np.rint(made / np.float32(self.element.scales.view()))
        return limited(steps + int(self.element.zero_array()), self)
