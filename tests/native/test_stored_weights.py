"""Integers that are read as floats stay as they are stored: transposed convolutions, groups, and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.runtime.native import load_native
from mlconv.runtime.onnx_runtime import opened

Array = np.ndarray[Any, Any]
RANGES = {np.uint8: (0, 256), np.int8: (-128, 128), np.int16: (-32768, 32768), np.uint16: (0, 65536)}
WINDOWS: dict[str, tuple[str, tuple[int, ...], dict[str, Any]]] = {
    "phases": ("ConvTranspose", (16, 12, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "dilated": ("ConvTranspose", (16, 12, 3, 3), {"dilations": [2, 2], "strides": [2, 2]}),
    "groups": ("ConvTranspose", (16, 12, 4, 4), {"strides": [2, 2], "group": 2}),
    "grouped": ("Conv", (24, 4, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}),
    "depthwise": ("Conv", (16, 1, 7, 7), {"group": 16, "pads": [3, 3, 3, 3]}),
    "volume": ("Conv", (16, 1, 3, 3, 3), {"group": 16}),
}


def stored(
    numbers: Any, rng: np.random.Generator, shape: tuple[int, ...], axis: int | None, zeros: bool
) -> list[Array]:
    """Integers, scales, zero points: of a tensor, or along an axis."""
    low, high = RANGES[numbers]
    each = () if axis is None else (shape[axis],)
    middle = (low + high) // 2
    points = rng.integers(low + (high - low) // 3, middle + 3, each) if zeros else np.full(each, middle)
    scales = rng.uniform(0.5, 1, each) * 2 / (high - low)
    return [rng.integers(low, high, shape).astype(numbers), np.asarray(scales, np.float32), points.astype(numbers)]


def saved(nodes: list[onnx.NodeProto], x: Any, constants: list[Array], path: Path) -> int:
    """Names of the constants: w, s, z.  Returns how many bytes they take."""
    names = [numpy_helper.from_array(c, n) for n, c in zip("wsz", constants, strict=True)]
    y = [helper.make_tensor_value_info(n.output[0], TensorProto.FLOAT, None) for n in nodes if "y" in n.output[0]]
    graph = helper.make_graph(nodes, "g", [x], y, names)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)
    return sum(c.nbytes for c in constants)


def assert_stored(path: Path, x: Array, size: float) -> None:
    want = opened(str(path), optimizes=False).run(None, {"x": x})
    mlconv.convert(path, "native", path.with_name("m.o"), weights="file", cpu="x86-64-v3")
    found = load_native(path.with_name("m.o")).run({"x": x}).values()
    for a, b in zip(want, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=0, atol=3e-6 * np.abs(a).max())
    assert path.with_name("m.weights.bin").stat().st_size <= size + 256  # lines of a cache behind scales


@pytest.mark.parametrize("by_channels", [False, True])
@pytest.mark.parametrize("numbers", [np.uint8, np.int16], ids=["uint8", "int16"])
@pytest.mark.parametrize("window", WINDOWS)
def test_windows(window: str, numbers: Any, by_channels: bool, tmp_path: Path) -> None:
    """Zero points of groups are taken off, which makes 16 bits of 8."""
    op, shape, attributes = WINDOWS[window]
    rng, zeros = np.random.default_rng(4), numbers is np.uint8
    axis = (1 if op == "ConvTranspose" else 0) if by_channels else None
    constants = stored(numbers, rng, shape, axis, zeros)
    along: dict[str, Any] = {} if axis is None else {"axis": axis}
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], **along),
        helper.make_node(op, ["x", "d"], ["y"], **attributes),
    ]
    x = rng.normal(size=(1, 16, *[6, 7, 5][: len(shape) - 2])).astype(np.float32)
    path = tmp_path / "m.onnx"
    size = saved(nodes, helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape), constants, path)
    taken_off = zeros and "group" in attributes
    assert_stored(path, x, 2.1 * size if taken_off else 1.05 * size)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("numbers", RANGES, ids=lambda n: n.__name__)
def test_tables(numbers: Any, tied: bool, tmp_path: Path) -> None:
    """Rows become numbers once they are looked up, and products read the same table as it is stored."""
    rng, path = np.random.default_rng(5), tmp_path / "m.onnx"
    constants = stored(numbers, rng, (96, 32), None, zeros=True)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"]),
        helper.make_node("Gather", ["d", "x"], ["y"]),
        helper.make_node("Transpose", ["d"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["y", "t"], ["y2"]),
    ]
    x = np.asarray([[3, 95, 0, 41, 7]], np.int64)
    info = helper.make_tensor_value_info("x", TensorProto.INT64, x.shape)
    size = saved(nodes if tied else nodes[:2], info, constants, path)
    assert_stored(path, x, (2 if tied else 1) * size)
