"""How large dimensions may be, by interval arithmetic over the ranges of their symbols."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, Union

from mlconv.ir.dim_fold import Fold
from mlconv.ir.dims import Dim, Monomial, Size, polynomial

Number: TypeAlias = Union[int, float]  # an integer, or an infinity
Bounds: TypeAlias = tuple[Number, Number]
ANY_SIZE: Bounds = (0, math.inf)


class Intervals(Fold[Bounds]):
    """The least and the greatest value of dimensions.  ranges: of symbols; each: of all others."""

    def __init__(self, ranges: Mapping[str, Bounds], each: Bounds = ANY_SIZE) -> None:
        super().__init__()
        self.ranges, self.each = ranges, each

    def number(self, value: int) -> Bounds:
        return value, value

    def symbol(self, name: str) -> Bounds:
        return ANY_SIZE if name == "?" else self.ranges.get(name, self.each)

    def term(self, coefficient: int, factors: Iterator[Bounds]) -> Bounds:
        found: Bounds = (coefficient, coefficient)
        for low, high in factors:
            ends = [_times(a, b) for a in found for b in (low, high)]
            found = min(ends), max(ends)
        return found

    def sum(self, terms: Iterator[Bounds]) -> Bounds:
        low: Number = 0
        high: Number = 0
        for a, b in terms:
            low, high = _plus(low, a), _plus(high, b)
        return low, high

    def apply(self, function: str, a: Size, b: Size) -> Bounds:
        (low, high), (least, most) = self.of(a), self.of(b)
        if function == "min":
            return min(low, least), min(high, most)
        if function == "max":
            return max(low, least), max(high, most)
        least, most = max(least, 1), max(most, 1)  # divisors are positive
        if function == "mod":
            return (low, high) if low >= 0 and high < least else (0, most - 1)
        return _quotient(low, least if low < 0 else most), _quotient(high, most if high < 0 else least)


def _times(a: Number, b: Number) -> Number:
    """Zero times anything is zero: infinity stands for a number that is not known."""
    if not a or not b:
        return 0
    if math.isinf(a) or math.isinf(b):
        return math.inf if (a > 0) == (b > 0) else -math.inf
    return a * b


def _plus(a: Number, b: Number) -> Number:
    return a if math.isinf(a) else b if math.isinf(b) else a + b


def _quotient(a: Number, b: Number) -> Number:
    """a // b for a positive b."""
    if math.isinf(a):
        return a
    return (-1 if a < 0 else 0) if math.isinf(b) else a // b


def envelope(sizes: Iterable[Size]) -> Size:
    """A polynomial that is above the magnitude of each: the largest coefficient of every monomial.  Numbers are left
    out.
    """
    terms: dict[Monomial, int] = {}
    for size in sizes:
        for monomial, coefficient in size.terms.items() if isinstance(size, Dim) else ():
            terms[monomial] = max(terms.get(monomial, 0), abs(coefficient))
    return polynomial(terms)


def largest_factor(x: Size) -> int:
    """The largest magnitude of the numbers that are factors of terms of x."""
    return abs(x) if isinstance(x, int) else max(map(abs, x.terms.values()))


def degree(x: Size) -> int:
    """How many sizes that are not known are multiplied in a term of x."""
    return 0 if isinstance(x, int) else max(map(len, x.terms))


def is_monotone(x: Size) -> bool:
    """Certain not to fall when one of its symbols rises, which all are known."""
    if isinstance(x, int):
        return True
    if not x.is_known or any(monomial and coefficient < 0 for monomial, coefficient in x.terms.items()):
        return False
    applications = [atom for monomial in x.terms for atom in monomial if atom.args]
    return not any(
        atom.applies("mod")
        or (atom.applies("floordiv") and not isinstance(atom.args[1], int))
        or not all(map(is_monotone, atom.args))
        for atom in applications
    )
