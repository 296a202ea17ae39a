"""What an expression has of one number for a whole row: it is computed once, in front of the loop along the row, as
LLVM does not know that a row is not written where that is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.llvm.evaluate import Values
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.tables import reads_in_lanes
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import LOADS, Program, Step, view_of
from mlconv.ir.dtypes import DType


class Row(NamedTuple):
    """values: of instructions, by their numbers.  placed: loads at indices whose pointers stand where they read."""

    values: dict[int, Value]
    placed: frozenset[int] = frozenset()


NOTHING = Row({})


def same_along(program: Program, axis: int, before: int = 0) -> list[bool]:
    """Whether each value is the same all along an axis.  before: values that are there when the program begins, which
    are not.
    """
    same = [False] * before
    for i in program:
        if i.opcode in LOADS:
            same.append(view_of(i).strides[axis] == 0 and (i.opcode == "load" or same[i.args[1]]))
        else:
            same.append(i.opcode in ("const", "size") or (bool(i.args) and all(same[a] for a in i.args)))
    return same


def is_map(step: Step) -> bool:
    """Nothing is reduced: the innermost axis of the body is a kept one."""
    return step.reduced == 0 and bool(step.extents)


def varying(step: Step) -> Program:
    """What of the body is computed again at each place."""
    same = same_along(step.body, len(step.extents) - 1) if is_map(step) else [False] * len(step.body)
    return tuple(i for i, alike in zip(step.body, same, strict=True) if not alike)


def fits_lanes_along(cpu: Cpu, program: Program, axis: int, before: Sequence[DType]) -> bool:
    """Indices of load_at are the same in all lanes along an axis, or what they pick is read for all lanes.  before:
    types of the values that are there when the program begins.
    """
    types, same = [*before, *(i.dtype for i in program)], same_along(program, axis, len(before))
    loads = (i for i in program if i.opcode == "load_at" and not same[i.args[1]])
    return all(reads_in_lanes(cpu, i, types[i.args[1]], axis) for i in loads)


def row_of(b: Builder, program: Program, axis: int, pointers: Sequence[Value]) -> tuple[Row, list[Value]]:
    """What is the same along an axis, and the pointers of the loads, moved to where indices say.  pointers: those of
    the loads at a place in front of it.
    """
    same, placed, out = same_along(program, axis), set[int](), list(pointers)
    values, load = Values(b, 1), 0
    for number, i in enumerate(program):
        at = load
        load += i.opcode in LOADS
        if same[number]:
            values.load(i, out[at], 0) if i.opcode in LOADS else values.compute(i)
            continue
        if i.opcode == "load_at" and same[i.args[1]]:
            placed.add(number)
            out[at] = values.indexed(i, out[at])
        values.add(literal(i.dtype, 0), i.dtype, True)  # nothing that is computed here reads it
    found = {n: values.values[n] for n, i in enumerate(program) if same[n] and i.opcode != "const"}
    return Row(found, frozenset(placed)), out
