"""Sizes as sums and products of sizes that are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mlconv.ir.dims import Dim, Monomial, Size, divide_exactly, polynomial
from mlconv.ir.size_forms import atoms

_PARTS = 8  # of a sum, at most
_SEEN = 64  # sizes that are looked at for a part

IsSeen = Callable[[Dim], bool]


class SizeParts:
    """Sizes that are there, by what occurs in them."""

    def __init__(self) -> None:
        self._by_term: dict[Monomial, dict[Dim, None]] = {}

    def add(self, size: Dim) -> None:
        """A size that is there."""
        lead = next((m for m in size.terms if m), None)
        if lead is not None:
            self._by_term.setdefault(lead, {}).setdefault(size)

    def summands(self, size: Dim, is_seen: IsSeen) -> list[Size] | None:
        """Sizes whose sum a size is, and a number; those of more terms are taken first."""
        return self._summands(size, is_seen, _PARTS)

    def _summands(self, size: Size, is_seen: IsSeen, most: int) -> list[Size] | None:
        if isinstance(size, int) or is_seen(size):
            return [] if size == 0 else [size]
        found = [part for part in self._seen(list(size.terms), is_seen) if _is_part(part, size)]
        if most == 0 or not found:
            return None
        part = max(found, key=lambda part: len(part.terms))
        rest = self._summands(size - part, is_seen, most - 1)
        return None if rest is None else [part, *rest]

    def factors(self, size: Dim, is_seen: IsSeen) -> Iterator[tuple[Dim, Size]]:
        """A size that is there, and what it is multiplied with, which is simpler than the product."""
        for part in self._seen([(atom,) for atom in atoms(size)], is_seen):
            other = _quotient(size, part)
            if isinstance(other, int) and other <= 1:
                continue
            if other is not None and (isinstance(other, int) or len(other.terms) < len(size.terms)):
                yield part, other

    def _seen(self, leads: Sequence[Monomial], is_seen: IsSeen) -> list[Dim]:
        held = (size for lead in leads for size in self._by_term.get(lead, ()) if is_seen(size))
        return [size for size, _ in zip(held, range(_SEEN), strict=False)]


def _is_part(part: Dim, size: Dim) -> bool:
    return all(size.terms.get(m) == c for m, c in part.terms.items() if m)


def _quotient(size: Dim, part: Dim) -> Size | None:
    """size / part, where that leaves nothing: long division by the first term that is no number."""
    lead = next((m for m in part.terms if m), None)
    found: Size = 0
    rest: Size = size
    for _ in range(_PARTS):
        if isinstance(rest, int) or lead is None:
            break
        first = polynomial({lead: part.terms[lead]})
        terms = (divide_exactly(polynomial({m: c}), first) for m, c in rest.terms.items())
        one = next((t for t in terms if t is not None), None)
        if one is None:
            break
        found, rest = found + one, rest - part * one
    return found if rest == 0 else None
