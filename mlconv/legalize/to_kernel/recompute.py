"""Quick maps over long rows are computed again by all that read them, from what they read: none is kept in between."""

from __future__ import annotations

from mlconv.dialects.kernel import LOADS, Instr, KernelOp, LoopNestOp, Program, Step
from mlconv.legalize.to_kernel.chains import erase, readers_of, source_of
from mlconv.legalize.to_kernel.fuse_maps import MAX_LENGTH, QUICK
from mlconv.rewrite import edit

_FEW = 6  # values of a map, its loads among them


def is_quick(step: Step) -> bool:
    """A map that takes no longer than to read what it makes: some quick functions of one tensor of its extents, and of
    numbers that stand for many places of it.
    """
    whole = set()
    for i in step.body:
        if i.opcode == "load":
            pairs = zip(i.value.strides, step.extents, strict=True)
            if all(stride != 0 for stride, extent in pairs if extent != 1):
                whole.add(i.args[0])
    return len(step.body) <= _FEW and len(whole) <= 1 and all(i.opcode in QUICK - {"load_at"} for i in step.body)


def recompute(op: KernelOp) -> dict[KernelOp, KernelOp] | None:
    """All readers of what a map makes compute it themselves, and the map goes; None where one would be too long.
    Readers are steps over the extents of the map that read it place by place.  Returns what each reader became.
    """
    made = op.result
    readers = [user for user in readers_of(made) if isinstance(user, KernelOp)]
    joined = {reader: _spliced(op, reader) for reader in readers}
    if any(len(new.steps[0].body) + len(new.steps[0].after) > MAX_LENGTH for new in joined.values()):
        for new in joined.values():
            edit.forget(new)
        return None
    for reader, new in joined.items():
        edit.join(new, (op, reader), "fuse", before=reader)
        edit.replace_uses(reader.result, new.result)
        edit.erase(reader)
    erase(made)
    return dict(joined)


def _spliced(op: KernelOp, reader: KernelOp) -> LoopNestOp:
    """The reader with the expression of the map in the place of what it loads of it."""
    kept = [v for v in reader.inputs if source_of(v) is not op.result]
    operands = [*kept, *(v for v in op.inputs if v not in kept)]
    step, inner = reader.steps[0], op.steps[0].body
    number = {i: operands.index(v) for i, v in enumerate(reader.inputs) if v in kept}
    own = {i: operands.index(v) for i, v in enumerate(op.inputs)}
    body: list[Instr] = []
    places: list[int] = []
    value = -1
    for i in step.body:
        if i.opcode in LOADS and i.args[0] not in number:
            if value < 0:
                body += _moved(inner, own, range(len(body), len(body) + len(inner)))
                value = len(body) - 1
            places.append(value)
            continue
        first = (number[i.args[0]],) if i.opcode in LOADS else ()
        body.append(i._replace(args=(*first, *(places[a] for a in i.args[len(first) :]))))
        places.append(len(body) - 1)
    if places[-1] != len(body) - 1:
        body.append(Instr("cast", step.body[-1].dtype, (places[-1],)))
    after = _moved(step.after, number, range(len(step.after) + 1))
    return LoopNestOp(operands, (step._replace(body=tuple(body), after=after),), reader.result.tensor)


def _moved(program: Program, number: dict[int, int], places: range) -> Program:
    """The expression with its operands renumbered, and its values at other places."""
    out = []
    for i in program:
        first = (number[i.args[0]],) if i.opcode in LOADS else ()
        out.append(i._replace(args=(*first, *(places[a] for a in i.args[len(first) :]))))
    return tuple(out)
