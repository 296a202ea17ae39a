"""GraphDefs for tests, from the generated messages alone."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from mlconv.dialects.tf import find_op
from mlconv.dialects.tf_types import _TYPES
from mlconv.formats.protos import tf_pb

NUMBERS = {name.removeprefix("DT_").lower(): number for name, (number, _) in _TYPES.items()}
_NUMPY = {"float32": "float", "float64": "double", "float16": "half"}


def type_number(dtype: Any) -> int:
    """DataType number of a numpy dtype or of TensorFlow's name."""
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    return NUMBERS[_NUMPY.get(name, name)]


def tensor(array: Any) -> Any:
    """A TensorProto with its data as tensor_content."""
    value = np.asarray(array)
    proto = tf_pb("framework.tensor_pb2").TensorProto()
    proto.dtype = type_number(value.dtype)
    for size in value.shape:
        proto.tensor_shape.dim.add(size=size)
    proto.tensor_content = value.tobytes()
    return proto


def fill_attr(attr: Any, kind: str, value: Any) -> None:
    """Set an AttrValue of a kind of the op table."""
    field = {"string": "s", "int": "i", "float": "f", "bool": "b", "type": "type"}
    if kind == "tensor":
        attr.tensor.CopyFrom(tensor(value) if isinstance(value, np.ndarray) else value)
    elif kind == "shape":
        attr.shape.SetInParent()
        if value is None:
            attr.shape.unknown_rank = True
        for size in value or ():
            attr.shape.dim.add(size=size)
    elif kind == "func":
        attr.func.name = value
    elif kind.startswith("list("):
        inner = kind[5:-1]
        attr.list.SetInParent()
        for item in value:
            if inner == "func":
                attr.list.func.add(name=item)
            else:
                getattr(attr.list, field[inner]).append(
                    type_number(item) if inner == "type" else item.encode() if inner == "string" else item
                )
    else:
        setattr(
            attr, field[kind], type_number(value) if kind == "type" else value.encode() if kind == "string" else value
        )


def node(name: str, op: str, *inputs: str, **attrs: Any) -> Any:
    """A NodeDef; attributes take their kind from the op table."""
    proto = tf_pb("framework.node_def_pb2").NodeDef(name=name, op=op, input=inputs)
    known = find_op(op)
    for key, value in attrs.items():
        kind = known.attrs[key].kind if known is not None else "int"
        fill_attr(proto.attr[key], kind, value)
    return proto


def placeholder(name: str, shape: Any = (2, 3), dtype: Any = "float") -> Any:
    return node(name, "Placeholder", dtype=dtype, shape=shape)


def const(name: str, array: Any) -> Any:
    value = np.asarray(array)
    return node(name, "Const", dtype=value.dtype, value=value)


def graph(*nodes: Any, functions: tuple[Any, ...] = ()) -> Any:
    proto = tf_pb("framework.graph_pb2").GraphDef(node=nodes)
    proto.versions.producer = 1882
    proto.library.function.extend(functions)
    return proto


def function(name: str, inputs: dict[str, Any], nodes: list[Any], outputs: dict[str, tuple[Any, str]]) -> Any:
    """A FunctionDef.  inputs: name to type; outputs: name to (type, `node:output:0`)."""
    proto = tf_pb("framework.function_pb2").FunctionDef()
    proto.signature.name = name
    for key, dtype in inputs.items():
        proto.signature.input_arg.add(name=key, type=type_number(dtype))
    for key, (dtype, source) in outputs.items():
        proto.signature.output_arg.add(name=key, type=type_number(dtype))
        proto.ret[key] = source
    proto.node_def.extend(nodes)
    return proto


def save(proto: Any, folder: pathlib.Path, name: str = "graph.pb") -> pathlib.Path:
    path = folder / name
    path.write_bytes(proto if isinstance(proto, bytes) else proto.SerializeToString())
    return path
