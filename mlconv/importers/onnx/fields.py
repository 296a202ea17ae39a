"""Fields of ONNX messages that need a look before they are used; nothing here loads numpy."""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.onnx_types import DTYPES
from mlconv.ir.dtypes import DType

RAW, FLOAT, INT32, INT64, DOUBLE, UINT64 = 9, 4, 5, 7, 10, 11
FIELDS = {
    FLOAT: "float_data",
    INT32: "int32_data",
    INT64: "int64_data",
    DOUBLE: "double_data",
    UINT64: "uint64_data",
}
TYPED = {
    DType.F32: FLOAT,
    DType.C64: FLOAT,
    DType.I64: INT64,
    DType.F64: DOUBLE,
    DType.C128: DOUBLE,
    DType.U64: UINT64,
    DType.U32: UINT64,
}
"""Field numbers of TensorProto by element type; INT32 of those that are not named (onnx.proto)."""


def text(value: str | bytes) -> str:
    """A protobuf string; bytes that are not UTF-8 (the parser then gives bytes) are shown escaped."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def dtype_of(code: int, what: str) -> DType:
    """The element type of a TensorProto.DataType.  Raises ConversionError ElementTypeUnsupported."""
    dtype = DTYPES.get(code)
    if dtype is None:
        raise ConversionError(
            Code.ElementTypeUnsupported,
            f"{what} has the element type {code}, which is not known (types 1 to {max(DTYPES)} are)",
        )
    return dtype
