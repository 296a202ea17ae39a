"""Functions that differ in numbers alone become one that is given them, which is compiled once.

Factors, offsets and limits of quantized elements are such numbers: they differ from op to op where the code does not.
A broadcast of one takes a place on the stack, as a constant takes one in the object.  Strides, counts and distances are
parameters only in code that runs a few times: addresses with numbers in them are faster.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mlconv.codegen.program.debug import Debug, with_lines

_HEAD = re.compile(r"define internal void @(\S+?)\((.*?)\) (#\d+)(?: !dbg !(\d+))? \{\n")
_LINE = re.compile(r", !dbg !\d+$", re.MULTILINE)
# What takes constants of elements as it takes registers: no shifts and no masks, and no products of less than 32 bits,
# which are shifts and sums where LLVM knows the number.
_ARITHMETIC = r"f(?:add|sub|mul|div)|[fi]cmp \w+|(?:add|sub)(?: nsw)?|mul(?: nsw)?(?=(?: <\d+ x)? i32\b)"
_FUNCTION = r"call [^@\n]*@llvm\.(?:fma|fmuladd|minnum|maxnum|minimum|maximum|[su]min|[su]max|[su](?:add|sub)\.sat)\."
_PLACE = r"getelementptr [^,\n]+, ptr \S+ i64(?= [^,\n]*$)"  # of an element, of no structure
_CONSTANTS = re.compile(
    rf"^  %\S+ = (?:(?P<splats>(?:{_ARITHMETIC}|select|phi|{_FUNCTION}).* splat \(.*)"
    rf"|(?:{_ARITHMETIC}) (?P<element>(?:float|double|i8|i16|i32) .*)"
    rf"|(?:(?:add|sub|mul|and)(?: nsw)? i64|icmp \w+ i64|phi i64|{_PLACE}) (?P<places>.*))$",
    re.MULTILINE,
)
_SPLAT = re.compile(r"splat \((float|double|i8|i16|i32) ([-\w]+)\)")
_ELEMENT = re.compile(r"(?<=, )-?\d\w*$")
_CALLING = re.compile(
    r"define internal void @(\S+?)\((.*?)\) #\d+(?: !dbg !\d+)? \{\n"
    r"entry:\n  call void @(\S+?)\((.*)\)(?:, !dbg !\d+)?\n  ret void(?:, !dbg !\d+)?\n\}\Z"
)
_CALL = re.compile(r"(?<=call void )@([\w.]+)\(([^()]*)\)")
_NAMED = re.compile(r"@([\w.]+)")
_NUMBER = re.compile(r"(?<![%\w.])-?\d+(?!\w)")
_SHORT = 16  # lines: a function that calls another takes LLVM as long


class _Constant(NamedTuple):
    """A constant of a function's text that could be a register.  type: of one lane.  lanes: 0 for no vector."""

    start: int
    stop: int
    text: str
    type: str
    lanes: int = 0


class _Function(NamedTuple):
    """place: among all texts.  parameters: with their types.  location: of its lines, as LLVM writes it."""

    place: int
    name: str
    parameters: str
    group: str
    subprogram: int | None
    location: str
    constants: tuple[_Constant, ...]

    @property
    def head(self) -> str:
        described = "" if self.subprogram is None else f" !dbg !{self.subprogram}"
        return f"define internal void @{self.name}({self.parameters}) {self.group}{described} {{"


def merged(texts: Sequence[str], debug: Debug, places: bool) -> list[str]:
    """Functions without results, of which those that are alike call one behind them, with their numbers.  Its lines
    belong to that of the first.  places: addresses and counts may be numbers that are given, too.
    """
    heads = [_HEAD.match(text) if text.count("\n") > _SHORT else None for text in texts]
    sizes = [(*h.groups()[1:3], text.count("\n")) if h else None for h, text in zip(heads, texts, strict=True)]
    several = {size for size, count in Counter(sizes).items() if count > 1}
    alike = defaultdict[tuple[str, ...], list[_Function]](list)
    for place, (head, size, text) in enumerate(zip(heads, sizes, texts, strict=True)):
        if head and size in several:
            name, parameters, group, subprogram = head.groups()
            location = _LINE.search(text)
            parts, constants = _split(_LINE.sub("", text[head.end() :]), places)
            at = (int(subprogram) if subprogram else None, location[0] if location else "")
            alike[parameters, group, *parts].append(_Function(place, name, parameters, group, *at, constants))
    out = list(texts)
    for (_, _, *parts), functions in alike.items():
        if len(functions) > 1:
            _merge(functions, parts, debug, out)
    return out


def _split(body: str, places: bool) -> tuple[list[str], tuple[_Constant, ...]]:
    """What is around the constants of a body that could be registers, and these."""
    constants = tuple(_constants(body, places))
    ends = [0, *(c.stop for c in constants)]
    starts = [*(c.start for c in constants), len(body)]
    # the type of a constant is a part of what is around it
    return [body[end:start] for end, start in zip(ends, starts, strict=True)], constants


def _constants(body: str, places: bool) -> Iterator[_Constant]:
    for line in _CONSTANTS.finditer(body):
        kind = line.lastgroup or ""
        start, stop = line.span(kind)
        if kind == "splats":
            for found in _SPLAT.finditer(body, start, stop):
                of = f" x {found[1]}>"
                lanes = body[body.rindex("<", start, body.rindex(of, start, found.start())) + 1 :].split(" ", 1)[0]
                yield _Constant(*found.span(), found[2], found[1], int(lanes))
        elif kind == "element":
            if number := _ELEMENT.search(body, start, stop):
                yield _Constant(*number.span(), number[0], body[start:stop].split(" ", 1)[0])
        elif places:
            for found in _NUMBER.finditer(body, start, stop):
                yield _Constant(*found.span(), found[0], "i64")


def _merge(functions: Sequence[_Function], parts: Sequence[str], debug: Debug, out: list[str]) -> None:
    """Replace functions by calls of one, which is added.  Constants that differ in the same way are one parameter."""
    first, given = functions[0], dict[tuple[str, ...], str]()
    filled, vectors = [parts[0]], dict[tuple[str, int], list[str]]()
    for column, part in zip(zip(*(f.constants for f in functions), strict=True), parts[1:], strict=True):
        constant = column[0]
        if len({c.text for c in column}) == 1:
            text = f"splat ({constant.type} {constant.text})" if constant.lanes else constant.text
        else:
            text = given.setdefault((constant.type, *(c.text for c in column)), f"%given{len(given)}")
            if constant.lanes:
                name = f"{text}x{constant.lanes}"
                vectors.setdefault((text, constant.lanes), _broadcast(name, text, constant))
                text = name
        filled += [text, part]
    name = f"alike_{first.name}"
    more = "".join(f", {column[0]} {parameter}" for column, parameter in given.items())
    body = "".join(filled)
    if vectors:
        body = body.replace("entry:\n", "\n".join(["entry:", *(line for v in vectors.values() for line in v), ""]), 1)
    text = f"define internal void @{name}({first.parameters}{more}) {first.group} {{\n{body}"
    out.append(with_lines(text, *debug.again(first.subprogram, name)))
    for i, function in enumerate(functions):
        numbers = "".join(f", {column[0]} {column[i + 1]}" for column in given)
        call = f"  call void @{name}({function.parameters}{numbers}){function.location}"
        out[function.place] = "\n".join([function.head, "entry:", call, f"  ret void{function.location}", "}"])


def _broadcast(name: str, given: str, constant: _Constant) -> list[str]:
    """A parameter in all lanes of a vector."""
    vector = f"<{constant.lanes} x {constant.type}>"
    return [
        f"  {name}a = insertelement {vector} poison, {constant.type} {given}, i64 0",
        f"  {name} = shufflevector {vector} {name}a, {vector} poison, <{constant.lanes} x i32> zeroinitializer",
    ]


def called_directly(functions: Sequence[str], bodies: Sequence[str]) -> tuple[list[str], list[str]]:
    """Both without the functions that only call another, with numbers of their own: bodies call that one.  A function
    that is named otherwise, as by what starts threads, stays.
    """
    calling = {m[1]: (m[3], m[4][len(m[2]) :]) for m in map(_CALLING.match, functions) if m and m[4].startswith(m[2])}

    def call(found: re.Match[str]) -> str:
        name, given = found.groups()
        if name not in calling:
            return found[0]
        target, more = calling[name]
        return f"@{target}({given}{more})"

    changed = [_CALL.sub(call, body) for body in bodies]
    heads = {name: f"define internal void @{name}(" for name in calling}
    rest = [text for text in functions if not text.startswith(tuple(heads.values()))]
    named = {name for text in (*rest, *changed) for name in _NAMED.findall(text)}
    gone = tuple(head for name, head in heads.items() if name not in named)
    return [text for text in functions if not text.startswith(gone)], changed
