"""Where in a line of Python the call stands that made an op.  Found by parsing, or not at all."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

# Ops whose Python function is called otherwise: op name, lower case, letters and digits only, to function names in the
# same form.
ALIASES: dict[str, frozenset[str]] = {
    "matrixdeterminant": frozenset({"det"}),
    "determinant": frozenset({"det"}),
    "logmatrixdeterminant": frozenset({"slogdet"}),
    "matrixinverse": frozenset({"inv", "inverse"}),
    "matrixsquareroot": frozenset({"sqrtm"}),
    "selfadjointeigv2": frozenset({"eigh", "eigvalsh"}),
    "eig": frozenset({"eigvals"}),
    "batchmatmulv2": frozenset({"matmul"}),
    "gemm": frozenset({"linear"}),
    "decodeandcropjpeg": frozenset({"decodeandcropjpeg"}),
    "customcall": frozenset({"purecallback", "iocallback"}),
}


class Call(NamedTuple):
    """A call in a file: its possible names (lower case, no underscores), the lines that a stack may give for it, and
    its span in characters from 0.
    """

    names: frozenset[str]
    line: int
    name_line: int
    start: int
    name_start: int
    end_line: int
    end: int


class Span(NamedTuple):
    """Characters of a line, from 0, end not included."""

    start: int
    end: int


def plain_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def names_of_op(op: str) -> frozenset[str]:
    """Function names that may stand for an op as diagnostics give it: `tf.Cholesky (float32[3,3])`,
    `onnx.com.acme.Wobble (...)`.
    """
    kind = plain_name(op.split(" ", 1)[0].rpartition(".")[2])
    return ALIASES.get(kind, frozenset()) | {kind} if kind else frozenset()


def calls_of_file(source: str) -> list[Call]:
    """All calls of a file; none when it does not parse."""
    return _calls(source, source.splitlines())


def calls_of_line(text: str) -> list[Call]:
    """Calls of a line that stands alone: a statement, or the head of a compound one."""
    if text != text.lstrip():
        return []
    for before, after in (("", ""), ("", " pass"), ("if 1: pass\n", " pass"), ("try: pass\n", " pass")):
        found = _calls(before + text + after, (before + text + after).splitlines())
        if found:
            extra = before.count("\n")
            return [
                c._replace(line=c.line - extra, name_line=c.name_line - extra, end_line=c.end_line - extra)
                for c in found
            ]
    return []


def _calls(source: str, lines: Sequence[str]) -> list[Call]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [_call(node, lines) for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _call(node: ast.Call, lines: Sequence[str]) -> Call:
    func = node.func
    name_line, name_end = func.end_lineno or func.lineno, func.end_col_offset or func.col_offset
    name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    end_line = node.end_lineno or node.lineno
    return Call(
        frozenset(plain_name(n) for n in (name, *_named_by_argument(node)) if n),
        node.lineno,
        name_line,
        _characters(lines, node.lineno, node.col_offset),
        _characters(lines, name_line, name_end) - len(name),
        end_line,
        _characters(lines, end_line, node.end_col_offset or 0),
    )


def _named_by_argument(node: ast.Call) -> Iterator[str]:
    """An op named by the first argument, as in `symbolic("com.acme::Wobble", ...)`."""
    first = node.args[0] if node.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str) and "::" in first.value:
        yield first.value.rpartition("::")[2]


def _characters(lines: Sequence[str], line: int, utf8_column: int) -> int:
    """ast counts columns in UTF-8 bytes."""
    text = lines[line - 1] if line <= len(lines) else ""
    return len(text.encode("utf-8")[:utf8_column].decode("utf-8", "ignore"))


def find_span(calls: Collection[Call], line: int, width: int, names: Collection[str]) -> Span | None:
    """The span of the only call on `line` that has one of `names`; None when there is no such call or more than one.
    width: characters of the line.
    """
    wanted = {plain_name(n) for n in names if n}
    found = [c for c in calls if line in (c.line, c.name_line) and c.names & wanted]
    if len(found) != 1:
        return None
    call = found[0]
    start = call.start if call.line == line else call.name_start
    return Span(start, max(call.end if call.end_line == line else width, start + 1))
