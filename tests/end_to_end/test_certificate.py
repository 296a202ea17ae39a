"""Certificates: an in-toto statement with SLSA's provenance, from which a build gives the same bytes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from tests.support.cli import call


def certified(models: Path, folder: Path, *arguments: object, to: str = "tflite", suffix: str = "tflite") -> Path:
    model = folder / "digits_cnn.onnx"
    model.write_bytes((models / "digits_cnn.onnx").read_bytes())
    ran = call(
        "convert", model, "--to", to, "-o", folder / f"m.{suffix}", "--certificate", folder / "c.json", *arguments
    )
    assert ran.exit_code == 0, ran.output
    return folder / "c.json"


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_it_is_a_statement_with_a_predicate_of_slsa(models: Path, tmp_path: Path) -> None:
    found = read(certified(models, tmp_path, "--verify"))
    assert found["_type"] == "https://in-toto.io/Statement/v1"
    assert found["predicateType"] == "https://slsa.dev/provenance/v1"
    assert found["subject"] == [{"name": "m.tflite", "digest": {"sha256": digest(tmp_path / "m.tflite")}}]
    build, details = found["predicate"]["buildDefinition"], found["predicate"]["runDetails"]
    assert set(build) == {"buildType", "externalParameters", "internalParameters", "resolvedDependencies"}
    assert {"name": str(tmp_path / "digits_cnn.onnx"), "digest": {"sha256": digest(tmp_path / "digits_cnn.onnx")}} in (
        build["resolvedDependencies"]
    )
    assert build["externalParameters"]["options"] == {"verify": True}
    assert build["internalParameters"]["passes"][0] == "from-onnx" and build["internalParameters"]["applied"]
    assert details["builder"]["version"]["mlconv"] == mlconv.__version__
    assert details["byproducts"][0]["annotations"]["outputs"][0]["ok"] is True


def test_the_same_run_gives_the_same_certificate(models: Path, tmp_path: Path) -> None:
    first = certified(models, tmp_path).read_bytes()
    assert certified(models, tmp_path).read_bytes() == first


@pytest.mark.parametrize(("to", "suffix"), [("tflite", "tflite"), ("native", "o"), ("hlo", "hlo.pb")])
def test_a_build_from_it_gives_the_same_bytes(to: str, suffix: str, models: Path, tmp_path: Path) -> None:
    shape = ["--shape", "image=1,1,8,8"]
    certificate = certified(models, tmp_path, *shape, to=to, suffix=suffix)
    subject = {entry["name"]: entry["digest"]["sha256"] for entry in read(certificate)["subject"]}
    assert len(subject) > 1 or to == "tflite"
    for name in subject:
        (tmp_path / name).unlink()
    ran = call("build", "--from", certificate)
    assert ran.exit_code == 0, ran.output
    assert {name: digest(tmp_path / name) for name in subject} == subject


def test_names_are_part_of_native_objects(models: Path, tmp_path: Path) -> None:
    told = certified(models, tmp_path, to="native", suffix="o")
    ran = call("build", "--from", told, "-o", tmp_path / "other.o")
    assert ran.exit_code == 3 and "build it as m.o, in another folder" in ran.output
    (tmp_path / "elsewhere").mkdir()
    assert call("build", "--from", told, "-o", tmp_path / "elsewhere" / "m.o").exit_code == 0


def test_quantization_is_repeated(models: Path, tmp_path: Path) -> None:
    samples = tmp_path / "samples.npz"
    np.savez(samples, image=np.random.default_rng(0).random((8, 1, 8, 8), np.float32))
    rule = ["--quantize-rule", "matmul=float"]
    certificate = certified(models, tmp_path, "--quantize", "int8", "--calibration", samples, *rule)
    told = read(certificate)["predicate"]["buildDefinition"]
    assert told["externalParameters"]["options"]["quantize_rules"] == ["matmul=float"]
    assert str(samples) in [entry["name"] for entry in told["resolvedDependencies"]]
    written = digest(tmp_path / "m.tflite")
    assert call("build", "--from", certificate, "-o", tmp_path / "again.tflite").exit_code == 0
    assert digest(tmp_path / "again.tflite") == written
    np.savez(samples, image=np.random.default_rng(1).random((8, 1, 8, 8), np.float32))
    ran = call("build", "--from", certificate)
    assert ran.exit_code == 3 and "MLC0708" in ran.output and "samples.npz" in ran.output


def test_what_no_file_holds_has_no_certificate(models: Path, tmp_path: Path) -> None:
    loaded = mlconv.load(models / "digits_cnn.onnx")
    with pytest.raises(mlconv.ConversionError, match="not of one that is loaded"):
        mlconv.convert(loaded, output=tmp_path / "m.tflite", certificate=str(tmp_path / "c.json"))
    with pytest.raises(mlconv.ConversionError, match="cannot say what calibration is"):
        mlconv.convert(
            models / "digits_cnn.onnx",
            output=tmp_path / "m.tflite",
            quantize="int8",
            calibration=lambda: [{"image": np.zeros((1, 1, 8, 8), np.float32)}],
            certificate=str(tmp_path / "c.json"),
        )


@pytest.mark.parametrize("text", ["[]", "{}", '{"_type": 1}', "no json"])
def test_other_files_are_no_certificates(text: str, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    ran = call("build", "--from", path)
    assert ran.exit_code == 1 and "MLC0002" in ran.output


def test_an_option_that_there_is_not(models: Path, tmp_path: Path) -> None:
    certificate = certified(models, tmp_path)
    told = read(certificate)
    told["predicate"]["buildDefinition"]["externalParameters"]["options"]["files"] = 1
    certificate.write_text(json.dumps(told), encoding="utf-8")
    ran = call("build", "--from", certificate)
    assert ran.exit_code == 1 and "has an option 'files'" in ran.output
