"""TFLite ops that compute element by element."""

from __future__ import annotations

from mlconv.dialects.tfl_checks.base import (
    Check,
    alike,
    broadcast,
    element,
    gives,
    has_rank,
    is_one_of,
    option,
    same_elements,
    sizes,
    text,
)
from mlconv.dialects.tfl_types import DTYPES
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp

_PARTS = {DType.C64: DType.F32, DType.C128: DType.F64}


def same_type(op: TargetOp) -> None:
    """The result is as the operand."""
    gives(op, sizes(op), element(op))


def binary(op: TargetOp) -> None:
    """Two operands of one element type, which broadcast."""
    gives(op, broadcast(op, sizes(op, 0), sizes(op, 1)), same_elements(op, 0, 1))


def comparison(op: TargetOp) -> None:
    """Two operands of one element type, which broadcast, to bools."""
    same_elements(op, 0, 1)
    gives(op, broadcast(op, sizes(op, 0), sizes(op, 1)), DType.BOOL)


def _logical(op: TargetOp) -> None:
    for i in range(len(op.operands)):
        is_one_of(op, i, DType.BOOL)


def _integers(op: TargetOp) -> None:
    if not element(op).is_int:
        raise op.malformed(f"it works on integers, not {element(op).display}")


def _prelu(op: TargetOp) -> None:
    gives(op, broadcast(op, sizes(op, 0), sizes(op, 1)), element(op))


def _add_n(op: TargetOp) -> None:
    if not op.inputs:
        raise op.malformed("it has no operands")
    made = same_elements(op)
    for i in range(len(op.operands)):
        gives(op, sizes(op, i), made)


def same_shape(op: TargetOp) -> None:
    """The result has the operand's shape, and any elements."""
    gives(op, sizes(op))


def _cast(op: TargetOp) -> None:
    for name, have in (("in_data_type", op.inputs[0]), ("out_data_type", op.results[0])):
        if name in op.attributes and DTYPES.get(option(op, name), have.tensor.dtype) is not have.tensor.dtype:
            raise op.malformed(f"{name} is {option(op, name)}, the tensor is {have.type}")
    same_shape(op)


def _quantize(op: TargetOp) -> None:
    if not op.results[0].tensor.dtype.is_int:
        raise op.malformed("it gives integers")
    same_shape(op)


def _dequantize(op: TargetOp) -> None:
    if not op.results[0].tensor.dtype.is_float:
        raise op.malformed("it gives floats")
    same_shape(op)


def _part(op: TargetOp) -> None:
    made = _PARTS.get(element(op))
    if made is None:
        raise op.malformed(f"it works on complex numbers, not {element(op).display}")
    gives(op, sizes(op), made)


def _select(op: TargetOp) -> None:
    """cond: as the others, a scalar, or one for each slice along their first axis."""
    is_one_of(op, 0, DType.BOOL)
    cond, x, y = sizes(op, 0), sizes(op, 1), sizes(op, 2)
    if not alike(x, y):
        raise op.malformed(f"it selects from {text(x)} and {text(y)}")
    scalar = cond is not None and (not cond or (len(cond) == 1 and (x is None or not x or alike(cond, x[:1]))))
    if not scalar and not alike(cond, x):
        raise op.malformed(f"the condition is {text(cond)} for {text(x)}")
    for i in (1, 2):
        gives(op, sizes(op, i), same_elements(op, 1, 2))


def _select_v2(op: TargetOp) -> None:
    is_one_of(op, 0, DType.BOOL)
    gives(op, broadcast(op, sizes(op, 0), sizes(op, 1), sizes(op, 2)), same_elements(op, 1, 2))


def _bitcast(op: TargetOp) -> None:
    """Elements of another width make, or take up, an axis at the end."""
    have, made, shape = element(op).bits, op.results[0].tensor.dtype.bits, sizes(op)
    if not have or not made:
        raise op.malformed("it reads bits")
    if shape is not None and have > made:
        shape = (*shape, have // made)
    elif shape is not None and have < made:
        if not shape or not alike(shape[-1:], (made // have,)):
            raise op.malformed(f"the last axis of the operand is not {made // have}")
        shape = shape[:-1]
    gives(op, shape)


def _bucketize(op: TargetOp) -> None:
    gives(op, sizes(op), DType.I32)


def all_alike(op: TargetOp) -> None:
    """StableHLO's: operands and results have one type."""
    made = same_elements(op)
    for i in range(len(op.operands)):
        gives(op, sizes(op, i), made)


def _all_compared(op: TargetOp) -> None:
    same_elements(op)
    for i in (0, 1):
        gives(op, sizes(op, i), DType.BOOL)


def _clamp(op: TargetOp) -> None:
    same_elements(op)
    for i in (0, 2):
        if sizes(op, i) != () and not alike(sizes(op, i), sizes(op, 1)):
            raise op.malformed(f"a bound is {text(sizes(op, i))} for {text(sizes(op, 1))}")
    gives(op, sizes(op, 1), element(op, 1))


def _all_selected(op: TargetOp) -> None:
    is_one_of(op, 0, DType.BOOL)
    if sizes(op, 0) != ():
        gives(op, sizes(op, 0))
    for i in (1, 2):
        gives(op, sizes(op, i), same_elements(op, 1, 2))


def _normalized(op: TargetOp) -> None:
    has_rank(op, 0, 4)


_UNARY_NAMES = """
    ABS CEIL COS ELU EXP FLOOR GELU HARD_SWISH L2_NORMALIZATION LEAKY_RELU LOG LOG_SOFTMAX LOGISTIC NEG RELU RELU6
    RELU_0_TO_1 RELU_N1_TO_1 ROUND RSQRT SIGN SIN SOFTMAX SQRT SQUARE TANH ZEROS_LIKE FAKE_QUANT"""
UNARY = frozenset(_UNARY_NAMES.split())
_BINARY_NAMES = """
    ADD SUB MUL DIV POW MAXIMUM MINIMUM FLOOR_DIV FLOOR_MOD SQUARED_DIFFERENCE ATAN2"""
BINARY = frozenset(_BINARY_NAMES.split())
COMPARISONS = frozenset(["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"])
_STABLEHLO_UNARY_NAMES = """
    ABS COSINE EXPONENTIAL FLOOR LOG LOGISTIC NEGATE RSQRT TANH CBRT"""
STABLEHLO_UNARY = frozenset(f"STABLEHLO_{name}" for name in _STABLEHLO_UNARY_NAMES.split())
_STABLEHLO_BINARY_NAMES = """
    ADD AND DIVIDE MAXIMUM MINIMUM MULTIPLY OR POWER REMAINDER SHIFT_LEFT SUBTRACT"""
STABLEHLO_BINARY = frozenset(f"STABLEHLO_{name}" for name in _STABLEHLO_BINARY_NAMES.split())
LOGICAL = frozenset(["LOGICAL_AND", "LOGICAL_NOT", "LOGICAL_OR", "BITWISE_XOR", "RIGHT_SHIFT"])
ALONG_AXES = frozenset(["L2_NORMALIZATION", "LOG_SOFTMAX", "SOFTMAX"])
"""Of the unary ones: elements of the result depend on their neighbours."""
ELEMENTWISE = (
    (UNARY - ALONG_AXES)
    | BINARY
    | COMPARISONS
    | LOGICAL
    | STABLEHLO_UNARY
    | STABLEHLO_BINARY
    | {"ADD_N", "CAST", "PRELU", "SELECT_V2"}
)
SAME_ELEMENT_TYPE = UNARY | BINARY | LOGICAL | STABLEHLO_UNARY | STABLEHLO_BINARY | {"ADD_N", "PRELU"}
_COMMUTATIVE_NAMES = """
    ADD MUL MAXIMUM MINIMUM SQUARED_DIFFERENCE EQUAL NOT_EQUAL LOGICAL_AND LOGICAL_OR BITWISE_XOR ADD_N
    STABLEHLO_ADD STABLEHLO_AND STABLEHLO_MAXIMUM STABLEHLO_MINIMUM STABLEHLO_MULTIPLY STABLEHLO_OR"""
COMMUTATIVE = frozenset(_COMMUTATIVE_NAMES.split())
CHECKS: dict[str, tuple[Check, ...]] = {
    **dict.fromkeys(sorted(UNARY), (same_type,)),
    **dict.fromkeys(sorted(BINARY), (binary,)),
    **dict.fromkeys(sorted(COMPARISONS), (comparison,)),
    **dict.fromkeys(sorted(STABLEHLO_UNARY | STABLEHLO_BINARY), (all_alike,)),
    "LOCAL_RESPONSE_NORMALIZATION": (same_type, _normalized),
    "LOGICAL_NOT": (_logical, same_type),
    "LOGICAL_AND": (_logical, binary),
    "LOGICAL_OR": (_logical, binary),
    "BITWISE_XOR": (_integers, binary),
    "RIGHT_SHIFT": (_integers, binary),
    "PRELU": (_prelu,),
    "ADD_N": (_add_n,),
    "CAST": (_cast,),
    "QUANTIZE": (_quantize,),
    "DEQUANTIZE": (_dequantize,),
    "DENSIFY": (same_type,),
    "REAL": (_part,),
    "IMAG": (_part,),
    "COMPLEX_ABS": (_part,),
    "SELECT": (_select,),
    "SELECT_V2": (_select_v2,),
    "BITCAST": (_bitcast,),
    "BUCKETIZE": (_bucketize,),
    "STABLEHLO_COMPARE": (_all_compared,),
    "STABLEHLO_CONVERT": (same_shape,),
    "STABLEHLO_CLAMP": (_clamp,),
    "STABLEHLO_SELECT": (_all_selected,),
}
