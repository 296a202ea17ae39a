"""Typical values of sizes that are known at run time: what choices go by where nothing depends on them."""

from __future__ import annotations

from functools import lru_cache

from mlconv.ir.dims import Dim, Size, substitute


def estimate(size: Size, each: int = 64) -> int:
    """A typical value: every symbol counts `each`."""
    return _estimated(size, each) if isinstance(size, Dim) else size


@lru_cache(maxsize=1 << 12)
def _estimated(size: Dim, each: int) -> int:
    try:
        found = substitute(size, dict.fromkeys(size.symbols(), each))
    except ZeroDivisionError:
        return each  # there is no such run
    return found if isinstance(found, int) else each
