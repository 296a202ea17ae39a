"""Shapes: the sizes of a tensor's axes, numbers or dimensions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mlconv.ir.dims import Atom, Dim, Size, operands_of, product, sign_of, text_of

Shape: TypeAlias = tuple[Size, ...]
MATRIX = 2  # axes


def static(sizes: Iterable[object] | None) -> tuple[int, ...] | None:
    """Sizes as integers; None where one of them, or how many there are, is known at run time only."""
    if sizes is None:
        return None
    numbers: list[int] = []
    for size in sizes:
        if not isinstance(size, int):
            return None
        numbers.append(size)
    return tuple(numbers)


def symbols_of(shapes: Iterable[Shape | None]) -> list[str]:
    """The symbols that occur in shapes, sorted."""
    return sorted({s for shape in shapes for d in shape or () if isinstance(d, Dim) for s in d.symbols()})


def sizes_of(shapes: Iterable[Shape | None], found: Iterable[Sequence[int]]) -> dict[str, int]:
    """What the symbols that are sizes stand for, where tensors of these shapes have been found to be of those."""
    pairs = (pair for shape, sizes in zip(shapes, found, strict=True) for pair in zip(shape or (), sizes, strict=True))
    return {d.name: n for d, n in pairs if isinstance(d, Dim) and d.name is not None}


def is_told(shape: Shape | None) -> bool:
    """Every size is a number, or told by symbols."""
    return shape is not None and all(isinstance(d, int) or d.is_known for d in shape)


def is_one_at_most(x: Size) -> bool:
    """A size that is 0 or 1, as that of the first row of what may have none, `min(1, N)`."""
    return x in (0, 1) if isinstance(x, int) else 1 in operands_of("min", x)


def is_at_most(x: Size, most: Size) -> bool:
    """A size that is certain not to be larger, as that of a slice, `min(c, N + n) - min(c, N)`, and n: what an end is
    cut by is never more than what it was moved by.
    """
    parts = operands_of("max", x)
    if len(parts) > 1:
        return all(is_at_most(part, most) for part in parts)
    difference = x - most
    if isinstance(difference, int) or sign_of(difference) is not None:
        return sign_of(difference) in (0, -1)
    limits = [(m[0], c) for m, c in difference.terms.items() if len(m) == 1 and m[0].applies("min")]
    for above, below in itertools.permutations(limits, 2):
        moved = _moved_by(above[0], below[0]) if (above[1], below[1]) == (1, -1) else None
        if moved is not None and sign_of(moved) == 1:
            rest_of = difference - Dim.of(above[0]) + Dim.of(below[0]) + moved
            if sign_of(rest_of) in (0, -1):
                return True
    return False


def _moved_by(a: Atom, b: Atom) -> Size | None:
    """How much more one of two minima takes of a size, which have the other operands in common."""
    of_a, of_b = (operands_of("min", Dim.of(atom)).keys() for atom in (a, b))
    (own, *more), (other, *others) = (list(x - y) or [0] for x, y in ((of_a, of_b), (of_b, of_a)))
    return None if more or others or not of_a & of_b else own - other


def unknown_in(sizes: Iterable[Size]) -> set[int]:
    """Sizes that nothing is known about and that occur in some, as numbers that are the same for the same."""
    found: set[int] = set()

    def note(atom: Atom) -> str:
        found.add(id(atom))
        return "?"

    for size in sizes:
        text_of(size, note)
    return found


def with_size(shape: Shape, axis: int, size: Size) -> Shape:
    """The shape with another size of an axis."""
    return (*shape[:axis], size, *shape[axis + 1 :])


def without_units(shape: Shape) -> Shape:
    """The sizes that are not 1."""
    return tuple(n for n in shape if n != 1)


def same_axis(before: Shape, after: Shape, axis: int) -> int | None:
    """Where an axis stands under another shape that differs in axes of size 1 only; None where it has size 1 itself, or
    the shapes differ in other ways.
    """
    if before[axis] == 1 or without_units(before) != without_units(after):
        return None
    place = len(without_units(before[:axis]))
    return [i for i, n in enumerate(after) if n != 1][place]


def unit_axes(before: Shape, after: Shape) -> tuple[int, ...] | None:
    """Axes of size 1 that one shape has more than another, in its own numbering; None where it has none, or differs in
    other ways.
    """
    axes, kept = [], 0
    for i, n in enumerate(after):
        if kept < len(before) and n == before[kept]:
            kept += 1
        elif n == 1:
            axes.append(i)
        else:
            return None
    return tuple(axes) if kept == len(before) and axes else None


def moves_nothing(shape: Sequence[Size], perm: Sequence[int]) -> bool:
    """Transposing leaves the order of elements alone: only axes of size 1 move."""
    kept = [axis for axis in perm if shape[axis] != 1]
    return kept == sorted(kept)


def same_slices(axis: int, old: Sequence[Size], new: Sequence[Size]) -> int | None:
    """The axis of a new shape whose slices are those of an axis of an old one, for elements in row-major order."""
    before, size = product(old[:axis]), old[axis]
    return next((i for i, d in enumerate(new) if d == size and product(new[:i]) == before), None)


def repeated_slices(axis: int, old: Sequence[Size], new: Sequence[Size]) -> tuple[int, int] | None:
    """The axis of a new shape along which the slices of an axis of an old one follow each other again and again, as
    where axes in front are joined with it, and how many times.
    """
    behind, size = product(old[axis + 1 :]), old[axis]
    if not isinstance(size, int) or not size:
        return None
    found = ((i, d) for i, d in enumerate(new) if isinstance(d, int) and d and d % size == 0)
    return next(((i, d // size) for i, d in found if product(new[i + 1 :]) == behind), None)
