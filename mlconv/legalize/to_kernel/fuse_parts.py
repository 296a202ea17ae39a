"""Parts of tensors: maps read them where they lie, and write them where they are put side by side, as the halves of
heads that are turned by their places (rotary embeddings).
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.kernel import LOADS, Instr, KernelOp, LoopNestOp, Program, Step, View, dense, view_of
from mlconv.ir.core import Block, Value
from mlconv.ir.dims import Size, product
from mlconv.ir.estimates import estimate
from mlconv.legalize.to_kernel.chains import erase, only_reader, readers_of, source_of
from mlconv.legalize.to_kernel.elide_copies import copy_of, is_copy
from mlconv.legalize.to_kernel.fuse_pads import fuse_pads
from mlconv.legalize.to_kernel.views import placement, restride
from mlconv.rewrite import edit

_ROW = 16  # elements side by side, from which on vectors go through parts as through whole tensors
_LESS = 2  # times a copy's size, of what is then kept in memory in its place
Parts = dict[KernelOp, tuple[Step, ...]]


def fuse_parts(block: Block) -> None:
    """Copies of parts go into the maps that read them, then maps into what joins their results."""
    for op in list(block.ops):
        if isinstance(op, KernelOp) and op.name == "kernel.loop_nest" and len(op.inputs) == 1:
            _into_readers(op)
    for op in list(block.ops):
        if isinstance(op, KernelOp):
            fuse_pads(op)
    ops = list(block.ops)
    for at, op in enumerate(ops):
        if isinstance(op, KernelOp) and op.name == "kernel.loop_nest" and len(op.steps) > 1:
            before = [o for o in ops[:at][-2 * len(op.steps) :] if isinstance(o, KernelOp)]
            _join(op, before)


def _into_readers(op: KernelOp) -> None:
    """A copy of a part goes where all that read it are maps over rows that are long in the part, too."""
    made = copy_of(op.result)
    source = op.inputs[0]
    if made is None or not has_long_rows(made[1]):
        return
    sizes = [value.tensor.size for value in (source, op.result)]
    if sizes[0] is None or sizes[1] is None or estimate(sizes[0]) > _LESS * estimate(sizes[1]):
        return
    found: Parts = {}
    for reader in readers_of(op.result):
        steps = _read_through(reader, op, made[1]) if isinstance(reader, KernelOp) else None
        if steps is None or not isinstance(reader, KernelOp):
            return
        found[reader] = steps
    for reader, steps in found.items():
        edit.set_attribute(reader, "problem", steps)
        for i, value in enumerate(reader.inputs):
            if source_of(value) is op.result:
                edit.set_operand(reader, i, source)
    if found:
        erase(op.result)


def has_long_rows(copy: Step) -> bool:
    """A copy reads neighbours, enough of them for vectors."""
    row: Size = 1
    for extent, stride in zip(reversed(copy.extents), reversed(view_of(copy.body[0]).strides), strict=True):
        if extent != 1 and stride != row:
            break
        row = row * extent
    return estimate(row) >= _ROW


def _read_through(reader: KernelOp, op: KernelOp, copy: Step) -> tuple[Step, ...] | None:
    """Steps of a map that read what a copy reads; None where that is no map, or cannot."""
    if reader.name != "kernel.loop_nest" or reader.block is not op.block:
        return None
    own = [source_of(value) is op.result for value in reader.inputs]
    steps = []
    for step in reader.steps:
        if step.reduced or step.after:
            return None
        body = []
        for i in step.body:
            if i.opcode in LOADS and own[i.args[0]]:
                view = restride(i.value, step.extents, copy.extents, copy.body[0].value) if i.opcode == "load" else None
                if view is None or view.strides[-1:] != i.value.strides[-1:]:
                    return None
                i = i._replace(value=view)
            body.append(i)
        steps.append(step._replace(body=tuple(body)))
    return tuple(steps)


def _join(op: KernelOp, before: Sequence[KernelOp]) -> None:
    """Maps right in front of the kernel that puts what they make side by side write there themselves."""
    found: dict[Value, KernelOp] = {}
    sources = [source_of(value) for value in op.inputs]
    for other in reversed(before):
        if other.name == "kernel.alias" and only_reader(other.result, op):
            continue
        if not _is_map(other) or other.result not in sources or not only_reader(other.result, op):
            break
        found[other.result] = other
    steps, operands, joined = list[Step](), list[Value](), set[Value]()
    for step in op.steps:
        source = sources[step.body[0].args[0]] if is_copy(step) else None
        maker = None if source is None else found.get(source)
        placed = None if maker is None else _placed(step, maker)
        if maker is not None and (placed is None or maker.result in joined):
            return
        joined |= {maker.result} if maker is not None else set()
        steps.append(_renumbered(placed or step, (maker or op).inputs, operands))
    if not joined:
        return
    makers = [other for value, other in found.items() if value in joined]
    made = edit.join(LoopNestOp(operands, tuple(steps), op.result.tensor), (*makers, op), "fuse", before=op)
    edit.replace_uses(op.result, made.result)
    edit.erase(op)
    for value in joined:
        erase(value)


def _is_map(op: KernelOp) -> bool:
    """A step that makes a dense tensor, element by element."""
    if op.name != "kernel.loop_nest" or len(op.steps) != 1:
        return False
    (step,) = op.steps
    return not step.reduced and not step.after and step.out == View(0, dense(step.extents))


def _placed(copy: Step, maker: KernelOp) -> Step | None:
    """The step of a map, writing where a copy of all that it makes would put it."""
    (step,) = maker.steps
    where = placement(copy.extents, copy.body[0].value, copy.out)
    if where is None or product(where[0]) != maker.result.tensor.size:
        return None
    out = restride(step.out, step.kept, *where)
    return None if out is None or out.strides[-1:] != step.out.strides[-1:] else step._replace(out=out)


def _renumbered(step: Step, inputs: Sequence[Value], operands: list[Value]) -> Step:
    """A step whose operands are those of a longer list, which grows by those that are not in it."""

    def moved(i: Instr) -> Instr:
        if i.opcode not in LOADS:
            return i
        value = inputs[i.args[0]]
        if value not in operands:
            operands.append(value)
        return i._replace(args=(operands.index(value), *i.args[1:]))

    body: Program = tuple(moved(i) for i in step.body)
    return step._replace(body=body)
