"""Element types by their names in the TFLite schema."""

from __future__ import annotations

from mlconv.ir.dtypes import DType
from mlconv.ir.types import OpaqueType

TYPE_NAMES = {
    DType.F64: "FLOAT64",
    DType.F32: "FLOAT32",
    DType.F16: "FLOAT16",
    DType.BF16: "BFLOAT16",
    DType.I64: "INT64",
    DType.I32: "INT32",
    DType.I16: "INT16",
    DType.I8: "INT8",
    DType.I4: "INT4",
    DType.I2: "INT2",
    DType.U64: "UINT64",
    DType.U32: "UINT32",
    DType.U16: "UINT16",
    DType.U8: "UINT8",
    DType.U4: "UINT4",
    DType.BOOL: "BOOL",
    DType.C64: "COMPLEX64",
    DType.C128: "COMPLEX128",
    DType.STRING: "STRING",
    DType.F8E4M3FN: "FLOAT8_E4M3FN",
    DType.F8E5M2: "FLOAT8_E5M2",
}
DTYPES = {name: dtype for dtype, name in TYPE_NAMES.items()}
RESOURCE = OpaqueType("tfl.resource")  # the type of a VAR_HANDLE

INDEX_CODES = {1: "i", 2: "H", 3: "B"}
"""`struct` codes of a number, by the types in the union SparseIndexVector: Int32Vector, Uint16Vector, Uint8Vector."""
