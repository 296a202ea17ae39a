"""Whether a difference is rounding that a network amplifies: ONNX Runtime differs from itself as much when its inputs
and weights move in the last place.

    python tools/sensitivity.py FUZZ_DIR gen_graphs SEED...      how far each output moves

A row of nearly equal numbers that is normalized, or a difference of equal ones that is divided by itself, turns 1e-7
into 1e-2.  What does not depend on the numbers (places of a resize, a window, an order of axes) does not move, and is a
defect.
"""

from __future__ import annotations

import importlib
import pathlib
import sys
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

ULPS = 4
TRIALS = 4


def moved(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Floats times 1 +- ULPS units in the last place; all else as it is."""
    if array.dtype.kind != "f" or not array.size:
        return array
    step = np.finfo(array.dtype).eps * ULPS
    return (array * (1 + rng.uniform(-step, step, array.shape))).astype(array.dtype)


def spread(fuzz: pathlib.Path, generator: str, seed: int) -> dict[str, float]:
    """By output: the largest difference of runs of ONNX Runtime on moved numbers from that on the case's own."""
    sys.path.insert(0, str(fuzz))
    try:
        case: Any = importlib.import_module(generator).gen(seed)
    finally:
        sys.path.remove(str(fuzz))
    onnxruntime.set_default_logger_severity(4)
    rng, names, largest = np.random.default_rng(seed), [o.name for o in case.model.graph.output], dict[str, float]()
    fixed = {
        i for node in case.model.graph.node if node.op_type == "Resize" for i in node.input[1:]
    }  # scales are sizes
    for feed in case.runs:
        expected = _run(case.model, feed)
        for _ in range(TRIALS):
            model = onnx.ModelProto()
            model.CopyFrom(case.model)
            for tensor in model.graph.initializer:
                if tensor.data_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE) and tensor.name not in fixed:
                    tensor.CopyFrom(numpy_helper.from_array(moved(numpy_helper.to_array(tensor), rng), tensor.name))
            for name, a, b in zip(
                names, expected, _run(model, {k: moved(v, rng) for k, v in feed.items()}), strict=True
            ):
                if a.dtype.kind == "f" and a.shape == b.shape and a.size:
                    error = np.nanmax(np.abs(a.astype(np.float64) - b), initial=0)
                    largest[name] = max(largest.get(name, 0.0), float(error))
    return largest


def _run(model: onnx.ModelProto, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, feed))


if __name__ == "__main__":
    for seed in map(int, sys.argv[3:]):
        for name, error in spread(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], seed).items():
            print(f"{seed} {name}: {error:.2e}")
