"""Forms for machines: fields of JSON lines, rules of SARIF 2.1.0, JUnit, escapes."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from mlconv.commands.baseline import Baseline
from mlconv.diagnostics import Code, Diagnostic, Severity
from mlconv.diagnostics.group import fingerprint, fingerprints, group
from mlconv.diagnostics.render import render
from mlconv.diagnostics.source_spans import View
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation, mapped_path

STACK = CallStack(
    (FileLocation("/src/a b.py", 10, 12, "forward", "    return torch.det(x)"), FileLocation("run.py", 3, 0, "main")), 6
)
SAMPLES = [
    Diagnostic(
        Code.TargetLacksOp,
        "TFLite has no form for `x`",
        Severity.ERROR,
        NameLocation("/net/Det", STACK),
        "/net/Det",
        "core.x (float32[4])",
        ("w",),
        "do",
    ),
    Diagnostic(
        Code.TargetLacksOp,
        "TFLite has no form for `x`",
        Severity.ERROR,
        NameLocation("/net/Det"),
        "/net/Det",
        "core.x (float32[4])",
    ),
    Diagnostic(Code.ConstantNotFinite, "NaN\nin w \x01", Severity.WARNING),
    Diagnostic(Code.VariantUnsupported, "slow", Severity.NOTE, node="n"),
]
FIELDS = {
    "code": str,
    "severity": str,
    "message": str,
    "model": str,
    "file": (str, type(None)),
    "line": (int, type(None)),
    "column": (int, type(None)),
    "end_column": (int, type(None)),
    "function": (str, type(None)),
    "source": (str, type(None)),
    "node": str,
    "op": str,
    "why": list,
    "callers": list,
    "hidden_frames": int,
    "notes": list,
    "help": str,
    "fingerprint": str,
}


def test_json_lines() -> None:
    rows = [json.loads(line) for line in render(SAMPLES, "json", "1").splitlines()]
    assert len(rows) == len(SAMPLES)
    for row in rows:
        assert set(row) == set(FIELDS)
        for name, kind in FIELDS.items():
            assert isinstance(row[name], kind), name
    assert rows[0]["callers"] == [{"file": "run.py", "line": 3, "column": None, "function": "main"}]


def sarif(samples: Sequence[Diagnostic], *models: str, view: View | None = None) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(render(samples, "sarif", "1.2", view=view, models=models))
    return log


def test_sarif_is_valid() -> None:
    """By the schema of SARIF 2.1.0, as Microsoft's validator (npm: @microsoft/sarif-multitool-linux, MIT) has it, with
    formats of URIs.
    """
    schema = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    for samples in (SAMPLES, [], [replace(SAMPLES[1], model="./a b.onnx"), replace(SAMPLES[0], model="C:\\m.onnx")]):
        assert [e.message for e in validator.iter_errors(sarif(samples))] == []
    broken = sarif(SAMPLES)
    broken["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert [list(e.path)[-1] for e in validator.iter_errors(broken)] == ["startLine"]


def test_sarif_has_what_github_requires() -> None:
    """The rows that are "required" in "SARIF support for code scanning" (github/docs), none of them empty."""
    log = sarif([replace(d, model="models/m.onnx") for d in SAMPLES], "models/m.onnx", "models/good.onnx")
    assert log["$schema"] and log["version"] == "2.1.0"
    assert [r["automationDetails"]["id"] for r in log["runs"]] == [
        "mlconv/models/m.onnx/",
        "mlconv/models/good.onnx/",
    ]
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        assert driver["name"] and driver["semanticVersion"] == "1.2" and driver["informationUri"]
        rules = driver["rules"]
        assert [r["id"] for r in rules] == sorted({result["ruleId"] for result in run["results"]})
        for rule in rules:
            texts = (rule["shortDescription"]["text"], rule["fullDescription"]["text"])
            assert all(0 < len(text) <= 1024 for text in texts) and rule["help"]["text"] and rule["help"]["markdown"]
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            assert result["message"]["text"] and result["partialFingerprints"]
            (place,) = result["locations"]
            region = place["physicalLocation"].get("region", {})
            assert place["physicalLocation"]["artifactLocation"]["uri"]
            assert not region or set(region) >= {"startLine", "startColumn", "endLine", "endColumn"}
    assert [len(run["results"]) for run in log["runs"]] == [len(SAMPLES), 0]


def test_sarif_places() -> None:
    first, second, third, _ = sarif([replace(d, model="./m//n.onnx") for d in SAMPLES])["runs"][0]["results"]
    place = first["locations"][0]
    # the line is that of a file outside of the project, which no service can open: the model is the place
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "m/n.onnx", "uriBaseId": "%SRCROOT%"}
    assert place["logicalLocations"][0] == {"fullyQualifiedName": "/net/Det", "kind": "node"}
    assert [p["physicalLocation"]["artifactLocation"]["uri"] for p in first["relatedLocations"]] == [
        "file:///src/a%20b.py",
        "run.py",
    ]
    marks = [r["partialFingerprints"] for r in (first, second, third)]
    assert len({m["primaryLocationLineHash"] for m in marks}) == 3
    inside = sarif([replace(SAMPLES[0], model="m.onnx")], view=View(path_map=(("/src", "."),)))["runs"][0]["results"][0]
    physical = inside["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "a%20b.py"
    assert physical["region"] == {
        "startLine": 10,
        "startColumn": 12,
        "endLine": 10,
        "endColumn": 12,
        "snippet": {"text": "    return torch.det(x)"},
    }
    assert set(inside["partialFingerprints"]) == {"mlconvProblem/v1"}  # the upload computes the other from the line


def test_sarif_of_files_that_are_there(tmp_path: Path) -> None:
    """A SavedModel is told at its graphs, a link at what it leads to, and a whole file as its bytes."""
    saved = tmp_path / "nets" / "saved"
    saved.mkdir(parents=True)
    (saved / "saved_model.pb").write_bytes(b"12345")
    (tmp_path / "link.onnx").symlink_to(saved / "saved_model.pb")
    for model in ("nets/saved", "./nets/saved/", str(saved), "link.onnx"):
        (run,) = sarif([replace(SAMPLES[2], model=model)], view=View(folder=str(tmp_path)))["runs"]
        physical = run["results"][0]["locations"][0]["physicalLocation"]
        assert physical["artifactLocation"]["uri"] == "nets/saved/saved_model.pb", model
        assert physical["region"] == {"byteOffset": 0, "byteLength": 5}


def test_gitlab() -> None:
    """The properties of "Code Quality report format" (docs of GitLab CI)."""
    rows = json.loads(render([replace(d, model="./m.onnx") for d in SAMPLES], "gitlab", "1"))
    assert [row["severity"] for row in rows] == ["major", "major", "minor", "info"]
    assert {row["location"]["path"] for row in rows} == {"m.onnx"}
    assert len({row["fingerprint"] for row in rows}) == len(rows)
    for row in rows:
        assert set(row) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert row["description"].startswith(row["check_name"]) and row["location"]["lines"]["begin"] == 1
    mapped = json.loads(render(SAMPLES[:1], "gitlab", "1", view=View(path_map=(("/src", "src"),))))
    assert mapped[0]["location"] == {"path": "src/a b.py", "lines": {"begin": 10}}


def test_markdown_is_text() -> None:
    """Names out of a model become no markup."""
    name = "<b>x</b>|[a](http://b)`*_@you\n# c"
    text = render([replace(SAMPLES[1], message=name, node=name, model=name)], "markdown", "1", models=[name, "good"])
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 4 and all(line.count("|") == 3 for line in table) and "none" in table[3]
    for part in ("<b>", "](", "://", "`", "*_", "@", "\n# c"):
        assert part not in text.replace("**error MLC0401**", ""), part
    assert "<b>x</b>|[a](http:/b)`*_@you" in html.unescape(table[2])


def test_junit() -> None:
    samples = [*SAMPLES[:3], replace(SAMPLES[3], model="b.onnx")]
    tree = ElementTree.fromstring(render(samples, "junit", "1", models=["a.onnx", "b.onnx"]).partition("\n")[2])
    assert tree.attrib == {"name": "mlconv", "tests": "5", "failures": "2"}
    assert [(s.get("name"), s.get("tests"), s.get("failures")) for s in tree] == [
        ("a.onnx", "1", "0"),
        ("b.onnx", "1", "0"),
        ("mlconv", "3", "2"),
    ]
    assert [len(case.findall("failure")) for suite in tree for case in suite] == [0, 0, 1, 1, 0]
    assert ElementTree.fromstring(render([], "junit", "1").partition("\n")[2])[0].get("failures") == "0"


def test_github_escapes() -> None:
    line = render(SAMPLES[2:3], "github", "1")
    assert line.startswith("::warning title=MLC0502::NaN\\nin w") and "\n" not in line


def test_github_names_lines_outside_of_the_project() -> None:
    """A model may come from a machine with other folders: the line is what its author looks for."""
    found = replace(SAMPLES[0], model="models/net.onnx")
    line = render([found], "github", "1", view=View(folder="/project"))
    assert line.startswith("::error file=/src/a b.py,line=10,")
    assert "file=models/net.onnx," in render(
        [replace(found, location=None)], "github", "1", view=View(folder="/project")
    )


def test_fingerprints_do_not_depend_on_places() -> None:
    moved = [Diagnostic(d.code, d.message, d.severity, None, d.node, d.op) for d in SAMPLES]
    assert [fingerprint(d) for d in moved] == [fingerprint(d) for d in SAMPLES]
    assert len(set(fingerprints(SAMPLES))) == len(SAMPLES)


def test_groups_by_cause() -> None:
    sized = [
        Diagnostic(Code.ShapeMismatch, f"{n} against 4", node=f"n{n}", op=f"onnx.Add (float32[{n}])") for n in (2, 3)
    ]
    assert [len(g.members) for g in group([*sized, *SAMPLES])] == [2, 2, 1, 1]


def test_limit() -> None:
    text = render(SAMPLES, "human", "1", view=View(limit=1))
    assert "2 x core.x" in text and "2 further causes in 2 places are not shown" in text and "NaN" not in text
    assert len(render(SAMPLES, "json", "1", view=View(limit=1)).splitlines()) == 2


def test_baseline_is_by_model() -> None:
    of_a, of_b = ([replace(d, model=m) for d in SAMPLES[:2]] for m in ("a.onnx", "b.onnx"))
    known = Baseline().with_problems([of_a[0], *of_b], ["a.onnx", "b.onnx"])
    assert known.only_new([*of_a, *of_b]) == of_a[1:]
    assert known.gone([of_b[0]], ["./b.onnx"]) == 1 and known.gone([of_b[0]], ["a.onnx"]) == 1
    later = known.with_problems([], ["./a.onnx"])  # of one model: that of the other is kept
    assert list(json.loads(later.text())["models"]) == ["b.onnx"] and later.only_new(of_b) == []
    assert Baseline.read_if_there("none.json") == Baseline()


def test_baseline_of_the_first_version(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(json.dumps({"version": 1, "known": {fingerprint(SAMPLES[0]): "MLC0401"}}))
    assert Baseline.read(str(path)).only_new(SAMPLES) == SAMPLES[1:]


@pytest.mark.parametrize(
    ("file", "pair", "shown"),
    [
        (r"C:\train\net.py", (r"C:\train", "."), "./net.py"),
        (r"c:\Train\lib\net.py", ("C:/train/", "src"), "src/lib/net.py"),
        (r"C:\train\net.py", (r"C:\tra", "src"), r"C:\train\net.py"),
        (r"\\host\share\net.py", (r"\\host\share", "src"), "src/net.py"),
        ("/src/net.py", ("/src", "D:\\work\\"), "D:\\work/net.py"),
        (r"/a\b/net.py", (r"/a\b", "src"), "src/net.py"),
    ],
)
def test_paths_of_windows_are_mapped(file: str, pair: tuple[str, str], shown: str) -> None:
    assert mapped_path(file, (pair,)) == shown
