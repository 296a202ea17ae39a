"""What TFLite's kernels want of quantized tensors.

Source: TFLite 8-bit quantization specification; the Prepare functions of LiteRT's kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.tfl_checks.base import given
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import LOG_UNIT, SIGNED_UNIT, UNIT, QuantRule
from mlconv.ir.target_op import TargetOp

_SAME_SCALE_NAMES = """
    AVERAGE_POOL_2D BATCH_TO_SPACE_ND BROADCAST_TO CONCATENATION DEPTH_TO_SPACE DILATE DYNAMIC_UPDATE_SLICE
    EXPAND_DIMS FILL GATHER GATHER_ND MATRIX_DIAG MATRIX_SET_DIAG MAXIMUM MAX_POOL_2D MINIMUM MIRROR_PAD PACK PAD
    PADV2 REDUCE_MAX REDUCE_MIN RESHAPE RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR REVERSE_SEQUENCE REVERSE_V2
    SCATTER_ND SELECT SELECT_V2 SLICE SPACE_TO_BATCH_ND SPACE_TO_DEPTH SPLIT SPLIT_V SQUEEZE STRIDED_SLICE TILE
    TOPK_V2 TRANSPOSE UNIQUE UNPACK ZEROS_LIKE"""
SAME_SCALE = frozenset(_SAME_SCALE_NAMES.split())
"""Integers are moved, or chosen among."""
FIXED: dict[str, QuantRule] = {
    "LOGISTIC": UNIT,
    "SOFTMAX": UNIT,
    "TANH": SIGNED_UNIT,
    "L2_NORMALIZATION": SIGNED_UNIT,
    "LOG_SOFTMAX": LOG_UNIT,
}
WEIGHTS: dict[str, tuple[int, int, int]] = {
    **dict.fromkeys(("CONV_2D", "CONV_3D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"), (0, 1, 2)),
    **dict.fromkeys(("TRANSPOSE_CONV", "CONV_3D_TRANSPOSE"), (2, 1, 3)),
}
"""Where operand, weights and bias are."""
_BORDERS_NAMES = """
    BITCAST CALL CAST CUSTOM DEQUANTIZE IF QUANTIZE RANK SHAPE STABLEHLO_CUSTOM_CALL STABLEHLO_WHILE WHILE"""
BORDERS = frozenset(_BORDERS_NAMES.split())
_PER_AXIS_NAMES = """
    DEQUANTIZE QUANTIZE EMBEDDING_LOOKUP CAST SHAPE CUSTOM IF WHILE DENSIFY"""
_PER_AXIS = frozenset(_PER_AXIS_NAMES.split())


def check(op: TargetOp, builtin: str) -> None:
    """Refuse scales that a kernel takes for others."""
    values = [v for v in (*op.inputs, *op.results) if v.type.quant is not None]
    if not values:
        return
    _check_axes(op, builtin)
    if builtin in BORDERS:
        return
    _check_plain(op, values)
    if builtin in SAME_SCALE:
        _check_same(op, values)
    if builtin in FIXED:
        _check_fixed(op, FIXED[builtin])
    if builtin in WEIGHTS:
        _check_weights(op, WEIGHTS[builtin])


def _check_axes(op: TargetOp, builtin: str) -> None:
    """Scales along an axis are those of weights and of a bias."""
    if builtin in _PER_AXIS:
        return
    allowed = WEIGHTS.get(builtin, ())[1:]
    for i, value in enumerate(op.operands):
        quant = None if value is None else value.type.quant
        if quant is not None and not quant.is_per_tensor and i not in allowed:
            raise op.malformed(f"operand {i} has scales along an axis: {quant}")
    for value in op.results:
        if value.type.quant is not None and not value.type.quant.is_per_tensor:
            raise op.malformed(f"the result has scales along an axis: {value.type.quant}")


def _check_plain(op: TargetOp, values: Sequence[Value]) -> None:
    """Beside quantized tensors of a storage type there are no plain ones; int32 is that of indices too."""
    stored = {v.tensor.dtype for v in values} - {DType.I32, DType.I64}
    for value in (*op.inputs, *op.results):
        if value.type.quant is None and value.tensor.dtype in stored:
            raise op.malformed(f"{value.type} is not quantized, {values[0].type} is")


def _check_same(op: TargetOp, values: Sequence[Value]) -> None:
    first = values[0].type.quant
    for value in values:
        if value.type.quant != first:
            raise op.malformed(f"scales or zero points differ: {first} and {value.type.quant}")


def _check_fixed(op: TargetOp, rule: QuantRule) -> None:
    quant = op.results[0].type.quant
    if quant is None:
        return
    for storage, scale, zero in rule.fixed:
        if storage is quant.storage:
            if _scale(quant) != (scale, zero):
                raise op.malformed(f"its kernel gives scale {scale} and zero point {zero}, the result has {quant}")
            return


def _scale(quant: QuantType) -> tuple[float, int]:
    return float(quant.scales.view()), int(quant.zero_array())


def _check_weights(op: TargetOp, places: tuple[int, int, int]) -> None:
    x, w, bias = (given(op, i) for i in places)
    of_x, of_w, of_bias = (None if v is None else v.type.quant for v in (x, w, bias))
    if of_w is not None and of_w.storage.is_signed_int and of_w.zero_array().any():
        raise op.malformed(f"weights have a zero point: {of_w}")
    if of_x is not None and of_w is None and w is not None:
        raise op.malformed(f"weights are {w.type} for {of_x}")
    if of_x is None or of_w is None or of_bias is None:
        return
    if not of_bias.is_product_of(of_x, of_w):
        raise op.malformed(f"scales of the bias, {of_bias}, are not products of {of_x} and {of_w}")
