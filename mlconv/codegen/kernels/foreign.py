"""The kind `kernel.foreign`: calls of C functions of the user, by the ABI of docs/foreign-kernels.md.

The structures that a function gets are made on the stack: an object has no data that a loader would have to adjust.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Call, ForeignFunction, KernelKind, Written
from mlconv.codegen.llvm.literals import real
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import (
    DOUBLE,
    I32,
    I64,
    NULL,
    POINTER,
    LlvmType,
    Value,
    index,
    integer,
    structure,
)
from mlconv.dialects.foreign_abi import NUMBERS, Member, Scalar, members
from mlconv.dialects.kernel import ForeignCall, Room
from mlconv.ir.dims import Size

ERROR_FOREIGN = 256  # and the low byte of what a function returned
_TENSOR = structure(POINTER, POINTER, I32, I32)  # mlc_input, mlc_output
_BYTE = 255
_SINGLE = {"int": I64, "real": DOUBLE, "text": POINTER}


class _Foreign(KernelKind[ForeignCall]):
    name = "kernel.foreign"
    fails = True

    def flops(self, problem: ForeignCall) -> int:
        """None: nobody knows what a function does."""
        return 0

    def scratch(self, problem: ForeignCall) -> Size:
        return problem.scratch

    def foreign(self, problem: ForeignCall) -> tuple[ForeignFunction, ...]:
        return (ForeignFunction(problem.symbol, "", (problem.library,) if problem.library else ()),)

    def generate(self, b: Builder, problem: ForeignCall, call: Call) -> Written:
        count = len(problem.inputs)
        scratch = call.operands[count] if problem.scratch else NULL
        given = [
            _tensors(b, problem.inputs, call.operands[:count]),
            _tensors(b, problem.outputs, call.results),
            _structure(b, members(problem.arguments)),
            scratch,
            call.parallel,
        ]
        found = b.call(I32, problem.symbol, given)
        error = b.or_(b.and_(found, integer(I32, _BYTE)), integer(I32, ERROR_FOREIGN))
        fine = b.icmp("eq", found, integer(I32, 0))
        b.store(b.select(fine, found, error), call.error, 0)
        return Written()


def _tensors(b: Builder, rooms: Sequence[Room], data: Sequence[Value]) -> Value:
    """The table of inputs or outputs."""
    table = b.room(_TENSOR, max(1, len(rooms)))
    for i, (room, address) in enumerate(zip(rooms, data, strict=True)):
        sizes = b.room(I64, max(1, len(room.sizes)))
        for axis, size in enumerate(room.sizes):
            b.store(b.number(size), b.gep(I64, sizes, index(axis)), 0)
        facts = address, sizes, integer(I32, len(room.sizes)), integer(I32, NUMBERS[room.dtype])
        _fill(b, _TENSOR, b.gep(_TENSOR, table, index(i)), facts)
    return table


def _structure(b: Builder, found: Sequence[Member]) -> Value:
    """The attributes; nothing where there are none."""
    values: list[Value] = []
    for member in found:
        if isinstance(member.value, tuple):
            values += [_list(b, member.kind.removesuffix("s"), member.value), index(len(member.value))]
        else:
            values.append(_value(b, member.kind, member.value))
    if not values:
        return NULL
    made = structure(*(v.type for v in values))
    place = b.room(made, 1)
    _fill(b, made, place, values)
    return place


def _fill(b: Builder, made: LlvmType, place: Value, values: Sequence[Value]) -> None:
    for i, value in enumerate(values):
        b.store(value, b.member(made, place, i), 0)


def _value(b: Builder, kind: str, value: Scalar) -> Value:
    if isinstance(value, str):
        return b.data(value.encode("utf-8", "surrogateescape") + b"\0")
    return real(DOUBLE, value) if kind == "real" else integer(I64, int(value))


def _list(b: Builder, kind: str, items: Sequence[Scalar]) -> Value:
    """The address of the numbers or texts of a list."""
    values = [_value(b, kind, v) for v in items]
    table = b.room(_SINGLE[kind], max(1, len(values)))
    for i, value in enumerate(values):
        b.store(value, b.gep(_SINGLE[kind], table, index(i)), 0)
    return table


FOREIGN = _Foreign()
