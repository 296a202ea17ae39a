"""Wrong uses of the command line: each ends in a coded message and a documented exit code, never in an internal
error.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support.cli import call


def lying_header(path: Path) -> None:
    """An .npz whose array promises more than there is."""
    data = io.BytesIO()
    np.lib.format.write_array_header_1_0(data, {"descr": "<f4", "fortran_order": False, "shape": (1 << 40,)})  # type: ignore[no-untyped-call]
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("image.npy", data.getvalue() + b"1234")


def objects(path: Path) -> None:
    np.savez(path, image=np.array([{}], object))


BAD_DATA: dict[str, Callable[[Path], object]] = {
    "empty": lambda p: p.write_bytes(b""),
    "garbage": lambda p: p.write_bytes(bytes(range(256)) * 9),
    "lying header": lying_header,
    "objects": objects,
    "other names": lambda p: np.savez(p, other=np.zeros(3)),
    "a folder": lambda p: p.mkdir(),
    "a pipe": lambda p: os.mkfifo(p),
    "not there": lambda p: None,
}


@pytest.mark.parametrize("kind", BAD_DATA)
def test_arrays_that_cannot_be_read(kind: str, models: Path, tmp_path: Path) -> None:
    BAD_DATA[kind](tmp_path / "in.npz")
    result = call("run", models / "digits_cnn.onnx", "--data", tmp_path / "in.npz")
    assert result.exit_code == 1 and "MLC0" in result.output and "MLC0901" not in result.output, result.output
    result = call(
        "convert",
        models / "digits_cnn.onnx",
        "--to",
        "tflite",
        "-o",
        tmp_path / "m.tflite",
        "--verify",
        "--data",
        tmp_path / "in.npz",
    )
    assert result.exit_code == 1 and "MLC0901" not in result.output and not (tmp_path / "m.tflite").exists()


CONVERT = ("convert", "MODEL", "--to", "tflite", "-o", "OUT/m.tflite")
USES: dict[str, tuple[int, tuple[str, ...]]] = {
    "empty output": (2, ("convert", "MODEL", "--to", "tflite", "-o", "")),
    "output is a folder": (1, ("convert", "MODEL", "--to", "tflite", "-o", "OUT")),
    "output is this folder": (1, ("convert", "MODEL", "--to", "tflite", "-o", ".")),
    "output is the root": (1, ("convert", "MODEL", "--to", "hlo", "-o", "/")),
    "output with a slash": (1, ("convert", "MODEL", "--to", "tflite", "-o", "OUT/m.tflite/")),
    "output is standard output": (1, ("convert", "MODEL", "--to", "tflite", "-o", "/dev/stdout")),
    "output is an open file": (1, ("opt", "MODEL", "-o", "/dev/fd/2")),
    "report is standard error": (1, ("check", "MODEL", "--diagnostics-output", "/proc/self/fd/2")),
    "outputs of a run are this folder": (1, ("run", "MODEL", "-o", ".")),
    "outputs of a run with a slash": (1, ("run", "MODEL", "-o", "OUT/")),
    "signature of ONNX": (2, (*CONVERT, "--signature", "nope")),
    "tags of ONNX": (2, (*CONVERT, "--tag-set", "serve")),
    "modules of ONNX": (2, (*CONVERT, "--import", "os")),
    "output is a device": (1, ("convert", "MODEL", "--to", "tflite", "-o", "/dev/null")),
    "output folder is missing": (1, ("convert", "MODEL", "--to", "tflite", "-o", "OUT/no/m.tflite")),
    "output under a file": (1, ("convert", "MODEL", "--to", "tflite", "-o", "MODEL/m.tflite")),
    "name too long": (1, ("convert", "MODEL", "--to", "tflite", "-o", "OUT/" + "x" * 300)),
    "native beside itself": (2, ("convert", "MODEL", "--to", "native", "-o", "OUT/m.h", "--shape", "image=1,1,8,8")),
    "standard output for native": (2, ("convert", "MODEL", "--to", "native", "-o", "-", "--shape", "image=1,1,8,8")),
    "verification with something that is not asked for": (2, (*CONVERT, "--verify-with", "source")),
    "verification with the default that is not asked for": (2, (*CONVERT, "--verify-with", "reference")),
    "an option of native code with its default": (2, (*CONVERT, "--winograd", "auto")),
    "custom ops in native code": (2, ("check", "MODEL", "--to", "native", "--allow-custom-ops")),
    "select ops in several others": (2, ("check", "MODEL", "MODEL", "--to", "native,hlo", "--allow-select-ops")),
    "custom ops in one of several": (
        0,
        ("check", "MODEL", "--to", "tflite,hlo", "--allow-custom-ops", "--shape", "image=1,1,8,8"),
    ),
    "custom ops by a profile": (1, ("check", "MODEL", "--profile", "edgetpu", "--allow-custom-ops")),
    "no target": (2, ("check", "MODEL", "--to", "")),
    "only a comma": (2, ("check", "MODEL", "--to", ",")),
    "no names": (2, (*CONVERT, "--outputs", "")),
    "no mesh": (2, ("convert", "MODEL", "--to", "hlo", "-o", "OUT/m.pb", "--mesh", "")),
    "empty outputs of a run": (2, ("run", "MODEL", "-o", "")),
    "empty IR": (1, ("opt", "MODEL", "-o", "")),
    "empty data": (2, ("run", "MODEL", "--data", "")),
    "empty cache": (2, ("bench", "MODEL", "--tune-cache", "")),
    "empty dump": (2, (*CONVERT, "--dump-ir", "")),
    "empty report": (2, ("inspect", "MODEL", "--diagnostics-output", "")),
    "empty baseline": (1, ("check", "MODEL", "--baseline", "")),
    "empty new baseline": (1, ("check", "MODEL", "--write-baseline", "")),
    "shapes of IR": (2, ("opt", "OUT/none.mlir", "--shape", "image=1,1,8,8")),
    "shapes of an object": (2, ("run", "OUT/no.o", "--shape", "image=1,1,8,8")),
    "inputs of an object": (2, ("run", "OUT/no.o", "--inputs", "image")),
    "links of an object": (2, ("run", "OUT/no.obj", "--allow-linked-data")),
    "an object on the interpreter": (2, ("run", "OUT/no.o", "--backend", "reference")),
    "bad regex": (2, (*CONVERT, "--print-ir-after", "(")),
    "dump into a file": (1, (*CONVERT, "--dump-ir", "MODEL")),
    "negative fold limit": (2, (*CONVERT, "--fold-limit", "-1")),
    "huge shape": (2, (*CONVERT, "--shape", "image=99999999999,1,8,99999999999")),
    "endless shape": (2, (*CONVERT, "--shape", "image=" + "9" * 5000)),
    "endless range": (2, (*CONVERT, "--shape", "image=1.." + "9" * 5000)),
    "rank of a shape": (2, (*CONVERT, "--shape", "image=" + ",".join("1" * 100))),
    "negative size": (2, (*CONVERT, "--shape", "image=-7,1,8,8")),
    "shape given twice": (2, (*CONVERT, "--shape", "image=1,1,8,8", "--shape", "image=2,1,8,8")),
    "no such input": (1, (*CONVERT, "--shape", "nothing=1")),
    "other channels": (1, (*CONVERT, "--shape", "image=1,3,8,8")),
    "endless mesh": (2, ("convert", "MODEL", "--to", "hlo", "-o", "OUT/m.pb", "--mesh", "a=" + "9" * 5000)),
    "option of another target": (2, (*CONVERT, "--cpu", "foo")),
    "mesh of another target": (2, (*CONVERT, "--mesh", "a=2")),
    "data without verify": (2, (*CONVERT, "--data", "MODEL")),
    "no such cpu": (
        2,
        ("convert", "MODEL", "--to", "native", "-o", "OUT/m.o", "--cpu", "foo", "--shape", "image=1,1,8,8"),
    ),
    "no such triple": (
        2,
        ("convert", "MODEL", "--to", "native", "-o", "OUT/m.o", "--target", "\ud800", "--shape", "image=1,1,8,8"),
    ),
    "no such feature": (
        2,
        ("convert", "MODEL", "--to", "native", "-o", "OUT/m.o", "--features", "+++,", "--shape", "image=1,1,8,8"),
    ),
    "no such feature of LLVM": (
        2,
        ("convert", "MODEL", "--to", "native", "-o", "OUT/m.o", "--features", "+nosuch", "--shape", "image=1,1,8,8"),
    ),
    "tune cache is a folder": (
        1,
        ("convert", "MODEL", "--to", "native", "-o", "OUT/m.o", "--tune-cache", "OUT", "--shape", "image=1,1,8,8"),
    ),
    "report in no folder": (
        1,
        ("check", "MODEL", "--diagnostics-format", "sarif", "--diagnostics-output", "OUT/no/d.sarif"),
    ),
    "report over the model": (
        1,
        (
            "check",
            "OUT/model.onnx",
            "--to",
            "hlo",
            "--diagnostics-format",
            "json",
            "--diagnostics-output",
            "OUT/model.onnx",
        ),
    ),
    "baseline over the model": (1, ("check", "OUT/model.onnx", "--write-baseline", "OUT/model.onnx")),
    "baseline in no folder": (1, ("check", "MODEL", "--write-baseline", "OUT/no/b.json")),
    "baseline that is none": (2, ("check", "MODEL", "--baseline", "MODEL")),
    "profile that is none": (1, ("check", "MODEL", "--profile", "OUT/no.toml")),
    "seed below zero": (2, ("run", "MODEL", "--seed", "-1")),
    "threads without end": (2, ("run", "MODEL", "--threads", "99999999999")),
    "run over the model": (1, ("run", "OUT/model.npz", "-o", "OUT/model")),
    "run into no folder": (1, ("run", "MODEL", "-o", "OUT/no/y.npz")),
    "an object that is none": (1, ("run", "OUT/no.o")),
    "bad pipeline": (1, ("opt", "MODEL", "--pipeline", "((")),
    "IR over the model": (1, ("opt", "OUT/model.onnx", "-o", "OUT/model.onnx")),
    "IR that is none": (1, ("opt", "OUT/none.mlir")),
    "unknown code": (2, ("explain", "\x1b[31m")),
    "not UTF-8": (1, ("inspect", "OUT/\udcff.onnx")),
    "nothing": (2, ("inspect", "")),
}


@pytest.mark.parametrize("use", USES)
def test_uses(use: str, models: Path, tmp_path: Path) -> None:
    code, arguments = USES[use]
    model = (models / "digits_cnn.onnx").read_bytes()
    for name in ("model.onnx", "model.npz"):
        (tmp_path / name).write_bytes(model)
    (tmp_path / "none.mlir").write_bytes(b"\xff\xfe")
    before = sorted(p.name for p in tmp_path.iterdir())
    result = call(
        *(a.replace("MODEL", str(models / "digits_cnn.onnx")).replace("OUT", str(tmp_path)) for a in arguments)
    )
    assert result.exit_code == code, result.output
    assert "\x1b" not in result.output and "Traceback" not in result.output and "error[MLC0901]" not in result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert (tmp_path / "model.onnx").read_bytes() == (tmp_path / "model.npz").read_bytes() == model


def test_the_current_folder_is_gone(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for arguments in (
        ("check", models / "digits_cnn.onnx"),
        ("inspect", "missing.onnx"),
        ("convert", "m.onnx", "--to", "tflite"),
    ):
        result = call(*arguments)
        assert result.exit_code in (0, 1) and "MLC0901" not in result.output, result.output


STREAMS: dict[str, tuple[str, ...]] = {
    "artifact": ("convert", "MODEL", "--to", "tflite", "-o", "-"),
    "inspect": ("inspect", "MODEL"),
    "json": ("check", "MODEL", "--json"),
    "memory": ("inspect", "MODEL", "--show", "memory", "--shape", "image=1,1,8,8"),
    "opt": ("opt", "MODEL"),
    "run": ("run", "MODEL"),
    "explain": ("explain", "MLC0007"),
    "machine": ("check", "MODEL", "--diagnostics-format", "sarif"),
    "errors": ("inspect", "none.onnx", "--diagnostics-format", "json"),
    "help": ("--help",),
    "help of a command": ("convert", "--help"),
    "version": ("--version",),
}


@pytest.mark.share(6)
@pytest.mark.parametrize("redirect", ["> /dev/full", ">&-", ">&- <&-"])
@pytest.mark.parametrize("case", STREAMS)
def test_standard_output_that_takes_nothing(case: str, redirect: str, models: Path, tmp_path: Path) -> None:
    words = [a.replace("MODEL", str(models / "digits_cnn.onnx")) for a in STREAMS[case]]
    command = f"{shlex.quote(sys.executable)} -m mlconv {shlex.join(words)} {redirect}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "error[MLC0007]: cannot write to standard output" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "MLC0901" not in done.stderr and "Exception ignored" not in done.stderr


@pytest.mark.parametrize("redirect", ["2> /dev/full", "2>&-"])
def test_standard_error_that_takes_nothing(redirect: str, models: Path, tmp_path: Path) -> None:
    start = f"{shlex.quote(sys.executable)} -m mlconv"

    def done(words: str) -> tuple[int, str]:
        command = f"{start} {words} {redirect}"
        ran = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout

    assert done("inspect none.onnx") == (1, "")
    code, text = done(f"convert {shlex.quote(str(models / 'digits_cnn.onnx'))} -o m.tflite --verify")
    assert code == 0 and "verified" in text


def test_a_stream_without_all_characters(models: Path, tmp_path: Path) -> None:
    shutil.copy(models / "digits_cnn.onnx", tmp_path / "中.onnx")
    command = [sys.executable, "-m", "mlconv", "inspect", "中.onnx"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "latin-1"}
    )
    assert done.returncode == 0 and rb"\u4e2d.onnx" in done.stdout, done.stderr


UNNAMED: dict[str, tuple[str, ...]] = {
    "expression": ("convert", "MODEL", "--to", "tflite", "--print-ir-after", "("),
    "target": ("convert", "MODEL", "--to", "tflite", "--winograd", "auto"),
    "arrays": ("convert", "MODEL", "--to", "tflite", "-o", "OUT/m.tflite", "--verify", "--data", "OUT/x"),
    "profile": ("check", "MODEL", "--profile", "nope"),
    "baseline": ("check", "MODEL", "--baseline", "OUT/nope"),
    "new baseline": ("check", "MODEL", "--write-baseline", "OUT/no/x"),
    "report": ("check", "MODEL", "--diagnostics-output", "OUT/no/x"),
    "pipeline": ("opt", "MODEL", "--pipeline", "(("),
    "cache": ("bench", "MODEL", "--tune-cache", "OUT/no/x"),
    "shape": ("inspect", "MODEL", "--shape", "image=-7"),
    "run": ("run", "MODEL", "--data", "OUT/x"),
}


@pytest.mark.parametrize("case", UNNAMED)
def test_every_error_names_the_model(case: str, models: Path, tmp_path: Path) -> None:
    model = str(models / "digits_cnn.onnx")
    result = call(
        *(a.replace("MODEL", model).replace("OUT", str(tmp_path)) for a in UNNAMED[case]),
        "--diagnostics-format",
        "json",
    )
    assert [json.loads(line)["model"] for line in result.stdout.splitlines()] == [model], result.output
