"""Rows of large matrices of cases: a share runs in `make test`, all of them in `make test-long`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def thinned(every: int, *axes: Iterable[object]) -> list[Any]:
    """Parameters: all combinations of the axes; those of which the places' sum is no multiple of `every` are `long`.
    Of two axes whose lengths are at least `every`, each value is in some row that is not.
    """
    rows = []
    for places in product(*(enumerate(axis) for axis in axes)):
        marks = [] if sum(i for i, _ in places) % every == 0 else [pytest.mark.long]
        rows.append(pytest.param(*(value for _, value in places), marks=marks))
    return rows
