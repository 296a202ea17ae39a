"""Kernels of loops as calls: where views begin goes into the addresses of a call, so that what differs in nothing else shares its code, and a kernel of
many steps is a call for each."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects.kernel import LOADS, Instr, KernelOp, Program, Step, View
from mlconv.ir.core import Value

MANY = 8  # steps of one function: a compiler's time grows faster than a function does


class Piece(NamedTuple):
    """Some steps, their operands, and elements to add to the address of each and of the result."""

    steps: tuple[Step, ...]
    operands: tuple[Value, ...]
    bases: tuple[int, ...]
    out: int


def pieces(op: KernelOp) -> list[Piece]:
    """A `kernel.loops` in order."""
    groups = [op.steps] if len(op.steps) <= MANY else [(step,) for step in op.steps]
    inputs = op.inputs
    return [_piece(steps, inputs) for steps in groups]


def _piece(steps: tuple[Step, ...], inputs: list[Value]) -> Piece:
    loads = [i for s in steps for program in (s.body, s.after) for i in program if i.opcode in LOADS]
    used = sorted({i.args[0] for i in loads})
    bases = [_least([i for i in loads if i.args[0] == k]) for k in used]
    outs = [s.out.offset for s in steps]
    out = min((o for o in outs if isinstance(o, int)), default=0) if all(isinstance(o, int) for o in outs) else 0
    place = {k: (n, base) for n, (k, base) in enumerate(zip(used, bases, strict=True))}

    def moved(program: Program) -> Program:
        return tuple(_moved(i, *place[i.args[0]]) if i.opcode in LOADS else i for i in program)

    made = tuple(s._replace(body=moved(s.body), after=moved(s.after), out=_less(s.out, out)) for s in steps)
    return Piece(made, tuple(inputs[k] for k in used), tuple(bases), out)


def _view(i: Instr) -> View:
    view: View = i.value if i.opcode == "load" else i.value[0]
    return view


def _least(loads: list[Instr]) -> int:
    """Where the first of them begins; 0 when that is known at run time only."""
    offsets = [_view(i).offset for i in loads]
    numbers = [o for o in offsets if isinstance(o, int)]
    return min(numbers) if len(numbers) == len(offsets) else 0


def _less(view: View, base: int) -> View:
    return View(view.offset - base, view.strides) if base else view


def _moved(i: Instr, number: int, base: int) -> Instr:
    view = _less(_view(i), base)
    return i._replace(args=(number, *i.args[1:]), value=view if i.opcode == "load" else (view, *i.value[1:]))
