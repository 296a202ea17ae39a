"""A refused source op does not hide what targets say of the others."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from mlconv.driver.check import check_model
from tests.support.failing_models import onnx_file

N = onnx.helper.make_node


def model(folder: Path) -> Path:
    """x -> Relu -> Custom -> Sigmoid -> y, and beside it a Bernoulli, which TFLite refuses, and a Tanh."""
    branch = onnx.helper.make_graph(
        [N("Custom", ["r"], ["t"], "inner", domain="com.acme")], "then", [], [onnx.ValueInfoProto(name="t")]
    )
    other = onnx.helper.make_graph([N("Tanh", ["r"], ["e"], "else")], "else", [], [onnx.ValueInfoProto(name="e")])
    nodes = [
        N("Relu", ["x"], ["r"], "relu"),
        N("Custom", ["r"], ["c"], "custom", domain="com.acme"),
        N("Sigmoid", ["c"], ["s"], "sigmoid"),
        N("Bernoulli", ["r"], ["d"], "drawn"),
        N("ReduceMax", ["r"], ["m"], "max", keepdims=0),
        N("Cast", ["m"], ["b"], "cast", to=9),
        N("If", ["b"], ["i"], "if", then_branch=branch, else_branch=other),
        N("Sum", ["s", "d", "i"], ["y"], "sum"),
    ]
    return onnx_file(folder / "m.onnx", nodes, (4, 4))


@pytest.mark.parametrize("target", ["tflite", "hlo", "native"])
def test_ops_beside_a_refused_one_are_judged(target: str, tmp_path: Path) -> None:
    (report,) = check_model(str(model(tmp_path)), [target]).targets
    status = {node.node: row.status for row in report.rows for node in row.nodes}
    assert status["custom"] == "refused" and status["inner"] == "refused"
    assert status["sigmoid"] == status["sum"] == "unchecked"
    assert status["relu"] in ("supported", "decomposed")
    assert status["drawn"] == ("refused" if target == "tflite" else status["drawn"])
    assert {name for name, found in status.items() if found == "unchecked"} == {"sigmoid", "sum", "if", "else"}
    assert not report.ok and [d.code.id for d in report.diagnostics][:1] == ["MLC0301"]


def test_ops_behind_a_refused_one_are_judged_where_the_file_has_its_type(tmp_path: Path) -> None:
    path = model(tmp_path)
    proto = onnx.load(path)
    for name in "cdi":
        proto.graph.value_info.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4, 4]))
    onnx.save(proto, path)
    for report in check_model(str(path), ["tflite", "hlo"]).targets:
        status = {node.node: row.status for row in report.rows for node in row.nodes}
        assert status["sigmoid"] == "supported" and status["custom"] == "refused"
        assert {name for name, found in status.items() if found == "unchecked"} == {"if", "else"}
        assert not any("assumed" in (d.node or d.message) for d in report.diagnostics)


def test_ops_behind_a_loop_that_reads_a_refused_one_go_with_it(tmp_path: Path) -> None:
    """The loop itself became core, and stands around ops that did not."""
    made = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
    g (float[2,3] x, int64 n, bool c) => (float[2,3] y) {
        [refused] v = com.acme.Wobble (x)
        [loop] t = Loop <body = b (int64 i, bool ci, float[2,3] s) => (bool co, float[2,3] a) {
            [inner] a = Add (s, v)
            co = Identity (ci)
        }> (n, c, x)
        [behind] r = Relu (t)
        [last] y = Tanh (r)
    }""")
    onnx.save(made, tmp_path / "m.onnx")
    for report in check_model(str(tmp_path / "m.onnx"), ["tflite", "hlo", "native"]).targets:
        status = {node.node: row.status for row in report.rows for node in row.nodes}
        assert status["refused"] == "refused" and {status[n] for n in ("loop", "behind", "last")} == {"unchecked"}
