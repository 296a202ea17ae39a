"""`--verify` with drawn inputs runs models where their results tell something: frames that are there, lengths of more
than one sample, sizes that a source's runtime takes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.runtime import verify
from mlconv.runtime.draws import Draw, Draws
from tests.support.modules import const, module_of_types

HOP = 160


def frames(path: Path, mirrored: int = 0, limit: int = 0) -> Path:
    """Frames of sound, 0 behind the length of each.  mirrored: samples in front and behind.  limit: of a table that
    lengths are looked up in, none where it is 0.
    """
    numbers = {
        "w": np.random.default_rng(0).normal(0, 0.1, (4, 1, HOP)).astype(np.float32),
        "pads": np.array([0, mirrored, 0, mirrored]),
        "one": np.array([1]),
        "hop": np.int64(HOP),
        "last": np.array([2]),
        "zero": np.int64(0),
        "axis": np.int64(1),
        "table": np.arange(max(limit, 1)),
    }
    nodes = [
        helper.make_node("Pad", ["wave", "pads"], ["padded"], mode="reflect"),
        helper.make_node("Unsqueeze", ["padded", "one"], ["row"]),
        helper.make_node("Conv", ["row", "w"], ["sums"], strides=[HOP], name="/sums"),
        helper.make_node("Shape", ["sums"], ["shape"], start=2),
        helper.make_node("Squeeze", ["shape"], ["count"]),
        helper.make_node("Range", ["zero", "count", "axis"], ["places"]),
        helper.make_node("Gather" if limit else "Identity", ["table", "lens"] if limit else ["lens"], ["known"]),
        helper.make_node("Div", ["known", "hop"], ["whole"]),
        helper.make_node("Unsqueeze", ["whole", "one"], ["ends"]),
        helper.make_node("Less", ["places", "ends"], ["heard"]),
        helper.make_node("Unsqueeze", ["heard", "one"], ["mask"]),
        helper.make_node("Cast", ["mask"], ["factor"], to=1),
        helper.make_node("Mul", ["sums", "factor"], ["features"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [
            helper.make_tensor_value_info("wave", 1, ["batch", "n"]),
            helper.make_tensor_value_info("lens", 7, ["batch"]),
        ],
        [helper.make_tensor_value_info("features", 1, ["batch", 4, "t"])],
        [numpy_helper.from_array(np.asarray(x), name) for name, x in numbers.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def compared_with(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """What the reference gives for calls that a runtime is held to."""
    seen: list[np.ndarray] = []

    def compare(name: str, expected: np.ndarray, *others: object) -> object:
        seen.append(expected)
        return found(name, expected, *others)  # type: ignore[arg-type]

    found = verify.compare
    monkeypatch.setattr(verify, "compare", compare)
    return seen


@pytest.mark.parametrize("mirrored", (0, 200))
@pytest.mark.parametrize("to", ("tflite", "onnx"))
def test_frames_that_are_heard_are_compared(
    to: str, mirrored: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = compared_with(monkeypatch)
    result = mlconv.convert(frames(tmp_path / "a.onnx", mirrored), to, tmp_path / f"made.{to}", verify=True)
    assert all(row["ok"] for row in result.verification)
    assert len(seen) == 2 and all(array.any() for array in seen)


def test_lengths_that_a_table_has_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = compared_with(monkeypatch)
    mlconv.convert(frames(tmp_path / "a.onnx", limit=9), "tflite", tmp_path / "a.tflite", verify=True)
    assert len(seen) == 2 and not any(array.any() for array in seen)  # no length gives a frame, and none is made up


def test_ids_are_drawn_from_whole_tables(tmp_path: Path) -> None:
    """Also where numbers are classes that they are compared with."""
    table, classes = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32), np.arange(30).reshape(1, 1, 30)

    def make(b: Builder, ids: Value, letters: Value, flags: Value) -> Value:
        column = b.emit(core.ExpandDims(letters, axes=(2,))).y
        hot = b.emit(core.Equal(column, const(b, classes))).y
        other = b.emit(core.ReduceSum(b.emit(core.Cast(hot, dtype=DType.F32)).y, axes=(2,), keepdims=True)).y
        rows = b.emit(core.Add(b.emit(core.Gather(const(b, table), ids, axis=0)).y, other)).y
        return b.emit(core.Mul(rows, b.emit(core.Cast(flags, dtype=DType.F32)).y)).y

    b, t = Dim.symbol("b"), Dim.symbol("t")
    function = module_of_types(make, [TensorType(DType.I64, shape) for shape in ((b, t), (b, t), (b, t, 1))]).main
    drawn = Draws(function, function).inputs(Draw({"b": 9, "t": 99}), 0)
    assert [int(drawn[v.name].max()) for v in function.inputs] == [49, 29, 1]


def test_what_a_draw_of_whole_tables_cannot_be_is_drawn_smaller(tmp_path: Path) -> None:
    """Numbers that are looked up in a table, and say where something is written in another."""
    rng = np.random.default_rng(0)
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "ids"], ["rows"]),
            helper.make_node("Unsqueeze", ["ids", "last"], ["places"]),
            helper.make_node("ScatterND", ["small", "places", "rows"], ["y"]),
        ],
        "g",
        [helper.make_tensor_value_info("ids", 7, [3])],
        [helper.make_tensor_value_info("y", 1, [6, 4])],
        [
            numpy_helper.from_array(rng.normal(size=(20, 4)).astype(np.float32), "table"),
            numpy_helper.from_array(np.zeros((6, 4), np.float32), "small"),
            numpy_helper.from_array(np.array([1]), "last"),
        ],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "a.onnx")
    assert mlconv.convert(tmp_path / "a.onnx", "tflite", tmp_path / "a.tflite", verify=True).verification


def scaled(run: Callable[..., dict[str, np.ndarray]]) -> Callable[..., dict[str, np.ndarray]]:
    def wrong(*given: object) -> dict[str, np.ndarray]:
        return {name: array * array.dtype.type(1.01) for name, array in run(*given).items()}

    return wrong


@pytest.mark.parametrize("answers", (True, False))
def test_a_faulty_artifact_is_found(answers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the source's own runtime answers or not."""

    def refuse(*given: object) -> list[dict[str, np.ndarray]]:
        raise ConversionError(Code.VerificationImpossible, "it does not run")

    monkeypatch.setattr(verify.NativeRunner, "run", scaled(verify.NativeRunner.run))
    if not answers:
        monkeypatch.setattr(verify, "source_runs", refuse)
    with pytest.raises(ConversionError, match="features: largest error"):
        mlconv.convert(frames(tmp_path / "a.onnx"), "native", tmp_path / "a.o", verify=True)


def test_an_artifact_that_agrees_with_the_source_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the reference makes of the same calls."""
    monkeypatch.setattr(verify, "run_function", scaled(verify.run_function))
    assert mlconv.convert(frames(tmp_path / "a.onnx"), "onnx", tmp_path / "b.onnx", verify=True).verification
