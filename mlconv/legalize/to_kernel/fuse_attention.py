"""Product, softmax, product: one kernel for blocks of rows, where nothing else reads what lies between."""

from __future__ import annotations

from mlconv.dialects.kernel import (
    BFLOAT16,
    FLOAT32,
    LOADS,
    Attention,
    AttentionOp,
    Gemm,
    KernelOp,
    RowReduce,
    Sizes,
    Step,
    View,
    dense,
    known,
)
from mlconv.ir.core import Block
from mlconv.ir.dims import product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.legalize.to_kernel.chains import made_for, replace_chain

STACK = 64 << 10  # bytes of scores of a block
NEAR = 1 << 20  # bytes of a matrix that each block reads: of larger ones caches keep nothing
_LEAST, _MOST = 6, 64  # rows of a block


def fuse_attention(block: Block) -> None:
    """Fuse every such chain of a block."""
    for op in block.ops:
        if isinstance(op, KernelOp) and op.name == "kernel.gemm":
            _fuse(op, block)


def _fuse(values: KernelOp, block: Block) -> None:
    softmax = made_for(values.inputs[0], values, "kernel.row_reduce", block)
    if softmax is None or len(softmax.inputs) != 1:
        return
    scores = made_for(softmax.inputs[0], softmax, "kernel.gemm", block)
    if scores is None:
        return
    first, stages, second = scores.problem, softmax.problem, values.problem
    if first.types not in (FLOAT32, BFLOAT16) or second.types._replace(result=DType.F32) != first.types:
        return
    if softmax.result.tensor.dtype is not second.types.x:
        return
    size = _block(first, stages, second)
    if not size:
        return
    operands = [*scores.inputs, *values.inputs[1:]]
    joined = AttentionOp(
        operands,
        Attention(first, stages, second, size, len(scores.inputs)),
        values.result.tensor,
    )
    replace_chain([scores, softmax, values], joined, block)


def _block(scores: Gemm, stages: RowReduce, values: Gemm) -> int:
    """Rows of a block; 0 when the three do not fit together."""
    indexing, rows = scores.indexing, scores.indexing.rows
    width, inner = indexing.channels, len(stages.rows)
    if (
        values.run != width
        or values.indexing.window
        or values.indexing.rows != rows
        or indexing.borders
        or static(rows) is None
    ):
        return 0
    lines, made = dense((*rows, width)), dense((*rows, width))[:3]
    if indexing.out != View(0, lines) or any(
        e != 1 and s != o for e, s, o in zip(rows, values.indexing.x.strides, made, strict=True)
    ):
        return 0
    if (
        product(stages.rows) != product(rows)
        or values.indexing.x.offset != 0
        or not all(_by_rows(s, inner, width) for s in stages.stages)
    ):
        return 0
    if any(i.opcode in LOADS and i.args[0] == 0 for i in values.indexing.after):
        return 0  # the weights are needed again, beside the block that is at hand
    _, _, columns = known(rows)
    most = min(_MOST, STACK // (4 * width), columns)
    if most < min(_LEAST, columns):
        return 0
    if most < columns and any(4 * p.run * p.indexing.channels > NEAR for p in (scores, values)):
        return 0
    return -(-columns // -(-columns // most))


def _by_rows(step: Step, inner: int, width: int) -> bool:
    """The stage goes over one row of scores: all it loads from them lies side by side, and not behind a reduction."""
    if len(step.extents) != inner + 1 or step.extents[inner] not in (1, width):
        return False
    lines = dense((*step.extents[:inner], width))[:inner]
    before, behind = (
        [i for i in program if i.opcode in LOADS and i.args[0] == 0] for program in (step.body, step.after)
    )
    return not behind and all(
        i.opcode == "load" and _at_row(i.value, step.extents, lines) and i.value.strides[inner] == 1 for i in before
    )


def _at_row(view: View, extents: Sizes, lines: Sizes) -> bool:
    """The view goes over the rows in their order."""
    return view.offset == 0 and all(
        e == 1 or s == line for e, s, line in zip(extents, view.strides, lines, strict=False)
    )
