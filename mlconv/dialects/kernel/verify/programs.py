"""Expressions: opcodes, how many arguments of which types each takes, and where loads read."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.kernel.attributes import Instr, Program, Sizes, View
from mlconv.dialects.kernel.functions import DTYPES, LOADS, holds_number, misuse, needs_scalars
from mlconv.dialects.kernel.verify.ranges import Range, places_of, range_of, whole_range
from mlconv.dialects.kernel.verify.site import MAX_NUMBER, Buffer, Site
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType


def check_program(
    site: Site, program: Program, given: Sequence[Buffer], extents: Sizes, first: DType | None = None
) -> DType | None:
    """An expression for each point of `extents`; returns the type of its last value.  first: that of value 0, where
    there is one when it begins.
    """
    types = [] if first is None else [first]
    ranges = [whole_range(t) for t in types]
    for instr in program:
        site.demand(instr.dtype in DTYPES, f"there is no code for {instr.dtype.display}")
        if instr.opcode in LOADS:
            _check_load(site, instr, given, extents, types)
            if instr.opcode == "load_at":
                _check_places(site, instr, given, extents, ranges[instr.args[1]])
        elif instr.opcode in ("const", "size"):
            _check_number(site, instr, len(types))
        else:
            _check_function(site, instr, types)
        ranges.append(range_of(instr, ranges, types))
        types.append(instr.dtype)
    return types[-1] if types else None


def check_lanes(site: Site, program: Program) -> None:
    """An expression that follows the sums of a product, and takes all lanes of a vector at once."""
    for instr in program:
        slow = instr.opcode not in LOADS and needs_scalars(instr.opcode, instr.dtype)
        site.demand(not slow, f"{instr.opcode} of {instr.dtype.display} has no vector form")
        if instr.opcode in LOADS:
            site.demand(instr.opcode == "load", "an epilogue reads at computed places")
            fine = instr.dtype in (DType.F32, DType.F64) or instr.dtype.is_int
            site.demand(fine, f"an epilogue loads {instr.dtype.display}")


def _check_load(site: Site, instr: Instr, given: Sequence[Buffer], extents: Sizes, types: Sequence[DType]) -> None:
    here = len(types)
    count = 1 if instr.opcode == "load" else 2
    site.demand(len(instr.args) == count, f"value {here} of an expression is {instr.opcode} of {list(instr.args)}")
    at = instr.args[0]
    site.demand(0 <= at < len(given), f"value {here} of an expression loads operand {at} of {len(given)}")
    loaded, held = given[at].dtype, instr.dtype
    site.demand(loaded is held, f"operand {at} is {loaded.display}, it is loaded as {held.display}")
    if instr.opcode == "load":
        site.demand(isinstance(instr.value, View), f"value {here} of an expression loads by no view")
        site.check_view(instr.value, extents, given[at])
        return
    position = instr.args[1]
    fine = 0 <= position < here and types[position].is_int
    site.demand(fine, f"value {here} of an expression loads at value {position}, which is no index")
    site.demand(_is_indexed(instr.value), f"value {here} of an expression loads by no view and axis")


def _check_places(site: Site, instr: Instr, given: Sequence[Buffer], extents: Sizes, index: Range) -> None:
    """All elements that an index of a range may point to."""
    view, stride, count = instr.value
    buffer, low = given[instr.args[0]], 0
    if isinstance(count, int):
        site.demand(0 in extents or count >= 1, "an index goes over no elements")
        low, high = places_of(index, count)
        count = high - low + 1
    site.check_view(View(view.offset + stride * low, (*view.strides, stride)), (*extents, count), buffer)


def _is_indexed(value: object) -> bool:
    """(view, stride of the index, count)."""
    return (
        isinstance(value, tuple)
        and len(value) == 3
        and isinstance(value[0], View)
        and all(isinstance(n, (int, Dim)) and not isinstance(n, bool) for n in value[1:])
    )


def _check_number(site: Site, instr: Instr, here: int) -> None:
    value, what = instr.value, f"value {here} of an expression is {instr.opcode} {instr.value!r}"
    site.demand(not instr.args, f"{what} of values {list(instr.args)}")
    if instr.opcode == "const":
        site.demand(holds_number(instr.dtype, value), f"{what}, which is no {instr.dtype.display}")
    else:
        counts = isinstance(value, (int, Dim)) and not isinstance(value, bool)
        site.demand(counts and (isinstance(value, Dim) or abs(value) <= MAX_NUMBER), f"{what}, which is no size")


def _check_function(site: Site, instr: Instr, types: Sequence[DType]) -> None:
    here, args = len(types), instr.args
    backwards = all(0 <= a < here for a in args)
    site.demand(backwards, f"value {here} of an expression is a function of values {list(args)}")
    problem = misuse(instr.opcode, instr.dtype, [types[a] for a in args])
    site.demand(not problem, f"value {here} of an expression: {problem}")
    site.demand(instr.value is None, f"value {here} of an expression: {instr.opcode} takes no value")
