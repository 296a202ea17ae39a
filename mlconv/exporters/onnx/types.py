"""Types and attributes as messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.exporters.onnx.tensors import NUMBERS, whole
from mlconv.formats.protos import onnx_pb
from mlconv.ir.constants import Const
from mlconv.ir.dims import Dim
from mlconv.ir.types import TensorType, Type

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import AttributeProto, TypeProto


def fill_type(proto: TypeProto, type_: Type, what: str) -> None:
    """A tensor's type: sizes as numbers, as symbols or formulas of them, or left open.  Raises ConversionError
    TargetLacksType.
    """
    if not isinstance(type_, TensorType) or type_.dtype not in NUMBERS:
        raise ConversionError(Code.TargetLacksType, f"{what} is {type_}, which is no tensor of ONNX")
    if type_.dtype.is_complex:
        raise ConversionError(Code.TargetLacksType, f"{what} is {type_}, and ONNX's operators take no complex numbers")
    tensor = proto.tensor_type
    tensor.elem_type = NUMBERS[type_.dtype]
    if type_.shape is None:
        return
    tensor.shape.SetInParent()
    for size in type_.shape:
        dim = tensor.shape.dim.add()
        if isinstance(size, int):
            dim.dim_value = size
        elif isinstance(size, Dim) and size.is_known:
            dim.dim_param = size.name or str(size)


def _kind(name: str) -> AttributeProto.AttributeType:
    """AttributeProto.AttributeType by its name (onnx.proto)."""
    found: AttributeProto.AttributeType = onnx_pb().AttributeProto.AttributeType.Value(name)
    return found


def fill_attribute(proto: AttributeProto, name: str, value: Any) -> None:
    """An attribute by the type of its value.  Raises ConversionError InternalError for a value that has none."""
    proto.name = name
    if isinstance(value, int):
        proto.type, proto.i = _kind("INT"), int(value)
    elif isinstance(value, float):
        proto.type, proto.f = _kind("FLOAT"), value
    elif isinstance(value, (str, bytes)):
        proto.type, proto.s = _kind("STRING"), value.encode() if isinstance(value, str) else value
    elif isinstance(value, Const):
        proto.type = _kind("TENSOR")
        proto.t.CopyFrom(whole(value))
    elif isinstance(value, (tuple, list)):
        _fill_list(proto, name, list(value))
    else:
        raise ConversionError(Code.InternalError, f"attribute {name!r} is {value!r}, which no attribute can be")


def _fill_list(proto: AttributeProto, name: str, values: list[Any]) -> None:
    if all(isinstance(v, int) for v in values):
        proto.type = _kind("INTS")
        proto.ints.extend(values)
    elif all(isinstance(v, (int, float)) for v in values):
        proto.type = _kind("FLOATS")
        proto.floats.extend(values)
    elif all(isinstance(v, (str, bytes)) for v in values):
        proto.type = _kind("STRINGS")
        proto.strings.extend(v.encode() if isinstance(v, str) else v for v in values)
    else:
        raise ConversionError(Code.InternalError, f"attribute {name!r} is {values!r}, which no attribute can be")
