"""Quantized networks of TensorFlow become integer files with TensorFlow's numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.runtime.native import load_native
from mlconv.runtime.onnx_runtime import run_session, session_of
from tests.support import tensorflow_process
from tests.support.litert import run_litert
from tests.support.native import OWN
from tests.support.npz import npz
from tests.support.onnx_files import op_types
from tests.tf import trained_rows


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of graphs and results that TensorFlow has written."""
    return tensorflow_process.written(trained_rows, tmp_path_factory.mktemp("trained"))


# name, bytes of its weights, step of its output, share of the results that may be a step off
NETS = [
    ("convolutions", 216 + 72 + 80, 8 / 255, 0.1),
    ("four_bits", 216 + 1728, 18 / 255, 0.0),
    ("sixteen_bits", 216 + 48, 18 / 65535, 0.1),
    ("simulated", 216 + 1728, 9 / 127, 0.05),
    ("keras_dense", 192 * 32 + 32 * 5, 0.0, 0.0),
]


@pytest.mark.share(6)
@pytest.mark.parametrize(("name", "weights", "step", "share"), NETS, ids=[row[0] for row in NETS])
def test_networks(name: str, weights: int, step: float, share: float, written: Path, tmp_path: Path) -> None:
    """TFLite, native code and ONNX; weights are stored in bytes, and an artifact is held to the source by its steps."""
    stored = npz(written / f"{name}.npz")
    source, outputs = written / f"{name}.pb", [str(n) for n in stored["outputs"]]
    made, native, file = tmp_path / "m.tflite", tmp_path / "m.o", tmp_path / "m.onnx"
    checked: dict[str, Any] = {"outputs": outputs, "verify": True, "verify_each": True}
    mlconv.convert(source, "tflite", made, **checked)
    mlconv.convert(source, "native", native, weights="file", cpu=OWN, **checked)
    mlconv.convert(source, "onnx", file, **checked)
    vectors = 4 * 3 * 64  # biases, scales
    assert made.stat().st_size <= 1.1 * weights + 16_384
    assert file.stat().st_size <= 1.1 * weights + 16_384
    assert (tmp_path / "m.weights.bin").stat().st_size <= 1.1 * weights + vectors
    runner, session = load_native(native), session_of(str(file))
    found: dict[str, list[np.ndarray]] = {"tflite": [], "native": [], "onnx": []}
    for x in stored["x"]:
        found["tflite"] += run_litert(made.read_bytes(), [x])
        found["native"] += runner.run({"x:0": x}).values()
        found["onnx"] += run_session(session, {"x:0": x}).values()
    largest = np.abs(stored["y"]).max()
    for got in found.values():
        off = np.abs(np.stack(got) - stored["y"])
        assert off.max() <= 1.01 * step + 1e-6 * largest
        assert np.mean(off > 1e-6 * largest) <= share


def test_products_are_integers(written: Path, tmp_path: Path) -> None:
    """Nothing in between is float."""
    made = tmp_path / "m.tflite"
    for name in ("convolutions", "four_bits", "simulated"):
        outputs = [str(n) for n in npz(written / f"{name}.npz")["outputs"]]
        mlconv.convert(written / f"{name}.pb", "tflite", made, outputs=outputs)
        kinds = operand_types(made)
        assert {k for op, k in kinds if op in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")} == {("INT8", "INT8")}


@pytest.mark.parametrize("scheme", ["int8", "dynamic-range", "int4"])
def test_schemes_leave_what_is_quantized(scheme: Any, written: Path, tmp_path: Path) -> None:
    """A file of borders and stored weights, with the scales that the source has: the same as without a scheme."""
    source, stored = written / "convolutions.pb", npz(written / "convolutions.npz")
    given: dict[str, Any] = {"outputs": [str(n) for n in stored["outputs"]]}
    if scheme == "int8":
        np.savez(tmp_path / "calibration.npz", **{"x:0": np.concatenate(list(stored["x"]))})
        given["calibration"] = tmp_path / "calibration.npz"
    mlconv.convert(source, "onnx", tmp_path / "plain.onnx", outputs=given["outputs"])
    mlconv.convert(source, "onnx", tmp_path / "m.onnx", quantize=scheme, **given)
    plain, model = (onnx.load(tmp_path / name) for name in ("plain.onnx", "m.onnx"))
    assert sorted(op_types(model)) == sorted(op_types(plain))
    assert {"QuantizeLinear", "DequantizeLinear", "Conv"} <= set(op_types(model))
    assert not {"Floor", "Round", "Div"} & set(op_types(model))
    assert scales(model) == scales(plain)


def scales(model: onnx.ModelProto) -> list[list[float]]:
    """Of what is quantized and what is stored."""
    numbers = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    borders = [n for n in model.graph.node if n.op_type in ("QuantizeLinear", "DequantizeLinear")]
    return sorted(numbers[n.input[1]].ravel().tolist() for n in borders)


def operand_types(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    """Names of operators and element types of their first two operands."""
    from ai_edge_litert import schema_py_generated as schema

    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(path.read_bytes(), 0))
    codes = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
    types = {v: k for k, v in vars(schema.TensorType).items() if isinstance(v, int)}
    graph = model.subgraphs[0]
    return [
        (
            codes[model.operatorCodes[op.opcodeIndex].builtinCode],
            tuple(types[graph.tensors[i].type] for i in op.inputs[:2]),
        )
        for op in graph.operators
    ]
