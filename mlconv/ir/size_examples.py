"""Sizes that a run of a function may have, to try things with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from mlconv.ir.data_sizes import data_sizes
from mlconv.ir.dim_fold import number_at
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.facts import Condition, Facts
from mlconv.ir.module import Function
from mlconv.ir.shapes import symbols_of
from mlconv.ir.size_facts import simplify
from mlconv.ir.size_relations import Relation
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
    for _, sizes in zip(range(_TRIES), _assignments(function.facts, names), strict=False):
        if len(found) < _ENOUGH and sizes not in found and are_allowed(function, sizes):
            found.append(sizes)
    return found


def _assignments(facts: Facts, names: list[str]) -> Iterator[dict[str, int]]:
    """All sizes alike, then different ones; those that follow from others are what follows."""
    if not names:
        return
    ends = (n for pair in facts.where.ranges.values() for n in pair)
    asked = (*_mentioned(facts.conditions), *_solved(facts.conditions, names))
    numbers = [n for n in sorted({*_USUAL, *asked, *ends}) if 1 <= n <= 1 << 16]
    adapt = adapted(facts)
    for step in range(len(numbers)):
        for k, _ in enumerate(numbers):
            yield adapt({name: numbers[(k + i * step) % len(numbers)] for i, name in enumerate(names)})


def adapted(facts: Facts) -> Callable[[dict[str, int]], dict[str, int]]:
    """A function that gives sizes that others tell, by facts and conditions, the values that follow."""
    told = facts.where.and_also(Relation(c.a, "==", c.b) for c in facts.conditions if c.kind == "equal")

    def adapt(sizes: dict[str, int]) -> dict[str, int]:
        return {name: _number(simplify(Dim.symbol(name), told), sizes) for name in sizes}

    return adapt


def _mentioned(conditions: Sequence[Condition]) -> Iterator[int]:
    """Numbers that conditions ask for."""
    for condition in conditions:
        for size in (condition.a, condition.b):
            constant = number_at(size, dict.fromkeys(size.symbols(), 0)) if isinstance(size, Dim) else size
            if constant is not None:
                yield from (abs(constant), abs(constant) + 1)


def _solved(conditions: Sequence[Condition], names: Sequence[str]) -> Iterator[int]:
    """Sizes that make two sides equal where all others are 1, or 2: the 7 of 16*b*s = 112*b."""
    for condition in conditions:
        for name, others in product(names if condition.kind == "equal" else (), (1, 2)):
            start, then = (_apart(condition, {**dict.fromkeys(names, others), name: n}) for n in (0, 1))
            if start is None or then is None or start == then or start % (start - then):
                continue
            yield start // (start - then)


def _apart(condition: Condition, sizes: Mapping[str, int]) -> int | None:
    """How much larger the left side is; None where these sizes do not tell."""
    a, b = (number_at(size, sizes) if isinstance(size, Dim) else size for size in (condition.a, condition.b))
    return None if a is None or b is None else a - b


def are_allowed(function: Function, sizes: Mapping[str, int]) -> bool:
    """Sizes fulfil all facts and conditions of a function, as far as they tell them."""
    try:
        return _are_fulfilled(function, sizes)
    except ZeroDivisionError:
        return False  # a run asks first whether divisors are positive


def _are_fulfilled(function: Function, sizes: Mapping[str, int]) -> bool:
    where = function.facts.where
    shapes = [v.type.shape for v in function.inputs if isinstance(v.type, TensorType)]
    within = all(low <= sizes.get(name, low) <= high for name, (low, high) in where.ranges.items())
    positive = all(_number(d, sizes) >= 0 for shape in shapes for d in shape or ())
    return (
        within
        and positive
        and all(Condition("least", r.a, r.b).holds_at(sizes) is not False for r in where.relations if r.kind == ">=")
        and all(Condition("equal", r.a, r.b).holds_at(sizes) is not False for r in where.relations if r.kind == "==")
        and all(_divides(r, sizes) for r in where.relations if r.kind == "%")
        and all(c.holds_at(sizes) is not False for c in function.facts.conditions)
    )


def _number(size: Size, sizes: Mapping[str, int]) -> int:
    """-1 for what these sizes do not tell."""
    value = substitute(size, sizes)
    return value if isinstance(value, int) else -1


def _divides(relation: Relation, sizes: Mapping[str, int]) -> bool:
    a = substitute(relation.a, sizes)
    return not isinstance(a, int) or not isinstance(relation.b, int) or a % relation.b == 0
