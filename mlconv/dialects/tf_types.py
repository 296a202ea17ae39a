"""TensorFlow's DataType numbers and their element types (tensorflow/core/framework/types.proto)."""

from __future__ import annotations

from typing import Final, TypeAlias, Union

from mlconv.ir.dtypes import DType
from mlconv.ir.types import OpaqueType

Element: TypeAlias = Union[DType, OpaqueType]

RESOURCE: Final = OpaqueType("tf.resource")
VARIANT: Final = OpaqueType("tf.variant")

# name -> (number, element type).  Quantized types are stored as their integers; ops that produce them say their scale
# in attributes.
_TYPES: Final[dict[str, tuple[int, Element]]] = {
    "DT_FLOAT": (1, DType.F32),
    "DT_DOUBLE": (2, DType.F64),
    "DT_INT32": (3, DType.I32),
    "DT_UINT8": (4, DType.U8),
    "DT_INT16": (5, DType.I16),
    "DT_INT8": (6, DType.I8),
    "DT_STRING": (7, DType.STRING),
    "DT_COMPLEX64": (8, DType.C64),
    "DT_INT64": (9, DType.I64),
    "DT_BOOL": (10, DType.BOOL),
    "DT_QINT8": (11, DType.I8),
    "DT_QUINT8": (12, DType.U8),
    "DT_QINT32": (13, DType.I32),
    "DT_BFLOAT16": (14, DType.BF16),
    "DT_QINT16": (15, DType.I16),
    "DT_QUINT16": (16, DType.U16),
    "DT_UINT16": (17, DType.U16),
    "DT_COMPLEX128": (18, DType.C128),
    "DT_HALF": (19, DType.F16),
    "DT_RESOURCE": (20, RESOURCE),
    "DT_VARIANT": (21, VARIANT),
    "DT_UINT32": (22, DType.U32),
    "DT_UINT64": (23, DType.U64),
    "DT_FLOAT8_E5M2": (24, DType.F8E5M2),
    "DT_FLOAT8_E4M3FN": (25, DType.F8E4M3FN),
    "DT_FLOAT8_E4M3FNUZ": (26, DType.F8E4M3FNUZ),
    "DT_FLOAT8_E5M2FNUZ": (28, DType.F8E5M2FNUZ),
    "DT_INT4": (29, DType.I4),
    "DT_UINT4": (30, DType.U4),
    "DT_INT2": (31, DType.I2),
    "DT_UINT2": (32, DType.U2),
    "DT_FLOAT4_E2M1FN": (35, DType.F4E2M1),
}
BY_NAME: Final[dict[str, Element]] = {name: element for name, (_, element) in _TYPES.items()}
BY_NUMBER: Final[dict[int, Element]] = dict(_TYPES.values())
NUMBERS: Final[dict[Element, int]] = {e: n for name, (n, e) in _TYPES.items() if not name.startswith("DT_Q")}
"""The DataType number of each element type: of integers, that of plain ones."""
_REF_OFFSET = 100  # DT_FLOAT_REF = DT_FLOAT + 100


def element_type(number: int) -> Element | None:
    """The element type of a DataType number, reference types included; None when there is none."""
    return BY_NUMBER.get(number - _REF_OFFSET if number > _REF_OFFSET else number)


def display(element: Element) -> str:
    """The name that messages use: `float32`, `string`, `tf.variant`."""
    return element.display if isinstance(element, DType) else element.name
