"""IF and WHILE: regions that see the values around them become subgraphs that are given all they use.

Constants that a region uses are repeated inside of it (the file holds their data once); other captured values become
operands of IF, or loop variables of WHILE that the body hands on unchanged.  Sources: kernels/if.cc, while.cc.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Block, Op, Region, Value, captures, walk
from mlconv.ir.dims import Size, product
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.types import Type
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse
from mlconv.legalize.to_tfl.slice_limits import narrow_inside
from mlconv.rewrite import Rules, edit

RULES = Rules()


def make_explicit(regions: list[Region]) -> list[Value]:
    """Repeat captured constants inside each region; returns the other captured values, each once, in order."""
    shared: dict[Value, None] = {}
    for region in regions:
        mapping: dict[Value, Value] = {}
        _start_inside(region)
        for value in captures(region):
            constant = const_of(value)
            if constant is None:
                shared.setdefault(value)
                continue
            copy = core.Constant(value=constant, element=quant_of(value))
            edit.relocate(copy, value.producer.location if value.producer is not None else None)
            edit.rename(copy.y, value.name)
            edit.insert(copy, before=region.block.first or region.block.terminator)
            mapping[value] = copy.y
        substitute(region, mapping)
    return list(shared)


def _start_inside(region: Region) -> None:
    """Let loops in a region fill the room that they start with there, where `_with_room` sees what it is made of."""
    for loop in [op for op in walk(region.block) if isinstance(op, core.While)]:
        for i, start in enumerate(v.producer for v in loop.inits):
            if isinstance(start, core.BroadcastTo) and start.block is not loop.block:
                copy = core.BroadcastTo(start.x, start.shape)
                edit.relocate(copy, start.location)
                edit.insert(copy, before=loop)
                edit.set_operand(loop, i, copy.y)


def substitute(region: Region, mapping: dict[Value, Value]) -> None:
    """Replace values in a region and in the regions within."""
    if not mapping:
        return
    for op in walk(region.block):
        for i, value in enumerate(op.operands):
            if value is not None and value in mapping:
                edit.set_operand(op, i, mapping[value])


def add_arguments(region: Region, values: list[Value]) -> list[Value]:
    """Block arguments for captured values, used instead of them inside."""
    arguments = [edit.add_argument(region.block, v.type, v.name) for v in values]
    substitute(region, dict(zip(values, arguments, strict=True)))
    return arguments


@RULES.rule(core.If)
def if_(op: core.If, e: TflBuilder) -> list[Value]:
    """IF."""
    regions = [op.then, op.orelse]
    narrow_inside(regions, e)
    shared = make_explicit(regions)
    for region in regions:
        add_arguments(region, shared)
    cond = e.reshape(op.cond, ()) if op.cond.tensor.shape not in ((), None) else op.cond
    types = [y.type for y in op.results]
    return e.tfl("IF", [cond, *shared], types, take(op, regions))


@RULES.rule(core.While)
def while_(op: core.While, e: TflBuilder) -> list[Value]:
    """WHILE."""
    parts = {i: sizes for i in range(len(op.inits)) if (sizes := _with_room(op, e, i)) is not None}
    inits = [_filled(op, e, i, init) for i, init in enumerate(op.inits)]
    types = [v.type for v in op.body.block.arguments]
    regions = [op.cond, op.body]
    narrow_inside(regions, e)
    shared = make_explicit(regions)
    add_arguments(op.cond, shared)
    passed = add_arguments(op.body, shared)
    end = op.body.block.terminator
    edit.add_operands(end, passed)
    types += [v.type for v in shared]
    results = e.tfl("WHILE", [*inits, *shared], types, take(op, regions))
    news = results[: len(op.inits)]
    return [
        _part(e, new, parts[i], old.type) if i in parts else _emptied(e, new, old)
        for i, (new, old) in enumerate(zip(news, op.results, strict=True))
    ]


def _with_room(op: core.While, e: TflBuilder, index: int) -> Value | None:
    """Give a tensor that turns write pieces into room for one piece at least; its sizes, where it may have none.

    The body is prepared with the sizes that the loop starts with, whether it runs or not, and DYNAMIC_UPDATE_SLICE
    wants room for what it writes (kernels/dynamic_update_slice.cc).
    """
    argument, init, made = op.body.block.arguments[index], op.inits[index], op.body.block.outputs[index]
    shape, piece, start = argument.tensor.shape, _piece(made.producer, argument), init.producer
    if piece is None or shape is None or not isinstance(start, core.BroadcastTo) or op.cond.block.arguments[index].uses:
        return None
    least = [n if isinstance(n, int) and not holds(d, ">=", n, SizeFacts()) else 0 for n, d in zip(piece, shape)]
    if not any(least) or len(argument.uses) != 1 or len(made.uses) != 1 or 0 in shape:
        return None
    sizes = start.shape
    room = e.y(core.BroadcastTo(start.x, e.y(core.Maximum(sizes, e.constant(least, sizes.tensor.dtype)))))
    edit.set_operand(op, index, room)
    for value in (argument, op.cond.block.arguments[index], made):
        edit.retype(value, room.type)
    return sizes


def _piece(op: Op | None, whole: Value) -> Sequence[Size] | None:
    """The sizes of what an op writes into a tensor, when it does no more."""
    if isinstance(op, core.UpdateSlice) and op.x is whole:
        return op.update.tensor.shape
    if not isinstance(op, core.ScatterNd) or op.data is not whole:
        return None
    index, shape = op.indices.tensor.shape or (), whole.tensor.shape or ()
    depth = index[-1] if index else 0
    is_single = isinstance(depth, int) and depth > 0 and product(index[:-1]) == 1
    return (*[1] * depth, *shape[depth:]) if is_single and isinstance(depth, int) else None


def _part(e: TflBuilder, x: Value, sizes: Value, type_: Type) -> Value:
    """The front of a tensor along all axes."""
    begins = e.ints([0] * len(x.tensor.shape or ()))
    return e.one("SLICE", [x, begins, e.i32(sizes)], type_)


def _filled(op: core.While, e: TflBuilder, index: int, init: Value) -> Value:
    """A loop variable that starts without elements gets a row in front, which every use inside and after the loop drops
    again.

    The kernel cannot hand tensors without elements to its subgraphs.
    """
    shape = init.tensor.shape or ()
    if 0 not in shape:
        return init
    if shape.count(0) > 1:
        raise refuse(f"loop variable {index} starts as {init.tensor}, without elements along several axes")
    axis = shape.index(0)
    inner = op.body.block.arguments[index].tensor.shape
    first = e.broadcast_to(e.asarray(0, init), tuple(1 if d == 0 else d for d in shape), init)
    grown = None if inner is None else tuple(d + 1 if i == axis else d for i, d in enumerate(inner))
    for region in (op.cond, op.body):
        _drop_row(e, region.block, index, axis, grown)
    end = op.body.block.terminator
    inside = e.within(op.body.block, end)
    value = end.operands[index]
    if value is not None and value.tensor.shape is not None:
        rows = tuple(1 if i == axis else d for i, d in enumerate(value.tensor.shape))
        front = inside.broadcast_to(inside.asarray(0, value), rows, value)
        edit.set_operand(end, index, inside.y(core.Concat([front, value], axis=axis)))
    return first


def _drop_row(e: TflBuilder, block: Block, index: int, axis: int, grown: tuple[Size, ...] | None) -> None:
    """Let the users of a block's argument see it without its first row."""
    argument = block.arguments[index]
    users = list(argument.uses)
    original = argument.tensor
    edit.retype(argument, original.with_shape(grown))
    inside = e.within(block, block.first)
    rest = inside.slice_axis(argument, axis, 1, None)
    edit.retype(rest, original)
    for user, i in users:
        edit.set_operand(user, i, rest)


def _emptied(e: TflBuilder, new: Value, old: Value) -> Value:
    """A result without the row that `_filled` put in front."""
    a, b = new.tensor.shape, old.tensor.shape
    if a is None or b is None or a == b:
        return new
    axis = next(i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y)
    return e.slice_axis(new, axis, 1, None)


def take(op: core.If | core.While, regions: list[Region]) -> list[Region]:
    """The regions, taken out of an op that is about to be erased."""
    edit.take_regions(op)
    return regions
