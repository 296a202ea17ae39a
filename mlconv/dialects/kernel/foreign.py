"""What a call of a C function of the user is."""

from __future__ import annotations

import re
from typing import NamedTuple

from mlconv.dialects.foreign_abi import MAX_LIST, NUMBERS, Argument, kind_of
from mlconv.dialects.kernel.attributes import Sizes
from mlconv.dialects.kernel.functions import DTYPES
from mlconv.dialects.kernel.verify.site import MAX_NUMBER, Buffer, Site
from mlconv.ir.attributes import attribute
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_RANK

_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SCALARS = (int, float, str)


@attribute("kernel.room")
class Room(NamedTuple):
    """A tensor as the function sees it."""

    dtype: DType
    sizes: Sizes


@attribute("kernel.foreign")
class ForeignCall(NamedTuple):
    """symbol: the function's.  source: the op that it computes.  inputs, outputs: tensors.  arguments: attributes,
    names and values.  scratch: bytes.  library: the shared library that has it, may be empty.
    """

    symbol: str
    source: str
    inputs: tuple[Room, ...]
    outputs: tuple[Room, ...]
    arguments: tuple[Argument, ...] = ()
    scratch: Size = 0
    library: str = ""


def check_foreign(site: Site) -> None:
    """Buffers have the sizes that the function is told."""
    problem: ForeignCall = site.problem
    site.demand(_SYMBOL.fullmatch(problem.symbol) is not None, f"{problem.symbol!r} is no name of a C function")
    for rooms, buffers, what in ((problem.inputs, site.given, "operand"), (problem.outputs, site.made, "result")):
        site.demand(len(rooms) == len(buffers), f"it has {len(buffers)} {what}s, not {len(rooms)}")
        for i, (room, buffer) in enumerate(zip(rooms, buffers, strict=True)):
            _check_room(site, room, buffer, f"{what} {i}")
    for name, value in problem.arguments:
        site.demand(_is_passed(value), f"the attribute {name!r} is nothing that a C function gets")
    if isinstance(problem.scratch, int):
        site.demand(0 <= problem.scratch <= MAX_NUMBER, f"it wants {problem.scratch} bytes of scratch memory")


def _check_room(site: Site, room: Room, buffer: Buffer, what: str) -> None:
    site.demand(room.dtype in DTYPES and room.dtype in NUMBERS, f"there is no code for {room.dtype}")
    site.demand(len(room.sizes) <= MAX_RANK, f"{what} has {len(room.sizes)} axes")
    site.demand(all(not isinstance(d, int) or 0 <= d <= MAX_NUMBER for d in room.sizes), f"{what} has a negative size")
    site.demand_type(buffer, room.dtype, what)
    site.demand_elements(buffer, product(room.sizes), what)


def _is_passed(value: object) -> bool:
    """A number, a text, or a list of one kind of them."""
    items = value if isinstance(value, tuple) else (value,)
    if len(items) > MAX_LIST or not all(isinstance(v, _SCALARS) and not isinstance(v, bool) for v in items):
        return False
    fits = all(-(1 << 63) <= v < 1 << 63 for v in items if isinstance(v, int))
    return fits and len({kind_of(v) for v in items}) <= 1 and not any(isinstance(v, str) and "\0" in v for v in items)
