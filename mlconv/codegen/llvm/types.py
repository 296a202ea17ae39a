"""Types of generated code, and values that have one: registers and literals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from operator import add, and_, mul, sub

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.dtypes import DType


class LlvmType:
    """An element, or a vector of `lanes` of them.  There is one object for each type: compare with `is`.

    text: as instructions have it; name: as names of intrinsics have it.  element: the type of one lane.
    bits, size: of one lane, in bits and bytes; align: what loads and stores of one lane may count on.
    """

    __slots__ = ("align", "bits", "element", "floating", "lanes", "name", "size", "text")

    def __init__(self, text: str, name: str, bits: int, floating: bool, element: LlvmType | None, lanes: int) -> None:
        self.text, self.name, self.bits, self.floating, self.lanes = text, name, bits, floating, lanes
        self.element = element or self
        self.size = -(-bits // 8)
        self.align = min(self.size, 8)

    def of_lanes(self, lanes: int) -> LlvmType:
        """A vector of so many of these; the type itself for 1."""
        return self if lanes == 1 else _vector(self, lanes)

    def __repr__(self) -> str:
        return self.text


@cache
def _vector(element: LlvmType, lanes: int) -> LlvmType:
    text, name = f"<{lanes} x {element.text}>", f"v{lanes}{element.name}"
    return LlvmType(text, name, element.bits, element.floating, element, lanes)


@cache
def structure(*parts: LlvmType) -> LlvmType:
    """What instructions with several results give."""
    return LlvmType(f"{{ {', '.join(p.text for p in parts)} }}", "", 0, False, None, 1)


def _element(text: str, bits: int, name: str = "") -> LlvmType:
    return LlvmType(text, name or text, bits, bool(name) and bits > 0, None, 1)


DOUBLE, FLOAT, HALF = _element("double", 64, "f64"), _element("float", 32, "f32"), _element("half", 16, "f16")
BFLOAT = _element("bfloat", 16, "bf16")
I128, I64, I32, I16, I8, I1 = (_element(f"i{bits}", bits) for bits in (128, 64, 32, 16, 8, 1))
POINTER, VOID = _element("ptr", 0, "p0"), _element("void", 0)

# What elements are in registers: small floats and complex numbers are their bits.
TYPES = {
    DType.F64: DOUBLE,
    DType.F32: FLOAT,
    DType.F16: I16,
    DType.BF16: I16,
    DType.C64: I64,
    DType.C128: I128,
    DType.I64: I64,
    DType.U64: I64,
    DType.I32: I32,
    DType.U32: I32,
    DType.I16: I16,
    DType.U16: I16,
    DType.I8: I8,
    DType.U8: I8,
    DType.BOOL: I1,
}
_MEMORY = {**TYPES, DType.BOOL: I8}

_FOLDED = {"add": add, "add nsw": add, "sub": sub, "mul": mul, "mul nsw": mul, "and": and_}


def memory_type(dtype: DType) -> LlvmType:
    """What elements are in memory: a bool takes a byte."""
    return _MEMORY[dtype]


class Value:
    """What an instruction may take: a register, `%7`, or a `Literal`."""

    __slots__ = ("text", "type")

    def __init__(self, type_: LlvmType, text: str) -> None:
        self.type, self.text = type_, text

    def __repr__(self) -> str:
        return f"{self.type.text} {self.text}"


class Literal(Value):
    """A constant.  number: of an integer that is no vector, else None."""

    __slots__ = ("number",)

    def __init__(self, type_: LlvmType, text: str, number: int | None = None) -> None:
        self.type, self.text, self.number = type_, text, number


def pointer(name: str) -> Value:
    """The register or symbol of that name, as an address."""
    return Value(POINTER, name)


DIMS = pointer("%dims")  # the table of sizes that are known at run time
BEGIN, END = Value(I64, "%begin"), Value(I64, "%end")  # the range of a call's work items
NULL = Literal(POINTER, "null")


@lru_cache(maxsize=4096)
def index(number: int) -> Literal:
    """An i64 that is known."""
    return Literal(I64, str(number), number)


TRUE, FALSE = Literal(I1, "true", 1), Literal(I1, "false", 0)


@lru_cache(maxsize=4096)
def integer(type_: LlvmType, number: int) -> Literal:
    """An integer in every lane."""
    if type_.lanes == 1:
        return Literal(type_, str(number), number)
    return Literal(type_, f"splat ({type_.element.text} {number})")


def integers(type_: LlvmType, numbers: Sequence[int]) -> Literal:
    """An integer for each lane."""
    return Literal(type_, f"<{', '.join(f'{type_.element.text} {n}' for n in numbers)}>")


def zero(type_: LlvmType) -> Literal:
    """0 in every lane."""
    return integer(type_, 0) if type_.lanes == 1 and not type_.floating else Literal(type_, "zeroinitializer")


def lane_mask(lanes: int, count: int) -> Literal:
    """The first `count` of some lanes."""
    bits = ", ".join(f"i1 {'true' if i < count else 'false'}" for i in range(lanes))
    return Literal(I1.of_lanes(lanes), f"<{bits}>")


def number_of(value: Value) -> int | None:
    """The number, of an integer that is a literal."""
    return value.number if isinstance(value, Literal) else None


def folded(opcode: str, x: Value, y: Value) -> Literal | None:
    """An i64 that is known: the result of an integer function of two literals, where it does not overflow."""
    a, b = number_of(x), number_of(y)
    if a is None or b is None or opcode not in _FOLDED:
        return None
    found = _FOLDED[opcode](a, b)
    return index(found) if -(1 << I64.bits - 1) <= found < 1 << I64.bits - 1 else None


def misfit(instruction: str, *operands: Value | LlvmType) -> ConversionError:
    """An instruction that does not take operands of these types."""
    types = ", ".join((o.type if isinstance(o, Value) else o).text for o in operands)
    return ConversionError(Code.InternalError, f"generated code is not valid: {instruction} of {types}")
