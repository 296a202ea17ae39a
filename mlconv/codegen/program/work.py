"""What a kernel has to do at least: arithmetic and bytes moved."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.codegen.kernels.kind import KINDS, Kinds, kind_of
from mlconv.codegen.program.memory_plan import nbytes
from mlconv.dialects.kernel import KernelOp
from mlconv.ir.estimates import estimate


class Work(NamedTuple):
    """flops: a multiplication and an addition count one each; of minimal filtering, those of its products.  bytes:
    operands and results, once.
    """

    flops: int
    bytes: int


def work(op: KernelOp, kinds: Kinds = KINDS) -> Work:
    """Of one call; what the regions of an op do is not counted, as nobody knows how often."""
    moved = sum(estimate(nbytes(v)) for v in dict.fromkeys([*op.inputs, *op.results]))
    return Work(0 if op.regions else kind_of(op, kinds).flops(op.problem), moved)
