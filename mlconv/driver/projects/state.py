"""What is known of an artifact of a project: its certificate, and whether that still holds.

An artifact is up to date where the same version of mlconv wrote it, by the same options and bounds, from files with the
same bytes, and where it still has the bytes that it had.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.text import json_text
from mlconv.driver.certificate import BOUNDS, Digest, are_of_now, digest_of, plain_options, read_certificate
from mlconv.driver.files import files_of
from mlconv.driver.options import Options
from mlconv.driver.projects.bounds import Held
from mlconv.driver.projects.reading import Planned, Project
from mlconv.driver.projects.values import located
from mlconv.formats.atomic import replacing

_FOLDERS = ("data", "calibration", "evaluation")


class Files:
    """Digests of files, each made once.  root: that names start at."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._known: dict[str, Digest | None] = {}

    def same(self, entry: Digest, folder: str = "") -> bool:
        """Whether a file is still what a certificate says.  folder: that the name starts at, beside the root."""
        path = located(entry["name"], folder or self.root)
        if path not in self._known:
            self._known[path] = digest_of(path, "") if os.path.isfile(path) else None
        found = self._known[path]
        return found is not None and found["digest"] == entry["digest"]

    def forget(self, path: str) -> None:
        """Files of an artifact are written again."""
        folder = os.path.dirname(path)
        self._known = {name: known for name, known in self._known.items() if not name.startswith(folder)}


def why_stale(one: Planned, options: Options, project: Project, files: Files) -> str:
    """Why an artifact is to be built; empty when it is up to date."""
    if not os.path.exists(one.certificate):
        return "not built yet"
    try:
        told = read_certificate(one.certificate)
    except ConversionError:
        return "its certificate cannot be read"
    asked = {"model": one.model, "target": one.target, "output": one.output}
    for name, value in asked.items():
        if told[name] != value:  # type: ignore[literal-required]
            return f"{name} is {value}, and was {told[name]}"  # type: ignore[literal-required]
    if told["options"] != within(plain_options(options), project.root):
        return "options are others"
    if told["bounds"] != one.bounds.data():
        return "bounds are others"
    if not are_of_now(told["versions"]):
        return "another version of mlconv, or of a package, wrote it"
    read = {located(entry["name"], project.root) for entry in told["inputs"]}
    more = [path for path in _inputs(one, options, project) if path not in read]
    if more:
        return f"{within(more[0], project.root)} is new"
    changed = [entry["name"] for entry in told["inputs"] if not files.same(entry)]
    if changed:
        return f"{changed[0]} has changed"
    folder = os.path.dirname(located(one.output, project.root))
    gone = [entry["name"] for entry in told["outputs"] if not files.same(entry, folder)]
    return f"{gone[0]} is not what was written" if gone else ""


def _inputs(one: Planned, options: Options, project: Project) -> list[str]:
    """Files that are there now, of the model and of folders of samples."""
    named = [located(one.model, project.root)]
    named += [value for value in (getattr(options, name) for name in _FOLDERS) if isinstance(value, str) and value]
    return [os.path.abspath(path) for name in named if os.path.exists(name) for path in files_of(name)]


def record(one: Planned, root: str, held: list[Held]) -> None:
    """Let a certificate that a conversion wrote be one of the project: paths start at its root, and it says what
    bounds the artifact was held to.
    """
    statement = json.loads(Path(one.certificate).read_text(encoding="utf-8"))
    statement = within(statement, root)
    found = {"limits": one.bounds.data(), "values": {h.name: h.value for h in held if h.name != "time"}}
    statement["predicate"]["runDetails"]["byproducts"].append({"name": BOUNDS, "annotations": found})
    with replacing(Path(one.certificate)) as out:
        out.write((json_text(statement, indent=1) + "\n").encode())


def drop(one: Planned) -> None:
    """An artifact that broke its bounds is no result.  Raises ConversionError OutputNotWritable."""
    try:
        os.remove(one.certificate)
    except FileNotFoundError:
        return
    except OSError as error:
        raise ConversionError(Code.OutputNotWritable, f"cannot remove {one.certificate}: {error.strerror}") from error


def within(data: Any, root: str) -> Any:
    """Plain data whose paths below a folder start there."""
    if isinstance(data, str):
        inside = data.startswith(root.rstrip(os.sep) + os.sep)
        return os.path.relpath(data, root).replace(os.sep, "/") if inside else data
    if isinstance(data, Mapping):
        return {key: within(value, root) for key, value in data.items()}
    return [within(item, root) for item in data] if isinstance(data, (list, tuple)) else data
