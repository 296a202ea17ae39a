"""Element types of ONNX."""

from __future__ import annotations

from mlconv.ir.dtypes import DType

DTYPES = {
    1: DType.F32,
    2: DType.U8,
    3: DType.I8,
    4: DType.U16,
    5: DType.I16,
    6: DType.I32,
    7: DType.I64,
    8: DType.STRING,
    9: DType.BOOL,
    10: DType.F16,
    11: DType.F64,
    12: DType.U32,
    13: DType.U64,
    14: DType.C64,
    15: DType.C128,
    16: DType.BF16,
    17: DType.F8E4M3FN,
    18: DType.F8E4M3FNUZ,
    19: DType.F8E5M2,
    20: DType.F8E5M2FNUZ,
    21: DType.U4,
    22: DType.I4,
    23: DType.F4E2M1,
    24: DType.F8E8M0,
    25: DType.U2,
    26: DType.I2,
}
"""By number of TensorProto.DataType (onnx.proto)."""
