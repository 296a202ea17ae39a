"""What kernels read behind their constants: vectors of the last columns of packed weights run on, and what they find
there is multiplied, but kept nowhere.
"""

from __future__ import annotations

from mlconv.dialects.kernel.attributes import Attention, ConvChain, Gemm
from mlconv.dialects.kernel.winograd import IntegerWinograd


def beyond(problem: object, at: int) -> int:
    """Bytes behind operand `at`, a constant, of a kernel for a problem."""
    return max((_of_weights(tile) for place, tile in _tiles(problem) if place == at), default=0)


def _tiles(problem: object) -> list[tuple[int, Gemm]]:
    """Products, and which operands their weights are."""
    if isinstance(problem, Gemm):
        return [(1, problem)]
    if isinstance(problem, IntegerWinograd):
        return [(1, problem.products), (2, problem.direct)]
    if isinstance(problem, Attention):
        return [(1, problem.scores), (problem.split, problem.values)]
    if isinstance(problem, ConvChain):
        stages = zip(problem.numbers, problem.stages, strict=True)
        return [(own[1], stage) for own, stage in stages if isinstance(stage, Gemm)]
    return []


def _of_weights(tile: Gemm) -> int:
    return tile.slack * tile.types.stored.itemsize
