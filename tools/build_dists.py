"""Builds the distributions of this source: `mlconv`, with all that it depends on, and `mlconv-core`, which is the same
without TensorFlow among its dependencies; of each a wheel and a source archive.

    python tools/build_dists.py [FOLDER]      by default dist

Needs setuptools, as pyproject.toml names it, and no network.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = "mlconv-core"
PARTS = ("mlconv", "pyproject.toml", "README.md", "LICENSE")
BUILD = """
import sys
from setuptools import build_meta
folder = sys.argv[1]  # setuptools changes it
build_meta.build_wheel(folder)
build_meta.build_sdist(folder)
"""


def core_project(text: str) -> str:
    """The project file of `mlconv-core`: that of `mlconv` with another name and one dependency less."""
    for pattern, replacement in (
        (r'^name = "mlconv"$', f'name = "{CORE}"'),
        (r'^    "tensorflow>=.*",\n', ""),
        (r'^description = "(.*)"$', r'description = "\1 (without TensorFlow)"'),
    ):
        text, count = re.subn(pattern, replacement, text, flags=re.M)
        if count != 1:
            raise SystemExit(f"pyproject.toml has {count} lines of the form {pattern}")
    return text


def build(folder: Path, core: bool) -> list[Path]:
    """The wheel and the source archive, in this order."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "source"
        copy.mkdir()
        for part in PARTS:
            path = ROOT / part
            if path.is_dir():
                shutil.copytree(path, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(path, copy / part)
        if core:
            project = copy / "pyproject.toml"
            project.write_text(core_project(project.read_text(encoding="utf-8")), encoding="utf-8")
        made = Path(name) / "made"
        made.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", BUILD, str(made)], cwd=copy, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.move(path, folder / path.name)) for path in sorted(made.iterdir(), reverse=True)]


def main() -> None:
    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "dist"
    for core in (False, True):
        for path in build(folder, core):
            print(path)


if __name__ == "__main__":
    main()
