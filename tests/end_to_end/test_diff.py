"""What two models differ in: ops by names and by structure, weights, interface, across formats."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import mlconv
from tests.support.cli import call

Change = Callable[[onnx.ModelProto], None]


def changed(models: Path, folder: Path, change: Change) -> Path:
    model = onnx.load(models / "digits_cnn.onnx")
    change(model)
    onnx.save(model, folder / "changed.onnx")
    return folder / "changed.onnx"


def found(a: Path, b: Path, *options: str) -> dict[str, Any]:
    ran = call("diff", a, b, "--json", *options)
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def other_names(model: onnx.ModelProto) -> None:
    """Nodes, values and initializers are called otherwise; nothing else changes."""
    kept = {v.name for v in (*model.graph.input, *model.graph.output)}

    def name(old: str) -> str:
        return old if old in kept or not old else f"v{old}"

    for i, node in enumerate(model.graph.node):
        node.name = f"n{i}"
        for values in (node.input, node.output):
            values[:] = [name(v) for v in values]
    for held in model.graph.initializer:
        held.name = name(held.name)
    del model.graph.value_info[:]


def test_a_model_and_itself(models: Path) -> None:
    path = models / "digits_cnn.onnx"
    facts = found(path, path)
    assert not any(facts[key] for key in ("interface", "added", "removed", "changed", "weights"))
    assert "no differences" in call("diff", path, path).output


def test_names_do_not_matter(models: Path, tmp_path: Path) -> None:
    facts = found(models / "digits_cnn.onnx", changed(models, tmp_path, other_names))
    assert not any(facts[key] for key in ("interface", "added", "removed", "changed", "weights"))
    assert facts["matched"] > 5


@pytest.mark.parametrize("names", [False, True])
def test_a_weight(names: bool, models: Path, tmp_path: Path) -> None:
    def change(model: onnx.ModelProto) -> None:
        if names:
            other_names(model)
        held = next(w for w in model.graph.initializer if len(w.dims) == 4)
        numbers = numpy_helper.to_array(held).copy()
        numbers.flat[[1, 5]] += 0.25
        held.CopyFrom(numpy_helper.from_array(numbers, held.name))

    facts = found(models / "digits_cnn.onnx", changed(models, tmp_path, change))
    (weight,) = facts["weights"]
    assert weight["changed"] == 2 and weight["max_abs"] == pytest.approx(0.25)
    assert not any(facts[key] for key in ("interface", "added", "removed", "changed"))


def test_ops_and_interface(models: Path, tmp_path: Path) -> None:
    def change(model: onnx.ModelProto) -> None:
        other_names(model)
        graph = model.graph
        relu = next(n for n in graph.node if n.op_type == "Relu")
        relu.op_type = "LeakyRelu"
        relu.attribute.append(helper.make_attribute("alpha", 0.2))
        output = graph.output[0]
        graph.node.append(helper.make_node("Sigmoid", [output.name], ["more"], name="sigmoid"))
        more = onnx.ValueInfoProto()
        more.CopyFrom(output)
        more.name = "more"
        graph.output.append(more)

    path = models / "digits_cnn.onnx"
    other = changed(models, tmp_path, change)
    facts = found(path, other)
    assert [(op["op"], op["name"]) for op in facts["added"]] == [("onnx.Sigmoid", "sigmoid")]
    assert not facts["removed"] and not facts["weights"]
    assert [op["changes"] for op in facts["changed"]] == [["op: onnx.Relu -> onnx.LeakyRelu"]]
    assert facts["interface"] == ["output more is new"]
    assert call("diff", path, other, "--fail-on", "weights").exit_code == 0
    for gate in ("ops", "interface", "any", "weights,ops"):
        ran = call("diff", path, other, "--fail-on", gate)
        assert ran.exit_code == 3 and "MLC0707" in ran.output


def test_an_attribute(models: Path, tmp_path: Path) -> None:
    def change(model: onnx.ModelProto) -> None:
        listed = next(a for n in model.graph.node for a in n.attribute if a.name == "pads")
        listed.ints[0] += 1

    (op,) = found(models / "digits_cnn.onnx", changed(models, tmp_path, change))["changed"]
    assert len(op["changes"]) == 1 and op["changes"][0].startswith("pads: (")


def test_across_formats(models: Path, tmp_path: Path) -> None:
    """A converted file has the same weights, at places of its own."""
    path = models / "digits_cnn.onnx"
    mlconv.convert(path, output=tmp_path / "m.tflite")
    facts = found(path, tmp_path / "m.tflite")
    assert facts["level"] == "core"
    filters = [w["name"] for w in facts["weights"] if w["elements"] > 16]
    assert filters == ["fc.weight"]  # its rows are in the order of channels last
    assert not facts["interface"]


def test_sizes_and_json_are_those_of_the_files(models: Path, tmp_path: Path) -> None:
    path = models / "digits_cnn.onnx"
    facts = found(path, models / "digits_rnn.onnx")
    assert facts["a"]["bytes"] == path.stat().st_size
    assert np.sum([len(facts[key]) for key in ("added", "removed")]) > 0


def test_gates_are_names() -> None:
    ran = call("diff", "a", "b", "--fail-on", "everything")
    assert ran.exit_code == 2 and "'everything' is none of interface, ops, weights, any" in ran.output


def test_inputs_in_another_order_change_no_op(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[2, 3] x, float[2, 3] z) => (float[2, 3] y) { h = Sub (x, z) y = Relu (h) }"""
    for name, model in (("a", text), ("b", text.replace("x, float[2, 3] z", "z, float[2, 3] x"))):
        onnx.save(onnx.parser.parse_model(model), tmp_path / f"{name}.onnx")
    facts = found(tmp_path / "a.onnx", tmp_path / "b.onnx")
    assert facts["interface"] == ["inputs have another order: x, z -> z, x"] and not facts["changed"]
    swapped = text.replace("Sub (x, z)", "Sub (z, x)")
    onnx.save(onnx.parser.parse_model(swapped), tmp_path / "c.onnx")
    assert len(found(tmp_path / "a.onnx", tmp_path / "c.onnx")["changed"][0]["changes"]) == 2


def test_quantized_weights_are_off_by_so_much(models: Path, tmp_path: Path) -> None:
    mlconv.convert(models / "digits_cnn.onnx", output=tmp_path / "a.tflite")
    mlconv.convert(models / "digits_cnn.onnx", output=tmp_path / "b.tflite", quantize="dynamic-range")
    weights = found(tmp_path / "a.tflite", tmp_path / "b.tflite")["weights"]
    stored = [w for w in weights if "-> i" in w["change"]]
    assert stored and all(w["relative"] is not None and 1e-4 < w["relative"] < 0.02 for w in stored)


def test_factors_that_are_stored_transposed_are_the_same(tmp_path: Path) -> None:
    """FULLY_CONNECTED has them so; of integers, one scale is for a column of the other model's."""
    numbers = ", ".join(str(i * i % 37 - 11) for i in range(36))
    text = f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[4, 6] x) => (float[4, 6] y) <float[6, 6] w = {{{numbers}}}> {{ a = MatMul (x, w) y = Relu (a) }}"""
    onnx.save(onnx.parser.parse_model(text), tmp_path / "a.onnx")
    mlconv.convert(tmp_path / "a.onnx", output=tmp_path / "a.tflite")
    facts = found(tmp_path / "a.onnx", tmp_path / "a.tflite")
    assert not facts["weights"] and not facts["changed"]
    mlconv.convert(tmp_path / "a.onnx", output=tmp_path / "b.tflite", quantize="dynamic-range")
    (weight,) = found(tmp_path / "a.onnx", tmp_path / "b.tflite")["weights"]
    assert weight["relative"] is not None and 0 < weight["relative"] < 0.01


def test_operands_of_other_ops_are_no_weights_that_changed(tmp_path: Path) -> None:
    """A convolution's name is that of what reads its weights in a quantized file."""
    head = '<ir_version: 8, opset_import: ["" : 17]>'
    filters = ", ".join(["0.5"] * 9)
    text = f"""{head} g (float[1, 1, 4, 4] x) => (float[1, 1, 2, 2] y) <float[1, 1, 3, 3] w = {{{filters}}}> {{
    y = Conv (x, w) }}"""
    other = f"""{head} g (float[1, 1, 4, 4] x) => (float[1, 1, 4, 4] y) <float s = {{0.5}}> {{ y = Mul (x, s) }}"""
    for name, model in (("a", text), ("b", other)):
        onnx.save(onnx.parser.parse_model(model), tmp_path / f"{name}.onnx")
    facts = found(tmp_path / "a.onnx", tmp_path / "b.onnx")
    assert not facts["weights"] and facts["changed"][0]["changes"][0] == "op: onnx.Conv -> onnx.Mul"
