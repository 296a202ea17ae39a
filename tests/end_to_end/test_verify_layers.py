"""`mlconv verify --per-layer`: the first op that is off is named, and pairs that agree raise no alarm."""

from __future__ import annotations

import json
from pathlib import Path

import flatbuffers
import numpy as np
import onnx
import pytest
from ai_edge_litert import schema_py_generated as schema
from onnx import numpy_helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.bisection import bisect
from mlconv.driver.context import BUILT_IN
from mlconv.driver.verification import Asked, Comparison, verify
from mlconv.provenance.locations import node_names
from mlconv.runtime.onnx_runtime import values_inside
from tests.support.cli import call
from tests.support.npz import npz
from tests.support.wrong_passes import one_channel, wrong_writer

MODELS = {"digits_cnn": (), "digits_transformer": (), "digits_rnn": (2, 8, 8)}


def options_for(model: str) -> mlconv.Options:
    return mlconv.Options(shapes={"image": MODELS[model]} if MODELS[model] else {})


def layers(a: Path, b: Path, model: str, **asked: object) -> Comparison:
    return verify(a, b, Asked(layers=True, **asked), options_for(model))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def made(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Artifacts of three models, float and int8."""
    folder = tmp_path_factory.mktemp("layers")
    for model in MODELS:
        images = npz(models / f"{model}.npz")["image"][:48]
        images = images.transpose(0, 3, 1, 2) if model == "digits_cnn" else images
        np.savez(folder / "samples.npz", image=np.ascontiguousarray(images))
        shapes = options_for(model).shapes
        for target in ("tflite", "onnx"):
            path = models / f"{model}.onnx"
            mlconv.convert(path, target, folder / f"{model}.{target}", shapes=shapes)
            small = folder / f"{model}.int8.{target}"
            mlconv.quantize(path, target, small, calibration=str(folder / "samples.npz"), shapes=shapes)
    return folder


@pytest.mark.share(4)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("suffix", ["tflite", "onnx", "int8.tflite", "int8.onnx"])
def test_no_alarm_for_what_conversion_does(models: Path, made: Path, model: str, suffix: str) -> None:
    found = layers(models / f"{model}.onnx", made / f"{model}.{suffix}", model, seed=3)
    assert found.ok, found.problem
    assert found.layers is not None and len(found.layers.report.layers) >= 3


@pytest.mark.parametrize("model", MODELS)
def test_no_alarm_between_quantized_files(made: Path, model: str) -> None:
    found = layers(made / f"{model}.int8.onnx", made / f"{model}.int8.tflite", model)
    assert found.ok, found.problem


def planted(path: Path, to: Path, number: int, by: float) -> str:
    """A model with one output channel of a product's weights off by a part; returns the product's node."""
    model = onnx.load(path)
    known = {t.name: t for t in model.graph.initializer}
    nodes = [n for n in model.graph.node if n.op_type in ("Conv", "Gemm", "MatMul") and n.input[1] in known]
    node = nodes[number]
    tensor = known[node.input[1]]
    weights = numpy_helper.to_array(tensor).copy()
    rows = node.op_type == "Conv" or any(a.name == "transB" and a.i for a in node.attribute)
    weights[(3,) if rows else (..., 3)] *= 1 + by
    tensor.CopyFrom(numpy_helper.from_array(weights, tensor.name))
    onnx.save(model, to)
    return node.name


FAULTS = [
    ("digits_cnn", 0, 8e-3),
    ("digits_cnn", 1, 3e-3),
    ("digits_cnn", 2, 0.05),
    ("digits_transformer", 1, 8e-3),
    ("digits_transformer", 3, 5e-3),
    ("digits_transformer", 5, 0.3),
    ("digits_transformer", 6, 2e-3),
    ("digits_rnn", 0, 9e-3),
]


@pytest.mark.parametrize(("model", "number", "by"), FAULTS)
def test_the_first_op_that_is_off_is_named(models: Path, tmp_path: Path, model: str, number: int, by: float) -> None:
    node = planted(models / f"{model}.onnx", tmp_path / "bad.onnx", number, by)
    mlconv.convert(tmp_path / "bad.onnx", "tflite", tmp_path / "bad.tflite", shapes=options_for(model).shapes)
    for artifact in ("bad.onnx", "bad.tflite"):
        found = layers(models / f"{model}.onnx", tmp_path / artifact, model, seed=1)
        assert found.layers is not None and not found.ok
        first = found.layers.report.first
        assert first is not None and found.error().diagnostic.node == node, found.problem
        assert found.layers.report.layers.index(first) == min(
            i for i, row in enumerate(found.layers.report.layers) if row.why
        )


@pytest.mark.parametrize("number", [1, 2])
def test_integers_that_are_off_in_one_channel(made: Path, tmp_path: Path, number: int) -> None:
    """A scale of one channel of weights, beside a quantized file of the same scheme."""
    model = onnx.load(made / "digits_cnn.int8.onnx")
    known = {t.name: t for t in model.graph.initializer}
    weights = [n for n in model.graph.node if n.op_type == "DequantizeLinear" and n.input[0] in known]
    node = [n for n in weights if len(known[n.input[0]].dims) == 4][number]
    scales = known[node.input[1]]
    array = numpy_helper.to_array(scales).copy()
    array[5] *= 1.03
    scales.CopyFrom(numpy_helper.from_array(array, scales.name))
    onnx.save(model, tmp_path / "bad.onnx")
    for good in ("digits_cnn.int8.onnx", "digits_cnn.int8.tflite"):
        found = layers(tmp_path / "bad.onnx", made / good, "digits_cnn")
        assert not found.ok and found.error().diagnostic.node == ["", "/Conv_3", "/Conv_5"][number], found.problem
        assert found.layers is not None and "channel 5" in found.layers.problem


@pytest.mark.parametrize("good", ["digits_cnn.onnx", "digits_cnn.int8.onnx"])
def test_integers_that_are_read_as_others(models: Path, made: Path, tmp_path: Path, good: str) -> None:
    """By one step, between QuantizeLinear and DequantizeLinear."""
    model = onnx.load(made / "digits_cnn.int8.onnx")
    known = {t.name: t for t in model.graph.initializer}
    node = [n for n in model.graph.node if n.op_type == "DequantizeLinear" and n.input[0] not in known][2]
    zero = numpy_helper.to_array(known[node.input[2]])
    model.graph.initializer.append(numpy_helper.from_array(np.asarray(zero + 1, zero.dtype), "other"))
    node.input[2] = "other"
    onnx.save(model, tmp_path / "bad.onnx")
    found = layers((made if "int8" in good else models) / good, tmp_path / "bad.onnx", "digits_cnn")
    assert not found.ok and "are read as" in found.problem, found.problem


@pytest.mark.parametrize(("number", "of"), [(1, "scales"), (1, "biases")])
def test_integers_beside_floats(models: Path, made: Path, tmp_path: Path, number: int, of: str) -> None:
    """A scale that is off by 2 %, or a bias by about a step, of one channel, is less than what roundings hide."""
    model = onnx.load(made / "digits_cnn.int8.onnx")
    known = {t.name: t for t in model.graph.initializer}
    made_by = {o: n for n in model.graph.node for o in n.output}
    nodes = [n for n in model.graph.node if n.op_type == "Conv" and len(n.input) > 2]
    read = made_by[nodes[number].input[1 if of == "scales" else 2]].input
    tensor = known[read[1 if of == "scales" else 0]]
    array = numpy_helper.to_array(tensor).copy()
    array[5] += array.dtype.type(array[5] * 0.02 if of == "scales" else np.abs(array).max() / 8)
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    onnx.save(model, tmp_path / "bad.onnx")
    found = layers(models / "digits_cnn.onnx", tmp_path / "bad.onnx", "digits_cnn")
    assert found.layers is not None and found.layers.report.first is not None
    assert nodes[number].name in {n for op in found.layers.report.first.ops for n in node_names(op.location)}


@pytest.mark.share(2)
@pytest.mark.parametrize(
    ("scheme", "granularity", "of"),
    [
        ("int8", "channel", "scales"),
        ("int8", "tensor", "scales"),
        ("int8", "channel", "weights"),
        ("int16x8", "channel", "scales"),
        ("dynamic-range", "channel", "scales"),
        ("dynamic-range", "channel", "biases"),
        ("int8-weights", "channel", "scales"),
        ("int8-weights", "channel", "weights"),
    ],
)
def test_stored_integers_beside_floats(
    models: Path, made: Path, tmp_path: Path, scheme: str, granularity: str, of: str
) -> None:
    """A scale that is off by 1 %, one weight, or one bias, in files of all schemes: in both orders, and beside the file
    as it should be.
    """
    images = npz(models / "digits_cnn.npz")["image"][:48].transpose(0, 3, 1, 2)
    np.savez(tmp_path / "samples.npz", image=np.ascontiguousarray(images))
    good, bad = tmp_path / "good.onnx", tmp_path / "bad.onnx"
    options = {"calibration": str(tmp_path / "samples.npz"), "scheme": scheme, "granularity": granularity}
    mlconv.quantize(models / "digits_cnn.onnx", "onnx", good, **options)  # type: ignore[arg-type]
    model = onnx.load(good)
    known = {t.name: t for t in model.graph.initializer}
    made_by = {o: n for n in model.graph.node for o in n.output}
    node = [n for n in model.graph.node if n.op_type == "Conv"][1]
    read = node.input[2 if of == "biases" else 1]
    tensor = known[read if read in known else made_by[read].input[1 if of == "scales" else 0]]
    array = numpy_helper.to_array(tensor).copy()
    if of == "weights":
        one = array.reshape(-1)[40:41]
        one += np.int8(-40 if one > 0 else 40)
    else:
        array.reshape(-1)[5 % array.size] += 0.01 * array.max() if of == "scales" else 0.1 * abs(array).max()
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    onnx.save(model, bad)
    for a, b in ((models / "digits_cnn.onnx", bad), (bad, models / "digits_cnn.onnx"), (good, bad)):
        found = layers(a, b, "digits_cnn").layers
        assert found is not None and found.report.first is not None, (a.name, b.name)
        assert node.name in {n for op in found.report.first.ops for n in node_names(op.location)}, found.problem
    for a, b in ((models / "digits_cnn.onnx", good), (good, models / "digits_cnn.onnx")):
        assert not layers(a, b, "digits_cnn").problem


@pytest.mark.parametrize("alpha", [0.1, 0.11])
def test_functions_behind_products_beside_floats(tmp_path: Path, alpha: float) -> None:
    """A slope that is off by 0.01 is less than a step of the integers that a value becomes."""
    text = """<ir_version: 8, opset_import: ["" : 17]>
        net (float[1, 3, 10, 10] x) => (float[1, 8, 8, 8] y) {
            h = Conv <kernel_shape = [3, 3]> (x, w, b)
            y = LeakyRelu <alpha = 0.1> (h)
        }"""
    samples = np.random.default_rng(1).normal(size=(8, 3, 10, 10)).astype(np.float32)
    data = _small(tmp_path / "m.onnx", text, samples)
    other = tmp_path / "other.onnx"
    _small(other, text.replace("0.1>", f"{alpha}>"), samples)
    mlconv.quantize(other, "tflite", tmp_path / "q.tflite", calibration=data)
    found = verify(tmp_path / "m.onnx", tmp_path / "q.tflite", Asked(layers=True)).layers
    assert found is not None and (found.report.first is None) == (alpha == 0.1), found.problem
    assert alpha == 0.1 or "leaky_relu" in found.problem


def test_parts_in_another_order_are_told_where_they_are_joined(tmp_path: Path) -> None:
    """Sizes of two axes are the same, so that joined parts fit, turned, as badly as they do."""
    text = """g (float[1, 3, 8, 8] x) => (float[1, 4, 8, 8] y) { a = Conv <pads = [1, 1, 1, 1]> (x, w) b = Tanh (a)
        joined = Concat <axis = 1> (PARTS) y = Conv <pads = [1, 1, 1, 1]> (joined, v) }"""
    weights = {"w": (6, 3, 3, 3), "v": (4, 12, 3, 3)}
    good, bad = (tmp_path / name for name in ("good", "bad"))
    for folder, parts in ((good, "a, b"), (bad, "b, a")):
        folder.mkdir()
        drawn(folder, text.replace("PARTS", parts), weights)
    mlconv.convert(bad / "m.onnx", "tflite", bad / "m.tflite")
    found = verify(good / "m.onnx", bad / "m.tflite", Asked(layers=True)).layers
    assert found is not None and found.report.first is not None and found.report.first.op.name == "core.concat"


@pytest.mark.parametrize("by", [0.0, 0.06])
def test_weights_of_products_that_are_split_behind(tmp_path: Path, by: float) -> None:
    """Quantization makes a product of each part."""
    text = """g (float[1, 32, 16] x) => (float[1, 32, 8] y)
        { h = MatMul (x, w) s = Add (h, b) p, g = Split <axis = -1, num_outputs = 2> (s) y = Mul (p, g) }"""
    path = drawn(tmp_path, text, {"w": (16, 16), "b": (16,)}, opset=18)
    wrong = onnx.load(path)
    w = numpy_helper.to_array(wrong.graph.initializer[0]).copy()
    w[:, 11] *= 1 + by
    wrong.graph.initializer[0].CopyFrom(numpy_helper.from_array(w, "w"))
    onnx.save(wrong, tmp_path / "wrong.onnx")
    mlconv.quantize(tmp_path / "wrong.onnx", "tflite", tmp_path / "q.tflite", calibration="random:8")
    found = verify(path, tmp_path / "q.tflite", Asked(layers=True)).layers
    assert found is not None and ("channel 3 are scaled" in found.problem) == (by > 0), found.problem
    assert by or not found.problem


def drawn(folder: Path, text: str, weights: dict[str, tuple[int, ...]], opset: int = 17) -> Path:
    """A model with random weights; those called q are positive."""
    rng = np.random.default_rng(5)
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]>\n{text}')
    for name, shape in weights.items():
        array = rng.standard_normal(shape).astype(np.float32) * np.float32(0.4)
        model.graph.initializer.append(numpy_helper.from_array(abs(array) + 0.5 if name == "q" else array, name))
    for i, node in enumerate(model.graph.node):
        node.name = f"n{i}_{node.op_type}"
    onnx.save(model, folder / "m.onnx")
    return folder / "m.onnx"


def test_no_alarm_for_what_is_no_value_of_the_model(tmp_path: Path) -> None:
    """LiteRT's convolution has one of two limits in it; what is behind agrees with that to the bit."""
    path = drawn(
        tmp_path,
        """g (float[1, 3, 8, 8] x) => (float[1, 16, 8, 8] y) <float l = {0}, float h = {5.97}> {
        a = Conv <pads = [2, 2, 2, 2]> (x, w) b = Clip (a, l, h) y = LeakyRelu <alpha = 0.3> (b) }""",
        {"w": (16, 3, 5, 5)},
    )
    mlconv.convert(path, "tflite", tmp_path / "m.tflite")
    found = verify(path, tmp_path / "m.tflite", Asked(layers=True))
    assert found.ok, found.problem


@pytest.mark.parametrize("target", ["onnx", "tflite"])
def test_no_alarm_for_what_is_named_after_another_node(tmp_path: Path, target: str) -> None:
    """The file's input in integers is called after the node that reads it, and has the size of that node's result; what
    is computed of it says nothing of how others are laid out and scaled.  Random inputs are not all cut off inside.
    """
    path = drawn(
        tmp_path,
        """g (float[2, 8, 10, 10] x) => (float[2, 6] y) { a = Conv <pads = [1, 1, 1, 1]> (x, w, b)
        n = BatchNormalization (a, s, b, m, q) r = Relu (n) c = Conv <pads = [1, 1, 1, 1]> (r, v) d = Add (c, x)
        e = Relu (d) f = GlobalAveragePool (e) g1 = Flatten (f) y = Gemm <transB = 1> (g1, k) }""",
        {"w": (8, 8, 3, 3), "v": (8, 8, 3, 3), "b": (8,), "k": (6, 8), "s": (8,), "m": (8,), "q": (8,)},
    )
    rng = np.random.default_rng(1)
    np.savez(tmp_path / "s.npz", x=rng.standard_normal((16, 8, 10, 10)).astype(np.float32))
    small = tmp_path / f"small.{target}"
    mlconv.quantize(path, target, small, calibration=str(tmp_path / "s.npz"))
    found = verify(path, small, Asked(layers=True, seed=3))
    assert found.ok, found.problem


def test_report_and_exit_code(models: Path, tmp_path: Path) -> None:
    planted(models / "digits_cnn.onnx", tmp_path / "bad.onnx", 1, 4e-3)
    arguments = ("verify", models / "digits_cnn.onnx", tmp_path / "bad.onnx", "--per-layer")
    text = call(*arguments)
    assert text.exit_code == 3 and "first that differs" in text.stdout and "node: /Conv_3" in text.stderr
    data = json.loads(call(*arguments, "--json").stdout)["layers"]
    assert data["rows"][data["first"]]["node"] == "/Conv_3" and "roundings do" in data["rows"][data["first"]]["why"]


@pytest.mark.long  # TensorFlow starts twice
@pytest.mark.parametrize("target", ["graphdef", "savedmodel"])
def test_nodes_of_tensorflow_are_told_by_those_they_were_made_of(
    models: Path, tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their names begin with no slash, and have digits behind."""
    wrong_writer(monkeypatch, BUILT_IN.targets[target], one_channel("/Conv_5", 6e-3))
    mlconv.convert(models / "digits_cnn.onnx", target, tmp_path / "m.pb")
    found = layers(models / "digits_cnn.onnx", tmp_path / "m.pb", "digits_cnn")
    assert found.layers is not None and len(found.layers.report.layers) >= 9 and "/Conv_5" in found.problem


def test_what_shows_no_layers(models: Path, made: Path, tmp_path: Path) -> None:
    mlconv.convert(models / "digits_cnn.onnx", "native", tmp_path / "m.o")
    for a, b in ((models / "digits_cnn.onnx", tmp_path / "m.o"), (tmp_path / "m.o", tmp_path / "m.o")):
        with pytest.raises(ConversionError) as caught:
            layers(a, b, "digits_cnn")
        assert caught.value.code is Code.VerificationImpossible


@pytest.mark.parametrize("name", ["jax_mlp.hlo.pb", "jax_bf16.hlo.pb", "jax_mlp.stablehlo.mlir"])
def test_modules_of_others_on_xla(corpus: Path, name: str) -> None:
    """No file of facts lies beside them, and XLA leaves out roundings to 16 bits between ops that it fuses."""
    path = corpus / "models" / "hlo" / name
    assert min(m.snr_db for m in verify(path, path, Asked(backends=("xla", "reference"))).outputs) > 35
    assert not bisect(path, "onnx").problem


def test_stablehlo_and_tflite(models: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    mlconv.convert(models / "digits_cnn.onnx", "stablehlo", path, shapes={"image": (2, 1, 8, 8)})
    mlconv.convert(path, "tflite", tmp_path / "m.tflite")
    found = verify(path, tmp_path / "m.tflite")
    assert found.ok, found.problem


@pytest.mark.parametrize(
    "name", ["litert_call_once_mul", "litert_lstm", "mnist_lstm_int8", "digits_cnn_int16", "hello_world_int8"]
)
def test_a_file_is_its_own_like(corpus: Path, name: str) -> None:
    """Variables have no numbers to look at, states are assigned by ops without results, and kernels of 16 bits
    interpolate.
    """
    path = corpus / "models" / "tflite" / f"{name}.tflite"
    found = verify(path, path, Asked(layers=True, seed=5))
    assert found.ok, found.problem


def _small(path: Path, nodes: str, samples: np.ndarray) -> str:
    """A model with drawn weights, and samples for it; returns their path."""
    rng = np.random.default_rng(0)
    model = onnx.parser.parse_model(nodes)
    for name, shape in (("w", (8, 3, 3, 3)), ("b", (8,)), ("v", (16, 8))):
        if any(name in node.input for node in model.graph.node):
            weights = rng.normal(size=shape).astype(np.float32)
            model.graph.initializer.append(numpy_helper.from_array(weights, name))
    onnx.save(model, path)
    np.savez(path.with_suffix(".npz"), x=samples)
    return str(path.with_suffix(".npz"))


@pytest.mark.parametrize("scheme", ["dynamic-range", "int8-weights"])
def test_a_bias_that_makes_up_for_rounded_weights_is_no_fault(corpus: Path, tmp_path: Path, scheme: str) -> None:
    """Of a sum that stays one, behind a recurrent layer."""
    model = corpus / "models" / "onnx" / "gru_legacy_op14.onnx"
    rng = np.random.default_rng(0)
    samples = {"x": rng.normal(size=(6, 2, 2, 8)), "h0": rng.normal(size=(6, 2, 20))}
    np.savez(tmp_path / "in.npz", **{name: x.astype(np.float32) for name, x in samples.items()})
    mlconv.quantize(model, "onnx", tmp_path / "q.onnx", calibration=str(tmp_path / "in.npz"), scheme=scheme)
    found = verify(model, tmp_path / "q.onnx", Asked(layers=True))
    assert found.ok, found.problem


def test_a_name_of_the_source_is_of_its_numbers(tmp_path: Path) -> None:
    """An average whose integers are counted from elsewhere, so that halves are rounded as kernels do."""
    model = tmp_path / "m.onnx"
    samples = np.random.default_rng(1).normal(size=(8, 3, 10, 10)).astype(np.float32)
    data = _small(
        model,
        """<ir_version: 8, opset_import: ["" : 17]>
        net (float[1, 3, 10, 10] x) => (float[1, 8, 1, 1] y) {
            h = Conv <kernel_shape = [3, 3]> (x, w, b)
            pooled = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (h)
            y = GlobalAveragePool (pooled)
        }""",
        samples,
    )
    mlconv.quantize(model, "onnx", tmp_path / "q.onnx", calibration=data)
    one = {"x": samples[:1]}
    wanted, found = (values_inside(str(p), one) for p in (model, tmp_path / "q.onnx"))
    assert np.abs(wanted["pooled"] - found["pooled"]).mean() < 0.02 * np.ptp(wanted["pooled"])
    checked = verify(model, tmp_path / "q.onnx", Asked(layers=True))
    assert checked.ok, checked.problem


@pytest.mark.parametrize("scheme", ["int4", "int16x8"])
def test_integers_that_are_rounded_another_way_are_no_fault(corpus: Path, tmp_path: Path, scheme: str) -> None:
    """Of two targets, with regard to inputs or by blocks, behind a flattening of channels first and last; one weight is
    found all the same.
    """
    model = corpus / "models" / "onnx" / "tinyconv_op20.onnx"
    a, b = tmp_path / "a.tflite", tmp_path / "b.onnx"
    for path, target in ((a, "tflite"), (b, "onnx")):
        mlconv.quantize(model, target, path, calibration="random:8", scheme=scheme)
    for pair in ((a, b), (b, a)):
        found = verify(*pair, Asked(layers=True, seed=31))
        assert found.ok, found.problem
    changed = onnx.load(b)
    (tensor,) = (t for t in changed.graph.initializer if sorted(t.dims) == [5, 256])
    weights = numpy_helper.to_array(tensor).copy()
    off = 7 if scheme == "int4" else 127
    weights.reshape(-1)[700] = -off if weights.reshape(-1)[700] > 0 else off
    tensor.CopyFrom(onnx.helper.make_tensor(tensor.name, tensor.data_type, tensor.dims, weights.reshape(-1).tolist()))
    onnx.save(changed, tmp_path / "c.onnx")
    problem = verify(a, tmp_path / "c.onnx", Asked(layers=True, seed=31)).problem
    assert "a weight of channel" in problem, problem


FRESH = {
    # the variance of an op that became several, and it with a constant behind
    "int16x8": """g (float[1, 9, 40] x) => (float[1, 40, 5] y) { a = Conv <pads = [1, 1]> (x, w) r = Relu (a)
        t = Transpose <perm = [0, 2, 1]> (r) n = LayerNormalization <epsilon = 0.001> (t, s, b) y = MatMul (n, m) }""",
    # a tensor that is called after the convolution, and has the activation in it
    "dynamic-range": """g (float[1, 9, 40] x) => (float[1, 24, 40] y) { a = Conv <pads = [1, 1]> (x, w) r = Relu (a)
        c = Conv <pads = [1, 1]> (r, v) l = LeakyRelu (c) y = Add (r, l) }""",
}


@pytest.mark.parametrize("scheme", FRESH)
def test_no_alarm_for_one_op_that_became_several(tmp_path: Path, scheme: str) -> None:
    weights = {"w": (24, 9, 3), "v": (24, 24, 3), "m": (24, 5), "s": (24,), "b": (24,)}
    path = drawn(tmp_path, FRESH[scheme], {n: s for n, s in weights.items() if f", {n}" in FRESH[scheme]})
    files = [path]
    for target in ("tflite", "onnx"):
        files.append(tmp_path / f"small.{target}")
        mlconv.quantize(path, target, files[-1], calibration="random:8", scheme=scheme)
    for a, b in [(0, 1), (0, 2), (1, 2), (2, 1)]:
        found = verify(files[a], files[b], Asked(layers=True, seed=13))
        assert found.ok, found.problem


def packed(model: schema.ModelT) -> bytes:
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


@pytest.mark.parametrize(
    ("tensor", "nodes", "floats"),
    [
        ("n0_Gemm/fully_connected", {"n0_Gemm"}, False),  # nothing is off behind it
        ("n1_Add/quantize", {"n1_Add", "n2_Gemm"}, True),  # a bias is
        ("k", {"k", "n7_Reshape"}, True),  # what is moved is
    ],
)
def test_scales_of_integers_that_are_off(tmp_path: Path, tensor: str, nodes: set[str], floats: bool) -> None:
    """By 1 %, beside the same integers, and beside floats where the file contradicts itself."""
    text = """g (float[1, 20] x) => (float[1, 7] y) <int64[2] n = {5, 4}, int64[2] m = {1, 20}> {
        a = Gemm (x, w, b)  s = Add (a, x)  h = Gemm (s, v, c)  f = Reshape (h, n)  r = Transpose <perm = [1, 0]> (f)
        i = Relu (r)  j = Sub (r, i)  k = Reshape (j, m)  y = Gemm (k, u, d) }"""
    weights = {"w": (20, 20), "b": (20,), "v": (20, 20), "c": (20,), "u": (20, 7), "d": (7,)}
    path, good, bad = drawn(tmp_path, text, weights), tmp_path / "good.tflite", tmp_path / "bad.tflite"
    mlconv.quantize(path, "tflite", good, calibration="random:8")
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(good.read_bytes(), 0))
    quant = next(t for t in model.subgraphs[0].tensors if t.name == tensor.encode()).quantization
    quant.scale = quant.scale * np.float32(1.01)
    bad.write_bytes(packed(model))
    for a, b in [(good, bad), (bad, good), *([(path, bad)] if floats else [])]:
        found = verify(a, b, Asked(layers=True)).layers
        assert found is not None and found.report.first is not None, (a, b)
        first = found.report.first
        assert not nodes.isdisjoint(name.partition("/")[0] for op in first.ops for name in node_names(op.location))


def test_what_is_off_behind_integers_that_are_the_same(tmp_path: Path) -> None:
    """A softmax is named, and not what it reads."""
    text = "g (float[1, 20] x) => (float[1, 7] y) { h = Relu (x) a = Gemm (h, w, b) y = Softmax (a) }"
    path, good = drawn(tmp_path, text, {"w": (20, 7), "b": (7,)}), tmp_path / "good.tflite"
    mlconv.quantize(path, "tflite", good, calibration="random:8")
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(good.read_bytes(), 0))
    graph = model.subgraphs[0]
    op = next(op for op in graph.operators if isinstance(op.builtinOptions, schema.SoftmaxOptionsT))
    op.builtinOptions.beta = 1.02  # one row, which says nothing once it is rounded
    (tmp_path / "bad.tflite").write_bytes(packed(model))
    problem = verify(good, tmp_path / "bad.tflite", Asked(layers=True)).problem
    assert graph.tensors[op.outputs[0]].name.decode() in problem.partition("(")[0], problem
