"""Quantized networks of TensorFlow become integer files with TensorFlow's numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.runtime.native import load_native
from tests.support import tensorflow_process
from tests.support.litert import run_litert
from tests.support.native import OWN
from tests.support.npz import npz
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
    """TFLite and native code; weights are stored in bytes."""
    stored = npz(written / f"{name}.npz")
    source, outputs = written / f"{name}.pb", [str(n) for n in stored["outputs"]]
    made, native = tmp_path / "m.tflite", tmp_path / "m.o"
    mlconv.convert(source, "tflite", made, outputs=outputs, verify_each=True)
    mlconv.convert(source, "native", native, outputs=outputs, weights="file", verify_each=True, cpu=OWN)
    vectors = 4 * 3 * 64  # biases, scales
    assert made.stat().st_size <= 1.1 * weights + 16_384
    assert (tmp_path / "m.weights.bin").stat().st_size <= 1.1 * weights + vectors
    runner = load_native(native)
    found: dict[str, list[np.ndarray]] = {"tflite": [], "native": []}
    for x in stored["x"]:
        found["tflite"] += run_litert(made.read_bytes(), [x])
        found["native"] += runner.run({"x:0": x}).values()
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
