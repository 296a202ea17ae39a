"""What the report says that computes with floats is what does in the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from ai_edge_litert import schema_py_generated as schema
from onnx import helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.check import check_model
from mlconv.driver.options import Options
from tests.support.cli import call
from tests.support.litert import run_litert
from tests.support.modules import random
from tests.support.onnx_models import model, save, value

SHAPE = [1, 3, 8, 8]
HALF = onnx.TensorProto.FLOAT16
NAMES = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
Nodes = list[onnx.NodeProto]


def one(op: str, **attributes: Any) -> Nodes:
    return [helper.make_node(op, ["a"], ["b"], name="middle", **attributes)]


POOL = {"kernel_shape": [3, 3], "pads": [2, 2, 0, 0]}
WHERE = [
    helper.make_node("Greater", ["a", "least"], ["c"], name="greater"),
    helper.make_node("Where", ["c", "a", "least"], ["b"], name="where"),
]
GROUPED = [helper.make_node("ConvTranspose", ["a", "w3"], ["b"], name="middle", group=4)]
# what stands between two convolutions, and the ops of the report that compute with floats then
MIDDLES: dict[str, tuple[Nodes, list[str]]] = {
    "leaky": (one("LeakyRelu", alpha=0.1), []),
    "hard swish": (one("HardSwish"), []),
    "softplus": (one("Softplus"), ["core.softplus"]),
    "averages of what is there": (one("AveragePool", count_include_pad=0, **POOL), ["core.avg_pool"]),
    "averages": (one("AveragePool", kernel_shape=[2, 2]), []),
    "transposed, in groups": (GROUPED, ["core.conv_transpose"]),
    "transposed": ([helper.make_node("ConvTranspose", ["a", "w3"], ["b"], name="middle")], []),
    "comparison": (WHERE, ["core.greater"]),
}


def network(folder: Path, middle: Nodes, batch: int | str = 1) -> Path:
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], name="first", pads=[1, 1, 1, 1]),
        *middle,
        helper.make_node("Conv", ["b", "w2"], ["y"], name="last"),
    ]
    w3 = random(4, 1 if middle is GROUPED else 4, 2, 2)
    weights = {"w1": random(4, 3, 3, 3), "w2": random(5, 4, 1, 1), "w3": w3}
    proto = model(
        nodes,
        [value("x", [batch, *SHAPE[1:]])],
        [value("y")],
        {**weights, "least": np.full((), 0.3, np.float32), "slopes": random(4, 1, 1)},
    )
    return save(folder, proto)


def float_ops(path: Path) -> list[str]:
    """Of a TFLite file, but for borders of integers."""
    file = schema.ModelT.InitFromObj(schema.Model.GetRootAs(path.read_bytes(), 0))
    (graph,) = file.subgraphs
    found = []
    for op in graph.operators:
        code = file.operatorCodes[op.opcodeIndex]
        name = NAMES[max(code.builtinCode, code.deprecatedBuiltinCode)]
        tensors = [graph.tensors[i] for i in (*op.inputs, *op.outputs) if i >= 0]
        data = [t for t in tensors if file.buffers[t.buffer].data is None]
        if name not in ("QUANTIZE", "DEQUANTIZE") and any(t.type == schema.TensorType.FLOAT32 for t in data):
            found.append(name)
    return found


def quantized(source: Path, output: Path, target: str, **more: Any) -> list[str]:
    calibration = [{"x": random(*SHAPE, seed=s)} for s in range(3)]
    done = mlconv.quantize(source, output=output, to=target, scheme="int8", calibration=calibration, **more)
    assert done.quantization is not None
    return [layer.op for layer in done.quantization.floats()]


@pytest.mark.share(4)
@pytest.mark.parametrize(("name", "batch"), [("transposed", "N"), *((name, 1) for name in MIDDLES)])
def test_of_tflite(name: str, batch: int | str, tmp_path: Path) -> None:
    """Sizes that are asked for when the file runs are no floats."""
    middle, floats = MIDDLES[name]
    source, output = network(tmp_path, middle, batch), tmp_path / "m.tflite"
    assert quantized(source, output, "tflite") == floats
    assert bool(float_ops(output)) is bool(floats)
    checked = check_model(str(source), ("tflite",), (), Options(quantize="int8")).targets[0].quantization
    assert checked is not None and [op.layer.op for op in checked.ops if op.status == "float"] == floats
    if not floats:
        quantized(source, output, "tflite", require_int8=True)
        return
    output.unlink()
    with pytest.raises(ConversionError) as error:
        quantized(source, output, "tflite", require_int8=True)
    assert error.value.code is Code.FloatsLeft and floats[0] in str(error.value) and not output.exists()


def test_of_native_code(tmp_path: Path) -> None:
    assert quantized(network(tmp_path, MIDDLES["leaky"][0]), tmp_path / "m.o", "native", require_int8=True) == []


def test_of_what_has_no_integers(tmp_path: Path) -> None:
    source = network(tmp_path, MIDDLES["leaky"][0])
    assert quantized(source, tmp_path / "m.mlir", "stablehlo").count("core.conv") == 2
    with pytest.raises(ConversionError) as error:
        quantized(source, tmp_path / "n.mlir", "stablehlo", require_int8=True)
    assert error.value.code is Code.FloatsLeft


POOLED = [
    helper.make_node("MaxPool", ["a"], ["p"], name="pool", kernel_shape=[2, 2]),
    helper.make_node("Relu", ["p"], ["b"], name="middle"),
]
# what a rule keeps from integers that it has a form over; what only gives numbers another place moves integers
KEPT = {
    "leaky": (one("LeakyRelu", alpha=0.1), "LeakyRelu", "core.leaky_relu"),
    "by name": (one("LeakyRelu", alpha=0.1), "mid*", "core.leaky_relu"),
    "mean": (one("GlobalAveragePool"), "middle", "core.reduce_mean"),
    "a table": (one("HardSwish"), "middle", "core.hard_swish"),
    "a limit": (POOLED, "middle", "core.clamp"),
    "a pool": (one("MaxPool", kernel_shape=[2, 2]), "MaxPool", "core.max_pool"),
    "slopes": ([helper.make_node("PRelu", ["a", "slopes"], ["b"], name="middle")], "middle", "core.less mul select"),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("scheme", ["float", "float16"])
def test_what_a_rule_keeps_in_floats(name: str, scheme: str, tmp_path: Path) -> None:
    """Though it stands between integers, and every target has a form of it over them."""
    middle, select, text = KEPT[name]
    ops = text.replace(" ", " core.").split()
    source, x = network(tmp_path, middle), random(*SHAPE, seed=9)
    assert quantized(source, tmp_path / "i.tflite", "tflite", require_int8=True) == []
    for target, suffix in (("tflite", "tflite"), ("native", "o")):
        rule = f"{select}={scheme}"
        assert sorted(quantized(source, tmp_path / f"m.{suffix}", target, rules=rule, verify=True)) == ops
    assert len(float_ops(tmp_path / "m.tflite")) == 1
    (wanted,) = run_litert((tmp_path / "m.tflite").read_bytes(), [x])
    (found,) = mlconv.load_native(tmp_path / "m.o").run({"x": x}).values()
    assert np.abs(found - wanted).max() <= 0.02 * np.abs(wanted).max()
    checked = check_model(str(source), ("tflite",), (), Options(quantize="int8", quantize_rules=(f"{select}=float",)))
    found_ops = checked.targets[0].quantization
    assert found_ops is not None and [op.layer.op for op in found_ops.ops if op.status == "float"] == ops


@pytest.mark.share(4)
@pytest.mark.parametrize("target", ["tflite", "native"])
def test_what_moves_integers_between_floats(target: str, tmp_path: Path) -> None:
    """The image is turned before the first convolution, which joins what is turned behind the kept function; rules do
    not keep it from integers.
    """
    source, output = network(tmp_path, one("Gelu")), tmp_path / "m"
    for rules, floats in (("middle=float", ["core.gelu"]), ("transpose=float", []), ("*=float", None)):
        found = quantized(source, output, target, rules=rules)
        assert found == floats or (floats is None and {"core.conv", "core.transpose"} <= {*found})


@pytest.mark.parametrize("target", ["tflite", "native", "onnx"])
def test_images_of_half_floats(target: str, tmp_path: Path) -> None:
    """Nothing but the border computes with floats: the image is turned as integers."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("GlobalAveragePool", ["a"], ["y"], name="mean"),
    ]
    weights = {"w": random(4, 3, 3, 3).astype(np.float16)}
    proto = model(nodes, [value("x", SHAPE, HALF)], [value("y", dtype=HALF)], weights)
    assert quantized(save(tmp_path, proto), tmp_path / "m", target, require_int8=True) == []


def test_a_choice_among_floats_is_rounded_behind(tmp_path: Path) -> None:
    """A function of slopes that is kept in floats, or is behind a convolution of floats, is one op of the file."""
    source, output = network(tmp_path, KEPT["slopes"][0]), tmp_path / "m.tflite"
    assert quantized(source, output, "tflite", rules="first=float", verify=True)
    assert float_ops(output) == ["TRANSPOSE", "CONV_2D", "PRELU"]
    assert quantized(source, output, "tflite", rules="middle=float", verify=True)
    assert float_ops(output) == ["PRELU"]


@pytest.mark.share(4)
@pytest.mark.parametrize("name", ["leaky", "averages of what is there", "transposed, in groups", "comparison"])
def test_targets_have_the_same_integers(name: str, tmp_path: Path) -> None:
    """By the profile `portable`; native code alone has an average over other padding in integers."""
    source, x = network(tmp_path, MIDDLES[name][0]), random(*SHAPE, seed=9)
    quantized(source, tmp_path / "m.tflite", "tflite")
    (wanted,) = run_litert((tmp_path / "m.tflite").read_bytes(), [x])
    quantized(source, tmp_path / "m.o", "native")
    (found,) = mlconv.load_native(tmp_path / "m.o").run({"x": x}).values()
    np.testing.assert_array_equal(found, wanted)


def test_a_profile_of_a_target(tmp_path: Path) -> None:
    source = network(tmp_path, MIDDLES["averages of what is there"][0])
    asked = {"quant_profile": "native", "save_recipe": str(tmp_path / "r.toml")}
    assert quantized(source, tmp_path / "m.o", "native", require_int8=True, **asked) == []
    assert 'profile = "native"' in (tmp_path / "r.toml").read_text()
    ran = call(
        "convert", source, "--to", "native", "-o", tmp_path / "n.o", "--quantize", tmp_path / "r.toml",
        "--calibration", "random:2",
    )  # fmt: skip
    assert ran.exit_code == 0 and "with the ops of native: integers differ on other targets" in ran.output
    ran = call("check", source, "--to", "native", "--quantize", "int8", "--quant-profile", "gpu")
    assert ran.exit_code == Code.UsageError.exit_status and "unknown profile 'gpu'" in ran.output
