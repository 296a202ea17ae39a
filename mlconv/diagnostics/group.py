"""Diagnostics by cause: the same refusal in many places is one problem."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mlconv.diagnostics.codes import Code
from mlconv.diagnostics.engine import Diagnostic

_NUMBERS = re.compile(r"\d+")


class Group(NamedTuple):
    """Diagnostics that differ only in their place and in sizes, in order."""

    members: tuple[Diagnostic, ...]

    @property
    def first(self) -> Diagnostic:
        return self.members[0]


def op_kind(d: Diagnostic) -> str:
    """The name of the op at fault: `onnx.Gelu`."""
    return d.op.split(" ", 1)[0]


def kinds(members: Sequence[Diagnostic]) -> str:
    """`onnx.Gelu`, or `onnx.Gelu and 3 other ops`; the code where no op is at fault."""
    names = list(dict.fromkeys(op_kind(d) for d in members))
    more = len(names) - 1
    return (names[0] or members[0].code.id) + (f" and {more} other op{'s' * (more > 1)}" if more else "")


def cause(d: Diagnostic) -> tuple[str, ...]:
    """What diagnostics of one group have in common.  A type or rank that the target lacks is one cause, whatever ops
    meet it.
    """
    kind = "" if d.code is Code.TargetLacksType else op_kind(d)
    return (
        d.model,
        d.code.id,
        d.severity.value,
        kind,
        _NUMBERS.sub("#", d.message).replace(d.node or "\0", "<node>"),
    )


def group(diagnostics: Iterable[Diagnostic]) -> list[Group]:
    """Groups in the order of their first members."""
    found: dict[tuple[str, ...], list[Diagnostic]] = {}
    for d in diagnostics:
        found.setdefault(cause(d), []).append(d)
    return [Group(tuple(members)) for members in found.values()]


def fingerprint(d: Diagnostic) -> str:
    """A name for a problem that stays over runs and machines: model, code, op, node and cause, no lines and no absolute
    paths.
    """
    parts = (portable(d.model), *cause(d)[1:], d.node)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def portable(model: str) -> str:
    """The path of a model, as it is on every machine: relative ones as they were given, of absolute ones the name."""
    path = model.replace("\\", "/").rstrip("/")
    return (
        posixpath.basename(path)
        if path.startswith("/") or path[1:2] == ":"
        else posixpath.normpath(path)
        if path
        else ""
    )


def fingerprints(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """One for each; the second and later problems of one fingerprint get a number."""
    seen: dict[str, int] = {}
    out = []
    for d in diagnostics:
        name = fingerprint(d)
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}:{seen[name]}")
    return out
