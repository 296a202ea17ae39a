"""Kernels that look elements up in a constant table, as the rule for lookups makes them, and what takes their place
where the table is stored in another form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.kernel import Instr, Ints, LoopNestOp, Sizes, Step, View, dense
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder


class Lookup(NamedTuple):
    """y[point] = table[view + stride * index[point]].  at: loads the index, which has `size` places.
    maker: of the table.
    """

    op: LoopNestOp
    maker: core.Constant
    table: Const
    at: Instr
    view: View
    stride: int
    size: int

    @property
    def extents(self) -> Sizes:
        """Of all points."""
        return self.op.steps[0].extents

    @property
    def is_of_rows(self) -> bool:
        """Whole rows of a matrix."""
        shape, rank = self.table.shape, len(self.extents)
        return len(shape) == 2 and (self.view, self.stride) == (View(0, (*(0,) * (rank - 1), 1)), shape[1])


class Part(NamedTuple):
    """What is read in one way of what lies along the last axis.  extents: of its elements; places: view to these in
    what is looked up.  element: the expression of one, for the index as it is given and the strides of that.
    """

    extents: Ints
    places: View
    element: Callable[[Expr], int]


def lookups(module: Module) -> Iterator[Lookup]:
    """All of a module, in order."""
    for op in module.walk():
        found = _lookup(op) if isinstance(op, LoopNestOp) else None
        if found is not None:
            yield found


def _lookup(op: LoopNestOp) -> Lookup | None:
    step = op.steps[0]
    plain = len(op.steps) == 1 and not step.reduced and step.out == View(0, dense(step.extents))
    if not plain or [i.opcode for i in step.body] != ["load", "load_at"] or not op.y.tensor.size:
        return None
    at, pick = step.body
    (view, stride, size), maker = pick.value, op.xs[pick.args[0]].producer
    if not isinstance(maker, core.Constant) or at.value.strides[-1:] != (0,):
        return None
    return Lookup(op, maker, maker.value, at, view, stride, size)


def in_parts(found: Lookup, parts: Sequence[Part], e: KernelBuilder) -> Value:
    """What is looked up, part by part."""
    lead, strides, steps, operands = found.extents[:-1], dense(found.extents)[:-1], [], list[Value]()
    for extents, places, element in parts:
        body = Expr(operands)
        element(body)
        out = View(places.offset, (*strides, *places.strides))
        steps.append(Step((*lead, *extents), 0, "", body.program(), (), out))
    return e.kernel(LoopNestOp(operands, tuple(steps), found.op.y.tensor))


def position(x: Expr, found: Lookup, axes: int) -> int:
    """The index, int64, of a part of some axes; it counts from the start and is limited."""
    view: View = found.at.value
    indices = found.op.xs[found.at.args[0]]
    at = x.cast(x.load(indices, View(view.offset, (*view.strides[:-1], *(0,) * axes))), DType.I64)
    negative = x.op("less", at, x.const(DType.I64, 0), dtype=DType.BOOL)
    at = x.op("select", negative, x.with_number("add", at, found.size), at, dtype=DType.I64)
    return x.with_number("minimum", x.with_number("maximum", at, 0), found.size - 1)


def half_of_byte(x: Expr, byte: int, high: bool, dtype: DType) -> int:
    """Four bits of an element, int8 with a sign, or uint8 without one."""
    bits = x.cast(byte, DType.U8)
    bits = x.with_number("shr", bits, 4) if high else x.with_number("and", bits, 15)
    return bits if dtype is DType.U8 else x.with_number("sub", x.with_number("xor", x.cast(bits, dtype), 8), 8)
