"""Groups of channels that a model normalizes keep their axes apart.

Exporters write group normalization as [n, groups, channels and pixels], between a reshape that splits channels and
merges them with the pixels and one that undoes it.  Where only elementwise ops and reductions of the merged axis stand
between, they do the same with all axes apart: the reshapes then do no more than split channels and merge them, which
images with channels last need no transpose for.  One group, and groups of one channel, need no reshapes.
"""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.dialects.core.reduce import REDUCTIONS
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Size, product
from mlconv.ir.module import Function
from mlconv.ir.shapes import is_told
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise, has_trait
from mlconv.ir.types import Shape
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.passes.patterns.movement import simplify_reshape
from mlconv.rewrite import Rewriter, edit, greedy
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import remake


class SplitGroups(Pass):
    """Ops between reshapes to [n, groups, channels and pixels] and back work on the axes apart."""

    name: ClassVar[str] = "split-groups"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        made = 0
        pending = [function.block]
        while pending:
            block = pending.pop()
            pending.extend(region.block for op in block.ops for region in op.regions)
            for op in list(block.ops):
                region = _region(op) if isinstance(op, core.Reshape) and op.block is block else None
                if region is not None and isinstance(op, core.Reshape):
                    _split(op, region)
                    made += 1
        context.count(self.name, made)
        if made:
            greedy(function.block, [simplify_reshape], context.statistics)
            eliminate_dead_code(function.block)


def _apart(op: core.Reshape) -> tuple[Size, ...] | None:
    """The sizes of [n, groups, channels of one, *pixels], where a reshape merges those behind the second; of groups and
    their channels those that are not 1, or one.
    """
    image, merged = op.x.tensor.shape, op.y.tensor.shape
    if image is None or merged is None or len(merged) != 3 or len(image) < 3 or op.x.tensor.quant is not None:
        return None
    channels, groups = image[1], merged[1]
    if not isinstance(channels, int) or not isinstance(groups, int) or groups < 1:
        return None
    if channels % groups or merged[0] != image[0]:
        return None
    if is_told(image) and merged[2] != channels // groups * product(image[2:]):
        return None  # of other sizes the last is what the first two leave
    inner = [n for n in (groups, channels // groups) if n != 1] or [1]
    return (image[0], *inner, *image[2:])


def _region(op: core.Reshape) -> list[Op] | None:
    """What stands between a reshape to groups and those back, in order; None where anything else does."""
    if _apart(op) is None:
        return None
    whole, image = op.y.tensor.shape or (), op.x.tensor.shape or ()
    known: set[Value] = {op.y}
    members: list[Op] = []
    pending = set(op.y.users)
    at = op.next
    while at is not None and pending:
        if at in pending:
            pending.discard(at)
            members.append(at)
            if not (isinstance(at, core.Reshape) and _is_image(at.y.tensor.shape, image)):
                if not _is_inside(at, known, whole):
                    return None
                known.add(at.results[0])
                pending.update(at.results[0].users)
                if any(user.block is not op.block for user in pending):
                    return None
        at = at.next
    return members if not pending and len(members) > 1 else None


def _is_image(shape: Shape | None, image: Shape) -> bool:
    """Sizes of the same channels, whatever axes the pixels have."""
    return shape is not None and len(shape) > 2 and shape[:2] == image[:2]


def _is_inside(op: Op, known: set[Value], whole: Shape) -> bool:
    """An elementwise op of values of the region and what broadcasts along the merged axis, or a reduction of that."""
    if not isinstance(op, OpDef) or len(op.results) != 1:
        return False
    if isinstance(op, REDUCTIONS):
        return op.keepdims and op.axes in ((2,), (-1,)) and op.x.tensor.shape == whole
    others = (v.tensor.shape for v in op.inputs if v not in known)
    return has_trait(op, Elementwise) and all(s is not None and (not s or (len(s) <= 3 and s[-1] == 1)) for s in others)


def _split(op: core.Reshape, members: list[Op]) -> None:
    """Make the ops of a region anew with the axes apart."""
    e = CoreBuilder(Rewriter(op))
    batch, channels, *pixels = e.dims(op.x)
    apart = _apart(op) or ()
    inner = [n for n in apart[1 : len(apart) - len(pixels)] if isinstance(n, int)]
    first = 1 if (op.y.tensor.shape or ())[1:2] == (1,) else 2  # axis behind the groups
    twins = {op.y: op.x if len(inner) == 1 else e.reshape(op.x, [batch, *inner, *pixels])}
    for member in members:
        e = CoreBuilder(Rewriter(member))
        if isinstance(member, core.Reshape):
            y = twins[member.x]
            if member.y.tensor.shape != op.x.tensor.shape:
                edit.replace(member, [e.y(remake(member, [y, member.shape]))])
            else:
                edit.replace(member, [y if len(inner) == 1 else e.reshape(y, [batch, channels, *pixels])])
        elif isinstance(member, REDUCTIONS):
            axes = tuple(range(first, len(apart)))
            twins[member.results[0]] = e.y(remake(member, [twins[member.x]], axes=axes))
        elif isinstance(member, OpDef):
            operands = [twins[v] if v in twins else _longer(e, v, len(apart) - 3) for v in member.inputs]
            twins[member.results[0]] = e.y(remake(member, operands))


def _longer(e: CoreBuilder, value: Value, more: int) -> Value:
    """What broadcasts along the merged axis, with axes of size 1 behind."""
    shape = value.tensor.shape
    return e.reshape(value, [*e.dims(value), *[1] * more]) if shape and more else value
