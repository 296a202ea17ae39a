"""Copies of long rows to results of a model that nothing in it reads, as keys and values of earlier steps are: written
past the caches, lines are not read before they are written, and what the caches have stays there.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

from mlconv.codegen.kernels.division import places_of
from mlconv.codegen.kernels.kind import Call, Written
from mlconv.codegen.kernels.views import collapse
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import FALSE, I8, VOID, LlvmType, Value, index, memory_type
from mlconv.dialects.kernel import KernelOp, Step, view_of
from mlconv.ir.core import Block, Yield
from mlconv.ir.dims import Dim, Size, ceildiv, product

_LINE = 64  # bytes
_LINES, _TURN = 512, 4  # whole lines of a piece, and of a turn of the loop over them
_PIECE = (_LINES + 1) * _LINE  # with the parts of lines at both ends
_LEAST = 256 << 10  # bytes that are likely to have left the caches before somebody reads them
_NEAR = 8 << 20  # bytes that all a model reads and makes may have for its results to stay in a shared cache
_AHEAD = 64 * _LINE
_GIGABYTES = 8.0  # that are copied in a second


class PassingCopy(NamedTuple):
    """A step that is such a copy."""

    step: Step


def is_passing(op: KernelOp, step: Step) -> bool:
    """A step of a kernel is such a copy: its views run on within the innermost axis."""
    block, result = op.block, op.results[0]
    if block is None or block.parent is not None or not all(isinstance(user, Yield) for user in result.users):
        return False
    if len(step.body) != 1 or step.after or step.reduced or step.body[0].opcode != "load":
        return False
    joined = collapse(step)
    if not joined.extents or joined.out.strides[-1] != 1 or view_of(joined.body[0]).strides[-1] != 1:
        return False
    (*_, length), size = joined.extents, _bytes(joined)
    is_long = isinstance(length, Dim) or length >= _elements(joined)
    return is_long and (isinstance(size, Dim) or size >= _LEAST) and not _stays_near(block)


def _stays_near(block: Block) -> bool:
    """All that a model reads and makes is little enough to be in a cache the next time."""
    left: Size = _NEAR
    for value in chain(block.arguments, (result for op in block.ops for result in op.results)):
        tensor = value.tensor
        left = left - product(tensor.shape or ()) * tensor.dtype.itemsize
        if not isinstance(left, int) or left < 0:
            return False
    return True


def _bytes(step: Step) -> Size:
    return product(step.extents) * memory_type(step.body[0].dtype).size


def _elements(step: Step) -> int:
    """Of a piece."""
    return _PIECE // memory_type(step.body[0].dtype).size


def write_copy(b: Builder, problem: PassingCopy, call: Call) -> Written:
    """items: pieces of rows.  The last one of a row begins early enough to be whole; a row that is shorter is one."""
    step = collapse(problem.step)
    most = _elements(step)
    (load,), length = step.body, step.extents[-1]
    element, view = memory_type(load.dtype), view_of(load)
    sizes = (*step.extents[:-1], ceildiv(length, most))
    starts = [b.moved(call.operands[load.args[0]], element, view.offset), b.moved(call.out, element, step.out.offset)]

    def item(number: Value) -> None:
        *outer, piece = places_of(b, number, sizes)
        source, target = starts
        for place, near, far in zip(outer, view.strides, step.out.strides, strict=False):
            source, target = b.offset(source, element, place, near), b.offset(target, element, place, far)

        def whole() -> None:
            at = b.least(b.mul(piece, index(most)), b.number(length - most))
            _copy_piece(b, b.offset(target, element, at), b.offset(source, element, at))

        if isinstance(length, int) and isinstance(_bytes(step), int):
            whole()
            return
        fits = b.and_(
            b.icmp("sge", b.number(length), index(most)), b.icmp("sge", b.number(_bytes(step)), index(_LEAST))
        )
        begin, all_of = b.mul(piece, index(_PIECE)), b.number(length * element.size)
        ends = begin, b.least(b.add(begin, index(_PIECE)), all_of)
        b.when(fits, whole)
        b.when(b.icmp("eq", fits, FALSE), lambda: _copy_plainly(b, target, source, ends))

    b.work_items(item)
    b.call(VOID, call.cpu.passing, [])
    return Written(product(sizes), _PIECE / _GIGABYTES)


def _copy_piece(b: Builder, target: Value, source: Value) -> None:
    """Whole lines go past the caches; the parts of lines before and behind them do not."""
    width = min(_LINE, b.cpu.bits // I8.bits)
    part = I8.of_lanes(width)

    def copy(at: Value, passing: bool) -> None:
        for more in range(0, _LINE, width):
            value = b.load(part, b.offset(b.moved(source, I8, more), I8, at), I8.align)
            place = b.offset(b.moved(target, I8, more), I8, at)
            b.store(value, place, width if passing else I8.align, passing=passing)

    def lines(at: Value) -> None:
        for more in range(0, _TURN * _LINE, _LINE):
            there = b.add(at, index(more))
            b.prefetch(b.offset(b.moved(source, I8, _AHEAD), I8, there), 1)
            copy(there, passing=True)

    begin = b.and_(b.sub(index(0), b.address(target)), index(_LINE - 1))
    copy(index(0), passing=False)
    b.over_each(begin, b.add(begin, index(_LINES * _LINE)), lines, _TURN * _LINE)
    copy(index(_PIECE - _LINE), passing=False)


def _copy_plainly(b: Builder, target: Value, source: Value, ends: tuple[Value, Value]) -> None:
    """Bytes between two places."""
    begin, end = ends
    for width in (max(1, b.cpu.bits // I8.bits), 1):
        part, stop = I8.of_lanes(width), b.sub(end, b.and_(b.sub(end, begin), index(width - 1)))

        def some(at: Value, part: LlvmType = part) -> None:
            b.store(b.load(part, b.offset(source, I8, at), I8.align), b.offset(target, I8, at), I8.align)

        b.over_each(begin, stop, some, width)
        begin = stop
