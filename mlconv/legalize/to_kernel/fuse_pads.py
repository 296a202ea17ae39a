"""Maps over several padded tensors, as the sum of shifted copies that puts columns back into an image: each box of the
result within which every operand is either inside its borders or in them is a step of its own, and no padded tensor is
written.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mlconv.dialects.kernel import LOADS, Instr, KernelOp, LoopNestOp, Step, View, dense, view_of, with_view
from mlconv.ir.core import Value
from mlconv.legalize.to_kernel.builder import sizes
from mlconv.legalize.to_kernel.chains import erase, only_reader
from mlconv.legalize.to_kernel.elide_copies import is_copy
from mlconv.rewrite import edit

_FEWEST = 2  # padded operands from which on fewer numbers are moved, however the boxes lie
_BOXES = 32  # each is code
_ROW = 16  # elements of the innermost axis that are in all operands, from which on vectors go through most of a row


class _Padded(NamedTuple):
    """A tensor between borders of one number: its elements [first, first + length) along each axis are those at `view`
    of `source`.
    """

    source: Value
    first: tuple[int, ...]
    length: tuple[int, ...]
    view: View
    border: Instr

    def at(self, begin: Sequence[int], end: Sequence[int], number: int) -> Instr:
        """What a box of the whole reads, over the box's own axes.  number: of the operand that `source` is."""
        inside = all(f <= b and e <= f + n for f, n, b, e in zip(self.first, self.length, begin, end, strict=True))
        if not inside:
            return self.border
        offset = self.view.offset
        for stride, b, f in zip(self.view.strides, begin, self.first, strict=True):
            offset += stride * (b - f)
        return Instr("load", self.border.dtype, (number,), self.view._replace(offset=offset))


def fuse_pads(op: KernelOp) -> None:
    """A map reads what several pads that nothing else reads are made of."""
    if op.name != "kernel.loop_nest" or len(op.steps) != 1:
        return
    (step,) = op.steps
    extents = tuple(n for n in step.extents if isinstance(n, int))
    plain = View(0, dense(extents))
    if step.reduced or step.after or step.extents != extents or step.out != plain or 0 in extents:
        return
    found = {i: made for i, value in enumerate(op.inputs) if (made := _padded(value, op, extents)) is not None}
    loads = [i for i in step.body if i.opcode in LOADS]
    fits = all(_is_whole(i, extents) for i in loads if i.args[0] in found)
    if len(found) < _FEWEST or not fits:
        return
    cuts = [_cuts(extent, axis, found.values()) for axis, extent in enumerate(extents)]
    boxes = list(itertools.product(*(list(itertools.pairwise(c)) for c in cuts)))
    if len(boxes) > _BOXES or max(b - a for a, b in itertools.pairwise(cuts[-1])) < _ROW:
        return
    operands = [found[i].source if i in found else value for i, value in enumerate(op.inputs)]
    steps = tuple(_boxed(step, found, [b for b, _ in box], [e for _, e in box]) for box in boxes)
    pads = [op.inputs[i].producer for i in found]
    makers = [*(pad for pad in dict.fromkeys(pads) if pad is not None), op]
    joined = edit.join(LoopNestOp(operands, steps, op.result.tensor), makers, "fuse", before=op)
    values = [op.inputs[i] for i in found]
    edit.replace_uses(op.result, joined.result)
    edit.erase(op)
    for value in dict.fromkeys(values):
        erase(value)


def _padded(value: Value, reader: KernelOp, extents: tuple[int, ...]) -> _Padded | None:
    """What value, of the sizes `extents`, is made of; None where it is not one tensor between borders."""
    pad = value.producer
    if not isinstance(pad, KernelOp) or pad.name != "kernel.loop_nest" or pad.block is not reader.block:
        return None
    if len(pad.steps) < 2 or sizes(value) != extents or not only_reader(value, reader):
        return None
    *fills, copy = pad.steps
    numbers = {step.body for step in fills}
    if not is_copy(copy) or len(numbers) != 1:
        return None
    (border,) = numbers
    place = _place(copy, extents)
    if len(border) != 1 or border[0].opcode != "const" or place is None:
        return None
    return _Padded(pad.inputs[copy.body[0].args[0]], *place, border[0])


def _place(copy: Step, extents: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...], View] | None:
    """First places, lengths, and what is read over the axes of a dense tensor that a copy writes a box of."""
    source = view_of(copy.body[0])
    read = {o: (n, s) for n, o, s in zip(copy.extents, copy.out.strides, source.strides, strict=True) if n != 1}
    first, length, strides, rest = [], [], [], copy.out.offset
    for extent, stride in zip(extents, dense(extents), strict=True):
        n, s = read.pop(stride, (1, 0)) if extent != 1 else (1, 0)
        if not (isinstance(n, int) and isinstance(rest, int) and isinstance(stride, int)):
            return None
        begin, rest = divmod(rest, stride)
        if not 0 <= begin <= extent - n:
            return None
        first.append(begin)
        length.append(n)
        strides.append(s)
    return None if read else (tuple(first), tuple(length), View(source.offset, tuple(strides)))


def _is_whole(load: Instr, extents: tuple[int, ...]) -> bool:
    """It reads a dense tensor of these sizes, element by element."""
    view = load.value if load.opcode == "load" else None
    if not isinstance(view, View) or view.offset != 0:
        return False
    return all(e == 1 or s == d for e, s, d in zip(extents, view.strides, dense(extents), strict=True))


def _cuts(extent: int, axis: int, padded: Iterable[_Padded]) -> list[int]:
    """Places along an axis where an operand begins or ends."""
    ends = {end for p in padded for end in (p.first[axis], p.first[axis] + p.length[axis])}
    return sorted({0, extent} | ends)


def _boxed(step: Step, found: dict[int, _Padded], begin: Sequence[int], end: Sequence[int]) -> Step:
    """The part of a map that makes one box of its result."""

    def moved(view: View) -> View:
        return view._replace(offset=view.offset + sum(s * b for s, b in zip(view.strides, begin, strict=True)))

    body = []
    for i in step.body:
        if i.opcode in LOADS and i.args[0] in found:
            i = found[i.args[0]].at(begin, end, i.args[0])
        elif i.opcode in LOADS:
            i = with_view(i, moved(view_of(i)))
        body.append(i)
    extents = tuple(e - b for b, e in zip(begin, end, strict=True))
    return step._replace(extents=extents, body=tuple(body), out=moved(step.out))
