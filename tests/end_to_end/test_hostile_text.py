"""A model must not be able to print files of the machine, to write to a terminal, or to give commands to a CI
runner.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from mlconv.diagnostics.text import FORMATS, printable
from tests.support.cli import call

VIEWS = "nodes,tensors,sizes,quantization"
EVIL = (
    "a\x1b[31mb\r\n::error file=x::c\n  "
    "::warning::d\u202ee\u2066f##[error]g##vso[task.setvariable variable=x]h\x9bi\u2028j\ud800"
)
_TERMINAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")
_COMMAND = re.compile(r"^\s*::(?!(error|warning|notice) (file|title)=)", re.M)


def harmless(text: str) -> bool:
    return not _TERMINAL.search(text) and not _COMMAND.search(text) and "##[" not in text and "##vso[" not in text


def test_printable() -> None:
    assert harmless(printable(EVIL)) and "\n" not in printable(EVIL)
    for start in ("::error::x", " ::error::x", "\t::add-mask::x"):
        assert harmless(printable(start)) and harmless(printable(start, tabs=True))
    for plain in ("serving_default/x:0", "Größe 中文 a::b", "C:\\x", "torch::nn", ""):
        assert printable(plain) == plain
    assert printable("a\tb", tabs=True) == "a\tb" and printable("a\tb") == r"a\tb"


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every text of a model is hostile; the domain has no op that is known."""
    bad = EVIL.removesuffix("\ud800")  # protobuf refuses it
    nodes = [
        helper.make_node("Relu", [f"::error::{bad}in"], [f"{bad}mid"], name=f"{bad}n"),
        helper.make_node(
            f"{bad}Op", [f"{bad}mid"], [f"::error::{bad}out"], name=f"::error::{bad}node", domain=f"dom{bad}"
        ),
    ]
    stack = f'  File "{tmp_path}/{bad}.py", line 1, in {bad}\n    {bad}\n'
    for node in nodes:
        node.metadata_props.add(key="pkg.torch.onnx.stack_trace", value=stack)
        node.doc_string = bad
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        bad,
        [value(f"::error::{bad}in", TensorProto.FLOAT, [f"{bad}N", 2])],
        [value(f"::error::{bad}out", TensorProto.FLOAT, None)],
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(f"dom{bad}", 1)],
        producer_name=bad,
        ir_version=8,
    )
    onnx.save(model, tmp_path / "evil.onnx")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "evil.onnx"


@pytest.mark.parametrize("form", FORMATS)
def test_refusals(form: str, evil: Path) -> None:
    result = call("check", evil.name, "--to", "tflite,hlo,native", "--diagnostics-format", form, "--full-stacks")
    assert result.exit_code == 1, result.output
    assert harmless(result.stdout) and harmless(result.stderr), result.output
    if form == "json":  # data is what the model says
        assert any("\x1b" in json.loads(line)["node"] for line in result.stdout.splitlines())


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect",),
        ("inspect", "--show", VIEWS),
        ("inspect", "--json"),
        ("check", "--json"),
        ("opt",),
        ("run",),
        ("bench",),
    ],
)
def test_reports(arguments: tuple[str, ...], evil: Path) -> None:
    result = call(arguments[0], evil.name, *arguments[1:])
    assert harmless(result.output) and "MLC0901" not in result.output, result.output


@pytest.mark.parametrize("target", ["tflite", "hlo", "native"])
def test_a_conversion_that_succeeds(target: str, evil: Path) -> None:
    model = onnx.load(evil)
    del model.graph.node[1]
    name = model.graph.node[0].output[0]
    model.graph.output[0].name = name
    onnx.save(model, evil)
    shape = f"{model.graph.input[0].name}=2,2"
    result = call(
        "convert", evil.name, "--to", target, "-o", f"out.{target}", "--shape", shape, "--verify", "--time-passes"
    )
    assert result.exit_code == 0 and harmless(result.output), result.output
    result = call("run", evil.name, "--shape", shape)
    assert result.exit_code == 0 and harmless(result.output), result.output
    if target == "native":
        header = (evil.parent / "out.h").read_text()
        assert "\x1b" not in header and "\u202e" not in header


def leaking(folder: Path, files: list[str]) -> Path:
    """A refused op whose frames name these files."""
    node = helper.make_node("Wobble", ["x"], ["y"], name="n", domain="acme")
    node.metadata_props.add(
        key="pkg.torch.onnx.stack_trace", value="".join(f'  File "{f}", line 1, in f\n' for f in files)
    )
    value = helper.make_tensor_value_info
    graph = helper.make_graph([node], "g", [value("x", TensorProto.FLOAT, [2])], [value("y", TensorProto.FLOAT, None)])
    onnx.save(
        helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)], ir_version=8
        ),
        folder / "m.onnx",
    )
    return folder / "m.onnx"


def test_files_elsewhere_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Source text comes from Python files in the current folder, by their real paths, or from where the user says."""
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    for path in (outside / "a.py", outside / "key.txt", work / "notes.txt", tmp_path / "work-secret.py"):
        path.write_text("SECRET = 'hunter2'\n")
    (work / "link.py").symlink_to(outside / "key.txt")
    (work / "other.py").symlink_to(outside / "a.py")
    (work / "good.py").write_text("y = wobble(x)\n")
    monkeypatch.chdir(work)
    paths = [
        outside / "a.py",
        outside / "key.txt",
        work / "notes.txt",
        work / "link.py",
        work / "other.py",
        work / ".." / "outside" / "a.py",
    ]
    files = [
        *map(str, paths),
        str(tmp_path / "work-secret.py"),
        "/proc/self/environ",
        "/proc/self/cwd/../outside/a.py",
        "/dev/stdin",
        "/etc/passwd",
    ]
    monkeypatch.setenv("MY_TOKEN", "hunter2")
    for file in files:
        leaking(work, [file])
        for form in FORMATS:
            result = call("check", "m.onnx", "--diagnostics-format", form, "--full-stacks")
            assert result.exit_code == 1 and "hunter2" not in result.output and "root:" not in result.output, (
                file,
                form,
            )
    leaking(work, [str(work / "good.py")])
    assert "y = wobble(x)" in call("check", "m.onnx").output
    leaking(work, [str(outside / "a.py")])
    assert "hunter2" in call("check", "m.onnx", "--source-root", outside).output
    leaking(work, ["/build/a.py"])
    assert "hunter2" in call("check", "m.onnx", "--path-map", f"/build={outside}").output
    leaking(work, ["/proc/self/environ", "/proc/self/cwd/good.py"])
    assert "hunter2" not in call("check", "m.onnx", "--source-root", "/").output


@pytest.mark.parametrize(
    "name",
    [
        "a" * 385 + " ::error::pwned",
        "a " * 300 + "::error::pwned",
        "[/x]y [bold]z[/bold]",
        "[link=http://x]y",
        "中" * 500,
    ],
)
@pytest.mark.parametrize(
    "command", [("inspect", "--show", "memory"), ("inspect", "--show", VIEWS), ("bench", "--rounds", "1")]
)
def test_names_in_tables(name: str, command: tuple[str, ...], tmp_path: Path) -> None:
    """A row is one line, and a name is shown as it is where there is room, whatever a terminal library takes for markup
    or for a place to break.
    """
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [64, 64]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "x"], ["y"], name=name)], "g", info[:1], info[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    result = call(command[0], tmp_path / "m.onnx", *command[1:])
    assert result.exit_code == 0 and harmless(result.output), result.output
    if command[0] == "bench":
        assert [line.endswith(name) for line in result.output.splitlines()].count(True) >= 1, result.output
