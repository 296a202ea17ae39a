"""Resampling to sizes that are known at run time only, for every target, against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.support.open_targets import TARGETS, Ranges, Run
from tests.support.thinning import thinned

NODE = helper.make_node
BETWEEN = "the size of another tensor"
SIZES = [((1, 3, 5, 7), (1, 5, 11, 4)), ((2, 3, 8, 6), (2, 5, 8, 12)), ((1, 3, 1, 9), (1, 5, 3, 1))]
RANGES = {"x": ["N:1..3", 3, "H:1..10", "W:1..10"], "y": ["N:1..3", 5, "P:1..12", "Q:1..12"]}
CASES: list[tuple[Any, dict[str, Any]]] = [
    *(
        (how, {"mode": mode, "coordinate_transformation_mode": c})
        for mode, c, how in (
            ("cubic", "half_pixel", BETWEEN),
            ("cubic", "pytorch_half_pixel", BETWEEN),
            ("cubic", "align_corners", BETWEEN),
            ("cubic", "asymmetric", (3, 0.5)),
            ("cubic", "half_pixel_symmetric", (1.5, 0.7)),
            ("linear", "half_pixel", BETWEEN),
            ("linear", "pytorch_half_pixel", (1.5, 0.7)),
            ("linear", "asymmetric", (1.5, 0.7)),
            ("linear", "half_pixel_symmetric", (0.7, 1.5)),
        )
    ),
    *(
        (how, {"mode": "nearest", "coordinate_transformation_mode": c, "nearest_mode": n})
        for c, n, how in (
            ("half_pixel", "round_prefer_floor", BETWEEN),
            ("asymmetric", "ceil", BETWEEN),
            ("align_corners", "round_prefer_ceil", BETWEEN),
            ("pytorch_half_pixel", "floor", (1.5, 0.7)),
            ("half_pixel", "round_prefer_ceil", (0.3, 1.5)),
        )
    ),
    (BETWEEN, {"mode": "cubic", "exclude_outside": 1}),
    ((2, 0.5), {"mode": "cubic", "cubic_coeff_a": -0.5, "exclude_outside": 1}),
]


def model(folder: Path, how: str | Sequence[float], options: dict[str, Any]) -> Path:
    inputs, constants = {"x": ["N", 3, "H", "W"]}, []
    if isinstance(how, str):
        inputs["y"] = ["N", 5, "P", "Q"]
        nodes = [
            NODE("Shape", ["x"], ["front"], end=2),
            NODE("Shape", ["y"], ["back"], start=2),
            NODE("Concat", ["front", "back"], ["sizes"], axis=0),
            NODE("Resize", ["x", "", "", "sizes"], ["z"], **options),
        ]
    else:
        constants = [numpy_helper.from_array(np.array([1, 1, *how], np.float32), "scales")]
        nodes = [NODE("Resize", ["x", "", "scales"], ["z"], **options)]
    given = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()]
    graph = helper.make_graph(nodes, "g", given, [helper.make_empty_tensor_value_info("z")], constants)
    path = folder / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9), path)
    return path


@pytest.mark.share(4)
@pytest.mark.parametrize(("made", "case"), thinned(3, TARGETS, CASES))
def test_numbers(made: Callable[[Path, Ranges], Run], case: tuple[Any, dict[str, Any]], tmp_path: Path) -> None:
    how, options = case
    path = model(tmp_path, how, options)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    run, rng = made(path, {n: RANGES[n] for n in names}), np.random.default_rng(7)
    for shapes in SIZES:
        feed = {
            n: rng.normal(0, 1, s).astype(np.float32) for n, s in zip(("x", "y"), shapes, strict=True) if n in names
        }
        if not isinstance(how, str) and any(int(n * s) < 1 for n, s in zip(shapes[0][2:], how, strict=True)):
            continue  # nothing is left of an axis, which ONNX Runtime refuses
        (want,) = session.run(None, feed)
        got = run(feed)["z"]
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)
