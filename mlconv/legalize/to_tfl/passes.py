"""Core to TFLite, and what its runtime wants besides, as passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.ir.module import Function, Module
from mlconv.legalize.to_tfl.add_rows import add_rows
from mlconv.legalize.to_tfl.alias import separate_views
from mlconv.legalize.to_tfl.contract import contract
from mlconv.legalize.to_tfl.driver import legalize
from mlconv.legalize.to_tfl.fuse import fuse_activations, fuse_biases
from mlconv.legalize.to_tfl.merge import merge_equal
from mlconv.legalize.to_tfl.rows import keep_rows
from mlconv.legalize.to_tfl.sizes import share_sizes
from mlconv.legalize.to_tfl.splats import fill_splats
from mlconv.legalize.to_tfl.state import initialize
from mlconv.passes.base import Pass, PassContext


class TflSizes(Pass):
    """Sizes that are known at run time are computed once, with few ops."""

    name: ClassVar[str] = "tfl-sizes"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        context.count(self.name, share_sizes(function.block, function.facts.where))


@dataclass(frozen=True, eq=False, repr=False)
class ToTfl(Pass):
    """Core ops to TFLite ops.  reduce_float64: in float32 where TFLite has no kernel for float64."""

    name: ClassVar[str] = "to-tfl"
    reduce_float64: bool = False

    def run(self, module: Module, context: PassContext) -> None:
        legalize(module, context.engine, self.reduce_float64, context.rules_for(self.name))
        context.engine.raise_errors()


class TflMerge(Pass):
    """Equal ops and constants become one."""

    name: ClassVar[str] = "tfl-merge"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        context.count(self.name, merge_equal(function.block))


class TflFuse(Pass):
    """Biases, activations and the shapes of rows go into the ops before them, where their kernels take them."""

    name: ClassVar[str] = "tfl-fuse"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        fused = fuse_biases(function.block) + fuse_activations(function.block)
        context.count(self.name, fused + keep_rows(function.block))


class TflAddRows(Pass):
    """Windows over images whose number data decide get one image more, since there may be none."""

    name: ClassVar[str] = "tfl-add-rows"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        context.count(self.name, add_rows(function.block))


class TflContract(Pass):
    """Several ops become the one that does the same."""

    name: ClassVar[str] = "tfl-contract"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        context.count(self.name, contract(function.block))


class TflFillSplats(Pass):
    """Large constants of one repeated element become FILL ops."""

    name: ClassVar[str] = "tfl-fill-splats"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        context.count(self.name, fill_splats(function.block))


class TflSeparateViews(Pass):
    """Keep the runtime from laying tensors over one another that are still needed."""

    name: ClassVar[str] = "tfl-separate-views"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        context.count(self.name, separate_views(function.block))


class TflInitialize(Pass):
    """Functions that use variables or tables begin with the CALL_ONCE that fills them."""

    name: ClassVar[str] = "tfl-initialize"

    def run(self, module: Module, context: PassContext) -> None:
        initialize(module)
