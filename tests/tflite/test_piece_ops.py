"""What is computed of each size of a pyramid, one by one, TFLite files compute at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference

NODE = helper.make_node
F32 = TensorProto.FLOAT
STEPS = (2, 4, 8)


def pyramid() -> tuple[list[onnx.NodeProto], list[str], dict[str, Any]]:
    """Of each level the height and the breadth less a half, and over themselves."""
    nodes, outputs = [NODE("Shape", ["x"], ["shape"])], []
    constants: dict[str, Any] = {"half": np.float32(0.5), "one": np.int64(1)}
    constants["row"] = np.arange(4, dtype=np.float32)
    for axis in (2, 3):
        constants[f"axis{axis}"] = np.int64(axis)
        nodes += [
            NODE("Gather", ["shape", f"axis{axis}"], [f"n{axis}"]),
            NODE("Sub", [f"n{axis}", "one"], [f"m{axis}"]),
        ]
        for step in STEPS:
            constants[f"step{step}"] = np.int64(step)
            at = f"{axis}_{step}"
            nodes += [
                NODE("Div", [f"m{axis}", f"step{step}"], [f"q{at}"]),
                NODE("Add", [f"q{at}", "one"], [f"s{at}"]),
                NODE("Cast", [f"s{at}"], [f"f{at}"], to=F32),
                NODE("Sub", [f"f{at}", "half"], [f"h{at}"]),
                NODE("Div", [f"f{at}", f"f{at}"], [f"d{at}"]),
                NODE("Mul", ["row", f"h{at}"], [f"a{at}"]),
                NODE("Mul", [f"a{at}", f"d{at}"], [f"y{at}"]),
            ]
            outputs.append(f"y{at}")
    return nodes, outputs, constants


def test_sizes_of_levels(tmp_path: Path) -> None:
    nodes, outputs, constants = pyramid()
    proto = model(nodes, [value("x", [1, 3, "h", "w"], F32)], [value(name) for name in outputs], constants)
    path = save(tmp_path, proto)
    result = mlconv.convert(path, to="tflite", output=tmp_path / "m.tflite")
    assert [result.ops[f"tfl.{name}"] for name in ("CAST", "SUB", "DIV")] == [1, 1, 1]
    for h, w in ((9, 17), (1, 40), (16, 16)):
        inputs = {"x": np.zeros((1, 3, h, w), np.float32)}
        found = run_tflite(str(tmp_path / "m.tflite"), inputs, "serving_default")
        for name, wanted in zip(outputs, run_reference(proto, inputs), strict=True):
            np.testing.assert_array_equal(found[name], wanted, err_msg=f"{name} {h} {w}")
