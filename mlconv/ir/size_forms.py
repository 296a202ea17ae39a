"""Other ways to write an expression of sizes, by remainders or by quotients, and what follows from those."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mlconv.ir.dims import Atom, Dim, Size, floordiv, mod, operands_of, with_atoms


def as_remainder(x: Dim) -> Size:
    """x with `mod(a, n)` in place of `a - n*floordiv(a, n)`, where a may be a quotient, `floordiv(b, m)`, whose own is
    `floordiv(b, m*n)`: as it is where there is none.
    """
    for monomial, coefficient in x.terms.items():
        if len(monomial) != 1 or not monomial[0].applies("floordiv"):
            continue
        a, n = monomial[0].args
        if not isinstance(a, Dim) or not isinstance(n, int) or n <= 0:
            continue
        if coefficient % n == 0:
            factor = -coefficient // n
            rest = x - Dim.of(monomial[0]) * coefficient - a * factor
            left = rest.terms if isinstance(rest, Dim) else {}
            if not any(m in left for m in a.terms if m):
                most = (n - 1) * factor  # n - 1 - mod(a, n) is what is missing from n - 1 - a to a multiple
                if constant(rest) == -most:
                    return rest + most + mod(n - 1 - a, n) * -factor
                return rest + mod(a, n) * factor
        found = _remainder_of_quotient(x, monomial[0], coefficient)
        if found is not None:
            return found
    return x


def _remainder_of_quotient(x: Dim, atom: Atom, coefficient: int) -> Size | None:
    """x with what is left of a quotient that is divided once more, where it has both quotients alone."""
    a, whole = atom.args
    for (other, *more), factor in ((m, c) for m, c in x.terms.items() if m):
        b, n = other.args if other.applies("floordiv") and not more else (0, None)
        if b != a or not isinstance(n, int) or not isinstance(whole, int) or not 0 < n < whole or whole % n:
            continue
        if coefficient == -factor * (whole // n):
            left = x - Dim.of(atom) * coefficient - Dim.of(other) * factor
            return left + mod(Dim.of(other), whole // n) * factor
    return None


def atoms(x: Dim) -> list[Atom]:
    """The factors of the terms, each once."""
    return list(dict.fromkeys(atom for monomial in x.terms for atom in monomial))


def leaves(x: Dim) -> list[Dim]:
    """Symbols and unknown sizes that occur, also inside applications, from left to right."""
    found: list[Dim] = []
    for atom in atoms(x):
        found += [y for a in atom.args if isinstance(a, Dim) for y in leaves(a)] if atom.args else [Dim.of(atom)]
    return found


def as_quotient(atom: Atom) -> Size:
    """`mod(a, n)` as `a - n*floordiv(a, n)`; others as they are."""
    a, n = atom.args if atom.applies("mod") else (0, None)
    return a - floordiv(a, n) * n if isinstance(n, int) and n > 0 else Dim.of(atom)


def without_remainders(x: Size, number: int) -> Size:
    """What leaves the same remainder by a number: `mod(a, number)` is a there."""
    if isinstance(x, int):
        return x
    inner = [a for a in atoms(x) if a.applies("mod") and isinstance(a.args[1], int) and a.args[1] % number == 0]
    return with_atoms(x, lambda atom: atom.args[0] if atom in inner else Dim.of(atom)) if inner else x


def one_shift(x: Size) -> Size:
    """`floordiv(a + n, n)` is `floordiv(a, n) + 1`: quotients of which only whole ones differ are one, by the first."""
    if not isinstance(x, Dim) or len(x.terms) < 2:
        return x
    first: dict[tuple[Size, int], Atom] = {}
    moved: dict[Atom, Size] = {}
    for atom in atoms(x):
        a, n = atom.args if atom.applies("floordiv") else (0, None)
        if isinstance(n, int) and n > 0:
            same = first.setdefault((a - constant(a) // n * n, n), atom)
            if same is not atom:
                moved[atom] = Dim.of(same) + (constant(a) - constant(same.args[0])) // n
    return with_atoms(x, lambda atom: moved.get(atom, Dim.of(atom))) if moved else x


def rounded_up(x: Size) -> Size:
    """`a + mod(-a, n)` is the next multiple of n, `n * floordiv(a + n - 1, n)`: fewer terms, of which n is a factor.
    Of 2 there is one remainder for a and -a: `a + mod(a, 2)` is the next even number.
    """
    for atom in atoms(x) if isinstance(x, Dim) else ():
        a, n = atom.args if atom.applies("mod") else (0, None)
        coefficient = x.terms.get((atom,)) if isinstance(x, Dim) else None
        if not isinstance(n, int) or n <= 0 or coefficient is None:
            continue
        for missing in (a, -a) if n == 2 else (a,):
            other = x + (missing + floordiv(-missing + (n - 1), n) * n - Dim.of(atom)) * coefficient
            if isinstance(other, int) or len(other.terms) < len(x.terms if isinstance(x, Dim) else ()):
                return other
    return x


def other_half(x: Size) -> Size:
    """`a - floordiv(a, 2)` is `floordiv(a + 1, 2)`: what is missing to a multiple, put on both sides."""
    for atom in quotients(x) if isinstance(x, Dim) else ():
        a, n = atom.args
        if n != 2 or not isinstance(x, Dim) or (atom,) not in x.terms:
            continue
        other = x + (a - floordiv(a + 1, 2) - Dim.of(atom)) * x.terms[(atom,)]
        if isinstance(other, int) or len(other.terms) < len(x.terms):
            x = other
    return x


def largest_rests(x: Dim) -> Iterator[tuple[int, Size]]:
    """x with n - 1 in place of a term `mod(a, n)`, and the sign of that term: below it x is no less, above no more."""
    for monomial, coefficient in x.terms.items():
        if len(monomial) == 1 and monomial[0].applies("mod") and isinstance(monomial[0].args[1], Dim):
            yield coefficient, x + (monomial[0].args[1] - 1 - Dim.of(monomial[0])) * coefficient


def unrounded(x: Dim) -> Iterator[tuple[int, Size]]:
    """Multiples of x, and by how much, with a remainder in place of a quotient: `n*floordiv(a, n)` is `a - mod(a, n)`.
    The last has all quotients replaced that x has a multiple of.
    """
    both: Size = x
    for atom in quotients(x):
        coefficient = x.terms[(atom,)]
        for a, n in ways(atom, x):
            scale = n // math.gcd(n, coefficient)
            step = (a - mod(a, n)) * (coefficient * scale // n) - Dim.of(atom) * (coefficient * scale)
            if scale == 1 and isinstance(both, Dim) and both.terms.get((atom,)) == coefficient:
                both = both + step
            yield scale, x * scale + step
            if constant(a) == n - 1:  # the next multiple: what is missing to it is put on
                below = a - (n - 1)
                step = (below + mod(-below, n)) * (coefficient * scale // n) - Dim.of(atom) * (coefficient * scale)
                yield scale, other_half(x * scale + step)
    if both != x:
        yield 1, both


def of_quotient(x: Dim) -> Size | None:
    """What is 0 or more where x is, of a multiple of one quotient and a number: `a - 2*n` for `floordiv(a, n) - 2`."""
    atom, k = atoms(x)[0], constant(x)
    a, n = atom.args if atom.applies("floordiv") else (0, None)
    factor = x.terms.get((atom,), 0)
    if not isinstance(n, int) or n < 2 or not factor or x != factor * Dim.of(atom) + k:
        return None
    return a - -(k // factor) * n if factor > 0 else (k // -factor + 1) * n - 1 - a


def constant(x: Size) -> int:
    """The term without a symbol."""
    return x if isinstance(x, int) else x.terms.get((), 0)


def quotients(x: Dim) -> list[Atom]:
    """Rounded quotients by numbers that are terms of their own."""
    alone = [m[0] for m in x.terms if len(m) == 1 and m[0].applies("floordiv")]
    return [atom for atom in alone if isinstance(atom.args[1], int) and atom.args[1] > 1]


def ways(atom: Atom, x: Dim) -> Iterator[tuple[Size, int]]:
    """a and n of which an atom is the rounded quotient: its own, and those in terms of other quotients in x, as
    `floordiv(h, 4)` is the half of `floordiv(h, 2)`.
    """
    whole, by = atom.args
    if not isinstance(by, int):
        return
    yield whole, by
    for other in quotients(x):
        a, n = other.args
        rest = whole - a
        if isinstance(n, int) and n < by and by % n == 0 and isinstance(rest, int) and rest % n == 0:
            yield Dim.of(other) + rest // n, by // n


def uncut(x: Dim) -> tuple[Size, list[tuple[Size, int]]]:
    """x with `n` for each `min(n, number)` in its terms, and these."""
    limits: list[tuple[Size, int]] = []

    def whole(atom: Atom) -> Size:
        parts = [*operands_of("min", Dim.of(atom))]
        numbers, sizes = [n for n in parts if isinstance(n, int)], [n for n in parts if isinstance(n, Dim)]
        if not len(numbers) == len(sizes) == 1:
            return Dim.of(atom)
        limits.append((sizes[0], numbers[0]))
        return sizes[0]

    return with_atoms(x, whole), limits
