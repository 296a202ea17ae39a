"""Sizes that are known at run time, as LLVM IR: polynomials of the values of `dims`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce

from mlconv.codegen.llvm.instructions import Instructions
from mlconv.codegen.llvm.types import DIMS, I64, Value, index, number_of
from mlconv.ir.dim_fold import NestedFold, Piece
from mlconv.ir.dims import Dim, Size, common_factor, divide_exactly
from mlconv.ir.facts import Condition

Symbol = Callable[[str], Value]
Made = dict[Piece, Value]  # what has been computed


def depends(problem: object) -> bool:
    """Whether a problem (nested tuples of whatever) has sizes that are known at run time."""
    return isinstance(problem, Dim) or (isinstance(problem, tuple) and any(depends(p) for p in problem))


def emit_size(size: Size, code: Instructions, symbol: Symbol, made: Made, guarded: bool = False) -> Value:
    """An i64.  code: where instructions go; symbol: the value of a symbol.  made: what is there already, where it can
    be used.

    guarded: divisors that are not positive count 1.
    """
    return _Values(code, symbol, made, guarded).of(size)


def emit_condition(condition: Condition, code: Instructions, size: Callable[[Size], Value]) -> Value:
    """Whether sizes fulfil it.  size: the i64 of one."""
    a, b = size(condition.a), size(condition.b)
    truth = code.icmp("sge" if condition.kind == "least" else "eq", a, b)
    return code.or_(truth, code.icmp("eq", a, index(1))) if condition.kind == "spread" else truth


class _Values(NestedFold[Value]):
    """i64 values."""

    def __init__(self, code: Instructions, symbol: Symbol, made: Made, guarded: bool) -> None:
        super().__init__(made)
        self.code, self.named, self.guarded = code, symbol, guarded

    def ready(self, size: Dim) -> Value | None:
        """A multiple of what is there, as that times a number."""
        common = common_factor(size)
        if common == 1:
            return None
        self.made[size] = self.code.mul(index(common), self.of(divide_exactly(size, common) or 0))
        return self.made[size]

    def number(self, value: int) -> Value:
        return index(value)

    def symbol(self, name: str) -> Value:
        return self.named(name)

    def apply(self, function: str, a: Size, b: Size) -> Value:
        return _apply(function, [self.of(a), self.of(b)], self.code, self.guarded)

    def term(self, coefficient: int, factors: Iterator[Value]) -> Value:
        value: Value = index(coefficient)
        for factor in factors:
            value = factor if number_of(value) == 1 else self.code.mul(value, factor)
        return value

    def sum(self, terms: Iterator[Value]) -> Value:
        return reduce(self.code.add, terms)


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
    divisor = number_of(b) or 0
    if divisor > 0 and divisor & (divisor - 1) == 0:  # a power of two
        if name == "mod":
            return code.and_(a, index(divisor - 1))
        return code.binary("ashr", a, index(divisor.bit_length() - 1))
    rest = code.binary("srem", a, b)
    below = code.icmp("slt", rest, index(0))
    if name == "mod":
        return code.select(below, code.add(rest, b), rest)
    return code.add(code.binary("sdiv", a, b), code.convert("sext", below, I64))
