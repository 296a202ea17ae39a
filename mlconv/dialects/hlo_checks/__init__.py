"""What the table of HLO ops does not say: types, shapes and attributes agree, op by op.

XLA aborts the process on some malformed modules, so nothing may leave here that its shape inference would refuse.
Source: xla/service/shape_inference.cc, xla/service/hlo_verifier.cc.
"""

from __future__ import annotations

from collections.abc import Callable

from mlconv.dialects.hlo_checks import control, elementwise, index, movement, products, windows
from mlconv.ir.target_op import TargetOp
from mlconv.ir.types import TensorType

CHECKS: dict[str, Callable[[TargetOp], None]] = {
    **elementwise.CHECKS,
    **movement.CHECKS,
    **products.CHECKS,
    **windows.CHECKS,
    **index.CHECKS,
    **control.CHECKS,
}
"""A check for each opcode of the table."""


def check(op: TargetOp, opcode: str) -> None:
    """Raises ConversionError ArtifactInvalid when an op's parts do not fit together."""
    for value in (*op.inputs, *op.results):
        if not isinstance(value.type, TensorType) or not value.type.is_static:
            raise op.malformed(f"{value.type} is not a tensor of static shape")
    if len(op.inputs) != len(op.operands):
        raise op.malformed("an operand is missing")
    CHECKS[opcode](op)
