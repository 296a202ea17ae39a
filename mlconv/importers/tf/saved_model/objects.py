"""Checkpoint keys by the object graph: which saved object each captured variable of a concrete function is.

TF2 loaders go this way; it also holds for variables that were copied while the model was traced, whose own handles
nothing restores.
Source: tensorflow/core/protobuf/saved_object_graph.proto (bound_inputs), trackable_object_graph.proto (the same node
numbers).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from mlconv.formats.protos import tf_pb
from mlconv.importers.tf.attributes import FunctionRef
from mlconv.importers.tf.graph import Graph, Node
from mlconv.importers.tf.saved_model.bundle import Bundle
from mlconv.importers.tf.saved_model.variables import HANDLES

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import SavedObjectGraph


_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


def captured_keys(graph: Graph, object_graph: SavedObjectGraph, bundle: Bundle) -> dict[Node, str]:
    """Checkpoint key of each variable that a call of a concrete function in the main graph captures; empty where the
    files do not say.
    """
    keys = _keys_by_object(bundle)
    found: dict[Node, str] = {}
    for node in graph.nodes:
        ref = node.attrs.get("f")
        if not isinstance(ref, FunctionRef) or ref.name not in object_graph.concrete_functions:
            continue
        bound = list(object_graph.concrete_functions[ref.name].bound_inputs)
        if not bound or len(bound) > len(node.inputs):
            continue
        for port, number in zip(node.inputs[-len(bound) :], bound, strict=True):
            if port.node.op in HANDLES and number in keys:
                found.setdefault(port.node, keys[number])
    return found


def _keys_by_object(bundle: Bundle) -> dict[int, str]:
    if _GRAPH_KEY not in bundle.entries:
        return {}
    message = tf_pb("protobuf.trackable_object_graph_pb2").TrackableObjectGraph()
    try:
        message.ParseFromString(bundle.constant(_GRAPH_KEY).view().reshape(-1)[0])
    except DecodeError:
        return {}
    return {
        i: a.checkpoint_key
        for i, node in enumerate(message.nodes)
        for a in node.attributes
        if a.name == "VARIABLE_VALUE"
    }
