"""Verification sees what a pass breaks, in every signature, at several sizes, and compares with the source's own
runtime.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.driver import conversion
from mlconv.formats.protos import tf_pb
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.quant import QuantType
from mlconv.runtime import litert, verify
from mlconv.runtime.compare import compare
from mlconv.runtime.litert import details_of
from tests.support.cli import call
from tests.support.modules import module, random
from tests.support.npz import npz

TARGETS = ("tflite", "hlo", "stablehlo", "native")
SHAPES = {"image": (2, 1, 8, 8)}
SAVED_MODELS = Path(__file__).parent.parent / "tf"


@pytest.mark.parametrize("target", TARGETS)
def test_a_pass_that_changes_numbers_is_seen(
    target: str, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reference is the model as imported: it does not take part in what the passes do."""
    run = conversion.run

    def broken(module: Module, *arguments: Any) -> None:
        for op in module.walk():
            if isinstance(op, core.Constant) and op.value.dtype.is_float and op.value.size > 1:
                op.attributes["value"] = make_const(op.value.view() * np.float32(1.01))
                break
        run(module, *arguments)

    monkeypatch.setattr(conversion, "run", broken)
    with pytest.raises(ConversionError) as error:
        mlconv.convert(models / "digits_cnn.onnx", target, tmp_path / "m", shapes=SHAPES, verify=True)
    assert error.value.code is Code.VerificationFailed and not list(tmp_path.iterdir())


def test_every_signature(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(models / "digits_cnn_saved_model", tmp_path / "model")
    proto = tf_pb("protobuf.saved_model_pb2").SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    table = proto.meta_graphs[0].signature_def
    table["again"].CopyFrom(table["serving_default"])
    (folder / "saved_model.pb").write_bytes(proto.SerializeToString())
    result = mlconv.convert(folder, "tflite", tmp_path / "m.tflite", signature="*", verify=True)
    assert sorted({v["output"].split("/")[0] for v in result.verification}) == ["again", "serving_default"]
    assert all(v["ok"] for v in result.verification)
    run = litert.LiteRt.run
    monkeypatch.setattr(
        litert.LiteRt, "run", lambda self, f, x: {k: y + (f.signature == "again") for k, y in run(self, f, x).items()}
    )
    with pytest.raises(ConversionError, match="disagree: again/"):
        mlconv.convert(folder, "tflite", tmp_path / "m.tflite", signature="*", verify=True)


def test_sizes_that_are_not_fixed(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sizes; of a range for HLO also both ends."""
    seen: list[int] = []
    monkeypatch.setattr(verify, "compare", lambda name, a, b, *_: seen.append(len(a)) or compare(name, a, b))
    mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", verify=True)
    assert len(set(seen)) == 2
    seen.clear()
    mlconv.convert(
        models / "digits_cnn.onnx", "hlo", tmp_path / "m.hlo.pb", shapes={"image": ("1..7", 1, 8, 8)}, verify=True
    )
    assert set(seen) >= {1, 2, 7}


def save(path: Path, nodes: list[onnx.NodeProto], inputs: dict[str, list[Any]], initializers: dict[str, Any]) -> Path:
    value = helper.make_tensor_value_info
    constants = [numpy_helper.from_array(np.asarray(v), n) for n, v in initializers.items()]
    graph = helper.make_graph(nodes, "g", [value(n, 1, s) for n, s in inputs.items()], [value("y", 1, None)], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def test_sizes_that_a_model_needs_are_found(tmp_path: Path) -> None:
    """Two symbols that must be equal; an axis that must hold a window of 20."""
    equal = save(
        tmp_path / "equal.onnx", [helper.make_node("Add", ["a", "b"], ["y"])], {"a": ["N", 3], "b": ["M", 3]}, {}
    )
    window = save(
        tmp_path / "window.onnx",
        [helper.make_node("Conv", ["x", "w"], ["y"])],
        {"x": [1, 1, "T"]},
        {"w": np.ones((1, 1, 20), np.float32)},
    )
    for path in (equal, window):
        result = mlconv.convert(path, "tflite", tmp_path / "m.tflite", verify=True)
        assert [v["ok"] for v in result.verification] == [True]


@pytest.mark.parametrize("target", TARGETS)
def test_layouts_that_were_asked_for(target: str, models: Path, tmp_path: Path) -> None:
    result = mlconv.convert(
        models / "digits_cnn.onnx", target, tmp_path / "m.o", shapes=SHAPES, io_layout="nhwc", verify=True
    )
    assert result.inputs[0]["shape"] == [2, 8, 8, 1] and [v["ok"] for v in result.verification] == [True]


def test_given_arrays(models: Path, tmp_path: Path) -> None:
    golden = npz(models / "digits_cnn.npz")
    image = np.ascontiguousarray(golden["image"].transpose(0, 3, 1, 2))
    folder = tmp_path / "data"
    folder.mkdir()
    np.savez(folder / "a.npz", image=image[:3], unused=np.zeros(2))
    np.save(folder / "b.npy", image[3:5])
    for data in (folder, folder / "a.npz", folder / "b.npy"):
        result = call(
            "convert",
            models / "digits_cnn.onnx",
            "--to",
            "tflite",
            "-o",
            tmp_path / "m.tflite",
            "--verify",
            "--data",
            data,
        )
        assert result.exit_code == 0 and "verified scores" in result.output, result.output
        ran = call("run", models / "digits_cnn.onnx", "--data", data, "-o", tmp_path / "y")
        assert ran.exit_code == 0, ran.output
    np.testing.assert_allclose(npz(tmp_path / "y" / "0000.npz")["scores"], golden["scores"][:3], atol=1e-5)
    np.testing.assert_allclose(npz(tmp_path / "y.npz")["scores"], golden["scores"][3:5], atol=1e-5)
    old = call("run", models / "digits_cnn.onnx", "--input", folder / "a.npz")
    assert old.exit_code == 0 and "--input " not in call("run", "--help").output


SOURCES: dict[str, Callable[[Path], Path]] = {
    "onnx": lambda models: models / "digits_cnn.onnx",
    "graphdef": lambda models: models / "digits_rnn.pb",
    "saved_model": lambda models: models / "digits_cnn_saved_model",
    "variables": lambda models: SAVED_MODELS / "stateful_saved_model",
}


@pytest.mark.share(6)
@pytest.mark.parametrize("kind", SOURCES)
def test_the_runtime_of_the_source(kind: str, models: Path, tmp_path: Path) -> None:
    result = mlconv.convert(SOURCES[kind](models), "tflite", tmp_path / "m.tflite", verify=True, verify_with="source")
    assert result.verification and all(v["ok"] for v in result.verification)


def test_the_runtime_of_the_source_sees_an_importer_that_is_wrong(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reference interpreter runs what the importer made; the source's runtime does not."""
    to_core = conversion.to_core

    def wrong(module: Module, *arguments: Any) -> None:
        to_core(module, *arguments)
        for op in module.walk():
            if isinstance(op, core.Constant) and op.value.dtype.is_float and op.value.size > 1:
                op.attributes["value"] = make_const(op.value.view() * np.float32(1.01))
                return

    monkeypatch.setattr(conversion, "to_core", wrong)
    mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", verify=True)
    with pytest.raises(ConversionError, match="LiteRT and the source's runtime disagree"):
        mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", verify=True, verify_with="source")


def test_what_the_source_cannot_run_is_said(models: Path, tmp_path: Path) -> None:
    for path, outputs in (
        (models / "digits_cnn.onnx", ("/Relu_2",)),
        (models / "digits_cnn_saved_model", ("StatefulPartitionedCall",)),
    ):
        with pytest.raises(ConversionError) as error:
            mlconv.convert(path, "tflite", tmp_path / "m.tflite", outputs=outputs, verify=True, verify_with="source")
        assert error.value.code is Code.VerificationImpossible


def test_compare() -> None:
    nan, inf = np.float32(np.nan), np.float32(np.inf)
    x = np.float32([1, nan, inf, -inf])
    assert compare("y", x, x.copy()).ok
    for wrong in (
        [1, inf, inf, -inf],
        [1, nan, -inf, -inf],
        [1, nan, inf, 3],
        [nan, nan, inf, -inf],
        [1.1, nan, inf, -inf],
    ):
        assert not compare("y", x, np.float32(wrong)).ok
    assert not compare("y", np.int64([100000, 5]), np.int64([100000, 6])).ok
    assert not compare("y", np.zeros(3), np.zeros(4)).ok and not compare("y", np.zeros(3), np.zeros(3, np.float32)).ok
    assert (
        compare("y", np.array([b"a"], object), np.array([b"a"], object)).ok
        and not compare("y", np.array([b"a"], object), np.array([b"b"], object)).ok
    )


def test_large_numbers_do_not_hide_a_wrong_row() -> None:
    x = np.random.default_rng(5).standard_normal((1, 4, 16, 16)).astype(np.float32)
    x[:, :, 3::4] *= 1e6
    rounded = x * np.float32(1 + 1e-6) + np.float32(0.5)  # of what was added inside
    row, channel, one = x.copy(), x.copy(), x.copy()
    row[:, :, 4] += 10
    channel[:, 2] += np.float32(1e4)
    one[0, 1, 5, 6] += 10
    assert compare("y", x, rounded).ok
    assert [compare("y", x, wrong).ok for wrong in (row, channel, one)] == [False] * 3
    halves = np.clip(x, -1e4, 1e4).astype(np.float16)
    assert compare("y", halves, halves + np.float16(4)).ok


def test_a_model_in_text_cannot_be_verified_with_its_source(tmp_path: Path) -> None:
    """ONNX Runtime reads binary files alone."""
    path = tmp_path / "m.onnxtxt"
    path.write_text('<ir_version: 8, opset_import: ["" : 17]>\ng (float[2] x) => (float[2] y) { y = Relu(x) }\n')
    result = call("convert", path, "--to", "tflite", "--verify", "--verify-with", "source")
    assert result.exit_code == 3 and Code.VerificationImpossible.id in result.output
    assert "--verify-with reference" in result.output and not (tmp_path / "m.tflite").exists()


def test_the_one_size_that_a_model_takes_is_found(tmp_path: Path) -> None:
    """A file that says a size in one place and leaves it open in another takes one: 16*b*s is 112*b."""
    path = tmp_path / "m.onnxtxt"
    path.write_text(
        '<ir_version: 8, opset_import: ["" : 17]>\n'
        "g (float[b, s, 16] x) => (float[b, 7, 16] y) {\n"
        "  n = Shape <start = 0, end = 1> (x)\n"
        "  rest = Constant <value_ints = [7, 16]> ()\n"
        "  to = Concat <axis = 0> (n, rest)\n"
        "  y = Reshape (x, to)\n"
        "}\n"
    )
    result = call("convert", path, "--to", "native", "-o", tmp_path / "m.o", "--verify")
    assert result.exit_code == 0 and "verified y" in result.output, result.output


def test_models_that_round_may_differ_by_noise() -> None:
    """A step here and there is no fault; a channel that is off, or all numbers by a few parts in a hundred, is one."""
    x = random(64, 40, seed=2)
    steps = np.where(random(64, 40, seed=3) > 2, np.float32(0.05), np.float32(0))
    assert not compare("y", x, x + steps).ok and compare("y", x, x + steps, rounded=True).ok
    wrong = x.copy()
    wrong[:, 3] = -wrong[:, 3]
    assert not compare("y", x, wrong, rounded=True).ok
    assert not compare("y", x, x * np.float32(1.05), rounded=True).ok
    assert not compare("y", np.arange(4), np.asarray([0, 1, 2, 4]), rounded=True).ok


def test_outputs_of_few_numbers_may_be_a_step_apart() -> None:
    """Of six numbers one that is a step off is several parts in a hundred of all."""

    def make(b: Builder, x: Value) -> Value:
        stored = b.emit(core.Quantize(x, element=QuantType.of(DType.I8, 0.05))).y
        return b.emit(core.Transpose(b.emit(core.Dequantize(stored)).y, perm=(1, 0))).y

    x = np.float32([[0.1, -0.2, 0.05, 0, 0.1, 0.3]])
    m = module(make, [x])
    (of_output,) = m.main.outputs
    step = verify.step_of(of_output)
    assert step == np.float32(0.05) and verify.step_of(m.main.inputs[0]) == 0
    off = x.copy()
    off[0, 1] += step
    assert not compare("y", x, off, rounded=True).ok and compare("y", x, off, rounded=True, step=step).ok
    off[0, 2] -= 2 * step
    assert not compare("y", x, off, rounded=True, step=step).ok and not compare("y", x, x + step / 2, step=step).ok


@pytest.mark.parametrize(
    ("fault", "passes"),
    [("some are a step off", True), ("all are a step off", False), ("zeros", False), ("two levels", False)],
)
def test_integers_that_are_a_step_apart(fault: str, passes: bool) -> None:
    """As class scores of bytes are; steps that all are off by, or that are all there is, are a fault."""
    step = np.float32(1 / 256)
    scores = np.zeros((1, 400), np.float32)
    scores[0, ::50] = 20 * step
    got = scores.copy()
    if fault == "some are a step off":
        got[0, 1:180] += step
        got[0, 1] += step
    elif fault == "all are a step off":
        got += step
    elif fault == "zeros":
        got[:] = 0
    else:
        scores[0, ::50] = step
        got[:] = 0
    assert not compare("y", scores, got, rounded=True).ok
    assert compare("y", scores, got, rounded=True, unit=float(step)).ok == passes


def test_the_runtime_of_a_file_of_integers_decides(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the interpreter, which rounds floats between ops, is further off than noise; what is off from both is
    told.
    """
    samples = np.random.default_rng(0).random((4, 1, 8, 8)).astype(np.float32)
    options = {"shapes": SHAPES, "quantize": "int8", "calibration": {"image": samples}}
    mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / "bytes.tflite", **options)
    run, own = verify.run_function, verify.NativeRunner.run
    source = str(tmp_path / "bytes.tflite")

    def shifted(found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: array + array.dtype.type(0.5) for name, array in found.items()}

    with monkeypatch.context() as patched:
        patched.setattr(verify, "run_function", lambda *given: shifted(run(*given)))
        result = mlconv.convert(source, "native", tmp_path / "m.o", verify=True)
    assert all(row["ok"] for row in result.verification)
    with monkeypatch.context() as patched:
        patched.setattr(verify.NativeRunner, "run", lambda self, *given: shifted(own(self, *given)))
        with pytest.raises(ConversionError, match="the source's runtime disagree"):
            mlconv.convert(source, "native", tmp_path / "m.o", verify=True)


def test_a_tensor_that_is_an_output_twice() -> None:
    """LiteRT tells of it twice, by one name; the importer names both."""

    class Twice:
        def get_signature_list(self) -> dict[str, object]:
            return {}

        def get_input_details(self) -> list[dict[str, str]]:
            return [{"name": "x"}]

        def get_output_details(self) -> list[dict[str, str]]:
            return [{"name": "y"}, {"name": "y"}]

    taken, made = details_of(Twice(), "")
    assert list(taken) == ["x"] and list(made) == ["y", "y_1"]
