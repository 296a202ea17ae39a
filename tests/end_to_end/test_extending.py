"""The diffs of docs/extending.md: applied to a copy of the package they do what the text says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import pytest

from tests.support.npz import npz

ROOT = Path(__file__).parent.parent.parent
HUNK = "@@"


class Change(NamedTuple):
    """What a diff does to one file.  hunks: lines with their signs."""

    path: str
    is_new: bool
    hunks: list[list[str]]

    @property
    def added(self) -> list[str]:
        """The new lines of each hunk, as text."""
        return ["".join(f"{line[1:]}\n" for line in hunk if line.startswith("+")) for hunk in self.hunks]


def changes(block: str) -> list[Change]:
    """The files of a diff."""
    found: list[Change] = []
    old = ""
    for line in block.splitlines():
        if line.startswith("--- "):
            old = line[4:]
        elif line.startswith("+++ b/"):
            found.append(Change(line[6:], old == "/dev/null", [[]]))
        elif line.startswith(HUNK):
            found[-1].hunks.append([])
        else:
            found[-1].hunks[-1].append(line)
    return [c._replace(hunks=[h for h in c.hunks if h]) for c in found]


def apply(change: Change, root: Path) -> None:
    """Change a file, whose lines that stand around what is new must be there once."""
    path = root / change.path
    if change.is_new:
        assert not path.exists(), change.path
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(change.added))
        return
    text = path.read_text()
    for hunk in change.hunks:
        before, after = ("".join(f"{line[1:]}\n" for line in hunk if line[0] in signs) for signs in (" -", " +"))
        assert before and text.count(before) == 1, f"{change.path} has {text.count(before)} times:\n{before}"
        text = text.replace(before, after)
    path.write_text(text)


TEXT = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
DIFFS = [changes(block) for block in re.findall(r"^```diff\n(.*?)^```$", TEXT, re.M | re.S)]
ONNX_OP, TARGET, KERNEL = DIFFS


SQUARE = """"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<2x3xf32>):
    %y = "kernel.square"(%x) {problem = #kernel.squares<count = 6>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
    "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y"]} : () -> ()
}) : () -> ()
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of the package."""
    folder = tmp_path / "copy"
    shutil.copytree(ROOT / "mlconv", folder / "mlconv", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run(copy: Path, *arguments: object) -> str:
    """What the program of the copy prints."""
    done = subprocess.run(
        [sys.executable, "-m", "mlconv", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_onnx_op_is_one_function_and_one_row() -> None:
    assert [c.path for c in ONNX_OP] == ["mlconv/legalize/from_onnx/activation.py", "tests/onnx/rows.py"]
    for change in ONNX_OP:
        text = (ROOT / change.path).read_text(encoding="utf-8")
        for added in change.added:
            assert text.count(f"\n{added}") == 1, f"{change.path} lacks:\n{added}"


def test_the_target_is_its_folder_and_a_row(copy: Path, tmp_path: Path) -> None:
    """It converts, and its transposes are counted."""
    *own, table = TARGET
    assert len({Path(c.path).parent for c in own}) == 1 and all(c.is_new for c in own)
    assert not table.is_new and "".join(table.added).count("\n") == 1
    for change in TARGET:
        apply(change, copy)
    model = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[4, 6] x) => (float[6, 4] y) { a = Relu(x) y = Transpose <perm = [1, 0]> (a) }"""
    onnx.save(onnx.parser.parse_model(model), tmp_path / "m.onnx")
    said = run(copy, "convert", tmp_path / "m.onnx", "--to", "listing", "-o", tmp_path / "m.txt")
    assert (tmp_path / "m.txt").read_text().split()[-2:] == ["core.transpose", "mlconv.yield"]
    assert "1 transpose," in said


@pytest.mark.share(4)
def test_the_kernel_kind_touches_two_files(copy: Path, tmp_path: Path) -> None:
    """Its op is read from text with its problem, compiled, and gives the right numbers."""
    assert [c.is_new for c in KERNEL] == [False, True]
    for change in KERNEL:
        apply(change, copy)
    (tmp_path / "m.mlir").write_text(SQUARE)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.savez(tmp_path / "x.npz", x=x)
    run(copy, "convert", tmp_path / "m.mlir", "--to", "native", "-o", tmp_path / "m.o")
    run(copy, "run", tmp_path / "m.o", "--data", tmp_path / "x.npz", "-o", tmp_path / "y.npz")
    np.testing.assert_array_equal(npz(tmp_path / "y.npz")["y"], x * x)
