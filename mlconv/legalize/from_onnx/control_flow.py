"""If, Loop and Scan: subgraphs become regions of core.if and core.while."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield, captures
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import joined_as
from mlconv.ir.shapes import with_size
from mlconv.ir.types import TensorType, Type
from mlconv.legalize.from_onnx.branches import asked_of_sizes, fitting_branch, freezing
from mlconv.legalize.from_onnx.loop_sequences import (
    carried_sequences,
    collected_rows,
    joined,
    joined_along,
    with_scans,
)
from mlconv.legalize.from_onnx.loop_steps import noted, of_counters, of_step
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.spliced import put_in_place, splice, turns_to_write, written_out
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.source import Span
from mlconv.provenance.locations import first_name
from mlconv.rewrite import constant_array, edit
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.size_values import SizeValues

RULES = OnnxRules()

_ATTEMPTS = 4

Finish: TypeAlias = Callable[[list[Value]], Value]


@RULES.rule("If")
def if_(n: Node) -> list[Value]:
    """A condition that is constant, or that facts about sizes decide, leaves only its branch; so does one of sizes,
    which these must fulfil then, where the branches differ in rank and what reads the results takes those of one.
    """
    then, orelse = n.region("then_branch"), n.region("else_branch")
    if then is None or orelse is None:
        raise ConversionError(Code.AttributeInvalid, "If needs the attributes 'then_branch' and 'else_branch'")
    known, question, asking = constant_array(n.x(0)), asked_of_sizes(n.x(0)), n.source.conversion.asking
    told = bool(known.reshape(-1)[0]) if known is not None else question and question.answer(asking)
    if told is not None:
        return splice(n, (then if told else orelse).block, [])
    with n.source.conversion.engine.helping(freezing(n.x(0))):
        blocks = [n.converted(edit.stand_in(r.block)) for r in (then, orelse)]
    taken = None if question is None or asking is None else fitting_branch(n.op.results, blocks, question)
    if question is not None and asking is not None and taken is not None:
        question.ask(taken, asking, first_name(n.op.location))
        return put_in_place(n, blocks[0 if taken else 1])
    return list(n.ys(core.If(n.scalar(n.x(0)), then=Region(blocks[0]), orelse=Region(blocks[1]))))


def converted_body(
    n: Node, body: Block, types: list[Type], carried: range, spans: Mapping[int, Span] | None = None
) -> Block:
    """A copy of a loop body, legalized for argument types that hold in every iteration.

    carried: places of the arguments that the body's results (from 1 on for Loop: the place of `carried`) replace.
    Sizes that change become unknown.  spans: of arguments that count turns.
    """
    free: set[tuple[int, int]] = set()
    asking = n.source.conversion.asking
    asked = () if asking is None else asking.conditions
    offset = len(types) - len(carried) if carried.start else 0
    for _ in range(_ATTEMPTS):
        if asking is not None:
            asking.conditions = asked  # what another attempt asked was about other sizes
        block = edit.stand_in(body)
        for argument, type_ in zip(block.arguments, types, strict=True):
            edit.retype(argument, type_)
        hints = [v.type for v in block.outputs]
        noted(n, block, spans or {})
        n.converted(block)
        _apply_hints(n, block, hints)
        outputs = block.outputs
        changed = False
        for i in carried:
            made = outputs[i - carried.start + (1 if offset else 0)].type
            wider = _wider(types[i], _kept(n, types[i], made), i, free)
            if wider is not None:
                types[i], changed = wider, True
        if not changed:
            return block
        block.erase_all()
    raise ConversionError(Code.ShapeMismatch, f"{n.op_type}: the types of its loop variables reach no fixed point")


def _apply_hints(n: Node, block: Block, hints: list[Type]) -> None:
    """Results of unknown size take the shape that the file states for them: its numbers, and the sizes of arguments
    that have the same symbol.
    """
    end = block.terminator
    builder = CoreBuilder(Builder(block, n.builder.location, end))
    for i, (value, hint) in enumerate(zip(block.outputs, hints, strict=True)):
        t = value.type
        if (
            not isinstance(hint, TensorType)
            or not isinstance(t, TensorType)
            or hint.shape is None
            or t.is_static
            or t.shape == hint.shape
        ):
            continue
        if t.shape is not None and len(t.shape) != len(hint.shape):
            continue
        parts = [size_of(builder, d, block.arguments) for d in hint.shape]
        known = [p for p in parts if p is not None]
        if len(known) == len(parts):
            edit.set_operand(end, i, builder.reshape(value, known))


def size_of(n: CoreBuilder, size: Size, values: Sequence[Value]) -> Part | None:
    """A size as a number, or computed from the run-time sizes of values; None when these do not tell it."""
    if isinstance(size, int):
        return size

    def axis(value: Value, place: int) -> Value:
        return n.slice_axis(n.y(core.ShapeOf(value)), 0, place, place + 1)

    try:
        return SizeValues(n, values, axis, lambda number: n.vector([number]), "a size").of(size)
    except ConversionError:
        return None


def _kept(n: Node, before: Type, made: Type) -> Type:
    """What a body makes of a loop variable, with the sizes of that where the body joins it with others that are open; a
    run is asked whether these are no larger.
    """
    asking = n.source.conversion.asking
    if asking is None or not isinstance(before, TensorType) or not isinstance(made, TensorType):
        return made
    if before.shape is None or made.shape is None or len(before.shape) != len(made.shape):
        return made
    pairs = list(zip(before.shape, made.shape, strict=True))
    asked = [joined_as(a, b, first_name(n.op.location)) for a, b in pairs]
    asking.conditions = (*asking.conditions, *(c for own in asked for c in own or ()))
    return made.with_shape(tuple(b if own is None else a for own, (a, b) in zip(asked, pairs, strict=True)))


def _wider(argument: Type, result: Type, place: int, free: set[tuple[int, int]]) -> Type | None:
    """The argument's type with every size that the result changes made unknown; None when it holds already."""
    if not isinstance(argument, TensorType) or not isinstance(result, TensorType) or argument.shape is None:
        return None
    if result.dtype is not argument.dtype:
        raise ConversionError(Code.TypeMismatch, f"loop variable {place} changes from {argument} to {result}")
    if result.shape is None or len(result.shape) != len(argument.shape):
        return argument.with_shape(None)
    sizes = list(argument.shape)
    changed = False
    for axis, (a, b) in enumerate(zip(argument.shape, result.shape, strict=True)):
        if a != b and (place, axis) not in free:
            free.add((place, axis))
            sizes[axis], changed = Dim.unknown(), True
    return argument.with_shape(tuple(sizes)) if changed else None


@dataclass(slots=True)
class LoopParts:
    """A loop being built: its body (arguments: step, then carried values), and what is collected from each step."""

    body: Block
    builder: CoreBuilder  # emits at the end of the body
    step: Value
    inits: list[Value]
    yields: list[Value]
    outer: list[Value]  # values before the loop whose sizes may be used

    def carry(self, init: Value, type_: Type) -> Value:
        """A further carried value; its yield is to be appended."""
        self.inits.append(init)
        return edit.add_argument(self.body, type_)


def collected(
    n: CoreBuilder, loop: LoopParts, value: Value, count: Part | None, place: Value, *, backwards: bool = False
) -> Finish:
    """Carry a tensor that gathers `value` of each step; how to take the result from the loop's final values.

    It is written at `place` into zeros of `count` steps, or appended when the count is open, or kept flat when the
    shape is not known before the loop.
    """
    t = value.tensor
    if t.shape is None:
        raise ConversionError(
            Code.ShapeNotStatic, f"the rank of what a loop collects in each step must be known, it is {t}"
        )
    zero = n.constant(np.zeros((), t.dtype.numpy), t.dtype)
    at = len(loop.inits)
    found = [size_of(n, d, loop.outer) for d in t.shape]
    sizes = [s for s in found if s is not None]
    if len(sizes) != len(found):
        if backwards:
            raise ConversionError(
                Code.ShapeNotStatic, f"the shape of what a scan collects backwards must be known before it, it is {t}"
            )
        return _collected_flat(n, loop, value, zero)
    if count is None:
        kept = loop.carry(n.broadcast_to(zero, [0, *sizes]), TensorType(t.dtype, (Dim.unknown(), *t.shape)))
        loop.yields.append(loop.builder.concat([kept, loop.builder.expand_dims(value, 0)], 0))
        return lambda final: final[at]
    init = n.broadcast_to(zero, [count, *sizes])
    kept = loop.carry(init, init.type)
    where = loop.builder.reshape(place, [1, 1])
    loop.yields.append(loop.builder.y(core.ScatterNd(kept, where, loop.builder.expand_dims(value, 0))))
    return lambda final: final[at]


def collected_along(n: CoreBuilder, loop: LoopParts, value: Value, axis: int) -> Finish | None:
    """Carry a tensor that `value` of each step, whose size along an axis the step tells, is put behind along it; None
    where other sizes are not known before the loop.
    """
    t = value.tensor
    if t.shape is None or not -len(t.shape) <= axis < len(t.shape):
        return None
    axis %= len(t.shape)
    sizes = [0 if i == axis else size_of(n, d, loop.outer) for i, d in enumerate(t.shape)]
    told = [s for s in sizes if s is not None]
    if len(told) != len(sizes) or size_of(n, t.shape[axis], loop.outer) is not None:
        return None
    at = len(loop.inits)
    zero = n.constant(np.zeros((), t.dtype.numpy), t.dtype)
    kept = loop.carry(n.broadcast_to(zero, told), t.with_shape(with_size(t.shape, axis, Dim.unknown())))
    loop.yields.append(loop.builder.concat([kept, value], axis))
    return lambda final: final[at]


def _collected_flat(n: CoreBuilder, loop: LoopParts, value: Value, zero: Value) -> Finish:
    """Elements of all steps in one row, and the shape of the last step's value."""
    t, at, rank = value.tensor, len(loop.inits), n.rank(value)
    flat = loop.carry(n.broadcast_to(zero, [0]), TensorType(t.dtype, (Dim.unknown(),)))
    loop.yields.append(loop.builder.concat([flat, loop.builder.reshape(value, [-1])], 0))
    loop.carry(n.vector([0] * rank), TensorType(DType.I64, (rank,)))
    loop.yields.append(loop.builder.y(core.ShapeOf(value)))

    def finish_flat(final: list[Value]) -> Value:
        sizes = n.split(final[at + 1], [1] * rank, 0) if rank else ()
        steps = n.reshape(final[0], [1])
        return n.reshape(final[at], [steps, *sizes])

    return finish_flat


def finish(n: Node, loop: LoopParts, cond: Block) -> list[Value]:
    """Build core.while; the final values of what it carries."""
    end = loop.body.terminator
    edit.unlink(end)
    edit.forget(end)
    loop.body.insert(Yield(loop.yields, n.builder.location))
    return list(n.ys(core.While(loop.inits, cond=Region(cond), body=Region(loop.body))))


def condition_block(n: Node, loop: LoopParts, limit: Value | None, flag: int | None) -> Block:
    """The test before each step: step < limit, and the carried flag when there is one."""
    block = Block([v.type for v in loop.body.arguments])
    builder = CoreBuilder(Builder(block, n.builder.location))
    test = builder.less(block.arguments[0], limit) if limit is not None else None
    if flag is not None:
        own = block.arguments[flag]
        test = own if test is None else builder.logical_and(test, own)
    if test is None:
        test = builder.constant(True)
    block.insert(Yield([test], n.builder.location))
    return block


@RULES.rule("Loop")
def loop(n: Node) -> list[Value]:
    region = n.region("body")
    if region is None:
        raise ConversionError(Code.AttributeInvalid, "Loop needs the attribute 'body'")
    limit = None if n.opt(0) is None else n.cast(n.scalar(n.x(0)), DType.I64)
    given = n.opt(1)
    start = n.constant(True) if given is None else n.scalar(given)
    sources = [n.opt(i) for i in range(2, n.count)]
    lists = carried_sequences(sources)
    if lists and limit is not None and (given is None or _is_true(start)):
        turns = turns_to_write(limit, region.block)
        if turns is not None:
            return written_out(n, region.block, turns, [v or n.x(2 + i) for i, v in enumerate(sources)])
    inits = [n.constant(False) if i in lists else n.x(2 + i) for i in range(len(sources))]
    count = len(inits)
    types: list[Type] = [TensorType(DType.I64, ()), TensorType(DType.BOOL, ()), *(v.type for v in inits)]
    if len(region.block.arguments) != len(types):
        raise ConversionError(
            Code.WrongArity, f"Loop: the body has {len(region.block.arguments)} inputs, expected {len(types)}"
        )
    source = with_scans(n, region.block, lists) if lists else region.block
    given_types = [_of_declared_rank(t, v) for t, v in zip(types, region.block.arguments[:2], strict=False)]
    spans = of_step(limit) | of_counters(region.block, inits, start)
    body = converted_body(n, source, [*given_types, *types[2:]], range(2, 2 + count), spans)
    if lists:
        source.erase_all()
    for argument in body.arguments[:2]:
        _pass_as_scalar(n, body, argument)
    outputs = body.outputs
    builder = CoreBuilder(Builder(body, n.builder.location, body.terminator))
    step, flag = body.arguments[0], body.arguments[1]
    parts = LoopParts(
        body,
        builder,
        step,
        [n.constant(0, DType.I64), start, *inits],
        [builder.add(step, 1), builder.scalar(outputs[0]), *outputs[1 : 1 + count]],
        [*inits, *captures(Region(body))],
    )
    always = _is_always(outputs[0], flag) and (given is None or _is_true(start))
    total = _count(n, limit) if limit is not None and always else None
    scans = [collected(n, parts, value, total, step) for value in outputs[1 + count : len(outputs) - len(lists)]]
    appended = zip(lists, outputs[len(outputs) - len(lists) :], strict=True)
    made = {i: _list(n, parts, i, value, total) for i, value in appended}
    final = finish(n, parts, condition_block(n, parts, limit, None if always and limit is not None else 1))
    states = [made[i](final) if i in made else state for i, state in enumerate(final[2 : 2 + count])]
    return [*states, *(take(final) for take in scans)]


def _list(n: Node, loop: LoopParts, place: int, value: Value, count: Part | None) -> Finish:
    """How to take the sequence that is a state of the loop: one tensor where what is appended is only put together."""
    before = n.opt(2 + place)
    assert before is not None
    is_empty = before.producer is not None and not before.producer.inputs
    axis = joined_along(n.op.results[place]) if is_empty else None
    put = None if axis is None else collected_along(n, loop, value, axis)
    if put is not None:
        return lambda final: joined(n, put(final))
    take = collected(n, loop, value, count, loop.step)
    return lambda final: collected_rows(n, before, take(final))


def _of_declared_rank(scalar: Type, argument: Value) -> Type:
    """The type of the step or of the condition of a Loop in its body: ONNX Runtime passes one number of the rank that
    the body declares (loop.cc, `iter_num_rank`, `condition_rank`).
    """
    rank = argument.type.rank if isinstance(argument.type, TensorType) else None
    return scalar.with_shape((1,) * rank) if rank and isinstance(scalar, TensorType) else scalar


def _pass_as_scalar(n: Node, body: Block, argument: Value) -> None:
    """Pass the step or the condition as a scalar; the body reads it with the rank that it declares."""
    t, end, users = argument.tensor, body.terminator, list(argument.users)
    if not t.shape:
        return
    edit.retype(argument, t.with_shape(()))
    shaped = CoreBuilder(Builder(body, n.builder.location, body.first)).reshape(argument, [1] * len(t.shape))
    for op in users:
        for i, operand in enumerate(op.operands):
            if operand is argument and (op is not end or i > 0):  # 0: the condition, which is passed on as it is
                edit.set_operand(op, i, shaped)


def _is_true(value: Value) -> bool:
    known = constant_array(value)
    return known is not None and bool(np.asarray(known).reshape(-1)[0])


def _is_always(value: Value, flag: Value) -> bool:
    """The loop's own condition never turns false: it is the one it was given, or the constant true."""
    return value is flag or _is_true(value)


def _count(n: CoreBuilder, limit: Value) -> Part:
    """A trip count as a size, at least 0."""
    known = constant_array(limit)
    if known is not None:
        return max(0, int(np.asarray(known).reshape(-1)[0]))
    return n.clamp(n.reshape(limit, [1]), 0)


@RULES.rule("Scan", since=9)
def scan(n: Node) -> list[Value]:
    count = n.i("num_scan_inputs")
    values = n.xs(0)
    return scan_over(n, values[: len(values) - count], values[len(values) - count :])


def scan_over(n: Node, states: list[Value], sequences: list[Value], axes_from: int = 0) -> list[Value]:
    """One pass over sequences: each step takes their slices and the states, gives states and slices of the results."""
    region = n.region("body")
    if region is None or not sequences:
        raise ConversionError(Code.AttributeInvalid, "Scan needs the attribute 'body' and at least one scan input")
    told = zip(states, region.block.arguments, region.block.outputs, strict=False)
    states = [_of_told_sizes(n, state, taken.type, given.type) for state, taken, given in told]
    axes = [
        n.axis(a, n.rank(v)) for a, v in zip(n.ints("scan_input_axes", (0,) * len(sequences)), sequences, strict=True)
    ]
    backwards = n.ints(
        "scan_input_directions" if n.has("scan_input_directions") else "directions", (0,) * len(sequences)
    )
    steps = n.dim(sequences[0], axes[0])
    length = n.constant(steps, DType.I64) if isinstance(steps, int) else n.reshape(steps, [])
    slices = [_without_axis(v, a) for v, a in zip(sequences, axes, strict=True)]
    types: list[Type] = [*(v.type for v in states), *slices]
    body = converted_body(n, region.block, types, range(len(states)))
    outputs = body.outputs
    end = body.terminator
    builder = CoreBuilder(Builder(body, n.builder.location, body.first))
    shell = Block([TensorType(DType.I64, ()), *(v.type for v in body.arguments[: len(states)])])
    step = shell.arguments[0]
    reverse = builder.sub(builder.sub(length, 1), step) if any(backwards) else step
    for i, (sequence, axis) in enumerate(zip(sequences, axes, strict=True)):
        taken = builder.y(core.Gather(sequence, reverse if backwards[i] else step, axis=axis))
        edit.replace_uses(body.arguments[len(states) + i], taken)
    for old, new in zip(body.arguments, shell.arguments[1:], strict=False):
        edit.replace_uses(old, new)
    for op in list(body.ops):
        edit.unlink(op)
        shell.insert(op)
    outputs = end.inputs
    tail = CoreBuilder(Builder(shell, n.builder.location, end))
    parts = LoopParts(
        shell,
        tail,
        step,
        [n.constant(0, DType.I64), *states],
        [tail.add(step, 1), *outputs[: len(states)]],
        [*states, *sequences, *captures(Region(shell))],
    )
    results = outputs[len(states) :]
    flips = n.ints("scan_output_directions", (0,) * len(results))
    takers = [
        collected(n, parts, value, steps, tail.sub(tail.sub(length, 1), step) if flip else step, backwards=bool(flip))
        for value, flip in zip(results, flips, strict=True)
    ]
    final = finish(n, parts, condition_block(n, parts, length, None))
    out_axes = n.ints("scan_output_axes", (0,) * len(results))
    moved = [_moved(n, v, a) for v, a in zip([take(final) for take in takers], out_axes, strict=True)]
    return [*final[1 : 1 + len(states)], *moved]


def _of_told_sizes(n: Node, state: Value, *types: Type) -> Value:
    """A state of a Scan, whose sizes are those of its first value in every step (onnxruntime takes no others), with the
    numbers that the body's types tell for sizes that are known at run time.
    """
    shape = state.tensor.shape
    told = [t.shape for t in types if isinstance(t, TensorType) and t.shape is not None]
    if shape is None or any(len(t) != len(shape) for t in told):
        return state
    columns = [[size for size in column if isinstance(size, int)] for column in zip(*told, strict=True)]
    known = {axis: column[0] for axis, column in enumerate(columns) if column and not isinstance(shape[axis], int)}
    return n.reshape(state, [known.get(axis, size) for axis, size in enumerate(n.dims(state))]) if known else state


def _without_axis(value: Value, axis: int) -> TensorType:
    t = value.tensor
    return t.with_shape(None if t.shape is None else (*t.shape[:axis], *t.shape[axis + 1 :]))


def _moved(n: CoreBuilder, value: Value, axis: int) -> Value:
    """The first axis moved to `axis`."""
    rank = n.rank(value)
    perm = list(range(1, rank))
    perm.insert(n.axis(axis, rank), 0)
    return n.transpose(value, perm)


@RULES.rule("Scan", until=8)
def batched_scan(n: Node) -> list[Value]:
    """Version 8 has a batch axis in front of everything: one scan for each sample, results stacked."""
    if n.opt(0) is not None:
        raise n.refuse("sequence_lens of Scan-8 is not supported")
    count = n.i("num_scan_inputs")
    values = n.xs(1)
    batch = n.dim(values[0], 0)
    if not isinstance(batch, int) or batch > 64:
        raise n.refuse(f"the batch of Scan-8 must be known and at most 64, the input is {values[0].type}")
    rows: list[list[Value]] = []
    for b in range(batch):
        own = [n.squeeze(n.slice_axis(v, 0, b, b + 1), 0) for v in values]
        rows.append(scan_over(n, own[: len(own) - count], own[len(own) - count :]))
    return [n.concat([n.expand_dims(row[i], 0) for row in rows], 0) for i in range(len(rows[0]))]
