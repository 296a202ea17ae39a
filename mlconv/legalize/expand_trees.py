"""Ensembles of trees as gathers and comparisons, for targets that have no kernel for them: all rows go down all trees
by one level in each turn of a loop.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.trees import EQUAL, MISSING, levels_of
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Region, Value, Yield, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import Rewriter, constant_array
from mlconv.rewrite.core_builder import CoreBuilder

_UNROLLED = 3
"""Levels that are written one after the other."""


class ExpandTrees(Pass):
    """`core.tree_ensemble` becomes ops that every target has."""

    name: ClassVar[str] = "expand-trees"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        found = [op for op in walk(function.block) if isinstance(op, core.TreeEnsemble)]
        for op in found:
            rewriter = Rewriter(op)
            rewriter.replace(op, _expanded(op, CoreBuilder(rewriter)))
        if found:
            eliminate_dead_code(function.block)
        context.count(self.name, len(found))


def _expanded(op: core.TreeEnsemble, e: CoreBuilder) -> Value:
    leaf = e.sub(-1, _down(op, e))
    held = e.gather(op.leaves, leaf, from_start=True)  # [rows, trees], or [rows, trees, targets]
    reduce = {"add": core.ReduceSum, "min": core.ReduceMin, "max": core.ReduceMax}[op.reduction]
    if op.tree_targets is None:
        return e.y(reduce(held, axes=(1,)))
    if op.targets == 1:
        return e.y(reduce(held, axes=(1,), keepdims=True))
    counts = e.equal(e.expand_dims(op.tree_targets, 1), e.constant(np.arange(op.targets, dtype=np.int32)))
    if op.reduction == "add":
        return e.matmul(held, e.cast(counts, held.tensor.dtype))
    neutral = np.inf if op.reduction == "min" else -np.inf
    return e.y(reduce(e.where(counts, e.expand_dims(held, 2), neutral), axes=(1,)))


def _down(op: core.TreeEnsemble, e: CoreBuilder) -> Value:
    """Where each row ends in each tree: [rows, trees] int32, below 0."""
    rows, columns = e.dims(op.x)
    flat = e.reshape(op.x, [-1])
    numbers = e.cast(e.arange(rows), DType.I32)
    width = columns if isinstance(columns, int) else e.cast(e.scalar(columns), DType.I32)
    starts = e.expand_dims(e.mul(numbers, width), 1)
    at = e.broadcast_to(op.roots, [rows, e.dim(op.roots, 0)])
    branches = e.reshape(op.children, [-1])
    levels = _levels(op)
    if levels <= _UNROLLED:
        for _ in range(levels):
            at = _step(op, e, at, (flat, starts, branches))
        return at
    carried = [e.constant(0, DType.I32), at]
    cond, body = Block([v.type for v in carried]), Block([v.type for v in carried])
    inner = CoreBuilder(Builder(cond, e.builder.location))
    inner.emit(Yield([inner.less(cond.arguments[0], levels)]))
    inner = CoreBuilder(Builder(body, e.builder.location))
    level, now = body.arguments
    inner.emit(Yield([inner.add(level, 1), _step(op, inner, now, (flat, starts, branches))]))
    return e.ys(core.While(carried, cond=Region(cond), body=Region(body)))[1]


def _step(op: core.TreeEnsemble, e: CoreBuilder, at: Value, tables: tuple[Value, Value, Value]) -> Value:
    """One level down; who is at a leaf stays there.  tables: x without its shape, where its rows start, children one
    after the other.
    """
    flat, starts, branches = tables
    node = e.maximum(at, 0)
    place = e.add(e.gather(op.features, node, from_start=True), starts)
    value = e.gather(flat, place, from_start=True)
    threshold = e.gather(op.thresholds, node, from_start=True)
    first = e.less_equal(value, threshold)
    if op.flags is not None:
        flags = _known(op.flags)
        for flag, said in ((EQUAL, _on_equal), (MISSING, _on_missing)):
            marked = (flags & flag) != 0
            if marked.any():
                here = e.gather(e.constant(marked), node, from_start=True)
                first = said(e, here, first, (value, threshold))
    side = e.where(first, e.constant(0, DType.I32), 1)
    below = e.gather(branches, e.add(e.mul(node, 2), side), from_start=True)
    return e.where(e.less(at, 0), at, below)


def _on_equal(e: CoreBuilder, here: Value, first: Value, compared: tuple[Value, Value]) -> Value:
    """Nodes that ask whether a value is the threshold's."""
    return e.where(here, e.equal(*compared), first)


def _on_missing(e: CoreBuilder, here: Value, first: Value, compared: tuple[Value, Value]) -> Value:
    """Nodes whose first side takes what is not a number."""
    return e.logical_or(first, e.logical_and(here, e.y(core.IsNan(compared[0]))))


def _levels(op: core.TreeEnsemble) -> int:
    """Nodes on the longest way down, or somewhat more where some are on none."""
    return len(levels_of(_known(op.children)))


def _known(value: Value) -> Array:
    """Contents of a part.  Raises ConversionError TargetLacksOp where it is no constant."""
    found = constant_array(value)
    if found is None:
        raise ConversionError(Code.TargetLacksOp, "trees that are computed at run time have no form here")
    return found
