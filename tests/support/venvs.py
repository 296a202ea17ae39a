"""Empty environments with the dependencies of this one, some left out: installs need no network."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import venv
from collections.abc import Collection
from pathlib import Path

SITE = Path(next(p for p in site.getsitepackages() if p.endswith("site-packages")))
_OWN = ("mlconv", "__editable__", "_virtualenv", "distutils-precedence")


def with_packages(folder: Path, without: Collection[str]) -> Path:
    """A folder of what is installed here but for some, and for mlconv: links."""
    folder.mkdir()
    left_out = tuple(name.lower().replace("-", "_") for name in (*without, *_OWN))
    for entry in SITE.iterdir():
        if not entry.name.lower().replace("-", "_").startswith(left_out) and entry.suffix != ".pth":
            (folder / entry.name).symlink_to(entry)
    return folder


class Environment:
    """without: top-level packages that it does not have, with what is installed of them."""

    def __init__(self, folder: Path, without: Collection[str] = ()) -> None:
        venv.create(folder / "venv", with_pip=False, symlinks=True)
        self.bin = folder / "venv" / "bin"
        self.site = next((folder / "venv" / "lib").glob("python*/site-packages"))
        (self.site / "dependencies.pth").write_text(f"{with_packages(folder / 'packages', without)}\n")

    def install(self, *arguments: str | Path) -> None:
        """By pip, without dependencies."""
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "--python",
            str(self.bin / "python"),
            "install",
        ]
        options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--root-user-action", "ignore"]
        command = [*pip, *options, *map(str, arguments)]
        subprocess.run(command, cwd=self.bin, env=_plain(), check=True, capture_output=True, text=True)

    def run(self, *command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """A program of the environment, by its name."""
        program, *arguments = map(str, command)
        return subprocess.run(
            [str(self.bin / program), *arguments], cwd=cwd, env=_plain(), capture_output=True, text=True, check=False
        )


def _plain() -> dict[str, str]:
    """Without a way to what is here, of which pip would say that it is installed."""
    return {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
