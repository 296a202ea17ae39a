"""Instructions of LLVM IR as functions of typed values.  Each checks the types of its operands when it is written.

Source: LLVM Language Reference.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm.types import I1, I32, I64, POINTER, VOID, Literal, LlvmType, Value, folded, misfit, structure

# Functions of two operands of one type, which they also give, and whether that is a floating-point type.
BINARY = dict.fromkeys(
    ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor", "shl", "lshr", "ashr"), False
)
BINARY |= {"add nsw": False, "mul nsw": False, "fadd": True, "fsub": True, "fmul": True, "fdiv": True}
# Conversions: whether the operand and the result are floating-point, and how the result's width compares.
_CONVERSIONS = {
    "trunc": (False, False, -1),
    "zext": (False, False, 1),
    "sext": (False, False, 1),
    "fptrunc": (True, True, -1),
    "fpext": (True, True, 1),
    "fptosi": (True, False, 0),
    "fptoui": (True, False, 0),
    "sitofp": (False, True, 0),
    "uitofp": (False, True, 0),
}
_NOTHING = Literal(VOID, "")
_UPDATES = ("add", "sub", "and")
ORDERED, UNORDERED = "seq_cst", "monotonic"  # accesses that all threads see in one order; that are whole, and no more


def _is_whole(t: LlvmType) -> bool:
    """Threads may share a number of that type."""
    return t in (I64, I32) and t.lanes == 1


class Instructions:
    """Lines of a function to which instructions are appended.  mark: what the names of their results begin with."""

    def __init__(self, mark: str, lines: list[str]) -> None:
        self.mark, self.lines, self.count = f"%{mark}", lines, 0
        self.phis: dict[str, int] = {}  # lines of those that there are, by their names

    def fresh(self) -> str:
        """A name that no other value has."""
        self.count += 1
        return f"{self.mark}{self.count}"

    def _result(self, type_: LlvmType, text: str) -> Value:
        """Append an instruction whose operands have been checked; returns its result."""
        self.count += 1
        name = f"{self.mark}{self.count}"
        self.lines.append(f"  {name} = {text}")
        return Value(type_, name)

    def _effect(self, text: str) -> None:
        """Append an instruction without a result."""
        self.lines.append(f"  {text}")

    # -- numbers -----------------------------------------------------------------------------------

    def binary(self, opcode: str, x: Value, y: Value) -> Value:
        """A function of BINARY."""
        t = x.type
        if y.type is not t or t.floating is not BINARY[opcode] or not t.bits:
            raise misfit(opcode, x, y)
        known = folded(opcode, x, y) if t is I64 else None
        if known is not None:
            return known
        return self._result(t, f"{opcode} {t.text} {x.text}, {y.text}")

    def add(self, x: Value, y: Value) -> Value:
        return self.binary("add", x, y)

    def sub(self, x: Value, y: Value) -> Value:
        return self.binary("sub", x, y)

    def mul(self, x: Value, y: Value) -> Value:
        return self.binary("mul", x, y)

    def udiv(self, x: Value, y: Value) -> Value:
        return self.binary("udiv", x, y)

    def urem(self, x: Value, y: Value) -> Value:
        return self.binary("urem", x, y)

    def and_(self, x: Value, y: Value) -> Value:
        return self.binary("and", x, y)

    def or_(self, x: Value, y: Value) -> Value:
        return self.binary("or", x, y)

    def xor(self, x: Value, y: Value) -> Value:
        return self.binary("xor", x, y)

    def fadd(self, x: Value, y: Value) -> Value:
        return self.binary("fadd", x, y)

    def fsub(self, x: Value, y: Value) -> Value:
        return self.binary("fsub", x, y)

    def fmul(self, x: Value, y: Value) -> Value:
        return self.binary("fmul", x, y)

    def fneg(self, x: Value) -> Value:
        if not x.type.floating:
            raise misfit("fneg", x)
        return self._result(x.type, f"fneg {x.type.text} {x.text}")

    def icmp(self, code: str, x: Value, y: Value) -> Value:
        """An i1 for each lane; pointers have them too."""
        t = x.type
        if y.type is not t or t.floating:
            raise misfit(f"icmp {code}", x, y)
        return self._result(I1.of_lanes(t.lanes), f"icmp {code} {t.text} {x.text}, {y.text}")

    def fcmp(self, code: str, x: Value, y: Value) -> Value:
        """An i1 for each lane."""
        t = x.type
        if y.type is not t or not t.floating:
            raise misfit(f"fcmp {code}", x, y)
        return self._result(I1.of_lanes(t.lanes), f"fcmp {code} {t.text} {x.text}, {y.text}")

    def freeze(self, x: Value) -> Value:
        """x, of which LLVM's loop passes take no more than that it is the same everywhere: what they make of sums of
        products takes them long.
        """
        return self._result(x.type, f"freeze {x.type.text} {x.text}")

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        """Lane by lane."""
        t, c = x.type, condition.type
        if y.type is not t or c is not I1.of_lanes(t.lanes):
            raise misfit("select", condition, x, y)
        return self._result(t, f"select {c.text} {condition.text}, {t.text} {x.text}, {t.text} {y.text}")

    def convert(self, opcode: str, x: Value, type_: LlvmType) -> Value:
        """trunc, zext, sext, fptrunc, fpext, fptosi, fptoui, sitofp or uitofp, lane by lane."""
        t = x.type
        source, result, order = _CONVERSIONS[opcode]
        fits = t.floating is source and type_.floating is result and t.lanes == type_.lanes
        if not fits or (type_.bits - t.bits) * order < 0 or (order and type_.bits == t.bits):
            raise misfit(opcode, x, type_)
        return self._result(type_, f"{opcode} {t.text} {x.text} to {type_.text}")

    def address(self, x: Value) -> Value:
        """A pointer as an i64."""
        if x.type is not POINTER:
            raise misfit("ptrtoint", x)
        return self._result(I64, f"ptrtoint ptr {x.text} to i64")

    def bitcast(self, x: Value, type_: LlvmType) -> Value:
        """The same bits."""
        t = x.type
        if t.bits * t.lanes != type_.bits * type_.lanes:
            raise misfit("bitcast", x, type_)
        return self._result(type_, f"bitcast {t.text} {x.text} to {type_.text}")

    def splat(self, x: Value, lanes: int) -> Value:
        """A scalar in every lane."""
        if lanes == 1:
            return x
        t = x.type.of_lanes(lanes)
        if isinstance(x, Literal):
            return Literal(t, f"splat ({x.type.text} {x.text})")
        first = self._result(t, f"insertelement {t.text} poison, {x.type.text} {x.text}, i64 0")
        return self._result(t, f"shufflevector {t.text} {first.text}, {t.text} poison, <{lanes} x i32> zeroinitializer")

    def lane(self, x: Value, place: int) -> Value:
        """One lane, as a scalar."""
        t = x.type
        if not 0 <= place < t.lanes or t.lanes == 1:
            raise misfit(f"lane {place}", x)
        return self._result(t.element, f"extractelement {t.text} {x.text}, i64 {place}")

    def lanes(self, x: Value, first: int, count: int) -> Value:
        """Some neighbouring lanes."""
        if first + count > x.type.lanes:
            raise misfit(f"lanes {first} to {first + count}", x)
        return self.chosen(x, range(first, first + count))

    def chosen(self, x: Value, places: Sequence[int]) -> Value:
        """Lanes of a vector in any order."""
        if not all(0 <= p < x.type.lanes for p in places):
            raise misfit(f"lanes {list(places)}", x)
        return self._shuffled(x, "poison", places)

    def chosen_or_zero(self, x: Value, places: Sequence[int]) -> Value:
        """As `chosen`, with 0 for the place behind the last lane."""
        if x.type.floating or not all(0 <= p <= x.type.lanes for p in places):
            raise misfit(f"lanes {list(places)}", x)
        return self._shuffled(x, "zeroinitializer", places)

    def joined(self, x: Value, y: Value) -> Value:
        """The lanes of y behind those of x."""
        if y.type is not x.type:
            raise misfit("joined", x, y)
        return self._shuffled(x, y.text, range(2 * x.type.lanes))

    def mixed(self, x: Value, y: Value, places: Sequence[int]) -> Value:
        """Lanes of two vectors in any order, those of y behind those of x."""
        if y.type is not x.type or not all(0 <= p < 2 * x.type.lanes for p in places):
            raise misfit(f"lanes {list(places)}", x, y)
        return self._shuffled(x, y.text, places)

    def _shuffled(self, x: Value, behind: str, places: Sequence[int]) -> Value:
        """Lanes of a vector and of one behind it."""
        t = x.type
        if t.lanes == 1:
            raise misfit("shufflevector", x)
        numbers = ", ".join(f"i32 {p}" for p in places)
        text = f"shufflevector {t.text} {x.text}, {t.text} {behind}, <{len(places)} x i32> <{numbers}>"
        return self._result(t.element.of_lanes(len(places)), text)

    def extract(self, x: Value, place: int, type_: LlvmType) -> Value:
        """A part of a structure, which has that type."""
        if x.type.bits:
            raise misfit("extractvalue", x, type_)
        return self._result(type_, f"extractvalue {x.type.text} {x.text}, {place}")

    # -- memory ------------------------------------------------------------------------------------

    def load(self, type_: LlvmType, pointer: Value, align: int) -> Value:
        """What lies at an address.  align: bytes, 0 for the type's own."""
        if pointer.type is not POINTER:
            raise misfit("load", pointer)
        return self._result(type_, f"load {type_.text}, ptr {pointer.text}{f', align {align}' if align else ''}")

    def store(self, value: Value, pointer: Value, align: int, volatile: bool = False, passing: bool = False) -> None:
        """Write to an address.  align: as for `load`.  passing: past the caches."""
        t = value.type
        if pointer.type is not POINTER or t is VOID:
            raise misfit("store", value, pointer)
        aligned = f", align {align}" if align else ""
        aligned += ", !nontemporal !{i32 1}" if passing else ""
        self._effect(f"store {'volatile ' if volatile else ''}{t.text} {value.text}, ptr {pointer.text}{aligned}")

    def load_atomic(self, type_: LlvmType, pointer: Value, order: str = ORDERED) -> Value:
        """What threads have left at an address.  order: of memory accesses, as LLVM spells it."""
        if pointer.type is not POINTER or not _is_whole(type_):
            raise misfit("load atomic", type_, pointer)
        return self._result(type_, f"load atomic {type_.text}, ptr {pointer.text} {order}, align {type_.size}")

    def store_atomic(self, value: Value, pointer: Value, order: str = ORDERED) -> None:
        """Write what other threads read.  order: as for `load_atomic`."""
        t = value.type
        if pointer.type is not POINTER or not _is_whole(t):
            raise misfit("store atomic", value, pointer)
        self._effect(f"store atomic {t.text} {value.text}, ptr {pointer.text} {order}, align {t.size}")

    def update(self, opcode: str, pointer: Value, value: Value, order: str = ORDERED) -> Value:
        """Replace a number by add, sub or and of it and a value, in one step; returns the number that lay there."""
        t = value.type
        if pointer.type is not POINTER or not _is_whole(t) or opcode not in _UPDATES:
            raise misfit(f"atomicrmw {opcode}", pointer, value)
        return self._result(t, f"atomicrmw {opcode} ptr {pointer.text}, {t.text} {value.text} {order}")

    def exchange(self, pointer: Value, expected: Value, new: Value) -> Value:
        """Write a number where another one lies, in one step; returns an i1, whether it lay there."""
        t = new.type
        if pointer.type is not POINTER or not _is_whole(t) or expected.type is not t:
            raise misfit("cmpxchg", pointer, expected, new)
        given = f"ptr {pointer.text}, {t.text} {expected.text}, {t.text} {new.text}"
        pair = self._result(structure(t, I1), f"cmpxchg {given} {ORDERED} {ORDERED}")
        return self.extract(pair, 1, I1)

    def gep(self, type_: LlvmType, pointer: Value, at: Value) -> Value:
        """The address of element `at` of those from `pointer` on."""
        if pointer.type is not POINTER or at.type is not I64:
            raise misfit("getelementptr", pointer, at)
        return self._result(POINTER, f"getelementptr {type_.text}, ptr {pointer.text}, i64 {at.text}")

    def spread(self, type_: LlvmType, pointer: Value, at: Value) -> Value:
        """Addresses of elements, by their numbers in a vector."""
        if pointer.type is not POINTER or at.type.element not in (I32, I64) or at.type.lanes == 1:
            raise misfit("getelementptr", pointer, at)
        text = f"getelementptr {type_.text}, ptr {pointer.text}, {at.type.text} {at.text}"
        return self._result(POINTER.of_lanes(at.type.lanes), text)

    def member(self, type_: LlvmType, pointer: Value, place: int) -> Value:
        """The address of a part of the structure at an address."""
        if pointer.type is not POINTER or type_.bits or type_ is VOID:
            raise misfit("getelementptr", pointer)
        return self._result(POINTER, f"getelementptr {type_.text}, ptr {pointer.text}, i64 0, i32 {place}")

    def room(self, type_: LlvmType, count: int) -> Value:
        """Address of `count` elements on the stack."""
        return self._result(POINTER, f"alloca [{count} x {type_.text}]")

    # -- functions ---------------------------------------------------------------------------------

    def invoke(
        self, result: LlvmType, function: str | Value, arguments: Sequence[Value], flags: str = "", tail: bool = False
    ) -> Value:
        """Call a function that is declared or defined, or lies at an address.  flags: fast-math flags, or a calling
        convention.
        """
        given = ", ".join([f"{a.type.text} {a.text}" for a in arguments])
        callee = f"@{function}" if isinstance(function, str) else function.text
        text = f"{'tail ' if tail else ''}call {flags}{result.text} {callee}({given})"
        if result is VOID:
            self._effect(text)
            return _NOTHING
        return self._result(result, text)

    # -- blocks ------------------------------------------------------------------------------------

    def label(self, name: str) -> None:
        """A block begins."""
        self.lines.append(f"{name}:")

    def phi(self, type_: LlvmType) -> Value:
        """A value that depends on the block that control comes from, as `comes` says."""
        name = self.fresh()
        self.phis[name] = len(self.lines)
        self.lines.append(f"  {name} = phi {type_.text} ")
        return Value(type_, name)

    def comes(self, phi: Value, value: Value, label: str) -> None:
        """What a phi is when control comes from a block."""
        if value.type is not phi.type:
            raise misfit("phi", phi, value)
        line = self.lines[self.phis[phi.text]]
        self.lines[self.phis[phi.text]] = f"{line}{', ' if line.endswith(']') else ''}[ {value.text}, %{label} ]"

    def goto(self, label: str) -> None:
        self._effect(f"br label %{label}")

    def branch(self, condition: Value, yes: str, no: str) -> None:
        if condition.type is not I1:
            raise misfit("br", condition)
        self._effect(f"br i1 {condition.text}, label %{yes}, label %{no}")

    def switch(self, value: Value, cases: Sequence[str], otherwise: str) -> None:
        """To the label whose place among `cases` an integer is."""
        t = value.type
        if t.floating or t.lanes != 1:
            raise misfit("switch", value)
        places = " ".join(f"{t.text} {i}, label %{label}" for i, label in enumerate(cases))
        self._effect(f"switch {t.text} {value.text}, label %{otherwise} [ {places} ]")

    def ret(self, value: Value | None = None) -> None:
        """The function ends."""
        self._effect("ret void" if value is None else f"ret {value.type.text} {value.text}")
