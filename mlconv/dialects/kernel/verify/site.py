"""A kernel op as its checks see it: what it computes, what its operands and results may address, for which sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant
from mlconv.dialects.kernel.attributes import Sizes, View
from mlconv.dialects.kernel.functions import DTYPES
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.data_sizes import data_sizes
from mlconv.ir.dims import Dim, Size, product, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_BYTES
from mlconv.ir.shapes import is_told, symbols_of
from mlconv.ir.types import TensorType

MAX_NUMBER = 1 << 44  # offsets, strides and extents: no buffer has more elements, and products of two fit into int64
MAX_STACK = 64 << 10  # bytes of what a kernel keeps on the stack


class Buffer(NamedTuple):
    """What a view may address.  elements: how many, None for what is described elsewhere.  is_constant: the memory plan
    leaves room behind it for what is read there.
    """

    dtype: DType
    elements: Size | None
    is_constant: bool = False


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Site:
    """One op.  given, made: buffers of its operands and results.  sizes: those that are known at run time, where the
    op is checked with an example of them."""

    op: Op
    problem: Any
    given: tuple[Buffer, ...]
    made: tuple[Buffer, ...]
    sizes: Mapping[str, int]

    @staticmethod
    def of(op: Op, problem: object, sizes: Mapping[str, int] | None = None) -> Site:
        """sizes: put in the place of their symbols."""
        given, made = (tuple(_buffer(v, sizes or {}) for v in values) for values in (op.inputs, op.results))
        return Site(op, with_sizes(problem, sizes) if sizes else problem, given, made, sizes or {})

    def wrong(self, why: str) -> ConversionError:
        """The error of a kernel op that is malformed."""
        where = "".join(f", {name} = {n}" for name, n in self.sizes.items())
        message = f"{self.op.describe()} is malformed{where and ' for ' + where[2:]}: {why}"
        return ConversionError(Code.ArtifactInvalid, message, location=self.op.location)

    @property
    def is_idle(self) -> bool:
        """No result has elements: the kernel is never called."""
        return all(b.elements == 0 for b in self.made)

    def demand(self, truth: bool, why: str) -> None:
        """Raises ConversionError ArtifactInvalid where something does not hold."""
        if not truth:
            raise self.wrong(why)

    def demand_type(self, buffer: Buffer, dtype: DType, what: str) -> None:
        """An operand or result has the element type that the kernel computes with."""
        self.demand(buffer.dtype is dtype, f"{what} is {buffer.dtype.display}, not {dtype.display}")

    def demand_elements(self, buffer: Buffer, count: Size, what: str) -> None:
        """A buffer has exactly as many elements as the kernel goes over."""
        if isinstance(buffer.elements, int) and isinstance(count, int):
            self.demand(buffer.elements == count, f"{what} has {buffer.elements} elements, not {count}")

    def check_view(self, view: View, extents: Sizes, buffer: Buffer) -> None:
        """Every point is inside of the buffer.  Sizes that are known at run time are left to examples of them."""
        if len(view.strides) != len(extents):
            raise self.wrong(f"a view has {len(view.strides)} strides for {len(extents)} axes")
        numbers = [n for n in (view.offset, *view.strides, *extents) if isinstance(n, int)]
        self.demand(all(abs(n) <= MAX_NUMBER for n in numbers), "a view has a number that no buffer needs")
        self.demand(not any(isinstance(e, int) and e < 0 for e in extents), "an axis has a negative extent")
        if 0 in extents:
            return
        low, high, count = view.offset, view.offset, buffer.elements
        for extent, stride in zip(extents, view.strides, strict=True):
            reach = (extent - 1) * stride
            if not isinstance(reach, int):
                return
            low, high = low + min(reach, 0), high + max(reach, 0)
        if isinstance(low, int) and isinstance(high, int) and isinstance(count, int):
            self.demand(0 <= low <= high < count, f"a view reaches from element {low} to {high} of {count}")

    def check_output(self, view: View, extents: Sizes, buffer: Buffer) -> None:
        """A view by which elements are written: there are no more points than elements."""
        self.check_view(view, extents, buffer)
        points, count = product(extents), buffer.elements
        if isinstance(points, int) and isinstance(count, int):
            self.demand(points <= count, f"{points} elements are written to a buffer of {count}")


def _buffer(value: Value, sizes: Mapping[str, int]) -> Buffer:
    elements = substitute(product(value.tensor.shape or ()), sizes)
    return Buffer(value.tensor.dtype, elements, isinstance(value.producer, Constant))


def with_sizes(problem: object, sizes: Mapping[str, int]) -> Any:
    """A problem (nested tuples of whatever) with numbers in the place of sizes that are known at run time."""
    if isinstance(problem, Dim):
        return substitute(problem, sizes)
    if not isinstance(problem, tuple):
        return problem
    parts = [with_sizes(p, sizes) for p in problem]
    return type(problem)(*parts) if hasattr(problem, "_fields") else tuple(parts)


def symbols_in(problem: object) -> frozenset[str]:
    """Of sizes that are known at run time."""
    if isinstance(problem, Dim):
        return problem.symbols()
    return frozenset().union(*map(symbols_in, problem)) if isinstance(problem, tuple) else frozenset()


def symbols_of_op(op: Op, problem: object) -> frozenset[str]:
    """The symbols of what an op computes, and of its operands and results."""
    values = [v.type for v in (*op.inputs, *op.results) if isinstance(v.type, TensorType)]
    return symbols_in(problem).union(*(s for t in values for s in [symbols_of([t.shape])]))


def _outermost(op: Op) -> Block | None:
    block = op.block
    while block is not None and block.parent is not None and block.parent.parent is not None:
        block = block.parent.parent.block
    return block


def defined(op: Op) -> set[str]:
    """The sizes that ops of the function define."""
    block = _outermost(op)
    return set() if block is None else {*data_sizes(block)}


def told(op: Op) -> set[str]:
    """The sizes that the inputs of the function tell."""
    block = _outermost(op)
    arguments: Sequence[Value] = () if block is None else block.arguments
    return set(symbols_of([v.type.shape for v in arguments if isinstance(v.type, TensorType)]))


def check_values(site: Site, symbols: frozenset[str]) -> None:
    """Operands and results are tensors of types that there is code for, and of sizes that the inputs tell."""
    regions = [v for r in site.op.regions for v in (*r.block.arguments, *r.block.outputs)]
    for value in (*site.op.inputs, *site.op.results, *regions):
        t = value.type
        if not isinstance(t, TensorType) or t.dtype not in DTYPES or t.quant is not None:
            raise site.wrong(f"there is no code for {t}")
        if not is_told(t.shape) or any(isinstance(d, int) and d < 0 for d in t.shape or ()):
            raise site.wrong(f"the size of {t} is not known when it runs")
        count = product(d for d in t.shape or () if isinstance(d, int))
        site.demand(not isinstance(count, int) or count * t.dtype.itemsize <= MAX_BYTES, f"no machine holds {t}")
    strange = sorted(symbols - told(site.op)) if symbols else []
    strange = sorted({*strange} - defined(site.op)) if strange else []
    if strange:
        raise site.wrong(f"no input tells the size {strange[0]}")
