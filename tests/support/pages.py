"""The examples of diagnostics' pages: files, commands, and what the commands print.

A page has fenced blocks.  One whose heading names a file (```` ```onnx model.onnxtxt ````) is that file; the one headed
`console` holds commands after `$ `, each followed by its output.  `mlconv` runs in this process, all else in a shell.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from mlconv.cli import main

ROOT = Path(__file__).parent.parent.parent
PAGES = ROOT / "mlconv" / "diagnostics" / "pages"
_BLOCK = re.compile(r"^```(\S*)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
_REPRODUCER = re.compile(r"\S*mlconv-error-\w+\.txt")


class Step(NamedTuple):
    """A command and its output."""

    command: str
    output: str


class Ran(NamedTuple):
    status: int
    output: str


@dataclass(frozen=True, slots=True)
class Example:
    """files: contents by name.  steps: in order; the last one shows the diagnostic."""

    files: dict[str, str]
    steps: list[Step]


def read_example(page: str) -> Example | None:
    """The example of a page's text; None when it has no commands."""
    blocks = _BLOCK.findall(page)
    files = {name: content for _, name, content in blocks if name}
    consoles = [content for kind, _, content in blocks if kind == "console"]
    if len(consoles) != 1:
        return None
    parts = re.split(r"^\$ ", consoles[0], flags=re.M)[1:]
    return Example(files, [Step(*part.split("\n", 1)) for part in parts])


def run_example(example: Example, folder: Path) -> list[Ran]:
    """Make the files in a folder, which is the current one, and run the commands."""
    for name, content in example.files.items():
        (folder / name).write_text(content, encoding="utf-8")
    return [run_step(step.command, folder) for step in example.steps]


def run_step(command: str, folder: Path) -> Ran:
    """A command in the current folder, which is the one that is given."""
    name, *arguments = shlex.split(command, comments=True)
    if name == "mlconv":
        result = CliRunner().invoke(main, arguments)
        return Ran(result.exit_code, plain_output(result.output, folder))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "LC_ALL": "C"}
    done = subprocess.run(command, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return Ran(done.returncode, plain_output(done.stdout + done.stderr, folder))


def plain_output(output: str, folder: Path) -> str:
    """Without what differs from run to run: the folder, the name of a reproducer, and how long it took."""
    text = _REPRODUCER.sub("/tmp/mlconv-error-1a2b3c.txt", output).replace(f"{folder}{os.sep}", "")
    return re.sub(r"\d+\.\d\d s\b", "0.10 s", text.replace(str(folder), "."))


def with_outputs(page: str, example: Example, ran: list[Ran]) -> str:
    """The page with what the commands print now."""
    lines = "".join(f"$ {step.command}\n{r.output}" for step, r in zip(example.steps, ran, strict=True))
    return re.sub(r"(?<=^```console\n).*?(?=^```$)", lambda _: lines, page, flags=re.M | re.S)
