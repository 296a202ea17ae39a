"""Subgraphs in the place of their node: branches that are decided, bodies of loops that are written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.dialects.source import SourceOp
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.from_onnx.loop_sequences import STATES
from mlconv.legalize.from_onnx.node import Node
from mlconv.rewrite import constant_array, edit

_MOST_TURNS: Final = 16  # as many as the pass `unroll` writes out


def splice(n: Node, block: Block, arguments: Sequence[Value]) -> list[Value]:
    """Put a copy of a subgraph's ops in the place of the node; its results."""
    copy = edit.stand_in(block)
    for old, new in zip(copy.arguments, arguments, strict=True):
        edit.replace_uses(old, new)
    return put_in_place(n, n.converted(copy))


def put_in_place(n: Node, block: Block) -> list[Value]:
    """Put converted ops in the place of the node; their results."""
    results = block.outputs
    end = block.terminator
    for op in list(block.ops):
        if op is not end:
            edit.unlink(op)
            n.builder.emit(op)
    edit.erase(end)
    return results


def turns_to_write(limit: Value, body: Block) -> int | None:
    """The number of turns of a Loop, where it is a constant, and few, and nothing else ends the loop."""
    known = constant_array(limit)
    turns = None if known is None or known.size != 1 else int(known.reshape(()))
    least = 0 if len(body.outputs) == len(body.arguments) - 1 else 1  # without a turn there is nothing to stack
    return turns if turns is not None and least <= turns <= _MOST_TURNS and _goes_on(body) else None


def _goes_on(body: Block) -> bool:
    """Each turn says that there is another one: it passes the condition on, or says `true`."""
    told = body.outputs[0]
    while isinstance(told.producer, SourceOp) and told.producer.name == "onnx.Identity":
        told = told.producer.inputs[0]
    if told is body.arguments[1]:
        return True
    made = told.producer
    constant = made.attributes.get("value") if made is not None and made.name == "onnx.Constant" else None
    array = constant.view() if isinstance(constant, Const) else constant_array(told)
    return array is not None and array.size == 1 and bool(array.reshape(()))


def written_out(n: Node, body: Block, turns: int, states: Sequence[Value]) -> list[Value]:
    """The turns of a Loop, one behind the other: its states behind the last, and what each turn gave, stacked."""
    taken: list[list[Value]] = []
    current = list(states)
    declared = [v.type.rank if isinstance(v.type, TensorType) else None for v in body.arguments[:STATES]]
    for turn in range(turns):
        step = n.constant(np.full((1,) * (declared[0] or 0), turn, np.int64))
        goes_on = n.constant(np.ones((1,) * (declared[1] or 0), np.bool_), DType.BOOL)
        results = splice(n, body, [step, goes_on, *current])
        current, scanned = results[1 : 1 + len(current)], results[1 + len(current) :]
        taken.append(scanned)
    return [*current, *(n.concat([n.expand_dims(v, 0) for v in column], 0) for column in zip(*taken, strict=True))]
