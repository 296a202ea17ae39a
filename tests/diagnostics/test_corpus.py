"""Every model of the corpus that is refused: messages name node, op and types; where the file carries a line, it is the
right one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mlconv.diagnostics import Code, ConversionError, Severity
from mlconv.driver.check import check_model
from mlconv.driver.options import Options
from mlconv.provenance.locations import frames
from tests.support.graph_defs import graph, node, placeholder, save
from tests.support.thinning import thinned

PLACELESS = (Code.TargetUnavailable,)  # said of a whole target
FORMATS = ("onnx", "graphdef", "graphdef_text", "saved_model", "hlo_proto")


@pytest.mark.parametrize("part", thinned(4, range(4)))
def test_anatomy(part: int, corpus: Path) -> None:
    wrong, seen = [], 0
    rows = json.loads((corpus / "manifest.json").read_text())
    for row in [*rows["models"], *rows["diag"]][part::4]:
        if row["format"] not in FORMATS:
            continue
        arguments = row.get("convert_args") or {}
        options = Options(
            tuple(arguments.get("inputs") or ()), tuple(arguments.get("outputs") or ()), row.get("signature")
        )
        report = check_model(str(corpus / row["path"]), ("tflite", "hlo"), (), options)
        for d in report.diagnostics:
            if d.severity is Severity.ERROR and d.code not in PLACELESS:
                seen += 1
                names_an_op = "." in d.op and "(" in d.op
                names_an_input = d.op.startswith("input") and d.node
                if not (d.node and (names_an_op or names_an_input)):
                    wrong.append(f"{row['name']}: {d}")
    assert seen > 5 and not wrong, "\n".join(wrong)


# Cases of what was refused once: sizes that data decide have a form in HLO (docs/decisions/0042), Cholesky and Betainc
# one in core.
CONVERTED = frozenset(
    {
        "torch_dynamo_nonzero",
        "torch_dynamo_strict_nonzero",
        "torch_legacy_det",
        "graphdef_with_debug_info",
        "tf_betainc_in_loop",
    }
)


def diagnostics_of(path: Path, target: str) -> list[tuple[str, int, str]]:
    try:
        found = check_model(str(path), (target,)).diagnostics
    except ConversionError as error:
        found = list(error.diagnostics)
    return [(f.file, f.line, f.function) for d in found for f in frames(d.location)[:1]]


def test_lines_of_the_diagnostics_cases(corpus: Path) -> None:
    """The innermost user line, file, line and function, of every case that carries one."""
    seen = 0
    for row in json.loads((corpus / "manifest.json").read_text())["diag"]:
        want = row.get("expected_location") if row.get("location_carried") else None
        if want is None or row["format"] not in FORMATS:
            continue
        target = "tflite" if row["expect"]["tflite"] == "error" else "hlo"
        tail = "/".join(want["file"].split("/")[-3:])
        found = diagnostics_of(corpus / row["path"], target)
        seen += 1
        if row["name"] in CONVERTED:
            assert not found, row["name"]
            continue
        assert any(
            f.endswith(tail) and line == want["line"] and function == want["function"] for f, line, function in found
        ), (row["name"], found)
    assert seen >= 10


def says_how_to_get_lines(path: Path) -> bool:
    (problem, *_) = check_model(str(path), ("tflite",)).diagnostics
    return bool(problem.node) and any("save_debug_info=True" in note for note in problem.notes)


def test_a_case_without_lines_says_how_to_get_them(corpus: Path) -> None:
    rows = json.loads((corpus / "manifest.json").read_text())["diag"]
    row = next(r for r in rows if r["name"] == "keras_custom_layer_export")
    assert says_how_to_get_lines(corpus / row["path"])


def test_a_frozen_graph_without_lines_says_how_to_get_them(tmp_path: Path) -> None:
    proto = graph(placeholder("x", [3, 3]), node("root", "MatrixSquareRoot", "x", T="float32"))
    assert says_how_to_get_lines(save(proto, tmp_path))
