"""Ensembles of trees in native code, against the interpreter and ONNX Runtime, for rows and trees side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.support.ml_trees import Row, Trees, grown

ROWS = [1, 3, 8, 64, 65, 200]
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_EQ", "BRANCH_NEQ"]


def save(folder: Path, trees: Trees, targets: int, columns: int, dtype: int = TensorProto.FLOAT, **given: Any) -> Path:
    node = helper.make_node(
        "TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", **trees.regressor(targets), **given
    )
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", dtype, ["rows", columns])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", targets])],
    )
    path = folder / "m.onnx"
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    path.write_bytes(helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString())
    return path


def check(path: Path, folder: Path, x: np.ndarray[Any, Any], **options: Any) -> None:
    """At every number of rows, on 1 and 2 threads, with the same bits."""
    mlconv.convert(path, to="native", output=folder / "m.o", **options)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    one, two = (mlconv.load_native(folder / "m.o", threads=n) for n in (1, 2))
    for rows in ROWS:
        (want,) = session.run(None, {"x": x[:rows]})
        got = one.run({"x": x[:rows]})["y"]
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(two.run({"x": x[:rows]})["y"], got)


@pytest.mark.share(6)
@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3", ""])
@pytest.mark.parametrize("spread", ["all", "tree"])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("depth", [5, 6, 8])
def test_scores(cpu: str, spread: str, targets: int, depth: int, tmp_path: Path) -> None:
    """Trees of at most 32 and 64 leaves, and of more."""
    rng = np.random.default_rng(targets)
    trees = grown(rng, 37, 9, depth=depth, targets=targets, spread=spread)
    check(save(tmp_path, trees, targets, 9), tmp_path, rng.normal(0, 2, (200, 9)).astype(np.float32), cpu=cpu)


@pytest.mark.share(4)
@pytest.mark.parametrize("function", ["MIN", "MAX", "AVERAGE"])
@pytest.mark.parametrize("spread", ["all", "tree", "some"])
def test_other_sums(function: str, spread: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    trees = grown(rng, 20, 6, depth=5, targets=3, spread=spread)
    path = save(tmp_path, trees, 3, 6, aggregate_function=function)
    check(path, tmp_path, rng.normal(0, 2, (200, 6)).astype(np.float32))


@pytest.mark.share(6)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [6, 3000])
@pytest.mark.parametrize("depth", [4, 8])
@pytest.mark.parametrize("modes", [MODES, MODES[:1]], ids=["all", "LEQ"])
@pytest.mark.parametrize("tracked", [False, True])
def test_equal_and_missing_values(
    dtype: Any, columns: int, depth: int, modes: list[str], tracked: bool, tmp_path: Path
) -> None:
    """Values of rows are those of thresholds, -0, NaN and infinity among them."""
    rng = np.random.default_rng(columns)
    trees = grown(rng, 21, columns, depth=depth, targets=1, modes=modes, tracked=tracked)
    x = rng.integers(-2, 3, (200, columns)).astype(dtype)
    x[rng.random(x.shape) < 0.1] *= -0.0
    x[rng.random(x.shape) < 0.05] = -np.inf
    x[rng.random(x.shape) < 0.05] = np.inf
    x[rng.random(x.shape) < 0.1] = np.nan
    kind = TensorProto.DOUBLE if dtype is np.float64 else TensorProto.FLOAT
    check(save(tmp_path, trees, 1, columns, kind), tmp_path, x)


@pytest.mark.share(6)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("categories", [5, 40, 150])
@pytest.mark.parametrize("modes", [["SET"], ["SET", "BRANCH_LEQ", "BRANCH_EQ"]], ids=["sets", "all"])
@pytest.mark.parametrize("tracked", [False, True])
def test_sets_of_categories(dtype: Any, categories: int, modes: list[str], tracked: bool, tmp_path: Path) -> None:
    """Of one word of bits and of several; values that are no category and NaN."""
    rng = np.random.default_rng(categories)
    given: dict[str, Any] = {"depth": 4, "targets": 1, "modes": modes, "tracked": tracked, "categories": categories}
    trees = grown(rng, 15, 6, **given)
    x = rng.integers(-1, categories + 2, (200, 6)).astype(dtype)
    x[rng.random(x.shape) < 0.1] += 0.5
    x[rng.random(x.shape) < 0.1] = np.nan
    kind = TensorProto.DOUBLE if dtype is np.float64 else TensorProto.FLOAT
    check(save(tmp_path, trees, 1, 6, kind), tmp_path, x)


def test_shared_parts_without_end(tmp_path: Path) -> None:
    """Each level doubles the ways to the next one: refused, and not written out."""
    rows = [Row("BRANCH_LEQ", i % 4, float(i), (i + 1, i + 1)) for i in range(40)]
    path = save(tmp_path, Trees([[*rows, Row("LEAF", entries=((0, 1.0),))]]), 1, 4)
    with pytest.raises(mlconv.ConversionError, match="too many parts are shared"):
        mlconv.convert(path, to="native", output=tmp_path / "m.o")


def test_trees_of_one_leaf(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    trees = Trees([*grown(rng, 1, 4, depth=0, targets=1).trees, *grown(rng, 1, 4, depth=2, targets=1).trees])
    check(save(tmp_path, trees, 1, 4), tmp_path, rng.normal(0, 2, (200, 4)).astype(np.float32))


def test_deep_trees(tmp_path: Path) -> None:
    """A chain whose second children are farther than 16 bits count."""
    rng = np.random.default_rng(1)
    trees = grown(rng, 1, 5, depth=17, targets=1)
    check(save(tmp_path, trees, 1, 5), tmp_path, rng.normal(0, 2, (200, 5)).astype(np.float32))
