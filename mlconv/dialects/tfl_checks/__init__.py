"""What the schema's tables do not say of TFLite ops: types, shapes and options agree, op by op.

Sizes that are known at run time only agree with any.  Source: the Prepare functions of LiteRT's reference kernels
(tflite/kernels/*.cc), and its operator specifications (tfl_ops.td).
"""

from __future__ import annotations

from mlconv.dialects.tfl_checks import control, elementwise, index, movement, products, quantized, stablehlo, windows
from mlconv.dialects.tfl_checks.base import Check
from mlconv.ir.target_op import TargetOp

CHECKS: dict[str, tuple[Check, ...]] = {
    **elementwise.CHECKS,
    **movement.CHECKS,
    **windows.CHECKS,
    **products.CHECKS,
    **index.CHECKS,
    **control.CHECKS,
    **stablehlo.CHECKS,
}
"""The checks of each operator."""
_OPEN_NAMES = """
    CALL CONCAT_EMBEDDINGS CUSTOM LSH_PROJECTION SKIP_GRAM STABLEHLO_CASE STABLEHLO_COMPOSITE
    STABLEHLO_CONVOLUTION STABLEHLO_CUSTOM_CALL STABLEHLO_RNG_BIT_GENERATOR"""
OPEN = frozenset(_OPEN_NAMES.split())
"""Operators of which nothing more is said: whatever they call says it, or no kernel of LiteRT has them."""
NO_OPS = frozenset({"DELEGATE", "PLACEHOLDER_FOR_GREATER_OP_CODES"})
"""Codes of the schema that no file has."""


def check(op: TargetOp, builtin: str) -> None:
    """Raises ConversionError ArtifactInvalid when an op's parts do not fit together."""
    if builtin in NO_OPS:
        raise op.malformed("files have no such operator")
    for each in CHECKS.get(builtin, ()):
        each(op)
    quantized.check(op, builtin)
