"""float16 and float64 on targets without arithmetic of them: what needs no asking."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support.onnx_models import model, save, value
from tests.support.open_networks import ops_of

RNG = np.random.default_rng(11)
H = np.float16


def half(*shape: int) -> Any:
    return (RNG.standard_normal(shape) / 2).astype(H)


def network() -> Any:
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1] * 4),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Reshape", ["p", "rows"], ["f"]),
        helper.make_node("MatMul", ["f", "v"], ["m"]),
        helper.make_node("Softmax", ["m"], ["s"], axis=-1),
        helper.make_node("LayerNormalization", ["s", "g", "h"], ["n"], axis=-1),
        helper.make_node("Tanh", ["n"], ["y"]),
        helper.make_node("ArgMax", ["m"], ["k"], axis=-1),
    ]
    weights = {
        "w": half(4, 3, 3, 3),
        "b": half(4),
        "rows": np.int64([0, 64]),
        "v": half(64, 5),
        "g": half(5),
        "h": half(5),
    }
    outputs = [value("y", None, TensorProto.FLOAT16), value("k", None, TensorProto.INT64)]
    return model(nodes, [value("x", ["n", 3, 8, 8], TensorProto.FLOAT16)], outputs, weights)


def saved(proto: Any, folder: Path) -> Path:
    """In a version that ONNX Runtime reads."""
    proto.ir_version = 9
    return save(folder, proto)


def run(path: Path, x: Any) -> dict[str, Any]:
    if path.suffix == ".tflite":
        return dict(run_tflite(str(path), {"x": x}, "serving_default"))
    return mlconv.load_native(path).run({"x": x})


@pytest.mark.parametrize("target", ["tflite", "native"])
def test_networks_of_float16(target: str, tmp_path: Path) -> None:
    """ONNX Runtime's numbers, which computes chains in float32 as well, rounded where float16 goes in and out."""
    source = saved(network(), tmp_path)
    x = (RNG.standard_normal((2, 3, 8, 8))).astype(H)
    wanted = onnxruntime.InferenceSession(str(source), providers=["CPUExecutionProvider"]).run(None, {"x": x})
    path = tmp_path / ("m.tflite" if target == "tflite" else "m.o")
    mlconv.convert(source, target, path, verify=True, dump_ir=tmp_path / "ir")
    got = run(path, x)
    for name, expected in zip(("y", "k"), wanted, strict=True):
        assert got[name].dtype == expected.dtype
        np.testing.assert_allclose(got[name].astype("f4"), expected.astype("f4"), rtol=4e-3, atol=2e-3)
    if target == "tflite":
        # of the input, of y, and two behind the layer normalization, which is defined to be rounded from float32
        assert ops_of(path)["CAST"] == 4
    else:
        (last,) = (tmp_path / "ir").glob("*kernel-schedule.mlir")
        made = [line.rpartition("->")[2] for line in last.read_text().splitlines() if '= "kernel.' in line]
        assert sum("f16" in result for result in made) == 1  # y: what one op makes and the next one takes is float32


@pytest.mark.parametrize("dtype", [TensorProto.FLOAT, TensorProto.DOUBLE])
@pytest.mark.parametrize("target", ["tflite", "native"])
def test_sizes_by_factors(target: str, dtype: int, tmp_path: Path) -> None:
    """Open heights and widths times 1.7 and 0.6, as exporters of torch write them: nothing is float64 at run time."""
    factors = np.asarray([1.7, 0.6], helper.tensor_dtype_to_np_dtype(dtype))
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Slice", ["s", "two", "four"], ["hw"]),
        helper.make_node("Cast", ["hw"], ["c"], to=dtype),
        helper.make_node("Mul", ["c", "factors"], ["m"]),
        helper.make_node("Floor", ["m"], ["f"]),
        helper.make_node("Cast", ["f"], ["i"], to=TensorProto.INT64),
        helper.make_node("Slice", ["s", "zero", "two"], ["nc"]),
        helper.make_node("Concat", ["nc", "i"], ["all"], axis=0),
        helper.make_node("Resize", ["x", "", "", "all"], ["y"], mode="linear"),
    ]
    weights = {"two": np.int64([2]), "four": np.int64([4]), "zero": np.int64([0]), "factors": factors}
    proto = model(nodes, [value("x", ["n", 3, "h", "w"])], [value("y")], weights)
    source, path = saved(proto, tmp_path), tmp_path / ("m.tflite" if target == "tflite" else "m.o")
    mlconv.convert(source, target, path)
    session = onnxruntime.InferenceSession(str(source), providers=["CPUExecutionProvider"])
    for height, width in ((10, 20), (7, 5), (30, 11)):
        x = RNG.standard_normal((2, 3, height, width)).astype(np.float32)
        (wanted,) = session.run(None, {"x": x})
        got = run(path, x)
        np.testing.assert_allclose(got["y"], wanted, rtol=1e-5, atol=1e-5)
