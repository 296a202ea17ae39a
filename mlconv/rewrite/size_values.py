"""Sizes as values: read off the shapes of values in view, or computed from such sizes by core ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dim_fold import BinaryFold, in_terms_of, line_of
from mlconv.ir.dims import Dim, Size
from mlconv.ir.types import TensorType
from mlconv.rewrite.core_builder import Emitter

_OPS: Final = {
    "add": core.Add,
    "mul": core.Mul,
    "floordiv": core.FloorDiv,
    "mod": core.FloorMod,
    "min": core.Minimum,
    "max": core.Maximum,
}


class SizeValues(BinaryFold[Value]):
    """e: where ops go.  sources: values whose shapes tell sizes, those asked first in front.  axis_size: the size of an
    axis of one of them; constant: a number; both give integers of one element, of one type and rank.  what: what the
    sizes are for, in the error.
    """

    def __init__(
        self,
        e: Emitter,
        sources: Sequence[Value],
        axis_size: Callable[[Value, int], Value],
        constant: Callable[[int], Value],
        what: str,
    ) -> None:
        super().__init__()
        self.e, self.sources, self.axis_size, self.constant, self.what = e, sources, axis_size, constant, what

    def _axes(self) -> Iterator[tuple[Value, int, Size]]:
        for source in self.sources:
            if isinstance(source.type, TensorType):
                for axis, size in enumerate(source.type.shape or ()):
                    yield source, axis, size

    def ready(self, size: Dim) -> Value | None:
        for source, axis, other in self._axes():
            if other == size:
                return self.axis_size(source, axis)
        for source, axis, other in self._axes():
            line = in_terms_of(size, other)
            if line is not None and not isinstance(other, int) and other.name is None:  # of symbols, sums do as well
                factor, offset = line
                made = self.axis_size(source, axis)
                made = made if factor == 1 else self.binary("mul", made, self.constant(factor))
                return made if offset == 0 else self.binary("add", made, self.constant(offset))
        return None

    def number(self, value: int) -> Value:
        return self.constant(value)

    def symbol(self, name: str) -> Value:
        found = self.ready(Dim.symbol(name))
        return self._solved(name) if found is None else found

    def _solved(self, name: str) -> Value:
        """The symbol of a size that is a multiple of it, and a number more.  Raises ConversionError ShapeNotStatic."""
        for source, axis, other in self._axes():
            line = line_of(other)
            if line is not None and line.symbol == name:
                whole = self.e.y(core.Sub(self.axis_size(source, axis), self.constant(line.offset)))
                return self.e.y(core.FloorDiv(whole, self.constant(line.factor)))
        raise ConversionError(
            Code.ShapeNotStatic,
            f"{self.what} must be known, it contains the size {name}, which no value in view has",
            help="give input shapes with --shape",
        )

    def binary(self, function: str, a: Value, b: Value) -> Value:
        return self.e.y(_OPS[function](a, b))
