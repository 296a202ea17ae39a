"""Facts about sizes: what is derived of them holds for every assignment that they allow."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import DIALECTS
from mlconv.ir.dim_parser import parse_dim
from mlconv.ir.dims import Dim, Size, extreme, floordiv, maximum, minimum, mod, substitute
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from mlconv.ir.size_facts import SizeFacts, bounds, holds, simplify, truncated
from mlconv.ir.size_relations import Relation
from mlconv.ir.size_rules import Deductions
from mlconv.ir.verifier import verify
from tests.ir.test_text import rich_module

N, M, K = map(Dim.symbol, ("N", "M", "K"))
values = st.integers(0, 12)
environments = st.fixed_dictionaries({"N": values, "M": values, "K": values})


def expressions() -> st.SearchStrategy[Size]:
    """Sums, products, quotients, remainders and extremes.  Extremes are made without their own simplification, which
    takes sizes less a number for sizes.
    """
    leaf: st.SearchStrategy[Size] = st.one_of(st.integers(-6, 9), st.sampled_from([N, M, K]))

    def extend(inner: st.SearchStrategy[Size]) -> st.SearchStrategy[Size]:
        pairs, positive = st.tuples(inner, inner), st.integers(1, 7)
        return st.one_of(
            pairs.map(lambda p: p[0] + p[1]),
            pairs.map(lambda p: p[0] - p[1]),
            pairs.map(lambda p: p[0] * p[1]),
            st.tuples(inner, positive).map(lambda p: floordiv(p[0], p[1])),
            st.tuples(inner, positive).map(lambda p: mod(p[0], p[1])),
            st.tuples(inner, st.sampled_from([N + 1, M + 2])).map(lambda p: floordiv(p[0], p[1])),
            pairs.filter(_symbolic).map(lambda p: extreme("min", p[0], p[1])),
            pairs.filter(_symbolic).map(lambda p: extreme("max", p[0], p[1])),
        )

    return st.recursive(leaf, extend, max_leaves=7)


def _symbolic(pair: tuple[Size, Size]) -> bool:
    return any(isinstance(x, Dim) for x in pair)


def value(x: Size, env: dict[str, int]) -> int:
    found = substitute(x, env)
    assert isinstance(found, int)
    return found


@st.composite
def facts_at(draw: st.DrawFn) -> tuple[SizeFacts, dict[str, int]]:
    """Facts, and an assignment that satisfies them: each relation is made true of it."""
    env = draw(environments)
    ranges = {
        name: (draw(st.integers(0, env[name])), draw(st.integers(env[name], 14)))
        for name in draw(st.lists(st.sampled_from(sorted(env)), unique=True))
    }
    relations = []
    for _ in range(draw(st.integers(0, 4))):
        a, b = draw(expressions()), draw(expressions())
        kind = draw(st.sampled_from(["==", ">=", "%"]))
        x, y = value(a, env), value(b, env)
        if kind == "==":
            relations.append(Relation(a, "==", b + (x - y)))
        elif kind == ">=":
            relations.append(Relation(a, ">=", b + min(0, x - y)))
        else:
            n = draw(st.integers(1, 6))
            relations.append(Relation(a - x % n, "%", n))
    return SizeFacts(ranges, relations), env


@given(facts_at(), expressions())
@settings(max_examples=50, deadline=None)
def test_what_is_derived_holds(given_: tuple[SizeFacts, dict[str, int]], x: Size) -> None:
    facts, env = given_
    simple = simplify(x, facts)
    assert value(simple, env) == value(x, env)
    low, high = bounds(x, facts)
    assert low <= value(x, env) <= high
    assert not facts.faults()


@given(facts_at(), expressions(), expressions(), st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
@settings(max_examples=50, deadline=None)
def test_relations_that_are_decided_hold(
    given_: tuple[SizeFacts, dict[str, int]], a: Size, b: Size, relation: str
) -> None:
    facts, env = given_
    x, y = value(a, env), value(b, env)
    truth = {"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[relation]
    assert holds(a, relation, b, facts) in (None, truth)


@given(facts_at(), expressions(), st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_multiples_that_are_certain_are_some(given_: tuple[SizeFacts, dict[str, int]], a: Size, n: int) -> None:
    facts, env = given_
    assert holds(a, "%", n, facts) in (None, value(a, env) % n == 0)


@given(facts_at())
@settings(max_examples=40, deadline=None)
def test_text_of_facts_reads_back(given_: tuple[SizeFacts, dict[str, int]]) -> None:
    facts = SizeFacts.parse(given_[0].texts())  # whose extremes are simplified
    assert SizeFacts.parse(facts.texts()) == facts
    m = rich_module()
    m.main.facts.where = facts
    text = print_module(m)
    again = parse_module(text, DIALECTS)
    assert again.main.facts.where == facts and print_module(again) == text


def test_unknown_sizes_of_facts_keep_their_identity() -> None:
    unknown = Dim.unknown()
    m = rich_module()
    m.main.facts.where = SizeFacts(None, [Relation(unknown, ">=", N), Relation(Dim.unknown(), "==", unknown * 2)])
    again = parse_module(print_module(m), DIALECTS)
    first, second = again.main.facts.where.relations
    assert second.b == first.a * 2 and second.a != first.a


EXAMPLES = [
    (["1 <= s <= 8"], "min(64, s)", "s"),
    (["1 <= s <= 128"], "min(64, s)", "min(64,s)"),
    (["1 <= s <= 64"], "max(min(64, s), s)", "s"),
    (["t == s"], "max(s, t)", "s"),
    (["t == s"], "b*t-s*b+t", "s"),
    (["s >= t"], "max(s, t)-s", "0"),
    (["s >= 1"], "max(1, s)", "s"),
    (["s % 4 == 0"], "4*floordiv(s, 4)", "s"),
    (["s % 4 == 0"], "mod(b*s, 2)", "0"),
    (["s % 4 == 0"], "floordiv(3*s, 2)-6*floordiv(s, 4)", "0"),
    (["b*s % 6 == 0"], "3*floordiv(b*s, 3)", "b*s"),
    (["4*s == 3*floordiv(4*s, 3)"], "3*floordiv(s, 3)", "s"),
    (["0 <= s <= 15"], "floordiv(s, 16)", "0"),
    (["16 <= s <= 31"], "mod(s, 16)", "s-16"),
    (["4 <= s <= 4"], "s*b", "4*b"),
    (["max(s, t) == s"], "2*max(t, s)", "2*s"),
    (["s >= 8"], "max(min(8, s), min(s, 4))", "8"),
    (["s == 2*h"], "floordiv(s, 2)", "h"),
    (["floordiv(s+1, 2) == floordiv(s, 2)", "2*floordiv(s, 2) == s"], "2*floordiv(s+1, 2)", "s"),
    (["1 <= s <= 48", "floordiv(s, 16)-1 >= 1"], "floordiv(s, 32)", "1"),
    (["s >= 1", "5-2*floordiv(s+1, 4) >= 0"], "min(s, 10)", "s"),
    (["1 <= s <= 16", "s % 4 == 0"], "min(2, s)", "2"),
    (["s >= 1", "t >= 1", "s*t == 16"], "s*t+1", "17"),
    ([], "floordiv(s, 4)+mod(floordiv(s, 4), 2)", "2*floordiv(s+4, 8)"),
    ([], "t-s-mod(s, 2)", "t-2*floordiv(s+1, 2)"),
]


@pytest.mark.parametrize(("texts", "x", "simple"), EXAMPLES)
def test_examples(texts: list[str], x: str, simple: str) -> None:
    facts = SizeFacts.parse(texts)
    assert simplify(parse_dim(x), facts) == parse_dim(simple)


def test_relations() -> None:
    facts = SizeFacts.parse(["2 <= N <= 8", "M >= N+1", "K == 2*M"])
    assert holds(M, ">", N, facts) and holds(M, ">=", 3, facts) and holds(K, ">=", 6, facts)
    assert holds(N, ">", 8, facts) is False and holds(N, "!=", 9, facts) and holds(M, "==", N, facts) is False
    assert holds(N, "==", 4, facts) is None and holds(K, "%", 2, facts) and holds(N, "%", 2, facts) is None
    assert bounds(N * 3 - 1, facts) == (5, 23) and bounds(M, facts) == (3, math.inf)
    assert holds(maximum(N, M), ">=", minimum(N, K), SizeFacts())


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["3 <= N <= 2"], "N lies in 3..2"),
        (["N == M", "M == N+1"], "never holds"),
        (["1 <= N <= 4", "N >= 5"], "N >= 5 never holds"),
        (["N % 0 == 0"], "no relation"),
    ],
)
def test_facts_that_never_hold_are_not_valid(texts: list[str], message: str) -> None:
    m = rich_module()
    m.main.facts.where = SizeFacts.parse(texts)
    with pytest.raises(ConversionError, match=message) as e:
        verify(m)
    assert e.value.code is Code.IrInvalid


@pytest.mark.parametrize("text", ["N", "N = 4", "N < M", "1 <= 2*N <= 4", "N % 4 == 1", "N == M == K", "N == $"])
def test_text_that_is_no_fact_is_refused(text: str) -> None:
    m = rich_module()
    m.main.facts.where = SizeFacts.parse(["N == M"])
    printed = print_module(m).replace("N == M", text).replace("M == N", text)
    assert text in printed
    with pytest.raises(ConversionError) as e:
        parse_module(printed, DIALECTS)
    assert e.value.code is Code.TextNotUnderstood


def test_division_by_a_size_that_is_zero_stays() -> None:
    x = floordiv(M, N)
    simple = simplify(x, SizeFacts({"N": (0, 0)}))
    assert isinstance(simple, Dim)


def test_what_is_rounded_up_to_itself() -> None:
    """A size that is the next multiple of a number is one: a stride of 2 undone by a factor of 2."""
    even = SizeFacts(None, [Relation(2 * floordiv(N - 1, 2) + 2, "==", N)])
    assert simplify(2 * floordiv(N - 1, 2) + 2, even) == N
    assert holds(N, "%", 2, even)
    odd = SizeFacts(None, [Relation(2 * floordiv(N, 2) + 1, "==", N)])
    assert holds(N + 1, "%", 2, odd) and simplify(2 * floordiv(N, 2) + 1, odd) == 2 * floordiv(N, 2) + 1
    assert SizeFacts(None, [Relation(2 * floordiv(N, 2) + 2, "==", N)]).faults()


def test_what_rounding_leaves() -> None:
    """What is missing to a multiple is a remainder."""
    half = floordiv(N, 2)
    assert bounds(N - 2 * half, SizeFacts()) == (0, 1)
    assert bounds(half - 2 * floordiv(N, 4), SizeFacts()) == (0, 1)
    assert bounds(N - 2 * half + M - 3 * floordiv(M, 3), SizeFacts()) == (0, 3)
    assert simplify(3 * floordiv(N + 1, 2) - 2 * floordiv(N - 1, 2), SizeFacts()) == floordiv(N + 1, 2) + 2
    assert simplify(floordiv(floordiv(N + 9, 8) - floordiv(N + 1, 8), 4) + M, SizeFacts()) == M
    assert simplify(N + mod(-N, 4), SizeFacts()) == 4 * floordiv(N + 3, 4)
    assert simplify(4 * floordiv(N + mod(4 - mod(N, 4), 4), 4), SizeFacts()) == 4 * floordiv(N + 3, 4)
    assert simplify(mod(M + 3 * mod(N, 8), 4), SizeFacts()) == mod(M + 3 * N, 4)


def test_products_of_what_may_be_negative() -> None:
    """Elements of a convolution with strides, multiplied out: neither factor of (a + 1) * (b + 1) is negative."""
    a, b = floordiv(N - 1, 8), floordiv(M - 1, 8)
    cells = (a + 1) * (b + 1)
    assert bounds(cells, SizeFacts()) == (0, math.inf) and holds(cells, "==", -1, SizeFacts()) is False
    assert bounds(-3 * cells * (a + 1), SizeFacts()) == (-math.inf, 0)
    assert bounds(cells, SizeFacts({"N": (1, 16), "M": (0, 8)})) == (0, 2)
    assert bounds(3 * (N - 1) * M, SizeFacts({"N": (2, 7), "M": (1, 4)})) == (3, 72)


@given(environments, expressions(), st.integers(-5, 5).filter(bool))
@example({"N": 1, "M": 1, "K": 1}, floordiv(N - 2, N + 1), 2)
@settings(max_examples=300, deadline=None)
def test_truncated_quotients(sizes: dict[str, int], x: Size, n: int) -> None:
    """Towards zero, as ONNX divides integers, for dimensions with elements."""
    quotient = truncated(x, n)
    sizes = {name: max(size, 1) for name, size in sizes.items()}
    value = substitute(x, sizes)
    # extremes take `N - 2` below a quotient for a size
    sound = all(substitute(maximum(each, 0), sizes) == max(substitute(each, sizes), 0) for each in (x, -x))
    if quotient is not None and isinstance(value, int) and sound and "max" not in str(x) and "min" not in str(x):
        assert substitute(quotient, sizes) == math.trunc(value / n)


def test_what_is_known_already_is_not_kept() -> None:
    """Each fact that is kept is compared with every size."""
    windows = [floordiv(N - 1, 2**i) + 1 for i in range(1, 6)]
    relations = [Relation(N, ">=", 1), *(Relation(w + 2, ">=", 3) for w in windows)]
    assert Deductions({}, relations).positive == []
    assert Deductions({}, [*relations, Relation(N * M, ">=", 7)]).positive == [N * M - 7]
