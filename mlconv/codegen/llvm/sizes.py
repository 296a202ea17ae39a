"""Sizes that are known at run time, as LLVM IR: polynomials of the values of `dims`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Union

from mlconv.codegen.llvm.instructions import Instructions
from mlconv.codegen.llvm.types import DIMS, I64, Value, index, number_of
from mlconv.ir.dims import Atom, Dim, Size, substitute

Symbol = Callable[[str], Value]
Made = dict[Union[Dim, Atom], Value]  # what has been computed


def depends(problem: object) -> bool:
    """Whether a problem (nested tuples of whatever) has sizes that are known at run time."""
    return isinstance(problem, Dim) or (isinstance(problem, tuple) and any(depends(p) for p in problem))


def estimate(size: Size, each: int = 64) -> int:
    """A typical value: every symbol counts `each`."""
    if isinstance(size, Dim):
        size = substitute(size, dict.fromkeys(size.symbols(), each))
    return size if isinstance(size, int) else each


def emit_size(size: Size, code: Instructions, symbol: Symbol, made: Made, guarded: bool = False) -> Value:
    """An i64.  code: where instructions go; symbol: the value of a symbol.  made: what is there already, where it can
    be used.

    guarded: divisors that are not positive count 1.
    """
    if isinstance(size, int):
        return index(size)
    if size in made:
        return made[size]
    total = None
    for monomial, coefficient in size.terms.items():
        value: Value = index(coefficient)
        for atom in monomial:
            if atom.args and atom not in made:
                made[atom] = _apply(
                    atom.fn, [emit_size(a, code, symbol, made, guarded) for a in atom.args], code, guarded
                )
            factor = made[atom] if atom.args else symbol(atom.fn)
            value = factor if number_of(value) == 1 else code.mul(value, factor)
        total = value if total is None else code.add(total, value)
    made[size] = total or index(0)
    return made[size]


def symbol_at(code: Instructions, place: int) -> Value:
    """The size at a place of the table."""
    return code.load(I64, code.gep(I64, DIMS, index(place)), 0)


def _apply(name: str, args: list[Value], code: Instructions, guarded: bool) -> Value:
    """A function of two sizes; divisors are positive, results are rounded down."""
    a, b = args
    if guarded and name in ("floordiv", "mod") and (number_of(b) or 0) <= 0:
        b = _apply("max", [b, index(1)], code, False)
    if name in ("min", "max"):
        return code.select(code.icmp("slt" if name == "min" else "sgt", a, b), a, b)
    rest = code.binary("srem", a, b)
    below = code.icmp("slt", rest, index(0))
    if name == "mod":
        return code.select(below, code.add(rest, b), rest)
    return code.add(code.binary("sdiv", a, b), code.convert("sext", below, I64))
