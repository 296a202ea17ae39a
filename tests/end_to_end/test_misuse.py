"""Wrong uses of the command line: each ends in a coded message and a documented exit code, never in an internal error."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from mlconv.cli import main


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [os.fspath(a) if isinstance(a, Path) else str(a) for a in arguments])


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
    result = call("convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--verify", "--data", tmp_path / "in.npz")
    assert result.exit_code == 1 and "MLC0901" not in result.output and not (tmp_path / "m.tflite").exists()


CONVERT = ("convert", "MODEL", "--to", "tflite", "-o", "OUT/m.tflite")
USES: dict[str, tuple[int, tuple[str, ...]]] = {
    "empty output": (2, ("convert", "MODEL", "--to", "tflite", "-o", "")),
    "output is a folder": (1, ("convert", "MODEL", "--to", "tflite", "-o", "OUT")),
    "output is a device": (1, ("convert", "MODEL", "--to", "tflite", "-o", "/dev/null")),
    "output folder is missing": (1, ("convert", "MODEL", "--to", "tflite", "-o", "OUT/no/m.tflite")),
    "output under a file": (1, ("convert", "MODEL", "--to", "tflite", "-o", "MODEL/m.tflite")),
    "name too long": (1, ("convert", "MODEL", "--to", "tflite", "-o", "OUT/" + "x" * 300)),
    "native beside itself": (2, ("convert", "MODEL", "--to", "native", "-o", "OUT/m.h", "--shape", "image=1,1,8,8")),
    "standard output for native": (2, ("convert", "MODEL", "--to", "native", "-o", "-", "--shape", "image=1,1,8,8")),
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
    "no such cpu": (2, ("convert", "MODEL", "--to", "native", "-o", "OUT/m.o", "--cpu", "foo", "--shape", "image=1,1,8,8")),
    "no such triple": (2, ("convert", "MODEL", "--to", "native", "-o", "OUT/m.o", "--target", "\ud800", "--shape", "image=1,1,8,8")),
    "no such feature": (2, ("convert", "MODEL", "--to", "native", "-o", "OUT/m.o", "--features", "+++,", "--shape", "image=1,1,8,8")),
    "tune cache is a folder": (1, ("convert", "MODEL", "--to", "native", "-o", "OUT/m.o", "--tune-cache", "OUT", "--shape", "image=1,1,8,8")),
    "report in no folder": (1, ("check", "MODEL", "--diagnostics-format", "sarif", "--diagnostics-output", "OUT/no/d.sarif")),
    "report over the model": (1, ("check", "OUT/model.onnx", "--to", "hlo", "--diagnostics-format", "json", "--diagnostics-output", "OUT/model.onnx")),
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
    "nothing": (1, ("inspect", "")),
}


@pytest.mark.parametrize("use", USES)
def test_uses(use: str, models: Path, tmp_path: Path) -> None:
    code, arguments = USES[use]
    model = (models / "digits_cnn.onnx").read_bytes()
    for name in ("model.onnx", "model.npz"):
        (tmp_path / name).write_bytes(model)
    (tmp_path / "none.mlir").write_bytes(b"\xff\xfe")
    before = sorted(p.name for p in tmp_path.iterdir())
    result = call(*(a.replace("MODEL", str(models / "digits_cnn.onnx")).replace("OUT", str(tmp_path)) for a in arguments))
    assert result.exit_code == code, result.output
    assert "\x1b" not in result.output and "Traceback" not in result.output and "error[MLC0901]" not in result.output
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert (tmp_path / "model.onnx").read_bytes() == (tmp_path / "model.npz").read_bytes() == model


def test_the_current_folder_is_gone(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for arguments in (("check", models / "digits_cnn.onnx"), ("inspect", "missing.onnx"), ("convert", "m.onnx", "--to", "tflite")):
        result = call(*arguments)
        assert result.exit_code in (0, 1) and "MLC0901" not in result.output, result.output
