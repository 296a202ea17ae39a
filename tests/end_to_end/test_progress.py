"""What a terminal shows while a stage runs, and that nothing else shows it."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mlconv.codegen.progress import Compiling
from mlconv.commands.console import stages
from mlconv.commands.progress import SHOW_AFTER_S, Stages
from mlconv.driver.conversion import convert
from mlconv.driver.pipeline import OnProgress
from mlconv.formats.files import bytes_of
from tests.support.cli import call
from tests.support.npz import npz


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    @property
    def text(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.getvalue())


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """To be called in a test: pytest captures its parts anew."""
    found = Terminal()
    monkeypatch.setattr("sys.stderr", found)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return found


def test_bar_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    now = [0.0]
    shown = Stages(lambda: now[0])
    shown("import")
    assert terminal.text == ""
    now[0] = 2.0
    shown("quantize")
    assert "quantize" in terminal.text
    for done in range(9):
        shown.advance(done, 8)
    shown.stop()
    assert "8 of 8" in terminal.text and "0:00:00" in terminal.text


def test_a_count_where_nobody_knows_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    now = [2.0]
    shown = Stages(lambda: now[0])
    now[0] = 4.0
    shown("quantize")
    shown.advance(7, 0)
    shown.advance(3, 0)  # another count
    shown("write")
    shown.stop()
    assert re.search(r"quantize .* 3 ", terminal.text) and " of " not in terminal.text and "write" in terminal.text


def test_bytes_that_are_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A stage that says nothing is looked at by a thread."""
    terminal = on_terminal(monkeypatch)
    shown = Stages(lambda: time.monotonic() + SHOW_AFTER_S)
    shown._started -= 2 * SHOW_AFTER_S
    shown("write")
    shown.follow(lambda: bytes_of(tmp_path), 2_000_000)
    (tmp_path / "part").write_bytes(bytes(1_000_000))
    shown._look()
    shown.stop()
    assert " 50%" in terminal.text and "1.0/2.0 MB" in terminal.text
    watched = Stages(time.monotonic, watched=True)
    watched._started -= 2 * SHOW_AFTER_S
    watched._name = "compile kernels"
    for _ in range(100):
        if "compile kernels" in terminal.text:
            break
        time.sleep(0.05)
    watched.stop()
    assert "compile kernels" in terminal.text


def test_conversions_say_how_far_they_are(models: Path, tmp_path: Path) -> None:
    written: list[tuple[str, int]] = []
    calls: list[tuple[str, int, int]] = []
    compiled: list[tuple[str, Callable[[], float]]] = []

    class Told:
        name = ""

        def __call__(self, name: str) -> None:
            self.name = name

        def advance(self, done: int, total: int) -> None:
            calls.append((self.name, done, total))

        def follow(self, measure: Callable[[], int], total: int) -> None:
            written.append((self.name, total))
            assert measure() == 0

        def watch(self, fraction: Callable[[], float]) -> None:
            assert fraction() == 0
            compiled.append((self.name, fraction))

    convert(models / "digits_cnn.onnx", "native", tmp_path / "m.o", on_stage=Told(), verify=True)
    ((stage, total),) = written
    assert stage == "write" and total > 4 * 2000
    ((stage, fraction),) = compiled
    assert stage == "compile kernels" and 0.25 < fraction() < 1
    assert calls == [("verify", 1, 2), ("verify", 2, 2)]  # two sizes of an open batch


def test_calibration_says_how_far_its_code_is(models: Path, tmp_path: Path) -> None:
    """Code that samples run on is compiled before the first of them is counted."""
    said: list[tuple[str, float]] = []

    class Told:
        name = ""

        def __call__(self, name: str) -> None:
            self.name = name

        def advance(self, done: int, total: int) -> None:
            said.append((self.name, done))

        def follow(self, measure: Callable[[], int], total: int) -> None: ...

        def watch(self, fraction: Callable[[], float]) -> None:
            said.append((self.name, fraction()))

    samples = [{"image": np.full((1, 1, 8, 8), i, np.float32)} for i in range(1, 3)]
    scheme = {"quantize": "int8", "calibration": samples}
    convert(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", on_stage=Told(), **scheme)
    names = [name for name, _ in said]
    assert names[names.index("quantize: compiling") + 1 :].count("quantize: calibration") >= len(samples)
    assert all(part < 1 for name, part in said if name == "quantize: compiling")


def test_compiling_is_first_text_then_llvm() -> None:
    now = [0.0]
    progress = Compiling(lambda: now[0])
    progress.begin(8)
    for _ in range(4):
        progress.wrote()
    assert progress.fraction() == 0.125
    now[0] = 1.0
    progress.optimizes()
    now[0] = 2.5
    assert progress.fraction() == 0.25 + 0.75 / 2
    now[0] = 100.0
    assert progress.fraction() < 1
    progress.begin(8)  # once more, smaller
    assert progress.fraction() == 0


def test_percents_of_what_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    shown = Stages(lambda: time.monotonic() + SHOW_AFTER_S)
    shown._started -= 2 * SHOW_AFTER_S
    shown("compile kernels")
    shown.watch(lambda: 0.4)
    shown._look()
    shown.stop()
    assert " 40%" in terminal.text and "MB" not in terminal.text


def test_a_terminal_is_told_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    on_terminal(monkeypatch)
    with stages(enabled=True) as on_stage:
        assert isinstance(on_stage, OnProgress)
    with stages(enabled=False) as on_stage:  # --json
        assert not isinstance(on_stage, OnProgress)


def test_silent_in_a_pipe(models: Path, tmp_path: Path) -> None:
    images = npz(models / "digits_cnn.npz")["image"].transpose(0, 3, 1, 2)
    np.savez(tmp_path / "data.npz", image=images)
    ran = call(
        "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--quantize", "int8",
        "--calibration", tmp_path / "data.npz", "--shape", "image=1,1,8,8",
    )  # fmt: skip
    assert ran.exit_code == 0 and ran.stderr == ""


SAID = {
    "run": ("import", "compile kernels", "run"),
    "verify": ("import", "run digits_cnn.onnx on ONNX Runtime", "compile kernels", "run digits_cnn.pb on native code"),
    "check": ("check",),
    "diff": ("compare",),
    "inspect": ("read",),
    "bisect": ("convert", "compare behind write"),
    "bench": ("import", "compile kernels", "time"),
}


@pytest.mark.parametrize("command", SAID)
def test_commands_say_what_they_do(models: Path, command: str) -> None:
    """--verbose, and a terminal, have a name for what takes time."""
    more = {"verify": (models / "digits_cnn.pb", "--backend-b", "native"), "diff": (models / "digits_cnn.pb",)}
    shape = ("--shape", "image=1,1,8,8") if command in ("bench", "bisect") else ()
    few = {"bench": ("--rounds", "1"), "bisect": ("--to", "tflite")}.get(command, ())
    ran = call(command, models / "digits_cnn.onnx", *more.get(command, ()), *shape, *few, "-v")
    assert ran.exit_code == 0, ran.stderr
    names = [line.partition(" s  ")[2].rstrip() for line in ran.stderr.splitlines()]
    places = [names.index(name) for name in SAID[command]]
    assert places == sorted(places)


def test_pass_by_pass(models: Path, tmp_path: Path) -> None:
    line = ("convert", models / "digits_cnn.onnx", "-o", tmp_path / "m.tflite")
    once, twice = (call(*line, flag).stderr.splitlines() for flag in ("-v", "-vv"))
    assert once[0].split()[2:] == "import 11 ops, 2,204 parameters in 8,816 bytes, onnx".split()
    assert once[-1].endswith(f"a file of {(tmp_path / 'm.tflite').stat().st_size:,} bytes")
    assert [text.split()[2] for text in twice if " s  " in text] == [text.split()[2] for text in once]
    assert any(re.fullmatch(r" *[\d.]+ ms   layout +\d+ changes?", text) for text in twice), twice
    assert not any(" ms " in text for text in once)


def test_nothing_is_drawn_while_times_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    shown = Stages(lambda: time.monotonic() + SHOW_AFTER_S)
    shown._started -= 2 * SHOW_AFTER_S
    shown("compile kernels")
    shown.still("time")
    before = terminal.text
    time.sleep(0.3)
    shown._look()
    assert terminal.text == before and before.rstrip().endswith("time")
    shown("write")
    time.sleep(0.3)
    shown.stop()
    assert "write" in terminal.text[len(before) :]
