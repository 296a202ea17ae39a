"""Sizes that are known at run time, as LLVM IR: polynomials of the values of `dims`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Union

from mlconv.ir.dims import Atom, Dim, Size, substitute

Emit = Callable[[str], str]
Made = dict[Union[Dim, Atom], str]  # names of what has been computed


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
    if isinstance(size, int):
        return str(size)
    if size in made:
        return made[size]
    total = ""
    for monomial, coefficient in size.terms.items():
        value = str(coefficient)
        for atom in monomial:
            if atom.args and atom not in made:
                made[atom] = _apply(atom.fn, [emit_size(a, op, symbol, made, guarded) for a in atom.args], op, guarded)
            factor = made[atom] if atom.args else symbol(atom.fn)
            value = factor if value == "1" else op(f"mul i64 {value}, {factor}")
        total = op(f"add i64 {total}, {value}") if total else value
    made[size] = total
    return total


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
