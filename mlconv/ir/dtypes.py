"""Element types of tensors.

One enum for all levels.  The value of a member is its MLIR spelling; sizes and numpy types hang off it.
bfloat16 and the float8 kinds take their numpy type from `ml_dtypes`, which is imported only when one of them is met.
"""

from __future__ import annotations

import enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

_NUMPY_NAMES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "ui64": "uint64",
    "ui32": "uint32",
    "ui16": "uint16",
    "ui8": "uint8",
    "i1": "bool",
    "complex<f32>": "complex64",
    "complex<f64>": "complex128",
    "!mlconv.string": "object",
}
_ML_DTYPES_NAMES = {
    "bf16": "bfloat16",
    "i4": "int4",
    "ui4": "uint4",
    "i2": "int2",
    "ui2": "uint2",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f4E2M1FN": "float4_e2m1fn",
    "f8E8M0FNU": "float8_e8m0fnu",
}


class DType(enum.Enum):
    """Element type; the value is the MLIR type name.  `UNKNOWN` stands only at source level, before types are
    deduced.
    """

    F64 = "f64"
    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    F8E4M3FN = "f8E4M3FN"
    F8E4M3FNUZ = "f8E4M3FNUZ"
    F8E5M2 = "f8E5M2"
    F8E5M2FNUZ = "f8E5M2FNUZ"
    F8E8M0 = "f8E8M0FNU"
    F4E2M1 = "f4E2M1FN"
    I64 = "i64"
    I32 = "i32"
    I16 = "i16"
    I8 = "i8"
    I4 = "i4"
    I2 = "i2"
    U64 = "ui64"
    U32 = "ui32"
    U16 = "ui16"
    U8 = "ui8"
    U4 = "ui4"
    U2 = "ui2"
    BOOL = "i1"
    C64 = "complex<f32>"
    C128 = "complex<f64>"
    STRING = "!mlconv.string"
    UNKNOWN = "!mlconv.unknown"

    __hash__ = object.__hash__  # there is one object of each; the one of enums hashes its name

    @cached_property
    def numpy(self) -> np.dtype[Any]:
        """The numpy type.  Strings are `object`.  Raises ValueError for UNKNOWN."""
        import numpy as np

        if self.value in _NUMPY_NAMES:
            return np.dtype(_NUMPY_NAMES[self.value])
        if self.value in _ML_DTYPES_NAMES:
            import ml_dtypes

            named: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _ML_DTYPES_NAMES[self.value]))
            return named
        raise ValueError("an unknown element type has no numpy type")

    @cached_property
    def bits(self) -> int:
        """Width in bits as stored in a packed buffer; 0 for strings and unknown."""
        digits = "".join(c for c in self.value.split("<")[-1].split("E")[0] if c.isdigit())
        width = int(digits) if digits and not self.value.startswith("!") else 0
        return width * 2 if self.is_complex else (8 if self is DType.BOOL else width)

    @cached_property
    def itemsize(self) -> int:
        """Bytes of one element in numpy's form (sub-byte types take one byte each there)."""
        return max(1, self.bits // 8)

    def packed_bytes(self, count: int) -> int:
        """Bytes of elements, of which those of less than 8 bits share a byte."""
        return -(-count * self.bits // 8)

    @cached_property
    def is_complex(self) -> bool:
        return self.value.startswith("complex")

    @cached_property
    def is_float(self) -> bool:
        return self.value[0] in "fb"

    @property
    def is_half(self) -> bool:
        """Floats of 16 bits."""
        return self in (DType.F16, DType.BF16)

    @cached_property
    def is_signed_int(self) -> bool:
        return self.value[0] == "i" and self is not DType.BOOL

    @cached_property
    def is_unsigned_int(self) -> bool:
        return self.value.startswith("ui")

    @property
    def is_int(self) -> bool:
        return self.is_signed_int or self.is_unsigned_int

    @property
    def is_numeric(self) -> bool:
        return self.is_float or self.is_int or self.is_complex

    @cached_property
    def display(self) -> str:
        """The name users know: numpy's (`float32`, `bfloat16`), `string` or `unknown`."""
        if self.value.startswith("!"):
            return self.value.removeprefix("!mlconv.")
        return _NUMPY_NAMES.get(self.value) or _ML_DTYPES_NAMES[self.value]

    @staticmethod
    def from_numpy(dtype: np.dtype[Any] | str | type) -> DType:
        """The element type of a numpy dtype.  Raises ValueError when there is none."""
        import numpy as np

        name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
        try:
            return _BY_DISPLAY[name]
        except KeyError:
            if np.dtype(name).kind in "OSU":
                return DType.STRING
            raise ValueError(f"numpy type {name} has no counterpart") from None


_BY_DISPLAY = {d.display: d for d in DType if d not in (DType.STRING, DType.UNKNOWN)} | {"string": DType.STRING}

EXACT_INTEGERS: Final = {DType.F32: 1 << 24, DType.F64: 1 << 53}
"""Up to where floats hold all integers, and tell them apart."""
