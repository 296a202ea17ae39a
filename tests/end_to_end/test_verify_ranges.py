"""`mlconv verify` of HLO modules whose sizes have ranges: interface, sizes that do not fit, files that are damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.verification import Asked, verify

SHAPES = {"a": ["1..6", 4], "b": ["1..6", 4]}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """(a + b) by a matrix, with two sizes that must be equal."""
    w = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    nodes = [helper.make_node("Add", ["a", "b"], ["s"]), helper.make_node("MatMul", ["s", "w"], ["y"])]
    sides = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [f"n_{n}", 4]) for n in "ab"]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n_a", 3])
    graph = helper.make_graph(nodes, "g", sides, [output], [numpy_helper.from_array(w, "w")])
    path = tmp_path_factory.mktemp("ranges") / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def made(source: Path, folder: Path, **options: Any) -> Path:
    mlconv.convert(source, "hlo", folder / "m.hlo", shapes=SHAPES, **options)
    return folder / "m.hlo"


def fed(folder: Path, a: int, b: int) -> Asked:
    rng = np.random.default_rng(1)
    arrays = {n: rng.normal(size=(k, 4)).astype(np.float32) for n, k in (("a", a), ("b", b))}
    np.savez(folder / "x.npz", **arrays)
    return Asked(data=str(folder / "x.npz"))


@pytest.mark.parametrize("weights", ["inline", "parameters"])
def test_sizes_in_the_range(source: Path, tmp_path: Path, weights: str) -> None:
    path = made(source, tmp_path, weights=weights)
    for asked in (Asked(), fed(tmp_path, 5, 5)):
        assert verify(source, path, asked).ok
    assert not verify(path, _wrong(source, tmp_path), fed(tmp_path, 3, 3)).ok


def _wrong(source: Path, folder: Path) -> Path:
    model = onnx.load(source)
    w = numpy_helper.to_array(model.graph.initializer[0]) * np.float32(1.01)
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(w, "w"))
    onnx.save(model, folder / "wrong.onnx")
    return folder / "wrong.onnx"


def test_sizes_that_do_not_fit(source: Path, tmp_path: Path) -> None:
    path = made(source, tmp_path)
    np.savez(tmp_path / "wide.npz", a=np.zeros((2, 5), np.float32), b=np.zeros((2, 5), np.float32))
    with pytest.raises(ConversionError, match=r"a has shape \[2, 5\], the module takes"):
        verify(path, path, Asked(data=str(tmp_path / "wide.npz")))
    for (a, b), why in {(7, 7): r"lies in 1\.\.6", (3, 4): "must be"}.items():
        with pytest.raises(ConversionError, match=why) as found:
            verify(path, path, fed(tmp_path, a, b))
        assert found.value.code is Code.VerificationImpossible


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": ["a", "b", "c", "d", "e", "f"]},
        {"shapes": {"a": ["m", 4]}},
        {"shapes": {"a": [4]}},
        {"shapes": []},
        {"sizes": [{"name": "n_a", "low": 3, "high": 2}]},
        {"sizes": ["n_a"]},
        {"conditions": [{"kind": "equal"}]},
        {"conditions": 3},
    ],
)
def test_damaged_facts(source: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    path = made(source, tmp_path)
    beside = Path(f"{path}.json")
    beside.write_text(json.dumps({**json.loads(beside.read_text()), **change}))
    with pytest.raises(ConversionError) as found:
        verify(path, source)
    assert found.value.code is Code.FileDamaged
