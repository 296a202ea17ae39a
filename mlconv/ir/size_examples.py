"""Sizes that a run of a function may have, to try things with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mlconv.ir.data_sizes import data_sizes
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.facts import Condition
from mlconv.ir.module import Function
from mlconv.ir.shapes import Shape, symbols_of
from mlconv.ir.size_rules import Relation
from mlconv.ir.types import TensorType

_USUAL = (1, 2, 3, 5, 8, 13, 32, 100)
_TRIES = 400
_ENOUGH = 6


def examples(function: Function) -> list[dict[str, int]]:
    """A few assignments of the symbols of the inputs that fulfil all facts and conditions of a function; none where
    there are no symbols, or nothing that fits is found.
    """
    shapes = [v.type.shape for v in function.inputs if isinstance(v.type, TensorType)]
    names = [*symbols_of(shapes), *data_sizes(function.block)]
    found: list[dict[str, int]] = []
    for _, sizes in zip(range(_TRIES), _assignments(function, names), strict=False):
        if len(found) < _ENOUGH and sizes not in found and _are_allowed(function, shapes, sizes):
            found.append(sizes)
    return found


def _assignments(function: Function, names: list[str]) -> Iterator[dict[str, int]]:
    """All sizes alike, then different ones."""
    if not names:
        return
    ranges = function.facts.where.ranges
    numbers = sorted({*_USUAL, *_mentioned(function), *(n for pair in ranges.values() for n in pair)})
    numbers = [n for n in numbers if 1 <= n <= 1 << 16]
    for step in range(len(numbers)):
        for k, _ in enumerate(numbers):
            yield {name: numbers[(k + i * step) % len(numbers)] for i, name in enumerate(names)}


def _mentioned(function: Function) -> Iterator[int]:
    """Numbers that facts and conditions ask for."""
    for _, a, b in function.facts.conditions:
        for size in (a, b):
            constant = substitute(size, dict.fromkeys(size.symbols(), 0)) if isinstance(size, Dim) else size
            if isinstance(constant, int):
                yield from (abs(constant), abs(constant) + 1)


def _are_allowed(function: Function, shapes: list[Shape | None], sizes: Mapping[str, int]) -> bool:
    try:
        return _are_fulfilled(function, shapes, sizes)
    except ZeroDivisionError:
        return False  # a run asks first whether divisors are positive


def _are_fulfilled(function: Function, shapes: list[Shape | None], sizes: Mapping[str, int]) -> bool:
    where = function.facts.where
    within = all(low <= sizes.get(name, low) <= high for name, (low, high) in where.ranges.items())
    positive = all(_number(d, sizes) >= 0 for shape in shapes for d in shape or ())
    return (
        within
        and positive
        and all(_fulfils(Condition("least", r.a, r.b), sizes) for r in where.relations if r.kind == ">=")
        and all(_fulfils(Condition("equal", r.a, r.b), sizes) for r in where.relations if r.kind == "==")
        and all(_divides(r, sizes) for r in where.relations if r.kind == "%")
        and all(_fulfils(c, sizes) for c in function.facts.conditions)
    )


def _number(size: Size, sizes: Mapping[str, int]) -> int:
    """-1 for what these sizes do not tell."""
    value = substitute(size, sizes)
    return value if isinstance(value, int) else -1


def _fulfils(condition: Condition, sizes: Mapping[str, int]) -> bool:
    a, b = (substitute(x, sizes) for x in (condition.a, condition.b))
    if not isinstance(a, int) or not isinstance(b, int):
        return True  # of sizes that nobody tells
    return a >= b if condition.kind == "least" else a == b or (condition.kind == "spread" and a == 1)


def _divides(relation: Relation, sizes: Mapping[str, int]) -> bool:
    a = substitute(relation.a, sizes)
    return not isinstance(a, int) or not isinstance(relation.b, int) or a % relation.b == 0
