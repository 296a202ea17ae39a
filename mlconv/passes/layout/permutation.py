"""Permutations of axes, as tuples: `p` stores axis p[i] at place i.

A value v under layout s is kept as transpose(v, s).  compose(a, b)[i] = a[b[i]].
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

Perm: TypeAlias = tuple[int, ...]
_KEPT = 1 << 12  # networks ask for the same few again and again


def identity(rank: int) -> Perm:
    return tuple(range(rank))


@lru_cache(maxsize=_KEPT)
def compose(a: Perm, b: Perm) -> Perm:
    return tuple(map(a.__getitem__, b))


@lru_cache(maxsize=_KEPT)
def invert(p: Perm) -> Perm:
    out = [0] * len(p)
    for i, a in enumerate(p):
        out[a] = i
    return tuple(out)


@lru_cache(maxsize=_KEPT)
def between(source: Perm, target: Perm) -> Perm:
    """The transpose that takes a value stored under `source` to `target`."""
    place = invert(source)
    return tuple(place[a] for a in target)


@lru_cache(maxsize=64)
def channels_first(layout: str) -> Perm:
    """The permutation that takes `layout`, as `NHWC`, to batch, channels, spatial axes."""
    return tuple(layout.index(c) for c in ("N", "C", *sorted(c for c in layout if c not in "NC")))
