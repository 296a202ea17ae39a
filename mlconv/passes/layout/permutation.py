"""Permutations of axes, as tuples: `p` stores axis p[i] at place i.

A value v under layout s is kept as transpose(v, s).  compose(a, b)[i] = a[b[i]].
"""

from __future__ import annotations

from typing import TypeAlias

Perm: TypeAlias = tuple[int, ...]


def identity(rank: int) -> Perm:
    return tuple(range(rank))


def compose(a: Perm, b: Perm) -> Perm:
    return tuple(map(a.__getitem__, b))


def invert(p: Perm) -> Perm:
    out = [0] * len(p)
    for i, a in enumerate(p):
        out[a] = i
    return tuple(out)


def between(source: Perm, target: Perm) -> Perm:
    """The transpose that takes a value stored under `source` to `target`."""
    place = invert(source)
    return tuple(place[a] for a in target)
