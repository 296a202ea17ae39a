"""Sizes that are decided by data: an op in the middle of a function defines one, from 0 to a bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dim_fold import Fold
from mlconv.ir.dims import Dim, Size, floordiv, maximum, minimum, mod
from mlconv.ir.traits import DefinesSize, has_trait
from mlconv.ir.types import TensorType

SIZES = ":shape"
"""Behind the name of an output whose sizes data decide, the name of the output that has its shape."""

Between: TypeAlias = tuple[Size, Size]


def definition(op: Op) -> tuple[str, Size] | None:
    """The size that an op defines, and its bound; None of most ops."""
    if not has_trait(op, DefinesSize):
        return None
    given = op.attributes.get("problem") or (op.attributes["symbol"], op.attributes["bound"])
    return str(given[0]), given[1]


def data_sizes(block: Block) -> dict[str, Size]:
    """Bounds of the sizes that ops of a block, and of the regions in it, define, as sizes of its arguments."""
    bounds: dict[str, Size] = {}
    for op in walk(block):
        found = definition(op)
        if found is not None:
            bounds[found[0]] = upper(found[1], bounds)
    return bounds


def upper(size: Size, bounds: Mapping[str, Size]) -> Size:
    """The most that a size may be; the size itself where it has none of those that data decide.  bounds: of these."""
    if isinstance(size, int) or not bounds or not size.symbols() & bounds.keys():
        return size
    return maximum(_Between(bounds).of(size)[1], 0)


class _Between(Fold[Between]):
    """The least and the most of a size, where sizes are not negative."""

    def __init__(self, bounds: Mapping[str, Size]) -> None:
        super().__init__()
        self.bounds = bounds

    def number(self, value: int) -> Between:
        return value, value

    def symbol(self, name: str) -> Between:
        return (0, self.bounds[name]) if name in self.bounds else (Dim.symbol(name), Dim.symbol(name))

    def apply(self, function: str, a: Size, b: Size) -> Between:
        (low, high), (least, most) = self.of(a), self.of(b)
        if function == "min":
            return minimum(low, least), minimum(high, most)
        if function == "max":
            return maximum(low, least), maximum(high, most)
        if function == "mod":
            return (mod(low, least),) * 2 if low == high and least == most else (0, most)
        divisor = least if least == most or (isinstance(least, int) and least > 0) else 1
        return floordiv(low, most) if least == most else 0, floordiv(high, divisor)

    def term(self, coefficient: int, factors: Iterator[Between]) -> Between:
        low: Size = coefficient
        high: Size = coefficient
        for least, most in factors:
            low, high = low * least, high * most
        return (low, high) if coefficient > 0 else (high, low)

    def sum(self, terms: Iterator[Between]) -> Between:
        low: Size = 0
        high: Size = 0
        for least, most in terms:
            low, high = low + least, high + most
        return low, high


def is_open(values: Sequence[Value]) -> bool:
    """Some has a size that nothing is known about."""
    return any(
        isinstance(d, Dim) and not d.is_known
        for v in values
        if isinstance(v.type, TensorType)
        for d in v.type.shape or ()
    )
