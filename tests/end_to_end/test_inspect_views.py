"""`mlconv inspect --show`: nodes, tensors, sizes, quantization and delegates, and native objects."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.support.cli import call
from tests.support.failing_models import traced

RANDOM = np.random.default_rng(11)
STACK = ("net.py", 12, "forward", "return self.conv(x)"), ("net.py", 15, "forward", "return self.fc(x)")


def save(
    path: Path, nodes: list[onnx.NodeProto], weights: dict[str, np.ndarray], shape: list[int | str], out: str = "y"
) -> Path:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info(out, TensorProto.FLOAT, None)
    tensors = [numpy_helper.from_array(v, n) for n, v in weights.items()]
    graph = helper.make_graph(nodes, "net", [x], [y], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def normal(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def shown(path: Path, *arguments: str) -> Any:
    result = call("inspect", path, "--json", *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """A convolution, an activation, a sum over pixels and a product; no shapes but the input's are stated."""
    weights = {"w": normal(4, 3, 3, 3), "b": normal(4), "v": normal(4, 5)}
    nodes = [
        traced(helper.make_node("Conv", ["x", "w", "b"], ["c"], "body/conv", pads=[1, 1, 1, 1]), STACK[0]),
        helper.make_node("Relu", ["c"], ["r"], "body/relu"),
        helper.make_node("ReduceMean", ["r"], ["m"], "body/mean", axes=[2, 3], keepdims=0),
        traced(helper.make_node("MatMul", ["m", "v"], ["y"], "head/fc"), STACK[1]),
    ]
    return save(tmp_path / "net.onnx", nodes, weights, ["N", 3, 8, 8])


def test_nodes(network: Path) -> None:
    facts = shown(network, "--show", "nodes")
    conv, relu, mean, product = facts["nodes"]
    assert (conv["op"], conv["name"], conv["line"]) == ("onnx.Conv", "body/conv", "net.py:12")
    assert conv["outputs"] == [{"name": "c", "dtype": "float32", "shape": ["N", 4, 8, 8], "constant": False}]
    assert [v["constant"] for v in conv["inputs"]] == [False, True, True]
    assert (conv["parameters"], conv["parameter_bytes"]) == (4 * 27 + 4, 4 * (4 * 27 + 4))
    assert conv["macs"] == f"{64 * 4 * 27}*N" and conv["flops"] == f"{2 * 64 * 4 * 27 + 256}*N"
    assert conv["bytes"] == f"{4 * (192 + 256)}*N+{4 * (4 * 27 + 4)}"
    assert conv["attributes"]["pads"] == "(1, 1, 1, 1)"
    assert [n["flops"] for n in (relu, mean, product)] == ["256*N", "256*N", "40*N"]
    assert (facts["ops"], facts["matched"], facts["uncounted"]) == (4, 4, 0)
    assert facts["parameters"] == 4 * 27 + 4 + 20 and facts["macs"] == f"{64 * 4 * 27 + 20}*N"
    fixed = shown(network, "--show", "nodes", "--shape", "x=2,3,8,8", "--top", "1")["nodes"]
    assert [(n["name"], n["macs"]) for n in fixed] == [("body/conv", 2 * 64 * 4 * 27)]


@pytest.mark.parametrize("known", [False, True])
def test_types_of_values_that_share_a_name_or_go(known: bool, tmp_path: Path) -> None:
    """Branches name their values alike, and what an Identity makes is gone, as is a branch that is not taken."""

    def branch(name: str, reads: int) -> onnx.GraphProto:
        nodes = [
            helper.make_node("Concat", ["x"] * reads, ["h"], f"{name}/concat", axis=1),
            helper.make_node("ReduceSum", ["h"], [name], f"{name}/sum", keepdims=0),
        ]
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])

    nodes = [
        helper.make_node("ReduceMax", ["z" if known else "x"], ["largest"], keepdims=0),
        helper.make_node("IsInf", ["largest"], ["flag"]),
        helper.make_node("If", ["flag"], ["i"], "if", then_branch=branch("a", 2), else_branch=branch("b", 3)),
        helper.make_node("Identity", ["i"], ["k"], "same"),
        helper.make_node("Add", ["k", "x"], ["y"], "add"),
    ]
    path = save(tmp_path / "m.onnx", nodes, {"z": np.array(0, np.float32)}, [1, 4])
    made = {n["name"]: n["outputs"][0] for n in shown(path, "--show", "nodes")["nodes"]}
    shapes = {name.rpartition("if/")[2]: v["shape"] for name, v in made.items()}
    assert shapes["a/concat"] == (None if known else [1, 8])
    assert shapes["b/concat"] == [1, 12] and shapes["same"] == []


@pytest.mark.parametrize(
    ("select", "names"),
    [
        ("Conv", ["body/conv"]),
        ("onnx.ReduceMean", ["body/mean"]),
        ("reduce_mean", ["body/mean"]),
        ("*e*u", ["body/relu"]),
        ("body/*", ["body/conv", "body/relu", "body/mean"]),
        ("net.py:14-20", ["head/fc"]),
        ("nothing", []),
    ],
)
def test_match(select: str, names: list[str], network: Path) -> None:
    facts = shown(network, "--show", "nodes", "--match", select)
    assert [n["name"] for n in facts["nodes"]] == names and facts["matched"] == len(names)


WORK = {
    "grouped": ("Conv", [2, 4, 6, 6], {"w": (8, 2, 3, 3)}, {"group": 2}, 2 * 8 * 16 * 18, 2 * 2 * 8 * 16 * 18),
    "transposed": ("ConvTranspose", [1, 2, 4, 4], {"w": (2, 3, 2, 2)}, {}, 32 * 12, 2 * 32 * 12),
    "product": ("Gemm", [3, 7], {"w": (7, 5), "b": (5,)}, {}, 105, 210 + 15),
    "lstm": ("LSTM", [6, 2, 3], {"w": (1, 16, 3), "r": (1, 16, 4)}, {"hidden_size": 4}, 12 * (48 + 64), None),
    "pooled": ("MaxPool", [1, 2, 6, 6], {}, {"kernel_shape": [2, 2], "strides": [2, 2]}, 0, 18 * 4),
    "function": ("Exp", [5, 6], {}, {}, 0, 30),
    "softmax": ("Softmax", [5, 6], {}, {}, 0, 150),
    "moved": ("Transpose", [5, 6], {}, {}, 0, 0),
    "sorted": ("TopK", [5, 6], {"k": None}, {}, None, None),
}


@pytest.mark.parametrize("name", WORK)
def test_work(name: str, tmp_path: Path) -> None:
    """Multiplications with additions, and operations, counted by hand."""
    op, shape, weights, attributes, macs, flops = WORK[name]
    held = {n: np.array([2]) if s is None else normal(*s) for n, s in weights.items()}
    outputs = ["y", "i"] if op == "TopK" else ["y"]
    path = save(tmp_path / "m.onnx", [helper.make_node(op, ["x", *held], outputs, "/n", **attributes)], held, shape)
    (node,) = shown(path, "--show", "nodes")["nodes"]
    assert node["macs"] == macs
    if name != "lstm":
        assert node["flops"] == flops


def test_tensors(network: Path) -> None:
    facts = shown(network, "--show", "tensors", "--statistics")
    by_name = {t["name"]: t for t in facts["shown"]}
    kinds = {name: by_name[name]["kind"] for name in ("x", "c", "w", "y")}
    assert kinds == {"x": "input", "c": "value", "w": "constant", "y": "output"}
    assert by_name["c"]["bytes"] == "1024*N" and by_name["c"]["readers"] == 1 and by_name["c"]["node"] == "body/conv"
    (stored,) = (numpy_helper.to_array(t) for t in onnx.load(network).graph.initializer if t.name == "w")
    told = by_name["w"]["statistics"]
    assert [told[k] for k in ("min", "max")] == [stored.min(), stored.max()]
    np.testing.assert_allclose([told["mean"], told["std"]], [stored.mean(), stored.std()], rtol=1e-5)
    assert (told["zeros"], told["not_finite"], by_name["x"]["statistics"]) == (0, 0, None)
    assert (facts["constants"], facts["constant_bytes"]) == (3, 4 * (108 + 4 + 20))
    largest = shown(network, "--show", "tensors", "--top", "1", "--shape", "x=1,3,8,8")["shown"]
    assert [t["bytes"] for t in largest] == [1024] and largest[0]["statistics"] is None


def test_sizes_by_layer_and_line(network: Path) -> None:
    facts = shown(network, "--show", "sizes")
    layers = {one["name"]: one["bytes"] for one in facts["layers"]}
    assert layers["body/conv"] == 4 * 112 and layers["head/fc"] == 4 * 20
    assert facts["bytes"] == network.stat().st_size
    assert {p["name"]: p["bytes"] for p in facts["lines"]}["net.py:12"] == 4 * 112
    for part in ("sections", "layers", "lines"):
        assert sum(one["bytes"] for one in facts[part]) == facts["bytes"]
        assert math.isclose(sum(one["share"] for one in facts[part]), 1)


@pytest.mark.parametrize("source", ["digits_cnn.onnx", "digits_rnn.pb", "digits_cnn_saved_model"])
def test_sections(source: str, models: Path) -> None:
    path = models / source
    facts = shown(path, "--show", "sizes", "--top", "2")
    files = [f for f in path.rglob("*") if f.is_file()] if path.is_dir() else [path]
    assert facts["bytes"] == sum(f.stat().st_size for f in files) == sum(s["bytes"] for s in facts["sections"])
    found = {s["name"]: s["bytes"] for s in facts["sections"]}
    held = shown(path)["parameter_bytes"]
    assert found["weights"] >= 0.95 * held and found["names"] > 0 and found["graph"] > 0
    if not path.is_dir():  # variables of a training lie in the folder, too
        assert found["weights"] <= 1.1 * held
    assert sum(one["bytes"] for one in facts["layers"]) == facts["bytes"]


@pytest.mark.parametrize(("target", "suffix"), [("tflite", "tflite"), ("hlo", "pb"), ("stablehlo", "mlir")])
def test_files_that_were_written(target: str, suffix: str, network: Path, tmp_path: Path) -> None:
    output = tmp_path / f"m.{suffix}"
    made = call("convert", network, "--to", target, "-o", output, "--shape", "x=1,3,8,8")
    assert made.exit_code == 0, made.output
    facts = shown(output, "--show", "nodes,sizes,quantization,tensors")
    assert facts["nodes"]["macs"] == 64 * 4 * 27 + 20
    assert sum(s["bytes"] for s in facts["sizes"]["sections"]) == facts["sizes"]["bytes"] >= output.stat().st_size
    assert facts["quantization"]["tensors"] == [] and facts["tensors"]["constant_bytes"] >= 4 * (112 + 20)
    weights = next(s["bytes"] for s in facts["sizes"]["sections"] if s["name"] in ("weights", "text"))
    assert weights >= 4 * (112 + 20) * (target != "stablehlo")


def test_ir_text(network: Path, tmp_path: Path) -> None:
    printed = call("opt", network, "--pipeline", "from-onnx", "-o", tmp_path / "m.mlir")
    assert printed.exit_code == 0, printed.output
    facts = shown(tmp_path / "m.mlir", "--show", "nodes,sizes")
    assert {n["op"] for n in facts["nodes"]["nodes"]} == {"core.conv", "core.clamp", "core.reduce_mean", "core.matmul"}
    assert facts["nodes"]["macs"] == f"{64 * 4 * 27 + 20}*N"
    assert facts["sizes"]["bytes"] == (tmp_path / "m.mlir").stat().st_size


def quantized(path: Path) -> Path:
    """A product between roundings, weights with a scale for each column, and a function of floats."""
    scales = (np.abs(normal(3)) + 0.1).astype(np.float32)
    held = {
        "s": np.float32(0.05).reshape(()),
        "z": np.int8(3).reshape(()),
        "w": RANDOM.integers(-100, 100, (4, 3)).astype(np.int8),
        "ws": scales,
        "wz": np.zeros(3, np.int8),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["xq"], "/q"),
        helper.make_node("DequantizeLinear", ["xq", "s", "z"], ["xd"], "/d"),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"], "/wd", axis=1),
        helper.make_node("MatMul", ["xd", "wd"], ["m"], "/m"),
        helper.make_node("Relu", ["m"], ["r"], "/r"),
        helper.make_node("QuantizeLinear", ["r", "s", "z"], ["rq"], "/rq"),
        helper.make_node("DequantizeLinear", ["rq", "s", "z"], ["rd"], "/rd"),
        helper.make_node("Erf", ["rd"], ["y"], "/erf"),
    ]
    return save(path, nodes, held, [2, 4])


def test_quantization(tmp_path: Path) -> None:
    facts = shown(quantized(tmp_path / "q.onnx"), "--show", "quantization")
    by_name = {t["name"]: t for t in facts["tensors"]}
    assert by_name.keys() == {"xq", "rq", "w"}
    (activation, weight) = by_name["xq"], by_name["w"]
    assert (activation["scheme"], activation["axis"], activation["zero_points"]) == ("per-tensor", None, [3])
    assert math.isclose(activation["scales"][0], 0.05, rel_tol=1e-6) and activation["storage"] == "int8"
    assert (weight["scheme"], weight["axis"], len(weight["scales"]), weight["constant"]) == ("per-axis", 1, 3, True)
    assert facts["numerics"] == {"rounded": 2, "floats": 1}
    assert [f["name"] for f in facts["floats"]] == ["/erf"]
    assert [(b["name"], b["kind"]) for b in facts["borders"]] == [
        ("/q", "quantize"),
        ("/d", "dequantize"),
        ("/wd", "dequantize"),
        ("/rq", "quantize"),
        ("/rd", "dequantize"),
    ]


def test_delegates(tmp_path: Path) -> None:
    """Two products with a sign between, which XNNPACK does not have."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], "/a"),
        helper.make_node("Sign", ["a"], ["s"], "/sign"),
        helper.make_node("MatMul", ["s", "w"], ["y"], "/b"),
    ]
    model = save(tmp_path / "m.onnx", nodes, {"w": normal(4, 4)}, [2, 4])
    assert call("convert", model, "--to", "tflite", "-o", tmp_path / "m.tflite").exit_code == 0
    facts = shown(tmp_path / "m.tflite", "--show", "delegates")
    assert facts["delegate"] == "XNNPACK" and facts["operators"] == facts["delegated"] + 1
    assert [sum(p["ops"].values()) for p in facts["partitions"]] == [1, 1]
    (left,) = facts["left"]
    assert (left["op"], left["name"], left["splits"]) == ("SIGN", "s", True)
    assert left["why"] == "XNNPACK has no SIGN"
    refused = call("inspect", model, "--show", "delegates")
    assert refused.exit_code == 2 and "MLC0801" in refused.output and "convert it first" in refused.output


def test_delegates_of_the_body_of_a_loop(tmp_path: Path) -> None:
    """A product and a sign, turn by turn: a graph of its own."""
    text = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[2, 4] x, int64 n) => (float[2, 4] y)
    <float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, bool go = {1}> {
    y = Loop (n, go, x) <body = b (int64 i, bool c, float[2, 4] a) => (bool d, float[2, 4] r)
    { d = Identity (c) m = MatMul (a, w) s = Sign (m) r = MatMul (s, w) }> }"""
    onnx.save(onnx.parser.parse_model(text), tmp_path / "m.onnx")
    assert call("convert", tmp_path / "m.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite").exit_code == 0
    facts = shown(tmp_path / "m.tflite", "--show", "delegates")
    assert facts["other_subgraphs"] == len(facts["others"]) == 2 and not any(o["refused"] for o in facts["others"])
    (body,) = (o for o in facts["others"] if any(one["op"] == "SIGN" for one in o["left"]))
    assert next(one for one in body["left"] if one["op"] == "SIGN")["splits"] and len(body["partitions"]) >= 2
    printed = call("inspect", tmp_path / "m.tflite", "--show", "delegates").stdout
    assert "SIGN splits the partitions" in " ".join(printed.split())


def test_native_objects(network: Path, tmp_path: Path) -> None:
    output = tmp_path / "net.o"
    assert call("convert", network, "--to", "native", "-o", output, "--cpu", "x86-64").exit_code == 0
    facts = shown(output)
    assert facts["entry"] == "net_run" and facts["dimensions"] == ["N"] and facts["cpus"] == ["x86-64"]
    assert facts["inputs"] == [{"name": "x", "dtype": "float32", "shape": ["N", 3, 8, 8], "bytes": None}]
    assert facts["weight_bytes"] == facts["sections"][".mlconv.weights"] >= 4 * (112 + 20)
    assert facts["code_bytes"] + facts["weight_bytes"] == facts["bytes"] == output.stat().st_size
    assert "net_run" in call("inspect", output).output and ".text" in call("inspect", output, "--show", "sizes").output
    refused = call("inspect", output, "--show", "nodes")
    assert refused.exit_code == 2 and "has no nodes to show" in refused.output
    alone = tmp_path / "other.o"
    shutil.copy(output, alone)
    refused = call("inspect", alone)
    assert refused.exit_code == 1 and "MLC0002" in refused.output and "without a model interface" in refused.output
    shutil.copy(output.with_suffix(".io.json"), alone.with_suffix(".io.json"))
    data = bytearray(alone.read_bytes())
    data[100] ^= 255
    alone.write_bytes(data)
    refused = call("inspect", alone)
    assert refused.exit_code == 1 and "MLC0003" in refused.output


def test_lines_fit(network: Path, tmp_path: Path) -> None:
    model = onnx.load(network)
    for node in model.graph.node:
        node.name = f"StatefulPartitionedCall/a_rather_long_scope/{'inner/' * 12}{node.name}"
    onnx.save(model, tmp_path / "long.onnx")
    views = "nodes,tensors,sizes,quantization"
    text = call("inspect", tmp_path / "long.onnx", "--show", views, "--statistics").output
    assert max(map(len, text.splitlines())) <= 80 and "…" in text
    assert "/conv" in text and "StatefulPart" in text  # both ends of a name


def test_wrong_views(network: Path) -> None:
    for arguments in (("--show", "nodes,all"), ("--show", ""), ("--top", "0")):
        assert call("inspect", network, *arguments).exit_code == 2


def test_a_choice_of_signatures(corpus: Path) -> None:
    """No signature is the default: all are shown; one that is asked for and not there is refused."""
    path = corpus / "models" / "saved_model" / "tf_nms"
    facts = shown(path)
    assert facts["signatures"] == [e["key"] for e in facts["entries"]] == ["combined", "nms", "nms_padded"]
    assert {n["signature"] for n in shown(path, "--show", "nodes")["nodes"]} == set(facts["signatures"])
    assert "has no signature 'nope'" in call("inspect", path, "--signature", "nope").output


def test_a_wrong_input_is_refused(network: Path) -> None:
    result = call("inspect", network, "--shape", "nope=1")
    assert result.exit_code == 1 and "which is not an input" in result.output
