"""A structured builder of LLVM IR text: straight-line instructions and counted loops whose carried values are phis.

A kernel is a function of pointers and of a range of its units of work, %begin to %end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

from mlconv.codegen.llvm.lowering import Lower
from mlconv.codegen.llvm.sizes import Made, emit_size
from mlconv.ir.dims import Dim, Size

Carried = list[str]


class Builder:
    """Text of one function.  Values are strings: `%7` or a literal.  group: its attributes.  lower: see `lower_for`.
    halves: float16 has instructions.

    symbols: places of sizes that are known at run time in the table at parameter %dims.  scale: float32 vectors of 16
    have VSCALEFPS.
    """

    def __init__(
        self,
        name: str,
        parameters: Sequence[str],
        declarations: dict[str, str],
        group: str = "#0",
        lower: Lower | None = None,
        halves: bool = True,
        symbols: Mapping[str, int] | None = None,
        scale: bool = False,
    ) -> None:
        self.head = (
            f"define internal void @{name}({', '.join(f'ptr {p}' for p in parameters)}, "
            f"i64 %begin, i64 %end) {group} {{"
        )
        self.lower, self.halves, self.symbols, self.scale = lower, halves, symbols or {}, scale
        self.begin, self.end = "%begin", "%end"
        self.rooms: list[str] = []
        self.prologue: list[str] = []  # sizes that are known at run time
        self.numbers: Made = {}
        self.lines: list[str] = ["entry:"]
        self.block = "entry"
        self.count = 0
        self.declarations = declarations

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def op(self, text: str) -> str:
        """Append an instruction with a result; returns its name."""
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    def room(self, type_: str, count: int) -> str:
        """Address of `count` elements on the stack, for the whole function."""
        name = self.fresh()
        self.rooms.append(f"  {name} = alloca [{count} x {type_}], align 64")
        return name

    def do(self, text: str) -> None:
        """Append an instruction without a result."""
        self.lines.append(f"  {text}")

    def call(self, result: str, name: str, arguments: Sequence[tuple[str, str]], flags: str = "") -> str:
        """Call of a declared function, or what does the same on this instruction set: (type, value) pairs.  flags:
        fast-math flags.
        """
        lowered = self.lower(self, name, arguments) if self.lower is not None else None
        if lowered is not None:
            return lowered
        self.declarations[name] = f"declare {result} @{name}({', '.join(t for t, _ in arguments)})"
        text = f"call {flags}{result} @{name}({', '.join(f'{t} {v}' for t, v in arguments)})"
        if result == "void":
            self.do(text)
            return ""
        return self.op(text)

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.block = name

    def number(self, size: Size) -> str:
        """A size as an i64, computed once, when the function begins."""
        if isinstance(size, int):
            return str(size)
        return emit_size(size, self._early, self._symbol, self.numbers)

    def _early(self, text: str) -> str:
        name = self.fresh()
        self.prologue.append(f"  {name} = {text}")
        return name

    def _symbol(self, name: str) -> str:
        if Dim.symbol(name) not in self.numbers:
            place = self._early(f"getelementptr i64, ptr %dims, i64 {self.symbols[name]}")
            self.numbers[Dim.symbol(name)] = self._early(f"load i64, ptr {place}")
        return self.numbers[Dim.symbol(name)]

    def loop(
        self,
        start: Size,
        stop: Size,
        step: int,
        carried: Sequence[tuple[str, str]],
        body: Callable[[str, Carried], Carried],
    ) -> Carried:
        """for i in range(start, stop, step), at least once unless an end is known at run time only: carried values, as
        (type, initial value), go through `body(i, values)`; returns the last ones."""
        if not isinstance(start, int) or not isinstance(stop, int):
            return self.over(self.number(start), self.number(stop), carried, body, step)
        if start + step >= stop:
            return body(str(start), [v for _, v in carried])
        self.count += 1
        head, leave = f"head{self.count}", f"leave{self.count}"
        before = self.block
        self.do(f"br label %{head}")
        self.label(head)
        index = self.fresh()
        values = [self.fresh() for _ in carried]
        place = len(self.lines)
        results = body(index, values)
        following = self.op(f"add nsw i64 {index}, {step}")
        again = self.op(f"icmp slt i64 {following}, {stop}")
        self.do(f"br i1 {again}, label %{head}, label %{leave}")
        phis = [f"  {index} = phi i64 [ {start}, %{before} ], [ {following}, %{self.block} ]"]
        for name, (type_, initial), result in zip(values, carried, results, strict=True):
            phis.append(f"  {name} = phi {type_} [ {initial}, %{before} ], [ {result}, %{self.block} ]")
        self.lines[place:place] = phis
        self.label(leave)
        return results

    def units(self, body: Callable[[str], None]) -> None:
        """body(i) for the units of work that the call is asked for; there may be none."""
        if self.begin.isdigit() and self.end.isdigit():

            def unit(index: str, _: Carried) -> Carried:
                body(index)
                return []

            self.loop(int(self.begin), int(self.end), 1, [], unit)
            return
        self.count += 1
        head, inside, leave = f"head{self.count}", f"units{self.count}", f"leave{self.count}"
        before = self.block
        self.do(f"br label %{head}")
        self.label(head)
        index = self.fresh()
        place = len(self.lines)
        more = self.op(f"icmp slt i64 {index}, {self.end}")
        self.do(f"br i1 {more}, label %{inside}, label %{leave}")
        self.label(inside)
        body(index)
        following = self.op(f"add nsw i64 {index}, 1")
        self.do(f"br label %{head}")
        self.lines[place:place] = [f"  {index} = phi i64 [ {self.begin}, %{before} ], [ {following}, %{self.block} ]"]
        self.label(leave)

    @contextlib.contextmanager
    def part(self, begin: str, end: str) -> Iterator[None]:
        """What is emitted meanwhile does the units from `begin` to `end`, not those that the call asks for."""
        before = self.begin, self.end
        self.begin, self.end = begin, end
        yield
        self.begin, self.end = before

    def when(self, condition: str, body: Callable[[], None]) -> None:
        """body() if an i1 holds."""
        self.count += 1
        inside, leave = f"then{self.count}", f"after{self.count}"
        self.do(f"br i1 {condition}, label %{inside}, label %{leave}")
        self.label(inside)
        body()
        self.do(f"br label %{leave}")
        self.label(leave)

    def over(
        self,
        start: str,
        stop: str,
        carried: Sequence[tuple[str, str]],
        body: Callable[[str, Carried], Carried],
        step: int = 1,
    ) -> Carried:
        """for i in range(start, stop, step) with ends known at run time, possibly not once; otherwise as `loop`."""

        def test(values: Carried) -> str:
            return self.op(f"icmp slt i64 {values[0]}, {stop}")

        def turn(values: Carried) -> Carried:
            results = body(values[0], values[1:])
            return [self.op(f"add nsw i64 {values[0]}, {step}"), *results]

        return self.repeat([("i64", start), *carried], test, turn)[1:]

    def repeat(
        self, carried: Sequence[tuple[str, str]], test: Callable[[Carried], str], body: Callable[[Carried], Carried]
    ) -> Carried:
        """while test(values): values = body(values); returns the values that failed the test."""
        self.count += 1
        head, inside, leave = f"test{self.count}", f"turn{self.count}", f"done{self.count}"
        before = self.block
        self.do(f"br label %{head}")
        self.label(head)
        values = [self.fresh() for _ in carried]
        place = len(self.lines)
        again = test(values)
        self.do(f"br i1 {again}, label %{inside}, label %{leave}")
        self.label(inside)
        results = body(values)
        phis = []
        for name, (type_, initial), result in zip(values, carried, results, strict=True):
            phis.append(f"  {name} = phi {type_} [ {initial}, %{before} ], [ {result}, %{self.block} ]")
        self.do(f"br label %{head}")
        self.lines[place:place] = phis
        self.label(leave)
        return values

    def choose(
        self, condition: str, types: Sequence[str], then: Callable[[], Carried], orelse: Callable[[], Carried]
    ) -> Carried:
        """The values of `then` where the i1 holds, else those of `orelse`; only one of them runs."""
        self.count += 1
        yes, no, both = f"then{self.count}", f"else{self.count}", f"both{self.count}"
        self.do(f"br i1 {condition}, label %{yes}, label %{no}")
        self.label(yes)
        first = then()
        end = self.block
        self.do(f"br label %{both}")
        self.label(no)
        second = orelse()
        other = self.block
        self.do(f"br label %{both}")
        self.label(both)
        return [
            self.op(f"phi {t} [ {a}, %{end} ], [ {b}, %{other} ]") for t, a, b in zip(types, first, second, strict=True)
        ]

    def offset(self, pointer: str, type_: str, index: str, stride: Size = 1) -> str:
        """Address of element index * stride behind `pointer`."""
        if index.lstrip("-").isdigit():
            constant = self.number(int(index) * stride)
            return pointer if constant == "0" else self.op(f"getelementptr {type_}, ptr {pointer}, i64 {constant}")
        scaled = index if stride == 1 else self.op(f"mul nsw i64 {index}, {self.number(stride)}")
        return self.op(f"getelementptr {type_}, ptr {pointer}, i64 {scaled}")

    def moved(self, pointer: str, type_: str, elements: Size) -> str:
        """Address `elements` behind `pointer`."""
        return self.offset(pointer, type_, "1", elements)

    def text(self) -> str:
        return "\n".join([self.head, self.lines[0], *self.rooms, *self.prologue, *self.lines[1:], "  ret void", "}"])
