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
