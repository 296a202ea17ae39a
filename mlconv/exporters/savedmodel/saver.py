"""The variables of a SavedModel: their handles, what gives them values, and what saves and restores them.

The ops are those that TensorFlow's Saver makes, under its names, so that every loader finds them.  Sources:
tensorflow/python/training/saver.py; variable.proto: VariableDef, which the collections hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlconv.dialects.tf_types import NUMBERS
from mlconv.exporters.savedmodel.graph import Scope, Weights
from mlconv.exporters.savedmodel.messages import fill_shape, fill_tensor, set_type
from mlconv.formats.protos import tf_pb
from mlconv.ir.constants import Const, Inline, Splat
from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import MetaGraphDef


def add_saver(scope: Scope, weights: Weights, meta: MetaGraphDef) -> None:
    """Nodes of all variables, the collections that list them, and the saver; nothing where there are none."""
    if not weights.constants:
        return
    for name, constant in weights.constants.items():
        _add_variable(scope, weights.handles[name], name, constant)
        _add_to_collections(meta, weights, name)
    _add_saving(scope, weights)
    meta.saver_def.filename_tensor_name = "save/Const:0"
    meta.saver_def.save_tensor_name = "save/control_dependency:0"
    meta.saver_def.restore_op_name = "save/restore_all"
    meta.saver_def.max_to_keep = 5
    meta.saver_def.version = tf_pb("protobuf.saver_pb2").SaverDef.V2


def _add_variable(scope: Scope, node_name: str, name: str, constant: Const) -> None:
    """The handle, an initial value of zeros, which the checkpoint replaces, and the ops that set and read it."""
    handle = scope.node(node_name, "VarHandleOp", (), None, node_name)
    set_type(handle, "dtype", NUMBERS[constant.dtype])
    fill_shape(handle.attr["shape"].shape, constant.shape)
    handle.attr["shared_name"].s = name.encode()
    zeros = Splat(np.zeros((), constant.dtype.numpy)[()], constant.dtype, constant.shape)
    initial = constant_node(scope, f"{node_name}/Initializer/zeros", zeros)
    _typed(scope, f"{node_name}/Assign", "AssignVariableOp", [node_name, initial], constant.dtype)
    _typed(scope, f"{node_name}/Value/ReadVariableOp", "ReadVariableOp", [node_name], constant.dtype)


def _typed(scope: Scope, name: str, op: str, inputs: Sequence[str], dtype: DType) -> str:
    node = scope.node(name, op, inputs)
    set_type(node, "dtype", NUMBERS[dtype])
    return node.name


def constant_node(scope: Scope, name: str, constant: Const) -> str:
    """A constant that is no value of the module."""
    node = scope.node(name, "Const")
    set_type(node, "dtype", NUMBERS[constant.dtype])
    fill_tensor(node.attr["value"].tensor, constant)
    return node.name


def _add_to_collections(meta: MetaGraphDef, weights: Weights, name: str) -> None:
    node = weights.handles[name]
    proto = tf_pb("framework.variable_pb2").VariableDef(
        variable_name=f"{node}:0",
        initializer_name=f"{node}/Assign",
        initial_value_name=f"{node}/Initializer/zeros:0",
        snapshot_name=f"{node}/Value/ReadVariableOp:0",
        is_resource=True,
        trainable=name in weights.trained,
    )
    data = proto.SerializeToString(deterministic=True)
    for collection in ("variables", *(["trainable_variables"] if proto.trainable else [])):
        meta.collection_def[collection].bytes_list.value.append(data)


def _add_saving(scope: Scope, weights: Weights) -> None:
    """save/SaveV2 and save/RestoreV2 of all variables, in the order of their names."""
    names = sorted(weights.constants, key=str.encode)
    types = [NUMBERS[weights.constants[name].dtype] for name in names]
    default = constant_node(scope, "save/filename/input", _texts(["model"], scalar=True))
    filename = _named(scope, "save/filename", "PlaceholderWithDefault", [default], dtype=NUMBERS[DType.STRING])
    path = _named(scope, "save/Const", "PlaceholderWithDefault", [filename], dtype=NUMBERS[DType.STRING])
    keys = constant_node(scope, "save/SaveV2/tensor_names", _texts(names))
    slices = constant_node(scope, "save/SaveV2/shape_and_slices", _texts([""] * len(names)))
    values = [f"{weights.handles[name]}/Value/ReadVariableOp" for name in names]
    save = scope.node("save/SaveV2", "SaveV2", [path, keys, slices, *values])
    save.attr["dtypes"].list.type.extend(types)
    done = scope.node("save/control_dependency", "Identity", [path, f"^{save.name}"])
    set_type(done, "T", NUMBERS[DType.STRING])
    assigned = []
    restore = scope.node("save/RestoreV2", "RestoreV2", [path, keys, slices])
    restore.attr["dtypes"].list.type.extend(types)
    for i, name in enumerate(names):
        inputs = [weights.handles[name], f"{restore.name}:{i}" if i else restore.name]
        dtype = weights.constants[name].dtype
        assigned.append(_typed(scope, f"save/Assign_{i}", "AssignVariableOp", inputs, dtype))
    scope.node("save/restore_all", "NoOp", [f"^{node}" for node in assigned])


def _named(scope: Scope, name: str, op: str, inputs: Sequence[str], dtype: int) -> str:
    node = scope.node(name, op, inputs)
    set_type(node, "dtype", dtype)
    node.attr["shape"].shape.SetInParent()
    return node.name


def _texts(texts: Sequence[str], scalar: bool = False) -> Const:
    array = np.empty(len(texts), object)
    array[:] = [text.encode() for text in texts]
    return Inline(array.reshape(() if scalar else (-1,)), DType.STRING)
