"""TypeProto to IR types: symbolic dimensions by their `dim_param`, containers as opaque types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.onnx.fields import dtype_of, text
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_RANK
from mlconv.ir.types import OpaqueType, TensorType, Type

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import TensorShapeProto, TypeProto


_MAX_DIM = 1 << 62
_MAX_NESTING = 8
_NO_NAMES = ("", "?", "-1", "None")  # what writers say of dimensions without a name


def type_of(proto: TypeProto, name: str, *, anonymous: bool = False) -> Type | None:
    """The type of a TypeProto; None when it says nothing.

    anonymous: give dimensions without value or name a symbol of their own (`name.0`), as for graph inputs; else such a
    shape is unranked, because a hint must not claim that two unknown dimensions differ.
    """
    kind = proto.WhichOneof("value")
    if kind is None:
        return None
    if kind == "tensor_type":
        return _tensor(proto.tensor_type, name, anonymous)
    if kind == "sparse_tensor_type":
        return _tensor(proto.sparse_tensor_type, name, anonymous)
    return OpaqueType(_container(proto, name, 0))


def _tensor(proto: TypeProto.Tensor | TypeProto.SparseTensor, name: str, anonymous: bool) -> TensorType:
    dtype = DType.UNKNOWN if proto.elem_type == 0 else dtype_of(proto.elem_type, f"value '{name}'")
    if not proto.HasField("shape"):
        return TensorType(dtype, None)
    if len(proto.shape.dim) > MAX_RANK:
        raise ConversionError(
            Code.TensorTooLarge, f"value '{name}' has rank {len(proto.shape.dim)}, at most {MAX_RANK} is possible"
        )
    shape: list[Size] = []
    for axis, dim in enumerate(proto.shape.dim):
        size = _dimension(dim, name, axis, anonymous)
        if size is None:
            return TensorType(dtype, None)
        shape.append(size)
    return TensorType(dtype, tuple(shape))


def _dimension(dim: TensorShapeProto.Dimension, name: str, axis: int, anonymous: bool) -> Size | None:
    kind = dim.WhichOneof("value")
    if kind == "dim_value":
        value = int(dim.dim_value)
        if 0 <= value < _MAX_DIM:
            return value
        if value != -1:  # some writers say -1 for an unknown dimension
            raise ConversionError(Code.ShapeMismatch, f"value '{name}' has an invalid dim {value} at axis {axis}")
    elif kind == "dim_param" and dim.dim_param not in _NO_NAMES:
        return Dim.symbol(text(dim.dim_param))
    return Dim.symbol(f"{name}.{axis}") if anonymous else None


def _container(proto: TypeProto, name: str, depth: int) -> str:
    if depth > _MAX_NESTING:
        raise ConversionError(Code.NestedTooDeeply, f"the type of '{name}' is nested deeper than {_MAX_NESTING} levels")
    kind = proto.WhichOneof("value")
    if kind in ("sequence_type", "optional_type"):
        return f"onnx.{kind.removesuffix('_type')}<{_container(getattr(proto, kind).elem_type, name, depth + 1)}>"
    if kind in ("tensor_type", "sparse_tensor_type"):
        return str(_tensor(getattr(proto, kind), name, anonymous=False))
    return "unknown" if kind is None else f"onnx.{kind.removesuffix('_type')}"
