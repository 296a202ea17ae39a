"""A small BERT, written as PyTorch's exporter writes it, so that the transformer optimizer knows its patterns."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]
BATCH, LENGTH, HEADS, SIZE, WORDS, LAYERS = 2, 6, 2, 8, 30, 2
HIDDEN = HEADS * SIZE


class Bert:
    """Nodes and constants, in order."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        made = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [made], name=made, **attributes))
        return made

    def constant(self, array: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weights(self, *shape: int) -> str:
        return self.constant((self.rng.standard_normal(shape) * 0.2).astype(np.float32))

    def number(self, value: float) -> str:
        return self.constant(np.float32(value))

    def dense(self, x: str, rows: int, columns: int) -> str:
        return self.node("Add", self.weights(columns), self.node("MatMul", x, self.weights(rows, columns)))

    def norm(self, x: str) -> str:
        gamma = self.constant(self.rng.uniform(0.5, 1.5, HIDDEN).astype(np.float32))
        return self.node("LayerNormalization", x, gamma, self.weights(HIDDEN), axis=-1, epsilon=1e-5)

    def embeddings(self) -> str:
        words = self.node("Gather", self.weights(WORDS, HIDDEN), "input_ids")
        segments = self.node("Gather", self.weights(2, HIDDEN), "token_type_ids")
        places = self.node("Gather", self.weights(LENGTH + 2, HIDDEN), self.constant(np.arange(LENGTH)[None]))
        return self.norm(self.node("Add", self.node("Add", words, segments), places))

    def mask(self) -> str:
        """-10000 for what is not to be seen."""
        wide = self.node("Unsqueeze", "attention_mask", self.constant([1]))
        cast = self.node("Cast", self.node("Unsqueeze", wide, self.constant([2])), to=TensorProto.FLOAT)
        return self.node("Mul", self.node("Sub", self.number(1), cast), self.number(-10000))

    def attention(self, x: str, mask: str) -> str:
        apart = self.constant([0, 0, HEADS, SIZE])
        q, k, v = (self.node("Reshape", self.dense(x, HIDDEN, HIDDEN), apart) for _ in range(3))
        queries, values = (self.node("Transpose", part, perm=[0, 2, 1, 3]) for part in (q, v))
        scores = self.node("MatMul", queries, self.node("Transpose", k, perm=[0, 2, 3, 1]))
        scores = self.node("Add", self.node("Div", scores, self.number(SIZE**0.5)), mask)
        found = self.node("MatMul", self.node("Softmax", scores, axis=-1), values)
        rows = self.node("Transpose", found, perm=[0, 2, 1, 3])
        return self.dense(self.node("Reshape", rows, self.constant([0, 0, HIDDEN])), HIDDEN, HIDDEN)

    def gelu(self, x: str) -> str:
        erf = self.node("Erf", self.node("Div", x, self.number(2**0.5)))
        return self.node("Mul", self.node("Mul", x, self.node("Add", erf, self.number(1))), self.number(0.5))

    def layer(self, x: str, mask: str) -> str:
        x = self.norm(self.node("Add", self.attention(x, mask), x))
        inner = self.gelu(self.dense(x, HIDDEN, 2 * HIDDEN))
        return self.norm(self.node("Add", self.dense(inner, 2 * HIDDEN, HIDDEN), x))


def bert() -> onnx.ModelProto:
    made = Bert()
    x, mask = made.embeddings(), made.mask()
    for _ in range(LAYERS):
        x = made.layer(x, mask)
    made.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, [BATCH, LENGTH]) for n in names]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [BATCH, LENGTH, HIDDEN])]
    graph = helper.make_graph(made.nodes, "bert", inputs, outputs, made.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def samples(count: int) -> list[dict[str, Array]]:
    rng = np.random.default_rng(1)
    mask = np.ones((BATCH, LENGTH), np.int64)
    mask[1, 4:] = 0
    return [
        {
            "input_ids": rng.integers(0, WORDS, (BATCH, LENGTH)),
            "attention_mask": mask,
            "token_type_ids": rng.integers(0, 2, (BATCH, LENGTH)),
        }
        for _ in range(count)
    ]
