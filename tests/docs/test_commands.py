"""Commands that stand in the text of a page, as lines of four spaces, run as they stand.

`model.onnx`, `model.tflite`, `model.o` and `saved_model/` are the digits network, `samples.npz` and `samples/` images,
`test.npz` images with their classes, `in.npz` and `out.npz` images and what the network answers.  Blocks whose heading
names a file are that file.
"""

from __future__ import annotations

import glob
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.support.cli import call
from tests.support.npz import npz
from tests.support.pages import ROOT, plain_output, run_step

_COMMAND = re.compile(r"^    (mlconv (?:[^\n]*\\\n)*[^\n]*)$", re.M)
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
_FILE = re.compile(r"^```\S+ (\S+)\n(.*?)^```$", re.M | re.S)
PAGES = {
    path: found
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    if "decisions" not in path.parts and (found := _COMMAND.findall(_FENCED.sub("", path.read_text(encoding="utf-8"))))
}


@pytest.fixture
def folder(tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(models / "digits_cnn.onnx", tmp_path / "model.onnx")
    shutil.copytree(models / "digits_cnn_saved_model", tmp_path / "saved_model")
    golden = npz(models / "digits_cnn.npz")
    images = np.ascontiguousarray(golden["image"].transpose(0, 3, 1, 2))
    np.savez(tmp_path / "samples.npz", image=images)
    np.savez(tmp_path / "test.npz", image=images, scores=golden["scores"].argmax(-1))
    np.savez(tmp_path / "in.npz", image=images[:1])
    np.savez(tmp_path / "out.npz", scores=golden["scores"][:1])
    (tmp_path / "samples").mkdir()
    np.savez(tmp_path / "samples" / "0.npz", image=images[:1])
    (tmp_path / "labels.txt").write_text("".join(f"{digit}\n" for digit in range(10)))
    monkeypatch.chdir(tmp_path)
    for target in ("tflite", "native"):
        shape = ("--shape", "image=1,1,8,8") if target == "native" else ()
        assert call("convert", "model.onnx", "--to", target, *shape).exit_code == 0
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_commands_of_a_page(page: Path, folder: Path) -> None:
    if page.stem == "ci":
        shutil.copytree(ROOT / "testdata" / "project", folder, dirs_exist_ok=True)
    for name, text in _FILE.findall(page.read_text(encoding="utf-8")):
        if "/" not in name:
            (folder / name).write_text(text, encoding="utf-8")
    for command in PAGES[page]:
        line = _expanded(command.replace("\\\n", " "))
        ran = run_step(line, folder)
        refused = "error[" in plain_output(ran.output, folder)
        assert ran.status == 0 or (refused and ran.status in (1, 3)), (line, ran)


def _expanded(line: str) -> str:
    """With the names of files in place of patterns, as a shell puts them."""
    words = shlex.split(line, comments=True)
    return shlex.join(found for word in words for found in (sorted(glob.glob(word)) if "*" in word else [word]))
