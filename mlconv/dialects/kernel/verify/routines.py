"""Named algorithms: names, parameters and buffers as the table of routines has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlconv.dialects.kernel.functions import DTYPES, holds_number
from mlconv.dialects.kernel.routine_base import Room
from mlconv.dialects.kernel.routines import Random, Segment, parameters
from mlconv.dialects.kernel.verify.site import MAX_NUMBER, Buffer, Site
from mlconv.ir.dtypes import DType

_NUMBERS = {Random: 1, Segment: 2}  # last parameters that are no sizes


def check_routine(site: Site) -> None:
    """A call of a routine that there is."""
    problem = site.problem
    given = parameters(problem.name, problem.params)
    if isinstance(given, str):
        raise site.wrong(given)
    for number in _sizes(given[: -_NUMBERS.get(type(given), 0) or None]):
        site.demand(0 <= number <= MAX_NUMBER, f"a parameter of {problem.name} is {number}")
    for dtype in given:
        site.demand(not isinstance(dtype, DType) or dtype in DTYPES, f"{problem.name} has no code for {dtype}")
    if isinstance(given, Segment):
        starts = all(holds_number(given.dtype, n) for n in (given.start, given.empty))
        site.demand(starts, f"a segment of {given.dtype.display} begins with {given.start}")
    fault = given.fault()
    site.demand(not fault, fault)
    needs = given.needs()
    _check_rooms(site, needs.operands, site.given, "operand")
    _check_rooms(site, needs.results, site.made, "result")
    scratch, fixed = problem.scratch, isinstance(needs.scratch, int)
    fine = scratch == needs.scratch or not (fixed and isinstance(scratch, int))
    fine = fine or (isinstance(scratch, int) and isinstance(needs.scratch, int) and scratch > needs.scratch)
    site.demand(fine, f"{problem.name} needs {needs.scratch} bytes, not {scratch}")
    reuses = problem.reuse == -1 or (needs.in_place and problem.reuse == 0)
    site.demand(reuses, f"its result may take the buffer of operand {problem.reuse}")


def _sizes(params: Sequence[object]) -> Iterator[int]:
    """Whole numbers among parameters, which are sizes and axes."""
    for value in params:
        if isinstance(value, tuple):
            yield from _sizes(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield value


def _check_rooms(site: Site, rooms: Sequence[Room], buffers: Sequence[Buffer], what: str) -> None:
    site.demand(len(rooms) == len(buffers), f"it has {len(buffers)} {what}s, not {len(rooms)}")
    for i, ((dtype, count), buffer) in enumerate(zip(rooms, buffers, strict=True)):
        site.demand_type(buffer, dtype, f"{what} {i}")
        site.demand_elements(buffer, count, f"{what} {i}")
