"""Fusion: an elementwise map goes into the kernel that makes its operand, when nothing else reads that.

The operand then never exists in memory.  A map joins the expression of a map, or the epilogue of a reduction or of a
product.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.kernel import (
    FLOAT32,
    LOADS,
    PRODUCTS,
    DepthwiseOp,
    GemmOp,
    Instr,
    KernelOp,
    LoopNestOp,
    Program,
    Sizes,
    Step,
    View,
    dense,
    needs_scalars,
    view_of,
)
from mlconv.ir.core import Block, Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.legalize.to_kernel.views import restride
from mlconv.rewrite import edit

MAX_LENGTH = 64  # values of one expression
_LONG = 16  # elements of an axis along which vectors are worth it
# behind products of rows that are several axes of sizes known at run time; GELU takes three times as long there
QUICK = LOADS | {"const", "add", "sub", "mul", "div", "maximum", "minimum", "neg", "abs", "cast", "factor"}


def fuse_maps(block: Block) -> None:
    """Fuse every pair of kernels of a block that can be, in order."""
    for op in block.ops:
        if (
            isinstance(op, KernelOp)
            and op.name == "kernel.loop_nest"
            and len(op.steps) == 1
            and not op.steps[0].reduced
        ):
            current: KernelOp | None = op
            while current is not None:
                current = _fuse_into_producer(current, block)


def _fuse_into_producer(op: KernelOp, block: Block) -> KernelOp | None:
    """Join a map with the producer of one of its operands, another map before a product, which ends it; returns the
    joined kernel when that is a map again or could take more.
    """
    for value in sorted(op.inputs, key=lambda v: v.producer is not None and v.producer.name in PRODUCTS):
        producer = value.producer
        if (
            not isinstance(producer, KernelOp)
            or producer.block is not block
            or any(user is not op for user, _ in value.uses)
        ):
            continue
        joined = _join(producer, op, value)
        if joined is None:
            continue
        edit.join(joined, (producer, op), "fuse", before=op)
        edit.replace_uses(op.result, joined.result)
        edit.erase(op)
        edit.erase(producer)
        is_map = joined.name == "kernel.loop_nest" and not joined.steps[0].reduced
        return joined if is_map else None
    return None


def _join(producer: KernelOp, op: KernelOp, value: Value) -> KernelOp | None:
    if producer.name not in PRODUCTS and (producer.name != "kernel.loop_nest" or len(producer.steps) != 1):
        return None
    step, at = _read_once(op.steps[0], op.inputs), op.inputs.index(value)
    is_sum = producer.name in PRODUCTS or producer.steps[0].reduced > 0
    if is_sum and any(needs_scalars(i.opcode, i.dtype) for i in step.body):
        return None  # it would take the vectors from the sums
    whole = View(0, dense(step.extents))
    loads = [i for i in step.body if i.opcode in LOADS]
    if all(i.args[0] != at for i in loads):
        return None
    if (
        any(i.args[0] == at and (i.opcode != "load" or _unit(i.value, step) != _unit(whole, step)) for i in loads)
        or step.out != whole
    ):
        return None
    operands = producer.inputs
    for other in op.inputs:
        if other is not value and other not in operands:
            operands.append(other)
    place = {i: operands.index(v) for i, v in enumerate(op.inputs) if v is not value}
    if producer.name in PRODUCTS:
        return _join_product(producer, op, step, at, place, operands)
    first = producer.steps[0]
    if _units(first.kept) != _units(step.extents) or first.kept != step.extents or first.out != whole:
        return None
    if first.reduced:
        after = _append(first.after, step.body, at, place, len(first.after))
        new = first._replace(after=after)
    else:
        new = first._replace(body=_append(first.body, step.body, at, place, len(first.body) - 1, 0))
    if len(new.body) + len(new.after) > MAX_LENGTH or (_fits_vectors(first) and not _fits_vectors(new)):
        return None
    return LoopNestOp(operands, (new,), op.result.tensor)


def _read_once(step: Step, operands: Sequence[Value]) -> Step:
    """Loads of a value that is several operands are of the first of these."""
    first = [operands.index(v) for v in operands]
    body = (i._replace(args=(first[i.args[0]], *i.args[1:])) if i.opcode in LOADS else i for i in step.body)
    return step._replace(body=tuple(body))


def _fits_vectors(step: Step) -> bool:
    """All loads of a map run along one of its axes, or have one element for all of it; any reduction counts."""
    if step.reduced:
        return True
    views = [view_of(i).strides for i in step.body if i.opcode in LOADS]
    long = [axis for axis, extent in enumerate(step.extents) if not isinstance(extent, int) or extent >= _LONG]
    return not long or any(all(strides[axis] in (0, 1) for strides in views) for axis in long)


def _units(extents: Sizes) -> Sizes:
    return tuple(e for e in extents if e != 1)


def _unit(view: View, step: Step) -> tuple[Size, Sizes]:
    """The view without axes of one element, whose strides mean nothing."""
    return view.offset, tuple(s for s, e in zip(view.strides, step.extents, strict=True) if e != 1)


def _append(first: Program, second: Program, at: int, place: dict[int, int], value: int, base: int = 1) -> Program:
    """`second` behind `first`, its loads of operand `at` being `value`.  base: positions before the first instruction
    (1 in an epilogue).
    """
    code, position = list(first), {}
    for i, instr in enumerate(second):
        if instr.opcode == "load" and instr.args[0] == at:
            position[i] = value
            continue
        if instr.opcode == "load":
            args: tuple[int, ...] = (place[instr.args[0]],)
        elif instr.opcode == "load_at":
            args = (place[instr.args[0]], position[instr.args[1]])
        else:
            args = tuple(position[a] for a in instr.args)
        position[i] = len(code) + base
        code.append(instr._replace(args=args))
    if position[len(second) - 1] != len(code) - 1 + base:
        code.append(Instr("cast", second[-1].dtype, (position[len(second) - 1],)))
    return tuple(code)


def _join_product(
    producer: KernelOp, op: KernelOp, step: Step, at: int, place: dict[int, int], operands: list[Value]
) -> KernelOp | None:
    """Into the epilogue of a product: behind float32 that alone, and its rounding to bfloat16 at the end, behind
    integers these and float32; operands whose channels lie side by side or are one.
    """
    indexing, types = producer.indexing, getattr(producer.problem, "types", FLOAT32)
    if types.result is DType.BF16:
        return None
    whole = types.sums.is_int
    made, inner = step.body[-1].dtype, step.body
    if isinstance(producer, (GemmOp, DepthwiseOp)) and _rounds(step.body, whole):
        inner = step.body[:-1]
    elif not _fits(made, whole):
        return None
    if not all(_fits(i.dtype, whole) or i.dtype is DType.BOOL for i in inner):
        return None
    if len(indexing.after) + len(step.body) > MAX_LENGTH:
        return None
    extents = (*indexing.rows, indexing.channels)
    is_open = static(extents) is None and _units(extents) != _units(step.extents)
    if is_open and not all(i.opcode in QUICK for i in step.body):
        return None
    body = []
    for i in step.body:
        if i.opcode in LOADS:
            view = _output_view(i, extents, step, indexing.out) if _fits(i.dtype, whole) else None
            if view is None:
                return None
            i = i._replace(value=view)
        body.append(i)
    new = indexing._replace(after=_append(indexing.after, tuple(body), at, place, len(indexing.after)))
    problem = producer.problem._replace(indexing=new)
    if made is not types.result:
        problem = problem._replace(types=types._replace(result=made))
    return producer.again(operands, problem, op.result.tensor)


def _fits(dtype: DType, whole: bool) -> bool:
    """Epilogues compute with float32, those of integers with these too."""
    return dtype is DType.F32 or (whole and dtype.is_int)


def _rounds(body: Program, whole: bool) -> bool:
    """An expression of float32 ends with its rounding to bfloat16."""
    return not whole and body[-1].opcode == "cast" and body[-1].dtype is DType.BF16


def _output_view(instr: Instr, extents: Sizes, step: Step, out: View) -> View | None:
    """A load over (batch, rows, columns, channels) of a product whose result has no elements beside its own, when a
    product can do it.
    """
    if instr.opcode != "load":
        return None
    view = restride(out, extents, step.extents, instr.value)
    return view if view is not None and view.strides[3] in (0, 1) else None
