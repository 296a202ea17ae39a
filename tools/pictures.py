"""Pictures of the README: an error in a terminal, and the page of a conversion.

python tools/pictures.py            # docs/pictures/error.svg
python tools/pictures.py --report   # and report.png, by Chromium
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
PROJECT = ROOT / "testdata" / "project"
COMMAND = ("convert", "models/detector.onnx", "-o", "detector.tflite")
_MAP = ("--path-map", "/build=.", "--path-map", "/home/train/project=.")
_COLUMNS = 100
_COLOURS = [
    (110, 120, 135),
    (255, 110, 110),
    (110, 210, 140),
    (235, 190, 90),
    (110, 160, 255),
    (200, 130, 230),
    (90, 200, 220),
    (224, 228, 236),
]
_THEME = TerminalTheme((24, 28, 36), (224, 228, 236), _COLOURS, _COLOURS)
# As rich's own, without the font that it would load from elsewhere.
_SVG = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}" /></clipPath>{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def printed() -> str:
    """What the command prints to a terminal."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": str(_COLUMNS)}
    command = [sys.executable, "-m", "mlconv", "--color", "always", *COMMAND, *_MAP]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    return done.stderr


def error_picture() -> str:
    """The error as SVG."""
    console = Console(record=True, width=_COLUMNS, file=open(os.devnull, "w", encoding="utf-8"), force_terminal=True)  # noqa: SIM115
    console.print(Text(f"$ mlconv {' '.join(COMMAND)}"))
    console.print(Text.from_ansi(printed().rstrip()))
    console.file.close()
    return console.export_svg(title="", theme=_THEME, code_format=_SVG, unique_id="error")


def report_picture(path: Path) -> None:
    """The page of a conversion, as Chromium draws it."""
    from tests.support.browser import started

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(ROOT / "testdata" / "models" / "digits_transformer.onnx", folder / "digits.onnx")
        command = [sys.executable, "-m", "mlconv", "convert", "digits.onnx", "-o", "digits.tflite", "--verify", "-q"]
        command += ["--shape", "image=1,8,8", "--report", "report.html"]
        subprocess.run(command, cwd=folder, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        with (
            started(folder / "profile") as browser,
            browser.page(folder / "report.html", width=1280) as page,
        ):
            page.resize(1280, 1000)
            page.run("document.querySelector('#graph').scrollIntoView()")
            page.picture(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", action="store_true", help="also the page, by Chromium")
    asked = parser.parse_args()
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "error.svg").write_text(error_picture(), encoding="utf-8")
    if asked.report:
        report_picture(PICTURES / "report.png")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
