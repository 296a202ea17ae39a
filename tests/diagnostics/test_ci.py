"""The sample project under testdata/project: its workflow, its pipeline and its hooks are run, and their syntax is
checked by the schemas that check-jsonschema ships.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.support.cli import run

ROOT = Path(__file__).parent.parent.parent
PROJECT = ROOT / "testdata" / "project"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((PROJECT / ".github" / "workflows" / "models.yml").read_text(encoding="utf-8"))
PIPELINE = yaml.safe_load((PROJECT / ".gitlab-ci.yml").read_text(encoding="utf-8"))
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
BIN = Path(sys.executable).parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy."""
    folder = tmp_path / "project"
    shutil.copytree(PROJECT, folder)
    return folder


@pytest.mark.parametrize(
    ("schema", "path", "right", "wrong"),
    [
        ("github-workflows", PROJECT / ".github" / "workflows" / "models.yml", "runs-on:", "run-on:"),
        ("github-actions", ROOT / "action.yml", "using: composite", "using: composed"),
        ("gitlab-ci", PROJECT / ".gitlab-ci.yml", "when: always", "when: ever"),
    ],
)
def test_syntax(schema: str, path: Path, right: str, wrong: str, tmp_path: Path) -> None:
    def valid(file: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(file)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert valid(path).returncode == 0, valid(path).stdout
    broken = tmp_path / "broken.yml"
    broken.write_text(path.read_text(encoding="utf-8").replace(right, wrong))
    assert valid(broken).returncode == 1


def environment(folder: Path, **given: str) -> dict[str, str]:
    """Of a step on a runner, where mlconv is installed."""
    return {
        "PATH": f"{BIN}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(folder),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        **given,
    }


def act(project: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The step of the action that checks models, with its inputs."""
    (step,) = [s for s in ACTION["runs"]["steps"] if s.get("id") == "check"]
    given = {name: str(facts.get("default", "")) for name, facts in ACTION["inputs"].items()} | inputs
    used = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")
    env = {name: used.sub(lambda m: given[m[1]], text) for name, text in step["env"].items()}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]  # as runners call `shell: bash`
    env = environment(project.parent, **env)
    return subprocess.run(command, env=env, cwd=project, capture_output=True, text=True, check=False)


def outputs(project: Path) -> dict[str, Path]:
    lines = (project.parent / "output").read_text().splitlines()
    return {name: Path(value) for name, _, value in (line.partition("=") for line in lines)}


def with_of_the_workflow() -> dict[str, str]:
    (step,) = [s for s in WORKFLOW["jobs"]["check"]["steps"] if s["uses"] == "./mlconv"]
    return {name: str(value) for name, value in step["with"].items()}


def test_the_workflow_passes_with_what_is_known(project: Path) -> None:
    ran = act(project, **with_of_the_workflow())
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = outputs(project)
    runs = json.loads(found["sarif"].read_text())["runs"]
    assert [r["automationDetails"]["id"] for r in runs] == [
        "mlconv/models/classifier.onnx/",
        "mlconv/models/detector.onnx/",
    ]
    assert [r["results"] for r in runs] == [[], []]
    assert [s.get("name") for s in ElementTree.parse(found["junit"]).getroot()] == [
        "models/classifier.onnx",
        "models/detector.onnx",
    ]
    summary = (project.parent / "summary.md").read_text()
    assert "| <code>models/classifier.onnx</code> | ok | ok | none |" in summary
    assert "| <code>models/detector.onnx</code> | known | known | none |" in summary


def test_the_workflow_fails_on_what_is_new(project: Path) -> None:
    ran = act(project, **{**with_of_the_workflow(), "baseline": ""})
    assert ran.returncode == 1
    place = "file=layers/head.py,line=19,col=13,endColumn=50"
    assert f"::error {place},title=MLC0301::operator com.acme.wobble is not supported" in ran.stdout
    (result,) = json.loads(outputs(project)["sarif"].read_text())["runs"][1]["results"]
    places = [*result["locations"], *result["relatedLocations"]]
    files = [p["physicalLocation"]["artifactLocation"] for p in places]
    assert files == [{"uri": uri, "uriBaseId": "%SRCROOT%"} for uri in ("layers/head.py", "net.py")]
    assert "- **error MLC0301** operator com.acme.wobble" in (project.parent / "summary.md").read_text()


def test_the_workflow_fails_on_what_is_too_large(project: Path) -> None:
    ran = act(project, **{**with_of_the_workflow(), "max-size": "tflite=2KB\nnative=100KB"})
    assert ran.returncode == 3 and "title=MLC0709::tflite: the artifact takes about" in ran.stdout
    assert "| over budget | ok | 1 error |" in (project.parent / "summary.md").read_text()


def test_names_with_blanks_and_too_many_models(project: Path) -> None:
    (project / "models" / "a b.onnx").write_bytes((project / "models" / "classifier.onnx").read_bytes())
    ran = act(project, models="models/a b.onnx\nmodels/a*.onnx", to="tflite")
    assert ran.returncode == 0 and ran.stderr.count("a b.onnx: onnx") == 1, ran.stderr
    for i in range(20):
        (project / "models" / f"n{i}.onnx").write_bytes(b"")
    ran = act(project, models="models/*.onnx")
    assert ran.returncode == 2 and "::error::23 models" in ran.stdout
    assert len((project.parent / "output").read_text().splitlines()) == 2  # of the first call


def test_the_documents_show_these_files() -> None:
    """The blocks of docs/ci.md that are headed by a file are the files."""
    document = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml (testdata/project/\S+)\n(.*?)^```$", document, re.M | re.S)
    names = {str(p.relative_to(ROOT)) for p in PROJECT.rglob("*.y*ml")}
    assert {name for name, _ in blocks} == names
    for name, text in blocks:
        assert (ROOT / name).read_text(encoding="utf-8") == text
    table = set(re.findall(r"^\| `([a-z-]+)` \|", document.partition("### The action")[2], re.M))
    assert set(ACTION["inputs"]) | set(ACTION["outputs"]) == table


def test_the_commands_of_the_document(project: Path) -> None:
    document = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    (mlconv (?:.*\\\n)*.*)$", document, re.M)
    assert len(commands) == 4
    env = environment(project.parent)
    done = [subprocess.run(["bash", "-c", c], env=env, cwd=project, capture_output=True, check=False) for c in commands]
    assert [d.returncode for d in done] == [1, 0, 0, 0]


def test_findings_are_uploaded_once_each_in_the_category_of_its_model() -> None:
    steps = [s for s in ACTION["runs"]["steps"] if "upload-sarif" in s.get("uses", "")]
    assert len(steps) == 1 and set(steps[0]["with"]) == {"sarif_file"}
    versions = [s["uses"] for s in ACTION["runs"]["steps"] if "uses" in s]
    assert versions == ["actions/setup-python@v7", "github/codeql-action/upload-sarif@v4"]


def test_the_pipeline_of_gitlab(project: Path) -> None:
    install, check = PIPELINE["models"]["script"]
    assert shlex.split(install)[:2] == ["pip", "install"]
    ran = subprocess.run(
        ["bash", "-c", check], env=environment(project.parent), cwd=project, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    reports = PIPELINE["models"]["artifacts"]["reports"]
    assert json.loads((project / reports["codequality"]).read_text()) == []
    assert ElementTree.parse(project / reports["junit"]).getroot().get("failures") == "0"
    assert "1 known problems are in the baseline" in ran.stdout


def files_of_a_hook(folder: Path) -> list[str]:
    """What pre-commit hands to the hook: all files of the folder that its patterns take."""
    names = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    return [n for n in names if re.search(HOOK["files"], n) and not re.search(HOOK["exclude"], n)]


def test_the_hook(project: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = project / "nets" / "digits"
    shutil.copytree(models / "digits_cnn_saved_model", saved)
    (saved / "fingerprint.pb").write_bytes(b"\x08\x01")
    for name in ("a.keras", "a.h5", "a.tflite", "a.pb", "sub/a.onnx"):
        (project / "others" / name).parent.mkdir(parents=True, exist_ok=True)
        (project / "others" / name).write_bytes(b"")
    found = files_of_a_hook(project)
    variables = sorted(f"nets/digits/variables/{p.name}" for p in (saved / "variables").iterdir())
    others = ["others/a.h5", "others/a.keras", "others/a.pb", "others/a.tflite", "others/sub/a.onnx"]
    assert found == [
        "models/classifier.onnx",
        "models/detector.onnx",
        "nets/digits/saved_model.pb",
        *variables,
        *others,
    ]
    entry, (hook,) = shlex.split(HOOK["entry"]), configured()["hooks"]
    given = [*hook["args"], *(name for name in found if name not in others)]
    assert entry[0] == "mlconv"
    ran = run(project, monkeypatch, *entry[1:], *given)
    assert ran.code == 0, ran.err
    assert ran.out.count("nets/digits: saved_model") == 1  # a folder, once for all of its files


def configured() -> Any:
    (repo,) = yaml.safe_load((PROJECT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [h["id"] for h in repo["hooks"]] == [HOOK["id"]]
    return repo


def test_the_models_are_those_of_their_script(tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path / "p")
    for path in (tmp_path / "p" / "models").glob("*.onnx"):
        path.unlink()
    subprocess.run([sys.executable, "make_models.py"], cwd=tmp_path / "p", check=True, env={**os.environ})
    for path in (PROJECT / "models").glob("*.onnx"):
        assert (tmp_path / "p" / "models" / path.name).read_bytes() == path.read_bytes()
