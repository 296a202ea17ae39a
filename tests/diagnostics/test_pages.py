"""Pages of diagnostics: each has an example that shows its code, and `mlconv explain` shows the page."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from mlconv.cli import main
from mlconv.diagnostics import Code
from tests.support.pages import PAGES, ROOT, read_example, run_example, with_outputs
from tests.support.sources import tree_of

WARNINGS = {  # the conversion goes on
    Code.ConstantNotFinite,
    Code.CalibrationRandom,
    Code.CalibrationPartial,
    Code.CalibrationAssumed,
}


@pytest.mark.share(6)
@pytest.mark.parametrize("code", Code, ids=lambda code: code.name)
def test_example(code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    path = PAGES / f"{code.id}.md"
    page = path.read_text(encoding="utf-8")
    example = read_example(page)
    assert example is not None, "the page has no example: a block `console` with the command and what it prints"
    monkeypatch.chdir(tmp_path)
    ran = run_example(example, tmp_path)
    if request.config.getoption("--update"):
        path.write_text(with_outputs(page, example, ran), encoding="utf-8")
        return
    assert [r.output for r in ran] == [step.output for step in example.steps]
    assert f"[{code.id}]: " in ran[-1].output and ran[-1].output.count("\n") < 20
    assert not any(r.status for r in ran[:-1])
    assert ran[-1].status == (0 if code in WARNINGS else code.exit_status)


@pytest.mark.parametrize("code", Code, ids=lambda code: code.name)
def test_explain_shows_the_page(code: Code) -> None:
    page = (PAGES / f"{code.id}.md").read_text(encoding="utf-8")
    title = f"# {code.id}: {code.title}\n\n`Code.{code.name}`, {code.family.about}, exit status {code.exit_status}.\n"
    assert page.startswith(title)
    assert [line for line in page.splitlines() if line.startswith("## ")] == ["## Cause", "## Example", "## What to do"]
    assert CliRunner().invoke(main, ["explain", code.id.lower()]).output == page + "\n"


def test_there_is_no_page_without_a_code() -> None:
    assert {path.stem for path in PAGES.iterdir()} == {code.id for code in Code}


def test_code_goes_by_names() -> None:
    """Numbers are for users: no code writes or compares them as text."""
    found = []
    for path in (p for folder in ("mlconv", "tools") for p in (ROOT / folder).rglob("*.py")):
        tree = tree_of(path)
        comments = {n.value for n in ast.walk(tree) if isinstance(n, ast.Expr)}  # docstrings too
        strings = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and n not in comments)
        found += [f"{path}:{n.lineno}" for n in strings if re.search(r"MLC\d{4}", str(n.value))]
    assert {place.rpartition(":")[0] for place in found} == {str(ROOT / "mlconv" / "diagnostics" / "codes.py")}, found


def test_documents_name_codes_that_exist() -> None:
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    numbers = {n for path in documents for n in re.findall(r"MLC\d{4}", path.read_text(encoding="utf-8"))}
    assert numbers and numbers <= {code.id for code in Code}
