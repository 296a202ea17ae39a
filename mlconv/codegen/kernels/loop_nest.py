"""`kernel.loop_nest`: steps that are done one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Call, KernelKind, Lookup, Piece, Written
from mlconv.codegen.kernels.passing import PassingCopy, is_passing, write_copy
from mlconv.codegen.kernels.steps import StepGenerator
from mlconv.codegen.kernels.views import lookups_of, step_flops
from mlconv.codegen.llvm.text import Builder
from mlconv.dialects.kernel import LOADS, Instr, KernelOp, Program, Step, View, view_of, with_view
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.estimates import estimate

MANY = 8  # steps of one function: a compiler's time grows faster than a function does
LARGE = 1 << 14  # elements of all steps from which on threads share each of them
Steps = tuple[Step, ...]


class _LoopNest(KernelKind[Steps | PassingCopy]):
    name = "kernel.loop_nest"

    def flops(self, problem: Steps | PassingCopy) -> int:
        return sum(step_flops(s) for s in _steps(problem))

    def skips_empty(self, problem: Steps | PassingCopy) -> bool:
        return True

    def lookups(self, problem: Steps | PassingCopy) -> list[Lookup]:
        return lookups_of(_steps(problem))

    def pieces(self, op: KernelOp) -> list[Piece]:
        """Where views begin goes into the addresses of a call, so that what differs in nothing else shares its code;
        a kernel of many or large steps is a call for each.
        """
        apart = len(op.steps) > MANY or sum(estimate(product(s.extents)) for s in op.steps) >= LARGE
        copies = [is_passing(op, step) for step in op.steps]
        if not apart and not any(copies):
            return [_piece(op.steps, op.inputs)]
        return [_piece((step,), op.inputs, copy) for step, copy in zip(op.steps, copies, strict=True)]

    def generate(self, b: Builder, problem: Steps | PassingCopy, call: Call) -> Written:
        """A single step has its outermost axis as work items; several are done in order, since later ones may write
        over earlier ones.
        """
        if isinstance(problem, PassingCopy) and call.cpu.passing:
            return write_copy(b, problem, call)
        generators = [StepGenerator(b, step, call.dtype) for step in _steps(problem)]
        for generator in generators:
            generator.run(call.operands, call.out, as_items=len(generators) == 1)
        return Written(generators[0].items, generators[0].nanoseconds) if len(generators) == 1 else Written()


LOOP_NEST = _LoopNest()


def _steps(problem: Steps | PassingCopy) -> Steps:
    return (problem.step,) if isinstance(problem, PassingCopy) else problem


def _piece(steps: Steps, inputs: list[Value], copy: bool = False) -> Piece:
    loads = [i for s in steps for program in (s.body, s.after) for i in program if i.opcode in LOADS]
    used = sorted({i.args[0] for i in loads})
    bases = [_least([view_of(i).offset for i in loads if i.args[0] == k]) for k in used]
    out = _least([s.out.offset for s in steps])
    place = {k: (n, base) for n, (k, base) in enumerate(zip(used, bases, strict=True))}

    def moved(program: Program) -> Program:
        return tuple(_moved(i, *place[i.args[0]]) if i.opcode in LOADS else i for i in program)

    made = tuple(s._replace(body=moved(s.body), after=moved(s.after), out=_less(s.out, out)) for s in steps)
    return Piece(PassingCopy(made[0]) if copy else made, tuple(inputs[k] for k in used), tuple(bases), out)


def _least(offsets: Sequence[Size]) -> Size:
    """The offset of the first of them, where all are the same or known now; else 0."""
    numbers = [o for o in offsets if isinstance(o, int)]
    if len(numbers) == len(offsets):
        return min(numbers, default=0)
    return offsets[0] if all(o == offsets[0] for o in offsets) else 0


def _less(view: View, base: Size) -> View:
    return View(view.offset - base, view.strides) if base else view


def _moved(i: Instr, number: int, base: Size) -> Instr:
    return with_view(i._replace(args=(number, *i.args[1:])), _less(view_of(i), base))
