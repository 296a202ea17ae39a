"""Options of reports, and `mlconv check`, through the command line."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path

import pytest

from tests.support import failing_models as models
from tests.support.cli import run
from tests.support.pages import ROOT


def test_a_thousand_bad_ops_are_reported_in_two_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = models.many(tmp_path, 1000)
    run(tmp_path, monkeypatch, "convert", models.many(tmp_path, 2).name, "--to", "tflite")  # imports
    models.many(tmp_path, 1000)
    started = time.perf_counter()
    ran = run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite")
    assert time.perf_counter() - started < 2
    assert "1000 x onnx.com.acme.Wobble, first at /block0/Wobble" in ran.err and len(ran.err.splitlines()) < 20
    ran = run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite", "--diagnostics-format", "json")
    assert len(ran.out.splitlines()) == 1000


@pytest.mark.parametrize("form", ["human", "concise", "json", "github", "sarif", "junit"])
def test_every_form_names_the_line(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = models.torch_custom_op(tmp_path)
    ran = run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite", "--diagnostics-format", form)
    assert ran.code == 1
    text = ran.out + ran.err
    assert "net.py" in text and "7" in text and str(tmp_path) not in text
    assert (not ran.out) == (form in ("human", "concise"))
    assert "\x1b[" not in text


def test_anatomy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every error has node path, op and operand types."""
    for make in (
        models.torch_custom_op,
        models.graphdef_with_debug_info,
        models.shapes_that_do_not_fit,
        lambda f: models.many(f, 3),
    ):
        path = make(tmp_path)
        ran = run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite", "--diagnostics-format", "json")
        for row in map(json.loads, ran.out.splitlines()):
            assert row["node"] and re.fullmatch(r"(onnx|tf)\.\S+ \((\w+\[.*\](, )?)+\)", row["op"]), row
            assert row["line"] or any("source line" in n for n in row["notes"])


def test_output_to_a_file_leaves_the_human_form_on_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = models.torch_custom_op(tmp_path)
    ran = run(
        tmp_path, monkeypatch, "check", path.name, "--diagnostics-format", "sarif", "--diagnostics-output", "r.sarif"
    )
    assert ran.code == 1 and "error[MLC0301]" in ran.err and ran.out.startswith("custom.onnx: onnx")
    log = json.loads((tmp_path / "r.sarif").read_text())
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "net.py"


def test_path_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = models.torch_custom_op(tmp_path)
    ran = run(
        tmp_path,
        monkeypatch,
        "convert",
        path.name,
        "--to",
        "tflite",
        "--path-map",
        f"{tmp_path}=/repo",
        "--diagnostics-format",
        "concise",
    )
    assert ran.err.startswith("/repo/net.py:7:")
    assert run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite", "--path-map", "nonsense").code == 2


def test_full_stacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from onnx import helper

    node = helper.make_node("wobble", ["x"], ["y"], "/w", domain="com.acme")
    frames = [
        ("train.py", 3, "<module>", "net(x)"),
        ("/usr/lib/python3/site-packages/torch/m.py", 9, "_call", "f(x)"),
        ("net.py", 7, "forward", "w(x)"),
    ]
    path = models.onnx_file(tmp_path / "m.onnx", [models.traced(node, *frames)])
    assert "site-packages" not in run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite").err
    err = run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite", "--full-stacks").err
    assert [line.split(":")[0] for line in err.splitlines() if "called from" in line] == ["  = note"] * 2
    assert "called from /usr/lib/python3/site-packages/torch/m.py:9 in _call" in err


def test_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = models.many(tmp_path, 3)
    assert run(tmp_path, monkeypatch, "check", old.name, "--write-baseline", "known.json").code == 0
    ran = run(tmp_path, monkeypatch, "check", old.name, "--baseline", "known.json")
    assert ran.code == 0 and not ran.err and "3 known problems" in ran.out
    new = models.many(tmp_path, 4)
    ran = run(tmp_path, monkeypatch, "check", new.name, "--baseline", "known.json", "--diagnostics-format", "json")
    assert ran.code == 1 and [json.loads(line)["node"] for line in ran.out.splitlines()] == ["/block3/Wobble"]
    (tmp_path / "known.json").write_text("[]")
    assert run(tmp_path, monkeypatch, "check", new.name, "--baseline", "known.json").code == 2
    assert run(tmp_path, monkeypatch, "check", new.name, "--baseline", "none.json").code == 1


def test_check_of_a_model_that_converts(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "digits_cnn.onnx",
        "digits_cnn.pb",
        "digits_cnn_saved_model",
        "digits_transformer.onnx",
        "digits_rnn.onnx",
    ):
        ran = run(tmp_path, monkeypatch, "check", str(models / name), "--to", "tflite", "--json")
        assert ran.code == 0, ran.err
        report = json.loads(ran.out)
        (target,) = report["targets"]
        assert report["ok"] and target["ok"] and target["counts"]["refused"] == 0 and target["counts"]["supported"] > 0
        assert all(len(row["places"]) == row["count"] for row in target["ops"])
    assert not list(tmp_path.iterdir())


def test_check_of_several_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pre-commit calls it: one run, all findings, also when one file is no model."""
    good, bad = models.dynamic_relu(tmp_path), models.torch_custom_op(tmp_path)
    (tmp_path / "junk.onnx").write_bytes(b"\x00" * 40)
    assert run(tmp_path, monkeypatch, "check", good.name, good.name).code == 0
    ran = run(
        tmp_path, monkeypatch, "check", good.name, bad.name, "junk.onnx", "--json", "--diagnostics-format", "json"
    )
    assert ran.code == 1
    assert [r["ok"] for r in json.loads(ran.err)] == [True, False, False]
    assert len({json.loads(line)["code"] for line in ran.out.splitlines()}) == 2


def test_a_model_that_is_named_in_several_ways_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code scanning refuses a file with two runs of one category."""
    name = models.dynamic_relu(tmp_path).name
    names = (name, f"./{name}", str(tmp_path / name))
    assert run(tmp_path, monkeypatch, "check", *names, "--diagnostics-output", "sarif=c.sarif").code == 0
    assert len(json.loads((tmp_path / "c.sarif").read_text())["runs"]) == 1
    shutil.copytree(ROOT / "testdata" / "models" / "digits_cnn_saved_model", tmp_path / "sm")
    parts = ("sm/saved_model.pb", "sm/variables/variables.index")  # as pre-commit names them
    assert run(tmp_path, monkeypatch, "check", *parts, "--diagnostics-output", "sarif=d.sarif").code == 0
    (one,) = json.loads((tmp_path / "d.sarif").read_text())["runs"]
    assert one["automationDetails"]["id"] == "mlconv/sm/"


def test_check_says_what_conversion_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = models.shapes_that_do_not_fit(tmp_path)
    said = [
        run(tmp_path, monkeypatch, *c, "--diagnostics-format", "json").out
        for c in (("check", path.name), ("convert", path.name, "--to", "tflite"))
    ]
    assert said[0] == said[1]


def test_check_reads_no_weights(tmp_path: Path) -> None:
    """The data of the largest tensors is never touched: the file may lack them."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from onnx.external_data_helper import convert_model_to_external_data

    from mlconv.driver.check import check_model

    w = numpy_helper.from_array(np.zeros((512, 4096), np.float32), "w")
    x, y = (
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 512]),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4096]),
    )
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"], "/m")], "g", [x], [y], [w])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    convert_model_to_external_data(model, location="w.bin")
    onnx.save(model, str(tmp_path / "m.onnx"))
    with open(tmp_path / "w.bin", "r+b") as f:
        f.truncate(0)
        f.truncate(512 * 4096 * 4)  # a hole of the right size
    report = check_model(str(tmp_path / "m.onnx"), ("tflite",))
    assert report.targets[0].ok and report.seconds < 2


def test_unknown_targets_and_profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = models.dynamic_relu(tmp_path)
    assert run(tmp_path, monkeypatch, "check", path.name, "--to", "tflight").code == 2
    ran = run(tmp_path, monkeypatch, "check", path.name, "--profile", "edgtpu")
    assert ran.code == 2 and "did you mean 'edgetpu'?" in ran.err
