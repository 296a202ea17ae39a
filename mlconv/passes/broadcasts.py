"""Repetitions that the ops behind them make themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

from mlconv.dialects import core
from mlconv.dialects.core.base import broadcast_shapes
from mlconv.dialects.core.reduce import AlongAxis, Reduce
from mlconv.dialects.core.shape import ints_of
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import MATRIX, unit_axes
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise
from mlconv.ir.types import Shape, TensorType
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.index_forms import truth

_DEPTH = 64  # of chains of ops that become smaller
_MOST = 256  # values that become smaller
_ROUNDS = 4


def drop_repetitions(block: Block) -> int:
    """Leave out broadcasts to sizes that are known at run time, and axes of size 1 in front, where all ops behind them
    spread their operands, or look up what they index; returns how many went.
    """
    dropped = 0
    for _ in range(_ROUNDS):  # one that goes may let others go
        now = sum(_drop_leading_units(op) or _drop(op) for op in list(walk(block)))
        dropped += now
        if not now:
            break
    return dropped


def _drop(op: Op) -> bool:
    x = _repeated(op)
    if x is None or op.results[0].tensor.is_static or not _spreads(op.results[0], x):
        return False
    _take(op.results[0], x)
    edit.erase(op)
    return True


def _drop_leading_units(op: Op) -> bool:
    """Axes of size 1 in front of all others are not made where all ops behind spread their operands."""
    if not isinstance(op, (core.Reshape, core.ExpandDims)) or op.y.tensor.is_static or op.block is None:
        return False
    before, after = op.x.tensor.shape, op.y.tensor.shape or ()
    rest = after[next((i for i, n in enumerate(after) if n != 1), 0) :]
    added = None if before is None else unit_axes(before, rest)
    if added is None or rest == after or not _fits(op.y, rest, _DEPTH, {}):
        return False
    location = op.location
    assert location is not None
    y = CoreBuilder(Builder(op.block, location, op)).y(core.ExpandDims(op.x, axes=added))
    _take(op.y, y)
    edit.erase(op)
    return True


def _repeated(op: Op) -> Value | None:
    """What an op does nothing to but repeat it."""
    if isinstance(op, core.BroadcastTo):
        return op.x
    if isinstance(op, core.Tile):
        sizes = zip(op.x.tensor.shape or (), op.y.tensor.shape or (), strict=True)
        return op.x if all(a in (b, 1) for a, b in sizes) else None
    if isinstance(op, (core.Reshape, core.ExpandDims)):
        before, after = op.x.tensor.shape, op.y.tensor.shape
        if not before or after is None or not isinstance(op, OpDef):
            return None
        more = len(after) - len(before)
        return op.x if more > 0 and after == (1,) * more + before else None
    if isinstance(op, (core.And, core.Or)) and op.y.tensor.dtype is DType.BOOL:
        neutral = isinstance(op, core.And)
        return next((b for a, b in ((op.a, op.b), (op.b, op.a)) if truth(a) is neutral), None)
    return None


def _spreads(y: Value, x: Value) -> bool:
    shape, old = x.tensor.shape, y.tensor.shape
    if shape is None or old is None or not y.uses:
        return False
    return _fits(y, shape, _DEPTH, {})


def _fits(value: Value, shape: Shape, depth: int, smaller: dict[Value, Shape]) -> bool:
    """Whether results stay as they are, at the end of all chains of ops, where a value has another shape.  smaller:
    values that have others already, to which this one is added with those behind it: chains meet again.
    """
    if shape == smaller.get(value, value.tensor.shape):
        return True
    if depth == 0 or len(smaller) >= _MOST:
        return False
    smaller[value] = shape
    for op in value.users:
        made = _made(op, value, smaller)
        if made is None or not _fits(op.results[0], made, depth - 1, smaller):
            return False
    return bool(value.uses)


def _made(op: Op, value: Value, smaller: Mapping[Value, Shape]) -> Shape | None:
    """The shape of the result of an op of which operands have other shapes; None where `value` cannot have its own."""
    shape = smaller[value]
    if not isinstance(op, OpDef) or len(op.results) != 1 or op.regions:
        return None
    if isinstance(op, core.Gather):
        return _gathered(op, value, shape)
    if isinstance(op, core.Concat) and all(x is value for x in op.xs) and op.axis >= len(op.y.tensor.shape or ()) - 1:
        stays = shape and shape[-1:] == (value.tensor.shape or ())[-1:]
        return (*shape[:-1], *(op.y.tensor.shape or ())[-1:]) if stays else None
    if isinstance(op, core.ExpandDims):
        return _with_axes(op, shape)
    if isinstance(op, (core.Transpose, core.Reshape)):
        return _moved(op, shape)
    if isinstance(op, (Reduce, AlongAxis)):
        return _along(op, shape)
    shapes = [smaller.get(v, v.tensor.shape) for v in op.inputs]
    if isinstance(op, core.MatMul):
        return _product(op, shapes)
    return None if op.spec is None or Elementwise not in op.spec.traits else broadcast_shapes(*shapes)


def _gathered(op: core.Gather, value: Value, shape: Shape) -> Shape | None:
    """Of places that are repeated, or of what is picked along an axis that stays as it is."""
    rest, places = op.x.tensor.shape, op.indices.tensor.shape
    if not rest or places is None or op.batch_dims or op.x is op.indices:
        return None
    axis = op.axis % len(rest)
    if op.indices is value:
        return (*rest[:axis], *shape, *rest[axis + 1 :])
    if len(shape) != len(rest) or shape[axis] != rest[axis]:
        return None
    return (*shape[:axis], *places, *shape[axis + 1 :])


def _with_axes(op: core.ExpandDims, shape: Shape) -> Shape | None:
    rank = op.y.tensor.rank or 0
    axes = {a % rank for a in op.axes}
    sizes = iter(shape)
    return tuple(1 if i in axes else next(sizes) for i in range(rank)) if len(shape) == op.x.tensor.rank else None


def _along(op: Reduce | AlongAxis, shape: Shape) -> Shape | None:
    """Of what is computed along axes that stay as they are."""
    old = op.x.tensor.shape or ()
    axes = {a % max(len(old), 1) for a in (op.axes if isinstance(op, Reduce) else (op.axis,))}
    if len(old) != len(shape) or any(old[a] != shape[a] for a in axes):
        return None
    if isinstance(op, AlongAxis):
        return shape
    return tuple(1 if a in axes else n for a, n in enumerate(shape) if op.keepdims or a not in axes)


def _moved(op: core.Transpose | core.Reshape, shape: Shape) -> Shape | None:
    """Of a reshape where the target leaves a size open, which is what is left of a shape in numbers."""
    if isinstance(op, core.Transpose):
        return tuple(shape[p] for p in op.perm) if len(shape) == len(op.perm) else None
    target = ints_of(op.shape)
    if target is None or target.count(-1) != 1 or 0 in target:
        return None
    elements, rest = product(shape), -prod(target)
    left = elements // rest if isinstance(elements, int) and elements % rest == 0 else 0
    return tuple(left if n == -1 else n for n in target) if left else None


def _product(op: core.MatMul, shapes: Sequence[Shape | None]) -> Shape | None:
    """Of a product that sums over as many elements as before."""
    free: list[Size] = []
    sides = ((op.a, op.transpose_a, -2), (op.b, op.transpose_b, -1))
    for (value, is_turned, axis), new in zip(sides, shapes, strict=True):
        old, kept = value.tensor.shape, -3 - axis if not is_turned else axis
        if new is None or old is None or len(new) < MATRIX or len(old) < MATRIX or new[kept] != old[kept]:
            return None
        free.append(new[-3 - kept])
    batch = broadcast_shapes(*(shape[:-2] for shape in shapes if shape is not None))
    return None if batch is None else (*batch, *free)


def _take(old: Value, new: Value) -> None:
    """Users of a value use one like it, or a smaller one, and have smaller results then."""
    users, is_smaller = old.users, old.tensor.shape != new.tensor.shape
    edit.replace_uses(old, new)
    if is_smaller:
        _shrink(users)


def _shrink(ops: Iterable[Op]) -> None:
    """Ops whose operands became smaller have the results that they infer."""
    for op in ops:
        if isinstance(op, core.Concat):
            edit.set_attribute(op, "axis", len(op.xs[0].tensor.shape or ()) - 1)
        (inferred,) = op.inferred() if isinstance(op, OpDef) else (None,)
        if isinstance(inferred, TensorType) and inferred.shape != op.results[0].tensor.shape:
            edit.retype(op.results[0], inferred)
            _shrink(op.results[0].users)
