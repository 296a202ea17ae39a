"""Run-time values of symbolic sizes: a size is read off the shape of a value in view, or computed from such sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dim_fold import Fold
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.from_tf.operands import dim_value
from mlconv.legalize.source import SourceNode

_APPLY: Final = {"floordiv": core.FloorDiv, "mod": core.FloorMod, "min": core.Minimum, "max": core.Maximum}


def size_vector(n: SourceNode, sizes: Sequence[Size], what: str) -> Value:
    """A rank-1 int64 tensor of sizes.  Raises ConversionError ShapeNotStatic when one cannot be had where the op
    stands.
    """
    return n.stack([s if isinstance(s, int) else size_value(n, s, what) for s in sizes])


def size_value(n: SourceNode, size: Size, what: str) -> Value:
    """One size as an int64 scalar."""
    return _Values(n, what).of(size)


class _Values(Fold[Value]):
    """int64 scalars, computed from sizes that can be read off a value in view."""

    def __init__(self, n: SourceNode, what: str) -> None:
        super().__init__()
        self.n, self.what = n, what

    def ready(self, size: Dim) -> Value | None:
        found = _find(self.n, size)
        return None if found is None else dim_value(self.n, *found)

    def number(self, value: int) -> Value:
        return self.n.constant(value, DType.I64)

    def symbol(self, name: str) -> Value:
        found = self.ready(Dim.symbol(name))
        if found is None:
            raise ConversionError(Code.ShapeNotStatic, f"{self.what} must be known, it contains the size {name}")
        return found

    def apply(self, function: str, a: Size, b: Size) -> Value:
        return self.n.emit(_APPLY[function](self.of(a), self.of(b))).y

    def term(self, coefficient: int, factors: Iterator[Value]) -> Value:
        return reduce(lambda a, b: self.n.emit(core.Mul(a, b)).y, factors, self.number(coefficient))

    def sum(self, terms: Iterator[Value]) -> Value:
        return reduce(lambda a, b: self.n.emit(core.Add(a, b)).y, terms)


def _find(n: SourceNode, size: Dim) -> tuple[Value, int] | None:
    """A value in view of the op that has the size, and the axis."""
    for value in _in_view(n.op):
        if isinstance(value.type, TensorType) and value.type.shape is not None and size in value.type.shape:
            return value, value.type.shape.index(size)
    return None


def _in_view(op: Op) -> Iterator[Value]:
    """Block arguments around the op, then results of ops before it, inner blocks first."""
    at: Op | None = op
    blocks: list[tuple[Block, Op]] = []
    while at is not None and at.block is not None:
        blocks.append((at.block, at))
        region = at.block.parent
        at = region.parent if region is not None else None
    for block, _ in blocks:
        yield from block.arguments
    for _, before in blocks:
        previous = before.prev
        while previous is not None:
            yield from previous.results
            previous = previous.prev
