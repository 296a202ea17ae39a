"""Scalar code with arithmetic: writing algorithms as algorithms.

A `Num` is a number of generated code; operators emit instructions.  Python numbers, and sizes that are known at run
time, may stand on the right side, numbers on the left one too.  Indices are int64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Union

from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import I64 as LLVM_I64
from mlconv.codegen.llvm.types import Value, integer, memory_type
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType

Number = Union["Num", float, Dim]
_VECTOR = 64  # bytes
BOOL, I32, I64 = DType.BOOL, DType.I32, DType.I64


@dataclass(frozen=True, slots=True)
class Num:
    """A number."""

    c: Code
    value: Value
    dtype: DType

    def with_(self, opcode: str, other: Number, dtype: DType | None = None) -> Num:
        """opcode(self, other)."""
        return self.c.apply(opcode, dtype or self.dtype, self, self.c.num(other, self.dtype))

    def fn(self, opcode: str, dtype: DType | None = None) -> Num:
        return self.c.apply(opcode, dtype or self.dtype, self)

    def to(self, dtype: DType) -> Num:
        return self if dtype is self.dtype else self.fn("cast", dtype)

    def __add__(self, other: Number) -> Num:
        return self if other == 0 and not self.dtype.is_float else self.with_("add", other)

    def __sub__(self, other: Number) -> Num:
        return self if other == 0 and not self.dtype.is_float else self.with_("sub", other)

    def __mul__(self, other: Number) -> Num:
        return self if other == 1 else self.with_("mul", other)

    def __truediv__(self, other: Number) -> Num:
        return self.with_("div", other)

    def __rsub__(self, other: float) -> Num:
        return self.c.num(other, self.dtype) - self

    def __rtruediv__(self, other: float) -> Num:
        return self.c.num(other, self.dtype) / self

    def __neg__(self) -> Num:
        return self.fn("neg")

    __radd__ = __add__
    __rmul__ = __mul__

    def __and__(self, other: Num) -> Num:
        return self.with_("and", other)

    def __or__(self, other: Num) -> Num:
        return self.with_("or", other)

    def __invert__(self) -> Num:
        return self.fn("not")

    def lt(self, other: Number) -> Num:
        return self.with_("less", other, BOOL)

    def le(self, other: Number) -> Num:
        return self.with_("less_equal", other, BOOL)

    def gt(self, other: Number) -> Num:
        return self.with_("greater", other, BOOL)

    def ge(self, other: Number) -> Num:
        return self.with_("greater_equal", other, BOOL)

    def eq(self, other: Number) -> Num:
        return self.with_("equal", other, BOOL)

    def ne(self, other: Number) -> Num:
        return self.with_("not_equal", other, BOOL)

    def max(self, other: Number) -> Num:
        return self.with_("maximum", other)

    def min(self, other: Number) -> Num:
        return self.with_("minimum", other)

    def clamp(self, low: Number, high: Number) -> Num:
        return self.max(low).min(high)


class Step(NamedTuple):
    """One of several kernels that a routine is: its name, empty for the routine's own, and a number that it takes."""

    name: str = ""
    number: int = 0


class Code:
    """Emits into the function of one routine.  lanes: of the numbers that its functions take."""

    def __init__(self, b: Builder, lanes: int = 1) -> None:
        self.b, self.scalars = b, Scalars(b, lanes)

    def num(self, value: Number, dtype: DType = I64) -> Num:
        if isinstance(value, Num):
            return value
        return Num(self, self.b.number(value) if isinstance(value, Dim) else literal(dtype, value), dtype)

    def apply(self, opcode: str, dtype: DType, *args: Num) -> Num:
        """A function of the expression language (see `kernel.Instr`)."""
        return Num(self, self.scalars.apply(opcode, dtype, [a.value for a in args], [a.dtype for a in args]), dtype)

    def where(self, condition: Num, a: Num, b: Number) -> Num:
        return self.apply("select", a.dtype, condition, a, self.num(b, a.dtype))

    def raw(self, opcode: str, a: Num, b: Number) -> Num:
        """An LLVM instruction without guards: shifts, and divisions whose divisor is known to be good."""
        return Num(self, self.b.binary(opcode, a.value, self.num(b, a.dtype).value), a.dtype)

    def lanes(self, *dtypes: DType) -> int:
        """How many neighbours of these types are done at once; 1 where there are no vectors of them."""
        plain = self.b.cpu.has_vectors and all(d.is_numeric and not d.is_complex for d in dtypes)
        return max(1, _VECTOR // max(d.itemsize for d in dtypes)) if plain else 1

    # -- work items --------------------------------------------------------------------------------

    @property
    def first_share(self) -> Num:
        """The number of the first one that the call is asked for: its scratch memory is the call's."""
        return Num(self, self.b.begin, I64)

    def shared(self, total: Size, shares: int) -> tuple[Num, Num]:
        """The range, of so many things in equal shares, which are the work items, that the call is asked for."""
        if shares == 1:
            return self.num(0), self.num(total)
        b = self.b
        ends = (b.udiv(b.mul(i, b.number(total)), integer(LLVM_I64, shares)) for i in (b.begin, b.end))
        first, last = (Num(self, v, I64) for v in ends)
        return first, last

    # -- memory ------------------------------------------------------------------------------------

    def address(self, pointer: Value, dtype: DType, index: Number) -> Value:
        return self.b.offset(pointer, memory_type(dtype), self.num(index).value)

    def load(self, pointer: Value, dtype: DType, index: Number) -> Num:
        return Num(self, load(self.b, dtype, self.address(pointer, dtype, index)), dtype)

    def store(self, pointer: Value, index: Number, value: Num) -> None:
        store(self.b, value.dtype, value.value, self.address(pointer, value.dtype, index))

    def same(self, a: Value, b: Value) -> Num:
        """Whether two buffers are one."""
        return Num(self, self.b.icmp("eq", a, b), BOOL)

    # -- control -----------------------------------------------------------------------------------

    def fold(
        self, stop: Number, carried: Sequence[Num], body: Callable[..., Sequence[Num]], start: Number = 0, step: int = 1
    ) -> list[Num]:
        """for i in range(start, stop, step): carried = body(i, *carried)."""
        dtypes = [v.dtype for v in carried]

        def inside(index: Value, values: Carried) -> Carried:
            return [v.value for v in body(Num(self, index, I64), *self._nums(values, dtypes))]

        first, last = self.num(start).value, self.num(stop).value
        return self._nums(self.b.over(first, last, [v.value for v in carried], inside, step), dtypes)

    def each(self, stop: Number, body: Callable[[Num], None], start: Number = 0) -> None:
        """for i in range(start, stop)."""

        def inside(i: Num) -> Sequence[Num]:
            body(i)
            return []

        self.fold(stop, [], inside, start)

    def repeat(self, carried: Sequence[Num], test: Callable[..., Num], body: Callable[..., Sequence[Num]]) -> list[Num]:
        """while test(*carried): carried = body(*carried)."""
        dtypes = [v.dtype for v in carried]
        found = self.b.repeat(
            [v.value for v in carried],
            lambda values: test(*self._nums(values, dtypes)).value,
            lambda values: [v.value for v in body(*self._nums(values, dtypes))],
        )
        return self._nums(found, dtypes)

    def when(self, condition: Num, body: Callable[[], None]) -> None:
        """if condition: body()."""

        def inside() -> Carried:
            body()
            return []

        self.b.choose(condition.value, inside, list)

    def choose(
        self,
        condition: Num,
        then: Callable[[], Sequence[Num]],
        orelse: Callable[[], Sequence[Num]],
        dtypes: Sequence[DType],
    ) -> list[Num]:
        """Values of the branch that runs."""
        found = self.b.choose(condition.value, lambda: [v.value for v in then()], lambda: [v.value for v in orelse()])
        return self._nums(found, dtypes)

    def _nums(self, values: Sequence[Value], dtypes: Sequence[DType]) -> list[Num]:
        return [Num(self, v, d) for v, d in zip(values, dtypes, strict=True)]
