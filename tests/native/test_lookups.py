"""Rows that are looked up in tables of integers: the rest of the table never becomes numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.support.native import needs_cc
from tests.support.onnx_models import model, save, value

pytestmark = needs_cc
RNG = np.random.default_rng(3)
ROWS, WIDTH, BLOCK = 1024, 256, 32
TYPES = {
    TensorProto.INT8: (-128, 128),
    TensorProto.UINT8: (0, 256),
    TensorProto.UINT4: (0, 16),
    TensorProto.INT4: (-8, 8),
}
CASES = [  # the type, the axis of scales (-1: one scale), whether they are of blocks, the axis of the lookup, indices
    (TensorProto.INT8, -1, False, 0, (1, 3)),
    (TensorProto.INT8, 0, False, 0, (2, 3)),
    (TensorProto.UINT8, 1, False, 0, (4,)),
    (TensorProto.UINT8, 0, False, 1, (2, 2)),
    (TensorProto.INT8, 1, False, 1, ()),
    (TensorProto.UINT4, 1, True, 0, (1, 5)),
    (TensorProto.INT4, 0, False, 0, ("b", "s")),
    (TensorProto.INT4, 1, True, 0, (2, 2)),
    (TensorProto.UINT4, -1, False, 1, (3,)),
    (TensorProto.INT8, 1, True, 0, ("b", "s")),
    (TensorProto.INT8, 0, True, 1, (3,)),
    (TensorProto.INT8, 0, True, 0, (3,)),  # blocks along the axis of the lookup
]


@pytest.mark.share(2)
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_lookups(case: tuple[Any, ...], zeros: bool, tmp_path: Path) -> None:
    kind, along, is_blocked, axis, indices = case
    low, high = TYPES[kind]
    shape = () if along < 0 else (ROWS, WIDTH)[along : along + 1]
    if is_blocked:
        shape = tuple(n // BLOCK if i == along else n for i, n in enumerate((ROWS, WIDTH)))
    attributes = {"axis": max(along, 0)} | ({"block_size": BLOCK} if is_blocked else {})
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s", *(["z"] if zeros else [])], ["d"], **attributes),
        helper.make_node("Gather", ["d", "i"], ["y"], axis=axis),
    ]
    scales = RNG.uniform(0.01, 0.1, shape).astype(np.float32)
    proto = model(nodes, [value("i", list(indices), TensorProto.INT64)], [value("y")], {"s": scales}, 21)
    integers = {"w": RNG.integers(low, high, (ROWS, WIDTH))} | ({"z": RNG.integers(low, high, shape)} if zeros else {})
    for name, array in integers.items():
        tensor = helper.make_tensor(name, kind, array.shape, np.ravel(array).tolist())
        proto.graph.initializer.append(tensor)
    proto.ir_version = 10
    source = save(tmp_path, proto)
    mlconv.convert(source, to="native", output=tmp_path / "m.o", dump_ir=tmp_path / "ir")
    places = RNG.integers(-9, 9, [2 if isinstance(n, str) else n for n in indices])
    (wanted,) = onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"]).run(None, {"i": places})
    (y,) = mlconv.load_native(tmp_path / "m.o").run({"i": places}).values()
    np.testing.assert_allclose(y, wanted, rtol=1e-6)
    (last,) = (tmp_path / "ir").glob("*kernel-schedule.mlir")
    made = [line.rpartition("->")[2] for line in last.read_text().splitlines() if '= "kernel.' in line]
    bytes_ = [line for line in last.read_text().splitlines() if "1024x256x" in line]
    assert not (kind in (TensorProto.INT4, TensorProto.UINT4) and axis == 0 and bytes_)  # two in each
    whole = [m for m in made if "1024x256xf32" in m or "1024x8x32xf32" in m or "32x32x256xf32" in m]
    assert not whole
