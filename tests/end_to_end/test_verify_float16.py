"""`--verify` of models of float16 whose numbers overflow between ops: targets are held to what they say of float16."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv

X = np.random.default_rng(0).normal(size=(4, 64)).astype(np.float16) * np.float16(300)


def model(folder: Path) -> Path:
    """The mean of squares is beyond float16."""
    text = """<ir_version: 8, opset_import: ["" : 13]> g (float16[4, 64] x) => (float16[4, 64] y) {
    q = Mul (x, x) v = ReduceMean <axes = [1]> (q) r = Sqrt (v) y = Div (x, r) }"""
    onnx.save(onnx.parser.parse_model(text), folder / "m.onnx")
    np.savez(folder / "x.npz", x=X)
    return folder / "m.onnx"


@pytest.mark.parametrize(("to", "is_wide"), [("native", True), ("tflite", True), ("onnx", True), ("hlo", False)])
def test_numbers_between_ops_overflow_where_the_target_rounds_them(tmp_path: Path, to: str, is_wide: bool) -> None:
    path = model(tmp_path)
    result = mlconv.convert(path, to, tmp_path / "m.out", verify=True, data=str(tmp_path / "x.npz"))
    assert [row["ok"] for row in result.verification] == [True]
    if to == "native":
        y = mlconv.load_native(str(tmp_path / "m.out")).run({"x": X})["y"].astype(np.float32)
        np.testing.assert_allclose(np.sqrt((y**2).mean(1)), 1, rtol=1e-2)
