"""The command line: exit codes, messages, reports, nothing left behind."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.support.cli import call
from tests.support.npz import npz


def test_convert_reports_and_verifies(models: Path, tmp_path: Path) -> None:
    result = call("convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--verify")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "m.tflite").read_bytes()[4:8] == b"TFL3"
    assert re.search(r"m\.tflite: .* ops, 0 transposes", result.output) and "verified scores" in result.output


def test_json_report(models: Path, tmp_path: Path) -> None:
    result = call("convert", models / "digits_cnn.pb", "--to", "tflite", "-o", tmp_path / "m.tflite", "--json")
    report = json.loads(result.stdout)
    assert report["size_bytes"] == (tmp_path / "m.tflite").stat().st_size
    assert (
        report["ops"]["tfl.CONV_2D"] == 2
        and report["transposes"] == 0
        and set(report["timings"]) >= {"import", "write"}
    )


def test_output_defaults_to_the_models_name(models: Path, tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes((models / "digits_cnn.onnx").read_bytes())
    assert call("convert", tmp_path / "net.onnx", "--to", "tflite").exit_code == 0
    assert (tmp_path / "net.tflite").exists()


def test_inspect(models: Path) -> None:
    text = call("inspect", models / "digits_cnn.onnx").output
    assert "onnx.Conv" in text and "float32[N,1,8,8]" in text and "parameters" in text
    facts = json.loads(call("inspect", models / "digits_rnn.pb", "--json").output)
    assert facts["format"].startswith("graphdef") and facts["outputs"]


def test_run(models: Path, tmp_path: Path) -> None:
    golden = npz(models / "digits_transformer.npz")
    np.savez(tmp_path / "in.npz", image=golden["image"])
    result = call("run", models / "digits_transformer.onnx", "--input", tmp_path / "in.npz", "-o", tmp_path / "out.npz")
    assert result.exit_code == 0, result.output
    np.testing.assert_allclose(npz(tmp_path / "out.npz")["scores"], golden["scores"], atol=1e-5)
    assert call("run", models / "digits_cnn.onnx").exit_code == 0


def test_opt_reads_what_it_prints(models: Path, tmp_path: Path) -> None:
    first = call("opt", models / "digits_cnn.onnx", "--pipeline", "canonicalize,fold", "-o", tmp_path / "a.mlir")
    assert first.exit_code == 0, first.output
    second = call("opt", tmp_path / "a.mlir", "--pipeline", "layout,canonicalize,dce", "--verify-each", "--time-passes")
    assert second.exit_code == 0 and '"core.conv"' in second.output and "layout" in second.output


def test_exit_codes(models: Path, tmp_path: Path) -> None:
    missing = call("convert", "nowhere.onnx", "--to", "tflite")
    assert missing.exit_code == 1 and "MLC0001" in missing.output
    assert call("convert", models / "digits_cnn.onnx").exit_code == 2
    assert call("convert", models / "digits_cnn.onnx", "--to", "tflite", "--shape", "x=a!").exit_code == 2
    assert call("explain", "MLC9999").exit_code == 2
    absent = call(
        "convert", models / "digits_cnn.onnx", "--to", "tflite", "--outputs", "nope", "-o", tmp_path / "x.tflite"
    )
    assert absent.exit_code == 1 and "MLC0107" in absent.output
    assert (
        call("convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "no" / "x.tflite").exit_code == 1
    )
    assert list(tmp_path.iterdir()) == []


def test_native(models: Path, tmp_path: Path) -> None:
    out = tmp_path / "digits.o"
    pinned = ("--to", "native", "-o", out, "--shape", "image=1,1,8,8")
    result = call("convert", models / "digits_cnn.onnx", *pinned, "--verify")
    assert result.exit_code == 0 and "verified scores" in result.output, result.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["digits.h", "digits.io.json", "digits.o"]


def test_internal_errors_give_no_traceback(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("boom")

    monkeypatch.setattr("mlconv.driver.conversion.import_model", broken)
    result = call("convert", models / "digits_cnn.onnx", "--to", "tflite")
    assert result.exit_code == 4 and "MLC0901" in result.output and "Traceback" not in result.output
    found = re.search(r"are in (\S+)", result.output)
    assert found is not None
    path = Path(found.group(1))
    assert "boom" in path.read_text() and "Traceback" in path.read_text()
    path.unlink()


@pytest.mark.parametrize("form", ["human", "concise", "json", "github", "sarif"])
def test_diagnostics_formats(form: str, tmp_path: Path) -> None:
    result = call("convert", tmp_path / "gone.onnx", "--to", "tflite", "--diagnostics-format", form)
    assert result.exit_code == 1 and "MLC0001" in result.output
    if form == "json":
        data = json.loads(result.stdout)
        assert {
            "code",
            "severity",
            "message",
            "file",
            "line",
            "column",
            "function",
            "node",
            "op",
            "callers",
            "notes",
            "help",
        } <= set(data)
    elif form == "sarif":
        assert json.loads(result.stdout)["runs"][0]["results"][0]["ruleId"] == "MLC0001"
    elif form == "github":
        assert result.stdout.startswith("::error ")


def test_a_pass_that_fails_leaves_the_ir_before_it(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> int:
        raise IndexError("in the middle")

    monkeypatch.setattr("mlconv.passes.cse.merge_common", broken)
    result = call("convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "x.tflite")
    assert result.exit_code == 4
    found = re.search(r"are in (\S+)", result.output)
    assert found is not None
    text = Path(found.group(1)).read_text()
    Path(found.group(1)).unlink()
    assert "failed in pass cse" in text
    monkeypatch.undo()
    (tmp_path / "ir.mlir").write_text(text[text.index("// IR before") :])
    pipeline = re.search(r"--pipeline '([^']*)'", text)
    assert pipeline is not None
    again = call("opt", tmp_path / "ir.mlir", "--pipeline", pipeline.group(1))
    assert again.exit_code == 0, again.output


def test_weights_that_are_not_finite_are_named(tmp_path: Path) -> None:
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    weights = np.ones((20, 20), np.float32)
    weights[3, 4] = np.nan
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 20])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 20])],
        [numpy_helper.from_array(weights, "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    result = call("convert", tmp_path / "m.onnx", "--to", "tflite")
    assert result.exit_code == 0 and "warning[MLC0502]: constant 'w'" in result.output and "nan" in result.output


def test_sizes_may_be_names_and_ranges(models: Path, tmp_path: Path) -> None:
    output = tmp_path / "m.tflite"
    result = call(
        "convert",
        models / "digits_cnn.onnx",
        "--to",
        "tflite",
        "-o",
        output,
        "--shape",
        "image=3..32,1,8,8",
        "--io-json",
        "--verify",
    )
    assert result.exit_code == 0, result.output
    interface = json.loads((tmp_path / "m.tflite.io.json").read_text())
    assert interface["ranges"] == {"image_0": [3, 32]} and interface["signatures"][0]["inputs"][0]["shape"] == [
        "image_0",
        1,
        8,
        8,
    ]
    named = call(
        "convert", models / "digits_cnn.pb", "--to", "tflite", "-o", output, "--shape", "image=batch,8,8,1", "--json"
    )
    assert json.loads(named.stdout)["outputs"][0]["shape"] == ["batch", 10]
    for bad in ("image=5..2,1,8,8", "image=x!,1,8,8", "nothing"):
        assert (
            call("convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", output, "--shape", bad).exit_code == 2
        )
