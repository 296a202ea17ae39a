"""What a call asks of its pointers before it does anything with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from mlconv.codegen.llvm.instructions import Instructions
from mlconv.codegen.llvm.types import FALSE, NULL, POINTER, Value, index, number_of, pointer, zero
from mlconv.codegen.program.memory_plan import nbytes
from mlconv.codegen.program.packing import ALIGNMENT
from mlconv.ir import core
from mlconv.ir.dims import Size

INPUTS, OUTPUTS = pointer("%inputs"), pointer("%outputs")
Number = Callable[[Size], Value]  # a size as an i64


def misplaced(code: Instructions, workspace: Value, need: Value) -> Value:
    """An i1: a workspace of which `need` bytes are wanted is missing or not aligned."""
    if number_of(need) == 0:
        return FALSE
    wrong = code.or_(code.icmp("eq", workspace, NULL), _unaligned(code, workspace))
    return wrong if number_of(need) is not None else code.and_(wrong, code.icmp("ne", need, zero(need.type)))


def ask_pointers(
    code: Instructions, block: core.Block, separate: bool, number: Number, labels: tuple[str, str]
) -> None:
    """Go to the first label when a pointer is missing, or separate weights are not aligned, else to the second one.  A
    tensor of no bytes needs no pointer.
    """
    wrong, right = labels
    sides: list[tuple[Value, Sequence[core.Value]]] = [(INPUTS, block.arguments), (OUTPUTS, block.outputs)]
    tables = [table for table, values in sides if values or (separate and table is INPUTS)]
    code.branch(_any(code, [code.icmp("eq", table, NULL) for table in tables]), wrong, "tables")
    code.label("tables")
    found = [_missing(code, _entry(code, table, i), v, number) for table, values in sides for i, v in enumerate(values)]
    if separate:
        weights = _entry(code, INPUTS, len(block.arguments))
        found += [code.icmp("eq", weights, NULL), _unaligned(code, weights)]
    code.branch(_any(code, found), wrong, right)


def _entry(code: Instructions, table: Value, place: int) -> Value:
    return code.load(POINTER, code.gep(POINTER, table, index(place)), 0)


def _missing(code: Instructions, given: Value, tensor: core.Value, number: Number) -> Value:
    size = nbytes(tensor)
    if size == 0:
        return FALSE
    absent = code.icmp("eq", given, NULL)
    return absent if isinstance(size, int) else code.and_(absent, code.icmp("ne", number(size), index(0)))


def _unaligned(code: Instructions, given: Value) -> Value:
    return code.icmp("ne", code.and_(code.address(given), index(ALIGNMENT - 1)), index(0))


def _any(code: Instructions, found: Sequence[Value]) -> Value:
    nothing: Value = FALSE
    return reduce(code.or_, found, nothing)
