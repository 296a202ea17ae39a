"""TF1 tensor arrays.  The flow value is the array: a tensor [size, *element], or an empty list (see `lists.py`); the
handle is not looked at.

Source: tensorflow/core/ops/data_flow_ops.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.from_tf import lists
from mlconv.legalize.from_tf.operands import shape_of, tf_rules
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import edit

RULES: Final = tf_rules()


@RULES.rule("TensorArrayV3")
def tensor_array(n: SourceNode) -> Sequence[Value]:
    """Results: handle, flow.  The handle only says whether a write may make the array longer."""
    size, hint = n.scalar(n.operand(0)), n.attr("element_shape", None)
    handle = lists.empty_list(n, size, n.attr("dtype"), hint)
    if handle.producer is not None:
        edit.set_attribute(handle.producer, "grows", n.attr("dynamic_size", False))
    return [handle, lists.empty_list(n, size, n.attr("dtype"), hint)]


@RULES.rule("TensorArrayWriteV3")
def write(n: SourceNode) -> Value:
    """Operands: handle, index, item, flow."""
    handle, index, item, flow = n.operands()
    grows = handle.producer is not None and handle.producer.attributes.get("grows", False)
    return lists.set_item(n, flow, index, item, grows)


@RULES.rule("TensorArrayReadV3")
def read(n: SourceNode) -> Value:
    """Operands: handle, index, flow."""
    return lists.get_item(n, n.operand(2), n.operand(1))


@RULES.rule("TensorArrayGatherV3")
def gather(n: SourceNode) -> Value:
    """Operands: handle, indices, flow."""
    dense = lists.as_dense(n, n.operand(2))
    indices = n.operand(1)
    return dense if lists.is_whole_range(indices, shape_of(dense)[0]) else n.emit(core.Gather(dense, indices, axis=0)).y


@RULES.rule("TensorArrayScatterV3")
def scatter(n: SourceNode) -> Value:
    """Operands: handle, indices, rows, flow."""
    _, indices, rows, flow = n.operands()
    return lists.scatter(n, flow, rows, indices)


@RULES.rule("TensorArrayConcatV3")
def concat(n: SourceNode) -> Sequence[Value]:
    """Operands: handle, flow.  Results: the joined elements, their lengths."""
    return lists.joined(n, lists.as_dense(n, n.operand(1)))


@RULES.rule("TensorArraySplitV3")
def split(n: SourceNode) -> Value:
    """Operands: handle, tensor, lengths, flow."""
    return lists.equal_parts(n, n.operand(1), n.ints(2))


@RULES.rule("TensorArraySizeV3")
def size(n: SourceNode) -> Value:
    """Operands: handle, flow."""
    return lists.length(n, n.operand(1))
