"""Rendering of diagnostics, and that the engine keeps everything once."""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine, Severity
from mlconv.diagnostics.human import human
from mlconv.diagnostics.render import concise, github, sarif
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation

STACK = CallStack(
    (FileLocation("model.py", 10, 12, "forward", "    return torch.det(x)"), FileLocation("run.py", 3, 0, "main")), 6
)
SAMPLE = Diagnostic(
    Code.TargetLacksOp,
    "TFLite has no form for `core.determinant`",
    location=NameLocation("/net/Det", STACK),
    node="/net/Det",
    op="core.determinant (float32[?,4,4])",
    why=("expand: matrix is 4x4, expands up to 3x3",),
    help="target native instead",
)


def test_human_form() -> None:
    assert human(SAMPLE).splitlines() == [
        "error[MLC0401]: TFLite has no form for `core.determinant`",
        "  --> model.py:10:12 in forward",
        "   |",
        "10 |     return torch.det(x)",
        "  = node: /net/Det  core.determinant (float32[?,4,4])",
        "  = why:  expand: matrix is 4x4, expands up to 3x3",
        "  = help: target native instead",
        "  = note: called from run.py:3 in main",
        "  = note: 6 library frames hidden; --full-stacks shows them",
        "  = more: mlconv explain MLC0401",
    ]


def test_other_forms() -> None:
    assert concise(SAMPLE) == "model.py:10:12: MLC0401: TFLite has no form for `core.determinant`"
    assert github(SAMPLE).startswith("::error file=model.py,line=10,col=12,title=MLC0401::TFLite")
    assert "%0A" in github(Diagnostic(Code.InputNotReadable, "a\nb"))
    assert '"startLine": 10' in sarif([SAMPLE], "1")


def test_engine_keeps_all_and_each_once() -> None:
    engine = DiagnosticEngine()
    engine.warn(Code.ConstantNotFinite, "NaN in w")
    engine.raise_errors()
    for _ in range(2):
        engine.error(ConversionError(Code.OpUnsupported, "operator A is not supported"), NameLocation("a"), "a")
    engine.error(ConversionError(Code.OpUnsupported, "operator B is not supported"), NameLocation("b"), "b")
    try:
        engine.raise_errors()
    except ConversionError as error:
        assert [d.node for d in error.diagnostics] == ["", "a", "b"] and error.code is Code.OpUnsupported
        assert error.diagnostics[0].severity is Severity.WARNING
    else:
        raise AssertionError("no error")
