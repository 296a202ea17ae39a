"""What follows from facts about sizes: equalities solved for symbols, multiples divided out, extremes decided.

All of it keeps the value of an expression for every assignment of its symbols that the facts allow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce

from mlconv.ir.dims import (
    APPLY,
    Atom,
    Dim,
    Size,
    divide_exactly,
    extreme,
    operands_of,
    polynomial,
    sole_atom,
    with_atoms,
)
from mlconv.ir.size_bounds import ANY_SIZE, Bounds, Intervals
from mlconv.ir.size_forms import (
    as_quotient,
    atoms,
    constant,
    largest_rests,
    of_quotient,
    one_shift,
    other_half,
    rounded_up,
    unrounded,
    without_remainders,
)
from mlconv.ir.size_relations import Relation

ROUNDS = 8  # of simplification, which ends when nothing changes
MAX_OPERANDS = 8  # of an extreme that are compared with one another
MAX_CASES = 3  # extremes in one another that are looked at case by case


class Deductions:
    """What follows from ranges of symbols and relations, which are taken in one after another.

    solved: what stands for an atom.  divisors: numbers that symbols are multiples of.  multiples: other expressions,
    and the number that they are multiples of.  positive: expressions that are 0 or more.  broken: relations that never
    hold.
    """

    def __init__(self, ranges: Mapping[str, tuple[int, int]], relations: Sequence[Relation]) -> None:
        self.divisors: dict[str, int] = {}
        self.spans: dict[str, Bounds] = dict(ranges)
        self._take_in(ranges, relations)
        if self.divisors and any(atom.args for atom in self.solved):  # quotients may be whole, as was found out later
            self._take_in(ranges, relations)

    def _take_in(self, ranges: Mapping[str, tuple[int, int]], relations: Sequence[Relation]) -> None:
        self.solved: dict[Atom, Size] = {Atom(s): low for s, (low, high) in ranges.items() if low == high}
        self.multiples: list[tuple[Size, int]] = []
        self.positive: list[Dim] = []
        self.broken: list[Relation] = []
        self._start()
        for relation in relations:
            if not self._learn(relation):
                self.broken.append(relation)

    def _start(self) -> None:
        """Forget what was derived before the facts were as they are now."""
        self.intervals = Intervals(self.spans)
        self.simplified: dict[Dim, Size] = {}

    # -- taking in -----------------------------------------------------------------------------------

    def _learn(self, relation: Relation) -> bool:
        """False where the relation never holds."""
        a, b = self.simplify(relation.a), self.simplify(relation.b)
        if relation.kind == "%":
            fine = isinstance(b, int) and b > 0 and self._divides(a, b)
        elif relation.kind == ">=":
            fine = self._at_least_0(a - b)
        else:
            fine = self._equal(a - b)
        self._start()
        return fine

    def _equal(self, difference: Size) -> bool:
        if isinstance(difference, int):
            return difference == 0
        for atom in atoms(difference):
            a, n = atom.args if atom.applies("floordiv") else (0, None)
            if not isinstance(n, int) or n < 2:
                continue
            for signed in (difference, -difference):
                left = a - n * Dim.of(atom) - signed
                if isinstance(left, int):  # what is left of a by n
                    return 0 <= left < n and self._divides(a - left, n)
        found = _solvable(difference)
        if found is None:
            return self._at_least_0(difference) and self._at_least_0(-difference)
        atom, value = found
        low, high = self.spans.get(atom.fn, (0, math.inf)) if not atom.args else (-math.inf, math.inf)
        self.solved = {a: _put(v, atom, value) for a, v in self.solved.items()}
        self.solved[atom] = value
        self.multiples = [(_put(m, atom, value), n) for m, n in self.multiples]
        divisor = self.divisors.pop(atom.fn, 1) if not atom.args else 1
        return (
            (math.isinf(low) or self._at_least_0(value - int(low)))
            and (math.isinf(high) or self._at_least_0(int(high) - value))
            and self._divides(value, divisor)
        )

    def _at_least_0(self, x: Size) -> bool:
        if isinstance(x, int):
            return x >= 0
        if self.range(x)[0] >= 0:  # what is known already would be compared with every size
            return True
        fine = all(
            self._narrow(x, monomial[0]) for monomial in x.terms if len(monomial) == 1 and _is_symbol(monomial[0])
        )
        if len(atoms(x)) > 1 or not _is_symbol(atoms(x)[0]):
            self.positive.append(x)
        whole = of_quotient(x)
        return fine and self.range(x)[1] >= 0 and (whole is None or self._at_least_0(self.simplify(whole)))

    def _narrow(self, x: Dim, atom: Atom) -> bool:
        """The range of a symbol where x is 0 or more; False where none is left."""
        factor = x.terms[(atom,)]
        rest = x - factor * Dim.of(atom)
        most = self.intervals.of(rest)[1]
        low, high = self.spans.get(atom.fn, ANY_SIZE)
        if not math.isinf(most) and not any(_occurs(atom, a) for a in (atoms(rest) if isinstance(rest, Dim) else ())):
            low, high = (max(low, -(most // factor)), high) if factor > 0 else (low, min(high, most // -factor))
            self.spans[atom.fn] = low, high
            if low == high:
                self.solved[atom] = int(low)
        return low <= high

    def _divides(self, x: Size, number: int) -> bool:
        if isinstance(x, Dim):
            x = x - constant(x) // number * number
        if isinstance(x, int):
            return x % number == 0
        common = math.gcd(number, *x.terms.values())
        number //= common
        x = polynomial({m: c // common for m, c in x.terms.items()})
        monomials = list(x.terms) if isinstance(x, Dim) else []
        if number == 1:
            return True
        if len(monomials) == 1 and len(monomials[0]) == 1 and _is_symbol(monomials[0][0]):
            name = monomials[0][0].fn
            factor = number // math.gcd(number, next(iter(x.terms.values())) if isinstance(x, Dim) else 1)
            self.divisors[name] = divisor = math.lcm(self.divisors.get(name, 1), factor)
            low, high = self.spans.get(name, ANY_SIZE)
            ends = -(-low // divisor) * divisor, high if math.isinf(high) else high // divisor * divisor
            self.spans[name] = ends if ends[0] <= ends[1] else (low, high)
        else:
            self.multiples.append((x, number))
        return True

    # -- questions -----------------------------------------------------------------------------------

    def simplify(self, x: Size) -> Size:
        """An expression of the same value."""
        if isinstance(x, int):
            return x
        found = self.simplified.get(x)
        if found is None:
            before: Size = x
            found = self._once(x)
            for _ in range(ROUNDS):
                if isinstance(found, int) or found == before:
                    break
                before, found = found, self._once(found)
            if isinstance(found, Dim) and x.is_known and not found.is_known:  # it would be too large
                found = x
            if isinstance(found, Dim) and self.positive:
                low, high = self.range(found)
                found = int(low) if low == high else found
            self.simplified[x] = found
        return found

    def range(self, x: Size, cases: int = MAX_CASES) -> Bounds:
        """The least and the greatest value of a simplified expression."""
        low, high = self.intervals.of(x)
        if isinstance(x, int):
            return low, high
        atom = next((a for a in atoms(x) if a.applies("min", "max")), None)
        if atom is not None and cases:
            (a, b), (c, d) = (self.range(_put(x, atom, v), cases - 1) for v in atom.args)
            others = [other for m in x.terms if m != (atom,) for other in m]
            factor = x.terms.get((atom,), 0) if not any(_occurs(atom, other) for other in others) else 0
            if factor and (factor > 0) == (atom.applies("max")):  # x is the larger of both cases
                low, high = max(low, a, c), min(high, max(b, d))
            elif factor:
                low, high = max(low, min(a, c)), min(high, b, d)
            else:
                low, high = max(low, min(a, c)), min(high, max(b, d))
        for scale, other in unrounded(x):
            least, most = self.intervals.of(other)
            low = low if math.isinf(least) else max(low, -(-least // scale))
            high = high if math.isinf(most) else min(high, most // scale)
        least, most = self._from_least(x)
        low, high = max(low, least), min(high, most)
        for side, other in largest_rests(x):
            found = self.intervals.of(other)
            low, high = (max(low, found[0]), high) if side < 0 else (low, min(high, found[1]))
        symbols = x.symbols()
        for known in self.positive:
            if not symbols.isdisjoint(known.symbols()):
                low = max(low, self.intervals.of(x - known)[0])
                high = min(high, self.intervals.of(x + known)[1])
        return low, high

    def _from_least(self, x: Dim) -> Bounds:
        """The range of a sum of products whose factors are their least values and what lies above those: `a*b + a + b
        + 1` is not negative where neither factor is below -1, `a*b - a` is largest where both are.
        """
        spans: dict[str, Bounds] = {}
        moved: dict[Atom, Size] = {}
        for atom in atoms(x) if any(len(monomial) > 1 for monomial in x.terms) else ():
            low, high = self.intervals.of(Dim.of(atom))
            spans[f"{len(spans)}"] = (low, high) if math.isinf(low) else (0, high - low)
            moved[atom] = Dim.symbol(f"{len(moved)}") + (0 if math.isinf(low) else int(low))
        if all(isinstance(v, Dim) and v.name is not None for v in moved.values()):
            return -math.inf, math.inf
        return Intervals(spans).of(with_atoms(x, moved.__getitem__))

    def is_multiple(self, x: Size, number: int) -> bool:
        """Certain to be a multiple of a positive number."""
        _, rest = self._divided(x, number)
        if isinstance(rest, Dim):  # a + mod(-a, n) is one of n
            _, rest = self._divided(with_atoms(rest, as_quotient), number)
        if isinstance(rest, int):
            return rest % number == 0
        for known, n in self.multiples:
            quotient = divide_exactly(rest, known)
            if isinstance(quotient, int) and quotient * n % number == 0:
                return True
        return False

    # -- rules ---------------------------------------------------------------------------------------

    def _once(self, x: Dim) -> Size:
        return self._exact(with_atoms(x, self._atom))

    def _atom(self, atom: Atom) -> Size:
        found: Size = Dim.of(atom)
        if atom.args:
            found = self._applied(atom.fn, *map(self.simplify, atom.args))
        left = sole_atom(found)
        return found if left is None else self.solved.get(left, found)

    def _applied(self, fn: str, a: Size, b: Size) -> Size:
        if fn in ("min", "max"):
            return self._extreme(fn, a, b)
        if isinstance(b, Dim) or b <= 0:
            return _apply(fn, a, b)
        if fn == "mod":
            a = without_remainders(a, b)
        low, high = self.range(a)
        if not math.isinf(low) and low // b == high // b:
            return int(low // b) if fn == "floordiv" else a - int(low // b) * b
        whole, rest = self._divided(a, b)
        if fn == "floordiv":
            return whole + APPLY[fn](rest, b)
        return 0 if self.is_multiple(rest, b) else APPLY[fn](rest, b)

    def _extreme(self, fn: str, a: Size, b: Size) -> Size:
        """The operands of nested extremes, without those that others are never behind."""
        operands = sorted({**operands_of(fn, a), **operands_of(fn, b)}, key=str)
        if len(operands) > MAX_OPERANDS:
            return extreme(fn, a, b)

        def decides(x: Size, y: Size) -> bool:
            difference = self.simplify(x - y if fn == "max" else y - x)
            return self.range(difference)[0] >= 0

        kept: list[Size] = []
        for x in operands:
            if not any(decides(y, x) for y in kept):
                kept = [*(y for y in kept if not decides(x, y)), x]
        return reduce(lambda x, y: extreme(fn, x, y), kept)

    def _divided(self, x: Size, number: int) -> tuple[Size, Size]:
        """x as quotient * number + rest: the quotient of the terms that are certain to be multiples, and the others."""
        whole: Size = 0
        rest: Size = 0
        for monomial, coefficient in x.terms.items() if isinstance(x, Dim) else [((), x)] if x else []:
            common = math.gcd(coefficient, number)
            left = number // common
            quotient: Size = coefficient // common
            for atom in monomial:
                divisor = self.divisors.get(atom.fn, 1) if not atom.args else 1
                part = math.gcd(divisor, left)
                left //= part
                factor: Size = Dim.of(atom)
                quotient = quotient * (
                    factor if part == 1 else Dim.of(Atom("floordiv", (factor, divisor))) * (divisor // part)
                )
            if left == 1:
                whole = whole + quotient
            else:
                rest = rest + polynomial({monomial: coefficient})
        return whole, rest

    def _exact(self, x: Size) -> Size:
        """`n * floordiv(a, n)` is a where a is a multiple of n."""
        out: Size = 0
        for monomial, coefficient in x.terms.items() if isinstance(x, Dim) else [((), x)]:
            term: Size = coefficient
            left = coefficient
            for atom in monomial:
                a, n = atom.args if atom.applies("floordiv") else (0, 0)
                if isinstance(n, int) and n > 1 and left % n == 0 and self.is_multiple(a, n):
                    left //= n
                    term = _without(term, n) * a
                else:
                    term = term * Dim.of(atom)
            out = out + term
        return other_half(rounded_up(one_shift(out)))


def _is_symbol(atom: Atom) -> bool:
    return not atom.args and atom.fn != "?"


def _apply(fn: str, a: Size, b: Size) -> Size:
    """A function of two sizes; what divides by zero stays as it is."""
    return Dim.of(Atom(fn, (a, b))) if fn in ("floordiv", "mod") and b == 0 else APPLY[fn](a, b)


def _without(term: Size, factor: int) -> Size:
    quotient = divide_exactly(term, factor)
    return term if quotient is None else quotient


def _put(x: Size, atom: Atom, value: Size) -> Size:
    """x with a value for an atom, also inside of applications."""
    if isinstance(x, int):
        return x
    out: Size = 0
    for monomial, coefficient in x.terms.items():
        term: Size = coefficient
        for a in monomial:
            if a == atom:
                term = term * value
            elif a.args:
                term = term * _apply(a.fn, *(_put(v, atom, value) for v in a.args))
            else:
                term = term * Dim.of(a)
        out = out + term
    return out


def _solvable(x: Dim) -> tuple[Atom, Size] | None:
    """An atom and what it is where x is 0: one that nothing is known about before applications, these before symbols,
    of which the last by name.
    """
    found: list[Atom] = []
    for monomial, coefficient in x.terms.items():
        if len(monomial) != 1 or abs(coefficient) != 1:
            continue
        others = [a for m in x.terms if m != monomial for a in m]
        if not any(_occurs(monomial[0], a) for a in others):
            found.append(monomial[0])
    if not found:
        return None
    atom = max(found, key=lambda a: (a.fn == "?", bool(a.args), a.text))
    rest = polynomial({m: c for m, c in x.terms.items() if m != (atom,)})
    return atom, -rest if x.terms[(atom,)] > 0 else rest


def _occurs(atom: Atom, within: Atom) -> bool:
    if atom == within:
        return True
    inner = [a for size in within.args if isinstance(size, Dim) for a in atoms(size)]
    return any(_occurs(atom, a) for a in inner)
