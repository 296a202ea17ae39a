"""Declaring ops: what a class takes from its bases, and what stays with them."""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Block, Value
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation


class First(OpDef):
    x: Value = operand()
    axis: int = attr(default=1)


class Second(OpDef):
    w: Value = operand()


@op("test.both")
class Both(Second, First):
    b: Value = operand()
    axis: int = attr(default=2)
    y: Value = result()

    def infer(self) -> TensorType:
        return self.x.tensor


@op("test.alone")
class Alone(Second):
    y: Value = result()

    def infer(self) -> TensorType:
        return self.w.tensor


def test_bases_keep_their_own_fields() -> None:
    """An op of two bases gives the operands of the second other places; the other op of that base has not noticed."""
    b = Builder(Block(), NameLocation("here"))
    values = [b.emit(core.Constant(value=make_const(np.full(n, 1.0, np.float32)))).y for n in (1, 2, 3)]
    both = b.emit(Both(*values))
    assert [f.name for f in Both.spec.operands] == ["x", "w", "b"]
    assert (both.x, both.w, both.b) == tuple(values) and both.axis == 2
    assert b.emit(Alone(values[1])).w is values[1]
    assert [f.name for f in Both.spec.attributes] == ["axis"]
