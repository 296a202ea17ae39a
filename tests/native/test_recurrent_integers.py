"""Steps of recurrent layers in 8 bits: products inside of loops by the instructions for sums of bytes, gates as floats
behind them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.codegen.program.compile import host_cpus
from tests.support.native import Array, InProcess

STEPS, INPUTS, HIDDEN = 5, 64, 69  # whole groups of bytes, and others
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
EXACT = {"LSTM": ["HardSigmoid", "Relu", "Relu"], "GRU": ["HardSigmoid", "Relu"], "RNN": ["Relu"]}
"""Activations that are rounded once, as the interpreter rounds them: a sigmoid differs by units of the last place."""


def layer(kind: str, path: Path, activations: list[str], directions: int = 1, batch: int = 1) -> Path:
    """Random weights, some of which are the largest of their row."""
    rng, rows = np.random.default_rng(len(kind)), GATES[kind] * HIDDEN
    arrays = {
        "w": rng.uniform(-0.4, 0.4, (directions, rows, INPUTS)),
        "r": np.where(rng.random((directions, rows, HIDDEN)) < 0.5, 0.2, rng.uniform(-0.2, 0.2, (rows, HIDDEN))),
        "b": rng.uniform(-0.1, 0.1, (directions, 2 * rows)),
    }
    more: dict[str, object] = {"linear_before_reset": 1} if kind == "GRU" else {}
    more |= {"direction": "bidirectional"} if directions == 2 else {}
    more |= {"activations": activations * directions} if activations else {}
    node = helper.make_node(kind, ["x", *arrays], ["y"], hidden_size=HIDDEN, **more)
    ports = (("x", [STEPS, batch, INPUTS]), ("y", [STEPS, directions, batch, HIDDEN]))
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in ports)
    weights = [numpy_helper.from_array(a.astype(np.float32), name) for name, a in arrays.items()]
    graph = helper.make_graph([node], "layer", [x], [y], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def object_of(model: Path, scheme: str, cpu: str, batch: int = 1, **options: object) -> tuple[Path, Array, Array]:
    """The object, and an input with the interpreter's output."""
    samples = np.random.default_rng(1).standard_normal((4, STEPS, batch, INPUTS)).astype(np.float32)
    path = model.with_name(f"{cpu}.o")
    more = {"quantize": scheme, "calibration": [{"x": sample} for sample in samples], "self_test": True}
    mlconv.convert(model, "native", path, cpu=cpu, **more, **options)
    facts, data = json.loads(path.with_suffix(".io.json").read_text()), path.with_suffix(".test.bin").read_bytes()
    (given, wanted), begin = (facts["inputs"][0], facts["outputs"][0]), facts["inputs"][0]["bytes"]
    x = np.frombuffer(data[:begin], np.float32).reshape(given["shape"])
    return path, x, np.frombuffer(data[begin : begin + wanted["bytes"]], np.float32).reshape(wanted["shape"])


@pytest.mark.share(6)
@pytest.mark.parametrize("scheme", ["int8", "dynamic-range"])
@pytest.mark.parametrize(
    ("kind", "directions", "batch"), [("LSTM", 1, 1), ("LSTM", 2, 3), ("GRU", 1, 2), ("RNN", 1, 1)]
)
def test_steps_are_equal_on_every_set(kind: str, directions: int, batch: int, scheme: str, tmp_path: Path) -> None:
    """To the bit with the interpreter, and of larger numbers than any that was seen with one another."""
    model = layer(kind, tmp_path / "m.onnx", EXACT[kind], directions, batch)
    far: list[Array] = []
    for cpu in host_cpus():
        path, x, wanted = object_of(model, scheme, cpu, batch)
        native = InProcess(path)
        code, (got,) = native.call([x])
        assert code == 0 and np.abs(wanted).max() > 0.1
        np.testing.assert_array_equal(got, wanted)
        far.append(native.call([np.full_like(x, 1e3)])[1][0])
        far.append(native.call([np.full_like(x, -1e3)])[1][0])
    for i, got in enumerate(far):
        np.testing.assert_array_equal(got, far[i % 2])


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_sigmoids_differ_by_units_of_the_last_place(kind: str, tmp_path: Path) -> None:
    model = layer(kind, tmp_path / "m.onnx", [])
    for cpu in host_cpus():
        path, x, wanted = object_of(model, "int8", cpu)
        code, (got,) = InProcess(path).call([x])
        assert code == 0
        np.testing.assert_allclose(got, wanted, atol=2e-6)


@pytest.mark.share(6)
@pytest.mark.parametrize("scheme", ["int8", "dynamic-range"])
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize(
    ("cpu", "word"), [("avx512-vnni", "vpdpbusd"), ("avx-vnni", "vpdpbusd"), ("x86-64-v3", "vpmaddwd")]
)
def test_steps_use_the_instructions(kind: str, scheme: str, cpu: str, word: str, tmp_path: Path) -> None:
    """In the products of the steps too."""
    model = layer(kind, tmp_path / "m.onnx", [])
    path, _, _ = object_of(model, scheme, cpu, emit_code="asm")
    kernels = path.with_name(f"{cpu}.{cpu}.s").read_text().split("\n.Lfunc_end")
    products = [text for text in kernels if f"\t{word}\t" in text]
    assert len(products) >= 2
