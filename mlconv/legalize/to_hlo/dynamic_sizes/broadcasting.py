"""Sizes that meet without being known to be equal: one of them may be 1 at run time, and repeats then."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import with_size
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise, has_trait
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.legalize.to_hlo.dynamic_sizes.places import number, rows
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import Sizes
from mlconv.rewrite import edit


def repeat_at_run_time(op: Op, sizes: Sizes) -> None:
    """Give an op that broadcasts operands of the sizes of its result, in front of it."""
    if not isinstance(op, OpDef) or op.block is None or op.location is None:
        return
    own = 2 if isinstance(op, core.MatMul) else 0  # axes of a product that do not broadcast
    if not (own or isinstance(op, core.BroadcastTo) or has_trait(op, Elementwise)):
        return
    for value in (*op.inputs, *op.results):
        if value not in sizes.shapes:
            dims(value)  # refuses a size that nothing tells
    want = sizes.of(op.results[0])
    operands = op.inputs[:1] if isinstance(op, core.BroadcastTo) else op.inputs
    for i, x in enumerate(operands):
        for axis, size in enumerate(sizes.of(x)[: len(sizes.of(x)) - own]):
            end = want[axis + len(want) - len(sizes.of(x))]
            if isinstance(size, Dim) and size != end:
                e = HloBuilder(Builder(op.block, op.location, op), op.name, sizes)
                x = _repeated(e, x, axis, size, end)
        if x is not op.inputs[i]:
            edit.set_operand(op, i, x)


def _repeated(e: HloBuilder, x: Value, axis: int, size: Size, end: Size) -> Value:
    """x with its one element along an axis for all, or with all that it has."""
    largest = e.sizes.largest(end)
    places = e.iota(DType.I32, (dims(x)[axis] if largest is None else largest,), 0)
    zero = e.scalar(0, DType.I32)
    index = e.select(e.compare("EQ", number(e, size), e.scalar(1, DType.I32)), zero, places)
    return rows(e, x, index, axis, with_size(e.sizes.of(x), axis, end))
