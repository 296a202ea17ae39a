"""Buffers of bytes in the sign that a machine multiplies: where products read them, bytes between kernels have 128
added.

VPDPBUSD and TDPBUSD take bytes without a sign; a product of signed ones adds 128 to each of them first, again for every
row that reads it.  Here whoever makes the buffer does, once for each element, and whoever else reads it takes 128 off.
What comes in, goes out or is a constant stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlconv.dialects.kernel import LOADS, PRODUCTS, Instr, KernelOp, Program, RowReduce, Step
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite import edit

SHIFT = 128
_BY_TILES = ("kernel.gemm", "kernel.integer_winograd")
_KEEPS_ORDER = ("maximum", "minimum")
_SIGN = Instr("const", DType.I8, (), -SHIFT)


def unsign(block: Block) -> None:
    """All buffers of a block that products of shifted bytes read, where each of their makers and readers can change."""
    for buffers in _groups(block):
        members = set(buffers)
        multiplied = any(_multiplies(user, i) for v in buffers for user, i in v.uses)
        if multiplied and all(_can_change(v, members) for v in buffers):
            _change(buffers)


def _groups(block: Block) -> Iterator[list[Value]]:
    """Signed bytes that kernels of the block make; those under several types together."""
    members: dict[Value, list[Value]] = {}
    for op in block.ops:
        if not isinstance(op, KernelOp) or len(op.results) != 1 or op.result.tensor.dtype is not DType.I8:
            continue
        same = op.name == "kernel.alias" and members.get(op.inputs[0])
        members[op.result] = same or []
        members[op.result].append(op.result)
    seen = {id(group): group for group in members.values()}
    return iter(seen.values())


def _multiplies(user: Op, i: int) -> bool:
    return isinstance(user, KernelOp) and user.name in _BY_TILES and i == 0 and user.problem.shift == SHIFT


def _can_change(value: Value, members: set[Value]) -> bool:
    """members: the buffer under all its types."""
    maker = value.producer
    if not isinstance(maker, KernelOp):
        return False
    if not (maker.inputs[0] in members if maker.name == "kernel.alias" else _is_plain(maker)):
        return False
    return all(_reads(user, i) for user, i in value.uses)


def _is_plain(op: KernelOp) -> bool:
    return op.name in (*_BY_TILES, "kernel.depthwise", "kernel.loop_nest", "kernel.row_reduce")


def _reads(user: Op, i: int) -> bool:
    """Whether an op can read bytes that have no sign as operand i."""
    if not isinstance(user, KernelOp):
        return False
    if user.name == "kernel.alias":
        return user.result.tensor.dtype is DType.I8
    if user.name in PRODUCTS and i < 2:
        return _multiplies(user, i)
    return _is_plain(user)


def _change(buffers: Sequence[Value]) -> None:
    ops, changed = dict[KernelOp, None](), set(buffers)
    for value in buffers:
        edit.retype(value, value.tensor.with_dtype(DType.U8))
        around = (value.producer, *(user for user, _ in value.uses))
        ops.update((op, None) for op in around if isinstance(op, KernelOp) and op.name != "kernel.alias")
    for op in ops:
        _rewrite(op, {i for i, v in enumerate(op.inputs) if v in changed}, op.result in changed)


def _rewrite(op: KernelOp, read: set[int], made: bool) -> None:
    """read: operands without a sign; made: the result has none either."""
    problem = op.problem
    if op.name in PRODUCTS:
        indexing = problem.indexing
        borders = tuple(_step(step, read, made) for step in indexing.borders)
        after = _program(indexing.after, 1, read, made)
        problem = problem._replace(indexing=indexing._replace(after=after, borders=borders))
        if made:
            problem = problem._replace(types=problem.types._replace(result=DType.U8))
        if 0 in read:
            problem = problem._replace(types=problem.types._replace(x=DType.U8), shift=0)
    elif isinstance(problem, RowReduce):
        *stages, last = problem.stages
        before = (_step(stage, read, False) for stage in stages)
        problem = problem._replace(stages=(*before, _step(last, read, made)))
    else:
        problem = tuple(_step(step, read, made) for step in problem)
    edit.set_attribute(op, "problem", problem)


def _step(step: Step, read: set[int], made: bool) -> Step:
    if made and not step.after and (not step.reduced or step.combine in _KEEPS_ORDER):
        (first, *others) = step.body
        if not others and first.opcode == "load" and first.args[0] in read:
            return step._replace(body=(first._replace(dtype=DType.U8),))  # moved, or picked by order
        if not others and first.opcode == "const":
            return step._replace(body=(first._replace(dtype=DType.U8, value=first.value + SHIFT),))
    behind = bool(step.reduced or step.after)
    body = _program(step.body, 0, read, made and not behind)
    return step._replace(body=body, after=_program(step.after, 1, read, made) if behind else ())


def _program(program: Program, base: int, read: set[int], made: bool) -> Program:
    """An expression that takes 128 off what it reads, and adds it to its last value.  base: values before the first."""
    code, places = list[Instr](), dict(enumerate(range(base)))

    def put(*instrs: Instr) -> int:
        code.extend(instrs)
        return len(code) - 1 + base

    for i, instr in enumerate(program, base):
        if instr.opcode in LOADS:
            instr = instr._replace(args=(instr.args[0], *(places[a] for a in instr.args[1:])))
        else:
            instr = instr._replace(args=tuple(places[a] for a in instr.args))
        if instr.opcode in LOADS and instr.args[0] in read:
            at = put(instr._replace(dtype=DType.U8))
            places[i] = put(Instr("cast", DType.I8, (at,)), _SIGN, Instr("xor", DType.I8, (at + 1, at + 2)))
        else:
            places[i] = put(instr)
    if made:
        last = places[len(program) - 1 + base]
        if (number := _added(code, base, last)) is not None:
            (last,) = (a for a in code.pop().args if a != number)
            more = (code[number - base].value + 2 * SHIFT) % (2 * SHIFT) - SHIFT
            if more:
                at = put(Instr("const", DType.I8, (), more))
                last = put(Instr("add", DType.I8, (last, at)))
        else:
            at = put(_SIGN)
            last = put(Instr("xor", DType.I8, (last, at)))
        put(Instr("cast", DType.U8, (last,)))
    return tuple(code)


def _added(code: Sequence[Instr], base: int, last: int) -> int | None:
    """Where the number stands that the last instruction adds: 128 can be added to that."""
    end = code[-1] if code and last == len(code) - 1 + base else None
    if end is None or (end.opcode, end.dtype) != ("add", DType.I8) or end.args[0] == end.args[1]:
        return None
    return next((a for a in end.args if a >= base and code[a - base].opcode == "const"), None)
