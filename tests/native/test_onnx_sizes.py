"""Models of ONNX whose inputs have sizes of their own: what ONNX Runtime refuses at run time ends in the error
`dimensions`, through the whole pipeline.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from tests.support.native import OWN
from tests.support.onnx_models import model, save, value

Shapes = tuple[tuple[int, ...], ...]
NODE = helper.make_node
# name: nodes, symbolic shapes of the inputs x0, x1, ..., constants, sizes that fit, sizes that do not
FRAMES = helper.make_graph(  # a state of min(3, N) elements, which is 3 in each step
    [NODE("Concat", ["s", "e"], ["f"], axis=0), NODE("Slice", ["f", "two", "five"], ["s2"])],
    "body",
    [value("s", [3]), value("e", [2])],
    [value("s2", [3]), value("f", [5])],
)
CHOSEN = helper.make_graph(  # a state of N rows, in which rows of a mask of M choose
    [NODE("Mul", ["s", "x0"], ["s2"]), NODE("Identity", ["go"], ["on"]), NODE("Neg", ["s2"], ["row"])],
    "body",
    [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("go", TensorProto.BOOL, []),
        value("s", None),
    ],
    [helper.make_tensor_value_info("on", TensorProto.BOOL, []), value("s2", None), value("row", None)],
)
CASES: dict[str, tuple[list[Any], list[list[Any]], dict[str, Any], list[Shapes], list[Shapes]]] = {
    "a state of a scan": (
        [
            NODE("Slice", ["x0", "zero", "three"], ["s0"]),
            NODE("Scan", ["s0", "x1"], ["last", "all"], body=FRAMES, num_scan_inputs=1),
            NODE("Mul", ["all", "window"], ["y"]),
        ],
        [["N"], ["T", 2]],
        {
            **{n: np.int64([i]) for n, i in (("zero", 0), ("two", 2), ("three", 3), ("five", 5))},
            "window": np.arange(5, dtype=np.float32),
        },
        [((4,), (3, 2)), ((3,), (1, 2))],
        [((2,), (3, 2))],
    ),
    "a state of a loop that another open size chooses from": (
        [NODE("Loop", ["three", "true", "x1"], ["last", "y"], body=CHOSEN)],
        [["M", 1], ["N", 4]],
        {"three": np.int64(3), "true": np.bool_(True)},
        [((3, 1), (3, 4)), ((1, 1), (3, 4)), ((1, 1), (1, 4)), ((0, 1), (0, 4))],
        [((2, 1), (3, 4)), ((4, 1), (3, 4))],
    ),
    "names that are none": (
        [NODE("MatMul", ["x0", "x1"], ["y"])],
        [["?", "?"], ["?", "?"]],
        {},
        [((2, 3), (3, 4))],
        [((2, 3), (2, 4))],
    ),
    "squeeze": (
        [NODE("Squeeze", ["x0", "a"], ["y"])],
        [["N", "M"]],
        {"a": np.int64([1])},
        [((3, 1),), ((1, 1),)],
        [((2, 2),), ((1, 4),)],
    ),
    "squeezed and reshaped": (
        [NODE("Squeeze", ["x0", "a"], ["s"]), NODE("Reshape", ["s", "b"], ["y"])],
        [["N", "M"]],
        {"a": np.int64([1]), "b": np.int64([-1, 2])},
        [((4, 1),)],
        [((2, 2),), ((3, 1),)],
    ),
    "gemm": (
        [NODE("Gemm", ["x0", "x1", "x2"], ["y"])],
        [["N", "K"], ["L", "M"], ["P", "Q"]],
        {},
        [((3, 4), (4, 5), (3, 5)), ((3, 4), (4, 5), (1, 5)), ((3, 4), (4, 5), (3, 1)), ((1, 4), (4, 1), (1, 1))],
        [((1, 4), (4, 5), (3, 5)), ((3, 4), (4, 1), (3, 5)), ((3, 4), (4, 5), (2, 5)), ((3, 4), (5, 5), (3, 5))],
    ),
    "batch norm": (
        [NODE("Abs", ["x4"], ["v"]), NODE("BatchNormalization", ["x0", "x1", "x2", "x3", "v"], ["y"])],
        [["N", "C", "H"], ["P"], ["Q"], ["R"], ["S"]],
        {},
        [((2, 3, 4), (3,), (3,), (3,), (3,))],
        [((2, 3, 4), *(tuple((1,) if i == k else (3,) for i in range(4)))) for k in range(4)],
    ),
    "instance norm": (
        [NODE("InstanceNormalization", ["x0", "x1", "x2"], ["y"])],
        [["N", "C", "H"], ["P"], ["Q"]],
        {},
        [((2, 3, 4), (3,), (3,))],
        [((2, 3, 4), (1,), (3,)), ((2, 3, 4), (3,), (1,)), ((2, 1, 4), (3,), (1,))],
    ),
    "layer norm": (
        [NODE("LayerNormalization", ["x0", "x1", "x2"], ["y"])],
        [["N", "C"], ["P"], ["Q"]],
        {},
        [((2, 3), (3,), (3,)), ((2, 3), (1,), (3,)), ((2, 3), (3,), (1,))],
        [((2, 1), (3,), (1,)), ((2, 3), (2,), (3,))],
    ),
    "grid": (
        [NODE("GridSample", ["x0", "x1"], ["y"])],
        [["N", 2, "H", "W"], ["M", "P", "Q", 2]],
        {},
        [((2, 2, 3, 4), (2, 2, 5, 2))],
        [((3, 2, 3, 4), (1, 2, 5, 2)), ((1, 2, 3, 4), (3, 2, 5, 2))],
    ),
    "window": (
        [NODE("Conv", ["x0", "w"], ["y"])],
        [[1, 2, "H", "W"]],
        {"w": np.ones((3, 2, 3, 3), np.float32)},
        [((1, 2, 3, 4),)],
        [((1, 2, 2, 4),)],
    ),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("name", CASES)
def test_sizes_that_onnx_runtime_takes_and_others(name: str, tmp_path: Path) -> None:
    nodes, symbolic, constants, good, bad = CASES[name]
    proto = model(nodes, [value(f"x{i}", s) for i, s in enumerate(symbolic)], [value("y")], constants)
    proto.ir_version = 8
    path = save(tmp_path, proto)
    mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN)
    net = mlconv.load_native(tmp_path / "m.o")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    for shapes in (*good, *bad):
        random = np.random.default_rng(1)
        feeds = {f"x{i}": random.standard_normal(s).astype(np.float32) for i, s in enumerate(shapes)}
        if shapes in bad:
            with pytest.raises(Exception, match="ONNXRuntimeError"):
                session.run(None, feeds)
            with pytest.raises(ConversionError, match="does not take these dimensions") as caught:
                net.run(feeds)
            assert caught.value.code is Code.VerificationImpossible
            continue
        np.testing.assert_allclose(net.run(feeds)["y"], session.run(None, feeds)[0], rtol=1e-4, atol=1e-5)
