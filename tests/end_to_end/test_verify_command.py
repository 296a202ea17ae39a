"""`mlconv verify`: pairs of models that agree raise no alarm, and what differs is measured and told."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.commands.verify_report import report_comparison
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.verification import Asked, verify
from mlconv.runtime.compare import Tolerance
from mlconv.runtime.measures import Limits, Verdict
from tests.support.cli import call
from tests.support.npz import npz

MODEL = "digits_cnn.onnx"


def images(models: Path) -> np.ndarray:
    """What the model was tested with, channels first."""
    return np.ascontiguousarray(npz(models / "digits_cnn.npz")["image"].transpose(0, 3, 1, 2))


@pytest.fixture(scope="module")
def made(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Artifacts of one model, float and int8."""
    folder = tmp_path_factory.mktemp("verify")
    np.savez(folder / "samples.npz", image=images(models)[:64])
    for target, suffix in (("tflite", "tflite"), ("onnx", "onnx"), ("native", "o"), ("hlo", "hlo")):
        shapes = {"image": (2, 1, 8, 8)} if target == "hlo" else {}
        mlconv.convert(models / MODEL, target, folder / f"float.{suffix}", shapes=shapes)
        if target != "hlo":
            mlconv.quantize(models / MODEL, target, folder / f"int8.{suffix}", calibration=str(folder / "samples.npz"))
    return folder


@pytest.mark.share(4)
@pytest.mark.parametrize("artifact", ["float.tflite", "float.onnx", "float.o", "float.hlo"])
def test_artifacts_of_every_target_against_their_model(models: Path, made: Path, artifact: str) -> None:
    found = verify(models / MODEL, made / artifact)
    assert found.ok and all(m.verdict in (Verdict.EQUAL, Verdict.TOLERANCE) for m in found.outputs)
    assert all(m.snr_db > 80 and m.cosine > 1 - 1e-9 and m.top1 == 1.0 for m in found.outputs)


@pytest.mark.parametrize("a", ["int8.tflite", "int8.onnx", "int8.o"])
@pytest.mark.parametrize("b", ["int8.tflite", "int8.onnx", "int8.o"])
def test_quantized_artifacts_against_one_another(made: Path, a: str, b: str) -> None:
    found = verify(made / a, made / b, Asked(runs=3))
    assert found.ok, found.problem


@pytest.mark.parametrize("artifact", ["int8.tflite", "int8.onnx", "int8.o"])
def test_quantized_artifacts_against_the_model(models: Path, made: Path, artifact: str) -> None:
    found = verify(models / MODEL, made / artifact, Asked(data=str(made / "samples.npz")))
    assert found.ok and found.outputs[0].verdict in (Verdict.NOISE, Verdict.STEP)
    assert 15 < found.outputs[0].snr_db < 60
    strict = verify(models / MODEL, made / artifact, Asked(data=str(made / "samples.npz"), limits=Limits(snr=70)))
    assert not strict.ok and "expected 70" in strict.problem


def test_reference_kernels_and_backends(models: Path, made: Path) -> None:
    found = verify(made / "int8.tflite", made / "int8.tflite", Asked(backends=("litert", "litert-reference")))
    assert found.ok and found.b.runtime == "LiteRT's reference kernels"
    for backend in ("onnxruntime", "native", "reference"):
        assert verify(models / MODEL, made / "float.tflite", Asked(backends=(backend, "auto"))).ok
    with pytest.raises(ConversionError, match="does not run on xla: it runs on onnxruntime") as caught:
        verify(models / MODEL, made / "float.tflite", Asked(backends=("xla", "auto")))
    assert caught.value.code is Code.UsageError


def test_answers_that_are_given(models: Path, made: Path, tmp_path: Path) -> None:
    golden = npz(models / "digits_cnn.npz")
    np.savez(tmp_path / "x.npz", image=images(models)[:5])
    np.savez(tmp_path / "y.npz", anything=golden["scores"][:5])
    np.savez(tmp_path / "bad.npz", scores=golden["scores"][:5] + np.eye(5, 10, dtype=np.float32) / 50)
    arguments = ("verify", made / "float.tflite", "--data", tmp_path / "x.npz", "--expect")
    assert call(*arguments, tmp_path / "y.npz").exit_code == 0
    failed = call(*arguments, tmp_path / "bad.npz")
    assert failed.exit_code == 3 and "MLC0701" in failed.stderr and "different" in failed.stdout
    assert call(*arguments, tmp_path / "bad.npz", "--atol", "0.1").exit_code == 0
    assert call("verify", made / "float.tflite", "--expect", tmp_path / "y.npz").exit_code == 2
    assert call("verify", made / "float.tflite").exit_code == 2


def test_run_holds_outputs_to_given_answers(models: Path, tmp_path: Path) -> None:
    golden = npz(models / "digits_cnn.npz")
    np.savez(tmp_path / "x.npz", image=images(models)[:5])
    np.savez(tmp_path / "y.npz", scores=golden["scores"][:5])
    np.savez(tmp_path / "bad.npz", scores=golden["scores"][:5] + np.eye(5, 10, dtype=np.float32) / 50)
    assert call("convert", models / MODEL, "--to", "native", "-o", tmp_path / "m.o").exit_code == 0
    for model in ((models / MODEL, "--backend", "reference"), (tmp_path / "m.o",)):
        arguments = ("run", *model, "--data", tmp_path / "x.npz", "--expect")
        assert call(*arguments, tmp_path / "y.npz").exit_code == 0
        failed = call(*arguments, tmp_path / "bad.npz")
        assert failed.exit_code == 3 and "MLC0701" in failed.stderr and "different" in failed.stdout
        assert call(*arguments, tmp_path / "bad.npz", "--atol", "0.1").exit_code == 0
    assert call("run", models / MODEL, "--expect", tmp_path / "y.npz").exit_code == 2


def changed(models: Path, folder: Path, by: float) -> Path:
    """The model with one channel of its first convolution off by a part of its weights."""
    model = onnx.load(models / MODEL)
    conv = next(n for n in model.graph.node if n.op_type == "Conv")
    weights = next(t for t in model.graph.initializer if t.name == conv.input[1])
    array = numpy_helper.to_array(weights).copy()
    array[3] *= 1 + by
    weights.CopyFrom(numpy_helper.from_array(array, weights.name))
    onnx.save(model, folder / "changed.onnx")
    return folder / "changed.onnx"


def test_a_channel_that_is_off_by_less_than_a_hundredth(models: Path, tmp_path: Path) -> None:
    wrong = changed(models, tmp_path, 8e-3)
    found = call("verify", models / MODEL, wrong, "--json", "--runs", "2")
    assert found.exit_code == 3 and not json.loads(found.stdout)["ok"]
    assert verify(models / MODEL, wrong, Asked(limits=Limits(Tolerance(0.1, 0.1)))).ok


def model_of(folder: Path, name: str, text: str) -> Path:
    onnx.save(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]>\n{text}'), folder / name)
    return folder / name


def test_nan_at_the_same_place_is_no_alarm(tmp_path: Path) -> None:
    a = model_of(tmp_path, "a.onnx", "g (float[2, 9] x) => (float[2, 9] y) { y = Log (x) }")
    found = verify(a, a, Asked(backends=("onnxruntime", "reference")))
    assert found.ok and found.outputs[0].max_abs < 1e-5
    b = model_of(tmp_path, "b.onnx", "g (float[2, 9] x) => (float[2, 9] y) { a = Abs (x) y = Log (a) }")
    wrong = verify(a, b)
    assert not wrong.ok and "nan and " in wrong.problem


def test_images_with_channels_last_and_names_in_order(models: Path, tmp_path: Path) -> None:
    mlconv.convert(models / MODEL, "tflite", tmp_path / "m.tflite", io_layout="nhwc")
    assert verify(models / MODEL, tmp_path / "m.tflite", options=mlconv.Options(shapes={"image": (3, 1, 8, 8)})).ok
    a = model_of(tmp_path, "a.onnx", "g (float[N, 3] x, int64[2] i) => (float[2, 3] y) { y = Gather (x, i) }")
    b = model_of(tmp_path, "b.onnx", "g (float[4, 3] u, int32[2] v) => (float[2, 3] w) { w = Gather (u, v) }")
    found = call("verify", a, b)
    assert found.exit_code == 0 and "x is taken for u" in found.stdout and "y is taken for w" in found.stdout


def test_interfaces_that_do_not_fit(tmp_path: Path) -> None:
    a = model_of(tmp_path, "a.onnx", "g (float[2, 3] x) => (float[2, 3] y) { y = Relu (x) }")
    b = model_of(tmp_path, "b.onnx", "g (float[2, 4] x) => (float[2, 4] y) { y = Relu (x) }")
    c = model_of(tmp_path, "c.onnx", "g (float[2, 3] x, float[2, 3] z) => (float[2, 3] y) { y = Add (x, z) }")
    for other in (b, c):
        with pytest.raises(ConversionError) as caught:
            verify(a, other)
        assert caught.value.code is Code.InterfacesDiffer
    with pytest.raises(ConversionError, match="--shape names q"):
        verify(a, a, options=mlconv.Options(shapes={"q": (2,)}))


@pytest.mark.parametrize(("noise", "verdict"), [(0.001, Verdict.HALVES), (0.06, Verdict.DIFFERENT)])
def test_halves_beside_floats(models: Path, tmp_path: Path, noise: float, verdict: Verdict) -> None:
    """Weights of 16 bits move numbers less than integers do: 24 dB are a fault."""
    mlconv.convert(models / MODEL, "tflite", tmp_path / "half.tflite", quantize="float16")
    wrong = onnx.load(models / MODEL)
    weights = max(wrong.graph.initializer, key=lambda t: math.prod(t.dims))
    x = numpy_helper.to_array(weights)
    x = x * (1 + noise * np.random.default_rng(0).choice([-1, 1], x.shape))
    weights.CopyFrom(numpy_helper.from_array(x.astype(np.float32), weights.name))
    onnx.save(wrong, tmp_path / "wrong.onnx")
    found = verify(tmp_path / "wrong.onnx", tmp_path / "half.tflite", Asked(limits=Limits(Tolerance(1e-6, 0))))
    assert found.outputs[0].verdict is verdict, found.outputs[0]
    assert verdict is Verdict.HALVES or 15 < found.outputs[0].snr_db < 30


def test_integers_beside_halves(models: Path, tmp_path: Path) -> None:
    """A file of float16 weights is to one of integers what one of float32 is."""
    mlconv.convert(models / MODEL, "tflite", tmp_path / "half.tflite", quantize="float16")
    mlconv.convert(tmp_path / "half.tflite", "tflite", tmp_path / "whole.tflite", quantize="int4")
    found = verify(tmp_path / "half.tflite", tmp_path / "whole.tflite", Asked(limits=Limits(snr=5)))
    assert found.ok and found.outputs[0].verdict is Verdict.NOISE
    renamed = replace(found, outputs=[replace(found.outputs[0], name="a" * 60)])
    (row,) = (r for r in report_comparison(renamed).splitlines() if r.endswith(" quantization noise"))
    assert len(row) <= 80, row  # names fold, verdicts do not


def test_outputs_whose_declared_shapes_are_wrong(tmp_path: Path) -> None:
    """ONNX Runtime warns and gives what it computes."""
    body = "{ s = Shape (x) t = Slice (o, z, i) n = Concat <axis = 0> (t, s) y = Reshape (x, n) }"
    made = "<int64[2] o = {1, 1}, int64[1] z = {0}, int64[1] i = {1}>"
    a = model_of(tmp_path, "a.onnx", f"g (float[2, 3] x) => (float[1, n] y) {made} {body}")
    b = model_of(tmp_path, "b.onnx", f"g (float[2, 3] x) => (float[1, 2, 3] y) {made} {body}")
    c = model_of(tmp_path, "c.onnx", "g (float[2, 3] x) => (float[2, 3] y) { y = Relu (x) }")
    assert verify(a, b).ok
    (differs,) = verify(a, c).outputs
    assert not differs.verdict.ok and differs.why == "shapes [1, 2, 3] and [2, 3]"


def test_tables_fold_at_80_columns(models: Path, tmp_path: Path) -> None:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    name = "a/very/long/name/" * 6 + "of_an_output"
    y = helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])
    graph = helper.make_graph([helper.make_node("Exp", ["x"], [name])], "g", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    found = call("verify", tmp_path / "m.onnx", tmp_path / "m.onnx", "--backend-b", "reference")
    assert found.exit_code == 0 and max(map(len, found.stdout.split("\n\n")[1].splitlines())) <= 80


@pytest.mark.parametrize("command", [("convert", "--to", "tflite", "--verify"), ("bisect", "--to", "onnx"), ("bench",)])
def test_other_commands_hold_to_given_answers(models: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    golden = npz(models / "digits_cnn.npz")
    np.savez(tmp_path / "x.npz", image=images(models)[:5])
    np.savez(tmp_path / "y.npz", scores=golden["scores"][:5])
    np.savez(tmp_path / "bad.npz", scores=golden["scores"][:5] + np.eye(5, 10, dtype=np.float32) / 50)
    (tmp_path / "m.onnx").write_bytes((models / MODEL).read_bytes())
    arguments = (command[0], tmp_path / "m.onnx", *command[1:])
    arguments += ("--rounds", "1") if command[0] == "bench" else ()
    given = (*arguments, "--data", tmp_path / "x.npz", "--expect")
    right = call(*given, tmp_path / "y.npz")
    assert right.exit_code == 0, right.stderr
    wrong = call(*given, tmp_path / "bad.npz")
    assert wrong.exit_code == 3 and "MLC0701" in wrong.stderr and "scores: largest difference 0.02" in wrong.stderr
    assert call(*given, tmp_path / "bad.npz", "--atol", "0.1").exit_code == 0
    assert call(*arguments, "--expect", tmp_path / "y.npz").exit_code == 2


@pytest.mark.parametrize("to", ["tflite", "native", "onnx"])
def test_a_quantized_artifact_is_held_to_answers_of_floats(models: Path, tmp_path: Path, to: str) -> None:
    golden = npz(models / "digits_cnn.npz")
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
    for k in range(2):
        np.savez(tmp_path / "x" / f"{k}.npz", image=images(models)[8 * k : 8 * k + 8])
        np.savez(tmp_path / "y" / f"{k}.npz", scores=golden["scores"][8 * k : 8 * k + 8])
    settings = {"calibration": str(tmp_path / "samples.npz"), "verify": True, "data": str(tmp_path / "x")}
    np.savez(tmp_path / "samples.npz", image=images(models)[:64])
    out = tmp_path / f"m.{to}"
    held = mlconv.quantize(models / MODEL, to, out, expect=str(tmp_path / "y"), **settings)
    ((row,),) = (held.verification,)
    assert row["ok"] and row["max_abs"] > 1e-3
    with pytest.raises(ConversionError, match=r"does not give the answers of .*expected 60") as caught:
        mlconv.quantize(models / MODEL, to, out, expect=str(tmp_path / "y"), min_snr=60.0, **settings)
    assert caught.value.code is Code.VerificationFailed


def test_numbers_below_the_tolerance_are_told(tmp_path: Path) -> None:
    """Outputs of 1e-7 hold beside any others that are small; a remark says that nothing was compared."""
    for name, factor in (("a", 1e-7), ("b", 2e-7), ("c", 1.0)):
        weights = [numpy_helper.from_array(np.full((3, 2), factor, np.float32), "w")]
        x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, s]) for n, s in (("x", 3), ("y", 2)))
        graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [x], [y], weights)
        onnx.save(
            helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
            tmp_path / f"{name}.onnx",
        )
    small = call("verify", tmp_path / "a.onnx", tmp_path / "b.onnx")
    assert small.exit_code == 0 and "--atol 0 compares them" in small.output
    assert call("verify", tmp_path / "a.onnx", tmp_path / "b.onnx", "--atol", "0").exit_code == 3
    assert "hidden" not in call("verify", tmp_path / "c.onnx", tmp_path / "c.onnx").output


@pytest.mark.parametrize(("target", "suffix"), [("native", "o"), ("hlo", "hlo"), ("stablehlo", "mlir")])
def test_outputs_whose_sizes_data_decide(target: str, suffix: str, tmp_path: Path) -> None:
    """Artifacts have room for all there can be, and tell how much there is in a further output."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 4])
    y = helper.make_tensor_value_info("y", TensorProto.INT64, None)
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("NonZero", ["r"], ["y"])]
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, tmp_path / "m.onnx")
    mlconv.convert(tmp_path / "m.onnx", target, tmp_path / f"m.{suffix}")
    found = verify(tmp_path / "m.onnx", tmp_path / f"m.{suffix}", Asked(runs=2))
    assert [(m.name, m.other, m.verdict) for m in found.outputs] == [("y", "y", Verdict.EQUAL)]


def test_weights_in_the_body_of_a_loop_are_rounded_too(tmp_path: Path) -> None:
    """What a subgraph holds makes noise as what the first one holds does: no alarm."""
    names = {"i": TensorProto.INT64, "c": TensorProto.BOOL, "d": TensorProto.BOOL, "n": TensorProto.INT64}
    tensors = {name: helper.make_tensor_value_info(name, kind, []) for name, kind in names.items()}
    for name in "xsty":
        tensors[name] = helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 32])
    nodes = [("MatMul", ["s", "w"], ["m"]), ("Tanh", ["m"], ["t"]), ("Identity", ["c"], ["d"])]
    body = helper.make_graph(
        [helper.make_node(*n) for n in nodes], "b", [tensors[n] for n in "ics"], [tensors[n] for n in "dt"]
    )
    weights = np.random.default_rng(3).normal(size=(32, 32), scale=0.2).astype(np.float32)
    loop = helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)
    graph = helper.make_graph(
        [loop], "g", [tensors[n] for n in "xn"], [tensors["y"]], [numpy_helper.from_array(weights, "w")]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "m.onnx")
    mlconv.convert(tmp_path / "m.onnx", "tflite", tmp_path / "m.tflite", quantize="dynamic-range")
    found = verify(tmp_path / "m.onnx", tmp_path / "m.tflite", Asked(layers=True))
    assert [m.verdict for m in found.outputs] == [Verdict.NOISE] and found.ok, found.problem
