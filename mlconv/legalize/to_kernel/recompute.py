"""Maps that are computed where they are read, from what they read, and are not kept in between: quick ones over long
rows by all that read them, others by the one reduction that does.
"""

from __future__ import annotations

from mlconv.dialects.kernel import (
    LOADS,
    PANEL,
    POLYNOMIAL,
    Instr,
    KernelOp,
    LoopNestOp,
    Program,
    Step,
    View,
    dense,
    needs_scalars,
    view_of,
    with_view,
)
from mlconv.ir.core import Block
from mlconv.ir.dims import Size
from mlconv.legalize.to_kernel.chains import erase, readers_of, source_of
from mlconv.legalize.to_kernel.fuse_maps import MAX_LENGTH, QUICK
from mlconv.rewrite import edit

_SLOW = POLYNOMIAL | {"sqrt"}
_NARROW = 4  # elements of an axis that are combined as fast as a map of all is written
_LONG = 16 * PANEL  # elements of an axis, of which the last vector does not count
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


def fuse_into_reductions(block: Block) -> None:
    """Maps go into the reduction that alone reads them, each element once, in any order of axes."""
    for op in list(block.ops):
        if isinstance(op, KernelOp) and op.name == "kernel.loop_nest" and len(op.steps) == 1:
            reader = _reduction_of(op)
            body = None if reader is None or reader.block is not block else _as_read(op, reader)
            if body is not None:
                recompute(op, body)


def _reduction_of(op: KernelOp) -> KernelOp | None:
    """The reduction that alone reads what a map in vectors makes."""
    step, users = op.steps[0], [user for user, _ in op.result.uses]
    if step.reduced or step.after or step.out != View(0, dense(step.extents)) or len(users) != 1:
        return None
    (reader,) = users
    if not isinstance(reader, KernelOp) or reader.name != "kernel.loop_nest" or len(reader.steps) != 1:
        return None
    plain = not any(needs_scalars(i.opcode, i.dtype) for i in step.body)
    return reader if plain and reader.steps[0].reduced else None


def _as_read(op: KernelOp, reader: KernelOp) -> Program | None:
    """The expression of a map over the axes of what reads it; None where that does not read each element once, or not
    in vectors as it did.
    """
    made, step, number = op.steps[0], reader.steps[0], reader.inputs.index(op.result)
    loads = [i for i in (*step.body, *step.after) if i.opcode in LOADS and i.args[0] == number]
    if len(loads) != 1 or loads[0] not in step.body or loads[0].opcode != "load" or loads[0].value.offset != 0:
        return None
    strides = loads[0].value.strides
    by_stride = {s: m for m, (s, n) in enumerate(zip(dense(made.extents), made.extents, strict=True)) if n != 1}
    axes = [by_stride.get(s, -1) if n != 1 else None for s, n in zip(strides, step.extents, strict=True)]
    found = [(m, n) for m, n in zip(axes, step.extents, strict=True) if m is not None]
    if sorted(m for m, _ in found) != sorted(by_stride.values()) or any(made.extents[m] != n for m, n in found):
        return None

    def moved(view: View) -> View:
        return View(view.offset, tuple(0 if m is None else view.strides[m] for m in axes))

    body = tuple(with_view(i, moved(view_of(i))) if i.opcode in LOADS else i for i in made.body)
    vectors = [a for a in (len(step.kept) - 1, len(axes) - 1) if a >= 0 and strides[a] == 1]
    views = [view_of(i).strides for i in body if i.opcode in LOADS]
    if not vectors or any(v[vectors[0]] not in (0, 1) for v in views):
        return None
    is_slow = any(i.opcode in _SLOW for i in body)
    return body if _is_worth(step.extents[vectors[0]], is_slow) else None


def _is_worth(extent: Size, is_slow: bool) -> bool:
    """What is left of an axis takes functions as long as a whole vector of it; a map alone has no axes that end."""
    if not isinstance(extent, int):
        return not is_slow
    return (extent % PANEL == 0 or extent >= _LONG) if is_slow else extent >= _NARROW


def recompute(op: KernelOp, body: Program = ()) -> dict[KernelOp, KernelOp] | None:
    """All readers of what a map makes compute it themselves, and the map goes; None where one would be too long.
    Readers are steps over the extents of the map that read it place by place.  Returns what each reader became.  body:
    of the map, over the axes of the reader where these are others.
    """
    made = op.result
    readers = [user for user in readers_of(made) if isinstance(user, KernelOp)]
    joined = {reader: _spliced(op, reader, body or op.steps[0].body) for reader in readers}
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


def _spliced(op: KernelOp, reader: KernelOp, inner: Program) -> LoopNestOp:
    """The reader with the expression of the map in the place of what it loads of it."""
    kept = [v for v in reader.inputs if source_of(v) is not op.result]
    operands = [*kept, *(v for v in op.inputs if v not in kept)]
    step = reader.steps[0]
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
