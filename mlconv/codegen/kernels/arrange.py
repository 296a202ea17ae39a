"""Steps whose innermost axes are exchanged for others that vectors fit."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm.interleaving import MOST
from mlconv.dialects.kernel import LOADS, Instr, Program, Step, View, view_of, with_view
from mlconv.ir.dims import Size

_FEW = 8  # elements of an axis that are too few for vectors


def scattering(step: Step) -> Step:
    """A map that reads along one axis and writes along a short one, with the former innermost: it computes with whole
    vectors and writes their elements apart.
    """
    kept = len(step.extents)
    if interleaves(step):
        return step
    if step.reduced or kept < 2 or step.out.strides[-1] != 1 or any(i.opcode != "load" for i in _loads(step)):
        return step
    inner, other = step.extents[-1], step.extents[-2]
    short = isinstance(inner, int) and inner < _FEW and not certainly_below(other, 16)
    along = _runs_along(step, kept - 2)
    return _ordered(step, (*range(kept - 2), kept - 1, kept - 2)) if short and along else step


def turning(step: Step, least: int) -> Step | None:
    """A map that reads along one axis and writes along another, with the former next to the innermost, which is the
    latter; None for other steps, and for axes that are shorter than `least`, unless they are interleaved.
    """
    kept = len(step.extents)
    if interleaves(step):
        return step
    if step.reduced or kept < 2 or step.out.strides[-1] != 1:
        return None
    long = [axis for axis in range(kept) if not certainly_below(step.extents[axis], least)]
    if kept - 1 not in long:
        return None
    axis = next((a for a in long[:-1] if _runs_along(step, a)), None)
    if axis is None:
        return None
    return _ordered(step, (*(a for a in range(kept - 1) if a != axis), axis, kept - 1))


def interleaves(step: Step) -> int:
    """How many elements lie along the innermost kept axis of a step that reads along the one next to it, where these
    are a few that lie behind one another; 0 for other steps.  What sums read may lie a few apart.
    """
    kept = len(step.kept)
    if kept < 2 or step.out.strides[-1] != 1:
        return 0
    columns, loads = step.extents[kept - 1], _loads(step)
    if not isinstance(columns, int) or not 2 <= columns <= MOST or step.out.strides[-2] != columns:
        return 0
    spaced = step.reduced > 0 and any(is_spaced(i, kept - 2) for i in loads)
    fits = all(_is_plain(i) for i in loads) and (spaced or _runs_along(step, kept - 2))
    return columns if fits else 0


def is_spaced(load: Instr, axis: int) -> bool:
    """Elements along the axis are read that lie a few apart."""
    stride = view_of(load).strides[axis]
    return _is_plain(load) and isinstance(stride, int) and 1 < stride <= MOST


def _is_plain(load: Instr) -> bool:
    return load.opcode == "load" and load.dtype.is_numeric and not load.dtype.is_complex


def _loads(step: Step) -> list[Instr]:
    return [i for i in (*step.body, *step.after) if i.opcode in LOADS]


def _runs_along(step: Step, axis: int) -> bool:
    """Loads run along the axis, or have one element for all of it."""
    strides = [view_of(i).strides[axis] for i in _loads(step)]
    return 1 in strides and all(s in (0, 1) for s in strides)


def _ordered(step: Step, axes: Sequence[int]) -> Step:
    """The step with its axes in another order."""

    def view(v: View) -> View:
        return View(v.offset, tuple(v.strides[a] for a in axes))

    def program(code: Program) -> Program:
        return tuple(with_view(i, view(view_of(i))) if i.opcode in LOADS else i for i in code)

    extents = tuple(step.extents[a] for a in axes)
    return step._replace(extents=extents, body=program(step.body), after=program(step.after), out=view(step.out))


def certainly_below(size: Size, limit: int) -> bool:
    """Certainly less."""
    return isinstance(size, int) and size < limit
