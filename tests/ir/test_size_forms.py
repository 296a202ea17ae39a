"""Expressions of sizes written by remainders."""

from __future__ import annotations

import pytest

from mlconv.ir.dim_fold import number_at
from mlconv.ir.dim_parser import parse_dim
from mlconv.ir.dims import Dim
from mlconv.ir.size_forms import as_remainder

FORMS = [
    ("n-4*floordiv(n, 4)", "mod(n, 4)"),
    ("floordiv(n, 2)-2*floordiv(n, 4)", "mod(floordiv(n, 2), 2)"),
    ("4*floordiv(n, 2)-8*floordiv(n, 4)", "4*mod(floordiv(n, 2), 2)"),
    ("6*floordiv(n, 4)-12*floordiv(n, 8)+m", "m+6*mod(floordiv(n, 4), 2)"),
    ("32*floordiv(n+31, 32)-n", "mod(-n, 32)"),
    ("8*floordiv(n+3, 4)-2*n+m", "m+2*mod(-n, 4)"),
    ("3*floordiv(n, 4)-floordiv(n, 8)", "3*floordiv(n, 4)-floordiv(n, 8)"),
]


@pytest.mark.parametrize(("text", "wanted"), FORMS)
def test_remainders(text: str, wanted: str) -> None:
    x, y = parse_dim(text), parse_dim(wanted)
    assert isinstance(x, Dim)
    assert as_remainder(x) == y
    for n in range(20):
        assert number_at(x, {"n": n, "m": 5}) == number_at(y, {"n": n, "m": 5})
