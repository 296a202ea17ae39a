"""Each operator, through import, legalization and `eval`, against ONNX Runtime or onnx's reference evaluator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.onnx.rows import ROWS, Row
from tests.onnx.rows_nn import ROWS as NN_ROWS
from tests.onnx.rows_ort import ROWS as ORT_ROWS
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference

ALL = [*ROWS, *NN_ROWS]


def build(row: Row) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """The one-node model of a row, and its run-time inputs."""
    domain, _, op = row.op.rpartition(":")
    names = ["" if a is None else f"i{k}" for k, a in enumerate(row.inputs)]
    node = helper.make_node(op, names, [f"o{k}" for k in range(row.outputs)], domain=domain, **row.attributes)
    arrays = {n: a for n, a in zip(names, row.inputs, strict=True) if a is not None}
    constants = {f"i{k}" for k in row.constants}
    inputs = [
        value(n, list(a.shape), helper.np_dtype_to_tensor_dtype(a.dtype))
        for n, a in arrays.items()
        if n not in constants
    ]
    outputs = [onnx.ValueInfoProto(name=f"o{k}") for k in range(row.outputs)]
    initializers = {n: a for n, a in arrays.items() if n in constants}
    proto = model([node], inputs, outputs, initializers, row.opset, domains={domain: 1} if domain else None)
    return proto, {n: a for n, a in arrays.items() if n not in constants}


@pytest.mark.share(4)
@pytest.mark.parametrize("row", ALL, ids=[r.label for r in ALL])
def test_row(row: Row, tmp_path: Path) -> None:
    proto, inputs = build(row)
    expected = run_reference(proto, inputs, row.engine)
    found = list(mlconv.load(save(tmp_path, proto)).run(inputs).values())
    for want, got in zip(expected, found, strict=True):
        want = np.asarray(want)
        assert got.dtype == want.dtype
        assert got.shape == want.shape
        if want.dtype == np.uint8 or want.dtype == np.int8:
            # quantized halves may round either way
            assert np.abs(got.astype(np.int32) - want.astype(np.int32)).max(initial=0) <= 1
        else:
            scale = float(np.abs(want[np.isfinite(want)]).max(initial=1.0)) if want.dtype.kind == "f" else 1.0
            np.testing.assert_allclose(
                got, want, rtol=max(row.tolerance, 1e-2 if want.dtype == np.float16 else 0), atol=row.tolerance * scale
            )


@pytest.mark.parametrize("row", ORT_ROWS, ids=[f"{k}-{r.label}" for k, r in enumerate(ORT_ROWS)])
def test_as_onnx_runtime(row: Row, tmp_path: Path) -> None:
    """Integers to the last bit; what is not finite in the same places."""
    proto, inputs = build(row)
    found = list(mlconv.load(save(tmp_path, proto)).run(inputs).values())
    for want, got in zip(run_reference(proto, inputs, "ort"), found, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(
            got,
            want,
            rtol=row.tolerance if want.dtype.kind == "f" else 0,
            atol=row.tolerance if want.dtype.kind == "f" else 0,
        )


def test_casts_to_four_bits_round_halves_away(tmp_path: Path) -> None:
    """As ONNX Runtime: rounded, then the low four bits."""
    x = np.asarray([0.5, -0.5, 1.5, 2.5, -1.5, 7.6, 8.4, -8.6, 3.49], np.float32)
    for to in (TensorProto.INT4, TensorProto.UINT4):
        nodes = [
            helper.make_node("Cast", ["x"], ["q"], to=to),
            helper.make_node("Cast", ["q"], ["y"], to=TensorProto.INT32),
        ]
        proto = model(nodes, [value("x", [9])], [value("y", [9], TensorProto.INT32)], opset=21)
        (found,) = mlconv.load(save(tmp_path, proto)).run({"x": x}).values()
        np.testing.assert_array_equal(found, run_reference(proto, {"x": x}, "ort")[0])


def test_broadcast_before_version_7(tmp_path: Path) -> None:
    row = Row(
        "Add",
        [np.ones((2, 3, 4, 5), np.float32), np.arange(12, dtype=np.float32).reshape(3, 4)],
        {"broadcast": 1, "axis": 1},
        6,
    )
    proto, inputs = build(row)
    (found,) = mlconv.load(save(tmp_path, proto)).run(inputs).values()
    np.testing.assert_array_equal(found, inputs["i0"] + inputs["i1"][:, :, None])
