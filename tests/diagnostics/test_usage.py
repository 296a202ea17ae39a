"""What is typed: targets by suffixes, how much is said, wrong usage, completion."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from mlconv.cli import COMMANDS, main
from tests.support.cli import call, run

CNN = "digits_cnn.onnx"


@pytest.fixture
def folder(tmp_path: Path, models: Path) -> Path:
    (tmp_path / CNN).write_bytes((models / CNN).read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    ("output", "target"),
    [("a.tflite", "tflite"), ("a.onnx", "onnx"), ("a.o", "native"), ("a.hlo.pb", "hlo"), ("a.pb", "graphdef"),
     ("a.TFLITE", "tflite"), ("a.stablehlo.mlir", "stablehlo"), ("a_saved_model", "savedmodel")],
)  # fmt: skip
def test_the_suffix_of_the_output_says_the_target(
    output: str, target: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = run(folder, monkeypatch, "convert", CNN, "-o", output, "--shape", "image=1,1,8,8", "--json")
    assert ran.code == 0 and json.loads(ran.out)["target"] == target and (folder / output).exists()


def test_a_suffix_that_says_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = "the name a.bin says no target, and --to is missing"
    for line, said in (
        (("convert", CNN), "option --to is missing"),
        (("convert", CNN, "-o", "a.bin"), named),
        (("quantize", CNN, "-o", "a.bin"), named),
    ):
        ran = run(folder, monkeypatch, *line)
        assert ran.code == 2 and f"[MLC0801]: {said}" in ran.err and "--to, or a file with -o that ends as" in ran.err
        assert ".tflite, .hlo.pb, .stablehlo.mlir, .onnx, _saved_model, .pb, .o" in ran.err
    assert run(folder, monkeypatch, "convert", CNN, "-o", "a.bin", "--to", "tflite").code == 0  # what is named counts


@pytest.mark.parametrize(
    ("line", "message", "help_"),
    [
        (("frob",), "no such command 'frob'", "see mlconv --help"),
        (("conver",), "no such command 'conver'", "did you mean convert?"),
        (("convert",), "argument MODEL is missing", "see mlconv convert --help"),
        (("convert", CNN, "--tp", "tflite"), "no such option '--tp'", "did you mean --to?"),
        (("run", CNN, "--foo"), "no such option '--foo'", "see mlconv run --help"),
        (("convert", "", "--to", "tflite"), "the name of a model is empty", "see mlconv convert --help"),
        (("bisect", CNN), "option --to is missing", "name one of tflite, hlo,"),
        (("--frob",), "no such option '--frob'", "see mlconv --help"),
        (("convert", CNN, "--to", "tflite", "--shape", "x"), "'x' is not NAME=SIZE,SIZE,...", "convert --help"),
        (("convert", CNN, "--to", "tflite", "--pool"), "--pool is an option of target native, not of tflite", ""),
        (("completion", "tcsh"), "'tcsh' is not one of", "see mlconv completion --help"),
        (("explain",), "name a code or an op", "see mlconv explain --help"),
    ],
)
def test_wrong_usage_is_an_error_like_others(
    line: tuple[str, ...], message: str, help_: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = run(folder, monkeypatch, *line)
    assert ran.code == 2 and ran.out == "" and ran.err.startswith("error[MLC0801]: ")
    assert message in ran.err and help_ in ran.err
    found = run(folder, monkeypatch, *line, "--diagnostics-format", "json") if line[0][0] != "-" else None
    if found is not None and found.out:  # a command that there is
        (row,) = map(json.loads, found.out.splitlines())
        assert row["code"] == "MLC0801" and message in row["message"]


def test_an_option_without_its_value_names_the_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = run(folder, monkeypatch, "convert", CNN, "-o")
    assert ran.code == 2 and "option '-o' requires an argument\n  = help: see mlconv convert --help\n" in ran.err


def test_how_much_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = ("convert", CNN, "-o", "a.tflite")
    for quiet in (("-q", *line), (*line, "--quiet")):
        assert run(folder, monkeypatch, *quiet) == (0, "", "")
    for quiet in (("check", CNN), ("verify", CNN, "a.tflite"), ("bisect", CNN, "--to", "tflite"), ("diff", CNN, CNN)):
        assert run(folder, monkeypatch, *quiet, "-q") == (0, "", "")
    asked = run(folder, monkeypatch, *line, "-q", "--json")
    assert json.loads(asked.out)["output"] == "a.tflite"  # what was asked for is printed
    failed = run(folder, monkeypatch, "-q", "convert", "none.onnx", "--to", "tflite")
    assert failed.code == 1 and "error[MLC0001]" in failed.err
    for verbose in (("-v", *line), (*line, "-v")):
        told = [text.split()[2] for text in run(folder, monkeypatch, *verbose).err.splitlines()]
        assert told == ["import", "legalize", "optimize", "write"]


def test_colours_by_request(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = ("convert", "none.onnx", "--to", "tflite")
    for arguments, coloured in (
        (("--color", "always", *line), True),
        ((*line, "--color", "never"), False),
        (line, False),
    ):
        assert ("\x1b[" in run(folder, monkeypatch, *arguments).err) is coloured


def test_help_has_headings() -> None:
    text = call("--help").stdout
    for heading, commands in COMMANDS.items():
        part = text[text.index(f"\n{heading}:") :]
        assert all(f"\n  {name} " in part for name in commands)
    text = call("convert", "--help").stdout
    headings = [line[:-1] for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings[0] == "Options" and "Options of target native" in headings and headings[-1] == "Messages"
    native = text[text.index("Options of target native:") : text.index("Passes:")]
    assert "--pool" in native and "--metadata" not in native and max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_of_completion(shell: str) -> None:
    ran = call("completion", shell)
    assert ran.exit_code == 0 and "_MLCONV_COMPLETE" in ran.stdout and "mlconv" in ran.stdout


def test_what_is_completed(tmp_path: Path) -> None:
    project = tmp_path / "mlconv.toml"
    project.write_text('[conversions.net-small]\nmodel = "m.onnx"\noutput = "m.tflite"\n', encoding="utf-8")
    completer = BashComplete(main, {}, "mlconv", "_MLCONV_COMPLETE")

    def found(*words: str) -> list[str]:
        return [item.value for item in completer.get_completions(list(words[:-1]), words[-1])]

    assert found("in") == ["init", "inspect"]
    assert found("convert", "m.onnx", "--to", "t") == ["tflite"]
    assert "--quantize-rule" in found("convert", "--quant")
    assert found("check", "m.onnx", "--to", "tflite,nat") == ["tflite,native"]
    assert "inspect-nodes" in found("explain", "--schema", "in") and "MLC0301" in found("explain", "MLC03")
    assert found("build", "-f", str(project), "net") == ["net-small"]
    project.write_text("wrong", encoding="utf-8")
    assert found("build", "-f", str(project), "net") == []


def test_the_program_completes() -> None:
    """As a shell asks it."""
    environment = {
        "_MLCONV_COMPLETE": "bash_complete",
        "COMP_WORDS": "mlconv ver",
        "COMP_CWORD": "1",
        "PATH": "/usr/bin",
    }
    done = subprocess.run(
        [sys.executable, "-m", "mlconv"], env=environment, cwd=Path(__file__).parent.parent.parent, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["plain,verify"], done
