"""What lies around the result of a product in its buffer."""

from __future__ import annotations

from functools import partial

from mlconv.codegen.kernels.kind import Call
from mlconv.codegen.kernels.steps import StepGenerator
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index, memory_type
from mlconv.dialects.kernel import OutputIndexing, Step
from mlconv.ir.dims import Size, maximum


def fill_borders(b: Builder, indexing: OutputIndexing, call: Call, items: Size) -> None:
    """Filled by all that have work items, each of it the lines beside its own, as far as they are filled with a
    constant: above by the first item's, below by the last one's.  items: how many there are.
    """
    for step in indexing.borders:
        lines = next((axis for axis, extent in enumerate(step.extents[:2]) if extent != 1), None)
        if any(i.opcode != "const" for i in step.body):
            own = b.icmp("eq", b.begin, index(0))
        elif lines is not None:
            _fill_lines(b, step, lines, call, items)
            continue
        elif step.out.offset == 0:
            own = b.icmp("eq", b.begin, index(0))
        else:
            own = b.icmp("eq", b.end, b.number(items))
        b.when(own, partial(StepGenerator(b, step, call.dtype).run, call.operands, call.out))


def _fill_lines(b: Builder, step: Step, axis: int, call: Call, items: Size) -> None:
    """As many places along an axis, of all, as there are items of all."""
    count, strides = b.number(step.extents[axis]), step.out.strides
    whole = b.number(maximum(items, 1))
    first, last = (b.udiv(b.mul(item, count), whole) for item in (b.begin, b.end))
    others = [k for k in range(len(step.extents)) if k != axis]
    out = step.out._replace(strides=tuple(strides[k] for k in others))
    one = step._replace(extents=tuple(step.extents[k] for k in others), out=out)

    def line(number: Value) -> None:
        place = b.offset(call.out, memory_type(call.dtype), number, strides[axis])
        StepGenerator(b, one, call.dtype).run([], place)

    b.over_each(first, last, line)
