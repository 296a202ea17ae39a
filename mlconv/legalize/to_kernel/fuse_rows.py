"""Chains of maps and reductions over the same rows become one kernel that takes row after row: softmax, normalizations.

What lies between the stages is one row, which stays in the first-level cache and not in the arena.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from mlconv.dialects.kernel import (
    LOADS,
    Instr,
    KernelOp,
    Program,
    RowReduce,
    RowReduceOp,
    Sizes,
    Step,
    View,
    dense,
    needs_scalars,
    view_of,
    with_view,
)
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dims import product
from mlconv.ir.estimates import estimate
from mlconv.legalize.to_kernel.builder import sizes
from mlconv.legalize.to_kernel.chains import readers_of, replace_chain, source_of
from mlconv.legalize.to_kernel.recompute import is_quick, recompute

MAX_BYTES = 32 << 10  # of all rows between the stages
ENOUGH_ROWS = 16  # for all threads, where rows are long
_ENTRIES = 256  # of a table for bytes
_LINES = 512  # of a first-level cache
# softmax and normalizations have up to ten; looking for more would take time that grows with the square
MAX_STAGES = 24
_AS_QUICK_AS_WRITING = frozenset({"load", "const", "add", "sub", "mul", "maximum", "minimum", "neg", "abs"})


def fuse_rows(block: Block) -> None:
    """Fuse every chain that ends in a map or a reduction, from the end of the block."""
    order = {op: i for i, op in enumerate(block.ops)}
    for op in reversed(list(order)):
        if op.block is not block or not isinstance(op, KernelOp) or op.name != "kernel.loop_nest" or len(op.steps) != 1:
            continue
        extents = op.steps[0].extents
        for inner in (1, 2, 3):
            if len(extents) >= inner and _fuse_chain(op, extents, len(extents) - inner, block, order):
                break


def _kind(op: object, extents: Sizes, rows: int) -> str:
    """`map` of whole rows, `reduce` of each row to a number, `number` for each row, `table` of some, or nothing that
    fits.
    """
    if not isinstance(op, KernelOp) or op.name != "kernel.loop_nest" or len(op.steps) != 1:
        return ""
    step = op.steps[0]
    if step.out != View(0, dense(step.kept)) and step.out.strides != _dense_of(step.kept):
        return ""
    if step.extents == extents and step.reduced in (0, len(extents) - rows):
        kind = "reduce" if step.reduced else "map"
        return "" if _is_spread(step, rows) else kind
    lead, rest = step.extents[:rows], step.extents[rows:]
    if lead != extents[:rows] or len(step.extents) != len(extents) or step.reduced:
        return ""
    return "number" if product(rest) == 1 else "table" if rest == (_ENTRIES,) else ""


def _is_spread(step: Step, rows: int) -> bool:
    """A row is read from more cache lines than stay near, of which each has elements of further rows."""
    inner = [axis for axis in range(rows, len(step.extents)) if step.extents[axis] != 1]
    if not inner or estimate(product(step.extents[rows:])) <= _LINES:
        return False
    return any(i.value.strides[inner[-1]] not in (0, 1) for i in step.body if i.opcode == "load")


def _dense_of(extents: Sizes) -> Sizes:
    return tuple(0 if e == 1 else s for e, s in zip(extents, dense(extents), strict=True))


def _reads_fit(op: KernelOp, value: Value, kind: str, extents: Sizes, rows: int) -> bool:
    """op reads the row of `value` that it is at, element by element, or a table of it at computed places; kind: of the
    op that makes value.
    """
    step = op.steps[0]
    if kind == "table":
        return all(_looks_up(i, value, rows) for i in (*step.body, *step.after) if _reads(i, op, value))
    own = dense(extents) if kind == "map" else (*dense(extents[:rows]), *(0,) * (len(extents) - rows))
    for program in (step.body, step.after):
        for i in program:
            if not _reads(i, op, value):
                continue
            view = i.value if i.opcode == "load" else None
            if (
                view is None
                or view.offset
                or any(e != 1 and s != o for e, s, o in zip(step.extents, view.strides, own, strict=False))
            ):
                return False
            if program is step.after and kind == "map":
                return False
    return True


def _reads(i: Instr, op: KernelOp, value: Value) -> bool:
    return i.opcode in LOADS and source_of(op.inputs[i.args[0]]) is value


def _looks_up(i: Instr, value: Value, rows: int) -> bool:
    """A load at a place of the table that the row has."""
    if i.opcode != "load_at":
        return False
    view, stride, count = i.value
    made = sizes(value)
    return (view, stride, count) == (View(0, (*dense(made)[:rows], 0)), 1, made[-1])


def _joins(value: Value, kinds: dict[KernelOp, str], extents: Sizes, rows: int, block: Block) -> str:
    """The kind of the op that makes value, when it is not in the chain yet and all that read value are, row by row."""
    producer = value.producer
    kind = (
        "" if producer in kinds or producer is None or producer.block is not block else _kind(producer, extents, rows)
    )
    if not kind:
        return ""
    readers = set(readers_of(value, 4 * MAX_STAGES))  # no more than a chain has
    if not readers <= kinds.keys():
        return ""
    return kind if all(_reads_fit(reader, value, kind, extents, rows) for reader in kinds if reader in readers) else ""


def _chain(last: KernelOp, extents: Sizes, rows: int, block: Block) -> dict[KernelOp, str]:
    """Everything that only leads to `last`, with the kind of each."""
    kinds: dict[KernelOp, str] = {last: _kind(last, extents, rows)}
    todo = [last] if kinds[last] else []
    while todo and len(kinds) <= MAX_STAGES:
        for value in map(source_of, todo.pop().inputs):
            kind = _joins(value, kinds, extents, rows, block)
            if kind and isinstance(value.producer, KernelOp):
                kinds[value.producer] = kind
                todo = list(kinds)
    return kinds


def _fuse_chain(last: KernelOp, extents: Sizes, rows: int, block: Block, order: dict[Op, int]) -> bool:
    """Fuse everything that only leads to `last`; of rows that are too long to keep, what keeps none.  order: places of
    the ops in the block.
    """
    kinds = _chain(last, extents, rows, block)
    if not _is_whole(kinds) or product(extents[rows:]) == 1:
        return False
    again = [op for op, kind in kinds.items() if kind == "map" and op is not last and _is_not_kept(op, kinds)]
    for op in again:
        for reader, new in (recompute(op) or {}).items():
            order[new] = order[reader]
            last = new if reader is last else last
    kinds = _chain(last, extents, rows, block) if again else kinds
    if _is_long(kinds, last, extents, rows):
        for op in [op for op, kind in kinds.items() if kind == "map" and op is not last and is_quick(op.steps[0])]:
            for reader, new in (recompute(op) or {}).items():
                order[new] = order[reader]
                last = new if reader is last else last
        kinds = _chain(last, extents, rows, block)
        many = math.prod(n for n in extents[:rows] if isinstance(n, int)) >= ENOUGH_ROWS
        if not _is_whole(kinds) or not many or any(kind == "map" for op, kind in kinds.items() if op is not last):
            return False
    _replace(sorted(kinds, key=order.__getitem__), kinds, extents, rows, block)
    return True


def _is_not_kept(op: KernelOp, kinds: Mapping[KernelOp, str]) -> bool:
    """What a map makes is computed where it is read: one reduction alone reads it, and vectors go through both, or it
    takes less time than to be written.
    """
    body = op.steps[0].body
    if is_quick(op.steps[0]) and all(i.opcode in _AS_QUICK_AS_WRITING for i in body):
        return True
    readers = set(readers_of(op.result))
    plain = not any(needs_scalars(i.opcode, i.dtype) or i.opcode == "load_at" for i in body)
    return plain and len(readers) == 1 and all(isinstance(r, KernelOp) and kinds.get(r) == "reduce" for r in readers)


def _is_whole(kinds: Mapping[KernelOp, str]) -> bool:
    return 2 <= len(kinds) <= MAX_STAGES and "reduce" in kinds.values()


def _is_long(kinds: Mapping[KernelOp, str], last: KernelOp, extents: Sizes, rows: int) -> bool:
    """What stages leave of a row is too much to keep; where the run tells how much, that of few rows or of images."""
    row = product(extents[rows:])
    if not isinstance(row, int):  # it is in scratch memory
        return len(extents) - rows > 1 or product(extents[:rows]) == 1
    kept = [op.result.tensor.dtype.itemsize for op, kind in kinds.items() if kind == "map" and op is not last]
    return row * sum(kept) > MAX_BYTES


def _replace(ops: list[KernelOp], kinds: dict[KernelOp, str], extents: Sizes, rows: int, block: Block) -> None:
    """One kernel in place of a chain."""
    last = ops[-1]
    made = [source_of(op.result) for op in ops[:-1]]
    operands: list[Value] = []
    for op in ops:
        operands += [v for v in dict.fromkeys(op.inputs) if source_of(v) not in made and v not in operands]
    stages = []
    for op in ops:
        step = op.steps[0]
        if op is not last:
            is_one = kinds[op] in ("reduce", "number")
            inner = (0,) * (len(step.kept) - rows) if is_one else dense(step.kept[rows:])
            step = step._replace(out=View(0, (*(0,) * rows, *inner)))
        numbers = [
            len(operands) + made.index(source_of(v)) if source_of(v) in made else operands.index(v) for v in op.inputs
        ]
        body, after = (_renumbered(program, numbers, len(operands), rows) for program in (step.body, step.after))
        stages.append(step._replace(body=body, after=after))
    problem = RowReduce(
        extents[:rows],
        tuple(_without_divisions(stages, len(operands))),
        tuple(op.result.tensor.dtype for op in ops[:-1]),
    )
    joined = RowReduceOp(operands, problem, last.result.tensor)
    replace_chain(ops, joined, block)


def _renumbered(program: Program, numbers: list[int], operands: int, rows: int) -> Program:
    """Loads go to operands, or to what an earlier stage left of this row: numbers behind those of the operands."""
    out = []
    for i in program:
        if i.opcode in LOADS:
            number = numbers[i.args[0]]
            i = i._replace(args=(number, *i.args[1:]))
            if number >= operands:
                strides = view_of(i).strides
                i = with_view(i, View(0, (*(0,) * min(rows, len(strides)), *strides[rows:])))
        out.append(i)
    return tuple(out)


def _without_divisions(stages: list[Step], operands: int) -> list[Step]:
    """Where a row is divided by a square root, as normalizations do, its reciprocal is taken once and the row
    multiplied: one rounding more.
    """
    out = list(stages)
    for i, stage in enumerate(stages[:-1]):
        program = stage.after or stage.body
        if (
            program[-1].opcode != "sqrt"
            or not program[-1].dtype.is_float
            or not all(_only_divides(s, operands + i) for s in stages[i + 1 :])
        ):
            continue
        first = 1 if stage.after else 0  # value 0 of an epilogue is what was combined
        one, root = len(program) + first, len(program) - 1 + first
        dtype = program[-1].dtype
        program = (*program, Instr("const", dtype, (), 1.0), Instr("div", dtype, (one, root)))
        out[i] = stage._replace(after=program) if stage.after else stage._replace(body=program)
        for j in range(i + 1, len(out)):
            out[j] = out[j]._replace(
                body=_multiplied(out[j].body, operands + i, 0), after=_multiplied(out[j].after, operands + i, 1)
            )
    return out


def _loads_of(program: Program, number: int, first: int) -> set[int]:
    return {k + first for k, i in enumerate(program) if i.opcode in LOADS and i.args[0] == number}


def _only_divides(step: Step, number: int) -> bool:
    """Operand `number` is the second argument of divisions and nothing else."""
    for first, program in enumerate((step.body, step.after)):
        loads = _loads_of(program, number, first)
        for i in program:
            if i.opcode not in LOADS and loads & set(i.args[:1] if i.opcode == "div" else i.args):
                return False
    return True


def _multiplied(program: Program, number: int, first: int) -> Program:
    """Divisions by operand `number` as products."""
    loads = _loads_of(program, number, first)
    return tuple(i._replace(opcode="mul") if i.opcode == "div" and i.args[1] in loads else i for i in program)
