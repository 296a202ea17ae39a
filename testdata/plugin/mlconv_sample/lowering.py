"""What `sample.square` becomes: an operator of TFLite, an instruction of HLO, a kernel of its own."""

from __future__ import annotations

import math
from typing import Any

from mlconv.plugin import DType, NoMatch, Rules, Value
from mlconv_sample.ops import Square, SquareKernel, Squares

TO_TFL, TO_HLO, TO_KERNEL = Rules(), Rules(), Rules()


@TO_TFL.rule(Square)
def tfl_square(op: Square, e: Any) -> Value | NoMatch:
    """SQUARE takes float32."""
    if op.x.tensor.dtype is not DType.F32:
        return NoMatch(f"SQUARE takes float32, not {op.x.tensor.dtype.display}")
    return e.one("SQUARE", [op.x], op.y.tensor)


@TO_HLO.rule(Square)
def hlo_square(op: Square, e: Any) -> Value:
    """multiply."""
    return e.one("multiply", [op.x, op.x], op.y.tensor)


@TO_KERNEL.rule(Square)
def kernel_square(op: Square, e: Any) -> Value | NoMatch:
    """The kernel is written for float32 and sizes that are fixed."""
    if op.x.tensor.dtype is not DType.F32 or not op.x.tensor.is_static:
        return NoMatch(f"the kernel takes float32 of fixed sizes, not {op.x.tensor}")
    return e.kernel(SquareKernel([op.x], Squares(math.prod(op.x.tensor.static_shape())), op.y.tensor))
