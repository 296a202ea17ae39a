"""Products as other libraries know them: dense rows of float32 times a plain matrix of weights, and what follows."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import (
    FLOAT32,
    LOADS,
    PANEL,
    Gemm,
    GemmOp,
    Instr,
    LoopNestOp,
    OutputIndexing,
    Program,
    Sizes,
    Step,
    View,
    dense,
)
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import KernelBuilder
from mlconv.rewrite import NoMatch

_BIAS = View(0, (0, 0, 0, 1))


class PlainProduct(NamedTuple):
    """sums[rows, columns] = x[rows, depth] * weights[depth, columns] + bias[columns]; all of float32, dense and
    row-major.  rows may be known at run time only.  `finish` makes what follows.
    """

    op: GemmOp
    x: Value
    weights: Const
    bias: Value | None
    rows: Size
    depth: int
    columns: int
    rest: Program

    @property
    def sums(self) -> TensorType:
        """The type of what is to be computed."""
        return TensorType(DType.F32, (self.rows, self.columns))

    def finish(self, sums: Value, e: KernelBuilder) -> Value:
        """The op's result: what follows the sums is done to them, and they are put where the op puts its result."""
        indexing, type_ = self.op.indexing, self.op.result.tensor
        extents = (*indexing.rows, indexing.channels)
        if not self.rest and not indexing.borders and _is_dense(indexing.out, extents, 1) and _same_size(sums, type_):
            return e.alias(sums, type_)
        operands, rest = [sums], list[Instr]()
        for instr in self.rest:
            if instr.opcode in LOADS:
                value = self.op.inputs[instr.args[0]]
                if value not in operands:
                    operands.append(value)
                instr = instr._replace(args=(operands.index(value), *instr.args[1:]))
            rest.append(instr)
        first = Instr("load", DType.F32, (0,), View(0, dense(extents)))
        step = Step(extents, 0, "", (first, *rest), (), indexing.out)
        return e.kernel(LoopNestOp(operands, (*indexing.borders, step), type_))


def plain_product(op: GemmOp) -> PlainProduct | NoMatch:
    """A product as another library may compute it; for what has another form, why."""
    problem, indexing = op.problem, op.indexing
    if problem.types != FLOAT32 or problem.shift or problem.wide:
        return NoMatch("it is no product of float32")
    if indexing.window or problem.weight_strides != (0, 0):
        return NoMatch("it is a convolution, or one product of many")
    if any(i.opcode in LOADS for step in indexing.borders for i in (*step.body, *step.after)):
        return NoMatch("something is read for what lies around its result")
    weights, depth, columns = const_of(op.inputs[1]), problem.run, indexing.channels
    if weights is None or problem.pitch:
        return NoMatch("its weights are packed when it runs")
    x, rows = op.inputs[0], product(indexing.rows)
    if not _is_dense(indexing.x, indexing.rows, depth) or x.tensor.size != rows * depth:
        return NoMatch("its rows do not lie side by side")
    bias, rest = _split(op, indexing)
    return PlainProduct(op, x, _plain(weights, problem), bias, rows, depth, columns, rest)


def _plain(packed: Const, problem: Gemm) -> Const:
    """Packed weights as a matrix again."""
    depth, columns, parts = problem.run, problem.columns, list[Const]()
    flat, whole = packed.reshape((packed.size,)), columns // PANEL * PANEL
    for start, stop, width in ((0, whole, PANEL), (whole, columns, columns - whole)):
        if stop > start:
            panels = recipes.slices(flat, (start * depth,), (stop * depth,)).reshape(
                ((stop - start) // width, depth, width)
            )
            parts.append(recipes.transpose(panels, (1, 0, 2)).reshape((depth, stop - start)))
    matrix = recipes.concat(tuple(parts), 1)
    channels = problem.indexing.channels
    return matrix if channels == columns else recipes.slices(matrix, (0, 0), (depth, channels))


def _split(op: GemmOp, indexing: OutputIndexing) -> tuple[Value | None, Program]:
    """A bias that is added first, and what is left of the epilogue, whose value 0 is the sum then."""
    after = indexing.after
    if len(after) < 2 or after[0].opcode != "load" or after[0].value != _BIAS or after[0].dtype is not DType.F32:
        return None, after
    added, others = after[1], after[2:]
    if added.opcode != "add" or sorted(added.args) != [0, 1] or added.dtype is not DType.F32:
        return None, after
    bias = op.inputs[after[0].args[0]]
    used = {a for i in others for a in (i.args[1:] if i.opcode in LOADS else i.args)}
    if used & {0, 1} or bias.tensor.size != indexing.channels:
        return None, after
    return bias, tuple(_earlier(i) for i in others)


def _earlier(instr: Instr) -> Instr:
    """With positions of values that are two less."""
    fixed = 1 if instr.opcode in LOADS else 0
    return instr._replace(args=(*instr.args[:fixed], *(a - 2 for a in instr.args[fixed:])))


def _is_dense(view: View, extents: Sizes, each: int) -> bool:
    """Elements lie one behind the other, `each` for a point; axes of one element have any stride."""
    strides = dense((*extents, each))[:-1] if each != 1 else dense(extents)
    return view.offset == 0 and all(n == 1 or a == b for n, a, b in zip(extents, view.strides, strides, strict=True))


def _same_size(value: Value, type_: TensorType) -> bool:
    return value.tensor.size == type_.size and type_.dtype is DType.F32
