"""Core to kernel calls, and what fuses them, as passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlconv.dialects.kernel import WORD
from mlconv.ir.core import Block, walk
from mlconv.ir.module import Function, Module
from mlconv.legalize.to_kernel.builder import Forms
from mlconv.legalize.to_kernel.driver import legalize
from mlconv.legalize.to_kernel.elide_copies import elide_copies
from mlconv.legalize.to_kernel.fuse_attention import fuse_attention
from mlconv.legalize.to_kernel.fuse_convs import fuse_convs
from mlconv.legalize.to_kernel.fuse_maps import fuse_maps
from mlconv.legalize.to_kernel.fuse_parts import fuse_parts
from mlconv.legalize.to_kernel.fuse_products import fuse_products
from mlconv.legalize.to_kernel.fuse_rows import fuse_rows
from mlconv.legalize.to_kernel.narrow import widen
from mlconv.legalize.to_kernel.recompute import fuse_into_reductions
from mlconv.legalize.to_kernel.round_factors import round_factors
from mlconv.legalize.to_kernel.shared_weights import has_quantized_weights
from mlconv.legalize.to_kernel.tied_tables import store_tables_once
from mlconv.legalize.to_kernel.unsign import unsign
from mlconv.passes.base import Pass, PassContext


@dataclass(frozen=True, eq=False, repr=False)
class ToKernel(Pass):
    """Core ops to kernel calls; integers of less than a byte become bytes that hold numbers of the narrow range.
    winograd: use Winograd's algorithm where it is faster.  grows: also in models that come quantized, which grow by it.
    unsigned: multiply bytes without a sign.  small: tables of 16 bits are divided into parts, or formulas.
    places: of weights of 8 bits that are multiplied at once.  pairs: a set of instructions multiplies bytes two by two.
    caches: elements are laid so that they share lines of caches little.
    """

    name: ClassVar[str] = "to-kernel"
    winograd: bool = True
    grows: bool = True
    unsigned: bool = False
    small: bool = False
    places: int = WORD
    pairs: bool = False
    caches: bool = False

    def run(self, module: Module, context: PassContext) -> None:
        for function in module.functions:
            widen(function.block)
        comes_small = "quantize" not in module.passes and any(has_quantized_weights(f.block) for f in module.functions)
        winograd = self.winograd and (self.grows or not comes_small)
        forms = Forms(winograd, self.unsigned, self.small, self.places, self.pairs, self.caches)
        legalize(module, context.engine, forms, context.rules_for(self.name))
        store_tables_once(module)
        context.engine.raise_errors()


class _OnBlocks(Pass):
    """A change to each block of kernel calls."""

    def run_on_function(self, function: Function, context: PassContext) -> None:
        for block in _blocks(function):
            self.run_on_block(block)

    def run_on_block(self, block: Block) -> None:
        raise TypeError(f"pass {self.name} does nothing")


def _blocks(function: Function) -> Iterator[Block]:
    """The function's block and those of all regions, outer ones first."""
    return iter([function.block, *(region.block for op in walk(function.block) for region in op.regions)])


class KernelFuseMaps(_OnBlocks):
    """Elementwise maps go into the kernels that make their operands."""

    name: ClassVar[str] = "kernel-fuse-maps"

    def run_on_block(self, block: Block) -> None:
        fuse_maps(block)


class KernelElideCopies(_OnBlocks):
    """Kernels write where a copy would move their results, and read through copies of their operands."""

    name: ClassVar[str] = "kernel-elide-copies"

    def run_on_block(self, block: Block) -> None:
        elide_copies(block)


class KernelFuseRows(_OnBlocks):
    """Chains of reductions and maps over the same rows (softmax) become one kernel, and maps with what sums them up."""

    name: ClassVar[str] = "kernel-fuse-rows"

    def run_on_block(self, block: Block) -> None:
        fuse_rows(block)
        fuse_into_reductions(block)


class KernelFuseAttention(_OnBlocks):
    """A product, softmax and a product become one kernel, for blocks of rows."""

    name: ClassVar[str] = "kernel-fuse-attention"

    def run_on_block(self, block: Block) -> None:
        fuse_attention(block)
        fuse_products(block)


@dataclass(frozen=True, eq=False, repr=False)
class KernelFuseConvs(_OnBlocks):
    """Chains of convolutions become one kernel, a tile of rows at a time.  memory: where that takes less memory, and of
    integers too, for machines that have little.
    """

    name: ClassVar[str] = "kernel-fuse-convs"
    memory: bool = False

    def run_on_block(self, block: Block) -> None:
        fuse_convs(block, self.memory)


class KernelFuseParts(_OnBlocks):
    """Maps read parts of tensors where they lie, and write where their results are put side by side."""

    name: ClassVar[str] = "kernel-fuse-parts"

    def run_on_block(self, block: Block) -> None:
        fuse_parts(block)


class KernelRoundFactors(_OnBlocks):
    """Numbers that products of bfloat16 alone read are rounded as those take them."""

    name: ClassVar[str] = "kernel-round-factors"

    def run_on_block(self, block: Block) -> None:
        round_factors(block)


class KernelUnsign(_OnBlocks):
    """Bytes between kernels have no sign where products read them: for machines that multiply such."""

    name: ClassVar[str] = "kernel-unsign"

    def run_on_block(self, block: Block) -> None:
        unsign(block)
