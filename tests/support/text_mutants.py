"""IR text with a small mistake: a number, word, type, name, mark or line is another one, there twice, or gone."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_PIECE = re.compile(
    r"""(?P<word>"(?:[^"\\]|\\.)*")|(?P<value>%\d+)|(?P<type>\b(?:[iuf]|ui|bf)\d{1,2}\b)
    |(?P<number>-?(?<!\w)(?:0x[0-9A-F]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?))|(?P<mark>[][(){}<>,=:x?])""",
    re.VERBOSE,
)
_NUMBERS = ("0", "-1", "1", "2", "3", "7", "64", "99999999999999999999", "4294967296", "1.5", "nan", "?", "?1", "[]")
_WORDS = (
    '""',
    '"x"',
    '"onnx.Relu"',
    '"core.add"',
    '"tfl.add"',
    '"hlo.add"',
    '"kernel.gemm"',
    '"n*2"',
    "3",
    "true",
    "[]",
)
_TYPES = (
    "f32",
    "i64",
    "i32",
    "i8",
    "i1",
    "f16",
    "bf16",
    "f64",
    "i4",
    "!mlconv.string",
    "!quant.uniform<i8:f32, 0.1:0>",
)
_LONG = 3000  # characters of a line that are numbers of a constant, mostly


def mutant(text: str, rng: Random) -> str:
    """The same text with one mistake, or two."""
    changed = text
    while changed == text:
        for _ in range(rng.choice((1, 1, 1, 2))):
            changed = _with_a_mistake(changed, rng)
    return changed


def _with_a_mistake(text: str, rng: Random) -> str:
    lines = text.splitlines()
    i = rng.choice([k for k, line in enumerate(lines) if '"' in line and len(line) < _LONG])
    roll = rng.random()
    if roll < 0.04:
        del lines[i]
    elif roll < 0.08:
        lines.insert(i, lines[i])
    else:
        lines[i] = _changed(lines[i], rng)
    return "\n".join(lines)


def _changed(line: str, rng: Random) -> str:
    """A line with one piece exchanged; pieces that say something rather than marks between them."""
    pieces = [*_PIECE.finditer(line.split(" loc(")[0])]
    telling = [piece for piece in pieces if piece.lastgroup != "mark"]
    piece = rng.choice(telling if telling and rng.random() < 0.7 else pieces)
    new = _OTHERS[piece.lastgroup or ""](piece.group(), rng, [p.group() for p in telling])
    return line[: piece.start()] + new + line[piece.end() :]


def _number(old: str, rng: Random, _: list[str]) -> str:
    near = [str(int(old) + step) for step in (1, -1)] if re.fullmatch(r"-?\d+", old) else []
    return rng.choice([*near, *_NUMBERS])


def _word(_: str, rng: Random, beside: list[str]) -> str:
    return rng.choice([*_WORDS, *(b for b in beside if b.startswith('"'))])


def _value(old: str, rng: Random, _: list[str]) -> str:
    number = int(old[1:])
    return rng.choice(("%0", "%1", f"%{number + 1}", f"%{max(0, number - 1)}", "%9999"))


def _mark(old: str, rng: Random, _: list[str]) -> str:
    return rng.choice(("", old + old, rng.choice("[](){}<>,=:x?")))


_OTHERS: dict[str, Callable[[str, Random, list[str]], str]] = {
    "word": _word,
    "value": _value,
    "type": lambda _, rng, __: rng.choice(_TYPES),
    "number": _number,
    "mark": _mark,
}
