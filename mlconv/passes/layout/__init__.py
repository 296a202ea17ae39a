"""Layout as an assignment: one pass chooses how every value is stored, so that convolutions find channels where the
target wants them and the fewest elements are moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.passes.layout.costs import exact
from mlconv.passes.layout.permutation import identity
from mlconv.passes.layout.rebuild import Rebuild
from mlconv.passes.layout.rules import rule_of
from mlconv.passes.layout.solver import Solver
from mlconv.rewrite import edit


@dataclass(frozen=True, eq=False, repr=False)
class Layout(Pass):
    """Assign layouts.  Inputs, outputs and values that other regions use stay as they are; constants are re-laid out by
    recipe.  channels_first: for targets whose images are NCHW, not NHWC.  left_weights: for those where a product whose
    left operand is constant costs no more than one whose right one is.  windows_anywhere: for those that pool, and move
    blocks of pixels to channels, along any axes.  plain_products: for those whose products of more axes than two read
    operands as they lie.  rounded: values will be rounded to integers.
    """

    name: ClassVar[str] = "layout"
    channels_first: bool = False
    left_weights: bool = False
    windows_anywhere: bool = False
    plain_products: bool = False
    rounded: bool = False

    def run_on_function(self, function: Function, context: PassContext) -> None:
        self._run_on_block(function.block, context)
        eliminate_dead_code(function.block)

    def _run_on_block(self, block: Block, context: PassContext) -> None:
        solver = Solver(
            self.channels_first, self.left_weights, self.windows_anywhere, self.plain_products, self.rounded
        )
        for op in block.ops:
            for region in op.regions:
                self._run_on_block(region.block, context)
            _collect(op, solver)
        for v in block.arguments:
            _pin(v, solver)
        solver.decide()
        context.count("layout-transposes", _rebuild(block, solver))


def _pin(v: Value, solver: Solver) -> None:
    """v is wanted as it is: a fixed use or definition."""
    if (
        isinstance(v.type, TensorType)
        and v.type.shape is not None
        and len(v.type.shape) > 1
        and not isinstance(v.producer, core.Constant)
    ):
        own = identity(len(v.type.shape))
        solver.vote(v, (own,), exact(v, own))


def _collect(op: Op, solver: Solver) -> None:
    rule = rule_of(op) if isinstance(op, OpDef) and not op.regions else None
    if rule is not None:
        rule[0](op, solver)
        if not isinstance(op, core.Constant) and any(
            user.block is not op.block for v in op.results for user in v.users
        ):
            for v in op.results:
                _pin(v, solver)
        return
    for v in (*op.inputs, *op.results):
        _pin(v, solver)


def _rebuild(block: Block, solver: Solver) -> int:
    """Ops in the layouts that were decided; returns how many transposes it took."""
    rebuild = Rebuild(block, solver)
    for op in block.ops:
        rebuild.start(op)
        rule = rule_of(op) if isinstance(op, OpDef) and not op.regions else None
        if isinstance(op, core.Constant):
            continue
        if rule is not None:
            rule[1](op, rebuild)
        else:
            rebuild.keep(op)
        for v in op.results:
            _serve_inner_users(v, op, rebuild)
    return rebuild.inserted


def _serve_inner_users(v: Value, op: Op, rebuild: Rebuild) -> None:
    """Regions further on use the value as the source has it."""
    inner = [(user, i) for user, i in v.uses if user.block is not op.block]
    if inner and v in rebuild.now and rebuild.now[v][0] is not v:
        plain = rebuild.get(v, identity(v.tensor.rank or 0))
        for user, i in inner:
            edit.set_operand(user, i, plain)
