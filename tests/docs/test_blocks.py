"""Command lines and programs of the documentation run, and print what stands there.

A page's blocks run in order, in a folder that has the files of `folder`.  `console`: commands behind `$ `, each with
its output.  `sh`: commands that end well.  `python`: programs.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from mlconv.cli import COMMANDS
from mlconv.driver.projects.building import build
from tests.support.cli import call
from tests.support.npz import npz
from tests.support.pages import ROOT, run_step

DOCS = ROOT / "docs"
PAGES = (
    "README",
    "docs/index",
    "docs/convert",
    "docs/shapes",
    "docs/tour",
    "docs/quantize",
    "docs/projects",
    "docs/stablehlo",
    "docs/install",
    "docs/python",
    "docs/deploy",
    "docs/diff",
    "docs/targets/tflite",
    "docs/targets/onnx",
    "docs/targets/savedmodel",
    "docs/targets/hlo",
    "docs/targets/native",
)
ELSEWHERE = (
    "pip install mlconv",
    "pip install .",
    "python tools/build_dists.py dist",
    "pip install dist/mlconv_core-*.whl",
)
"""Lines that tests/end_to_end/test_install.py runs: each wheel is installed into an empty environment."""
OWN = {
    "docs/ci": "tests/diagnostics/test_ci.py",
    "docs/extending": "tests/end_to_end/test_extending.py",
    "docs/foreign-kernels": "tests/native/test_foreign.py",
    "docs/inspect": "tests/end_to_end/test_inspect_page.py",
    "docs/simplify": "tests/end_to_end/test_simplify_page.py",
    "docs/verify": "tests/end_to_end/test_verify_page.py",
}
"""Pages whose blocks tests of their own run."""
_BLOCK = re.compile(r"^```(console|sh|python)\n(.*?)^```$", re.M | re.S)


class Block(NamedTuple):
    kind: str
    text: str


def blocks_of(page: str) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(page)]


@pytest.fixture
def folder(tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(models / "digits_cnn.onnx", tmp_path / "digits.onnx")
    golden = npz(models / "digits_cnn.npz")
    np.savez(tmp_path / "samples.npz", image=np.ascontiguousarray(golden["image"].transpose(0, 3, 1, 2)))
    monkeypatch.chdir(tmp_path)
    assert call("convert", "digits.onnx", "-o", "digits.tflite").exit_code == 0
    return tmp_path


@pytest.mark.share(4)
@pytest.mark.parametrize("name", PAGES)
def test_blocks(name: str, folder: Path, request: pytest.FixtureRequest) -> None:
    path = ROOT / f"{name}.md"
    page = path.read_text(encoding="utf-8")
    blocks = blocks_of(page)
    assert blocks
    made = [_made(block, folder) for block in blocks]
    if request.config.getoption("--update"):
        texts = iter(made)
        path.write_text(_BLOCK.sub(lambda m: f"```{m[1]}\n{next(texts)}```", page), encoding="utf-8")
        return
    assert made == [block.text for block in blocks]


def _made(block: Block, folder: Path) -> str:
    """The block as it would be now."""
    if block.kind == "python":
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", block.text],
            cwd=folder,
            env={"PYTHONPATH": str(ROOT), "PATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return block.text
    if block.kind == "sh":
        for line in block.text.splitlines():
            ran = run_step(line, folder) if line not in ELSEWHERE else None
            assert ran is None or ran.status == 0, (line, ran)
        return block.text
    made = ""
    for line in (line for line in block.text.splitlines() if line.startswith("$ ")):
        ran = run_step(line[2:], folder)
        assert (ran.status != 0) == ("error[" in ran.output), (line, ran)
        made += f"{line}\n{ran.output}"
    return made


def test_no_page_is_left_out() -> None:
    pages = {f"{path.relative_to(ROOT).with_suffix('')}": path for path in (ROOT / "README.md", *DOCS.rglob("*.md"))}
    found = {n for n, path in pages.items() if blocks_of(path.read_text(encoding="utf-8")) and "/decisions/" not in n}
    assert found - {*PAGES} <= {*OWN}
    for name, test in OWN.items():
        assert f"{name.removeprefix('docs/')}.md" in (ROOT / test).read_text(encoding="utf-8")


def test_every_command_is_on_a_page() -> None:
    words = " ".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md"))
    for name in (name for listed in COMMANDS.values() for name in listed):
        assert f"mlconv {name}" in words, name


def test_files_of_projects_are_read(folder: Path) -> None:
    """The example of a project's file holds."""
    page = (DOCS / "projects.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```$", page, re.M | re.S)
    (folder / "mlconv.toml").write_text(text)
    (folder / "models").mkdir()
    shutil.copy(folder / "digits.onnx", folder / "models" / "one.onnx")
    report = build()
    assert report.ok and [one.name for one in report.conversions] == ["digits", "fleet/one"], report.diagnostics
