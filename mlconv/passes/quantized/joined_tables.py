"""Several ops over the integers of one int8 tensor as one table of it: what they compute has 256 cases."""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.passes.quantized.borders import is_int8
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement

_LONGEST = 64
"""Ops that become one table."""
_ELEMENTWISE = (core.QuantBinary, core.QuantTable, core.Requantize)


class _Cases:
    """What a value is for each integer that the one tensor behind it may have."""

    def __init__(self) -> None:
        self.x: Value | None = None
        self.ops: list[Op] = []

    def of_op(self, op: OpDef) -> Array | None:
        """None where it depends on more than one tensor, or broadcasts."""
        self.ops.append(op)
        if len(self.ops) > _LONGEST or not is_int8(op.results[0]):
            return None
        operands = [self._of(v, op) for v in op.inputs]
        if any(a is None for a in operands):
            return None
        return np.asarray(op.eval(*operands))

    def _of(self, value: Value, user: OpDef) -> Array | None:
        integers = _integers(value)
        number = const_of(integers)
        if number is not None:
            is_table = isinstance(user, core.QuantTable) and value is user.table
            return number.view() if is_table else number.view().reshape(()) if number.size == 1 else None
        if not is_int8(value) or value.tensor.shape is None or value.tensor.shape != user.results[0].tensor.shape:
            return None
        if not self._is_x(integers) and isinstance(integers.producer, _ELEMENTWISE):
            before, count = self.x, len(self.ops)
            found = self.of_op(integers.producer)
            if found is not None:
                return found
            self.x = before
            del self.ops[count:]
        self.x = self.x or value
        return np.arange(-128, 128, dtype=np.int8) if self._is_x(integers) else None

    def _is_x(self, integers: Value) -> bool:
        return self.x is not None and _integers(self.x) is integers


def _integers(value: Value) -> Value:
    """What holds the integers of a value, whatever they stand for there."""
    while isinstance(value.producer, core.StorageCast):
        value = value.producer.x
    return value


@rewrite(*_ELEMENTWISE)
def joined(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    cases = _Cases()
    made = cases.of_op(op)
    if made is None or cases.x is None or len(cases.ops) < 2:
        return NOT_MEANT
    element = op.results[0].tensor.quant
    assert element is not None and element.storage is DType.I8
    rw.fuse(*dict.fromkeys(cases.ops[1:]), by="join-tables")
    table = rw.emit(core.Constant(value=make_const(np.ascontiguousarray(made)), element=element)).y
    return rw.emit(core.QuantTable(cases.x, table, element=element, lo=element.qmin, hi=element.qmax)).y
