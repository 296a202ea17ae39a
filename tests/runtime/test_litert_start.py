"""What LiteRT's C++ says of itself does not reach standard error; what others write does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mlconv
from mlconv.runtime.litert_start import ONE_OP, without
from tests.support.pages import ROOT


def test_the_first_file_is_one_op(tmp_path: Path) -> None:
    path = tmp_path / "one.tflite"
    path.write_bytes(ONE_OP)
    assert [op.name for op in mlconv.load(path).module.walk()] == ["core.clamp", "mlconv.yield"]


def test_a_process_that_verifies_says_nothing_of_litert(models: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mlconv", "convert", models / "digits_cnn.onnx", "-o", tmp_path / "d.tflite"]
    done = subprocess.run(
        [*command, "--verify"], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert "verified" in done.stdout and done.stderr == ""


def test_lines_of_others_are_kept(capfd: pytest.CaptureFixture[str]) -> None:
    with without(b"noise"):
        os.write(2, b"before\nsome noise here\nbehind")
    os.write(2, b"\nlater\n")
    with pytest.raises(ZeroDivisionError), without(b"noise"):
        os.write(2, b"of a failure\n")
        raise ZeroDivisionError
    assert capfd.readouterr().err == "before\nbehind\nlater\nof a failure\n"
