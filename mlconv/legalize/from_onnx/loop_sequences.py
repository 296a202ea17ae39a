"""Sequences that a loop appends to, as lists of a scripted function are: one tensor of all steps.

`ys.append(y)` in a loop of torch.jit.script is a sequence that Loop carries and SequenceInsert makes longer, one
element a step.  Nothing else reads it in the body, so that y may be a scan output of the loop, and the sequence the
slices of that along its first axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects.source import SourceOp
from mlconv.ir.core import Block, Value
from mlconv.ir.types import OpaqueType
from mlconv.legalize.from_onnx.node import Node
from mlconv.rewrite import edit

SEQUENCE: Final = "mlconv.sequence"
ROWS: Final = "mlconv.rows"  # the slices of a tensor along an axis whose size is only known at run time
NONE: Final = "mlconv.none"
_INSERT: Final = "onnx.SequenceInsert"
_JOINED: Final = "onnx.ConcatFromSequence"
STATES: Final = 2  # arguments of the body of a Loop before its states: the step, and the condition


def rows(n: Node, x: Value, axis: int, keep: bool, step: int = 1) -> Value:
    """The slices of a tensor as a sequence.  keep: with the axis, of size 1, or of up to `step`, its number in each."""
    facts = {"axis": axis, "keep": keep, "step": step}
    return n.builder.emit(SourceOp(ROWS, [x], facts, [OpaqueType("onnx.sequence")])).result


def carried_sequences(inits: Sequence[Value | None]) -> list[int]:
    """The places of states that are sequences of known elements."""
    return [i for i, v in enumerate(inits) if v is not None and v.producer is not None and v.producer.name == SEQUENCE]


def with_scans(n: Node, body: Block, places: Sequence[int]) -> Block:
    """A copy of the body of a Loop in which states that are sequences are left as they are, and what is appended to
    them in a step is a further result.  Raises ConversionError VariantUnsupported where they are used otherwise.
    """
    block = edit.stand_in(body)
    end = block.terminator
    results = list(block.outputs)
    for place in places:
        argument = block.arguments[STATES + place]
        users = argument.users
        insert = users[0] if len(users) == 1 else None
        made = None if insert is None else insert.results[0]
        only = made is not None and len(made.uses) == 1 and made is results[1 + place]
        if insert is None or insert.name != _INSERT or not only or len([v for v in insert.operands if v]) != 2:
            raise n.refuse(
                f"the sequence that is state {place} of the loop is not only appended to, an element a step",
                "collect tensors, or a scan output",
            )
        results[1 + place] = argument
        results.append(insert.inputs[1])
        edit.set_operands(end, results)
        edit.erase(insert)
    return block


def joined_along(result: Value) -> int | None:
    """The axis along which what a loop appended is put together, where nothing else reads it."""
    axes = {
        op.attributes.get("axis") if op.name == _JOINED and not op.attributes.get("new_axis") else None
        for op in result.users
    }
    (axis,) = axes if len(axes) == 1 else (None,)
    return axis if isinstance(axis, int) else None


def joined(n: Node, value: Value) -> Value:
    """A sequence of one element: what others are put together to."""
    return n.builder.emit(SourceOp(SEQUENCE, [value], {}, [OpaqueType("onnx.sequence")])).result


def collected_rows(n: Node, before: Value, scanned: Value) -> Value:
    """The sequence behind a loop: the elements that there were, and one for each step."""
    items = [] if before.producer is None else before.producer.inputs
    found = n.concat([*(n.expand_dims(v, 0) for v in items), scanned], 0) if items else scanned
    return rows(n, found, 0, False)
