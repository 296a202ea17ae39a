"""Columns: found by parsing, and only when there is one answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlconv.diagnostics import Code, Diagnostic
from mlconv.diagnostics.source_spans import SourceSpans, View
from mlconv.diagnostics.spans import calls_of_file, calls_of_line, find_span, names_of_op
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation

LINES = [
    ("y = tf.linalg.cholesky(x)", "tf.Cholesky", "tf.linalg.cholesky(x)"),
    ("s = tf.strings.as_string(x)", "tf.AsString", "tf.strings.as_string(x)"),
    ("return torch.nonzero(m)", "onnx.NonZero", "torch.nonzero(m)"),
    (
        'return torch.onnx.ops.symbolic("com.acme::Wobble", (h,))',
        "onnx.com.acme.Wobble",
        'torch.onnx.ops.symbolic("com.acme::Wobble", (h,))',
    ),
    (
        "é = tf.math.real(tf.linalg.det(tf.reshape(y, [4, 4])))",
        "tf.MatrixDeterminant",
        "tf.linalg.det(tf.reshape(y, [4, 4]))",
    ),
    ("if tf.reduce_any(tf.is_nan(x)):", "tf.IsNan", "tf.is_nan(x)"),
    ("elif f(x):", "tf.F", "f(x)"),
    (
        "return jax.pure_callback(lambda a: np.sort(a), x)",
        "hlo.custom-call",
        "jax.pure_callback(lambda a: np.sort(a), x)",
    ),
    ("return det(a) + det(b)", "onnx.Det", None),
    ("return self.layer(x)", "onnx.Det", None),
    ("return x @ y", "onnx.MatMul", None),
    ("det(", "onnx.Det", None),
]


@pytest.mark.parametrize(("line", "op", "span"), LINES)
def test_spans_of_lines(line: str, op: str, span: str | None) -> None:
    found = find_span(calls_of_line(line), 1, len(line), names_of_op(op + " (float32[2])"))
    assert (line[found.start : found.end] if found else None) == span


def test_calls_over_several_lines() -> None:
    source = "y = (tf.nn\n    .det(\n        x))\n"
    calls = calls_of_file(source)
    assert find_span(calls, 2, len("    .det("), {"det"}) == (5, 9)
    assert find_span(calls, 3, len("        x))"), {"det"}) is None


def diagnostic(file: str, text: str = "", line: int = 2) -> Diagnostic:
    stack = CallStack(
        (FileLocation(file, line, 0, "f", text), FileLocation(file, 4, 0, "g")),
        1,
        (FileLocation("/lib/python3.12/x.py", 1),),
    )
    return Diagnostic(Code.OpUnsupported, "no", location=NameLocation("n", stack), node="n", op="onnx.Det (float32[2])")


def test_places_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(x):\n    return torch.det(x)\n\ny = f(1)\n")
    stack = SourceSpans(View(folder=str(tmp_path))).stack(diagnostic(str(tmp_path / "m.py")))
    assert [(p.file, p.line, p.column, p.end_column) for p in stack.spans] == [("m.py", 2, 12, 24), ("m.py", 4, 5, 9)]
    assert stack.hidden == 1


def test_recorded_text_wins_over_a_changed_file(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("\n# other\n")
    span = SourceSpans(View(folder=str(tmp_path))).stack(diagnostic(str(tmp_path / "m.py"), "return det(x)")).spans[0]
    assert (span.text, span.changed, span.column) == ("return det(x)", True, 0)
    assert span.mark == (7, 13)


def test_a_file_that_is_not_there_gives_no_column() -> None:
    span = SourceSpans().stack(diagnostic("/nowhere/m.py")).spans[0]
    assert (span.file, span.line, span.column, span.text) == ("/nowhere/m.py", 2, 0, "")


@pytest.mark.parametrize(("recorded", "shown"), [(11, (11, 0)), (12, (12, 24)), (3, (3, 0))])
def test_recorded_columns(recorded: int, shown: tuple[int, int], tmp_path: Path) -> None:
    """A recorded column stands; it has an end where the only call that fits starts there."""
    (tmp_path / "m.py").write_text("def f(x):\n    return torch.det(x)\n")
    location = FileLocation(str(tmp_path / "m.py"), 2, recorded)
    span = (
        SourceSpans(View(folder=str(tmp_path)))
        .stack(Diagnostic(Code.OpUnsupported, "no", location=location, op="onnx.Det (float32[2])"))
        .spans[0]
    )
    assert (span.column, span.end_column) == shown


def test_path_map_reads_and_shows_the_mapped_file(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("\n    return torch.det(x)\n")
    view = View(path_map=(("/build/src", str(tmp_path)),), folder=str(tmp_path))
    span = SourceSpans(view).stack(diagnostic("/build/src/m.py")).spans[0]
    assert (span.file, span.column) == ("m.py", 12)
    assert view.shown("/build/srcs/m.py") == "/build/srcs/m.py"


def test_full_stacks() -> None:
    frames = (FileLocation("a.py", 1), FileLocation("/x/site-packages/keras/l.py", 9), FileLocation("b.py", 2))
    d = Diagnostic(Code.OpUnsupported, "no", location=CallStack((frames[0], frames[2]), 1, frames))
    assert [p.file for p in SourceSpans(View(full_stacks=True)).stack(d).spans] == [f.file for f in frames]
    assert [p.file for p in SourceSpans().stack(d).spans] == ["a.py", "b.py"]
