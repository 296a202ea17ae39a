"""Attributes and types of MLIR bytecode: those of the builtin dialect, and those of VHLO.

Source: mlir/include/mlir/IR/BuiltinDialectBytecode.td, mlir/lib/IR/BuiltinDialectBytecode.cpp;
stablehlo/dialect/VhloBytecode.cpp, VhloEnums.td.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.cursor import Cursor
from mlconv.importers.stablehlo.ir import (
    CallPlace,
    FilePlace,
    FunctionType,
    FusedPlace,
    MlirType,
    NamedPlace,
    Opaque,
    Other,
    PlaceRef,
    Shaped,
    Symbol,
    Tupled,
)
from mlconv.ir.constants import Const
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_RANK
from mlconv.ir.quant import PerAxis, PerTensor, QuantType


class Tables(Protocol):
    """What attributes and types refer to by number."""

    def string(self, index: int) -> str: ...

    def attribute(self, index: int) -> object: ...

    def type(self, index: int) -> MlirType: ...

    def place(self, index: int) -> PlaceRef: ...

    def elements(self, kind: Shaped, start: int, size: int) -> Const: ...

    def resource(self, kind: MlirType, index: int, c: Cursor) -> Const: ...


Read = Callable[[Tables, Cursor], object]
ReadType = Callable[[Tables, Cursor], MlirType]
NONE = Other("none")
_LARGEST_SCALE = 3.4e38
_SCALARS = {
    0: DType.BOOL,
    2: DType.BF16,
    3: DType.F16,
    4: DType.F32,
    5: DType.F64,
    6: DType.F8E4M3FN,
    7: DType.F8E5M2,
    10: DType.I4,
    11: DType.I8,
    12: DType.I16,
    13: DType.I32,
    14: DType.I64,
    15: DType.U4,
    16: DType.U8,
    17: DType.U16,
    18: DType.U32,
    19: DType.U64,
    27: DType.F8E4M3FNUZ,
    28: DType.F8E5M2FNUZ,
    31: DType.I2,
    32: DType.U2,
    37: DType.F4E2M1,
    40: DType.F8E8M0,
}
_NAMED = {9: "index", 22: "token", 26: "witness", 33: "none"}
_UNKNOWN = {29: "f8E4M3B11FNUZ", 34: "tf32", 35: "f8E4M3", 36: "f8E3M4", 38: "f6E2M3FN", 39: "f6E3M2FN"}
_UNKNOWN |= {41: "a buffer", 42: "a future"}
_ENUMS: dict[int, dict[int, str]] = {
    3: dict(enumerate(("EQ", "NE", "GE", "GT", "LE", "LT"))),
    4: dict(enumerate(("NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"))),
    5: dict(
        enumerate(
            (
                "API_VERSION_UNSPECIFIED",
                "API_VERSION_ORIGINAL",
                "API_VERSION_STATUS_RETURNING",
                "API_VERSION_STATUS_RETURNING_UNIFIED",
                "API_VERSION_TYPED_FFI",
            )
        )
    ),
    7: dict(enumerate(("FFT", "IFFT", "RFFT", "IRFFT"))),
    11: dict(enumerate(("DEFAULT", "HIGH", "HIGHEST"))),
    12: dict(enumerate(("DEFAULT", "THREE_FRY", "PHILOX"))),
    13: {1: "UNIFORM", 2: "NORMAL"},
    16: dict(enumerate(("TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"))),
    19: dict(enumerate(("DEFAULT", "HIGHEST", "TOLERANCE"))),
}


def vhlo_type(t: Tables, c: Cursor) -> MlirType:
    """A type of VHLO.  Raises ConversionError ElementTypeUnsupported, FileDamaged."""
    code = c.varint()
    if code in _SCALARS:
        return _SCALARS[code]
    if code in _NAMED:
        return Other(_NAMED[code])
    if code in _VHLO_TYPES:
        return _VHLO_TYPES[code](t, c)
    if code in _UNKNOWN:
        raise ConversionError(Code.ElementTypeUnsupported, f"element type {_UNKNOWN[code]} is not supported")
    c.fail(f"{code} is no type of VHLO")


def vhlo_attribute(t: Tables, c: Cursor) -> object:
    """An attribute of VHLO.  Raises ConversionError FileDamaged."""
    code = c.varint()
    if code in _ENUMS:
        value = c.varint()
        if value not in _ENUMS[code]:
            c.fail(f"{value} is no value of attribute {code} of VHLO")
        return _ENUMS[code][value]
    if code not in _VHLO_ATTRIBUTES:
        c.fail(f"{code} is no attribute of VHLO")
    return _VHLO_ATTRIBUTES[code](t, c)


def builtin_type(t: Tables, c: Cursor) -> MlirType:
    """A builtin type.  Raises ConversionError FileDamaged, ElementTypeUnsupported."""
    code = c.varint()
    if code not in _BUILTIN_TYPES:
        c.fail(f"builtin type {code} has no place in StableHLO")
    return _BUILTIN_TYPES[code](t, c)


def builtin_attribute(t: Tables, c: Cursor) -> object:
    """A builtin attribute.  Raises ConversionError FileDamaged."""
    code = c.varint()
    if code not in _BUILTIN_ATTRIBUTES:
        c.fail(f"builtin attribute {code} has no place in StableHLO")
    return _BUILTIN_ATTRIBUTES[code](t, c)


def signed_list(c: Cursor) -> tuple[int, ...]:
    """A list of signed numbers."""
    return tuple(c.signed() for _ in range(c.count()))


def real(c: Cursor, dtype: DType) -> float:
    """A floating-point number by its bits."""
    bits = np.asarray(c.integer(dtype.bits), {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[dtype.itemsize])
    return float(bits.reshape(1).view(dtype.numpy)[0])


def shaped(c: Cursor, element: MlirType, shape: tuple[int, ...] | None, encoding: object = None) -> Shaped:
    """A tensor type whose sizes are looked at."""
    if element == Other("index"):
        element = DType.I64
    if not isinstance(element, (DType, QuantType)):
        c.fail(f"{element} is no element type")
    if shape is None:
        return Shaped(element, None)
    if len(shape) > MAX_RANK:
        c.fail(f"a tensor has {len(shape)} axes, at most {MAX_RANK} are possible")
    sizes = tuple(-1 if d < 0 else d for d in shape)
    bounds = encoding.get("bounds", ()) if isinstance(encoding, dict) else ()
    return Shaped(element, sizes, bounds)


def _integer(t: Tables, c: Cursor) -> int:
    kind = t.type(c.varint())
    if not isinstance(kind, DType):  # index
        return _wrapped(c.integer(64), 64, True)
    return _wrapped(c.integer(1 if kind is DType.BOOL else kind.bits), kind.bits, kind.is_signed_int)


def _wrapped(value: int, bits: int, signed: bool) -> int:
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _float(t: Tables, c: Cursor) -> float:
    kind = t.type(c.varint())
    if not isinstance(kind, DType) or not kind.is_float:
        c.fail(f"{kind} is no floating-point type")
    return real(c, kind)


def _attributes(t: Tables, c: Cursor) -> tuple[object, ...]:
    return tuple(t.attribute(c.varint()) for _ in range(c.count()))


def _dictionary(t: Tables, c: Cursor) -> dict[str, object]:
    return {str(t.attribute(c.varint())): t.attribute(c.varint()) for _ in range(c.count())}


def _types(t: Tables, c: Cursor) -> tuple[MlirType, ...]:
    return tuple(t.type(c.varint()) for _ in range(c.count()))


def _elements(t: Tables, c: Cursor) -> object:
    kind = t.type(c.varint())
    if not isinstance(kind, Shaped):
        c.fail(f"a constant of type {kind}")
    size = c.varint()
    return t.elements(kind, c.take(size), size)


def _dense_array(t: Tables, c: Cursor) -> object:
    kind = t.type(c.varint())
    count, size = c.varint(), c.varint()
    if not isinstance(kind, DType):
        c.fail(f"an array of {kind}")
    start = c.take(size)
    if kind is DType.BOOL:
        return tuple(bool(b) for b in c.data[start : start + size])
    if size != count * kind.itemsize:
        c.fail(f"{size} bytes hold no {count} elements of {kind.display}")
    return tuple(np.frombuffer(bytes(c.data[start : start + size]), kind.numpy).tolist())


def _stored(flags: int, storage: MlirType) -> MlirType:
    """Integers without a sign of their own: the first flag says whether they have one."""
    if flags & 1 or not isinstance(storage, DType) or not storage.is_signed_int:
        return storage
    return DType(f"u{storage.value}")


def _quantized(t: Tables, c: Cursor) -> QuantType:
    storage, expressed = _stored(c.varint(), t.type(c.varint())), t.type(c.varint())
    scale, zero, low, high = real(c, DType.F64), c.signed(), c.signed(), c.signed()
    return _quant(c, storage, expressed, None, [scale], [zero], (low, high))


def _quantized_axis(t: Tables, c: Cursor) -> QuantType:
    storage, expressed, axis = _stored(c.varint(), t.type(c.varint())), t.type(c.varint()), c.varint()
    low, high = c.signed(), c.signed()
    scales = [real(c, DType.F64) for _ in range(c.count())]
    zeros = [c.signed() for _ in range(c.count())]
    return _quant(c, storage, expressed, axis, scales, zeros, (low, high))


def _quant(
    c: Cursor,
    storage: MlirType,
    expressed: MlirType,
    axis: int | None,
    scales: list[float],
    zeros: list[int],
    limits: tuple[int, int],
) -> QuantType:
    if not isinstance(storage, DType) or not isinstance(expressed, DType) or len(scales) != len(zeros):
        c.fail("a quantized type whose parts do not fit")
    return quant_type(storage, expressed, axis, scales, zeros, limits)


def quant_type(
    storage: DType,
    expressed: DType,
    axis: int | None,
    scales: list[float],
    zeros: list[int],
    limits: tuple[int, int],
) -> QuantType:
    """A quantized element type.  Raises ConversionError QuantizationInvalid."""
    low, high = (-(1 << 63), (1 << 63) - 1)
    if any(not low <= z <= high for z in zeros):
        raise ConversionError(Code.QuantizationInvalid, "a zero point has more than 64 bits")
    if not all(0 < scale < _LARGEST_SCALE for scale in scales):
        raise ConversionError(Code.QuantizationInvalid, "a scale is not a positive number of float32")
    made = QuantType.of(
        storage, scales if axis is not None else scales[0], zeros if axis is not None else zeros[0], axis
    )
    scheme = PerTensor() if axis is None else PerAxis(axis)
    return QuantType(storage, expressed, scheme, made.scales, made.zero_points, *limits)


def _integer_type(t: Tables, c: Cursor) -> MlirType:
    code = c.varint()
    width, unsigned = code >> 2, code & 3 == 2
    name = f"{'ui' if unsigned else 'i'}{width}"
    try:
        return DType(name)
    except ValueError:
        raise ConversionError(Code.ElementTypeUnsupported, f"element type {name} is not supported") from None


def _complex(t: Tables, c: Cursor) -> DType:
    part = t.type(c.varint())
    found = {DType.F32: DType.C64, DType.F64: DType.C128}.get(part) if isinstance(part, DType) else None
    if found is None:
        c.fail(f"complex numbers of {part}")
    return found


def _tensor_with_encoding(t: Tables, c: Cursor) -> Shaped:
    encoding = t.attribute(c.varint())
    shape = signed_list(c)
    return shaped(c, t.type(c.varint()), shape, encoding)


def _tensor(t: Tables, c: Cursor) -> Shaped:
    shape = signed_list(c)
    return shaped(c, t.type(c.varint()), shape)


def _line_range(t: Tables, c: Cursor) -> FilePlace:
    """File, and up to four numbers: line, column, and where the range ends."""
    file = str(t.attribute(c.varint()))
    numbers = [c.varint() for _ in range(c.count())]
    return _file_place(file, *(numbers + [0, 0])[:2])


def _file_place(file: str, line: int, column: int) -> FilePlace:
    return FilePlace(file, min(line, 1 << 31), min(column, 1 << 31))


def _axis_ref(t: Tables, c: Cursor) -> object:
    name = t.attribute(c.varint())
    return (name, t.attribute(c.varint())) if c.varint() else name


def _optional(t: Tables, c: Cursor) -> object:
    index, there = c.flagged()
    return t.attribute(index) if there else None


def _accuracy(t: Tables, c: Cursor) -> dict[str, object]:
    numbers = {"atol": real(c, DType.F64), "rtol": real(c, DType.F64), "ulps": c.signed()}
    return {**numbers, "mode": t.attribute(c.varint())}


def _alias(t: Tables, c: Cursor) -> Opaque:
    return Opaque(f"output_operand_alias {signed_list(c)} {c.signed()} {signed_list(c)}")


_VHLO_TYPES: dict[int, ReadType] = {
    1: _complex,
    8: lambda t, c: FunctionType(_types(t, c), _types(t, c)),
    20: _tensor,
    21: _tensor_with_encoding,
    23: lambda t, c: Tupled(_types(t, c)),
    24: _quantized,
    25: lambda t, c: shaped(c, t.type(c.varint()), None),
    30: _quantized_axis,
}
_VHLO_ATTRIBUTES: dict[int, Read] = {
    1: _attributes,
    2: lambda t, c: bool(c.varint()),
    6: _dictionary,
    8: _float,
    9: _integer,
    10: _alias,
    14: lambda t, c: t.string(c.varint()),
    15: _elements,
    17: lambda t, c: t.type(c.varint()),
    18: lambda t, c: {"bounds": signed_list(c)},
    20: _accuracy,
    21: lambda t, c: (c.signed(), c.signed()),
    22: _axis_ref,
    23: lambda t, c: (t.attribute(c.varint()), t.attribute(c.varint())),
    24: lambda t, c: (t.attribute(c.varint()), c.signed()),
    25: lambda t, c: (t.attribute(c.varint()), _optional(t, c)),
}
_BUILTIN_TYPES: dict[int, ReadType] = {
    0: _integer_type,
    1: lambda t, c: Other("index"),
    2: lambda t, c: FunctionType(_types(t, c), _types(t, c)),
    3: lambda t, c: DType.BF16,
    4: lambda t, c: DType.F16,
    5: lambda t, c: DType.F32,
    6: lambda t, c: DType.F64,
    9: _complex,
    12: lambda t, c: NONE,
    13: _tensor,
    14: _tensor_with_encoding,
    15: lambda t, c: Tupled(_types(t, c)),
    18: lambda t, c: shaped(c, t.type(c.varint()), None),
}
_BUILTIN_ATTRIBUTES: dict[int, Read] = {
    0: _attributes,
    1: _dictionary,
    2: lambda t, c: t.string(c.varint()),
    3: lambda t, c: (t.string(c.varint()), t.type(c.varint()))[0],
    4: lambda t, c: Symbol(str(t.attribute(c.varint()))),
    5: lambda t, c: (Symbol(str(t.attribute(c.varint()))), _attributes(t, c))[0],
    6: lambda t, c: t.type(c.varint()),
    7: lambda t, c: True,
    8: _integer,
    9: _float,
    10: lambda t, c: CallPlace(t.place(c.varint()), t.place(c.varint())),
    11: lambda t, c: _file_place(str(t.attribute(c.varint())), c.varint(), c.varint()),
    12: lambda t, c: FusedPlace(tuple(t.place(c.varint()) for _ in range(c.count()))),
    13: lambda t, c: (FusedPlace(tuple(t.place(c.varint()) for _ in range(c.count()))), c.varint())[0],
    14: lambda t, c: NamedPlace(str(t.attribute(c.varint())), t.place(c.varint())),
    15: lambda t, c: None,
    16: lambda t, c: t.resource(t.type(c.varint()), c.varint(), c),
    17: _dense_array,
    18: _elements,
    22: _line_range,
}
