"""Constants of two numbers take a byte each, and lose nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from ai_edge_litert.interpreter import Interpreter

import mlconv
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.recipes import Derived
from mlconv.quantize.masks import store_masks
from mlconv.quantize.scheme import SCHEMES
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.litert import run_litert
from tests.support.modules import random
from tests.support.networks import network

LOW = np.float32(-1e4)
CAUSAL = np.where(np.tri(48, dtype=bool), np.float32(0), LOW)
X = random(1, 48, 48)


def masked(e: CoreBuilder, x: Value, mask: np.ndarray) -> Value:
    """Twice, by constants of their own, which files hold once, around products."""
    y = e.matmul(e.add(x, e.constant(mask)), e.constant(random(48, 8)))
    return e.add(e.matmul(y, e.constant(random(8, 48))), e.constant(mask.copy()))


@pytest.mark.parametrize("scheme", ["int8-weights", "float16"])
def test_a_mask_takes_a_byte_a_number(scheme: str, tmp_path: Path) -> None:
    module = network(X.shape, lambda e, x: masked(e, x, CAUSAL))
    other = network(X.shape, lambda e, x: masked(e, x, random(48, 48, seed=9) + CAUSAL))
    sizes = [mlconv.quantize(m, output=tmp_path / "m.tflite", scheme=scheme).size_bytes for m in (other, module)]
    assert (sizes[0] - sizes[1] > 2.5 * CAUSAL.size) == (scheme == "int8-weights")


def test_masks_that_recipes_make_are_stored_once() -> None:
    """Whatever they are made of."""
    mask = np.where(np.tri(160, dtype=bool), np.float32(0), LOW)
    turned = Derived("transpose", (1, 0), (make_const(np.ascontiguousarray(mask.T)),), DType.F32, mask.shape)
    module = network((1, *mask.shape), lambda e, x: e.add(e.exp(e.add(x, e.constant(mask))), e.constant(turned)))
    store_masks(module.main, lambda op: SCHEMES["int8-weights"])
    assert sum(isinstance(op, core.Dequantize) for op in module.main.block.ops) == 1


@pytest.mark.parametrize("mask", [CAUSAL, np.where(CAUSAL == 0, np.float32(0.3), np.float32(-0.3))])
def test_nothing_is_lost(mask: np.ndarray, tmp_path: Path) -> None:
    module = network(X.shape, lambda e, x: e.add(x, e.constant(mask)))
    want = run_function(module.main, {"x": X})["y"]
    result = mlconv.quantize(module, output=tmp_path / "m.tflite", scheme="int8-weights")
    assert result.ops["tfl.DEQUANTIZE"] == 1
    np.testing.assert_array_equal(run_litert((tmp_path / "m.tflite").read_bytes(), [X])[0], want)
    mlconv.quantize(module, "native", tmp_path / "m.o", scheme="int8-weights")
    np.testing.assert_array_equal(mlconv.load_native(tmp_path / "m.o").run({"x": X})["y"], want)


@pytest.mark.parametrize(
    "mask",
    [
        np.where(CAUSAL == 0, np.float32(0), np.float32(-np.inf)),
        np.where(CAUSAL == 0, np.float32(-0.0), LOW),
        np.where(CAUSAL == 0, np.float32(1), np.float32(2)),
    ],
)
def test_what_integers_cannot_say_stays(mask: np.ndarray, tmp_path: Path) -> None:
    module = network(X.shape, lambda e, x: e.add(x, e.constant(mask)))
    result = mlconv.quantize(module, output=tmp_path / "m.tflite", scheme="int8-weights")
    assert "tfl.DEQUANTIZE" not in result.ops


@pytest.mark.parametrize(
    ("table", "kind", "is_stored"),
    [
        (random(48, 48), core.Exp, True),
        (random(48, 48), core.Sin, False),  # of which a period is few steps of large numbers
        (random(48, 48), core.Floor, False),
        (random(48, 48) + np.where(CAUSAL == 0, CAUSAL, 5 * LOW), core.Exp, False),  # with a mask: spans too much
        (random(1, 48), core.Exp, False),
    ],
)
def test_a_table_of_floats_between_integers_takes_two_bytes_a_number(
    table: np.ndarray, kind: type[core.Exp], is_stored: bool, tmp_path: Path
) -> None:
    """In ONNX it is floats, as before: integers of 16 bits ask for opset 21, and TensorRT has none."""

    def between(e: CoreBuilder, x: Value) -> Value:
        y = e.y(kind(e.add(e.matmul(x, e.constant(random(48, 48, seed=2))), e.constant(table))))
        return e.matmul(y, e.constant(random(48, 8, seed=3)))

    module = network(X.shape, between)
    settings = {"scheme": "int8", "calibration": [{"x": X * np.float32(0.1)}]}
    mlconv.quantize(module, output=tmp_path / "m.tflite", **settings)
    details = Interpreter(str(tmp_path / "m.tflite")).get_tensor_details()
    assert any(d["dtype"] == np.int16 for d in details) == is_stored
    mlconv.quantize(module, "onnx", tmp_path / "m.onnx", onnx_profile="tensorrt", **settings)
    model = onnx.load(tmp_path / "m.onnx")
    assert model.opset_import[0].version == 17
