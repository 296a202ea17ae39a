"""Text of dimensions and of what is known about them, read back."""

from __future__ import annotations

import re
from typing import TypeAlias

from mlconv.ir.dims import APPLY, Dim, Size, extreme

_TOKEN = re.compile(r"\s*(?:(\d+)|`((?:[^`]|``)*)`|([A-Za-z_][A-Za-z0-9_.]*)|(.))")


def parse_dim(text: str, unknown: dict[str, Dim] | None = None) -> Size:
    """The dimension that `str` or `text_of` printed.  unknown: sizes that nothing is known about, by number.  Raises
    ValueError on anything else.
    """
    tokens = _tokens(text)
    value, rest = _parse_sum(tokens, 0, {} if unknown is None else unknown)
    if rest != len(tokens):
        raise ValueError(f"bad dimension {text!r}")
    return value


def parse_comparison(text: str, unknown: dict[str, Dim] | None = None) -> tuple[list[Size], list[str]]:
    """The sides and the signs of `a == b`, `a >= b`, `a <= b <= c` or `a % b == c`.  unknown: as for `parse_dim`.
    Raises ValueError on anything else.
    """
    tokens = _tokens(text)
    names = {} if unknown is None else unknown
    side, at = _parse_sum(tokens, 0, names)
    sides, signs = [side], list[str]()
    while at < len(tokens):
        sign = "".join(t for kind, t in tokens[at : at + 2] if kind == 4 and t in "<>=%")
        if sign not in ("==", ">=", "<=", "%"):
            raise ValueError(f"expected a comparison in {text!r}")
        signs.append(sign)
        side, at = _parse_sum(tokens, at + len(sign), names)
        sides.append(side)
    return sides, signs


def _tokens(text: str) -> _Tokens:
    return [(m.lastindex, m.group(m.lastindex)) for m in _TOKEN.finditer(text) if m.lastindex]


_Tokens: TypeAlias = list[tuple[int, str]]


def _parse_sum(tokens: _Tokens, at: int, unknown: dict[str, Dim]) -> tuple[Size, int]:
    total: Size = 0
    while True:
        negative = at < len(tokens) and tokens[at] == (4, "-")
        if at < len(tokens) and tokens[at] in ((4, "-"), (4, "+")):
            at += 1
        term, at = _parse_product(tokens, at, unknown)
        total = total - term if negative else total + term
        if at >= len(tokens) or tokens[at] not in ((4, "-"), (4, "+")):
            return total, at


def _parse_product(tokens: _Tokens, at: int, unknown: dict[str, Dim]) -> tuple[Size, int]:
    value, at = _parse_factor(tokens, at, unknown)
    while at < len(tokens) and tokens[at] == (4, "*"):
        factor, at = _parse_factor(tokens, at + 1, unknown)
        value = value * factor
    return value, at


def _parse_factor(tokens: _Tokens, at: int, unknown: dict[str, Dim]) -> tuple[Size, int]:
    if at >= len(tokens):
        raise ValueError("dimension ends early")
    kind, text = tokens[at]
    if kind == 1:
        return int(text), at + 1
    if kind == 3 and text in APPLY and at + 1 < len(tokens) and tokens[at + 1] == (4, "("):
        first, at = _parse_sum(tokens, at + 2, unknown)
        if at >= len(tokens) or tokens[at] != (4, ","):
            raise ValueError("expected ',' in dimension")
        second, at = _parse_sum(tokens, at + 1, unknown)
        if at >= len(tokens) or tokens[at] != (4, ")"):
            raise ValueError("expected ')' in dimension")
        return _applied(text, first, second), at + 1
    if (kind, text) == (4, "?"):
        if at + 1 < len(tokens) and tokens[at + 1][0] == 1:
            return unknown.setdefault(tokens[at + 1][1], Dim.unknown()), at + 2
        return Dim.unknown(), at + 1
    if kind in (2, 3):
        return Dim.symbol(text.replace("``", "`")), at + 1
    raise ValueError(f"unexpected {text!r} in dimension")


def _applied(function: str, a: Size, b: Size) -> Size:
    """As it is written: `max(n - 16, 0)` is for an n that may be less, where the algebra takes `n - 16` for a size."""
    is_extreme = function in ("min", "max") and (isinstance(a, Dim) or isinstance(b, Dim))
    return extreme(function, a, b) if is_extreme else APPLY[function](a, b)
