"""Reshapes of tensors with several sizes that are known at run time only, that need no vector of sizes: those that put
axes of size 1 in, take them out or move them, and those with one size left open.
"""

from __future__ import annotations

from mlconv.dialects.tfl import TflOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Dim
from mlconv.ir.shapes import unit_axes, without_units
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, new_shape
from mlconv.legalize.to_tfl.front import SLICED_RANK
from mlconv.legalize.to_tfl.size_contents import SizeContents
from mlconv.rewrite import edit

SHAPE_VIEWS = ("RESHAPE", "SQUEEZE", "EXPAND_DIMS")
"""The same numbers under another shape."""


def open_reshape(op: Op, contents: SizeContents) -> bool:
    """Whether a RESHAPE reads no vector of sizes, or does so no longer."""
    if not isinstance(op, TflOp) or op.builtin != "RESHAPE" or len(op.operands) < 2 or op.operands[0] is None:
        return False
    x, target = op.operands[0], op.operands[1]
    sizes = contents.of(target)
    if target is None or not isinstance(target.producer, TflOp) or sizes is None or None in sizes:
        return False
    shape = tuple(s for s in sizes if s is not None)
    if -1 in shape:
        shape = op.result.tensor.shape or ()
    assert op.block is not None and op.location is not None
    e = TflBuilder(Builder(op.block, op.location, op))
    unknown = sum(isinstance(s, Dim) for s in sizes)
    if (unknown == 1 and 0 not in sizes and -1 not in sizes) or (unknown == 0 and sizes.count(-1) <= 1):
        ints = e.ints([s if isinstance(s, int) else -1 for s in sizes])
        edit.set_operand(op, 1, ints)
        for name, value in new_shape(ints).items():
            edit.set_attribute(op, name, value)
        return True
    y = next(filter(None, (_with_unit_axes(e, seen, shape) for seen in _viewed(x))), None)
    if y is None:
        return False
    edit.replace(op, [y])
    return True


def _viewed(x: Value) -> list[Value]:
    """What x is a view of, of its own block, the first one first, and x."""
    found = [x]
    while isinstance(view := found[0].producer, TflOp) and view.builtin in SHAPE_VIEWS and view.operands[0] is not None:
        found.insert(0, view.operands[0])
    return [v for v in found if v.tensor.shape is not None and v.tensor.element == x.tensor.element]


def _with_unit_axes(e: TflBuilder, x: Value, shape: Shape) -> Value | None:
    """x itself, EXPAND_DIMS, STRIDED_SLICE with several new axes, SQUEEZE, or TRANSPOSE where axes of size 1 move."""
    old = x.tensor.shape or ()
    made = TensorType(x.tensor.element, shape)
    if old == shape:
        return x
    added = unit_axes(old, shape)
    if added is not None and len(added) == 1:
        return e.one("EXPAND_DIMS", [x, e.ints(added)], made)
    if added is not None and len(shape) <= SLICED_RANK:
        zeros, ones = e.ints([0] * len(shape)), e.ints([1] * len(shape))
        everywhere, new = (1 << len(shape)) - 1, sum(1 << i for i in added)
        return e.one(
            "STRIDED_SLICE",
            [x, zeros, zeros, ones],
            made,
            begin_mask=everywhere,
            end_mask=everywhere,
            new_axis_mask=new,
        )
    dropped = unit_axes(shape, old)
    if dropped is not None:
        return e.one("SQUEEZE", [x], made, squeeze_dims=dropped)
    perm = _moved_units(old, shape)
    return None if perm is None else e.one("TRANSPOSE", [x, e.ints(perm)], made)


def _moved_units(old: Shape, shape: Shape) -> list[int] | None:
    """The axes in their new order, where those of size 1 alone are at other places."""
    if len(old) != len(shape) or without_units(old) != without_units(shape):
        return None
    units, others = ([i for i, n in enumerate(old) if (n == 1) == is_unit] for is_unit in (True, False))
    return [(units if n == 1 else others).pop(0) for n in shape]
