"""The front of a tensor along axes, as long as sizes that are known at run time, as one STRIDED_SLICE, which can put
axes of size 1 in as well and needs no sizes of the other axes, nor of those that are cut by numbers.

Source: kernels/strided_slice.cc (`BuildStridedSliceParams`): ends under `end_mask` are not read, nor are bounds of new
axes; up to five axes, the new ones among them.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import ints_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.shapes import unit_axes
from mlconv.ir.types import Shape
from mlconv.legalize.to_tfl.builder import TflBuilder

SLICED_RANK = 5


def expanded_front(e: TflBuilder, x: Value, shape: Shape | None) -> Value | None:
    """x under a shape that has more axes of size 1, where x is the front of something, and nothing else reads it."""
    if not isinstance(x.producer, core.DynamicSlice) or not x.has_one_use or shape is None:
        return None
    return front(e, x.producer, shape)


def front(e: TflBuilder, op: core.DynamicSlice, shape: Shape) -> Value | None:
    """The result of `op` under a shape with or without more axes of size 1; None where it is no front of that kind."""
    whole, cut, begins = op.x.tensor.shape, op.y.tensor.shape, ints_of(op.begin)
    if whole is None or cut is None or begins is None or any(begins) or len(shape) > SLICED_RANK:
        return None
    shorter = {i: b for i, (a, b) in enumerate(zip(whole, cut, strict=True)) if a != b}
    added = () if shape == cut else unit_axes(cut, shape)
    if not shorter or added is None or not all(isinstance(n, Dim) and n.is_known for n in shorter.values()):
        return None
    kept = [i for i in range(len(shape)) if i not in added]
    ends = {kept[i]: i for i in shorter}
    everywhere = (1 << len(shape)) - 1
    left = {i: shorter[axis] - whole[axis] for i, axis in ends.items()}
    if all(isinstance(n, int) and n < 0 for n in left.values()):
        end = e.ints([n if isinstance(n := left.get(i), int) else 0 for i in range(len(shape))])
    else:
        end = e.y(core.Gather(e.i32(op.size), e.ints([ends.get(i, max(shorter)) for i in range(len(shape))]), axis=0))
    return e.one(
        "STRIDED_SLICE",
        [op.x, e.ints([0] * len(shape)), end, e.ints([1] * len(shape))],
        op.y.tensor.with_shape(shape),
        begin_mask=everywhere,
        end_mask=everywhere - sum(1 << i for i in ends),
        new_axis_mask=sum(1 << i for i in added),
    )
