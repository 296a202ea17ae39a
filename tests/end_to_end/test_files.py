"""What a run leaves in the file system: all of its files or none, and nobody else's changed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.conversion import Conversion
from mlconv.runtime import verify
from mlconv.runtime.compare import OutputError
from tests.support.cli import call

PINNED = ("--shape", "image=2,1,8,8")


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


@pytest.fixture
def model(models: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(models / "digits_cnn.onnx", tmp_path / "in.onnx"))


@pytest.mark.parametrize("target", ["tflite", "hlo", "stablehlo", "native"])
def test_a_failed_verification_leaves_everything_as_it_was(
    target: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that other runs, or other people, have left under the names that this one would write stay."""
    folder = tmp_path / "out"
    folder.mkdir()
    output = folder / "m.o"
    beside = (
        "m.o",
        "m.h",
        "m.io.json",
        "m.o.json",
        "m.o.io.json",
        "m.o.safetensors",
        "m.o.state.safetensors",
        "m.weights.bin",
        "m.test.c",
    )
    for name in beside:
        (folder / name).write_text("mine")
    monkeypatch.setattr(verify, "compare", lambda *_: OutputError("y", 1.0, 1.0, False))
    result = call("convert", model, "--to", target, "-o", output, *PINNED, "--verify", "--io-json")
    assert result.exit_code == 3 and "MLC0701" in result.output
    assert names(folder) == sorted(beside) and {p.read_text() for p in folder.iterdir()} == {"mine"}


def test_an_output_that_is_an_input_is_refused(model: Path, tmp_path: Path) -> None:
    before = model.read_bytes()
    (tmp_path / "link.onnx").symlink_to(model)
    os.link(model, tmp_path / "hard.onnx")
    for source, output in (
        (model, model),
        (tmp_path / "link.onnx", model),
        (model, tmp_path / "link.onnx"),
        (model, tmp_path / "hard.onnx"),
    ):
        result = call("convert", source, "--to", "tflite", "-o", output)
        assert result.exit_code == 1 and "MLC0007" in result.output and "is an input" in result.output
    assert model.read_bytes() == before


def test_side_files_do_not_overwrite_inputs(tmp_path: Path, models: Path) -> None:
    """External data, files of a SavedModel, names and weights beside an HLO module, arrays to verify with."""
    proto = onnx.load(models / "digits_cnn.onnx")
    onnx.save(proto, tmp_path / "m.onnx", save_as_external_data=True, location="m.weights.bin", size_threshold=0)
    data = (tmp_path / "m.weights.bin").read_bytes()
    for arguments in (
        ("--to", "tflite", "-o", tmp_path / "m.weights.bin"),
        ("--to", "native", "-o", tmp_path / "m.o", "--weights", "file", *PINNED),
    ):
        result = call("convert", tmp_path / "m.onnx", *arguments)
        assert result.exit_code == 1 and "is an input" in result.output, result.output
    assert names(tmp_path) == ["m.onnx", "m.weights.bin"] and (tmp_path / "m.weights.bin").read_bytes() == data
    saved = shutil.copytree(models / "digits_cnn_saved_model", tmp_path / "saved")
    assert call("convert", saved, "--to", "tflite", "-o", saved / "variables" / "variables.index").exit_code == 1
    assert call("convert", tmp_path / "m.onnx", "--to", "hlo", *PINNED, "-o", tmp_path / "h.pb").exit_code == 0
    assert call("convert", tmp_path / "h.pb", "--to", "tflite", "-o", tmp_path / "h.pb.json").exit_code == 1
    np.savez(tmp_path / "x.npz", image=np.zeros((2, 1, 8, 8), np.float32))
    result = call(
        "convert",
        tmp_path / "m.onnx",
        "--to",
        "tflite",
        "-o",
        tmp_path / "x.npz",
        "--verify",
        "--data",
        tmp_path / "x.npz",
    )
    assert result.exit_code == 1 and "is an input" in result.output
    assert call("run", tmp_path / "m.onnx", "--data", tmp_path / "x.npz", "-o", tmp_path / "x.npz").exit_code == 1
    folder = tmp_path / "runs"
    folder.mkdir()
    given = (tmp_path / "x.npz").rename(folder / "0000.npz").read_bytes()
    assert call("run", tmp_path / "m.onnx", "--data", folder, "-o", folder).exit_code == 1
    assert (folder / "0000.npz").read_bytes() == given


def test_a_link_to_an_open_file_stays(model: Path, tmp_path: Path) -> None:
    """As /dev/stdout is one, and so a link to it; a link to a file is replaced."""
    link = tmp_path / "link"
    for leads_to in ("/proc/self/fd/1", "/dev/stdout"):
        link.symlink_to(leads_to)
        for command in (("convert", model, "--to", "tflite"), ("opt", model)):
            result = call(*command, "-o", link)
            assert result.exit_code == 1 and "MLC0007" in result.output
            assert os.readlink(link) == leads_to
        link.unlink()
    (tmp_path / "old.tflite").write_text("old")
    link.symlink_to("old.tflite")
    assert call("convert", model, "--to", "tflite", "-o", link).exit_code == 0
    assert not link.is_symlink() and (tmp_path / "old.tflite").read_text() == "old"


def test_what_replaces_a_file_has_its_mode(model: Path, tmp_path: Path) -> None:
    for name, command in (("m.tflite", ("convert", model, "--to", "tflite")), ("m.mlir", ("opt", model))):
        (tmp_path / name).touch(0o600)
        assert call(*command, "-o", tmp_path / name).exit_code == 0
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_outputs_do_not_join_the_inputs(model: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    np.savez(data / "a.npz", image=np.zeros((1, 1, 8, 8), np.float32))
    result = call("run", model, "--data", data, "-o", data)
    assert result.exit_code == 1 and "MLC0007" in result.output and names(data) == ["a.npz"]


def test_a_missing_folder_is_found_before_the_work(model: Path, tmp_path: Path) -> None:
    stages: list[str] = []
    with pytest.raises(ConversionError, match="there is no folder") as error:
        mlconv.convert(model, "tflite", tmp_path / "nowhere" / "m.tflite", on_stage=stages.append)
    assert error.value.code is Code.OutputNotWritable and not stages


def test_two_targets_in_one_folder_keep_their_interfaces(model: Path, tmp_path: Path) -> None:
    for target, output in (("tflite", "m.tflite"), ("native", "m.o"), ("hlo", "m.hlo.pb"), ("stablehlo", "m.mlir")):
        assert call("convert", model, "--to", target, "-o", tmp_path / output, *PINNED, "--io-json").exit_code == 0
    kept = {
        name: json.loads((tmp_path / f"{name}.io.json").read_text())["target"]
        for name in ("m.tflite", "m", "m.hlo.pb", "m.mlir")
    }
    assert kept == {"m.tflite": "tflite", "m": "native", "m.hlo.pb": "hlo", "m.mlir": "stablehlo"}
    assert call("run", tmp_path / "m.o").exit_code == 0


def test_objects_of_other_names(model: Path, tmp_path: Path) -> None:
    assert (
        call(
            "convert", model, "--to", "native", "-o", tmp_path / "w.obj", *PINNED, "--verify", "--weights", "file"
        ).exit_code
        == 0
    )
    assert names(tmp_path) == ["in.onnx", "w.h", "w.io.json", "w.obj", "w.weights.bin"]
    assert call("run", tmp_path / "w.obj").exit_code == 0


def test_standard_output(model: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mlconv", "convert", str(model), "--to", "tflite", "-o", "-"]
    done = subprocess.run([*command, "--verify"], capture_output=True, check=True)
    assert call("convert", model, "--to", "tflite", "-o", tmp_path / "m.tflite").exit_code == 0
    assert done.stdout == (tmp_path / "m.tflite").read_bytes() and b"verified" in done.stderr
    assert done.stderr.startswith(b"standard output: ")
    assert subprocess.run([*command, "--outputs", "no"], capture_output=True, check=False).stdout == b""
    assert names(tmp_path) == ["in.onnx", "m.tflite"]


# A conversion that says on its standard error when it writes, and then waits.  With SIGNALS these come while it cleans
# up.
_SLOW = """
import os, signal, sys, time, mlconv.driver.conversion as d, mlconv.formats.atomic as a
# A shell's background jobs ignore it, and what nohup starts ignores the other.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from mlconv.cli import run_process
write, remove = d.Conversion.write, a._remove
def slow(self, *arguments):
    write(self, *arguments)
    print('written', file=sys.stderr, flush=True)
    for _ in range(100 * WAIT):  # not one long sleep: a signal just before it would not end it
        time.sleep(0.01)
def disturbed(folder):
    for number in SIGNALS:
        os.kill(os.getpid(), number)
    remove(folder)
d.Conversion.write, a._remove = slow, disturbed
sys.argv = ['mlconv', 'convert', MODEL, '--to', 'native', '-o', OUTPUT, '--shape', 'image=2,1,8,8']
run_process()
"""


def slow(models: Path, output: Path, wait: int, signals: list[int]) -> subprocess.Popen[bytes]:
    values = {"MODEL": str(models / "digits_cnn.onnx"), "OUTPUT": str(output), "WAIT": wait, "SIGNALS": signals}
    return subprocess.Popen(
        [sys.executable, "-c", "\n".join([*(f"{k} = {v!r}" for k, v in values.items()), _SLOW])], stderr=subprocess.PIPE
    )


@pytest.mark.share(6)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("more", [[], [int(signal.SIGTERM)], [int(signal.SIGTERM), int(signal.SIGINT)]])
def test_signals_clean_up(number: signal.Signals, more: list[int], tmp_path: Path, models: Path) -> None:
    """A run is ended while it works; more signals come while it cleans up."""
    process = slow(models, tmp_path / "m.o", 60, more)
    assert process.stderr is not None
    assert b"written" in process.stderr.readline()
    process.send_signal(number)
    started = time.monotonic()
    _, said = process.communicate(timeout=30)
    assert process.returncode == (1 if number is signal.SIGINT else 128 + number) and time.monotonic() - started < 20
    assert names(tmp_path) == [] and b"Traceback" not in said


def test_a_signal_at_the_end(tmp_path: Path, models: Path) -> None:
    """The first one comes while a run that went well cleans up."""
    process = slow(models, tmp_path / "m.o", 0, [int(signal.SIGTERM)])
    process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM and names(tmp_path) == ["m.h", "m.io.json", "m.o"]


def test_an_input_that_is_cut_short_meanwhile(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a page that a file has lost would end the process."""
    proto = onnx.load(models / "digits_cnn.onnx")
    large = onnx.numpy_helper.from_array(np.random.default_rng(0).normal(size=(8, 8 << 14)).astype(np.float32), "large")
    proto.graph.initializer.append(large)
    proto.graph.node.append(onnx.helper.make_node("Add", ["large", "large"], ["more"]))
    proto.graph.output.append(onnx.helper.make_tensor_value_info("more", 1, [8, 8 << 14]))
    path = tmp_path / "big.onnx"
    onnx.save(proto, path)
    produce = Conversion.produce

    def cut(self: Conversion, loaded: mlconv.LoadedModel, written: Path) -> None:
        os.truncate(path, 4096)
        produce(self, loaded, written)

    monkeypatch.setattr(Conversion, "produce", cut)
    with pytest.raises(ConversionError, match="truncated while it was read"):
        mlconv.convert(path, "tflite", tmp_path / "m.tflite")
    assert names(tmp_path) == ["big.onnx"]


def test_an_input_that_is_changed_meanwhile(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    produce = Conversion.produce

    def touched(self: Conversion, loaded: mlconv.LoadedModel, written: Path) -> None:
        produce(self, loaded, written)
        os.utime(model, ns=(0, 0))

    monkeypatch.setattr(Conversion, "produce", touched)
    with pytest.raises(ConversionError, match="was changed while it was converted"):
        mlconv.convert(model, "tflite", tmp_path / "m.tflite")
    assert names(tmp_path) == ["in.onnx"]


@pytest.mark.parametrize(
    ("command", "name"), [("check", "pipe"), ("inspect", "pipe.onnx"), ("run", "pipe.o"), ("opt", "pipe.mlir")]
)
def test_pipes_are_not_waited_for(command: str, name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    result = call(command, tmp_path / name)
    assert result.exit_code == 1 and "MLC0001" in result.output


@pytest.mark.parametrize("target", ["tflite", "hlo", "stablehlo", "native"])
def test_names_that_are_not_utf8(target: str, model: Path, tmp_path: Path) -> None:
    """Bytes that are no text are a name on this system: all files get it, messages show it escaped."""
    name = os.fsdecode(b"n\xff\xc3.onnx")
    model.rename(tmp_path / name)
    more = ("--self-test", "--example", "--archive", "--weights", "file") if target == "native" else ()
    result = call("convert", tmp_path / name, "--to", target, *PINNED, "--io-json", "--verify", *more)
    assert result.exit_code == 0, result.output
    assert r"n\udcff\udcc3" in result.output and all(n.startswith(name.removesuffix(".onnx")) for n in names(tmp_path))
    for form in ("human", "concise", "json", "github", "sarif", "junit"):
        assert call("check", tmp_path / name, "--to", "hlo", "--diagnostics-format", form).exit_code == 1
