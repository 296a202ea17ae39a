"""Forms for machines: fields of JSON lines, rules of SARIF 2.1.0, JUnit, escapes."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

from mlconv.commands.baseline import baseline_text, only_new
from mlconv.diagnostics import Code, Diagnostic, Severity
from mlconv.diagnostics.group import fingerprint, fingerprints, group
from mlconv.diagnostics.render import render
from mlconv.diagnostics.source_spans import View
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation

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


def sarif(samples: list[Diagnostic]) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(render(samples, "sarif", "1.2"))
    return log


def test_sarif_rules() -> None:
    """The rules of the SARIF 2.1.0 schema for what is written: required members, enumerations, ranges, no further
    members.
    """
    log = sarif(SAMPLES)
    assert set(log) == {"$schema", "version", "runs"} and log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    assert len({r["id"] for r in rules}) == len(rules)
    for result in run["results"]:
        assert set(result) <= {
            "ruleId",
            "ruleIndex",
            "level",
            "message",
            "partialFingerprints",
            "locations",
            "relatedLocations",
            "properties",
        }
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert isinstance(result["message"]["text"], str)
        assert all(isinstance(v, str) for v in result["partialFingerprints"].values())
        for place in [*result.get("locations", ()), *result.get("relatedLocations", ())]:
            assert set(place) <= {"id", "message", "physicalLocation", "logicalLocations"}
            physical = place.get("physicalLocation")
            assert physical is None or physical["artifactLocation"]["uri"]
            region = (physical or {}).get("region", {"startLine": 1})
            assert set(region) <= {"startLine", "startColumn", "endColumn", "snippet"} and all(
                region[k] >= 1 for k in region if k != "snippet"
            )


def test_sarif_content() -> None:
    first, second, third, _ = sarif(SAMPLES)["runs"][0]["results"]
    place = first["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "file:///src/a%20b.py"
    assert place["logicalLocations"][0] == {"fullyQualifiedName": "/net/Det", "kind": "node"}
    assert first["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 3
    assert "locations" not in third
    assert first["partialFingerprints"] != second["partialFingerprints"]
    assert sarif(SAMPLES) == sarif(SAMPLES)
    assert sarif([])["runs"][0]["results"] == []


def test_junit() -> None:
    tree = ElementTree.fromstring(render(SAMPLES, "junit", "1").partition("\n")[2])
    (suite,) = tree
    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
    assert [len(case.findall("failure")) for case in suite] == [1, 1, 0, 0]
    assert ElementTree.fromstring(render([], "junit", "1").partition("\n")[2])[0].get("failures") == "0"


def test_github_escapes() -> None:
    line = render(SAMPLES[2:3], "github", "1")
    assert line.startswith("::warning title=MLC0502::NaN\\nin w") and "\n" not in line


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


def test_baseline() -> None:
    known = frozenset(json.loads(baseline_text(SAMPLES[:1]))["known"])
    assert only_new(SAMPLES, known) == SAMPLES[1:]
