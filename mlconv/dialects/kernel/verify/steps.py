"""Loop nests, and stages that go over rows together."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.kernel.attributes import RowReduce, Sizes, Step
from mlconv.dialects.kernel.functions import DTYPES, LOADS, combines
from mlconv.dialects.kernel.loads import view_of
from mlconv.dialects.kernel.verify.programs import check_program
from mlconv.dialects.kernel.verify.site import MAX_STACK, Buffer, Site
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType


def check_steps(site: Site) -> None:
    """Steps over the operands of an op that write its result."""
    site.demand(site.is_idle or bool(site.problem), "it computes nothing")
    for step in site.problem:
        check_step(site, step, site.given, site.made[0])


def check_step(site: Site, step: Step, given: Sequence[Buffer], made: Buffer, rows: int = 0) -> None:
    """One loop nest.  rows: outer axes along which each point writes the same elements again."""
    reduced, combine = step.reduced, step.combine
    if not 0 <= reduced <= len(step.extents) - rows or bool(reduced) != bool(combine):
        raise site.wrong(f"{reduced} of {len(step.extents)} axes are reduced by {combine!r}")
    found = check_program(site, step.body, given, step.extents)
    if found is None:
        raise site.wrong("a step computes nothing")
    site.demand(not reduced or combines(combine, found), f"{found.display} is reduced by {combine!r}")
    found = DType.F64 if combine == "add_wide" else found
    check_result(site, check_program(site, step.after, given, step.kept, found), made)
    site.demand(all(s == 0 for s in step.out.strides[:rows]), "what lies between stages goes beyond a row")
    site.check_output(step.out, (*(min_one(e) for e in step.kept[:rows]), *step.kept[rows:]), made)


def min_one(extent: object) -> int:
    """One place of an axis, if there is any."""
    return 0 if extent == 0 else 1


def check_result(site: Site, found: DType | None, made: Buffer) -> None:
    """What an expression gives is what is written."""
    name = found.display if found is not None else "nothing"
    site.demand(found is made.dtype, f"an expression gives {name} where {made.dtype.display} is written")


def check_row_reduce(site: Site) -> None:
    """Stages that leave their results in temporaries, the last one in the result."""
    check_stages(site, site.problem, site.given, site.made[0])


def check_row_parts(site: Site) -> None:
    """Each part writes rows of the result."""
    site.demand(site.is_idle or bool(site.problem), "it computes nothing")
    for part in site.problem:
        check_stages(site, part, site.given, site.made[0])


def check_stages(site: Site, rows: RowReduce, given: Sequence[Buffer], made: Buffer) -> None:
    """Stages over operands whose last one writes a buffer."""
    outer = len(rows.rows)
    if not rows.stages or len(rows.temporaries) != len(rows.stages) - 1:
        raise site.wrong(f"{len(rows.stages)} stages have {len(rows.temporaries)} temporaries")
    for step in rows.stages:
        if step.extents[:outer] != rows.rows:
            raise site.wrong(f"a stage over {list(step.extents)} does not go over the rows {list(rows.rows)}")
    kept = list(map(Buffer, rows.temporaries, _lengths(site, rows)))
    for i, step in enumerate(rows.stages):
        own = [*given, *kept[:i]]
        last = i == len(kept)
        check_step(site, step, own, made if last else kept[i], 0 if last else outer)
        _check_row_loads(site, step, len(given), outer)


def _lengths(site: Site, rows: RowReduce) -> Sizes:
    """Elements of the temporaries; those of a fixed size lie on the stack."""
    out: list[Size] = []
    room = 0
    for step, dtype in zip(rows.stages, rows.temporaries, strict=False):
        inner = step.kept[len(rows.rows) :]
        if any(isinstance(n, int) and n < 0 for n in inner):
            raise site.wrong(f"what a stage over {list(step.extents)} leaves has a negative size")
        site.demand(dtype in DTYPES, f"there is no code for {dtype.display}")
        length = product(inner)
        out.append(length)
        room += length * dtype.itemsize if isinstance(length, int) else 0
    site.demand(room <= MAX_STACK, f"{room} bytes between stages are more than the stack has")
    return tuple(out)


def _check_row_loads(site: Site, step: Step, operands: int, outer: int) -> None:
    """Loads of what an earlier stage left are the same for every row."""
    for instr in (*step.body, *step.after):
        if instr.opcode in LOADS and instr.args[0] >= operands:
            site.demand(
                all(s == 0 for s in view_of(instr).strides[:outer]), "what lies between stages goes beyond a row"
            )
