"""What an ONNX file says of itself is what its module has, and costs no import of numpy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlconv.diagnostics import ConversionError
from mlconv.driver import inspection
from mlconv.driver.inspection import inspect_model
from mlconv.driver.options import Options
from mlconv.importers.format import SourceFormat
from mlconv.importers.onnx.format import FORMAT

RANDOM = np.random.default_rng(3)


def save(path: Path, nodes: list[onnx.NodeProto], weights: dict[str, np.ndarray], shape: list[object] | None) -> Path:
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", ["N", 4]), ("y", shape))]
    tensors = [numpy_helper.from_array(v, n) for n, v in weights.items()]
    graph = helper.make_graph(nodes, "g", info[:1], info[1:], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    model.metadata_props.add(key="author", value="who")
    onnx.save(model, path)
    return path


def branches() -> list[onnx.NodeProto]:
    """An If whose branches have weights and read values around them; a node that nothing reads; typed data."""
    inner = [
        helper.make_graph(
            [helper.make_node(kind, ["h", f"c{kind}"], [f"o{kind}"], name=f"/{kind}")],
            kind,
            [],
            [helper.make_tensor_value_info(f"o{kind}", TensorProto.FLOAT, None)],
            [helper.make_tensor(f"c{kind}", TensorProto.FLOAT, [2], [1.5, 2.5])],
        )
        for kind in ("Add", "Mul")
    ]
    return [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="/m"),
        helper.make_node("Constant", [], ["flag"], value=helper.make_tensor("b", TensorProto.BOOL, [], [True])),
        helper.make_node("If", ["flag"], ["y"], then_branch=inner[0], else_branch=inner[1]),
        helper.make_node("Exp", ["unused"], ["nobody"], name="/dead"),
    ]


def facts_both_ways(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[inspection.Inspection]:
    found = [inspect_model(str(path), Options())]
    with monkeypatch.context() as patch:
        patch.setattr(type(FORMAT), "summary", SourceFormat.summary)
        found.append(inspect_model(str(path), Options()))
    return found


@pytest.mark.parametrize("shape", [["N", 2], None])
def test_as_the_module_has_it(
    shape: list[object] | None, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = {"w": RANDOM.standard_normal((4, 2)).astype(np.float32), "unused": np.full(300, 0.5, np.float32)}
    path = save(tmp_path / "m.onnx", branches(), weights, shape)
    for model in (path, *sorted(models.glob("*.onnx"))):
        short, whole = facts_both_ways(model, monkeypatch)
        assert short == whole
    assert short["parameters"] > 0
    short, _ = facts_both_ways(path, monkeypatch)
    assert short["ops"] == {"onnx.MatMul": 1, "onnx.If": 1, "onnx.Add": 1, "onnx.Mul": 1}
    assert (short["parameters"], short["parameter_bytes"]) == (8 + 1 + 4, 32 + 1 + 16)
    assert short["metadata"] == {"graph": "g", "author": "who"}


def test_large_models_are_shown_as_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = {"w": RANDOM.standard_normal((4, 2)).astype(np.float32)}
    path = save(tmp_path / "m.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"])], weights, ["rows", 2])
    assert inspect_model(str(path), Options())["outputs"][0]["shape"] == ["N", 2]
    monkeypatch.setattr(inspection, "DEDUCED", 31)
    assert inspect_model(str(path), Options())["outputs"][0]["shape"] == ["rows", 2]


def test_no_numpy(tmp_path: Path) -> None:
    weights = {"w": RANDOM.standard_normal((4, 2)).astype(np.float32)}
    path = save(tmp_path / "m.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"])], weights, ["N", 2])
    onnx.save(onnx.load(path), path, save_as_external_data=True, location="w.bin", size_threshold=0)
    code = (
        "import sys, mlconv.cli\nfrom click.testing import CliRunner\n"
        f"r = CliRunner().invoke(mlconv.cli.main, ['inspect', {str(path)!r}])\n"
        "loaded = [m for m in ('numpy', 'onnx', 'mlconv.ir.module') if m in sys.modules]\n"
        "print(r.exit_code, loaded, '8 parameters' in r.output)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["0", "[]", "True"]


BROKEN = {
    "name twice": [helper.make_node("Exp", ["x"], ["y"]), helper.make_node("Abs", ["x"], ["y"])],
    "not made": [helper.make_node("Exp", ["z"], ["y"])],
    "cycle": [helper.make_node("Add", ["x", "b"], ["y"]), helper.make_node("Exp", ["y"], ["b"])],
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_refused(name: str, tmp_path: Path) -> None:
    path = save(tmp_path / "m.onnx", BROKEN[name], {}, [1])
    with pytest.raises(ConversionError):
        inspect_model(str(path), Options())


def test_weights_that_lack_data_are_refused(tmp_path: Path) -> None:
    path = save(tmp_path / "m.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"])], {"w": np.ones((4, 2), "f")}, [1])
    model = onnx.load(path)
    model.graph.initializer[0].dims[0] = 400
    onnx.save(model, path)
    with pytest.raises(ConversionError, match="400"):
        inspect_model(str(path), Options())


def functions() -> list[onnx.FunctionProto]:
    """One that calls another twice and has a branch with weights; one with an input that may be left out."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    value = {"value": helper.make_tensor("c", TensorProto.FLOAT, [1], [2.0])}
    large = {"value": numpy_helper.from_array(np.ones((400, 1), "f"))}
    scaled = [
        helper.make_node("Constant", [], ["c"], **value),
        helper.make_node("Constant", [], ["d"], **large),
        helper.make_node("ReduceMax", ["d"], ["m"]),
        helper.make_node("Mul", ["a", "c"], ["b"]),
        helper.make_node("Add", ["b", "m"], ["h"]),
        helper.make_node("Clip", ["h", "low"], ["o"]),
        helper.make_node("LeakyRelu", ["h"], ["second"]),
    ]
    scaled[-1].attribute.append(
        onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
    )
    flag, branch = branches()[1:3]
    twice = [
        helper.make_node("Scaled", ["a"], ["b"], domain="my", slope=0.5),
        helper.make_node("Scaled", ["b", "low"], ["c", "other"], domain="my"),
        helper.make_node("Sub", ["c", "other"], ["s"]),
        helper.make_node("ReduceMax", ["s"], ["h"], axes=[1]),
        flag,
        branch,
    ]
    return [
        helper.make_function("my", "Scaled", ["a", "low"], ["o", "second"], scaled, opsets, ["slope"]),
        helper.make_function("my", "Twice", ["a", "low"], ["y"], twice, opsets),
    ]


def test_functions_count_as_inlined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [
        helper.make_node("Twice", ["x", "low"], ["p"], domain="my"),
        helper.make_node("Twice", ["p", ""], ["y"], domain="my"),
    ]
    weights = {"low": np.zeros((), "f"), "unused": np.ones(3, "f")}
    path = save(tmp_path / "m.onnx", nodes, weights, ["N", 2])
    model = onnx.load(path)
    model.functions.extend(functions())
    model.opset_import.add(domain="my", version=1)
    onnx.save(model, path)
    short, whole = facts_both_ways(path, monkeypatch)
    assert short == whole
    assert (short["ops"]["onnx.Mul"], short["ops"]["onnx.Sub"], short["ops"]["onnx.LeakyRelu"]) == (6, 2, 2)
    assert short["parameters"] == 1 + 1 + 400 + 1 + 2 + 2


def test_functions_are_counted_without_inlining(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path / "m.onnx", [helper.make_node("Exp", ["x"], ["y"], domain="my")], {}, ["N", 4])
    model = onnx.load(path)
    inner = [helper.make_node("Exp", ["a"], ["b"]), helper.make_node("Strange", ["b"], ["c"])]
    model.functions.append(helper.make_function("my", "Exp", ["a"], ["c"], inner, [helper.make_opsetid("", 17)]))
    model.opset_import.add(domain="my", version=1)
    onnx.save(model, path)
    short, whole = facts_both_ways(path, monkeypatch)
    assert short == whole  # what the graph states of a result holds inside of the function, too
    monkeypatch.setattr(type(FORMAT), "load", None)
    assert inspect_model(str(path), Options())["ops"] == {"onnx.Exp": 1, "onnx.Strange": 1}


def test_shared_ranges_count_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that are tied are one range of a file."""
    nodes = [helper.make_node("MatMul", ["x", "v"], ["h"]), helper.make_node("MatMul", ["h", "w"], ["y"])]
    path = save(tmp_path / "m.onnx", nodes, {n: RANDOM.standard_normal((4, 4)).astype("f") for n in "vw"}, ["N", 4])
    onnx.save(onnx.load(path), path, save_as_external_data=True, location="w.bin", size_threshold=0)
    model = onnx.load(path, load_external_data=False)
    first, second = model.graph.initializer
    del second.external_data[:]
    second.external_data.extend(first.external_data)
    onnx.save(model, path)
    short, whole = facts_both_ways(path, monkeypatch)
    assert short == whole
    assert short["parameters"] == 16
