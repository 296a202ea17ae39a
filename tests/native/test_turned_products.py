"""A few rows by a large transposed matrix that the run computes: values of attention whose channels come first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import helper

import mlconv
from tests.support.native import OWN, needs_cc
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference

SIZES = [(2, 300, 280), (1, 9, 33), (3, 1, 5)]
NODES = [
    helper.make_node("Softmax", ["s"], ["w"], axis=-1),
    helper.make_node("Transpose", ["w"], ["t"], perm=[0, 2, 1]),
    helper.make_node("MatMul", ["v", "t"], ["p"]),
    helper.make_node("Relu", ["p"], ["y"]),
]


@needs_cc
@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("rows", [1, 4, 16, 80])
def test_numbers(rows: int, is_shared: bool, tmp_path: Path) -> None:
    """With open sizes, and with those of the first case.  is_shared: the rows are those of all batches."""
    lead = [] if is_shared else ["b"]
    proto = model(
        NODES, [value("s", ["b", "queries", "keys"]), value("v", [*lead, rows, "keys"])], [value("y")], opset=17
    )
    path, rng = save(tmp_path, proto), np.random.default_rng(rows)
    for shapes, cases in (
        ({}, SIZES),
        ({"s": [*SIZES[0]], "v": [*SIZES[0][: len(lead)], rows, SIZES[0][2]]}, SIZES[:1]),
    ):
        mlconv.convert(path, to="native", output=tmp_path / "m.o", **({"shapes": shapes} if shapes else {}), cpu=OWN)
        loaded = mlconv.load_native(tmp_path / "m.o", threads=2)
        for batch, queries, keys in cases:
            inputs = {
                "s": rng.standard_normal((batch, queries, keys)).astype(np.float32),
                "v": rng.standard_normal((*[batch] * len(lead), rows, keys)).astype(np.float32),
            }
            (want,) = run_reference(proto, inputs)
            np.testing.assert_allclose(loaded.run(inputs)["y"], want, rtol=1e-4, atol=1e-5)
