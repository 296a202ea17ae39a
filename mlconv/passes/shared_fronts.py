"""What is computed of counts alike for several lengths is computed for the longest: `f(range(m))` is the front of
`f(range(n))`, where m <= n.  Grids of the levels of a pyramid, whose first one has most places, are written so.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.shapes import unit_axes
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.traits import Elementwise, has_trait
from mlconv.ir.types import Shape, TensorType
from mlconv.passes.cse import key_of
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder

_MOST: Final = 4  # longest ones that a front is looked for in
_NUMBERS: Final = 1 << 6  # of a constant


class Front(NamedTuple):
    """What a value is computed of counts by, but for their lengths.  limits: for each axis, of the count along it."""

    key: int
    limits: tuple[Value | None, ...]


def share_fronts(function: Function) -> int:
    """In place; returns how many values became the front of another."""
    fronts = _Fronts()
    for op in function.block.ops:
        fronts.learn(op)
    longest: dict[int, list[Value]] = {}
    shared = 0
    for value, front in fronts.found.items():
        if all(user.results and user.results[0] in fronts.found for user in value.users):
            continue
        known = longest.setdefault(front.key, [])
        whole = next((v for v in known if _is_front(value, v, function.facts.where)), None)
        if whole is None:
            known[_MOST - 1 :] = [value]
        elif whole.type != value.type and not isinstance(value.producer, core.Range):
            _take(value, whole, front)
            shared += 1
    return shared


class _Fronts:
    """Values that are computed of counts and small constants, element by element."""

    def __init__(self) -> None:
        self.found: dict[Value, Front] = {}
        self._numbers: dict[Hashable, int] = {}

    def learn(self, op: Op) -> None:
        if len(op.results) != 1 or not isinstance(op.results[0].type, TensorType):
            return
        if isinstance(op, core.Range):
            if op.y.tensor.dtype.is_int and not op.y.tensor.is_static and _counts(op):
                self._add(op.y, ("count", op.y.tensor.dtype), (op.limit,))
        elif isinstance(op, (core.Reshape, core.ExpandDims, core.Squeeze)):
            self._learn_view(op)
        elif has_trait(op, Elementwise):
            self._learn_elements(op)

    def _add(self, value: Value, key: Hashable, limits: tuple[Value | None, ...]) -> None:
        self.found[value] = Front(self._numbers.setdefault(key, len(self._numbers)), limits)

    def _learn_view(self, op: core.Reshape | core.ExpandDims | core.Squeeze) -> None:
        """Axes of size 1 that are put between counts."""
        front, before, after = self.found.get(op.x), op.x.tensor.shape, op.y.tensor.shape
        axes = None if before is None or after is None else unit_axes(before, after)
        if front is None or axes is None or after is None:
            return
        limits = iter(front.limits)
        moved = tuple(None if i in axes else next(limits) for i in range(len(after)))
        self._add(op.y, ("axes", front.key, axes), moved)

    def _learn_elements(self, op: Op) -> None:
        (y,) = op.results
        shape = y.tensor.shape
        parts = [self.found[v] for v in op.inputs if v in self.found]
        if not parts or shape is None or not all(_is_along(v.tensor.shape, shape) for v in op.inputs):
            return
        numbers = {v: n for v in op.inputs if (n := self._number(v)) is not None}
        key = key_of(op, numbers.__getitem__) if all(v in numbers for v in op.inputs) else None
        if key is None:
            return
        limits: list[Value | None] = [None] * len(shape)
        for part in parts:
            for axis, limit in enumerate(reversed(part.limits), 1):
                limits[-axis] = limits[-axis] or limit
        self._add(y, key, tuple(limits))

    def _number(self, value: Value) -> int | None:
        """Of a constant, or of what is computed of counts."""
        if value in self.found:
            return self.found[value].key
        constant = const_of(value)
        if constant is None or constant.size > _NUMBERS:
            return None
        return self._numbers.setdefault(("constant", constant.key), len(self._numbers))


def _counts(op: core.Range) -> bool:
    return ints_of(op.start) == (0,) and ints_of(op.step) == (1,)


def _is_along(shape: Shape | None, whole: Shape) -> bool:
    """Whether all axes have size 1 for all sizes, or the whole size: one of size 1 at times repeats at times."""
    return shape is not None and all(size in (1, n) for size, n in zip(reversed(shape), reversed(whole), strict=False))


def _is_front(value: Value, whole: Value, facts: SizeFacts) -> bool:
    """Whether a value that is computed alike has no more elements along any axis."""
    sizes = zip(value.tensor.shape or (), whole.tensor.shape or (), strict=True)
    return all(a == b or (isinstance(b, Dim) and holds(a, "<=", b, facts) is True) for a, b in sizes)


def _take(value: Value, whole: Value, front: Front) -> None:
    op = value.producer
    assert op is not None and op.block is not None and op.location is not None
    e = CoreBuilder(Builder(op.block, op.location, op))
    lengths = zip(value.tensor.shape or (), front.limits, strict=True)
    sizes = [e.cast(e.reshape(limit, [1]), DType.I64) if limit is not None else n for n, limit in lengths]
    y = e.y(
        core.DynamicSlice(whole, e.vector([0] * len(sizes)), e.vector([n for n in sizes if not isinstance(n, Dim)]))
    )
    edit.rename(y, value.name)
    edit.replace_uses(value, y)
