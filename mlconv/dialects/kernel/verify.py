"""What must hold of kernel ops: expressions refer to what is there, and every view of fixed sizes stays inside its
buffer.

A view of sizes that are known at run time only is checked by the object itself, before it computes.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel.attributes import (
    Attention,
    ConvChain,
    OutputIndexing,
    Program,
    RowReduce,
    Sizes,
    Step,
    View,
)
from mlconv.dialects.kernel.functions import LOADS
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType


class Buffer:
    """What a view may address.  elements: how many, None when nobody knows yet."""

    __slots__ = ("dtype", "elements")

    def __init__(self, dtype: DType, elements: Size | None) -> None:
        self.dtype, self.elements = dtype, elements


def buffer_of(value: Value) -> Buffer:
    """The buffer of a tensor."""
    return Buffer(value.tensor.dtype, product(value.tensor.shape or ()))


def wrong(op: Op, why: str) -> ConversionError:
    """The error of a kernel op that is malformed."""
    return ConversionError(Code.ArtifactInvalid, f"{op.describe()} is malformed: {why}", location=op.location)


def check_steps(op: Op, steps: Sequence[Step]) -> None:
    """Steps over the operands of an op that write its result."""
    given, made = [buffer_of(v) for v in op.inputs], buffer_of(op.results[0])
    for step in steps:
        check_step(op, step, given, made)


def check_step(op: Op, step: Step, given: Sequence[Buffer], made: Buffer) -> None:
    """One loop nest."""
    if not 0 <= step.reduced <= len(step.extents) or bool(step.reduced) != bool(step.combine):
        raise wrong(op, f"{step.reduced} of {len(step.extents)} axes are reduced by {step.combine!r}")
    if not step.body:
        raise wrong(op, "a step computes nothing")
    check_program(op, step.body, given, step.extents, 0)
    check_program(op, step.after, given, step.kept, 1)
    check_view(op, step.out, step.kept, made)


def check_program(op: Op, program: Program, given: Sequence[Buffer], extents: Sizes, before: int) -> None:
    """An expression for each point of `extents`.  before: values that are there when it begins."""
    for i, instr in enumerate(program, before):
        if instr.opcode not in LOADS:
            if any(not 0 <= a < i for a in instr.args):
                raise wrong(op, f"value {i} of an expression is a function of values {list(instr.args)}")
            continue
        at, *index = instr.args
        if not 0 <= at < len(given) or any(not 0 <= a < i for a in index):
            raise wrong(op, f"value {i} of an expression loads operand {at} of {len(given)}")
        if given[at].dtype is not instr.dtype:
            raise wrong(op, f"operand {at} is {given[at].dtype.display}, it is loaded as {instr.dtype.display}")
        if instr.opcode == "load":
            check_view(op, instr.value, extents, given[at])
        else:
            check_view(op, instr.value[0], extents, given[at])  # where its index may point, code that made it knows


def check_view(op: Op, view: View, extents: Sizes, buffer: Buffer) -> None:
    """Every point is inside of the buffer."""
    if len(view.strides) != len(extents):
        raise wrong(op, f"a view has {len(view.strides)} strides for {len(extents)} axes")
    count, low, high = buffer.elements, view.offset, view.offset
    for extent, stride in zip(extents, view.strides, strict=True):
        if extent == 0:
            return
        reach = (extent - 1) * stride
        if not isinstance(reach, int):
            return
        low, high = low + min(reach, 0), high + max(reach, 0)
    if isinstance(low, int) and isinstance(high, int) and isinstance(count, int) and not (0 <= low <= high < count):
        raise wrong(op, f"a view reaches from element {low} to {high} of {count}")


def check_indexing(op: Op, indexing: OutputIndexing, weights: int = 1) -> None:
    """A product that reads operand 0 and writes the only result.  weights: operands before those of the epilogue,
    besides x.
    """
    if len(op.inputs) < 1 + weights:
        raise wrong(op, f"it has {len(op.inputs)} operands")
    given, made = [buffer_of(v) for v in op.inputs], buffer_of(op.results[0])
    check_indexing_of(op, indexing, given, made)


def check_indexing_of(op: Op, indexing: OutputIndexing, given: Sequence[Buffer], made: Buffer | None) -> None:
    """made: where the product writes; None for a buffer that is described elsewhere."""
    if len(indexing.rows) != 3 or len(indexing.window) != len(indexing.window_strides):
        raise wrong(op, f"it has rows {list(indexing.rows)} and a window {list(indexing.window)}")
    whole = (*indexing.rows, *indexing.window)
    check_view(op, View(indexing.x.offset, (*indexing.x.strides, *indexing.window_strides)), whole, given[0])
    extents = (*indexing.rows, indexing.channels)
    check_program(op, indexing.after, given, extents, 1)
    if made is not None:
        check_view(op, indexing.out, extents, made)
        for step in indexing.borders:
            check_step(op, step, given, made)


def check_row_reduce(op: Op, rows: RowReduce) -> None:
    """Stages that leave their results in temporaries, the last one in the result."""
    if not rows.stages or len(rows.temporaries) != len(rows.stages) - 1:
        raise wrong(op, f"{len(rows.stages)} stages have {len(rows.temporaries)} temporaries")
    given, made = [buffer_of(v) for v in op.inputs], buffer_of(op.results[0])
    kept = [Buffer(dtype, None) for dtype in rows.temporaries]
    for i, step in enumerate(rows.stages):
        check_step(op, step, [*given, *kept[:i]], kept[i] if i < len(kept) else made)


def check_conv_chain(op: Op, chain: ConvChain) -> None:
    """A chain: each stage but the first reads what the one before made."""
    if len(chain.stages) < 2 or len(chain.numbers) != len(chain.stages) or len(chain.buffers) != len(chain.stages) - 1:
        raise wrong(op, f"{len(chain.stages)} stages have {len(chain.buffers)} buffers between them")
    given = [buffer_of(v) for v in op.inputs]
    for i, (stage, numbers) in enumerate(zip(chain.stages, chain.numbers, strict=True)):
        if any(not -1 <= n < len(given) for n in numbers) or (-1 in numbers) != (i > 0):
            raise wrong(op, f"stage {i} reads operands {list(numbers)} of {len(given)}")
        own = [given[n] if n >= 0 else Buffer(DType.F32, None) for n in numbers]
        last = i == len(chain.stages) - 1
        check_indexing_of(op, stage.indexing, own, buffer_of(op.results[0]) if last else None)


def check_attention(op: Op, attention: Attention) -> None:
    """Two products with stages between them."""
    if not 2 <= attention.split < len(op.inputs) or attention.block < 1:
        raise wrong(op, f"{attention.split} of {len(op.inputs)} operands are those of the first product")
    given = [buffer_of(v) for v in op.inputs]
    between = Buffer(DType.F32, None)
    check_indexing_of(op, attention.scores.indexing, given[: attention.split], None)
    check_indexing_of(op, attention.values.indexing, [between, *given[attention.split :]], buffer_of(op.results[0]))
    if attention.scores.indexing.rows != attention.values.indexing.rows:
        raise wrong(op, "the two products have different rows")
