"""Tensors in which few numbers are repeated, as masks of windows are, as small tables: every element is found by which
runs its coordinates lie in.

An axis is a row of runs, each with one place in the table: `[n-4, 1, 1, 2]` are 4 places, of which the first is
repeated n-4 times.  Several axes may make one dimension of the tensor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.dims import Dim, Size, divide_exactly, product, total
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.types import Shape

Runs: TypeAlias = "tuple[Size, ...]"
_LARGEST = 1 << 17  # elements of a table
_LONGEST = 1 << 10  # a run of a number of elements that is taken apart


class Pieces(NamedTuple):
    """table: has an axis for each of `axes`, as long as that has runs.  groups: how many axes make each dimension of a
    tensor; none where it is 1.
    """

    table: Array
    axes: tuple[Runs, ...]
    groups: tuple[int, ...]

    @property
    def is_open(self) -> bool:
        return any(isinstance(n, Dim) for runs in self.axes for n in runs)

    def of_dimension(self, at: int) -> slice:
        """Which axes make a dimension."""
        ends = [0, *accumulate(self.groups)]
        return slice(ends[at], ends[at + 1])

    def by_dimension(self) -> list[tuple[Runs, ...]]:
        return [self.axes[self.of_dimension(i)] for i in range(len(self.groups))]


def of_array(array: Array) -> Pieces | None:
    """Every coordinate is a run of its own."""
    axes = tuple((1,) * n for n in array.shape if n != 1)
    table = array.reshape([n for n in array.shape if n != 1])
    return Pieces(table, axes, tuple(int(n != 1) for n in array.shape)) if array.size <= _LARGEST else None


def spread(pieces: Pieces, shape: Shape) -> Pieces | None:
    """Broadcast to a shape."""
    groups = [*[()] * (len(shape) - len(pieces.groups)), *pieces.by_dimension()]
    added = [not group and n != 1 for group, n in zip(groups, shape, strict=True)]
    wide = [((n,),) if new else group for group, n, new in zip(groups, shape, added, strict=True)]
    at = [sum(map(len, wide[:i])) for i, new in enumerate(added) if new]
    return _grouped(np.expand_dims(pieces.table, at), wide)


def transposed(pieces: Pieces, perm: Sequence[int]) -> Pieces:
    order = [i for axis in perm for i in range(len(pieces.axes))[pieces.of_dimension(axis)]]
    groups = pieces.by_dimension()
    return _grouped(pieces.table.transpose(order), [groups[axis] for axis in perm])


def joined(parts: Sequence[Pieces]) -> Pieces | None:
    """Vectors, one behind another."""
    if any(len(p.groups) != 1 or len(p.axes) > 1 for p in parts):
        return None
    runs = tuple(n for p in parts for n in (p.axes[0] if p.axes else (1,)))
    return Pieces(np.concatenate([p.table.reshape(-1) for p in parts]), (runs,), (1,))


def looked_up(pieces: Pieces, places: Pieces, axis: int) -> Pieces | None:
    """What is at places along a dimension that is no longer than the table."""
    at = pieces.of_dimension(axis)
    group = pieces.axes[at]
    if len(group) > 1 or any(n != 1 for runs in group for n in runs):
        return None
    count = len(group[0]) if group else 1
    numbers = places.table.astype(np.int64)
    if not numbers.size or numbers.min() < -count or numbers.max() >= count:
        return None
    if pieces.table.size // count * numbers.size > _LARGEST:
        return None
    table = pieces.table if group else np.expand_dims(pieces.table, at.start)
    groups = pieces.by_dimension()
    return _grouped(np.take(table, numbers, at.start), [*groups[:axis], *places.by_dimension(), *groups[axis + 1 :]])


def reshaped(pieces: Pieces, shape: Shape) -> Pieces | None:
    """With other dimensions; an axis is cut in rows where they end within it."""
    left, table, groups = list(pieces.axes), pieces.table, list[tuple[Runs, ...]]()
    done = 0
    for size in shape:
        group: list[Runs] = []
        there: Size = 1
        while there != size:
            if not left:
                return None
            length = total(left[0])
            missing = divide_exactly(size, there)
            if missing is None or (missing != length and divide_exactly(missing, length) is None):
                inner = None if missing is None else divide_exactly(length, missing)
                cut = cut_in_rows(left[0], inner) if isinstance(inner, int) else None
                if cut is None or table.size // len(left[0]) * cut.places.size > _LARGEST:
                    return None
                table = np.take(table, cut.places, done)
                left[:1] = [cut.rows, (1,) * cut.places.shape[1]]
            there = product((there, total(left[0])))
            group.append(left.pop(0))
            done += 1
        groups.append(tuple(group))
    return None if left else _grouped(table, groups)


def combined(function: Callable[..., Array], operands: Sequence[Pieces], facts: SizeFacts) -> Pieces | None:
    """An elementwise function of tensors that are broadcast to one another."""
    rank = max(len(p.groups) for p in operands)
    aligned = [[*[()] * (rank - len(p.groups)), *p.by_dimension()] for p in operands]
    groups: list[tuple[Runs, ...]] = []
    for column in zip(*aligned, strict=True):
        made = _common([group for group in column if group], facts)
        if made is None:
            return None
        groups.append(made)
    if math.prod(len(runs) for group in groups for runs in group) > _LARGEST:
        return None
    tables = [_taken(p.table, own, groups) for p, own in zip(operands, aligned, strict=True)]
    with np.errstate(all="ignore"):
        table = np.asarray(function(*tables))
    return _grouped(np.broadcast_to(table, [len(runs) for group in groups for runs in group]), groups)


def _grouped(table: Array, groups: Sequence[tuple[Runs, ...]]) -> Pieces:
    return Pieces(table, tuple(runs for group in groups for runs in group), tuple(map(len, groups)))


def _common(groups: Sequence[tuple[Runs, ...]], facts: SizeFacts) -> tuple[Runs, ...] | None:
    """The axes of a dimension, cut where any of the tensors has them cut."""
    if not groups:
        return ()
    if len({len(group) for group in groups}) > 1:
        return None
    found: list[Runs] = []
    for column in zip(*groups, strict=True):
        runs: Runs | None = column[0]
        for other in column[1:]:
            runs = None if runs is None else _refined(runs, other, facts)
        if runs is None:
            return None
        found.append(runs)
    return tuple(found)


def _refined(a: Runs, b: Runs, facts: SizeFacts) -> Runs | None:
    """Runs that end where those of either end; None where it depends on sizes which come first."""
    runs: list[Size] = []
    left, right = [*reversed(a)], [*reversed(b)]
    while left and right:
        x, y = left.pop(), right.pop()
        rest = x - y
        if isinstance(rest, int):
            is_longer = rest > 0
        elif holds(rest, ">=", 0, facts):
            is_longer = True
        elif holds(rest, "<=", 0, facts):
            is_longer = False
        else:
            return None
        runs.append(y if is_longer else x)
        if rest != 0:
            (left if is_longer else right).append(rest if is_longer else -rest)
    return None if left or right else tuple(runs)


def _taken(table: Array, own: Sequence[tuple[Runs, ...]], groups: Sequence[tuple[Runs, ...]]) -> Array:
    """A table with an axis for each of those of the result, of one place where it has none."""
    at = 0
    for mine, theirs in zip(own, groups, strict=True):
        for i, runs in enumerate(theirs):
            if not mine:
                table = np.expand_dims(table, at)
            elif mine[i] != runs:
                table = np.take(table, _places(runs, mine[i]), at)
            at += 1
    return table


def _places(fine: Runs, coarse: Runs) -> list[int]:
    """In which of some runs each of the runs lies that these were cut into."""
    places: list[int] = []
    at, left = 0, coarse[0]
    for run in fine:
        while left == 0 and run != 0:
            at, left = at + 1, coarse[at + 1]
        places.append(at)
        left = left - run
    return places


class Cut(NamedTuple):
    """An axis in rows of one length.  places: of the elements of each kind of row."""

    rows: Runs
    places: Array


def cut_in_rows(runs: Runs, length: int) -> Cut | None:
    """Rows of elements; None where sizes decide what they begin with."""
    rows: list[Size] = []
    kinds: list[list[int]] = []
    row: list[int] = []
    for place, run in enumerate(runs):
        if isinstance(run, int) and run > _LONGEST:
            return None
        if isinstance(run, int):
            elements = [*row, *[place] * run]
            whole = len(elements) // length * length
            kinds += [elements[i : i + length] for i in range(0, whole, length)]
            rows += [1] * (whole // length)
            row = elements[whole:]
            continue
        divided = None if row else _divided(run, length)
        if divided is None:
            return None
        rows.append(divided[0])
        kinds.append([place] * length)
        row = [place] * divided[1]
    return Cut(tuple(rows), np.asarray(kinds, np.int64)) if kinds and not row else None


def _divided(run: Dim, length: int) -> tuple[Size, int] | None:
    """How many rows a run fills, and what is left of it."""
    for rest in range(length):
        whole = divide_exactly(run - rest, length)
        if whole is not None:
            return whole, rest
    return None
