"""`mlconv verify --per-layer` of quantized files: no alarm of real networks, and what limits hide."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
import pytest

import mlconv
from mlconv.driver.verification import Asked, verify
from mlconv.ir.constants import Array
from tests.support.npz import npz


def case(corpus: Path, name: str) -> tuple[Path, dict[str, Array]]:
    """A model, and the first inputs of its golden."""
    rows = json.loads((corpus / "manifest.json").read_text())["models"]
    row = next(r for r in rows if r["name"] == name)
    golden = npz(corpus / row["golden"])
    return corpus / row["path"], {port["name"]: golden[f"c0_in{i}"] for i, port in enumerate(row["inputs"])}


@pytest.mark.parametrize(
    ("name", "scheme", "count", "has_nan"),
    [
        ("whisper_tiny_decoder", "int8", 8, True),  # a variance of 1 is like its root, and one for many numbers
        (
            "k2_mlperf_strww__frozen",
            "int16x8",
            8,
            False,
        ),  # LiteRT interpolates a softmax of 16 bits between few numbers
        ("tf2onnx_ae0", "int16x8", 1, False),  # weights make up for outermost ones that are cut off
    ],
)
def test_no_alarm(corpus: Path, tmp_path: Path, name: str, scheme: str, count: int, has_nan: bool) -> None:
    path, x = case(corpus, name)
    rng, spread = np.random.default_rng(zlib.crc32(name.encode())), {k: 0.05 * v.std() for k, v in x.items()}
    samples = [
        {k: v + rng.normal(0, spread[k], v.shape).astype(v.dtype) if v.dtype.kind == "f" else v for k, v in x.items()}
        for _ in range(count)
    ]
    if has_nan:
        next(v for v in x.values() if v.dtype.kind == "f").reshape(-1)[7] = np.nan
    np.savez(tmp_path / "x.npz", **x)
    shapes = {name: v.shape for name, v in x.items()}
    mlconv.quantize(path, "tflite", tmp_path / "m.tflite", scheme=scheme, calibration=samples, shapes=shapes)
    found = mlconv.verify(path, tmp_path / "m.tflite", data=tmp_path / "x.npz", per_layer=True, shapes=shapes)
    assert found.ok, found.problem


@pytest.mark.parametrize("channel", range(4))
def test_a_channel_that_is_cut_off_where_the_other_is_not(tmp_path: Path, channel: int) -> None:
    """Behind a limit, a channel with its sign turned has few elements that lie within it in both models."""
    rng = np.random.default_rng(7)
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 17]> g (float[1, 3, 16, 16] x) => (float[1, 6, 16, 16] y) {
            a = Conv <pads = [1, 1, 1, 1]> (x, w, b) c = Relu (a) y = Conv (c, v) }"""
    )
    for name, shape in {"w": (4, 3, 3, 3), "b": (4,), "v": (6, 4, 1, 1)}.items():
        array = rng.standard_normal(shape).astype(np.float32) * np.float32(0.2 if name == "w" else 0.05)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    good, bad = tmp_path / "good.onnx", tmp_path / "bad.onnx"
    onnx.save(model, good)
    w = np.array(onnx.numpy_helper.to_array(model.graph.initializer[0]))
    w[channel] *= -1
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(w, "w"))
    onnx.save(model, bad)
    samples = [{"x": rng.standard_normal((1, 3, 16, 16)).astype(np.float32)} for _ in range(4)]
    for path in (good, bad):
        mlconv.convert(path, "tflite", path.with_suffix(".tflite"), quantize="int8", calibration=samples)
    found = verify(good, bad.with_suffix(".tflite"), Asked(layers=True)).layers
    assert found is not None and found.report.first is not None and found.report.first.op.name == "core.conv"
    assert f"channel {channel} is" in found.problem
    assert not verify(good, good.with_suffix(".tflite"), Asked(layers=True)).problem
