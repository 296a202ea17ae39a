"""Types once more: what folding found out about shapes, and what is known of sizes, reaches the ops behind it.

Ops keep the types that they were made with; when the shape that an op depends on has become a constant since, its
`infer` says more than its type does.  HLO and native code need every size, so all ops are asked again, in order.  Sizes
are simplified by the facts of the function; those of its inputs stay as the caller knows them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import ClassVar, TypeAlias

from mlconv.dialects import core
from mlconv.ir.core import Block, Known, Value, values_of
from mlconv.ir.module import Function
from mlconv.ir.size_facts import SizeFacts, simplify
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType, Type
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite import edit
from mlconv.rewrite.refine import refine_op, sharpen

Learned: TypeAlias = dict[Value, tuple[Type, "Known | None"]]
ROUNDS = 4  # over a loop body, whose arguments depend on what it yields


class RefineShapes(Pass):
    """Types say all that is known of shapes by now; scan outputs of loops whose turns are known get their size."""

    name: ClassVar[str] = "refine-shapes"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        refine_shapes(function.block, function.facts.where)


class SimplifySizes(Pass):
    """Sizes of values are written as simply as the facts of the function allow."""

    name: ClassVar[str] = "simplify-sizes"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        apply_facts(function.block, function.facts.where)


def refine_shapes(block: Block, facts: SizeFacts) -> None:
    """Give every value of a block, and of the regions in it, the most precise shape that its op infers."""
    for op in block.ops:
        if isinstance(op, core.While):
            from mlconv.passes.preallocated_scans import preallocate_scan_outputs

            preallocate_scan_outputs(op)
            refine_loop(op, facts)
        else:
            for region in op.regions:
                simplify_types(region.block.arguments, facts)
                refine_shapes(region.block, facts)
        if isinstance(op, OpDef) and not isinstance(op, core.Constant):
            refine_op(op)
            simplify_types(op.results, facts)


def apply_facts(block: Block, facts: SizeFacts) -> None:
    """Simplify the sizes of all values that ops of a block, and of the regions in it, make."""
    if facts:
        simplify_types(list(_made(block)), facts)


def simplify_types(values: Iterable[Value], facts: SizeFacts) -> None:
    for value in values if facts else ():
        t = value.type
        if isinstance(t, TensorType) and t.shape is not None and not t.is_static:
            edit.retype(value, t.with_shape(tuple(simplify(d, facts) for d in t.shape)))
        if value.known is not None:
            value.known = tuple(None if k is None else simplify(k, facts) for k in value.known)


def refine_loop(op: core.While, facts: SizeFacts) -> None:
    """Arguments take the shapes of what the loop starts with, as far as the body gives them back."""
    body, cond = op.body.block, op.cond.block
    before = [v.type for v in body.arguments]
    for argument, init in zip(body.arguments, op.inits, strict=True):
        sharpen(argument, init.tensor.shape)
    simplify_types(body.arguments, facts)
    for _ in range(ROUNDS):
        saved = learned(_made(body))
        refine_shapes(body, facts)
        wrong = [
            i
            for i, (a, y) in enumerate(zip(body.arguments, body.outputs, strict=True))
            if a.tensor.shape != y.tensor.shape and a.type != before[i]
        ]
        if not wrong:
            break
        forget(saved)  # what followed from sizes that the body does not give back
        for i in wrong:
            edit.retype(body.arguments[i], before[i])
    for a, b in zip(cond.arguments, body.arguments, strict=True):
        edit.retype(a, b.type)
    for value, argument in zip(op.ys, body.arguments, strict=True):
        edit.retype(value, argument.type)
    refine_shapes(cond, facts)


def learned(values: Iterable[Value]) -> Learned:
    """What is known of values by now: types, and contents that have been deduced."""
    return {v: (v.type, v.known) for v in values}


def forget(saved: Learned) -> None:
    """Values are known as they were then."""
    for value, (type_, known) in saved.items():
        edit.retype(value, type_)
        value.known = known


def _made(block: Block) -> Iterator[Value]:
    """All values that ops of a block and of its regions make."""
    return itertools.islice(values_of(block), len(block.arguments), None)
