"""Steps and their views as data: axes joined, views exchanged, arithmetic counted."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Lookup
from mlconv.dialects.kernel import LIBM, LOADS, POLYNOMIAL, Program, Step, View, view_of, with_view
from mlconv.ir.dims import product
from mlconv.ir.estimates import estimate

_FUNCTION = 20  # operations that a polynomial takes, roughly


def collapse(step: Step) -> Step:
    """The same step with unit axes dropped and neighbouring axes joined where every view runs on from one to the
    next.
    """
    kept = len(step.kept)
    axes = [i for i in range(len(step.extents)) if step.extents[i] != 1]
    groups: list[list[int]] = []
    for axis in axes:
        if (
            groups
            and (groups[-1][-1] < kept) == (axis < kept)
            and all(_runs_on(v, groups[-1][-1], axis, step) for v in _views(step))
        ):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    extents = tuple(product(step.extents[a] for a in g) for g in groups)
    inner = [g[-1] for g in groups]
    count = sum(1 for g in groups if g[-1] < kept)

    def narrow(program: Program, axes_: Sequence[int]) -> Program:
        return tuple(
            with_view(i, View(view_of(i).offset, tuple(view_of(i).strides[a] for a in axes_)))
            if i.opcode in LOADS
            else i
            for i in program
        )

    out = View(step.out.offset, tuple(step.out.strides[a] for a in inner[:count]))
    return Step(
        extents, len(groups) - count, step.combine, narrow(step.body, inner), narrow(step.after, inner[:count]), out
    )


def _views(step: Step) -> list[View]:
    return [step.out, *(view_of(i) for i in (*step.body, *step.after) if i.opcode in LOADS)]


def _runs_on(view: View, outer: int, inner: int, step: Step) -> bool:
    return inner >= len(view.strides) or view.strides[outer] == view.strides[inner] * step.extents[inner]


def reads_at_indices(step: Step) -> bool:
    """Whether it reads elements at computed places."""
    return any(i.opcode == "load_at" for i in (*step.body, *step.after))


def lookups_of(steps: Sequence[Step]) -> list[Lookup]:
    """What steps read at computed places."""
    return [
        Lookup(product(s.kept), frozenset(i.args[0] for i in (*s.body, *s.after) if i.opcode == "load_at"))
        for s in steps
        if reads_at_indices(s)
    ]


def step_flops(step: Step) -> int:
    """Arithmetic of a step, roughly; a size that is known at run time counts as a typical one."""
    return estimate(product(step.extents)) * (program_flops(step.body) + (step.reduced > 0)) + estimate(
        product(step.kept)
    ) * program_flops(step.after)


def program_flops(program: Program) -> int:
    """Arithmetic of an expression at one place."""
    return sum(
        _FUNCTION if i.opcode in LIBM | POLYNOMIAL else 1
        for i in program
        if i.opcode not in LOADS and i.opcode != "const"
    )
