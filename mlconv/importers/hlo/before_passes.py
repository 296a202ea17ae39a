"""HLO modules that XLA's own passes have been over, as modules that it takes as input.

What a compiler leaves, and files of dumps hold, has fusions, a schedule, and bitcasts that depend on layouts.  XLA does
not take them apart again: it ends its process where code for a fusion is not what its emitters make themselves.  A
fusion is a call of its computation, and a bitcast between elements of the same width a reshape of them as they lie in
memory (openxla.org/xla/operation_semantics, xla/hlo/ir/hlo_opcode.h).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from typing import TYPE_CHECKING

from mlconv.formats.protos import hlo_pb

if TYPE_CHECKING:
    from mlconv.formats.hlo_messages import HloInstructionProto, HloModuleProto

_SIGNS = (b"\x12\x06fusion", b"\x12\x07bitcast")  # the field `opcode` of an instruction


def before_passes(data: bytes) -> bytes:
    """An HloModuleProto without fusions, bitcasts of layouts, and schedule; one that has none as it is."""
    if not any(sign in data for sign in _SIGNS):
        return data
    module: HloModuleProto = hlo_pb().HloModuleProto.FromString(data)
    module.ClearField("schedule")
    for computation in module.computations:
        computation.is_fusion_computation = False
        known = {i.id: i for i in computation.instructions}
        numbers = count(max(known, default=0) + 1)  # numbers of a computation: their upper half may be its own number
        made = [part for i in computation.instructions for part in _plain(i, known, numbers)]
        del computation.instructions[:]
        computation.instructions.extend(made)
    return module.SerializeToString()


def _plain(
    instruction: HloInstructionProto, known: dict[int, HloInstructionProto], numbers: Iterator[int]
) -> list[HloInstructionProto]:
    """What stands for an instruction; the last one has its number."""
    if instruction.opcode == "fusion":
        instruction.opcode, instruction.fusion_kind = "call", ""
    if instruction.opcode != "bitcast" or len(instruction.operand_ids) != 1:
        return [instruction]
    operand = known[instruction.operand_ids[0]]
    have, want, sizes = _major(operand), _major(instruction), instruction.shape.dimensions
    stored = [operand.shape.dimensions[a] for a in have]
    made = [
        _made(instruction, "bitcast-convert", operand.shape.dimensions),
        _made(instruction, "transpose", stored, have),
        _made(instruction, "reshape", [sizes[a] for a in want]),
        _made(instruction, "transpose", sizes, [want.index(a) for a in range(len(want))]),
    ]
    if operand.shape.element_type == instruction.shape.element_type:
        del made[0]
    for before, after in pairwise(made):
        before.id = next(numbers)
        before.name = f"{instruction.name}.{before.opcode}.{before.id}"
        after.operand_ids[:] = [before.id]
    return made


def _made(
    like: HloInstructionProto, opcode: str, sizes: Sequence[int], order: Sequence[int] = ()
) -> HloInstructionProto:
    """An instruction with the operand and the number of another one, and its place."""
    made: HloInstructionProto = hlo_pb().HloInstructionProto()
    made.CopyFrom(like)
    made.opcode = opcode
    made.dimensions[:] = order
    made.shape.dimensions[:] = sizes
    made.shape.is_dynamic_dimension[:] = [False] * len(sizes)
    made.shape.layout.minor_to_major[:] = range(len(sizes) - 1, -1, -1)
    return made


def _major(instruction: HloInstructionProto) -> list[int]:
    """Axes of a result from major to minor."""
    rank = len(instruction.shape.dimensions)
    order = list(reversed(instruction.shape.layout.minor_to_major))
    return order if len(order) == rank else list(range(rank))
