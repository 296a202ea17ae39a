"""What is known of the sizes of a function.

A function owns a `SizeFacts`: ranges of symbols, and relations of expressions (`M == N`, `2*N >= M`, `N % 4 == 0`).
They are certain wherever the function runs: the user said so, or a run that breaks them is refused elsewhere.  Three
questions are asked of them: `simplify(x, facts)`, `bounds(x, facts)` and `holds(a, relation, b, facts)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from mlconv.ir.dim_parser import parse_comparison
from mlconv.ir.dims import Dim, Size, floordiv, maximum, sign_of
from mlconv.ir.size_bounds import Bounds
from mlconv.ir.size_relations import Relation

if TYPE_CHECKING:
    from mlconv.ir.size_rules import Deductions

Range: TypeAlias = tuple[int, int]

_LARGEST = 1 << 62  # more than any size


class SizeFacts:
    """Facts about symbols.  ranges: smallest and largest value; relations: in the order in which they were found.
    Immutable.
    """

    __slots__ = ("_deduced", "ranges", "relations")

    def __init__(self, ranges: Mapping[str, Range] | None = None, relations: Iterable[Relation] = ()) -> None:
        self.ranges = dict(ranges or {})
        self.relations = tuple(dict.fromkeys(relations))
        self._deduced: Deductions | None = None

    def __bool__(self) -> bool:
        return bool(self.ranges or self.relations)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SizeFacts) and (self.ranges, self.relations) == (other.ranges, other.relations)

    def __hash__(self) -> int:
        return hash((tuple(self.ranges.items()), self.relations))

    def and_also(self, relations: Iterable[Relation]) -> SizeFacts:
        """These and more."""
        return SizeFacts(self.ranges, (*self.relations, *relations))

    def texts(self, text: Callable[[Size], str] = str) -> list[str]:
        """`1 <= N <= 32`, `M == N`, `N % 4 == 0`.  text: of a size."""
        ranged = [f"{low} <= {text(Dim.symbol(name))} <= {high}" for name, (low, high) in self.ranges.items()]
        return ranged + [
            f"{text(r.a)} % {text(r.b)} == 0" if r.kind == "%" else f"{text(r.a)} {r.kind} {text(r.b)}"
            for r in self.relations
        ]

    @staticmethod
    def parse(texts: Iterable[str], unknown: dict[str, Dim] | None = None) -> SizeFacts:
        """The inverse of `texts`.  unknown: sizes that nothing is known about, by number.  Raises ValueError for what
        is none.
        """
        ranges: dict[str, Range] = {}
        relations: list[Relation] = []
        for text in texts:
            sides, signs = parse_comparison(text, unknown)
            if signs in (["=="], [">="]):
                relations.append(Relation(sides[0], signs[0], sides[1]))
            elif signs == ["%", "=="] and sides[2] == 0:
                relations.append(Relation(sides[0], "%", sides[1]))
            elif signs == ["<=", "<="]:
                low, x, high = sides
                if not isinstance(x, Dim) or x.name is None or not isinstance(low, int) or not isinstance(high, int):
                    raise ValueError(f"{text!r} is no range of a symbol")
                before = ranges.get(x.name, (low, high))
                ranges[x.name] = max(low, before[0]), min(high, before[1])
            else:
                raise ValueError(f"{text!r} is no fact about sizes")
        return SizeFacts(ranges, relations)

    def faults(self) -> list[str]:
        """What no sizes fulfil, or is no fact at all, as sentences."""
        found = [f"{name} lies in {low}..{high}" for name, (low, high) in self.ranges.items() if not 0 <= low <= high]
        for r in self.relations:
            if r.kind not in ("==", ">=", "%") or (r.kind == "%" and not (isinstance(r.b, int) and r.b > 0)):
                found.append(f"{r.a} {r.kind} {r.b} is no relation of sizes")
        for name, number in self.deduced().divisors.items():
            low, high = self.ranges.get(name, (0, number))
            if high // number * number < low:
                found.append(f"{name} lies in {low}..{high}, where no multiple of {number} is")
        return found or [f"{text} never holds" for text in SizeFacts(None, self.deduced().broken).texts()]

    def deduced(self) -> Deductions:
        """What follows; networks whose sizes are all numbers ask nothing of it."""
        if self._deduced is None:
            from mlconv.ir.size_rules import Deductions

            self._deduced = Deductions(self.ranges, self.relations)
        return self._deduced


def simplify(x: Size, facts: SizeFacts) -> Size:
    """The simplest expression known that has the value of x wherever the facts hold."""
    return x if isinstance(x, int) else facts.deduced().simplify(x)


def bounds(x: Size, facts: SizeFacts) -> Bounds:
    """The least and the greatest value that x may have, as far as is known; infinities where that is not."""
    return (x, x) if isinstance(x, int) else facts.deduced().range(facts.deduced().simplify(x))


def holds(a: Size, relation: str, b: Size, facts: SizeFacts) -> bool | None:
    """Whether a relation is certain (True), or certain not to be (False); None where sizes decide.

    relation: `==`, `!=`, `<`, `<=`, `>`, `>=`; or `%`, a is a multiple of the number b.
    """
    if relation == "%":
        whole = simplify(a, facts)
        if isinstance(whole, int) and isinstance(b, int):
            return whole % b == 0
        return True if isinstance(b, int) and facts.deduced().is_multiple(whole, b) else None
    if relation in ("!=", "<", "<="):
        opposite = holds(a, {"!=": "==", "<": ">=", "<=": ">"}[relation], b, facts)
        return None if opposite is None else not opposite
    if a == b:
        return relation != ">"
    low, high = bounds(a - b, facts)
    if relation == "==":
        return True if low == high == 0 else False if low > 0 or high < 0 else None
    least = 1 if relation == ">" else 0
    return True if low >= least else False if high < least else None


def at_least_one(x: Size) -> Bounds:
    """The least and the greatest value of x for sizes of 1 and more."""
    return bounds(x, SizeFacts(dict.fromkeys(x.symbols() - {"?"}, (1, _LARGEST)) if isinstance(x, Dim) else {}))


def truncated(a: Size, b: Size) -> Size | None:
    """a / b rounded towards zero; None where b may be zero or of either sign.

    It is `floordiv(a, b)` where a is not negative for sizes of 1 and more: a model that divides `N - 1` by 2 is about
    a dimension that has elements.
    """
    sign = sign_of(b)
    if not sign:
        return None
    if sign < 0:
        a, b = -a, -b
    low, high = at_least_one(a)
    if low >= 0:
        return floordiv(a, b)
    if high <= 0:
        return -floordiv(-a, b)
    return floordiv(maximum(a, 0), b) - floordiv(maximum(-a, 0), b)
