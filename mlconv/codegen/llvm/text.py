"""A structured builder of LLVM IR text: straight-line instructions and counted loops whose carried values are phis.

A kernel is a function of pointers and of a range of its work items, %begin to %end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.instructions import Instructions
from mlconv.codegen.llvm.lowering import lower_for
from mlconv.codegen.llvm.sizes import Made, emit_size, symbol_at
from mlconv.codegen.llvm.types import (
    BEGIN,
    END,
    I1,
    I8,
    I32,
    I64,
    VOID,
    Literal,
    LlvmType,
    Value,
    index,
    integer,
    number_of,
    pointer,
)
from mlconv.codegen.machines.cpus import Cpu
from mlconv.ir.dims import Dim, Size, common_factor, divide_exactly, floordiv

Carried = list[Value]
_BLOCK = 32  # bytes that are copied at once


class Builder(CodeFunction):
    """Text of one function for an instruction set.  group: its attributes.

    symbols: places of sizes that are known at run time in the table at parameter %dims.
    """

    def __init__(
        self,
        name: str,
        parameters: Sequence[Value],
        declarations: dict[str, str],
        cpu: Cpu,
        group: str = "#0",
        symbols: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(VOID, name, (*parameters, BEGIN, END), declarations, group)
        self.cpu, self.lower, self.symbols, self.group = cpu, lower_for(cpu), symbols or {}, group
        self.begin, self.end = BEGIN, END
        self.rooms: list[str] = []
        self.early = Instructions("n", [])  # sizes that are known at run time
        self.numbers: Made = {}
        self.opaque: dict[Size, Value] = {}  # as loops see them

    def room(self, type_: LlvmType, count: int) -> Value:
        """Address of `count` elements on the stack, for the whole function."""
        name = self.fresh()
        self.rooms.append(f"  {name} = alloca [{count} x {type_.text}], align 64")
        return pointer(name)

    def call(self, result: LlvmType, name: str, arguments: Sequence[Value], flags: str = "") -> Value:
        """Call of a function, which is declared, or what does the same on this instruction set.  flags: fast-math
        flags.
        """
        lowered = self.lower(self, name, arguments) if self.lower is not None else None
        return super().call(result, name, arguments, flags) if lowered is None else lowered

    def least(self, x: Value, y: Value) -> Value:
        """The smaller one of two i64."""
        return self.call(I64, "llvm.smin.i64", [x, y])

    def most(self, x: Value, y: Value) -> Value:
        """The larger one of two i64."""
        return self.call(I64, "llvm.smax.i64", [x, y])

    def number(self, size: Size) -> Value:
        """A size as an i64, computed once, when the function begins."""
        if isinstance(size, int):
            return index(size)
        if size not in self.opaque:
            common = common_factor(size)
            if common > 1:
                self.opaque[size] = self.early.mul(index(common), self.number(divide_exactly(size, common) or 0))
            else:
                value = emit_size(size, self.early, self._symbol, self.numbers)
                self.opaque[size] = value if size.name is not None else self.early.freeze(value)
        return self.opaque[size]

    def _symbol(self, name: str) -> Value:
        symbol = Dim.symbol(name)
        if symbol not in self.numbers:
            self.numbers[symbol] = symbol_at(self.early, self.symbols[name])
        return self.numbers[symbol]

    # -- control flow ------------------------------------------------------------------------------

    def loop(
        self, start: Size, stop: Size, step: int, carried: Sequence[Value], body: Callable[[Value, Carried], Carried]
    ) -> Carried:
        """for i in range(start, stop, step), at least once unless an end is known at run time only: `carried`, the
        values that a loop begins with, go through `body(i, values)`; returns the last ones."""
        if not isinstance(start, int) or not isinstance(stop, int):
            return self.over(self.number(start), self.number(stop), carried, body, step)
        if start + step >= stop:
            return body(index(start), list(carried))
        self.count += 1
        head, leave = f"head{self.count}", f"leave{self.count}"
        at, *values = entered = self._enter(head, [index(start), *carried])
        results = body(at, values)
        following = self.binary("add nsw", at, index(step))
        again = self.icmp("slt", following, index(stop))
        self.branch(again, head, leave)
        self._again(entered, [following, *results])
        self.label(leave)
        return results

    def work_items(self, body: Callable[[Value], None]) -> None:
        """body(i) for the work items that the call is asked for; there may be none."""
        begin, end = number_of(self.begin), number_of(self.end)
        if begin is not None and end is not None:
            self.each(begin, end, 1, body)
            return
        self.count += 1
        head, inside, leave = f"head{self.count}", f"item{self.count}", f"leave{self.count}"
        (at,) = entered = self._enter(head, [self.begin])
        self.branch(self.icmp("slt", at, self.end), inside, leave)
        self.label(inside)
        body(at)
        following = self.binary("add nsw", at, index(1))
        self.goto(head)
        self._again(entered, [following])
        self.label(leave)

    def each(self, start: Size, stop: Size, step: int, body: Callable[[Value], None]) -> None:
        """`loop` without carried values."""

        def turn(at: Value, _: Carried) -> Carried:
            body(at)
            return []

        self.loop(start, stop, step, [], turn)

    @contextlib.contextmanager
    def part(self, begin: Value, end: Value) -> Iterator[None]:
        """What is emitted meanwhile does the items from `begin` to `end`, not those that the call asks for."""
        before = self.begin, self.end
        self.begin, self.end = begin, end
        yield
        self.begin, self.end = before

    def when(self, condition: Value, body: Callable[[], None]) -> None:
        """body() if an i1 holds."""
        self.count += 1
        inside, leave = f"then{self.count}", f"after{self.count}"
        self.branch(condition, inside, leave)
        self.label(inside)
        body()
        self.goto(leave)
        self.label(leave)

    def over(
        self,
        start: Value,
        stop: Value,
        carried: Sequence[Value],
        body: Callable[[Value, Carried], Carried],
        step: int = 1,
    ) -> Carried:
        """for i in range(start, stop, step) with ends that may be known at run time only, possibly not once; otherwise
        as `loop`.
        """
        first, last = number_of(start), number_of(stop)
        if first is not None and last is not None:
            return self.loop(first, last, step, carried, body) if first < last else list(carried)

        def test(values: Carried) -> Value:
            return self.icmp("slt", values[0], stop)

        def turn(values: Carried) -> Carried:
            results = body(values[0], values[1:])
            return [self.binary("add nsw", values[0], index(step)), *results]

        return self.repeat([start, *carried], test, turn)[1:]

    def over_each(self, start: Value, stop: Value, body: Callable[[Value], None], step: int = 1) -> None:
        """`over` without carried values."""

        def turn(at: Value, _: Carried) -> Carried:
            body(at)
            return []

        self.over(start, stop, [], turn, step)

    def repeat(
        self, carried: Sequence[Value], test: Callable[[Carried], Value], body: Callable[[Carried], Carried]
    ) -> Carried:
        """while test(values): values = body(values); returns the values that failed the test."""
        self.count += 1
        head, inside, leave = f"test{self.count}", f"turn{self.count}", f"done{self.count}"
        values = self._enter(head, carried)
        self.branch(test(values), inside, leave)
        self.label(inside)
        results = body(values)
        self.goto(head)
        self._again(values, results)
        self.label(leave)
        return values

    def choose(self, condition: Value, then: Callable[[], Carried], orelse: Callable[[], Carried]) -> Carried:
        """The values of `then` where the i1 holds, else those of `orelse`; only one of them runs."""
        self.count += 1
        yes, no, both = f"then{self.count}", f"else{self.count}", f"both{self.count}"
        self.branch(condition, yes, no)
        self.label(yes)
        first = then()
        end = self.block
        self.goto(both)
        self.label(no)
        second = orelse()
        other = self.block
        self.goto(both)
        self.label(both)
        return [self._either(a, end, b, other) for a, b in zip(first, second, strict=True)]

    def _enter(self, head: str, carried: Sequence[Value]) -> Carried:
        """The head of a loop begins; returns its values, which are `carried` at first."""
        before = self.block
        self.goto(head)
        self.label(head)
        values = [self.phi(v.type) for v in carried]
        for value, first in zip(values, carried, strict=True):
            self.comes(value, first, before)
        return values

    def _again(self, values: Sequence[Value], following: Sequence[Value]) -> None:
        """What the values of a loop are when its head is entered from here."""
        for value, next_ in zip(values, following, strict=True):
            self.comes(value, next_, self.block)

    def _either(self, a: Value, end: str, b: Value, other: str) -> Value:
        """One value or the other, by the block that control comes from."""
        value = self.phi(a.type)
        self.comes(value, a, end)
        self.comes(value, b, other)
        return value

    # -- addresses ---------------------------------------------------------------------------------

    def offset(self, base: Value, type_: LlvmType, at: Value, stride: Size = 1) -> Value:
        """Address of element at * stride behind `base`."""
        number = number_of(at)
        if number is not None:
            return self.moved(base, type_, number * stride)
        scaled = at if stride == 1 else self.binary("mul nsw", at, self.number(stride))
        return self.gep(type_, base, scaled)

    def gather(self, base: Value, type_: LlvmType, at: Value) -> Value:
        """Elements by their numbers, i32 or i64: a vector of them, or one."""
        lanes = at.type.lanes
        if lanes == 1:
            wide = at if at.type is I64 else self.convert("sext", at, I64)
            return self.load(type_, self.gep(type_, base, wide), type_.align)
        t, all_ = type_.of_lanes(lanes), I1.of_lanes(lanes)
        given = [self.spread(type_, base, at), integer(I32, type_.align), integer(all_, 1), Literal(t, "poison")]
        return self.call(t, f"llvm.masked.gather.{t.name}.v{lanes}p0", given)

    def moved(self, base: Value, type_: LlvmType, elements: Size) -> Value:
        """Address `elements` behind `base`."""
        return base if elements == 0 else self.gep(type_, base, self.number(elements))

    def copy(self, target: Value, source: Value, size: Size) -> None:
        """Bytes, in blocks and then one by one."""
        whole = floordiv(size, _BLOCK) * _BLOCK
        for start, stop, width in ((0, whole, _BLOCK), (whole, size, 1)):
            if start != stop:
                self._blocks(target, source, start, stop, I8.of_lanes(width))

    def _blocks(self, target: Value, source: Value, start: Size, stop: Size, type_: LlvmType) -> None:
        def body(at: Value) -> None:
            value = self.load(type_, self.offset(source, I8, at), I8.align)
            self.store(value, self.offset(target, I8, at), I8.align)

        self.each(start, stop, type_.lanes, body)

    def text(self) -> str:
        return "\n".join([self.head, self.lines[0], *self.rooms, *self.early.lines, *self.lines[1:], "  ret void", "}"])
