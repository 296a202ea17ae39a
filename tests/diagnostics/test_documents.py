"""docs/diagnostics.md, the action and the hook say what is there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from click.testing import CliRunner

from mlconv.cli import main
from mlconv.diagnostics.text import FORMATS
from tests.diagnostics.test_renderers import FIELDS
from tests.support import failing_models as models

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")


def script() -> str:
    """What the action's check step runs."""
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    step = action.partition("id: check")[2].partition("    - name: Upload")[0]
    return textwrap.dedent(step.partition("run: |\n")[2])


def test_script_of_the_action(tmp_path: Path) -> None:
    models.torch_custom_op(tmp_path)
    models.dynamic_relu(tmp_path)
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    inputs = {
        "TO": "tflite",
        "PROFILE": "",
        "PATH_MAP": "",
        "BASELINE": "",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "out"),
        "PATH": path,
    }

    def act(**given: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", "-e", "-o", "pipefail", "-c", script()]
        return subprocess.run(
            command, env={**inputs, **given}, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    both = act(MODELS="relu.onnx\ncustom.onnx")
    assert both.returncode == 1
    assert "::error file=net.py,line=7,col=16,endColumn=40,title=MLC0301::" in both.stdout
    results = [json.loads((tmp_path / "mlconv-sarif" / f"{i}.sarif").read_text())["runs"][0]["results"] for i in (1, 2)]
    assert [len(r) for r in results] == [0, 1]
    assert act(MODELS="relu.onnx", PROFILE="tflite").returncode == 0


def options_of(command: str) -> set[str]:
    return set(re.findall(r"--[a-z-]+", CliRunner().invoke(main, [command, "--help"]).output))


def test_fields_and_formats_are_described() -> None:
    assert all(f"`{name}`" in DOCUMENT for name in (*FIELDS, *FORMATS))


def test_options_exist() -> None:
    known = options_of("check") | options_of("convert") | {"--help"}
    assert set(re.findall(r"--[a-z][a-z-]+", DOCUMENT)) <= known


def test_inputs_of_the_action_are_those_of_the_document() -> None:
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    inputs = set(re.findall(r"^  ([a-z-]+):\n    description", action.partition("outputs:")[0], re.M))
    used = set(re.findall(r"^          ([a-z-]+): ", DOCUMENT, re.M))
    assert used and used <= inputs
    assert set(re.findall(r"--[a-z][a-z-]+", script())) <= options_of("check")


def test_the_hook_runs_a_command() -> None:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert "id: mlconv-check" in hook and "entry: mlconv check" in hook
    pattern = re.search(r"^  files: (.*)$", hook, re.M)
    assert pattern is not None and re.search(pattern[1], "models/a.onnx") and not re.search(pattern[1], "a.py")
