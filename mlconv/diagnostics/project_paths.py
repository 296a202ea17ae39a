"""Where findings are in a project: what services that annotate its files (GitHub, GitLab, test reports) open.

Paths are those of files in the project, relative to its root, with `/`; a path that is outside of it stays absolute.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from mlconv.diagnostics.engine import Diagnostic
from mlconv.diagnostics.source_spans import SourceSpan, SourceSpans, View
from mlconv.provenance.locations import is_of_windows

_SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt")


class Found(NamedTuple):
    """path: of a file, empty where nothing is known.  span: the line in it, None for all of a model file.  callers:
    further lines.
    """

    path: str
    span: SourceSpan | None
    callers: tuple[SourceSpan, ...]


def found_at(d: Diagnostic, spans: SourceSpans) -> Found:
    """The innermost line of the user, where it is one of a file in the project; else the file of the model, which is
    one that a service can open, with all lines as callers.
    """
    stack = spans.stack(d).spans
    if stack:
        path = project_path(stack[0].file, spans.view)
        if is_inside(path) or not d.model:
            return Found(path, stack[0] if stack[0].line > 0 else None, stack[1:])
    return Found(model_file(d.model, spans.view) if d.model else "", None, stack)


def project_path(path: str, view: View) -> str:
    """`./models//a.onnx` as `models/a.onnx`; what is below the root but given from the file system's as relative to
    it; other paths are absolute.
    """
    root, plain = (posixpath.normpath(_with_slashes(p)) if p else "" for p in (view.folder, path))
    if not root:
        return plain
    joined = plain if _is_absolute(plain) else posixpath.normpath(posixpath.join(root, plain))
    return joined[len(root.rstrip("/")) + 1 :] if joined.startswith(root.rstrip("/") + "/") else joined


def is_inside(path: str) -> bool:
    """A path of `project_path` is below the root."""
    return bool(path) and not _is_absolute(path) and path != ".." and not path.startswith("../")


def model_file(model: str, view: View) -> str:
    """The file that stands for a model: of a SavedModel, that with its graphs, as services know no folders; of a link,
    what it leads to, where that is in the project, as they do not follow links.
    """
    path = os.path.join(view.folder, model) if view.folder else model
    if os.path.isdir(path):
        name = next((n for n in _SAVED_MODEL if os.path.isfile(os.path.join(path, n))), "")
        path = os.path.join(path, name) if name else path
    if os.path.realpath(path) != os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)):
        real = project_path(os.path.realpath(path), View(folder=os.path.realpath(view.folder)))
        if view.folder and is_inside(real):
            return real
    return project_path(path, view)


def by_model(diagnostics: Sequence[Diagnostic], models: Sequence[str]) -> dict[str, list[Diagnostic]]:
    """Findings by model: of all that were looked at, in their order, and of others that have some."""
    found: dict[str, list[Diagnostic]] = {model: [] for model in models}
    for d in diagnostics:
        found.setdefault(d.model, []).append(d)
    return found


def _with_slashes(path: str) -> str:
    return path.replace("\\", "/") if os.sep == "\\" or is_of_windows(path) else path


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or (path[1:3] == ":/" and path[:1].isalpha())
