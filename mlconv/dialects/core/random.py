"""Random numbers.  Impure: never folded or merged.  `seed` 0 asks for the target's own choice; streams differ between
targets.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects.core.shape import operand_sizes
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.traits import Impure
from mlconv.ir.types import TensorType


class Random(OpDef):
    """Fills `shape` (integer [rank]) with numbers of `dtype`."""

    traits = (Impure,)
    __slots__ = ()
    shape: Value = operand()
    dtype: DType = attr(default=DType.F32)
    seed: int = attr(default=0)
    seed2: int = attr(default=0)
    y: Value = result()

    def infer(self) -> TensorType:
        return TensorType(self.dtype, operand_sizes(self.shape))

    def generator(self) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=(self.seed & (2**63 - 1), self.seed2 & (2**63 - 1))))


@op("core.random_uniform")
class RandomUniform(Random):
    """Uniform in [0, 1)."""

    def eval(self, shape: Array) -> Array:
        return self.generator().random([int(d) for d in shape]).astype(self.dtype.numpy)


@op("core.random_normal")
class RandomNormal(Random):
    """Standard normal."""

    def eval(self, shape: Array) -> Array:
        return self.generator().standard_normal([int(d) for d in shape]).astype(self.dtype.numpy)
