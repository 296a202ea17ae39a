"""`mlconv bisect` names the pass that changes what a model computes, and the op."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.helper import make_node

import mlconv
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.dialects import core
from mlconv.driver import bisection
from mlconv.driver.bisection import Bisection, bisect
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from mlconv.driver.reduction import reduce
from mlconv.ir.constants import make_const
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import first_name
from tests.support.cli import call
from tests.support.npz import npz
from tests.support.onnx_models import model as onnx_model
from tests.support.onnx_models import save, value
from tests.support.wrong_passes import one_channel, wrong_pass, wrong_writer

SHAPES = {"digits_rnn": {"image": (2, 8, 8)}}


def found(models: Path, model: str, to: str, tmp_path: Path, quantize: bool = False) -> Bisection:
    settings: dict[str, object] = {"shapes": SHAPES.get(model, {})}
    if to == "hlo":
        settings["shapes"] = {"image": (2, 1, 8, 8) if model == "digits_cnn" else (2, 8, 8)}
    if quantize:
        images = npz(models / f"{model}.npz")["image"][:32]
        images = images.transpose(0, 3, 1, 2) if model == "digits_cnn" else images
        np.savez(tmp_path / "samples.npz", image=np.ascontiguousarray(images))
        settings |= {"quantize": "int8", "calibration": str(tmp_path / "samples.npz")}
    return bisect(models / f"{model}.onnx", to, Options().with_settings(settings, BUILT_IN))


@pytest.mark.share(4)
@pytest.mark.parametrize("to", ["tflite", "onnx", "native", "hlo", "savedmodel"])
@pytest.mark.parametrize("model", ["digits_cnn", "digits_transformer", "digits_rnn"])
def test_nothing_is_found_where_nothing_is(models: Path, tmp_path: Path, model: str, to: str) -> None:
    assert not found(models, model, to, tmp_path).problem


@pytest.mark.share(4)
@pytest.mark.parametrize("to", ["tflite", "onnx"])
@pytest.mark.parametrize("model", ["digits_cnn", "digits_transformer", "digits_rnn"])
def test_nothing_is_found_in_quantization(models: Path, tmp_path: Path, model: str, to: str) -> None:
    assert not found(models, model, to, tmp_path, quantize=True).problem


def separable(seed: int) -> onnx.ModelProto:
    """Three depthwise and pointwise convolutions of 24 channels."""
    rng = np.random.default_rng(seed)
    weights = {"w": rng.normal(size=(24, 1, 3, 3)), "fc": rng.normal(size=(24, 8)) / 4}
    nodes = [make_node("Conv", ["x", "w"], ["c"], pads=[1] * 4, strides=[2, 2]), make_node("Relu", ["c"], ["v0"])]
    for i in range(3):
        weights[f"d{i}"] = rng.normal(size=(24, 1, 3, 3)) / 2
        weights[f"p{i}"] = rng.normal(size=(24, 24, 1, 1)) / 4
        nodes += [
            make_node("Conv", [f"v{i}", f"d{i}"], [f"a{i}"], pads=[1] * 4, group=24),
            make_node("Relu", [f"a{i}"], [f"b{i}"]),
            make_node("Conv", [f"b{i}", f"p{i}"], [f"e{i}"]),
            make_node("Relu", [f"e{i}"], [f"v{i + 1}"]),
        ]
    nodes += [make_node("ReduceMean", ["v3"], ["m"], axes=[2, 3], keepdims=0), make_node("MatMul", ["m", "fc"], ["y"])]
    arrays = {name: array.astype(np.float32) for name, array in weights.items()}
    return onnx_model(nodes, [value("x", [1, 1, 24, 24])], [value("y")], arrays)


def test_channels_that_are_scaled_and_cut_off(tmp_path: Path) -> None:
    """Of numbers that are drawn, all of a channel that is scaled down may lie beyond the integers of the others."""
    rng = np.random.default_rng(10)
    path = save(tmp_path, separable(10))
    np.savez(tmp_path / "samples.npz", x=rng.normal(size=(16, 1, 24, 24)).astype(np.float32))
    np.savez(tmp_path / "x.npz", x=rng.normal(size=(1, 1, 24, 24)).astype(np.float32))
    options = Options(quantize="int8", calibration=str(tmp_path / "samples.npz"), activation_ranges="min-max")
    assert not bisect(path, "native", options, str(tmp_path / "x.npz")).problem


def test_a_small_model_shows_the_fault(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are numbers, repeated; the command that is printed finds the same."""
    wrong_pass(monkeypatch, "layout", one_channel("/Conv_3", 7e-3), times=100)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.onnx").write_bytes((models / "digits_cnn.onnx").read_bytes())
    ran = call("bisect", "m.onnx", "--to", "tflite", "--json")
    data = json.loads(ran.stdout)
    assert ran.exit_code == 3 and data["pass"] == "layout" and data["op"]["node"] == "/Conv_3"
    assert data["reduced"]["ops"] == 1 and "MLC0706" in ran.stderr
    text = (tmp_path / "m.bisect.mlir").read_text()
    assert len(text) < 3000 and text.count('"core.conv"') == 1
    again = call(*data["reduced"]["command"].split()[1:], "-o", "again.mlir")
    assert again.exit_code == 3 and "pass layout changes core.conv /Conv_3" in again.stdout
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    right = call(*data["reduced"]["command"].split()[1:])
    assert right.exit_code == 0 and "no pass changes the result" in right.stdout


def test_nothing_is_written_where_nothing_is_found(models: Path, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes((models / "digits_cnn.onnx").read_bytes())
    assert call("bisect", tmp_path / "m.onnx", "--to", "onnx").exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["m.onnx"]


CASES = [
    ("from-onnx", "digits_cnn", "tflite", "/Conv_3", 5e-3),
    ("from-onnx", "digits_transformer", "native", "/MatMul_24", 0.1),
    ("fold", "digits_cnn", "tflite", "/Conv_5", 4e-3),
    ("fold", "digits_transformer", "onnx", "/MatMul_50", 0.2),
    ("layout", "digits_cnn", "native", "/Conv_3", 9e-3),
    ("layout", "digits_cnn", "tflite", "/Conv_5", 0.5),
    ("fold-batch-norm", "digits_cnn", "hlo", "/Conv_0", 6e-3),
    ("cse", "digits_rnn", "tflite", "/Gemm_3", 7e-3),
    ("to-onnx", "digits_cnn", "onnx", "/Conv_5", 5e-3),
    ("to-hlo", "digits_cnn", "hlo", "/Conv_3", 0.05),
    ("to-tfl", "digits_cnn", "tflite", "/Conv_3", 6e-3),
    ("tfl-fuse", "digits_transformer", "tflite", "/MatMul_57", 9e-3),
]


@pytest.mark.share(4)
@pytest.mark.parametrize(("name", "model", "to", "node", "by"), CASES)
def test_a_wrong_pass_is_named(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, model: str, to: str, node: str, by: float
) -> None:
    wrong_pass(monkeypatch, name, one_channel(node, by))
    result = found(models, model, to, tmp_path)
    assert result.stage is not None and result.stage.name == name, (result.problem, result.notes)
    assert result.error().diagnostic.node == node, result.problem


def another_size(module: Module) -> bool:
    """A result of a reshape has another type than it is given."""
    for op in module.walk():
        if op.name.endswith((".reshape", ".alias")) and len(op.results[0].tensor.shape or ()) == 2:
            op.results[0].type = TensorType(DType.F32, (7, 128))
            return True
    return False


@pytest.mark.parametrize(("name", "to"), [("from-onnx", "tflite"), ("fold", "native"), ("to-kernel", "native")])
def test_a_pass_that_leaves_invalid_ir_is_named(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, to: str
) -> None:
    wrong_pass(monkeypatch, name, another_size, times=100)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.onnx").write_bytes((models / "digits_cnn.onnx").read_bytes())
    ran = call("bisect", "m.onnx", "--to", to, "--shape", "image=2,1,8,8", "--json")
    data = json.loads(ran.stdout)
    assert ran.exit_code == 3 and data["pass"] == name and "float32[7,128]" in data["notes"][0], ran.output
    assert f"pass {name} leaves IR that is not valid" in ran.stderr and "MLC0706" in ran.stderr
    assert "  = node: /" in ran.stderr, ran.stderr
    assert data["reduced"] is None or call(*data["reduced"]["command"].split()[1:], "-o", "r.mlir").exit_code == 3


def other_groups(module: Module) -> bool:
    """A convolution that ONNX Runtime loads, and does not run."""
    for op in module.walk():
        if op.name == "onnx.Conv":
            op.attributes["group"] = 3
            return True
    return False


def another_output(module: Module) -> bool:
    """An output has another type than its op gives."""
    if not module.main.outputs[0].producer.name.startswith("onnx."):  # type: ignore[union-attr]
        return False
    module.main.outputs[0].type = TensorType(DType.F16, module.main.outputs[0].tensor.shape)
    return True


def test_an_output_of_another_type_is_told(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """onnx's own check refuses the file, whichever pass that is of."""
    wrong_pass(monkeypatch, "to-onnx", another_output)
    ran = call("bisect", models / "digits_cnn.onnx", "--to", "onnx", "-o", tmp_path / "b.mlir")
    assert ran.exit_code == 3 and "pass to-onnx leaves an artifact that its runtime refuses" in ran.output, ran.output
    assert "Inferred elem type differs" in ran.output and "= node: /Softmax" in ran.output, ran.output


def test_what_the_runtime_refuses_is_told(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_pass(monkeypatch, "to-onnx", other_groups)
    ran = call("bisect", models / "digits_cnn.onnx", "--to", "onnx", "-o", tmp_path / "b.mlir")
    assert ran.exit_code == 3 and "the writer leaves an artifact that its runtime refuses" in ran.output
    assert "Input channels C is not equal" in ran.output and "behind to-onnx is refused" in ran.output, ran.output


@pytest.mark.parametrize(
    ("name", "to", "node", "by"),
    [
        ("quantize", "tflite", "/Conv_5", 0.06),
        ("quantize", "onnx", "/Conv_3", 0.3),
        ("quant-lower", "tflite", "/Conv_3", 8e-3),
        ("fold", "onnx", "/Conv_5", 8e-3),
    ],
)
def test_a_wrong_pass_of_quantization_is_named(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, to: str, node: str, by: float
) -> None:
    wrong_pass(monkeypatch, name, one_channel(node, by))
    result = found(models, "digits_cnn", to, tmp_path, quantize=True)
    assert result.stage is not None and result.stage.name == name, (result.problem, result.notes)
    assert result.error().diagnostic.node == node, result.problem


@pytest.mark.share(2)
@pytest.mark.parametrize(
    ("to", "node", "by"),
    [
        ("onnx", "/Conv_3", 6e-3),
        ("hlo", "/Conv_5", 0.1),
        ("tflite", "/Conv_5", 6e-3),
        ("savedmodel", "/Conv_3", 6e-3),
        ("graphdef", "/Conv_5", 6e-3),
    ],
)
def test_a_wrong_writer_is_named(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str, node: str, by: float
) -> None:
    wrong_writer(monkeypatch, BUILT_IN.targets[to], one_channel(node, by))
    result = found(models, "digits_cnn", to, tmp_path)
    assert result.stage is not None and result.stage.is_written and result.layer is not None, result.problem
    assert result.error().diagnostic.node == node, result.problem


@pytest.mark.parametrize(
    ("model", "node", "by"), [("digits_cnn", "/Conv_5", 6e-3), ("digits_transformer", "/MatMul_24", 0.1)]
)
def test_the_op_is_named_where_outputs_are_all_that_is_seen(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, node: str, by: float
) -> None:
    """Native code shows nothing inside: it is made again, with more outputs."""
    wrong_writer(monkeypatch, BUILT_IN.targets["native"], one_channel(node, by))
    result = found(models, model, "native", tmp_path)
    assert result.stage is not None and result.layer is not None and len(result.layer.ops) < 3, result.problem
    assert result.stage.is_written and result.error().diagnostic.node == node and not result.notes


@pytest.mark.share(2)
@pytest.mark.parametrize(
    ("name", "model", "node", "by"),
    [
        ("to-kernel", "digits_cnn", "/Conv_5", 6e-3),
        ("to-kernel", "digits_transformer", "/MatMul_24", 0.1),
        ("kernel-fuse-maps", "digits_cnn", "/Conv_3", 9e-3),
        ("kernel-fuse-rows", "digits_rnn", "/Gemm_3", 7e-3),
        ("kernel-schedule", "digits_cnn", "/Conv_5", 0.1),
    ],
)
def test_a_wrong_pass_of_native_code_is_told_from_wrong_code(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, model: str, node: str, by: float
) -> None:
    """Kernel ops are interpreted: no code is generated of them."""
    wrong_pass(monkeypatch, name, one_channel(node, by))
    result = found(models, model, "native", tmp_path)
    assert result.stage is not None and result.stage.name == name and not result.notes, result.problem
    assert result.error().diagnostic.node == node, result.problem


@pytest.mark.parametrize(
    ("model", "opcode", "node"), [("digits_cnn", "sub", "/Softmax_10"), ("digits_transformer", "sqrt", "")]
)
def test_wrong_code_is_told_from_a_wrong_pass(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, opcode: str, node: str
) -> None:
    """A generator whose functions are off by one per cent."""
    apply = Scalars.apply

    def wrong(self: Any, name: str, dtype: DType, args: Any, types: Any) -> Any:
        y = apply(self, name, dtype, args, types)
        return self.b.fmul(y, self.literal(dtype, 1.01)) if name == opcode and dtype is DType.F32 else y

    monkeypatch.setattr(Scalars, "apply", wrong)
    result = found(models, model, "native", tmp_path)
    assert result.stage is not None and result.stage.is_written and not result.notes, result.problem
    assert node in str(result.error().diagnostic.node) and result.problem.startswith("the writer changes")


@pytest.mark.parametrize("is_near_off", [False, True])
def test_what_roundings_add_up_to_in_outputs_is_no_fault(is_near_off: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """An artifact that shows its outputs alone is off by what is quantized, and is what the last core ops compute."""
    off = {(0, 4): ("layer",), (0, 2): (None,), (2, 4): ("layer" if is_near_off else None,)}
    stage = SimpleNamespace(module=SimpleNamespace(main=SimpleNamespace(outputs=["y"])))
    seen = {2: SimpleNamespace(values=["x", "y"]), 4: SimpleNamespace(values=["y"])}
    search: Any = object.__new__(bisection._Search)
    search.inputs = {}
    search.stages = SimpleNamespace(
        core=(0, 2), found=[stage] * 5, seen=seen, values=lambda index, inputs: seen.get(index)
    )
    told: list[int] = []
    monkeypatch.setattr(bisection._Search, "_off", lambda self, reference, at: off.get((reference, at)))
    monkeypatch.setattr(bisection._Search, "_tell", lambda self, at, before, layer: told.append(at))
    assert search._segment(0, 0, 4) is not is_near_off and told == [4] * is_near_off


def from_text(folder: Path, text: str) -> Path:
    path = folder / "m.onnx"
    onnx.save(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]>\n{text}'), path)
    return path


@pytest.mark.share(6)
@pytest.mark.parametrize("kind", ["onnx", "tflite", "tensorflow"])
def test_a_wrong_rule_of_any_source_is_named_with_a_small_model_of_its_format(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The runtime of the source shows what its nodes give."""
    if kind == "tflite":
        mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite")
    path = {"onnx": models / "digits_cnn.onnx", "tflite": tmp_path / "m.tflite"}.get(kind, models / "digits_cnn.pb")
    name = {"tensorflow": "from-tf", "tflite": "from-tfl"}.get(kind, "from-onnx")
    to = "onnx" if kind == "tflite" else "tflite"
    changed: list[str] = []

    def change(module: Module) -> bool:
        """A channel of the second convolution, or of the only one."""
        found = [op for op in module.walk() if isinstance(op, core.Conv)]
        for op in found[1:2] or found:
            weights = op.w.producer
            while not isinstance(weights, core.Constant):
                assert weights is not None and weights.operands[0] is not None
                weights = weights.operands[0].producer
            array = weights.value.view().copy()
            at = 1 if array.shape[op.w_layout.index("O")] > 1 else 0
            array[(slice(None),) * op.w_layout.index("O") + (at,)] *= np.float32(1.009)
            weights.attributes["value"] = make_const(array, weights.value.dtype)
            changed.append(first_name(op.location))
        return bool(found)

    wrong_pass(monkeypatch, name, change, times=100)
    result = bisect(path, to)
    assert result.stage is not None and result.stage.name == name and not result.notes, result.problem
    assert result.error().diagnostic.node == changed[0], result.problem
    small = reduce(result, str(tmp_path / "small.mlir"), Options(), [], BUILT_IN)
    assert small is not None and small.ops == 1 and Path(small.path).stat().st_size < 8000
    assert Path(small.path).suffix == {"tensorflow": ".pb"}.get(kind, f".{kind}")


@pytest.mark.share(3)
@pytest.mark.parametrize(
    "text",
    [
        # parts of a Split are of one node, and have one size
        """g (float[2, 6, 6] x) => (float[2, 6, 6] y) {
        a, b, c = Split <axis = 2> (x) d = Concat <axis = 2> (c, a, b) y = Relu (d) }""",
        # means near zero
        """g (float[4, 300] x) => (float[4, 1] y) { m = ReduceMean <axes = [1]> (x) d = Sub (x, m)
        y = ReduceMean <axes = [1]> (d) }""",
        # two normalizations that become one
        """g (float[2, 4, 6, 3] x) => (float[2, 4, 6, 3] y, float[2, 4, 6, 3] z)
        <float[4] s = {1, 1, 1, 1}, float[4] b = {0, 0, 0, 0},
        float[6, 3] w = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}> {
        y = InstanceNormalization (x, s, b) z = LayerNormalization <axis = 2> (x, w) }""",
        # infinities, and nothing at all
        """g (float[2, 3] x, float[0, 3] e) => (float[2, 3] y, float[0, 3] z)
        <float[3, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9}, float[3] m = {0, -inf, 0}> {
        a = MatMul (x, w) b = Add (a, m) y = Softmax (b) c = MatMul (e, w) z = Relu (c) }""",
    ],
    ids=["split", "means", "norms", "infinities"],
)
@pytest.mark.parametrize("to", ["hlo", "tflite", "native"])
def test_nothing_is_found_where_values_are_alike(tmp_path: Path, text: str, to: str) -> None:
    found = bisect(from_text(tmp_path, text), to)
    assert not found.problem and not found.notes


@pytest.mark.parametrize("model", ["tf2onnx_k3_bilstm_masked_op15", "unet_legacy_op17_qdq_u8"])
def test_nothing_is_found_in_models_of_others(corpus: Path, model: str) -> None:
    """Sizes that a loop goes by come from the node that the loop does; a concatenation has few numbers in a channel,
    which LiteRT rounds to another scale with 8 bits of the ratio.
    """
    assert not bisect(corpus / "models" / "onnx" / f"{model}.onnx", "tflite").problem


@pytest.mark.parametrize("name", ["from-onnx", "to-tfl"])
def test_axes_as_long_as_each_other_hide_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A difference the wrong way round is nearer to the right one by chance if its axes are moved."""
    path = from_text(
        tmp_path,
        """g (float[1, 4, 4, 4] x) => (float[1, 8, 4, 4] y) { a = Relu (x) p = MaxPool <kernel_shape = [1, 1]> (a)
        l = LeakyRelu <alpha = 0.3> (x) d = Sub (p, l) c = Concat <axis = 1> (d, l) y = Sigmoid (c) }""",
    )
    model = onnx.load(path)
    for node in model.graph.node:
        node.name = node.output[0]
    onnx.save(model, path)

    def change(module: Module) -> bool:
        op = next((op for op in module.walk() if op.name.lower().endswith(".sub")), None)
        if op is not None:
            op.set_operands([op.operands[1], op.operands[0]])
        return op is not None

    wrong_pass(monkeypatch, name, change, times=4)
    for seed in range(4):
        result = bisect(path, "tflite", seed=seed)
        assert result.stage is not None and result.stage.name == name, (result.problem, result.notes)
        assert result.error().diagnostic.node == "d", result.problem


def test_a_bias_that_a_pass_drops_is_not_dropped_by_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The constant stays behind, unused, and the file is without it."""
    bias = ", ".join(map(str, range(10)))
    path = from_text(
        tmp_path,
        f"""g (float[4, 3] x) => (float[4, 10] y) <float[10] b = {{{bias}}}> {{
        w = Constant <value = float[3, 10] {{{", ".join([bias] * 3)}}}> () y = Gemm (x, w, b) }}""",
    )

    def change(module: Module) -> bool:
        op = next((op for op in module.walk() if op.name.endswith("FULLY_CONNECTED")), None)
        if op is not None:
            op.set_operand(2, None)
        return op is not None

    wrong_pass(monkeypatch, "tfl-fuse", change)
    result = bisect(path, "tflite")
    assert result.stage is not None and result.stage.name == "tfl-fuse", (result.problem, result.notes)


def test_what_is_little_at_the_outputs_is_found_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code shows outputs, where the difference is less than roundings do; the last core ops show all."""
    path = from_text(
        tmp_path,
        """g (float[4, 3] x) => (float[4, 3] y)
        <float[3, 3] w = {1, -2, 3, 4, 0.5, 6, -7, 8, 9}, float k = {0.0001}> {
        a = MatMul (x, w) b = Tanh (a) c = Mul (b, k) y = Add (c, x) }""",
    )
    model = onnx.load(path)
    model.graph.node[0].name = "product"
    onnx.save(model, path)
    wrong_pass(monkeypatch, "canonicalize", one_channel("product", 9e-3))
    result = bisect(path, "native")
    assert result.stage is not None and result.stage.name == "canonicalize", (result.problem, result.notes)
    assert result.error().diagnostic.node == "product", result.problem


@pytest.mark.parametrize("to", ["onnx", "native"])
def test_products_that_round_at_run_time_may_be_of_floats(models: Path, tmp_path: Path, to: str) -> None:
    """ONNX has no form of them."""
    mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", quantize="dynamic-range")
    assert not bisect(tmp_path / "m.tflite", to).problem


def test_inputs_have_sizes_that_the_model_takes(tmp_path: Path) -> None:
    text = """g (float[1, 1, n] x) => (float[1, 1, m] y) <float[1, 1, 9] w = {1, 2, 3, 4, 5, 6, 7, 8, 9}> {
    y = Conv <strides = [3]> (x, w) }"""
    found = bisect(from_text(tmp_path, text), "native")
    assert not found.problem and found.inputs["x"].shape[2] >= 9
