"""What is the same for all elements of a batch is computed once: latents, queries and positions that a model learns and
exporters repeat for a batch whose size is known at run time.

Ops that look at no other element of a leading axis give the same for each where their operands do.  They work on one
element, which leaves constants of constants, and what others read is repeated behind them.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.reduce import REDUCTIONS
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.shapes import MATRIX
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise, has_trait
from mlconv.ir.types import Shape, TensorType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.pattern import remake


class RepeatLast(Pass):
    """What is the same for all of a batch is computed once, and repeated where that is asked for."""

    name: ClassVar[str] = "repeat-last"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        pending, found = [function.block], 0
        while pending:
            block = pending.pop()
            pending.extend(region.block for op in block.ops for region in op.regions)
            found += _Repeated(block).compute_once()
        context.count(self.name, found)
        if found:
            eliminate_dead_code(function.block)


class _Row(NamedTuple):
    """A value that repeats one element of a batch.  op: what makes it; source: the op that repeats first."""

    op: OpDef
    source: core.BroadcastTo | core.Tile


class _Repeated:
    """Values of a block that are the same all along their first axis, of a size that is known at run time."""

    def __init__(self, block: Block) -> None:
        self.rows: dict[Value, _Row] = {}
        for op in block.ops:
            if isinstance(op, OpDef) and _rest(op) is not None:
                source = op if isinstance(op, (core.BroadcastTo, core.Tile)) else self._source(op)
                if source is not None and (op is not source or _repeats(source)):
                    self.rows[op.results[0]] = _Row(op, source)

    def _source(self, op: OpDef) -> core.BroadcastTo | core.Tile | None:
        """Where its operands are repeated, which all are, or are constants that look the same to each element."""
        y, inside = op.results[0], [v for v in op.inputs if v in self.rows]
        if not inside or any(_size(v) != _size(y) for v in inside) or not _is_apart(op, inside):
            return None
        rank = y.tensor.rank or 0
        alike = isinstance(op, core.MatMul) or has_trait(op, Elementwise)
        if alike and any(v.tensor.rank != rank for v in inside):
            return None
        others = (v for v in op.inputs if v not in self.rows and not (isinstance(op, core.Reshape) and v is op.shape))
        matrix = isinstance(op, core.MatMul) and rank == MATRIX  # all rows of the first factor have it
        fine = all(const_of(v) is not None and (matrix or (alike and _is_same_for_all(v, rank))) for v in others)
        return self.rows[inside[0]].source if fine else None

    def compute_once(self) -> int:
        """Returns how many ops work on one element now."""
        made: dict[Value, Value] = {}
        if all(row.op is row.source for row in self.rows.values()):
            return 0
        for value, row in self.rows.items():
            once = self._once(row, CoreBuilder(Rewriter(row.op)), made)
            made[value] = once
        for value, once in made.items():
            if self.rows[value].op is not self.rows[value].source:
                self._repeat(value, once)
        return len(made)

    def _once(self, row: _Row, e: CoreBuilder, made: dict[Value, Value]) -> Value:
        op, sizes = row.op, [1, *(_rest(row.op) or ())]
        if isinstance(op, core.BroadcastTo):
            return e.broadcast_to(op.x, sizes)
        if isinstance(op, core.Tile):
            return op.x
        if isinstance(op, core.Reshape):
            return e.reshape(made[op.x], sizes)
        return e.y(remake(op, [made.get(v, v) if v is not None else None for v in op.operands]))

    def _repeat(self, value: Value, once: Value) -> None:
        """Readers that do not work on one element read it repeated."""
        readers = [(user, place) for user, place in value.uses if not any(y in self.rows for y in user.results)]
        op, source = self.rows[value]
        if not readers:
            return
        e = CoreBuilder(Rewriter(op))
        sizes = source.shape if isinstance(source, core.BroadcastTo) else source.repeats
        first: Part = e.slice_axis(e.cast(sizes, DType.I64), 0, 0, 1)
        repeated = e.broadcast_to(once, [first, *(_rest(op) or ())])
        for user, place in readers:
            edit.set_operand(user, place, repeated)
        edit.rename(repeated, value.name)


def _size(value: Value) -> object:
    """That of the first axis."""
    return (value.tensor.shape or (None,))[0]


def _rest(op: Op) -> tuple[int, ...] | None:
    """The sizes of a result of floats behind a first axis of a size that is known at run time; None of others: places
    are read by what looks things up as they are.
    """
    t = op.results[0].type if len(op.results) == 1 and not op.regions else None
    if not isinstance(t, TensorType) or not t.shape or not t.dtype.is_float or t.quant is not None:
        return None
    first, rest = t.shape[0], [n for n in t.shape[1:] if isinstance(n, int)]
    is_open = isinstance(first, Dim) and first.is_known and len(rest) == len(t.shape) - 1 and 0 not in rest
    return tuple(rest) if is_open and rest else None


def _repeats(op: core.BroadcastTo | core.Tile) -> bool:
    """Whether an op repeats a constant along the first axis alone."""
    before, after = op.x.tensor.shape, op.y.tensor.shape or ()
    if const_of(op.x) is None or before is None:
        return False
    if isinstance(op, core.Tile):
        return before == (1, *after[1:])
    return len(before) < len(after) or before[0] == 1


def _is_apart(op: OpDef, inside: list[Value]) -> bool:
    """An op looks at no other element of the first axis of its operands."""
    if isinstance(op, core.MatMul):
        return (op.y.tensor.rank or 0) > MATRIX or (op.a in inside and op.b not in inside and not op.transpose_a)
    if has_trait(op, Elementwise) or isinstance(op, core.Reshape):
        return True
    if isinstance(op, core.Transpose):
        return op.perm[0] == 0
    if isinstance(op, (core.ExpandDims, core.Squeeze)):
        return 0 not in op.axes
    if isinstance(op, (core.Softmax, core.LogSoftmax, core.Concat)):
        return op.axis > 0
    return isinstance(op, REDUCTIONS) and all(axis > 0 for axis in op.axes)


def _is_same_for_all(value: Value, rank: int) -> bool:
    """A constant that is spread along the first axis of a result."""
    shape: Shape = value.tensor.shape or ()
    return len(shape) < rank or shape[0] == 1
