"""Matrices of a batch, each with weights of its own (experts, heads), that are integers: native code keeps them so."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.codegen.program.compile import host_cpus
from mlconv.runtime.native import load_native
from tests.end_to_end.test_quantized_sizes import constant_bytes

MATRICES, DEPTH = 4, 64
STORAGE = {
    "int4": (TensorProto.INT4, -8, 8),
    "int8": (TensorProto.INT8, -127, 128),
    "uint8": (TensorProto.UINT8, 0, 256),
    "int16": (TensorProto.INT16, -3000, 3000),
}
# rows, columns, whether each column has a scale, zero points, turned, leading axes of x
FORMS = [
    (1, 96, True, False, False, (MATRICES,)),
    (1, 20, False, True, True, ()),
    (3, 96, True, True, True, (1,)),
    (8, 20, True, False, False, (MATRICES,)),
    (33, 96, False, False, True, (MATRICES,)),
    (33, 20, True, True, False, ()),
]


def network(storage: str, form: tuple[Any, ...]) -> Any:
    rows, columns, is_per_column, zeros, turned, lead = form
    dtype, low, high = STORAGE[storage]
    rng = np.random.default_rng(3)
    shape = (MATRICES, columns, DEPTH) if turned else (MATRICES, DEPTH, columns)
    axis: dict[str, Any] = {"axis": 1 if turned else 2} if is_per_column else {}
    each = (columns,) if is_per_column else ()
    scales = numpy_helper.from_array(rng.uniform(0.01, 0.02, each).astype(np.float32), "s")
    constants = [helper.make_tensor("w", dtype, shape, rng.integers(low, high, shape).reshape(-1)), scales]
    if zeros:
        constants.append(helper.make_tensor("z", dtype, each, np.asarray(rng.integers(0, 7, each)).reshape(-1)))
    nodes = [helper.make_node("DequantizeLinear", ["w", "s", "z"][: 2 + zeros], ["d"], **axis)]
    nodes += [helper.make_node("Transpose", ["d"], ["t"], perm=[0, 2, 1])] if turned else []
    nodes.append(helper.make_node("MatMul", ["x", nodes[-1].output[0]], ["y"]))
    shapes = {"x": (*lead, rows, DEPTH), "y": None}
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.mark.share(2)
@pytest.mark.parametrize(("storage", "form"), [*itertools.product(STORAGE, FORMS)])
def test_batched_weights(storage: str, form: tuple[Any, ...], tmp_path: Path) -> None:
    """They were float32 constants, four to eight times the initializers."""
    proto = network(storage, form)
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    x = np.random.default_rng(4).standard_normal((*form[5], form[0], DEPTH)).astype(np.float32)
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    (wanted,) = session.run(None, {"x": x})
    for cpu in host_cpus():
        mlconv.convert(tmp_path / "m.onnx", "native", tmp_path / "m.o", weights="file", cpu=cpu)
        assert (tmp_path / "m.weights.bin").stat().st_size <= 1.07 * constant_bytes(proto.graph)
        found = load_native(tmp_path / "m.o").run({"x": x})["y"]
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5 * float(np.abs(wanted).max()))
