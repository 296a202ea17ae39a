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
