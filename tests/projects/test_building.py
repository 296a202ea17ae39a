"""`mlconv build`: what is stale, and what becomes of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlconv.driver.projects.building import BUILT, FAILED, FRESH, STALE, BuildReport, build
from tests.support.cli import run
from tests.support.folders import contents

FILE = """
[conversions.net]
model = "net.onnx"
output = "build/net.tflite"
verify = true
data = "samples.npz"

[conversions.again]
model = "build/net.tflite"
output = "build/again.o"
[conversions.again.bounds]
error = 1e-5
ops = 4
"""


def write_net(path: Path, factor: float = 1.0) -> None:
    w = numpy_helper.from_array(np.arange(12, dtype=np.float32).reshape(4, 3) * factor, "w")
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, size]) for n, size in (("x", 4), ("y", 3)))
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"], "/m")], "g", [x], [y], [w])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), str(path))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_net(tmp_path / "net.onnx")
    np.savez(tmp_path / "samples.npz", x=np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4))
    (tmp_path / "mlconv.toml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def states(report: BuildReport) -> list[str]:
    return [one.state for one in report.conversions]


def test_what_was_built_is_not_built_again(project: Path) -> None:
    first = build()
    assert states(first) == [BUILT, BUILT] and first.ok, first.diagnostics
    assert {h.name: h.ok for h in first.conversions[1].bounds} == {"error": True, "ops": True}
    before = contents(project)
    assert states(build()) == [FRESH, FRESH]
    assert states(build(check=True)) == [FRESH, FRESH]
    assert contents(project) == before
    (project / "net.onnx").touch()  # contents count, and not times
    assert states(build(check=True)) == [FRESH, FRESH]


def _edit(name: str, old: str, new: str) -> Callable[[Path], object]:
    """A change of a text file of the project."""
    return lambda folder: (folder / name).write_text((folder / name).read_text().replace(old, new))


ARTIFACT, CERTIFICATE = "build/net.tflite", ".mlconv/net.json"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda p: write_net(p / "net.onnx", 2.0), "net.onnx has changed"),
        (lambda p: np.savez(p / "samples.npz", x=np.ones((2, 4), np.float32)), "samples.npz has changed"),
        (lambda p: (p / ARTIFACT).unlink(), "net.tflite is not what was written"),
        (lambda p: (p / ARTIFACT).write_bytes(b"x"), "net.tflite is not what was written"),
        (_edit("mlconv.toml", "verify = true", "verify = true\nio-json = true"), "options are others"),
        (_edit("mlconv.toml", "[conversions.again]", "bounds.size = 9000\n[conversions.again]"), "bounds are others"),
        (lambda p: (p / CERTIFICATE).write_text("{}"), "its certificate cannot be read"),
        (_edit(CERTIFICATE, '"mlconv": "', '"mlconv": "9'), "another version"),
    ],
)
def test_what_makes_an_artifact_stale(project: Path, change: Callable[[Path], object], why: str) -> None:
    build(names=["net"])
    change(project)
    (one,) = build(names=["net"], check=True).conversions
    assert one.state == STALE and why in one.why
    assert states(build(names=["net"])) == [BUILT] and states(build(names=["net"])) == [FRESH]


def test_an_artifact_that_another_reads(project: Path) -> None:
    """It is built first, and what reads it is stale with it."""
    build()
    write_net(project / "net.onnx", 3.0)
    report = build(check=True)
    assert states(report) == [STALE, STALE], report
    assert "build/net.tflite" in report.conversions[1].why
    assert states(build()) == [BUILT, BUILT]


def test_what_one_reads_is_built_with_it(project: Path) -> None:
    """One that is named brings the conversion that makes its model, and no others."""
    report = build(names=["again"])
    assert [(one.name, one.state) for one in report.conversions] == [("net", BUILT), ("again", BUILT)]
    write_net(project / "net.onnx", 3.0)
    assert states(build(names=["again"], check=True)) == [STALE, STALE]
    assert [one.name for one in build(names=["net"]).conversions] == ["net"]


def test_a_broken_bound_fails_until_it_is_kept(project: Path) -> None:
    (project / "mlconv.toml").write_text(FILE.replace("ops = 4", "ops = 0"))
    report = build()
    assert states(report) == [BUILT, FAILED] and report.error().code.exit_status == 3
    assert states(build()) == [FRESH, FAILED]  # it stays stale
    (project / "mlconv.toml").write_text(FILE)
    assert states(build()) == [FRESH, BUILT]


def test_failures_do_not_stop_the_others(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "mlconv.toml").write_text('[conversions.gone]\nmodel = "gone.onnx"\nto = "tflite"\n' + FILE)
    ran = run(project, monkeypatch, "build", "--json")
    report = json.loads(ran.out)
    assert ran.code == 1 and [one["state"] for one in report["conversions"]] == [FAILED, BUILT, BUILT]
    assert "gone.onnx" in ran.err and str(project) not in ran.out + ran.err
    assert run(project, monkeypatch, "build", "net", "again", "-q") == (0, "", "")


def test_nothing_is_made_of_what_failed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the artifact of an earlier build is still there; rows of the report say what was wrong."""
    assert build().ok
    (project / "net.onnx").write_text("no model")
    for report in (build(), build()):
        assert states(report) == [FAILED, FAILED] and (project / "build" / "net.tflite").exists()
        assert report.conversions[1].diagnostics[0].message == "build/net.tflite is not made, as conversion net failed"
    told = run(project, monkeypatch, "build")
    assert "net.onnx is a text file" in told.out and "is not made, as conversion" in told.out
    write_net(project / "net.onnx")
    assert states(build()) == [BUILT, BUILT]


def test_workers_write_the_same_bytes(project: Path, tmp_path: Path) -> None:
    build()
    alone = contents(project)
    for folder in ("build", ".mlconv"):
        shutil.rmtree(project / folder)
    assert states(build(jobs="2")) == [BUILT, BUILT]
    assert contents(project) == alone


def test_the_folder_does_not_matter(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where the project is, nor where the command runs."""
    build()
    other = project.with_name("moved")
    shutil.copytree(project, other)
    monkeypatch.chdir(project.parent)
    assert states(build(other)) == [FRESH, FRESH]
    (other / "build" / "net.tflite").unlink()
    build(other / "mlconv.toml")
    assert contents(other) == contents(project)


def test_a_certificate_of_a_build_is_built_from(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    was = (project / "build" / "net.tflite").read_bytes()
    (project / "build" / "net.tflite").unlink()
    assert run(project, monkeypatch, "build", "--from", ".mlconv/net.json").code == 0
    assert (project / "build" / "net.tflite").read_bytes() == was


def test_the_commands(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = run(project, monkeypatch, "build", "--check")
    assert ran.code == 3 and "not built yet" in ran.out and "[MLC0710]" in ran.err
    ran = run(project, monkeypatch, "build", "--report", "build.html")
    page = (project / "build.html").read_text()
    assert ran.code == 0 and "2 built" in ran.out and "again" in page and "src=" not in page
    assert run(project, monkeypatch, "build", "-f", "nowhere.toml").code == 1
    assert run(project, monkeypatch, "build", "-o", "x").code == 2
    assert run(project, monkeypatch, "build", "other").code == 2


def test_init_writes_what_build_makes(project: Path, monkeypatch: pytest.MonkeyPatch, models: Path) -> None:
    (project / "mlconv.toml").unlink()
    shutil.copy(models / "digits_rnn.onnx", project)
    assert run(project, monkeypatch, "init", "net.onnx", "digits_rnn.onnx", "--to", "tflite,hlo").code == 0
    text = (project / "mlconv.toml").read_text()
    assert "# hlo refuses it: MLC0203" in text and '# shape."image" = [1, 8, 8]' in text
    report = build()
    assert [one.name for one in report.conversions] == ["net-tflite", "net-hlo", "digits_rnn-tflite"] and report.ok
    # what is commented out holds too, once the comment is gone
    lines = [line.removeprefix("# ") if "shape" in line else line for line in text.splitlines()]
    (project / "mlconv.toml").write_text("\n".join(lines))
    assert build().ok
    assert run(project, monkeypatch, "init", "net.onnx").code == 1
    none = run(project, monkeypatch, "init", "digits_rnn.onnx", "--to", "hlo", "-f", "none.toml")
    assert none.code == 0 and none.out == "none.toml: no conversion: it says what each target refuses\n"
