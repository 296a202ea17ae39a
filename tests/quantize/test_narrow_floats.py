"""Models of 16-bit floats, and such that store weights so, are quantized as those of float32 are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.quantize.halves import store_given_halves
from tests.support.networks import network
from tests.support.onnx_models import model, save, value

RNG = np.random.default_rng(5)
SAMPLES = [{"x": RNG.standard_normal((1, 3, 10, 10)).astype(np.float16)} for _ in range(8)]
TARGETS = [("tflite", "tflite"), ("native", "o"), ("onnx", "onnx")]


def weights(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float16)


def halves() -> Any:
    """All of float16."""
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["a"], pads=[1] * 4),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "w2"], ["c"]),
        helper.make_node("GlobalAveragePool", ["c"], ["d"]),
        helper.make_node("Flatten", ["d"], ["e"]),
        helper.make_node("Gemm", ["e", "w3"], ["y"], transB=1),
    ]
    given = {"w1": weights(16, 3, 3, 3), "b1": weights(16), "w2": weights(32, 16, 3, 3), "w3": weights(64, 32)}
    ports = [[value(name, shape, TensorProto.FLOAT16)] for name, shape in (("x", [1, 3, 10, 10]), ("y", [1, 64]))]
    return model(nodes, ports[0], ports[1], given)


def stored_as_halves() -> Any:
    """Float32, of weights that a Cast widens."""
    nodes = [
        helper.make_node("Cast", ["w"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("Conv", ["x", "wide"], ["a"], pads=[1] * 4),
        helper.make_node("Cast", ["v"], ["wider"], to=TensorProto.FLOAT),
        helper.make_node("Conv", ["a", "wider"], ["y"]),
    ]
    given = {"w": weights(32, 3, 3, 3), "v": weights(32, 32, 3, 3)}
    return model(nodes, [value("x", [1, 3, 10, 10])], [value("y")], given)


@pytest.mark.share(2)
@pytest.mark.parametrize("make", [halves, stored_as_halves])
@pytest.mark.parametrize(("target", "suffix"), TARGETS)
def test_products_become_integers(make: Any, target: str, suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"out.{suffix}"
    result = mlconv.quantize(
        save(tmp_path, make()), target, out, scheme="int8", calibration=SAMPLES, verify=True, measure=True
    )
    report = result.quantization
    assert report is not None
    done, all_ = report.counted()
    assert done == all_ > 1 and 25 < report.outputs[0].snr < 70


@pytest.mark.parametrize("scheme", ["int8-io-int8", "int8-io-uint8"])
@pytest.mark.parametrize(("target", "suffix"), TARGETS)
def test_interfaces(scheme: str, target: str, suffix: str, tmp_path: Path) -> None:
    source, out = save(tmp_path, halves()), tmp_path / f"out.{suffix}"
    result = mlconv.quantize(source, target, out, scheme=scheme, calibration=SAMPLES, verify=True)
    assert {port["dtype"] for port in (*result.inputs, *result.outputs)} == {scheme.rpartition("-")[2]}


def test_what_stays_float_stays_as_it_was_stored(tmp_path: Path) -> None:
    """The larger weights take two bytes each, not four."""
    source, sizes = save(tmp_path, stored_as_halves()), []
    for rules in ((), ("conv=float",)):
        out = tmp_path / f"out{len(rules)}.tflite"
        result = mlconv.quantize(source, "tflite", out, scheme="int8", calibration=SAMPLES, rules=rules)
        sizes.append(result.size_bytes)
    weights_bytes = 32 * 32 * 9
    assert 0.9 * weights_bytes < sizes[1] - sizes[0] < 1.5 * weights_bytes


def test_other_constants_are_left_alone() -> None:
    module = network((2, 8), lambda e, x: e.matmul(x, e.constant(RNG.standard_normal((8, 16)).astype(np.float32))))
    before = [op.name for op in module.walk()]
    store_given_halves(module.main)
    assert [op.name for op in module.walk()] == before
