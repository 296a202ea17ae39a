"""Functions that differ in numbers alone become one that is given them: code that runs a few times is compiled faster.

Strides, counts and distances that were known are parameters then.  Of MobileNetV2 with what calibration observes, a
quarter of the lines go.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

_HEAD = re.compile(r"define internal void @(\S+?)\((.*?)\) (#\d+)[^\n]*\{\n")
_LINE = re.compile(r", !dbg !\d+$", re.MULTILINE)
# Operands that may be registers as well, of instructions of i64.
_PLACE = r"getelementptr [^,]+, ptr \S+ i64(?= [^,]*$)"  # of an element, of no structure
_TAKES_NUMBERS = re.compile(
    rf"^(?:  %\S+ = (?:(?:add|sub|mul|and)(?: nsw)? i64|icmp \w+ i64|phi i64|{_PLACE}) )(.*)$", re.MULTILINE
)
_CALLING = re.compile(
    r"define internal void @(\S+?)\((.*?)\) #\d+ \{\nentry:\n  call void @(\S+?)\((.*)\)\n  ret void\n\}\Z"
)
_CALL = re.compile(r"(?<=call void )@([\w.]+)\(([^()]*)\)")
_NAMED = re.compile(r"@([\w.]+)")
_NUMBER = re.compile(r"(?<![%\w.])-?\d+(?!\w)")
_SHORT = 16  # lines: a function that calls another takes LLVM as long


class _Function(NamedTuple):
    """place: among all texts.  parameters: with their types.  numbers: those that could be registers, in order."""

    place: int
    name: str
    parameters: str
    group: str
    numbers: tuple[str, ...]


def merged(texts: Sequence[str]) -> list[str]:
    """Functions without results, of which those that are alike call one behind them, with their numbers.  Its lines
    belong to no line of the user's source.
    """
    alike = defaultdict[tuple[str, ...], list[_Function]](list)
    for place, text in enumerate(texts):
        head = _HEAD.match(text)
        if head and text.count("\n") > _SHORT:
            name, parameters, group = head.groups()
            parts, numbers = _split(_LINE.sub("", text[head.end() :]))
            alike[parameters, group, *parts].append(_Function(place, name, parameters, group, numbers))
    out = list(texts)
    for (_, _, *parts), functions in alike.items():
        if len(functions) > 1:
            _merge(functions, parts, out)
    return out


def _split(body: str) -> tuple[list[str], tuple[str, ...]]:
    """What is around the numbers of a body that could be registers, and these."""
    parts, numbers, done = list[str](), list[str](), 0
    for line in _TAKES_NUMBERS.finditer(body):
        for number in _NUMBER.finditer(body, line.start(1), line.end(1)):
            parts.append(body[done : number.start()])
            numbers.append(number[0])
            done = number.end()
    return [*parts, body[done:]], tuple(numbers)


def _merge(functions: Sequence[_Function], parts: Sequence[str], out: list[str]) -> None:
    """Replace functions by calls of one, which is added.  Numbers that differ in the same way are one parameter."""
    first, given, filled = functions[0], dict[tuple[str, ...], str](), [parts[0]]
    for column, part in zip(zip(*(f.numbers for f in functions), strict=True), parts[1:], strict=True):
        same = len(set(column)) == 1
        filled += [column[0] if same else given.setdefault(column, f"%given{len(given)}"), part]
    name = f"{first.name}_alike"
    more = "".join(f", i64 {parameter}" for parameter in given.values())
    out.append(f"define internal void @{name}({first.parameters}{more}) {first.group} {{\n{''.join(filled)}")
    for i, function in enumerate(functions):
        numbers = "".join(f", i64 {column[i]}" for column in given)
        head = f"define internal void @{function.name}({function.parameters}) {function.group} {{"
        call = f"  call void @{name}({function.parameters}{numbers})"
        out[function.place] = "\n".join([head, "entry:", call, "  ret void", "}"])


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
