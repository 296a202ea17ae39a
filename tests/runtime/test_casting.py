"""Arrays that are given as other types than inputs take: numpy makes float64 and int64 where nothing else is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.runtime.casting import as_taken
from mlconv.runtime.pairing import Drawing, Pair
from mlconv.runtime.ports import Port
from tests.support.cli import call


@pytest.fixture
def model(tmp_path: Path) -> Path:
    text = """<ir_version: 8, opset_import: ["" : 17]> g (float[2, 3] x, int64[2] i) => (float[2, 3] y) {
        s = Gather (x, i) y = Add (s, x)
    }"""
    onnx.save(onnx.parser.parse_model(text), tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


@pytest.mark.parametrize("to", ["tflite", "native", "onnx"])
def test_numbers_of_other_types(model: Path, tmp_path: Path, to: str) -> None:
    data, out = tmp_path / "x.npz", tmp_path / ("out.o" if to == "native" else f"out.{to}")
    np.savez(data, x=np.random.default_rng(0).normal(size=(2, 3)), i=np.array([1, 0], np.uint8))
    mlconv.convert(model, to, out, verify=True, data=str(data))
    assert mlconv.verify(model, out, data=data).ok
    for command in (("run", out), ("bisect", model, "--to", to), ("bench", model)):
        ran = call(*command, "--data", data)
        assert ran.exit_code == 0, ran.output


def test_what_an_input_cannot_hold(model: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", x=np.zeros((2, 3)), i=np.array([1.5, 0]))
    with pytest.raises(ConversionError, match="input 'i' takes int64, what is given has float64") as refused:
        mlconv.verify(model, model, data=tmp_path / "x.npz")
    assert refused.value.code is Code.TypeMismatch


@pytest.mark.parametrize("given", [[100, -100], [1.5, 0.0]])
def test_four_bits_hold_no_more(given: list[float]) -> None:
    with pytest.raises(ConversionError, match="that it cannot hold"):
        as_taken({"x": np.array(given)}, [Port("x", DType.I4, (2,))])


def test_integers_with_a_scale_may_be_given_as_numbers() -> None:
    x = np.array([0.5, 300.0], np.float32)
    ports = [Port("x", DType.I8, (2,), QuantType.of(DType.I8, 0.5, 0))]
    assert as_taken({"x": x}, ports)["x"] is x


@pytest.mark.parametrize("told_by", ["a", "b"])
def test_integers_whose_scale_one_file_says(told_by: str) -> None:
    """Formats that have no place for the scale of an input take the same integers as those that have."""
    plain = Port("x", DType.I8, (40, 50))
    scaled = plain._replace(quant=QuantType.of(DType.I8, 1 / 255, -128))
    pair = Pair(scaled, plain) if told_by == "a" else Pair(plain, scaled)
    drawn = Drawing(0, {}, {}).inputs([pair])["x"]
    assert drawn.dtype == np.int8 and drawn.min() < -120 and drawn.max() > 120
    assert np.array_equal(pair.to_b(drawn), drawn)
