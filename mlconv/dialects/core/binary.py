"""Elementwise ops on two or three operands, with numpy's broadcasting.

Operands share one element type and the result has it, unless said otherwise.  Sources: numpy ufunc documentation; ONNX
and TensorFlow op docs for the integer cases that each docstring names.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

import numpy as np

from mlconv.dialects.core import math as cmath
from mlconv.dialects.core.base import broadcast_shapes, check_dtype, same_dtype
from mlconv.ir.constants import Array
from mlconv.ir.core import Known, Value
from mlconv.ir.dims import Size, floordiv, maximum, minimum, mod, product, sign_of
from mlconv.ir.dtypes import DType
from mlconv.ir.quant_rules import FREE, SAME_SCALE
from mlconv.ir.size_facts import SizeFacts, holds, truncated
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.traits import Commutative, Elementwise
from mlconv.ir.types import TensorType

_MOST_FACTORS = 8  # of a power of a size


class Binary(OpDef):
    """Two operands of one element type, broadcast."""

    traits = (Elementwise,)
    __slots__ = ()
    a: Value = operand()
    b: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        dtype = same_dtype(self.a, self.b)
        return TensorType(self.result_dtype(dtype), broadcast_shapes(self.a.tensor.shape, self.b.tensor.shape))

    def result_dtype(self, dtype: DType) -> DType:
        return dtype

    def combine(self, a: Size, b: Size) -> Size | None:
        """The op on known sizes; None where it is not followed."""
        return None

    def deduce(self) -> Known | None:
        a, b = self.a.known, self.b.known
        if a is None or b is None or not (len(a) == len(b) or 1 in (len(a), len(b))):
            return None
        n = max(len(a), len(b)) if 0 not in (len(a), len(b)) else 0
        pairs = [(a[i if len(a) > 1 else 0], b[i if len(b) > 1 else 0]) for i in range(n)]
        return tuple(None if x is None or y is None else self.combine(x, y) for x, y in pairs)


@op("core.add", traits=[Commutative], quant=FREE)
class Add(Binary):
    """a + b; wraps for integers."""

    def eval(self, a: Array, b: Array) -> Array:
        return np.add(a, b)

    def combine(self, a: Size, b: Size) -> Size | None:
        return a + b


@op("core.sub", quant=FREE)
class Sub(Binary):
    """a - b; wraps for integers."""

    def eval(self, a: Array, b: Array) -> Array:
        return np.subtract(a, b)

    def combine(self, a: Size, b: Size) -> Size | None:
        return a - b


@op("core.mul", traits=[Commutative], quant=FREE)
class Mul(Binary):
    """a * b; wraps for integers."""

    def eval(self, a: Array, b: Array) -> Array:
        return np.multiply(a, b)

    def combine(self, a: Size, b: Size) -> Size | None:
        return a * b


@op("core.div", quant=FREE)
class Div(Binary):
    """a / b; for integers towards zero (ONNX Div-14, TensorFlow TruncateDiv); 0 for an integer divided by 0."""

    def eval(self, a: Array, b: Array) -> Array:
        return cmath.truncated_div(a, b)

    def combine(self, a: Size, b: Size) -> Size | None:
        return truncated(a, b)


@op("core.floor_div")
class FloorDiv(Binary):
    """floor(a / b) (TensorFlow FloorDiv)."""

    def eval(self, a: Array, b: Array) -> Array:
        return cmath.floor_div(a, b)

    def combine(self, a: Size, b: Size) -> Size | None:
        return floordiv(a, b) if sign_of(b) else None


@op("core.floor_mod")
class FloorMod(Binary):
    """a - floor(a / b) * b: the sign of the divisor (ONNX Mod fmod=0, TensorFlow FloorMod)."""

    def eval(self, a: Array, b: Array) -> Array:
        return cmath.floor_mod(a, b)

    def combine(self, a: Size, b: Size) -> Size | None:
        return mod(a, b) if sign_of(b) else None


@op("core.rem")
class Rem(Binary):
    """C's fmod: the sign of the dividend (ONNX Mod fmod=1, TensorFlow TruncateMod)."""

    def eval(self, a: Array, b: Array) -> Array:
        return cmath.truncated_mod(a, b)

    def combine(self, a: Size, b: Size) -> Size | None:
        quotient = truncated(a, b)
        return None if quotient is None else a - quotient * b


@op("core.pow", quant=FREE)
class Pow(Binary):
    """a ** b in a's element type; b may have another one (ONNX Pow-15).  natural: integer exponents are not negative,
    the source refuses others.
    """

    natural: bool = attr(default=False)

    def infer(self) -> TensorType:
        return TensorType(self.a.tensor.dtype, broadcast_shapes(self.a.tensor.shape, self.b.tensor.shape))

    def eval(self, a: Array, b: Array) -> Array:
        return cmath.power(a, b)

    def combine(self, a: Size, b: Size) -> Size | None:
        return product([a] * b) if isinstance(b, int) and 0 <= b <= _MOST_FACTORS else None


@op("core.maximum", traits=[Commutative], quant=SAME_SCALE)
class Maximum(Binary):
    """The larger; NaN if either is NaN."""

    def eval(self, a: Array, b: Array) -> Array:
        return np.maximum(a, b)

    def combine(self, a: Size, b: Size) -> Size | None:
        return maximum(a, b)


@op("core.minimum", traits=[Commutative], quant=SAME_SCALE)
class Minimum(Binary):
    """The smaller; NaN if either is NaN."""

    def eval(self, a: Array, b: Array) -> Array:
        return np.minimum(a, b)

    def combine(self, a: Size, b: Size) -> Size | None:
        return minimum(a, b)


@op("core.atan2")
class Atan2(Binary):
    """Angle of the point (b, a), in radians."""

    def eval(self, a: Array, b: Array) -> Array:
        return np.arctan2(a, b)


@op("core.and", traits=[Commutative])
class And(Binary):
    """Logical on bool, bitwise on integers."""

    def eval(self, a: Array, b: Array) -> Array:
        return np.bitwise_and(a, b)


@op("core.or", traits=[Commutative])
class Or(Binary):
    """Logical on bool, bitwise on integers."""

    def eval(self, a: Array, b: Array) -> Array:
        return np.bitwise_or(a, b)


@op("core.xor", traits=[Commutative])
class Xor(Binary):
    """Logical on bool, bitwise on integers."""

    def eval(self, a: Array, b: Array) -> Array:
        return np.bitwise_xor(a, b)


@op("core.shift_left")
class ShiftLeft(Binary):
    """a << b; 0 when b is the width or more."""

    def eval(self, a: Array, b: Array) -> Array:
        return cmath.shift(a, b, left=True)


@op("core.shift_right")
class ShiftRight(Binary):
    """a >> b, with sign for signed integers."""

    def eval(self, a: Array, b: Array) -> Array:
        return cmath.shift(a, b, left=False)


class Compare(Binary):
    """Result is bool; comparisons with NaN are false except not_equal.  relation: as `holds` takes it."""

    __slots__ = ()
    relation: ClassVar[str]

    def result_dtype(self, dtype: DType) -> DType:
        return DType.BOOL


@op("core.equal", traits=[Commutative], quant=SAME_SCALE)
class Equal(Compare):
    """a == b."""

    relation = "=="

    def eval(self, a: Array, b: Array) -> Array:
        return np.equal(a, b)


@op("core.not_equal", traits=[Commutative], quant=SAME_SCALE)
class NotEqual(Compare):
    """a != b."""

    relation = "!="

    def eval(self, a: Array, b: Array) -> Array:
        return np.not_equal(a, b)


@op("core.less", quant=SAME_SCALE)
class Less(Compare):
    """a < b."""

    relation = "<"

    def eval(self, a: Array, b: Array) -> Array:
        return np.less(a, b)


@op("core.less_equal", quant=SAME_SCALE)
class LessEqual(Compare):
    """a <= b."""

    relation = "<="

    def eval(self, a: Array, b: Array) -> Array:
        return np.less_equal(a, b)


@op("core.greater", quant=SAME_SCALE)
class Greater(Compare):
    """a > b."""

    relation = ">"

    def eval(self, a: Array, b: Array) -> Array:
        return np.greater(a, b)


@op("core.greater_equal", quant=SAME_SCALE)
class GreaterEqual(Compare):
    """a >= b."""

    relation = ">="

    def eval(self, a: Array, b: Array) -> Array:
        return np.greater_equal(a, b)


@op("core.select", quant=SAME_SCALE)
class Select(OpDef):
    """a where the condition (bool) holds, else b; all three broadcast."""

    cond: Value = operand()
    a: Value = operand()
    b: Value = operand()
    y: Value = result()
    traits = (Elementwise,)

    def infer(self) -> TensorType:
        check_dtype(self.cond, DType.BOOL, what="condition")
        shape = broadcast_shapes(self.cond.tensor.shape, self.a.tensor.shape, self.b.tensor.shape)
        return TensorType(same_dtype(self.a, self.b), shape)

    def eval(self, cond: Array, a: Array, b: Array) -> Array:
        return np.where(cond, a, b)

    def deduce(self) -> Known | None:
        """Shape code such as `select(size == -1, 1, size)`: decided where all sizes are alike, or both sides agree."""
        return self.chosen(SizeFacts())

    def chosen(self, facts: SizeFacts) -> Known | None:
        """Sizes that are chosen, as far as facts about them say."""
        a, b = self.a.known, self.b.known
        if a is None or b is None or len(a) != len(b):
            return None
        truths = _truths(self.cond, len(a), facts)
        return tuple((x if t else y) if t is not None or x == y else None for t, x, y in zip(truths, a, b, strict=True))


def _truths(cond: Value, count: int, facts: SizeFacts) -> list[bool | None]:
    """What a comparison of sizes gives, for all of them; None where the run decides."""
    op = cond.producer
    if not isinstance(op, Compare) or op.a.known is None or op.b.known is None:
        return [None] * count
    sides = [known * count if len(known) == 1 else known for known in (op.a.known, op.b.known)]
    if any(len(side) != count for side in sides):
        return [None] * count
    of = _always if not facts else lambda x, relation, y: holds(x, relation, y, facts)
    return [None if x is None or y is None else of(x, op.relation, y) for x, y in zip(*sides, strict=True)]


@lru_cache(maxsize=1 << 10)  # layers compare the same sizes
def _always(a: Size, relation: str, b: Size) -> bool | None:
    """Whether a relation holds for all sizes, or for none."""
    return holds(a, relation, b, SizeFacts())
