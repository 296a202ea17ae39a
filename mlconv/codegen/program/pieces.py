"""Kernels of loops as calls: where views begin goes into the addresses of a call, so that what differs in nothing else
shares its code, and a kernel of many steps is a call for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.dialects.kernel import LOADS, Instr, KernelOp, Program, Step, View
from mlconv.ir.core import Value
from mlconv.ir.dims import Size

MANY = 8  # steps of one function: a compiler's time grows faster than a function does


class Piece(NamedTuple):
    """Some steps, their operands, and elements to add to the address of each and of the result."""

    steps: tuple[Step, ...]
    operands: tuple[Value, ...]
    bases: tuple[Size, ...]
    out: Size


def pieces(op: KernelOp) -> list[Piece]:
    """A `kernel.loops` in order."""
    groups = [op.steps] if len(op.steps) <= MANY else [(step,) for step in op.steps]
    inputs = op.inputs
    return [_piece(steps, inputs) for steps in groups]


def _piece(steps: tuple[Step, ...], inputs: list[Value]) -> Piece:
    loads = [i for s in steps for program in (s.body, s.after) for i in program if i.opcode in LOADS]
    used = sorted({i.args[0] for i in loads})
    bases = [_least([_view(i).offset for i in loads if i.args[0] == k]) for k in used]
    out = _least([s.out.offset for s in steps])
    place = {k: (n, base) for n, (k, base) in enumerate(zip(used, bases, strict=True))}

    def moved(program: Program) -> Program:
        return tuple(_moved(i, *place[i.args[0]]) if i.opcode in LOADS else i for i in program)

    made = tuple(s._replace(body=moved(s.body), after=moved(s.after), out=_less(s.out, out)) for s in steps)
    return Piece(made, tuple(inputs[k] for k in used), tuple(bases), out)


def _view(i: Instr) -> View:
    view: View = i.value if i.opcode == "load" else i.value[0]
    return view


def _least(offsets: Sequence[Size]) -> Size:
    """The offset of the first of them, where all are the same or known now; else 0."""
    numbers = [o for o in offsets if isinstance(o, int)]
    if len(numbers) == len(offsets):
        return min(numbers, default=0)
    return offsets[0] if all(o == offsets[0] for o in offsets) else 0


def _less(view: View, base: Size) -> View:
    return View(view.offset - base, view.strides) if base else view


def _moved(i: Instr, number: int, base: Size) -> Instr:
    view = _less(_view(i), base)
    return i._replace(args=(number, *i.args[1:]), value=view if i.opcode == "load" else (view, *i.value[1:]))
