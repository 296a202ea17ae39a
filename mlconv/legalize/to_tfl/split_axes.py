"""Axes that are split behind a transpose are split in front of it where that is a shape that others have: keys of
attention take the vector of sizes that queries and values take.
"""

from __future__ import annotations

from mlconv.dialects.tfl import TflOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block
from mlconv.ir.dims import Dim
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.legalize.to_tfl.one_op import ints_of, made_by
from mlconv.rewrite import edit

_RANK = 5  # of transposes


def split_first(block: Block) -> None:
    """Rewrite a block, but for the regions in it."""
    reshapes = [op for op in block.ops if isinstance(op, TflOp) and op.builtin == "RESHAPE" and _is_open(op)]
    shapes = {op.result.tensor.shape for op in reshapes}
    for op in reshapes:
        _split(op, shapes)


def _is_open(op: TflOp) -> bool:
    """It takes a vector of sizes that is computed, and no size can be -1 for it."""
    sizes = op.result.tensor.shape or ()
    return (
        len(op.inputs) > 1 and isinstance(op.inputs[1].producer, TflOp) and sum(isinstance(n, Dim) for n in sizes) > 1
    )


def _split(op: TflOp, shapes: set[Shape | None]) -> None:
    turn = made_by(op.inputs[0], "TRANSPOSE")
    perm = None if turn is None else ints_of(turn.inputs[1])
    if turn is None or perm is None or not turn.result.has_one_use or len(perm) >= _RANK:
        return
    x, target = turn.inputs[0], op.inputs[1]
    before, after = turn.result.tensor.shape or (), op.result.tensor.shape or ()
    axis = _axis(before, after)
    if axis is None or target.tensor.shape != (len(after),) or x.tensor.element != op.result.tensor.element:
        return
    # where each axis of the result lies in front of the transpose
    order = [p + (p > perm[axis]) for p in perm]
    order[axis : axis + 1] = [perm[axis], perm[axis] + 1]
    places = [order.index(i) for i in range(len(order))]
    shape = tuple(after[i] for i in places)
    if shape not in shapes or op.block is None or op.location is None:
        return
    e = TflBuilder(Builder(op.block, op.location, op))
    sizes = e.one("GATHER", [target, e.ints(places)], target.tensor, axis=0, batch_dims=0)
    split = e.one("RESHAPE", [x, sizes], TensorType(x.tensor.element, shape), **op.attributes)
    edit.replace(op, [e.one("TRANSPOSE", [split, e.ints(order)], op.result.type)])


def _axis(before: Shape, after: Shape) -> int | None:
    """The one axis that is two behind a reshape, of numbers."""
    if len(after) != len(before) + 1:
        return None
    axis = next((i for i, (n, m) in enumerate(zip(before, after, strict=False)) if n != m), len(before))
    parts = after[axis : axis + 2]
    if axis == len(before) or before[axis + 1 :] != after[axis + 2 :] or any(isinstance(n, Dim) for n in parts):
        return None
    return axis
