"""Symbolic dimensions: algebra checked against integers by substitution."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given, settings

from mlconv.ir.dim_parser import parse_dim
from mlconv.ir.dims import Dim, Size, ceildiv, floordiv, maximum, minimum, mod, operands_of, substitute
from mlconv.ir.shapes import is_at_most

N, M = Dim.symbol("N"), Dim.symbol("M")
ENV = {"N": 12, "M": 5}
NAMED = ["floordiv", "mod", "min", "max"]  # models may call their sizes after functions


def expressions() -> st.SearchStrategy[Size]:
    leaf: st.SearchStrategy[Size] = st.one_of(
        st.integers(-6, 6), st.sampled_from([N, M, *map(Dim.symbol, ["batch size", *NAMED])])
    )

    def extend(inner: st.SearchStrategy[Size]) -> st.SearchStrategy[Size]:
        pairs = st.tuples(inner, inner)
        positive = st.integers(1, 7)
        return st.one_of(
            pairs.map(lambda p: p[0] + p[1]),
            pairs.map(lambda p: p[0] - p[1]),
            pairs.map(lambda p: p[0] * p[1]),
            st.tuples(inner, positive).map(lambda p: floordiv(p[0], p[1])),
            st.tuples(inner, positive).map(lambda p: mod(p[0], p[1])),
            pairs.map(lambda p: minimum(p[0], p[1])),
            pairs.map(lambda p: maximum(p[0], p[1])),
        )

    return st.recursive(leaf, extend, max_leaves=6)


@given(expressions())
@settings(max_examples=200, deadline=None)
def test_text_reads_back(x: Size) -> None:
    assert parse_dim(str(x)) == x


@given(expressions(), expressions(), st.integers(1, 9), st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
@settings(max_examples=200, deadline=None)
def test_algebra_agrees_with_integers(a: Size, b: Size, k: int, n: int, m: int, s: int) -> None:
    env = {"N": n, "M": m, **dict.fromkeys(["batch size", *NAMED], s)}
    x, y = substitute(a, env), substitute(b, env)
    assert isinstance(x, int) and isinstance(y, int)
    assert substitute(a + b, env) == x + y
    assert substitute(a * b, env) == x * y
    assert substitute(a - b, env) == x - y
    assert substitute(floordiv(a, k), env) == x // k
    assert substitute(mod(a, k), env) == x % k
    assert substitute(ceildiv(a, k), env) == -(-x // k)


@given(st.text() | st.sampled_from(NAMED), st.text() | st.sampled_from(NAMED))
@settings(max_examples=200, deadline=None)
def test_names_of_symbols_read_back(a: str, b: str) -> None:
    """Any text is a name; `?` alone stands for a size that nothing is known about."""
    if "?" not in (a, b):
        x, y = Dim.symbol(a), Dim.symbol(b)
        assert parse_dim(str(x)) == x
        assert (str(x) == str(y)) == (a == b)
        assert parse_dim(str(floordiv(x, 2) + 3 * y)) == floordiv(x, 2) + 3 * y


def test_backticks_in_names_stay() -> None:
    assert str(Dim.symbol("a`b")) == "`a``b`" and str(Dim.symbol("a'b")) == "`a'b`"


def test_normal_form() -> None:
    assert (N + 1) * 2 == 2 * N + 2
    assert floordiv(4 * N * M, 2 * M) == 2 * N
    assert floordiv(2 * N + 3, 2) == N + 1
    assert floordiv((N + 1) * M, N + 1) == M
    assert N - N == 0 and mod(6 * N, 3) == 0 and mod(N + 8 * M, 4) == mod(mod(N, 4) + 4, 4) == mod(N, 4)
    assert mod(4 - mod(N, 4), 4) == mod(-N, 4)
    assert minimum(N, N + 2) == N and maximum(N + 1, N) == N + 1
    both = maximum(N, M)
    assert maximum(both, N) == maximum(M, both) == both and maximum(maximum(both, 7), N) == maximum(both, 7)


def test_signs_of_applications() -> None:
    """-floordiv(-N, 4) is N / 4 rounded up: what is subtracted from a size by it makes the size smaller."""
    up = -floordiv(-N, 4)
    assert maximum(up + 4, 4) == up + 4 and minimum(N + up, N) == N
    assert minimum((up + 4) * up, (up + 3) * up) == (up + 3) * up
    assert maximum(floordiv(N - 1, 2) + 1, 1) == floordiv(N - 1, 2) + 1
    assert maximum(floordiv(3 - N, 2), 0) not in (0, floordiv(3 - N, 2))
    assert maximum(mod(N, 7), 0) == mod(N, 7) and minimum(maximum(M, N), 0) == 0


def test_unknown_equals_only_itself() -> None:
    a, b = Dim.unknown(), Dim.unknown()
    assert a == a and a != b and a + 1 == 1 + a and a - b != 0
    assert floordiv(a, 2) != floordiv(b, 2)


def test_expressions_that_grow_without_end_are_unknown() -> None:
    """A few ops that square a size, or nest one in itself, would make millions of terms."""
    n = Dim.symbol("N")
    squared, nested, doubled = n, n, n
    for _ in range(40):
        squared = squared * (squared + 1)
        nested = floordiv(nested * 3, nested + 2)
        doubled = doubled * 5 * doubled
    assert [len(str(x)) <= 1 << 14 for x in (squared, nested, doubled)] == [True] * 3
    total = sum((Dim.symbol(f"S{i}") for i in range(5000)), 0)
    assert total * 64 == 64 * total and (n + 1) * 2 == 2 * n + 2


def test_quotients_meet() -> None:
    """Roundings in one another are one, common factors go, divisors below 0 are turned."""
    assert floordiv(floordiv(N - 1, 2) + 3, 2) == floordiv(N + 5, 4)
    assert floordiv(16 * M * (N + mod(-N, 4)), 64 * M) == floordiv(N + mod(-N, 4), 4)
    assert floordiv(32 * N * maximum(N, 1), 8 * N) == 4 * maximum(N, 1)
    assert floordiv(N, -4) == floordiv(-N, 4) and mod(N, -4) == -mod(-N, 4)


def test_what_is_one_at_most_is_asked_once() -> None:
    """Whether there is anything, of sums of what there is: an expression does not grow where a loop is written out."""
    length: Size = N
    for _ in range(40):
        length = length + minimum(1, length)
    assert length == N + 40 * minimum(1, N)
    assert minimum(1, 2 * N + 3 * M * N) == minimum(1, N + M * N) and minimum(1, N - M) != minimum(1, N)


def test_what_is_at_most() -> None:
    """A slice of so many rows is never longer, wherever its ends are cut."""
    rows = minimum(128, N + M) - minimum(128, N)
    assert is_at_most(rows, M) and is_at_most(maximum(0, rows), M) and is_at_most(rows, 2 * M)
    assert not any(is_at_most(x, y) for x, y in ((rows, N), (M, rows), (minimum(64, N + M) - minimum(128, N), M)))


def test_operands_are_in_one_order() -> None:
    """Sizes that nothing is known about look the same to a hash and to a sort: their order is that of the expression,
    so that the bytes of files do not depend on how the process hashes texts.
    """
    parts = [Dim.unknown() for _ in range(30)]
    nest: Size = parts[0]
    for part in parts[1:]:
        nest = maximum(nest, part)
    found = list(operands_of("max", nest))
    assert [parts.index(x) for x in found if isinstance(x, Dim)] == [1, 0, *range(2, 30)]
