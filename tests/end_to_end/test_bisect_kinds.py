"""Faults of other kinds than weights that are off: axes, order of operands, windows, options, and files that a writer
leaves with other fields than it was given.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import onnx
import pytest
from ai_edge_litert import schema_py_generated as schema
from onnx.helper import make_node

from mlconv.driver.bisection import bisect
from mlconv.driver.context import BUILT_IN
from mlconv.ir.core import Op
from mlconv.ir.module import Module
from mlconv.provenance.locations import node_names
from tests.support.onnx_models import model, save, value
from tests.support.wrong_passes import Change, wrong_pass

TflModel = Any


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Ops of many kinds whose axes are all as long as each other; nodes are called after what they give."""
    rng = np.random.default_rng(7)
    weights = {name: rng.normal(size=(8, 8, 3, 3)) * 0.3 for name in ("w1", "w2")}
    weights |= {"b1": rng.normal(size=8) * 0.3, "b2": rng.normal(size=8) * 0.3, "m": rng.normal(size=(8, 8)) * 0.3}
    arrays: dict[str, Any] = {name: array.astype(np.float32) for name, array in weights.items()}
    arrays["idx"] = np.array([3, 1, 7, 0, 2, 5, 4, 6])
    nodes = [
        make_node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1] * 4),
        make_node("HardSwish", ["c1"], ["h"]),
        make_node("Conv", ["h", "w2", "b2"], ["c2"], pads=[1] * 4),
        make_node("Sub", ["c2", "h"], ["s"]),
        make_node("LeakyRelu", ["s"], ["lr"], alpha=0.2),
        make_node("Gather", ["lr", "idx"], ["g"], axis=2),
        make_node("Softmax", ["g"], ["sm"], axis=2),
        make_node("MatMul", ["sm", "lr"], ["mm"]),
        make_node("MatMul", ["mm", "m"], ["m2"]),
        make_node("Concat", ["m2", "h"], ["cc"], axis=1),
        make_node("AveragePool", ["cc"], ["ap"], kernel_shape=[3, 3], pads=[1] * 4),
        make_node("Tanh", ["ap"], ["y"]),
    ]
    for node in nodes:
        node.name = f"/{node.output[0]}"
    made = model(nodes, [value("x", [1, 8, 8, 8])], [value("y", [1, 16, 8, 8])], arrays)
    made.ir_version = 8
    return save(tmp_path, made)


def at(module: Module, node: str, kind: str, wanted: Callable[[Op], bool]) -> Op | None:
    """The first op of a kind that comes from a node."""
    named = (op for op in module.walk() if op.name.split(".")[-1].lower() == kind and node in node_names(op.location))
    return next(filter(wanted, named), None)


def option(node: str, kind: str, name: str, content: object) -> Change:
    """An op has another attribute."""

    def change(module: Module) -> bool:
        op = at(module, node, kind, lambda op: name in op.attributes)
        if op is not None:
            op.attributes[name] = content
        return op is not None

    return change


def operand_of(node: str, kind: str, index: int, other: str, other_kind: str) -> Change:
    """An op reads the operand of another one."""

    def change(module: Module) -> bool:
        op, source = (at(module, n, k, lambda op: True) for n, k in ((node, kind), (other, other_kind)))
        if op is None or source is None:
            return False
        op.set_operand(index, source.operands[index])
        return True

    return change


FAULTS = [
    ("from-onnx", "tflite", "/sm", option("/sm", "softmax", "axis", 3)),
    ("from-onnx", "native", "/c2", option("/c2", "conv", "pads", ((0, 2), (1, 1)))),
    ("from-onnx", "savedmodel", "/ap", option("/ap", "avg_pool", "count_include_pad", True)),
    ("canonicalize", "hlo", "/lr", option("/lr", "leaky_relu", "alpha", 0.203)),
    ("to-tfl", "tflite", "/g", option("/g", "gather", "axis", 1)),
    ("tfl-fuse", "tflite", "/c2", operand_of("/c2", "conv_2d", 2, "/c1", "conv_2d")),
    ("to-hlo", "hlo", "/mm", option("/mm", "dot", "lhs_contracting", (2,))),
    ("to-hlo", "hlo", "/c1", option("/c1", "convolution", "window", ((3, 1, 1, 1, 1, 1), (3, 1, 0, 2, 1, 1)))),
    ("to-hlo", "hlo", "/lr", option("/lr", "compare", "direction", "LT")),
    ("to-onnx", "onnx", "/c2", option("/c2", "conv", "pads", (1, 0, 1, 2))),
]


@pytest.mark.share(3)
@pytest.mark.parametrize(("name", "to", "node", "change"), FAULTS, ids=[f"{f[0]}-{f[2]}" for f in FAULTS])
def test_a_wrong_pass_is_named(
    mixed: Path, monkeypatch: pytest.MonkeyPatch, name: str, to: str, node: str, change: Change
) -> None:
    planted = []

    def counted(module: Module) -> bool:
        planted.append(change(module))
        return bool(planted[-1])

    wrong_pass(monkeypatch, name, counted, times=100)
    result = bisect(mixed, to)
    assert any(planted) and result.stage is not None and result.stage.name == name, (result.problem, result.notes)
    assert result.error().diagnostic.node == node and not result.notes, (result.problem, result.notes)


def operators(file: TflModel, builtin: str) -> list[Any]:
    number = getattr(schema.BuiltinOperator, builtin)
    return [
        op
        for graph in file.subgraphs
        for op in graph.operators
        if file.operatorCodes[op.opcodeIndex].builtinCode == number
    ]


def another_option(builtin: str, name: str, content: object) -> Callable[[TflModel], None]:
    def edit(file: TflModel) -> None:
        setattr(operators(file, builtin)[0].builtinOptions, name, content)

    return edit


def biases_exchanged(file: TflModel) -> None:
    """Of two convolutions: buffers of the same size."""
    first, second = (file.subgraphs[0].tensors[op.inputs[2]] for op in operators(file, "CONV_2D")[:2])
    first.buffer, second.buffer = second.buffer, first.buffer


def rewritten(path: str, edit: Callable[[TflModel], None]) -> None:
    file = schema.ModelT.InitFromObj(schema.Model.GetRootAs(Path(path).read_bytes(), 0))
    edit(file)
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(file.Pack(builder), b"TFL3")
    Path(path).write_bytes(bytes(builder.Output()))


FILES = [
    ("/c1", biases_exchanged),
    ("/c1", another_option("CONV_2D", "dilationHFactor", 2)),
    ("/lr", another_option("LEAKY_RELU", "alpha", 0.203)),
    ("/sm", another_option("SOFTMAX", "beta", 1.02)),
    ("/mm", another_option("BATCH_MATMUL", "adjX", False)),
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("node", "edit"), FILES, ids=["biases", "dilation", "alpha", "beta", "adjoint"])
def test_a_writer_that_leaves_other_fields_is_named(
    mixed: Path, monkeypatch: pytest.MonkeyPatch, node: str, edit: Callable[[TflModel], None]
) -> None:
    """Beside a FULLY_CONNECTED, whose options the passes leave out that are as the schema has them."""
    target = BUILT_IN.targets["tflite"]
    write = type(target).write

    def wrong(self: Any, module: Module, options: Any, request: Any) -> int:
        size = write(self, module, options, request)
        rewritten(request.path, edit)
        return size

    monkeypatch.setattr(type(target), "write", wrong)
    result = bisect(mixed, "tflite")
    assert result.stage is not None and result.stage.is_written and not result.notes, (result.problem, result.notes)
    assert result.error().diagnostic.node == node, result.problem


def test_an_artifact_of_another_shape_is_told(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values behind a concatenation along another axis have as many elements, and outputs fewer or more."""
    target = BUILT_IN.targets["onnx"]
    write = type(target).write

    def wrong(self: Any, module: Module, options: Any, request: Any) -> int:
        size = write(self, module, options, request)
        file = onnx.load(request.path)
        pool = next(node for node in file.graph.node if node.op_type == "AveragePool")
        next(a for a in pool.attribute if a.name == "pads").ints[:] = [1, 1, 1, 2]
        for given in file.graph.output:
            given.type.tensor_type.shape.dim[3].dim_value = 9
        del file.graph.value_info[:]
        onnx.save(file, request.path)
        return size

    monkeypatch.setattr(type(target), "write", wrong)
    result = bisect(mixed, "onnx")
    assert result.stage is not None and result.stage.is_written, (result.problem, result.notes)
    assert result.error().diagnostic.node == "/ap" and "1152" in result.problem, result.problem
