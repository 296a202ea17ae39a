"""Networks whose sizes a run tells, on every runtime, beside ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support.native import OWN
from tests.support.onnx_models import save


def agree_at_all_sizes(
    proto: onnx.ModelProto,
    feeds: Sequence[dict[str, Any]],
    folder: Path,
    tolerance: float,
    bounds: dict[str, list[int | str]] | None = None,
) -> None:
    """ONNX Runtime, the interpreter, TFLite and native code on one file each.  bounds: of sizes that data decide."""
    proto.ir_version = 10
    path = save(folder, proto)
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    module = mlconv.load(path)
    mlconv.convert(path, output=folder / "m.tflite")
    mlconv.convert(path, to="native", output=folder / "m.o", cpu=OWN, shapes=bounds or {})
    native = mlconv.load_native(folder / "m.o")
    for feed in feeds:
        wanted = session.run(None, feed)[0]
        for run in (module.run, lambda f: run_tflite(str(folder / "m.tflite"), f, "serving_default"), native.run):
            found = np.asarray(run(feed)["y"])
            assert found.shape == wanted.shape and found.dtype == wanted.dtype
            np.testing.assert_allclose(
                found, wanted, rtol=tolerance, atol=tolerance * max(1.0, float(np.abs(wanted).max(initial=0)))
            )


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed + sum(shape)).uniform(-2, 2, shape).astype(np.float32)
