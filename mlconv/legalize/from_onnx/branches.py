"""Which branch of an If is meant whose condition is about sizes.

`torch.onnx.export` writes `squeeze(x, d)` of an open size as an If of a Squeeze and an Identity, which differ in rank,
and takes the rank of the first for what follows.  Source: PyTorch, symbolic_opset11.py, `squeeze`;
fixup_onnx_controlflow.cpp, `ONNXMergeIfBlockOutputShapes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.binary import Compare
from mlconv.ir.core import Block, Value
from mlconv.ir.dims import Dim, Size, maximum
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import Condition, Facts
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.spec import known_ints
from mlconv.ir.types import TensorType
from mlconv.legalize.from_onnx.branch_ranks import takes_rank

_OPPOSITE: Final = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def freezing(condition: Value) -> str:
    """What leaves one branch of an If, where a single input of the model decides; empty else."""
    inputs, seen, left = set[str](), {condition}, [condition]
    while left:
        value = left.pop()
        if value.producer is None:
            is_outermost = isinstance(value.owner, Block) and value.owner.parent is None
            inputs.add(value.name if is_outermost else "")
        new = [v for v in (() if value.producer is None else value.producer.inputs) if v not in seen]
        seen.update(new)
        left += new
    (name,) = inputs if len(inputs) == 1 else ("",)
    return f"input {name!r} decides whether this runs: --freeze {name}=VALUE leaves one branch" if name else ""


class Question(NamedTuple):
    """A comparison of two sizes, as `holds` takes it."""

    a: Size
    relation: str
    b: Size

    def answer(self, facts: Facts | None) -> bool | None:
        """Whether it holds; None where sizes decide."""
        return holds(self.a, self.relation, self.b, SizeFacts() if facts is None else facts.where)

    def ask(self, truth: bool, facts: Facts, node: str) -> None:
        """That it holds, or that it does not, is a condition from here on.  node: what needs it."""
        facts.conditions = (*facts.conditions, self._condition(truth, node))

    def _condition(self, truth: bool, node: str) -> Condition:
        a, b = self.a, self.b
        relation = self.relation if truth else _OPPOSITE[self.relation]
        if relation == "==":
            return Condition("equal", a, b, node)
        if relation == "!=":
            return Condition("least", maximum(a - b, b - a), 1, node)
        if relation in ("<", "<="):
            a, b = b, a
        return Condition("least", a, b + 1 if relation in ("<", ">") else b, node)


def asked_of_sizes(condition: Value) -> Question | None:
    """The comparison of sizes that a condition is; None where it is something else."""
    op, turned = condition.producer, False
    while isinstance(op, (core.Reshape, core.Squeeze, core.ExpandDims, core.LogicalNot)):
        turned ^= isinstance(op, core.LogicalNot)
        op = op.x.producer
    if isinstance(op, Compare):
        a, relation, b = _size(op.a), op.relation, _size(op.b)
    elif isinstance(op, core.Cast) and op.dtype is DType.BOOL:
        a, relation, b = _size(op.x), "!=", 0
    else:
        return None
    return None if a is None or b is None else Question(a, _OPPOSITE[relation] if turned else relation, b)


def _size(value: Value) -> Size | None:
    known = known_ints(value)
    size = known[0] if known is not None and len(known) == 1 else None
    return None if isinstance(size, Dim) and not size.is_known else size


def fitting_branch(results: Sequence[Value], branches: Sequence[Block], question: Question) -> bool | None:
    """Whether what reads the results of an If takes those of the first branch alone (True) or of the second (False);
    None where both have the same ranks, or nothing tells.  Where all is taken, the one without an axis of size 1 is.
    """
    ranks = [[v.type.rank if isinstance(v.type, TensorType) else None for v in b.outputs] for b in branches]
    differing = [i for i, pair in enumerate(zip(*ranks, strict=True)) if None not in pair and pair[0] != pair[1]]
    if not differing:
        return None
    first, second = (all(takes_rank(results[i], own[i] or 0) for i in differing) for own in ranks)
    if first and second:
        return {"==": True, "!=": False}.get(question.relation) if question.b == 1 else None
    return first if first or second else None
