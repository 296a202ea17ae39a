"""Symbolic dimensions: integers that are known only as expressions of named symbols.

A dimension is an `int` or a `Dim`.  A `Dim` is a polynomial with integer coefficients over atoms; an atom is a symbol
(`N`) or an opaque application (`floordiv`, `mod`, `min`, `max`) of dimensions.  Polynomials are kept in a normal form,
so that equality is structural: `(N + 1) * 2 == 2 * N + 2`.  Every symbol stands for a size, hence for a non-negative
integer.

What is known of the symbols of a function (ranges, equalities, multiples) is `size_facts`' business, text read back
`dim_parser`'s, sizes as something else (instructions, C, ops) `dim_fold`'s.  Terms and atoms are taken apart in these
four files only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias, Union

Monomial: TypeAlias = tuple["Atom", ...]  # sorted; the empty tuple is the constant term

# Expressions beyond these are taken for sizes that nothing is known about: a few ops that square a size make millions
# of terms.
MAX_DEGREE = 32
MAX_PRODUCTS = 1 << 12
MAX_BITS = 128
MAX_TEXT = 1 << 14


class Atom:
    """A symbol, an opaque application, or (text `?`) a size that nothing is known about and that equals only itself."""

    __slots__ = ("args", "fn", "sign", "text")

    def __init__(self, fn: str, args: tuple[Size, ...] = ()) -> None:
        self.fn, self.args = fn, args
        self.sign = _application_sign(fn, [_lean(a) for a in args]) if args else 1
        self.text = f"{fn}({', '.join(map(str, args))})" if args else fn

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Atom) and self.fn == other.fn != "?" and self.args == other.args

    def __lt__(self, other: Atom) -> bool:
        return self.text < other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def applies(self, *functions: str) -> bool:
        """Whether it applies one of the functions, which symbols may be called after."""
        return bool(self.args) and self.fn in functions

    def evaluate(self, env: Mapping[str, Size]) -> Size:
        if not self.args:
            return env[self.fn] if self.fn in env else Dim.of(self)
        return APPLY[self.fn](*(substitute(a, env) for a in self.args))


class Dim:
    """An integer polynomial that is not a constant (constants are plain ints)."""

    __slots__ = ("_hash", "_symbols", "_text", "terms")

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms = dict(terms)
        self._text: str | None = None
        self._hash: int | None = None
        self._symbols: frozenset[str] | None = None

    @staticmethod
    def symbol(name: str) -> Dim:
        """A free symbol.  Any text is accepted as a name."""
        return Dim({(Atom(name),): 1})

    @staticmethod
    def of(atom: Atom) -> Dim:
        """An atom alone."""
        return Dim({(atom,): 1})

    @staticmethod
    def unknown() -> Dim:
        """A size that nothing is known about: equal to itself and to no other."""
        return Dim({(Atom("?"),): 1})

    @property
    def name(self) -> str | None:
        """The name of a symbol; None of any other expression."""
        if len(self.terms) != 1:
            return None
        ((monomial, coefficient),) = self.terms.items()
        plain = coefficient == 1 and len(monomial) == 1 and not monomial[0].args and monomial[0].fn != "?"
        return monomial[0].fn if plain else None

    @property
    def is_known(self) -> bool:
        """It is told by symbols: no size that nothing is known about occurs."""
        return "?" not in self.symbols()

    def symbols(self) -> frozenset[str]:
        """Names of the symbols that occur, also inside applications."""
        if self._symbols is None:
            atoms = [atom for monomial in self.terms for atom in monomial]
            inner = [a.symbols() for atom in atoms for a in atom.args if isinstance(a, Dim)]
            self._symbols = frozenset(a.fn for a in atoms if not a.args).union(*inner)
        return self._symbols

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __str__(self) -> str:
        if self._text is None:
            self._text = _render(self.terms)
        return self._text

    def __repr__(self) -> str:
        return f"Dim({str(self)!r})"

    def __add__(self, other: Size) -> Size:
        terms = dict(self.terms)
        for monomial, coefficient in _terms(other).items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return polynomial(terms)

    def __neg__(self) -> Size:
        return polynomial({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Size) -> Size:
        return self + (-other)

    def __rsub__(self, other: int) -> Size:
        return -self + other

    def __mul__(self, other: Size) -> Size:
        found = _times(self, other)
        return Dim.unknown() if found is None else found

    def __floordiv__(self, other: Size) -> Size:
        return floordiv(self, other)

    def __rfloordiv__(self, other: int) -> Size:
        return floordiv(other, self)

    def __mod__(self, other: Size) -> Size:
        return mod(self, other)

    def __rmod__(self, other: int) -> Size:
        return mod(other, self)

    __radd__ = __add__
    __rmul__ = __mul__


Size: TypeAlias = Union[int, Dim]


def _terms(x: Size) -> Mapping[Monomial, int]:
    return x.terms if isinstance(x, Dim) else ({(): int(x)} if x else {})


@lru_cache(maxsize=1 << 14)  # kernels ask for the same few again and again
def _times(a: Dim, b: Size) -> Size | None:
    """a * b; None where that is beyond the bounds: each such size equals itself only."""
    factors, terms = _terms(b), dict[Monomial, int]()
    if _is_too_large(a.terms, factors):
        return None
    for m1, c1 in a.terms.items():
        for m2, c2 in factors.items():
            monomial = tuple(sorted(m1 + m2)) if m2 else m1
            terms[monomial] = terms.get(monomial, 0) + c1 * c2
    return polynomial(terms)


def _is_too_large(a: Mapping[Monomial, int], b: Mapping[Monomial, int]) -> bool:
    """Whether the product of two polynomials is beyond the bounds; beside a single term there may be any number."""
    if min(len(a), len(b)) > 1 and len(a) * len(b) > MAX_PRODUCTS:
        return True
    degree = sum(max(map(len, terms), default=0) for terms in (a, b))
    bits = sum(max(map(int.bit_length, terms.values()), default=0) for terms in (a, b))
    return degree > MAX_DEGREE or bits > MAX_BITS


def polynomial(terms: Mapping[Monomial, int]) -> Size:
    """A dimension of its terms: those without a coefficient are left out, a constant is a number."""
    kept = {m: c for m, c in terms.items() if c}
    if not kept:
        return 0
    if len(kept) == 1 and () in kept:
        return kept[()]
    return Dim(kept)


def text_of(size: Size, unknown: Callable[[Atom], str]) -> str:
    """As `str`, with a name for each size that nothing is known about."""
    if isinstance(size, int) or "?" not in str(size):
        return str(size)

    def name(atom: Atom) -> str:
        if atom.args:
            return f"{atom.fn}({', '.join(text_of(a, unknown) for a in atom.args)})"
        return unknown(atom) if atom.fn == "?" else _quote(atom)

    return _render(size.terms, name)


def _render(terms: Mapping[Monomial, int], name: Callable[[Atom], str] | None = None) -> str:
    parts: list[str] = []
    for monomial, coefficient in sorted(terms.items(), key=lambda t: (-len(t[0]), t[0])):
        factors = [(name or _quote)(a) for a in monomial]
        size = abs(coefficient)
        text = "*".join(([str(size)] if size != 1 or not factors else []) + factors)
        parts.append(("-" if coefficient < 0 else "+" if parts else "") + text)
    return "".join(parts)


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")


def _quote(atom: Atom) -> str:
    return atom.text if atom.args or atom.fn == "?" or _PLAIN.match(atom.fn) else "`" + atom.fn.replace("`", "``") + "`"


def floordiv(a: Size, b: Size) -> Size:
    """a // b, exact where the polynomial division is, else an opaque atom."""
    return a // b if isinstance(a, int) and isinstance(b, int) else _floordiv(a, b)


@lru_cache(maxsize=1 << 13)
def _floordiv(a: Size, b: Size) -> Size:
    if sign_of(b) == -1:
        return floordiv(-a, -b)
    if (exact := divide_exactly(a, b)) is not None:
        return exact
    a, b = _cancelled(a, b)
    if b == 1:
        return a
    if isinstance(a, Dim) and isinstance(b, int):
        inner = _rounded(a)
        if inner is not None:
            return floordiv(inner[0], inner[1] * b)
        # floor((b*q + r) / b) = q + floor(r / b): take out the divisible part so that equal expressions meet.
        quotient = polynomial({m: c // b for m, c in a.terms.items() if c % b == 0})
        rest = polynomial({m: c for m, c in a.terms.items() if c % b})
        if quotient != 0:
            return floordiv(rest, b) + quotient
    return _applied("floordiv", a, b)


def _cancelled(a: Size, b: Size) -> tuple[Size, Size]:
    """Numerator and denominator without the factors that all of their terms have: none of these is 0 where something is
    divided by it.
    """
    if a == 0 or b == 0:
        return a, b
    number = math.gcd(common_factor(a), common_factor(b))
    shared: list[Atom] | None = None
    for monomial in (*_terms(a), *_terms(b)):
        kept = list(monomial) if shared is None else []
        for atom in shared or ():
            if list(monomial).count(atom) > kept.count(atom):
                kept.append(atom)
        shared = kept
    if number == 1 and not shared:
        return a, b
    factor = Dim({tuple(shared): number}) if shared else number
    parts = [divide_exactly(x, factor) for x in (a, b)]
    return (a, b) if parts[0] is None or parts[1] is None else (parts[0], parts[1])


def _rounded(x: Dim) -> tuple[Size, int] | None:
    """`floordiv(a, n) + c`, for numbers n and c, as `a + c*n` and n; None of others."""
    quotients = [m for m in x.terms if m]
    if len(quotients) != 1 or len(quotients[0]) != 1 or x.terms[quotients[0]] != 1:
        return None
    atom = quotients[0][0]
    a, n = atom.args if atom.applies("floordiv") else (0, 0)
    return (a + x.terms.get((), 0) * n, n) if isinstance(n, int) and n > 0 else None


def _applied(fn: str, a: Size, b: Size) -> Size:
    """An opaque application, or an unknown size where its text would be too long."""
    return Dim.unknown() if len(str(a)) + len(str(b)) > MAX_TEXT else Dim({(Atom(fn, (a, b)),): 1})


def divide_exactly(a: Size, b: Size) -> Size | None:
    """a / b when b is an integer or a single term that divides every term of a, or when a is a multiple of b."""
    if a == b:
        return 1
    divisor = _terms(b)
    if len(divisor) == 1:
        ((monomial, coefficient),) = divisor.items()
        out: dict[Monomial, int] = {}
        for m, c in _terms(a).items():
            rest = list(m)
            for atom in monomial:
                if atom not in rest:
                    return None
                rest.remove(atom)
            if coefficient == 0 or c % coefficient:
                return None
            out[tuple(rest)] = c // coefficient
        return polynomial(out)
    if isinstance(a, Dim) and isinstance(b, Dim):
        lead = next(iter(b.terms))
        for m, c in a.terms.items():  # try a = b * (c/c0) * rest for a quotient of one term
            quotient = divide_exactly(polynomial({m: c}), polynomial({lead: b.terms[lead]}))
            if quotient is not None and b * quotient == a:
                return quotient
    return None


def common_factor(x: Size) -> int:
    """The largest number that divides every term of x."""
    return abs(x) if isinstance(x, int) else math.gcd(*x.terms.values())


def mod(a: Size, b: Size) -> Size:
    """a mod b with the sign of b."""
    if isinstance(a, int) and isinstance(b, int):
        return a % b
    if sign_of(b) == -1:
        return -mod(-a, -b)
    if divide_exactly(a, b) is not None:
        return 0
    if isinstance(a, int) and sign_of(b) == 1 and abs(a) < common_factor(b):  # b is no less, where it is not 0
        return a if a >= 0 else b + a
    if isinstance(a, Dim) and isinstance(b, int) and b > 0:  # terms and remainders that b divides change nothing
        plain = with_atoms(a, lambda x: x.args[0] if x.applies("mod") and x.args[1] == b else Dim.of(x))
        a = polynomial({m: c for m, c in _terms(plain).items() if c % b})
        if isinstance(a, int):
            return a % b
    return _applied("mod", a, b)


def minimum(a: Size, b: Size) -> Size:
    """The smaller of two dimensions, decided where the difference is a constant or all its terms have one sign."""
    sign = sign_of(a - b)
    if sign is not None:
        return a if sign <= 0 else b
    if 1 in (a, b):
        return extreme("min", 1, _whether(b if a == 1 else a))
    return extreme("min", a, b)


def _whether(x: Size) -> Size:
    """What is above 0 where x is, written once however often x was asked before: `N + min(1, N)` is where N is."""
    found: dict[Monomial, int] = {}
    pending = [x]
    while pending:
        terms = _terms(pending.pop())
        if () in terms or any(c < 0 or any(a.sign != 1 for a in m) for m, c in terms.items()):
            return x
        for monomial in terms:
            atom = monomial[0] if len(monomial) == 1 else None
            others = [a for a in atom.args if a != 1] if atom is not None and atom.applies("min") else []
            if len(others) == 1:
                pending += others
            else:
                found[monomial] = 1
    return polynomial(found)


def maximum(a: Size, b: Size) -> Size:
    """The larger of two dimensions; see `minimum`."""
    sign = sign_of(a - b)
    if sign is not None:
        return a if sign >= 0 else b
    return extreme("max", a, b)


def extreme(fn: str, a: Size, b: Size) -> Size:
    """fn of two dimensions, whatever their signs.  One that counts the other among its own operands is the result:
    expressions do not grow where values meet again.
    """
    of_a, of_b = operands_of(fn, a).keys(), operands_of(fn, b).keys()
    if of_a >= of_b:
        return a
    if of_b >= of_a:
        return b
    other = "min" if fn == "max" else "max"
    if a in operands_of(other, b):  # max(a, min(a, c)) is a
        return a
    if b in operands_of(other, a):
        return b
    return _applied(fn, *sorted((a, b), key=str))


def operands_of(fn: str, x: Size) -> dict[Size, None]:
    """What a nest of applications of `fn` is applied to, or x; in order, as unknown sizes have one hash and text."""
    found: dict[Size, None] = {}
    pending = [x]
    while pending:
        x = pending.pop()
        atom = sole_atom(x)
        if atom is not None and atom.applies(fn):
            pending.extend(atom.args)
        else:
            found[x] = None
    return found


def sole_atom(x: Size) -> Atom | None:
    """The atom that a dimension consists of; None where there is more to it."""
    if isinstance(x, int) or len(x.terms) != 1:
        return None
    ((monomial, coefficient),) = x.terms.items()
    return monomial[0] if coefficient == 1 and len(monomial) == 1 else None


def ceildiv(a: Size, b: Size) -> Size:
    """ceil(a / b)."""
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)
    return floordiv(a + (b - 1), b)


def sign_of(x: Size) -> int | None:
    """-1, 0 or 1 when the sign is certain for all sizes (a symbol is >= 0); `1` and `-1` may include 0 for symbolic x.
    None if open.
    """
    if isinstance(x, int):
        return (x > 0) - (x < 0)
    found: set[int] = set()
    for monomial, coefficient in x.terms.items():
        sign = 1 if coefficient > 0 else -1
        for atom in monomial:
            if atom.sign is None:
                return None
            sign *= atom.sign
        found.add(sign)
    return found.pop() if len(found) == 1 else None


def _lean(x: Size) -> int | None:
    """The sign of an operand, as `sign_of`; sizes less a number, as in `floordiv(N - 1, 2)`, are taken for sizes, which
    they are where a model runs.
    """
    sign = sign_of(x)
    if sign is None and isinstance(x, Dim) and () in x.terms:
        return 1 if sign_of(polynomial({m: c for m, c in x.terms.items() if m})) == 1 else None
    return sign


def _application_sign(fn: str, signs: list[int | None]) -> int | None:
    """The sign of an application from those of its operands: 1 and -1 may include 0, None is open."""
    upper = [1 if s == 0 else s for s in signs]
    if fn == "max":
        return 1 if 1 in upper else -1 if all(s == -1 for s in signs) else None
    if fn == "min":
        return -1 if -1 in signs else 1 if all(s == 1 for s in upper) else None
    if fn == "mod":
        return upper[1]
    a, b = upper
    return a * b if a is not None and b is not None else None


def substitute(x: Size, env: Mapping[str, Size]) -> Size:
    """x with the symbols of `env` replaced by what they stand for."""
    return x if isinstance(x, int) else with_atoms(x, lambda atom: atom.evaluate(env))


def with_atoms(x: Dim, value: Callable[[Atom], Size]) -> Size:
    """x with every atom replaced by its value."""
    total: Size = 0
    for monomial, coefficient in x.terms.items():
        term: Size = coefficient
        for atom in monomial:
            term = term * value(atom)
        total = total + term
    return total


def product(sizes: Iterable[Size]) -> Size:
    """The product of dimensions; 1 for none.  Numbers are multiplied first: a polynomial is made for symbols only."""
    number = 1
    total: Size = 1
    for size in sizes:
        if isinstance(size, int):
            number *= size
        else:
            total = total * size
    return total if number == 1 else total * number


def total(sizes: Iterable[Size]) -> Size:
    """The sum of dimensions; 0 for none."""
    out: Size = 0
    for size in sizes:
        out = out + size
    return out


APPLY = {"floordiv": floordiv, "mod": mod, "min": minimum, "max": maximum}
