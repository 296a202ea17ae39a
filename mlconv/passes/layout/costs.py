"""What it costs to store a value in another way than an op wants it."""

from __future__ import annotations

import math

from mlconv.ir.core import Value
from mlconv.ir.estimates import estimate
from mlconv.ir.shapes import moves_nothing
from mlconv.passes.layout.permutation import Perm, between
from mlconv.passes.layout.solver import Cost

AN_OP = 1  # whatever it moves: of as many elements, fewer ops move them


def weight(v: Value) -> int:
    """Elements of a value, for the cost of moving them."""
    return math.prod(estimate(d) for d in v.tensor.shape or ())


def exact(v: Value, *free: Perm) -> Cost:
    """Costs a move of v unless its layout is one of `free`; a reshape, where it differs from one of them by unit axes
    alone.
    """
    shape = v.tensor.shape or ()

    def cost(layout: Perm) -> int:
        if layout in free:
            return 0
        stored = tuple(shape[a] for a in layout)
        return AN_OP if any(moves_nothing(stored, between(layout, f)) for f in free) else AN_OP + weight(v)

    return cost
