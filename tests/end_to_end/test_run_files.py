"""No run writes over what it reads, nor two things under one name; what fails in the middle leaves what was there."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import Result

import mlconv.formats.atomic as atomic
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.files import files_of
from mlconv.formats.run_files import RunFiles
from tests.support.cli import call
from tests.support.folders import contents

SHAPE = ("--shape", "image=2,1,8,8")


@pytest.fixture
def work(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """m.onnx; e.onnx with its data in e.data, bad.onnx with the same and a tensor without data; a SavedModel sm; w.pb
    with weights; arrays, a profile.
    """
    proto = onnx.load(models / "digits_cnn.onnx")
    onnx.save(proto, tmp_path / "m.onnx")
    onnx.save(proto, tmp_path / "e.onnx", save_as_external_data=True, location="e.data", size_threshold=0)
    bad = onnx.load(tmp_path / "e.onnx", load_external_data=False)
    for entry in bad.graph.initializer[-1].external_data:
        entry.value = "gone.data" if entry.key == "location" else entry.value
    (tmp_path / "bad.onnx").write_bytes(bad.SerializeToString())
    shutil.copytree(models / "digits_cnn_saved_model", tmp_path / "sm")
    np.savez(tmp_path / "x.npz", image=np.zeros((2, 1, 8, 8), np.float32))
    (tmp_path / "p.toml").write_text('name = "mine"\n')
    (tmp_path / "ir").mkdir()
    monkeypatch.chdir(tmp_path)
    assert call("convert", "m.onnx", "--to", "hlo", "-o", "w.pb", *SHAPE, "--weights", "parameters").exit_code == 0
    assert (
        call(
            "convert", "m.onnx", "--to", "native", "-o", "k.o", *SHAPE, "--weights", "file", "--cpu", "x86-64"
        ).exit_code
        == 0
    )
    assert call("opt", "m.onnx", "-o", "ir/05-canonicalize.mlir").exit_code == 0
    return tmp_path


TFLITE = ("--to", "tflite", "-o", "t.tflite")
NATIVE = ("--to", "native", *SHAPE, "-o", "e.o")
REFUSED: dict[str, tuple[str, ...]] = {
    "report over external data": ("convert", "e.onnx", *TFLITE, "--diagnostics-output", "e.data"),
    "report of an error over external data": ("convert", "bad.onnx", *TFLITE, "--diagnostics-output", "e.data"),
    "report over the model": ("inspect", "m.onnx", "--diagnostics-output", "./m.onnx"),
    "report over weights of HLO": ("convert", "w.pb", *TFLITE, "--diagnostics-output", "w.pb.safetensors"),
    "report over names of HLO": ("check", "w.pb", "--diagnostics-output", "w.pb.json"),
    "report over a variable": ("check", "sm", "--diagnostics-output", "sm/variables/variables.data-00000-of-00001"),
    "report over arrays to verify with": (
        "convert",
        "m.onnx",
        *TFLITE,
        "--verify",
        "--data",
        "x.npz",
        "--diagnostics-output",
        "x.npz",
    ),
    "report over arrays to run with": ("run", "m.onnx", "--data", "x.npz", "--diagnostics-output", "x.npz"),
    "report over a profile": ("check", "m.onnx", "--profile", "p.toml", "--diagnostics-output", "p.toml"),
    "report over the profile of several": (
        "check",
        "m.onnx",
        "e.onnx",
        "--profile",
        "p.toml",
        "--diagnostics-output",
        "p.toml",
    ),
    "baseline over external data": ("check", "e.onnx", "--write-baseline", "e.data"),
    "baseline over a profile": ("check", "e.onnx", "--profile", "p.toml", "--write-baseline", "p.toml"),
    "report over IR": ("opt", "ir/05-canonicalize.mlir", "--diagnostics-output", "ir/05-canonicalize.mlir"),
    "report over the file that IR maps": ("opt", "ir/05-canonicalize.mlir", "-o", "m.onnx"),
    "outputs over external data": ("run", "e.onnx", "--data", "x.npz", "-o", "x.npz"),
    "cache over external data": ("convert", "e.onnx", *NATIVE, "--tune-cache", "e.data"),
    "cache over the model": ("bench", "m.onnx", "--tune-cache", "m.onnx"),
    "IR over the arrays": ("convert", "m.onnx", *TFLITE, "--verify", "--data", "ir", "--dump-ir", "ir"),
    "artifact and report": ("convert", "m.onnx", *TFLITE, "--diagnostics-output", "t.tflite"),
    "names of HLO and report": (
        "convert",
        "m.onnx",
        "--to",
        "hlo",
        "-o",
        "t.pb",
        *SHAPE,
        "--diagnostics-output",
        "t.pb.json",
    ),
    "interface and report": ("convert", "m.onnx", *TFLITE, "--io-json", "--diagnostics-output", "t.tflite.io.json"),
    "object and cache": ("convert", "m.onnx", *NATIVE, "--tune", "--tune-cache", "e.o"),
    "header and cache": ("convert", "m.onnx", *NATIVE, "--tune", "--tune-cache", "e.h"),
    "test program and report": ("convert", "m.onnx", *NATIVE, "--self-test", "--diagnostics-output", "e.test.bin"),
    "report and baseline": ("check", "m.onnx", "--write-baseline", "b.json", "--diagnostics-output", "b.json"),
    "outputs and report": ("run", "m.onnx", "--data", "x.npz", "-o", "y.npz", "--diagnostics-output", "y.npz"),
    "weights of an object and report": ("run", "k.o", "--diagnostics-output", "k.weights.bin"),
    "model interface of an object and outputs": ("run", "k.o", "--diagnostics-output", "k.io.json"),
    "IR and report": ("opt", "m.onnx", "-o", "y.mlir", "--diagnostics-output", "y.mlir"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_nothing_is_written_over_what_is_read_or_written(case: str, work: Path) -> None:
    before = contents(work)
    result = call(*REFUSED[case])
    assert result.exit_code == 1 and result.output.count("MLC0007") in (1, 2) and "MLC0901" not in result.output, (
        result.output
    )
    assert contents(work) == before


def test_a_report_does_not_replace_source(work: Path) -> None:
    """A Python file whose lines the report shows."""
    (work / "net.py").write_text("y = wobble(x)\n")
    node = onnx.helper.make_node("Wobble", ["x"], ["y"], name="w")
    info = [onnx.helper.make_tensor_value_info(n, 1, [2]) for n in "xy"]
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", info[:1], info[1:]))
    entry = model.graph.node[0].metadata_props.add()
    entry.key, entry.value = (
        "pkg.torch.onnx.stack_trace",
        f'  File "{work / "net.py"}", line 1, in f\n    y = wobble(x)\n',
    )
    onnx.save(model, work / "wobble.onnx")
    result = call("check", "wobble.onnx", "--diagnostics-output", "net.py")
    assert (
        result.exit_code == 1
        and "is source that the report shows" in result.output
        and (work / "net.py").read_text() == "y = wobble(x)\n"
    )


def test_links_do_not_hide_an_input(work: Path) -> None:
    """IR is written beside links, not through them; a report not over a second name of the data."""
    assert call("convert", "m.onnx", *TFLITE, "--dump-ir", "passes").exit_code == 0
    late = min(p.name for p in (work / "passes").iterdir() if p.name > "15" and p.name.endswith("-dce.mlir"))
    (work / "dump").mkdir()
    (work / "dump" / "00-state.mlir").symlink_to("../m.onnx")
    (work / "dump" / "05-canonicalize.mlir").symlink_to("../m.onnx")
    before = contents(work)
    assert call("convert", "m.onnx", *TFLITE, "--dump-ir", "dump").exit_code == 1
    assert contents(work) == before
    (work / "dump" / "05-canonicalize.mlir").unlink()
    (work / "dump" / late).symlink_to("../m.onnx")
    assert call("convert", "m.onnx", *TFLITE, "--dump-ir", "dump").exit_code == 1
    assert sorted(p.name for p in (work / "dump").iterdir()) == ["00-state.mlir", late]
    (work / "data.link").symlink_to("e.data")
    for output in ("data.link", "dump/../e.data"):
        assert call("check", "e.onnx", "--diagnostics-output", output).exit_code == 1
    assert (work / "e.data").read_bytes() == before["e.data"]


def test_a_cache_and_a_baseline_may_be_read_and_written(work: Path) -> None:
    assert call("check", "m.onnx", "--write-baseline", "b.json").exit_code == 0
    result = call("check", "m.onnx", "--baseline", "b.json", "--write-baseline", "b.json")
    assert result.exit_code == 0, result.output
    for _ in range(2):
        result = call("convert", "m.onnx", *NATIVE, "--cpu", "x86-64", "--tune-cache", "tune.json")
        assert result.exit_code == 0, result.output


@pytest.mark.share(4)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("native", "a.o"), ("native", "a.obj")),
        (("tflite", "a"), ("native", "a.o")),
        (("native", "a.o"), ("tflite", "a")),
        (("hlo", "a"), ("native", "a.xyz")),
    ],
)
def test_an_artifact_keeps_its_interface(first: tuple[str, str], second: tuple[str, str], work: Path) -> None:
    """Two artifacts whose files beside them would have the same names."""

    def convert(target: str, output: str) -> Result:
        return call("convert", "m.onnx", "--to", target, "-o", output, *SHAPE, "--io-json")

    assert convert(*first).exit_code == 0
    before = contents(work)
    result = convert(*second)
    assert result.exit_code == 1 and "belongs to" in result.output and contents(work) == before
    assert convert(*first).exit_code == 0 and contents(work) == before
    (work / first[1]).unlink()
    assert convert(*second).exit_code == 0


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("failing", ["p.h", "p.io.json", "p.o"])
def test_a_name_that_cannot_be_taken_brings_the_others_back(
    failing: str, links: bool, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a file must not be replaced (chattr +i); with and without second names of files."""
    convert = ("convert", "m.onnx", "--to", "native", *SHAPE, "-o", "p.o")
    assert call(*convert).exit_code == 0
    before = contents(work)
    replace: Callable[[Path, Path], None] = os.replace

    def refusing(source: Path, target: Path) -> None:
        if Path(target) == Path(failing) and ".mlconv-" not in str(target) and ".old" not in str(source):
            raise PermissionError(errno.EPERM, "Operation not permitted")
        replace(source, target)

    monkeypatch.setattr(atomic.os, "replace", refusing)
    if not links:
        monkeypatch.setattr(
            atomic.os, "link", lambda *_: (_ for _ in ()).throw(PermissionError(errno.EPERM, "no links"))
        )
    result = call(*convert, "--example", "--cpu", "x86-64")
    assert result.exit_code == 1 and f"cannot write {failing}: Operation not permitted" in result.output
    assert contents(work) == before and not list(work.glob(".mlconv-*"))


def test_errors_name_the_file_that_the_user_named(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No space is left while the artifact lies in a folder of its own."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(atomic.os, "replace", full)
        result = call("convert", "m.onnx", *TFLITE)
        assert (
            result.exit_code == 1
            and "cannot write t.tflite: No space left on device" in result.output
            and ".mlconv-" not in result.output
        )
        result = call("check", "m.onnx", "--diagnostics-output", "report.json")
        assert result.exit_code == 1 and result.output.count("cannot write report.json") == 1, result.output


def test_files_are_known_by_any_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    (tmp_path / "link").symlink_to("a")
    os.link(tmp_path / "a", tmp_path / "hard")
    for name in ("a", "link", "hard"):
        files = RunFiles()
        files.write(tmp_path / name, "an output")
        files.write(tmp_path / name, "an output")
        for _ in range(2):
            with pytest.raises(ConversionError) as error:
                files.read([tmp_path / "a"])
            assert error.value.code is Code.OutputNotWritable
        with pytest.raises(ConversionError):
            files.write(tmp_path / "link", "an output")
    files = RunFiles()
    files.read([tmp_path / "none", "nul\0"])
    files.write(tmp_path / "none", "an output")
    with pytest.raises(ConversionError, match="it would be an output and the report"):
        files.write(tmp_path / "." / "none", "the report")


def test_the_interface_names_its_artifact(work: Path) -> None:
    assert call("convert", "m.onnx", "--to", "native", *SHAPE, "-o", "q.obj").exit_code == 0
    assert json.loads((work / "q.io.json").read_text())["artifact"] == "q.obj"


def test_a_folder_that_is_no_model_is_not_searched(work: Path) -> None:
    """It may be the root of all; the files right in it are those that a run could read."""
    (work / "deep" / "er").mkdir(parents=True)
    (work / "deep" / "er" / "file").write_text("")
    (work / "deep" / "0.npz").write_text("")
    assert files_of("deep") == [os.path.join("deep", "0.npz")]
    assert os.path.join("sm", "variables", "variables.index") in files_of("sm")
    for command in ("inspect", "check", "run", "opt"):
        result = call(command, "deep")
        assert result.exit_code == 1 and "MLC0001" in result.output
