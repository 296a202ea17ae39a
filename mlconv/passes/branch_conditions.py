"""What sizes must fulfil where a run takes a branch: elements that are read in it are there.  It is asked for at the
front of the branch, so that a run which does not take it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Op, values_of, walk
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import Condition
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import first_name
from mlconv.rewrite.core_builder import CoreBuilder

Conditions = Mapping[Op, Iterable[Condition]]


def branches_of(block: Block) -> dict[Op, Block]:
    """The innermost branch of each op that lies in one, in the order of the ops."""
    inside: dict[Block, Block] = {}
    found: dict[Op, Block] = {}
    for op in walk(block):
        around = None if op.block is None else inside.get(op.block)
        if around is not None:
            found[op] = around
        for region in op.regions:
            if isinstance(op, core.If):
                inside[region.block] = region.block
            elif around is not None:
                inside[region.block] = around
    return found


def ask_in_branches(
    function: Block, asked: Conditions, at_definitions: Callable[[Block, Iterable[Condition]], tuple[Condition, ...]]
) -> None:
    """Let branches ask for conditions of their ops first.  asked: by op.  at_definitions: those of sizes that a block
    defines are asked for there; gives the others.
    """
    branches = branches_of(function)
    found: dict[Block, dict[tuple[object, ...], Condition]] = {}
    first: dict[Block, Op] = {}
    for op, conditions in asked.items():
        own = found.setdefault(branches[op], {})
        first.setdefault(branches[op], op)
        for c in conditions:
            own.setdefault(c[:3], c._replace(asked_by=first_name(op.location) or op.name))
    taken = _symbols(function)
    for branch, own in found.items():
        left = at_definitions(branch, own.values())
        location = first[branch].location
        if left and location is not None:
            name = next(n for i in range(len(taken) + 1) if (n := f"branch{i}") not in taken)
            taken.add(name)
            e = CoreBuilder(Builder(branch, location, branch.first))
            e.emit(core.DefineSize(e.constant(0, DType.I64), symbol=name, bound=0, conditions=left))


def _symbols(block: Block) -> set[str]:
    """Names that sizes have."""
    shapes = (v.type.shape or () for v in values_of(block) if isinstance(v.type, TensorType))
    found = {s for shape in shapes for d in shape if isinstance(d, Dim) for s in d.symbols()}
    return found | {op.symbol for op in walk(block) if isinstance(op, core.DefineSize)}
