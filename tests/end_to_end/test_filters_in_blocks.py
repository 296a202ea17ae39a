"""Filters of QDQ convolutions in blocks along the input channels: the numbers of onnxruntime, weights as they are
stored, of which each run of native code makes floats.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.runtime.native import load_native
from mlconv.runtime.onnx_runtime import opened
from tests.end_to_end.test_weights_of_few_bits import STORAGE, initializer_bytes, stored

CHANNELS, BLOCK = 64, 16
_LINES = 128  # of a cache, behind scales


class Row(NamedTuple):
    """zeros: weights have zero points of their own.  room: bytes of weights in native code for each of the source."""

    image: tuple[int, ...]
    storage: str
    outputs: int = 24
    op: str = "Conv"
    zeros: bool = True
    groups: int = 1
    strides: int = 1
    kernel: int = 3
    batch: int = 1
    dilations: int = 1
    normalized: bool = False
    room: float = 1.1

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the filter."""
        window = (self.kernel,) * len(self.image)
        if self.op == "Conv":
            return (self.outputs, CHANNELS // self.groups, *window)
        return (CHANNELS, self.outputs // self.groups, *window)


ROWS = [
    Row((9, 9), "int4", 40, zeros=False),
    Row((9, 9), "uint4", strides=2),
    Row((9, 9), "uint8"),
    Row((9, 9), "int8", kernel=1, zeros=False, normalized=True),
    Row((9, 9), "uint4", kernel=1, zeros=False),
    Row((9,), "int4", 20),
    Row((5, 6, 7), "int4"),
    Row((7, 6), "uint4", groups=2, batch=2),
    Row((2, 1), "uint4"),
    Row((7, 7), "int4", 16, dilations=2),
    Row((7, 6), "uint4", op="ConvTranspose"),
    Row((7,), "int4", op="ConvTranspose", groups=2, zeros=False),
    Row((7, 6), "uint8", op="ConvTranspose", strides=2, kernel=4),
    Row((4, 5, 3), "int4", op="ConvTranspose", strides=2, kernel=2),
    Row((7, 6), "uint4", op="ConvTranspose", strides=2, zeros=False, room=2),  # windows of 4 x 4, for four phases
]


def network(row: Row) -> onnx.ModelProto:
    """x -> Conv(x, DequantizeLinear(w)) with a bias, and a normalization where the row has one."""
    rng, n = np.random.default_rng(1), len(row.image)
    _, least, most = STORAGE[row.storage]
    axis = 1 if row.op == "Conv" else 0
    blocks = tuple(d // BLOCK if i == axis else d for i, d in enumerate(row.shape))
    scales = np.asarray(rng.uniform(0.5, 1, blocks) * 2 / (most - least), np.float32)
    middle = 0 if row.storage.startswith("int") else (most + 1) // 2
    points = rng.integers(max(least, middle - 2), middle + 3, blocks) if row.zeros else np.full(blocks, middle)
    constants = [stored("w", rng.integers(least, most + 1, row.shape), row.storage)]
    constants += [numpy_helper.from_array(scales, "ws"), stored("wz", points, row.storage)]
    names = ["bias", *(["g", "b", "m", "v"] if row.normalized else [])]
    constants += [numpy_helper.from_array(rng.uniform(0.5, 1.5, row.outputs).astype(np.float32), s) for s in names]
    each: dict[str, Any] = {
        "strides": [row.strides] * n,
        "dilations": [row.dilations] * n,
        "pads": [row.kernel // 2] * 2 * n,
    }
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"], axis=axis, block_size=BLOCK),
        helper.make_node(row.op, ["x", "wd", "bias"], ["y"], group=row.groups, **each),
    ]
    if row.normalized:
        nodes.append(helper.make_node("BatchNormalization", ["y", "g", "b", "m", "v"], ["z"]))
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("x", (row.batch, CHANNELS, *row.image)), (nodes[-1].output[0], None))
    ]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row.op}-{len(row.image)}-{row.storage}-{row.groups}-{row.kernel}"
)
def test_filters(row: Row, tmp_path: Path) -> None:
    """In one object for each instruction set of the machine."""
    model = network(row)
    source = tmp_path / "m.onnx"
    onnx.save(model, source)
    x = np.random.default_rng(2).normal(size=(row.batch, CHANNELS, *row.image)).astype(np.float32)
    (want,) = opened(str(source), optimizes=False).run(None, {"x": x})
    for cpu in ("x86-64", "x86-64-v3"):
        mlconv.convert(source, "native", tmp_path / "m.o", weights="file", cpu=cpu)
        (got,) = load_native(tmp_path / "m.o").run({"x": x}).values()
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * np.abs(want).max())
    size = (tmp_path / "m.weights.bin").stat().st_size
    assert size <= row.room * initializer_bytes(model) + _LINES
