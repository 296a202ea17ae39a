"""Recurrent layers where runtimes and the specification part, or no runtime has the attribute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

import mlconv
from tests.support.onnx_models import model, save, value

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
RNG = np.random.default_rng(12)
T, N, I, H = 5, 2, 3, 4  # noqa: E741


def run(
    kind: str, folder: Path, inputs: dict[str, np.ndarray], weights: dict[str, np.ndarray], **attributes: Any
) -> list[np.ndarray]:
    """Y, Y_h and Y_c of one layer."""
    names = ["x", "w", "r", "b", "", "h", *(["c"] if kind == "LSTM" else [])]
    outputs = ["y", "y_h", *(["y_c"] if kind == "LSTM" else [])]
    node = helper.make_node(kind, names, outputs, hidden_size=H, **attributes)
    given = [value(k, list(a.shape)) for k, a in inputs.items()]
    proto = model([node], given, [onnx.ValueInfoProto(name=o) for o in outputs], weights, 14)
    return list(mlconv.load(save(folder, proto)).run(inputs).values())


def data(kind: str, directions: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    def draw(*shape: int) -> np.ndarray:
        return RNG.standard_normal(shape).astype(np.float32)

    gates = GATES[kind]
    inputs = {
        "x": draw(T, N, I),
        "h": draw(directions, N, H),
        **({"c": draw(directions, N, H)} if kind == "LSTM" else {}),
    }
    return inputs, {
        "w": draw(directions, gates * H, I),
        "r": draw(directions, gates * H, H),
        "b": draw(directions, 2 * gates * H),
    }


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("direction", ["reverse", "bidirectional"])
def test_layout_1_is_layout_0_with_the_batch_in_front(kind: str, direction: str, tmp_path: Path) -> None:
    """onnxruntime has no layout 1.  X and Y have the batch first, the states too."""
    inputs, weights = data(kind, 2 if direction == "bidirectional" else 1)
    plain = run(kind, tmp_path, inputs, weights, direction=direction)
    swapped = {k: np.ascontiguousarray(a.swapaxes(0, 1)) for k, a in inputs.items()}
    turned = run(kind, tmp_path, swapped, weights, direction=direction, layout=1)
    np.testing.assert_allclose(turned[0], plain[0].transpose(2, 0, 1, 3), rtol=1e-6, atol=1e-6)
    for a, b in zip(turned[1:], plain[1:], strict=True):
        np.testing.assert_allclose(a, b.swapaxes(0, 1), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "alpha", "beta"), [("ThresholdedRelu", [1.0], []), ("Affine", [1.0], [0.0]), ("ScaledTanh", [1.0], [1.0])]
)
def test_parameters_that_are_left_out_are_those_of_the_operators(
    name: str, alpha: list[float], beta: list[float], tmp_path: Path
) -> None:
    """The specification: "Default values are the same as of corresponding ONNX operators".  onnxruntime takes 0 for
    these three, and for Affine and ScaledTanh, which are operators no more, 1 and 0, and 1 and 1 are what leaves the
    function unscaled; a layer of zeros is what nobody means."""
    inputs, weights = data("RNN", 1)
    explicit: dict[str, Any] = {"activation_alpha": alpha, **({"activation_beta": beta} if beta else {})}
    for a, b in zip(
        run("RNN", tmp_path, inputs, weights, activations=[name]),
        run("RNN", tmp_path, inputs, weights, activations=[name], **explicit),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)
        assert np.any(a)
