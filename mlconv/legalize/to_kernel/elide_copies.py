"""Copies that need not happen: a kernel writes its result where a copy would take it, borders included, or reads
through the copy's view.
"""

from __future__ import annotations

from mlconv.dialects.kernel import (
    LOADS,
    PRODUCTS,
    Instr,
    KernelOp,
    LoopNestOp,
    OutputIndexing,
    Program,
    Sizes,
    Step,
    View,
    dense,
    view_of,
    with_view,
)
from mlconv.ir.core import Block, Value
from mlconv.ir.dims import Size, product
from mlconv.ir.shapes import static
from mlconv.legalize.to_kernel.chains import erase, only_reader, source_of
from mlconv.legalize.to_kernel.split_channels import in_parts
from mlconv.legalize.to_kernel.views import placement, restride
from mlconv.rewrite import edit

_APART, _TILE = 4, 8  # elements from one to the next, and of an axis, that generators have vectors for


def elide_copies(block: Block) -> None:
    """Fuse copies into the kernels that make what is copied, then the ones that are left into those that read it."""
    for op in block.ops:
        if isinstance(op, KernelOp) and op.name == "kernel.loop_nest":
            _into_producer(op, block)
    copies = list[KernelOp]()
    for op in block.ops:
        if isinstance(op, KernelOp) and op.name in ("kernel.gemm", "kernel.depthwise"):
            _into_product(op)
        elif isinstance(op, KernelOp) and op.name == "kernel.loop_nest" and len(op.inputs) == 1 and _into_moves(op):
            copies.append(op)
    for op in copies:
        for reader in list(op.result.users):
            if isinstance(reader, KernelOp) and reader.name == "kernel.loop_nest" and reader.block is block:
                _into_producer(reader, block)


def is_copy(step: Step) -> bool:
    """The step moves elements as they are."""
    return not step.reduced and len(step.body) == 1 and step.body[0].opcode == "load" and not step.after


def _into_producer(op: KernelOp, block: Block) -> None:
    """A copy of the whole of one tensor, with fills around it, becomes the layout of what its producer writes."""
    *fills, copy = op.steps
    if not is_copy(copy) or len(op.inputs) != 1 or any(any(i.args for i in f.body) or f.reduced for f in fills):
        return
    written: Size = 0
    for step in op.steps:
        written = written + product(step.extents)
    source = source_of(op.inputs[0])
    producer = source.producer
    if (
        written != op.result.tensor.size
        or not isinstance(producer, KernelOp)
        or producer.block is not block
        or not only_reader(source, op)
    ):
        return
    where = placement(copy.extents, copy.body[0].value, copy.out)
    if where is not None and product(where[0]) != source.tensor.size:
        return  # the first elements of it only
    joined = None if where is None or producer.name == "kernel.alias" else _placed(producer, *where, tuple(fills), op)
    if joined is None:
        return
    edit.join(joined, (producer, op), "fuse", before=producer)
    edit.replace_uses(op.result, joined.result)
    edit.erase(op)
    erase(source)


def _placed(producer: KernelOp, shape: Sizes, target: View, fills: tuple[Step, ...], op: KernelOp) -> KernelOp | None:
    """The producer, writing a dense tensor of `shape` by `target` into op's buffer."""
    if producer.name == "kernel.loop_nest":
        steps = [*fills]
        for step in producer.steps:
            out = restride(step.out, step.kept, shape, target)
            if out is None:
                return None
            moved: Step | None = step._replace(out=out)
            if step.out.strides and step.kept[-1] != 1 and step.out.strides[-1] == 1 != out.strides[-1]:
                moved = _in_order(step._replace(out=out))
            if moved is None:
                return None
            steps.append(moved)
        return LoopNestOp(producer.inputs, tuple(steps), op.result.tensor)
    if producer.name not in PRODUCTS:
        return None
    indexing = producer.indexing
    out = restride(indexing.out, (*indexing.rows, indexing.channels), shape, target)
    if out is None and producer.name == "kernel.gemm" and not fills:
        parts = in_parts(producer.problem, shape, target)
        return None if parts is None else producer.again(producer.inputs, parts, op.result.tensor)
    if out is None or indexing.borders or (indexing.channels > 1 and out.strides[3] != 1):
        return None
    if indexing.channels == 1:
        out = View(out.offset, (*out.strides[:3], 1))
    problem = producer.problem._replace(indexing=indexing._replace(out=out, borders=fills))
    return producer.again(producer.inputs, problem, op.result.tensor)


def _in_order(step: Step) -> Step | None:
    """A copy in the order of what it writes, where that is done in vectors: it reads neighbours, or elements that lie a
    few apart, along the innermost axis, or neighbours along another long one, or along that beside a short one.
    """
    load, *others = step.body
    if others or step.reduced or step.after or load.opcode != "load":
        return None
    extents, out, read = static(step.extents), static(step.out.strides), static(view_of(load).strides)
    if extents is None or out is None or read is None:
        return None
    axes = sorted(range(len(out)), key=lambda axis: (extents[axis] != 1, -out[axis]))
    *_, beside, inner = (0, *axes)
    long = [axis for axis in axes if extents[axis] >= _TILE]
    apart = 0 <= read[inner] <= _APART
    together = read[beside] == 1 and 1 < extents[inner] == out[beside] <= _APART
    turned = inner in long and any(read[axis] == 1 for axis in long)
    if out[inner] != 1 or not (apart or together or turned):
        return None

    def view(v: View) -> View:
        return View(v.offset, tuple(v.strides[a] for a in axes))

    body = (with_view(load, view(view_of(load))),)
    return step._replace(extents=tuple(step.extents[a] for a in axes), body=body, out=view(step.out))


def copy_of(value: Value) -> tuple[KernelOp, Step] | None:
    """The copy that makes a value, when it makes nothing but a dense tensor."""
    copy = source_of(value).producer
    if (
        not isinstance(copy, KernelOp)
        or copy.name != "kernel.loop_nest"
        or len(copy.steps) != 1
        or not is_copy(copy.steps[0])
    ):
        return None
    step = copy.steps[0]
    return (copy, step) if step.out == View(0, dense(step.extents)) else None


def _into_product(op: KernelOp) -> None:
    """A product reads its rows through a copy."""
    made = copy_of(op.inputs[0])
    if made is None:
        return
    copy, step = made
    instr: Instr = step.body[0]
    indexing, run = op.indexing, getattr(op.problem, "run", op.indexing.channels)
    extents = (*indexing.rows, *indexing.window, run)
    whole = restride(
        View(indexing.x.offset, (*indexing.x.strides, *indexing.window_strides, 1)), extents, step.extents, instr.value
    )
    after = _reread(indexing, step.extents, instr.value)
    if whole is None or (run > 1 and whole.strides[-1] != 1) or after is None:
        return
    moved = indexing._replace(x=View(whole.offset, whole.strides[:3]), window_strides=whole.strides[3:-1], after=after)
    edit.set_attribute(op, "problem", op.problem._replace(indexing=moved))
    _read_instead(op, copy, copy.inputs[instr.args[0]])


def _reread(indexing: OutputIndexing, shape: Sizes, source: View) -> Program | None:
    """The epilogue of a product whose operand 0, where it is added again, is read through the copy too; None when it
    cannot be.
    """
    out = []
    for i in indexing.after:
        if i.opcode in LOADS and i.args[0] == 0:
            view = restride(i.value, (*indexing.rows, indexing.channels), shape, source) if i.opcode == "load" else None
            if view is None or view.strides[-1] not in (0, 1):
                return None
            i = i._replace(value=view)
        out.append(i)
    return tuple(out)


def _into_moves(op: KernelOp) -> bool:
    """Steps that only move elements of one tensor read through a copy, unless that breaks up vectors which the copy
    keeps; whether they do.
    """
    made = copy_of(op.inputs[0])
    if made is None or any(
        s.reduced or s.after or len(s.body) != 1 or s.body[0].opcode not in ("load", "const") for s in op.steps
    ):
        return False
    copy, step = made
    source: View = step.body[0].value
    keeps_vectors = source.strides[-1:] == (1,)
    steps = []
    for own in op.steps:
        instr = own.body[0]
        if instr.opcode == "load":
            view = restride(instr.value, own.extents, step.extents, source)
            if view is None or (keeps_vectors and instr.value.strides[-1] == 1 != view.strides[-1]):
                return False
            own = own._replace(body=(instr._replace(value=view),))
        steps.append(own)
    edit.set_attribute(op, "problem", tuple(steps))
    _read_instead(op, copy, copy.inputs[step.body[0].args[0]])
    return True


def _read_instead(op: KernelOp, copy: KernelOp, source: Value) -> None:
    """op reads `source` and no longer the copy, which goes when nothing else needs it."""
    before = op.inputs[0]
    edit.set_operand(op, 0, source)
    while isinstance(before.producer, KernelOp) and not before.uses:
        producer = before.producer
        if producer is copy:
            edit.erase(producer)
            return
        before = producer.inputs[0]
        edit.erase(producer)
