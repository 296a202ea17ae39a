"""Reductions: where they start, and how their parts are combined."""

from __future__ import annotations

import math

from mlconv.codegen.kernels.arrange import certainly_below
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value
from mlconv.codegen.machines.cpus import Cpu
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType

OF_INTEGERS = {"add", "maximum", "minimum"}
OF_FLOATS = {"add_wide", "greatest", *OF_INTEGERS}
FOLDED = 4  # lanes of partial sums that are left before they are widened
PARTIAL = 16  # terms of each lane of an `add_wide` that are summed in float32 before float64 takes over
_LONG = 4  # vectors along an axis from which on several at once gain


def fits_lanes(combine: str, dtype: DType, cpu: Cpu) -> bool:
    """Lanes along the reduced axis may be combined apart, then one with the other."""
    return combine in OF_INTEGERS and cpu.has_vectors if dtype.is_int else combine in OF_FLOATS and dtype.is_float


def lanes_at_once(cpu: Cpu, lanes: int, extent: Size) -> int:
    """How many lanes along an axis are combined apart, where one waits for the one before: four vectors, as far as half
    of the registers hold them and the axis is that long, or two.
    """
    if certainly_below(extent, _LONG * lanes):
        return lanes
    two = 2 * lanes
    four = 2 * two
    fits = four <= cpu.registers // 2 * cpu.lanes(DType.F32)
    return four if fits and isinstance(extent, int) and extent >= _LONG * four else two


def halves(lanes: int, last: int) -> list[int]:
    """Lanes halved until they are `last`."""
    out = []
    while lanes > last:
        lanes //= 2
        out.append(lanes)
    return out


def fold(b: Builder, combine: str, dtype: DType, value: Value, lanes: int) -> Value:
    """A vector of 2 * lanes with its halves combined."""
    parts = [b.lanes(value, first, lanes) for first in (0, lanes)]
    return Scalars(b, lanes).apply("add" if combine == "add_wide" else combine, dtype, parts, [dtype, dtype])


def identity(combine: str, dtype: DType) -> float:
    """What a reduction starts from."""
    if combine in ("add", "add_wide", "or"):
        return -0.0 if dtype.is_float else 0
    if combine in ("mul", "and"):
        return 1
    sign = 1 if combine == "minimum" else -1
    if dtype.is_float:
        return sign * math.inf
    bits = dtype.bits
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.is_signed_int else (0, (1 << bits) - 1)
    return low if sign < 0 else high
