"""Activations between ops of integers are ops of integers, whatever takes them: sums, products, concatenations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.driver.check import check_model
from mlconv.driver.options import Options
from mlconv.quantize.report import FLOAT
from mlconv.runtime.onnx_runtime import opened, run_session
from tests.support.litert import run_litert
from tests.support.thinning import thinned

ACTIVATIONS: dict[str, dict[str, Any]] = {
    "LeakyRelu": {"alpha": 0.1},
    "HardSwish": {},
    "Elu": {},
    "Gelu": {"approximate": "tanh"},
    "Relu": {},
    "Sigmoid": {},
}
OPSET = 20


class Graph:
    """Nodes, and weights drawn at random."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(7)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def conv(self, x: str, inputs: int, outputs: int, size: int = 3) -> str:
        w = self.rng.normal(0, 1 / np.sqrt(inputs * size * size), (outputs, inputs, size, size)).astype(np.float32)
        name = f"w{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(w, name))
        self.constants.append(numpy_helper.from_array(self.rng.normal(0, 0.3, outputs).astype(np.float32), f"{name}b"))
        return self.op("Conv", x, name, f"{name}b", pads=[size // 2] * 4)

    def write(self, path: Path, y: str) -> Path:
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 12, 12])
        graph = helper.make_graph(
            self.nodes, "g", [x], [helper.make_tensor_value_info(y, TensorProto.FLOAT, None)], self.constants
        )
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10), path)
        return path


def joined(kind: str, act: Callable[[Graph, str], str], path: Path) -> Path:
    """Two convolutions with an activation behind each, and what takes both."""
    g = Graph()
    first = act(g, g.conv("x", 3, 8))
    second = act(g, g.conv(first, 8, 8))
    both = g.op("Concat", first, second, axis=1) if kind == "Concat" else g.op(kind, first, second)
    return g.write(path, g.conv(both, 16 if kind == "Concat" else 8, 4, 1))


def squeezed(act: Callable[[Graph, str], str], path: Path) -> Path:
    """Channels times gates that are made of their means."""
    g = Graph()
    x = act(g, g.conv("x", 3, 16))
    y = g.op("Relu", g.conv(g.op("GlobalAveragePool", x), 16, 8, 1))
    gate = g.op("HardSigmoid", g.conv(y, 8, 16, 1), alpha=1 / 6, beta=0.5)
    return g.write(path, g.conv(g.op("Mul", x, gate), 16, 4, 1))


def of(kind: str) -> Callable[[Graph, str], str]:
    return lambda g, x: g.op(kind, x, **ACTIVATIONS[kind])


def samples(count: int = 16) -> np.ndarray:
    return np.random.default_rng(3).normal(0, 1.5, (count, 3, 12, 12)).astype(np.float32)


def check_all(source: Path, folder: Path, scheme: str = "int8", off: float = 0.0, error: float = 0.08) -> None:
    """Integers alone on TFLite, in native code and in ONNX, the same to the bit in the first two, near the floats.
    off: share of numbers that may be a step apart.
    """
    images = samples()
    options: dict[str, Any] = {"scheme": scheme, "calibration": [{"x": x} for x in images]}
    made = mlconv.quantize(source, "tflite", folder / "m.tflite", require_int8=True, verify_each=True, **options)
    assert made.quantization is not None and not [r.op for r in made.quantization.layers if r.scheme == FLOAT]
    mlconv.quantize(source, "native", folder / "m.o", require_int8=True, **options)
    mlconv.quantize(source, "onnx", folder / "m.onnx", **options)
    native, content = mlconv.load_native(folder / "m.o"), (folder / "m.tflite").read_bytes()
    here = np.concatenate([run_litert(content, [x[None]])[0] for x in images])
    there = np.concatenate([only(native.run({"x": x[None]})) for x in images])
    apart, step = np.abs(here - there), np.unique(np.abs(here[here != 0])).min()
    assert np.mean(apart > 0) <= off and apart.max() <= 1.01 * step * (off > 0)
    float_model, borders = (opened(str(path)) for path in (source, folder / "m.onnx"))
    wanted, qdq = (
        np.concatenate([only(run_session(session, {"x": x[None]})) for x in images])
        for session in (float_model, borders)
    )
    for found in (here, qdq):
        assert np.sqrt(np.mean((found - wanted) ** 2)) <= error * wanted.std()


def only(outputs: dict[str, np.ndarray]) -> np.ndarray:
    (array,) = outputs.values()
    return array


@pytest.mark.share(6)
@pytest.mark.parametrize(("name", "kind"), thinned(3, ACTIVATIONS, ["Add", "Concat", "Mul"]))
def test_in_front_of_what_takes_two(name: str, kind: str, tmp_path: Path) -> None:
    check_all(joined(kind, of(name), tmp_path / "s.onnx"), tmp_path)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", ["HardSwish", "LeakyRelu"])
def test_squeezed_and_excited(name: str, tmp_path: Path) -> None:
    check_all(squeezed(of(name), tmp_path / "s.onnx"), tmp_path)


@pytest.mark.share(6)
@pytest.mark.parametrize("name", ["LeakyRelu", "Gelu", "Relu"])
def test_of_16_bits(name: str, tmp_path: Path) -> None:
    """A number of the input may be rounded another way, since QUANTIZE multiplies by the reciprocal of the scale."""
    for kind in ("Add", "Concat"):
        check_all(joined(kind, of(name), tmp_path / "s.onnx"), tmp_path, "int16x8", off=2e-3, error=0.02)


def held_out(source: Path, content: bytes) -> None:
    """Numbers of twice the samples are rounded as well as they are."""
    session = opened(str(source))
    for x in np.float32(1.9) * samples():
        (want,) = run_session(session, {"x": x[None]}).values()
        (got,) = run_litert(content, [x[None]])
        assert np.abs(got - want).max() <= 0.02 * np.abs(want).max()


def test_16_bits_have_room_above_what_samples_showed(tmp_path: Path) -> None:
    source = joined("Add", of("Relu"), tmp_path / "s.onnx")
    given = [{"x": x[None]} for x in samples()]
    mlconv.quantize(source, "tflite", tmp_path / "m.tflite", scheme="int16x8", calibration=given)
    held_out(source, (tmp_path / "m.tflite").read_bytes())


def test_16_bits_have_limits_that_no_sample_reached(tmp_path: Path) -> None:
    """Channels of unlike ranges are no reason for them to go, since they would not end where samples did."""
    g = Graph()
    x = g.conv("x", 3, 8)
    g.constants[0] = numpy_helper.from_array(
        numpy_helper.to_array(g.constants[0]) * np.float32(2.0) ** -np.arange(8, dtype=np.float32)[:, None, None, None],
        "w0",
    )
    g.constants += [numpy_helper.from_array(np.float32(bound), f"bound{bound}") for bound in (0, 9)]
    source = g.write(tmp_path / "s.onnx", g.conv(g.op("Clip", x, "bound0", "bound9"), 8, 4, 1))
    given = [{"x": x[None]} for x in samples()]
    made = mlconv.quantize(source, "tflite", tmp_path / "m.tflite", scheme="int16x8", calibration=given)
    assert made.quantization is not None and made.quantization.limits == 0
    held_out(source, (tmp_path / "m.tflite").read_bytes())


def test_a_value_is_limited_for_one_of_those_that_read_it(tmp_path: Path) -> None:
    check_all(joined("Add", lambda g, x: g.op("Mul", x, g.op("Relu", x)), tmp_path / "s.onnx"), tmp_path, error=0.12)


@pytest.mark.parametrize("name", ["HardSwish", "Elu"])
def test_what_has_no_kernel_of_16_bits_says_so(name: str, tmp_path: Path) -> None:
    source = joined("Add", of(name), tmp_path / "s.onnx")
    found = mlconv.quantize(
        source, "tflite", tmp_path / "m.tflite", scheme="int16x8", calibration=[{"x": x} for x in samples()]
    ).quantization
    assert found is not None
    reasons = {layer.op: layer.reason for layer in found.layers if layer.scheme == FLOAT}
    kind = {"HardSwish": "hard_swish", "Elu": "elu"}[name]
    assert reasons == {
        f"core.{kind}": f"no kernel of {kind} takes 16-bit integers",
        "core.add": "stands among ops of floats",
    }


@pytest.mark.share(6)
@pytest.mark.parametrize("alpha", [0.0, 0.001, -0.001, 0.01, 1.5])
def test_any_slope(alpha: float, tmp_path: Path) -> None:
    """Those too, that XNNPACK leaves to LiteRT's own kernel."""
    check_all(joined("Add", lambda g, x: g.op("LeakyRelu", x, alpha=alpha), tmp_path / "s.onnx"), tmp_path, error=0.1)


def test_checked_as_it_is_quantized(tmp_path: Path) -> None:
    for name in ACTIVATIONS:
        source = str(joined("Add", of(name), tmp_path / "s.onnx"))
        (found,) = check_model(source, ("tflite",), (), Options(quantize="int8", require_int8=True)).targets
        assert found.ok and found.quantization is not None
        assert not [op.layer.op for op in found.quantization.ops if op.layer.scheme == FLOAT]


def test_logarithms_say_why_they_keep_floats(tmp_path: Path) -> None:
    source = str(joined("Add", lambda g, x: g.op("Exp", x), tmp_path / "s.onnx"))
    (found,) = check_model(source, ("tflite",), (), Options(quantize="int8")).targets
    assert found.quantization is not None
    reasons = {op.layer.op: op.layer.reason for op in found.quantization.ops if op.layer.scheme == FLOAT}
    assert "magnitudes" in reasons["core.exp"] and reasons["core.add"] == "stands among ops of floats"
