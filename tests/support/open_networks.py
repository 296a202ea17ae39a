"""Networks as exporters write them, whose sizes are known at run time, as TFLite files: how many ops they have, and
what they give.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema
from onnx import helper

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support.onnx_models import save
from tests.support.onnx_runtimes import run_reference

ALLOWED = 1.15
Nodes = list[onnx.NodeProto]
Arrays = dict[str, np.ndarray]


class Graph:
    """Nodes and weights of a network as exporters write it."""

    def __init__(self) -> None:
        self.nodes: Nodes = []
        self.weights: Arrays = {}
        self.rng = np.random.default_rng(7)

    def op(self, kind: str, *inputs: str, **attributes: object) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def ints(self, *values: int, scalar: bool = False) -> str:
        name = f"c{len(self.weights)}"
        self.weights[name] = np.asarray(values[0] if scalar else values, np.int64)
        return name

    def floats(self, *shape: int, scale: float = 0.3) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = (self.rng.standard_normal(shape) * scale).astype(np.float32)
        return name

    def number(self, value: float) -> str:
        name = f"n{len(self.weights)}"
        self.weights[name] = np.asarray(value, np.float32)
        return name

    def size(self, x: str, axis: int) -> str:
        return self.op("Gather", self.op("Shape", x), self.ints(axis, scalar=True), axis=0)

    def vector(self, *parts: str | int) -> str:
        ones = [self.ints(p) if isinstance(p, int) else self.op("Unsqueeze", p, self.ints(0)) for p in parts]
        return self.op("Concat", *ones, axis=0)

    def positions(self, limit: str) -> str:
        return self.op("Range", self.ints(0, scalar=True), limit, self.ints(1, scalar=True))


def ops_of(path: Path) -> Counter[str]:
    names = {v: k for k, v in vars(schema.BuiltinOperator).items() if not k.startswith("_")}
    tree = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(path.read_bytes(), 0))
    return Counter(names[tree.operatorCodes[op.opcodeIndex].builtinCode] for g in tree.subgraphs for op in g.operators)


def converted(path: Path, folder: Path, shapes: dict[str, list[int]] | None = None) -> Path:
    out = folder / ("pinned.tflite" if shapes else "open.tflite")
    mlconv.convert(path, to="tflite", output=out, **({"shapes": shapes} if shapes else {}))
    return out


def check(proto: onnx.ModelProto, cases: list[Arrays], folder: Path, allowed: float = ALLOWED) -> Counter[str]:
    """One file gives at all sizes what ONNX Runtime gives, with XNNPACK and without, and has few ops."""
    path = save(folder, proto)
    out = converted(path, folder)
    ops = ops_of(out)
    pinned = ops_of(converted(path, folder, {k: list(v.shape) for k, v in cases[0].items()}))
    assert ops.total() <= allowed * pinned.total(), (ops - pinned, pinned - ops)
    for inputs in cases:
        (want,) = run_reference(proto, inputs)
        for resolver in (litert.OpResolverType.AUTO, litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
            interpreter = litert.Interpreter(model_path=str(out), experimental_op_resolver_type=resolver)
            (got,) = run_tflite(str(out), inputs, "serving_default", interpreter).values()
            np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-4 * float(np.abs(want).max()))
    return ops
