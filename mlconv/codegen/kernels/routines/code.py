"""Scalar code with arithmetic: writing algorithms as algorithms.

A `Num` is a number of generated code; operators emit instructions.  Python numbers, and sizes that are known at run
time, may stand on the right side, numbers on the left one too.  Indices are int64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Union

from mlconv.codegen.llvm.evaluate import load, memory_type, store
from mlconv.codegen.llvm.scalars import TYPES, Scalars, literal
from mlconv.codegen.llvm.text import Builder
from mlconv.ir.dims import Dim, Size, floordiv
from mlconv.ir.dtypes import DType

Number = Union["Num", float, Dim]
BOOL, I32, I64 = DType.BOOL, DType.I32, DType.I64


@dataclass(frozen=True, slots=True)
class Num:
    """A number: `name` is `%7` or a literal."""

    c: Code
    name: str
    dtype: DType

    @property
    def type(self) -> str:
        return TYPES[self.dtype]

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


class Code:
    """Emits into the function of one routine."""

    def __init__(self, b: Builder) -> None:
        self.b, self.scalars = b, Scalars(b, 1)

    def num(self, value: Number, dtype: DType = I64) -> Num:
        if isinstance(value, Num):
            return value
        return Num(self, self.b.number(value) if isinstance(value, Dim) else literal(dtype, value), dtype)

    def apply(self, opcode: str, dtype: DType, *args: Num) -> Num:
        """A function of the expression language (see `kernel.Instr`)."""
        return Num(self, self.scalars.apply(opcode, dtype, [a.name for a in args], [a.dtype for a in args]), dtype)

    def where(self, condition: Num, a: Num, b: Number) -> Num:
        return self.apply("select", a.dtype, condition, a, self.num(b, a.dtype))

    def raw(self, opcode: str, a: Num, b: Number) -> Num:
        """An LLVM instruction without guards: shifts, and divisions whose divisor is known to be good."""
        return Num(self, self.b.op(f"{opcode} {a.type} {a.name}, {self.num(b, a.dtype).name}"), a.dtype)

    # -- memory ------------------------------------------------------------------------------------

    def address(self, pointer: str, dtype: DType, index: Number) -> str:
        return self.b.offset(pointer, memory_type(dtype), self.num(index).name)

    def load(self, pointer: str, dtype: DType, index: Number) -> Num:
        return Num(self, load(self.b, dtype, self.address(pointer, dtype, index), 1), dtype)

    def store(self, pointer: str, index: Number, value: Num) -> None:
        store(self.b, value.dtype, value.name, self.address(pointer, value.dtype, index), 1)

    def copy(self, target: str, source: str, size: Size) -> None:
        """Bytes of another buffer; nothing when it is the same one."""
        if size != 0:
            same = Num(self, self.b.op(f"icmp eq ptr {target}, {source}"), BOOL)
            self.when(~same, lambda: self._move(target, source, size))

    def _move(self, target: str, source: str, size: Size) -> None:
        wide = floordiv(size, 32) * 32
        for start, stop, width in ((0, wide, 32), (wide, size, 1)):
            if start != stop:
                self._blocks(target, source, start, stop, width)

    def _blocks(self, target: str, source: str, start: Size, stop: Size, width: int) -> None:
        kind = "i8" if width == 1 else f"<{width} x i8>"

        def body(index: str, _: list[str]) -> list[str]:
            value = self.b.op(f"load {kind}, ptr {self.b.offset(source, 'i8', index)}, align 1")
            self.b.do(f"store {kind} {value}, ptr {self.b.offset(target, 'i8', index)}, align 1")
            return []

        self.b.loop(start, stop, width, [], body)

    # -- control -----------------------------------------------------------------------------------

    def fold(
        self, stop: Number, carried: Sequence[Num], body: Callable[..., Sequence[Num]], start: Number = 0, step: int = 1
    ) -> list[Num]:
        """for i in range(start, stop, step): carried = body(i, *carried)."""
        dtypes = [v.dtype for v in carried]

        def inside(index: str, names: list[str]) -> list[str]:
            return [v.name for v in body(Num(self, index, I64), *self._nums(names, dtypes))]

        return self._nums(
            self.b.over(self.num(start).name, self.num(stop).name, [(v.type, v.name) for v in carried], inside, step),
            dtypes,
        )

    def each(self, stop: Number, body: Callable[[Num], None], start: Number = 0) -> None:
        """for i in range(start, stop)."""

        def inside(i: Num) -> Sequence[Num]:
            body(i)
            return []

        self.fold(stop, [], inside, start)

    def repeat(self, carried: Sequence[Num], test: Callable[..., Num], body: Callable[..., Sequence[Num]]) -> list[Num]:
        """while test(*carried): carried = body(*carried)."""
        dtypes = [v.dtype for v in carried]
        names = self.b.repeat(
            [(v.type, v.name) for v in carried],
            lambda values: test(*self._nums(values, dtypes)).name,
            lambda values: [v.name for v in body(*self._nums(values, dtypes))],
        )
        return self._nums(names, dtypes)

    def when(self, condition: Num, body: Callable[[], None]) -> None:
        """if condition: body()."""

        def inside() -> list[str]:
            body()
            return []

        self.b.choose(condition.name, [], inside, list)

    def choose(
        self,
        condition: Num,
        then: Callable[[], Sequence[Num]],
        orelse: Callable[[], Sequence[Num]],
        dtypes: Sequence[DType],
    ) -> list[Num]:
        """Values of the branch that runs."""
        names = self.b.choose(
            condition.name,
            [TYPES[d] for d in dtypes],
            lambda: [v.name for v in then()],
            lambda: [v.name for v in orelse()],
        )
        return self._nums(names, dtypes)

    def _nums(self, names: Sequence[str], dtypes: Sequence[DType]) -> list[Num]:
        return [Num(self, n, d) for n, d in zip(names, dtypes, strict=True)]
