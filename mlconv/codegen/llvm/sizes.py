"""Sizes that are known at run time, as LLVM IR: polynomials of the values of `dims`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

from mlconv.ir.dim_fold import Fold, Piece
from mlconv.ir.dims import Dim, Size, substitute

Emit = Callable[[str], str]
Made = dict[Piece, str]  # names of what has been computed


def depends(problem: Any) -> bool:
    """Whether a problem (nested tuples of whatever) has sizes that are known at run time."""
    return isinstance(problem, Dim) or (isinstance(problem, tuple) and any(depends(p) for p in problem))


def estimate(size: Size, each: int = 64) -> int:
    """A typical value: every symbol counts `each`."""
    if isinstance(size, Dim):
        size = substitute(size, dict.fromkeys(size.symbols(), each))
    return size if isinstance(size, int) else each


def emit_size(size: Size, op: Emit, symbol: Emit, made: Made, guarded: bool = False) -> str:
    """An i64.  op: appends an instruction and names its result; symbol: the value of a symbol.  made: what is there
    already, where it can be used.

    guarded: divisors that are not positive count 1.
    """
    return _Values(op, symbol, made, guarded).of(size)


class _Values(Fold[str]):
    """Names of i64 values."""

    def __init__(self, op: Emit, symbol: Emit, made: Made, guarded: bool) -> None:
        super().__init__(made)
        self.op, self.named, self.guarded = op, symbol, guarded

    def number(self, value: int) -> str:
        return str(value)

    def symbol(self, name: str) -> str:
        return self.named(name)

    def apply(self, function: str, a: Size, b: Size) -> str:
        return _apply(function, [self.of(a), self.of(b)], self.op, self.guarded)

    def term(self, coefficient: int, factors: Iterator[str]) -> str:
        value = str(coefficient)
        for factor in factors:
            value = factor if value == "1" else self.op(f"mul i64 {value}, {factor}")
        return value

    def sum(self, terms: Iterator[str]) -> str:
        return reduce(lambda a, b: self.op(f"add i64 {a}, {b}"), terms)


def _apply(name: str, args: list[str], op: Emit, guarded: bool) -> str:
    """A function of two sizes; divisors are positive, results are rounded down."""
    a, b = args
    if guarded and name in ("floordiv", "mod") and not b.isdigit():
        b = _apply("max", [b, "1"], op, False)
    if name in ("min", "max"):
        first = op(f"icmp {'slt' if name == 'min' else 'sgt'} i64 {a}, {b}")
        return op(f"select i1 {first}, i64 {a}, i64 {b}")
    rest = op(f"srem i64 {a}, {b}")
    below = op(f"icmp slt i64 {rest}, 0")
    if name == "mod":
        return op(f"select i1 {below}, i64 {op(f'add i64 {rest}, {b}')}, i64 {rest}")
    return op(f"add i64 {op(f'sdiv i64 {a}, {b}')}, {op(f'sext i1 {below} to i64')}")
