"""What TensorFlow's own process does: it alone imports this module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import tensorflow as tf

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.runtime.processes import Kept

_REFUSALS = (
    tf.errors.OpError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
_MOST_WORDS = 600


def load(kept: Kept, path: str, kind: str) -> None:
    """A SavedModel or a frozen graph, with its variables as they are in the file.  Raises ConversionError
    VerificationFailed.
    """
    try:
        kept["model"] = tf.saved_model.load(path) if kind == "saved_model" else _session(path)
    except _REFUSALS as error:
        raise _refused("refuses", error) from error


def run(kept: Kept, signature: str, inputs: Mapping[str, Array], outputs: Sequence[str]) -> tuple[Array, ...]:
    """Outputs in order.  signature: empty for the nodes of a frozen graph.  Raises ConversionError
    VerificationFailed.
    """
    model = kept["model"]
    try:
        if signature:
            found = model.signatures[signature](**{n: tf.constant(x) for n, x in inputs.items()})
            return tuple(_array(found[n].numpy()) for n in outputs)
        fed = {f"{n}:0": x for n, x in inputs.items()}
        return tuple(_array(y) for y in model.run([f"{n}:0" for n in outputs], fed))
    except _REFUSALS as error:
        raise _refused("cannot run", error) from error


def _array(value: object) -> Array:
    """Texts as objects, one of them also, which TensorFlow gives as bytes."""
    x = np.asarray(value)
    return x.astype(object) if x.dtype.kind == "S" else x


def _session(path: str) -> object:
    proto = tf.compat.v1.GraphDef()
    with open(path, "rb") as f:
        proto.ParseFromString(f.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(proto, name="")
    return tf.compat.v1.Session(graph=graph)


def _refused(what: str, error: Exception) -> ConversionError:
    said = " ".join(str(error).split())[:_MOST_WORDS]
    return ConversionError(Code.VerificationFailed, f"TensorFlow {what} the file: {said}")
