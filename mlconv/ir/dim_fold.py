"""Dimensions as something else: text of another language, instructions, ops, bounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Generic, NamedTuple, TypeAlias, TypeVar, Union

from mlconv.ir.dims import Atom, Dim, Monomial, Size, polynomial, substitute

_SEVERAL = 2  # terms, of which a factor is taken out
T = TypeVar("T")


class Line(NamedTuple):
    """factor * symbol + offset."""

    symbol: str
    factor: int
    offset: int


def line_of(x: Size) -> Line | None:
    """A dimension as a multiple of one symbol and a number; None of others."""
    atoms = [m for m in x.terms if m] if isinstance(x, Dim) else []
    if not isinstance(x, Dim) or len(atoms) != 1 or len(atoms[0]) != 1 or atoms[0][0].args or not x.is_known:
        return None
    return Line(atoms[0][0].fn, x.terms[atoms[0]], x.terms.get((), 0))


def in_terms_of(x: Size, other: Size) -> tuple[int, int] | None:
    """Factor and offset where x is `factor*other + offset`; None where it is not."""
    lead = next((m for m in other.terms if m), None) if isinstance(other, Dim) else None
    if not isinstance(x, Dim) or not isinstance(other, Dim) or lead is None:
        return None
    factor, odd = divmod(x.terms.get(lead, 0), other.terms[lead])
    offset = x - other * factor
    return (factor, offset) if factor and not odd and isinstance(offset, int) else None


Piece: TypeAlias = Union[Dim, Atom]  # of a dimension, or all of it


class Fold(ABC, Generic[T]):
    """What a dimension is made of, combined.  Subclasses say what numbers, symbols, applications, terms and sums are.

    `of` goes through a dimension from left to right; factors and terms come as iterators, so that what a subclass emits
    for them stands in the order in which it asks.  made: what has been found so far, which is not asked for again.
    """

    def __init__(self, made: dict[Piece, T] | None = None) -> None:
        self.made: dict[Piece, T] = {} if made is None else made

    def of(self, size: Size) -> T:
        """What stands for a dimension."""
        if isinstance(size, int):
            return self.number(size)
        found = self.made[size] if size in self.made else self.ready(size)
        if found is None:
            found = self.made[size] = self.whole(size)
        return found

    def whole(self, size: Dim) -> T:
        """What stands for all terms of a dimension."""
        return self.sum(self._term(m, c) for m, c in size.terms.items())

    def _term(self, monomial: Monomial, coefficient: int) -> T:
        return self.term(coefficient, self._factors(monomial))

    def _factors(self, monomial: Monomial) -> Iterator[T]:
        return map(self.factor, monomial)

    def factor(self, atom: Atom) -> T:
        """What stands for a symbol or an application."""
        if not atom.args:
            return self.unknown(Dim.of(atom)) if atom.fn == "?" else self.symbol(atom.fn)
        found = self.made[atom] if atom in self.made else self.ready(Dim.of(atom))
        if found is None:
            a, b = atom.args
            found = self.made[atom] = self.apply(atom.fn, a, b)
        return found

    def ready(self, size: Dim) -> T | None:
        """What stands for a dimension, or for an application in one, without a look at what it is made of."""
        return None

    @abstractmethod
    def number(self, value: int) -> T:
        """A number."""

    @abstractmethod
    def symbol(self, name: str) -> T:
        """name: `?` for a size that nothing is known about."""

    def unknown(self, size: Dim) -> T:
        """A size that nothing is known about, for those who tell one from another."""
        return self.symbol("?")

    @abstractmethod
    def apply(self, function: str, a: Size, b: Size) -> T:
        """function: `floordiv`, `mod`, `min` or `max` of two dimensions."""

    @abstractmethod
    def term(self, coefficient: int, factors: Iterator[T]) -> T:
        """The product of a number and of factors, of which there may be none."""

    @abstractmethod
    def sum(self, terms: Iterator[T]) -> T:
        """The sum of one term or more."""


class NestedFold(Fold[T]):
    """A dimension with factors that several terms share taken out of them, those of most terms first: `a*b + a*c + a`
    as `a*(b + c + 1)`.
    """

    def whole(self, size: Dim) -> T:
        counts = Counter(atom for monomial in size.terms for atom in dict.fromkeys(monomial))
        atom, most = max(counts.items(), key=lambda item: item[1], default=(None, 0))
        if atom is None or most < _SEVERAL:
            return super().whole(size)
        inner = {_without(m, atom): c for m, c in size.terms.items() if atom in m}
        outer = {m: c for m, c in size.terms.items() if atom not in m}
        product = self.term(1, iter([self.factor(atom), self.of(polynomial(inner))]))
        return self.sum(iter([product, self.of(polynomial(outer))])) if outer else product


def _without(monomial: Monomial, atom: Atom) -> Monomial:
    """A product with one of its factors less."""
    at = monomial.index(atom)
    return (*monomial[:at], *monomial[at + 1 :])


class BinaryFold(Fold[T]):
    """A dimension by operations of two operands each.  Subclasses say what numbers, symbols and operations are."""

    @abstractmethod
    def binary(self, function: str, a: T, b: T) -> T:
        """function: `add`, `mul`, or one of an application."""

    def apply(self, function: str, a: Size, b: Size) -> T:
        return self.binary(function, self.of(a), self.of(b))

    def term(self, coefficient: int, factors: Iterator[T]) -> T:
        found = list(factors)
        if coefficient != 1 or not found:
            found.append(self.number(coefficient))
        return reduce(lambda a, b: self.binary("mul", a, b), found)

    def sum(self, terms: Iterator[T]) -> T:
        return reduce(lambda a, b: self.binary("add", a, b), terms)


def number_at(x: Size, sizes: Mapping[str, int]) -> int | None:
    """The value of x; None where the sizes do not tell it, or are none that the model takes: it divides by 0."""
    try:
        found = substitute(x, sizes)
    except ZeroDivisionError:
        return None
    return found if isinstance(found, int) else None
